"""Wizards on real servers."""

from __future__ import annotations

import pytest

from odoo_toolkit import (
    Odoo,
    ValidationError,
    count,
    create,
    execute,
    read,
    run_queries,
    run_wizard,
    search_read,
    write,
)
from odoo_toolkit.wizards import describe_wizard
from tests.live.sales_data import new_customer, new_product

pytestmark = [pytest.mark.every_version, pytest.mark.recorded]


def confirmed_order(odoo: Odoo, admin: Odoo, suffix: str) -> int:
    """Return the id of a new confirmed order over 300."""
    partner_id, product_id = new_customer(admin, suffix), new_product(admin, f"Service {suffix}")
    line = [0, 0, {"product_id": product_id, "product_uom_qty": 3, "price_unit": 100}]
    values = {"partner_id": partner_id, "order_line": [line]}
    order_id = create(odoo, "sale.order", values).id
    execute(odoo, "sale.order", "action_confirm", [[order_id]])
    return order_id


def test_a_wizard_invoices_an_order(odoo: Odoo, admin: Odoo, suffix: str) -> None:
    """The wizard's defaults and context are enough for a regular invoice, on every version."""
    order_id = confirmed_order(odoo, admin, suffix)
    outcome = run_wizard(odoo, "sale.advance.payment.inv", model="sale.order", ids=[order_id])
    assert outcome.done
    # The result names the invoice and its state; where the wizard opens none (14), the order.
    expected = {"account.move": "draft", "sale.order": "sale"}
    assert [row["state"] for row in outcome.records] == [expected[str(outcome.model)]]
    (order,) = read(odoo, "sale.order", [order_id], ["invoice_ids", "invoice_status"]).records
    assert len(order["invoice_ids"]) == 1
    assert order["invoice_status"] == "invoiced"


def test_an_order_is_cancelled_with_or_without_its_wizard(
    odoo: Odoo, admin: Odoo, suffix: str
) -> None:
    """Where the button answers with a wizard, it is described, and running it cancels."""
    order_id = confirmed_order(odoo, admin, suffix)
    result = execute(odoo, "sale.order", "action_cancel", [[order_id]])
    if result.wizard is not None:
        assert result.result_type == "action"
        assert result.action is not None
        assert "action_cancel" in {button.method for button in result.wizard.buttons}
        assert result.wizard.context_hint["default_order_id"] == order_id
        state = read(odoo, "sale.order", [order_id], ["state"]).records[0]["state"]
        assert state == "sale", "a wizard that was only described must not have acted"
        assert result.message.startswith("Odoo asks a question in sale.order.cancel")
        done = run_wizard(odoo, result.action, model="sale.order", ids=[order_id])
        assert done.done
        assert done.records[0]["state"] == "cancel"
    state = read(odoo, "sale.order", [order_id], ["state"]).records[0]["state"]
    assert state == "cancel"


def test_a_wizard_that_is_not_known_is_described(admin: Odoo) -> None:
    """Questions and buttons come from the server's own form."""
    action = {"type": "ir.actions.act_window", "res_model": "crm.lead.lost", "target": "new"}
    described = describe_wizard(admin, action, ("crm.lead", [1]))
    assert "lost_reason_id" in described.wizard_fields
    assert described.wizard_fields["lost_reason_id"].relation == "crm.lost.reason"
    assert "action_lost_reason_apply" in [button.method for button in described.buttons]
    assert described.context_hint["active_ids"] == [1]


def test_a_wizard_that_is_not_known_is_run(admin: Odoo) -> None:
    """Losing a lead by its wizard, whose button is named because some versions have two."""
    lead = create(admin, "crm.lead", {"name": "Lost by its wizard", "type": "opportunity"}).id
    lost = run_wizard(
        admin,
        "crm.lead.lost",
        model="crm.lead",
        ids=[lead],
        method="action_lost_reason_apply",
        # From 17 on the wizard has a field for the leads; before, it takes them from the context.
        context={"default_lead_ids": [lead]},
    )
    found = search_read(
        admin, "crm.lead", [["id", "=", lead]], ["active"], context={"active_test": False}
    )
    assert found[0]["active"] is False
    assert lost.done
    assert [row["id"] for row in lost.records] == [lead]


def test_a_wizard_that_is_not_known_tells_what_it_asks(admin: Odoo) -> None:
    """Nothing is pressed; what is told is enough to answer it."""
    lead = create(admin, "crm.lead", {"name": "Kept by its wizard", "type": "opportunity"}).id
    told = run_wizard(admin, "crm.lead.lost", model="crm.lead", ids=[lead], describe=True)
    assert not told.done
    assert "lost_reason_id" in told.wizard.wizard_fields
    assert read(admin, "crm.lead", [lead], ["active"])[0]["active"] is True
    run_wizard(
        admin,
        told.wizard.wizard_model,
        context={**told.wizard.context_hint, "default_lead_ids": [lead]},
        method="action_lost_reason_apply",
    )
    assert read(admin, "crm.lead", [lead], ["active"])[0]["active"] is False


def test_merging_is_done_though_odoo_opens_the_next_dialog(admin: Odoo, suffix: str) -> None:
    ids = [create(admin, "res.partner", {"name": f"{n} {suffix}"}).id for n in "AB"]
    wizard = "base.partner.merge.automatic.wizard"
    values = {"state": "selection", "partner_ids": ids, "dst_partner_id": ids[0]}
    merged = run_wizard(admin, wizard, values, model="res.partner", ids=ids, method="action_merge")
    assert merged.done
    assert "It is finished" in merged.message
    assert [row["id"] for row in merged.records] == [ids[0]]
    assert count(admin, "res.partner", [["id", "in", ids]]).count == 1


def test_a_button_that_only_turns_the_page_has_done_nothing(admin: Odoo, suffix: str) -> None:
    ids = [create(admin, "res.partner", {"name": f"{n} {suffix}"}).id for n in "AB"]
    wizard = "base.partner.merge.automatic.wizard"
    values = {"group_by_name": True, "maximum_group": 1}
    turned = run_wizard(
        admin, wizard, values, model="res.partner", ids=ids, method="action_start_manual_process"
    )
    assert not turned.done
    assert "have not changed" in turned.message
    assert count(admin, "res.partner", [["id", "in", ids]]).count == 2


def test_merged_leads_are_told(admin: Odoo, suffix: str) -> None:
    ids = [create(admin, "crm.lead", {"name": f"{n} {suffix}"}).id for n in "AB"]
    values = {"opportunity_ids": ids}
    merged = run_wizard(
        admin, "crm.merge.opportunity", values, model="crm.lead", ids=ids, method="action_merge"
    )
    assert merged.done
    assert len(merged.records) == 1
    assert count(admin, "crm.lead", [["id", "in", ids]]).count == 1


def test_describing_shows_what_a_mail_proposes(admin: Odoo, suffix: str) -> None:
    partner = create(admin, "res.partner", {"name": suffix, "email": f"{suffix}@x.test"}).id
    told = run_wizard(
        admin,
        "mail.compose.message",
        model="res.partner",
        ids=[partner],
        context={"default_partner_ids": [partner], "default_subject": f"Hello {suffix}"},
        describe=True,
    ).wizard
    # To 16 Odoo proposes a subject of its own, whatever the context says.
    assert told.wizard_fields["subject"].default in (f"Hello {suffix}", f"Re: {suffix}")
    (recipient,) = told.wizard_fields["partner_ids"].default
    assert (recipient["id"], suffix in recipient["name"]) == (partner, True)
    assert len({(b.label, str(b.context), str(b.hidden_when)) for b in told.buttons}) == len(
        told.buttons
    )


def test_a_copy_is_read_back_and_not_the_original(admin: Odoo, suffix: str) -> None:
    partner = create(admin, "res.partner", {"name": suffix}).id
    copied = execute(admin, "res.partner", "copy", [[partner]], return_fields=["name"])
    (row,) = copied.records
    assert row["id"] != partner
    assert row["name"] == f"{suffix} (copy)"
    assert copied.read_from == "res.partner: what copy returned"
    archived = execute(
        admin, "res.partner", "action_archive", [[partner]], return_fields=["active"]
    )
    assert archived.records == [{"id": partner, "active": False}]
    assert archived.read_from == "res.partner: what action_archive was called on"


def test_an_ordinary_model_is_no_wizard(admin: Odoo, suffix: str) -> None:
    with pytest.raises(ValidationError, match=r"res\.partner is not a wizard"):
        run_wizard(admin, "res.partner", {"name": suffix}, method="action_archive")
    assert count(admin, "res.partner", [["name", "=", suffix]]).count == 0


def test_what_was_written_is_read_back(admin: Odoo, suffix: str) -> None:
    made = create(admin, "crm.lead", {"name": suffix}, return_fields=["name", "stage_id"])
    assert made.records[0]["name"] == suffix
    changed = write(admin, "crm.lead", [made.id], {"phone": "1"}, return_fields=["phone"])
    assert changed.records == [{"id": made.id, "phone": "1"}]
    done = execute(
        admin, "crm.lead", "action_set_lost", [[made.id]], return_fields=["probability", "active"]
    )
    assert done.records == [{"id": made.id, "probability": 0.0, "active": False}]


def test_several_questions_are_answered_side_by_side(odoo: Odoo) -> None:
    """As one by one; the wrong one has its error in its place."""
    counted, wrong, found = run_queries(
        odoo,
        [
            {"model": "res.country", "count": True},
            {"model": "res.partner", "domain": [["nme", "=", "x"]]},
            {"model": "sale.order", "fields": ["name"], "limit": 2, "order": "id"},
        ],
    )
    assert counted.count == count(odoo, "res.country", []).count
    assert wrong.error["code"] in ("INVALID_FIELD", "INVALID_DOMAIN")
    one_by_one = search_read(odoo, "sale.order", [], ["name"], limit=2, order="id")
    assert found.records == one_by_one.records


def receipt(admin: Odoo, suffix: str) -> tuple[int, int]:
    """Return the ids of a confirmed receipt of five pieces, and of its move."""
    fields = admin.schema.fields("stock.move")
    product_id = new_product(admin, f"Goods {suffix}", "consu")
    product = read(admin, "product.product", [product_id], ["uom_id"]).records[0]
    kind = search_read(
        admin,
        "stock.picking.type",
        [["code", "=", "incoming"]],
        ["default_location_dest_id"],
        limit=1,
    )[0]
    supplier = search_read(admin, "stock.location", [["usage", "=", "supplier"]], ["id"], limit=1)
    places = {
        "location_id": supplier[0]["id"],
        "location_dest_id": kind["default_location_dest_id"]["id"],
    }
    move = {
        **places,
        "product_id": product_id,
        "product_uom": product["uom_id"]["id"],
        "product_uom_qty": 5,
        # Required to 18, gone in 19.
        **({"name": suffix} if "name" in fields else {}),
    }
    moves = "move_ids" if "move_ids" in admin.schema.fields("stock.picking") else "move_lines"
    values = {"picking_type_id": kind["id"], **places, moves: [[0, 0, move]]}
    picking_id = create(admin, "stock.picking", values).id
    assert picking_id is not None
    execute(admin, "stock.picking", "action_confirm", [[picking_id]])
    found = search_read(admin, "stock.move", [["picking_id", "=", picking_id]], ["id"])
    return picking_id, found[0]["id"]


def test_the_questions_of_a_transfer_are_answered(admin: Odoo, suffix: str) -> None:
    """To 16 a transfer without quantities asks first; from 17 on it is simply done."""
    picking_id, _ = receipt(admin, suffix)
    result = execute(admin, "stock.picking", "button_validate", [[picking_id]])
    if result.action is not None:
        assert result.wizard is not None
        assert run_wizard(admin, result.action, model="stock.picking", ids=[picking_id]).done
    state = read(admin, "stock.picking", [picking_id], ["state"]).records[0]["state"]
    assert state == "done"


@pytest.mark.parametrize(("method", "backorders"), [(None, 1), ("process_cancel_backorder", 0)])
def test_the_rest_of_a_transfer_is_kept_or_dropped(
    admin: Odoo, suffix: str, method: str | None, backorders: int
) -> None:
    """The backorder wizard of all versions, by its default button and by the other."""
    picking_id, move_id = receipt(admin, suffix)
    newer = "quantity" in admin.schema.fields("stock.move")
    values = {"quantity": 2, "picked": True} if newer else {"quantity_done": 2}
    write(admin, "stock.move", [move_id], values, context={"allow_readonly": True})
    result = execute(admin, "stock.picking", "button_validate", [[picking_id]])
    assert result.wizard.wizard_model == "stock.backorder.confirmation"
    assert result.action is not None
    run_wizard(admin, result.action, model="stock.picking", ids=[picking_id], method=method)
    state = read(admin, "stock.picking", [picking_id], ["state"]).records[0]["state"]
    assert state == "done"
    assert count(admin, "stock.picking", [["backorder_id", "=", picking_id]]).count == backorders
