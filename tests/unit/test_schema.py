"""Models are described by the server, once, in ways that work for ordinary users."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import responses

from odoo_toolkit import AccessError, NotFoundError
from odoo_toolkit.fields import parse_fields, unknown_field_error
from odoo_toolkit.schema import LIFETIME
from tests.unit.wire import RECORDED, Wire, error_body, odoo


def test_fields_are_asked_once(wire: Wire) -> None:
    schema = odoo().schema
    assert schema.fields("res.partner")["country_id"].relation == "res.country"
    schema.fields("res.partner")

    assert len(wire.asked("fields_get")) == 1


def test_threads_that_need_the_same_description_make_one_request(wire: Wire) -> None:
    gate = threading.Event()

    def answer(args: list[Any], kwargs: dict[str, Any]) -> Any:
        gate.wait(120)
        return RECORDED["14"]["fields"]

    wire.answers["res.partner", "fields_get"] = answer
    connection = odoo().connect()
    with ThreadPoolExecutor(6) as threads:
        found = [threads.submit(connection.schema.fields, "res.partner") for _ in range(6)]
        gate.set()
        assert len({id(future.result()) for future in found}) == 1

    assert len(wire.asked("fields_get")) == 1


def test_a_description_is_asked_again_after_its_lifetime(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = odoo().schema
    schema.fields("res.partner")
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + LIFETIME + 1)
    schema.fields("res.partner")

    assert len(wire.asked("fields_get")) == 2


def test_forgetting_asks_again(wire: Wire) -> None:
    schema = odoo().schema
    schema.fields("res.partner")
    schema.forget("res.partner")
    schema.fields("res.partner")
    schema.forget()
    schema.fields("res.partner")

    assert len(wire.asked("fields_get")) == 3


def test_an_unknown_model_is_answered_with_likely_ones(wire: Wire) -> None:
    wire.answers["res.partnr", "fields_get"] = error_body("14", "unknown_model")
    wire.answers["ir.model", "search_read"] = [
        {"model": "res.partner", "name": "Contact"},
        {"model": "sale.order", "name": "Sales Order"},
    ]
    wire.answers["res.partner", "check_access_rights"] = True
    wire.answers["sale.order", "check_access_rights"] = True

    with pytest.raises(NotFoundError, match=r"Did you mean res\.partner") as caught:
        odoo().schema.fields("res.partnr")
    assert caught.value.details["did_you_mean"] == ["res.partner"]


def test_the_name_of_another_version_is_answered_with_that_of_this_one(wire: Wire) -> None:
    wire.answers["stock.lot", "fields_get"] = error_body("14", "unknown_model")
    wire.answers["ir.model", "search_read"] = [
        {"model": "stock.production.lot", "name": "Lot"},
        {"model": "stock.location", "name": "Location"},
    ]
    wire.answers["stock.production.lot", "check_access_rights"] = True
    with pytest.raises(NotFoundError, match=r"Did you mean stock\.production\.lot\?"):
        odoo().schema.fields("stock.lot")
    fields = parse_fields(
        {name: {"type": "many2one"} for name in ("tax_id", "tag_ids", "product_uom", "product_id")}
    )
    error = unknown_field_error("sale.order.line", ["tax_ids", "product_uom_id"], fields)
    assert error.details["did_you_mean"] == {
        "tax_ids": ["tax_id"],
        "product_uom_id": ["product_uom"],
    }


def test_a_field_of_which_odoo_does_not_say_that_it_is_stored_is_not() -> None:
    """To 18, users have fields that stand for groups: neither stored, searched nor sorted by."""
    described = {"id": {"type": "integer", "store": True}, "in_group_7": {"type": "boolean"}}
    field = parse_fields(described)["in_group_7"]
    assert (field.store, field.searchable, field.sortable) == (False, False, False)
    assert parse_fields(described)["id"].store


def test_models_of_16_and_later_are_asked_of_the_server_for_any_user(
    mock: responses.RequestsMock,
) -> None:
    wire = Wire(mock, "19")
    wire.answers["ir.model", "get_available_models"] = [
        {"model": "res.partner", "display_name": "Contact"}
    ]
    assert odoo().schema.models() == {"res.partner": "Contact"}


def test_models_of_14_and_15_are_those_that_the_user_may_read(wire: Wire) -> None:
    wire.answers["ir.model", "search_read"] = [
        {"model": "res.partner", "name": "Contact"},
        {"model": "hr.salary", "name": "Salary"},
    ]
    wire.answers["res.partner", "check_access_rights"] = True
    wire.answers["hr.salary", "check_access_rights"] = False

    assert odoo().schema.models() == {"res.partner": "Contact"}


def test_other_modules_are_looked_up_and_a_refusal_is_no_answer(wire: Wire) -> None:
    wire.answers["ir.module.module", "search_count"] = 1
    assert odoo().schema.module_installed("website")

    wire.answers["ir.module.module", "search_count"] = error_body("14", "access_error_model")
    with pytest.raises(AccessError):
        odoo().schema.module_installed("website")
