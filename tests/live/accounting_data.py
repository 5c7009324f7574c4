"""What the live tests of accounting need: customers, invoices, and what the database holds."""

from __future__ import annotations

import xmlrpc.client
from typing import Any

from odoo_toolkit import Odoo, records
from odoo_toolkit.apps.accounting import Invoice, create_invoice
from tests.live.servers import Server, User, ordinary_user


def customer(odoo: Odoo, suffix: str) -> int:
    """Return the id of a new customer."""
    made = records.create(odoo, "res.partner", {"name": f"Customer {suffix}"}).id
    assert made is not None
    return made


def posted(odoo: Odoo, partner: int, *, move_type: Any = "out_invoice", **more: Any) -> Invoice:
    """Return a posted invoice of 160: 4 Alpha at 25, 1 Beta at 60, no taxes."""
    lines = [
        {"name": "Alpha", "quantity": 4, "price_unit": 25, "tax_ids": []},
        {"name": "Beta", "quantity": 1, "price_unit": 60, "tax_ids": []},
    ]
    made = create_invoice(
        odoo, partner_id=partner, move_type=move_type, lines=lines, post=True, **more
    )
    assert isinstance(made, Invoice)
    assert made.posted, made.warnings
    return made


def kept(odoo: Odoo, *partners: int) -> list[Any]:
    """Return what the database holds of partners' documents."""
    rows: list[Any] = []
    moves = records.search_read(
        odoo,
        "account.move",
        [["partner_id", "in", list(partners)]],
        ["state", "payment_state", "amount_total", "amount_residual", "line_ids", "write_date"],
        limit=1000,
        order="id",
    ).records
    rows += moves
    payments = [["partner_id", "in", list(partners)]]
    rows.append(records.count(odoo, "account.payment", payments).count)
    return rows


def expense_account(odoo: Odoo) -> dict[str, Any]:
    """Return an expense account of the user's company: id, code and name."""
    company = records.read(odoo, "res.users", [odoo.uid], ["company_id"])[0]["company_id"]["id"]
    fields = odoo.schema.fields("account.account")
    own = "company_ids" if "company_ids" in fields else "company_id"
    domain = [["internal_group", "=", "expense"], [own, "in", [company]]]
    row = records.search_read(odoo, "account.account", domain, ["code", "name"], limit=1).records[0]
    return dict(row)


def person(server: Server, who: str) -> User:
    """Return the login of "demo", "ordinary", "Ann in GROUP GROUP", or the administrator."""
    name, _, groups = who.partition(" in ")
    if groups:
        return user_in(server, name, *groups.split())
    if who == "ordinary":
        return ordinary_user(server)
    return server.user("demo" if who == "demo" else "admin")


def user_in(server: Server, name: str, *groups: str) -> User:
    """Return an internal user with the rights of groups, such as account.group_account_invoice.

    What others gave the user is taken away. The toolkit itself gives nobody rights.
    """
    user = ordinary_user(server, name)
    admin = server.user("admin")
    password = admin.api_key or admin.password
    common = xmlrpc.client.ServerProxy(f"{server.url}/xmlrpc/2/common")
    uid = common.authenticate(server.db, admin.login, password, {})
    models = xmlrpc.client.ServerProxy(f"{server.url}/xmlrpc/2/object")

    def ask(model: str, method: str, *arguments: Any) -> Any:
        return models.execute_kw(server.db, uid, password, model, method, arguments)

    def group_id(group: str) -> int:
        module, _, xml_id = group.partition(".")
        wanted = [["module", "=", module], ["name", "=", xml_id]]
        (found,) = ask("ir.model.data", "search_read", wanted, ["res_id"])
        return int(found["res_id"])

    has = ask("res.users", "fields_get", ["groups_id", "group_ids"])
    field = "groups_id" if "groups_id" in has else "group_ids"
    ids = ask("res.users", "search", [["login", "=", user.login]])
    ask(
        "res.users", "write", ids, {field: [[6, 0, [*map(group_id, ("base.group_user", *groups))]]]}
    )
    return user


def accountant(server: Server) -> User:
    """Return a user with the rights that Odoo wants for bank lines."""
    group = "account_basic" if int(server.version) >= 18 else "account_user"
    groups = ("account.group_account_manager", f"account.group_{group}")
    return user_in(server, "Accountant", *groups)
