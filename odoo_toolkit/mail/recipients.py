"""Recipients of an e-mail: contacts by id, name or address."""

from __future__ import annotations

import re
from collections.abc import Sequence
from email.utils import parseaddr

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import NotFoundError, ValidationError, invalid
from odoo_toolkit.operations.documents import Row, read_rows
from odoo_toolkit.operations.lines import wanted_each
from odoo_toolkit.records.names import AmbiguousNameError, resolve_all
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.plain import plain

PARTNER = "res.partner"

_ADDRESS = re.compile(r"[^@\s<>,;\"]+@[^@\s<>,;\".]+(?:\.[^@\s<>,;\".]+)+")
_FIELDS = ("display_name", "email", "email_normalized", "active", "commercial_partner_id")


@attrs.frozen(kw_only=True)
class Recipient(Shown):
    """A contact who gets an e-mail, and the address."""

    id: int
    name: str
    email: str | None


def is_address(text: str | None) -> bool:
    """Whether a text is an e-mail address."""
    return _ADDRESS.fullmatch(text or "") is not None


def recipients(
    odoo: Odoo, to: Sequence[int | str] | None, contact: RecordName | None, *, acts_on: str
) -> list[Recipient]:
    """Return the contacts that an e-mail goes to.

    Args:
        odoo: the connection.
        to: contacts by id, name or address; None for the contact of the document.
        contact: of the document.
        acts_on: the model of the document.

    Raises:
        AmbiguousNameError: a name or an address is that of several contacts.
        NotFoundError: there is no such contact.
        ValidationError: there is nobody to send it to, or one has no address, or none that is one.
    """
    given = plain(to)
    if given is not None and not isinstance(given, list):
        raise invalid(
            "to", "to must be a list of contacts.", "Pass ids, names or e-mail addresses in a list."
        )
    if given is None:
        if contact is None:
            raise ValidationError(
                "The document has no contact to send the e-mail to.",
                suggestion="Pass the recipients as to: contacts by name or id, or e-mail "
                "addresses.",
                code="MISSING_REQUIRED_FIELD",
                details={"field": "to"},
            )
        found = _read(odoo, [contact.id], acts_on)
    elif not given:
        raise invalid(
            "to",
            "to is empty, so the e-mail has no recipient.",
            "Pass contacts or addresses. If you omit to, the document's contact gets the e-mail.",
        )
    else:
        found = people(odoo, given, contact, acts_on=acts_on)
    return [with_address(row) for row in {row["id"]: row for row in found}.values()]


def people(
    odoo: Odoo,
    given: Sequence[int | str],
    contact: RecordName | None = None,
    *,
    acts_on: str,
    argument: str = "to",
) -> list[Row]:
    """Return the contacts meant by ids, names and addresses, with or without an address.

    Args:
        odoo: the connection.
        given: ids, names and e-mail addresses.
        contact: is meant where several have the same address.
        acts_on: the model of the document that they have to do with.
        argument: as which they were given, for messages.

    Raises:
        AmbiguousNameError: a name or an address is that of several contacts.
        NotFoundError: there is no such contact.
        ValidationError: an address is not one.
    """
    addresses = {
        place: _address(item, f"{argument}[{place}]")
        for place, item in enumerate(given)
        if isinstance(item, str) and "@" in item
    }
    others = [item for place, item in enumerate(given) if place not in addresses]
    ids = [n for n in resolve_all(odoo, wanted_each(PARTNER, others, argument)) if n is not None]
    rows = _read(odoo, ids, acts_on, argument) if ids else []
    for place, address in addresses.items():
        rows.append(_of_address(odoo, address, f"{argument}[{place}]", contact, acts_on))
    return rows


def _read(odoo: Odoo, ids: Sequence[int], acts_on: str, argument: str = "to") -> list[Row]:
    rows = read_rows(odoo, PARTNER, [["id", "in", list(ids)]], _FIELDS, acts_on=acts_on)
    by_id = {row["id"]: row for row in rows}
    if missing := [n for n in ids if n not in by_id]:
        listed = ", ".join(map(str, missing))
        raise NotFoundError(
            f"There is no contact with id {listed} ({argument}), or this user cannot see it.",
            suggestion="Look for it with search_read on res.partner.",
            details={"model": PARTNER, "field": argument, "ids": missing},
        )
    return [by_id[n] for n in ids]


def _address(text: str, field: str) -> str:
    address = parseaddr(text.strip())[1]
    if not is_address(address):
        raise invalid(
            field,
            f"{field} is not an e-mail address: {text[:80]!r}.",
            "Write an address such as ann@example.com, or pass the name or id of the contact.",
        )
    return address


def _of_address(
    odoo: Odoo, address: str, field: str, contact: RecordName | None, acts_on: str
) -> Row:
    """Return the contact that has an address; of several, the document's."""
    domain = [["email_normalized", "=", address.lower()], ["active", "=", True]]
    rows = read_rows(odoo, PARTNER, domain, _FIELDS, acts_on=acts_on, limit=11, order="id")
    if not rows:
        raise NotFoundError(
            f"No contact has the address {address} ({field}). Odoo sends to contacts only.",
            suggestion="Create a contact with that address, with create on res.partner. Or add "
            "the address to the right contact.",
            details={"model": PARTNER, "field": field, "name": address},
        )
    own = [row for row in rows if contact and row["id"] == contact.id]
    if len(rows) > 1 and not own:
        matches = [RecordName(id=row["id"], name=row["display_name"]) for row in rows]
        raise AmbiguousNameError(field, address, PARTNER, matches)
    return (own or rows)[0]


def with_address(row: Row) -> Recipient:
    name, email = row["display_name"], row["email"]
    if not email:
        raise ValidationError(
            f"{name} (id {row['id']}) has no e-mail address.",
            suggestion="Write it on the contact first (field email of res.partner), or choose "
            "another recipient with to.",
            code="MISSING_REQUIRED_FIELD",
            details={"model": PARTNER, "id": row["id"], "field": "email"},
        )
    if not is_address(parseaddr(email)[1]):
        raise ValidationError(
            f"The address of {name} (id {row['id']}) is not valid: {email[:80]!r}.",
            suggestion="Correct it on the contact (field email of res.partner), or choose "
            "another recipient with to.",
            details={"model": PARTNER, "id": row["id"], "field": "email"},
        )
    return Recipient(id=row["id"], name=name, email=email)
