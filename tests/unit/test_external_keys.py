"""Creations with a key in the form of ``load``: which have one, and what a lost answer means."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import Connection, Journal, OdooConnectionError, StateError, create, history
from odoo_toolkit.call import Call
from odoo_toolkit.errors import make_error
from odoo_toolkit.journal.external_keys import as_load
from odoo_toolkit.testing import FakeServer

FIELDS: dict[str, Any] = {
    "name": "char",
    "active": "boolean",
    "rank": "integer",
    "due": "datetime",
    "kind": {"type": "selection", "selection": [["a", "b"], ["b", "B"], ["c", "C"]]},
    "parent": {"type": "many2one", "relation": "x.order"},
    "tags": {"type": "many2many", "relation": "x.tag"},
    "lines": {"type": "one2many", "relation": "x.line", "relation_field": "order"},
    "data": "json",
}
LINES: dict[str, Any] = {
    "order": {"type": "many2one", "relation": "x.order"},
    "text": "char",
    "price": "float",
}


class Odoo:
    """As much of ``load`` and external ids as a creation with a key meets."""

    def __init__(self) -> None:
        self.by_name: dict[str, int] = {}
        self.lose: list[bool] = []
        self.refuses = False
        self.server = FakeServer(
            {"x.order": FIELDS, "x.line": LINES, "x.tag": {"name": "char"}},
            records={"x.order": [], "x.line": [], "x.tag": []},
            answers={
                ("x.order", "load"): self.load,
                ("ir.model.data", "check_object_reference"): self.reference,
            },
        )

    def load(self, call: Call) -> Any:
        assert call.context["mode"] == "update"
        assert call.context["noupdate"] is True
        if self.refuses:
            return {"ids": False, "messages": [{"type": "error", "message": "No."}]}
        arrives = self.lose.pop(0) if self.lose else None
        ids = []
        columns = call.arguments["fields"]
        if arrives is not False:
            for row in call.arguments["data"]:
                name = row[0].partition(".")[2]
                if name not in self.by_name:
                    number = len(self.by_name) + 1
                    values = dict(zip(columns[1:], row[1:], strict=True))
                    self.server.records["x.order"].append({"id": number, **values})
                    self.by_name[name] = number
                ids.append(self.by_name[name])
        if arrives is not None:
            raise OdooConnectionError("The connection broke.", outcome="maybe_applied")
        return {"ids": ids, "messages": []}

    def reference(self, call: Call) -> Any:
        name = call.arguments["xml_id"]
        if name not in self.by_name:
            text = f"External ID not found in the system: odoo_toolkit.{name}"
            raise make_error("VALUE_ERROR", text)
        return ["x.order", self.by_name[name]]

    def connect(self, path: Path) -> Connection:
        return self.server.connect(journal=Journal(path), tz="Europe/Brussels")


@pytest.fixture
def odoo(monkeypatch: pytest.MonkeyPatch) -> Odoo:
    """A server; nobody waits."""
    monkeypatch.setattr("odoo_toolkit.journal.external_keys.wait", lambda seconds: None)
    monkeypatch.setattr("odoo_toolkit.lost_answers.WAITS", (0.0,))
    return Odoo()


def _as_load(odoo: Odoo, path: Path, *rows: Mapping[str, Any]) -> tuple[list[str], Any] | None:
    connection = odoo.connect(path)
    call = Call(
        model="x.order",
        method="create",
        arguments={"vals_list": list(rows)},
        context=connection.settings.base_context,
    )
    found = as_load(connection, call, "k", 0)
    if found is None:
        return None
    data = [[*line[1:]] for line in found.load.arguments["data"]]
    return found.load.arguments["fields"][1:], data


@pytest.mark.parametrize(
    ("values", "columns", "cells"),
    [
        ({"name": "A", "active": False}, ["name", "active"], [["A", "0"]]),
        ({"rank": 0, "parent": 7}, ["rank", "parent/.id"], [[0, "7"]]),
        ({"parent": False, "kind": "c"}, ["parent/.id", "kind"], [["", "c"]]),
        ({"tags": [[6, 0, [1, 2]]]}, ["tags/.id"], [["1,2"]]),
        ({"tags": [[4, 3, 0], [4, 5, 0]]}, ["tags/.id"], [["3,5"]]),
        ({"due": "2026-07-01 10:00:00"}, ["due"], [["2026-07-01 12:00:00"]]),
        (
            {"name": "A", "lines": [[0, 0, {"text": "x", "price": 1}], [0, 0, {"text": "y"}]]},
            None,
            None,
        ),
        (
            {"name": "A", "lines": [[0, 0, {"text": "x"}], [0, 0, {"text": "y"}]]},
            ["name", "lines/text"],
            [["A", "x"], ["", "y"]],
        ),
    ],
)
def test_a_creation_in_the_form_of_load(
    odoo: Odoo, tmp_path: Path, values: Any, columns: Any, cells: Any
) -> None:
    found = _as_load(odoo, tmp_path / "j", values)
    assert found == (None if columns is None else (columns, cells))


@pytest.mark.parametrize(
    "values",
    [
        {"data": {"a": 1}},
        {"kind": "b"},  # a label of another value, too
        {"due": "2026-10-25 00:30:00"},  # the hour that the clock shows twice
        {"tags": [[0, 0, {"name": "new"}]]},
        {"lines": [[4, 1, 0]]},
        {"lines": [[0, 0, {"text": ""}]]},  # load leaves it out
        {"lines": [[0, 0, {}]]},
        {"unknown": 1},
        {"id": "base.main_partner"},
        {"lines": [[0, 0, {"id": "base.main_partner", "text": "x"}]]},
    ],
)
def test_what_load_might_read_otherwise_is_created(odoo: Odoo, tmp_path: Path, values: Any) -> None:
    assert _as_load(odoo, tmp_path / "j", values) is None


def test_rows_with_different_fields_are_created(odoo: Odoo, tmp_path: Path) -> None:
    """An empty cell would say that there is no value, where Odoo has a default."""
    assert _as_load(odoo, tmp_path / "j", {"name": "A"}, {"name": "B", "rank": 1}) is None


@pytest.mark.parametrize("lost", [[True], [False], [True, False, True], [False, False, False]])
def test_a_lost_creation_is_sent_again_and_made_once(
    odoo: Odoo, tmp_path: Path, lost: list[bool]
) -> None:
    odoo.lose = lost
    connection = odoo.connect(tmp_path / "j")
    assert create(connection, "x.order", {"name": "A"}, key="k").id == 1
    assert len(odoo.by_name) == 1
    assert history(connection)[0].outcome == "done"


def test_one_that_stays_lost_is_in_doubt_until_it_is_repeated(odoo: Odoo, tmp_path: Path) -> None:
    odoo.lose = [False, False, True, False]
    connection = odoo.connect(tmp_path / "j")
    with pytest.raises(OdooConnectionError) as caught:
        create(connection, "x.order", {"name": "A"}, key="k")
    assert caught.value.outcome == "maybe_applied"
    assert create(connection, "x.order", {"name": "A"}, key="k").id == 1
    assert len(odoo.by_name) == 1


def test_another_journal_finds_the_record(odoo: Odoo, tmp_path: Path) -> None:
    first = create(odoo.connect(tmp_path / "1"), "x.order", {"name": "A"}, key="k")
    assert create(odoo.connect(tmp_path / "2"), "x.order", {"name": "A"}, key="k").id == first.id
    with pytest.raises(StateError, match="not as it is asked for now: name") as caught:
        create(odoo.connect(tmp_path / "3"), "x.order", {"name": "B"}, key="k")
    assert (caught.value.code, caught.value.outcome) == ("KEY_DONE", "not_sent")
    assert len(odoo.by_name) == 1


def test_what_load_refuses_is_created(odoo: Odoo, tmp_path: Path) -> None:
    """Or refused by ``create``, which says better why."""
    odoo.refuses = True
    connection = odoo.connect(tmp_path / "j")
    made = create(connection, "x.order", {"name": "A"}, key="k").id
    assert [row["id"] for row in odoo.server.records["x.order"]] == [made]
    assert history(connection)[0].writes[0].external_id == ""
    assert create(connection, "x.order", {"name": "A"}, key="k").id == made
