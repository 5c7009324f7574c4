"""What the policy leaves out of searches is told: how much, and why, but nothing of what it is."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
import responses

import odoo_toolkit as toolkit
from odoo_toolkit import AccessError, Odoo, Policy
from odoo_toolkit_mcp.settings import ServerSettings
from tests.unit.wire import Wire, error_body, odoo

FIELDS = "ir.model.fields"
#: Open and closed ones, in a database of ten fields.
OPEN, CLOSED = 7, 3


@pytest.fixture
def wire(mock: responses.RequestsMock) -> Wire:
    wire = Wire(mock)
    for model, owner in (
        (FIELDS, "model"),
        ("mail.message", "model"),
        ("ir.attachment", "res_model"),
    ):
        wire.answers[model, "fields_get"] = {
            "id": {"type": "integer"},
            "name": {"type": "char", "searchable": True, "store": True},
            owner: {"type": "char", "searchable": True, "store": True},
        }

    def counted(args: list[Any], kwargs: dict[str, Any]) -> int:
        domain = args[0]
        return CLOSED if domain[:1] == ["!"] else OPEN if domain else OPEN + CLOSED

    wire.answers[FIELDS, "search_count"] = counted
    wire.answers[FIELDS, "search_read"] = [{"id": 1}, {"id": 2}]
    wire.answers[FIELDS, "search"] = [9]
    return wire


def asked(wire: Wire) -> list[str]:
    return sorted(call[1] for call in wire.calls if call[1] != "fields_get")


def test_a_count_says_how_many_are_left_out(wire: Wire) -> None:
    found = toolkit.count(odoo(), FIELDS)
    assert (found.count, found.excluded_count) == (OPEN, CLOSED)
    assert str(CLOSED) in found.warnings[0]
    assert "blocked" in found.warnings[0]
    assert asked(wire) == ["search_count", "search_count"]


def test_a_search_says_how_many_are_left_out(wire: Wire) -> None:
    found = toolkit.search_read(odoo(), FIELDS, fields=["id"], limit=2)
    assert (found.count, found.excluded_count) == (2, CLOSED)
    assert len(found.warnings) == 1
    assert asked(wire) == ["search_count", "search_read"]


def test_what_execute_searches_says_it_too(wire: Wire) -> None:
    found = toolkit.execute(odoo(), FIELDS, "search_count", [[]])
    assert found.result == OPEN
    assert str(CLOSED) in found.warnings[0]


@pytest.mark.parametrize("domain", [[["name", "ilike", "secret"]], [["id", ">", 0]]])
def test_with_conditions_no_number_tells_what_is_in_the_closed_records(
    wire: Wire, domain: list[Any]
) -> None:
    connection = odoo()
    found = toolkit.count(connection, FIELDS, domain)
    assert found.excluded_count is None
    assert "may be omitted" in found.warnings[0]
    beside = [call for call in wire.calls if call[1] == "search"]
    assert len(beside) == 1
    assert "secret" not in repr(beside)
    # Whether there are closed ones at all is asked once.
    toolkit.count(connection, FIELDS, domain)
    assert len(wire.asked("search")) == 1


def test_where_nothing_is_left_out_nothing_is_said(wire: Wire) -> None:
    wire.answers[FIELDS, "search"] = []
    wire.answers[FIELDS, "search_count"] = 0
    for domain in ([], [["id", ">", 0]]):
        found = toolkit.count(odoo(), FIELDS, domain)
        assert (found.excluded_count, found.warnings) == (0, [])


def test_a_closed_message_behind_one_that_the_user_cannot_see_is_left_out(wire: Wire) -> None:
    """Odoo filters messages after the limit, so that a search for one may find none of many."""
    wire.answers["mail.message", "search"] = []
    wire.answers["mail.message", "search_count"] = CLOSED
    found = toolkit.count(odoo(), "mail.message", [["name", "ilike", "secret"]])
    assert found.excluded_count is None


@pytest.mark.parametrize(
    "domain",
    [
        [["model", "=", "res.partner"], ["name", "=", "email"]],
        [["name", "=", "email"], ["model", "in", ["res.partner", False]]],
    ],
)
def test_a_search_for_what_belongs_to_open_models_asks_nothing_more(
    wire: Wire, domain: list[Any]
) -> None:
    assert toolkit.count(odoo(), FIELDS, domain).excluded_count == 0
    assert asked(wire) == ["search_count"]


@pytest.mark.parametrize(
    "domain",
    [
        ["|", ["model", "=", "res.partner"], ["name", "=", "email"]],
        [["model", "!=", "res.partner"]],
        [["model", "ilike", "res.partner"]],
    ],
)
def test_a_search_that_may_find_others_is_told_of(wire: Wire, domain: list[Any]) -> None:
    assert toolkit.count(odoo(), FIELDS, domain).excluded_count is None


def test_ordinary_models_are_asked_once(wire: Wire) -> None:
    wire.answers["res.partner", "search_count"] = 4
    assert toolkit.count(odoo(), "res.partner").excluded_count == 0
    assert asked(wire) == ["search_count"]


def test_where_it_cannot_be_found_out_the_number_is_not_claimed(wire: Wire) -> None:
    wire.answers[FIELDS, "search_count"] = lambda args, kwargs: (
        error_body("14", "access_error_model") if args[0][:1] == ["!"] else OPEN
    )
    found = toolkit.count(odoo(), FIELDS)
    assert (found.count, found.excluded_count) == (OPEN, None)
    assert "visible records" in found.warnings[0]


class TestUnprotected:
    """``Policy(protect=False)``: for scripts that know what they do."""

    def test_nothing_is_filtered_or_redacted(self, wire: Wire) -> None:
        opened = odoo(Policy(protect=False))
        assert toolkit.count(opened, FIELDS).count == OPEN + CLOSED
        assert wire.asked("search_count")[0][2] == [[]]
        answer = [{"id": 1, "password": "x", "access_token": "y"}]
        wire.answers["res.users", "read"] = answer
        assert toolkit.execute(opened, "res.users", "read", [[1], ["password"]]).result == answer

    @pytest.mark.parametrize(
        ("model", "method", "arguments"),
        [
            ("ir.cron", "write", [[1], {"code": "pass", "active": False}]),
            ("ir.config_parameter", "create", [{"key": "a", "value": "b"}]),
            ("res.users", "write", [[2], {"password": "x"}]),
            ("mail.template", "write", [[1], {"body_html": "<t t-out='object.name'/>"}]),
            ("ir.attachment", "create", [{"name": "a.html", "mimetype": "text/html"}]),
            ("mail.compose.message", "create", [{"body": "{{ object.name }}"}]),
            ("sale.order", "get_portal_url", [[1]]),
        ],
    )
    def test_what_only_guards_is_open(
        self, wire: Wire, model: str, method: str, arguments: list[Any]
    ) -> None:
        for name in ("fields_get", "search", method):
            wire.answers[model, name] = {} if name == "fields_get" else True
        assert toolkit.execute(odoo(Policy(protect=False)), model, method, arguments)
        assert wire.asked(method)
        with pytest.raises(AccessError):
            toolkit.execute(odoo(), model, method, arguments)

    @pytest.mark.parametrize(
        ("rules", "model", "method", "arguments"),
        [
            ({"mode": "readonly"}, "res.partner", "write", [[1], {"name": "x"}]),
            ({"mode": "restricted"}, "res.partner", "create", [{"name": "x"}]),
            ({"model_blocklist": "res.partner"}, "res.partner", "read", [[1], ["name"]]),
            ({"model_allowlist": "sale.order"}, "res.partner", "search", [[]]),
            ({"field_blocklist": "email"}, "res.partner", "read", [[1], ["email"]]),
            ({"method_blocklist": "unlink"}, "res.partner", "unlink", [[1]]),
            ({"model_blocklist": "hr.employee"}, "res.partner", "read_template", [[1]]),
            ({}, "res.partner", "_write", [[1]]),
        ],
    )
    def test_the_mode_and_the_lists_still_hold(
        self, wire: Wire, rules: dict[str, Any], model: str, method: str, arguments: list[Any]
    ) -> None:
        with pytest.raises(AccessError):
            toolkit.execute(odoo(Policy(protect=False, **rules)), model, method, arguments)
        assert asked(wire) == []

    def test_the_messages_of_listed_models_stay_unseen(self, wire: Wire) -> None:
        wire.answers["mail.message", "search_count"] = 0
        toolkit.count(odoo(Policy(protect=False, model_blocklist="hr.employee")), "mail.message")
        domains = [call[2][0] for call in wire.asked("search_count")]
        assert [["model", "not in", ["hr.employee"]]] in domains


def test_no_setting_of_the_server_opens_what_is_guarded() -> None:
    described = {field.name for field in attrs.fields(ServerSettings)}
    assert {"mode", "model_blocklist"} <= described
    assert not [name for name in described if "protect" in name]


class TestRoundTrips:
    """Records named by their ids, of models whose records belong to others."""

    def test_what_may_be_seen_costs_one_more(self, wire: Wire) -> None:
        connection = self._with_messages(wire, visible=[7, 8], existing=[7, 8])
        toolkit.execute(connection, "mail.message", "read", [[8, 7], ["name"]])
        assert asked(wire) == ["read", "search"]
        assert wire.asked("read")[0][2][0] == [8, 7]

    def test_a_write_costs_one_more(self, wire: Wire) -> None:
        connection = self._with_messages(wire, visible=[7], existing=[7])
        toolkit.execute(connection, "mail.message", "write", [[7], {"name": "x"}])
        assert asked(wire) == ["search", "write"]

    def test_what_is_missing_costs_two(self, wire: Wire) -> None:
        connection = self._with_messages(wire, visible=[7], existing=[7])
        toolkit.execute(connection, "mail.message", "read", [[7, 9], ["name"]])
        assert asked(wire) == ["read", "search", "search"]
        assert wire.asked("read")[0][2][0] == [7]

    def test_what_is_closed_is_refused(self, wire: Wire) -> None:
        connection = self._with_messages(wire, visible=[7], existing=[7, 9])
        with pytest.raises(AccessError, match=r"mail\.message 9 belongs to blocked records"):
            toolkit.execute(connection, "mail.message", "read", [[7, 9], ["name"]])
        assert not wire.asked("read")

    def test_without_protection_it_costs_nothing(self, wire: Wire) -> None:
        connection = self._with_messages(wire, [7], [7], Policy(protect=False))
        toolkit.execute(connection, "mail.message", "read", [[7, 9], ["name"]])
        assert asked(wire) == ["read"]

    def _with_messages(
        self, wire: Wire, visible: list[int], existing: list[int], policy: Policy | None = None
    ) -> Odoo:
        wire.answers["mail.message", "search"] = lambda args, kwargs: (
            visible if len(args[0]) > 1 else existing
        )
        wire.answers["mail.message", "read"] = []
        wire.answers["mail.message", "write"] = True
        return odoo(policy)
