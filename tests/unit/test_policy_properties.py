"""Whatever a caller sends: what leaves the process names nothing that is closed."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from odoo_toolkit import Policy, execute
from odoo_toolkit.call import Call
from odoo_toolkit.errors import OdooError
from tests.attacks.serverless import FIELDS, Serverless

CLOSED_FIELDS = ("password", "signup_token", "vat")
CLOSED_MODELS = ("ir.cron", "crm.lead")
#: Relations of a contact that lead to them; naming these is naming the model.
CLOSED_RELATIONS = ("cron_id", "lead_ids")
CLOSED = frozenset({*CLOSED_FIELDS, *CLOSED_MODELS, *CLOSED_RELATIONS})
MODES = ("readonly", "restricted", "full")

HARMLESS = {
    "search": {"domain": "domain", "offset": "number", "limit": "number", "order": "order"},
    "search_read": {
        "domain": "domain",
        "fields": "names",
        "offset": "number",
        "limit": "number",
        "order": "order",
    },
    "read": {"fields": "names", "load": "text"},
    "search_count": {"domain": "domain", "limit": "number"},
    "fields_get": {"allfields": "names", "attributes": "words"},
    "name_search": {"name": "text", "domain": "domain", "operator": "text", "limit": "number"},
    "read_group": {
        "domain": "domain",
        "fields": "expressions",
        "groupby": "expressions",
        "offset": "number",
        "limit": "number",
        "orderby": "order",
        "lazy": "switch",
    },
    "formatted_read_group": {
        "domain": "domain",
        "groupby": "expressions",
        "aggregates": "expressions",
        "having": "domain",
        "offset": "number",
        "limit": "number",
        "order": "order",
    },
    "default_get": {"fields": "names"},
}
WRITES = {
    "create": {"vals_list": "values"},
    "write": {"vals": "values"},
    "load": {"fields": "names", "data": "rows"},
}
KNOWN_CONTEXT = frozenset({"lang", "tz", "active_test", "allowed_company_ids", "bin_size"})


def make(mode: Any) -> Serverless:
    policy = Policy(
        mode=mode,
        write_allowlist="res.partner,res.partner.category,ir.attachment,mail.message",
        field_blocklist="vat",
        model_blocklist="crm.lead",
    )
    return Serverless(policy)


# What a caller may think of ------------------------------------------------------------------

names = st.sampled_from(
    [
        *("name", "email", "color", "date", "parent_id", "child_ids", "category_id", "id"),
        *("reference", "res_model", "display_name", "user_ids", "create_date", "active"),
        *CLOSED,
    ]
)
paths = st.one_of(
    names,
    st.lists(names, min_size=2, max_size=4).map(".".join),
    st.lists(names, min_size=2, max_size=3).map("/".join),
    st.tuples(names, st.sampled_from([":month", ":max", " desc", " ", ":sum(id)"])).map("".join),
    names.map(lambda name: f"x:max({name})"),
    names.map(str.upper),
    names.map(lambda name: f"\t{name}"),
    st.lists(names, min_size=2, max_size=3).map(", ".join),
)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 10), st.floats(allow_nan=False), paths, st.text()
)
operators = st.sampled_from(
    ["=", "!=", "in", "not in", "ilike", "any", "not any", "child_of", ">", "=?", "evil"]
)


def _leaves(domains: Any) -> Any:
    values = st.one_of(scalars, st.lists(scalars, max_size=3), domains)
    return st.tuples(paths, operators, values).map(list)


domains: Any = st.recursive(
    st.just([]),
    lambda inner: st.lists(st.one_of(st.sampled_from(["&", "|", "!"]), _leaves(inner)), max_size=4),
    max_leaves=6,
)
anything = st.recursive(
    st.one_of(scalars, domains),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(st.one_of(paths, st.text(max_size=3)), inner, max_size=3),
    ),
    max_leaves=10,
)
commands = st.tuples(
    st.integers(0, 6), st.integers(0, 9), st.dictionaries(paths, scalars, max_size=2)
).map(list)
values = st.dictionaries(
    paths, st.one_of(scalars, st.lists(commands, max_size=2), anything), max_size=3
)
fitting = {
    "domain": domains,
    "names": st.lists(paths, max_size=3),
    "words": st.just(["type"]),
    "expressions": st.lists(paths, max_size=3),
    "number": st.integers(-1, 9),
    "order": paths,
    "text": st.one_of(paths, st.sampled_from(["x", "ilike", "_classic_read"])),
    "switch": st.booleans(),
    "values": st.one_of(values, st.lists(values, max_size=2)),
    "rows": st.lists(st.lists(scalars, max_size=2), max_size=2),
}
contexts = st.one_of(
    st.just({}),
    st.dictionaries(
        st.one_of(
            st.sampled_from(sorted(KNOWN_CONTEXT)),
            names.map("default_{}".format),
            st.sampled_from(["active_model", "default_res_model", "show_email", "x"]),
        ),
        anything,
        max_size=3,
    ),
)


@st.composite
def calls(draw: Any) -> tuple[str, str, list[Any], dict[str, Any], dict[str, Any]]:
    """Return model, method, arguments by position and by name, and context: rather well formed."""
    model = draw(st.sampled_from([*FIELDS, "ir.cron", "x.unknown"]))
    shapes: dict[str, dict[str, str]] = {**HARMLESS, **WRITES}
    method = draw(st.sampled_from([*shapes, "onchange", "web_read", "export_data", "anything"]))
    named = {}
    for parameter, kind in shapes.get(method, {"x": "values", "fields": "names"}).items():
        if draw(st.integers(0, 3)):
            named[parameter] = draw(st.one_of(fitting[kind], fitting[kind], anything))
    ids = [[1, 2]] if method in ("read", "write", "onchange", "web_read", "export_data") else []
    more = draw(st.one_of(st.just([]), st.just([]), st.lists(anything, max_size=2)))
    return model, method, [*ids, *more], named, draw(contexts)


def attempt(odoo: Serverless, call: tuple[Any, ...]) -> list[Call]:
    """Make a call and return what was sent of it. Only errors of ours may come back."""
    model, method, args, kwargs, context = call
    with contextlib.suppress(OdooError):
        execute(odoo, model, method, args, kwargs, context)
    return [sent for sent in odoo.sent if not (sent.internal or sent.step)]


# What was sent -------------------------------------------------------------------------------

_REFERENCE = re.compile(r"\s*([a-z0-9_.]+)\s*,\s*\d+\s*")
_NAMING = frozenset({"res_model", "model", "res_field", "active_model"})


def named_in(call: Call) -> Iterator[str]:
    """Return every name of a model or field in a call; texts that are mere content are none."""
    yield call.model
    shapes = {**HARMLESS, **WRITES}.get(call.method, {})
    for parameter, value in call.arguments.items():
        yield from _named(shapes.get(parameter, "unknown"), value)
    yield from _named("unknown", call.positional)
    for key, value in call.context.items():
        yield from _words(key.removeprefix("default_"))
        if key.removeprefix("default_") in _NAMING:
            yield from (text.strip() for text in _texts(value))


def _named(kind: str, value: Any) -> Iterator[str]:
    if kind in ("names", "expressions", "order"):
        yield from _words(value)
    elif kind == "domain":
        yield from _domain(value)
    elif kind == "values":
        yield from _values(value)
    elif kind == "unknown":
        yield from _keys(value)


def _words(value: Any) -> Iterator[str]:
    """The names in paths and expressions of fields."""
    if isinstance(value, str):
        yield from re.split(r"\W+", value.lower())
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _words(item)


def _domain(value: Any) -> Iterator[str]:
    for leaf in value:
        if not isinstance(leaf, (list, tuple)):
            continue
        yield from _words(leaf[0])
        if leaf[1] in ("any", "not any"):
            yield from _domain(leaf[2])
        elif leaf[1] not in ("!=", "not in") and leaf[0].split(".")[-1] in _NAMING:
            yield from (item.strip() for item in _texts(leaf[2]))
        elif leaf[0].split(".")[-1] == "reference" and leaf[1] in ("=", "in"):
            yield from _references(leaf[2])


def _values(value: Any) -> Iterator[str]:
    """Keys, at any depth; and what names a model in a value."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from re.split(r"[./\s]+", key.lower())
            if key in _NAMING:
                yield from (text.strip() for text in _texts(item))
            elif key == "reference":
                yield from _references(item)
            if not isinstance(item, str):
                yield from _values(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _values(item)


def _keys(value: Any) -> Iterator[str]:
    """Every text that is one name, and every key."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from re.split(r"[./\s]+", key.lower())
            yield from _keys(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _keys(item)
    elif isinstance(value, str) and re.fullmatch(r"[\w.]+", value.strip()):
        yield value.strip().lower()
        yield from _words(value.strip())


def _texts(value: Any) -> list[str]:
    items = value if isinstance(value, (list, tuple)) else [value]
    return [item for item in items if isinstance(item, str)]


def _references(value: Any) -> Iterator[str]:
    for item in _texts(value):
        if match := _REFERENCE.fullmatch(item):
            yield match[1]


LEAF = [["parent_id.vat", "=", 1]]


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(call=calls())
@example(call=("res.partner", "search", [[["name", "=", "password"]]], {}, {}))
@example(call=("res.partner", "search", [LEAF], {}, {}))
@example(call=("res.partner", "name_search", [], {"operator": ["x"]}, {}))
@example(call=("res.partner", "search", [[]], {}, {"default_vat": "x"}))
@example(call=("crm.lead", "load", [], {"fields": ["name"]}, {}))
@example(call=("res.partner", "load", [], {"fields": True}, {}))
@example(call=("res.partner", "load", [], {"fields": ["name"], "data": True}, {}))
@example(call=("res.users", "load", [], {"fields": ["name", "message_ids/.id"], "data": [[1]]}, {}))
@example(
    call=(
        "res.partner",
        "formatted_read_group",
        [],
        {"groupby": ["name"], "having": [["color:max", "any", LEAF]]},
        {},
    )
)
def test_no_name_of_what_is_closed_is_sent(mode: str, call: tuple[Any, ...]) -> None:
    odoo = make(mode)
    # In full mode, fields that a model does not have are left to Odoo.
    closed = CLOSED - set(CLOSED_RELATIONS) if mode == "full" else CLOSED
    for sent in attempt(odoo, call):
        assert closed.isdisjoint(named_in(sent)), sent
    # The toolkit's own questions do not ask about closed models either.
    assert not {sent.model for sent in odoo.sent} & set(CLOSED_MODELS)


def test_the_check_of_what_was_sent_finds_names() -> None:
    """It would pass everything if it found nothing."""
    found = {
        "order": Call(model="res.partner", method="search", arguments={"order": "id, vat desc"}),
        "any": Call(
            model="res.partner",
            method="search",
            arguments={"domain": [["child_ids", "any", [["parent_id.password", "=", 1]]]]},
        ),
        "command": Call(
            model="res.partner",
            method="create",
            arguments={"vals_list": [{"child_ids": [[0, 0, {"vat": "x"}]]}]},
        ),
        "reference": Call(
            model="res.partner", method="write", arguments={"vals": {"reference": "ir.cron,1"}}
        ),
        "unknown": Call(model="res.partner", method="anything", positional=({"a": ["vat"]},)),
        "group": Call(
            model="res.partner", method="read_group", arguments={"fields": ["x:max(vat)"]}
        ),
    }
    assert [name for name, call in found.items() if CLOSED.isdisjoint(named_in(call))] == []


# Readonly: harmless methods, typed arguments -------------------------------------------------

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_EXPRESSION = re.compile(r"[A-Za-z_][\w.]*(:[a-z_]+(\(\w+\))?)?")
_ORDER = re.compile(rf"{_EXPRESSION.pattern}( (asc|desc))?( nulls (first|last))?", re.IGNORECASE)


def _plain(value: Any) -> bool:
    if isinstance(value, list):
        return type(value) is list and all(map(_plain, value))
    return value is None or type(value) in (str, int, float, bool)


def _is_domain(value: Any, grouped: bool = False) -> bool:
    path = _EXPRESSION if grouped else _PATH
    return isinstance(value, list) and all(
        item in ("&", "|", "!")
        if isinstance(item, str)
        else isinstance(item, list)
        and len(item) == 3
        and (item[0] in (0, 1) or path.fullmatch(item[0]) is not None)
        and isinstance(item[1], str)
        and (_is_domain(item[2]) if "any" in item[1] else _plain(item[2]))
        for item in value
    )


def _fits(kind: str, value: Any, parameter: str) -> bool:
    match kind:
        case "domain":
            return _is_domain(value, parameter == "having")
        case "names" | "words":
            return isinstance(value, list) and all(_IDENTIFIER.fullmatch(v) for v in value)
        case "expressions":
            return isinstance(value, list) and all(_EXPRESSION.fullmatch(v) for v in value)
        case "number":
            return value is None or (type(value) is int and value >= 0)
        case "order":
            return all(_ORDER.fullmatch(term.strip()) for term in value.split(","))
        case "switch":
            return isinstance(value, bool)
    return type(value) is str or (parameter == "load" and value is False)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(call=calls())
@example(call=("res.partner", "search", [[["name", "=", "x"]], 0, 5, "name desc"], {}, {}))
@example(call=("res.partner", "read", [[1]], {"fields": ["name"]}, {"lang": {"a": 1}}))
def test_readonly_sends_harmless_methods_with_typed_arguments(call: tuple[Any, ...]) -> None:
    for sent in attempt(make("readonly"), call):
        assert sent.method in HARMLESS, sent
        assert sent.positional == ()
        assert sent.ids is None or all(type(i) is int and i > 0 for i in sent.ids)
        for parameter, value in sent.arguments.items():
            kind = HARMLESS[sent.method][parameter]
            assert _fits(kind, value, parameter), (parameter, value)
        assert set(sent.context) <= KNOWN_CONTEXT
        for value in sent.context.values():
            assert _plain(value)


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(call=calls())
def test_restricted_sends_no_other_methods_than_creating_writing_and_loading(
    call: tuple[Any, ...],
) -> None:
    allowed = {"res.partner", "res.partner.category", "ir.attachment", "mail.message"}
    for sent in attempt(make("restricted"), call):
        assert sent.method in {*HARMLESS, *WRITES}, sent
        assert sent.method not in WRITES or sent.model in allowed, sent
