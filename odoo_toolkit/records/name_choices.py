"""What tells records apart that one name means: price, stock, city, company, whichever they have.

The fields are facts of each model (``disambiguation_fields`` in :mod:`odoo_toolkit.app_models`).
One request reads them, and what is alike for all is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from odoo_toolkit.app_models import known
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.values import ReadOptions, from_wire

#: What records of any model may differ in: asked for besides, where the model has it.
_EVERYWHERE = ("company_id", "company_ids", "active", "employee_id", "partner_id", "state", "date")

#: Fields that are shown, and characters of a value.
_MOST_FIELDS, _MOST_TEXT = 5, 80


def told_apart(odoo: Odoo, model: str, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return in what records differ, by id; nothing where it cannot be read. One round trip."""
    try:
        described = odoo.policy.readable_fields(model, odoo.schema.fields)
        fields = [
            name
            for name in dict.fromkeys((*known(model).disambiguation_fields, *_EVERYWHERE))
            if name in described
        ]
        if not fields or len(ids) < 2:
            return {}
        call = Call(
            model=model,
            method="search_read",
            arguments={"domain": [["id", "in", list(ids)]], "fields": fields},
            context={"active_test": False},
        )
        rows = odoo.call(call)
        rows = _with_companies(odoo, rows) if "company_ids" in fields else rows
    except OdooError:
        return {}
    shown = {row["id"]: from_wire(row, described, ReadOptions()) for row in rows}
    texts = {
        number: {name: _text(row.get(name)) for name in fields} for number, row in shown.items()
    }
    telling = [name for name in fields if len({row[name] for row in texts.values()}) > 1]
    return {
        number: {
            name: _short(row[name])
            for name in telling[:_MOST_FIELDS]
            if row.get(name) not in (None, "")
        }
        for number, row in shown.items()
    }


def _with_companies(odoo: Odoo, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return rows with the names of their companies in place of the ids."""
    ids = sorted({number for row in rows for number in row["company_ids"]})
    call = Call(
        model="res.company",
        method="search_read",
        arguments={"domain": [["id", "in", ids]], "fields": ["display_name"]},
    )
    names = {row["id"]: row["display_name"] for row in odoo.call(call)}
    return [
        {**row, "company_ids": ", ".join(names.get(n, str(n)) for n in row["company_ids"])}
        for row in rows
    ]


def in_words(match: Mapping[str, Any]) -> str:
    """Return what tells a match apart, in a line; empty where nothing does."""
    return ", ".join(
        f"{name.removesuffix('_id')} {value}"
        for name, value in match.items()
        if name not in ("id", "name")
    )


def _short(value: Any) -> Any:
    if isinstance(value, Mapping):
        value = value["name"]
    return value[:_MOST_TEXT] if isinstance(value, str) else value


def _text(value: Any) -> str:
    return str(value["id"] if isinstance(value, Mapping) else value)
