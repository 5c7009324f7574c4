"""What type checkers must say of the library; it is checked, and never run.

A line that ends with an ``ignore`` must be an error: checkers report an ``ignore`` without one.
"""

from __future__ import annotations

from typing import assert_type

from odoo_toolkit import (
    Connection,
    CreateResult,
    Domain,
    ImportPlan,
    Model,
    Odoo,
    SearchResult,
    aggregate,
    changes,
    connect,
    count,
    export,
    iterate,
    run_queries,
    search_read,
)
from odoo_toolkit.apps.accounting import post_invoice
from odoo_toolkit.apps.accounting.invoices import Invoice
from odoo_toolkit.apps.manufacturing import produce
from odoo_toolkit.apps.sales import Order, confirm_order
from odoo_toolkit.languages import ActivatedLanguage, activate_language
from odoo_toolkit.plans import Plan
from tests.live.servers import Server, User, credentials


def dry_runs(odoo: Odoo, flag: bool) -> None:
    """The result depends on ``dry_run``; the arguments are checked but beside ``dry_run``."""
    assert_type(confirm_order(odoo, order_id=5), Order)
    assert_type(confirm_order(odoo, order_id=5, dry_run=True), Plan)
    assert_type(confirm_order(odoo, order_id=5, dry_run=False), Order)
    assert_type(confirm_order(odoo, order_id=5, dry_run=flag), Order | Plan)
    assert_type(confirm_order.plan(odoo, order_id=5), Plan)
    assert_type(post_invoice(odoo, invoice_id=5), Invoice)
    assert_type(post_invoice.plan(odoo, invoice_id=5), Plan)
    assert_type(activate_language(odoo, "fr_FR"), ActivatedLanguage)
    assert_type(activate_language(odoo, "fr_FR", dry_run=True), Plan)

    confirm_order(odoo, order="S1")  # type: ignore[call-overload]  # pyright: ignore
    confirm_order(odoo, order_id="S1")  # type: ignore[call-overload]  # pyright: ignore
    confirm_order(odoo, 5)  # type: ignore[call-overload]  # pyright: ignore
    confirm_order.plan(odoo, order_id="S1")  # type: ignore[arg-type]  # pyright: ignore
    produce(odoo, 1)  # type: ignore[call-overload]  # pyright: ignore
    print(confirm_order.plan(odoo).name)  # type: ignore[attr-defined]  # pyright: ignore


def domains(odoo: Odoo) -> None:
    """A ``Domain`` is taken wherever a list is, and joined with lists."""
    domain = Domain().equals("state", "sale")
    assert_type(domain & [["active", "=", True]], Domain)
    assert_type([["active", "=", True]] & domain, Domain)
    assert_type(domain | [["active", "=", True]], Domain)
    assert_type([["active", "=", True]] | ~domain, Domain)
    assert_type(Domain.or_(domain, [["active", "=", True]]), Domain)
    search_read(odoo, "sale.order", domain)
    count(odoo, "sale.order", domain)
    iterate(odoo, "sale.order", domain)
    aggregate(odoo, "sale.order", domain, ["partner_id"])
    changes(odoo, "sale.order", domain=domain)
    export(odoo, "sale.order", domain, ["name"], "orders.csv")
    run_queries(odoo, [{"model": "sale.order", "domain": domain, "count": True}])
    domain & 5  # type: ignore[operator]  # pyright: ignore


def models(odoo: Connection) -> None:
    """What ``connect`` returns gives models as objects, also where it is entered."""
    assert_type(odoo["sale.order"], Model)
    with odoo as entered:
        assert_type(entered, Connection)
    orders = odoo["sale.order"]
    assert_type(orders.search(Domain().equals("state", "sale"), limit=5), SearchResult)
    assert_type(orders.create({"name": "S1"}), CreateResult)
    assert_type(orders.create({"name": "S1"}, dry_run=True), Plan)
    assert_type(orders.upsert("orders.csv", "name", dry_run=True), ImportPlan)
    orders.search(limit="5")  # type: ignore[arg-type]  # pyright: ignore
    orders.read()  # type: ignore[call-arg]  # pyright: ignore


def connections(server: Server, user: User) -> None:
    """The settings are keywords with types."""
    connect(**credentials(server, user))
    connect(**credentials(server, user), timeout=5, company_ids=[1, 2], protocol="json2")
    connect(usrname="ann")  # type: ignore[call-arg]  # pyright: ignore
    connect(timeout="5")  # type: ignore[arg-type]  # pyright: ignore
    connect(protocol="soap")  # type: ignore[arg-type]  # pyright: ignore
