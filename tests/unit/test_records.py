"""The record functions: what they send, how often, and what they make of the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import responses

import odoo_toolkit as toolkit
from odoo_toolkit import AccessError, NotFoundError, Odoo, OdooError, Policy, ValidationError
from odoo_toolkit.call import Call
from odoo_toolkit.errors import make_error
from odoo_toolkit.testing import FakeServer
from tests.unit.table_values import NA, NAT, Column, Moment, Scalar
from tests.unit.wire import RECORDED, Body, Wire, error_body, odoo


@pytest.fixture
def connection(wire: Wire) -> Odoo:
    """A connection that knows res.partner already, so that round trips can be counted."""
    connection = odoo()
    connection.schema.fields("res.partner")
    wire.calls.clear()
    return connection


class TestSearchRead:
    def test_one_round_trip_and_normalised_values(self, wire: Wire, connection: Odoo) -> None:
        found = toolkit.search_read(connection, "res.partner", [["is_company", "=", True]], limit=2)

        assert len(wire.calls) == 1
        first = found.records[0]
        raw = RECORDED["14"]["search_read"][0]
        assert first["country_id"] == {"id": raw["country_id"][0], "name": raw["country_id"][1]}
        assert first["parent_id"] is None
        assert first["create_date"].endswith("Z")
        assert first["comment"] == ""
        assert first["active"] is True
        assert first["color"] == raw["color"]

    def test_one_more_round_trip_the_first_time(self, wire: Wire) -> None:
        toolkit.search_read(odoo(), "res.partner")

        assert [call[1] for call in wire.calls] == ["fields_get", "search_read"]

    def test_next_offset_where_there_is_more(self, wire: Wire, connection: Odoo) -> None:
        found = toolkit.search_read(connection, "res.partner", limit=2, offset=4)
        assert (found.has_more, found.next_offset, found.count) == (True, 6, 2)

        found = toolkit.search_read(connection, "res.partner", limit=3)
        assert (found.has_more, found.next_offset) == (False, None)

    @pytest.mark.parametrize(
        ("order", "sent"),
        [
            ("name", "name, id"),
            ("create_date desc, name", "create_date desc, name, id"),
            ("id", "id"),
            ("name, id desc", "name, id desc"),
            ("country_id", "country_id, id"),
        ],
    )
    @pytest.mark.parametrize("limit", [2, None])
    def test_an_order_tells_all_records_apart(
        self, wire: Wire, connection: Odoo, order: str, sent: str, limit: int | None
    ) -> None:
        found = toolkit.search_read(
            connection, "res.partner", limit=limit, offset=4, order=order, fields=["name"]
        )
        assert sent in wire.calls[0][2]
        assert found.warnings == []

    @pytest.mark.parametrize("limit", [2, None])
    def test_pages_in_an_order_that_is_not_known_come_with_a_warning(
        self, connection: Odoo, wire: Wire, limit: int | None
    ) -> None:
        wire.answers["x.log", "fields_get"] = {"id": {"type": "integer"}}
        wire.answers["x.log", "search_read"] = []
        first = toolkit.search_read(connection, "x.log", limit=limit)
        second = toolkit.search_read(connection, "x.log", limit=limit, offset=2)
        assert first.warnings == []
        assert "default order" in second.warnings[0]

    def test_equal_records_of_a_known_order_follow_their_ids_from_the_first_page_on(
        self, connection: Odoo, wire: Wire
    ) -> None:
        for offset in (0, 2):
            found = toolkit.search_read(connection, "res.partner", limit=2, offset=offset)
            assert found.warnings == []
            assert wire.calls[-1][2][-1] == "display_name, id"

    def test_total_makes_has_more_exact(self, wire: Wire, connection: Odoo) -> None:
        wire.answers["res.partner", "search_count"] = 2
        found = toolkit.search_read(connection, "res.partner", limit=2, count_total=True)

        assert (found.total, found.has_more) == (2, False)

    def test_default_fields_that_the_model_lacks_are_left_out(self, wire: Wire) -> None:
        wire.answers["x.log", "fields_get"] = {
            "id": {"type": "integer"},
            "display_name": {"type": "char"},
        }
        wire.answers["x.log", "search_read"] = []
        toolkit.search_read(odoo(), "x.log")

        assert wire.asked("search_read")[0][2][1] == ["id", "display_name"]

    @pytest.mark.parametrize("fields", [[], (), Column([])])
    def test_no_fields_are_the_default_ones(
        self, wire: Wire, connection: Odoo, fields: Any
    ) -> None:
        toolkit.search_read(connection, "res.partner", fields=fields)

        assert wire.calls[0][2][1] == ["id", "name", "display_name"]

    def test_what_data_people_hold_is_sent_as_plain_values(
        self, wire: Wire, connection: Odoo
    ) -> None:
        toolkit.search_read(
            connection,
            "res.partner",
            [["id", "in", Column([Scalar(3, "i"), 4.0])]],
            Column(["name"]),
            limit=Scalar(5, "i"),
            offset=2.0,
        )

        assert wire.calls[0][2][:4] == [[["id", "in", [3, 4]]], ["name"], 2, 5]

    def test_what_may_be_read_is_found_out_once_for_all_conditions(
        self, connection: Odoo, wire: Wire, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        models: list[str] = []
        original = Policy.readable_fields

        def counted(self: Policy, model: str, fields: Any, **options: Any) -> Any:
            models.append(model)
            return original(self, model, fields, **options)

        monkeypatch.setattr(Policy, "readable_fields", counted)
        wire.answers["res.partner", "search_count"] = 0
        domain = [["parent_id.name", "!=", f"{number}"] for number in range(50)]
        toolkit.search_read(connection, "res.partner", domain)
        toolkit.count(connection, "res.partner", domain)

        # Once for the policy and once for the function, of each of the two calls.
        assert models == ["res.partner"] * 4

    def test_star_is_all_but_binary_and_blocked_fields(self, wire: Wire, connection: Odoo) -> None:
        toolkit.search_read(connection, "res.partner", fields=["*"])

        asked = wire.calls[0][2][1]
        assert "country_id" in asked
        assert "image_1920" not in asked
        assert "signup_token" not in asked

    def test_binary_content_comes_only_when_it_is_named(self, wire: Wire, connection: Odoo) -> None:
        toolkit.search_read(connection, "res.partner", fields=["name"])
        toolkit.search_read(connection, "res.partner", fields=["image_1920"])

        contexts = [call[3]["context"] for call in wire.calls]
        assert contexts[0].get("bin_size") is True
        assert "bin_size" not in contexts[1]

    def test_a_limit_above_the_maximum_is_lowered_and_said(self, wire: Wire) -> None:
        from odoo_toolkit import ReadOptions

        connection = odoo()
        connection.options = ReadOptions(max_limit=10)
        found = toolkit.search_read(connection, "res.partner", limit=1000)

        assert found.limit == 10
        assert "reduced" in found.warnings[0]
        assert wire.asked("search_read")[0][2][3] == 10

    @pytest.mark.parametrize(
        ("options", "code"),
        [
            ({"fields": ["nam"]}, "INVALID_FIELD"),
            ({"fields": "name"}, "VALIDATION_ERROR"),
            ({"fields": [5]}, "VALIDATION_ERROR"),
            ({"limit": "5"}, "VALIDATION_ERROR"),
            ({"limit": True}, "VALIDATION_ERROR"),
            ({"limit": Scalar(True, "b")}, "VALIDATION_ERROR"),
            ({"limit": 0}, "VALIDATION_ERROR"),
            ({"limit": -1}, "VALIDATION_ERROR"),
            ({"limit": 2.5}, "VALIDATION_ERROR"),
            ({"limit": 2**31}, "VALIDATION_ERROR"),
            ({"offset": -1}, "VALIDATION_ERROR"),
            ({"offset": "0"}, "VALIDATION_ERROR"),
            ({"offset": False}, "VALIDATION_ERROR"),
            ({"order": 5}, "VALIDATION_ERROR"),
            ({"order": "name,"}, "VALIDATION_ERROR"),
            ({"domain": [["create_date", ">", NAT]]}, "INVALID_DOMAIN"),
            ({"domain": [["id", "in", Column([1, NA])]]}, "INVALID_DOMAIN"),
            ({"domain": [["nosuch", "=", 1]]}, "INVALID_FIELD"),
            ({"domain": ["name", "=", "x"]}, "INVALID_DOMAIN"),
            ({"domain": [["name", "~", "x"]]}, "INVALID_DOMAIN"),
            ({"domain": None}, "INVALID_DOMAIN"),
            ({"order": "nosuch"}, "INVALID_FIELD"),
            ({"order": "name; drop table"}, "VALIDATION_ERROR"),
            ({"order": "name sideways"}, "VALIDATION_ERROR"),
            ({"fields": ["signup_token"]}, "FIELD_BLOCKED"),
            ({"domain": [["user_ids.password", "=", "x"]]}, "FIELD_BLOCKED"),
            ({"order": "signup_token"}, "FIELD_BLOCKED"),
        ],
    )
    def test_bad_input_is_refused_before_anything_is_sent(
        self, wire: Wire, connection: Odoo, options: dict[str, Any], code: str
    ) -> None:
        wire.answers["res.users", "fields_get"] = {"password": {"type": "char"}}
        with pytest.raises(OdooError) as caught:
            toolkit.search_read(connection, "res.partner", **options)

        assert caught.value.code == code
        assert not wire.asked("search_read")

    def test_a_refused_model_stays_refused(self, wire: Wire, connection: Odoo) -> None:
        wire.answers["res.partner", "search_read"] = error_body("14", "access_error_model")

        with pytest.raises(AccessError):
            toolkit.search_read(connection, "res.partner", fields=["name", "email"])
        assert len(wire.calls) == 2

    def test_models_that_filter_after_the_limit_are_counted(self, wire: Wire) -> None:
        wire.answers["mail.message", "fields_get"] = {
            "id": {"type": "integer"},
            "model": {"type": "char"},
        }
        wire.answers["mail.message", "search_read"] = [{"id": n} for n in range(1, 6)]
        wire.answers["mail.message", "search_count"] = 85
        found = toolkit.search_read(odoo(), "mail.message", fields=["id"], limit=10)

        assert (found.has_more, found.next_offset) == (True, 10)

    def test_a_notebook_shows_a_table_with_escaped_values(
        self, wire: Wire, connection: Odoo
    ) -> None:
        wire.answers["res.partner", "search_read"] = [{"id": 1, "name": "<b>&"}]
        html = toolkit.search_read(connection, "res.partner")._repr_html_()

        assert ">&lt;b&gt;&amp;</td>" in html


class TestRead:
    def test_missing_ids_are_told_and_the_order_is_kept(self, wire: Wire, connection: Odoo) -> None:
        wire.answers["res.partner", "read"] = [{"id": 1, "name": "A"}, {"id": 3, "name": "C"}]
        found = toolkit.read(connection, "res.partner", [3, 999, 1, 3], ["name"])

        assert [row["id"] for row in found.records] == [3, 1]
        assert found.missing_ids == [999]
        assert len(wire.calls) == 1

    def test_for_the_id_alone_a_real_field_is_asked(self, wire: Wire, connection: Odoo) -> None:
        wire.answers["res.partner", "read"] = [{"id": 1, "display_name": "A"}]
        found = toolkit.read(connection, "res.partner", [1], ["id"])

        assert wire.calls[0][2][1] == ["id", "display_name"]
        assert found.records == [{"id": 1}]

    def test_default_is_all_stored_fields(self, wire: Wire, connection: Odoo) -> None:
        wire.answers["res.partner", "read"] = []
        toolkit.read(connection, "res.partner", [1])

        asked = wire.calls[0][2][1]
        assert "name" in asked
        assert "image_1920" not in asked

    def test_a_record_that_vanishes_does_not_hide_the_others(
        self, wire: Wire, connection: Odoo
    ) -> None:
        def answer(args: list[Any], kwargs: dict[str, Any]) -> Any:
            if 2 in args[0]:
                return error_body("14", "write_missing_record")
            return [{"id": 1, "name": "A"}]

        wire.answers["res.partner", "read"] = answer
        wire.answers["res.partner", "search"] = [1]
        found = toolkit.read(connection, "res.partner", [1, 2], ["name"])

        assert (found.records[0]["id"], found.missing_ids) == (1, [2])

    @pytest.mark.parametrize(
        "ids",
        [Column([Scalar(3, "i"), 4.0]), range(3, 5), (3, 4), {3: "a", 4: "b"}.keys(), [3.0, 4]],
    )
    def test_ids_come_in_any_column(self, wire: Wire, connection: Odoo, ids: Any) -> None:
        wire.answers["res.partner", "read"] = []
        toolkit.read(connection, "res.partner", ids, ["name"])

        assert wire.calls[0][2] == [[3, 4], ["name"]]

    def test_messages_are_read_in_one_round_trip(self, wire: Wire) -> None:
        connection = self._with_messages(wire, {7: "a", 8: "b"})
        found = toolkit.read(connection, "mail.message", [8, 7], ["body"])

        assert [row["body"] for row in found.records] == ["b", "a"]
        assert [call[1] for call in wire.calls] == ["search_read"]

    def test_messages_that_a_search_does_not_find_are_read_by_their_ids(self, wire: Wire) -> None:
        connection = self._with_messages(wire, {7: "a"})
        wire.answers["mail.message", "search"] = [9]
        wire.answers["mail.message", "read"] = [{"id": 9, "body": "archived"}]
        found = toolkit.read(connection, "mail.message", [9, 7, 10], ["body"])

        assert [row["body"] for row in found.records] == ["archived", "a"]
        assert found.missing_ids == [10]
        assert wire.asked("read")[0][2][0] == [9]

    def _with_messages(self, wire: Wire, bodies: dict[int, str]) -> Odoo:
        wire.answers["mail.message", "fields_get"] = {
            "id": {"type": "integer"},
            "body": {"type": "char"},
            "model": {"type": "char"},
        }
        wire.answers["mail.message", "search_read"] = lambda args, kwargs: [
            {"id": key, "body": body}
            for key, body in bodies.items()
            if ["id", "in", args[0][-1][2]] == args[0][-1] and key in args[0][-1][2]
        ]
        connection = odoo()
        connection.schema.fields("mail.message")
        wire.calls.clear()
        return connection

    @pytest.mark.parametrize(
        "ids",
        [[], [True], ["1"], [0], [-1], [1.5], "1", None, Scalar(True, "b"), Column([NA]), {1: 2}],
    )
    def test_what_is_no_id_is_refused(self, wire: Wire, connection: Odoo, ids: Any) -> None:
        with pytest.raises(ValidationError):
            toolkit.read(connection, "res.partner", ids)
        assert not wire.calls

    def test_raw_attachment_bytes_are_refused_with_the_way_to_get_them(self, wire: Wire) -> None:
        related: Any
        for model, related in (
            ("ir.attachment", None),
            ("mrp.document", ["ir_attachment_id", "raw"]),  # as Odoo 14 tells it
            ("product.document", "ir_attachment_id.raw"),
        ):
            wire.answers[model, "fields_get"] = {"raw": {"type": "binary", "related": related}}

            with pytest.raises(ValidationError, match="makes some Odoo versions") as caught:
                toolkit.read(odoo(), model, [1], ["raw"])
            assert "datas" in caught.value.suggestion

    def test_a_closed_model_is_closed_before_its_fields_are_looked_at(self, wire: Wire) -> None:
        closed = odoo(Policy(model_blocklist=["product.document"]))
        with pytest.raises(AccessError) as caught:
            toolkit.execute(closed, "product.document", "read", [[1], ["raw"]])

        assert caught.value.code == "MODEL_BLOCKED"
        assert not wire.calls

    def test_a_binary_field_that_is_called_raw_elsewhere_is_read(self, wire: Wire) -> None:
        wire.answers["x_scan", "fields_get"] = {"raw": {"type": "binary"}}
        wire.answers["x_scan", "read"] = [{"id": 1, "raw": "aGk="}]

        assert toolkit.read(odoo(), "x_scan", [1], ["raw"]).records[0]["raw"] == "aGk="


class TestWriting:
    def test_create_sends_converted_values_once(self, wire: Wire, connection: Odoo) -> None:
        wire.answers["res.partner", "create"] = [42]
        row = {"id": 42, "name": "A", "parent_id": [3, "P"], "category_id": [1, 2]}
        wire.answers["res.partner", "read"] = [row]
        made = toolkit.create(
            connection, "res.partner", {"name": "A", "parent_id": {"id": 3}, "category_id": [1, 2]}
        )

        assert (made.id, made.message) == (42, "Created res.partner record with ID 42")
        assert (made.differences, made.warnings, made.records) == ([], [], [])
        assert [call[1] for call in wire.calls] == ["create", "read"]
        assert wire.calls[0][2] == [
            [{"name": "A", "parent_id": 3, "category_id": [[6, 0, [1, 2]]]}]
        ]

    def test_create_of_several_is_one_call(self, wire: Wire, connection: Odoo) -> None:
        wire.answers["res.partner", "create"] = [42, 43]
        wire.answers["res.partner", "read"] = [{"id": 42, "name": "A"}, {"id": 43, "name": "B"}]
        made = toolkit.create(connection, "res.partner", [{"name": "A"}, {"name": "B"}])

        assert (made.id, made.ids, made.differences) == (42, [42, 43], [])
        assert [call[1] for call in wire.calls] == ["create", "read"]

    @pytest.mark.parametrize("values", [{"name": "A"}, [{"name": "A"}]])
    def test_the_result_has_id_and_ids_also_for_one(
        self, wire: Wire, connection: Odoo, values: Any
    ) -> None:
        wire.answers["res.partner", "create"] = [42]
        made = toolkit.create(connection, "res.partner", values)

        assert (made.id, made.ids) == (42, [42])

    def test_rows_of_a_table_are_sent_as_plain_values(self, wire: Wire, connection: Odoo) -> None:
        wire.answers["res.partner", "create"] = [1, 2]
        rows = [
            {"name": Scalar("A", "U"), "color": Scalar(3, "i"), "date": Moment("2025-02-09")},
            {"name": "B", "color": NA, "date": NAT, "active": Scalar(False, "b")},
        ]
        toolkit.create(connection, "res.partner", Column(rows))

        assert wire.calls[0][2] == [
            [
                {"name": "A", "color": 3, "date": "2025-02-09"},
                {"name": "B", "color": False, "date": False, "active": False},
            ]
        ]

    @pytest.mark.parametrize(
        ("wrong", "code"),
        [
            ({"nam": "A"}, "INVALID_FIELD"),
            ({"name": 5}, "VALUE_ERROR"),
            ({"signup_token": "x"}, "FIELD_BLOCKED"),
            ({"user_ids": [[0, 0, {"login": "x"}]]}, "MODEL_BLOCKED"),
            ("A", "VALUE_ERROR"),
        ],
    )
    def test_an_error_says_which_row_is_wrong(
        self, wire: Wire, connection: Odoo, wrong: Any, code: str
    ) -> None:
        wire.answers["res.users", "fields_get"] = {"login": {"type": "char"}}
        with pytest.raises(OdooError) as caught:
            toolkit.create(connection, "res.partner", [{"name": "A"}, wrong, {"name": "B"}])

        assert (caught.value.code, caught.value.details["rows"]) == (code, [1])
        assert caught.value.message.startswith("values[1]: ")
        with pytest.raises(OdooError) as alone:
            toolkit.create(connection, "res.partner", wrong)
        assert caught.value.message == f"values[1]: {alone.value.message}"
        assert "rows" not in alone.value.details

    def test_a_batch_that_odoo_refuses_names_the_row_and_says_that_nothing_was_made(
        self, wire: Wire, connection: Odoo
    ) -> None:
        refusal = error_body("14", "missing_required")
        data = refusal["error"]["data"]
        data["message"] = data["message"].replace("partner_id", "name")
        wire.answers["res.partner", "create"] = refusal
        rows = [{"name": "A", "color": 1}, {"color": 2}, {"name": "B"}, {"name": False}]
        with pytest.raises(OdooError) as caught:
            toolkit.create(connection, "res.partner", rows)

        assert "None of the 4 records was created" in caught.value.message
        assert caught.value.details["rows"] == [1, 3]
        with pytest.raises(OdooError) as alike:
            toolkit.create(connection, "res.partner", [{"color": 1}, {"color": 2}])
        assert "rows" not in alike.value.details

    def test_of_a_batch_whose_fate_is_unknown_nothing_is_claimed(
        self, wire: Wire, connection: Odoo
    ) -> None:
        wire.answers["res.partner", "create"] = Body({"error": "cut off"})
        with pytest.raises(OdooError) as caught:
            toolkit.create(connection, "res.partner", [{"name": "A"}, {"name": "B"}])

        assert caught.value.outcome == "maybe_applied"
        assert "None of" not in caught.value.message

    @pytest.mark.parametrize(
        ("values", "code"),
        [
            ({"nam": "A"}, "INVALID_FIELD"),
            ({"name": 5}, "VALUE_ERROR"),
            ({"active": "yes"}, "VALUE_ERROR"),
            ({"color": True}, "VALUE_ERROR"),
            ({"parent_id": "Azure"}, "VALUE_ERROR"),
            ({"type": "nosuch"}, "INVALID_SELECTION"),
            ({"create_date": "2025-01-01"}, "INVALID_FIELD"),
            ({"signup_token": "x"}, "FIELD_BLOCKED"),
            ({"user_ids": [[0, 0, {"login": "x"}]]}, "MODEL_BLOCKED"),
            ([], "VALIDATION_ERROR"),
            ([{"name": "ok"}, {"nam": "A"}], "INVALID_FIELD"),
        ],
    )
    def test_wrong_values_are_refused_before_anything_is_sent(
        self, wire: Wire, connection: Odoo, values: Any, code: str
    ) -> None:
        wire.answers["res.users", "fields_get"] = {"login": {"type": "char"}}
        with pytest.raises(OdooError) as caught:
            toolkit.create(connection, "res.partner", values)

        assert caught.value.code == code
        assert not wire.asked("create")

    def test_write_refuses_readonly_fields_unless_told(self, wire: Wire, connection: Odoo) -> None:
        wire.answers["res.partner", "search_read"] = [{"id": 1}]
        wire.answers["res.partner", "read"] = [{"id": 1, "partner_share": True}]
        wire.answers["res.partner", "write"] = True
        with pytest.raises(ValidationError, match="partner_share"):
            toolkit.write(connection, "res.partner", [1], {"partner_share": True})
        assert not wire.calls

        context = {"allow_readonly": True}
        toolkit.write(connection, "res.partner", [1], {"partner_share": True}, context=context)
        assert all("allow_readonly" not in call[3]["context"] for call in wire.calls)

    def test_a_field_that_is_readonly_in_some_states_is_left_to_the_server(
        self, wire: Wire
    ) -> None:
        """On 14 to 16 the customer of a draft order is such a field."""
        wire.answers["sale.order", "fields_get"] = {
            "partner_id": {
                "type": "many2one",
                "relation": "res.partner",
                "readonly": True,
                "states": {"draft": [["readonly", False]]},
            }
        }
        wire.answers["sale.order", "search"] = [1]
        wire.answers["sale.order", "write"] = True

        assert toolkit.write(odoo(), "sale.order", [1], {"partner_id": 2}).success

    def test_nothing_is_changed_where_a_record_is_missing(
        self, wire: Wire, connection: Odoo
    ) -> None:
        """Odoo would change the others, and say so of all."""
        wire.answers["res.partner", "search"] = [1]
        wire.answers["res.partner", "search_read"] = [{"id": 1, "name": "B"}]
        wire.answers["res.partner", "read"] = []
        for change in (
            lambda: toolkit.write(connection, "res.partner", [1, 9], {"name": "A"}),
            lambda: toolkit.unlink(connection, "res.partner", [1, 9]),
        ):
            with pytest.raises(NotFoundError, match="no record with id 9") as caught:
                change()
            assert caught.value.details["missing_ids"] == [9]

        assert {call[1] for call in wire.calls} == {"search", "search_read", "read"}

    @pytest.mark.parametrize(("may", "error"), [(False, AccessError), (True, ValidationError)])
    def test_where_all_fields_are_readonly_it_may_be_for_want_of_a_right(
        self, wire: Wire, may: bool, error: type[OdooError]
    ) -> None:
        """Odoo 14 and 15 describe the fields so to who may not write the model."""
        wire.answers["res.country", "fields_get"] = {
            "id": {"type": "integer", "readonly": True},
            "name": {"type": "char", "readonly": True},
        }
        wire.answers["res.country", "check_access_rights"] = may
        with pytest.raises(error, match="cannot change" if not may else "read-only"):
            toolkit.write(odoo(), "res.country", [1], {"name": "A"})

        assert not wire.asked("write")

    def test_writing_nothing_is_refused(self, wire: Wire, connection: Odoo) -> None:
        with pytest.raises(ValidationError):
            toolkit.write(connection, "res.partner", [1], {})
        assert not wire.calls

    @pytest.mark.parametrize(
        ("mode", "allowed"), [("readonly", False), ("restricted", False), ("full", True)]
    )
    def test_modes(self, wire: Wire, mode: Any, allowed: bool) -> None:
        wire.answers["res.partner", "search"] = [1]
        wire.answers["res.partner", "unlink"] = True
        connection = odoo(Policy(mode=mode, write_allowlist=["res.partner"]))
        if allowed:
            assert toolkit.unlink(connection, "res.partner", [1]).success
        else:
            with pytest.raises(AccessError):
                toolkit.unlink(connection, "res.partner", [1])
            assert not wire.calls

    def test_restricted_writes_the_allowlist_only(self, wire: Wire) -> None:
        wire.answers["res.partner", "create"] = [1]
        connection = odoo(Policy(mode="restricted", write_allowlist=["res.partner"]))
        assert toolkit.create(connection, "res.partner", {"name": "A"}).id == 1

        wire.answers["res.country", "fields_get"] = {"name": {"type": "char"}}
        with pytest.raises(AccessError) as caught:
            toolkit.create(connection, "res.country", {"name": "A"})
        assert caught.value.code == "MODE_VIOLATION"


class TestOthers:
    def test_count_is_one_round_trip(self, wire: Wire, connection: Odoo) -> None:
        wire.answers["res.partner", "search_count"] = 15
        found = toolkit.count(connection, "res.partner", [("active", "=", True)])

        assert (found.count, found.domain, len(wire.calls)) == (15, [["active", "=", True]], 1)

    def test_name_get_reads_the_display_name_because_18_has_no_name_get(
        self, wire: Wire, connection: Odoo
    ) -> None:
        wire.answers["res.partner", "read"] = [{"id": 1, "display_name": "A"}]
        found = toolkit.name_get(connection, "res.partner", [1, 2])

        assert (found.names[0].name, found.missing_ids) == ("A", [2])
        assert [call[1] for call in wire.calls] == ["read"]

    def test_default_get_leaves_pictures_out_and_relations_as_ids(
        self, wire: Wire, connection: Odoo
    ) -> None:
        wire.answers["res.partner", "default_get"] = {"country_id": 5, "active": True}
        found = toolkit.default_get(connection, "res.partner")

        assert found.defaults == {"country_id": 5, "active": True}
        assert "image_1920" not in wire.calls[0][2][0]

    def test_fields_get_is_concise_and_without_blocked_fields(
        self, wire: Wire, connection: Odoo
    ) -> None:
        found = toolkit.fields_get(connection, "res.partner").fields

        assert found["country_id"]["label"] == "Country"
        assert found["country_id"]["relation"] == "res.country"
        assert "signup_token" not in found
        assert "help" not in found["color"]

    def test_fields_get_refuses_a_closed_field_as_such(self, wire: Wire, connection: Odoo) -> None:
        with pytest.raises(AccessError, match="The field signup_token cannot be used"):
            toolkit.fields_get(connection, "res.partner", names=["name", "signup_token"])
        with pytest.raises(ValidationError, match="has no field 'nothing'"):
            toolkit.fields_get(connection, "res.partner", names=["nothing"])

    def test_fields_get_returns_the_fields_there_are_and_names_the_others(
        self, wire: Wire, connection: Odoo
    ) -> None:
        found = toolkit.fields_get(connection, "res.partner", names=["name", "nothing"])
        assert list(found.fields) == ["name"]
        (warning,) = found.warnings
        assert "has no field 'nothing'" in warning

    def test_list_models_leaves_blocked_ones_out_and_filters_by_label(self, wire: Wire) -> None:
        names = {"res.partner": "Contact", "ir.cron": "Scheduled Actions", "sale.order": "Order"}
        wire.answers["ir.model", "search_read"] = [
            {"model": model, "name": name} for model, name in names.items()
        ]
        for model in names:
            wire.answers[model, "check_access_rights"] = lambda args, kwargs: args[0] != "unlink"
        wire.answers["ir.model.fields", "read_group"] = [
            {"model": "res.partner", "model_count": 150}
        ]
        connection = odoo()

        assert [m.model for m in toolkit.list_models(connection).models] == [
            "res.partner",
            "sale.order",
        ]
        contact = toolkit.list_models(connection, "contact").models[0]
        assert (contact.model, contact.field_count, contact.access) == (
            "res.partner",
            150,
            "read,write,create",
        )

    def test_list_models_of_an_ordinary_user_of_15_says_that_it_is_not_all(
        self, wire: Wire
    ) -> None:
        from odoo_toolkit.app_models import COMMON_MODELS

        wire.answers["ir.model", "search_read"] = error_body("14", "access_error_model")
        wire.answers["ir.model.fields", "read_group"] = error_body("14", "access_error_model")
        for model in COMMON_MODELS:
            wire.answers[model, "check_access_rights"] = model.startswith("res.")
        found = toolkit.list_models(odoo())

        assert {model.model for model in found.models} == {
            model for model in COMMON_MODELS if model.startswith("res.")
        }
        assert "there may be more" in found.warnings[0]
        assert found.models[0].field_count is None


class TestExecute:
    def test_an_action_is_summarised(self, wire: Wire, connection: Odoo) -> None:
        wire.answers["sale.order", "action_view_delivery"] = {
            "type": "ir.actions.act_window",
            "res_model": "stock.picking",
            "res_id": 42,
            "view_mode": "form",
            "views": [[1, "form"]],
        }
        found = toolkit.execute(connection, "sale.order", "action_view_delivery", [[7]])

        assert found.result_type == "action"
        assert found.action["summary"] == "Opens stock.picking form view for record 42"

    def test_a_value_is_returned_as_it_is(self, wire: Wire, connection: Odoo) -> None:
        wire.answers["sale.order", "copy"] = [8]
        assert toolkit.execute(connection, "sale.order", "copy", [[7]]).result == [8]

    def test_buttons_get_no_keyword_arguments_and_it_is_said(
        self, wire: Wire, connection: Odoo
    ) -> None:
        wire.answers["sale.order", "action_confirm"] = True
        found = toolkit.execute(connection, "sale.order", "action_confirm", [[7]], {"force": True})

        assert "force" in found.warnings[0]
        assert "force" not in wire.calls[0][3]

    def test_read_without_fields_asks_for_the_readable_ones(
        self, wire: Wire, connection: Odoo
    ) -> None:
        wire.answers["res.partner", "read"] = [{"id": 1, "name": "A"}]
        toolkit.execute(connection, "res.partner", "read", [[1]])

        asked = wire.calls[0][2][1]
        assert "name" in asked
        assert "signup_token" not in asked
        assert "image_1920" not in asked

    @pytest.mark.parametrize(
        ("method", "args", "code"),
        [
            ("_write", [[1], {}], "METHOD_BLOCKED"),
            ("sudo", [], "METHOD_BLOCKED"),
            ("write", [[1], {"password": "x"}], "FIELD_BLOCKED"),
            ("mapped", [[1], "user_ids.password"], "FIELD_BLOCKED"),
            ("export_data", [[1], ["user_ids/password"]], "FIELD_BLOCKED"),
            ("read_group", [[], ["password:max"], ["name"]], "FIELD_BLOCKED"),
        ],
    )
    def test_blocked_by_every_path(
        self, wire: Wire, connection: Odoo, method: str, args: list[Any], code: str
    ) -> None:
        wire.answers["res.users", "fields_get"] = {"password": {"type": "char"}}
        with pytest.raises(AccessError) as caught:
            toolkit.execute(connection, "res.partner", method, args)

        assert caught.value.code == code
        assert not wire.asked(method)

    @pytest.mark.parametrize("model", ["../web", "res.partner/read", "res partner", ""])
    def test_a_model_that_is_none_is_refused(
        self, wire: Wire, connection: Odoo, model: str
    ) -> None:
        with pytest.raises(OdooError):
            toolkit.execute(connection, model, "read", [[1]])
        assert not wire.calls

    def test_readonly_mode_executes_known_reads_only(self, wire: Wire) -> None:
        wire.answers["sale.order", "search_count"] = 3
        connection = odoo(Policy(mode="readonly"))
        assert toolkit.execute(connection, "sale.order", "search_count", [[]]).result == 3

        with pytest.raises(AccessError):
            toolkit.execute(connection, "sale.order", "action_confirm", [[1]])
        assert not wire.asked("action_confirm")


class TestRecordsOfBlockedModels:
    """Attachments, messages, ... that belong to a model that is blocked."""

    @pytest.fixture
    def connection(self, wire: Wire) -> Odoo:
        wire.answers["ir.attachment", "fields_get"] = {
            "id": {"type": "integer"},
            "name": {"type": "char"},
            "res_model": {"type": "char"},
        }
        return odoo(Policy(model_blocklist=["hr.salary"]))

    def test_searches_leave_them_out(self, wire: Wire, connection: Odoo) -> None:
        wire.answers["ir.attachment", "search_read"] = []
        toolkit.search_read(connection, "ir.attachment", [["name", "=", "x"]])

        domain = wire.asked("search_read")[0][2][0]
        assert domain[-1] == ["name", "=", "x"]
        assert "hr.salary" in str(domain[0])

    def test_files_behind_blocked_fields_are_left_out_where_ids_would_find_them(
        self, wire: Wire, connection: Odoo
    ) -> None:
        wire.answers["ir.attachment", "search_read"] = []
        toolkit.search_read(connection, "ir.attachment", [["id", ">", 0]])

        domain = wire.asked("search_read")[0][2][0]
        assert any(leaf[0] == "res_field" and "signature" in leaf[2] for leaf in domain)

    def test_reading_them_by_id_is_refused(self, wire: Wire, connection: Odoo) -> None:
        wire.answers["ir.attachment", "search_read"] = []
        wire.answers["ir.attachment", "search"] = lambda args, kwargs: (
            [] if "hr.salary" in str(args[0]) else [5]
        )
        with pytest.raises(AccessError) as caught:
            toolkit.read(connection, "ir.attachment", [5], ["name"])

        assert caught.value.code == "MODEL_BLOCKED"
        assert not wire.asked("read")


def test_a_missing_model_is_not_searched(wire: Wire) -> None:
    wire.answers["no.such", "fields_get"] = error_body("14", "unknown_model")
    wire.answers["ir.model", "search_read"] = []

    with pytest.raises(NotFoundError):
        toolkit.search_read(odoo(), "no.such")
    assert ("no.such", "search_read") not in {call[:2] for call in wire.calls}


def test_json2_create_and_copy_answers_are_lists_like_the_others(
    mock: responses.RequestsMock,
) -> None:
    recorded = RECORDED["19"]
    mock.add("POST", "http://odoo.test/web/webclient/version_info", json=recorded["version_info"])
    mock.add("POST", "http://odoo.test/web/database/list", json=recorded["database_list"])
    base = "http://odoo.test/json/2"
    mock.add("POST", f"{base}/res.users/context_get", json=recorded["json2_context_get"])
    mock.add("POST", f"{base}/res.users/read", json=[{"id": 2, "login": "admin"}])
    mock.add("POST", f"{base}/res.partner/fields_get", json=recorded["fields"])
    mock.add("POST", f"{base}/res.partner/create", json=[9])

    assert toolkit.create(odoo(api_key="k"), "res.partner", {"name": "A"}).id == 9


@pytest.mark.parametrize(
    "ask",
    [
        lambda odoo: toolkit.read(odoo, "x.item", [1], ["*"]),
        lambda odoo: toolkit.search_read(odoo, "x.item", [], ["*"]),
    ],
)
def test_of_all_fields_the_one_that_odoo_cannot_read_is_named(ask: Callable[[Odoo], Any]) -> None:
    def answer(call: Call) -> Any:
        failed = make_error("UNKNOWN_ERROR", "Odoo failed.")
        return failed if "weight" in call.arguments["fields"] else NotImplemented

    fields = {"name": "char", "weight": "float", "size": "float"}
    fake = FakeServer({"x.item": fields}, records={"x.item": [{"id": 1, "name": "A"}]})
    fake.answers |= {("x.item", "read"): answer, ("x.item", "search_read"): answer}
    with pytest.raises(
        OdooError, match=r"Odoo failed\. The error occurs when reading weight of x\.item"
    ):
        ask(fake.connect())
