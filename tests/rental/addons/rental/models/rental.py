"""Equipment that is rented out, in one source for Odoo 14 to 19."""

from odoo import api, fields, models
from odoo.exceptions import UserError


class RentalEquipment(models.Model):
    _name = "rental.equipment"
    _description = "Rental Equipment"
    _order = "name, id"

    name = fields.Char(required=True, index=True)
    code = fields.Char(index=True)
    daily_price = fields.Float(digits=(12, 2))
    active = fields.Boolean(default=True)
    note = fields.Html()
    accessory_ids = fields.Many2many(
        "rental.equipment", "rental_accessory_rel", "equipment_id", "accessory_id"
    )


class RentalContract(models.Model):
    _name = "rental.contract"
    _description = "Rental Contract"
    _inherit = ["mail.thread"]
    _order = "id desc"

    name = fields.Char(required=True, copy=False, default="New", index=True)
    partner_id = fields.Many2one("res.partner", "Customer", required=True, index=True)
    equipment_id = fields.Many2one("rental.equipment", required=True, index=True)
    date_start = fields.Date(required=True, default=fields.Date.context_today)
    date_end = fields.Date()
    days = fields.Integer(compute="_compute_price", store=True)
    price = fields.Float(compute="_compute_price", store=True, digits=(12, 2))
    state = fields.Selection(
        [
            ("draft", "Draft"),
            ("confirmed", "Confirmed"),
            ("out", "Handed Over"),
            ("returned", "Returned"),
            ("cancelled", "Cancelled"),
        ],
        default="draft",
        required=True,
        copy=False,
        tracking=True,
    )
    damage = fields.Text(copy=False)
    active = fields.Boolean(default=True)
    access_token = fields.Char(copy=False)

    @api.depends("date_start", "date_end", "equipment_id.daily_price")
    def _compute_price(self):
        for contract in self:
            end = contract.date_end or contract.date_start
            days = (end - contract.date_start).days + 1 if contract.date_start else 0
            contract.days = max(days, 0)
            contract.price = contract.days * contract.equipment_id.daily_price

    @api.model_create_multi
    def create(self, vals_list):
        for vals in vals_list:
            if vals.get("name", "New") == "New":
                vals["name"] = self.env["ir.sequence"].next_by_code("rental.contract")
        return super().create(vals_list)

    def _must_be(self, *states):
        for contract in self:
            if contract.state not in states:
                raise UserError("%s is %s." % (contract.name, contract.state))

    def action_confirm(self):
        self._must_be("draft")
        self.write({"state": "confirmed"})
        return True

    def action_hand_over(self):
        self._must_be("confirmed")
        self.write({"state": "out"})
        return True

    def action_return(self):
        """Ask in what condition the equipment is."""
        self._must_be("out")
        return {
            "type": "ir.actions.act_window",
            "name": "Return",
            "res_model": "rental.return",
            "view_mode": "form",
            "target": "new",
            "context": {"default_contract_id": self[:1].id},
        }

    def action_cancel(self):
        self._must_be("draft", "confirmed")
        self.write({"state": "cancelled"})
        return True

    def action_draft(self):
        self._must_be("confirmed", "cancelled")
        self.write({"state": "draft"})
        return True

    # What no plugin of the tests declares, or may declare.

    def action_write_off(self):
        self.mapped("equipment_id").write({"active": False})
        return True

    def generate_access_token(self):
        for contract in self:
            contract.access_token = "open-%s" % contract.id
        return self[:1].access_token


class RentalReturn(models.TransientModel):
    _name = "rental.return"
    _description = "Return of Rented Equipment"

    contract_id = fields.Many2one("rental.contract", required=True)
    damage = fields.Text()

    def action_done(self):
        for wizard in self:
            wizard.contract_id._must_be("out")
            wizard.contract_id.write({"state": "returned", "damage": wizard.damage})
        return {"type": "ir.actions.act_window_close"}
