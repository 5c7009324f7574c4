"""PDF files: is this one, how many pages it has, and several made one."""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence

import attrs

from odoo_toolkit.errors import OdooError, make_error

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
        f"Odoo answered with {what}.",
        suggestion="wkhtmltopdf on the server may be missing or broken; Odoo's log has the cause.",
        outcome="refused",
    )
