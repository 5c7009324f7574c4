"""HTML as readable plain text."""

from __future__ import annotations

import html as html_entities
import re
from functools import lru_cache

_TAG = re.compile(r"<[a-zA-Z/!?]")
_ANY_TAG = re.compile(r"<[^>]*>?")
_LINE_TAG = re.compile(r"</?(br|p|div|li|tr|table|blockquote|h[1-6])\b[^>]*>", re.IGNORECASE)
_NOT_SHOWN = re.compile(r"<(script|style)\b.*?(</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_BLANK_LINES = re.compile(r"\n{3,}")

#: Longer ones are not worth remembering.
_SHORT = 1000


def html_to_text(html: str) -> str:
    """Return the text of an HTML fragment, as a reader would see it.

    Paragraphs, lists and tables keep their lines, links their address as ``[text](address)``;
    scripts and styles vanish. Odd HTML gives what can be read of it, never an error.

    Args:
        html: the content of an html field; plain text comes back quickly.
    """
    if not html:
        return ""
    # The messages of a database repeat themselves: "Contact created", by the thousand.
    return _kept_text(html) if len(html) <= _SHORT else _text(html)


def _text(html: str) -> str:
    if not _TAG.search(html):
        return html_entities.unescape(html).strip()
    try:
        simple = _render_simple(html)
        return _tidy(_render(html) if simple is None else simple)
    # The parser is given whatever people pasted into Odoo: any failure of it, and nesting too
    # deep for it, is answered with the bare words.
    except Exception:
        lines = _LINE_TAG.sub("\n", _NOT_SHOWN.sub("", html))
        return _tidy(html_entities.unescape(_ANY_TAG.sub("", lines))).strip()


# What most texts of Odoo are made of, and nothing that could change how they are laid out.
_SIMPLE = re.compile(
    r"([^<]+)"
    r"|<(/?)(p|div|br|span|b|strong|i|em|u|small|a)((?:\s+[a-z][\w:-]*=\"[^\"<>]*\")*)\s*(/?)>"
)
_LAID_OUT = re.compile(r"\s(style|align|valign|name)=")
_ADDRESS = re.compile(r"\shref=\"([^\"\s]*)\"")
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")
_SPACES = re.compile(r"\s+")
_BLOCKS = frozenset({"p", "div"})


def _render_simple(html: str) -> str | None:
    """Return what :func:`_render` does, ten times as fast; None where it takes a parser to tell.

    Only for paragraphs, divisions, line breaks, links and marked words, all closed in order.
    """
    if _ODD.search(html):
        return None
    lines: list[str] = []
    line, space, fresh = "", True, True  # fresh: a blank line would be one too many
    open_tags: list[str] = []
    address, said, outside, blocks = "", False, False, False
    at = 0
    for match in _SIMPLE.finditer(html):
        if match.start() != at:
            return None
        at = match.end()
        text, closing, tag, attributes, alone = match.groups()
        if text is None:
            if (alone and tag != "br") or (closing and attributes) or _LAID_OUT.search(attributes):
                return None
            text = ""
            if tag == "br":
                if closing:
                    return None
                outside = outside or not open_tags
            elif closing:
                if not open_tags or open_tags.pop() != tag:
                    return None
                if tag == "a" and address:
                    text = f"]({address})"
            else:
                if tag in _BLOCKS and open_tags and open_tags[-1] != "div":
                    return None
                if tag == "a":
                    found = _ADDRESS.search(attributes)
                    if "a" in open_tags or (found is None and "href" in attributes):
                        return None
                    address = found[1] if found else ""
                    text = "[" if address else ""
                outside = outside or not (open_tags or tag in _BLOCKS)
                open_tags.append(tag)
            if tag in _BLOCKS or tag == "br":
                blocks = blocks or tag in _BLOCKS
                line = line[:-1] if space and line.endswith(" ") else line
                if line or tag == "br":
                    lines.append(line)
                    fresh = fresh and not line
                    line, space = "", True
                if tag == "p" and not fresh:
                    lines.append("")
                    fresh = True
        elif not text.isspace():
            said = True
            outside = outside or not open_tags
        if text:
            text = _SPACES.sub(" ", text)
            if space:
                text = text.removeprefix(" ")
            if text:
                space = text.endswith(" ")
                line += html_entities.unescape(text)
    # The parser makes a paragraph of some text that stands beside paragraphs.
    if at != len(html) or open_tags or (blocks and outside):
        return None
    return "\n".join([*lines, line]) if said else ""


_kept_text = lru_cache(maxsize=2048)(_text)


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
