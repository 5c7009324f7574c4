"""The fields of a model that become columns of a table, or separate tables of links."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.annotations import Context, Domain
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooError, ValidationError
from odoo_toolkit.fields import TO_MANY, Field
from odoo_toolkit.operations.companies import acting_company
from odoo_toolkit.policy.tables import is_read_unasked
from odoo_toolkit.progress import checkpoint
from odoo_toolkit.records.arguments import describe, known, listed_fields
from odoo_toolkit.records.arrow_columns import ArrowColumn, arrow_columns, without_refused
from odoo_toolkit.records.arrow_stream import money_decimals
from odoo_toolkit.records.changes import check_kept
from odoo_toolkit.records.iterate import iterate
from odoo_toolkit.records.omissions import without_unreadable
from odoo_toolkit.records.results import Record

#: Columns of every table: whether the row is to be deleted, and when it was read.
DELETED, SYNCED_AT = "_deleted", "_synced_at"

#: Fields by which changes are found and checked; they are columns wherever the model has them.
_ALWAYS = ("id", "create_date", "write_date")

#: Names of fields that a sentence has.
_SHOWN = 20


@attrs.frozen(kw_only=True)
class Table:
    """A table of a warehouse: what is read for it, and what it has.

    Attributes:
        name: of the table.
        model: such as ``sale.order``.
        domain: which records.
        context: of all calls; archived records are seen like others.
        language: of all texts.
        company: whose values the columns have of which each company has its own; None where there
            is no such column.
        columns: of the records.
        links: x2many fields, each of which has a table of its own.
        chosen: whether the caller named the fields.
        warnings: what the table does not have.
    """

    name: str
    model: str
    domain: list[Any]
    context: dict[str, Any]
    language: str
    company: int | None
    columns: list[ArrowColumn]
    links: dict[str, Field]
    chosen: bool
    warnings: list[str]

    @property
    def fields(self) -> list[str]:
        """Names of the fields that are read for the columns."""
        return [column.key for column in self.columns]

    @property
    def types(self) -> dict[str, str]:
        """The type of each column and of each table of links, as it is compared with later ones."""
        found = {}
        for column in self.columns:
            target = column.field.relation
            found[column.name] = f"{column.type} of {target}" if target else _plain(column)
        return found | {name: f"links to {field.relation}" for name, field in self.links.items()}

    def links_table(self, field: str) -> str:
        """Return the name of the table of a field's links."""
        return f"{self.name}__{field}"


def table_of(
    odoo: Odoo,
    model: str,
    domain: Domain,
    fields: Sequence[str],
    context: Context,
    *,
    name: str | None,
    full_reload: bool,
    decimals: bool,
) -> Table:
    """Return the table for records of a model, by the server's current description of its fields.

    Raises:
        ValidationError: The model does not store when its records changed. Or a field does not
            exist, belongs to another model, or can't be followed or stored as a column.
        NotFoundError: The model does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    # A module may have been installed since somebody last asked.
    odoo.schema.forget(model)
    asked = listed_fields(fields)
    described = describe(odoo, model, "search_read", {"fields": asked}, context)
    check_kept(model, described)
    chosen = bool(asked) and asked != ["*"]
    picked = _named(model, asked, described, full_reload) if chosen else _every(model, described)
    taken = [*(name for name in _ALWAYS if name in described), *picked]
    every = {name: described[name] for name in dict.fromkeys(taken)}
    plain = {name: field for name, field in every.items() if field.type not in TO_MANY}
    by_default = not asked or "*" in asked
    warnings = _left_out(odoo, model, described) if by_default else []
    calls: dict[str, Any] = {**(context or {}), "active_test": False}
    links = {name: field for name, field in every.items() if field.type in TO_MANY}
    if closed := unreadable(odoo, model, domain, links, calls):
        for link in asked:
            if link in closed:
                raise _leads_nowhere(model, links[link], closed[link])
        warnings.append(
            "Omitted, because Odoo does not let this user read them: "
            f"{shown([f'{link} (to {links[link].relation})' for link in closed])}."
        )
        links = {link: field for link, field in links.items() if link not in closed}
    money = None
    if decimals and any(field.type == "monetary" for field in plain.values()):
        money = money_decimals(odoo)
        if money is None:
            warnings.append(
                "Amounts are floats, because this user cannot read the decimal places of "
                "currencies."
            )
    # The names of related records change without ours: each model's own table has them.
    columns = [
        column
        for column in arrow_columns(model, plain, money=money, decimals=decimals)
        if column.name == column.key
    ]
    own_values = any(field.company_dependent for field in every.values())
    return Table(
        name=name or re.sub(r"\W", "_", model),
        model=model,
        domain=list(domain),
        context=calls,
        # Without one, Odoo answers with the texts as they were written in its source.
        language={**odoo.settings.base_context, **(context or {})}.get("lang") or "en_US",
        company=acting_company(odoo, model, context) if own_values else None,
        columns=columns,
        links=links,
        chosen=chosen,
        warnings=warnings,
    )


def shown(names: Sequence[str]) -> str:
    """Return names as a sentence has them: a model may have thousands."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def matching(odoo: Odoo, table: Table) -> frozenset[int]:
    """Return the ids of the records that match the domain of a table now."""
    call = Call(
        model=table.model,
        method="search",
        arguments={"domain": table.domain},
        context=table.context,
    )
    return frozenset(odoo.call(call))


def check_readable(table: Table, skipped: Sequence[str]) -> None:
    """Refuse columns and links that are empty because the user cannot read them.

    Raises:
        AccessError: some were skipped.
    """
    if skipped:
        raise AccessError(
            f"This user cannot read {shown(skipped)} of {table.model}.",
            suggestion="Pass the fields that you want, without these.",
            details={"model": table.model, "fields": list(skipped)},
        )


def name_the_failing(
    odoo: Odoo, table: Table, domain: Sequence[Any], fields: Sequence[str]
) -> None:
    """Raise the error that names the field that fails when it is read, if there is one.

    Reading page by page finds it out.
    """
    for _ in iterate(odoo, table.model, domain, fields, "id", context=table.context):
        checkpoint()


def _plain(column: ArrowColumn) -> str:
    """Return a column's type; a selection's values are texts, whatever there are."""
    return "string" if column.field.type == "selection" else str(column.type)


def _every(model: str, described: Mapping[str, Field]) -> list[str]:
    """Return the fields that are kept in the database, of which columns or links can be made.

    The other side of a one2many is a many2one of the other model, and follows its changes.
    """
    return [
        name
        for name, field in without_refused(described).items()
        if _is_followed(field) and field.type != "one2many" and is_read_unasked(model, field)
    ]


def _named(
    model: str, asked: Sequence[str], described: Mapping[str, Field], full_reload: bool
) -> list[str]:
    """Check the fields that the caller named."""
    if dotted := [name for name in asked if "." in name]:
        raise ValidationError(
            f"{dotted[0]} is a field of another model. When it changes, Odoo does not update "
            f"{model}.",
            code="INVALID_FIELD",
            suggestion=f"Pass {dotted[0].partition('.')[0]}, sync the other model, and join the "
            "tables.",
            details={"model": model, "fields": dotted},
        )
    names = [name for name in asked if name != "*"]
    found = [*(_every(model, described) if "*" in asked else ()), *known(model, names, described)]
    loose = [name for name in names if not (_is_followed(described[name]) or full_reload)]
    if loose:
        raise ValidationError(
            f"Odoo computes {shown(loose)} of {model} when they are read, and does not record "
            "their changes.",
            code="INVALID_FIELD",
            suggestion="Omit these fields. Or read all records each time with full_reload=True.",
            details={"model": model, "fields": loose},
        )
    return found


def _is_followed(field: Field) -> bool:
    """Whether a change of the field's value is noted with the record."""
    return field.store or field.company_dependent


def _left_out(odoo: Odoo, model: str, described: Mapping[str, Field]) -> list[str]:
    """Say which fields are no columns though Odoo stores them."""
    usable = without_refused(described)
    lost = [name for name, field in described.items() if field.store and name not in usable]
    closed = [
        name
        for name, field in odoo.schema.fields(model).items()
        if _is_followed(field) and field.type != "one2many" and name not in described
    ]
    reasons = {
        "they are files or properties": lost,
        "the policy closes them (secrets always, and your field_blocklist)": closed,
    }
    return [f"Omitted, because {why}: {shown(names)}." for why, names in reasons.items() if names]


def unreadable(
    odoo: Odoo, model: str, domain: Domain, links: Mapping[str, Field], context: Mapping[str, Any]
) -> dict[str, OdooError]:
    """Return the x2many fields that Odoo does not let the user read, found by reading a record.

    Odoo 19 rejects the whole read if a field leads to a model without access rights. Odoo 14
    returns the ids. Both return the id of a many2one.
    """

    def fetch(names: Sequence[str]) -> list[Record]:
        call = Call(
            model=model,
            method="search_read",
            arguments={"domain": list(domain), "fields": list(names), "limit": 1},
            context=context,
        )
        rows: list[Record] = odoo.call(call)
        return rows

    found: dict[str, OdooError] = {}
    try:
        refused = without_unreadable(fetch, ["id", *links])[1] if links else []
    except OdooError:
        # It is not one of these: whatever reads the records next says what it is.
        return {}
    for name in refused:
        try:
            fetch([name])
        except OdooError as error:
            found[name] = error
    return found


def _leads_nowhere(model: str, field: Field, error: OdooError) -> AccessError:
    """Return the error for a field that the caller named and the user cannot read."""
    groups = error.details.get("groups") or ()
    rights = f", such as by one of the groups {', '.join(groups)}" if groups else ""
    return AccessError(
        f"Odoo does not let this user read {field.name} of {model}, which leads to"
        f" {field.relation}.",
        suggestion="Pass the fields that you want, without this one. Or ask an administrator of "
        f"Odoo for permission to read {field.relation}{rights}.",
        details={**error.details, "model": model, "field": field.name},
    )
