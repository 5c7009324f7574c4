"""Restricted mode: what the write allowlist does not name is not written by any detour."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import attrs
import pytest

from odoo_toolkit import (
    AccessError,
    Odoo,
    ValidationError,
    create,
    execute,
    read,
    run_wizard,
    write,
)
from tests.attacks.policies import Attack, Noting, Raw, connected, needs, passing, raw, refused
from tests.live.conftest import admin, server, suffix
from tests.live.servers import Server

__all__ = ["admin", "raw", "server", "suffix"]

PARTNER = "res.partner"


@pytest.fixture(scope="module")
def restricted(server: Server) -> Iterator[Noting]:
    with connected(
        server,
        mode="restricted",
        write_allowlist=f"{PARTNER},crm.lead,sale.order",
        model_blocklist="res.partner.bank",
    ) as odoo:
        yield odoo


@attrs.frozen
class Things:
    """Records of a test: a contact that may be written, and what may not."""

    partner: int
    child: int
    category: int
    order: int
    line: int
    word: str


@pytest.fixture
def things(raw: Raw, suffix: str) -> Iterator[Things]:
    with ExitStack() as stack:

        def make(model: str, **values: Any) -> int:
            return stack.enter_context(raw.record(model, values))

        category = make("res.partner.category", name=f"Category {suffix}")
        partner = make(PARTNER, name=f"Contact {suffix}")
        child = make(PARTNER, name=f"Child {suffix}", parent_id=partner)
        product = make("product.product", name=f"Product {suffix}")
        lines = [[0, 0, {"product_id": product, "product_uom_qty": 1}]]
        order = make("sale.order", partner_id=partner, order_line=lines)
        line = raw.value("sale.order", order, "order_line")[0]
        yield Things(partner, child, category, order, line, suffix)


def nothing_changed(raw: Raw, things: Things) -> dict[str, Any]:
    """Return what no attack may change."""
    word = things.word
    return {
        "category": raw("res.partner.category", "read", [things.category], ["name"]),
        "categories": raw("res.partner.category", "search_count", [["name", "ilike", word]]),
        "users": raw("res.users", "search_count", [["login", "ilike", word]]),
        "line": raw("sale.order.line", "read", [things.line], ["name", "product_uom_qty"]),
        "lines": raw("sale.order.line", "search_count", [["order_id", "=", things.order]]),
        "names": raw("ir.model.data", "search_read", [["name", "ilike", word]], ["module", "name"]),
        "taken": raw(
            "ir.model.data",
            "search_count",
            [["model", "=", PARTNER], ["res_id", "in", [things.partner, things.child]]],
        ),
        "banks": raw("res.partner.bank", "search_count", [["acc_number", "ilike", word]]),
    }


def _made(things: Things) -> list[Any]:
    """Return the domain of the contacts that attacks have made."""
    return [["name", "ilike", things.word], ["id", "not in", [things.partner, things.child]]]


# load ----------------------------------------------------------------------------------------


def loads(things: Things) -> dict[str, tuple[list[str], list[list[str]]]]:
    """Return columns and rows that do more than make and change contacts."""
    name, word = f"x {things.word}", things.word
    here = str(things.partner)
    return {
        "another's external id": (["id", "name"], [[f"attack.own_{word}", name]]),
        "a planted external id": (["id", "name"], [[f"base.planted_{word}", name]]),
        "an id without a module": (["id", "name"], [[f"plain_{word}", name]]),
        "an id for an existing record": ([".id", "id"], [[here, f"base.taken_{word}"]]),
        "id with blanks": ([" id ", "name"], [[f"base.spaced_{word}", name]]),
        "ids of children": ([".id", "child_ids/id"], [[here, f"base.child_{word}"]]),
        "names of children with ids": (
            [".id", "child_ids/id", "child_ids/name"],
            [[here, f"base.named_{word}", name]],
        ),
        "ids of children in another form": ([".id", "child_ids.id"], [[here, f"base.dot_{word}"]]),
        "users by database id": ([".id", "user_ids/.id"], [[here, "2"]]),
        "users by external id": ([".id", "user_ids/id"], [[here, "base.user_admin"]]),
        "users by login": (["name", "user_ids/login"], [[name, word]]),
        "categories by a subfield": (["name", "category_id/name"], [[name, f"new {word}"]]),
        "a category renamed": (
            ["name", "category_id/.id", "category_id/name"],
            [[name, str(things.category), f"renamed {word}"]],
        ),
        "banks": (["name", "bank_ids/acc_number"], [[name, f"12{word}"]]),
        "external ids of categories": (
            ["name", "category_id/id", "category_id/name"],
            [[name, f"base.category_{word}", f"new {word}"]],
        ),
    }


def test_load_makes_no_external_ids_and_writes_no_other_model(
    restricted: Noting, raw: Raw, things: Things
) -> None:
    """An external id taken over makes the next update of a module write the attacker's record."""
    with raw.record(
        "ir.model.data",
        {
            "module": "attack",
            "name": f"own_{things.word}",
            "model": "res.partner.category",
            "res_id": things.category,
        },
    ):
        before = nothing_changed(raw, things)
        attacks = {way: _executed(PARTNER, "load", *given) for way, given in loads(things).items()}
        sent = passing(restricted, attacks)
        after = nothing_changed(raw, things)
        raw.clean("ir.model.data", [["name", "ilike", things.word]])
        raw.clean(PARTNER, _made(things))
    assert (sent, after) == ([], before)


def test_load_of_an_allowed_model_still_works(restricted: Noting, raw: Raw, suffix: str) -> None:
    rows = [[f"Loaded {suffix}", "Paris"], [f"Loaded too {suffix}", "Rome"]]
    result = execute(restricted, PARTNER, "load", [["name", "city"], rows]).result
    made = raw(PARTNER, "search_read", [["name", "ilike", suffix]], ["city"])
    for row in made:
        raw(PARTNER, "unlink", [row["id"]])
    assert sorted(row["city"] for row in made) == ["Paris", "Rome"]
    assert sorted(result["ids"]) == sorted(row["id"] for row in made)


# Commands, objects and references ------------------------------------------------------------


def writes(things: Things) -> dict[str, Attack]:
    """Return free writes on allowed models that reach others."""
    line, category, word = things.line, things.category, things.word
    new_user = {"name": word, "login": f"{word}-login"}
    values: dict[str, tuple[str, int, dict[str, Any]]] = {
        f"lines: {name}": ("sale.order", things.order, {"order_line": [command]})
        for name, command in {
            "new": [0, 0, {"name": "x", "product_uom_qty": 5}],
            "new with False": [False, False, {"name": "x"}],
            "changed": [1, line, {"product_uom_qty": 7}],
            "deleted": [2, line],
            "deleted with zero": [2, line, 0],
            "removed": [3, line],
            "put in": [4, line],
            "cleared": [5],
            "cleared in full": [5, 0, 0],
            "set": [6, 0, []],
            "by float": [1.0, line, {"product_uom_qty": 7}],
        }.items()
    }
    values |= {
        "lines as ids": ("sale.order", things.order, {"order_line": [line]}),
        "lines as one command": (
            "sale.order",
            things.order,
            {"order_line": [1, line, {"product_uom_qty": 9}]},
        ),
        "lines as an object": ("sale.order", things.order, {"order_line": {"name": "x"}}),
        "category: new": (PARTNER, things.partner, {"category_id": [[0, 0, {"name": word}]]}),
        "category: changed": (
            PARTNER,
            things.partner,
            {"category_id": [[1, category, {"name": f"{word} renamed"}]]},
        ),
        "category: deleted": (PARTNER, things.partner, {"category_id": [[2, category]]}),
        "user: new": (PARTNER, things.partner, {"user_ids": [[0, 0, new_user]]}),
        "user: taken": (PARTNER, things.partner, {"user_ids": [[4, 2]]}),
        "user: in a child": (
            PARTNER,
            things.partner,
            {"child_ids": [[1, things.child, {"user_ids": [[0, 0, new_user]]}]]},
        ),
        "bank": (PARTNER, things.partner, {"bank_ids": [[0, 0, {"acc_number": word}]]}),
        "many2one as an object": (
            PARTNER,
            things.child,
            {"parent_id": {"name": f"made {word}", "user_ids": [[0, 0, new_user]]}},
        ),
        "many2one as an empty object": (PARTNER, things.child, {"parent_id": {}}),
        "many2one as a command": (PARTNER, things.child, {"parent_id": [0, 0, {"name": word}]}),
        "many2one as commands": (PARTNER, things.child, {"parent_id": [[0, 0, {"name": word}]]}),
        "a scalar as an object": (PARTNER, things.partner, {"name": {"en_US": word}}),
        "a scalar as a list": (PARTNER, things.partner, {"comment": [word]}),
    }
    attacks: dict[str, Attack] = {}
    for name, (model, record_id, changed) in values.items():
        attacks[f"execute write, {name}"] = _executed(model, "write", [record_id], changed)
        attacks[f"write, {name}"] = _written(model, record_id, changed)
    for name, (model, _, changed) in values.items():
        if model == PARTNER and not name.startswith("category: deleted"):
            attacks[f"execute create, {name}"] = _executed(
                model, "create", {"name": f"x {word}", **changed}
            )
            attacks[f"execute create several, {name}"] = _executed(
                model, "create", [{"name": f"x {word}"}, {"name": f"x {word}", **changed}]
            )
    return attacks


def _executed(model: str, method: str, *arguments: Any) -> Attack:
    return lambda odoo: execute(odoo, model, method, arguments)


def _written(model: str, record_id: int, values: dict[str, Any]) -> Attack:
    return lambda odoo: write(odoo, model, [record_id], values)


def test_values_make_and_change_no_records_of_other_models(
    restricted: Noting, raw: Raw, things: Things
) -> None:
    before = nothing_changed(raw, things)
    passed = passing(restricted, writes(things))
    after = nothing_changed(raw, things)
    raw.clean(PARTNER, _made(things))
    assert (passed, after) == ([], before)


REFERENCES: dict[str, dict[str, Any]] = {
    "res_model of a closed model": {"model": "ir.attachment", "res_model": "res.partner.bank"},
    "res_model of a never written one": {"model": "ir.attachment", "res_model": "res.users"},
    "res_model that is always closed": {"model": "ir.attachment", "res_model": "ir.cron"},
    "with blanks": {"model": "ir.attachment", "res_model": " ir.cron "},
}


@pytest.mark.parametrize("case", REFERENCES)
def test_no_value_names_a_closed_model(server: Server, suffix: str, case: str) -> None:
    values = {"name": suffix, **REFERENCES[case]}
    model = values.pop("model")
    with connected(
        server,
        mode="restricted",
        write_allowlist="ir.attachment",
        model_blocklist="res.partner.bank,res.users",
    ) as odoo:
        refused(odoo, lambda o: execute(o, model, "create", [{**values, "res_id": 1}]))
        refused(odoo, lambda o: create(o, model, values))


def test_ordinary_values_pass(restricted: Noting, raw: Raw, things: Things) -> None:
    """Scalars, ids for relations, and links of a many2many, which touch no other record."""
    values = {
        "name": f"Renamed {things.word}",
        "color": 3,
        "comment": "ir.cron is a model",
        "category_id": [[6, 0, [things.category]]],
        "child_ids": [[1, things.child, {"name": f"Child renamed {things.word}"}]],
        "active": True,
        "country_id": False,
    }
    execute(restricted, PARTNER, "write", [[things.partner], values])
    write(restricted, PARTNER, [things.child], {"parent_id": None, "state_id": None})
    write(restricted, PARTNER, [things.child], {"parent_id": things.partner})
    shown = read(restricted, PARTNER, [things.partner], ["color", "category_id", "name"])
    assert shown.records[0]["category_id"] == [things.category]
    assert shown.records[0]["color"] == 3
    assert raw.value(PARTNER, things.child, "name") == f"Child renamed {things.word}"


# Properties ----------------------------------------------------------------------------------


@pytest.fixture
def lead(admin: Odoo, raw: Raw, suffix: str) -> Iterator[tuple[int, int]]:
    """A lead and its team, which defines a property."""
    needs(admin, "crm.lead", "lead_properties")
    own = [{"name": "colour", "type": "char", "string": "Colour"}]
    with (
        raw.record("crm.team", {"name": suffix, "lead_properties_definition": own}) as team,
        raw.record("crm.lead", {"name": suffix, "team_id": team}) as made,
    ):
        yield made, team


def definitions(name: str) -> dict[str, Any]:
    """Return values of a properties field that define, and do not only fill."""
    planted = {"name": name, "type": "char", "string": "Planted", "value": "x"}
    return {
        "list, changed": [{**planted, "definition_changed": True}],
        "list, deleted": [{"name": "colour", "type": "char", "definition_deleted": True}],
        "list": [planted],
        "empty list": [],
        "mapping of objects": {"colour": {"definition_changed": True, "string": "Planted"}},
        "mapping of commands": {"colour": [[0, 0, {"name": "x"}]]},
        "relation": [
            {
                "name": "user",
                "type": "many2one",
                "comodel": "res.users",
                "definition_changed": True,
            }
        ],
    }


def test_properties_are_filled_but_never_defined(
    restricted: Noting, raw: Raw, lead: tuple[int, int]
) -> None:
    made, team = lead
    before = raw.value("crm.team", team, "lead_properties_definition")
    attacks: dict[str, Attack] = {}
    for kind, value in definitions("planted").items():
        values = {"lead_properties": value}
        # An empty list empties the values, and defines nothing.
        if kind != "empty list":
            attacks[f"execute, {kind}"] = _executed("crm.lead", "write", [made], values)
        new = {"name": "x", "team_id": team, **values}
        attacks[f"create, {kind}"] = _executed("crm.lead", "create", new)
    passed = passing(restricted, attacks)
    for kind, value in definitions("planted").items():
        restricted.sent.clear()
        with suppress(AccessError, ValidationError):
            write(restricted, "crm.lead", [made], {"lead_properties": value})
        # It reads what there is first.
        if kind != "empty list" and any(not call.reads for call in restricted.sent):
            passed.append(f"write, {kind}")
    after = raw.value("crm.team", team, "lead_properties_definition")
    raw.clean("crm.lead", [["team_id", "=", team], ["id", "!=", made]])
    assert (passed, after) == ([], before)


def test_a_mapping_of_plain_values_fills_properties(
    restricted: Noting, raw: Raw, lead: tuple[int, int]
) -> None:
    filled = {"lead_properties": {"colour": "red"}}
    execute(restricted, "crm.lead", "write", [[lead[0]], filled])
    shown = raw.value("crm.lead", lead[0], "lead_properties")
    assert [row["value"] for row in shown if row["name"] == "colour"] == ["red"]


def test_a_wizard_lends_no_rights(restricted: Noting, things: Things) -> None:
    """Only the catalogue's questions and buttons, on records of the wizard's own model."""
    order, lead = ("sale.order", [things.order]), ("crm.lead", [1])

    def wizard(name: Any, source: tuple[str, list[int]] | None, **named: Any) -> Attack:
        model, ids = source or (None, [])
        return lambda odoo: run_wizard(odoo, name, model=model, ids=ids, **named)

    invoicing = "sale.advance.payment.inv"
    attacks = {
        "of another model": wizard("account.payment.register", order),
        "of other records": wizard(
            "account.payment.register",
            order,
            context={"active_model": "account.move", "active_ids": [1]},
        ),
        "without records": wizard(invoicing, None),
        "another method": wizard(invoicing, order, method="read_progress_bar"),
        "a method of the ORM": wizard(invoicing, order, method="unlink"),
        "an existing record": wizard({"res_model": PARTNER, "res_id": 1}, order, method="copy"),
        "records made on the way": wizard(
            invoicing, order, values={"product_id": [0, 0, {"name": "x"}]}
        ),
        "unknown": wizard("crm.lead.lost", lead, method="action_lost_reason_apply"),
        "merging": wizard("crm.lead2opportunity.partner", lead, values={"name": "merge"}),
        "setting": wizard("confirm.stock.sms", ("stock.picking", [1]), method="dont_send_sms"),
        "module": wizard("base.module.upgrade", order, method="upgrade_module"),
        "password": wizard("change.password.wizard", order, method="change_password_button"),
    }
    assert passing(restricted, attacks) == []
