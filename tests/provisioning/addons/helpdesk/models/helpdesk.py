"""Models with the public field names of helpdesk, in one source for Odoo 14 to 19."""

from odoo import api, fields, models


class HelpdeskStage(models.Model):
    _name = "helpdesk.stage"
    _description = "Helpdesk Stage"
    _order = "sequence, id"

    name = fields.Char(required=True, translate=True)
    active = fields.Boolean(default=True)
    description = fields.Text(translate=True)
    sequence = fields.Integer(default=10)
    fold = fields.Boolean("Folded in Kanban")
    team_ids = fields.Many2many(
        "helpdesk.team", "helpdesk_team_stage_rel", "stage_id", "team_id", string="Teams"
    )


class HelpdeskTag(models.Model):
    _name = "helpdesk.tag"
    _description = "Helpdesk Tag"
    _order = "name"

    name = fields.Char(required=True, translate=True)
    color = fields.Integer()


class HelpdeskTeam(models.Model):
    _name = "helpdesk.team"
    _description = "Helpdesk Team"
    _inherit = ["mail.thread"]
    _order = "sequence, name"

    name = fields.Char(required=True, translate=True)
    active = fields.Boolean(default=True)
    sequence = fields.Integer(default=10)
    description = fields.Html()
    company_id = fields.Many2one(
        "res.company", required=True, default=lambda self: self.env.company
    )
    member_ids = fields.Many2many("res.users", string="Team Members")
    stage_ids = fields.Many2many(
        "helpdesk.stage", "helpdesk_team_stage_rel", "team_id", "stage_id", string="Stages"
    )
    ticket_ids = fields.One2many("helpdesk.ticket", "team_id", string="Tickets")


class HelpdeskTicket(models.Model):
    _name = "helpdesk.ticket"
    _description = "Helpdesk Ticket"
    _inherit = ["mail.thread", "mail.activity.mixin"]
    _order = "priority desc, id desc"

    name = fields.Char("Subject", required=True, index=True, tracking=True)
    team_id = fields.Many2one(
        "helpdesk.team",
        "Helpdesk Team",
        index=True,
        tracking=True,
        default=lambda self: self.env["helpdesk.team"].search([], limit=1),
    )
    user_id = fields.Many2one("res.users", "Assigned to", index=True, tracking=True)
    stage_id = fields.Many2one(
        "helpdesk.stage",
        "Stage",
        compute="_compute_stage_id",
        store=True,
        readonly=False,
        index=True,
        tracking=True,
        ondelete="restrict",
        copy=False,
        domain="[('team_ids', '=', team_id)]",
    )
    description = fields.Html()
    priority = fields.Selection(
        [("0", "Low priority"), ("1", "Medium priority"), ("2", "High priority"), ("3", "Urgent")],
        default="0",
        tracking=True,
    )
    tag_ids = fields.Many2many("helpdesk.tag", string="Tags")
    partner_id = fields.Many2one("res.partner", "Customer", index=True, tracking=True)
    partner_name = fields.Char(
        "Customer Name", compute="_compute_partner", store=True, readonly=False
    )
    partner_email = fields.Char(
        "Customer Email", compute="_compute_partner", store=True, readonly=False
    )
    company_id = fields.Many2one(
        "res.company", required=True, default=lambda self: self.env.company
    )
    color = fields.Integer("Color Index")
    active = fields.Boolean(default=True)

    @api.depends("team_id")
    def _compute_stage_id(self):
        for ticket in self:
            stages = ticket.team_id.stage_ids
            if ticket.stage_id not in stages:
                ticket.stage_id = stages.sorted("sequence")[:1]

    @api.depends("partner_id")
    def _compute_partner(self):
        for ticket in self:
            if ticket.partner_id:
                ticket.partner_name = ticket.partner_id.name
                ticket.partner_email = ticket.partner_id.email
