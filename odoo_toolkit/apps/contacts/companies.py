"""A function that creates a company with its people and addresses, without duplicates."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Literal, TypedDict, get_args

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.contacts.duplicates import CONTACT, SIGNS, open_fields, possible_duplicates
from odoo_toolkit.apps.contacts.similarity import (
    SIGN_FIELDS,
    Likeness,
    checked_email,
    checked_phone,
    likeness,
)
from odoo_toolkit.arguments.compared import Difference, in_words
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, ValidationError, invalid, make_error
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.plain import plain

AddressType = Literal["invoice", "delivery", "other"]

#: People and addresses of one company, in one call.
_MOST = 50

#: Least score of a contact that may be the same; the same name alone has 0.6.
_MINIMUM = 0.5

#: Duplicates that a message names.
_MOST_NAMED = 5

_POSTAL = ("street", "street2", "zip", "city", "state", "country")
_PERSON_KEYS = ("name", "function", "email", "phone")
_ADDRESS_KEYS = ("type", "name", "email", "phone", *_POSTAL)


class NewPerson(TypedDict, total=False):
    """A person who belongs to a company."""

    name: str
    function: Annotated[str, Doc("Job position.")]
    email: str
    phone: str


class NewAddress(TypedDict, total=False):
    """An additional address of a company."""

    type: AddressType
    name: str
    street: str
    street2: str
    zip: str
    city: str
    state: Annotated[str, Doc("Name, code or id, of the country given.")]
    country: Annotated[str, Doc("Name, two-letter code or id.")]
    email: str
    phone: str


@attrs.frozen(kw_only=True)
class CompanyContact(op.Shown):
    """A person or an address of a company, as stored in Odoo."""

    id: int
    name: str | None = None
    type: str | None = None
    function: str | None = None
    email: str | None = None
    phone: str | None = None
    street: str | None = None
    street2: str | None = None
    zip: str | None = None
    city: str | None = None
    state: RecordName | None = None
    country: RecordName | None = None


@attrs.frozen(kw_only=True)
class CompanyResult(op.Shown):
    """A company that was created, as stored in Odoo.

    Attributes:
        people: People who belong to it. Odoo gives them the company's address.
        addresses: Additional addresses.
        not_stored: Values that Odoo stored differently.
        warnings: Differences from your request, and contacts that may be the same.
    """

    id: int
    name: str | None = None
    message: str | None = None
    vat: str | None = None
    email: str | None = None
    phone: str | None = None
    website: str | None = None
    street: str | None = None
    street2: str | None = None
    zip: str | None = None
    city: str | None = None
    state: RecordName | None = None
    country: RecordName | None = None
    user: RecordName | None = None
    people: list[CompanyContact] = attrs.Factory(list)
    addresses: list[CompanyContact] = attrs.Factory(list)
    not_stored: list[Difference] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)


CREATE = op.Step(model=CONTACT.model, method="create", says="Company created")

_SHOWN = ("name", "type", "function", "email", "phone", *_POSTAL[:4], "state_id", "country_id")
COMPANY = attrs.evolve(CONTACT, noun="company", fields=(*_SHOWN, "vat", "website", "user_id"))


@op.operation
def create_company(
    odoo: Odoo,
    *,
    name: Annotated[str, Len(1), Doc("Name.")],
    vat: Annotated[str | None, Doc("VAT number, with the country code.")] = None,
    email: Annotated[str | None, Doc("E-mail address.")] = None,
    phone: Annotated[str | None, Doc("Phone number.")] = None,
    website: Annotated[str | None, Doc("Web address.")] = None,
    street: Annotated[str | None, Doc("Street and number.")] = None,
    street2: Annotated[str | None, Doc("Second address line.")] = None,
    zip: Annotated[str | None, Doc("Postal code.")] = None,  # noqa: A002 - Odoo's name for it
    city: Annotated[str | None, Doc("City.")] = None,
    state: Annotated[op.NameOrId, Doc("Name, code or id of a state of that country.")] = None,
    country: Annotated[op.NameOrId, Doc("Name, two-letter code or id.")] = None,
    salesperson: Annotated[op.NameOrId, Doc("Name, login or id of a user.")] = None,
    tags: Annotated[op.NamesOrIds, Doc("Names or ids of existing contact tags.")] = None,
    people: Annotated[
        Sequence[NewPerson] | None,
        op.JsonSchema({"type": "array", "items": {"type": "object"}}),
        Doc("Each {'name', 'function', 'email', 'phone'}."),
    ] = None,
    addresses: Annotated[
        Sequence[NewAddress] | None,
        op.JsonSchema({"type": "array", "items": {"type": "object"}}),
        Doc(
            "Each {'type': 'invoice', 'delivery' or 'other', 'name', 'street', 'street2', 'zip',"
            " 'city', 'state', 'country', 'email', 'phone'}."
        ),
    ] = None,
    allow_duplicates: Annotated[bool, Doc("Create it even if it may already exist.")] = False,
    dry_run: op.DryRun = False,
) -> CompanyResult | op.Plan:
    """Create a company with its people and addresses, unless it may already exist.

    >>> made = create_company(
    ...     odoo, name="Zork Ltd", country="BE", people=[{"name": "Ann", "function": "Buyer"}]
    ... )
    >>> made.name, [person.name for person in made.people]
    ('Zork Ltd', ['Ann'])

    The toolkit looks for the company and its people by e-mail, phone, VAT number and name, as
    :func:`find_duplicates` does. It does not look for people by name alone. If it finds any, it
    creates nothing, and the error lists them. To create the company anyway, pass
    ``allow_duplicates=True``.

    Pass up to 50 people and 50 addresses. People get the company's address. Company, people and
    addresses are one request to Odoo, so either all are created or none. Odoo may check the VAT
    number. A ``state`` needs a ``country``.

    It takes 1 request to look for duplicates of each, in parallel, 1 for each kind of name, 1 to
    create, and 3 to read the result.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The country, state, user or tag does not exist. Nothing was written.
        ValidationError: The company may already exist (see ``details["duplicates"]``), or an
            argument is wrong. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    name = op.checked_name(name, "Set name to the name of the company.")
    persons = _checked(people, _PERSON_KEYS, "people", ("name",))
    places = _checked(addresses, _ADDRESS_KEYS, "addresses", ("type",))
    _check_types(places)
    own = {"name": name, "vat": vat, "email": email, "phone": phone, "website": website}
    own |= {"street": street, "street2": street2, "zip": zip, "city": city}
    own |= {"state": plain(state), "country": plain(country)}
    own = {key: value for key, value in own.items() if value is not None}
    _check_reach(own, "")
    op.permit(odoo, CREATE, dry_run=dry_run)
    (user, *tag_ids) = op.linked_ids(
        odoo,
        [op.Wanted.of("res.users", plain(salesperson), "salesperson")],
        op.wanted_each("res.partner.category", tags, "tags"),
    )
    lines = [own, *({"type": "contact", **person} for person in persons), *places]
    wheres = ["", *(f"people[{i}]." for i in range(len(persons)))]
    wheres += [f"addresses[{i}]." for i in range(len(places))]
    company, *children = _with_links(odoo, lines, wheres)
    company |= {"is_company": True}
    company |= {"user_id": user} if user else {}
    company |= {"category_id": [[6, 0, list(dict.fromkeys(tag_ids))]]} if tag_ids else {}
    found, warnings = _duplicates(odoo, [company, *children[: len(persons)]])
    if found and not allow_duplicates and not dry_run:
        raise _there_already(found)
    values = {**company, **({"child_ids": [[0, 0, one] for one in children]} if children else {})}

    def result(done: op.Done) -> CompanyResult:
        done.warnings.extend([*warnings, *([_in_words(found)] if found else [])])
        return _result(odoo, done, company, children)

    with_them = " and ".join(
        f"{len(some)} {what if len(some) > 1 else one} ({', '.join(map(_called, some))})"
        for some, one, what in ((persons, "person", "people"), (places, "address", "addresses"))
        if some
    )
    would = f"Would create the company {name!r}{f' with {with_them}' if with_them else ''}."
    create = CREATE.of(vals_list=values)
    answer = op.operate(odoo, [create], (), result, message=would, dry_run=dry_run)
    if not isinstance(answer, op.Plan):
        return answer
    told = [_in_words(found)] if found else []
    told += ["To create it, pass allow_duplicates=True."] if found and not allow_duplicates else []
    return attrs.evolve(answer, warnings=[*answer.warnings, *warnings, *told])


# What was given -----------------------------------------------------------------------------------


def _checked(
    given: Sequence[Mapping[str, Any]] | None,
    keys: Collection[str],
    argument: str,
    needed: Collection[str],
) -> list[dict[str, Any]]:
    if plain(given) in (None, []):
        return []
    lines = op.check_lines(given or (), keys, argument)
    if len(lines) > _MOST:
        raise invalid(argument, f"Pass up to {_MOST} {argument}.")
    for index, line in enumerate(lines):
        for key in needed:
            if not isinstance(line.get(key), str) or not line[key].strip():
                raise make_error(
                    "MISSING_REQUIRED_FIELD",
                    f"{argument}[{index}] needs a {key}.",
                    suggestion=f"It accepts {', '.join(keys)}.",
                    details={"field": f"{argument}[{index}].{key}"},
                )
        _check_reach(line, f"{argument}[{index}].")
    return lines


def _check_types(places: Sequence[Mapping[str, Any]]) -> None:
    for index, place in enumerate(places):
        if place["type"] not in get_args(AddressType):
            raise make_error(
                "INVALID_SELECTION",
                f"addresses[{index}].type cannot be {place['type'][:60]!r}.",
                suggestion=f"Use one of {', '.join(get_args(AddressType))}. Pass persons "
                "in people.",
                details={"field": f"addresses[{index}].type"},
            )


def _check_reach(line: Mapping[str, Any], where: str) -> None:
    """Refuse what is no text, e-mail address or phone number, and a state without a country."""
    for key, value in line.items():
        if key not in ("state", "country") and not isinstance(value, str):
            raise invalid(f"{where}{key}", f"{where}{key} must be text, not {str(value)[:60]!r}.")
    if line.get("email"):
        checked_email(line["email"], f"{where}email")
    if line.get("phone"):
        checked_phone(line["phone"], f"{where}phone")
    if line.get("state") is not None and line.get("country") is None:
        raise invalid(
            f"{where}country",
            f"{where}state needs a country: several countries have a state with that name.",
            "Also set the country.",
        )


def _with_links(
    odoo: Odoo, lines: Sequence[Mapping[str, Any]], wheres: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the lines as Odoo takes them, with the ids of their countries and states."""
    asked = [line.get("country") for line in lines]
    codes = [_code(said, 2) for said in asked]
    told = sorted({*filter(None, codes)})
    by_code = _by_code(odoo, "res.country", [["code", "in", told]]) if told else {}
    wanted, places = [], []
    countries: list[int | None] = [None] * len(lines)
    for at, (said, code) in enumerate(zip(asked, codes, strict=True)):
        if code in by_code:
            countries[at] = by_code[str(code)]
        elif said is not None:
            wanted.append(op.Wanted.of("res.country", said, f"{wheres[at]}country"))
            places.append(at)
    for at, number in zip(places, op.linked_ids(odoo, wanted), strict=True):
        countries[at] = number
    states = _states(odoo, lines, wheres, countries)
    found = []
    for line, country, state in zip(lines, countries, states, strict=True):
        rest = {key: value for key, value in line.items() if key not in ("state", "country")}
        links = {"country_id": country, "state_id": state}
        found.append(rest | {key: value for key, value in links.items() if value})
    return found


def _states(
    odoo: Odoo,
    lines: Sequence[Mapping[str, Any]],
    wheres: Sequence[str],
    countries: Sequence[int | None],
) -> list[int | None]:
    """Return the ids of the states, each of its line's country; by code, too."""
    found: list[int | None] = [None] * len(lines)
    wanted, places = [], []
    for at, line in enumerate(lines):
        said = line.get("state")
        if said is None:
            continue
        domain: list[Any] = [["country_id", "=", countries[at]]]
        code = _code(said, 3)
        by_code = (
            _by_code(odoo, "res.country.state", [*domain, ["code", "=", code]]) if code else {}
        )
        if code in by_code:
            found[at] = by_code[str(code)]
        else:
            one = op.Wanted.of("res.country.state", said, f"{wheres[at]}state", tuple(domain))
            wanted.append(one)
            places.append(at)
    for at, number in zip(places, op.linked_ids(odoo, wanted), strict=True):
        found[at] = number
    _check_countries(odoo, found, countries, wheres)
    return found


def _check_countries(
    odoo: Odoo,
    states: Sequence[int | None],
    countries: Sequence[int | None],
    wheres: Sequence[str],
) -> None:
    """Refuse a state of another country, which may have been given by its id."""
    ids = sorted({number for number in states if number})
    domain = [["id", "in", ids]]
    rows = (
        op.read_rows(odoo, "res.country.state", domain, ["country_id"], acts_on=CONTACT.model)
        if ids
        else []
    )
    of = {row["id"]: row["country_id"].id if row["country_id"] else None for row in rows}
    for state, country, where in zip(states, countries, wheres, strict=True):
        if state and of.get(state) != country:
            raise NotFoundError(
                f"The state {state} ({where}state) does not belong to the country.",
                suggestion="Pass the name of a state in that country, or omit state.",
                details={"model": "res.country.state", "field": f"{where}state", "id": state},
            )


def _code(said: Any, most: int) -> str | None:
    """Return what may be the code of a country or a state; None for what is a name or an id."""
    text = said.strip().upper() if isinstance(said, str) else ""
    return text if 0 < len(text) <= most and not text.isdecimal() else None


def _by_code(odoo: Odoo, model: str, domain: list[Any]) -> dict[str, int]:
    rows = op.read_rows(odoo, model, domain, ["code"], acts_on=CONTACT.model)
    return {str(row["code"]): row["id"] for row in rows}


# Duplicates ---------------------------------------------------------------------------------------


@attrs.frozen
class _Alike:
    """A contact that may be one of the new ones."""

    new: str
    row: op.Row
    likeness: Likeness


def _duplicates(odoo: Odoo, new: Sequence[Mapping[str, Any]]) -> tuple[list[_Alike], list[str]]:
    """Return the contacts that may be the company or its people; one round trip for each."""
    signs = [sign for sign in SIGNS if open_fields(odoo, SIGN_FIELDS[sign])]
    if not signs:
        return [], ["The toolkit looked for no duplicates: the fields to compare are blocked."]
    rows: list[op.Row] = [{**dict.fromkeys(CONTACT.fields), "id": 0, **one} for one in new]
    rows = [row for row in rows if row["is_company"] or row["email"] or row["phone"]]
    answers = op.side_by_side([lambda r=row: possible_duplicates(odoo, r, signs) for row in rows])  # type: ignore[misc]
    found, warnings = [], []
    for row, (others, complete) in zip(rows, answers, strict=True):
        if not complete:
            warnings.append(
                f"Not all contacts that share a value with {row['name']!r} were compared."
            )
        for other in others:
            alike = likeness(row, other, signs)
            # Many people share a name: it takes an address or a number to be the same one.
            reach = row["is_company"] or likeness(row, other, [*{*signs} - {"name"}])
            if alike and reach and alike.score >= _MINIMUM:
                found.append(_Alike(row["name"], other, alike))
    return sorted(found, key=lambda one: -one.likeness.score), warnings


def _in_words(found: Sequence[_Alike]) -> str:
    told = [
        f"{one.new!r} may be {op.label(one.row)}: {', '.join(one.likeness.why)}"
        f" (score {one.likeness.score:g})"
        for one in found[:_MOST_NAMED]
    ]
    more = f"; and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return f"{'; '.join(told)}{more}."


def _there_already(found: Sequence[_Alike]) -> ValidationError:
    return invalid(
        "allow_duplicates",
        f"Nothing was created, because the contact seems to exist: {_in_words(found)}",
        "Use the existing contact. To create another one, pass allow_duplicates=True.",
        duplicates=[
            {
                "id": one.row["id"],
                "name": one.row["name"],
                "new": one.new,
                "score": one.likeness.score,
                "why": one.likeness.why,
            }
            for one in found[:20]
        ],
    )


# What became of it --------------------------------------------------------------------------------


def _result(
    odoo: Odoo, done: op.Done, company: Mapping[str, Any], children: Sequence[Mapping[str, Any]]
) -> CompanyResult:
    warnings = done.warnings
    row = op.row_after(odoo, COMPANY, done, name=company["name"])
    made = op.afterwards(lambda: _children(odoo, done.id), warnings, "its people and addresses")
    given = {done.id: company}
    if made is not None and len(made) == len(children):
        given |= {one["id"]: child for one, child in zip(made, children, strict=True)}
    elif made is not None:
        warnings.append(f"Odoo created {len(made)} of {len(children)} people and addresses.")
    different = op.afterwards(
        lambda: op.stored_otherwise(odoo, CONTACT.model, given, CONTACT.model), warnings
    )
    if different:
        warnings.append(in_words(different))
    contacts = [op.filled(CompanyContact, one) for one in made or ()]
    return op.filled(
        CompanyResult,
        row,
        message=f"Created the company {company['name']!r} with ID {done.id}.",
        people=[one for one in contacts if one.type == "contact"],
        addresses=[one for one in contacts if one.type != "contact"],
        not_stored=different or [],
        warnings=warnings,
    )


def _children(odoo: Odoo, company: int) -> list[op.Row]:
    # In the order of their ids, in which Odoo has made them.
    return op.read_rows(odoo, CONTACT.model, [["parent_id", "=", company]], _SHOWN, order="id")


def _called(line: Mapping[str, Any]) -> str:
    told = [line.get(key) for key in ("type", "name", "street", "city")]
    return " ".join(str(one) for one in told if one)
