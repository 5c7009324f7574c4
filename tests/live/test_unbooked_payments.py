"""Payments of an Odoo that matches bank lines, with and without an outstanding account."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

from odoo_toolkit import Connection, History, connect, history, read, search_read, undo, write
from odoo_toolkit.apps.accounting import PaymentResult, get_invoice, register_payment
from odoo_toolkit.errors import StateError
from tests.live.accounting_data import customer, expense_account, posted
from tests.live.own import can_be_copied, opened
from tests.live.servers import Server, credentials, read_entry
from tests.provisioning import copies
from tests.provisioning.releases import RELEASES

pytestmark = pytest.mark.every_version

ADDON = Path(__file__).parent / "addons/bank_matching"
LINES = "account.payment.method.line"


@functools.cache
def _matching(server: Server) -> Server:
    return read_entry(opened(copies.copied(RELEASES[server.version], addons=[ADDON])))


@pytest.fixture
def odoo(server: Server, tmp_path: Path) -> Iterator[Connection]:
    """The administrator of a copy of a server on which bank lines are matched."""
    if not can_be_copied(server):
        pytest.skip(f"{server.name} was not provisioned here: its database cannot be copied.")
    copy = _matching(server)
    journal = History(tmp_path / "history.sqlite")
    with connect(**credentials(copy, copy.user("admin")), history=journal) as connection:
        yield connection


@pytest.mark.parametrize("writes_off", [False, True])
def test_a_payment_without_an_outstanding_account_has_no_entry(
    odoo: Connection, suffix: str, writes_off: bool
) -> None:
    invoice = posted(odoo, customer(odoo, suffix)).id
    account = expense_account(odoo)["code"] if writes_off else None
    paid = register_payment(odoo, invoice_ids=[invoice], amount=60.0, writeoff_account=account)
    assert isinstance(paid, PaymentResult)
    (payment,), (after,) = paid.payments, paid.invoices
    if odoo.version.major <= 17:
        assert payment.entry
        left, state = (0.0, "in_payment") if writes_off else (100.0, "partial")
        assert (after.amount_residual, after.payment_state) == (left, state)
        assert paid.warnings == []
        return
    assert payment.entry is None
    assert (after.amount_residual, after.payment_state) == (160.0, "in_payment")
    assert "due" not in paid.message
    assert "left to pay" not in paid.message
    told = [f"no journal entry for {payment.name}.", "no write-off"][: 1 + writes_off]
    assert all(part in warning for part, warning in zip(told, paid.warnings, strict=True))
    with pytest.raises(StateError, match="is in payment: no payment was registered"):
        register_payment(odoo, invoice_ids=[invoice], amount=100.0)
    assert undo(odoo, entry=history(odoo, limit=1)[0].id).done == [f"{payment.name} is deleted."]
    assert get_invoice(odoo, invoice_id=invoice).payment_state == "not_paid"


def test_a_payment_with_an_outstanding_account_has_an_entry(odoo: Connection, suffix: str) -> None:
    lines: list[int] = []
    if odoo.version.major >= 18:
        wanted = [["payment_type", "=", "inbound"], ["journal_id.company_id", "=", 1]]
        lines = [row["id"] for row in search_read(odoo, LINES, wanted, ["id"])]
        named = [["name", "=", "Outstanding Receipts"], ["code", "!=", False]]
        (account,) = search_read(odoo, "account.account", named, ["id"], limit=1)
        write(odoo, LINES, lines, {"payment_account_id": account["id"]})
    try:
        invoice = posted(odoo, customer(odoo, suffix)).id
        paid = register_payment(odoo, invoice_ids=[invoice], amount=60.0)
        assert isinstance(paid, PaymentResult)
        (payment,), (after,) = paid.payments, paid.invoices
        assert payment.entry
        (entry,) = read(odoo, "account.move", [payment.entry.id], ["state", "amount_total"])
        assert (entry["state"], entry["amount_total"]) == ("posted", 60.0)
        assert (after.amount_residual, after.payment_state) == (100.0, "partial")
        assert "100.00 USD is still due." in paid.message
        assert paid.warnings == []
    finally:
        if lines:
            write(odoo, LINES, lines, {"payment_account_id": None})
