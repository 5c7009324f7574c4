"""Text that people look at, with what would act on their terminal made visible.

A name in Odoo may hold the escape sequence that clears a terminal or changes its title, a carriage
return that overwrites what stands before it, or a mark that turns the direction of writing. Data
stays as it is; only what is shown of it is made of characters that show.
"""

from __future__ import annotations

import re

#: Controls but for tab and new line, and what turns or breaks lines: as a regular expression's set.
ACTING = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"

_ACTING = re.compile(f"[{ACTING}\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Return a text with control characters and such as escapes: ``\x1b`` in four characters.

    Tabs and new lines stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return _ACTING.sub(lambda found: _escape(found[0]), text)


def in_one_line(text: str) -> str:
    r"""Return a text as :func:`visible` does, with new lines and tabs as ``\n`` and ``\t``."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
