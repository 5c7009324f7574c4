"""``odoo://record/...``: one record, or those that match a domain."""

from __future__ import annotations

import attrs

from odoo_toolkit import records
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError
from odoo_toolkit.model_guide import listed_fields, shown_fields
from odoo_toolkit.records.results import Record, SearchResult
from odoo_toolkit_mcp.resources.uris import ResourceUri


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
    described = odoo.policy.readable_fields(uri.model, odoo.schema.fields)
    found = records.read(odoo, uri.model, [uri.record_id], shown_fields(odoo, uri.model, described))
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
    described = odoo.policy.readable_fields(uri.model, odoo.schema.fields)
    names = listed_fields(uri.model, described)
    return records.search_read(odoo, uri.model, uri.domain, names, limit=uri.limit)


def missing(uri: ResourceUri) -> NotFoundError:
    """Return the error for a record that is not there."""
    return NotFoundError(
        f"There is no record {uri.record_id} of {uri.model}, or this user may not see it.",
        suggestion=f"odoo://record/{uri.model} lists records that there are.",
        details={"model": uri.model, "id": uri.record_id},
    )
