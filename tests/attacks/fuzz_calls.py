"""Valid calls in great variety: what a client may ask of a model that it only reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

from odoo_toolkit import Odoo, count, default_get, execute, fields_get, name_get, read, search_read
from odoo_toolkit.fields import Field
from odoo_toolkit.policy.tables import WRITING_FIELDS

#: What a caller may send of its own in readonly mode; everything else must be refused.
HARMLESS = frozenset(
    {
        *("search", "search_read", "read", "search_count", "fields_get", "name_search"),
        *("read_group", "formatted_read_group", "default_get"),
    }
)

CONTEXTS: tuple[dict[str, Any], ...] = (
    {},
    {"lang": "en_US", "tz": "Europe/Paris"},
    {"active_test": False},
    {"bin_size": True},
)

#: type of a field -> conditions on it: operator and value.
CONDITIONS: dict[str, tuple[tuple[str, Any], ...]] = {
    "boolean": (("=", True), ("!=", True)),
    "char": (("ilike", "a"), ("=", False), ("not ilike", "x"), ("=like", "A%"), ("in", ["a", "b"])),
    "date": ((">=", "2020-01-01"), ("=", False), ("<", "2030-12-31")),
    "datetime": ((">=", "2020-01-01 00:00:00"), ("!=", False), ("<", "2030-12-31 23:59:59")),
    "float": ((">", 0), ("=", 1.5)),
    "html": (("ilike", "a"), ("=", False)),
    "integer": ((">=", 1), ("in", [1, 2, 3])),
    "many2many": (("=", False), ("in", [1, 2])),
    "many2one": (("=", 1), ("!=", False), ("ilike", "a"), ("child_of", [1])),
    "monetary": ((">", 0), ("=", 10)),
    "one2many": (("=", False), ("in", [1, 2])),
    "reference": (("!=", False),),
    "selection": (("!=", False), ("in", ["draft", "done"])),
    "text": (("ilike", "a"), ("=", False)),
}
GROUPED = ("boolean", "char", "date", "datetime", "integer", "many2many", "many2one", "selection")
PARTS = ("day", "week", "month", "quarter", "year")
SUMMED = ("float", "integer", "monetary")
FUNCTIONS = ("sum", "avg", "min", "max")

Action = Callable[[], Any]


def reading_calls(
    odoo: Odoo, model: str, ids: Sequence[int], chance: Random, *, defaults: bool = True
) -> Iterator[tuple[str, Action]]:
    """Yield what to call a model with: a description, and what does it.

    Args:
        odoo: the connection.
        model: technical name.
        ids: records of the model that exist, perhaps none.
        chance: where the choices come from.
        defaults: whether to ask for default values, too.
    """
    fields = odoo.policy.readable_fields(model, odoo.schema.fields)
    # In full mode, whoever names a field that is known to write when it is read is given it.
    named = odoo.policy.mode == "full"
    names = [name for name in fields if not (named and (model, name) in WRITING_FIELDS)]
    some = chance.sample(names, min(4, len(names)))
    context = chance.choice(CONTEXTS)
    domain, limit = _domain(fields, chance), chance.choice((1, 5, 80))
    ask = partial(execute, odoo, model)
    calls: dict[str, Action] = {
        "fields_get": partial(fields_get, odoo, model),
        "search_read": partial(
            search_read, odoo, model, domain, some, limit, order=_order(fields, chance)
        ),
        "search_read all": partial(search_read, odoo, model, (), ["*"], limit=5, context=context),
        "count": partial(count, odoo, model, domain, context),
        "search": partial(ask, "search", [domain], {"limit": limit, "offset": 1}, context),
        "search_read by execute": partial(
            ask, "search_read", [domain, some], {"limit": 5}, context
        ),
        "search_count": partial(ask, "search_count", [domain], {}, context),
        "name_search": partial(ask, "name_search", ["a"], {"limit": 5}, context),
        "read_group": partial(ask, "read_group", *_grouping(fields, domain, chance)),
        "formatted_read_group": partial(
            ask, "formatted_read_group", *_new_grouping(fields, domain, chance)
        ),
    }
    if ids:
        calls |= {
            "read": partial(read, odoo, model, ids, ["*"], context),
            "read some": partial(read, odoo, model, ids, some, context),
            "read by execute": partial(ask, "read", [list(ids), some], {}, context),
            "names": partial(name_get, odoo, model, ids),
        }
        binary = [name for name, field in fields.items() if field.type == "binary"]
        if binary:
            calls["read binary"] = partial(read, odoo, model, ids[:1], binary)
    if defaults:
        calls |= {
            "default_get": partial(default_get, odoo, model, (), context),
            "default_get some": partial(default_get, odoo, model, some, context),
            "default_get by execute": partial(ask, "default_get", [some], {}, context),
        }
    yield from calls.items()


def _domain(fields: Mapping[str, Field], chance: Random) -> list[Any]:
    """Return a filter of up to three conditions."""
    searched = [
        name for name, field in fields.items() if field.searchable and field.type in CONDITIONS
    ]
    leaves: list[Any] = []
    for name in chance.sample(searched, min(chance.randint(0, 3), len(searched))):
        operator, value = chance.choice(CONDITIONS[fields[name].type])
        path = name
        if fields[name].type == "many2one" and chance.random() < 0.3:
            path, operator, value = f"{name}.display_name", "ilike", "a"
        leaves.append([path, operator, value])
    prefix = [chance.choice(("&", "|")) for _ in leaves[1:]]
    return [*prefix, *leaves] if leaves else []


def _order(fields: Mapping[str, Field], chance: Random) -> str | None:
    sortable = [name for name, field in fields.items() if field.store and field.sortable]
    chosen = chance.sample(sortable, min(chance.randint(0, 2), len(sortable)))
    return ", ".join(f"{name} {chance.choice(('asc', 'desc'))}" for name in chosen) or None


def _groups(fields: Mapping[str, Field], chance: Random) -> tuple[list[str], list[str]]:
    """Return what to group by, and the fields to sum."""
    stored = {name: field for name, field in fields.items() if field.store}
    grouped = [name for name, field in stored.items() if field.type in GROUPED and name != "id"]
    summed = [name for name, field in stored.items() if field.type in SUMMED and name != "id"]
    groups = [
        f"{name}:{chance.choice(PARTS)}" if stored[name].type in ("date", "datetime") else name
        for name in chance.sample(grouped, min(chance.randint(1, 2), len(grouped)))
    ]
    return groups, chance.sample(summed, min(1, len(summed)))


def _grouping(
    fields: Mapping[str, Field], domain: list[Any], chance: Random
) -> tuple[list[Any], dict[str, Any]]:
    groups, summed = _groups(fields, chance)
    aggregates = [f"{name}:{chance.choice(FUNCTIONS)}" for name in summed]
    return [domain, [*aggregates, "__count"], groups], {"lazy": chance.random() < 0.5, "limit": 5}


def _new_grouping(
    fields: Mapping[str, Field], domain: list[Any], chance: Random
) -> tuple[list[Any], dict[str, Any]]:
    groups, summed = _groups(fields, chance)
    aggregates = [f"{name}:{chance.choice(FUNCTIONS)}" for name in summed]
    return [domain, groups, [*aggregates, "__count"]], {"limit": 5}
