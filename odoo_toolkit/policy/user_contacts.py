"""Contacts of users keep their e-mail address: Odoo mails the link that sets a password to it.

``res.users.email`` is ``res.partner.email``, and other models write through to it: a lead's
address becomes its contact's. So of each address that a call writes it is found out whose contact
gets it, and a contact that has a user, an archived one, too, keeps its own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from odoo_toolkit.arguments.values import DEFAULT, VALUES, Record, defaults_in, ids_in
from odoo_toolkit.call import Call, asking
from odoo_toolkit.errors import AccessError, OdooError
from odoo_toolkit.fields import Field, FieldsOf
from odoo_toolkit.policy.rules import IN_A_SCRIPT

if TYPE_CHECKING:
    from odoo_toolkit.policy.sending import Connection

CONTACT, USER = "res.partner", "res.users"

#: The fields that are the address itself.
_ADDRESSES = frozenset({"email", "email_normalized"})

#: Fields that Odoo writes through to a contact's address by an inverse method, which the server
#: does not tell of -> the relations that lead to the contact. From a sweep of all models of 14 to
#: 19, and from the sources of the apps that the test servers lack.
_INVERSES: dict[tuple[str, str], tuple[str, ...]] = {
    ("crm.lead", "email_from"): ("partner_id",),
    ("helpdesk.ticket", "partner_email"): ("partner_id",),
    ("hr.applicant", "email_from"): ("partner_id", "candidate_id.partner_id"),
    ("hr.candidate", "email_from"): ("partner_id",),
    ("hr.employee", "work_email"): ("work_contact_id", "user_id"),
    ("project.project", "partner_email"): ("partner_id",),
    ("project.task", "partner_email"): ("partner_id",),
}
#: Fields that Odoo computes, may be written, and go no further.
_KEPT = frozenset(
    {
        ("account.journal", "incoming_einvoice_notification_email"),
        ("event.registration", "email"),
        ("mail.compose.message", "email_from"),
        ("project.task", "email_from"),
    }
)
#: Longer than any chain of related fields in Odoo.
_LONGEST_PATH = 6

_CONTACT_MERGE = "base.partner.merge.automatic.wizard"
#: Merges: model and method -> the relation to what is merged; "" where that is called itself.
MERGES: dict[tuple[str, str], str] = {
    (_CONTACT_MERGE, "action_merge"): "partner_ids",
    ("crm.lead", "merge_opportunity"): "",
    ("crm.lead2opportunity.partner", "action_apply"): "duplicated_lead_ids",
    ("crm.lead2opportunity.partner.mass", "action_apply"): "duplicated_lead_ids",
    ("crm.lead2opportunity.partner.mass", "action_mass_convert"): "lead_tomerge_ids",
    ("crm.merge.opportunity", "action_merge"): "opportunity_ids",
}

_ALL = {"active_test": False}

_Paths = Callable[[str, str], "list[tuple[str, ...]]"]


#: Records that are given values: their model, the ids of those that are there, and the values.
_Written = tuple[str, tuple[int, ...], Mapping[str, Any]]


def check_user_contacts(odoo: Connection, call: Call, written: Iterable[Record]) -> None:
    """Refuse a call that would give a user's contact another e-mail address.

    It costs a request for each relation that an address goes through, and two for the contacts;
    calls that write no address cost nothing.

    Raises:
        AccessError: it would, or it cannot be found out.
    """
    if call.internal or not odoo.policy.protect:
        return
    if (call.model, call.method) in MERGES:
        _check_merge(odoo, call)

    @functools.cache  # a call has the same fields in many records
    def paths(model: str, name: str) -> list[tuple[str, ...]]:
        try:
            return address_paths(model, name, odoo.schema.fields)
        except OdooError as error:
            # Where the schema cannot be had, names alone decide, as of fields that are closed.
            if "mail" not in name:
                return []
            raise _unclear(model, name) from error

    defaults = defaults_in(call.context)
    records: Iterable[_Written]
    if call.method == "load":
        records = _loaded(odoo, call, paths)
    elif call.method not in VALUES:
        records = _unknown(call, defaults)
    else:
        records = [
            (model, ids, {**defaults, **values.given} if not (ids or line) else values.given)
            for model, ids, values, line in written
        ]
    given = []
    described = functools.cache(odoo.schema.described)
    for model, ids, values in records:
        fields = described(model) if values else {}
        for name in values:
            # What leads to an address says so in its own name, or is a related field.
            if "mail" in str(name) or (name in fields and fields[name].related):
                for path in paths(model, name):
                    found = _reached(odoo, (model, ids, values), path, call.context)
                    given += [(contact, model, name, values[name]) for contact in found]
    if not given:
        return
    # Asked once for all records of the call.
    kept = {row["id"]: row for row in _of_users(odoo, sorted({one[0] for one in given}))}
    for contact, model, name, value in given:
        row = kept.get(contact)
        if row is not None and _plain(row["email"]) != _plain(value):
            raise _refusal([row["display_name"]], model, name, [row])


def address_paths(model: str, name: str, fields_of: FieldsOf) -> list[tuple[str, ...]]:
    """Return the relations that lead from a record to the contacts whose address a field holds.

    The empty path is the record itself; a field that holds no contact's address has no path.

    Args:
        model: of the record.
        name: of the field.
        fields_of: the schema of a model by its name.
    """
    return list(_paths(model, name, fields_of, _LONGEST_PATH))


def _paths(model: str, name: str, fields_of: FieldsOf, left: int) -> Iterator[tuple[str, ...]]:
    if model == CONTACT and name in _ADDRESSES:
        yield ()
    if known := _INVERSES.get((model, name)):
        described = fields_of(model)
        yield from (
            path for path in (tuple(one.split(".")) for one in known) if path[0] in described
        )
        return
    field = fields_of(model).get(name)
    if field is None or not left:
        return
    if field.related:
        *relations, last = field.related
        there: str | None = model
        for relation in relations:
            step = fields_of(there).get(relation) if there else None
            there = step.relation if step is not None else None
        if there:
            yield from ((*relations, *more) for more in _paths(there, last, fields_of, left - 1))
    elif _could_be_address(model, field):
        yield from (
            (one.name,)
            for one in fields_of(model).values()
            if one.type == "many2one" and one.relation == CONTACT
        )


def _could_be_address(model: str, field: Field) -> bool:
    """Whether nobody knows if a field that Odoo computes goes through to a contact."""
    computed = field.type == "char" and bool(field.depends) and not field.readonly
    return computed and "mail" in field.name and (model, field.name) not in _KEPT


# What a call writes -------------------------------------------------------------------------------


def _unknown(call: Call, defaults: Mapping[str, Any]) -> Iterator[_Written]:
    """Yield what may be values in the arguments of a method that nobody knows."""
    for value in (*call.arguments.values(), *call.positional):
        if isinstance(value, (Mapping, list, tuple)):
            yield from _mappings(call.model, call.ids or (), value)
    yield call.model, (), defaults


def _mappings(model: str, ids: tuple[int, ...], value: Any) -> Iterator[_Written]:
    if isinstance(value, Mapping):
        yield model, ids, {key: item for key, item in value.items() if isinstance(key, str)}
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _mappings(model, ids, item)


def _loaded(odoo: Connection, call: Call, paths: _Paths) -> Iterator[_Written]:
    """Yield what the rows of ``load`` write; relations by ids, external ids or names."""
    columns = call.arguments.get("fields", call.positional[0] if call.positional else ())
    rows = call.arguments.get("data", call.positional[1] if len(call.positional) > 1 else ())
    places = [tuple(str(column).split("/")) for column in columns or ()]
    for prefix in dict.fromkeys(place[:-1] for place in places):
        model = _model_at(odoo, call.model, prefix)
        if not any(paths(model, place[-1]) for place in places if place[:-1] == prefix):
            continue
        here = [
            (index, place[len(prefix) :])
            for index, place in enumerate(places)
            if place[: len(prefix)] == prefix
        ]
        for row in rows or ():
            values: dict[str, Any] = {}
            ids: tuple[int, ...] = ()
            for index, place in here:
                value = row[index] if index < len(row) else None
                if place in ((".id",), ("id",)):
                    ids = ids or _identified(odoo, model, place[0], value)
                elif len(place) == 1:
                    values[place[0]] = value
                elif len(place) == 2 and place[1] in (".id", "id"):
                    relation = _model_at(odoo, model, place[:1])
                    found = _identified(odoo, relation, place[1], value)
                    values[place[0]] = found[0] if found else None
            yield model, ids, values


def _model_at(odoo: Connection, model: str, path: Sequence[str]) -> str:
    for name in path:
        field = odoo.schema.fields(model).get(name)
        if field is None or not field.relation:
            raise _unclear(model, name)
        model = field.relation
    return model


def _identified(odoo: Connection, model: str, kind: str, value: Any) -> tuple[int, ...]:
    """Return the record that a cell of a column ``.id`` or ``id`` means, if there is one."""
    if not value:
        return ()
    if kind == ".id":
        return tuple(ids_in(value))
    module, dot, name = str(value).rpartition(".")
    domain = [["module", "=", module if dot else ""], ["name", "=", name], ["model", "=", model]]
    return tuple(row["res_id"] for row in _read(odoo, "ir.model.data", domain, ["res_id"]))


# Whose address that is ----------------------------------------------------------------------------


def _reached(
    odoo: Connection, written: _Written, path: Sequence[str], context: Mapping[str, Any]
) -> set[int]:
    """Return the contacts that a path leads to, as the records are and as they will be."""
    model, ids, values = written
    if not path:
        return set(ids)
    first, *rest = path
    field = odoo.schema.fields(model).get(first)
    relation = field.relation if field is not None else None
    if not relation:
        return set()
    if first in values:
        there = _id_of(odoo, relation, values[first])
    elif ids:
        rows = _read(odoo, model, [["id", "in", list(ids)]], [first])
        there = {row[first][0] for row in rows if row[first]}
    else:
        there = _id_of(odoo, relation, context.get(DEFAULT + first))
    return _followed(odoo, relation, there, rest)


def _followed(odoo: Connection, model: str, ids: set[int], path: Sequence[str]) -> set[int]:
    for name in path:
        field = odoo.schema.fields(model).get(name)
        if field is None or not field.relation or not ids:
            return set()
        rows = _read(odoo, model, [["id", "in", sorted(ids)]], [name])
        model, ids = field.relation, {row[name][0] for row in rows if row[name]}
    if model == USER and ids:
        rows = _read(odoo, USER, [["id", "in", sorted(ids)]], ["partner_id"])
        return {row["partner_id"][0] for row in rows}
    return ids


def _id_of(odoo: Connection, model: str, value: Any) -> set[int]:
    """Return the record that a many2one is given: by its id, as it is read, or by its name."""
    if isinstance(value, Mapping):
        value = value.get("id")
    if isinstance(value, (list, tuple)):
        value = value[0] if value else None
    ids = ids_in(value)
    if isinstance(value, str) and value:
        search = asking(model, "name_search", context=_ALL, name=value, operator="=", limit=2)
        ids |= {found[0] for found in odoo.call(search)}
    return ids


def _read(odoo: Connection, model: str, domain: list[Any], fields: list[str]) -> list[Any]:
    search = asking(model, "search_read", context=_ALL, domain=domain, fields=fields)
    try:
        rows: list[Any] = odoo.call(search)
    except OdooError as error:
        raise _unclear(model, ", ".join(fields)) from error
    return rows


def _of_users(odoo: Connection, ids: Sequence[int]) -> list[Any]:
    """Return those contacts that have a user, with their addresses.

    Odoo leaves archived users out of ``user_ids``, whatever the context says. A user of another
    company is not found either; that the contact belongs to one is still seen.
    """
    if not ids or not {"user_ids", "partner_share"} & odoo.schema.fields(CONTACT).keys():
        return []
    users = _read(odoo, USER, [["partner_id", "in", list(ids)]], ["partner_id"])
    having = {row["partner_id"][0] for row in users}
    fields = ["display_name", "email", "partner_share"]
    rows = _read(odoo, CONTACT, [["id", "in", list(ids)]], fields)
    return [row for row in rows if row["id"] in having or not row["partner_share"]]


def _plain(address: Any) -> str:
    return str(address or "").strip().lower()


def _check_merge(odoo: Connection, call: Call) -> None:
    """Refuse to merge what a user's contact belongs to: it would be deleted, or renamed."""
    relation = MERGES[call.model, call.method]
    if call.step or not call.ids:
        return  # merge_contacts looks for users itself, and tells of them in its plan
    model, ids, staying = call.model, set(call.ids), set[int]()
    if relation:
        field = odoo.schema.fields(model).get(relation)
        stays = ["dst_partner_id"] if model == _CONTACT_MERGE else []
        rows = _read(odoo, model, [["id", "in", sorted(ids)]], [relation, *stays])
        ids = {one for row in rows for one in row[relation]}
        staying = {row[name][0] for row in rows for name in stays if row[name]}
        model = (field.relation if field is not None else None) or ""
    if model != CONTACT:
        rows = _read(odoo, model, [["id", "in", sorted(ids)]], ["partner_id"])
        ids = {row["partner_id"][0] for row in rows if row["partner_id"]}
    # What stays keeps its address, but for one that has none.
    having = [
        row for row in _of_users(odoo, sorted(ids)) if row["id"] not in staying or not row["email"]
    ]
    if having:
        raise _refusal([row["display_name"] for row in having], call.model, relation, having)


def _refusal(
    names: Sequence[str], model: str, field: str, rows: Sequence[Mapping[str, Any]]
) -> AccessError:
    shown = ", ".join(names[:5])
    return AccessError(
        f"{shown}: the e-mail address of a contact with a user cannot be changed, because Odoo "
        "sends the user's password reset link to it.",
        code="FIELD_BLOCKED",
        suggestion=f"Omit {field or 'it'}, or change the address in Odoo itself{IN_A_SCRIPT}.",
        details={
            "model": model,
            "field": field,
            "ids": [row["id"] for row in rows],
            "named_in": "values",
        },
    )


def _unclear(model: str, name: str) -> AccessError:
    return AccessError(
        "The toolkit cannot check whether a contact with a user would get another e-mail "
        f"address: {name} of {model} cannot be read.",
        code="FIELD_BLOCKED",
        suggestion="Omit the address, or connect as a user who can read this field.",
        details={"model": model, "field": name, "named_in": "values"},
    )
