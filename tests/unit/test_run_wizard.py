"""Any wizard, answered for a caller: what is sent, what is told, and what the policy lets pass."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.errors import AccessError, OdooError, ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit.records import execute, run_wizard
from tests.unit.fake_sales import FakeOdoo
from tests.unit.fake_wizards import CANCEL_ACTION, cancelling, immediate

ORDER = {"id": 26, "display_name": "S00026", "state": "cancel"}
SALES = Policy(mode="restricted", write_allowlist="sale.order")
PICKINGS = Policy(mode="restricted", write_allowlist="stock.picking")


def order_cancelling(major: int = 16, policy: Policy | None = None) -> FakeOdoo:
    """Return an Odoo whose cancel wizard works, and that tells of the order afterwards."""
    odoo = cancelling(major, policy)
    odoo.answers["sale.order", "read"] = [ORDER]
    return odoo


def delivering(policy: Policy) -> FakeOdoo:
    """Return an Odoo 14 whose immediate transfer works."""
    odoo = FakeOdoo(14, policy)
    odoo.answers |= {
        ("stock.immediate.transfer", "default_get"): {"pick_ids": [[4, 5]]},
        ("stock.immediate.transfer", "create"): 1,
        ("stock.immediate.transfer", "process"): True,
        ("stock.picking", "read"): [{"id": 5, "display_name": "OUT/5", "state": "done"}],
    }
    return odoo


def test_what_the_wizard_opened_is_told_with_its_state() -> None:
    odoo = order_cancelling()
    opened = {
        "type": "ir.actions.act_window",
        "res_model": "sale.order",
        "domain": [["id", "in", [26]]],
    }
    odoo.answers["sale.order.cancel", "action_cancel"] = opened
    result = run_wizard(odoo, CANCEL_ACTION)

    assert (result.model, result.records, result.action) == ("sale.order", [ORDER], None)


def test_describing_presses_no_button() -> None:
    odoo = order_cancelling()
    result = run_wizard(odoo, "sale.order.cancel", model="sale.order", ids=[26], describe=True)

    # What it proposes is asked for, with the name of the order.
    assert odoo.called == ["default_get", "read", "get_view"]
    assert not result.done
    assert "run_wizard with wizard sale.order.cancel" in result.wizard.instructions


def test_what_execute_describes_can_be_answered_as_it_was_described() -> None:
    """The description's model and context are enough; execute shows how the order is."""
    odoo = order_cancelling()
    odoo.answers["sale.order", "action_cancel"] = CANCEL_ACTION
    opened = execute(odoo, "sale.order", "action_cancel", [[26]], return_fields=["state"])
    assert opened.message == "Odoo asks a question in sale.order.cancel. Answer it with run_wizard."
    assert opened.records == [ORDER]
    assert opened.read_from == "sale.order: what action_cancel was called on"
    odoo.sent.clear()
    result = run_wizard(odoo, opened.wizard.wizard_model, context=opened.wizard.context_hint)

    assert result.done
    assert result.records == [ORDER]
    context = odoo.sent[2].context
    assert (context["active_ids"], context["default_order_id"]) == ([26], 26)


def test_the_next_wizard_is_described_in_the_result() -> None:
    """A payment is never registered because another wizard opened it."""
    odoo = order_cancelling()
    payment = {**CANCEL_ACTION, "res_model": "account.payment.register", "name": "Pay"}
    odoo.answers["sale.order.cancel", "action_cancel"] = payment
    odoo.answers["account.payment.register", "get_view"] = {"arch": "<form/>"}
    result = run_wizard(odoo, CANCEL_ACTION, model="sale.order", ids=[26])

    assert not result.done
    assert result.wizard.wizard_model == "account.payment.register"
    assert "Now Odoo asks a question in account.payment.register" in result.message
    assert "create" not in [call.method for call in odoo.sent[3:]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"wizard": "sale.order"}, "sale.order is not a wizard"),
        ({"wizard": {"type": "ir.actions.act_window_close"}}, "This does not open a wizard"),
        ({"wizard": {**CANCEL_ACTION, "res_id": "x"}}, "not a record id"),
        ({"wizard": CANCEL_ACTION, "model": "sale.order"}, "both model and ids"),
        ({"wizard": CANCEL_ACTION, "ids": [3]}, "both model and ids"),
        ({"wizard": CANCEL_ACTION, "method": "unlink"}, "unlink is not a button"),
        ({"wizard": CANCEL_ACTION, "method": "write"}, "write is not a button"),
        ({"wizard": CANCEL_ACTION, "values": {"subjct": "x"}}, "subjct"),
        ({"wizard": "no.wizard"}, "no.wizard"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_sent(
    arguments: dict[str, Any], words: str
) -> None:
    odoo = order_cancelling()
    with pytest.raises(OdooError) as raised:
        run_wizard(odoo, **arguments)

    assert words in str(raised.value)
    assert {call.method for call in odoo.sent} <= {"fields_get", "get_available_models"}


def test_restricted_mode_answers_known_wizards_of_listed_models() -> None:
    """The records that it acts on must be on the list, not the wizard."""
    assert run_wizard(order_cancelling(16, SALES), CANCEL_ACTION, model="sale.order", ids=[26]).done
    odoo = delivering(PICKINGS)
    assert run_wizard(odoo, immediate(), model="stock.picking", ids=[5]).done
    assert odoo.sent[1].context["button_validate_picking_ids"] == [5]
    # What the catalogue does not know of the context is left out.
    assert "default_show_transfers" not in odoo.sent[1].context


BORROWED: dict[str, tuple[Policy, dict[str, Any]]] = {
    "source off the list": (
        Policy(mode="restricted", write_allowlist="res.partner"),
        {"wizard": CANCEL_ACTION, "model": "sale.order", "ids": [26]},
    ),
    "wizard of another model": (
        SALES,
        {"wizard": immediate(), "model": "sale.order", "ids": [26]},
    ),
    "other records in the context": (
        SALES,
        {
            "wizard": CANCEL_ACTION,
            "model": "sale.order",
            "ids": [26],
            "context": {"active_model": "account.move", "active_ids": [3]},
        },
    ),
    "method that is not a button": (
        SALES,
        {"wizard": CANCEL_ACTION, "model": "sale.order", "ids": [26], "method": "action_post"},
    ),
    "answers beyond the catalogue": (
        SALES,
        {"wizard": CANCEL_ACTION, "model": "sale.order", "ids": [26], "values": {"subject": "x"}},
    ),
    "a template among the answers": (
        SALES,
        {
            "wizard": {**CANCEL_ACTION, "context": {"default_subject": "{{ object.env }}"}},
            "model": "sale.order",
            "ids": [26],
        },
    ),
    "records made by a command": (
        PICKINGS,
        {
            "wizard": immediate(),
            "model": "stock.picking",
            "ids": [5],
            "values": {"pick_ids": [[0, 0, {"name": "x"}]]},
        },
    ),
    "records made by the context": (
        PICKINGS,
        {
            "wizard": {**immediate(), "context": {"default_pick_ids": [[0, 0, {"name": "x"}]]}},
            "model": "stock.picking",
            "ids": [5],
        },
    ),
    "no records": (SALES, {"wizard": CANCEL_ACTION}),
    "readonly": (
        Policy(mode="readonly"),
        {"wizard": CANCEL_ACTION, "model": "sale.order", "ids": [26]},
    ),
    "closed wizard": (
        Policy(model_blocklist="sale.order.cancel"),
        {"wizard": CANCEL_ACTION, "model": "sale.order", "ids": [26]},
    ),
    "closed source": (
        Policy(model_blocklist="sale.order"),
        {"wizard": CANCEL_ACTION, "model": "sale.order", "ids": [26]},
    ),
    "rendered text in full mode": (
        Policy(),
        {
            "wizard": CANCEL_ACTION,
            "model": "sale.order",
            "ids": [26],
            "values": {"subject": "{{ object.env }}"},
        },
    ),
}


@pytest.mark.parametrize("name", BORROWED)
def test_no_rights_are_borrowed_by_way_of_a_wizard(name: str) -> None:
    """What a caller shapes beyond the catalogue is a free call, and judged as one."""
    policy, arguments = BORROWED[name]
    wizard = arguments["wizard"]
    stock = isinstance(wizard, dict) and wizard["res_model"].startswith("stock")
    odoo = delivering(policy) if stock else order_cancelling(16, policy)
    with pytest.raises((AccessError, ValidationError)):
        run_wizard(odoo, **arguments)

    assert odoo.sent == []


@pytest.mark.parametrize("values", [{"name": "merge", "duplicated_lead_ids": [1, 2]}, {}])
def test_a_wizard_that_may_delete_others_is_not_answered_in_restricted_mode(
    values: dict[str, Any],
) -> None:
    """Left to itself, it merges leads that share an address; the operation never does."""
    from tests.unit.scripted import Scripted

    odoo = Scripted(16, policy=Policy(mode="restricted", write_allowlist="crm.lead"))
    with pytest.raises(AccessError) as raised:
        run_wizard(odoo, "crm.lead2opportunity.partner", values, "crm.lead", [3])

    assert "The usual case is simpler with convert_to_opportunity" in raised.value.suggestion
    assert odoo.sent == []


@pytest.mark.parametrize("policy", [SALES, Policy(mode="readonly")])
def test_a_wizard_that_is_not_known_is_a_free_call(policy: Policy) -> None:
    odoo = FakeOdoo(16, policy)
    form = '<form><footer><button name="go" type="object" string="Go"/></footer></form>'
    unknown = "stock.picking"  # stands for a wizard that is not known
    odoo.answers[unknown, "get_view"] = {"arch": form}
    with pytest.raises(AccessError):
        run_wizard(odoo, unknown, model="sale.order", ids=[26])

    assert {call.method for call in odoo.sent} <= {"get_view"}
