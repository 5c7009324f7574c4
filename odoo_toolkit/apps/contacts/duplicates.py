"""A function that finds duplicate contacts, with a score and the reasons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Annotated, Any, get_args

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Le

from odoo_toolkit import operations as op
from odoo_toolkit.apps.contacts import similarity
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import invalid, make_error
from odoo_toolkit.progress import Steps
from odoo_toolkit.records.arguments import checked_count
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.plain import plain
from odoo_toolkit.values.scalars import short_repr
from odoo_toolkit.values.search_text import literal

SIGNS: tuple[similarity.Sign, ...] = get_args(similarity.Sign)

CONTACT = op.Document(
    model="res.partner",
    noun="contact",
    argument="contact_id",
    fields="""
        name is_company parent_id commercial_partner_id type email phone mobile vat street zip city
        active create_date user_ids
    """,
)

#: Contacts that are read at most, in one call, and that share a sign which still says something.
MOST_COMPARED, _PAGE, _MOST_SHARING = 50_000, 1000, 30

#: Contacts and pairs of one group that are shown.
_MOST_SHOWN = 20


@attrs.frozen(kw_only=True)
class DuplicateContact(op.Shown):
    """A contact that may be a duplicate.

    Attributes:
        company: Company of the contact.
        has_user: True if a user logs in as this contact.
    """

    id: int
    name: str | None = None
    is_company: bool | None = None
    company: RecordName | None = None
    email: str | None = None
    phone: str | None = None
    mobile: str | None = None
    vat: str | None = None
    street: str | None = None
    zip: str | None = None
    city: str | None = None
    active: bool | None = None
    create_date: str | None = None
    has_user: bool | None = None


@attrs.frozen(kw_only=True)
class DuplicatePair(op.Shown):
    """Two contacts that may be the same.

    Attributes:
        ids: Ids of both contacts.
        score: Score from 0 to 1.
        why: Data that they have in common.
        against: Differences that reduced the score.
    """

    ids: list[int]
    score: float
    why: list[str]
    against: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class DuplicateGroup(op.Shown):
    """A group of contacts that may be the same.

    Attributes:
        score: Score of the strongest pair.
        keep: Id of the contact to keep: the one with a user, the most complete, or the oldest.
        contacts: The contacts, at most 20.
        pairs: Pairs of contacts with reasons, the strongest first, at most 20.
    """

    score: float
    keep: int
    contacts: list[DuplicateContact]
    pairs: list[DuplicatePair]


@attrs.frozen(kw_only=True)
class DuplicatesResult(op.Shown):
    """Groups of contacts that may be duplicates.

    Attributes:
        groups: Groups, the most likely first.
        total: Number of all groups.
        has_more: True if there are more groups.
        compared: Number of contacts that were read.
        complete: True if all contacts were read.
    """

    message: str
    groups: list[DuplicateGroup]
    total: int
    has_more: bool
    compared: int
    complete: bool
    warnings: list[str] = attrs.Factory(list)


def find_duplicates(
    odoo: Odoo,
    *,
    contact_id: Annotated[
        int | None, Doc("Only duplicates of this contact. Default: all contacts.")
    ] = None,
    contact_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    by: Annotated[Sequence[similarity.Sign], Doc("Which data to compare.")] = SIGNS,
    minimum: Annotated[
        float, Ge(0.1), Le(1), Doc("Minimum score. The same name alone scores 0.6.")
    ] = 0.5,
    limit: Annotated[int, Ge(1), op.AtMost(100), Doc("Maximum number of groups.")] = 20,
) -> DuplicatesResult:
    """Find contacts that may be duplicates, with a score and the reasons. It writes nothing.

    >>> find_duplicates(odoo, by=["email"]).groups[0].pairs[0].why
    ['the same e-mail address info@acme.example']

    The toolkit compares active contacts by e-mail address, phone number, VAT number and name, in
    any notation. A company and its people are not duplicates, and neither are the addresses of one
    company. A value that more than 30 contacts share is ignored, and a warning lists it. The
    ``minimum`` score is from 0.1 to 1. You get at most 100 groups.

    Raises:
        AmbiguousNameError: Several contacts match the name.
        NotFoundError: The contact does not exist.
        ValidationError: An argument is wrong.
        AccessError: Odoo or the policy does not allow it, or the policy blocks the data to compare.
    """
    warnings: list[str] = []
    limit = min(checked_count(limit, "limit", 1), 100)
    if not 0.1 <= op.checked_number(minimum, "minimum", positive=True) <= 1:
        raise invalid("minimum", "minimum must be from 0.1 to 1.")
    signs = _open_signs(odoo, _checked_signs(by), warnings)
    if contact_id is None and contact_name is None:
        rows, complete = _read_contacts(odoo)
        pairs = _pairs(rows, signs, warnings)
    else:
        contact = op.read(odoo, CONTACT, op.find_id(odoo, CONTACT, contact_id, contact_name))
        rows, complete = possible_duplicates(odoo, contact, signs)
        pairs = {(contact["id"], row["id"]) for row in rows}
        rows = [contact, *rows]
    if not complete:
        warnings.append(f"Only {len(rows)} contacts were compared, but there are more.")
    by_id = {row["id"]: row for row in rows}
    alike = {
        pair: found
        for pair in pairs
        if (found := similarity.likeness(by_id[pair[0]], by_id[pair[1]], signs))
        and found.score >= minimum
    }
    groups = _groups(alike, by_id)
    many = f"{len(groups)} groups" if len(groups) != 1 else "1 group"
    return DuplicatesResult(
        message=f"{many} of contacts that seem to be the same. {len(rows)} contacts were compared.",
        groups=groups[:limit],
        total=len(groups),
        has_more=len(groups) > limit,
        compared=len(rows),
        complete=complete,
        warnings=warnings,
    )


def _checked_signs(by: Sequence[similarity.Sign]) -> list[similarity.Sign]:
    given = plain(by)
    given = [given] if isinstance(given, str) else given
    unknown = [item for item in given if item not in SIGNS] if isinstance(given, list) else [given]
    if unknown or not given:
        raise make_error(
            "INVALID_SELECTION",
            f"Contacts cannot be compared by {short_repr(unknown[0])}."
            if unknown
            else "The list of fields to compare contacts by is empty.",
            suggestion=f"Choose from {', '.join(SIGNS)}.",
            details={"field": "by", "allowed": list(SIGNS)},
        )
    return [sign for sign in SIGNS if sign in given]


def _open_signs(
    odoo: Odoo, signs: Sequence[similarity.Sign], warnings: list[str]
) -> list[similarity.Sign]:
    """Return what can be compared here; what a list closes is not, and a warning says so."""
    found = [sign for sign in signs if open_fields(odoo, similarity.SIGN_FIELDS[sign])]
    closed = [sign for sign in signs if sign not in found]
    if closed and not found:
        raise make_error(
            "FIELD_BLOCKED",
            f"Contacts cannot be compared by {', '.join(closed)}: these fields are blocked.",
            suggestion="Compare contacts by other fields, or remove these from "
            "Policy(field_blocklist=...).",
            details={"model": CONTACT.model, "fields": closed},
        )
    if closed:
        warnings.append(f"Not compared, because these fields are blocked: {', '.join(closed)}.")
    return found


def open_fields(odoo: Odoo, names: Iterable[str]) -> list[str]:
    """Return which fields of contacts there are and may be read."""
    described = odoo.policy.readable_fields(CONTACT.model, odoo.schema.fields)
    return [name for name in names if name in described]


def _read_contacts(odoo: Odoo) -> tuple[list[op.Row], bool]:
    """Return the active contacts, and whether these are all."""
    found: list[op.Row] = []
    progress = Steps(MOST_COMPARED // _PAGE)
    while len(found) < MOST_COMPARED:
        last = found[-1]["id"] if found else 0
        domain = [["active", "=", True], ["id", ">", last]]
        page = op.read_rows(odoo, CONTACT.model, domain, CONTACT.fields, limit=_PAGE, order="id")
        found += page
        progress.finish(1, f"{len(found)} contacts read")
        if len(page) < _PAGE:
            return found, True
    return found, False


def possible_duplicates(
    odoo: Odoo, contact: op.Row, signs: Sequence[similarity.Sign]
) -> tuple[list[op.Row], bool]:
    """Return what shares a sign with one contact, and whether that is all; one round trip.

    Args:
        odoo: the connection.
        contact: its row; one that is not yet created has the id 0.
        signs: what is compared.
    """
    conditions: list[Any] = []
    if "email" in signs:
        conditions += [
            ["email", "ilike", literal(a)] for a in similarity.addresses(contact.get("email"))
        ]
    if "phone" in signs:
        fields = open_fields(odoo, similarity.SIGN_FIELDS["phone"])
        numbers = filter(None, (similarity.digits(contact.get(field)) for field in fields))
        conditions += [condition for n in numbers for condition in number_conditions(fields, n)]
    if "vat" in signs and similarity.tax_number(contact.get("vat")):
        conditions.append(["vat", "ilike", spread(similarity.tax_number(contact["vat"]))])
    if "name" in signs:
        words = [word for word in similarity.name_words(contact.get("name")) if len(word) > 2]
        conditions += [["name", "ilike", literal(word)] for word in words]
    if not conditions:
        return [], True
    either = ["|"] * (len(conditions) - 1) + conditions
    domain = [["active", "=", True], ["id", "!=", contact["id"]], *either]
    rows = op.read_rows(odoo, CONTACT.model, domain, CONTACT.fields, limit=_PAGE, order="id")
    return rows, len(rows) < _PAGE


def spread(text: str) -> str:
    """Return the pattern of a text with anything between its characters."""
    return "%".join(literal(character) for character in text)


def number_conditions(fields: Sequence[str], number: str) -> list[Any]:
    """Return conditions of which a contact with this number meets one, however it was typed."""
    return [[field, "ilike", spread(number[-similarity.KEY_DIGITS :])] for field in fields]


def _pairs(
    rows: Sequence[op.Row], signs: Sequence[similarity.Sign], warnings: list[str]
) -> set[tuple[int, int]]:
    """Return the contacts that are worth comparing: those that share a sign."""
    sorted_by: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        for key in similarity.keys(row, signs):
            sorted_by.setdefault(key, []).append(row["id"])
    pairs: set[tuple[int, int]] = set()
    crowds = {key: ids for key, ids in sorted_by.items() if len(ids) > _MOST_SHARING}
    for key, ids in sorted_by.items():
        if key not in crowds:
            pairs.update(combinations(ids, 2))
    told = [f"the {kind} {text} ({len(ids)} contacts)" for (kind, text), ids in crowds.items()]
    if told:
        more = f" and {len(told) - 5} more" if len(told) > 5 else ""
        warnings.append(
            f"Ignored, because too many contacts share the same value: {'; '.join(told[:5])}{more}."
        )
    return pairs


def _groups(
    alike: dict[tuple[int, int], similarity.Likeness], by_id: dict[int, op.Row]
) -> list[DuplicateGroup]:
    """Put together what hangs together, the likeliest first."""
    above: dict[int, int] = {}

    def top(number: int) -> int:
        while above.setdefault(number, number) != number:
            number = above[number]
        return number

    for one, other in alike:
        above[top(one)] = top(other)
    members: dict[int, list[tuple[tuple[int, int], similarity.Likeness]]] = {}
    for pair, found in alike.items():
        members.setdefault(top(pair[0]), []).append((pair, found))
    groups = []
    for pairs in members.values():
        pairs.sort(key=lambda item: (-item[1].score, item[0]))
        ids = sorted({number for pair, _ in pairs for number in pair})
        groups.append(
            DuplicateGroup(
                score=pairs[0][1].score,
                keep=_to_keep([by_id[number] for number in ids]),
                contacts=[_shown(by_id[number]) for number in ids[:_MOST_SHOWN]],
                pairs=[
                    DuplicatePair(
                        ids=list(pair), score=found.score, why=found.why, against=found.against
                    )
                    for pair, found in pairs[:_MOST_SHOWN]
                ],
            )
        )
    return sorted(groups, key=lambda group: (-group.score, group.contacts[0].id))


def _to_keep(rows: Sequence[op.Row]) -> int:
    def rank(row: op.Row) -> tuple[bool, int, int]:
        filled_in = sum(bool(row.get(field)) for field in CONTACT.fields)
        return (not row.get("user_ids"), -filled_in, row["id"])

    return int(min(rows, key=rank)["id"])


def _shown(row: op.Row) -> DuplicateContact:
    users = row.get("user_ids")
    return op.filled(
        DuplicateContact,
        row,
        company=row.get("parent_id"),
        has_user=None if users is None else bool(users),
    )
