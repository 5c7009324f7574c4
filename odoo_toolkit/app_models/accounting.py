"""Invoices, bills, journal entries and payments."""

from odoo_toolkit.app_models.model import AppModel, Block, Move, Opposite, Relation

_POSTED = Block(
    "account.move", (("id", "=", "ID"), ("state", "=", "posted")), "it is posted by now"
)
_PAID = Block(
    "account.move",
    (("id", "=", "ID"), ("payment_state", "in", ("paid", "partial", "in_payment"))),
    "it is paid or partly paid: undo the payment first",
)

MODELS = (
    AppModel(
        "account.move",
        "Journal Entry",
        module="account",
        nouns="journal entry|entry|document",
        meanings="""
            customer invoice|sales invoice|client invoice|invoice: move_type = out_invoice
            vendor bill|supplier bill|vendor invoice|supplier invoice|bill: move_type = in_invoice
            purchase invoice: move_type = in_invoice
            customer credit note|credit note: move_type = out_refund
            vendor credit note|supplier credit note: move_type = in_refund
            vendor refund|supplier refund: move_type = in_refund
            refund: move_type in out_refund,in_refund
            miscellaneous entry: move_type = entry
            partially paid|partly paid: payment_state = partial
            unpaid|not paid|not yet paid|outstanding|open|to be paid|awaiting payment|owed: \
                payment_state in not_paid,partial ~ state = posted & move_type != entry
            overdue|past due|late: payment_state in not_paid,partial & invoice_date_due < today \
                ~ state = posted & move_type != entry
            paid|settled: payment_state in paid,in_payment ~ state = posted & move_type != entry
            posted|validated|confirmed: state = posted
        """,
        name_fields="name ref",
        numbered=True,
        searched=3,
        search_fields="name ref payment_reference",
        deep_fields="narration",
        key_fields="id name partner_id ref move_type state amount_total invoice_date",
        found_through=(Relation("res.partner"),),
        dates="invoice_date date",
        moves=(
            Move("action_post", "draft", "posted"),
            # Of posted ones the method works, too, which no form offers: it is meant for documents
            # that were reported and must not be changed any more.
            Move("button_cancel", "draft", "cancel", also="posted"),
            Move("button_draft", "posted|cancel", "draft"),
        ),
        opposites=(
            Opposite(
                "create",
                "unlink",
                "deleted",
                otherwise="button_cancel",
                unless=(_POSTED,),
            ),
            Opposite(
                "action_post",
                "button_draft",
                "a draft again",
                not_undone="The document keeps its number for when you post it again.",
                unless=(_PAID,),
            ),
            Opposite(
                "button_draft", "action_post button_cancel>cancel", "posted again", notes="state"
            ),
            Opposite(
                "button_cancel",
                "button_draft button_draft>posted action_post>posted",
                "a draft again",
                notes="state",
            ),
            Opposite("js_assign_outstanding_line", "looked_up", "open again"),
            Opposite("js_remove_outstanding_partial", "looked_up", "settled again"),
        ),
        tips=(
            "This model contains invoices, bills, credit notes and journal entries: filter by "
            "move_type.",
            "Posted documents cannot be changed; a credit note (action_reverse) corrects them.",
            "amount_residual is the amount left to pay.",
        ),
        disambiguation_fields="partner_id state invoice_date amount_total",
    ),
    AppModel(
        "account.payment",
        "Payments",
        nouns="payment",
        meanings="""
            customer payment|received|incoming|inbound: payment_type = inbound
            vendor payment|supplier payment|outgoing|outbound: payment_type = outbound
        """,
        numbered=True,
        # To 17 a payment has all fields of its journal entry, invoice_date among them.
        dates="date payment_date",
        moves=(
            Move("action_post", "draft", "posted", until=17),
            Move("action_post", "draft", "in_process|paid", since=18),
            Move("action_validate", "in_process", "paid", since=18),
            Move("action_reject", "in_process", "rejected", since=18),
            Move("action_draft", "posted|cancel", "draft", until=17),
            Move("action_draft", "in_process|paid|canceled|rejected", "draft", since=18),
            Move("action_cancel", "draft", "cancel", until=17),
            Move("action_cancel", "draft", "canceled", since=18),
        ),
        opposites=(
            Opposite("create", "action_draft unlink", "deleted", otherwise="action_cancel"),
            Opposite("action_post", "action_draft", "a draft again"),
        ),
        disambiguation_fields="partner_id date amount state",
    ),
    AppModel(
        "account.payment.register",
        is_wizard=True,
        opposites=(Opposite("action_create_payments", made="account.payment"),),
    ),
    AppModel(
        "account.move.reversal",
        is_wizard=True,
        opposites=(
            Opposite("reverse_moves", made="account.move"),
            Opposite("refund_moves", made="account.move"),
            Opposite("modify_moves", made="account.move"),
        ),
    ),
    AppModel("account.account", "Account", name_fields="name code", disambiguation_fields="code"),
    AppModel(
        "account.journal", "Journal", name_fields="name code", disambiguation_fields="code type"
    ),
    AppModel(
        "account.move.line",
        "Journal Item",
        written_in="move_id invoice_line_ids parent_state",
        opposites=(Opposite("reconcile", "remove_move_reconcile", "open again"),),
    ),
    AppModel(
        "account.bank.statement",
        opposites=(
            Opposite("create", "unlink", "deleted"),
            Opposite("button_post", "button_reopen", "open again", until=15),
        ),
    ),
    AppModel("account.bank.statement.line", opposites=(Opposite("create", "unlink", "deleted"),)),
    AppModel("account.tax", "Tax", disambiguation_fields="type_tax_use amount"),
)
