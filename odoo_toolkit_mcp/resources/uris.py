"""The addresses of resources: ``odoo://{category}/{path}``."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote_to_bytes

import attrs

from odoo_toolkit.errors import ValidationError

#: Records of a list unless told, and at most (REQ-06-12).
DEFAULT_LIMIT, MOST_RECORDS = 20, 100

#: Characters of the longest address that is looked at.
LONGEST = 16_384

#: The largest id: the databases' column has 32 bits.
_LARGEST_ID = 2**31 - 1

_SCHEME = "odoo://"
_STATIC = frozenset({"system/info", "system/modules", "system/toolsets", "config/safety"})
_MODEL_PARTS = frozenset({"fields", "methods", "states"})
_MODEL = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NUMBER = re.compile(r"[0-9]{1,10}")


@attrs.frozen(kw_only=True)
class ResourceUri:
    """What an address names.

    Attributes:
        text: the address as the client wrote it.
        kind: ``system/info`` and the like; ``model/fields``, ``model/methods``, ``model/states``;
            ``record`` for one record and ``records`` for a list; ``attachment`` for the content of
            one; ``file`` for one that is kept.
        model: of a model's or record's resource.
        record_id: of one record or attachment.
        token: of a kept file.
        domain: of a list.
        limit: of a list.
    """

    text: str
    kind: str
    model: str = ""
    record_id: int = 0
    token: str = ""
    domain: list[Any] = attrs.field(factory=list)
    limit: int = DEFAULT_LIMIT


def parse_uri(text: str) -> ResourceUri:
    """Return what an address names; nothing is asked of Odoo.

    Raises:
        ValidationError: it is malformed, or names no resource.
    """
    if len(text) > LONGEST:
        raise _refusal(text, f"The address is longer than {LONGEST:,} characters")
    if not text.startswith(_SCHEME):
        raise _refusal(text, "The address of a resource begins with odoo://")
    path, has_query, query = text.removeprefix(_SCHEME).partition("?")
    if "#" in text:
        raise _refusal(text, "The address has a fragment (#); in a domain, write it as %23")
    segments = [_decoded(text, segment) for segment in path.split("/")]
    if any(not segment.strip(".") or re.search(r"[/\\\s\0]", segment) for segment in segments):
        raise _refusal(text, "The path of the address is malformed")
    if has_query and not (len(segments) == 2 and segments[0] == "record"):
        raise _refusal(text, "Only a list of records (odoo://record/MODEL) has parameters")
    match segments:
        case [category, name] if f"{category}/{name}" in _STATIC:
            return ResourceUri(text=text, kind=f"{category}/{name}")
        case ["model", model, part] if part in _MODEL_PARTS:
            return ResourceUri(text=text, kind=f"model/{part}", model=_model(text, model))
        case ["attachment", record_id]:
            number = _number(text, "id", record_id, _LARGEST_ID)
            return ResourceUri(text=text, kind="attachment", record_id=number)
        case ["file", token] if _TOKEN.fullmatch(token):
            return ResourceUri(text=text, kind="file", token=token)
        case ["record", model]:
            return _records(text, _model(text, model), query)
        case ["record", model, record_id]:
            return ResourceUri(
                text=text,
                kind="record",
                model=_model(text, model),
                record_id=_number(text, "id", record_id, _LARGEST_ID),
            )
    raise _refusal(text, "There is no such resource")


def _records(text: str, model: str, query: str) -> ResourceUri:
    given: dict[str, str] = {}
    for pair in query.split("&") if query else ():
        name, _, value = pair.partition("=")
        if name not in ("domain", "limit"):
            raise _refusal(
                text,
                f"There is no parameter {_decoded(text, name)[:50]!r}, only domain and limit; an"
                " & within a domain is written as %26",
            )
        if name in given:
            raise _refusal(text, f"The parameter {name} is given twice")
        given[name] = value
    limit = _decoded(text, given.get("limit", ""))
    return ResourceUri(
        text=text,
        kind="records",
        model=model,
        domain=_domain(text, given.get("domain", "")),
        limit=_number(text, "limit", limit, MOST_RECORDS) if limit else DEFAULT_LIMIT,
    )


def _domain(text: str, encoded: str) -> list[Any]:
    # Forms encode a space as a plus; they never leave a quotation mark as it is.
    written = _decoded(text, encoded if '"' in encoded else encoded.replace("+", " "))
    if not written.strip():
        return []
    try:
        domain = json.loads(written)
    except (ValueError, RecursionError):
        domain = None
    if not isinstance(domain, list):
        raise _refusal(
            text,
            "The domain is not a list in JSON, percent-encoded",
            'Write it as in odoo://record/sale.order?domain=[["state","=","draft"]]&limit=10;'
            " encode & as %26 and # as %23.",
            code="INVALID_DOMAIN",
        )
    return domain


def _model(text: str, name: str) -> str:
    if not _MODEL.fullmatch(name):
        raise _refusal(text, f"{name[:80]!r} is not the name of a model, such as res.partner")
    return name


def _number(text: str, name: str, written: str, most: int) -> int:
    if not _NUMBER.fullmatch(written) or not 1 <= int(written) <= most:
        raise _refusal(
            text, f"The {name} is {written[:50]!r}; it must be a whole number from 1 to {most}"
        )
    return int(written)


def _decoded(text: str, encoded: str) -> str:
    if re.search(r"%(?![0-9A-Fa-f]{2})", encoded):
        raise _refusal(text, "A % in the address is not followed by two hexadecimal digits")
    try:
        return unquote_to_bytes(encoded).decode()
    except UnicodeError:
        raise _refusal(text, "The percent-encoded text of the address is not UTF-8") from None


def _refusal(
    text: str, reason: str, suggestion: str = "", code: str = "VALIDATION_ERROR"
) -> ValidationError:
    return ValidationError(
        f"{reason}.",
        code=code,
        suggestion=suggestion
        or ("To see the available resources, call resources/list and resources/templates/list."),
        details={"uri": text[:500]},
        outcome="not_sent",
    )
