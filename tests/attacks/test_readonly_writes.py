"""Readonly means that the database is the same afterwards: calls that only look like reads."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from odoo_toolkit import (
    Odoo,
    OdooError,
    Policy,
    connect,
    create,
    default_get,
    execute,
    read,
    search_read,
)
from odoo_toolkit.reports import generate_report
from tests.attacks.database import LOGIN_TABLES, Database, unchanged
from tests.attacks.policies import Noting, Raw, needs, refused
from tests.attacks.servers import as_user
from tests.live.servers import Server

#: model -> the field of which Odoo takes a number, or makes a record, when it gives the default.
WRITING_DEFAULTS = {
    "account.full.reconcile": "name",
    "procurement.group": "name",
    "res.company": "batch_payment_sequence_id",
    "stock.lot": "name",
    "stock.production.lot": "name",
    "stock.quant.package": "name",
    "stock.warehouse.orderpoint": "name",
}


#: Where customers would reach the Odoo whose reports are printed.
PUBLIC_ADDRESS = "https://erp.example.com"

REPORTS = {
    "quotation": ("sale.report_saleorder", "sale.order", []),
    "invoice": (
        "account.report_invoice",
        "account.move",
        [["state", "=", "posted"], ["move_type", "=", "out_invoice"]],
    ),
}


def attempt(action: Callable[[], Any]) -> None:
    """Do it or be refused: either is fine where only the database is looked at."""
    with contextlib.suppress(OdooError):
        action()


@pytest.mark.parametrize("model", WRITING_DEFAULTS)
def test_default_values_use_up_no_numbers_and_make_no_records(
    model: str, reader: Noting, database: Database
) -> None:
    """Some defaults are taken from a sequence, or are a new record."""
    needs(reader, model)
    named = [WRITING_DEFAULTS[model]]
    with unchanged(database):
        attempt(lambda: default_get(reader, model))
        attempt(lambda: default_get(reader, model, named))
        attempt(lambda: execute(reader, model, "default_get", [named]))
        attempt(lambda: execute(reader, model, "default_get", [], {"fields_list": named}))


def test_exporting_ids_makes_no_external_ids(reader: Noting, raw: Raw, database: Database) -> None:
    """The column ``id`` of an export is the external id, which Odoo makes where there is none."""
    stage = raw("crm.stage", "create", {"name": "without an external id"})
    for column in ("id", "team_id/id", "create_uid/id", ".id"):
        with unchanged(database):
            asked = [[stage], [column]]
            refused(reader, partial(execute, model="crm.stage", method="export_data", args=asked))


def test_reading_some_lines_of_an_entry_does_not_mark_it_as_changed(
    reader: Noting, raw: Raw, database: Database
) -> None:
    """In Odoo 19 the section of a line is computed for all lines of the entry, and saved."""
    move = raw("account.move", "search", REPORTS["invoice"][2], limit=1)
    lines = raw("account.move.line", "search", [["move_id", "in", move]])
    assert len(lines) > 1
    field = "parent_id"
    with unchanged(database):
        for line in lines[:3]:
            attempt(partial(read, reader, "account.move.line", [line], ["*"]))
            attempt(partial(read, reader, "account.move.line", [line], [field]))
            attempt(partial(search_read, reader, "account.move.line", [["id", "=", line]], [field]))
            attempt(partial(execute, reader, "account.move.line", "read", [[line], [field]]))
            attempt(partial(execute, reader, "account.move.line", "read", [[line]]))


@pytest.mark.parametrize("wizard", ["portal.share", "payment.link.wizard", "account.payment.link"])
def test_a_link_that_opens_a_document_is_not_made(
    wizard: str, reader: Noting, raw: Raw, database: Database
) -> None:
    """The link needs a token, which is written into the document, and lets in whoever has it."""
    needs(reader, wizard)
    order = _new_order(raw)
    context = {"active_model": "sale.order", "active_id": order, "active_ids": [order]}
    values: dict[str, Any] = {"res_model": "sale.order", "res_id": order}
    asked = ["share_link", "link", "access_warning", "res_model", "res_id"]
    fields = [name for name in asked if name in reader.schema.fields(wizard)]
    with unchanged(database):
        attempt(lambda: default_get(reader, wizard, fields, context))
        attempt(lambda: execute(reader, wizard, "default_get", [fields], context=context))
        attempt(lambda: create(reader, wizard, values, context))
        attempt(lambda: execute(reader, wizard, "create", [values], context=context))
        for given, named in ((values, {}), ({}, context)):
            onchange: list[Any] = [[], given, [], {name: {} for name in fields}]
            attempt(partial(execute, reader, wizard, "onchange", onchange, context=named))
        attempt(lambda: execute(reader, "sale.order", "get_portal_url", [[order]]))


def test_reading_a_wizard_that_holds_a_link_makes_none(
    own_server: Server, reader: Noting, role: str, raw: Raw, database: Database
) -> None:
    """The link is computed when the wizard is read, of the one that this user left open in Odoo."""
    needs(reader, "portal.share", "share_link")
    mine = as_user(own_server, role)
    order = _new_order(raw)
    values = {"res_model": "sale.order", "res_id": order, "partner_ids": [(6, 0, [3])]}
    left_open = mine("portal.share", "create", values)
    raw("sale.order", "write", [order], {"access_token": False})
    with unchanged(database):
        attempt(lambda: read(reader, "portal.share", [left_open], ["share_link"]))
        attempt(lambda: read(reader, "portal.share", [left_open], ["*"]))
        attempt(lambda: search_read(reader, "portal.share", [], ["*"]))
        attempt(lambda: execute(reader, "portal.share", "read", [[left_open]]))


def _new_order(raw: Raw) -> int:
    """Make an order, which nobody has shared yet."""
    partner = raw("res.partner", "search", [], limit=1)[0]
    order: int = raw("sale.order", "create", {"partner_id": partner})
    return order


@pytest.mark.parametrize(
    "method", ["onchange", "web_read", "web_save", "name_create", "copy_data", "get_metadata"]
)
def test_what_may_write_behind_a_harmless_name_is_not_sent(
    method: str, reader: Noting, raw: Raw, database: Database
) -> None:
    """An ``onchange`` of an existing record runs whatever the modules made of it."""
    order = _new_order(raw)
    arguments: dict[str, list[Any]] = {
        "onchange": [[order], {"partner_id": 3}, ["partner_id"], {"partner_id": {}}],
        "web_read": [[order], {"name": {}}],
        "web_save": [[order], {"note": "x"}, {"name": {}}],
        "name_create": ["a name"],
    }
    with unchanged(database):
        refused(
            reader,
            lambda odoo: execute(odoo, "sale.order", method, arguments.get(method, [[order]])),
        )


@pytest.fixture(scope="module")
def style_sheets(own_server: Server, raw: Raw) -> None:
    """Have the style sheets of reports made, as somebody's first report in Odoo does."""
    with _with_password(own_server, "admin", Policy()) as odoo:
        order = raw("sale.order", "search", [], limit=1)
        generate_report(odoo, "sale.report_saleorder", order)


@pytest.fixture
def address(raw: Raw, style_sheets: None) -> str:
    """The address that links in reports have, which is not the one that we connect to."""
    raw("ir.config_parameter", "set_param", "web.base.url", PUBLIC_ADDRESS)
    return PUBLIC_ADDRESS


@pytest.mark.parametrize("document", REPORTS)
def test_printing_with_a_password_changes_nothing_but_the_log_of_logins(
    document: str, own_server: Server, role: str, raw: Raw, database: Database, address: str
) -> None:
    """A web login of an administrator overwrites the server's address; an invoice keeps its PDF."""
    with _with_password(own_server, role, Policy(mode="readonly")) as odoo:
        _print_unchanged(odoo, document, own_server, role, database)
    assert raw("ir.config_parameter", "get_param", "web.base.url") == address


@pytest.mark.parametrize("document", REPORTS)
def test_printing_with_an_api_key_changes_nothing(
    document: str,
    own_server: Server,
    role: str,
    reader: Noting,
    database: Database,
    address: str,
) -> None:
    """Without a password there is no login, so nothing at all is written."""
    _print_unchanged(reader, document, own_server, role, database)


def _print_unchanged(
    odoo: Odoo, document: str, server: Server, role: str, database: Database
) -> None:
    """Print: the PDF comes, or a message says why not; the database is the same in either case."""
    report, model, domain = REPORTS[document]
    # Each user another one: what is kept of the first print would not be written again.
    order = "id" if role == "admin" else "id desc"
    printed = as_user(server, role)(model, "search", domain, limit=1, order=order)
    assert printed, f"there is no {document} to print"
    with unchanged(database, besides=LOGIN_TABLES if odoo.settings.password else ()):
        try:
            made = generate_report(odoo, report, printed)
        except OdooError as refusal:
            said = bool(refusal.message and refusal.suggestion)
        else:
            said = made.content.startswith(b"%PDF")
    assert said


def _with_password(server: Server, role: str, policy: Policy) -> Odoo:
    """Connect by password, which is what a web session takes."""
    user = server.user(role)
    return connect(
        url=server.url,
        database=server.db,
        username=user.login,
        password=user.password,
        policy=policy,
    )
