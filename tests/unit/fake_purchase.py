"""A buyer's Odoo of any version: records in memory, and buttons that do what Odoo's do."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.policy import Policy
from tests.kit.real_fields import real_fields
from tests.unit.scripted import Scripted


class Buying(Scripted):
    """The order P00012 of five chairs, at the vendor Acme, on a server of some version.

    Args:
        major: the version.
        state: of the order.
        to_bill: what of its line can be billed.
        received: what of its line was received.
        receipt: the state of its receipt; None for none.
        policy: what may be called.
        mrp: whether Manufacturing is installed.
        order: further values of the order.
    """

    def __init__(
        self,
        major: int = 19,
        *,
        state: str = "draft",
        to_bill: float = 5.0,
        received: float = 0.0,
        receipt: str | None = None,
        policy: Policy | None = None,
        mrp: bool = False,
        **order: Any,
    ) -> None:
        self.uom = "product_uom_id" if major >= 19 else "product_uom"
        self.seller = "partner_id" if major >= 16 else "name"
        row = {"id": 12, "name": "P00012", "state": state, "partner_id": 7, "company_id": 1}
        row |= {"currency_id": 2, "amount_total": 50.0, "amount_untaxed": 50.0, "amount_tax": 0.0}
        line = {"id": 1, "order_id": 12, "product_id": 3, "name": "Chair", "product_qty": 5.0}
        line |= {"price_unit": 10.0, "price_subtotal": 50.0, self.uom: 1}
        line |= {"qty_to_invoice": to_bill, "qty_received": received}
        picking = {"id": 31, "name": "WH/IN/31", "state": receipt, "purchase_id": 12}
        records: dict[str, list[dict[str, Any]]] = {
            "purchase.order": [row | order],
            "purchase.order.line": [line],
            "product.supplierinfo": [],
            "stock.move": [],
            "stock.picking": [picking | {"picking_type_code": "incoming"}] if receipt else [],
            "account.move": [],
            "account.journal": [
                {"id": 5, "name": "Bills", "type": "purchase", "company_id": 1, "active": True}
            ],
            "account.move.line": [],
            "res.partner": [{"id": 7, "name": "Acme"}, {"id": 8, "name": "Binford"}],
            "res.currency": [{"id": 2, "name": "USD"}, {"id": 3, "name": "EUR"}],
            "res.company": [{"id": 1, "name": "My Company"}],
            "res.users": [
                {"id": 2, "name": "Ann", "company_ids": [1]},
                {
                    "id": 5,
                    "name": "Bob",
                    "company_ids": [1],
                    "groups_id": [9],
                    "all_group_ids": [9],
                },
            ],
            "res.groups": [{"id": 9, "name": "Administrator"}],
            "account.payment.term": [{"id": 4, "name": "30 Days"}],
            "uom.uom": [
                {"id": 1, "name": "Units", "factor": 1.0, "factor_inv": 1.0},
                {"id": 2, "name": "Dozen", "factor": 12.0, "factor_inv": 12.0},
            ],
            "product.template": [{"id": 30, "product_variant_ids": [3]}],
            "product.product": [self.product(3, "Chair", 30, qty_available=6.0, free_qty=4.0)],
        }
        if mrp:
            records |= {"mrp.bom": [], "mrp.bom.line": []}
        answers = {
            ("purchase.order", "button_confirm"): self._puts("purchase"),
            ("purchase.order", "button_approve"): self._puts("purchase"),
            ("purchase.order", "button_cancel"): self._puts("cancel"),
            ("purchase.order", "action_create_invoice"): self._bill,
            ("account.move", "action_post"): self._post,
            ("ir.model.data", "check_object_reference"): ["res.groups", 9],
            ("account.move", "create"): self._enter,
        }
        super().__init__(major, answers, policy, buying_models(major, mrp), records=records)
        self.tables = self.server.records
        (self.order,) = self.tables["purchase.order"]

    def product(self, number: int, name: str, template: int, **values: Any) -> dict[str, Any]:
        """Return a product of which stock is counted."""
        row = {"id": number, "name": name, "display_name": name, "product_tmpl_id": template}
        row |= {"uom_id": 1, "purchase_ok": True, "cost_currency_id": 2, "type": "product"}
        return row | {"is_storable": True, "virtual_available": 9.0, **values}

    def add_product(self, number: int, name: str, **values: Any) -> int:
        """Add a product with a template of its own, and return that template's id."""
        template = number * 10
        self.tables["product.template"].append({"id": template, "product_variant_ids": [number]})
        self.tables["product.product"].append(self.product(number, name, template, **values))
        return template

    def offer(self, price: float, vendor: int = 7, template: int = 30, **values: Any) -> None:
        """Add a vendor's price."""
        offers = self.tables["product.supplierinfo"]
        row: dict[str, Any] = {"id": len(offers) + 1, "product_tmpl_id": template, "price": price}
        row |= {self.seller: vendor, self.uom: 1, "currency_id": 2, "delay": 7, "sequence": 1}
        offers.append(row | values)

    def _puts(self, state: str) -> Any:
        def button(call: Call) -> Any:
            for row in self.tables["purchase.order"]:
                row["state"] = state if row["id"] in (call.ids or ()) else row["state"]
            return {} if call.method == "button_approve" else True

        return button

    def _bill(self, call: Call) -> Any:
        bill = {"id": 41, "name": "/", "display_name": "Draft Bill", "state": "draft"}
        bill |= {"move_type": "in_invoice", "partner_id": 7, "currency_id": 2}
        bill |= {"amount_total": 50.0, "amount_untaxed": 50.0, "amount_residual": 50.0}
        self.tables["account.move"].append(bill)
        self.tables["account.move.line"].append({"id": 1, "move_id": 41, "purchase_line_id": 1})
        self.order["invoice_ids"] = [41]
        self.tables["purchase.order.line"][0]["qty_to_invoice"] = 0.0
        return {"type": "ir.actions.act_window", "res_model": "account.move", "res_id": 41}

    def _enter(self, call: Call) -> list[int]:
        """Make a bill with the lines that it is given, and a tax of a tenth."""
        (values,) = call.arguments["vals_list"]
        lines = [command[2] for command in values["invoice_line_ids"]]
        untaxed = sum(line["quantity"] * line["price_unit"] for line in lines)
        bill = {key: value for key, value in values.items() if key != "invoice_line_ids"}
        bill |= {"id": 41, "name": "/", "display_name": "Draft Bill", "state": "draft"}
        bill |= {"amount_untaxed": untaxed, "amount_tax": untaxed / 10}
        bill |= dict.fromkeys(("amount_total", "amount_residual"), round(untaxed * 1.1, 2))
        self.tables["account.move"].append(bill)
        self.order["invoice_ids"] = [41]
        for line in lines:
            self.bill_line(41, line["quantity"], purchase_line_id=line["purchase_line_id"])
        return [41]

    def bill_line(self, bill: int, quantity: float, **values: Any) -> None:
        """Add a line of a bill of the chairs."""
        rows = self.tables["account.move.line"]
        state = next(row["state"] for row in self.tables["account.move"] if row["id"] == bill)
        row: dict[str, Any] = {"id": len(rows) + 1, "move_id": bill, "purchase_line_id": 1}
        rows.append(row | {"quantity": quantity, "parent_state": state, **values})

    def add_bill(self, number: int, **values: Any) -> None:
        """Add a bill of Acme."""
        bill = {"id": number, "name": f"BILL/{number}", "state": "posted", "partner_id": 7}
        bill |= {"move_type": "in_invoice", "commercial_partner_id": 7, "amount_untaxed": 50.0}
        bill |= {"amount_total": 50.0, "amount_residual": 50.0, "payment_state": "not_paid"}
        self.tables["account.move"].append(bill | values)

    def _post(self, call: Call) -> bool:
        self.tables["account.move"][0] |= {"state": "posted", "name": "BILL/1"}
        return False


#: Model -> its fields that the functions of purchase look at, on any version.
_FIELDS = {
    "purchase.order": (
        "name state partner_id partner_ref origin company_id currency_id payment_term_id "
        "date_order date_planned amount_untaxed amount_tax amount_total invoice_status "
        "order_line invoice_ids receipt_status locked note notes"
    ),
    "purchase.order.line": (
        "order_id product_id sequence taxes_id tax_ids name display_type date_planned "
        "product_qty price_unit price_subtotal price_total price_tax qty_received qty_invoiced "
        "qty_to_invoice product_uom product_uom_id discount qty_received_method"
    ),
    "product.supplierinfo": (
        "name partner_id product_tmpl_id product_id product_code product_name currency_id "
        "sequence delay min_qty price date_start date_end product_uom product_uom_id discount"
    ),
    "stock.move": (
        "product_id state product_qty date origin reference location_id location_dest_id "
        "purchase_line_id product_uom_qty product_uom picking_id"
    ),
    "stock.location": "usage",
    "stock.picking": "name state picking_type_code scheduled_date date_done purchase_id",
    "account.move": (
        "name state move_type payment_state ref partner_id currency_id commercial_partner_id "
        "company_id journal_id invoice_origin invoice_date date invoice_line_ids amount_untaxed "
        "amount_tax amount_total amount_residual"
    ),
    "account.move.line": "move_id purchase_line_id quantity parent_state",
    "account.journal": "name type company_id active",
    "res.partner": (
        "name parent_id commercial_partner_id comment purchase_warn_msg purchase_warn "
        "property_purchase_currency_id property_supplier_payment_term_id"
    ),
    "res.users": "name company_ids groups_id all_group_ids",
    "res.company": "name parent_ids",
    "uom.uom": "name factor factor_inv",
    "product.product": (
        "name product_tmpl_id uom_id purchase_ok purchase_method type cost_currency_id "
        "product_template_attribute_value_ids qty_available free_qty virtual_available "
        "incoming_qty is_storable"
    ),
    "res.currency": "name",
    "account.payment.term": "name",
    "account.tax": "name",
}

#: And those that Manufacturing adds.
_OF_MANUFACTURING = {
    "product.product": "bom_ids bom_line_ids produce_delay",
    "mrp.bom": (
        "product_tmpl_id product_id company_id type sequence product_qty product_uom_id "
        "produce_delay"
    ),
    "mrp.bom.line": (
        "sequence bom_id child_bom_id product_id product_qty product_uom_id "
        "bom_product_template_attribute_value_ids"
    ),
}


def buying_models(major: int, mrp: bool = False) -> dict[str, dict[str, str]]:
    """Return the fields that the functions of purchase look at, as each version has them."""
    models = real_fields(major, _FIELDS) | {"res.groups": {"name": "char"}}
    models["product.supplierinfo"]["x_max_qty"] = "float"
    models["product.template"] = {
        "product_variant_ids": "one2many product.product",
        "bom_line_ids": "one2many mrp.bom.line",
    }
    for model, fields in real_fields(major, _OF_MANUFACTURING).items() if mrp else ():
        models[model] = models.get(model, {}) | fields
    return models
