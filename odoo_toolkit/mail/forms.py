"""The forms by which Odoo writes an e-mail about a record: by version, and one for invoices.

The recipients are always given, so that nobody gets it whom the plan did not name. Subject, text
and files come from a template, which Odoo fills in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.arguments import read_commands, wire
from odoo_toolkit.call import Call
from odoo_toolkit.change_history.lost_answers import or_seen
from odoo_toolkit.client import Odoo
from odoo_toolkit.compat import TEMPLATES_FILL_FORMS_SINCE, words
from odoo_toolkit.errors import AccessError, OdooError
from odoo_toolkit.mail.outcome import newest_message, sent_since
from odoo_toolkit.operations.documents import Row, afterwards, read_rows
from odoo_toolkit.operations.steps import Step
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.reports.listing import look
from odoo_toolkit.values.html_text import html_to_text
from odoo_toolkit.wizards.actions import action_context
from odoo_toolkit.wizards.protocol import fill_in

COMPOSER = "mail.compose.message"
TEMPLATE = "mail.template"
INVOICE = "account.move"


@attrs.frozen(kw_only=True)
class Form:
    """A form for one e-mail, by the names of its fields.

    Attributes:
        model: of the form.
        send: its button.
        record: the field that holds the record.
        template, partners, subject, body: the fields of its content.
        files: the field that names the files before they are made; "" where there is none.
        values: what it is filled in with besides.
        as_text: whether the record is written as a text that holds a list.
        names_model: whether it is told the model of the record.
        apart: whether what is worded here is written when it has taken its template: given at
            once, one of its fields would keep others empty.
    """

    model: str = COMPOSER
    send: str = "action_send_mail"
    record: str = "res_id"
    template: str = "template_id"
    partners: str = "partner_ids"
    subject: str = "subject"
    body: str = "body"
    files: str = ""
    values: Mapping[str, Any] = attrs.field(factory=dict)
    as_text: bool = False
    names_model: bool = True
    apart: bool = False

    def of(self, model: str, record_id: int) -> dict[str, Any]:
        """Return the values that say which record it is about."""
        named = {"model": model} if self.names_model else {}
        if not self.record:
            return {**self.values, **named}
        value = f"[{record_id}]" if self.as_text else record_id
        return {**self.values, **named, self.record: value}


_COMMENT = {"composition_mode": "comment"}
_OLD = Form(values=_COMMENT)
_NEW = Form(record="res_ids", as_text=True, values=_COMMENT)
#: It takes the record from the context.
_OLD_INVOICE = Form(
    model="account.invoice.send",
    send="send_and_print_action",
    record="",
    names_model=False,
    apart=True,
    values={"is_print": False, "is_email": True},
)
_INVOICE_18 = Form(
    model="account.move.send.wizard",
    send="action_send_and_print",
    record="move_id",
    template="mail_template_id",
    partners="mail_partner_ids",
    subject="mail_subject",
    body="mail_body",
    files="mail_attachments_widget",
    names_model=False,
    apart=True,
    values={"sending_methods": ["email"]},
)
_INVOICE_17 = attrs.evolve(
    _INVOICE_18,
    model="account.move.send",
    record="move_ids",
    values={"checkbox_download": False, "checkbox_send_mail": True},
)
_INVOICE_19 = attrs.evolve(_INVOICE_18, template="template_id", subject="subject", body="body")

#: version -> the forms of most records and of invoices.
_FORMS = {
    **dict.fromkeys((14, 15, 16), (_OLD, _OLD_INVOICE)),
    17: (_NEW, _INVOICE_17),
    18: (_NEW, _INVOICE_18),
    19: (_NEW, _INVOICE_19),
}

#: Model -> the method that tells which template and which context Odoo's own button takes; it
#: writes nothing. From 18 on the invoices' form knows its template by itself.
_OPENERS = {
    "sale.order": "action_quotation_send",
    "purchase.order": "action_rfq_send",
    INVOICE: "action_invoice_sent",
}

#: What a template calls. A link for the customer, for one, writes a token on the document, so a
#: template is filled in before sending only if nothing is called but what is known to read. Words
#: of a text before a bracket ("order(s)"), and of style sheets, look like calls.
_CALLED = re.compile(r"[A-Za-z_]\w*(?=\()")
_READING = frozenset(
    words("""
        bool float getattr hasattr int len max min round str sum capitalize get items join keys
        lower replace split strftime strip title upper values compare_amounts is_html_empty is_zero
        format_addr format_amount format_date format_datetime format_duration format_time
        get_base_url get_date_range_str get_display_time_tz get_portal_last_transaction has_group
        has_to_be_paid has_to_be_signed _get_product_documents _is_superuser is_view_active sudo
        with_context calc rgb rgba url invoice item order transfer Transfer
    """)
)
#: From 18 on, a quotation's template makes a link for each document of its products.
_DOCUMENT_LINK = "get_portal_url('/document/'"


def form_for(odoo: Odoo, model: str) -> Form:
    """Return the form for records of a model."""
    major = min(max(odoo.version.major, min(_FORMS)), max(_FORMS))
    return _FORMS[major][model == INVOICE]


def opening(odoo: Odoo, model: str, row: Row) -> dict[str, Any]:
    """Return the context with which Odoo's own button opens the form; one round trip or none."""
    method = _OPENERS.get(model)
    if method is None or (model == INVOICE and odoo.version.major >= 18):
        return {}
    if model == INVOICE and odoo.version.major == 17:
        method = "action_send_and_print"
    asked = {"discard_logo_check": True}
    if model == "purchase.order" and row["state"] in ("draft", "sent"):
        asked["send_rfq"] = True
    action = odoo.call(
        Call(
            model=model,
            method=method,
            ids=(row["id"],),
            context=asked,
            access="read",
            acts_on=model,
            step=True,
        )
    )
    return {**asked, **action_context(action if isinstance(action, Mapping) else {}, {})}


@attrs.frozen(kw_only=True)
class Template:
    """A template of e-mails.

    Attributes:
        reports: ids of the reports whose PDFs go with it.
        files: names of the files that always go with it.
        subject_reads: whether filling in the subject is known to write nothing.
        body_reads: the same of the text, but for links to documents of products.
        documents: whether the text has links to these.
    """

    id: int
    name: str
    reports: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    subject_reads: bool = False
    body_reads: bool = False
    documents: bool = False


def read_template(odoo: Odoo, template_id: int) -> Template | None:
    """Return what is known of a template; None where there is none, or it cannot be seen."""
    check_templates(odoo)
    described = odoo.schema.fields(TEMPLATE)
    wanted = ["name", "report_template", "report_template_ids", "attachment_ids"]
    wanted += ["subject", "body_html"]
    fields = [name for name in wanted if name in described]
    domain = [["id", "=", template_id]]
    rows = look(odoo, TEMPLATE, "search_read", domain=domain, fields=fields)
    if not rows:
        return None
    row = rows[0]
    single = row.get("report_template")
    kept = row["attachment_ids"]
    files = look(odoo, "ir.attachment", "read", kept, fields=["name"]) if kept else []
    return Template(
        id=template_id,
        name=row["name"],
        reports=(single[0],) if single else tuple(row.get("report_template_ids") or ()),
        files=tuple(file["name"] for file in files),
        subject_reads=_reads(row.get("subject") or ""),
        body_reads=_reads((row["body_html"] or "").replace(_DOCUMENT_LINK, "")),
        documents=_DOCUMENT_LINK in (row["body_html"] or ""),
    )


def _reads(text: str) -> bool:
    return _READING.issuperset(_CALLED.findall(text))


def _shows_body(odoo: Odoo, template: Template, order_id: int) -> bool:
    """Whether the text can be filled in before it is sent, without a write."""
    if not template.body_reads or not template.documents:
        return template.body_reads
    names = ["product_id", "product_template_id"]
    try:
        lines = look(
            odoo,
            "sale.order.line",
            "search_read",
            domain=[["order_id", "=", order_id]],
            fields=names,
        )
        products = [line[name][0] for line in lines for name in names if line[name]]
        # Of product and template alike: a document too many only leaves the text out.
        return not look(
            odoo,
            "product.document",
            "search_count",
            domain=[["attached_on_sale", "!=", "hidden"], ["res_id", "in", products]],
        )
    except OdooError:
        return False


def templates_of(odoo: Odoo, model: str) -> list[Row]:
    """Return the templates for records of a model, by name."""
    check_templates(odoo)
    return read_rows(
        odoo, TEMPLATE, [["model", "=", model]], ["name"], acts_on=model, order="name, id"
    )


def check_templates(odoo: Odoo) -> None:
    """Refuse to look at templates where the policy closes them.

    Raises:
        AccessError: it does.
    """
    if odoo.policy.model_blocked(TEMPLATE):
        raise AccessError(
            f"The policy blocks e-mail templates ({TEMPLATE}) on this connection.",
            suggestion="Remove the model from Policy(model_blocklist=...).",
            code="MODEL_BLOCKED",
        )


@attrs.frozen(kw_only=True)
class Preview:
    """What Odoo would write; None is what it would not tell without writing something."""

    subject: str | None = None
    body: str | None = None
    files: tuple[str, ...] = ()
    template: RecordName | None = None


def preview(
    odoo: Odoo,
    model: str,
    record_id: int,
    partners: Sequence[int],
    template: Template | None,
    context: Mapping[str, Any],
) -> Preview:
    """Return subject, text and files as Odoo would fill them in; nothing is written or printed.

    Where filling in would write (a link for the customer, a copy of the PDF), it is left out.
    """
    form = form_for(odoo, model)
    reports = _reports(odoo, template)
    files = (
        *(f"{name} (PDF)" for name, _ in reports),
        *(template.files if template else ()),
    )
    if template is None and not form.files:
        return Preview()
    if odoo.version.major < TEMPLATES_FILL_FORMS_SINCE:
        assert template is not None  # noqa: S101 - only the forms of later versions name files
        keeps = any(expression for _, expression in reports)
        if keeps or not (template.subject_reads and _shows_body(odoo, template, record_id)):
            return Preview(files=files)
        return _generated(odoo, model, record_id, template, context)
    values = form.of(model, record_id)
    if not form.apart:
        values[form.partners] = [[6, 0, list(partners)]]
    if form.record == "move_ids":
        values["move_ids"] = [[6, 0, [record_id]]]
    if template:
        values[form.template] = template.id

    def filled_in(*fields: str) -> Mapping[str, Any]:
        # What is given has to be asked for again.
        spec: dict[str, Any] = {name: {} for name in (*values, *fields)}
        spec[form.template] = {"fields": {"display_name": {}}}
        answer = odoo.call(
            Call(
                model=form.model,
                method="onchange",
                ids=(),
                arguments={"values": values, "field_names": [], "fields_spec": spec},
                context=context,
                access="read",
                acts_on=model,
                step=True,
            )
        )
        return (answer.get("value") if isinstance(answer, Mapping) else None) or {}

    if template is None:
        # The form takes one of its own.
        own = filled_in().get(form.template)
        template = read_template(odoo, own["id"]) if isinstance(own, Mapping) else None
    if template is None or not template.subject_reads:
        return Preview(files=files)
    shown = [form.body] if _shows_body(odoo, template, record_id) else []
    value = filled_in(form.subject, *shown, *filter(None, [form.files]))
    named = value.get(form.files) if form.files else None
    body = value.get(form.body) if shown else None
    own = value.get(form.template)
    return Preview(
        subject=value.get(form.subject) or None,
        body=html_to_text(body) if body else None,
        files=tuple(file["name"] for file in named) if named else files,
        template=RecordName(id=own["id"], name=own["display_name"])
        if isinstance(own, Mapping)
        else None,
    )


def _reports(odoo: Odoo, template: Template | None) -> list[tuple[str, str]]:
    """Return names of a template's reports, and the expressions for their kept copies."""
    if not template or not template.reports:
        return []
    fields = ["name", "attachment"]
    rows = look(odoo, "ir.actions.report", "read", template.reports, fields=fields)
    return [(row["name"], row["attachment"] or "") for row in rows]


def _generated(
    odoo: Odoo, model: str, record_id: int, template: Template, context: Mapping[str, Any]
) -> Preview:
    """Fill in a template of 14 to 16, with its files, without keeping anything."""
    answer = odoo.call(
        Call(
            model=TEMPLATE,
            method="generate_email",
            ids=(template.id,),
            arguments={"res_ids": record_id, "fields": ["subject", "body_html"]},
            context=context,
            access="read",
            acts_on=model,
            step=True,
        )
    )
    values = answer if isinstance(answer, Mapping) else {}
    files = tuple(name for name, _ in values.get("attachments") or ())
    body = values.get("body") or values.get("body_html")
    return Preview(
        subject=values.get("subject") or None,
        body=html_to_text(body) if body else None,
        files=(*files, *template.files),
    )


# Sending ---------------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class SendStep(Step):
    """An e-mail about a record, by the form of this version.

    Attributes:
        form: which one.
        values: of the form: recipients, template, and what the caller worded.
        template: the id of the template; None where there is none, or the form knows it.
    """

    form: Form
    values: Mapping[str, Any] = attrs.field(factory=dict)
    template: int | None = None

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[Call]:
        """Return the writing calls: the form filled in, then its button."""
        first = self.form.of(self.model, ids[0])
        if self.form.record == "move_ids":
            first["move_ids"] = [[6, 0, list(ids)]]
        own = dict(self.values)
        if self.form.apart:
            first |= {k: own.pop(k) for k in [*own] if k == self.form.template}
        else:
            first, own = {**first, **own}, {}
        create = Call(
            model=self.form.model,
            method="create",
            arguments={"vals_list": first},
            context=self.context,
            access="write",
            acts_on=self.model,
            step=True,
        )
        write = attrs.evolve(create, method="write", ids=(), arguments={"vals": own})
        press = attrs.evolve(create, method=self.form.send, ids=(), arguments={})
        return [create, write, press] if own else [create, press]

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> list[int]:
        """Fill in the form and press its button; return the ids of the messages that show it."""
        create, *writes, press = self.calls(odoo, ids)
        odoo.check(press)
        before = newest_message(odoo, self.model, ids[0])
        made = fill_in(odoo, self._filled(odoo, create, ids[0]))
        form = (made[0] if isinstance(made, list) else made,)
        if self.form == _OLD_INVOICE and self.template is not None:
            takes = attrs.evolve(press, method="onchange_template_id", ids=form)
            fill_in(odoo, takes)
        for write in writes:
            fill_in(odoo, attrs.evolve(write, ids=form))

        def seen() -> list[int] | None:
            return sent_since(odoo, self.model, ids[0], before) or None

        or_seen(lambda: odoo.call(attrs.evolve(press, ids=form)), seen, warnings)
        return afterwards(seen, warnings, "its message") or []

    def _filled(self, odoo: Odoo, create: Call, record_id: int) -> Call:
        """Return the creation with what the template gives, which forms of 14 to 16 do not ask."""
        if self.form != _OLD or self.template is None:
            return create
        names = ["subject", "body", "attachment_ids", "email_from", "reply_to"]
        form = {**dict.fromkeys(names, False), "attachment_ids": [], "partner_ids": []}
        form |= {**self.form.of(self.model, record_id), "template_id": self.template}
        answer = fill_in(
            odoo,
            attrs.evolve(
                create,
                method="onchange",
                ids=(),
                arguments={
                    "values": form,
                    "field_name": ["template_id"],
                    "field_onchange": dict.fromkeys(form, "1"),
                },
            ),
        )
        found = (answer or {}).get("value") or {}
        given = {}
        for name in names:
            value = found.get(name)
            if not value:
                continue
            if name == "attachment_ids":
                commands = read_commands(value, name, default=True)
                value = wire(command for command in commands if command.kind != "clear")
            given[name] = value
        values = {**given, **create.arguments["vals_list"]}
        return attrs.evolve(create, arguments={"vals_list": values})
