"""A function that sends a document by e-mail, and returns the status of the e-mail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit.annotations import DryRun, JsonSchema, readable_signatures
from odoo_toolkit.chatter.owner_records import check_has
from odoo_toolkit.client import Odoo
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import NotFoundError, ValidationError, invalid
from odoo_toolkit.mail.forms import (
    INVOICE,
    TEMPLATE,
    Form,
    Preview,
    SendStep,
    Template,
    form_for,
    opening,
    preview,
    read_template,
    templates_of,
)
from odoo_toolkit.mail.outcome import MESSAGE, Delivery, deliveries, overall
from odoo_toolkit.mail.recipients import Recipient, recipients
from odoo_toolkit.operations.documents import (
    Document,
    Row,
    afterwards,
    find,
    linked_names,
    read_rows,
    state_error,
)
from odoo_toolkit.operations.steps import Done, make, permit
from odoo_toolkit.plans import Plan, operation_with, planned
from odoo_toolkit.policy.names import holds_template
from odoo_toolkit.records.names import AmbiguousNameError, Wanted, resolve
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.plain_text import written_text

__all__ = ["MailPlan", "SentMail", "send_document"]

#: What is read of a document; what its model lacks is None.
_FIELDS = ("display_name", "partner_id", "state", "move_type", "message_partner_ids")

#: States in which a document of a model is not yet one that is sent.
_UNFINISHED = {INVOICE: "draft"}


@attrs.frozen(kw_only=True)
class MailPlan(Plan):
    """An e-mail that would be sent. Nothing was sent.

    Attributes:
        recipients: Recipients with their addresses.
        followers: Followers of the document, who also get its messages.
        subject: Subject. None if Odoo fills it in when it sends.
        body: Text, in the same way.
        attachments: Names of the files.
        template: Template of subject, text and files.
    """

    recipients: list[Recipient]
    followers: list[RecordName]
    subject: str | None
    body: str | None
    attachments: list[str]
    template: RecordName | None = None


@attrs.frozen(kw_only=True)
class SentMail(Shown):
    """An e-mail about a document, and its status.

    Attributes:
        status: ``sent`` (the mail server accepted it), ``queued`` (Odoo sends it later),
            ``failed``, ``cancelled``, ``partial`` (see ``deliveries``) or ``unknown``.
        message_id: Id of the message on the document. None if Odoo does not return it.
        subject: Subject as it was sent.
        attachments: Names of the files.
        deliveries: Status for each recipient, including followers of the document.
        state: State of the document now, if it has states.
        warnings: Differences from your request.
    """

    model: str
    record: RecordName
    status: str
    message_id: int | None = None
    subject: str | None = None
    attachments: list[str] = attrs.Factory(list)
    deliveries: list[Delivery] = attrs.Factory(list)
    state: str | None = None
    message: str
    warnings: list[str] = attrs.Factory(list)


@operation_with(MailPlan)
def send_document(
    odoo: Odoo,
    *,
    model: Annotated[
        str, Doc("E.g. sale.order, account.move (invoices), purchase.order, stock.picking.")
    ],
    record_id: Annotated[int | None, Ge(1), Doc("Id of the document.")] = None,
    record_name: Annotated[str | None, Doc("Its number or name, instead of the id.")] = None,
    to: Annotated[
        Sequence[int | str] | None,
        JsonSchema({"type": "array", "items": {"type": "string"}}),
        Doc(
            'A list of contacts, each by name, id or e-mail address: ["Ann Lee", "bo@example.com"].'
            " Default: the document's contact."
        ),
    ] = None,
    template_id: Annotated[
        int | None, Ge(1), Doc("Id of a mail.template. Default: Odoo's choice.")
    ] = None,
    template_name: Annotated[str | None, Doc("Its name, instead of the id.")] = None,
    subject: Annotated[str | None, Doc("Subject, instead of the template's.")] = None,
    body: Annotated[str | None, Doc("Plain text instead of the template's.")] = None,
    dry_run: DryRun = False,
) -> SentMail | MailPlan:
    """Send a document by e-mail with its PDF, and return the status of the e-mail.

    >>> send_document(odoo, model="sale.order", record_name="S00042").status
    'sent'

    The toolkit sends it as Odoo's button does, so a quotation is marked as sent. The e-mail is also
    a message on the document, so its followers get it, too. Odoo sends only to contacts. An e-mail
    address must therefore belong to a contact.

    Raises:
        AmbiguousNameError: A name matches several records, or there are several templates. Nothing
            was sent.
        NotFoundError: The document, contact or template does not exist. Nothing was sent.
        StateError: The document is a draft, or cancelled. Nothing was sent.
        ValidationError: A recipient has no e-mail address, an argument is wrong, or the model has
            no messages. Nothing was sent.
        AccessError: Odoo or the policy does not allow it. Nothing was sent.
    """
    check_texts(subject=subject, body=body)
    form = form_for(odoo, model)
    step = SendStep(model=model, method=form.send, form=form, says="Sent")
    permit(odoo, step, dry_run=dry_run)
    check_has(odoo, model, "message_ids", "chatter")
    document = Document(model=model, noun="document", argument="record_id", fields=_FIELDS)
    row = find(odoo, document, record_id, record_name)
    by_template = template_id is not None or template_name is not None
    _check_state(document, row, by_template=by_template)
    wanted = Wanted(
        model=TEMPLATE,
        field="template_id",
        id=template_id,
        name=template_name,
        domain=(("model", "=", model),),
    )
    chosen = resolve(odoo, wanted, required=False)
    people = recipients(odoo, to, row["partner_id"], acts_on=model)
    context = opening(odoo, model, row)
    worded = subject is not None and body is not None
    template = _template(odoo, model, form, chosen, context, worded=worded)
    values: dict[str, Any] = {form.partners: [[6, 0, [person.id for person in people]]]}
    if template:
        values[form.template] = template.id
    if subject is not None:
        values[form.subject] = subject.strip()
    if body is not None:
        values[form.body] = written_text(odoo.schema.fields(MESSAGE)["body"], body)
    context = {**context, "active_model": model, "active_id": row["id"], "active_ids": [row["id"]]}
    step = attrs.evolve(
        step, values=values, context=context, template=template.id if template else None
    )
    if dry_run:
        ids = [person.id for person in people]
        shown = preview(odoo, model, row["id"], ids, template, context)
        shown = attrs.evolve(shown, subject=subject or shown.subject, body=body or shown.body)
        return _plan(odoo, step, row, people, template, shown)
    return _result(odoo, document, row, people, make(odoo, [step], [row["id"]]))


def check_texts(**texts: str | None) -> None:
    """Refuse what is empty, and what Odoo would evaluate as a template.

    Raises:
        ValidationError: a text is one of these.
    """
    for name, text in texts.items():
        if text is None:
            continue
        if not isinstance(text, str) or not text.strip():
            raise invalid(name, f"{name} is empty.", f"Omit {name} to use the template's.")
        if holds_template(text):
            raise invalid(
                name,
                f"{name} contains a placeholder that Odoo would evaluate, such as {{{{ ... }}}}.",
                "Write the text as the recipient should read it.",
            )


def _check_state(document: Document, row: Row, *, by_template: bool) -> None:
    name = row["display_name"]
    if row["move_type"] == "entry":
        raise state_error(
            document, row, f"{name} is a journal entry, not an invoice.", "Choose an invoice."
        )
    if row["state"] is not None and row["state"] == _UNFINISHED.get(document.model):
        raise state_error(
            document, row, f"{name} is a draft: it has no number yet.", "Post it first."
        )
    if row["state"] == "cancel" and not by_template:
        raise state_error(
            document,
            row,
            f"{name} is cancelled.",
            "If you want to write about that, choose a template with template_id or template_name.",
        )


def _template(
    odoo: Odoo,
    model: str,
    form: Form,
    chosen: int | None,
    context: Mapping[str, Any],
    *,
    worded: bool,
) -> Template | None:
    """Return the template meant: the one chosen, Odoo's own, or the only one of the model.

    None where the caller has worded all, or the form has one of its own.
    """
    wanted = chosen or context.get("default_template_id") or context.get("default_mail_template_id")
    if wanted:
        template = read_template(odoo, int(wanted))
        if template is None:
            raise NotFoundError(
                f"There is no e-mail template with id {wanted} (template_id), or this user cannot"
                " see it.",
                suggestion=f"Look for one with search_read on {TEMPLATE}.",
                details={"model": TEMPLATE, "field": "template_id", "id": wanted},
            )
        return template
    if form.files:
        return None
    found = templates_of(odoo, model)
    if len(found) == 1:
        return read_template(odoo, found[0]["id"])
    if worded:
        return None
    if found:
        matches = [RecordName(id=row["id"], name=row["name"]) for row in found]
        raise AmbiguousNameError("template_id", model, TEMPLATE, matches)
    raise ValidationError(
        f"There is no e-mail template for {model}.",
        suggestion="Pass subject and body.",
        code="MISSING_REQUIRED_FIELD",
        details={"field": "template_id", "model": model},
    )


def _plan(
    odoo: Odoo,
    step: SendStep,
    row: Row,
    people: Sequence[Recipient],
    template: Template | None,
    shown: Preview,
) -> MailPlan:
    warnings: list[str] = []
    # An author does not get what he sends.
    (me,) = read_rows(
        odoo, "res.users", [["id", "=", odoo.uid]], ["partner_id"], acts_on=step.model
    )
    getting = {*(person.id for person in people), getattr(me["partner_id"], "id", None)}
    ids = [n for n in row["message_partner_ids"] or () if n not in getting]
    followers = linked_names(odoo, "res.partner", ids, "followers", warnings, acts_on=step.model)
    if not shown.files:
        warnings.append("The e-mail has no attachment.")
    if shown.subject is None or shown.body is None:
        warnings.append(
            "Odoo fills in the text of the template only when it sends it. A preview would "
            "create a link or a file on the document."
        )
    plan = planned(
        odoo,
        step.calls(odoo, [row["id"]]),
        f"Would send {row['display_name']} to {_named(people)}{_marking(step, row)}.",
        warnings=warnings,
    )
    return MailPlan(
        **attrs.asdict(plan, recurse=False),
        recipients=list(people),
        followers=followers,
        subject=shown.subject,
        body=shown.body,
        attachments=list(shown.files),
        template=RecordName(id=template.id, name=template.name) if template else shown.template,
    )


def _named(people: Sequence[Recipient]) -> str:
    return ", ".join(f"{person.name} <{person.email}>" for person in people)


def _marking(step: SendStep, row: Row) -> str:
    marks = step.context.keys() & {"mark_so_as_sent", "mark_rfq_as_sent"}
    return ", and mark it as sent" if marks and row["state"] == "draft" else ""


def _result(
    odoo: Odoo, document: Document, row: Row, people: Sequence[Recipient], done: Done
) -> SentMail:
    warnings, messages = done.warnings, done.answers[0] or []
    model = document.model

    def look() -> tuple[list[Delivery], str | None, list[str]]:
        fields = ["subject", "attachment_ids"]
        rows = read_rows(odoo, MESSAGE, [["id", "in", messages]], fields, acts_on=model)
        ids = [n for message in rows for n in message["attachment_ids"]]
        names = linked_names(odoo, "ir.attachment", ids, "files", warnings, acts_on=model)
        subject = rows[0]["subject"] if rows else None
        return deliveries(odoo, model, messages), subject, [name.name for name in names]

    found, subject, files = afterwards(look, warnings, "the e-mail") or ([], None, [])
    reached = {one.id for one in found}
    if not messages:
        warnings.append(
            "Odoo shows no message on the document. Check the document before you send it again."
        )
    warnings += [
        f"Odoo sent nothing to {person.name}, because it does not e-mail users their own messages."
        for person in people
        if found and person.id not in reached
    ]
    now = afterwards(
        lambda: read_rows(odoo, model, [["id", "=", row["id"]]], ["state"]), warnings, "its state"
    )
    status, name = overall(found), row["display_name"]
    return SentMail(
        model=model,
        record=RecordName(id=row["id"], name=name),
        status=status,
        message_id=messages[0] if messages else None,
        subject=subject,
        attachments=files,
        deliveries=found,
        state=now[0]["state"] if now else None,
        message=_says(name, status, found, people),
        warnings=warnings,
    )


def _says(name: str, status: str, found: Sequence[Delivery], people: Sequence[Recipient]) -> str:
    match status:
        case "sent":
            return f"Sent {name} to {_named(people)}."
        case "queued":
            return f"{name} is in Odoo's queue, to be sent to {_named(people)}."
        case "failed":
            reason = next((one.failure for one in found if one.failure), "unknown")
            return f"The e-mail with {name} failed: {reason}. The message is on the document."
        case "partial":
            told = "; ".join(
                f"{one.name}: {one.status}{f' ({one.failure})' if one.failure else ''}"
                for one in found
            )
            return f"Not all recipients got {name}: {told}."
        case _:
            return f"It is unknown whether Odoo sent the e-mail with {name}."


readable_signatures(globals())
