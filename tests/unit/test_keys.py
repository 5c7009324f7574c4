"""Repeats with a key: done once, answered again, gone on with; what stops them, what is kept."""

from __future__ import annotations

import contextlib
import contextvars
import datetime
import threading
import typing
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import attrs
import pytest

from odoo_toolkit import (
    ConfigurationError,
    Connection,
    History,
    OdooConnectionError,
    OdooError,
    Policy,
    StateError,
    ValidationError,
    create,
    create_many,
    history,
    undo,
    upsert,
    write,
)
from odoo_toolkit.annotations import annotate
from odoo_toolkit.apps.sales import confirm_order
from odoo_toolkit.change_history import kept_results, keys
from odoo_toolkit.change_history.recording import Recording
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.testing import FakeServer
from tests.kit.operations import OPERATIONS, shop

FIELDS = {"name": "char", "ref": "char", "active": "boolean"}


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for what a server may still be doing."""
    monkeypatch.setattr("odoo_toolkit.change_history.lost_answers.WAITS", (0.0,))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the journal is."""
    return tmp_path / "history.sqlite"


@pytest.fixture
def server() -> FakeServer:
    """One contact."""
    row = {"id": 1, "name": "Ann", "ref": "a", "active": True}
    return FakeServer({"res.partner": FIELDS}, records={"res.partner": [row]})


@pytest.fixture
def odoo(server: FakeServer, path: Path) -> Connection:
    """A connection with a journal."""
    return server.connect(history=History(path))


class Killed(BaseException):
    """The process ends here, and writes nothing more."""


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Run something in a process that is killed while it sends, before or after that arrives."""

    def run(server: FakeServer, method: str, act: Callable[[], Any], *, arrives: bool) -> None:
        answer = server.send

        def send(call: Any) -> Any:
            if call.method != method:
                return answer(call)
            if arrives:
                answer(call)
            raise Killed

        monkeypatch.setattr(keys, "wait", lambda seconds: None)
        with monkeypatch.context() as during:
            during.setattr(server, "send", send)
            during.setattr(Recording, "end", lambda self, error: None)
            during.setattr(Recording, "complete", lambda self, place: None)
            with pytest.raises(Killed):
                act()

    return run


def names(server: FakeServer) -> list[str]:
    return [row["name"] for row in server.records["res.partner"]]


def test_the_first_result_again(server: FakeServer, path: Path) -> None:
    """Also by another object, as after a restart; nothing is sent but the login."""
    first = create(
        server.connect(history=History(path)), "res.partner", {"name": "Bob"}, idempotency_key="k1"
    )
    odoo = server.connect(history=History(path))
    server.sent.clear()
    again = create(odoo, "res.partner", {"name": "Bob"}, idempotency_key="k1")
    assert again == first
    assert type(again) is type(first)
    assert server.sent == []
    assert names(server) == ["Ann", "Bob"]
    assert [entry.idempotency_key for entry in history(odoo)] == ["k1"]


def test_defaults_and_numbers_are_the_same_however_they_are_written(odoo: Connection) -> None:
    one = write(odoo, "res.partner", [1], {"ref": "b"}, idempotency_key="k")
    assert (
        write(odoo, "res.partner", ids=(1,), values={"ref": "b"}, context=None, idempotency_key="k")
        == one
    )


@pytest.mark.parametrize(
    ("other", "differs"),
    [
        (
            lambda odoo: create(odoo, "res.partner", {"name": "Eve"}, idempotency_key="k"),
            ": values.name.",
        ),
        (
            lambda odoo: create(
                odoo, "res.partner", {"name": "Bob", "active": 1}, idempotency_key="k"
            ),
            ": values.active (only now).",
        ),
        (
            lambda odoo: write(odoo, "res.partner", [1], {"name": "Bob"}, idempotency_key="k"),
            ": operation, ",
        ),
        (
            lambda odoo: create(
                odoo, "res.partner", {"name": "Bob"}, {"lang": "de_DE"}, idempotency_key="k"
            ),
            ": context.lang,",
        ),
    ],
)
def test_a_key_for_something_else_is_refused(
    server: FakeServer, odoo: Connection, other: Callable[[Connection], Any], differs: str
) -> None:
    create(odoo, "res.partner", {"name": "Bob"}, idempotency_key="k")
    server.sent.clear()
    with pytest.raises(StateError) as caught:
        other(odoo)
    assert (caught.value.code, caught.value.outcome) == ("KEY_DONE", "not_sent")
    assert caught.value.details["created"] == {"res.partner": [2]}
    assert differs in caught.value.message
    assert server.sent == []


def test_other_contents_are_told_line_by_line(server: FakeServer, odoo: Connection) -> None:
    rows = [{"name": "Bob", "ref": "b"}, {"name": "Cy", "ref": "c"}, {"name": "Di", "ref": "d"}]
    create_many(odoo, "res.partner", rows, idempotency_key="k")
    other = [rows[0], {"name": "Cy", "ref": "z"}, {"name": "Di"}]
    with pytest.raises(StateError, match="These arguments differ") as caught:
        create_many(odoo, "res.partner", other, idempotency_key="k")
    assert caught.value.details["differences"] == ["rows[1].ref", "rows[2].ref (only before)"]
    assert "It created res.partner 2, 3, 4." in caught.value.message
    assert len(names(server)) == 4


def test_a_long_request_is_compared_further_up(odoo: Connection) -> None:
    rows = [{"name": f"N{n}", "ref": f"r{n}"} for n in range(600)]
    create_many(odoo, "res.partner", rows, idempotency_key="k")
    with pytest.raises(StateError) as caught:
        create_many(odoo, "res.partner", [*rows[:599], {"name": "X"}], idempotency_key="k")
    assert caught.value.details["differences"] == ["rows[599]"]


def test_another_company_is_another_request(server: FakeServer, path: Path) -> None:
    create(
        server.connect(history=History(path)), "res.partner", {"name": "Bob"}, idempotency_key="k"
    )
    other = server.connect(history=History(path), company_id=2)
    with pytest.raises(StateError, match="used for another request"):
        create(other, "res.partner", {"name": "Bob"}, idempotency_key="k")


def test_without_a_journal_nothing_is_sent(server: FakeServer) -> None:
    with pytest.raises(ConfigurationError, match="needs a change history"):
        create(server.connect(), "res.partner", {"name": "Bob"}, idempotency_key="k")
    assert server.sent == []


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize("key", ["", "  ", "x" * 201, "a\nb", 7, ["k"], "${order}", "<uuid>"])
def test_what_is_not_a_key(server: FakeServer, odoo: Connection, key: Any, dry_run: bool) -> None:
    with pytest.raises(ValidationError, match=r"must be a string of|contains a placeholder"):
        create(odoo, "res.partner", {"name": "Bob"}, idempotency_key=key, dry_run=dry_run)
    assert server.sent == []


def test_a_plan_uses_no_key(odoo: Connection) -> None:
    create(odoo, "res.partner", {"name": "Bob"}, dry_run=True, idempotency_key="k")
    assert history(odoo) == []
    create(odoo, "res.partner", {"name": "Eve"}, idempotency_key="k")


def test_a_plan_says_that_its_key_is_used(odoo: Connection) -> None:
    create(odoo, "res.partner", {"name": "Eve"}, idempotency_key="k")
    plan = create(odoo, "res.partner", {"name": "Eve"}, dry_run=True, idempotency_key="k")
    assert "Nothing would be sent a second time" in plan.message
    with pytest.raises(StateError) as caught:
        create(odoo, "res.partner", {"name": "Bob"}, dry_run=True, idempotency_key="k")
    assert caught.value.code == "KEY_DONE"


def test_what_was_refused_may_be_done_again(server: FakeServer, odoo: Connection) -> None:
    """Nothing was written, so the same request, which can pass now, is made."""
    server.answers["res.partner", "create"] = ValidationError("No.")
    with pytest.raises(OdooError):
        create(odoo, "res.partner", {"name": "Bob"}, idempotency_key="k")
    assert history(odoo)[0].outcome == "refused"
    del server.answers["res.partner", "create"]
    create(odoo, "res.partner", {"name": "Bob"}, idempotency_key="k")
    assert names(server) == ["Ann", "Bob"]
    told = [(one.outcome, one.idempotency_key) for one in history(odoo)]
    assert told == [("done", "k"), ("refused", None)]


def test_a_state_that_stops_it_reserves_nothing(path: Path) -> None:
    server = shop()
    server.records["sale.order"][0]["state"] = "cancel"
    odoo = server.connect(history=History(path))
    with pytest.raises(StateError):
        confirm_order(odoo, order_id=1, idempotency_key="k")
    assert history(odoo)[0].outcome == "refused"


def test_threads_with_one_key_make_one_record(server: FakeServer, path: Path) -> None:
    odoo, barrier, made = server.connect(history=History(path)), threading.Barrier(6), []

    def act() -> None:
        barrier.wait()
        made.append(create(odoo, "res.partner", {"name": "Bob"}, idempotency_key="k").id)

    threads = [threading.Thread(target=act) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 6
    assert len(set(made)) == 1
    assert names(server) == ["Ann", "Bob"]


def test_who_waits_too_long_hears_that_it_still_runs(
    server: FakeServer, odoo: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(keys, "wait", waited.append)
    caught: list[OdooError] = []
    answer = server.send

    def send(call: Any) -> Any:
        if call.method == "create":
            monkeypatch.setattr(server, "send", answer)
            thread = threading.Thread(target=repeat)
            thread.start()
            thread.join()
        return answer(call)

    def repeat() -> None:
        try:
            create(odoo, "res.partner", {"name": "Bob"}, idempotency_key="k")
        except OdooError as error:
            caught.append(error)

    monkeypatch.setattr(server, "send", send)
    create(odoo, "res.partner", {"name": "Bob"}, idempotency_key="k")
    assert [(error.code, error.retry) for error in caught] == [("KEY_RUNNING", True)]
    assert waited == list(keys.WAITS)
    assert names(server) == ["Ann", "Bob"]


def test_what_has_sent_nothing_gives_its_key_away(
    server: FakeServer, odoo: Connection, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed before its first call, or slow: then it is stopped before it sends anything."""
    monkeypatch.setattr(keys, "wait", lambda seconds: None)
    other = server.connect(history=History(path))
    caught: list[OdooError] = []

    def slow(odoo: Any, *, dry_run: bool = False) -> Any:
        if odoo is not other:
            try:
                _elsewhere(lambda: act(other, idempotency_key="k"))
            except OdooError as error:
                caught.append(error)
        return create(odoo, "res.partner", {"name": "Bob"})

    act: Any = operation(_with_plan(slow))
    with pytest.raises(StateError, match="taken over the idempotency key k"):
        act(odoo, idempotency_key="k")
    assert caught == []
    assert names(server) == ["Ann", "Bob"]
    told = [(one.outcome, one.idempotency_key) for one in history(odoo)]
    assert told == [("done", "k"), ("refused", None)]


@pytest.mark.parametrize("arrives", [True, False])
def test_a_killed_process_leaves_no_second_record(
    server: FakeServer, odoo: Connection, killed: Any, arrives: bool
) -> None:
    """Nobody knows whether it arrived: the records to look at are named."""

    def act() -> Any:
        return create(odoo, "res.partner", {"name": "Bob"}, idempotency_key="k")

    killed(server, "create", act, arrives=arrives)
    there = names(server)
    for _ in range(2):
        with pytest.raises(StateError) as caught:
            act()
        error = caught.value
        assert (error.code, error.outcome) == ("KEY_RUNNING", "maybe_applied")
        assert "res.partner.create is unconfirmed." in error.message
        assert "its process was ended" in error.message
        assert "undo(entry=1)" in error.suggestion
        assert names(server) == there


def test_a_creation_that_never_arrived_is_made_later(
    server: FakeServer, odoo: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When no server can be at it any more, and this user has created nothing of the kind."""
    server.lose_answer("create", applied=False)

    def act() -> Any:
        return create(odoo, "res.partner", {"name": "Bob"}, idempotency_key="k")

    with pytest.raises(OdooConnectionError):
        act()
    with pytest.raises(StateError) as caught:
        act()
    assert (caught.value.code, caught.value.outcome) == ("KEY_UNCONFIRMED", "maybe_applied")
    assert "the response was lost" in caught.value.message
    monkeypatch.setattr(keys, "SETTLED", -1.0)
    made = act()
    assert names(server) == ["Ann", "Bob"]
    assert act() == made


def test_a_lost_creation_names_what_to_look_at(
    server: FakeServer, odoo: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What somebody has made since may be it: then it is not made again by itself."""
    monkeypatch.setattr(keys, "SETTLED", -1.0)
    monkeypatch.setattr(keys, "_since", lambda odoo, entry, model: [7])
    server.lose_answer("create", applied=False)
    for error in (OdooConnectionError, StateError):
        with pytest.raises(error) as caught:
            create(odoo, "res.partner", {"name": "Bob"}, idempotency_key="k")
    assert caught.value.details["look_at"] == {"res.partner": [7]}
    assert "Since then, this user has created res.partner 7." in caught.value.message
    assert names(server) == ["Ann"]


@pytest.mark.parametrize("arrives", [True, False])
def test_a_change_or_a_button_of_a_killed_process_is_not_made_again(
    server: FakeServer, odoo: Connection, killed: Any, arrives: bool
) -> None:
    def act() -> Any:
        return write(odoo, "res.partner", [1], {"ref": "b"}, idempotency_key="k")

    killed(server, "write", act, arrives=arrives)
    server.records["res.partner"][0]["ref"] = "of somebody else"
    with pytest.raises(StateError, match=r"res\.partner\.write of 1 is unconfirmed") as caught:
        act()
    assert caught.value.details["look_at"] == {"res.partner": [1]}
    assert server.records["res.partner"][0]["ref"] == "of somebody else"


def test_what_an_operation_of_several_steps_has_done_is_named(
    server: FakeServer, odoo: Connection
) -> None:
    act: Any = operation(_with_plan(_two_steps))
    server.answers["res.partner", "write"] = ValidationError("No.")
    with pytest.raises(ValidationError, match="No"):
        act(odoo, second="b", idempotency_key="k")
    with pytest.raises(StateError, match="was partially done, and then failed") as caught:
        act(odoo, second="b", idempotency_key="k")
    assert caught.value.code == "KEY_UNCONFIRMED"
    assert "It created res.partner 2." in caught.value.message
    undo(odoo, entry=1)
    assert names(server) == ["Ann"]
    with pytest.raises(StateError, match="already did this, and entry 2 undid it"):
        act(odoo, second="b", idempotency_key="k")


def test_a_result_that_says_what_failed_is_the_result(server: FakeServer, odoo: Connection) -> None:
    """A repeat says the same, and does nothing."""
    server.answers["res.partner", "write"] = ValidationError("No.")

    def some(odoo: Any, *, dry_run: bool = False) -> Any:
        made = create(odoo, "res.partner", {"name": "Bob"})
        with contextlib.suppress(ValidationError):
            write(odoo, "res.partner", [1], {"ref": "b"})
        return made

    act: Any = operation(_with_plan(some))
    first = act(odoo, idempotency_key="k")
    assert history(odoo)[0].outcome == "partial"
    server.sent.clear()
    assert act(odoo, idempotency_key="k") == first
    assert server.sent == []


def test_for_whom_a_key_holds_is_told(server: FakeServer, odoo: Connection, path: Path) -> None:
    here = (
        "Its idempotency key is valid for scripts and servers with this change history "
        "and this address of Odoo, on this machine only."
    )
    asked: dict[str, Any] = {
        "model": "res.partner",
        "values": {"name": "Bob"},
        "idempotency_key": "k",
    }
    assert create(odoo, **asked, dry_run=True).message.endswith(here)
    made = create(odoo, **asked)
    assert made.message.endswith(here)
    other = server.connect(history=History(path.with_name("other.sqlite")))
    assert create(other, **asked).id != made.id
    shared = server.connect(history=History("postgresql://localhost/journal"))
    plan = create(shared, **asked, dry_run=True)
    assert plan.message.endswith(
        "Its idempotency key is valid for scripts and servers with this change history "
        "and this address of Odoo, on any machine."
    )
    without = create(server.connect(), **asked, dry_run=True)
    assert without.message.endswith(
        "This connection has no change history, so it does not accept idempotency keys."
    )


def _two_steps(odoo: Any, *, second: str, dry_run: bool = False) -> Any:
    """Make a record, and then change another."""
    made = create(odoo, "res.partner", {"name": "Bob"})
    write(odoo, "res.partner", [1], {"ref": second})
    return made


def _elsewhere(act: Callable[[], Any]) -> Any:
    return contextvars.Context().run(act)


def _with_plan(act: Any) -> Any:
    annotate(act, {**act.__annotations__, "return": "CreateResult | Plan"})
    return act


@pytest.mark.parametrize("ids", [7, "7", ["x"], {"7": 1}])
def test_a_context_that_names_no_records_stops_no_retry(
    server: FakeServer, odoo: Connection, ids: Any
) -> None:
    """A context is kept as it was given, and a lost answer is told of the record itself."""
    server.lose_answer("write", applied=False)

    def act() -> Any:
        context = {"active_model": "sale.order", "active_ids": ids}
        asked: dict[str, Any] = {"context": context, "idempotency_key": "k"}
        return write(odoo, "res.partner", [1], {"ref": "c"}, **asked)

    with pytest.raises(OdooConnectionError):
        act()
    with pytest.raises(StateError, match=r"res\.partner\.write of 1 is unconfirmed") as caught:
        act()
    assert caught.value.details["look_at"] == {"res.partner": [1]}


def test_a_part_of_an_operation_has_no_key(odoo: Connection) -> None:
    assert isinstance(odoo.history, History)
    with odoo.history.operation(odoo, "x"), pytest.raises(ValidationError, match="outer call"):
        create(odoo, "res.partner", {"name": "Bob"}, idempotency_key="k")


def test_what_was_taken_back_is_not_said_to_be_there(server: FakeServer, odoo: Connection) -> None:
    create(odoo, "res.partner", {"name": "Bob"}, idempotency_key="k")
    undo(odoo, entry=1)
    with pytest.raises(StateError) as caught:
        create(odoo, "res.partner", {"name": "Bob"}, idempotency_key="k")
    assert (caught.value.code, "entry 2 undid it" in str(caught.value)) == ("KEY_DONE", True)
    assert names(server) == ["Ann"]


def test_another_policy_does_not_see_the_result(server: FakeServer, path: Path) -> None:
    """It hears that it was done, and which record it was."""
    values = {"name": "Bob", "ref": "secret"}
    create(server.connect(history=History(path)), "res.partner", values, idempotency_key="k")
    closed = Policy(method_blocklist=frozenset({"message_post"}))
    other = server.connect(history=History(path), policy=closed)
    with pytest.raises(StateError) as caught:
        create(other, "res.partner", values, idempotency_key="k")
    assert caught.value.details == {"entry": 1, "created": {"res.partner": [2]}}
    assert names(server) == ["Ann", "Bob"]


def test_a_result_too_long_to_be_kept(
    server: FakeServer, odoo: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_results, "MOST_TEXT", 10)
    create(odoo, "res.partner", {"name": "Bob"}, idempotency_key="k")
    with pytest.raises(StateError, match="cannot be shown again"):
        create(odoo, "res.partner", {"name": "Bob"}, idempotency_key="k")
    assert names(server) == ["Ann", "Bob"]


def test_imports_have_a_key_of_another_name(
    server: FakeServer, odoo: Connection, tmp_path: Path
) -> None:
    """A file counts by what is in it."""
    file = tmp_path / "rows.csv"
    file.write_text("ref,name\nb,Bob\n")
    first = upsert(odoo, "res.partner", str(file), key="ref", idempotency_key="k")
    assert upsert(odoo, "res.partner", str(file), key="ref", idempotency_key="k") == first
    file.write_text("ref,name\nb,Ben\n")
    with pytest.raises(StateError, match="used for another request"):
        upsert(odoo, "res.partner", str(file), key="ref", idempotency_key="k")
    rows = [{"name": "Cy"}]
    create_many(odoo, "res.partner", rows, idempotency_key="many")
    create_many(odoo, "res.partner", rows, idempotency_key="many")
    assert names(server) == ["Ann", "Bob", "Cy"]
    with pytest.raises(ValidationError, match="cannot be compared"):
        create_many(odoo, "res.partner", iter(rows), idempotency_key="others")


def test_an_interrupted_import_is_not_sent_again(server: FakeServer, odoo: Connection) -> None:
    """Its result names the rows; the import by a key is itself what goes on, under a new key."""
    rows = [{"ref": f"r{n}", "name": f"N{n}"} for n in range(6)]
    server.lose_answer("load", applied=False)
    server.lose_answer("create", applied=False)
    first = upsert(odoo, "res.partner", rows, key="ref", batch=2, idempotency_key="k")
    assert first.interrupted
    assert upsert(odoo, "res.partner", rows, key="ref", batch=2, idempotency_key="k") == first
    assert names(server) == ["Ann"]
    again = upsert(odoo, "res.partner", rows, key="ref", batch=2, idempotency_key="k2")
    assert not again.failed
    assert sorted(names(server)) == ["Ann", *(f"N{n}" for n in range(6))]


# Results kept -------------------------------------------------------------------------------------


def _sample(hint: Any, depth: int = 0) -> Any:
    """Return a value of a type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _sample(arguments[0], depth)
    if origin is typing.Literal:
        return arguments[0]
    if arguments and type(None) in arguments:
        return _sample(next(a for a in arguments if a is not type(None)), depth)
    if attrs.has(hint):
        hints = typing.get_type_hints(hint, include_extras=True)
        return hint(
            **{
                f.alias: _sample(hints[f.name], depth + 1)
                for f in attrs.fields(hint)
                if f.init and (depth < 4 or f.default is attrs.NOTHING)
            }
        )
    kind = origin or hint
    simple: dict[Any, Any] = {
        str: "Ä", int: 3, float: 2.5, bool: True, bytes: b"\0\xff", Decimal: Decimal("1.10"),
        datetime.date: datetime.date(2026, 1, 2), Any: {1: [(datetime.date(2026, 1, 2), None)]},
        datetime.datetime: datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC),
        object: "x",
    }  # fmt: skip
    if kind in simple:
        return simple[kind]
    if arguments and issubclass(kind, typing.cast(Any, typing.Mapping)):
        return {_sample(arguments[0], depth): _sample(arguments[1], depth)}
    if kind is dict:
        return {"!": 1}
    if kind is tuple:
        return tuple(_sample(a, depth) for a in arguments if a is not Ellipsis)
    item = _sample(arguments[0], depth) if arguments else 1
    return {item} if kind in (set, frozenset) else [item]


def _result_classes() -> dict[str, type]:
    found = {}
    for function in OPERATIONS.values():
        hint = typing.get_type_hints(function)["return"]
        for kind in typing.get_args(hint) or (hint,):
            if not issubclass(kind, Plan):
                found[f"{kind.__module__}.{kind.__qualname__}"] = kind
    return found


@pytest.mark.parametrize("name", sorted(_result_classes()))
def test_every_result_comes_back_as_it_was(name: str) -> None:
    result = _sample(_result_classes()[name])
    text = kept_results.as_text(result)
    assert text is not None
    again = kept_results.from_text(text)
    assert type(again) is type(result)
    assert again == result
    assert kept_results.as_text(again) == text


@pytest.mark.parametrize(
    "text",
    [
        '{"!": "os:system", "value": {}}',
        '{"!": "odoo_toolkit.client:Odoo", "value": {}}',
        '{"!": "odoo_toolkit.nothing:X", "value": {}}',
        '{"!": "odoo_toolkit.records.results:CreateResult", "value": {"other": 1}}',
    ],
)
def test_nothing_else_is_made_of_a_text(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        kept_results.from_text(text)
