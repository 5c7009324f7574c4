"""Several questions in one call, and what was written read back into the result."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.errors import AccessError, OdooConnectionError, OdooError, ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit.records import create, execute, run_queries, write
from odoo_toolkit.records.reading_back import NAMES_AND_STATES
from tests.unit.scripted import Scripted

FIELDS = {
    "res.partner": {
        "name": {"type": "char"},
        "display_name": {"type": "char", "readonly": True},
        "email": {"type": "char"},
        "parent_id": {"type": "many2one", "relation": "res.partner"},
    },
    "sale.order": {
        "name": {"type": "char"},
        "display_name": {"type": "char", "readonly": True},
        "state": {"type": "selection", "selection": [["draft", "Quotation"], ["sale", "Order"]]},
    },
}
ROW = {"id": 7, "display_name": "Ann", "parent_id": False}


def scripted(policy: Policy | None = None, **answers: Any) -> Scripted:
    """Return a connection; answers are named by method, for whichever model."""
    models = {
        model: {name: {"string": name, "store": True, **field} for name, field in fields.items()}
        for model, fields in FIELDS.items()
    }
    by_model = {(model, method): a for model in models for method, a in answers.items()}
    return Scripted(17, by_model, policy, models)


class TestQueries:
    """A list of searches and counts."""

    def test_a_wrong_field_is_left_out_of_its_query_alone(self) -> None:
        odoo = scripted(search_read=[ROW])
        first, second = run_queries(
            odoo,
            [
                {"model": "res.partner", "fields": ["display_name", "nam", "parent_id.citty"]},
                {"model": "res.partner", "fields": ["display_name"]},
            ],
        ).answers
        assert first.error is second.error is None
        assert [row["display_name"] for row in (*first.records, *second.records)] == ["Ann", "Ann"]
        assert first.warnings == [
            "res.partner has no field 'nam' (did you mean name?). This condition was omitted.",
            "res.partner has no field 'citty'. This condition was omitted.",
        ]
        assert second.warnings == []
        assert len(odoo.sent) == 2

    @pytest.mark.parametrize(
        "query",
        [
            {"fields": ["nme", "display_name"], "domain": [["nme", "=", "x"]]},
            {"fields": ["nme", "display_name"], "order": "nme"},
            {"fields": ["nme"]},
        ],
    )
    def test_a_wrong_condition_or_order_is_an_error(self, query: dict[str, Any]) -> None:
        odoo = scripted(search_read=[ROW])
        (answer,) = run_queries(odoo, [{"model": "res.partner", **query}]).answers
        assert answer.error["code"] == "INVALID_FIELD"
        assert odoo.sent == []

    def test_each_is_answered_by_itself_also_when_one_is_wrong(self) -> None:
        odoo = scripted(search_count=3, search_read=[ROW])
        answers = run_queries(
            odoo,
            [
                {"model": "sale.order", "domain": [["state", "=", "sale"]], "count": True},
                {"model": "res.partner", "fields": ["nme"]},
                {"model": "res.partner", "fields": ["display_name", "parent_id"], "limit": 1},
                {"domain": []},
                {"model": "res.partner", "filds": ["name"]},
                "partners",
                {"model": "no.model", "count": True},
                {"model": "res.partner", "domain": [["name", "="]]},
                {"model": "res.partner", "limit": "many"},
            ],
        )

        assert answers[0].count == 3
        assert answers[0].error is None
        assert answers[2].records == [{"id": 7, "display_name": "Ann", "parent_id": None}]
        assert answers[2].has_more
        errors = [answer.error or {} for answer in answers]
        assert [bool(error) for error in errors] == [False, True, False] + [True] * 6
        assert errors[1]["code"] == "INVALID_FIELD"
        assert errors[4]["suggestion"] == "Use fields."
        assert errors[7]["code"] == "INVALID_DOMAIN"
        assert all(error["message"] for error in errors if error)

    @pytest.mark.parametrize(
        ("context", "suggestion"),
        [
            ({"langg": "fr_FR"}, "Use lang. Known keys are lang, tz, "),
            ({"active_tests": False}, "Use active_test. Known keys are "),
            ({"color": 3}, "Omit it. Known keys are "),
            ({"allowed_company_ids": 1}, "Correct the value, or omit it."),
            ("lang", 'Pass an object such as {"lang": "fr_FR"}.'),
        ],
    )
    def test_a_wrong_context_says_what_to_pass(self, context: Any, suggestion: str) -> None:
        odoo = scripted(Policy(mode="readonly"), search_read=[ROW])
        (answer,) = run_queries(odoo, [{"model": "res.partner"}], context).answers
        assert answer.error["suggestion"].startswith(suggestion)
        assert odoo.sent == []

    def test_one_round_trip_each(self) -> None:
        odoo = scripted(search_count=3, search_read=[ROW])
        run_queries(odoo, [{"model": "sale.order", "count": True}, {"model": "res.partner"}])

        assert sorted(odoo.methods()) == ["res.partner.search_read", "sale.order.search_count"]

    def test_null_counts_as_left_out(self) -> None:
        odoo = scripted(search_read=[])
        (answer,) = run_queries(odoo, [{"model": "res.partner", "order": None, "count": None}])

        assert answer.records == []

    def test_the_policy_judges_each(self) -> None:
        odoo = scripted(Policy(model_blocklist="sale.order"), search_count=3)
        closed, opened = run_queries(
            odoo, [{"model": m, "count": True} for m in ("sale.order", "res.partner")]
        )

        assert closed.error["code"] == "MODEL_BLOCKED"
        assert opened.count == 3
        assert odoo.methods() == ["res.partner.search_count"]

    def test_where_odoo_cannot_be_asked_at_all_the_call_fails(self) -> None:
        odoo = scripted(search_count=OdooConnectionError("gone"))
        with pytest.raises(OdooConnectionError, match="gone"):
            run_queries(odoo, [{"model": "sale.order", "count": True}] * 2)

    @pytest.mark.parametrize("asked", [[], "x", {"model": "sale.order"}, [{}] * 21])
    def test_no_list_of_questions_is_refused(self, asked: Any) -> None:
        with pytest.raises(ValidationError):
            run_queries(scripted(), asked)


class TestReturnFields:
    """What was written, as it is now, in the same result."""

    def test_without_them_only_what_was_given_is_read(self) -> None:
        there = {"id": 7, "name": "Ann"}
        odoo = scripted(
            create=[7], search_read=[there], write=True, action_confirm=True, read=[there]
        )
        created = create(odoo, "res.partner", {"name": "Ann"})
        write(odoo, "res.partner", [7], {"name": "Ann"})
        execute(odoo, "sale.order", "action_confirm", [[7]])

        assert [call.method for call in odoo.sent] == [
            "create",
            "read",
            "search_read",
            "write",
            "read",
            "action_confirm",
        ]
        assert created.records == []

    @pytest.mark.parametrize(
        ("method", "result", "read", "said"),
        [
            ("copy", 8, ("sale.order", (8,)), "returned"),
            ("copy", [8], ("sale.order", (8,)), "returned"),
            ("search", [8, 9], ("sale.order", (8, 9)), "returned"),
            ("fix", "res.partner(8, 9)", ("res.partner", (8, 9)), "returned"),
            ("fix", "res.partner(8,)", ("res.partner", (8,)), "returned"),
            (
                "fix",
                {"type": "ir.actions.act_window", "res_model": "res.partner", "res_id": 8},
                ("res.partner", (8,)),
                "returned",
            ),
            (
                "fix",
                {"type": "ir.actions.act_window", "res_model": "res.partner", "domain": []},
                ("sale.order", (7,)),
                "was called on",
            ),
            ("fix", True, ("sale.order", (7,)), "was called on"),
            ("fix", None, ("sale.order", (7,)), "was called on"),
            ("fix", "done", ("sale.order", (7,)), "was called on"),
            ("fix", [8], ("sale.order", (7,)), "was called on"),
        ],
    )
    def test_what_a_method_returned_is_read_else_what_it_was_called_on(
        self, method: str, result: Any, read: Any, said: str
    ) -> None:
        odoo = scripted(**{method: result, "read": lambda call: [{"id": n} for n in call.ids]})
        given = [["id", "=", 7]] if method == "search" else [7]
        done = execute(odoo, "sale.order", method, [given], return_fields=["display_name"])
        assert [(call.model, call.ids) for call in odoo.asked("read")] == [read]
        assert done.read_from == f"{read[0]}: what {method} {said}"
        # What the numbers of an unknown method are is not guessed.
        unknown = "fix returned numbers, which might be ids."
        assert done.warnings == ([unknown] if result == [8] and method == "fix" else [])

    def test_names_and_states_as_far_as_the_model_has_them(self) -> None:
        row = {"id": 7, "display_name": "S7", "state": "draft"}
        odoo = scripted(create=[7], read=[{**row, "name": "S7"}])
        order = create(odoo, "sale.order", {"name": "S7"}, return_fields=NAMES_AND_STATES)

        # What was given is read in the same call, and compared, and not told.
        assert odoo.sent[1].arguments["fields"] == ["display_name", "state", "name"]
        assert order.records == [row]

    @pytest.mark.parametrize("fields", [["nme"], "name", ["password"]])
    def test_wrong_ones_are_refused_before_anything_is_written(self, fields: Any) -> None:
        odoo = scripted(create=[7], write=True, action_confirm=True)
        for action in (
            lambda: create(odoo, "res.partner", {"name": "A"}, return_fields=fields),
            lambda: write(odoo, "res.partner", [7], {"name": "A"}, return_fields=fields),
            lambda: execute(odoo, "sale.order", "action_confirm", [[7]], return_fields=fields),
        ):
            with pytest.raises(OdooError):
                action()

        assert odoo.sent == []

    def test_what_is_written_stays_written_when_it_cannot_be_read(self) -> None:
        odoo = scripted(create=[7], read=AccessError("no"))
        created = create(odoo, "res.partner", {"name": "Ann"}, return_fields=["name"])

        assert (created.id, created.records) == (7, [])
        assert "The call succeeded, but the records cannot be read back" in created.warnings[0]
