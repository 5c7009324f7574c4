"""Every writing operation: state, do, undo, state; and what is in the way stops it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import (
    Connection,
    OdooError,
    StateError,
    Undo,
    connect,
    execute,
    history,
    read,
    search_read,
    undo,
    undo_since,
    unlink,
    write,
)
from odoo_toolkit.apps import accounting, sales
from tests.kit.catalogue import CASES, invoice, partner, quotation, second_language
from tests.kit.scenarios import NEWEST, names, take_back
from tests.live.accounting_data import accountant as accountant_of
from tests.live.conftest import server
from tests.live.servers import Server, credentials

__all__ = ["server"]

#: Played without an Odoo by tests/unit/test_recorded_operations.py.
RECORDED = names(NEWEST)


@pytest.fixture(scope="module")
def odoo(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """The administrator, with a journal of its own."""
    path = tmp_path_factory.mktemp("journal") / "history.sqlite"
    with connect(**_admin(server), history=path) as connection:
        yield connection


@pytest.fixture(scope="module")
def plain(server: Server) -> Iterator[Connection]:
    """Somebody else: the same user without the journal, where there are two languages."""
    with connect(**_admin(server)) as connection:
        second_language(connection)
        yield connection


@pytest.fixture(scope="module")
def accountant(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """A user with the rights that Odoo wants for bank lines, with a journal."""
    user = accountant_of(server)
    path = tmp_path_factory.mktemp("journal") / "history.sqlite"
    with connect(**credentials(server, user), history=path) as connection:
        yield connection


def _admin(server: Server) -> dict[str, Any]:
    """Return how to connect, with the password, too: Odoo 19 wants it for checking in."""
    user = server.user("admin")
    return {**credentials(server, user), "password": user.password}


@pytest.mark.every_version
def test_an_order_is_unlocked_only_where_it_is_locked(odoo: Connection, plain: Connection) -> None:
    number = quotation(plain)
    sales.confirm_order(odoo, order_id=number)
    entry = history(odoo, limit=1)[0].id
    lock = "action_lock" if plain.version.major >= 17 else "action_done"
    plans = [undo(odoo, entry=entry, dry_run=True)]
    execute(plain, "sale.order", lock, [[number]])
    plans += [undo(odoo, entry=entry, dry_run=True)]
    unlocks = ["action_unlock" in [call.method for call in plan.calls] for plan in plans]
    said = ["unlocked" in plan.message for plan in plans]
    assert (unlocks, said) == ([False, True], [False, True])
    undo(odoo, entry=entry)
    assert read(plain, "sale.order", [number], ["state"])[0]["state"] == "draft"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.recorded] if name in RECORDED else [])
        for name, case in CASES.items()
        if not case.planned
    ],
)
def test_what_an_operation_did_is_taken_back(
    request: pytest.FixtureRequest, plain: Connection, name: str
) -> None:
    """The record is as before in all fields but those that are foretold; what was made is gone.

    And all calls that it made were in its plan: whoever allows a plan allows no more than that.
    """
    case = CASES[name]
    odoo: Connection = request.getfixturevalue(case.user)
    if case.needs and not known_to(plain, case.needs):
        pytest.skip(f"This server has no {case.needs}.")
    if not case.since <= plain.version.major <= case.until:
        pytest.skip("Nothing takes it back on this version, as the tables say.")
    take_back(name, odoo, plain)


def known_to(odoo: Connection, model: str) -> bool:
    """Whether a server has a model."""
    try:
        return bool(odoo.schema.fields(model))
    except OdooError:
        return False


def test_what_others_changed_since_is_not_overwritten(odoo: Connection, plain: Connection) -> None:
    """A field that holds another value stops it; with partial the others are written back."""
    number = partner(plain)
    write(odoo, "res.partner", [number], {"ref": "mine", "street": "Mine"})
    entry = history(odoo, limit=1)[0].id
    write(plain, "res.partner", [number], {"ref": "theirs"})
    with pytest.raises(StateError, match="ref was changed since"):
        undo(odoo, entry=entry)
    found = read(plain, "res.partner", [number], ["ref", "street"]).records[0]
    assert (found["ref"], found["street"]) == ("theirs", "Mine")


def test_a_paid_invoice_is_not_made_a_draft(odoo: Connection, plain: Connection) -> None:
    """Odoo would take the payment off it without a word."""
    number = invoice(plain)
    accounting.post_invoice(odoo, invoice_id=number)
    entry = history(odoo, limit=1)[0].id
    accounting.register_payment(plain, invoice_ids=[number])
    with pytest.raises(StateError, match="paid"):
        undo(odoo, entry=entry)
    assert read(plain, "account.move", [number], ["state"]).records[0]["state"] == "posted"


@pytest.mark.every_version
def test_partial_undo_announces_only_what_happens(odoo: Connection, plain: Connection) -> None:
    """A paid invoice is not deleted either, since it can't be made a draft."""
    partner_id = partner(plain)
    made = accounting.create_invoice(
        odoo, partner_id=partner_id, lines=[{"name": "Alpha", "price_unit": 9}], post=True
    )
    entry = history(odoo, limit=1)[0].id
    accounting.register_payment(plain, invoice_ids=[made.id])
    for arguments in ({}, {"partial": True}, {"partial": True, "dry_run": True}):
        with pytest.raises(StateError, match=r"(?s)paid.*No part of it can") as raised:
            undo(odoo, entry=entry, **arguments)
        assert raised.value.details["possible"] == []
        assert len(raised.value.details["in_the_way"]) == 1
    assert read(plain, "account.move", [made.id], ["state"]).records[0]["state"] == "posted"


def test_deleted_records_are_said_to_be_gone_for_good_before_they_are(
    odoo: Connection, plain: Connection
) -> None:
    """There is no way back, and the plan says so."""
    number = partner(plain)
    planned = unlink(odoo, "res.partner", [number], dry_run=True)
    assert isinstance(planned.undo, Undo)
    assert planned.undo.possible == "none"
    assert "archive" in planned.undo.not_undone[0]
    unlink(odoo, "res.partner", [number])
    with pytest.raises(StateError, match="No part of"):
        undo(odoo, entry=history(odoo, limit=1)[0].id)


def test_all_since_a_moment_is_taken_back_in_reverse_order(
    server: Server, plain: Connection, tmp_path: Path
) -> None:
    """What was created, changed and confirmed goes; what was there before is as it was."""
    with connect(
        **credentials(server, server.user("admin")), history=tmp_path / "history.sqlite"
    ) as odoo:
        number = partner(plain)
        write(odoo, "res.partner", [number], {"ref": "one"})
        write(odoo, "res.partner", [number], {"ref": "two"})
        order = quotation(odoo)
        sales.confirm_order(odoo, order_id=order)
        taken = undo_since(odoo, since="2020-01-01")
    assert not taken.left, taken
    assert read(plain, "res.partner", [number], ["ref"]).records[0]["ref"] == "before"
    assert not search_read(plain, "sale.order", [["id", "=", order]], ["id"]).records
