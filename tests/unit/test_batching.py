"""Several changes as one plan: what is looked at first, and what is taken back where one fails."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import (
    AccessError,
    BatchPlan,
    BatchResult,
    ConfigurationError,
    Connection,
    History,
    NotFoundError,
    Odoo,
    OdooConnectionError,
    OdooError,
    OperationCancelled,
    Policy,
    StateError,
    ValidationError,
    batch,
    create,
    execute,
    history,
    read,
    undo,
    unlink,
    upsert,
    write,
)
from odoo_toolkit.call import LATER, Call
from odoo_toolkit.change_history import lost_answers
from odoo_toolkit.change_history.recording import Recording
from odoo_toolkit.errors import ConstraintError
from odoo_toolkit.operations.steps import Check, Done, Step, operate, permit
from odoo_toolkit.plans import Plan, PlannedCall, PlannedDocument, operation
from odoo_toolkit.progress import listening, time_limit
from odoo_toolkit.testing import FakeServer
from odoo_toolkit.undoing.overview import overview

FIELDS = {"name": "char", "ref": "char", "active": "boolean", "parent_id": "many2one res.partner"}
PARTNER = "res.partner"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for what a server may still be doing."""
    monkeypatch.setattr("odoo_toolkit.change_history.lost_answers.WAITS", (0.0,))


@pytest.fixture
def server() -> FakeServer:
    """Three contacts."""
    rows = [
        {"id": n, "name": name, "ref": name[0].lower(), "active": True, "parent_id": False}
        for n, name in enumerate(("Ann", "Bob", "Cem"), 1)
    ]
    return FakeServer({PARTNER: FIELDS}, records={PARTNER: rows})


@pytest.fixture
def odoo(server: FakeServer, tmp_path: Path) -> Connection:
    """A connection with a journal."""
    return server.connect(history=History(tmp_path / "history.sqlite"))


def rows(server: FakeServer) -> list[dict[str, Any]]:
    return [{name: row.get(name) for name in ("id", *FIELDS)} for row in server.records[PARTNER]]


def ref(number: int, value: str) -> tuple[Any, dict[str, Any]]:
    return write, {"model": PARTNER, "ids": [number], "values": {"ref": value}}


def new(name: str, **values: Any) -> tuple[Any, dict[str, Any]]:
    return create, {"model": PARTNER, "values": {"name": name, **values}}


def refuse(server: FakeServer, method: str, value: str) -> None:
    """Have Odoo refuse what has a value, and nothing else."""

    def answer(call: Call) -> Any:
        if value in str(call.arguments):
            return ConstraintError("Odoo does not want it.", outcome="rolled_back")
        return NotImplemented

    server.answers[PARTNER, method] = answer


def test_all_is_done_in_order_and_is_one_entry(server: FakeServer, odoo: Connection) -> None:
    done = batch(odoo, [new("Dan"), ref(1, "x"), ref(2, "y")])
    assert isinstance(done, BatchResult)
    assert [item.operation for item in done.items] == ["create", "write", "write"]
    assert done.items[0].result.id == 4
    assert [row["ref"] for row in rows(server)[:2]] == ["x", "y"]
    (entry,) = history(odoo)
    assert (entry.operation, entry.outcome, len(entry.writes)) == ("batch", "done", 3)


def test_a_batch_is_taken_back_as_a_whole(server: FakeServer, odoo: Connection) -> None:
    before = rows(server)
    batch(odoo, [new("Dan"), ref(1, "x"), ref(1, "y")])
    undo(odoo, entry=history(odoo)[0].id)
    assert rows(server) == before


def test_where_one_fails_the_others_are_taken_back_in_reverse(
    server: FakeServer, odoo: Connection
) -> None:
    before = rows(server)
    refuse(server, "write", "bad")
    server.sent.clear()
    with pytest.raises(ConstraintError) as caught:
        batch(odoo, [new("Dan"), ref(1, "x"), ref(2, "bad"), ref(3, "z")])
    assert rows(server) == before
    error = caught.value
    assert error.message.startswith("Item 3 (write): Odoo does not want it. Undone:")
    assert (error.details["item"], error.details["left"]) == (3, [])
    assert error.outcome == "rolled_back"
    assert [
        call.method for call in server.sent if call.method in ("create", "write", "unlink")
    ] == [
        *("create", "write", "write"),
        *("write", "unlink"),
    ]
    back, entry = history(odoo)
    assert (back.operation, back.undoes, entry.undone_by) == ("undo", entry.id, back.id)
    assert [one.outcome for one in entry.writes] == ["undone", "undone", "refused"]
    assert entry.outcome == "refused"
    assert entry.message.startswith("Item 3 (write) failed. Undone:")
    with pytest.raises(StateError, match="already undone"):
        undo(odoo, entry=entry.id)


def test_all_that_is_wrong_is_said_before_the_first_is_sent(
    server: FakeServer, odoo: Connection
) -> None:
    server.sent.clear()
    with pytest.raises(NotFoundError) as caught:
        batch(odoo, [ref(1, "x"), ref(99, "y"), new("Dan", nonsense=1)])
    assert "Item 2 (write):" in caught.value.message
    assert "Item 3 (create):" in caught.value.message
    assert caught.value.details["item"] == 2
    assert not [call for call in server.sent if call.method in ("write", "create")]
    assert history(odoo) == []


@pytest.mark.parametrize(
    ("item", "says"),
    [
        ((read, {"model": PARTNER, "ids": [1]}), "read cannot be part"),
        ((undo, {"entry": 1}), "undo cannot be part"),
        ((batch, {"items": [ref(1, "x")]}), "batch cannot be part"),
        ((len, {}), "len cannot be part"),
        ((write, {"model": PARTNER, "id": [1]}), "argument"),
        ((write, {**ref(1, "x")[1], "idempotency_key": "k"}), "does not accept idempotency_key"),
        ((write, {**ref(1, "x")[1], "dry_run": True}), "does not accept dry_run"),
        (ref(1, {"id_of_item": 2}), "not the number of an earlier"),
        (ref(1, {"id_of_item": True}), "not the number of an earlier"),
    ],
)
def test_an_item_of_another_form_is_refused(
    server: FakeServer, odoo: Connection, item: Any, says: str
) -> None:
    server.sent.clear()
    with pytest.raises(ValidationError, match=says) as caught:
        batch(odoo, [ref(1, "x"), item])
    assert caught.value.message.startswith("Item 2 (")
    assert not server.asked("write")


def test_there_is_at_least_one_item_and_not_too_many(odoo: Connection) -> None:
    for items in ([], [ref(1, "x")] * 51):
        with pytest.raises(ValidationError, match="1 to 50 items"):
            batch(odoo, items)


def test_without_a_journal_nothing_is_done(server: FakeServer) -> None:
    for dry_run in (True, False):
        with pytest.raises(ConfigurationError, match="needs a change history"):
            batch(server.connect(), [ref(1, "x")], dry_run=dry_run)
    assert server.asked("write") == []


def test_the_plan_has_all_items_and_writes_nothing(server: FakeServer, odoo: Connection) -> None:
    before = rows(server)
    plan = batch.plan(odoo, [new("Dan"), ref(1, "x"), ref(2, {"id_of_item": 1})])
    assert isinstance(plan, BatchPlan)
    assert [(i.item, i.operation, i.possible) for i in plan.items] == [
        (1, "create", "full"),
        (2, "write", "full"),
        (3, "write", None),
    ]
    assert [call.ids for call in plan.calls] == [[], [1], [2]]
    assert plan.calls[2].arguments["vals"] == {"ref": {"id_of_item": 1}}
    assert plan.undo.possible == "partial"
    assert plan.undo.not_undone == ["The toolkit cannot check yet how to undo item 3."]
    assert plan.changes[0].after == "x"
    assert any("Item 3 (write) is only checked after earlier items" in w for w in plan.warnings)
    assert rows(server) == before
    assert history(odoo) == []


def test_a_batch_names_the_item_that_would_be_rejected_and_sends_nothing(
    server: FakeServer, odoo: Connection
) -> None:
    """As its plan knows, such as for a lack of rights; the real run does not begin, either."""
    before = rows(server)

    @operation
    def reject(odoo: Odoo, *, dry_run: bool = False) -> Done | Plan:
        told: Any = {"message": "You may not.", "warnings": ["Ask."], "calls": [], "items": []}
        return BatchPlan(dry_run=True, rejected=True, **told)

    items = [ref(1, "x"), (reject, {}), ref(2, "y")]
    plan = batch.plan(odoo, items)
    said = "Item 2 (reject) would be rejected, so the batch would not run."
    assert (plan.message, plan.rejected, plan.undo, plan.calls) == (said, True, None, [])
    assert [item.possible for item in plan.items] == ["full", "none", "full"]
    assert "Item 2 (reject): Ask." in plan.warnings
    with pytest.raises(StateError, match=r"Item 2 \(reject\): You may not\. Ask\."):
        batch(odoo, items)
    assert (rows(server), history(odoo)) == (before, [])


def test_what_the_items_say_is_said_once(odoo: Connection) -> None:
    """The calls of an item are in it, unless its documents show what they do."""

    @operation
    def order(odoo: Odoo, *, dry_run: bool = False) -> Done | Plan:
        call = PlannedCall(model=PARTNER, method="action_archive", ids=[1], arguments={})
        shown = [PlannedDocument(model=PARTNER, name="Ann")]
        return Plan(dry_run=True, message="Ann.", calls=[call], documents=shown)

    plan = batch.plan(odoo, [ref(1, "x"), (order, {})])
    assert plan.message == "Would run 2 items."
    assert [[call.method for call in item.calls] for item in plan.items] == [["write"], []]
    assert [call.method for call in plan.calls] == ["write", "action_archive"]
    done = batch(odoo, [ref(1, "x"), ref(2, "y")])
    assert done.message == "Ran 2 items."
    (entry,) = history(odoo)
    assert entry.message.startswith("Ran 2 items: 1. Updated 1")


def test_a_plan_says_that_an_earlier_item_changes_the_same_record(odoo: Connection) -> None:
    first, other = (
        {"model": "res.partner", "ids": [id_], "values": {"name": "B"}} for id_ in (1, 2)
    )
    plan = batch.plan(odoo, [(write, first), (write, other), (write, first), (write, first)])

    early = [text for text in plan.warnings if "the same record first" in text]
    assert [re.findall(r"[Ii]tem (\d)", text) for text in early] == [["3", "1"], ["4", "1"]]


def test_of_an_operation_on_a_new_record_the_plan_has_the_calls_and_no_records(
    odoo: Connection,
) -> None:
    """Of a caller's own call all is known; where nothing is asked about, the operation is named."""

    def press(odoo: Connection, *, record: int, dry_run: bool = False) -> Plan:
        permit(odoo, Step(model=PARTNER, method="action_archive"), dry_run=dry_run)
        raise NotFoundError(f"There is no {record}.")

    def unforeseen(odoo: Connection, *, record: int, dry_run: bool = False) -> Plan:
        raise NotFoundError(f"There is no {record}.")

    late = {"record": {"id_of_item": 1}}
    gone = {"model": PARTNER, "ids": [{"id_of_item": 1}, 2]}
    items = [new("Dan"), (operation(press), late), (operation(unforeseen), late), (unlink, gone)]
    calls = batch.plan(odoo, items).calls[1:]
    assert [(call.model, call.method, call.ids) for call in calls] == [
        (PARTNER, "action_archive", [LATER]),
        ("", "unforeseen", [LATER]),
        (PARTNER, "unlink", [{"id_of_item": 1}, 2]),
    ]


def test_an_item_can_name_what_an_earlier_one_makes(server: FakeServer, odoo: Connection) -> None:
    child = {"model": PARTNER, "ids": [2], "values": {"parent_id": {"id_of_item": 1}}}
    batch(odoo, [new("Dan"), (write, child)])
    assert rows(server)[1]["parent_id"] == 4


def test_what_is_looked_at_late_can_still_fail(server: FakeServer, odoo: Connection) -> None:
    """It is looked at before it is sent, and the items before it are taken back."""
    before = rows(server)
    late = (write, {"model": PARTNER, "ids": [{"id_of_item": 1}], "values": {"nonsense": 1}})
    with pytest.raises(OdooError, match=r"Item 2 \(write\)"):
        batch(odoo, [new("Dan"), late])
    assert rows(server) == before


def test_two_records_have_no_one_id(server: FakeServer, odoo: Connection) -> None:
    before = rows(server)
    two = (create, {"model": PARTNER, "values": [{"name": "D"}, {"name": "E"}]})
    child = {"model": PARTNER, "ids": [2], "values": {"parent_id": {"id_of_item": 1}}}
    with pytest.raises(ValidationError, match="did not create exactly one record"):
        batch(odoo, [two, (write, child)])
    assert rows(server) == before


def test_what_is_made_is_taken_back_though_odoo_does_not_tell_of_models(
    tmp_path: Path,
) -> None:
    """Odoo 15 and 16 do not tell ordinary users which models are those of wizards."""
    server = FakeServer({PARTNER: FIELDS}, version=15, records={PARTNER: []})
    server.answers["ir.model", "search_count"] = AccessError("No.")
    odoo = server.connect(history=History(tmp_path / "j.sqlite"))
    refuse(server, "create", "bad")
    with pytest.raises(ConstraintError) as caught:
        batch(odoo, [new("Dan"), new("bad")])
    assert (rows(server), caught.value.outcome) == ([], "rolled_back")


GONE = (unlink, {"model": PARTNER, "ids": [3]})


def test_what_cannot_be_taken_back_needs_a_yes_unless_it_is_last(
    server: FakeServer, odoo: Connection
) -> None:
    plan = batch.plan(odoo, [GONE, ref(1, "x")])
    assert any("Item 1 (unlink) needs allow_irreversible" in text for text in plan.warnings)
    with pytest.raises(StateError, match=r"Item 1 \(unlink\): It cannot be undone"):
        batch(odoo, [GONE, ref(1, "x")])
    assert len(rows(server)) == 3
    batch(odoo, [ref(1, "x"), GONE])
    assert [row["name"] for row in rows(server)] == ["Ann", "Bob"]


def test_with_a_yes_it_is_told_what_is_left(server: FakeServer, odoo: Connection) -> None:
    refuse(server, "write", "bad")
    with pytest.raises(ConstraintError) as caught:
        batch(odoo, [GONE, ref(1, "x"), ref(2, "bad")], allow_irreversible=True)
    error = caught.value
    assert error.outcome == "maybe_applied"
    assert error.details["left"] == ["A deleted record cannot be restored: archive it instead."]
    assert [(row["id"], row["ref"]) for row in rows(server)] == [(1, "a"), (2, "b")]
    entry = history(odoo)[1]
    assert [one.outcome for one in entry.writes] == ["done", "undone", "refused"]
    assert (entry.outcome, entry.undone_by) == ("partial", None)


def test_where_nothing_may_be_deleted_what_is_made_needs_a_yes(
    server: FakeServer, tmp_path: Path
) -> None:
    """The way back is asked of the policy, too."""
    policy = Policy(mode="restricted", write_allowlist=frozenset({PARTNER}))
    odoo = server.connect(history=History(tmp_path / "j.sqlite"), policy=policy)
    with pytest.raises(StateError, match="partially undone"):
        batch(odoo, [new("Dan"), ref(1, "x")])
    refuse(server, "write", "bad")
    with pytest.raises(ConstraintError) as caught:
        batch(odoo, [new("Dan"), ref(1, "bad")], allow_irreversible=True)
    assert [row["active"] for row in rows(server)] == [True, True, True, False]
    assert "archived" in caught.value.message


def test_the_policy_is_asked_about_each(server: FakeServer, tmp_path: Path) -> None:
    policy = Policy(mode="restricted", write_allowlist=frozenset({PARTNER}))
    odoo = server.connect(history=History(tmp_path / "j.sqlite"), policy=policy)
    plan = batch.plan(odoo, [ref(1, "x"), GONE])
    assert plan.needs
    with pytest.raises(AccessError, match=r"Item 2 \(unlink\)"):
        batch(odoo, [ref(1, "x"), GONE])
    with pytest.raises(AccessError, match=r"Item 2 \(create\)"):
        batch(odoo, [ref(1, "x"), (create, {"model": "res.users", "values": {"name": "x"}})])
    assert server.asked("write") == []


def test_what_others_changed_meanwhile_is_left_and_told(
    server: FakeServer, odoo: Connection
) -> None:
    """The rest is taken back; what was not is in the journal, and is taken back later."""

    def answer(call: Call) -> Any:
        if "bad" not in str(call.arguments):
            return NotImplemented
        server.records[PARTNER][0]["ref"] = "theirs"
        return ConstraintError("No.", outcome="rolled_back")

    server.answers[PARTNER, "write"] = answer
    with pytest.raises(ConstraintError) as caught:
        batch(odoo, [ref(1, "x"), ref(2, "y"), ref(3, "bad")])
    error = caught.value
    assert error.details["left"] == ["Ann: ref was changed since"]
    assert error.outcome == "maybe_applied"
    assert [row["ref"] for row in rows(server)] == ["theirs", "b", "c"]
    entry = history(odoo)[1]
    assert [one.outcome for one in entry.writes] == ["done", "undone", "refused"]
    assert entry.outcome == "partial"
    del server.answers[PARTNER, "write"]
    server.records[PARTNER][0]["ref"] = "x"
    undo(odoo, entry=entry.id)
    assert [row["ref"] for row in rows(server)] == ["a", "b", "c"]


def test_a_row_that_fails_alone_has_the_batch_fail(server: FakeServer, odoo: Connection) -> None:
    before = rows(server)
    refuse(server, "create", "bad")
    import_ = (upsert, {"model": PARTNER, "rows": [{"name": "D"}, {"name": "bad"}], "key": "name"})
    with pytest.raises(StateError, match=r"Item 2 \(upsert\)"):
        batch(odoo, [ref(1, "x"), import_])
    assert rows(server) == before


def _looks_after(odoo: Odoo, number: int) -> None:
    raise StateError("It does not look well.")


@operation
def mark(odoo: Odoo, *, number: int, dry_run: bool = False) -> Done | Plan:
    """Change a contact, and look at it."""
    first = Step(model=PARTNER, method="write", arguments={"vals": {"ref": "x"}})
    steps = [first, Check(check=_looks_after)]
    return operate(odoo, steps, [number], lambda done: done, message="Mark it.", dry_run=dry_run)


def test_an_item_of_which_a_later_step_fails_has_failed(
    server: FakeServer, odoo: Connection
) -> None:
    """By itself, it warns and stays: what was written is of use."""
    before = rows(server)
    done = mark(odoo, number=1)
    assert isinstance(done, Done)
    assert done.warnings
    undo(odoo, entry=history(odoo)[0].id)
    with pytest.raises(StateError, match=r"does not look well\. Undone: Ann"):
        batch(odoo, [ref(2, "y"), (mark, {"number": 1})])
    assert rows(server) == before


class Stops:
    """A listener who goes after a number of checkpoints."""

    def __init__(self, server: FakeServer, writes: int) -> None:
        self._server, self._writes = server, writes

    def report(self, done: float, total: float | None, message: str | None) -> None:
        """Hear nothing."""

    def checkpoint(self) -> None:
        """Go once so many writes were sent."""
        if len(self._server.asked("write")) >= self._writes:
            raise OperationCancelled


def test_what_is_cancelled_halfway_is_taken_back(server: FakeServer, odoo: Connection) -> None:
    before = rows(server)
    with listening(Stops(server, 2)), pytest.raises(OperationCancelled, match="Undone"):
        batch(odoo, [ref(1, "x"), ref(2, "y"), ref(3, "z")])
    assert rows(server) == before
    assert history(odoo)[1].message.startswith("Stopped at item 3 (write). Undone")


@pytest.mark.parametrize("problem", [KeyboardInterrupt, RuntimeError])
def test_whatever_else_ends_it_takes_back_too(
    server: FakeServer, odoo: Connection, problem: type[BaseException]
) -> None:
    before = rows(server)

    def answer(call: Call) -> Any:
        if "bad" in str(call.arguments):
            raise problem
        return NotImplemented

    server.answers[PARTNER, "write"] = answer
    with pytest.raises(problem):
        batch(odoo, [ref(1, "x"), ref(2, "bad")])
    assert rows(server) == before


def test_a_lost_answer_is_told_as_such(server: FakeServer, odoo: Connection) -> None:
    """What was applied nevertheless is seen and taken back; what was not stays in doubt."""
    before = rows(server)
    server.lose_answer("create", applied=False)
    with pytest.raises(OdooConnectionError) as caught:
        batch(odoo, [ref(1, "x"), new("Dan"), ref(2, "y")])
    assert rows(server) == before
    assert caught.value.outcome == "maybe_applied"
    assert caught.value.details["left"] == [
        "It is unknown whether create of res.partner was applied."
    ]
    assert history(odoo)[1].outcome == "doubtful"


# Keys ------------------------------------------------------------------------------------------


def test_a_key_repeated_after_success_gives_the_first_result(
    server: FakeServer, odoo: Connection
) -> None:
    items = [new("Dan"), ref(1, "x")]
    first = batch(odoo, items, idempotency_key="k")
    server.sent.clear()
    assert batch(odoo, items, idempotency_key="k") == first
    assert server.sent == []
    with pytest.raises(StateError, match="used for another request"):
        batch(odoo, [*items, ref(2, "y")], idempotency_key="k")


def test_a_key_repeated_after_a_failure_does_all_of_it(
    server: FakeServer, odoo: Connection
) -> None:
    """What was taken back is not taken for done, and what then is done can be taken back."""
    items = [new("Dan"), ref(1, "x"), ref(2, "y")]
    refuse(server, "write", "y")
    with pytest.raises(ConstraintError):
        batch(odoo, items, idempotency_key="k")
    before = rows(server)
    del server.answers[PARTNER, "write"]
    batch(odoo, items, idempotency_key="k")
    assert [(row["name"], row["ref"]) for row in rows(server)] == [
        ("Ann", "x"),
        ("Bob", "y"),
        ("Cem", "c"),
        ("Dan", None),
    ]
    entry = next(one for one in history(odoo) if one.operation == "batch")
    assert (entry.outcome, entry.undone_by) == ("done", None)
    undo(odoo, entry=entry.id)
    assert rows(server) == before


def test_a_key_repeated_after_a_part_was_left_says_so(server: FakeServer, odoo: Connection) -> None:
    items = [GONE, ref(1, "x"), ref(2, "y")]
    refuse(server, "write", "y")
    with pytest.raises(ConstraintError):
        batch(odoo, items, allow_irreversible=True, idempotency_key="k")
    del server.answers[PARTNER, "write"]
    server.sent.clear()
    with pytest.raises(StateError, match=r"res\.partner\.unlink of 3 was done") as caught:
        batch(odoo, items, allow_irreversible=True, idempotency_key="k")
    assert caught.value.code == "KEY_UNCONFIRMED"
    assert not [call for call in server.sent if call.method in ("write", "unlink")]


def test_a_yes_can_be_given_with_the_same_key(server: FakeServer, odoo: Connection) -> None:
    with pytest.raises(StateError, match="cannot be undone"):
        batch(odoo, [GONE, ref(1, "x")], idempotency_key="k")
    batch(odoo, [GONE, ref(1, "x")], idempotency_key="k", allow_irreversible=True)
    assert len(rows(server)) == 2


def test_a_key_repeated_after_a_lost_answer_says_what_is_in_doubt(
    server: FakeServer, odoo: Connection
) -> None:
    """The rest was taken back; what may have arrived is looked for by a person."""
    before = rows(server)
    items = [ref(1, "x"), new("Dan"), ref(2, "y")]
    server.lose_answer("create", applied=False)
    with pytest.raises(OdooConnectionError):
        batch(odoo, items, idempotency_key="k")
    with pytest.raises(StateError, match="the response was lost") as caught:
        batch(odoo, items, idempotency_key="k")
    assert caught.value.details["unconfirmed"] == ["res.partner.create"]
    assert rows(server) == before


def test_the_end_of_a_time_limit_does_not_stop_taking_back(
    server: FakeServer, odoo: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows(server)
    batch(odoo, [ref(3, "c")])  # the schema is read
    now = [1000.0]
    monkeypatch.setattr("odoo_toolkit.progress.time.monotonic", lambda: now[0])

    def answer(call: Call) -> Any:
        if "bad" in str(call.arguments):
            now[0] += 60
            return OdooConnectionError("Too late.", code="TIMEOUT", outcome="not_sent")
        return NotImplemented

    server.answers[PARTNER, "write"] = answer
    with time_limit(30), pytest.raises(OdooConnectionError) as caught:
        batch(odoo, [ref(1, "x"), ref(2, "bad")])
    assert caught.value.details["left"] == []
    assert rows(server) == before


class Killed(BaseException):
    """The process ends here, and writes nothing more."""


def test_undo_of_a_part_is_marked_write_by_write(server: FakeServer, odoo: Connection) -> None:
    """What is taken back is not taken back again; what is left still can be."""
    two = (write, {"model": PARTNER, "ids": [1, 2], "values": {"ref": "x"}})
    batch(odoo, [two, ref(3, "z")])
    entry = history(odoo)[0].id
    server.records[PARTNER][0]["ref"] = "theirs"
    undo(odoo, entry=entry, partial=True)
    assert [row["ref"] for row in rows(server)] == ["theirs", "b", "c"]
    assert [one.outcome for one in history(odoo)[1].writes] == ["partial", "undone"]
    server.records[PARTNER][0]["ref"] = "x"
    undo(odoo, entry=entry)
    assert [row["ref"] for row in rows(server)] == ["a", "b", "c"]
    assert [one.outcome for one in history(odoo)[2].writes] == ["undone", "undone"]


# Cut off ---------------------------------------------------------------------------------------


@pytest.fixture
def killed(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Run something in a process that is killed at one of its creations, or after an item."""

    def run(act: Callable[[], Any], at: int, *, when: str) -> None:
        answer, complete, end = server.send, Recording.complete, Recording.end
        sent = dead = 0

        def die() -> None:
            nonlocal dead
            dead = 1
            raise Killed

        def send(call: Call) -> Any:
            nonlocal sent
            sent += call.method in ("load", "create", "copy")
            if when == "between" or sent < at:
                return answer(call)
            if when == "arrived":
                answer(call)
            return die()

        class Dies(Stops):
            """Dies after an item."""

            def report(self, done: float, total: float | None, message: str | None) -> None:
                if when == "between" and done == at:
                    die()

        monkeypatch.setattr("odoo_toolkit.change_history.keys.wait", lambda seconds: None)
        with monkeypatch.context() as during, listening(Dies(server, 99)):
            during.setattr(server, "send", send)
            during.setattr(Recording, "end", lambda s, error: None if dead else end(s, error))
            during.setattr(
                Recording, "complete", lambda s, place: None if dead else complete(s, place)
            )
            with pytest.raises(Killed):
                act()
        assert dead
        # Another process does not remember what this one has created.
        lost_answers._creations.clear()

    return run


@pytest.mark.parametrize("when", ["arrived", "between", "never"])
def test_a_batch_that_was_cut_off_is_said_to_be_and_can_be_taken_back(
    server: FakeServer, odoo: Connection, killed: Any, when: str
) -> None:
    """What is known of it is named, and nothing is done anew; undo takes back what is known."""
    before = rows(server)
    items = [new(name, ref=name) for name in ("D", "E", "F", "G", "H")]
    killed(lambda: batch(odoo, items, idempotency_key="k"), 3, when=when)
    there = rows(server)
    assert len(there) == len(before) + (2 if when == "never" else 3)
    with pytest.raises(StateError, match="its process was ended") as caught:
        batch(odoo, items, idempotency_key="k")
    made = [4, 5, 6] if when == "between" else [4, 5]
    doubt = "res.partner.create is unconfirmed." in caught.value.message
    assert doubt == (when != "between")
    assert caught.value.details["created"] == {PARTNER: made}
    assert rows(server) == there
    undo(odoo, entry=caught.value.details["entry"], partial=True)
    assert len(rows(server)) == len(before) + (when == "arrived")


def test_a_lost_creation_does_not_claim_the_record_of_another_item(
    server: FakeServer, odoo: Connection
) -> None:
    before = rows(server)
    made: list[Call] = []

    def answer(call: Call) -> Any:
        made.append(call)
        if len(made) == 2:
            return OdooConnectionError("The connection broke.", outcome="maybe_applied")
        return NotImplemented

    server.answers[PARTNER, "create"] = answer
    with pytest.raises(OdooConnectionError) as caught:
        batch(odoo, [new("D"), new("D")], idempotency_key="k")
    assert caught.value.details["item"] == 2
    assert rows(server) == before


def test_undo_of_a_lost_copy_leaves_the_original_alone(
    server: FakeServer, odoo: Connection, killed: Any
) -> None:
    """Which record is the copy is not known; the one that it was made of is not deleted for it."""
    before = rows(server)
    killed(lambda: execute(odoo, PARTNER, "copy", args=[[1]]), 1, when="never")
    entry = history(odoo)[0]
    with pytest.raises(StateError, match=r"unknown whether a record of .* was created"):
        undo(odoo, entry=entry.id)
    assert rows(server) == before


# Where nothing may be deleted ------------------------------------------------------------------


def restricted(server: FakeServer, path: Path, *models: str) -> Connection:
    policy = Policy(mode="restricted", write_allowlist=frozenset(models))
    return server.connect(history=History(path / "j.sqlite"), policy=policy)


def test_what_is_created_in_restricted_mode_is_archived_as_foretold(
    server: FakeServer, tmp_path: Path
) -> None:
    """The plan, the history, the plan of the undo and the undo say the same."""
    odoo = restricted(server, tmp_path, PARTNER)
    why = (
        "The record of res.partner is not deleted: delete operations are not allowed in restricted"
        " mode."
    )
    foretold = create.plan(odoo, PARTNER, {"name": "Dan"}).undo
    create(odoo, PARTNER, {"name": "Dan"})
    (shown,) = overview(odoo)
    for one in (foretold, shown.undo):
        assert (one.possible, one.actions, one.not_undone) == (
            "partial",
            ["The record of res.partner would be archived."],
            [why],
        )
    plan = undo.plan(odoo, entry=shown.entry)
    assert plan.message.endswith("Dan would be archived.")
    assert (plan.needs, plan.warnings) == (None, [why])
    assert rows(server)[-1]["active"] is not False
    done = undo(odoo, entry=shown.entry)
    assert (done.done, done.left, done.not_undone) == (["Dan is archived."], [], [why])
    assert rows(server)[-1]["active"] is False


def test_what_can_neither_be_deleted_nor_archived_is_said_to_stay(tmp_path: Path) -> None:
    """Also beforehand, and in words for somebody who knows no Python."""
    server = FakeServer({"x.note": {"name": "char"}}, records={"x.note": []})
    odoo = restricted(server, tmp_path, "x.note")
    foretold = create.plan(odoo, "x.note", {"name": "Dan"}).undo
    create(odoo, "x.note", {"name": "Dan"})
    (shown,) = overview(odoo)
    for one in (foretold, shown.undo):
        assert (one.possible, one.actions, one.until) == ("none", [], "")
        assert one.not_undone == [
            "The record of x.note stays as it is: delete operations are not allowed in restricted"
            " mode."
        ]
    for dry_run in (True, False):
        with pytest.raises(StateError) as caught:
            undo(odoo, entry=shown.entry, dry_run=dry_run)
        told = f"{caught.value.message} {caught.value.suggestion}"
        assert told.endswith(
            "cannot be undone: Dan would be deleted, but delete operations are not allowed in"
            " restricted mode. No part of it can be undone."
        )
        assert "Policy(" not in told
    assert len(server.records["x.note"]) == 1
