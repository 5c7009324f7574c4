"""The context of a call: known keys with plain values, and nothing that opens what is closed."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import (
    Policy,
    count,
    create,
    default_get,
    execute,
    fields_get,
    read,
    search_read,
    write,
)
from odoo_toolkit.errors import OdooError
from tests.attacks.policies import Attack, Noting, connected, passing, refused
from tests.attacks.serverless import Serverless
from tests.live.conftest import server
from tests.live.servers import Server

__all__ = ["server"]

PARTNER = "res.partner"
Context = dict[str, Any]


def with_context(context: Any) -> dict[str, Attack]:
    """Return every free call that takes a context, with this one."""

    def called(method: str, *arguments: Any) -> Attack:
        return lambda o: execute(o, PARTNER, method, arguments, context=context)

    def in_kwargs(method: str, *arguments: Any) -> Attack:
        return lambda o: execute(o, PARTNER, method, arguments, {"context": context})

    return {
        "search_read": lambda o: search_read(o, PARTNER, [], ["name"], context=context),
        "read": lambda o: read(o, PARTNER, [1], ["name"], context=context),
        "count": lambda o: count(o, PARTNER, [], context=context),
        "default_get": lambda o: default_get(o, PARTNER, ["name"], context=context),
        "fields_get": lambda o: fields_get(o, PARTNER, context=context),
        "execute search": called("search", []),
        "execute search_read": called("search_read", [], ["name"]),
        "execute read": called("read", [1], ["name"]),
        "execute search_count": called("search_count", []),
        "execute name_search": called("name_search", "x"),
        "execute fields_get": called("fields_get", ["name"]),
        "execute default_get": called("default_get", ["name"]),
        "execute read_group": called("read_group", [], ["id"], ["country_id"]),
        "in kwargs": in_kwargs("search_read", [], ["name"]),
        "name_search in kwargs": in_kwargs("name_search", "x"),
    }


def writing(context: Any) -> dict[str, Attack]:
    """Return the free calls of restricted mode that write, with a context."""
    return {
        "create": lambda o: create(o, PARTNER, {"name": "x"}, context=context),
        "write": lambda o: write(o, PARTNER, [1], {"name": "x"}, context=context),
        "execute create": lambda o: execute(o, PARTNER, "create", [{"name": "x"}], context=context),
        "execute write": lambda o: execute(
            o, PARTNER, "write", [[1], {"name": "x"}], context=context
        ),
        "execute load": lambda o: execute(o, PARTNER, "load", [["name"], [["x"]]], context=context),
    }


@pytest.fixture(params=["readonly", "restricted"])
def narrow(request: pytest.FixtureRequest) -> Noting:
    """What is refused never leaves the process, so that no server is needed to see it."""
    return Serverless(Policy(mode=request.param, write_allowlist=PARTNER))


# Keys ----------------------------------------------------------------------------------------

KEYS: dict[str, Any] = {
    "default_name": "x",
    "default_user_ids": [[0, 0, {"login": "x"}]],
    "default_res_model": "res.partner",
    "active_id": 1,
    "active_ids": [1],
    "active_model": "res.partner",
    "tracking_disable": True,
    "mail_notrack": True,
    "mail_create_nosubscribe": True,
    "no_reset_password": True,
    "install_mode": True,
    "module": "base",
    "import_file": True,
    "noupdate": True,
    "_import_current_module": "base",
    "search_disable_custom_filters": True,
    "search_default_name": "x",
    "group_by": "name",
    "name_create_enabled_fields": {"country_id": True},
    "show_email": True,
    "show_address": True,
    "show_vat": True,
    "partner_show_db_id": True,
    "formatted_display_name": True,
    "skip_res_field_check": True,
    "force_company": 1,
    "uid": 1,
    "su": True,
    "prefetch_fields": False,
    "force_persisted": True,
    "bin_size_image_1920": True,
    "edit_translations": True,
    "check_translations": True,
    "params": {"model": "res.partner"},
    "Lang": "en_US",
    " lang": "en_US",
    "": True,
}


@pytest.mark.parametrize("key", KEYS)
def test_unknown_keys_are_refused_by_name(narrow: Noting, key: str) -> None:
    context = {key: KEYS[key]}
    attacks = with_context(context)
    if narrow.policy.mode == "restricted":
        attacks |= writing(context)
    assert passing(narrow, attacks) == []
    error = refused(narrow, attacks["search_read"])
    assert key.strip() in f"{error.message} {error.suggestion}"
    beside = with_context({"lang": "en_US", "active_test": False, key: KEYS[key]})
    assert passing(narrow, {"beside others": beside["execute search_read"]}) == []


# Values --------------------------------------------------------------------------------------

ILL_TYPED: tuple[Context, ...] = (
    {"lang": {"a": 1}},
    {"lang": ["en_US"]},
    {"lang": 5},
    {"lang": True},
    {"lang": "x" * 5_000},
    {"lang": "en_US'; --"},
    {"tz": {"a": 1}},
    {"tz": ["UTC"]},
    {"tz": 1},
    {"tz": "../../etc/passwd"},
    {"active_test": "false"},
    {"active_test": 2},
    {"active_test": [1]},
    {"active_test": {"a": 1}},
    {"bin_size": {"a": 1}},
    {"bin_size": ["x"]},
    {"allowed_company_ids": 1},
    {"allowed_company_ids": "1"},
    {"allowed_company_ids": ["1"]},
    {"allowed_company_ids": [True]},
    {"allowed_company_ids": [1.0]},
    {"allowed_company_ids": [[1]]},
    {"allowed_company_ids": {"1": 1}},
    {"allowed_company_ids": [-1]},
    {"allowed_company_ids": [10**30]},
)


@pytest.mark.parametrize("context", ILL_TYPED, ids=repr)
def test_known_keys_take_values_of_their_type_only(narrow: Noting, context: Context) -> None:
    ways = with_context(context)
    assert passing(narrow, {way: ways[way] for way in ("search_read", "execute read")}) == []


@pytest.mark.parametrize("context", ["lang", ["lang"], 5, [["lang", "en_US"]]], ids=repr)
def test_what_is_no_mapping_is_no_context(narrow: Noting, context: Any) -> None:
    ways = with_context(context)
    assert passing(narrow, {way: ways[way] for way in ("execute search", "in kwargs")}) == []


def test_known_keys_are_sent(server: Server) -> None:
    context: Context = {
        "lang": "en_US",
        "tz": "Europe/Paris",
        "active_test": False,
        "bin_size": True,
    }
    with connected(server, mode="readonly", connection={"company_ids": [1]}) as odoo:
        context["allowed_company_ids"] = [1]
        search_read(odoo, PARTNER, [], ["name"], limit=1, context=context)
        sent = next(call for call in odoo.sent if call.method == "search_read")
    assert {key: sent.context[key] for key in context} == context
    assert isinstance(sent.context["allowed_company_ids"], list)


# Companies -----------------------------------------------------------------------------------

MODES = ("readonly", "restricted", "full")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("companies", [[1, 2], [2], [2, 1], [1, 1, 2], [1, "2"], [99999]], ids=repr)
def test_a_context_does_not_widen_the_companies(
    server: Server, mode: str, companies: list[Any]
) -> None:
    rules: dict[str, Any] = {"mode": mode, "write_allowlist": PARTNER}
    with connected(server, dry=True, connection={"company_ids": [1]}, **rules) as odoo:
        context = {"allowed_company_ids": companies}
        attacks = with_context(context)
        if mode != "readonly":
            attacks |= writing(context)
        if mode == "full":
            attacks["another method"] = lambda o: execute(
                o, PARTNER, "action_archive", [[1]], context=context
            )
            attacks["nested"] = lambda o: execute(
                o,
                PARTNER,
                "web_read",
                [[1], {"child_ids": {"fields": {"name": {}}, "context": context}}],
            )
        assert passing(odoo, attacks) == []


@pytest.mark.parametrize("mode", MODES)
def test_other_ways_to_switch_the_company_are_refused(server: Server, mode: str) -> None:
    with connected(server, mode=mode, dry=True, connection={"company_ids": [1]}) as odoo:
        contexts: tuple[Context, ...] = (
            {"allowed_company_ids": False},
            {"allowed_company_ids": None},
            {"allowed_company_ids": []},
            {"allowed_company_ids": {}},
        )
        attacks = {
            f"{context} {way}": with_context(context)[way]
            for context in contexts
            for way in ("search_read", "execute search_read")
        }
        assert passing(odoo, attacks) == []


# Full mode -----------------------------------------------------------------------------------

OPENING = (
    "show_email",
    "show_address",
    "show_address_only",
    "show_vat",
    "partner_show_db_id",
    "formatted_display_name",
    "skip_res_field_check",
    "html_format",
    "address_inline",
)


@pytest.mark.parametrize(
    "rules",
    [{"field_blocklist": "email"}, {"model_blocklist": "crm.lead"}, {"model_allowlist": PARTNER}],
    ids=["closed fields", "blocklist", "allowlist"],
)
def test_full_mode_refuses_keys_that_open_what_is_closed(
    server: Server, rules: dict[str, Any]
) -> None:
    with connected(server, mode="full", dry=True, **rules) as odoo:
        attacks = {
            f"{key} {way}": attack
            for key in OPENING
            for way, attack in with_context({key: True}).items()
            if way in ("read", "execute name_search", "in kwargs")
        }
        attacks["nested"] = lambda o: execute(
            o,
            PARTNER,
            "web_read",
            [[1], {"parent_id": {"fields": {"display_name": {}}, "context": {"show_email": 1}}}],
        )
        assert passing(odoo, attacks) == []


@pytest.mark.parametrize("rules", [{}, {"field_blocklist": "email"}], ids=["open", "closed fields"])
def test_full_mode_passes_other_keys(server: Server, rules: dict[str, Any]) -> None:
    contexts: tuple[Context, ...] = (
        {"default_name": "x"},
        {"active_id": 1, "active_model": PARTNER},
        {"tracking_disable": True},
        {"lang": "en_US", "some_module_key": {"a": [1]}},
    )
    with connected(server, mode="full", dry=True, **rules) as odoo:
        for context in contexts:
            sent = passing(odoo, {"create": writing(context)["create"]})
            assert sent == ["create"], context


def test_full_mode_shows_addresses_where_nothing_is_closed(server: Server) -> None:
    with connected(server, mode="full") as odoo:
        try:
            read(odoo, PARTNER, [1], ["display_name"], context={"show_email": True})
        except OdooError as error:
            pytest.fail(f"refused: {error.message}")
