"""Completions: what an argument of a prompt or a resource template may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mcp.types import Completion

if TYPE_CHECKING:
    from collections.abc import Callable

    from odoo_toolkit.client import Odoo

#: MCP allows no more values.
_MOST = 100

#: Records looked up by name.
_MOST_RECORDS = 20


def complete(odoo: Odoo, name: str, value: str, given: Mapping[str, str] | None) -> Completion:
    """Return what an argument may be, the likeliest first; to be run in a worker thread.

    Args:
        odoo: the connection of the user who asks.
        name: of the argument: ``model``, ``model_name``, ``id``, ``record_id``, ``report_name``.
            Others have no completion.
        value: what has been typed. Models are found by name and label, records by what they are
            called, reports by name and title.
        given: the arguments that have been filled in: records need the model.

    Raises:
        OdooError: Odoo cannot be reached, or does not allow it.
    """
    find = _ARGUMENTS.get(name)
    if find is None:
        return Completion(values=[], total=0, has_more=False)
    values = find(odoo, value.strip()[:200], given or {})
    return Completion(values=values[:_MOST], total=len(values), has_more=len(values) > _MOST)


def _models(odoo: Odoo, value: str, given: Mapping[str, str]) -> list[str]:
    from odoo_toolkit.compat import COMMON_MODELS
    from odoo_toolkit.errors import AccessError

    try:
        labels = odoo.schema.models()
    except AccessError:  # Odoo 15 tells ordinary users nothing of its models
        labels = COMMON_MODELS
    typed = value.casefold()
    ranked = [
        (rank, name)
        for name, label in labels.items()
        if odoo.policy.model_allowed(name)
        and (rank := _rank(typed, name, label, name in COMMON_MODELS)) is not None
    ]
    return [name for _, name in sorted(ranked)]


def _rank(typed: str, name: str, label: str, common: bool) -> int | None:
    """Return how well a model fits, less is better; well-known models come first."""
    label = label.casefold()
    if name.startswith(typed):
        return 0 if common else 1
    if label.startswith(typed):
        return 2 if common else 3
    return (4 if common else 5) if typed in name or typed in label else None


def _record_ids(odoo: Odoo, value: str, given: Mapping[str, str]) -> list[str]:
    from odoo_toolkit.call import Call
    from odoo_toolkit.records.names import name_search

    model = given.get("model") or given.get("model_name")
    if not model:
        return []
    ids = []
    if value.isascii() and value.isdigit() and len(value) < 10:
        domain = [["id", "=", int(value)]]
        ids = odoo.call(Call(model=model, method="search", arguments={"domain": domain}, step=True))
    found = name_search(odoo, model, value, limit=_MOST_RECORDS)
    return list(dict.fromkeys(str(i) for i in [*ids, *(record.id for record in found)]))


def _reports(odoo: Odoo, value: str, given: Mapping[str, str]) -> list[str]:
    from odoo_toolkit.call import Call

    domain: list[object] = [["report_type", "=", "qweb-pdf"]]
    if model := given.get("model") or given.get("model_name"):
        domain.append(["model", "=", model])
    if value:
        domain += ["|", ["report_name", "ilike", value], ["name", "ilike", value]]
    arguments = {"domain": domain, "fields": ["report_name", "model"], "order": "report_name"}
    rows = odoo.call(
        Call(model="ir.actions.report", method="search_read", arguments=arguments, step=True)
    )
    allowed = [row["report_name"] for row in rows if odoo.policy.model_allowed(row["model"])]
    return list(dict.fromkeys(allowed))


_ARGUMENTS: Mapping[str, Callable[[Odoo, str, Mapping[str, str]], list[str]]] = {
    "model": _models,
    "model_name": _models,
    "id": _record_ids,
    "record_id": _record_ids,
    "report_name": _reports,
}
