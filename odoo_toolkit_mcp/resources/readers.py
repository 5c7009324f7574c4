"""What each resource that comes from Odoo reads: records, models, the system."""

from __future__ import annotations

from typing import Any

import attrs

from odoo_toolkit import records
from odoo_toolkit.chatter.attachments import AttachmentContent, get_content
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, OdooError, ValidationError
from odoo_toolkit.installation import version
from odoo_toolkit.model_guide import (
    ModelMethods,
    ModelStates,
    listed_fields,
    model_methods,
    model_states,
    shown_fields,
)
from odoo_toolkit.records.results import FieldsResult, Record, SearchResult
from odoo_toolkit.records.system_info import (
    ModulesResult,
    UserInfo,
    current_user,
    installed_modules,
)
from odoo_toolkit_mcp.resources.uris import ResourceUri

# odoo://record/...


@attrs.frozen(kw_only=True)
class RecordResult:
    """One record. The user can't read ``skipped_fields``."""

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
        f"There is no record {uri.record_id} of {uri.model}, or this user cannot see it.",
        suggestion=f"To list existing records, read odoo://record/{uri.model}.",
        details={"model": uri.model, "id": uri.record_id},
    )


def attachment(odoo: Odoo, uri: ResourceUri, *, max_bytes: int) -> AttachmentContent:
    """Return what an attachment holds: text where it is that, else base64.

    Raises:
        NotFoundError: there is no such attachment for this user.
        ValidationError: it is too large, or only an address.
        AccessError: Odoo or the policy does not allow it.
    """
    found = get_content(odoo, uri.record_id, as_text=True, max_bytes=max_bytes)
    if found.encoding is None:
        raise ValidationError(
            " ".join(found.warnings),
            suggestion=f"Open {found.url}." if found.url else "Open it in Odoo itself.",
            details={"model": "ir.attachment", "id": uri.record_id},
        )
    return found


# odoo://model/...


def fields(odoo: Odoo, uri: ResourceUri) -> FieldsResult:
    """Return the fields of a model."""
    return records.fields_get(odoo, uri.model)


def methods(odoo: Odoo, uri: ResourceUri) -> ModelMethods:
    """Return the methods of a model."""
    return model_methods(odoo, uri.model)


def states(odoo: Odoo, uri: ResourceUri) -> ModelStates:
    """Return the states of a model, and the transitions between them."""
    return model_states(odoo, uri.model)


# odoo://system/...


@attrs.frozen(kw_only=True)
class SystemInfo:
    """The connected Odoo; what only Odoo can tell is None while it cannot be reached.

    Attributes:
        connection: connected or not connected.
        error: why there is no connection: code, message, suggestion.
    """

    connection: str
    server_version: str | None
    server_edition: str | None
    database: str | None
    url: str
    protocol: str | None
    user: UserInfo | None
    mcp_server_version: str
    error: dict[str, Any] | None = None


def info(odoo: Odoo) -> SystemInfo:
    """Return what the connected Odoo is; one round trip, which shows that it still answers.

    Raises:
        OdooError: Odoo does not answer.
    """
    return SystemInfo(
        connection="connected",
        server_version=odoo.version.full,
        server_edition=odoo.version.edition,
        user=current_user(odoo),
        database=odoo.database,
        url=odoo.settings.url,
        protocol=odoo.protocol,
        mcp_server_version=version(),
    )


def without_connection(url: str, database: str | None, error: OdooError) -> SystemInfo:
    """Return what can be told while Odoo cannot be reached, or refuses the login."""
    told = error.to_dict()
    return SystemInfo(
        connection="not connected",
        server_version=None,
        server_edition=None,
        database=database,
        url=url,
        protocol=None,
        user=None,
        mcp_server_version=version(),
        error={key: told[key] for key in ("code", "message", "suggestion", "retry")},
    )


def modules(odoo: Odoo, uri: ResourceUri) -> ModulesResult:
    """Return the installed modules."""
    return installed_modules(odoo)
