"""Importing files and tables: how they are written is asked for, and what failed goes to a file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import ValidationError, create_many, read_csv, upsert
from tests.unit.fake_import import contacts


def file(folder: Path, content: str, encoding: str = "utf-8") -> Path:
    path = folder / "rows.csv"
    path.write_bytes(content.encode(encoding))
    return path


class TestReadCsv:
    def test_a_plain_file_needs_no_words(self, tmp_path: Path) -> None:
        path = file(tmp_path, "\ufeffref,name,credit_limit,date\n1,Zoë,1.5,2026-01-31\n\n")
        server = contacts()
        assert upsert(server.connect(), "res.partner", path, key="ref").created == 1
        (row,) = server.records["res.partner"]
        assert (row["name"], row["credit_limit"], row["date"]) == ("Zoë", 1.5, "2026-01-31")

    @pytest.mark.parametrize(
        ("content", "encoding"),
        [
            ("ref;name;credit_limit;\n1;Zoë;1,5;\n", "utf-8-sig"),
            ("ref\tname\tcredit_limit\n1\tZoë\t1,5\n", "utf-16"),
            ('ref|name|credit_limit\n1|"Zoë"|1.5\n', "utf-8"),
            ('"ref";"name, full";"credit_limit"\n"1";"Zoë";"€ 1.50"\n', "utf-8"),
        ],
    )
    def test_what_separates_the_cells_is_found_out(
        self, tmp_path: Path, content: str, encoding: str
    ) -> None:
        server = contacts()
        result = upsert(
            server.connect(),
            "res.partner",
            file(tmp_path, content, encoding),
            key="ref",
            columns={"name, full": "name"} if "full" in content else {},
        )
        assert result.created == 1
        (row,) = server.records["res.partner"]
        assert (row["name"], row["credit_limit"]) == ("Zoë", 1.5)

    def test_another_form_is_told(self, tmp_path: Path) -> None:
        content = "ref;name;credit_limit;date;seen\n1;Zoë;1.234,50;31/01/2026;31/01/2026 8h05\n"
        rows = read_csv(
            file(tmp_path, content, "cp1252"),
            encoding="cp1252",
            separator=";",
            decimal=",",
            thousands=".",
            date_format="%d/%m/%Y",
            datetime_format="%d/%m/%Y %Hh%M",
        )
        server = contacts()
        assert upsert(server.connect(), "res.partner", rows, key="ref").created == 1
        (row,) = server.records["res.partner"]
        assert (row["name"], row["credit_limit"]) == ("Zoë", 1234.5)
        assert (row["date"], row["seen"]) == ("2026-01-31", "2026-01-31 08:05:00")

    @pytest.mark.parametrize(
        ("content", "encoding", "arguments", "said"),
        [
            ("name\nZoë", "cp1252", {}, "encoding='cp1252'"),
            ("name\nZoe", "utf-16", {"encoding": "utf-8"}, "encoding='utf-16'"),
            ("name\nZoe", "utf-8", {"encoding": "uft8"}, "no encoding 'uft8'"),
            ("ref;name\n1;A", "utf-8", {"separator": ","}, "separator=';'"),
            ("ref,name\n1,A", "utf-8", {"separator": ";"}, "separator=',', or omit it"),
            ("ref,name\n1,A,B\n2,B\n3", "utf-8", {}, "row 1 has 3, row 3 has 1"),
            ("a,b;c\n1,2;3\n", "utf-8", {}, "is ambiguous: ',' or ';'"),
            ("ref,ref\n1,A", "utf-8", {}, "'ref' is repeated"),
            ("ref,\n1,A", "utf-8", {}, "a name is missing"),
            ("ref,,name\n1,,A\n2,x,B", "utf-8", {}, "a name is missing"),
            ('ref,name\n1,"A', "utf-8", {}, "Check the quotes"),
            ("", "utf-8", {}, "no rows"),
            ("ref,name\n", "utf-8", {}, "no rows"),
            ("a,b\n1,2", "utf-8", {"decimal": "."} | {"thousands": "."}, "separator must be"),
        ],
    )
    def test_what_is_written_otherwise_says_which_argument_to_give(
        self, tmp_path: Path, content: str, encoding: str, arguments: Any, said: str
    ) -> None:
        with pytest.raises(ValidationError) as raised:
            read_csv(file(tmp_path, content, encoding), **arguments)
        assert said in f"{raised.value.message} {raised.value.suggestion}"

    def test_a_word_among_numbers_fails_its_row_alone(self, tmp_path: Path) -> None:
        path = file(tmp_path, "ref,name,color\n1,A,three\n2,B,3\n")
        result = upsert(contacts().connect(), "res.partner", path, key="ref")
        assert result.statuses == ["failed", "created"]

    def test_json_lines(self, tmp_path: Path) -> None:
        path = tmp_path / "rows.jsonl"
        path.write_text('{"ref": "1", "name": "A", "category_id": ["Gold"]}\n', encoding="utf-8")
        server = contacts()
        assert upsert(server.connect(), "res.partner", path, key="ref").created == 1
        assert server.records["res.partner"][0]["category_id"] == [1]

    def test_a_workbook_is_no_csv(self, tmp_path: Path) -> None:
        with pytest.raises(ValidationError, match="is not a CSV file"):
            upsert(contacts().connect(), "res.partner", tmp_path / "rows.xlsx", key="ref")


class Frame:
    """A DataFrame, as far as an import looks at it."""

    def __init__(self, records: list[dict[str, Any]], columns: list[str] | None = None) -> None:
        self._records = records
        self.columns = columns or list(records[0])

    def to_dict(self, orient: str) -> list[dict[str, Any]]:
        assert orient == "records"
        return self._records


class TestFrames:
    def test_gaps_of_tables_are_empty_cells(self) -> None:
        server = contacts({"id": 1, "name": "A", "ref": "1", "color": 5, "phone": "1"})
        frame = Frame([{"ref": "1", "color": math.nan, "phone": math.nan, "country_id": math.nan}])
        upsert(server.connect(), "res.partner", frame, key="ref")
        (row,) = server.records["res.partner"]
        assert (row["color"], row["phone"]) == (False, False)

    def test_columns_of_one_name(self) -> None:
        with pytest.raises(ValidationError, match="same name"):
            create_many(contacts().connect(), "res.partner", Frame([{"name": "A"}], ["a", "a"]))

    @pytest.mark.parametrize("rows", [[], {"name": "A"}, 5, None, ["A"], [{1: "A"}]])
    def test_what_is_no_table(self, rows: Any) -> None:
        with pytest.raises(ValidationError):
            create_many(contacts().connect(), "res.partner", rows)


class TestFailedRows:
    def test_no_file_where_nothing_failed(self, tmp_path: Path) -> None:
        result = create_many(contacts().connect(), "res.partner", [{"name": "A"}])
        assert result.write_failed(tmp_path / "failed.csv") == 0
        assert list(tmp_path.iterdir()) == []

    def test_the_summary_tells_the_created_from_the_updated(self) -> None:
        """Up to fifty of each, and it says how many there are."""
        odoo = contacts().connect()
        rows: list[dict[str, Any]] = [{"ref": f"old {n}", "name": "A"} for n in range(3)]
        first = upsert(odoo, "res.partner", rows, key="ref").summary()
        assert (first.created, first.created_ids) == (3, [])
        both = [{**row, "name": "B"} for row in rows]
        both += [{"ref": f"new {n}", "name": "C"} for n in range(60)]
        told = upsert(odoo, "res.partner", both, key="ref").summary()
        assert (told.updated_ids, told.ids) == (first.ids, [])
        assert len({*told.created_ids} - {*told.updated_ids}) == 50
        assert told.message == "the first 50 of 60 rows created are listed"

    def test_the_summary_is_short_whatever_failed(self) -> None:
        rows = [{"ref": str(n), "name": "A", "country_id": "Georgia" * 90} for n in range(200)]
        result = upsert(contacts().connect(), "res.partner", rows, key="ref")
        assert len(str(result.summary())) < 4000
        assert result.summary().failed == 200
        assert "200 rows of res.partner: 0 created" in str(result._repr_html_())
