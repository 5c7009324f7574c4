"""Keys as external ids on a real Odoo: what is created once stays so without the journal, too."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import (
    Connection,
    HistoryEntry,
    Journal,
    StateError,
    connect,
    count,
    create,
    create_many,
    history,
    read,
    search_read,
    undo,
    unlink,
    write,
)
from odoo_toolkit.apps import sales
from odoo_toolkit.journal.recording import Recording, identity, now
from odoo_toolkit.wizards.catalog import known_wizard
from tests.live.conftest import server
from tests.live.servers import Server, credentials
from tests.live.test_undo import known_to
from tests.live.undo_cases import CASES, Case, state

__all__ = ["server"]


class Machines:
    """Programs on machines of their own: each has the same user, and a journal that it alone has.

    Args:
        server: the Odoo.
        folder: for the journals.
    """

    def __init__(self, server: Server, folder: Path) -> None:
        self._server, self._folder, self._number = server, folder, 0

    def another(self, user: str = "admin") -> Connection:
        """Return the connection of one more."""
        self._number += 1
        journal = Journal(self._folder / f"{self._number}.sqlite")
        who = self._server.user(user)
        password = {"password": who.password} if user == "admin" else {}
        return connect(**{**credentials(self._server, who), **password}, journal=journal)


@pytest.fixture(scope="module")
def machines(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Machines:
    """Machines that know nothing of each other."""
    return Machines(server, tmp_path_factory.mktemp("machines"))


@pytest.fixture(scope="module")
def odoo(machines: Machines) -> Iterator[Connection]:
    """One of them."""
    with machines.another() as connection:
        yield connection


def _named(odoo: Connection, name: str) -> int:
    return count(odoo, "res.partner", [["name", "=", name]]).count


def test_a_creation_is_known_without_the_journal(
    odoo: Connection, machines: Machines, suffix: str
) -> None:
    """Asked for again by a machine that has another journal, it is the same record."""
    values = {"name": f"Kept {suffix}", "is_company": True, "comment": "<p>Hello</p>"}
    key = f"x-{suffix}"
    first = create(odoo, "res.partner", values, key=key)
    assert history(odoo, limit=1)[0].writes[0].external_id
    with machines.another() as other:
        assert create(other, "res.partner", values, key=key).id == first.id
    assert _named(odoo, f"Kept {suffix}") == 1


def test_what_was_asked_for_otherwise_is_refused_and_not_changed(
    odoo: Connection, machines: Machines, suffix: str
) -> None:
    key = f"o-{suffix}"
    made = create(odoo, "res.partner", {"name": f"First {suffix}", "ref": "a"}, key=key)
    with machines.another() as other:
        with pytest.raises(StateError, match="not as it is asked for now: ref") as refused:
            create(other, "res.partner", {"name": f"First {suffix}", "ref": "b"}, key=key)
        assert refused.value.code == "KEY_DONE"
        assert refused.value.outcome == "not_sent"
        assert refused.value.details["created"] == {"res.partner": [made.id]}
    assert read(odoo, "res.partner", [made.id], ["ref"]).records == [{"id": made.id, "ref": "a"}]
    assert _named(odoo, f"First {suffix}") == 1


def test_another_user_has_keys_of_their_own(
    odoo: Connection, machines: Machines, suffix: str
) -> None:
    values, key = {"name": f"Users {suffix}"}, f"u-{suffix}"
    first = create(odoo, "res.partner", values, key=key)
    with machines.another("demo") as other:
        assert create(other, "res.partner", values, key=key).id != first.id


def test_several_records_are_known_together(
    odoo: Connection, machines: Machines, suffix: str
) -> None:
    rows = [{"name": f"Row {suffix}", "ref": str(n)} for n in range(5)]
    first = create_many(odoo, "res.partner", rows, key=f"m-{suffix}")
    with machines.another() as other:
        assert create_many(other, "res.partner", rows, key=f"m-{suffix}").ids == first.ids
    for others in ([*rows, rows[0]], rows[:3]):
        with machines.another() as other:
            refused = create_many(other, "res.partner", others, key=f"m-{suffix}")
        assert not any(refused.ids)
        assert "other records" in str(refused.interrupted)
    assert _named(odoo, f"Row {suffix}") == 5


def test_machines_that_ask_at_once_get_one_record(machines: Machines, suffix: str) -> None:
    """Each of three with a journal of its own; Odoo alone decides."""
    name = f"Raced {suffix}"
    connections = [machines.another() for _ in range(3)]
    barrier, made, failed = threading.Barrier(3), list[int](), list[BaseException]()

    def act(connection: Connection) -> None:
        connection.connect()
        barrier.wait()
        try:
            made.append(create(connection, "res.partner", {"name": name}, key=f"r-{suffix}").id)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=act, args=(one,)) for one in connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert len(set(made)) == 1
    assert _named(connections[0], name) == 1
    for connection in connections:
        connection.close()


def test_an_order_with_lines_is_made_once_and_gets_no_lines_twice(
    odoo: Connection, machines: Machines, suffix: str
) -> None:
    partner = create(odoo, "res.partner", {"name": f"Buyer {suffix}"}).id
    product = create(odoo, "product.product", {"name": f"Thing {suffix}"}).id
    order: dict[str, Any] = {
        "partner_id": partner,
        "lines": [{"product_id": product, "quantity": n, "price_unit": 9.5} for n in (1, 2)],
        "key": f"l-{suffix}",
    }
    first = sales.create_order(odoo, **order)
    with machines.another() as other:
        assert sales.create_order(other, **order).id == first.id
    (row,) = search_read(odoo, "sale.order", [["partner_id", "=", partner]], ["order_line"]).records
    assert len(row["order_line"]) == 2


def test_once_deleted_it_can_be_made_anew(
    odoo: Connection, machines: Machines, suffix: str
) -> None:
    """Deleting a record frees its external id; the journal still knows that the key was used."""
    values, key = {"name": f"Gone {suffix}"}, f"g-{suffix}"
    made = create(odoo, "res.partner", values, key=key).id
    undo(odoo, entry=history(odoo, limit=1)[0].id)
    with pytest.raises(StateError, match="taken back"):
        create(odoo, "res.partner", values, key=key)
    with machines.another() as other:
        anew = create(other, "res.partner", values, key=key).id
        assert anew != made
        unlink(other, "res.partner", [anew])


def test_an_update_of_its_module_leaves_the_record_alone(
    odoo: Connection, machines: Machines, suffix: str
) -> None:
    """The external id says that updates change nothing, so that people's changes stay."""
    made = create(odoo, "res.partner", {"name": f"Left {suffix}"}, key=f"n-{suffix}").id
    write(odoo, "res.partner", [made], {"name": f"Renamed {suffix}"})
    (row,) = search_read(
        odoo,
        "ir.model.data",
        [["model", "=", "res.partner"], ["res_id", "=", made]],
        ["module", "noupdate"],
    ).records
    assert (row["module"], row["noupdate"]) == ("odoo_toolkit", True)


#: What creates nothing by ``create``, and is in the way of itself.
_OTHERS = frozenset({"activate_language", "hr.check_in_out", "hr.check_in_out, out"})

#: Fields that two records made one after the other do not have in common.
_OWN = frozenset({"color", "sequence", "access_token", "payment_reference"})


def _alike(value: Any) -> Any:
    """Return of a value what two records that were made in the same way have in common."""
    if isinstance(value, str):
        return re.sub(r"[0-9a-f]{8}|\d+", "#", value)
    if isinstance(value, list):
        return len(value)
    return value["name"] and _alike(value["name"]) if isinstance(value, dict) else value


def _made(odoo: Connection, plain: Connection, case: Case, key: str | None) -> tuple[Any, bool]:
    """Do an operation; return what the record is like, and whether Odoo has the key."""
    number = case.prepare(plain)
    journal = odoo.journal
    assert isinstance(journal, Journal)
    entry = HistoryEntry(
        id=0, started=now(), database=identity(odoo), uid=odoo.uid, operation="test", key=key
    )
    recording = Recording(journal.store, entry)
    recording.is_transient = lambda model: known_wizard(model, odoo.version.major) is not None
    with journal.within(recording):
        done = case.do(odoo, number)
    made = number or getattr(done, "id", None) or done.ids[0]
    (row,) = state(plain, case.model, [made], _OWN).values()
    told: dict[str, Any] = {name: _alike(value) for name, value in row.items() if name != "id"}
    names = {"message_ids", "message_follower_ids"} & plain.schema.fields(case.model).keys()
    for name, value in read(plain, case.model, [made], sorted(names)).records[0].items():
        told[name] = _alike(value)
    undo(odoo, entry=entry.id, partly=True)
    told["id"] = 0
    return told, any(write.external_id for write in entry.writes)


@pytest.mark.parametrize("name", CASES)
def test_a_record_is_the_same_whether_made_with_a_key_or_without(
    machines: Machines, suffix: str, name: str
) -> None:
    """Odoo's import makes what ``create`` makes: every stored field, messages and followers."""
    case = CASES[name]
    if case.user != "odoo" or name in _OTHERS:
        pytest.skip("Done by a user of its own, or creates nothing and cannot be done twice.")
    with machines.another() as plain, machines.another() as odoo:
        if case.needs and not known_to(plain, case.needs):
            pytest.skip(f"This server has no {case.needs}.")
        if not case.since <= plain.version.major <= case.until:
            pytest.skip("Nothing takes it back on this version, as the tables say.")
        without, _ = _made(odoo, plain, case, None)
        keyed, by_load = _made(odoo, plain, case, f"same-{suffix}")
        if not by_load:
            pytest.skip("Nothing is created, or not by load.")
    other = {name: (value, keyed[name]) for name, value in without.items() if keyed[name] != value}
    assert other == {}


def test_a_contact_of_a_company_keeps_its_vat_number_when_made_with_a_key(
    machines: Machines, suffix: str
) -> None:
    """By ``load``, Odoo 19 would drop it without a word: the company has none."""
    kept: list[Any] = []
    for key in (None, f"vat-{suffix}"):
        with machines.another() as odoo:
            company = create(odoo, "res.partner", {"name": f"C {suffix}", "is_company": True}).id
            values = {"name": f"P {suffix}", "parent_id": company, "vat": "BE0477472701"}
            made = create(odoo, "res.partner", values, key=key).id
            (row,) = read(odoo, "res.partner", [made], ["vat", "parent_id"]).records
            kept.append(row["vat"])
    assert kept[0] == kept[1]
