"""Plain text that a person wrote, in the form that a field of Odoo takes."""

from __future__ import annotations

import re
from html import escape

from odoo_toolkit.errors import invalid
from odoo_toolkit.fields import Field


def written_text(field: Field, text: str) -> str:
    """Return plain text for a field: as it is for text, as HTML that shows it for html.

    An empty line begins a paragraph. Without this, Odoo takes ``a < b`` for a tag and drops it.

    Args:
        field: a char, text or html field; ``crm.lead.description`` is text on Odoo 14, html later.
        text: what was written; tags in it are shown, not obeyed.
    """
    if field.type != "html":
        return text
    if not isinstance(text, str):
        raise invalid(field.name, f"{field.name} must be text, not {str(text)[:60]!r}.")
    paragraphs = re.split(r"\n\s*\n", text.replace("\r\n", "\n").strip("\n"))
    return "".join(
        f"<p>{escape(paragraph, quote=False).replace(chr(10), '<br>')}</p>"
        for paragraph in paragraphs
    )


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the singular of one: ``1 line``, ``2 lines``."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def money(amount: float | None, currency: str | None) -> str:
    """Return an amount as messages say it: ``115.00 EUR``."""
    return f"{amount or 0:.2f} {currency or ''}".rstrip()
