"""``odoo://record/...``: one record, or those that match a domain."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from odoo_toolkit import records
from odoo_toolkit.client import Odoo
from odoo_toolkit.deep_search.configurations import configuration_of
from odoo_toolkit.errors import NotFoundError, OdooConnectionError, OdooError
from odoo_toolkit.fields import TO_MANY, Field
from odoo_toolkit.form_view import main_form
from odoo_toolkit.records.results import Record, SearchResult
from odoo_toolkit_mcp.resources.uris import ResourceUri

#: What every record that has it is shown with.
_ALWAYS = ("id", "display_name", "name", "active", "create_date", "write_date")

#: Lists of what surrounds a record: messages, followers, activities, ...
_AROUND = ("message_", "activity_", "website_message_", "rating_")


@attrs.frozen(kw_only=True)
class RecordResult:
    """One record; ``skipped_fields`` are those that the user may not read."""

    model: str
    id: int
    record: Record
    skipped_fields: list[str] = attrs.Factory(list)


def one(odoo: Odoo, uri: ResourceUri) -> RecordResult:
    """Return the key fields of a record, archived or not.

    Raises:
        NotFoundError: there is no such record or model.
        AccessError: Odoo or the policy does not allow it.
    """
    described = odoo.policy.readable_fields(uri.model, odoo.schema.fields(uri.model))
    found = records.read(odoo, uri.model, [uri.record_id], key_fields(odoo, uri.model, described))
    if not found.records:
        raise missing(uri)
    return RecordResult(
        model=uri.model,
        id=uri.record_id,
        record=found.records[0],
        skipped_fields=found.skipped_fields,
    )


def several(odoo: Odoo, uri: ResourceUri) -> SearchResult:
    """Return the records that match the domain, each with the few fields that tell most.

    Raises:
        ValidationError: the domain is wrong.
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
    """
    described = odoo.policy.readable_fields(uri.model, odoo.schema.fields(uri.model))
    names = _known(configuration_of(uri.model, described).default_fields, described)
    return records.search_read(odoo, uri.model, uri.domain, names, limit=uri.limit)


def missing(uri: ResourceUri) -> NotFoundError:
    """Return the error for a record that is not there."""
    return NotFoundError(
        f"There is no record {uri.record_id} of {uri.model}, or this user may not see it.",
        suggestion=f"odoo://record/{uri.model} lists records that there are.",
        details={"model": uri.model, "id": uri.record_id},
    )


def key_fields(odoo: Odoo, model: str, described: Mapping[str, Field]) -> list[str]:
    """Return the fields by which a record is known, and those that its form shows.

    The form is asked for once and kept; a model without one is shown with what is stored.

    Args:
        odoo: the connection.
        model: technical name.
        described: its fields that may be read.
    """
    try:
        shown = main_form(odoo, model).fields
    except OdooConnectionError:
        raise
    except OdooError:
        shown = ()
    if not shown:
        shown = tuple(name for name, field in described.items() if field.store)
    names = (*_ALWAYS, *configuration_of(model, described).default_fields, *shown)
    return [
        name
        for name in _known(names, described)
        if described[name].type != "binary"
        and not (described[name].type in TO_MANY and name.startswith(_AROUND))
    ]


def _known(names: tuple[str, ...], described: Mapping[str, Field]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name in described]
