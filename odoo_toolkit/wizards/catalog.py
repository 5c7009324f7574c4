"""The wizards that are known, per Odoo version: data, recorded from servers 14 to 19."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from odoo_toolkit.compat import OLDEST
from odoo_toolkit.display.results import Shown


@attrs.frozen(kw_only=True)
class WizardField(Shown):
    """A question of a wizard.

    Attributes:
        type: as of :class:`~odoo_toolkit.fields.Field`.
        relation: model that a relational field points to.
        selection: pairs of value and label.
        default: what it is when nothing is answered.
    """

    type: str
    required: bool = False
    label: str = ""
    description: str = ""
    relation: str | None = None
    selection: list[list[Any]] | None = None
    default: Any = None


@attrs.frozen(kw_only=True)
class KnownWizard:
    """A wizard whose questions and buttons are known.

    Attributes:
        model: of the wizard.
        source_model: the model of the records that it acts on.
        action_method: the button that :func:`~odoo_toolkit.wizards.answer_wizard` presses.
        fields: the questions worth answering; the rest is computed.
        context_keys: what the context must hold, on create and on the button.
        alternative_actions: other buttons and what they do.
        min_odoo_version: oldest major version that has it in this shape.
        max_odoo_version: newest one.
        runs_by_itself: whether it may run with its defaults without anybody being asked.
        reopens: whether it answers with itself, so that what it has done must be found out.
        beyond: whether it does more than to the records that it acts on (deletes others, changes
            settings): then the lists do not let a caller answer it on the strength of those.
        function: the function of the library that answers it, for advice.
        hint: how it is better avoided, or what to beware of.
    """

    model: str
    description: str
    source_model: str
    action_method: str
    fields: Mapping[str, WizardField]
    context_keys: tuple[str, ...]
    alternative_actions: Mapping[str, str] | None = None
    min_odoo_version: int = OLDEST
    max_odoo_version: int | None = None
    runs_by_itself: bool = False
    beyond: bool = False
    reopens: bool = False
    function: str | None = None
    hint: str = ""

    @property
    def buttons(self) -> tuple[str, ...]:
        """The methods that may be called on it."""
        return (self.action_method, *(self.alternative_actions or ()))


def _many2one(relation: str, description: str = "", *, required: bool = False) -> WizardField:
    return WizardField(
        type="many2one", relation=relation, description=description, required=required
    )


def _choice(
    options: Mapping[str, str], description: str = "", *, default: str | None = None
) -> WizardField:
    return WizardField(
        type="selection",
        description=description,
        selection=[[value, label] for value, label in options.items()],
        default=default,
        required=default is not None,
    )


_ACTIVE = ("active_model", "active_id", "active_ids")

_PAYMENT_FIELDS: dict[str, WizardField] = {
    "amount": WizardField(
        type="monetary",
        description="Default: the amount left to pay, or in Odoo 18 and later the next "
        "instalment. 0 registers a payment of nothing.",
    ),
    "journal_id": _many2one("account.journal", "A bank or cash journal."),
    "payment_date": WizardField(type="date", required=True, description="Default: today."),
    "communication": WizardField(type="char", description="Memo."),
    "group_payment": WizardField(
        type="boolean", description="One payment for several documents of one partner."
    ),
    "payment_difference_handling": _choice(
        {"open": "Keep open", "reconcile": "Mark as fully paid"}, default="open"
    ),
    "writeoff_account_id": _many2one(
        "account.account", "Account for the difference, with reconcile."
    ),
    "writeoff_label": WizardField(type="char"),
}

_REVERSAL_FIELDS: dict[str, WizardField] = {
    "reason": WizardField(type="char", description="Shown on the credit note."),
    "date": WizardField(type="date"),
    "journal_id": _many2one(
        "account.journal",
        "Use the invoice's own journal. Odoo 15 and later do not fill it in for API calls.",
        required=True,
    ),
}

_CRM_FIELDS: dict[str, WizardField] = {
    "name": _choice(
        {"convert": "Convert to opportunity", "merge": "Merge with existing opportunities"},
        "Always set it. If a lead has the same e-mail address, Odoo proposes merge.",
        default="convert",
    ),
    "partner_id": _many2one("res.partner", "The customer to link, with action exist."),
    "user_id": _many2one("res.users", "Salesperson."),
    "team_id": _many2one("crm.team", "Sales team."),
    "duplicated_lead_ids": WizardField(
        type="many2many", relation="crm.lead", description="Leads to merge."
    ),
}

_CRM_ACTIONS = {"create": "Create a new customer", "exist": "Link to an existing customer"}

_VALIDATED = ("button_validate_picking_ids",)

# Wizards of which others differ little.

_CANCEL = KnownWizard(
    model="sale.order.cancel",
    description="Asks before a sales order is cancelled.",
    source_model="sale.order",
    action_method="action_cancel",
    fields={"order_id": _many2one("sale.order", "The order to cancel.", required=True)},
    context_keys=("default_order_id",),
    max_odoo_version=15,
    runs_by_itself=True,
    function="cancel_order",
    hint="To skip the question, call action_cancel with the context disable_cancel_warning: true.",
)

_PAYMENT = KnownWizard(
    model="account.payment.register",
    description="Registers the payment of posted invoices or bills.",
    source_model="account.move",
    action_method="action_create_payments",
    fields={
        **_PAYMENT_FIELDS,
        "payment_method_id": _many2one("account.payment.method"),
    },
    context_keys=_ACTIVE,
    max_odoo_version=14,
    function="register_payment",
)

_IMMEDIATE = KnownWizard(
    model="stock.immediate.transfer",
    description="Asks whether all reserved quantities are done.",
    source_model="stock.picking",
    action_method="process",
    fields={"pick_ids": WizardField(type="many2many", relation="stock.picking")},
    context_keys=_VALIDATED,
    max_odoo_version=16,
    runs_by_itself=True,
    function="validate_picking",
    hint="Without button_validate_picking_ids in the context, Odoo validates nothing.",
)

_RETURN = KnownWizard(
    model="stock.return.picking",
    description="Creates the transfer that returns the products of a done transfer.",
    source_model="stock.picking",
    action_method="create_returns",
    fields={
        "picking_id": _many2one("stock.picking", "The done transfer.", required=True),
        "product_return_moves": WizardField(
            type="one2many",
            relation="stock.return.picking.line",
            description="By product_id, move_id and quantity. Odoo does not check them. Always "
            "set them: only Odoo 17 fills in all moved quantities.",
        ),
        "location_id": _many2one("stock.location", "Where the goods go.", required=True),
    },
    context_keys=_ACTIVE,
    max_odoo_version=17,
    function="return_picking",
)

_CONVERSION = KnownWizard(
    model="crm.lead2opportunity.partner",
    description="Turns a lead into an opportunity.",
    source_model="crm.lead",
    action_method="action_apply",
    fields={
        **_CRM_FIELDS,
        "action": _choice({**_CRM_ACTIONS, "nothing": "Do not link to a customer"}),
    },
    context_keys=_ACTIVE,
    max_odoo_version=18,
    beyond=True,
    function="convert_to_opportunity",
)

_PRODUCING = KnownWizard(
    model="mrp.immediate.production",
    description="Asks whether all components are used and all products are made.",
    source_model="mrp.production",
    action_method="process",
    fields={"mo_ids": WizardField(type="many2many", relation="mrp.production")},
    context_keys=("default_mo_ids", "button_mark_done_production_ids"),
    max_odoo_version=16,
    runs_by_itself=True,
    function="produce",
    hint="Without button_mark_done_production_ids in the context, Odoo produces nothing.",
)

_CONSUMPTION = attrs.evolve(
    _PRODUCING,
    model="mrp.consumption.warning",
    description="Asks whether to use other quantities of components than in the bill of materials.",
    action_method="action_confirm",
    fields={"mrp_production_ids": WizardField(type="many2many", relation="mrp.production")},
    context_keys=("default_mrp_production_ids", "default_mrp_consumption_warning_line_ids"),
    max_odoo_version=15,
    runs_by_itself=False,
    hint="It uses the quantities entered, even if there are none. To set the quantities, use "
    "produce with lines.",
)

KNOWN_WIZARDS: tuple[KnownWizard, ...] = (
    _CANCEL,
    attrs.evolve(
        _CANCEL,
        description="Asks before a sales order is cancelled, and offers to write to the customer.",
        alternative_actions={"action_send_mail_and_cancel": "Also sends the customer an e-mail."},
        min_odoo_version=16,
        max_odoo_version=18,
    ),
    _PAYMENT,
    attrs.evolve(
        _PAYMENT,
        fields={
            **_PAYMENT_FIELDS,
            "payment_method_line_id": _many2one(
                "account.payment.method.line", "A method of the journal."
            ),
        },
        min_odoo_version=15,
        max_odoo_version=None,
    ),
    _IMMEDIATE,
    attrs.evolve(
        _IMMEDIATE,
        model="stock.backorder.confirmation",
        description="Asks what to do with the quantities that are not done.",
        alternative_actions={"process_cancel_backorder": "Cancels the rest, without a backorder."},
        max_odoo_version=None,
    ),
    _RETURN,
    attrs.evolve(
        _RETURN,
        action_method="action_create_returns",
        fields={name: _RETURN.fields[name] for name in ("picking_id", "product_return_moves")},
        alternative_actions={
            "action_create_returns_all": "Returns everything.",
            "action_create_exchanges": "Also creates the transfer that replaces the products.",
        },
        min_odoo_version=18,
        max_odoo_version=None,
    ),
    KnownWizard(
        model="confirm.stock.sms",
        description="Asks at the first delivery whether to send the customer a text message.",
        source_model="stock.picking",
        action_method="send_sms",
        fields={},
        context_keys=_VALIDATED,
        alternative_actions={
            "dont_send_sms": "Never sends a message again. This changes the company's setting."
        },
        beyond=True,
        function="validate_picking",
        hint="To skip the question and send no message, call button_validate with the context "
        "skip_sms: true.",
    ),
    KnownWizard(
        model="sale.advance.payment.inv",
        description="Makes draft invoices for sales orders.",
        source_model="sale.order",
        action_method="create_invoices",
        fields={
            "advance_payment_method": _choice(
                {
                    "delivered": "Regular invoice",
                    "percentage": "Down payment (percentage)",
                    "fixed": "Down payment (fixed amount)",
                },
                default="delivered",
            ),
            "amount": WizardField(
                type="float", description="Percentage, with the method percentage."
            ),
            "fixed_amount": WizardField(
                type="monetary",
                description="Amount, with the method fixed. In Odoo 17 and later, it "
                "includes taxes.",
            ),
            "deduct_down_payments": WizardField(type="boolean", default=True),
        },
        context_keys=_ACTIVE,
        function="create_invoices",
    ),
    _CONVERSION,
    attrs.evolve(
        _CONVERSION,
        fields={
            **_CRM_FIELDS,
            "action": _choice(_CRM_ACTIONS, "exist without a partner_id links no customer."),
        },
        min_odoo_version=19,
        max_odoo_version=None,
    ),
    KnownWizard(
        model="account.move.reversal",
        description="Makes a credit note for posted invoices.",
        source_model="account.move",
        action_method="reverse_moves",
        fields={
            **_REVERSAL_FIELDS,
            "refund_method": _choice(
                {
                    "refund": "Partial refund: a draft credit note",
                    "cancel": (
                        "Full refund: the credit note is posted and reconciled, and "
                        "payments are removed from the invoice"
                    ),
                    "modify": "Full refund and new draft invoice",
                },
                default="refund",
            ),
        },
        context_keys=_ACTIVE,
        max_odoo_version=16,
    ),
    KnownWizard(
        model="account.move.reversal",
        description="Makes a draft credit note for posted invoices.",
        source_model="account.move",
        action_method="refund_moves",
        fields=_REVERSAL_FIELDS,
        context_keys=_ACTIVE,
        alternative_actions={
            "modify_moves": "Posts and reconciles the credit note, and creates a new draft invoice."
        },
        min_odoo_version=17,
    ),
    _PRODUCING,
    _CONSUMPTION,
    attrs.evolve(
        _CONSUMPTION,
        alternative_actions={"action_set_qty": "Uses the quantities of the bill of materials."},
        min_odoo_version=16,
        max_odoo_version=None,
    ),
    attrs.evolve(
        _CONSUMPTION,
        model="mrp.production.backorder",
        description="Asks whether the rest of a manufacturing order becomes a backorder.",
        action_method="action_backorder",
        context_keys=("default_mrp_production_ids", "default_mrp_production_backorder_line_ids"),
        alternative_actions={"action_close_mo": "Cancels the rest, without a backorder."},
        max_odoo_version=None,
        hint="",
    ),
    attrs.evolve(
        _CONSUMPTION,
        model="change.production.qty",
        description="Changes how much a manufacturing order makes, with its components.",
        action_method="change_prod_qty",
        fields={
            "mo_id": _many2one("mrp.production", "The order.", required=True),
            "product_qty": WizardField(type="float", required=True),
        },
        context_keys=_ACTIVE,
        max_odoo_version=None,
        function=None,
        hint="Writing product_qty on a confirmed order does not change its components.",
    ),
    attrs.evolve(
        _CONSUMPTION,
        model="mrp.production.serials",
        description="Asks for the serial numbers of the products made.",
        action_method="action_apply",
        fields={
            "serial_numbers": WizardField(
                type="text", description="Serial numbers, one in each line."
            )
        },
        context_keys=("default_production_id",),
        min_odoo_version=19,
        max_odoo_version=None,
        hint="This produces nothing yet. produce with lots does both.",
    ),
    KnownWizard(
        model="base.partner.merge.automatic.wizard",
        description="Merges contacts into one of them, and deletes the others.",
        source_model="res.partner",
        action_method="action_merge",
        fields={
            "partner_ids": WizardField(type="many2many", relation="res.partner", required=True),
            "dst_partner_id": _many2one("res.partner", "The contact to keep.", required=True),
        },
        context_keys=_ACTIVE,
        beyond=True,
        reopens=True,
        function="merge_contacts",
        hint="It returns itself whether it has merged or not. To see the result, read the "
        "contacts.",
    ),
    KnownWizard(
        model="hr.holidays.cancel.leave",
        description="Cancels the user's own approved request for time off.",
        source_model="hr.leave",
        action_method="action_cancel_leave",
        fields={
            "leave_id": _many2one("hr.leave", required=True),
            "reason": WizardField(type="text", required=True),
        },
        context_keys=("default_leave_id",),
        min_odoo_version=16,
        function="decide_leave",
    ),
    *(
        KnownWizard(
            model="hr.expense.refuse.wizard",
            description="Refuses submitted expenses, with a reason.",
            source_model=source,
            action_method="action_refuse",
            fields={"reason": WizardField(type="char", required=True)},
            context_keys=_ACTIVE,
            min_odoo_version=first,
            max_odoo_version=last,
            function="decide_expense",
        )
        for source, first, last in (("hr.expense.sheet", 17, 18), ("hr.expense", 19, None))
    ),
)


#: The wizards of apps that are none of ours.
_added: list[KnownWizard] = []


def add_wizards(wizards: Iterable[KnownWizard]) -> None:
    """Have the catalogue know these besides the toolkit's own, and no others."""
    # Whether one acts on its source alone is not known of what is not ours.
    _added[:] = [attrs.evolve(wizard, beyond=True) for wizard in wizards]


def known_wizard(model: str, major: int) -> KnownWizard | None:
    """Return what is known of a wizard on a major version, or None."""
    for wizard in (*KNOWN_WIZARDS, *_added):
        newest = wizard.max_odoo_version or major
        if wizard.model == model and wizard.min_odoo_version <= major <= newest:
            return wizard
    return None
