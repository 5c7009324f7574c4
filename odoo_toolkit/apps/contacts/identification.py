"""A function that finds the contact of a phone number or e-mail address, and its open documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.contacts import similarity
from odoo_toolkit.apps.contacts.duplicates import CONTACT, number_conditions, open_fields
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooConnectionError, OdooError, make_error
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.search_text import literal

DocumentKind = Literal["sale", "invoice", "purchase"]
Matched = Literal["email", "phone", "domain"]

#: Contacts that are looked at and shown, companies whose documents are read, documents of each.
_LOOKED_AT, _MOST_SHOWN, _MOST_ACCOUNTS, _MOST_DOCUMENTS = 200, 20, 5, 20

#: Whose addresses say nothing of the company that somebody is with.
_FREE_MAIL = """aol.com gmail.com gmx.at gmx.ch gmx.de gmx.net googlemail.com hotmail.com hotmail.fr
    icloud.com live.com mac.com me.com msn.com orange.fr outlook.com proton.me protonmail.com
    t-online.de web.de yahoo.com yahoo.fr"""


@attrs.frozen(kw_only=True)
class IdentifiedContact(op.Shown):
    """A contact with this number or address.

    Attributes:
        matched: ``email``, ``phone`` or both. ``domain`` if only other addresses of the same domain
            are known.
        function: Job of the contact.
        company: Company of the contact, or None.
        active: False if the contact is archived.
    """

    id: int
    name: str | None = None
    matched: list[Matched]
    is_company: bool | None = None
    function: str | None = None
    company: RecordName | None = None
    email: str | None = None
    phone: str | None = None
    mobile: str | None = None
    city: str | None = None
    user: RecordName | None = None
    active: bool | None = None


@attrs.frozen(kw_only=True)
class OpenDocument(op.Shown):
    """An order that is not finished, or an invoice or bill that is not paid.

    Attributes:
        type: Type of an invoice, such as ``out_invoice``.
        amount_residual: Unpaid amount of an invoice.
        due: Due date of an invoice.
        overdue: True if that date is past.
        company: Your company that the document belongs to, if documents of several companies are
            listed.
    """

    id: int
    name: str | None = None
    contact: RecordName | None = None
    company: str | None = None
    type: str | None = None
    state: str | None = None
    date: str | None = None
    amount_total: float | None = None
    amount_residual: float | None = None
    currency: str | None = None
    due: str | None = None
    overdue: bool | None = None


@attrs.frozen(kw_only=True)
class LastContact(op.Shown):
    """The newest message from or to a person of a company.

    Attributes:
        date: Date and time in UTC.
        direction: ``in`` if one of their people wrote it, otherwise ``out``.
        author: Author of the message.
        model, record_id, record_name: Record of the message.
    """

    date: str | None = None
    direction: Literal["in", "out"]
    author: str | None = None
    subject: str | None = None
    model: str | None = None
    record_id: int | None = None
    record_name: str | None = None


@attrs.frozen(kw_only=True)
class Account(op.Shown):
    """The open documents of a company, or of a person without a company.

    None means that the data can't be read. A warning of the result says why.

    Attributes:
        orders: Quotations, and orders that are not fully delivered and invoiced.
        invoices: Posted invoices and credit notes that are not settled.
        purchases: Requests for quotation, and purchase orders that are not fully received and
            billed.
        amount_due: Unpaid amount of invoices minus credit notes, by currency.
        last_contact: None if there is none, or if messages can't be read.
    """

    id: int
    name: str | None = None
    orders: list[OpenDocument] | None = None
    invoices: list[OpenDocument] | None = None
    purchases: list[OpenDocument] | None = None
    amount_due: dict[str, float] = attrs.Factory(dict)
    last_contact: LastContact | None = None


@attrs.frozen(kw_only=True)
class IdentifyResult(op.Shown):
    """The contacts with a number or address, and their accounts.

    Attributes:
        contacts: Contacts, the best match first and archived ones last.
        accounts: Open documents of each company, or person, that the contacts belong to.
    """

    message: str
    contacts: list[IdentifiedContact]
    accounts: list[Account]
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class Kind:
    """A kind of document of which it is asked what is open.

    Attributes:
        model: of the documents.
        company: the field that leads to the company or person they are with.
        fields: by the name of what is shown, the fields that may hold it: the first that is there.
        done: by field, the values with which nothing is left to be done; where all fields that
            this version has show them, a document is not open.
        domain: what all of them match.
    """

    model: str
    company: str
    fields: Mapping[str, tuple[str, ...]]
    done: Mapping[str, tuple[str, ...]]
    domain: tuple[Any, ...]


KINDS: Mapping[DocumentKind, Kind] = {
    "sale": Kind(
        model="sale.order",
        company="partner_id.commercial_partner_id",
        fields={"date": ("date_order",)},
        done={"invoice_status": ("invoiced",), "delivery_status": ("full",)},
        domain=(["state", "in", ["draft", "sent", "sale", "done"]],),
    ),
    "invoice": Kind(
        model="account.move",
        company="commercial_partner_id",
        fields={"date": ("invoice_date",), "type": ("move_type",), "due": ("invoice_date_due",)},
        done={},
        domain=(
            ["state", "=", "posted"],
            ["move_type", "in", ["out_invoice", "out_refund", "in_invoice", "in_refund"]],
            ["payment_state", "in", ["not_paid", "partial"]],
        ),
    ),
    "purchase": Kind(
        model="purchase.order",
        company="partner_id.commercial_partner_id",
        fields={"date": ("date_order",)},
        done={"invoice_status": ("invoiced",), "receipt_status": ("full",)},
        domain=(["state", "in", ["draft", "sent", "to approve", "purchase", "done"]],),
    ),
}

#: Which attribute of an account has each kind, and what people call it.
_SHOWN_AS: Mapping[DocumentKind, tuple[str, str]] = {
    "sale": ("orders", "orders"),
    "invoice": ("invoices", "invoices"),
    "purchase": ("purchases", "purchase orders"),
}

#: On what messages are looked for; where they are on something else, it is not for everybody.
_TALKED_OF = op.words("""
    res.partner sale.order account.move purchase.order crm.lead helpdesk.ticket project.task
    stock.picking
""")


def identify_contact(
    odoo: Odoo,
    *,
    phone: Annotated[str | None, Doc("Phone number, in any notation.")] = None,
    email: Annotated[str | None, Doc("E-mail address.")] = None,
    contact: Annotated[op.NameOrId, Doc("Contact by name or id, if known.")] = None,
) -> IdentifyResult:
    """Find the contact of a phone number or e-mail address, and its open documents.

    >>> found = identify_contact(odoo, phone="+32 470 11 22 33")
    >>> company = found.contacts[0].company
    >>> company and company.name
    'Azure Interior'

    Pass a number of at least 6 digits, in any notation, with or without the country code. If you
    pass a number and an address, contacts with both come first. If no contact has the address, you
    get contacts with the same domain, but not for domains like gmail.com. If you know the contact,
    pass its name or id instead.

    It takes 1 request for the contacts, 1 more if no contact has the address, 4 in parallel for the
    documents, and 1 for the last author. With several companies, each kind of document takes 1 more
    for each company.

    Raises:
        AmbiguousNameError: Several contacts have that name.
        NotFoundError: The contact does not exist.
        ValidationError: You passed neither number, address nor contact, or the value is not a
            number or address.
        AccessError: Odoo or the policy does not allow reading contacts.
    """
    if (phone is None and email is None) == (contact is None):
        raise make_error(
            "MISSING_REQUIRED_FIELD",
            "Pass a phone number, an e-mail address or a contact.",
            suggestion="Pass either contact, or phone, email or both.",
            details={"fields": ["phone", "email", "contact"]},
        )
    number = None if phone is None else similarity.checked_phone(phone)
    address = None if email is None else similarity.checked_email(email)
    warnings: list[str] = []
    if contact is None:
        found = _find(odoo, number, address, warnings)
    else:
        (wanted,) = op.wanted_links(contact=(CONTACT.model, contact))
        found = [(row, []) for row in _look(odoo, [["id", "=", op.resolve(odoo, wanted)]])]
    if len(found) > _MOST_SHOWN:
        warnings.append(f"Only {_MOST_SHOWN} of {len(found)} contacts are shown.")
        found = found[:_MOST_SHOWN]
    accounts: dict[int, RecordName] = {}
    for row, _ in found:
        company = row.get("commercial_partner_id") or RecordName(id=row["id"], name=row["name"])
        accounts.setdefault(company.id, company)
    if len(accounts) > 1 and found[0][1] == ["domain"]:
        # Whose it is stays open, so nobody's documents are shown for it.
        accounts = {}
    if len(accounts) > _MOST_ACCOUNTS:
        warnings.append(
            f"The contacts belong to {len(accounts)} companies. Open documents are shown for the "
            f"first {_MOST_ACCOUNTS}."
        )
    asked = list(accounts.values())[:_MOST_ACCOUNTS]
    said = " and ".join(text for text in (phone, email) if text is not None)
    return IdentifyResult(
        message=_message(said, address, found),
        contacts=[_contact(row, matched) for row, matched in found],
        accounts=_accounts(odoo, asked, warnings),
        warnings=warnings,
    )


def _message(said: str, address: str | None, found: Sequence[tuple[op.Row, list[Matched]]]) -> str:
    if not said:
        return "Open documents and last message of the contact."
    if not found:
        return f"No contact has {said}."
    count = f"{len(found)} contact{'s have' if len(found) > 1 else ' has'}"
    if found[0][1] == ["domain"]:
        return f"No contact has {said}. {count} an address at {(address or '').split('@')[-1]}."
    return f"{count} {said}."


# The contacts ------------------------------------------------------------------------------------


def _find(
    odoo: Odoo, number: str | None, address: str | None, warnings: list[str]
) -> list[tuple[op.Row, list[Matched]]]:
    """Return the contacts with a number or address, and by what each was found."""
    phones = open_fields(odoo, similarity.SIGN_FIELDS["phone"]) if number is not None else []
    emails = open_fields(odoo, similarity.SIGN_FIELDS["email"]) if address is not None else []
    closed = [
        name
        for name, asked, fields in (("phone", number, phones), ("email", address, emails))
        if asked is not None and not fields
    ]
    if closed:
        raise make_error(
            "FIELD_BLOCKED",
            f"Contacts cannot be searched by {' and '.join(closed)}, because the policy blocks it.",
            suggestion="Remove the field from Policy(field_blocklist=...).",
            details={"model": CONTACT.model, "fields": closed},
        )
    own = number_conditions(phones, number) if number is not None else []
    if address is not None:
        own.append(["email", "ilike", literal(address)])
    rows = _look(odoo, own)
    found: list[tuple[op.Row, list[Matched]]] = []
    for row in rows:
        matched: list[Matched] = []
        if address is not None and address in similarity.addresses(row.get("email")):
            matched.append("email")
        if number is not None and any(
            (theirs := similarity.digits(row.get(field))) and similarity.same_number(theirs, number)
            for field in phones
        ):
            matched.append("phone")
        if matched:
            found.append((row, matched))
    if len(rows) == _LOOKED_AT:
        warnings.append(f"Many contacts are similar. Only the first {_LOOKED_AT} were checked.")
    if (
        not found
        and address is not None
        and (at := address.split("@")[1]) not in _FREE_MAIL.split()
    ):
        near = _look(odoo, [["email", "ilike", literal(f"@{at}")]], ["active", "=", True])
        return [(row, ["domain"]) for row in near if _is_at(row, at)]
    found.sort(key=lambda item: (not item[0].get("active"), -len(item[1]), item[0]["id"]))
    return found


def _is_at(row: op.Row, domain: str) -> bool:
    """Whether a contact has an address at a domain."""
    return any(address.endswith(f"@{domain}") for address in similarity.addresses(row.get("email")))


def _look(odoo: Odoo, conditions: Sequence[Any], *others: Any) -> list[op.Row]:
    """Return contacts that meet one of the conditions, and all others; one round trip."""
    domain = [*others, *["|"] * (len(conditions) - 1), *conditions]
    fields = (*CONTACT.fields, "function", "user_id")
    order = "active desc, id"
    return op.read_rows(odoo, CONTACT.model, domain, fields, limit=_LOOKED_AT, order=order)


def _contact(row: op.Row, matched: list[Matched]) -> IdentifiedContact:
    return op.filled(IdentifiedContact, row, matched=matched, company=row.get("parent_id"))


# What is open with them -----------------------------------------------------------------------


def _accounts(odoo: Odoo, asked: Sequence[RecordName], warnings: list[str]) -> list[Account]:
    """Return what is open with companies or persons; what cannot be read is told."""
    if not asked:
        return []
    ids = [company.id for company in asked]
    shown: dict[DocumentKind, dict[int, list[OpenDocument]] | None] = {}
    talked: dict[int, LastContact] = {}

    def documents(kind: DocumentKind) -> None:
        model = KINDS[kind].model
        if not odoo.schema.has_model(model):
            shown[kind] = None
            return
        shown[kind] = _documents(odoo, KINDS[kind], ids, _SHOWN_AS[kind][1], warnings)

    def messages() -> None:
        talked.update(_last_contacts(odoo, ids))

    def readable(what: str, look: Callable[[], None]) -> None:
        try:
            look()
        except OdooConnectionError:
            raise
        except OdooError as error:
            # The contacts themselves are told anyway.
            warnings.append(f"The {what} cannot be read: {error.message}")

    looks: list[Callable[[], None]] = [
        partial(readable, _SHOWN_AS[kind][1], partial(documents, kind)) for kind in KINDS
    ]
    looks.append(partial(readable, "messages", messages))
    op.side_by_side(looks)
    warnings.sort()
    found = []
    for company in asked:
        lists: dict[str, Any] = {}
        for kind, rows in shown.items():
            if rows is not None:
                lists[_SHOWN_AS[kind][0]] = rows.get(company.id, [])
        due: dict[str, float] = {}
        for item in lists.get("invoices", ()):
            if item.type in ("out_invoice", "out_refund") and item.amount_residual is not None:
                sign = -1 if item.type == "out_refund" else 1
                total = due.get(item.currency or "", 0.0) + sign * item.amount_residual
                due[item.currency or ""] = round(total, 6)
        found.append(
            Account(
                id=company.id,
                name=company.name,
                amount_due=due,
                last_contact=talked.get(company.id),
                **lists,
            )
        )
    return found


def _documents(
    odoo: Odoo, kind: Kind, ids: Sequence[int], what: str, warnings: list[str]
) -> dict[int, list[OpenDocument]]:
    """Return the open documents of each company or person, the newest first; one round trip."""
    described = odoo.schema.fields(kind.model)
    undone = [["state", "in", ["draft", "sent", "to approve"]]] if kind.done else []
    undone += [[f, "not in", list(done)] for f, done in kind.done.items() if f in described]
    either = ["|"] * (len(undone) - 1) + undone
    domain = [*kind.domain, [kind.company, "in", list(ids)], *either]
    own = [field for fields in kind.fields.values() for field in fields]
    fields = ["name", "partner_id", "state", "amount_total", "amount_residual", "currency_id"]
    fields += ["company_id", *own]
    most = _MOST_DOCUMENTS * len(ids)
    rows = op.read_rows(odoo, kind.model, domain, fields, limit=most + 1, order="id desc")
    if len(rows) > most:
        warnings.append(f"Only the {most} newest open {what} are shown.")
    companies = _companies_of(odoo, rows[:most], ids)
    owners = {row["company_id"].id for row in rows if row.get("company_id")}
    if len(owners) > 1:
        warnings.append(f"The open {what} belong to {len(owners)} companies in this database.")
    found: dict[int, list[OpenDocument]] = {}
    for row in rows[:most]:
        owner = row.get("company_id") if len(owners) > 1 else None
        own_values = {
            name: next((row.get(field) for field in fields if row.get(field)), None)
            for name, fields in kind.fields.items()
        }
        due = own_values.get("due")
        document = OpenDocument(
            id=row["id"],
            name=row.get("name"),
            contact=row.get("partner_id"),
            company=owner.name if owner else None,
            state=row.get("state"),
            amount_total=row.get("amount_total"),
            amount_residual=row.get("amount_residual"),
            currency=op.currency_of(row) if row.get("currency_id") else None,
            overdue=None if due is None else due < op.today(odoo),
            **own_values,
        )
        found.setdefault(companies.get(row["id"], ids[0]), []).append(document)
    return found


def _companies_of(odoo: Odoo, rows: Sequence[op.Row], ids: Sequence[int]) -> dict[int, int]:
    """Return for each document which of the companies it is with; none is read for one company."""
    if len(ids) == 1:
        return {}
    partners = sorted({row["partner_id"].id for row in rows if row.get("partner_id")})
    fields = ["commercial_partner_id"]
    read = op.read_rows(odoo, CONTACT.model, [["id", "in", partners]], fields) if partners else []
    above = {row["id"]: row["commercial_partner_id"].id for row in read}
    return {
        row["id"]: above[row["partner_id"].id]
        for row in rows
        if row.get("partner_id") and row["partner_id"].id in above
    }


def _last_contacts(odoo: Odoo, ids: Sequence[int]) -> dict[int, LastContact]:
    """Return the newest message from or to each company's people; one round trip for each."""

    def open_to_all(model: str) -> bool:
        call = op.Call(model=model, method="search_read", arguments={"domain": []}, step=True)
        return odoo.schema.has_model(model) and odoo.refusal(call) is None

    models = [model for model in _TALKED_OF if open_to_all(model)]

    def newest(company: int) -> op.Row | None:
        people = [
            "|",
            ["author_id.commercial_partner_id", "=", company],
            ["partner_ids.commercial_partner_id", "=", company],
        ]
        kinds = [["message_type", "in", ["email", "comment"]], ["model", "in", models]]
        fields = ["date", "author_id", "email_from", "subject", "model", "res_id", "record_name"]
        latest = "date desc, id desc"
        return op.first(odoo, "mail.message", [*people, *kinds], fields, order=latest)

    found = op.side_by_side([partial(newest, company) for company in ids])
    authors = sorted({row["author_id"].id for row in found if row and row["author_id"]})
    above = {
        row["id"]: row["commercial_partner_id"]
        for row in (
            op.read_rows(odoo, CONTACT.model, [["id", "in", authors]], ["commercial_partner_id"])
            if authors
            else []
        )
    }
    return {
        company: LastContact(
            date=row["date"],
            direction="in"
            if row["author_id"] and (of := above.get(row["author_id"].id)) and of.id == company
            else "out",
            author=row["author_id"].name if row["author_id"] else row["email_from"],
            subject=row["subject"],
            model=row["model"],
            record_id=row["res_id"] or None,
            record_name=row["record_name"],
        )
        for company, row in zip(ids, found, strict=True)
        if row
    }
