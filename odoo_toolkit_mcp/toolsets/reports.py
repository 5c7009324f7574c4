"""Reports as PDF files."""

from __future__ import annotations

from odoo_toolkit import reports
from odoo_toolkit.chatter import attachments
from odoo_toolkit.client import Odoo
from odoo_toolkit.reports.generation import GeneratedReport
from odoo_toolkit_mcp.files import Delivery, File
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata, ToolTable


def file_of(result: GeneratedReport) -> File:
    """Return a report as a file to deliver."""
    return File(
        name=result.file_name,
        mimetype="application/pdf",
        size=result.size,
        content_base64=result.content_base64 or "",
    )


def tools_for(settings: ServerSettings) -> list[Tool]:
    """Return the tools; where there is a download folder, PDFs go there unless asked otherwise."""
    ways: tuple[Delivery, ...] = ("embedded", "link", "base64")
    if settings.download_dir:
        ways = ("file", *ways)
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
            " second or more. For the report_name, use odoo_reports_list. If your client"
            " shows no files, set deliver to base64. To keep the PDF on its record, use"
            " odoo_reports_attach.",
            function=reports.generate_report,
            access="read",
            # Delivered by the server, which may also keep it for a link.
            fixed={"download_dir": None},
            file=file_of,
            deliveries=ways,
        ),
        Tool(
            name="odoo_reports_attach",
            title="Print and attach a PDF",
            description="Print a report of a record, and attach the PDF to the record. To get the"
            " PDF itself, use odoo_reports_generate. To e-mail it, use odoo_mail_send_document.",
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
