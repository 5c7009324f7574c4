"""Importing rows: what is found, created, changed, left alone and refused; in how many calls."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from odoo_toolkit import (
    AccessError,
    NotFoundError,
    Odoo,
    Policy,
    ValidationError,
    create_many,
    upsert,
    write_many,
)
from odoo_toolkit.call import Call
from odoo_toolkit.display.results import as_text
from odoo_toolkit.errors import make_error
from odoo_toolkit.records.importing import sending
from odoo_toolkit.testing import FakeServer
from tests.unit.fake_import import contacts
from tests.unit.table_values import NAT, Scalar

ANN = {"id": 7, "name": "Ann", "email": "ann@x.com", "ref": "A", "country_id": 20}
BEN = {"id": 8, "name": "Ben", "email": "ben@x.com", "ref": "B"}
WRITES = ("create", "write", "load", "unlink", "web_save_multi")


def writes(server: FakeServer) -> list[str]:
    """Return the methods that wrote."""
    return [call.method for call in server.sent if call.method in WRITES]


def created_at_once(server: FakeServer) -> list[int]:
    """Return how many records each creation was of."""
    return [len(call.arguments["vals_list"]) for call in server.asked("create")]


class TestUpsert:
    def test_what_there_is_not_is_created_and_what_there_is_is_changed(self) -> None:
        server = contacts(ANN, BEN)
        rows = [
            {"email": "ann@x.com", "name": "Anna"},
            {"email": "cid@x.com", "name": "Cid"},
            {"email": "ben@x.com", "name": "Ben"},
        ]
        result = upsert(server.connect(), "res.partner", rows, key="email")

        assert (result.created, result.updated, result.unchanged) == (1, 1, 1)
        assert result.statuses == ["updated", "created", "unchanged"]
        assert result.ids == [7, 9, 8]
        assert result.ok
        names = [row["name"] for row in server.records["res.partner"]]
        assert names == ["Anna", "Ben", "Cid"]

    def test_twice_changes_nothing(self) -> None:
        server = contacts(ANN)
        rows = [
            {
                "email": f"{name}@x.com",
                "name": name,
                "country_id/code": "BE",
                "category_id": "Gold,Silver",
                "type": "Invoice Address",
                "credit_limit": 1.239,
                "date": datetime.date(2026, 1, 2),
                "seen": "2026-01-02T03:04:05+01:00",
                "color": "",
                "active": True,
            }
            for name in ("ann", "cid", "dan")
        ]
        odoo = server.connect()
        first = upsert(odoo, "res.partner", rows, key="email")
        for row in server.records["res.partner"]:
            row["credit_limit"] = 1.24  # Odoo keeps two decimals
        before = [dict(row) for row in server.records["res.partner"]]
        server.sent.clear()
        second = upsert(odoo, "res.partner", rows, key="email")

        assert (first.created, first.updated) == (2, 1)
        assert (second.created, second.updated, second.unchanged) == (0, 0, 3)
        assert writes(server) == []
        assert server.records["res.partner"] == before
        assert before[1]["country_id"] == 20
        assert before[1]["category_id"] == [1, 2]
        assert before[1]["type"] == "invoice"
        assert before[1]["seen"] == "2026-01-02 02:04:05"

    def test_round_trips_do_not_grow_with_the_rows(self) -> None:
        server = contacts()
        odoo = server.connect()
        rows = [
            {
                "email": f"{n}@x.com",
                "name": str(n),
                "country_id": "Belgium",
                "category_id": ["Gold"],
            }
            for n in range(400)
        ]
        result = upsert(odoo, "res.partner", rows, key="email")

        assert result.created == 400
        asked = [(call.model, call.method) for call in server.sent]
        assert asked == [
            ("res.country", "search_read"),
            ("res.partner.category", "search_read"),
            ("res.partner", "search_read"),
            *[("res.partner", "create")] * 3,
            ("res.partner", "read"),
        ]

    @pytest.mark.parametrize("dry_run", [True, False])
    def test_ids_of_relations_that_are_not_there_fail_their_rows(self, dry_run: bool) -> None:
        server = contacts({"id": 7, "name": "Old", "active": False})
        rows = [
            {"ref": "a", "name": "a", "parent_id": 99_999_999, "category_id": [1]},
            {"ref": "b", "name": "b", "parent_id": 7, "category_id": [1, 2, 99]},
            {"ref": "c", "name": "c", "parent_id": {"id": 7}, "category_id": "Gold"},
        ]
        server.sent.clear()
        result = upsert(server.connect(), "res.partner", rows, key="ref", dry_run=dry_run)
        assert [row.reason for row in result.failed] == [
            "There is no res.partner with the id 99999999.",
            "There is no res.partner.category with the id 99.",
        ]
        assert [row.code for row in result.failed] == ["NOT_FOUND"] * 2
        assert result.statuses[2] == "created"
        reads = [call.model for call in server.sent if call.method in ("search", "read")]
        read_back = ["res.partner"] * (not dry_run)
        assert sorted(reads) == read_back + ["res.partner"] * 2 + ["res.partner.category"] * 2

    def test_ids_of_records_that_this_user_cannot_see_are_left_to_odoo(self) -> None:
        server = contacts()
        refused = make_error("ACCESS_DENIED", "Not for you.")
        server.answers["res.country", "search"] = []
        server.answers["res.country", "read"] = lambda call: refused if 20 in call.ids else []
        rows = [{"ref": str(n), "name": "A", "country_id": n} for n in (20, 21)]
        result = upsert(server.connect(), "res.partner", rows, key="ref", dry_run=True)
        assert result.statuses == ["created", "failed"]

    def test_no_email_and_no_log_unless_asked(self) -> None:
        server = contacts(ANN)
        rows = [{"email": "ann@x.com", "name": "A"}, {"email": "b@x.com", "name": "B"}]
        upsert(server.connect(), "res.partner", rows, key="email")
        for call in server.asked("create", "write"):
            assert call.context["tracking_disable"] is True
            assert call.context["mail_auto_subscribe_no_notify"] is True

        server = contacts(ANN)
        upsert(server.connect(), "res.partner", rows, key="email", notify=True)
        assert [set(call.context) for call in server.asked("create", "write")] == [
            {"lang", "tz"}
        ] * 2

    def test_dry_run_says_the_same_and_writes_nothing(self) -> None:
        server = contacts(ANN)
        rows = [
            {"email": "ann@x.com", "name": "Anna"},
            {"email": "cid@x.com", "name": "Cid"},
            {"email": "dan@x.com", "name": ""},
        ]
        result = upsert(server.connect(), "res.partner", rows, key="email", dry_run=True)

        assert result.dry_run
        assert (result.created, result.updated, len(result.failed)) == (1, 1, 1)
        assert result.failed[0].column == "name"
        assert writes(server) == []

    def test_archived_records_are_found(self) -> None:
        server = contacts({**ANN, "active": False})
        rows = [{"email": "ann@x.com", "name": "Anna"}]
        assert upsert(server.connect(), "res.partner", rows, key="email").ids == [7]

    def test_either_case_where_asked(self) -> None:
        server = contacts({**ANN, "email": "aNn@X.com"})
        odoo = server.connect()
        rows = [{"email": "ANN@x.COM", "name": "Anna"}]
        exact = upsert(odoo, "res.partner", rows, key="email", dry_run=True)
        either = upsert(odoo, "res.partner", rows, key="email", case_sensitive=False)

        assert exact.created == 1
        assert either.ids == [7]
        assert server.records["res.partner"][0]["email"] == "aNn@X.com"

    def test_wildcards_in_a_key_are_no_wildcards(self) -> None:
        server = contacts({**ANN, "ref": "a_b"}, {**BEN, "ref": "aXb"})
        rows = [{"ref": "A_B", "phone": "1"}]
        result = upsert(server.connect(), "res.partner", rows, key="ref", case_sensitive=False)
        assert result.ids == [7]

    def test_several_fields_as_key(self) -> None:
        server = contacts(ANN, {**BEN, "ref": "A", "country_id": 75})
        rows = [
            {"ref": "A", "country_id/code": "FR", "phone": "1"},
            {"ref": "A", "country_id/code": "", "phone": "2", "name": "New"},
        ]
        result = upsert(server.connect(), "res.partner", rows, key=["ref", "country_id"])
        assert (result.ids, result.created) == ([8, 9], 1)

    def test_empty_cells_empty_the_field_or_leave_it_alone(self) -> None:
        for empty, ref in (("clear", False), ("ignore", "A")):
            server = contacts(ANN)
            rows = [{"email": "ann@x.com", "ref": "", "phone": "1"}]
            upsert(server.connect(), "res.partner", rows, key="email", empty=empty)
            assert server.records["res.partner"][0]["ref"] == ref


class TestBadRows:
    def test_a_key_that_is_not_unique_in_the_database_fails_its_row(self) -> None:
        server = contacts(ANN, {**BEN, "email": "ann@x.com"})
        rows = [{"email": "ann@x.com", "name": "X"}, {"email": "new@x.com", "name": "Y"}]
        result = upsert(server.connect(), "res.partner", rows, key="email")

        assert result.statuses == ["failed", "created"]
        assert "2 records of res.partner have this key (ids 7, 8)" in result.failed[0].reason
        assert [row["name"] for row in server.records["res.partner"]] == ["Ann", "Ben", "Y"]

    def test_a_key_that_is_twice_in_the_rows_fails_both(self) -> None:
        server = contacts(ANN)
        rows = [{"email": e, "name": e} for e in ("ann@x.com", "b@x.com", "ann@x.com")]
        result = upsert(server.connect(), "res.partner", rows, key="email")

        assert result.statuses == ["failed", "created", "failed"]
        assert "rows 1, 3 have the same key" in result.failed[0].reason

    def test_an_empty_key_fails_its_row(self) -> None:
        server = contacts({**BEN, "email": False})
        rows: list[dict[str, Any]] = [{"email": "", "name": "X"}, {"name": "Y"}]
        result = upsert(server.connect(), "res.partner", rows, key="email")
        assert [row.reason for row in result.failed] == ["The key is empty."] * 2
        assert writes(server) == []

    def test_a_name_that_means_several_fails_with_the_candidates(self) -> None:
        server = contacts()
        rows = [{"ref": "1", "name": "A", "country_id": "Georgia"}]
        (failed,) = upsert(server.connect(), "res.partner", rows, key="ref").failed

        assert (failed.row, failed.column) == (1, "country_id")
        assert [match["id"] for match in failed.candidates] == [81, 82]

    def test_a_name_that_means_nothing_fails(self) -> None:
        server = contacts()
        rows = [{"ref": "1", "name": "A", "country_id": "Belgiu", "category_id": "Gold"}]
        (failed,) = upsert(server.connect(), "res.partner", rows, key="ref").failed
        assert "no res.country named 'Belgiu'" in failed.reason
        assert failed.code == "NOT_FOUND"

    def test_batches_grow_while_odoo_is_quick(self) -> None:
        server = contacts()
        rows = [{"ref": str(n)} for n in range(3000)]
        assert upsert(server.connect(), "res.partner", rows, key="ref").created == 3000
        assert created_at_once(server) == [50, 200, 800, 1000, 950]

    def test_batches_are_no_larger_than_asked(self) -> None:
        server = contacts()
        rows = [{"ref": str(n)} for n in range(200)]
        upsert(server.connect(), "res.partner", rows, key="ref", batch=80)
        assert created_at_once(server) == [50, 80, 70]

    def test_batches_take_a_slow_server_three_seconds(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A row takes 40 ms at first, and then 200 ms."""
        server = contacts()
        clock = [0.0]

        def slowly(call: Call) -> Any:
            slow = len(server.records["res.partner"]) >= 50
            clock[0] += len(call.arguments["vals_list"]) * (0.2 if slow else 0.04)
            return NotImplemented

        server.answers["res.partner", "create"] = slowly
        monkeypatch.setattr(sending, "time", SimpleNamespace(monotonic=lambda: clock[0]))
        rows = [{"ref": str(n)} for n in range(140)]
        assert upsert(server.connect(), "res.partner", rows, key="ref").created == 140
        assert created_at_once(server) == [50, 50, 15, 15, 10]

    def test_an_empty_row_makes_nothing(self) -> None:
        server = contacts()
        result = create_many(server.connect(), "res.partner", [{"name": ""}, {"name": "A"}])
        assert result.statuses == ["failed", "created"]

    def test_without_the_right_no_bad_row_is_looked_for(self) -> None:
        denied = make_error("ACCESS_DENIED", "You may not create.", outcome="refused")
        server = contacts(create=denied, has_access=False)
        rows = [{"ref": str(n), "name": "x"} for n in range(50)]
        result = upsert(server.connect(), "res.partner", rows, key="ref")
        assert len(result.failed) == 50
        assert len(server.asked("create")) == 1

    @pytest.mark.parametrize(
        ("value", "column"),
        [
            ({"color": "many"}, "color"),
            ({"type": "boss"}, "type"),
            ({"date": "31/02/2026"}, "date"),
            ({"credit_limit": math.nan}, "credit_limit"),
            ({"active": "perhaps"}, "active"),
            ({"country_id/id": "be"}, "country_id/id"),
            ({"phone": 5}, "phone"),
        ],
    )
    def test_a_wrong_value_fails_its_row_alone(self, value: dict[str, Any], column: str) -> None:
        server = contacts()
        rows = [{"ref": "1", "name": "A", **value}, {"ref": "2", "name": "B"}]
        result = upsert(server.connect(), "res.partner", rows, key="ref")
        assert result.statuses == ["failed", "created"]
        assert result.failed[0].column == column


class TestColumns:
    @pytest.mark.parametrize(
        ("column", "said"),
        [
            ("emial", "did you mean email"),
            ("country_id/cod", "did you mean code"),
            ("child_ids", "Import them into res.partner, with a column parent_id"),
            ("email/x", "not a relation"),
            ("country_id/x/y", "goes on too far"),
            ("total", "These fields of res.partner are read-only: total"),
            ("create_date", "Odoo sets"),
            ("id", "is not the key"),
        ],
    )
    def test_a_wrong_column_stops_all_before_anything_is_asked(
        self, column: str, said: str
    ) -> None:
        server = contacts(ANN)
        rows = [{"ref": "A", "phone": "1", column: "1"}]
        with pytest.raises(ValidationError) as raised:
            upsert(server.connect(), "res.partner", rows, key="ref")
        assert said in f"{raised.value.message} {raised.value.suggestion}"
        assert server.sent == []

    @pytest.mark.parametrize(
        ("key", "said"),
        [
            ("email", "no column 'email'"),
            ("credit_limit", "cannot be the key"),
            ("category_id", "cannot be the key"),
            ([], "key is empty"),
            ({"ref": "x"}, "must be the name of a field"),
            (5, "must be the name of a field"),
        ],
    )
    def test_a_wrong_key(self, key: Any, said: str) -> None:
        server = contacts()
        rows = [{"ref": "A", "credit_limit": 1.0, "category_id": "Gold"}]
        with pytest.raises(ValidationError, match=said):
            upsert(server.connect(), "res.partner", rows, key=key)
        assert server.sent == []

    def test_readonly_fields_where_insisted(self) -> None:
        server = contacts(ANN)
        context = {"allow_readonly": True}
        rows = [{"ref": "A", "total": 5.0}]
        upsert(server.connect(), "res.partner", rows, key="ref", context=context)
        assert server.records["res.partner"][0]["total"] == 5.0
        assert "allow_readonly" not in server.asked("write")[0].context


class TestExternalIds:
    ROWS = (
        {"id": "__import__.eve", "name": "Eve", "country_id/id": "base.be", "active": True},
        {"id": "__import__.fay", "name": "Fay", "country_id/id": "", "active": True},
    )

    def test_records_are_made_under_them_and_found_again(self) -> None:
        server = contacts(ANN)
        odoo = server.connect()
        first = upsert(odoo, "res.partner", self.ROWS, key="id")
        again = upsert(odoo, "res.partner", self.ROWS, key="id")

        assert (first.created, first.ids) == (2, [8, 9])
        assert (again.unchanged, again.ids) == (2, [8, 9])
        (load,) = server.asked("load")
        assert load.arguments["data"][0] == ["__import__.eve", "Eve", "20", "1"]

    def test_one_of_another_model_is_never_taken_over(self) -> None:
        server = contacts()
        rows = [{"id": "base.main", "name": "X"}, {"id": "base.be", "name": "Y"}]
        result = upsert(server.connect(), "res.partner", rows, key="id")
        assert [row.reason for row in result.failed] == [
            "The external id base.main belongs to a record of another model.",
            "The external id base.be belongs to a record of another model.",
        ]
        assert writes(server) == []

    def test_users_who_may_not_read_the_list_ask_for_each(self) -> None:
        server = contacts(ANN)
        server.answers["ir.model.data", "search_read"] = make_error("ACCESS_DENIED", "No.")

        def look(call: Any) -> Any:
            if call.arguments["xml_id"] == "ann":
                return ["res.partner", 7]
            return make_error("VALUE_ERROR", "External ID not found in the system: x.y")

        server.answers["ir.model.data", "check_object_reference"] = look
        rows = [{"id": "x.ann", "phone": "1"}, {"id": "__import__.new", "name": "N", "phone": "2"}]
        result = upsert(server.connect(), "res.partner", rows, key="id")
        assert result.statuses == ["updated", "created"]

    def test_what_load_would_read_otherwise_is_not_given_to_it(self) -> None:
        server = contacts()
        server.connect()
        rows = [{"id": "x.a", "name": "A", "category_id": [[4, 1, 0]]}]
        (failed,) = upsert(server.connect(), "res.partner", rows, key="id").failed
        assert failed.column == "category_id"
        assert writes(server) == []

    def test_a_company_that_is_refused_fails_its_row_alone(self) -> None:
        server = contacts(ANN, {"id": 99, "name": "Refused"})
        refused = make_error("USER_ERROR", "Not this one.", outcome="rolled_back")

        def saved(call: Call) -> Any:
            parents = [values["parent_id"] for values in call.arguments["vals_list"]]
            return refused if 99 in parents else NotImplemented

        def written(call: Call) -> Any:
            return refused if call.arguments["vals"]["parent_id"] == 99 else NotImplemented

        server.answers["res.partner", "web_save_multi"] = saved
        server.answers["res.partner", "write"] = written
        rows = [
            {"id": f"x.a{n}", "name": "A", "parent_id": {"id": parent}}
            for n, parent in enumerate([7, 99, 7])
        ]
        told: list[tuple[int, int]] = []
        result = upsert(
            server.connect(),
            "res.partner",
            rows,
            key="id",
            progress=lambda *numbers: told.append(numbers),
        )
        assert result.statuses == ["created", "failed", "created"]
        (failed,) = result.failed
        assert failed.reason == "The record was created, but without its parent_id: Not this one."
        assert failed.column == "parent_id"
        assert told == [(3, 3)]
        parents = [row.get("parent_id") for row in server.records["res.partner"]]
        assert parents == [None, None, 7, None, 7]

    @pytest.mark.parametrize("applied", [True, False])
    def test_a_company_whose_answer_is_lost_is_looked_for(
        self, applied: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Where it is not seen the rows are in doubt; doing it again finds them and finishes."""
        monkeypatch.setattr("odoo_toolkit.change_history.lost_answers.WAITS", (0.0,))
        server = contacts(ANN)
        server.lose_answer("web_save_multi", applied=applied)
        rows = [{"id": f"x.a{n}", "name": "A", "parent_id": {"id": 7}} for n in range(2)]
        odoo = server.connect()
        result = upsert(odoo, "res.partner", rows, key="id")
        assert result.statuses == ["created" if applied else "unconfirmed"] * 2
        again = upsert(odoo, "res.partner", rows, key="id")
        assert again.statuses == ["unchanged" if applied else "updated"] * 2
        assert [row.get("parent_id") for row in server.records["res.partner"]] == [None, 7, 7]

    def test_database_ids_find_but_never_make(self) -> None:
        server = contacts(ANN)
        rows = [{".id": "7", "phone": "1"}, {".id": 99, "phone": "2"}]
        result = upsert(server.connect(), "res.partner", rows, key=".id")
        assert result.statuses == ["updated", "failed"]
        assert result.failed[0].code == "NOT_FOUND"

    def test_two_names_of_one_record_fail_both(self) -> None:
        server = contacts(ANN)
        for name in ("a", "b"):
            row = {"module": "x", "name": name, "model": "res.partner", "res_id": 7}
            server.records["ir.model.data"].append({"id": ord(name), **row})
        rows = [{"id": "x.a", "phone": "1"}, {"id": "x.b", "phone": "2"}]
        result = upsert(server.connect(), "res.partner", rows, key="id")
        assert "rows 1, 2 are about the same record" in result.failed[0].reason
        assert writes(server) == []


class TestLostServer:
    def rows(self) -> list[dict[str, Any]]:
        return [{"ref": str(n), "name": f"n{n}"} for n in range(6)]

    def test_a_lost_answer_is_looked_for(self) -> None:
        server = contacts()
        server.lose_answer("create")
        result = upsert(server.connect(), "res.partner", self.rows(), key="ref")
        assert (result.created, result.interrupted) == (6, None)
        assert result.warnings == [
            "The response was lost, but Odoo shows that the request succeeded."
        ]
        assert len(server.records["res.partner"]) == 6

    def test_what_was_done_is_told_and_doing_it_again_is_safe(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("odoo_toolkit.change_history.lost_answers.WAITS", (0.0,))
        server = contacts()
        odoo = server.connect()
        answers = iter(
            [NotImplemented, make_error("CONNECTION_ERROR", "Gone.", outcome="maybe_applied")]
        )
        server.answers["res.partner", "create"] = lambda call: next(answers)
        result = upsert(odoo, "res.partner", self.rows(), key="ref", batch=2)

        assert result.statuses == ["created"] * 2 + ["unconfirmed"] * 2 + ["remaining"] * 2
        assert (result.unconfirmed, result.remaining) == ([3, 4], [5, 6])
        assert "Gone." in str(result.interrupted)
        assert not result.ok
        del server.answers["res.partner", "create"]
        again = upsert(odoo, "res.partner", self.rows(), key="ref")
        assert (again.created, again.unchanged) == (4, 2)
        assert len(server.records["res.partner"]) == 6

    @pytest.mark.parametrize(
        "said",
        [
            "could not serialize access due to concurrent update",
            'duplicate key value violates unique constraint "ir_model_data_module_name_uniq_index"',
        ],
    )
    def test_a_row_that_another_importer_writes_is_to_be_imported_again(self, said: str) -> None:
        server = contacts()
        refused = {"type": "error", "record": 0, "message": said}
        loads = server.answers["res.partner", "load"]
        server.answers["res.partner", "load"] = {"ids": False, "messages": [refused]}
        rows = [{"id": "__import__.eve", "name": "Eve"}]
        (failed,) = upsert(server.connect(), "res.partner", rows, key="id").failed
        assert "Another process wrote" in failed.reason
        assert "Import it again" in failed.reason
        server.answers["res.partner", "load"] = loads
        assert upsert(server.connect(), "res.partner", rows, key="id").created == 1

    def test_a_lost_load_is_looked_for_by_the_external_ids(self) -> None:
        server = contacts()
        server.lose_answer("load")
        rows = [{"id": f"x.a{n}", "name": "A"} for n in range(3)]
        result = upsert(server.connect(), "res.partner", rows, key="id")
        assert (result.created, result.ids) == (3, [1, 2, 3])


class TestManyOfOneKind:
    def test_create_many_leaves_empty_cells_to_odoo(self) -> None:
        server = contacts()
        rows = [{"name": "A", "country_id": "Belgium", "phone": None}, {"name": "B", "phone": "1"}]
        result = create_many(server.connect(), "res.partner", rows)
        assert result.ids == [1, 2]
        (create,) = server.asked("create")
        assert create.arguments["vals_list"] == [
            {"name": "A", "country_id": 20},
            {"name": "B", "phone": "1"},
        ]

    def test_write_many_writes_what_differs(self) -> None:
        server = contacts(ANN, BEN)
        rows = [{"id": 7, "name": "Ann"}, {"id": 8, "name": "Benno"}, {"id": 99, "name": "X"}]
        result = write_many(server.connect(), "res.partner", rows)
        assert result.statuses == ["unchanged", "updated", "failed"]
        assert writes(server) == ["write"]

    @pytest.mark.parametrize(
        ("version", "ways"),
        [
            (19, {"load": 1, "write": 12, "web_save_multi": 5}),
            (18, {"load": 4, "write": 12, "commands": 2}),
            (14, {"load": 4, "write": 12, "commands": 2}),
        ],
    )
    def test_a_dry_run_tells_how_rows_are_sent(self, version: int, ways: dict[str, int]) -> None:
        """As they are then; what is planned call by call stands for the effect."""
        parts = [{"id": n, "name": str(n)} for n in range(1, 18)]
        rows: list[dict[str, Any]] = [{"id": n, "phone": "same"} for n in range(1, 13)]
        rows += [{"id": n, "phone": f"0{n}"} for n in range(13, 16)]
        rows += [{"id": 16, "email": "16@x.com"}, {"id": 17, "ref": "17", "color": 4}]
        names = {row["id"]: f"x.a{row['id']}" for row in rows}
        server = contacts(*parts, version=version)
        for number, name in names.items():
            known = {"module": "x", "name": name.removeprefix("x."), "model": "res.partner"}
            server.records["ir.model.data"].append({"id": number, "res_id": number, **known})
        odoo = server.connect()
        rows = [{**row, "id": names[row["id"]]} for row in rows] + [{"id": "x.new", "name": "N"}]
        plan = upsert(odoo, "res.partner", rows, key="id", dry_run=True)
        assert plan.ways == ways
        assert {call.method for call in plan.calls} == {"create", "write"}
        assert all(f"{way} {number}" in as_text(plan) for way, number in ways.items())
        assert upsert(odoo, "res.partner", rows, key="id").ok
        sent = Counter[str]()
        for call in server.sent:
            vals = call.arguments.get("vals", {})
            if call.method == "write" and "child_ids" in vals:
                sent["commands"] += 1 + len(vals["child_ids"])
            elif call.method == "write":
                sent["write"] += len(call.ids or ())
            elif call.method in ("load", "web_save_multi"):
                sent[call.method] += len(call.arguments.get("data") or call.ids or ())
        assert sent == ways

    @pytest.mark.parametrize(("version", "way"), [(19, "web_save_multi"), (18, "load")])
    def test_a_dry_run_of_all_or_nothing_tells_the_one_way(self, version: int, way: str) -> None:
        server = contacts(ANN, BEN, version=version)
        odoo = server.connect()
        for names, told in (("xy", way), ("zz", "write")):
            rows = [{"id": 7 + n, "name": name} for n, name in enumerate(names)]
            plan = write_many(odoo, "res.partner", rows, all_or_nothing=True, dry_run=True)
            assert plan.ways == {told: 2}

    def test_where_nothing_is_known_to_do_it_rows_are_written_one_by_one(self) -> None:
        """A model whose import does more than a write, before there was another way."""
        models = {"stock.quant": {"note": "char", "line_ids": "one2many stock.quant up_id"}}
        records = {"stock.quant": [{"id": 1}, {"id": 2}]}
        for version, calls in ((18, ["write", "write"]), (19, ["web_save_multi"])):
            server = FakeServer(models, records=records, version=version)
            rows = [{".id": 1, "note": "a"}, {".id": 2, "note": "b"}]
            odoo = server.connect()
            assert write_many(odoo, "stock.quant", rows).updated == 2
            assert writes(server) == calls
            rows = [{".id": 1, "note": "c"}, {".id": 2, "note": "d"}]
            if version < 19:
                with pytest.raises(ValidationError, match="nothing is known to do that with stock"):
                    write_many(odoo, "stock.quant", rows, all_or_nothing=True)
                assert writes(server) == calls

    @pytest.mark.parametrize(
        ("last", "says"),
        [
            ({"id": 99, "name": "X"}, "row 3 failed"),
            ({"id": 9, "name": "bad"}, "row 3 failed"),
            ({"id": 9, "name": ""}, "row 3 failed"),
        ],
    )
    def test_all_or_nothing_writes_nothing_where_a_row_is_wrong(
        self, last: dict[str, Any], says: str
    ) -> None:
        server = contacts(ANN, BEN, {"id": 9, "name": "Cem"})
        rows = [{"id": 7, "name": "Anna"}, {"id": 8, "name": "Ben"}, last]
        odoo = server.connect()
        before = [dict(row) for row in server.records["res.partner"]]
        result = write_many(odoo, "res.partner", rows, all_or_nothing=True)
        assert server.records["res.partner"] == before
        assert result.statuses == ["remaining", "unchanged", "failed"]
        assert result.interrupted
        assert says in result.interrupted
        assert not result.ok
        if last["name"] != "bad":
            plan = write_many(odoo, "res.partner", rows, all_or_nothing=True, dry_run=True)
            assert plan.calls == []
            assert any(says in text for text in plan.warnings)

    def test_all_or_nothing_names_several_rows_as_rows(self) -> None:
        rows = [{"id": 7, "name": ""}, {"id": 8, "name": "Ben"}, {"id": 99, "name": "X"}]
        result = write_many(contacts(ANN, BEN).connect(), "res.partner", rows, all_or_nothing=True)
        assert "rows 1, 3 failed" in str(result.interrupted)

    def test_a_file_that_cannot_be_read_says_what_to_give(self) -> None:
        with pytest.raises(
            FileNotFoundError, match=r"Pass the path of a readable file.*/nowhere\.csv"
        ):
            upsert(contacts().connect(), "res.partner", "/nowhere.csv", "name")

    def test_readonly_says_in_sentences_that_nothing_was_imported(self) -> None:
        odoo = contacts(ANN).connect(policy=Policy(mode="readonly"))
        with pytest.raises(AccessError, match=r"[a-z]\. Nothing was imported\.") as caught:
            upsert(odoo, "res.partner", [{"name": "X"}], "name")
        assert ".. " not in caught.value.message

    @pytest.mark.parametrize("all_or_nothing", [True, False])
    @pytest.mark.parametrize("method", ["load", "write", "web_save_multi"])
    @pytest.mark.parametrize(
        ("applied", "statuses"),
        [(True, ["updated", "updated"]), (False, ["unconfirmed", "unconfirmed"])],
    )
    def test_changes_whose_answer_is_lost_are_looked_for(
        self,
        applied: bool,
        statuses: list[str],
        method: str,
        all_or_nothing: bool,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr("odoo_toolkit.change_history.lost_answers.WAITS", (0.0,))
        server = contacts(ANN, BEN, version=19 if method == "web_save_multi" else 18)
        server.lose_answer(method, applied=applied)
        field = "ref" if method == "write" else "name"
        rows = [{"id": 7, "name": "x"}, {"id": 8, field: "y"}]
        odoo = server.connect()
        result = write_many(odoo, "res.partner", rows, all_or_nothing=all_or_nothing)
        assert result.statuses == statuses
        assert len(writes(server)) <= 1

    @pytest.mark.parametrize(
        ("rows", "options", "says"),
        [
            ([{"id": 7, "name": "x"}, {"id": 8, "ref": "y"}], {}, "row 1 has no ref"),
            ([{"id": 7, "name": "x"}, {"id": 8, "name": "y"}], {"batch": 1}, "more than 1 rows"),
            (
                [{"id": 7, "category_id": "New"}],
                {"create_missing": ["res.partner.category"]},
                "create_missing",
            ),
        ],
    )
    def test_all_or_nothing_that_is_not_one_request_is_refused(
        self, rows: Any, options: dict[str, Any], says: str
    ) -> None:
        server = contacts(ANN, BEN, version=18)
        # Through it, rows of any columns would be one request.
        odoo = server.connect(policy=Policy(field_blocklist="child_ids"))
        for dry_run in (True, False):
            with pytest.raises(ValidationError, match=says):
                write_many(
                    odoo, "res.partner", rows, all_or_nothing=True, dry_run=dry_run, **options
                )
        assert writes(server) == []

    def test_progress_is_told(self) -> None:
        told: list[tuple[int, int]] = []
        rows = [{"name": str(n)} for n in range(5)]
        odoo = contacts().connect()
        create_many(
            odoo, "res.partner", rows, batch=2, progress=lambda *numbers: told.append(numbers)
        )
        assert told == [(2, 5), (4, 5), (5, 5)]

    def test_a_model_that_there_is_not(self) -> None:
        server = contacts()
        server.answers["res.partnr", "fields_get"] = make_error("UNKNOWN_MODEL", "No such model.")
        with pytest.raises(NotFoundError):
            create_many(server.connect(), "res.partnr", [{"name": "A"}])

    def test_values_of_tables_are_taken_for_what_they_mean(self) -> None:
        server = contacts()
        rows = [{"name": "A", "color": Scalar(3, "i"), "date": NAT, "country_id": 20.0}]
        assert create_many(server.connect(), "res.partner", rows).ok
        assert server.records["res.partner"][0]["color"] == 3


def test_tasks_are_not_assigned_silently_where_odoo_would_tell(odoo16: Odoo) -> None:
    rows = [{"name": "Task", "user_ids": [2]}]
    with pytest.raises(ValidationError, match="always sends an e-mail when user_ids"):
        create_many(odoo16, "project.task", rows)
    assert create_many(odoo16, "project.task", rows, notify=True).created == 1


@pytest.fixture
def odoo16() -> Odoo:
    """A connection to Odoo 16 with tasks."""
    models = {"project.task": {"name": "char", "user_ids": "many2many res.users"}}
    records: dict[str, Any] = {"project.task": [], "res.users": [{"id": 2}]}
    return FakeServer(models, version=16, records=records).connect()
