"""Direct namings of what is closed, wherever a call can name a model or a field.

None of them leaves the process: neither the call, nor a question to the server that names it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from odoo_toolkit import (
    Domain,
    Policy,
    count,
    create,
    default_get,
    execute,
    name_get,
    read,
    search_read,
    write,
)
from odoo_toolkit.chatter.activities import get_activities
from odoo_toolkit.chatter.attachments import list_attachments
from odoo_toolkit.chatter.messages import get_messages
from odoo_toolkit.deep_search import deep_search
from odoo_toolkit.policy.tables import BLOCKED_FIELD_SUFFIXES, BLOCKED_FIELDS, BLOCKED_MODELS
from odoo_toolkit.records.names import name_search
from tests.attacks.policies import Attack, calling, passing
from tests.attacks.serverless import FIELDS, Serverless

PARTNER = "res.partner"
LISTED_FIELDS, LISTED_MODEL = ("vat", "credit_limit"), "crm.lead"
CLOSED_FIELDS = (
    *sorted(BLOCKED_FIELDS),
    *(f"x{suffix}" for suffix in BLOCKED_FIELD_SUFFIXES),
    *LISTED_FIELDS,
)
CLOSED_MODELS = (*(name.replace("*", ".x") for name in BLOCKED_MODELS), LISTED_MODEL)

WRITABLE = ",".join(sorted({*FIELDS} - {LISTED_MODEL, "res.users", "ir.model"}))
POLICIES = {
    mode: Policy(
        mode=mode,
        write_allowlist=WRITABLE,
        field_blocklist=LISTED_FIELDS,
        model_blocklist=LISTED_MODEL,
    )
    for mode in ("readonly", "restricted", "full")
}


def in_modes(names: Sequence[str]) -> Iterator[Any]:
    """Return each name in full mode, which refuses least, and some in others.

    What is closed is told by a list, whatever the mode: `make attack` tries all in all.
    """
    for number, name in enumerate(names):
        for mode in POLICIES:
            here = mode == "full" or number % 8 == 0
            yield pytest.param(mode, name, marks=() if here else pytest.mark.attack)


def called(model: str, method: str, *arguments: Any, **named: Any) -> Attack:
    return lambda odoo: execute(odoo, model, method, arguments, named)


def in_context(context: dict[str, Any]) -> dict[str, Attack]:
    """Return calls with a context."""
    return {
        "create": lambda o: create(o, PARTNER, {"name": "x"}, context=context),
        "search_read": lambda o: search_read(o, PARTNER, [], ["name"], context=context),
        "execute": lambda o: execute(o, PARTNER, "search", [[]], context=context),
        "kwargs": lambda o: execute(o, PARTNER, "read", [[1], ["name"]], {"context": context}),
    }


def conditions(leaves: dict[str, list[Any]], model: str = PARTNER) -> Iterator[tuple[str, Attack]]:
    """Return every call that takes a domain, with each of the conditions; named."""
    for name, leaf in leaves.items():
        domains = {
            "alone": [leaf],
            "tuple": (tuple(leaf),),
            "after": ["|", ["id", "=", 1], "!", leaf],
            "last": [["id", ">", 0], ["id", "!=", 0], leaf],
        }
        for form, domain in domains.items():
            yield f"search, {name}, {form}", called(model, "search", domain)
        domain = [leaf]
        ways: dict[str, Attack] = {
            "search_read": calling(search_read, model, domain, ["id"]),
            "count": calling(count, model, domain),
            "named": called(model, "search_count", domain=domain),
            "args": called(model, "search", args=domain),
            "execute search_read": called(model, "search_read", domain, ["id"]),
            "name_search": called(model, "name_search", "x", domain),
            "name_search named": called(model, "name_search", name="x", args=domain),
            "read_group": called(model, "read_group", domain, ["id"], ["id"]),
            "groups": called(model, "formatted_read_group", domain, ["id"], ["__count"]),
            "names": calling(name_search, model, "x", domain=domain),
        }
        for way, attack in ways.items():
            yield f"{way}, {name}", attack


def field_namings(field: str) -> Iterator[tuple[str, Attack]]:
    """Return every way to name a field of a contact."""
    leaves: dict[str, list[Any]] = {
        "plain": [field, "=", "x"],
        "pattern": [field, "=like", "a%"],
        "list": [field, "in", ["x"]],
        "negated": [field, "not ilike", "x"],
        "compared": [field, ">", "x"],
        "dotted": [f"parent_id.{field}", "=", "x"],
        "two steps": [f"child_ids.parent_id.{field}", "ilike", "x"],
        "any": ["parent_id", "any", [[field, "=", "x"]]],
        "not any": ["child_ids", "not any", [[field, "=", "x"]]],
        "any in any": ["child_ids", "any", [["parent_id", "any", [[field, "=", "x"]]]]],
        "dotted any": ["parent_id.child_ids", "any", ["|", ["id", "=", 1], [field, "=", "x"]]],
        "upper case": [field.upper(), "=", "x"],
        "blanks": [f" {field} ", "=", "x"],
    }
    yield from conditions(leaves)
    yield from conditions({"file": ["res_field", "=", field]}, "ir.attachment")
    for name in (field, field.upper(), f"{field} "):
        yield f"fields {name!r}", called(PARTNER, "read", [1], ["name", name])
    yield "search_read", lambda o: search_read(o, PARTNER, [], [field])
    yield "read", lambda o: read(o, PARTNER, [1], [field])
    yield "default_get", lambda o: default_get(o, PARTNER, [field])
    yield "deep_search", lambda o: deep_search(o, "x", PARTNER, fields=[field])
    yield "Domain", calling(search_read, PARTNER, Domain([(field, "=", "x")]), ["id"])
    yield "order", lambda o: search_read(o, PARTNER, [], ["id"], order=f"id, {field} desc")
    yield "fields_get", called(PARTNER, "fields_get", ["name", field])
    yield "fields_get named", called(PARTNER, "fields_get", allfields=[field])
    yield "execute default_get", called(PARTNER, "default_get", [field])
    yield "fields_list", called(PARTNER, "default_get", fields_list=[field])
    yield "execute order", called(PARTNER, "search", [], order=f"{field} asc nulls first")
    yield "order of a relation", called(PARTNER, "search", [], order=f"parent_id.{field}")
    for name, group in {
        "plain": field,
        "part": f"{field}:month",
        "dotted": f"parent_id.{field}",
    }.items():
        yield f"group {name}", called(PARTNER, "read_group", [], ["id"], [group])
        yield f"groups {name}", called(PARTNER, "formatted_read_group", [], [group], ["__count"])
        yield f"group {name}, text", called(PARTNER, "read_group", [], ["id"], group)
        yield f"orderby {name}", called(PARTNER, "read_group", [], ["id"], ["name"], orderby=group)
    for name, aggregate in {
        "plain": field,
        "function": f"{field}:max",
        "named": f"x:array_agg({field})",
    }.items():
        yield f"aggregate {name}", called(PARTNER, "read_group", [], [aggregate], ["name"])
        yield (
            f"aggregates {name}",
            called(PARTNER, "formatted_read_group", [], ["name"], [aggregate]),
        )
    having = [[f"{field}:max", ">", "a"]]
    yield "having", called(PARTNER, "formatted_read_group", [], ["name"], ["__count"], having)
    valued: dict[str, dict[str, Any]] = {
        "value": {field: "x"},
        "command": {"child_ids": [[0, 0, {field: "x"}]]},
        "update": {"child_ids": [[1, 2, {field: "x"}]]},
        "two commands": {"child_ids": [[1, 2, {"child_ids": [(0, 0, {field: "x"})]}]]},
        "many2many": {"category_id": [[0, 0, {field: "x"}]]},
    }
    for name, values in valued.items():
        yield f"create {name}", calling(create, PARTNER, {"name": "x", **values})
        yield f"write {name}", calling(write, PARTNER, [1], values)
        yield f"execute create {name}", called(PARTNER, "create", [{"name": "x"}, values])
        yield f"execute write {name}", called(PARTNER, "write", [1], values)
        yield f"copy {name}", called(PARTNER, "copy", [1], values)
        yield f"web_save {name}", called(PARTNER, "web_save", [1], values, {})
    yield "load", called(PARTNER, "load", ["name", field], [["x", "y"]])
    yield "load of children", called(PARTNER, "load", ["name", f"child_ids/{field}"], [["x", "y"]])
    yield "export_data", called(PARTNER, "export_data", [1], [f"parent_id/{field}"])
    yield "web_read", called(PARTNER, "web_read", [1], {field: {}})
    yield (
        "web_read nested",
        called(PARTNER, "web_read", [1], {"parent_id": {"fields": {field: {}}}}),
    )
    yield "onchange", called(PARTNER, "onchange", [], {field: "x"}, [], {})
    yield "mapped", called(PARTNER, "mapped", [1], f"parent_id.{field}")
    file = {"name": "x", "res_model": PARTNER, "res_id": 1, "res_field": field}
    yield "file", called("ir.attachment", "create", [file])
    for way, attack in in_context({f"default_{field}": "x"}).items():
        yield f"context, {way}", attack


def model_namings(model: str) -> Iterator[tuple[str, Attack]]:
    """Return every way to name a model: itself, by a relation to it, or in a value."""
    leaves: dict[str, list[Any]] = {
        "id": ["secret_id", "=", 1],
        "text": ["secret_id", "ilike", "x"],
        "set": ["secret_id", "!=", False],
        "dotted": ["secret_id.name", "=", "x"],
        "its id": ["secret_id.id", "=", 1],
        "lines": ["secret_ids.name", "=", "x"],
        "two steps": ["parent_id.secret_ids.create_date", "!=", False],
        "any": ["secret_ids", "any", [["id", ">", 0]]],
        "in any": ["parent_id", "any", [["secret_id", "=", 1]]],
        "child_of": ["secret_id", "child_of", 1],
        "reference": ["reference", "=", f"{model},1"],
        "references": ["reference", "in", [f"{model},1", "res.partner,1"]],
    }
    yield from conditions(leaves)
    for owner, field in (("ir.attachment", "res_model"), ("mail.message", "model")):
        owned: dict[str, list[Any]] = {
            "equal": [field, "=", model],
            "one of": [field, "in", ["res.partner", model]],
            "pattern": [field, "=ilike", model],
        }
        yield from conditions({f"{owner} {name}": leaf for name, leaf in owned.items()}, owner)
    methods: dict[str, list[Any]] = {
        "search": [[]],
        "search_read": [[], ["id"]],
        "read": [[1], ["id"]],
        "search_count": [[]],
        "name_search": ["x"],
        "fields_get": [],
        "default_get": [["id"]],
        "read_group": [[], ["id"], ["id"]],
        "create": [{}],
        "write": [[1], {}],
        "unlink": [[1]],
        "load": [["name"], [["x"]]],
        "copy": [[1]],
        "anything": [[1]],
        "get_views": [[[False, "form"]]],
    }
    for method, arguments in methods.items():
        yield f"execute {method}", called(model, method, *arguments)
    functions: dict[str, Attack] = {
        "search_read": lambda o: search_read(o, model),
        "search_read of all": lambda o: search_read(o, model, [], ["*"]),
        "read": lambda o: read(o, model, [1]),
        "count": lambda o: count(o, model),
        "create": lambda o: create(o, model, {"name": "x"}),
        "write": lambda o: write(o, model, [1], {"name": "x"}),
        "name_get": lambda o: name_get(o, model, [1]),
        "default_get": lambda o: default_get(o, model),
        "name_search": lambda o: name_search(o, model, "x"),
        "deep_search": lambda o: deep_search(o, "x", model),
        "messages": lambda o: get_messages(o, model, 1),
        "activities": lambda o: get_activities(o, model, 1),
        "attachments": lambda o: list_attachments(o, model, 1),
        "field": lambda o: read(o, PARTNER, [1], ["secret_id"]),
        "lines": lambda o: search_read(o, PARTNER, [], ["secret_ids"]),
        "order": lambda o: search_read(o, PARTNER, [], ["id"], order="secret_id"),
    }
    yield from functions.items()
    yield "fields", called(PARTNER, "read", [1], ["secret_id"])
    yield "default", called(PARTNER, "default_get", ["secret_id"])
    yield "allfields", called(PARTNER, "fields_get", ["secret_ids"])
    yield "execute order", called(PARTNER, "search", [], order="name, secret_id desc")
    yield "order of a relation", called(PARTNER, "search", [], order="secret_id.name")
    for name, group in {"plain": "secret_id", "dotted": "parent_id.secret_id"}.items():
        yield f"group {name}", called(PARTNER, "read_group", [], ["id"], [group])
        yield f"groups {name}", called(PARTNER, "formatted_read_group", [], [group], ["__count"])
    yield "aggregate", called(PARTNER, "read_group", [], ["secret_id:count_distinct"], ["name"])
    having = [["secret_id:count", ">", 1]]
    yield "having", called(PARTNER, "formatted_read_group", [], ["name"], ["__count"], having)
    valued: dict[str, dict[str, Any]] = {
        "id": {"secret_id": 1},
        "line": {"secret_ids": [[0, 0, {"name": "x"}]]},
        "link": {"secret_ids": [[4, 1]]},
        "in a command": {"child_ids": [[1, 2, {"secret_id": 1}]]},
        "reference": {"reference": f"{model},1"},
    }
    for name, values in valued.items():
        yield f"create {name}", calling(create, PARTNER, {"name": "x", **values})
        yield f"write {name}", called(PARTNER, "write", [1], values)
        yield f"several {name}", called(PARTNER, "create", [{"name": "x"}, values])
    yield "file", called("ir.attachment", "create", [{"name": "x", "res_model": model}])
    yield "file moved", called("ir.attachment", "write", [1], {"res_model": model})
    yield "activity", called("mail.activity", "create", [{"summary": "x", "res_model": model}])
    yield "load", called(PARTNER, "load", ["name", "secret_id/.id"], [["x", "1"]])
    yield "load of lines", called(PARTNER, "load", ["name", "secret_ids/name"], [["x", "y"]])
    yield "web_read", called(PARTNER, "web_read", [1], {"secret_id": {"fields": {"name": {}}}})
    yield "export_data", called(PARTNER, "export_data", [1], ["secret_id/name"])
    yield "argument", called(PARTNER, "anything", [1], {"model": model})
    for key in ("active_model", "default_res_model", "default_model"):
        for way, attack in in_context({key: model}).items():
            yield f"{key}, {way}", attack
    for way, attack in in_context({"default_secret_id": 1}).items():
        yield f"default, {way}", attack


@pytest.mark.parametrize(("mode", "field"), [*in_modes(CLOSED_FIELDS)])
def test_no_call_names_a_closed_field(mode: str, field: str) -> None:
    odoo = Serverless(POLICIES[mode], fields={field: "char"})
    attacks = dict(field_namings(field))
    assert len(attacks) > 200
    assert passing(odoo, attacks) == []


@pytest.mark.parametrize(("mode", "model"), [*in_modes(CLOSED_MODELS)])
def test_no_call_names_a_closed_model(mode: str, model: str) -> None:
    secret = {"secret_id": f"many2one {model}", "secret_ids": f"one2many {model}"}
    odoo = Serverless(POLICIES[mode], fields=secret)
    attacks = dict(model_namings(model))
    assert len(attacks) > 200
    passed = []
    for name, attack in attacks.items():
        passed += passing(odoo, {name: attack})
        passed += [f"asked: {name}" for call in odoo.sent if call.model == model]
    assert passed == []


def test_the_same_ways_pass_where_nothing_is_closed() -> None:
    """Else the attacks would be refused for another reason than what they name."""
    odoo = Serverless(fields={"plain": "char"})
    ways = dict(field_namings("plain"))
    refused = set(ways) - set(passing(odoo, ways))
    # Upper case and blanks name no field, categories have none of this name, and a file behind a
    # field is written by writing the field.
    otherwise = ("upper case", "blanks", "plain '", "many2many", "file")
    assert [name for name in refused if not any(word in name for word in otherwise)] == []


@pytest.mark.parametrize("mode", POLICIES)
def test_what_a_relation_is_called_is_searched_by_names_alone(mode: str) -> None:
    """Odoo's own search by ``display_name`` may look at what is closed."""
    odoo = Serverless(POLICIES[mode], fields={"display_name": "char"})
    count(odoo, PARTNER, [["parent_id.display_name", "ilike", "x"]])
    assert odoo.sent[-1].arguments["domain"] == [["parent_id.name", "ilike", "x"]]
