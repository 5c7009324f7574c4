"""Files attached to records."""

from __future__ import annotations

import binascii
from collections.abc import Sequence
from pathlib import Path

from mcp.types import (
    BlobResourceContents,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
)

from odoo_toolkit.attached import attachments
from odoo_toolkit.attached.attachments import AttachmentContent
from odoo_toolkit.client import Odoo
from odoo_toolkit.policy.files import picture_type
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata, ToolTable

#: Base64 characters of the first bytes of a file, enough to tell a picture by.
_HEAD = 64


def content_blocks(result: AttachmentContent) -> Sequence[ContentBlock]:
    """Return a file as the kind of MCP content that fits it.

    What its bytes show to be a picture is an image; other bytes are an embedded resource; a file
    that was written to a folder, or that is only an address, is a link. Text needs no block.
    """
    if result.content_base64:
        data = result.content_base64
        if picture := picture_type(binascii.a2b_base64(data[:_HEAD])):
            return [ImageContent(data=data, mime_type=picture)]
        return [
            EmbeddedResource(
                resource=BlobResourceContents(
                    uri=f"odoo://record/ir.attachment/{result.id}",
                    mime_type=result.mimetype or None,
                    blob=data,
                )
            )
        ]
    address = Path(result.path).as_uri() if result.path else result.url or ""
    if address.startswith(("file://", "https://", "http://")):
        return [
            ResourceLink(
                name=result.name,
                uri=address,
                mime_type=result.mimetype or None,
                size=result.file_size or None,
            )
        ]
    return []


def tools_for(settings: ServerSettings) -> list[Tool]:
    """Return the tools, with the limits and the folder that the settings give."""
    limit = {"max_bytes": settings.attachment_max_mb * 1024 * 1024}
    larger = (
        f" Files above {settings.attachment_max_mb} MB are written to a folder, and the answer has"
        " their path."
        if settings.download_dir
        else f" Files above {settings.attachment_max_mb} MB are only described."
    )
    return [
        Tool(
            name="odoo_attachments_list",
            title="List attachments",
            description="List the files attached to a record, without their content.",
            function=attachments.list_attachments,
            access="read",
        ),
        Tool(
            name="odoo_attachments_get_content",
            title="Read an attachment",
            description="Read the content of a file attached to a record. as_text returns text,"
            " CSV, HTML, XML and JSON files as text; other files come as a picture or base64."
            + larger,
            function=attachments.get_content,
            access="read",
            fixed={**limit, "download_dir": settings.download_dir},
            blocks=content_blocks,
        ),
        Tool(
            name="odoo_attachments_upload",
            title="Attach a file",
            description="Attach a file to a record. Give its bytes as base64, at most"
            f" {settings.attachment_max_mb} MB.",
            function=attachments.upload,
            access="create",
            fixed=limit,
        ),
        Tool(
            name="odoo_attachments_delete",
            title="Delete an attachment",
            description="Delete a file attached to a record, for good.",
            function=attachments.delete,
            access="delete",
        ),
    ]


class AttachmentsToolset(BaseToolset):
    """Tools for the files of records."""

    about = ToolsetMetadata(
        name="attachments",
        description="List, read, attach and delete files of records",
        depends_on=("core",),
        tags=("communication",),
    )

    def register_tools(self, server: ToolTable, connection: Odoo | None) -> list[str]:
        """Add the tools for attachments."""
        return server.add_tools(tools_for(server.settings))
