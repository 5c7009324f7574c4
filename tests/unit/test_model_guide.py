"""Methods, states and transitions of models, from forms recorded on all six versions."""

from __future__ import annotations

import pytest

from odoo_toolkit.app_models import COMMON_MODELS, known
from odoo_toolkit.call import Call
from odoo_toolkit.errors import AccessError, NotFoundError
from odoo_toolkit.model_guide import (
    ModelStates,
    has_chatter,
    known_models,
    model_label,
    model_methods,
    model_states,
    new_record_values,
    related_models,
)
from odoo_toolkit.model_guide.visibility import fields_in, holds, visible_states
from odoo_toolkit.policy import Policy
from odoo_toolkit.wizards.form_view import Condition, parse_form
from tests.unit.guided import Guided
from tests.unit.scripted import VERSIONS

DRAFT = {("sale.order", "default_get"): {"state": "draft"}}


def steps(states: ModelStates) -> set[tuple[str, str, str]]:
    return {(step["from"], step["method"], step["to"]) for step in states.transitions}


def states_of(major: int, model: str) -> ModelStates:
    return model_states(Guided(major, {(model, "default_get"): {"state": "draft"}}), model)


# Sales orders on all versions.


@pytest.mark.parametrize("major", VERSIONS)
def test_a_posted_invoice_can_be_cancelled_though_no_form_offers_it(major: int) -> None:
    """As the line that tools are described with says, too: there is one truth."""
    states = states_of(major, "account.move")
    cancelled_from = {start for start, method, _ in steps(states) if method == "button_cancel"}

    assert cancelled_from == {"draft", "posted"}
    assert "draft, posted -> [button_cancel] cancel" in known("account.move").describe_moves()
    assert "button_cancel" not in next(s.methods for s in states.states if s.value == "posted")


def test_an_order_may_need_approval() -> None:
    found = steps(states_of(19, "purchase.order"))

    assert {
        ("draft", "button_confirm", "purchase"),
        ("draft", "button_confirm", "to approve"),
        ("to approve", "button_approve", "purchase"),
    } <= found


def test_stages_are_the_states_of_a_model_without_a_state() -> None:
    rows = [{"id": 1, "display_name": "New"}, {"id": 4, "display_name": "Won"}]
    odoo = Guided(19, {("crm.stage", "search_read"): rows})

    states = model_states(odoo, "crm.lead")

    assert states.state_field == "stage_id"
    assert [(state.value, state.label) for state in states.states] == [(1, "New"), (4, "Won")]
    assert states.transitions == []


def test_a_model_without_states_says_so() -> None:
    states = model_states(Guided(19), "res.partner")

    assert states.state_field is None
    assert states.states == []
    assert "neither" in states.note


# Methods.


def test_what_else_decides_whether_a_button_is_seen_is_told() -> None:
    methods = {m.name: m for m in model_methods(Guided(19), "sale.order").methods}

    assert methods["action_cancel"].depends_on == ["locked"]
    assert methods["action_cancel"].states == ["draft", "sent", "sale"]
    assert methods["action_cancel"].confirm.startswith("Are you sure")
    assert methods["action_unlock"].states == []


def test_the_servers_documentation_adds_methods_and_says_what_they_do() -> None:
    documentation = {
        "methods": {
            "action_confirm": {
                "doc": "<div><p>Confirm the quotations.</p><p>Details follow.</p></div>",
                "signature": "() -> bool",
                "parameters": {},
            },
            "action_lock": {"signature": "()", "parameters": {}},
            "action_view_invoice": {
                "signature": "(invoices=False)",
                "parameters": {"invoices": {}},
            },
            "search": {"signature": "(domain)", "parameters": {"domain": {}}},
        }
    }
    found = model_methods(Guided(19, documentation=documentation), "sale.order")
    methods = {method.name: method for method in found.methods}

    assert methods["action_confirm"].description == "Confirm the quotations."
    assert methods["action_confirm"].signature == "() -> bool"
    assert methods["action_lock"].description == "Lock"
    assert methods["action_view_invoice"].accepts_kwargs is True
    assert "search" not in methods
    assert found.source.endswith("documentation")
    assert found.count == len(found.methods)


def test_methods_that_may_never_be_called_are_not_told() -> None:
    policy = Policy(method_blocklist="action_confirm")
    names = [m.name for m in model_methods(Guided(19, policy=policy), "sale.order").methods]

    assert "action_confirm" not in names
    assert "action_cancel" in names


def test_blocked_fields_are_not_named() -> None:
    policy = Policy(field_blocklist="locked")
    methods = {m.name: m for m in model_methods(Guided(19, policy=policy), "sale.order").methods}

    assert methods["action_cancel"].depends_on == []


@pytest.mark.parametrize("function", [model_methods, model_states])
def test_a_blocked_model_is_an_error_though_its_form_is_never_shown_on(function: object) -> None:
    odoo = Guided(19, DRAFT, policy=Policy(model_blocklist="sale.order"))

    with pytest.raises(AccessError) as caught:
        function(odoo, "sale.order")

    assert caught.value.code == "MODEL_BLOCKED"
    assert "sale.order.get_view" not in odoo.methods()


@pytest.mark.parametrize("function", [model_methods, model_states])
@pytest.mark.parametrize("model", ["sale.order", "res.partner", "crm.lead"])
def test_a_model_that_odoo_refuses_is_an_error(function: object, model: str) -> None:
    """Its fields can be had all the same: only the form tells that it may not be read."""
    refused = AccessError("no", code="ACCESS_DENIED")
    answers = {(model, "get_view"): refused, (model, "default_get"): {}}

    with pytest.raises(AccessError):
        function(Guided(19, answers), model)


def test_an_unknown_model_is_an_error() -> None:
    with pytest.raises(NotFoundError):
        model_methods(Guided(19, {("ir.model", "get_available_models"): []}), "sale.ordr")


# Conditions.


@pytest.mark.parametrize(
    ("condition", "hidden"),
    [
        ("state != 'draft'", False),
        ("state == 'draft'", True),
        ("state not in ('draft', 'sent')", False),
        ("state in ['draft'] and locked", None),
        ("state in ['sale'] and locked", False),
        ("state != 'draft' or not id", False),
        ("not locked", None),
        ("not locked or state == 'draft'", True),
        ("'draft' == state", True),
        ("'a' < state < 'z'", True),
        ("state.startswith('d')", None),
        ("__import__('os').system('true')", None),
        ("((", None),
        ([["state", "!=", "draft"]], False),
        (["|", ["state", "=", "draft"], ["locked", "=", True]], True),
        (["&", ["state", "=", "draft"], ["locked", "=", True]], None),
        (["!", ["state", "=", "draft"]], False),
        ([["state", "=", "draft"], ["locked", "=", True]], None),
        (["|", ["id", "=", False], ["state", "not in", ["draft"]]], False),
        ([["state", "like", "dr"]], None),
        (["|"], None),
    ],
)
def test_conditions_are_judged_by_the_state_alone(condition: object, hidden: bool | None) -> None:
    """None: it depends on more than the state of a saved record."""
    assert holds(condition, {"id": 1, "state": "draft"}) is hidden


def test_fields_in_conditions_are_named_once_and_without_the_context() -> None:
    conditions: list[Condition] = [
        "state != 'draft' or not locked or context.get('x') or id",
        [["locked", "=", 1]],
    ]

    assert fields_in(conditions) == ["state", "locked"]


# Forms.


def test_a_button_is_hidden_by_what_it_stands_in() -> None:
    arch = """<form><header><div invisible="state == 'a'">
        <button name="go" type="object" string="Go" invisible="state == 'b'"/>
        </div></header></form>"""
    (button,) = parse_form(arch).buttons

    assert visible_states(button, "state", ["a", "b", "c"]) == ["c"]


def test_what_is_never_shown_is_left_out() -> None:
    arch = """<form>
        <button name="one" type="object" invisible="1"/>
        <button name="two" type="object" modifiers='{"invisible": true}'/>
        <group invisible="True"><button name="three" type="object"/></group>
        <button name="action" type="action"/>
        <field name="line_ids"><form><button name="of_a_line" type="object"/></form></field>
        <button name="four" type="object" invisible="0" modifiers='{"readonly": true}'>
          <span>Four</span> <span>words</span></button>
        </form>"""
    form = parse_form(arch)

    assert [(button.method, button.label) for button in form.buttons] == [("four", "Four words")]
    assert form.buttons[0].hidden_when == ()
    assert form.fields == ("line_ids",)


def test_fields_that_a_form_holds_without_showing_them_are_known_apart() -> None:
    form = parse_form(
        "<form><field name='a' invisible='1'/><group invisible='1'><field name='b'/></group>"
        "<field name='c'/><field name='c' invisible='1'/></form>"
    )

    assert (form.fields, form.hidden) == (("c",), ("a", "b"))


def test_states_of_older_forms_are_conditions() -> None:
    form = parse_form("<form><button name='x' type='object' states='draft, sent'/></form>")

    assert visible_states(form.buttons[0], "state", ["draft", "sent", "sale"]) == ["draft", "sent"]


# Relations and new records.


def test_related_models_are_those_that_fields_lead_to() -> None:
    related = related_models(Guided(19), "sale.order")

    assert related["res.partner"] == ["partner_id"]
    assert related["sale.order.line"] == ["order_line"]
    assert "mail.message" not in related


def test_a_blocked_model_is_not_among_the_related_ones() -> None:
    odoo = Guided(19, policy=Policy(model_blocklist="res.partner"))

    assert "res.partner" not in related_models(odoo, "sale.order")


def test_messages_are_a_chatter() -> None:
    odoo = Guided(19)

    assert has_chatter(odoo.schema.fields("sale.order")) is True
    assert has_chatter(odoo.schema.fields("crm.stage")) is False


@pytest.mark.parametrize(("major", "mark"), [(14, "1"), (19, {})])
def test_a_new_record_is_asked_for_in_the_form_of_each_version(major: int, mark: object) -> None:
    value = {"journal_id": 3, "date": "2026-01-01", "ref": False}
    odoo = Guided(major, {("account.move", "onchange"): {"value": value}})

    filled = new_record_values(odoo, "account.move", ["journal_id", "date", "ref", "nonsense"])

    assert filled == {"journal_id": 3, "date": "2026-01-01"}
    (call,) = odoo.asked("onchange")
    assert call.arguments["fields_spec"]["journal_id"] == mark
    assert call.arguments["fields_spec"].keys() >= {"journal_id", "date", "ref"}
    assert "nonsense" not in call.arguments["fields_spec"]
    assert call.reads


# What models are called.


def test_a_label_takes_one_question_on_every_version() -> None:
    """On 14 the list of readable models takes hundreds."""
    rows = [{"name": "Sales Order"}]
    models = [{"model": "sale.order", "display_name": "Sales Order"}]
    old = Guided(14, {("ir.model", "search_read"): rows})
    new = Guided(19, {("ir.model", "get_available_models"): models})

    for odoo in (old, new):
        assert [model_label(odoo, "sale.order") for _ in range(2)] == ["Sales Order"] * 2
        assert len(odoo.sent) == 1


def test_a_label_that_nobody_tells_is_the_well_known_or_the_technical_name() -> None:
    refused = {("ir.model", "search_read"): AccessError("no", code="ACCESS_DENIED")}

    assert model_label(Guided(15, refused), "sale.order") == "Sales Order"
    assert model_label(Guided(15, refused), "x.y") == "x.y"


def test_well_known_models_are_those_that_may_be_read() -> None:
    def may(call: Call) -> bool:
        return call.model in ("sale.order", "res.partner")

    answers = {(model, "check_access_rights"): may for model in COMMON_MODELS}
    old = Guided(15, answers, Policy(model_blocklist="res.partner"))
    new = Guided(19, {("ir.model", "get_available_models"): _AVAILABLE})

    assert known_models(old) == {"sale.order": "Sales Order"}
    assert known_models(new) == {"sale.order": "Order"}


_AVAILABLE = [
    {"model": "sale.order", "display_name": "Order"},
    {"model": "x.custom", "display_name": "Custom"},
]
