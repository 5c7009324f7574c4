"""What is closed, reached by fields that lead to it: related and inherited ones, and searches."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from odoo_toolkit import Odoo, OdooError, Policy, count, create, execute, read, search_read, write
from odoo_toolkit.deep_search import deep_search
from odoo_toolkit.fields import Field, parse_fields
from odoo_toolkit.policy.reach import is_decided
from odoo_toolkit.policy.tables import BUSINESS_ACTIONS, HARMLESS_METHODS, JUDGED_METHODS
from odoo_toolkit.records.export import export
from tests.attacks.fuzz import method_names, models_of, passed
from tests.attacks.policies import (
    Attack,
    Raw,
    calling,
    connected,
    leaks,
    needs,
    passing,
    raw,
    readings,
)
from tests.live.conftest import admin, server, suffix
from tests.live.servers import Server

__all__ = ["admin", "raw", "server", "suffix"]

MODES = ("readonly", "full")

#: model, a field that is in truth another model's, and that model.
REACHED = (
    ("res.users", "email", "res.partner"),
    ("res.users", "email_formatted", "res.partner"),
    ("product.product", "description_sale", "product.template"),
    ("project.project", "alias_name", "mail.alias"),
    ("mail.mail", "subject", "mail.message"),
    ("account.payment", "ref", "account.move"),
    ("hr.employee", "private_street", "hr.version"),
    ("sale.order.line", "state", "sale.order"),
)


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


# Closed models ---------------------------------------------------------------------------------


def _is_related(odoo: Odoo, model: str, field: str) -> bool:
    found = odoo.schema.fields(model).get(field) if odoo.schema.has_model(model) else None
    return found is not None and bool(found.related) and not found.store


@pytest.mark.parametrize(("model", "field", "other"), REACHED)
@pytest.mark.parametrize(
    "rule",
    [pytest.param("model_blocklist", marks=pytest.mark.every_version), "model_allowlist"],
)
def test_a_field_of_a_closed_model_is_not_reached_through_another_model(
    admin: Odoo, server: Server, mode: str, rule: str, model: str, field: str, other: str
) -> None:
    """Neither read, nor searched, sorted, grouped, exported nor described, by any function."""
    if not _is_related(admin, model, field):
        pytest.skip(f"on Odoo {admin.version.major} it is a field of its own")
    listed = other if rule == "model_blocklist" else model
    with connected(server, mode=mode, dry=True, **{rule: listed}) as closed:
        assert passing(closed, {**_namings(model, field), **_searches(model, field)}) == []


@pytest.mark.every_version
@pytest.mark.parametrize(("model", "field", "other"), REACHED)
def test_with_the_other_model_open_it_is_read(
    admin: Odoo, server: Server, model: str, field: str, other: str
) -> None:
    if not _is_related(admin, model, field):
        pytest.skip(f"on Odoo {admin.version.major} it is a field of its own")
    opened = {model, *_models_on(admin, model, field)}
    with connected(server, mode="readonly", model_allowlist=opened) as odoo:
        rows = search_read(odoo, model, [], ["id", field], limit=1).records
        assert all(field in row for row in rows)


def _models_on(odoo: Odoo, model: str, field: str) -> set[str]:
    """Return all models on the path of a related field, and on that of the field at its end."""
    found, here = set(), model
    path = odoo.schema.fields(model)[field].related
    for step in path:
        described = odoo.schema.fields(here)[step]
        if step == path[-1] and described.related:
            found |= _models_on(odoo, here, step)
        here = described.relation or here
        found.add(here)
    return found


def _namings(model: str, field: str) -> dict[str, Attack]:
    ids = [1]
    return {
        "search_read": lambda o: search_read(o, model, [], [field]),
        "read": lambda o: read(o, model, ids, [field]),
        "dotted": lambda o: search_read(o, model, [], [f"{_user_of(model)}.{field}"]),
        "execute search_read": lambda o: execute(o, model, "search_read", [[], [field]]),
        "execute read": lambda o: execute(o, model, "read", [ids, [field]]),
        "fields_get": lambda o: execute(o, model, "fields_get", [[field]]),
        "default_get": lambda o: execute(o, model, "default_get", [[field]]),
        "export_data": lambda o: execute(o, model, "export_data", [ids, [field]]),
        "export": lambda o: export(o, model, [], [field], "unused.csv"),
        "web_read": lambda o: execute(o, model, "web_read", [ids, {field: {}}]),
        "deep_search": lambda o: deep_search(o, "x", model, fields=[field]),
        "notebook": lambda o: o[model].search([], [field]),
    }


def _user_of(model: str) -> str:
    """Return a relation to the model itself, or one that has no such field."""
    return "create_uid" if model == "res.users" else "company_id"


def _searches(model: str, field: str) -> dict[str, Attack]:
    leaf = [field, "ilike", "a"]
    return {
        "domain": lambda o: search_read(o, model, [leaf], ["id"]),
        "count": lambda o: count(o, model, [leaf]),
        "negated": lambda o: count(o, model, ["!", leaf]),
        "execute": lambda o: execute(o, model, "search", [[leaf]]),
        "in any": lambda o: count(o, model, [[_user_of(model), "any", [leaf]]]),
        "name_search": lambda o: execute(o, model, "name_search", ["", [leaf]]),
        "read_group": lambda o: execute(o, model, "read_group", [[], ["id"], [field]]),
        "having": lambda o: execute(o, model, "formatted_read_group", [[leaf], [], ["__count"]]),
        "groups": lambda o: execute(o, model, "formatted_read_group", [[], [field], ["__count"]]),
        "order": lambda o: search_read(o, model, [], ["id"], order=field),
        "execute order": lambda o: execute(o, model, "search", [[]], {"order": field}),
        "web_search_read": lambda o: execute(o, model, "web_search_read", [[leaf], {"id": {}}]),
        "search_panel": lambda o: execute(o, model, "search_panel_select_range", [field]),
    }


def test_nothing_of_a_user_is_told_that_stands_in_a_closed_contact(
    admin: Odoo, raw: Raw, server: Server, mode: str, suffix: str
) -> None:
    """Whatever way is tried, the answer does not hold what the contact's field holds."""
    hidden = f"hidden{suffix}@example.org"
    partner = raw("res.users", "read", [raw.uid], ["partner_id"])[0]["partner_id"][0]
    before = raw.value("res.partner", partner, "email")
    raw("res.partner", "write", [partner], {"email": hidden})
    try:
        with connected(server, mode=mode, model_blocklist="res.partner") as closed:
            for field in ("email", "email_formatted", "email_normalized"):
                ways = readings("res.users", raw.uid, field).items()
                # Among all fields is the work address, which the employee stores.
                attacks = {name: way for name, way in ways if "all" not in name}
                assert leaks(admin, closed, attacks, hidden) == []
        with connected(server, mode=mode, field_blocklist="email") as closed:
            attacks = readings("res.users", raw.uid, "email_formatted")
            assert leaks(admin, closed, attacks, hidden) == []
    finally:
        raw("res.partner", "write", [partner], {"email": before})


@pytest.mark.parametrize(
    "rules",
    [
        {"mode": "full", "model_blocklist": "product.template"},
        {"mode": "full", "model_allowlist": "product.product"},
        {"mode": "restricted", "write_allowlist": "product.product"},
    ],
    ids=str,
)
def test_a_template_is_not_renamed_through_its_variant(
    server: Server, raw: Raw, suffix: str, rules: dict[str, Any]
) -> None:
    """``name`` of a variant is written into the template, which is closed or not to be written."""
    with raw.record("product.product", {"name": f"Thing {suffix}"}) as variant:
        values = {"name": "renamed"}
        rows = [[variant, "renamed"]]
        attacks: dict[str, Attack] = {
            "write": lambda o: write(o, "product.product", [variant], values),
            "create": lambda o: create(o, "product.product", values),
            "execute": lambda o: execute(o, "product.product", "write", [[variant], values]),
            "load": lambda o: execute(o, "product.product", "load", [[".id", "name"], rows]),
            "web_save": lambda o: execute(
                o, "product.product", "web_save", [[variant], values, {"id": {}}]
            ),
            "name_create": lambda o: execute(
                o, "product.product", "create", [{"product_tmpl_id": 1, **values}]
            ),
            "default": lambda o: execute(
                o, "product.product", "copy", [[variant]], {"default": values}
            ),
        }
        with connected(server, **rules) as closed:
            assert passing(closed, attacks) == []
        assert raw.value("product.product", variant, "name") == f"Thing {suffix}"


# Searches --------------------------------------------------------------------------------------

#: Computed fields by which a search looks at what is not known, or at what nobody needs to search.
NOT_SEARCHED = frozenset(
    {
        *("account_audit_log_account_id", "account_audit_log_activated"),
        *("account_audit_log_company_id", "account_audit_log_move_id"),
        *("account_audit_log_partner_id", "account_audit_log_preview"),
        *("account_audit_log_restricted", "account_audit_log_tax_id", "all_group_ids"),
        *("all_implied_by_ids", "all_implied_ids", "all_user_ids", "analytic_distribution_search"),
        *("full_name", "properties_base_definition_id", "totp_enabled"),
    }
)
NOT_SEARCHED_OF = frozenset(
    {
        ("account.code.mapping", "account_id"),
        ("iap.account", "account_info_id"),
        ("res.partner.bank", "employee_id"),
        ("stock.lot", "partner_ids"),
    }
)


@pytest.fixture(scope="module")
def searched(raw: Raw) -> list[tuple[str, Field]]:
    """All fields that are computed, not stored, and can be searched by."""
    return list(_searched_computed(raw))


def _searched_computed(raw: Raw) -> Iterator[tuple[str, Field]]:
    policy = Policy()
    for model in models_of(raw):
        if policy.model_blocked(model):
            continue
        try:
            raw(model, "search", [], limit=1)  # which an abstract model has not
            described = parse_fields(raw(model, "fields_get"))
        except Exception:  # not for this user
            continue
        for field in described.values():
            own = field.store or field.related or field.company_dependent
            if field.searchable and not own and field.name not in ("id", "display_name"):
                yield model, field


@pytest.mark.attack
def test_of_every_search_by_a_computed_field_it_is_decided_what_it_looks_at(
    searched: list[tuple[str, Field]],
) -> None:
    """What a new module brings is refused; of Odoo's own the tables say what they look at."""
    undecided = {
        (model, field.name)
        for model, field in searched
        if not is_decided(model, field.name) and field.name not in NOT_SEARCHED
    }
    assert undecided - NOT_SEARCHED_OF == set()


def test_what_is_not_known_is_neither_searched_nor_sorted_nor_grouped_by(
    searched: list[tuple[str, Field]], server: Server, mode: str
) -> None:
    unknown = [
        (model, field.name) for model, field in searched if not is_decided(model, field.name)
    ]
    found: list[Any] = []
    with connected(server, mode=mode, dry=True, field_blocklist="vat") as closed:
        for model, name in unknown:
            found += [(model, name, way) for way in passing(closed, _searches(model, name))]
    assert unknown
    assert found == []


@pytest.mark.parametrize("model", ["res.partner", "crm.lead"])
def test_a_closed_phone_is_not_found_digit_by_digit(
    admin: Odoo, raw: Raw, server: Server, mode: str, model: str, suffix: str
) -> None:
    needs(admin, model, "phone_mobile_search")
    digits = "+3249" + "".join(str(int(letter, 16) % 9 + 1) for letter in suffix)[:7]
    with raw.record(model, {"name": f"Owner {suffix}", "phone": digits}) as made:
        parts = {digits[:end]: f"{digits[: end - 1]}x" for end in range(4, len(digits) + 1)}
        with connected(server, mode=mode, field_blocklist="phone,mobile") as closed:
            for right, wrong in parts.items():
                answers = [_found(closed, model, made, part) for part in (right, wrong)]
                assert answers[0] == answers[1], right
        assert _found(admin, model, made, digits) == 1


def _found(odoo: Odoo, model: str, made: int, digits: str) -> Any:
    try:
        domain = [["id", "=", made], ["phone_mobile_search", "ilike", digits]]
        return count(odoo, model, domain).count
    except OdooError as error:
        return error.code


def test_searches_that_tell_no_more_than_reading_still_work(server: Server, mode: str) -> None:
    domains: dict[str, list[Any]] = {
        "product.product": [["qty_available", ">=", 0], ["name", "ilike", "a"]],
        "res.partner": [["message_is_follower", "=", False], ["parent_id", "ilike", "azure"]],
        "sale.order": [["activity_date_deadline", "=", False], ["partner_id", "ilike", "a"]],
        "res.users": [["name", "ilike", "a"], ["partner_id.name", "ilike", "a"]],
    }
    with connected(server, mode=mode, field_blocklist="vat") as closed:
        for model, domain in domains.items():
            assert count(closed, model, domain).count >= 0


# Texts with tracked values ---------------------------------------------------------------------


def test_a_preview_of_changes_does_not_tell_a_closed_field(
    admin: Odoo, raw: Raw, server: Server, mode: str, suffix: str
) -> None:
    """The audit log writes the old and the new value into one text, from Odoo 18 on."""
    needs(admin, "mail.message", "account_audit_log_preview")
    number = int(suffix, 16) % 10**8
    old, hidden = f"8{number:08d}", f"9{number:08d}"
    values = {"name": f"Account {suffix}", "code": old, "account_type": "expense"}
    with raw.record("account.account", values) as account:
        raw("account.account", "write", [account], {"code": hidden})
        of_account = [["model", "=", "account.account"], ["res_id", "=", account]]
        attacks: dict[str, Attack] = {
            "read": lambda o: search_read(
                o, "mail.message", of_account, ["account_audit_log_preview"]
            ),
            "all": lambda o: search_read(o, "mail.message", of_account, ["*"]),
            "execute": lambda o: execute(o, "mail.message", "search_read", [of_account]),
        }
        with connected(server, mode=mode, field_blocklist="code") as closed:
            named = {"named": attacks["read"]}
            assert passing(closed, named) == []
            for attack in attacks.values():
                with contextlib.suppress(OdooError):
                    assert hidden not in repr(attack(closed))


# Methods ---------------------------------------------------------------------------------------


@pytest.mark.every_version
@pytest.mark.parametrize("rules", [{"field_blocklist": "vat"}, {"model_blocklist": "crm.lead"}])
def test_while_a_list_closes_something_only_known_methods_leave_in_full_mode(
    server: Server, rules: dict[str, Any]
) -> None:
    """Every public method's name that this Odoo's sources have, on ids and with arguments."""
    known = HARMLESS_METHODS | JUDGED_METHODS | BUSINESS_ACTIONS
    names = set(method_names(server.name)) - known
    if not names:
        pytest.skip("the sources of this Odoo are not here")
    models = ("sale.order", "res.partner", "account.move", "product.product")
    with connected(server, mode="full", dry=True, **rules) as odoo:
        assert passed(odoo, models, names) == {}
        arguments = [[1], [["display_name", "ilike", "a"]], {"name": {}}]
        attacks = {
            f"{name} with arguments": calling(
                execute, model="sale.order", method=name, args=arguments
            )
            for name in sorted(BUSINESS_ACTIONS)
        }
        assert passing(odoo, attacks) == []


SHAPED: dict[str, tuple[str, list[Any]]] = {
    "copy_data": ("res.partner", []),
    "action_privacy_lookup": ("res.partner", []),
    "web_read": ("res.partner", [{"display_name": {}}]),
    "get_formview_action": ("res.partner", []),
    "name_get": ("res.partner", []),
    "mapped": ("res.partner", ["vat"]),
    "onchange": ("res.partner", [{}, [], {"name": {}}]),
    "get_metadata": ("res.partner", []),
}


@pytest.mark.parametrize("method", SHAPED)
def test_what_hands_out_values_in_a_shape_of_its_own_does_not_pass(
    server: Server, method: str
) -> None:
    model, arguments = SHAPED[method]
    attack = calling(execute, model=model, method=method, args=[[1], *arguments])
    with connected(server, mode="full", dry=True, field_blocklist="vat") as odoo:
        assert passing(odoo, {method: attack}) == []


def test_default_values_of_a_dialog_tell_nothing_of_the_records_it_is_opened_on(
    server: Server,
) -> None:
    contexts: list[dict[str, Any]] = [
        {"active_model": "res.partner", "active_ids": [1]},
        {"default_res_model": "res.partner", "default_res_id": 1},
        {"default_res_ids": "[1]", "default_model": "res.partner"},
        {"default_partner_ids": [1]},
    ]
    with connected(server, mode="full", dry=True, field_blocklist="vat") as odoo:
        attacks = {
            str(context): calling(
                execute, model=model, method="default_get", args=[["body"]], context=context
            )
            for context in contexts
            for model in ("mail.compose.message",)
        }
        assert passing(odoo, attacks) == []
