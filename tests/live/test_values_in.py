"""Values that come in as they were meant: empty texts, other languages, properties, json."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from odoo_toolkit import (
    Connection,
    StateError,
    ValidationError,
    aggregate,
    connect,
    create,
    create_many,
    execute,
    export,
    history,
    iterate,
    read,
    search_read,
    to_arrow,
    undo,
    unlink,
    upsert,
    write,
    write_many,
)
from odoo_toolkit.languages import translate
from tests.live.servers import Server, credentials


def _stored(admin: Connection, model: str, record_id: int, field: str, **context: Any) -> Any:
    """Return what Odoo itself answers."""
    (row,) = execute(admin, model, "read", [[record_id], [field]], context=context).result
    return row[field]


class TestViews:
    """Rows of views without ids of their own are not taken for one another."""

    def test_ids_below_zero_are_read(self, admin: Connection) -> None:
        found = search_read(admin, "purchase.bill.union", [["id", "<", 0]], ["name"], limit=2)
        ids = [row["id"] for row in found]
        assert ids
        assert read(admin, "purchase.bill.union", ids, ["name"]).records == list(found)

    def test_rows_that_share_an_id_are_not_read_but_counted(
        self, admin: Connection, tmp_path: Path
    ) -> None:
        model, fields = "report.stock.quantity", ["date", "product_qty"]
        for reading in (
            lambda: search_read(admin, model, [], fields, limit=1),
            lambda: search_read(admin, model, [], fields, limit=None),
            lambda: list(iterate(admin, model, [], fields)),
            lambda: to_arrow(admin, model, [], fields),
            lambda: export(admin, model, [], fields, tmp_path / "rows.csv"),
        ):
            with pytest.raises(StateError, match="same id") as error:
                reading()
        details = error.value.details
        rows = aggregate(admin, model, [], details["groupby"], details["measures"], limit=None)
        counted = execute(admin, model, "search_count", [[]]).result
        assert sum(row["count"] for row in rows.records) == counted


@pytest.fixture
def partner(admin: Connection, suffix: str) -> Iterator[int]:
    """A contact with a reference."""
    record_id = create(admin, "res.partner", {"name": f"Contact {suffix}", "ref": "R"}).id
    yield record_id
    unlink(admin, "res.partner", [record_id])


class TestEmptyText:
    """An empty text is none: it is stored as not set, and found as that."""

    def test_by_write_import_and_method(self, admin: Connection, partner: int) -> None:
        for empty in (
            lambda: write(admin, "res.partner", [partner], {"ref": ""}),
            lambda: write_many(admin, "res.partner", [{".id": partner, "ref": ""}]),
            lambda: execute(admin, "res.partner", "write", [[partner], {"ref": ""}]),
        ):
            write(admin, "res.partner", [partner], {"ref": "R"})
            empty()
            assert _stored(admin, "res.partner", partner, "ref") is False
            for condition in (["ref", "=", ""], ["ref", "=", False], ["ref", "in", ["", "x"]]):
                found = search_read(admin, "res.partner", [["id", "=", partner], condition])
                assert [row["id"] for row in found] == [partner], condition
            none = search_read(admin, "res.partner", [["id", "=", partner], ["ref", "!=", ""]])
            assert none.count == 0

    def test_of_new_records_and_their_lines(self, admin: Connection, suffix: str) -> None:
        child = {"name": f"Child {suffix}", "ref": ""}
        values = {"name": f"Parent {suffix}", "ref": "", "child_ids": [[0, 0, child]]}
        parent = create(admin, "res.partner", values).id
        (child_id,) = _stored(admin, "res.partner", parent, "child_ids")
        assert _stored(admin, "res.partner", parent, "ref") is False
        assert _stored(admin, "res.partner", child_id, "ref") is False
        unlink(admin, "res.partner", [child_id])
        unlink(admin, "res.partner", [parent])

    def test_many_products_may_have_no_barcode(self, admin: Connection, suffix: str) -> None:
        rows = [{"name": f"{part} {suffix}", "barcode": ""} for part in ("A", "B")]
        ids = create(admin, "product.product", rows).ids
        result = upsert(
            admin, "product.product", [{"name": f"C {suffix}", "barcode": ""}], key="name"
        )
        assert (result.created, result.failed) == (1, [])
        ids += [number for number in result.ids if number]
        assert {_stored(admin, "product.product", one, "barcode") for one in ids} == {False}
        unlink(admin, "product.product", ids)


@pytest.fixture
def template(admin: Connection, french: None, suffix: str) -> Iterator[int]:
    """A product with a formatted and a plain text that are both translated, and a project."""
    values = {
        "name": f"Chair {suffix}",
        "description": "<p>Office chair</p>",
        "description_sale": "Comfortable",
    }
    record_id = create(admin, "product.template", values).id
    yield record_id
    unlink(admin, "product.template", [record_id])


_FRENCH = {"lang": "fr_FR"}


class TestAnotherLanguage:
    """What is written in French leaves the English text alone, or is refused."""

    def _english(self, admin: Connection, template: int, field: str) -> Any:
        return _stored(admin, "product.template", template, field, lang="en_US")

    def test_formatted_text_is_refused_at_every_door(
        self, admin: Connection, template: int
    ) -> None:
        if admin.version.major == 14:
            pytest.skip("Formatted texts are not written here.")
        model, new = "product.template", {"description": "<p>Bureau</p>"}
        row = {".id": template, **new}
        for refused in (
            lambda: write(admin, model, [template], new, context=_FRENCH),
            lambda: write(admin, model, [template], new, context=_FRENCH, dry_run=True),
            lambda: execute(admin, model, "write", [[template], new], context=_FRENCH),
        ):
            with pytest.raises(ValidationError, match="every language") as error:
                refused()
            assert "ranslate" in error.value.suggestion
        for dry_run in (True, False):
            result = write_many(admin, model, [row], context=_FRENCH, dry_run=dry_run)
            assert "every language" in str(result.problems[0])
        assert self._english(admin, template, "description") == "<p>Office chair</p>"

    def test_what_is_emptied_in_one_is_not_emptied_in_all(
        self, admin: Connection, template: int
    ) -> None:
        for empty in (None, False, ""):
            with pytest.raises(ValidationError, match="empties it in every language"):
                write(
                    admin,
                    "product.template",
                    [template],
                    {"description_sale": empty},
                    context=_FRENCH,
                )
        assert self._english(admin, template, "description_sale") == "Comfortable"

    def test_plain_text_is_written_in_its_language(self, admin: Connection, template: int) -> None:
        values = {"description_sale": "Confortable"}
        write(admin, "product.template", [template], values, context=_FRENCH)
        assert self._english(admin, template, "description_sale") == "Comfortable"
        french = _stored(admin, "product.template", template, "description_sale", **_FRENCH)
        assert french == "Confortable"
        translate(admin, "product.template", template, {"description_sale": {"fr_FR": "Moelleux"}})
        assert self._english(admin, template, "description_sale") == "Comfortable"

    def test_formatted_text_where_there_was_none(self, admin: Connection, template: int) -> None:
        write(admin, "product.template", [template], {"description": False})
        new = {"description": "<p>Bureau</p>"}
        write(admin, "product.template", [template], new, context=_FRENCH)
        french = _stored(admin, "product.template", template, "description", **_FRENCH)
        assert french == "<p>Bureau</p>"

    def test_a_language_that_is_not_active(self, admin: Connection, template: int) -> None:
        with pytest.raises(ValidationError, match="xx_XX is not"):
            write(
                admin,
                "product.template",
                [template],
                {"description_sale": "Xx"},
                context={"lang": "xx_XX"},
            )
        assert self._english(admin, template, "description_sale") == "Comfortable"


_DEFINED: list[dict[str, Any]] = [
    {"name": "aa11", "string": "Size", "type": "integer"},
    {"name": "bb22", "string": "Word", "type": "char"},
    {
        "name": "cc33",
        "string": "Pick",
        "type": "selection",
        "selection": [["x", "X"], ["y", "Y"]],
    },
    {"name": "dd44", "string": "Who", "type": "many2one", "comodel": "res.partner"},
    {"name": "ee55", "string": "All", "type": "many2many", "comodel": "res.partner"},
]
_TASK = "project.task"


@pytest.fixture
def project(admin: Connection, suffix: str) -> Iterator[int]:
    """A project whose tasks have properties."""
    if admin.version.major < 16:
        pytest.skip("This server has no properties, which came with Odoo 16.")
    values = {"name": f"Project {suffix}", "task_properties_definition": _DEFINED}
    record_id = create(admin, "project.project", values).id
    yield record_id
    tasks = search_read(
        admin, _TASK, [["project_id", "=", record_id]], context={"active_test": False}
    )
    if tasks.count:
        unlink(admin, _TASK, [row["id"] for row in tasks])
    unlink(admin, "project.project", [record_id])


def _task(admin: Connection, project: int, **properties: Any) -> int:
    values = {"name": "Task", "project_id": project, "task_properties": properties}
    return create(admin, _TASK, values).id


def _properties(admin: Connection, task: int) -> dict[str, Any]:
    held = _stored(admin, _TASK, task, "task_properties")
    return {one["name"]: one.get("value") or None for one in held}


def _with_line(values: dict[str, Any], line: dict[str, Any], field: str) -> dict[str, Any]:
    return {**values, field: [[0, 0, line]]}


def _around(line: dict[str, Any], field: str = "task_ids") -> dict[str, Any]:
    return _with_line({"name": line["name"].replace("Line", "Around")}, line, field)


#: Ways to write a task with its project, or within another task.
_WAYS_TO_A_LINE: dict[str, Callable[[Connection, int, dict[str, Any]], Any]] = {
    "a new project": lambda odoo, project, line: create(odoo, "project.project", _around(line)),
    "a project that defines others": lambda odoo, project, line: create(
        odoo,
        "project.project",
        {**_around(line), "task_properties_definition": _DEFINED},
    ),
    "a change of the project": lambda odoo, project, line: write(
        odoo, "project.project", [project], {"task_ids": [[0, 0, line]]}
    ),
    "a task within a task": lambda odoo, project, line: create(
        odoo, _TASK, {**_around(line, "child_ids"), "project_id": project}
    ),
    "a line of a line": lambda odoo, project, line: write(
        odoo, "project.project", [project], {"task_ids": [[0, 0, _around(line, "child_ids")]]}
    ),
    "a default": lambda odoo, project, line: create(
        odoo,
        _TASK,
        {"name": line["name"], "project_id": project},
        context={"default_task_properties": line["task_properties"]},
    ),
    "a plan": lambda odoo, project, line: create(
        odoo, "project.project", _around(line), dry_run=True
    ),
    "a call of create": lambda odoo, project, line: execute(
        odoo, "project.project", "create", [[_around(line)]]
    ),
    "a call of write": lambda odoo, project, line: execute(
        odoo, "project.project", "write", [[project], {"task_ids": [[0, 0, line]]}]
    ),
    "a call of copy": lambda odoo, project, line: execute(
        odoo, _TASK, "copy", [[_task(odoo, project)], line]
    ),
}


class TestProperties:
    """What is written of properties leaves the others as they are."""

    def test_one_leaves_the_others(self, admin: Connection, project: int) -> None:
        tasks = [_task(admin, project, aa11=7, dd44=1), _task(admin, project, aa11=8)]
        write(admin, _TASK, tasks, {"task_properties": {"bb22": "eight"}})
        first, second = (_properties(admin, task) for task in tasks)
        assert (first["aa11"], first["bb22"], first["dd44"][0]) == (7, "eight", 1)
        assert (second["aa11"], second["bb22"], second["dd44"]) == (8, "eight", None)
        row = {".id": tasks[0], "task_properties": {"cc33": "y"}}
        assert write_many(admin, _TASK, [row]).updated == 1
        assert write_many(admin, _TASK, [row]).unchanged == 1
        first = _properties(admin, tasks[0])
        assert (first["aa11"], first["bb22"], first["cc33"]) == (7, "eight", "y")
        lines = [[1, tasks[0], {"task_properties": {"aa11": 9}}]]
        write(admin, "project.project", [project], {"task_ids": lines})
        first = _properties(admin, tasks[0])
        assert (first["aa11"], first["bb22"]) == (9, "eight")

    def test_an_empty_cell_empties_them(self, admin: Connection, project: int) -> None:
        task = _task(admin, project, aa11=7, bb22="eight")
        row = {".id": task, "task_properties": ""}
        assert write_many(admin, _TASK, [row]).updated == 1
        assert set(_properties(admin, task).values()) == {None}
        assert write_many(admin, _TASK, [row]).unchanged == 1

    def test_a_row_moves_to_another_parent_with_its_properties(
        self, admin: Connection, project: int, suffix: str
    ) -> None:
        defined = [{"name": "zz99", "string": "Other", "type": "char"}, _DEFINED[0]]
        values = {"name": f"Second {suffix}", "task_properties_definition": defined}
        other = create(admin, "project.project", values).id
        task = _task(admin, project, aa11=7, bb22="eight")
        row = {".id": task, "project_id": other, "task_properties": {"zz99": "m", "aa11": 7}}
        assert write_many(admin, _TASK, [row]).updated == 1
        assert _properties(admin, task) == {"zz99": "m", "aa11": 7}
        row = {".id": task, "project_id": project, "task_properties": {"zz99": "n"}}
        assert "no property 'zz99'" in str(write_many(admin, _TASK, [row]).problems[0])
        unlink(admin, _TASK, [task])
        unlink(admin, "project.project", [other])

    def test_those_of_a_call_of_write(self, admin: Connection, project: int) -> None:
        tasks = [_task(admin, project, aa11=7), _task(admin, project, aa11=8)]
        given = {"task_properties": {"bb22": "eight"}}
        execute(admin, _TASK, "write", [[tasks[0]], given])
        first = _properties(admin, tasks[0])
        assert (first["aa11"], first["bb22"]) == (7, "eight")
        with pytest.raises(ValidationError, match="have different properties"):
            execute(admin, _TASK, "write", [tasks, given])
        assert _properties(admin, tasks[1])["aa11"] == 8

    @pytest.mark.parametrize(
        ("properties", "problem"),
        [
            ({"zz99": 1}, "no property 'zz99'"),
            ({"Size": 1}, "did you mean 'aa11'"),
            ({"aa11": "seven"}, "whole number"),
            ({"cc33": "z"}, "no value 'z'"),
            # A command would have been taken for the record 6, and its name.
            ({"ee55": [[6, 0, [1]]]}, "needs the id"),
        ],
    )
    def test_what_is_not_defined_is_an_error(
        self, admin: Connection, project: int, properties: dict[str, Any], problem: str
    ) -> None:
        task = _task(admin, project, aa11=7)
        with pytest.raises(ValidationError, match=problem):
            write(admin, _TASK, [task], {"task_properties": properties})
        with pytest.raises(ValidationError, match=problem):
            _task(admin, project, **properties)
        row = {".id": task, "task_properties": properties}
        assert problem in str(write_many(admin, _TASK, [row]).problems[0])
        assert _properties(admin, task)["aa11"] == 7

    @pytest.mark.parametrize("way", _WAYS_TO_A_LINE)
    def test_unknown_ones_of_a_line_are_an_error(
        self, admin: Connection, project: int, suffix: str, way: str
    ) -> None:
        line = {"name": f"Line {suffix}", "task_properties": {"zz99": 1}}
        with pytest.raises(ValidationError, match="no property 'zz99'") as caught:
            _WAYS_TO_A_LINE[way](admin, project, line)
        assert caught.value.code == "INVALID_FIELD"
        names = [f"Line {suffix}", f"Around {suffix}"]
        for model in (_TASK, "project.project"):
            assert search_read(admin, model, [["name", "in", names]]).count == 0

    def test_those_of_a_line_that_its_parent_lacks_are_named(
        self, admin: Connection, project: int
    ) -> None:
        """A project may get its definition as it is made: only Odoo decides of it."""
        line = {"name": "Task", "task_properties": {"aa11": 1}}
        values: dict[str, Any] = {"name": "Other", "task_ids": [[0, 0, line]]}
        told = [["task_ids.task_properties"], []]
        for expected in told:
            created = create(admin, "project.project", values)
            assert [one.field for one in created.differences] == expected
            tasks = search_read(admin, _TASK, [["project_id", "=", created.id]])
            unlink(admin, _TASK, [row["id"] for row in tasks])
            unlink(admin, "project.project", [created.id])
            values["task_properties_definition"] = _DEFINED

    def test_columns_of_load_are_fields(self, admin: Connection, project: int) -> None:
        for column in ("zork", "project_id/zork", "tag_ids/zork"):
            with pytest.raises(ValidationError, match="has no field 'zork'"):
                execute(admin, _TASK, "load", [["name", column], [["Task", "1"]]])
        columns = ["name", "project_id.id", "task_properties.aa11"]
        with pytest.raises(ValidationError, match="does not accept a column for a single property"):
            execute(admin, _TASK, "load", [columns, [["Task", str(project), "7"]]])

    def test_in_conditions_and_fields(self, admin: Connection, project: int) -> None:
        _task(admin, project, aa11=7)
        domain = [["project_id", "=", project], ["task_properties.zz99", "=", 7]]
        with pytest.raises(ValidationError, match="properties"):
            search_read(admin, _TASK, domain)
        with pytest.raises(ValidationError, match="properties"):
            search_read(admin, _TASK, [], ["task_properties.zz99"])
        with pytest.raises(ValidationError, match="properties"):
            search_read(admin, _TASK, order="task_properties.zz99")
        if admin.version.major > 16:
            domain[1][0] = "task_properties.aa11"
            assert search_read(admin, _TASK, domain).count == 1

    @pytest.mark.parametrize("form", ["csv", "jsonl", "xlsx"])
    def test_an_exported_file_changes_nothing(
        self, admin: Connection, project: int, tmp_path: Path, form: str
    ) -> None:
        task = _task(admin, project, aa11=7, dd44=1)
        path = tmp_path / f"tasks.{form}"
        export(admin, _TASK, [["id", "=", task]], ["task_properties"], path, external_ids=False)
        rows: Any = path if form != "xlsx" else pd.read_excel(path)
        assert write_many(admin, _TASK, rows).unchanged == 1

    def test_a_part_of_the_definition_is_refused(self, admin: Connection, project: int) -> None:
        task = _task(admin, project, aa11=7)
        model, field = "project.project", "task_properties_definition"
        with pytest.raises(ValidationError, match="would lose bb22"):
            write(admin, model, [project], {field: _DEFINED[:1]})
        new = {"name": "ff66", "string": "New", "type": "char"}
        deleted = {**_DEFINED[1], "definition_deleted": True}
        write(admin, model, [project], {field: [_DEFINED[0], deleted, *_DEFINED[2:], new]})
        held = _properties(admin, task)
        assert (held["aa11"], "bb22" in held, "ff66" in held) == (7, False, True)

    def test_undo_gives_back_what_was_there(
        self, server: Server, admin: Connection, project: int, tmp_path: Path
    ) -> None:
        task = _task(admin, project, aa11=7, dd44=1)
        journal = tmp_path / "history.sqlite"
        with connect(**credentials(server, server.user("admin")), history=journal) as odoo:
            write(odoo, _TASK, [task], {"task_properties": {"aa11": 9, "bb22": "eight"}})
            (entry,) = history(odoo)
            undone = undo(odoo, entry=entry.id)
        held = _properties(admin, task)
        assert (held["aa11"], held["bb22"], held["dd44"][0]) == (7, None, 1)
        assert undone.not_undone == []


class TestJson:
    """A json field comes in as text from a file, and with numbers for keys."""

    def test_a_distribution_from_files_and_objects(
        self, admin: Connection, suffix: str, tmp_path: Path
    ) -> None:
        if admin.version.major < 16:
            pytest.skip("This server has no distribution by json, which came with Odoo 16.")
        # Not every administrator may read analytic accounts; the demo data has this one.
        account = 1
        (product,) = search_read(admin, "product.product", [["sale_ok", "=", True]], limit=1)
        lines = [[0, 0, {"product_id": product["id"]}]]
        partner = create(admin, "res.partner", {"name": f"P {suffix}"}).id
        order = create(admin, "sale.order", {"partner_id": partner, "order_line": lines}).id
        model, field = "sale.order.line", "analytic_distribution"
        (line,) = _stored(admin, "sale.order", order, "order_line")
        whole = {str(account): 100}
        assert write_many(admin, model, [{".id": line, field: ""}]).unchanged == 1
        path = tmp_path / "lines.csv"
        path.write_text(f'.id,{field}\n{line},"{{""{account}"": 100}}"\n')
        assert write_many(admin, model, path, dry_run=True).updated == 1
        assert write_many(admin, model, path).updated == 1
        assert _stored(admin, model, line, field) == whole
        assert write_many(admin, model, path).unchanged == 1
        export(admin, model, [["id", "=", line]], [field], path, external_ids=False)
        assert write_many(admin, model, path).unchanged == 1
        write(admin, model, [line], {field: None})
        write(admin, model, [line], {field: {account: 100}})
        assert _stored(admin, model, line, field) == whole
        bad = write_many(admin, model, [{".id": line, field: "all"}], dry_run=True)
        assert "is not JSON" in str(bad.problems[0])
        unlink(admin, "sale.order", [order])


class TestEntries:
    """Rows of one entry are sent together, however large a batch is."""

    def test_seventeen_entries_of_three_items(self, admin: Connection, suffix: str) -> None:
        (journal,) = search_read(admin, "account.journal", [["type", "=", "general"]], limit=1)
        accounts = search_read(
            admin, "account.account", [["reconcile", "=", False]], ["id"], limit=3, order="id"
        )
        first, second, third = (row["id"] for row in accounts)
        entries = create(
            admin, "account.move", [{"journal_id": journal["id"], "ref": suffix}] * 17
        ).ids
        parts = [(first, 30.0, 0.0), (second, 0.0, 10.0), (third, 0.0, 20.0)]
        rows = [
            {"move_id": entry, "account_id": account, "debit": debit, "credit": credit}
            for account, debit, credit in parts
            for entry in entries
        ]
        wrong = [{**row, "account_id": first, "debit": 99.0} for row in rows if row["debit"]][:1]
        result = create_many(admin, "account.move.line", [*rows, *wrong], batch=10)
        # One entry is not balanced: all of its rows fail, and none of another.
        assert result.created == 48, result.problems[:2]
        assert {row.values["move_id"] for row in result.failed} == {entries[0]}
        assert len(result.failed) == 4
        unlink(admin, "account.move", entries)
