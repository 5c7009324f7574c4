"""The resources: what there is to read, and how each is read.

The readers are imported when they are first needed: the lists must be there before the library's
modules are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mcp.types import Resource, ResourceTemplate

from odoo_toolkit_mcp.resources.uris import DEFAULT_LIMIT, MOST_RECORDS, ResourceUri

if TYPE_CHECKING:
    from odoo_toolkit.chatter.attachments import AttachmentContent
    from odoo_toolkit.client import Odoo

JSON = "application/json"

RESOURCES: tuple[Resource, ...] = tuple(
    Resource(uri=uri, name=name, title=title, description=description, mime_type=JSON)
    for uri, name, title, description in (
        (
            "odoo://system/info",
            "system_info",
            "Odoo instance",
            "Version, edition, database, address, protocol and user of the connected Odoo, and the"
            " state of the connection. You can subscribe to it.",
        ),
        (
            "odoo://system/modules",
            "system_modules",
            "Installed modules",
            "The modules installed in this Odoo.",
        ),
        (
            "odoo://system/toolsets",
            "system_toolsets",
            "Toolsets",
            "The toolsets of this server with their tools, and why some are not active.",
        ),
        (
            "odoo://config/safety",
            "config_safety",
            "Safety configuration",
            "The mode of this server, its limits, and the allowed and blocked models, fields and"
            " methods.",
        ),
    )
)

_IN_JSON = tuple(
    ResourceTemplate(
        uri_template=template, name=name, title=title, description=description, mime_type=JSON
    )
    for template, name, title, description in (
        (
            "odoo://model/{model}/fields",
            "model_fields",
            "Fields of a model",
            "Label, type and other attributes of each field, e.g. odoo://model/sale.order/fields",
        ),
        (
            "odoo://model/{model}/methods",
            "model_methods",
            "Methods of a model",
            "The methods behind the buttons of a model's form, with the states in which Odoo shows"
            " them, e.g. odoo://model/sale.order/methods",
        ),
        (
            "odoo://model/{model}/states",
            "model_states",
            "States of a model",
            "The states of a model's records and the transitions between them, with a Mermaid"
            " diagram, e.g. odoo://model/sale.order/states",
        ),
        (
            "odoo://record/{model}/{id}",
            "record",
            "Record",
            "The fields that a record's form shows, e.g. odoo://record/res.partner/1. You can"
            " subscribe to it.",
        ),
        (
            "odoo://record/{model}?domain={domain}&limit={limit}",
            "records",
            "Records",
            "The records that match a domain (percent-encoded JSON), e.g."
            ' odoo://record/sale.order?domain=[["state","=","draft"]]&limit=10. limit is'
            f" {DEFAULT_LIMIT} by default, at most {MOST_RECORDS}.",
        ),
    )
)

TEMPLATES: tuple[ResourceTemplate, ...] = (
    *_IN_JSON,
    ResourceTemplate(
        uri_template="odoo://attachment/{id}",
        name="attachment",
        title="Attachment",
        description="The content of a file attached to a record. Text files come as text.",
    ),
)


def reader_of(kind: str) -> Callable[[Odoo, ResourceUri], Any] | None:
    """Return what reads the resources of a kind from Odoo; None for those of the server itself."""
    from odoo_toolkit_mcp.resources import readers

    found: Mapping[str, Callable[[Odoo, ResourceUri], Any]] = {
        "model/fields": readers.fields,
        "model/methods": readers.methods,
        "model/states": readers.states,
        "record": readers.one,
        "records": readers.several,
        "system/modules": readers.modules,
    }
    return found.get(kind)


def attachment_reader() -> Callable[..., AttachmentContent]:
    """Return what reads the content of an attachment from Odoo."""
    from odoo_toolkit_mcp.resources import readers

    return readers.attachment
