"""Files attached to records."""

from __future__ import annotations

from pathlib import Path

from odoo_toolkit.chatter import attachments
from odoo_toolkit.chatter.attachments import AttachmentContent
from odoo_toolkit.client import Odoo
from odoo_toolkit.file_content import safe_name
from odoo_toolkit_mcp.files import Delivery, File
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata, ToolTable


def file_of(result: AttachmentContent) -> File:
    """Return an attachment as a file to deliver; there is none to deliver where it is text."""
    url = result.url if (result.url or "").startswith(("https://", "http://")) else None
    return File(
        name=result.name,
        mimetype=result.mimetype or None,
        size=result.file_size,
        content_base64=result.content_base64 or "",
        address=f"odoo://attachment/{result.id}",
        elsewhere=Path(result.path).as_uri() if result.path else url,
        # The id keeps names apart, and from being reserved ones of some system.
        saved_as=f"{result.id}-{safe_name(result.name)}",
    )


def tools_for(settings: ServerSettings) -> list[Tool]:
    """Return the tools, with the limits and the folder that the settings give."""
    limit = {"max_bytes": settings.attachment_max_bytes}
    larger = (
        f" Files above {settings.attachment_max_mb} MB are written to a folder, and the result"
        " contains their path."
        if settings.download_dir
        else f" Files above {settings.attachment_max_mb} MB are only described."
    )
    ways: tuple[Delivery, ...] = ("embedded", "link", "base64")
    ways += ("file",) if settings.download_dir else ()
    return [
        Tool(
            name="odoo_attachments_list",
            title="List attachments",
            description="List the files attached to a record, without their content. To read one,"
            " use odoo_attachments_get_content, or read the resource odoo://attachment/ID.",
            function=attachments.list_attachments,
            access="read",
        ),
        Tool(
            name="odoo_attachments_get_content",
            title="Read an attachment",
            description="Read the content of a file attached to a record. With as_text, text, CSV,"
            " HTML, XML and JSON files are returned as text. deliver applies to other"
            " files. If your client shows no files, set it to base64." + larger,
            function=attachments.get_content,
            access="read",
            fixed={**limit, "download_dir": settings.download_dir},
            file=file_of,
            deliveries=ways,
        ),
        Tool(
            name="odoo_attachments_upload",
            title="Attach a file",
            description=f"Attach a file of up to {settings.attachment_max_mb} MB to a record.",
            function=attachments.upload,
            access="create",
            fixed=limit,
        ),
        Tool(
            name="odoo_attachments_delete",
            title="Delete an attachment",
            description="Permanently delete a file attached to a record.",
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
