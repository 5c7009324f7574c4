"""HTML as readable plain text."""

from __future__ import annotations

import html as html_entities
import re

_TAG = re.compile(r"<[a-zA-Z/!?]")
_ANY_TAG = re.compile(r"<[^>]*>?")
_LINE_TAG = re.compile(r"</?(br|p|div|li|tr|table|blockquote|h[1-6])\b[^>]*>", re.IGNORECASE)
_NOT_SHOWN = re.compile(r"<(script|style)\b.*?(</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_BLANK_LINES = re.compile(r"\n{3,}")


def html_to_text(html: str) -> str:
    """Return the text of an HTML fragment, as a reader would see it.

    Paragraphs, lists and tables keep their lines, links their address as ``[text](address)``;
    scripts and styles vanish. Odd HTML gives what can be read of it, never an error.

    Args:
        html: the content of an html field; plain text comes back quickly.
    """
    if not html:
        return ""
    if not _TAG.search(html):
        return html_entities.unescape(html).strip()
    try:
        return _tidy(_render(html))
    # The parser is given whatever people pasted into Odoo: any failure of it, and nesting too
    # deep for it, is answered with the bare words.
    except Exception:
        lines = _LINE_TAG.sub("\n", _NOT_SHOWN.sub("", html))
        return _tidy(html_entities.unescape(_ANY_TAG.sub("", lines))).strip()


def _render(html: str) -> str:
    # Imported here: inscriptis and lxml cost 60 ms, and most records have no HTML.
    from inscriptis import Inscriptis  # type: ignore[import-untyped]
    from inscriptis.css_profiles import CSS_PROFILES  # type: ignore[import-untyped]
    from inscriptis.model.config import ParserConfig  # type: ignore[import-untyped]
    from lxml.html import HTMLParser, document_fromstring  # type: ignore[import-untyped]

    # Bytes, because lxml refuses text that carries an XML encoding declaration; huge_tree,
    # because the parser otherwise drops what is nested deeper than 256 levels.
    parser = HTMLParser(encoding="utf-8", huge_tree=True)
    # Entities are doubled, because inscriptis resolves once more what the parser has resolved:
    # "&amp;lt;" is the text "&lt;", not "<".
    source = html.replace("\x00", "").replace("&", "&amp;").encode("utf-8", "replace")
    if not _ANY_TAG.sub("", html).strip():
        return ""
    tree = document_fromstring(source, parser=parser)
    config = ParserConfig(css=CSS_PROFILES["strict"], display_links=True)
    text: str = Inscriptis(tree, config).get_text()
    return text


def _tidy(text: str) -> str:
    lines = (line.rstrip() for line in text.replace("\xa0", " ").replace("\r\n", "\n").split("\n"))
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip("\n")
