"""Full mode: what stays closed for what it is, and what operators' lists close there.

The attacks end before they reach the server: a call that would have been sent is one that passed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from odoo_toolkit import Odoo, create, execute, read, search_read, write
from tests.attacks.policies import Attack, Noting, Raw, connected, has_fields, passing, raw
from tests.live.conftest import admin, server
from tests.live.servers import Server

__all__ = ["admin", "raw", "server"]

CLOSED = "crm.lead"


@pytest.fixture(scope="module")
def full(server: Server) -> Iterator[Noting]:
    with connected(server, mode="full", dry=True) as odoo:
        yield odoo


@pytest.fixture(scope="module")
def listed(server: Server) -> Iterator[Noting]:
    with connected(server, mode="full", model_blocklist=CLOSED, dry=True) as odoo:
        yield odoo


def called(model: str, method: str, *arguments: Any, **named: Any) -> Attack:
    return lambda odoo: execute(odoo, model, method, arguments, named)


def in_context(model: str, method: str, *arguments: Any, context: dict[str, Any]) -> Attack:
    return lambda odoo: execute(odoo, model, method, arguments, context=context)


# Integers that name a model ------------------------------------------------------------------

#: model, field that names a model by id, other values
BY_ID: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("mail.activity", "res_model_id", {"res_id": 1, "summary": "x"}),
    ("mail.alias", "alias_model_id", {"alias_name": "x"}),
    ("mail.alias", "alias_parent_model_id", {"alias_name": "x"}),
    ("project.project", "alias_model_id", {"name": "x"}),
    ("project.project", "alias_parent_model_id", {"name": "x"}),
    ("calendar.event", "res_model_id", {"name": "x", "res_id": 1}),
    ("rating.rating", "res_model_id", {"res_id": 1}),
    ("rating.rating", "parent_res_model_id", {"res_id": 1}),
    ("sms.template", "model_id", {"name": "x"}),
    ("mail.template", "model_id", {"name": "x"}),
)


def by_id(odoo: Odoo, raw: Raw, closed: str) -> dict[str, Attack]:
    """Return writes that name a model by the id of its description, or as Odoo looks it up."""
    model_id = raw("ir.model", "search", [["model", "=", closed]])[0]
    label = raw.value("ir.model", model_id, "name")
    of_model = [["model", "=", "ir.model"], ["res_id", "=", model_id]]
    external_id = raw("ir.model.data", "search_read", of_model, ["complete_name"])[0][
        "complete_name"
    ]
    attacks: dict[str, Attack] = {}
    for model, field, others in BY_ID:
        if not has_fields(odoo, model, field):
            continue
        values = {**others, field: model_id}
        ways = {
            "create": called(model, "create", values),
            "create several": called(model, "create", [others, values]),
            "function": _created(model, values),
            "write": called(model, "write", [1], {field: model_id}),
            "text": called(model, "create", {**others, field: str(model_id)}),
            "object": _created(model, {**others, field: {"id": model_id, "name": "Contact"}}),
            "float": called(model, "create", {**others, field: float(model_id)}),
            "context": in_context(model, "create", others, context={f"default_{field}": model_id}),
            "load": called(model, "load", [f"{field}/.id"], [[str(model_id)]]),
            "load external id": called(model, "load", [f"{field}/id"], [[external_id]]),
            "load name": called(model, "load", [field], [[label]]),
            "web_save": called(model, "web_save", [], values, {}),
            "copy": called(model, "copy", [1], {field: model_id}),
        }
        attacks |= {f"{model}.{field}, {way}": attack for way, attack in ways.items()}
    nested = {"activity_ids": [[0, 0, {"res_model_id": model_id, "summary": "x"}]]}
    attacks["in a command"] = called("res.partner", "write", [1], nested)
    attacks["in two commands"] = called(
        "res.partner", "write", [1], {"child_ids": [[1, 2, nested]]}
    )
    return attacks


def _created(model: str, values: dict[str, Any]) -> Attack:
    return lambda odoo: create(odoo, model, values)


def test_an_integer_does_not_name_a_model_of_the_blocklist(raw: Raw, listed: Noting) -> None:
    assert passing(listed, by_id(listed, raw, CLOSED)) == []


@pytest.mark.parametrize("model", ["ir.cron", "ir.config_parameter"])
def test_an_integer_does_not_name_a_model_that_is_always_closed(
    raw: Raw, full: Noting, model: str
) -> None:
    assert passing(full, by_id(full, raw, model)) == []


def test_an_alias_makes_no_users_of_incoming_mails(raw: Raw, full: Noting) -> None:
    """Users are read, but nothing that writes them may be set up."""
    attacks = by_id(full, raw, "res.users")
    of_alias = {name: attack for name, attack in attacks.items() if ".alias_model_id" in name}
    assert passing(full, of_alias) == []


def test_an_integer_names_an_open_model(raw: Raw, full: Noting, listed: Noting) -> None:
    """So that what is refused is refused for the model, not for the field."""
    opened = raw("ir.model", "search", [["model", "=", "res.partner"]])[0]
    attack = called("mail.activity", "create", {"res_model_id": opened, "res_id": 1})
    assert passing(full, {"open": attack}) == ["open"]
    assert passing(listed, {"open": attack}) == ["open"]


# Settings ------------------------------------------------------------------------------------

SETTINGS: dict[str, Attack] = {
    "set_param": called("ir.config_parameter", "set_param", "web.base.url", "http://x"),
    "get_param": called("ir.config_parameter", "get_param", "database.secret"),
    "create": called("ir.config_parameter", "create", {"key": "x", "value": "y"}),
    "read": lambda o: search_read(o, "ir.config_parameter", [], ["value"]),
    "profiling": called("base.enable.profiling.wizard", "create", {"duration": "days_1"}),
    "profiling submitted": called("base.enable.profiling.wizard", "submit", [1]),
    "probabilities": called("crm.lead.pls.update", "create", {"pls_start_date": "2020-01-01"}),
    "probabilities submitted": called(
        "crm.lead.pls.update", "action_update_crm_lead_probabilities", [1]
    ),
    "settings": called("res.config.settings", "create", {}),
    "settings applied": called("res.config.settings", "execute", [1]),
}

# Rights --------------------------------------------------------------------------------------

NEW_USER = {"name": "x", "login": "attack@example.org"}
RIGHTS: dict[str, Attack] = {
    "user": called("res.users", "create", NEW_USER),
    "user by function": lambda o: create(o, "res.users", NEW_USER),
    "user changed": lambda o: write(o, "res.users", [2], {"login": "x"}),
    "user copied": called("res.users", "copy", [2]),
    "user by name": called("res.users", "name_create", "attack@example.org"),
    "users loaded": called("res.users", "load", ["name", "login"], [["x", "y"]]),
    "user by web_save": called("res.users", "web_save", [2], {"login": "x"}, {}),
    "password mail": called("res.users", "action_reset_password", [2]),
    "signup": called("res.users", "signup", {"login": "x"}, None),
    "own password": called("res.users", "change_password", "admin", "x"),
    "group": called("res.groups", "write", [1], {"name": "x"}),
    "group made": called("res.groups", "create", {"name": "x"}),
    "access": called("ir.model.access", "create", {"name": "x"}),
    "access read": called("ir.model.access", "search_read", [], ["name"]),
    "rule": called("ir.rule", "write", [1], {"active": False}),
    "rule unlinked": called("ir.rule", "unlink", [1]),
    "access of Odoo 20": called("ir.access", "search_read", [], ["name"]),
    "access of Odoo 20 made": called("ir.access", "create", {"name": "x"}),
    "employee's users": called("hr.employee", "action_create_users", [1]),
    "employee's user": called("hr.employee", "action_create_user", [1]),
    "employee's users confirmed": called("hr.employee", "action_create_users_confirmation", [1]),
    "portal or public user": called("portal.wizard.user", "action_grant_access", [1]),
    "portal wizard": called("portal.wizard", "create", {}),
    "signup token": called("res.partner", "signup_prepare", [1]),
    "signup link": called("res.partner", "signup_get_auth_param", [1]),
    "signup cancelled": called("res.partner", "signup_cancel", [1]),
    "signup of a token": called("res.partner", "signup_retrieve_info", "x"),
    "user by a partner": called("res.partner", "write", [1], {"user_ids": [[0, 0, NEW_USER]]}),
    "user of a company": called("res.company", "write", [1], {"user_ids": [[4, 2]]}),
    "external id of a group": called(
        "ir.model.data", "create", {"module": "base", "name": "x", "model": "res.groups"}
    ),
    "external id by load": called("res.partner", "load", ["id", "name"], [["base.group_x", "x"]]),
    "key": called("res.users.apikeys", "generate", "x"),
    "key by its wizard": called("res.users.apikeys.description", "create", {"name": "x"}),
}

# Links that open documents -------------------------------------------------------------------

LINKS: dict[str, Attack] = {
    "order": called("sale.order", "get_portal_url", [1]),
    "invoice": called("account.move", "get_portal_url", [1]),
    "mixed case": called("sale.order", "Get_Portal_Url", [1]),
    "order's preview": called("sale.order", "action_preview_sale_order", [1]),
    "order's preview to 17": called("sale.order", "preview_sale_order", [1]),
    "invoice's preview": called("account.move", "preview_invoice", [1]),
    "share": called("portal.share", "create", {"res_model": "sale.order", "res_id": 1}),
    "share by function": lambda o: create(
        o, "portal.share", {"res_model": "sale.order", "res_id": 1}
    ),
    "share's defaults": in_context(
        "portal.share",
        "default_get",
        ["share_link"],
        context={"active_model": "sale.order", "active_id": 1},
    ),
    "share's onchange": in_context(
        "portal.share",
        "onchange",
        [],
        {"res_model": "sale.order", "res_id": 1},
        ["res_id"],
        {"share_link": "1"},
        context={},
    ),
    "share read": lambda o: read(o, "portal.share", [1], ["share_link"]),
    "shared project": called("project.share.wizard", "create", {"res_model": "project.project"}),
    "payment": called("payment.link.wizard", "create", {"res_model": "sale.order", "res_id": 1}),
    "payment's link": called("payment.link.wizard", "read", [1], ["link"]),
    "payment's defaults": called("payment.link.wizard", "default_get", ["link"]),
}


@pytest.mark.parametrize(
    "attacks", [SETTINGS, RIGHTS, LINKS], ids=["settings", "rights", "links that open documents"]
)
def test_what_is_closed_for_what_it_is_stays_closed(
    full: Noting, attacks: dict[str, Attack]
) -> None:
    assert passing(full, attacks) == []


# Names of methods ----------------------------------------------------------------------------


@pytest.mark.parametrize("listed", ["doExport", "doexport", "DOEXPORT", " doExport ,other"])
def test_a_blocked_method_is_blocked_in_any_case(server: Server, listed: str) -> None:
    names = ["doExport", "doexport", "DoExport", "DOEXPORT"]
    with connected(server, mode="full", method_blocklist=listed, dry=True) as odoo:
        attacks = {name: called("res.partner", name, [1]) for name in names}
        assert passing(odoo, attacks) == []
        assert passing(odoo, {"other": called("res.partner", "doImport", [1])}) == ["other"]


@pytest.mark.every_version
@pytest.mark.parametrize("dry_run", [True, False])
def test_load_tells_of_existing_records_that_it_changes(
    admin: Odoo, raw: Raw, suffix: str, dry_run: bool
) -> None:
    """Odoo changes whatever record has the external id of a row, and says nothing of it."""
    with raw.record("res.partner", {"name": f"Foreign {suffix}"}) as foreign:
        named = {"module": "__import__", "name": suffix, "model": "res.partner"}
        raw("ir.model.data", "create", {**named, "res_id": foreign})
        rows = [[f"__import__.{suffix}", "Mine"], [f"__import__.new_{suffix}", f"New {suffix}"]]
        asked = [["id", "name"], rows]
        result = execute(admin, "res.partner", "load", asked, dry_run=dry_run)
        (warning,) = result.warnings
        assert f"__import__.{suffix} (res.partner {foreign})" in warning
        assert f"new_{suffix}" not in warning
        raw.clean("res.partner", [["name", "=", f"New {suffix}"]])
