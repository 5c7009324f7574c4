"""Messy tables: all that is wrong is told at once, and what others call things is mapped."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from odoo_toolkit import AccessError, Policy, ValidationError, create_many, export, upsert
from odoo_toolkit.errors import make_error
from odoo_toolkit.records import progress_bar
from odoo_toolkit.records.importing.results import ImportResult
from odoo_toolkit.testing import FakeServer
from tests.unit.fake_import import contacts

ANN = {"id": 7, "name": "Ann", "email": "ann@x.com", "ref": "A", "country_id": 20}
WRITES = ("create", "write", "load", "unlink")


def problems(result: ImportResult) -> list[tuple[Any, list[int]]]:
    return [(problem.column, problem.rows) for problem in result.problems]


class TestAllErrors:
    def test_rows_of_one_key_are_told_whatever_else_is_wrong_with_them(self) -> None:
        """The second would overwrite the first as soon as its other error is mended."""
        rows = [
            {"email": "a@x.com", "name": "A", "country_id": "Belgium"},
            {"email": "a@x.com", "name": "B", "country_id": "Nowhere"},
            {"email": "b@x.com", "name": "C", "date": "2026-02-30"},
            {"email": "b@x.com", "name": "D", "active": "perhaps"},
            {"email": "c@x.com", "name": "E"},
        ]
        server = contacts()
        result = upsert(server.connect(), "res.partner", rows, key="email")
        assert result.statuses == ["failed"] * 4 + ["created"]
        assert ("email", [1, 2]) in problems(result)
        assert ("email", [3, 4]) in problems(result)
        for name in ("country_id", "date", "active"):
            assert name in [column for column, _ in problems(result)]

    def test_ids_that_are_there_twice_are_told_whatever_else_is_wrong(self) -> None:
        rows = [
            {".id": 7, "phone": "1", "active": True},
            {".id": "7", "phone": "2", "active": "perhaps"},
        ]
        result = upsert(contacts(ANN).connect(), "res.partner", rows, key=".id")
        assert [len(row.errors) for row in result.failed] == [1, 2]

    def test_the_same_error_is_told_once_with_its_rows(self) -> None:
        rows = [{"ref": str(n), "name": "A", "country_id": "Belgim"} for n in range(60)]
        result = upsert(contacts().connect(), "res.partner", rows, key="ref")
        (problem,) = result.problems
        assert problem.rows == list(range(1, 61))
        (told,) = result.summary().problems
        assert (len(told.rows), told.row_count) == (50, 60)
        assert "60 rows: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ..., country_id:" in str(problem)

    def test_new_contacts_without_a_name_are_told_before_odoo_refuses_them(self) -> None:
        server = contacts()
        server.connect()
        server._models["res.partner"]["name"] = {
            **server._models["res.partner"]["name"],
            "required": False,
        }
        rows = [
            {"ref": "1", "name": "", "type": "contact"},
            {"ref": "2", "name": "", "type": "invoice"},
            {"ref": "3", "name": "", "type": ""},
        ]
        result = upsert(server.connect(), "res.partner", rows, key="ref", dry_run=True)
        assert result.statuses == ["failed", "created", "failed"]

    def test_keys_that_differ_in_case_only_are_warned_of(self) -> None:
        rows = [{"email": e, "name": "A"} for e in ("a@x.com", "A@x.com", "b@x.com", "b@x.com ")]
        odoo = contacts().connect()
        result = upsert(odoo, "res.partner", rows, key="email", dry_run=True)
        assert "1 and 2; 3 and 4" in result.warnings[0]
        either = upsert(
            odoo, "res.partner", rows[:2], key="email", case_sensitive=False, dry_run=True
        )
        assert len(either.failed) == 2


class TestRelations:
    @pytest.mark.parametrize(
        "row",
        [
            {"country_id": "BELGIUM"},
            {"country_id/code": "be"},
            {"category_id": "gold,SILVER"},
            {"country_id": "  belgium "},
        ],
    )
    def test_names_are_found_in_any_case_of_letters(self, row: dict[str, Any]) -> None:
        server = contacts()
        result = upsert(server.connect(), "res.partner", [{"ref": "1", "name": "A", **row}], "ref")
        assert result.created == 1
        (made,) = server.records["res.partner"]
        assert made.get("country_id", 20) == 20
        assert made.get("category_id", [1, 2]) == [1, 2]

    def test_the_case_that_is_written_comes_first(self) -> None:
        server = contacts()
        server.records["res.partner.category"].append({"id": 3, "name": "GOLD"})
        rows = [{"ref": t, "name": "A", "category_id": t} for t in ("Gold", "GOLD", "gold")]
        result = upsert(server.connect(), "res.partner", rows, key="ref")
        assert result.statuses == ["created", "created", "failed"]
        assert [c["id"] for c in result.failed[0].candidates] == [1, 3]
        made = [row["category_id"] for row in server.records["res.partner"]]
        assert made == [[1], [3]]

    def test_a_name_that_is_not_found_costs_one_request_more_for_all(self) -> None:
        server = contacts()
        rows = [{"ref": str(n), "name": "A", "country_id": f"Belgium{n}"} for n in range(300)]
        upsert(server.connect(), "res.partner", rows, key="ref", dry_run=True)
        countries = [c for c in server.sent if c.model == "res.country"]
        assert len(countries) == 2

    def test_large_models_are_not_read_as_a_whole(self) -> None:
        server = contacts({"id": 1, "name": "Zed"})
        server.records["res.partner"] += [{"id": n, "name": f"Client {n}"} for n in range(10, 2500)]
        names = ("CLIENT 100", "Zed", "zed", "Cliennt 99")
        rows = [{"ref": n, "name": "A", "parent_id": n} for n in names]
        result = upsert(server.connect(), "res.partner", rows, key="ref", dry_run=True)
        assert [row.row for row in result.failed] == [4]
        assert "Did you mean 'Client 99'" in result.failed[0].reason


class TestMissing:
    ROWS = (
        {"ref": "1", "name": "A", "category_id": "Gold,Blue"},
        {"ref": "2", "name": "B", "category_id": "blue,Red"},
        {"ref": "3", "name": "C", "category_id": "Green", "active": "perhaps"},
    )

    def test_records_of_named_models_are_created_once_and_told(self) -> None:
        server = contacts()
        odoo = server.connect()
        asked: dict[str, Any] = {"key": "ref", "create_missing": ["res.partner.category"]}
        dry = upsert(odoo, "res.partner", self.ROWS, dry_run=True, **asked)
        assert dry.related == {"res.partner.category": ["Blue", "Red"]}
        assert server.asked(*WRITES) == []
        result = upsert(odoo, "res.partner", self.ROWS, **asked)
        assert result.related == dry.related
        assert result.summary().related == dry.related
        assert "2 res.partner.category created: Blue, Red" in str(result._repr_html_())
        tags = [row["name"] for row in server.records["res.partner.category"]]
        assert tags == ["Gold", "Silver", "Blue", "Red"]  # Green is of a row that failed
        made = [row["category_id"] for row in server.records["res.partner"]]
        assert made == [[1, 3], [3, 4]]
        again = upsert(odoo, "res.partner", self.ROWS[:2], **asked)
        assert (again.unchanged, again.related) == (2, {})
        tags_made = [c for c in server.asked("create") if c.model == "res.partner.category"]
        assert len(tags_made) == 1
        assert tags_made[0].context["tracking_disable"] is True

    def test_what_looks_like_a_slip_is_warned_of(self) -> None:
        rows = [{"ref": "1", "name": "A", "category_id": "Gld"}]
        asked: dict[str, Any] = {"create_missing": ["res.partner.category"], "dry_run": True}
        result = upsert(contacts().connect(), "res.partner", rows, key="ref", **asked)
        assert result.warnings == [
            "'Gld' would be new in res.partner.category, which already has 'Gold'."
        ]

    ASKED: dict[str, Any] = {"create_missing": ["res.partner.category"], "notify": True}  # noqa: RUF012

    @pytest.mark.parametrize(
        ("policy", "dry_run"),
        [
            (Policy(mode="restricted", write_allowlist="res.partner"), False),
            (Policy(model_blocklist="res.partner.category"), True),
            (Policy(model_blocklist="res.partner.category"), False),
        ],
    )
    def test_the_policy_is_asked(self, policy: Policy, dry_run: bool) -> None:
        server = contacts()
        odoo = server.connect(policy=policy)
        with pytest.raises(AccessError):
            upsert(odoo, "res.partner", self.ROWS, key="ref", dry_run=dry_run, **self.ASKED)
        assert server.asked(*WRITES, "search_read") == []

    def test_a_plan_says_what_it_takes_to_create_them(self) -> None:
        server = contacts()
        odoo = server.connect(policy=Policy(mode="restricted", write_allowlist="res.partner"))
        plan = upsert(odoo, "res.partner", self.ROWS, key="ref", dry_run=True, **self.ASKED)
        assert "res.partner.category" in str(plan.needs)
        assert server.asked(*WRITES) == []

    def test_what_odoo_refuses_fails_the_rows_that_name_it(self) -> None:
        server = contacts()

        def create(call: Any) -> Any:
            if any(values["name"] == "Red" for values in call.arguments["vals_list"]):
                return make_error("CONSTRAINT_ERROR", "No red.", outcome="rolled_back")
            return NotImplemented

        server.answers["res.partner.category", "create"] = create
        asked: dict[str, Any] = {"create_missing": ["res.partner.category"]}
        result = upsert(server.connect(), "res.partner", self.ROWS[:2], key="ref", **asked)
        assert result.statuses == ["created", "failed"]
        assert "No red." in result.failed[0].reason
        assert result.related == {"res.partner.category": ["Blue"]}

    def test_a_lost_server_writes_no_rows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("odoo_toolkit.change_history.lost_answers.WAITS", (0.0,))
        server = contacts()
        server.lose_answer("create", applied=False)
        asked: dict[str, Any] = {"create_missing": ["res.partner.category"]}
        result = upsert(server.connect(), "res.partner", self.ROWS[:2], key="ref", **asked)
        assert result.statuses == ["remaining"] * 2
        assert "Import the same rows again" in str(result.interrupted)

    @pytest.mark.parametrize(
        "models", [["res.country.state"], ["res.partner"], ["res.partner.categry"]]
    )
    def test_models_that_no_column_names_are_told(self, models: list[str]) -> None:
        server = contacts()
        with pytest.raises(ValidationError, match=r"create_missing (lists|contains)"):
            upsert(server.connect(), "res.partner", self.ROWS, "ref", create_missing=models)
        assert server.sent == []


class TestForeignFiles:
    ROWS = (
        {"Kundennr.": "1", "Name": "A", "Land": "Belgien", "Aktiv": "ja", "Notiz": "x"},
        {"Kundennr.": "2", "Name": "B", "Land": "k.A.", "Aktiv": "", "Notiz": "y"},
    )
    COLUMNS = {  # noqa: RUF012
        "Kundennr.": "ref",
        "Name": "name",
        "Land": "country_id",
        "Aktiv": "active",
        "Notiz": None,
    }

    def test_columns_and_values_of_others_are_mapped_and_constants_added(self) -> None:
        server = contacts()
        result = upsert(
            server.connect(),
            "res.partner",
            self.ROWS,
            key="ref",
            columns=self.COLUMNS,
            values={"country_id": {"belgien": "Belgium", "k.A.": None}, "Aktiv": {"ja": True}},
            constants={"category_id": "gold", "type": "Invoice Address"},
        )
        assert result.created == 2
        rows = server.records["res.partner"]
        assert [row["country_id"] for row in rows] == [20, False]
        assert [row["category_id"] for row in rows] == [[1], [1]]
        assert {row["type"] for row in rows} == {"invoice"}
        assert rows[0]["active"] is True

    def test_parts_of_lists_are_mapped(self) -> None:
        server = contacts()
        rows = [{"ref": "1", "name": "A", "category_id": "G, S, -"}]
        values = {"category_id": {"g": "Gold", "S": 2, "-": None}}
        upsert(server.connect(), "res.partner", rows, key="ref", values=values)
        assert server.records["res.partner"][0]["category_id"] == [1, 2]

    def test_unknown_columns_say_how_to_map_them(self) -> None:
        with pytest.raises(ValidationError) as raised:
            upsert(contacts().connect(), "res.partner", self.ROWS, key="ref")
        assert "columns={'Kundennr.': 'name of a field'" in raised.value.suggestion
        assert raised.value.details["columns"]["Name"] == "name"

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ({"columns": {"Kundenr": "ref"}}, "did you mean 'Kundennr.'"),
            ({"values": {"land": {"x": "y"}}}, "values contains 'land', which is not a column"),
            ({"values": {"Land": ["x"]}}, "without texts to replace"),
            ({"constants": {"name": "B"}}, "says the same as"),
            ({"constants": {"color": "many"}}, "cannot be the constant 'many'"),
            ({"constants": {"nme": "B"}}, "did you mean name"),
        ],
    )
    def test_what_is_mapped_wrongly_is_told(self, arguments: dict[str, Any], said: str) -> None:
        asked = {"columns": self.COLUMNS, **arguments}
        if "columns" in arguments:
            asked["columns"] = {**self.COLUMNS, **arguments["columns"]}
        with pytest.raises(ValidationError) as raised:
            upsert(contacts().connect(), "res.partner", self.ROWS, key="ref", **asked)
        assert said in f"{raised.value.message} {raised.value.suggestion}"

    @pytest.mark.parametrize(
        "arguments",
        [
            {"columns": {"ref": "signup_token"}},
            {"constants": {"signup_token": "x"}},
            {"constants": {"country_id/code": "BE"}},
        ],
    )
    def test_what_is_closed_is_refused_under_any_name(self, arguments: dict[str, Any]) -> None:
        server = contacts(ANN)
        odoo = server.connect(policy=Policy(field_blocklist="code"))
        rows = [{"ref": "A", "phone": "1"}]
        with pytest.raises(AccessError):
            upsert(odoo, "res.partner", rows, key="phone", **arguments)
        assert server.asked(*WRITES, "search_read") == []


class TestDryRun:
    def test_old_and_new_values_are_told(self) -> None:
        server = contacts({**ANN, "credit_limit": 1.0})
        row = {"ref": "A", "name": "Anna", "country_id": "FRANCE", "credit_limit": 1.0}
        result = upsert(server.connect(), "res.partner", [row], key="ref", dry_run=True)
        told = [(change.field, change.before, change.after) for change in result.changes]
        assert told == [
            ("name", "Ann", "Anna"),
            ("country_id", {"id": 20, "name": "Belgium"}, "FRANCE"),
        ]
        assert [call.method for call in server.sent] == ["search_read"] * 3
        assert result.summary().changes == result.changes
        assert upsert(server.connect(), "res.partner", [row], key="ref").updated == 1


class TestOtherDatabases:
    FIELDS = ("name", "ref", "parent_id", "country_id")

    def exported(self, folder: Path) -> Path:
        eve = {"id": 42, "name": "Eve", "ref": "E", "parent_id": 7, "country_id": 20}
        path = folder / "partners.csv"
        odoo = contacts(ANN, eve).connect(database="old")
        export(odoo, "res.partner", [], self.FIELDS, path)
        return path

    def test_a_database_of_that_name_at_another_address_is_not_taken_for_another(
        self, tmp_path: Path
    ) -> None:
        path = self.exported(tmp_path)
        server = contacts({"id": 7, "name": "Ann"})
        odoo = server.connect(url="http://other.test", database="old")
        result = upsert(odoo, "res.partner", path, key="id")
        assert result.created == 0
        assert "database with this name at another address" in result.failed[0].reason

    @pytest.mark.parametrize(
        ("row", "key"),
        [
            ({"ref": "1", "name": "A", "country_id/id": "20"}, "ref"),
            ({"ref": "1", "name": "A", "category_id/id": "1,2"}, "ref"),
            ({"ref": "1", "name": "A", "category_id/id": [1]}, "ref"),
        ],
    )
    def test_numbers_are_no_external_ids(self, row: dict[str, Any], key: str) -> None:
        (failed,) = upsert(contacts().connect(), "res.partner", [row], key=key).failed
        assert "looks like a database id" in failed.reason
        assert "/.id" in failed.reason

    def test_numbers_beside_external_ids_are_not_taken(self) -> None:
        """Files that were exported before this was so."""
        server = contacts(ANN)
        rows = [{"id": "7", "phone": "1"}, {"id": "x.b", "name": "B"}]
        result = upsert(server.connect(), "res.partner", rows, key="id", dry_run=True)
        assert result.statuses == ["failed", "created"]

    def test_floats_in_files_are_not_taken_for_thousands(self, tmp_path: Path) -> None:
        path = tmp_path / "a.csv"
        server = contacts({**ANN, "credit_limit": 1.234})
        odoo = server.connect()
        export(odoo, "res.partner", [], ["credit_limit"], path)
        assert upsert(odoo, "res.partner", path, key="id").unchanged == 1


class TestProgress:
    ROWS = [{"name": str(n)} for n in range(120)]  # noqa: RUF012

    def test_it_is_shown_to_who_sits_there(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(progress_bar, "_has_tqdm", lambda: False)
        create_many(contacts().connect(), "res.partner", self.ROWS)
        assert capsys.readouterr().err == ""
        for where in ("terminal", "notebook"):
            if where == "terminal":
                monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
            else:
                monkeypatch.undo()
                monkeypatch.setattr(progress_bar, "_has_tqdm", lambda: False)
                kernel = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=1))
                monkeypatch.setitem(sys.modules, "IPython", kernel)
            create_many(contacts().connect(), "res.partner", self.ROWS)
            assert "res.partner: 120 of 120" in capsys.readouterr().err
        create_many(contacts().connect(), "res.partner", self.ROWS, progress=False)
        create_many(contacts().connect(), "res.partner", self.ROWS[:9])
        assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("failed", "told"), [(20, ""), (21, "and 1 more problems")])
def test_problems_that_are_not_shown_are_counted(failed: int, told: str) -> None:
    rows = [{"ref": str(n), "name": "A", "country_id": f"{n} Georgia"} for n in range(failed)]
    server: FakeServer = contacts()
    result = upsert(server.connect(), "res.partner", rows, key="ref")
    assert "".join(re.findall(r"and \d+ more problems", result._repr_html_())) == told


def test_what_odoo_stores_otherwise_is_told() -> None:
    server = contacts(ANN)
    rows = [{"ref": "A", "phone": "1"}, *({"ref": f"{n}", "name": "N"} for n in range(1500))]

    def write(call: Any) -> Any:
        (row,) = (row for row in server.records["res.partner"] if row["id"] in call.ids)
        row["phone"] = False
        return True

    server.answers["res.partner", "write"] = write
    odoo = server.connect()
    result = upsert(odoo, "res.partner", rows, key="ref")
    (found,) = result.differences
    assert (found.field, found.became, found.ids) == ("phone", "dropped", [7])
    assert any("phone" in warning for warning in result.warnings)
    reads = [c for c in server.sent if c.method in ("read", "search_read")]
    # To find the records, to look at those that there were, and to compare all.
    assert len(reads) == 2 + 3 + 2
    (again,) = upsert(odoo, "res.partner", rows, key="ref").differences
    assert (again.field, again.ids) == ("phone", [7])


def test_a_key_with_blanks_around_it_that_no_record_has_is_told() -> None:
    """It makes a second record, which looks like the first one."""
    server = contacts({"id": 7, "name": "Old", "ref": "A"}, {"id": 8, "name": "So", "ref": "B "})
    refs = ("A\n", "B ", "\u00a0C", "D")
    rows = [{"ref": ref, "name": "N"} for ref in refs]
    plan = upsert(server.connect(), "res.partner", rows, key="ref", dry_run=True)
    assert plan.created == 3
    assert [text for text in plan.warnings if "in rows 1, 3, and no record" in text]
