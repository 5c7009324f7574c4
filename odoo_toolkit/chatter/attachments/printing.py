"""A function that prints a report and attaches it to its record."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any

from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.chatter.attachments.content import ATTACHMENT
from odoo_toolkit.chatter.attachments.files import UploadedAttachment, checked_file_name, upload
from odoo_toolkit.chatter.owner_records import MakesOwned, beside_owner
from odoo_toolkit.client import Odoo
from odoo_toolkit.operations.documents import afterwards, filled, read_rows
from odoo_toolkit.operations.lines import IdOrName
from odoo_toolkit.operations.steps import permit, plan
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.records.names import Wanted, resolve
from odoo_toolkit.reports.generation import generate_report
from odoo_toolkit.reports.listing import Report, find_report


@operation
def attach_report(
    odoo: Odoo,
    *,
    report_name: Annotated[str, Doc("E.g. sale.report_saleorder.")],
    record: Annotated[IdOrName, Doc("Id or name of the record to print.")],
    file_name: Annotated[
        str | None, Len(1, 255), Doc("Name of the file. Default: Odoo's name.")
    ] = None,
    dry_run: DryRun = False,
) -> UploadedAttachment | Plan:
    """Print a report of a record, and attach the PDF to the record.

    >>> attach_report(odoo, report_name="sale.report_saleorder", record="S00042").name
    'Quotation - S00042.pdf'

    Find the technical name with :func:`~odoo_toolkit.reports.listing.list_reports`. Odoo 16 and
    earlier keep the PDF of some documents, such as posted invoices. This copy is then the
    attachment, and there is no second one.

    Raises:
        AmbiguousNameError: The name matches several records. Nothing was printed.
        NotFoundError: The report or record does not exist. Nothing was printed.
        ValidationError: The report makes no PDF, or the file name is wrong.
        AccessError: Odoo or the policy does not allow it, or your credentials can't print it, see
            :func:`~odoo_toolkit.reports.generation.generate_report`.
        OdooError: Odoo could not print it. Nothing was attached.
    """
    own = None if file_name is None else _pdf(checked_file_name(file_name))
    report = find_report(odoo, report_name)
    permit(odoo, _step(report, 0, own), dry_run=dry_run)
    number = resolve(odoo, Wanted.of(report.model, record, "record"))
    assert number is not None  # noqa: S101 - it is required
    (rows,) = beside_owner(
        odoo,
        report.model,
        number,
        lambda: read_rows(odoo, report.model, [["id", "=", number]], ["display_name"]),
    )
    called = rows[0]["display_name"] if rows else f"{report.model} {number}"
    if dry_run:
        would = f"Would print {report.name} of {called} and attach it to it"
        named = f" as {own!r}." if own else ", under the name that Odoo gives the file."
        return plan(odoo, [_step(report, number, own)], (), would + named)
    printed = generate_report(odoo, report_name, [number])
    name = own or printed.file_name
    warnings = list(printed.warnings)
    checksum = hashlib.sha1(printed.content, usedforsecurity=False).hexdigest()
    domain = [["res_model", "=", report.model], ["res_id", "=", number]]
    either = ["|", ["checksum", "=", checksum], ["name", "=", name]]
    fields = ["name", "mimetype", "file_size", "checksum"]
    found = afterwards(
        lambda: read_rows(
            odoo, ATTACHMENT.model, [*domain, *either], fields, acts_on=report.model, order="id"
        ),
        warnings,
        "the record's attachments",
    )
    for row in found or ():
        if row["checksum"] == checksum:
            return filled(
                UploadedAttachment,
                row,
                model=report.model,
                record_id=number,
                message=f"Printed {report.name} of {called}. Odoo attached the file itself.",
                warnings=warnings,
            )
    if found:
        ids = ", ".join(str(row["id"]) for row in found)
        warnings.append(f"The document already had another attachment called {name!r} (id {ids}).")
    made = upload(odoo, report.model, number, name, printed.content_base64 or "", "application/pdf")
    made.warnings[:0] = warnings
    return made


def _step(report: Report, number: int, name: str | None) -> MakesOwned:
    values: dict[str, Any] = {
        "name": name or "the name that Odoo gives the file",
        "res_model": report.model,
        "res_id": number,
        "mimetype": "application/pdf",
        "datas": "the PDF",
    }
    return MakesOwned(
        model=ATTACHMENT.model,
        method="create",
        arguments={"vals_list": values},
        owner=report.model,
        kind=ATTACHMENT.model,
        like={},
        says="Attached",
    )


def _pdf(name: str) -> str:
    return name if name.lower().endswith(".pdf") else f"{name}.pdf"
