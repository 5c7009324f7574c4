"""Several changes as one plan on a real Odoo: all of it, or as it was before, or told otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import (
    BatchResult,
    Connection,
    History,
    OdooConnectionError,
    OdooError,
    OperationCancelled,
    Plan,
    StateError,
    batch,
    connect,
    count,
    create,
    history,
    search_read,
    undo,
    unlink,
    write,
    write_many,
)
from odoo_toolkit.apps import sales
from odoo_toolkit.batching import Item
from odoo_toolkit.progress import listening
from tests.kit.catalogue import differing, goods, partner, quotation, state
from tests.live.conftest import server
from tests.live.servers import Server, credentials
from tests.soak.proxy import Between, proxy

__all__ = ["server"]

PARTNER = "res.partner"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the journal is."""
    return tmp_path_factory.mktemp("batch") / "history.sqlite"


@pytest.fixture(scope="module")
def odoo(server: Server, path: Path) -> Iterator[Connection]:
    """The administrator, with a journal."""
    with connect(**credentials(server, server.user("admin")), history=History(path)) as connection:
        yield connection


@pytest.fixture(scope="module")
def plain(server: Server) -> Iterator[Connection]:
    """Somebody else: the same user without the journal."""
    with connect(**credentials(server, server.user("admin"))) as connection:
        yield connection


@pytest.fixture(scope="module")
def lossy(server: Server, path: Path) -> Iterator[tuple[Connection, Between]]:
    """A connection that loses answers, with the same journal."""
    between = Between()
    with proxy(server.url, between.choose) as between.server:
        keywords = {**credentials(server, server.user("admin")), "url": between.server.url}
        with connect(**keywords, history=History(path)) as connection:
            yield connection, between


def ref(number: int, value: str) -> Item:
    return write, {"model": PARTNER, "ids": [number], "values": {"ref": value, "street": value}}


def new(name: str) -> Item:
    return create, {"model": PARTNER, "values": {"name": name}}


def look(odoo: Connection, *numbers: int) -> Any:
    """Return what contacts hold in every stored field."""
    return state(odoo, PARTNER, list(numbers), frozenset())


def refs(odoo: Connection, *numbers: int) -> list[Any]:
    rows = search_read(odoo, PARTNER, [["id", "in", numbers]], ["ref"]).records
    found = {row["id"]: row["ref"] for row in rows}
    return [found.get(number) for number in numbers]


def named(odoo: Connection, name: str) -> int:
    return count(odoo, PARTNER, [["name", "=", name]], {"active_test": False}).count


def refused(number: int) -> Item:
    """Return what only Odoo refuses: a contact that is its own parent."""
    return write, {"model": PARTNER, "ids": [number], "values": {"parent_id": number}}


def test_all_is_done_and_taken_back_as_one(
    odoo: Connection, plain: Connection, suffix: str
) -> None:
    """A customer, an order for it that is confirmed, and a note, by ids of earlier items."""
    product, other = goods(plain, 5), partner(plain)
    before = look(plain, other)
    order = {
        "partner_id": {"id_of_item": 1},
        "lines": [{"product_id": product, "quantity": 1, "price_unit": 10}],
    }
    items: list[Item] = [
        new(f"Batch {suffix}"),
        (sales.create_order, order),
        (sales.confirm_order, {"order_id": {"id_of_item": 2}}),
        ref(other, "batch"),
    ]
    plan = batch(odoo, items, dry_run=True)
    assert isinstance(plan, Plan)
    assert [item.possible for item in plan.items] == ["full", None, None, "full"]
    assert named(plain, f"Batch {suffix}") == 0
    done = batch(odoo, items)
    assert isinstance(done, BatchResult)
    assert done.items[2].result.state == "sale"
    assert refs(plain, other) == ["batch"]
    entry = history(odoo, limit=1)[0]
    assert (entry.operation, entry.outcome) == ("batch", "done")
    made = done.items[1].result.id
    undo(odoo, entry=entry.id, partial=True)
    assert differing(before, look(plain, other)) == {}
    rows = search_read(plain, "sale.order", [["id", "=", made]], ["state"]).records
    assert [row["state"] for row in rows] in ([], ["cancel"], ["draft"])


def test_the_third_of_four_fails_and_all_is_as_before(
    odoo: Connection, plain: Connection, suffix: str
) -> None:
    one, two, three = (partner(plain) for _ in range(3))
    before = look(plain, one, two, three)
    with pytest.raises(OdooError) as caught:
        batch(odoo, [new(f"B {suffix}"), ref(one, "x"), refused(two), ref(three, "z")])
    assert caught.value.message.startswith("Item 3 (write): ")
    assert (caught.value.details["left"], caught.value.outcome) == ([], "rolled_back")
    assert differing(before, look(plain, one, two, three)) == {}
    assert named(plain, f"B {suffix}") == 0
    assert [one.operation for one in history(odoo, limit=2)] == ["undo", "batch"]


def test_a_confirmed_order_is_taken_back_too(odoo: Connection, plain: Connection) -> None:
    order, other = quotation(plain), partner(plain)
    with pytest.raises(OdooError, match=r"Item 2 \(write\)") as caught:
        batch(odoo, [(sales.confirm_order, {"order_id": order}), refused(other)])
    assert caught.value.details["left"] == []
    (row,) = search_read(plain, "sale.order", [["id", "=", order]], ["state"]).records
    assert row["state"] == "draft"


def test_what_is_wrong_is_known_before_anything_is_sent(
    odoo: Connection, plain: Connection
) -> None:
    number = partner(plain)
    before = look(plain, number)
    entries = len(history(odoo))
    with pytest.raises(OdooError, match=r"Item 2 \(confirm_order\)"):
        batch(odoo, [ref(number, "x"), (sales.confirm_order, {"order_name": "No such order"})])
    assert differing(before, look(plain, number)) == {}
    assert len(history(odoo)) == entries


def test_what_lasts_comes_last_or_needs_a_yes(odoo: Connection, plain: Connection) -> None:
    gone, kept, other = (partner(plain) for _ in range(3))
    deletes: Item = (unlink, {"model": PARTNER, "ids": [gone]})
    with pytest.raises(StateError, match=r"Item 1 \(unlink\): It cannot be undone"):
        batch(odoo, [deletes, ref(kept, "x")])
    assert refs(plain, gone) != [None]
    with pytest.raises(OdooError) as caught:
        batch(odoo, [deletes, ref(kept, "x"), refused(other)], allow_irreversible=True)
    assert caught.value.outcome == "maybe_applied"
    assert "cannot be restored" in caught.value.details["left"][0]
    assert named(plain, str(gone)) == 0
    batch(odoo, [ref(kept, "y"), (unlink, {"model": PARTNER, "ids": [other]})])
    assert refs(plain, kept, other) == ["y", None]


def test_a_key_repeated(odoo: Connection, plain: Connection, suffix: str) -> None:
    """After a failure all is done anew; after success it is answered again."""
    one, two = partner(plain), partner(plain)
    # Odoo refuses circles.
    three = partner(plain, parent_id=two)
    belongs = {"model": PARTNER, "ids": [two], "values": {"parent_id": three}}
    items = [new(f"Key {suffix}"), ref(one, "x"), (write, belongs)]
    before = look(plain, one)
    with pytest.raises(OdooError, match=r"Item 3 \(write\)"):
        batch(odoo, items, idempotency_key=f"k-{suffix}")
    assert differing(before, look(plain, one)) == {}
    assert named(plain, f"Key {suffix}") == 0
    write(plain, PARTNER, [three], {"parent_id": False})
    first = batch(odoo, items, idempotency_key=f"k-{suffix}")
    assert batch(odoo, items, idempotency_key=f"k-{suffix}") == first
    assert named(plain, f"Key {suffix}") == 1
    assert refs(plain, one) == ["x"]


def test_a_key_repeated_after_a_part_was_left(
    odoo: Connection, plain: Connection, suffix: str
) -> None:
    """Nothing is done again: the error names what is left, and how it is taken back."""
    one, two, three = (partner(plain) for _ in range(3))

    class Interferes:
        """Changes what the first item has changed, before the last item."""

        def report(self, done: float, total: float | None, message: str | None) -> None:
            if done == 2:
                write(plain, PARTNER, [one], {"ref": "theirs"})

        def checkpoint(self) -> None:
            """Go on."""

    items = [ref(one, "x"), ref(two, "y"), refused(three)]
    with listening(Interferes()), pytest.raises(OdooError) as caught:
        batch(odoo, items, idempotency_key=f"p-{suffix}")
    assert "ref was changed since" in caught.value.details["left"][0]
    assert caught.value.outcome == "maybe_applied"
    before = look(plain, one, two, three)
    assert before[two]["street"] != "y"
    with pytest.raises(StateError, match="was partially done") as again:
        batch(odoo, items, idempotency_key=f"p-{suffix}")
    assert again.value.code == "KEY_UNCONFIRMED"
    assert differing(before, look(plain, one, two, three)) == {}


def test_cancelled_halfway(odoo: Connection, plain: Connection, suffix: str) -> None:
    one, two = partner(plain), partner(plain)
    before = look(plain, one, two)

    class Goes:
        """Goes after the second item."""

        done = 0.0

        def report(self, done: float, total: float | None, message: str | None) -> None:
            self.done = done

        def checkpoint(self) -> None:
            if self.done >= 2:
                raise OperationCancelled

    with listening(Goes()), pytest.raises(OperationCancelled, match="Undone"):
        batch(odoo, [new(f"C {suffix}"), ref(one, "x"), ref(two, "y")])
    assert differing(before, look(plain, one, two)) == {}
    assert named(plain, f"C {suffix}") == 0


@pytest.mark.every_version
def test_different_values_in_one_request_as_an_item(
    lossy: tuple[Connection, Between], plain: Connection
) -> None:
    """One of them wrong: none is written. A lost answer is seen, and all of it taken back."""
    odoo, between = lossy
    one, two, three = (partner(plain) for _ in range(3))
    before = look(plain, one, two, three)

    def many(*rows: dict[str, Any]) -> Item:
        return write_many, {"model": PARTNER, "rows": list(rows), "all_or_nothing": True}

    rows = [{".id": one, "ref": "x", "city": "X"}, {".id": two, "ref": "y", "city": "Y"}]
    circle = {".id": three, "ref": "z", "parent_id": {"id": three}}
    alone = [{**row, "parent_id": None} for row in rows]
    for row in alone:
        del row["city"]
    with pytest.raises(StateError, match=r"Item 2.*Nothing was written"):
        batch(odoo, [ref(three, "w"), many(*alone, circle)])
    assert differing(before, look(plain, one, two, three)) == {}
    together = "web_save_multi" if plain.version.major >= 19 else "load"
    between.method, between.fault, between.sent = together, "lost", 0
    batch(odoo, [ref(three, "w"), many(*rows)])
    assert refs(plain, one, two, three) == ["x", "y", "w"]
    assert between.sent == 1
    undo(odoo, entry=history(odoo, limit=1)[0].id)
    assert differing(before, look(plain, one, two, three)) == {}


@pytest.mark.parametrize("fault", ["lost", "dropped"])
def test_an_answer_is_lost_halfway(
    lossy: tuple[Connection, Between], plain: Connection, suffix: str, fault: Any
) -> None:
    """What arrived is seen, and the batch goes on; what did not is told, and the rest as before."""
    odoo, between = lossy
    one, two = partner(plain), partner(plain)
    before = look(plain, one, two)
    items = [ref(one, "x"), new(f"L {suffix} {fault}"), ref(two, "y")]
    between.method, between.fault, between.sent = "create", fault, 0
    if fault == "lost":
        batch(odoo, items)
        assert refs(plain, one, two) == ["x", "y"]
        assert named(plain, f"L {suffix} {fault}") == 1
    else:
        with pytest.raises(OdooConnectionError) as caught:
            batch(odoo, items)
        assert differing(before, look(plain, one, two)) == {}
        left = caught.value.details["left"]
        assert left == ["It is unknown whether create of res.partner was applied."]
        assert caught.value.outcome == "maybe_applied"
        assert named(plain, f"L {suffix} {fault}") == 0
    assert between.sent == 1
