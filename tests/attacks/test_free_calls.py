"""Outside full mode, a call that a caller shaped passes only where it is known to be harmless."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import Policy, execute
from odoo_toolkit.call import Call
from odoo_toolkit.errors import AccessError
from tests.attacks.policies import Attack, calling, passing, refused
from tests.attacks.serverless import Serverless

PARTNER = "res.partner"
READONLY = Policy(mode="readonly")
RESTRICTED = Policy(mode="restricted", write_allowlist=PARTNER)


def called(method: str, *arguments: Any, **named: Any) -> Attack:
    return lambda odoo: execute(odoo, PARTNER, method, arguments, named)


# Methods -------------------------------------------------------------------------------------

HARMLESS: dict[str, Attack] = {
    "search": called("search", [["name", "=", "x"]], 0, 5, "name desc"),
    "search_read": called("search_read", [], ["name"], 0, 5, "name"),
    "read": called("read", [1, 2], ["name"]),
    "search_count": called("search_count", [["name", "=", "x"]]),
    "fields_get": called("fields_get", ["name"], ["type"]),
    "name_search": called("name_search", "x", [["active", "=", True]], "ilike", 5),
    "read_group": called("read_group", [], ["color:sum"], ["country_id", "date:month"]),
    "formatted_read_group": called(
        "formatted_read_group", [], ["country_id"], ["color:sum", "__count"]
    ),
    "default_get": called("default_get", ["name"]),
}

#: What reads by its name, and what it does besides.
CLEVER = (
    *("onchange", "export_data", "web_read", "web_search_read", "load_views", "get_views"),
    *("get_view", "fields_view_get", "name_create", "copy", "get_metadata", "name_get"),
    *("get_external_id", "exists", "context_get", "has_access", "check_access_rights"),
    *("web_read_group", "web_save", "read_progress_bar", "search_panel_select_range"),
    *("search_panel_select_multi_range", "copy_data", "copy_translations", "mapped", "filtered"),
    *("filtered_domain", "sorted", "browse", "search_fetch", "fetch", "read_combined"),
    *("get_formview_action", "get_formview_id", "get_access_action", "get_portal_url"),
    *("message_format", "message_get_suggested_recipients", "message_post", "message_subscribe"),
    *("activity_schedule", "toggle_active", "action_archive", "unlink", "update", "flush"),
    *("modified", "recompute", "translate_fields", "get_field_translations", "sudo"),
    *("get_import_templates", "get_empty_list_help", "view_header_get", "user_has_groups"),
    *("with_context", "env", "ids", "read_anything", "get_anything", "search_anything"),
    *("Read", "SEARCH", "search_Read", "_search", "_read", "__class__", "name_searchx"),
)


@pytest.mark.parametrize("policy", [READONLY, RESTRICTED], ids=["readonly", "restricted"])
@pytest.mark.parametrize("method", CLEVER)
def test_no_other_method_passes(policy: Policy, method: str) -> None:
    odoo = Serverless(policy)
    attacks: dict[str, Attack] = {
        "bare": called(method),
        "ids": called(method, [1]),
        "more": called(method, [1], {"name": "x"}, ["name"], {"name": "1"}),
        "named": called(method, values={"name": "x"}, fields=["name"], domain=[]),
        "no arguments": lambda o: o.call(Call(model=PARTNER, method=method)),
        "said to read": lambda o: o.call(Call(model=PARTNER, method=method, access="read")),
        "acting on": lambda o: o.call(Call(model=PARTNER, method=method, acts_on=PARTNER)),
    }
    assert passing(odoo, attacks) == []
    assert odoo.sent == []


@pytest.mark.parametrize("method", ["create", "write", "load"])
def test_readonly_writes_nothing(method: str) -> None:
    odoo = Serverless(READONLY)
    attacks = {
        "values": called(method, {"name": "x"}),
        "ids": called(method, [1], {"name": "x"}),
        "rows": called(method, ["name"], [["x"]]),
    }
    assert passing(odoo, attacks) == []
    assert odoo.sent == []
    with pytest.raises(AccessError) as caught:
        attacks["values"](odoo)
    assert caught.value.code == "MODE_VIOLATION"


@pytest.mark.parametrize("policy", [READONLY, RESTRICTED], ids=["readonly", "restricted"])
@pytest.mark.parametrize("method", HARMLESS)
def test_harmless_methods_pass(policy: Policy, method: str) -> None:
    odoo = Serverless(policy)
    HARMLESS[method](odoo)
    assert odoo.sent[-1].method == method


# Shapes --------------------------------------------------------------------------------------

#: Arguments of one kind -> values that are none.
ILL_TYPED: dict[str, tuple[Any, ...]] = {
    "domain": (
        *("[]", "[('name', '=', 'x')]", {"name": "x"}, 5, True, [["name", "="]], [5], [None]),
        *([["name", "=", {"a": 1}]], [["name", "in", {"a": 1}]], [[5, "=", 1]], [["name", 5, 1]]),
        *(["name", "=", "x"], [["name", "inselect", ["select 1", []]]], ["&"], ["x"]),
        *([["name", "=", [[1]]]], [["parent_id", "any", "[]"]], [["name", "any", []]]),
        *([[["name", "=", "x"], ["name", "=", "y"]]], [["name", "=", "x", "y"]], [{}], [[]]),
    ),
    "fields": (
        *("name", {"name": 1}, 5, True, [5], [["name"]], [None], [{"a": 1}], ["name.x"]),
        *(["parent_id.name"], ["name "], [" name"], ["name\n"], ["na me"], ["*"], [""], ["nö"]),
        *(["name:max(id)"], ["no_such_field"], ["name,email"], ["__class__"], ["_name"]),
    ),
    "limit": ("5", True, -1, 1.5, [5], {"a": 1}, 2**80, "1; drop table"),
    "offset": ("5", True, -1, 1.5, [5], {"a": 1}, 2**80),
    "order": (
        *(5, ["name"], {"name": "asc"}, True, "name up", "name; drop table x", "name asc asc"),
        *("name nulls", "no_such_field", "lower(name)", "name,", ",", "(select 1)", "name -- x"),
        *("parent_id:name", "name desc nulls last nulls first", "id desc; id", "name\x00"),
    ),
    "ids": (
        *("1", ["1"], [1.0], [True], [None], [[1]], [{"id": 1}], [-1], [0], [2**80], {"a": 1}),
        *(1.5, [1, "2"], "all"),
    ),
    "name": (5, ["x"], {"a": 1}, True),
    "operator": (5, "inselect", "= 1 or", ["ilike"], "any", {"a": 1}, ""),
    "groupby": (
        *(5, [5], {"name": 1}, ["name:"], ["date:fortnight"], ["date:month:year"], ["lower(name)"]),
        *(["no_such_field"], [["name"]], ["name)"], ["date:month; x"], [""]),
    ),
    "aggregates": (
        *(5, [5], {"name": 1}, ["color:evil"], ["x:sum(color) from y"], ["color:sum:max"]),
        *(["sum(color)"], ["no_such:sum"], ["x:sum(no_such)"], [["color:sum"]], [""]),
    ),
    "having": ("x", 5, {"a": 1}, [["color:evil", ">", 1]], [["color:sum", "any", []]], [5]),
    "attributes": (5, "type", [5], {"type": 1}, [["type"]]),
    "load": ("_evil", 5, ["_classic_read"], {"a": 1}),
    "lazy": ("true", 1, [True], {"a": 1}),
}

#: method -> parameter -> kind of argument
SHAPES: dict[str, dict[str, str]] = {
    "search": {"domain": "domain", "offset": "offset", "limit": "limit", "order": "order"},
    "search_read": {
        "domain": "domain",
        "fields": "fields",
        "offset": "offset",
        "limit": "limit",
        "order": "order",
    },
    "read": {"fields": "fields", "load": "load"},
    "search_count": {"domain": "domain", "limit": "limit"},
    "fields_get": {"allfields": "fields", "attributes": "attributes"},
    "name_search": {
        "name": "name",
        "domain": "domain",
        "operator": "operator",
        "limit": "limit",
    },
    "read_group": {
        "domain": "domain",
        "fields": "aggregates",
        "groupby": "groupby",
        "offset": "offset",
        "limit": "limit",
        "orderby": "order",
        "lazy": "lazy",
    },
    "formatted_read_group": {
        "domain": "domain",
        "groupby": "groupby",
        "aggregates": "aggregates",
        "having": "having",
        "offset": "offset",
        "limit": "limit",
        "order": "order",
    },
    "default_get": {"fields": "fields"},
}


@pytest.mark.parametrize("policy", [READONLY, RESTRICTED], ids=["readonly", "restricted"])
@pytest.mark.parametrize("method", SHAPES)
def test_arguments_of_other_types_are_refused(policy: Policy, method: str) -> None:
    odoo = Serverless(policy)
    ids = [[1]] if method == "read" else []
    attacks: dict[str, Attack] = {}
    for parameter, kind in SHAPES[method].items():
        for value in ILL_TYPED[kind]:
            attacks[f"{parameter}={value!r:.60}"] = calling(
                execute, PARTNER, method, ids, {parameter: value}
            )
    assert passing(odoo, attacks) == []


@pytest.mark.parametrize("policy", [READONLY, RESTRICTED], ids=["readonly", "restricted"])
def test_ids_of_other_types_are_refused(policy: Policy) -> None:
    # Some views of other tables have ids below zero; elsewhere Odoo finds nothing by them.
    others = [value for value in ILL_TYPED["ids"] if value not in ([0], [-1])]
    attacks = {repr(value): called("read", value, ["name"]) for value in others}
    assert passing(Serverless(policy), attacks) == []


@pytest.mark.parametrize("method", SHAPES)
def test_unknown_arguments_are_refused(method: str) -> None:
    ids = [[1]] if method == "read" else []
    attacks = {
        name: called(method, *ids, **{name: 1})
        for name in (
            "access_rights_uid",
            "count",
            "count_limit",
            "raise_exception",
            "env",
            "ids",
            "x",
        )
    }
    assert passing(Serverless(READONLY), attacks) == []


# What is sent --------------------------------------------------------------------------------


def _plain(value: Any) -> bool:
    """Whether a value is JSON and nothing more; a tuple of ids is sent as a list."""
    if isinstance(value, dict):
        return type(value) is dict and all(type(k) is str and _plain(v) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return type(value) in (list, tuple) and all(map(_plain, value))
    return value is None or type(value) in (str, int, float, bool)


@pytest.mark.parametrize("method", HARMLESS)
def test_what_is_sent_is_built_anew(method: str) -> None:
    """The caller keeps no hold of what was checked, and can change nothing before it is sent."""
    odoo = Serverless(READONLY)
    domain: list[Any] = [["name", "=", "x"]]
    fields: list[Any] = ["name"]
    parameters = SHAPES[method]
    named: dict[str, Any] = {p: domain for p, kind in parameters.items() if kind == "domain"}
    named |= {p: fields for p, kind in parameters.items() if kind in ("fields", "groupby")}
    execute(odoo, PARTNER, method, [[1]] if method == "read" else [], named)
    sent = odoo.sent[-1]
    assert sent.positional == ()
    assert set(sent.arguments) <= set(parameters)
    for argument in sent.arguments.values():
        assert _plain(argument)
        assert argument is not domain
        assert argument is not fields


def test_a_refusal_says_what_would_pass() -> None:
    error = refused(Serverless(READONLY), called("export_data", [1], ["name"]))
    assert error.code == "MODE_VIOLATION"
    assert error.details["method"] == "export_data"
    assert "readonly" in error.message
