"""Reports as PDF files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from mcp.types import BlobResourceContents, ContentBlock, EmbeddedResource, ResourceLink

from odoo_toolkit import reports
from odoo_toolkit.attached import attachments
from odoo_toolkit.client import Odoo
from odoo_toolkit.reports.generation import GeneratedReport
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata, ToolTable

_MIME_TYPE = "application/pdf"


def content_blocks(result: GeneratedReport) -> Sequence[ContentBlock]:
    """Return the PDF as an embedded resource, or a link to the file that it was written to."""
    if result.path:
        return [
            ResourceLink(
                name=result.file_name,
                uri=Path(result.path).as_uri(),
                mime_type=_MIME_TYPE,
                size=result.size,
            )
        ]
    ids = ",".join(map(str, result.record_ids))
    return [
        EmbeddedResource(
            resource=BlobResourceContents(
                uri=f"odoo://report/{quote(result.report_name)}/{ids}",
                mime_type=_MIME_TYPE,
                blob=result.content_base64 or "",
            )
        )
    ]


def tools_for(settings: ServerSettings) -> list[Tool]:
    """Return the tools; where there is a download folder, PDFs go there."""
    where = (
        " The file is written to a folder, and the answer has its path."
        if settings.download_dir
        else ""
    )
    return [
        Tool(
            name="odoo_reports_list",
            title="List reports",
            description="List the reports of a model, such as quotation, invoice or delivery"
            " slip. To print those of type qweb-pdf, use odoo_reports_generate.",
            function=reports.list_reports,
            access="read",
        ),
        Tool(
            name="odoo_reports_generate",
            title="Generate a PDF",
            description="Print a report of one or more records as one PDF. Each record takes a"
            " second or more. For the report_name, use odoo_reports_list." + where,
            function=reports.generate_report,
            access="read",
            fixed={"download_dir": settings.download_dir},
            blocks=content_blocks,
        ),
        Tool(
            name="odoo_reports_attach",
            title="Print and attach a PDF",
            description="Print a report of a record and keep the PDF as an attachment of it. To get"
            " the PDF itself, use odoo_reports_generate; to send it by e-mail,"
            " odoo_mail_send_document.",
            function=attachments.attach_report,
            access="create",
        ),
    ]


class ReportsToolset(BaseToolset):
    """Tools for reports."""

    about = ToolsetMetadata(
        name="reports",
        description="List reports, print them as PDF, attach them",
        depends_on=("core",),
        tags=("documents",),
    )

    def register_tools(self, server: ToolTable, connection: Odoo | None) -> list[str]:
        """Add the tools for reports."""
        return server.add_tools(tools_for(server.settings))
