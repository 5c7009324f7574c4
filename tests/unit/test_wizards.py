"""Wizards: what is sent to run one, what comes of it, and how one is described."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from odoo_toolkit.errors import AccessError, ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit.records import execute
from odoo_toolkit.wizards import answer_wizard, describe_wizard, known_wizard
from odoo_toolkit.wizards.actions import action_context, is_wizard_action
from odoo_toolkit.wizards.catalog import KNOWN_WIZARDS
from tests.unit.fake_sales import VERSIONS, FakeOdoo
from tests.unit.fake_wizards import CANCEL_ACTION, cancelling, immediate


def backorder(picking: int = 5) -> dict[str, Any]:
    """Return the action that asks what becomes of the rest."""
    return {**immediate(picking), "res_model": "stock.backorder.confirmation"}


def test_defaults_are_merged_with_the_answers_and_the_context_is_on_every_call() -> None:
    """default_get, create and the button carry the source's context and the action's own."""
    odoo = cancelling(16)
    outcome = answer_wizard(odoo, CANCEL_ACTION, {"subject": "Sorry"}, source=("sale.order", [26]))
    assert odoo.called == ["default_get", "create", "action_cancel"]
    for call in odoo.sent:
        assert (
            call.context.items()
            >= {
                "active_model": "sale.order",
                "active_id": 26,
                "active_ids": [26],
                "default_order_id": 26,
            }.items()
        )
    assert odoo.sent[1].arguments["vals_list"] == {
        "order_id": 26,
        "display_delivery_alert": False,
        "subject": "Sorry",
    }
    assert odoo.sent[2].ids == (7,)
    assert (outcome.done, outcome.kind, outcome.wizard_id) == (True, "done", 7)


def test_a_wizard_that_exists_already_is_not_created_again() -> None:
    """An action with res_id names the record; answers are written to it."""
    odoo = cancelling(16)
    odoo.answers["sale.order.cancel", "write"] = True
    answer_wizard(odoo, {**CANCEL_ACTION, "res_id": 9}, {"subject": "x"})
    assert odoo.called == ["write", "action_cancel"]
    assert [call.ids for call in odoo.sent] == [(9,), (9,)]


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        (None, "done"),
        (True, "done"),
        ({"type": "ir.actions.act_window_close"}, "done"),
        ({"type": "ir.actions.report", "report_name": "a.b"}, "report"),
        ({"type": "ir.actions.act_url", "url": "/x"}, "url"),
        ({"type": "ir.actions.act_window", "res_model": "sale.order", "res_id": 3}, "action"),
        # A dialog on an ordinary model is no wizard.
        ({"type": "ir.actions.act_window", "res_model": "sale.order", "target": "new"}, "action"),
    ],
)
def test_results_are_told_apart(result: Any, kind: str) -> None:
    """Whatever is no wizard completes the operation."""
    odoo = cancelling(16)
    odoo.answers["sale.order.cancel", "action_cancel"] = result
    outcome = answer_wizard(odoo, "sale.order.cancel", source=("sale.order", [26]))
    assert (outcome.kind, outcome.done) == (kind, True)


def test_a_chain_ends_after_three_wizards() -> None:
    """A wizard that opens itself again and again is handed to the caller."""
    odoo = FakeOdoo(17)
    odoo.answers |= {
        ("stock.backorder.confirmation", "default_get"): {},
        ("stock.backorder.confirmation", "create"): 2,
        ("stock.backorder.confirmation", "process"): backorder(),
    }
    outcome = answer_wizard(odoo, backorder(), source=("stock.picking", [5]))
    assert odoo.called.count("process") == 3
    assert (outcome.done, outcome.kind) == (False, "wizard")


def test_a_wizard_that_costs_something_does_not_run_by_itself() -> None:
    """A payment is never registered because some other wizard happened to open it."""
    odoo = cancelling(16)
    payment = {**CANCEL_ACTION, "res_model": "account.payment.register"}
    odoo.answers["sale.order.cancel", "action_cancel"] = payment
    outcome = answer_wizard(odoo, CANCEL_ACTION, source=("sale.order", [26]))
    assert (outcome.done, outcome.kind) == (False, "wizard")
    assert odoo.called.count("create") == 1


def test_an_unknown_wizard_with_one_button_needs_no_method() -> None:
    """Its only object button is pressed; with several, the caller has to say which."""
    odoo = FakeOdoo(19)  # stock.picking stands for a wizard that is not known
    form = {"arch": '<form><footer><button name="go" type="object" string="Go"/></footer></form>'}
    odoo.answers |= {
        ("stock.picking", "get_view"): form,
        ("stock.picking", "default_get"): {},
        ("stock.picking", "create"): [4],
        ("stock.picking", "go"): None,
    }
    assert answer_wizard(odoo, "stock.picking").wizard_id == 4
    form["arch"] = form["arch"].replace(
        "</footer>", '<button name="stop" type="object" string="Stop"/></footer>'
    )
    odoo.sent.clear()
    with pytest.raises(ValidationError, match="several buttons") as raised:
        answer_wizard(odoo, "stock.picking")
    assert raised.value.details["methods"] == ["go", "stop"]
    assert "create" not in odoo.called


@pytest.mark.parametrize(
    ("policy", "allowed"),
    [
        (Policy(mode="restricted", write_allowlist="sale.order"), True),
        (Policy(mode="restricted", write_allowlist="sale.order.cancel"), False),
        (Policy(mode="restricted", write_allowlist="res.partner"), False),
        (Policy(mode="readonly"), False),
        (Policy(model_allowlist="sale.order"), True),
        (Policy(model_blocklist="sale.order.cancel"), False),
        (Policy(model_blocklist="sale.order"), False),
    ],
)
def test_the_policy_judges_a_wizard_by_its_source(policy: Policy, allowed: bool) -> None:
    """Allowlists name the order, not the wizard; what is blocked stays so; nothing is sent."""
    odoo = cancelling(16, policy)
    if allowed:
        assert answer_wizard(odoo, CANCEL_ACTION, source=("sale.order", [26])).done
        return
    with pytest.raises(AccessError):
        answer_wizard(odoo, CANCEL_ACTION, source=("sale.order", [26]))
    assert odoo.sent == []


def test_the_policy_judges_execute_by_the_model_itself() -> None:
    """What a caller calls freely cannot borrow the rights of another model."""
    odoo = cancelling(16, Policy(mode="restricted", write_allowlist="sale.order"))
    with pytest.raises(AccessError):
        execute(odoo, "sale.order.cancel", "action_cancel", [[7]])
    assert odoo.sent == []


def test_execute_describes_the_wizard_and_does_nothing_more() -> None:
    """Questions, buttons, context and instructions are all there (REQ-05a-09)."""
    odoo = cancelling(16)
    odoo.answers["sale.order", "action_cancel"] = CANCEL_ACTION
    result = execute(odoo, "sale.order", "action_cancel", [[26]])
    assert result.result_type == "action"
    assert result.action["res_model"] == "sale.order.cancel"
    wizard = result.wizard
    assert wizard.wizard_required is True
    assert [button.method for button in wizard.buttons] == [
        "action_send_mail_and_cancel",
        "action_cancel",
    ]
    assert wizard.context_hint.items() >= {"active_ids": [26], "default_order_id": 26}.items()
    assert "cancel_order answers it" in wizard.instructions
    assert set(wizard.wizard_fields) == {"subject"}
    assert odoo.called == ["action_cancel", "get_view"]


def test_an_action_that_cannot_be_described_is_still_an_answer() -> None:
    """The method was carried out: a blocked wizard is a warning, not a failure."""
    odoo = cancelling(16, Policy(model_blocklist="sale.order.cancel"))
    odoo.answers["sale.order", "action_cancel"] = CANCEL_ACTION
    odoo.answers["sale.order.cancel", "get_view"] = {"arch": "<form"}
    result = execute(odoo, "sale.order", "action_cancel", [[26]])
    assert result.result_type == "action"


def test_the_view_is_asked_the_way_of_the_version() -> None:
    """get_view exists from 16 on, fields_view_get before."""
    for major in (14, 15, 16, 18):
        odoo = cancelling(major)
        describe_wizard(odoo, CANCEL_ACTION)
        assert odoo.called == ["get_view" if major >= 16 else "fields_view_get"]


def test_a_context_in_text_is_read_with_its_names() -> None:
    """Actions from the database carry their context as text."""
    names = {"active_id": 3, "active_ids": [3, 4], "uid": 2}
    action = {"context": "{'default_order_id': active_id, 'ids': active_ids}"}
    assert action_context(action, names) == {"default_order_id": 3, "ids": [3, 4]}
    assert action_context({"context": "{'x': __import__('os')}"}, names) == {}
    assert action_context({"context": "{"}, names) == {}


@pytest.mark.parametrize("major", VERSIONS)
def test_the_catalogue_knows_one_shape_per_version(major: int) -> None:
    """Of each wizard there is at most one entry per version, and what is gone is unknown."""
    for model in {wizard.model for wizard in KNOWN_WIZARDS}:
        entries = [
            wizard
            for wizard in KNOWN_WIZARDS
            if wizard.model == model
            and wizard.min_odoo_version <= major <= (wizard.max_odoo_version or major)
        ]
        assert len(entries) <= 1
    assert (known_wizard("sale.order.cancel", major) is None) == (major == 19)
    assert (known_wizard("stock.immediate.transfer", major) is None) == (major >= 17)
    payment = known_wizard("account.payment.register", major)
    assert ("payment_method_id" in payment.fields) == (major == 14)
    reversal = known_wizard("account.move.reversal", major)
    assert reversal.action_method == ("reverse_moves" if major <= 16 else "refund_moves")
    lead = known_wizard("crm.lead2opportunity.partner", major)
    options = [value for value, _ in lead.fields["action"].selection or ()]
    assert ("nothing" in options) == (major <= 18)


@pytest.mark.parametrize("major", VERSIONS)
def test_the_catalogue_names_fields_that_the_version_has(major: int) -> None:
    """Checked against the recorded fields, for the wizards recorded here."""
    odoo = FakeOdoo(major)
    checked = 0
    for wizard in KNOWN_WIZARDS:
        if known_wizard(wizard.model, major) is wizard and odoo.schema.has_model(wizard.model):
            assert set(wizard.fields) <= set(odoo.schema.fields(wizard.model))
            checked += 1
    assert checked >= 2


def test_a_wizard_on_a_server_that_does_not_list_its_models_is_taken_for_one() -> None:
    """Odoo 15 does not tell ordinary users which models are transient."""
    odoo = FakeOdoo(15)
    odoo.answers["ir.model", "search_count"] = AccessError("no")
    action = {"type": "ir.actions.act_window", "target": "new", "res_model": "some.wizard"}
    assert is_wizard_action(odoo, action)
    assert not is_wizard_action(odoo, {**action, "target": "current"})
    assert not is_wizard_action(odoo, {"type": "ir.actions.client", "target": "new"})


def test_descriptions_are_plain_data() -> None:
    """They can be given as details of an error."""
    described = attrs.asdict(describe_wizard(cancelling(16), CANCEL_ACTION))
    assert described["wizard_model"] == "sale.order.cancel"
