"""A function that returns the PDF of a report."""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from typing import Annotated

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit.annotations import Context
from odoo_toolkit.change_history.recording import one_entry
from odoo_toolkit.client import Odoo
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError, invalid
from odoo_toolkit.file_content import NewFile, human_size, safe_name
from odoo_toolkit.progress import checkpoint
from odoo_toolkit.progress import report as report_progress
from odoo_toolkit.records.arguments import Ids, checked_ids
from odoo_toolkit.records.reading import read
from odoo_toolkit.reports.by_portal import by_portal
from odoo_toolkit.reports.by_session import by_session
from odoo_toolkit.reports.by_template import by_new_template, by_template
from odoo_toolkit.reports.listing import Report, find_report
from odoo_toolkit.reports.ways import (
    Document,
    Job,
    Unavailable,
    Way,
    check_side_effects,
    count_pages,
    merge,
)

#: Most records in one PDF.
MOST = 20

#: How the result calls a way -> the way; the best first. The first leaves what a login leaves,
#: the second nothing, the third nothing when it has ended, the last a link.
WAYS: dict[str, Way] = {
    "web_session": by_session,
    "mail_template": by_template,
    "temporary_mail_template": by_new_template,
    "portal": by_portal,
}


@attrs.frozen(kw_only=True)
class GeneratedReport(Shown):
    """A report as a PDF.

    Attributes:
        model: whose records were printed.
        content_base64: the PDF; None where it was written to a file.
        path: that file.
        size: bytes.
        source: how it was had: web_session, mail_template, temporary_mail_template or portal.
    """

    report_name: str
    record_ids: list[int]
    format: str
    file_name: str
    size: int
    size_human: str
    pages: int
    model: str
    source: str
    content_base64: str | None = None
    path: str | None = None
    warnings: list[str] = attrs.Factory(list)

    @property
    def content(self) -> bytes:
        """The PDF as bytes; empty where it was written to a file."""
        return base64.b64decode(self.content_base64 or "")


def generate_report(
    odoo: Odoo,
    report_name: Annotated[str, Doc("E.g. sale.report_saleorder.")],
    record_ids: Annotated[Ids, Len(1, MOST), Doc("Records of the report's model.")],
    context: Annotated[
        Context, Doc("Odoo context. Documents are in their contact's language.")
    ] = None,
    *,
    download_dir: str | os.PathLike[str] | None = None,
) -> GeneratedReport:
    """Return the PDF of a report for some records.

    >>> pdf = generate_report(odoo, "sale.report_saleorder", [7])
    >>> pathlib.Path(pdf.file_name).write_bytes(pdf.content)

    Pass 1 to 20 ids. The pages have the order of the ids. Find the technical name with
    :func:`~odoo_toolkit.reports.listing.list_reports`. Most documents are in their customer's
    language.

    With a password, the toolkit prints through a web session, one request per record. It does not
    do so if the login would change the address in Odoo's links. With only an API key, it uses an
    e-mail template of the report, a temporary template, or the customer portal. These methods write
    to Odoo, except the first one on Odoo 14 to 16, so readonly mode excludes them. Readonly mode
    also excludes documents that Odoo changes when it prints them: those with a stored copy, and
    invoices on Odoo 19 and later.

    Records are printed one after the other, because Odoo fetches style sheets from itself while it
    prints. Two PDFs at a time would block a server with two workers.

    The policy's rules for fields do not apply inside a PDF. It shows everything that the report
    shows.

    Args:
        download_dir: Existing folder to write the file to, instead of returning its content.
            Existing files are never overwritten.

    Raises:
        NotFoundError: The report does not exist, or no such record.
        ValidationError: The report makes no PDF, or an id is wrong.
        AccessError: Odoo or the policy does not allow it, printing would write although writing is
            not allowed, or your credentials allow no method. The message says why for each method.
        OdooError: Odoo could not print it.
    """
    ids = _checked(record_ids)
    report = find_report(odoo, report_name)
    names = _names(odoo, report, ids, context)
    job = Job(odoo=odoo, report=report, context=context or {})
    check_side_effects(job, ids)
    # What is made on the way is deleted in the same entry, of which nothing is left to undo.
    with one_entry(odoo, "generate_report"):
        source, documents, pages = _print(job, ids)
    content = merge([document.content for document in documents])
    if report.attachment:
        job.warnings.append("Odoo also stores a copy of this report as an attachment.")
    name = _file_name(report, names, documents)
    text = base64.b64encode(content)
    path = None
    if download_dir is not None:
        with NewFile(download_dir, name) as file:
            file.write(text)
        path = str(file.path)
    return GeneratedReport(
        report_name=report_name,
        record_ids=list(ids),
        format="pdf",
        file_name=name,
        size=len(content),
        size_human=human_size(len(content)),
        pages=pages,
        model=report.model,
        source=source,
        content_base64=None if path else text.decode(),
        path=path,
        warnings=list(dict.fromkeys(job.warnings)),
    )


def _checked(record_ids: Sequence[int]) -> tuple[int, ...]:
    ids = checked_ids(record_ids)
    if len(ids) > MOST:
        raise invalid(
            "record_ids",
            f"{len(ids)} records are too many for one PDF; the maximum is {MOST}.",
            f"Print at most {MOST} records at a time.",
            count=len(ids),
            maximum=MOST,
        )
    return ids


def _names(odoo: Odoo, report: Report, ids: Sequence[int], context: Context) -> list[str]:
    """Return what the records are called, or refuse those that the user cannot see.

    Asked for before anything is printed: of such records the versions print different things.
    """
    found = read(odoo, report.model, ids, ["display_name"], context)
    missing = found.missing_ids
    if missing:
        listed = ", ".join(map(str, missing))
        raise NotFoundError(
            f"The report {report.report_name} prints {report.model}, which has no record with id"
            f" {listed}, or this user cannot see it.",
            suggestion=f"Look up the records with search_read on {report.model}, or choose a "
            "report for the model of these ids (list_reports).",
            details={
                "model": report.model,
                "report_name": report.report_name,
                "missing_ids": missing,
            },
        )
    return [record["display_name"] or str(record["id"]) for record in found.records]


def _print(job: Job, ids: Sequence[int]) -> tuple[str, list[Document], int]:
    """Return how the PDFs were had, the PDFs, and the number of their pages."""
    reasons: dict[str, str] = {}
    for source, way in WAYS.items():
        try:
            with way(job) as fetch:
                documents, pages = [], 0
                for done, record_id in enumerate(ids):
                    checkpoint()
                    report_progress(done, len(ids), f"Printing {job.report.model} {record_id}")
                    document = fetch(record_id)
                    pages += count_pages(document.content)
                    documents.append(document)
        except Unavailable as reason:
            reasons[source] = str(reason)
        else:
            return source, documents, pages
    raise _no_way(job, reasons)


def _no_way(job: Job, reasons: dict[str, str]) -> OdooError:
    listed = "; ".join(f"{source}: {reason.rstrip('.')}" for source, reason in reasons.items())
    return AccessError(
        f"The toolkit cannot make the PDF of {job.report.report_name}. {listed}.",
        suggestion="Solve the problem of web_session, which prints every report."
        if job.odoo.settings.password
        else (
            "Set the user's password in addition to the API key (ODOO_USERNAME and "
            "ODOO_PASSWORD). Then every report can be printed."
        ),
        details={"report_name": job.report.report_name},
    )


def _file_name(report: Report, names: Sequence[str], documents: Sequence[Document]) -> str:
    """Return Odoo's own name of the file; several records bear the report's name, as in Odoo."""
    if len(documents) > 1:
        name = report.name
    else:
        name = documents[0].file_name or f"{report.name} - {names[0]}"
    # Invoices are numbered like INV/2026/00001; only the last part would be taken for the name.
    name = name.replace("/", "_").replace("\\", "_")
    return safe_name(name if name.lower().endswith(".pdf") else f"{name}.pdf")
