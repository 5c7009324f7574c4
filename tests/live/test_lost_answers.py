"""What becomes of a write whose answer is lost: the toolkit looks, and never sends it twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import History, Odoo, connect, count, create, read, search_read, write_many
from odoo_toolkit.apps.accounting import register_payment
from odoo_toolkit.change_history import lost_answers
from odoo_toolkit.errors import OdooConnectionError, StateError
from odoo_toolkit.records.writing import unlink
from tests.live.accounting_data import customer, posted
from tests.live.servers import Server, credentials
from tests.soak import writes
from tests.soak.proxy import Between, Fault, proxy
from tests.soak.writes import Claim

Action = Callable[[Odoo, Odoo], Claim]

#: Each write, with the call whose answer is lost.
ACTIONS: tuple[tuple[Action, str], ...] = (
    (writes.create_partner, "create"),
    (writes.create_several, "create"),
    (writes.write_partner, "write"),
    (writes.unlink_partner, "unlink"),
    (writes.create_lead, "create"),
    (writes.win_lead, "action_set_won"),
    (writes.create_order, "create"),
    (writes.confirm_order, "action_confirm"),
    (writes.invoice_order, "create_invoices"),
    (writes.create_invoice, "create"),
    (writes.post_invoice, "action_post"),
    (writes.pay_invoice, "action_create_payments"),
)
EACH = pytest.mark.parametrize(
    ("action", "method"), ACTIONS, ids=[action.__name__ for action, _ in ACTIONS]
)


@pytest.fixture(scope="module")
def safe(server: Server) -> Iterator[Odoo]:
    with connect(**credentials(server, server.user("admin"))) as connection:
        yield connection


@pytest.fixture(scope="module", params=["auto", "xmlrpc"])
def lossy(request: pytest.FixtureRequest, server: Server) -> Iterator[tuple[Odoo, Between]]:
    """A connection through a proxy, by the newest protocol and by the oldest."""
    between = Between()
    with proxy(server.url, between.choose) as between.server:
        keywords = {**credentials(server, server.user("admin")), "url": between.server.url}
        with connect(**keywords, protocol=request.param) as connection:
            yield connection, between


@EACH
def test_a_write_whose_answer_is_lost_is_recognised(
    lossy: tuple[Odoo, Between], safe: Odoo, action: Action, method: str
) -> None:
    """Its id is in the result, and it was sent once."""
    odoo, between = lossy
    between.method, between.fault, between.sent = method, "lost", 0
    claim = action(odoo, safe)
    assert (claim.told, claim.said) == ("done", "")
    assert claim.id
    assert between.sent == 1


@EACH
def test_a_write_that_never_arrived_is_not_claimed(
    lossy: tuple[Odoo, Between],
    safe: Odoo,
    action: Action,
    method: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Absence proves nothing: the error says that it was looked for, and it was sent once."""
    monkeypatch.setattr(lost_answers, "WAITS", (0.0,))
    odoo, between = lossy
    between.method, between.fault, between.sent = method, "dropped", 0
    claim = action(odoo, safe)
    assert claim.told == "maybe"
    assert "looked for the result in Odoo" in claim.said
    assert between.sent == 1
    # What is confirmed, posted or paid in full is refused the next time; a down payment is not.
    assert ("You can safely repeat the call" in claim.said) == method.startswith("action_")


@pytest.mark.every_version
def test_unconfirmed_payment_names_the_invoice(
    server: Server, safe: Odoo, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wizard is gone by then: the error names what it was opened for."""
    monkeypatch.setattr(lost_answers, "WAITS", (0.0,))
    bought = posted(safe, customer(safe, suffix))
    between = Between()
    between.method, between.fault = "action_create_payments", "dropped"
    with proxy(server.url, between.choose) as between.server:
        keywords: dict[str, Any] = {
            **credentials(server, server.user("admin")),
            "url": between.server.url,
        }
        with connect(**keywords, history=History(tmp_path / "history.sqlite")) as odoo:
            for error in (OdooConnectionError, StateError):
                with pytest.raises(error) as raised:
                    register_payment(
                        odoo, invoice_ids=[bought.id], amount=10, idempotency_key=f"pay-{suffix}"
                    )
    assert raised.value.code == "KEY_UNCONFIRMED"
    # Payments of other tests may be new enough to be named as well.
    assert raised.value.details["look_at"]["account.move"] == [bought.id]
    assert f"action_create_payments for account.move {bought.id} is unconfirmed" in str(
        raised.value
    )


def test_two_alike_that_are_both_in_doubt_are_not_taken_for_each_other(
    lossy: tuple[Odoo, Between], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first never arrived; the second did, and could be the first."""
    monkeypatch.setattr(lost_answers, "WAITS", (0.0,))
    odoo, between = lossy
    between.method, between.fault = "create", "dropped"
    values = {"name": "Alike", "comment": f"{odoo.protocol} {id(between)}"}
    with pytest.raises(OdooConnectionError):
        create(odoo, "res.partner", values)
    between.fault = "lost"
    with pytest.raises(OdooConnectionError) as raised:
        create(odoo, "res.partner", values)
    assert raised.value.outcome == "maybe_applied"
    found = search_read(odoo, "res.partner", [["name", "=", "Alike"]], ["id"], order="id desc")
    unlink(odoo, "res.partner", [found.records[0]["id"]])


def test_an_older_record_of_the_same_values_is_not_claimed(
    lossy: tuple[Odoo, Between], safe: Odoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What this process has made itself is known to be another."""
    monkeypatch.setattr(lost_answers, "WAITS", (0.0,))
    odoo, between = lossy
    name = f"Twin of {id(between)} {odoo.protocol}"
    first = create(safe, "res.partner", {"name": name}).id
    between.method, between.fault = "create", "dropped"
    with pytest.raises(OdooConnectionError):
        create(odoo, "res.partner", {"name": name})
    assert count(safe, "res.partner", [["name", "=", name]]).count == 1
    unlink(safe, "res.partner", [first])


@pytest.mark.every_version
@pytest.mark.parametrize("mixed", [False, True], ids=["same fields", "different fields"])
@pytest.mark.parametrize("fault", ["lost", "dropped"])
def test_what_became_of_rows_of_one_request_is_told_of_each(
    lossy: tuple[Odoo, Between],
    safe: Odoo,
    fault: Fault,
    mixed: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the middle: rows before it are done, and those after it are not begun."""
    if fault == "dropped":
        monkeypatch.setattr(lost_answers, "WAITS", (0.0,))
    odoo, between = lossy
    ids = [create(safe, "res.partner", {"name": f"Lost {n}"}).id for n in range(6)]
    fields = ["ref", "city", "street", "street2", "zip", "function"] if mixed else ["ref"] * 6
    rows = [{".id": number, field: f"R{number}"} for number, field in zip(ids, fields, strict=True)]

    def break_second(done: int, of: int) -> None:
        between.fault = fault if done == 2 else None

    earlier = "write" if mixed else "load"
    between.method = "web_save_multi" if odoo.version.major >= 19 else earlier
    between.fault, between.sent = None, 0
    result = write_many(odoo, "res.partner", rows, batch=2, notify=True, progress=break_second)
    assert between.sent == (3 if fault == "lost" else 2)
    rest = ["updated"] * 4 if fault == "lost" else ["unconfirmed"] * 2 + ["remaining"] * 2
    assert result.statuses == ["updated"] * 2 + rest
    now = {row["id"]: row for row in read(safe, "res.partner", ids, [*set(fields)]).records}
    stored = [now[number][field] == f"R{number}" for number, field in zip(ids, fields, strict=True)]
    assert stored == [status == "updated" for status in result.statuses]
