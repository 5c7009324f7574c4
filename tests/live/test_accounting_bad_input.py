"""What an MCP client asks wrongly of accounting: an error or a choice, and nothing changed."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client

from odoo_toolkit import Odoo, records
from odoo_toolkit.apps.accounting import create_invoice, get_invoice, register_payment
from tests.kit.mcp import error_of, mcp_server
from tests.live.accounting_data import customer, expense_account, kept, posted, user_in
from tests.live.servers import Server
from tests.mcp.conftest import anyio_backend, era

pytestmark = pytest.mark.anyio

__all__ = ["anyio_backend", "era"]

#: The tools that name an invoice.
OF_AN_INVOICE = ("get_invoice", "post_invoice", "reconcile", "reset_invoice", "create_credit_note")

CHOICE = "disambiguation_needed"


async def ask(client: Client, tool: str, arguments: dict[str, Any]) -> tuple[str, str]:
    """Return the code of the error and its message, or the status of a choice and its field."""
    result = await client.call_tool(f"odoo_accounting_{tool}", arguments)
    if result.is_error:
        error = error_of(result)
        return error["code"], error["message"]
    shown = result.structured_content or {}
    return shown.get("status", "done"), shown.get("field", str(shown))


async def test_what_is_asked_wrongly_changes_nothing(
    admin: Odoo, server: Server, era: str, suffix: str
) -> None:
    partner = customer(admin, suffix)
    customer(admin, f"{suffix} too")
    paid, unpaid = posted(admin, partner), posted(admin, partner)
    register_payment(admin, invoice_ids=[paid.id])
    line = {"name": "x", "price_unit": 1, "tax_ids": []}
    draft = create_invoice(admin, partner_id=partner, lines=[line])
    cancelled = create_invoice(admin, partner_id=partner, lines=[line])
    records.execute(admin, "account.move", "button_cancel", [[cancelled.id]])
    account = expense_account(admin)["id"]
    debit, credit = {"account_id": account, "debit": 2}, {"account_id": account, "credit": 2}

    nobody, state = "NOT_FOUND", "STATE_ERROR"
    wrong: list[tuple[str, dict[str, Any], str, str]] = [
        # Names that mean nothing, or several.
        *((tool, {"invoice_name": "no such"}, nobody, "no such") for tool in OF_AN_INVOICE),
        *((tool, {"invoice_name": "INV/"}, CHOICE, "invoice_id") for tool in OF_AN_INVOICE),
        ("create_invoice", {"partner_name": "no such", "lines": [line]}, nobody, "no such"),
        (
            "create_invoice",
            {"partner_name": f"tomer {suffix}", "lines": [line]},
            CHOICE,
            "partner_id",
        ),
        (
            "create_entry",
            {"lines": [{**debit, "account_id": None, "account_name": "e"}, credit]},
            CHOICE,
            "lines[0].account_id",
        ),
        (
            "create_credit_note",
            {"invoice_id": unpaid.id, "lines": [{"product_name": "no such"}]},
            nobody,
            "no line",
        ),
        ("register_payment", {"invoice_ids": [unpaid.id], "currency": "no such"}, nobody, "no cur"),
        ("get_report", {"kind": "trial_balance", "company_name": "no such"}, nobody, "no such"),
        # States.
        ("post_invoice", {"invoice_id": paid.id}, state, "already posted"),
        ("post_invoice", {"invoice_id": cancelled.id}, state, "cancelled"),
        ("register_payment", {"invoice_ids": [paid.id]}, state, "no payment was registered"),
        ("register_payment", {"invoice_ids": [draft.id]}, state, "not posted"),
        ("create_credit_note", {"invoice_id": draft.id}, state, "only credit posted"),
        ("reconcile", {"invoice_id": draft.id}, state, "only posted documents"),
        ("reconcile", {"invoice_id": paid.id}, state, "has no open amount"),
        ("reconcile", {"invoice_id": unpaid.id, "undo": "one"}, state, "No payment or credit"),
        ("reset_invoice", {"invoice_id": draft.id}, state, "already a draft"),
        # Figures.
        (
            "create_entry",
            {"lines": [debit, {**credit, "credit": 3}]},
            "VALIDATION_ERROR",
            "does not balance: debits 2.00, credits 3.00, difference -1.00",
        ),
        (
            "create_credit_note",
            {"invoice_id": unpaid.id, "lines": [{"product_name": "Alpha", "quantity": 5}]},
            "VALIDATION_ERROR",
            "4 of Alpha were invoiced",
        ),
        ("register_payment", {"invoice_ids": [unpaid.id], "amount": 0}, "VALIDATION_ERROR", "more"),
    ]
    before = kept(admin, partner)
    async with Client(mcp_server(server, server.user("admin"), mode="full"), mode=era) as client:
        for tool, arguments, code, text in wrong:
            sent = {name: value for name, value in arguments.items() if value is not None}
            found = await ask(client, tool, sent)
            assert (found[0], text in found[1]) == (code, True), (tool, arguments, found)
    assert kept(admin, partner) == before


async def test_a_seller_is_refused(admin: Odoo, server: Server, era: str, suffix: str) -> None:
    """Whose rights narrow what is seen without a word gets no figures, and changes nothing."""
    seller = user_in(server, "Seller", "sales_team.group_sale_salesman")
    partner = customer(admin, suffix)
    invoice = posted(admin, partner)
    register_payment(admin, invoice_ids=[invoice.id], amount=10)
    account = expense_account(admin)["id"]
    lines = [{"account_id": account, "debit": 2}, {"account_id": account, "credit": 2}]
    kinds = ("trial_balance", "balance_sheet", "profit_and_loss", "aged_receivable", "aged_payable")
    before = kept(admin, partner)
    named = {"invoice_id": invoice.id}
    asked: list[tuple[str, dict[str, Any]]] = [
        ("register_payment", {"invoice_ids": [invoice.id]}),
        ("create_credit_note", named),
        ("reconcile", {**named, "undo": "all"}),
        ("reset_invoice", named),
        ("create_entry", {"lines": lines}),
    ]
    async with Client(mcp_server(server, seller, mode="full"), mode=era) as client:
        for kind in kinds:
            code, message = await ask(client, "get_report", {"kind": kind})
            assert (code, "cannot see all journal items" in message) == ("ACCESS_DENIED", True)
        for tool, arguments in asked:
            code, message = await ask(client, tool, arguments)
            assert code in ("ACCESS_DENIED", "NOT_FOUND"), (tool, message)
        assert kept(admin, partner) == before
        # An invoice of theirs they do see, but not what has paid it.
        login = [["login", "=", seller.login]]
        (user,) = records.search_read(admin, "res.users", login, ["id"]).records
        records.write(admin, "account.move", [invoice.id], {"invoice_user_id": user["id"]})
        shown = await client.call_tool("odoo_accounting_get_invoice", named)
        assert shown.structured_content["amount_residual"] == 150.0
        (warning,) = shown.structured_content["warnings"]
        assert warning.startswith(
            "This user cannot see all open items, or the records that paid 10.00 "
        )
        code, message = await ask(client, "reconcile", {**named, "undo": "all"})
        assert (code, "cannot see everything" in message) == ("ACCESS_DENIED", True)
    assert len(get_invoice(admin, invoice_id=invoice.id).payments or ()) == 1
