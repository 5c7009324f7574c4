"""What Odoo writes when it prints a document, whatever the way to the PDF."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from odoo_toolkit.errors import AccessError
from odoo_toolkit.reports.calls import look
from odoo_toolkit.reports.ways import Job, write_refusal

#: Model -> the version from which on printing changes its records. An invoice of 19 is marked as
#: changed by hand (``is_manually_modified``) with who printed it and when, because its lines'
#: sections are computed by writing; and where the company shows a QR code for payment, it gets a
#: link that opens it without a login.
CHANGED_BY_PRINTING: dict[str, int] = {"account.move": 19}


def check_side_effects(job: Job, ids: Sequence[int]) -> None:
    """Refuse to print what would be written to, where the policy lets nothing be written.

    Raises:
        AccessError: MODE_VIOLATION, or as of the policy; nothing was printed.
    """
    refusal = write_refusal(job)
    if refusal is None:
        return
    model, name = job.report.model, job.report.report_name
    since = CHANGED_BY_PRINTING.get(model)
    if since is not None and job.odoo.version.major >= since:
        raise _refused(
            refusal,
            f"Odoo {job.odoo.version.major} changes records of {model} when it prints them",
            "The PDF of an invoice that was sent is kept: invoice_pdf_report_id is its attachment,"
            " whose content can be read.",
        )
    if kept := _kept(job, ids):
        listed = ", ".join(map(str, kept))
        raise _refused(
            refusal,
            f"Odoo attaches the PDF of {name} to the record when it prints it ({model} {listed})",
            "If it was printed before, its PDF is among the record's attachments.",
        )


def _kept(job: Job, ids: Sequence[int]) -> list[int]:
    """Return the records to which Odoo would or might attach the PDF.

    A copy that is there already does not count: its name is an expression, too.
    """
    if not job.report.attachment:
        return []
    state = only_in_state(job.report.attachment)
    if state is None:
        return list(ids)
    rows = look(job.odoo, job.report.model, "read", ids, fields=["state"])
    return [row["id"] for row in rows if row["state"] == state]


def only_in_state(expression: str) -> str | None:
    """Return the state outside of which the expression for a copy's name is false for sure.

    Odoo keeps none without a name. That of invoices is ``(object.state == 'posted') and (...)``.
    """
    try:
        parsed = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return None
    match parsed:
        case ast.BoolOp(
            op=ast.And(),
            values=[
                ast.Compare(
                    left=ast.Attribute(value=ast.Name(id="object"), attr="state"),
                    ops=[ast.Eq()],
                    comparators=[ast.Constant(value=str() as state)],
                ),
                *_,
            ],
        ):
            return state
    return None


def _refused(refusal: AccessError, why: str, suggestion: str) -> AccessError:
    return AccessError(
        f"{why}, and {refusal.message[:1].lower()}{refusal.message[1:].rstrip('.')}.",
        code=refusal.code,
        suggestion=f"{suggestion} {refusal.suggestion}",
        details=refusal.details,
    )
