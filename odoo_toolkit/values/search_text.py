"""Text as Odoo's search compares it."""

from __future__ import annotations

import re
import unicodedata

#: Letters that PostgreSQL's unaccent simplifies, but that are not a letter and an accent.
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}
)


def literal(text: str) -> str:
    """Take from ``%`` and ``_`` what they mean to Odoo's ``ilike``."""
    return re.sub(r"([\\%_])", r"\\\1", text)


def folded(text: str) -> str:
    """Fold case, accents and white space, as Odoo's search does where it has ``unaccent``."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    return " ".join(plain.translate(_LETTERS).split())
