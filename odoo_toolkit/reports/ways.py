"""A way of getting a PDF: what each has in common, and what Odoo writes when it prints."""

from __future__ import annotations

import ast
import io
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.change_history.lost_answers import send
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooError, make_error
from odoo_toolkit.reports.listing import Report, look

#: What a PDF begins with. Login pages and error pages come with status 200, too.
SIGNATURE = b"%PDF-"


@attrs.frozen
class Document:
    """A PDF, and the name that Odoo gives the file; "" where it gives none."""

    content: bytes
    file_name: str = ""


def count_pages(content: bytes) -> int:
    """Return the number of pages of a PDF.

    Raises:
        OdooError: SERVER_ERROR: it is none, it is damaged, or it has no pages, as what wkhtmltopdf
            writes when it fails without saying so.
    """
    # Imported when needed: whoever prints nothing need not wait for it.
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    pages = 0
    if content.startswith(SIGNATURE):
        _quieten()
        try:
            pages = len(PdfReader(io.BytesIO(content)).pages)
        except (PyPdfError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise _unusable(f"a PDF that cannot be read ({type(error).__name__})") from None
    if not pages:
        what = "a PDF without a page" if content.startswith(SIGNATURE) else "no PDF"
        raise _unusable(f"{what} ({len(content)} bytes)")
    return pages


def merge(contents: Sequence[bytes]) -> bytes:
    """Return one PDF with the pages of all, in order."""
    if len(contents) == 1:
        return contents[0]
    from pypdf import PdfWriter

    _quieten()
    with PdfWriter() as writer:
        for content in contents:
            writer.append(io.BytesIO(content), import_outline=False)
        merged = io.BytesIO()
        writer.write(merged)
    return merged.getvalue()


def _quieten() -> None:
    # It warns of every small deviation from the standard, of which wkhtmltopdf has some.
    logging.getLogger("pypdf").setLevel(logging.ERROR)


def _unusable(what: str) -> OdooError:
    return make_error(
        "SERVER_ERROR",
        f"Odoo returned {what}.",
        suggestion="wkhtmltopdf on the server may be missing or broken; Odoo's log has the cause.",
        outcome="refused",
    )


#: Seconds that one PDF may take. The first after a start of Odoo has to wait for the style sheets
#: to be compiled, and Odoo itself gives up after two minutes.
TIMEOUT = 120.0


class Unavailable(Exception):  # noqa: N818 - another way is taken; nothing may be wrong
    """This way does not lead to the PDF; the message tells people why."""


@attrs.define(kw_only=True)
class Job:
    """What is to be printed.

    Attributes:
        context: extends the base context.
        warnings: what a way has to tell of what it did, added as it does it.
    """

    odoo: Odoo
    report: Report
    context: Mapping[str, Any]
    warnings: list[str] = attrs.Factory(list)

    def step(
        self, model: str, method: str, ids: Sequence[int] | None = None, **options: Any
    ) -> Call:
        """Return a call that is judged by the model that is printed."""
        return Call(
            model=model,
            method=method,
            ids=ids,
            acts_on=self.report.model,
            step=True,
            timeout=TIMEOUT,
            **options,
        )

    def remove(self, call: Call, told: str) -> None:
        """Remove what was only for printing; where that fails, it is told."""
        try:
            send(self.odoo, call, [])
        except OdooError as error:
            self.warnings.append(f"{told}: {error.message}")


Fetch = Callable[[int], Document]
"""Returns the PDF of one record. Raises Unavailable, or the OdooError that printing failed with."""

Way = Callable[[Job], AbstractContextManager[Fetch]]
"""Opens a way for one job, and tidies up at the end. Raises Unavailable."""


def require(job: Job, *calls: Call) -> None:
    """Give up a way, before its first call, if the policy forbids one of its writing calls.

    Raises:
        Unavailable: it does.
    """
    for call in calls:
        try:
            job.odoo.check(call)
        except AccessError as error:
            raise Unavailable(error.message) from None


def write_refusal(job: Job) -> AccessError | None:
    """Return why nothing may be written on the printed model; None in full mode, or if it may."""
    policy = job.odoo.policy
    return None if policy.mode == "full" else policy.model_problem(job.report.model, "write")


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
            "The PDF of a sent invoice is stored. Its attachment is invoice_pdf_report_id, and "
            "you can read its content.",
        )
    if kept := _kept(job, ids):
        listed = ", ".join(map(str, kept))
        raise _refused(
            refusal,
            f"Odoo attaches the PDF of {name} to the record when it prints it ({model} {listed})",
            "If it was printed before, its PDF is among the attachments of the record.",
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
