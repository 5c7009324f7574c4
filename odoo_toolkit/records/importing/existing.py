"""The records that rows are about, found for all rows together, and what they hold now."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from odoo_toolkit.arguments import hold, read_commands
from odoo_toolkit.arguments.compared import differences
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.fields import Field
from odoo_toolkit.records.importing.relations import CHUNK
from odoo_toolkit.records.results import Record
from odoo_toolkit.values.properties import by_name
from odoo_toolkit.values.search_text import literal

#: Conditions in one search in either case: more take Odoo long, ten thousand break it.
_CHAIN = 100

Key = tuple[Any, ...]


def find(
    odoo: Odoo,
    model: str,
    key: Sequence[Field],
    wanted: Iterable[Key],
    fields: Sequence[str],
    described: Mapping[str, Field],
    context: Mapping[str, Any],
    *,
    case_sensitive: bool = True,
) -> dict[Key, list[Record]]:
    """Return the records by what they hold in the fields of the key, archived ones too.

    One round trip for every thousand keys; in either case, one or a few more for those that are
    not found as they are written, in small, in capitals or in title letters.

    Args:
        odoo: the connection.
        model: that is searched.
        key: its fields.
        wanted: what they hold, as it is written to Odoo.
        fields: to read besides.
        described: the model's fields.
        context: of the search.
        case_sensitive: whether texts must be the same in case, too.
    """
    names = list(dict.fromkeys([*(field.name for field in key), *fields]))
    hidden_too = {"active_test": False, **context}
    found: dict[Key, dict[int, Record]] = defaultdict(dict)
    missing = set(wanted)

    def search(domain: list[Any]) -> None:
        arguments = {"domain": domain, "fields": names, "order": "id"}
        call = Call(model=model, method="search_read", arguments=arguments, context=hidden_too)
        for row in odoo.call(call):
            found[key_of(row, key, case_sensitive)][row["id"]] = row

    keys = sorted(missing, key=repr)
    for start in range(0, len(keys), CHUNK):
        columns = zip(*keys[start : start + CHUNK], strict=True)
        search(
            [
                [field.name, "in", _values(field, column, case_sensitive)]
                for field, column in zip(key, columns, strict=True)
            ]
        )
    if not case_sensitive:
        rest = [one for one in keys if folded(one, key) not in found]
        for domain in _in_either_case(key, rest, described):
            search(domain)
    return {one: list(found[_folded_if(one, key, case_sensitive)].values()) for one in missing}


def read_present(
    odoo: Odoo, model: str, ids: Sequence[int], fields: Sequence[str], context: Mapping[str, Any]
) -> dict[int, Record]:
    """Return what records hold now, by their ids, of those that there are."""
    found: dict[int, Record] = {}
    hidden_too = {**context, "active_test": False}
    for start in range(0, len(ids), CHUNK):
        domain = [["id", "in", list(ids[start : start + CHUNK])]]
        arguments = {"domain": domain, "fields": list(fields) or ["id"]}
        call = Call(model=model, method="search_read", arguments=arguments, context=hidden_too)
        found |= {row["id"]: row for row in odoo.call(call)}
    return found


def key_of(values: Mapping[str, Any], key: Sequence[Field], case_sensitive: bool) -> Key:
    """Return what a record, or a row as it is written to Odoo, holds in the fields of the key."""
    found = tuple(_plain(values[field.name], field) for field in key)
    return _folded_if(found, key, case_sensitive)


def folded(values: Key, key: Sequence[Field]) -> Key:
    """Return a key without regard to case."""
    return tuple(
        value.casefold() if isinstance(value, str) and field.type in ("char", "text") else value
        for value, field in zip(values, key, strict=True)
    )


def _folded_if(values: Key, key: Sequence[Field], case_sensitive: bool) -> Key:
    return values if case_sensitive else folded(values, key)


def _plain(value: Any, field: Field) -> Any:
    if isinstance(value, (list, tuple)) and field.type == "many2one":
        value = value[0]
    return False if value in ("", None) else value


def _values(field: Field, values: Iterable[Any], case_sensitive: bool) -> list[Any]:
    kept = dict.fromkeys(values)
    if case_sensitive or field.type not in ("char", "text"):
        return list(kept)
    forms = [
        form
        for value in kept
        for form in (
            (value, value.lower(), value.upper(), value.title(), value.casefold())
            if isinstance(value, str)
            else (value,)
        )
    ]
    return list(dict.fromkeys(forms))


def _in_either_case(
    key: Sequence[Field], rest: Sequence[Key], described: Mapping[str, Field]
) -> Iterable[list[Any]]:
    """Yield searches for keys that are written in no usual way."""
    normalized = described.get("email_normalized")
    if [field.name for field in key] == ["email"] and normalized and normalized.store:
        # What Odoo keeps to compare addresses by; hundreds of times faster.
        for start in range(0, len(rest), CHUNK):
            chunk = [str(one[0]).strip().lower() for one in rest[start : start + CHUNK]]
            yield [["email_normalized", "in", chunk]]
        return
    size = max(1, _CHAIN // len(key))
    for start in range(0, len(rest), size):
        parts = [
            ["&"] * (len(key) - 1)
            + [
                [f.name, "=ilike", literal(value)]
                if isinstance(value, str) and f.type in ("char", "text")
                else [f.name, "=", value]
                for f, value in zip(key, one, strict=True)
            ]
            for one in rest[start : start + size]
        ]
        yield ["|"] * (len(parts) - 1) + [leaf for part in parts for leaf in part]


# What has changed ------------------------------------------------------------------------------


def changed(
    values: Mapping[str, Any],
    present: Mapping[str, Any],
    described: Mapping[str, Field],
    digits: Mapping[str, int],
) -> dict[str, Any]:
    """Return those of the values, as they are written to Odoo, that a record does not hold.

    Args:
        values: of a row.
        present: the record as Odoo reads it.
        described: the fields of the model.
        digits: decimals that Odoo keeps, by field, where they are known.
    """
    return {
        name: value
        for name, value in values.items()
        if name not in present or not _same(value, present[name], described[name], digits.get(name))
    }


def _same(value: Any, shown: Any, field: Field, digits: int | None) -> bool:
    match field.type:
        case "many2one":
            return bool((shown[0] if isinstance(shown, (list, tuple)) else shown) == value)
        case "many2many":
            return hold(read_commands(value, field.name), shown or ())
        case "float" | "monetary":
            # Odoo keeps no more decimals than the field has.
            lost = 0.0 if digits is None else 0.5 * 10.0**-digits
            return math.isclose(value or 0.0, shown or 0.0, rel_tol=1e-9, abs_tol=lost + 1e-9)
        case "integer" | "many2one_reference":
            return bool((value or 0) == (shown or 0))
        case "char" | "text":
            return (value or "") == (shown or "")
        case "html":
            # Odoo escapes plain text, and puts it into a paragraph or a span.
            text = escape(str(value or ""), quote=False)
            return (shown or "") in (value or "", text, f"<p>{text}</p>", f"<span>{text}</span>")
        case "properties" if not value:
            return not any(by_name(shown).values())
        case "json" | "properties" | "properties_definition":
            name = field.name
            return not differences("", {0: {name: value}}, {0: {name: shown}}, {name: field})
        case "one2many":
            # What it shows is not in the form in which it is written.
            return False
        case _:
            return bool((value or False) == (shown or False))
