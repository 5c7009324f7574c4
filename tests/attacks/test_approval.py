"""What somebody has to allow is not done before, nor hidden in the question, nor by another call.

Each attack is one of a class that worked: a later step, a value behind a long one, a record behind
a reference, a method of another name.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from mcp.types import ElicitResult

from odoo_toolkit import Connection, connect, create, read, search_read
from odoo_toolkit.apps import sales
from odoo_toolkit.apps.accounting import Invoice, create_invoice
from tests.attacks.database import LOGIN_TABLES, Database, unchanged
from tests.kit.approvals import Office, call
from tests.kit.mcp import Person
from tests.live.servers import Server, credentials

pytestmark = pytest.mark.anyio

PARTNER, TAG = "res.partner", "res.partner.category"


@attrs.frozen(kw_only=True)
class Shop:
    """Records of a test's own: what it sells, to whom, and orders."""

    odoo: Connection
    partner: int
    product: int
    order: int
    tag: int

    @property
    def confirmed(self) -> int:
        """A confirmed order that nothing has been done with yet."""
        lines = [{"product_id": self.product, "quantity": 1, "price_unit": 500}]
        return sales.create_order(self.odoo, partner_id=self.partner, lines=lines, confirm=True).id

    @property
    def lines(self) -> list[int]:
        """The lines of the order."""
        found: list[int] = read(self.odoo, "sale.order", [self.order], ["order_line"]).records[0][
            "order_line"
        ]
        return found


@pytest.fixture(scope="module")
def shop(own_server: Server) -> Iterator[Shop]:
    suffix = uuid.uuid4().hex[:8]
    with connect(**credentials(own_server, own_server.user("admin"))) as odoo:
        partner = create(odoo, PARTNER, {"name": f"Buyer {suffix}"}).id
        values = {"name": f"Thing {suffix}", "type": "service", "invoice_policy": "order"}
        product = create(odoo, "product.product", values).id
        lines = [{"product_id": product, "quantity": 1, "price_unit": 500}]
        yield Shop(
            odoo=odoo,
            partner=partner,
            product=product,
            order=sales.create_order(odoo, partner_id=partner, lines=lines).id,
            tag=create(odoo, TAG, {"name": f"Tag {suffix}"}).id,
        )


def item(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"tool": tool, "arguments": arguments}


def record(method: str, model: str = PARTNER, **arguments: Any) -> dict[str, Any]:
    return item(f"odoo_core_{method}", model=model, **arguments)


def execute_item(model: str, method: str, *args: Any, **more: Any) -> dict[str, Any]:
    return item("odoo_core_execute", model=model, method=method, args=list(args), **more)


def batch(*items: dict[str, Any]) -> dict[str, Any]:
    return item("odoo_core_batch", items=list(items), allow_irreversible=True)


REF = {"id_of_item": 1}
Case = tuple[str, Callable[[Shop], dict[str, Any]]]

#: What a tool does only after its first change: the rule, and the call.
LATER: dict[str, Case] = {
    "posting, after confirming and invoicing": (
        "account.move.action_post",
        lambda s: item("odoo_sales_process_orders", orders=[s.order]),
    ),
    "paying at the end of the way": (
        "account.payment.register.action_create_payments",
        lambda s: item("odoo_sales_process_orders", orders=[s.order]),
    ),
    "posting a new invoice": (
        "account.move.action_post",
        lambda s: item("odoo_sales_create_invoices", order_id=s.confirmed, post=True),
    ),
    "confirming a new order": (
        "sale.order.action_confirm",
        lambda s: item(
            "odoo_sales_create_order",
            partner_id=s.partner,
            lines=[{"product_id": s.product, "quantity": 1}],
            confirm=True,
        ),
    ),
    "confirming what an item makes": (
        "sale.order.action_confirm>1",
        lambda s: batch(
            item(
                "odoo_sales_create_order",
                partner_id=s.partner,
                lines=[{"product_id": s.product, "quantity": 1}],
            ),
            item("odoo_sales_confirm_order", order_id=REF),
        ),
    ),
    "deleting beside what an item makes": (
        "*.unlink",
        lambda s: batch(
            record("create", values={"name": "New"}),
            record("unlink", ids=[REF, s.partner]),
        ),
    ),
    "a later item, by a command": (
        "sale.order.line.unlink",
        lambda s: batch(
            record("create", values={"name": "New"}),
            record(
                "write",
                "sale.order",
                ids=[s.order],
                values={"partner_shipping_id": REF, "order_line": [[5, 0, 0]]},
            ),
        ),
    ),
    "the button of a wizard": (
        "sale.advance.payment.inv.create_invoices",
        lambda s: item(
            "odoo_core_run_wizard",
            wizard="sale.advance.payment.inv",
            model="sale.order",
            ids=[s.confirmed],
        ),
    ),
    "a later row of an import": (
        "res.partner.write",
        lambda s: record(
            "import", rows=[{"name": "New one"}, {"id": s.partner, "ref": "x"}], key=["id"]
        ),
    ),
    "what an import creates besides": (
        f"{TAG}.create",
        lambda s: record(
            "import",
            rows=[{"name": "New one", "category_id": ["Never seen"]}],
            key=["name"],
            create_missing=[TAG],
        ),
    ),
}


@pytest.mark.parametrize("name", LATER)
async def test_nothing_is_done_before_a_later_call_that_waits(
    own_server: Server, database: Database, shop: Shop, tmp_path: Path, name: str
) -> None:
    rule, made = LATER[name]
    attack = made(shop)
    async with Office(own_server, tmp_path, [rule]).person("admin") as asks:
        with unchanged(database, LOGIN_TABLES):
            answer = await call(asks, attack["tool"], **attack["arguments"])
    assert "Nothing was done" in answer.get("message", ""), answer
    assert "approv" in answer["message"], answer


WIZARD = "account.payment.register"
PAYING = f"{WIZARD}.action_create_payments>100"


def invoice(shop: Shop, amount: float) -> int:
    """Return a new posted invoice."""
    lines = [{"name": "Work", "price_unit": amount, "tax_ids": []}]
    made = create_invoice(shop.odoo, partner_id=shop.partner, lines=lines, post=True)
    assert isinstance(made, Invoice)
    return made.id


def pay(*invoices: int, **more: Any) -> dict[str, Any]:
    return item("odoo_accounting_register_payment", invoice_ids=list(invoices), **more)


def by_hand(document: int, **values: Any) -> dict[str, Any]:
    return item(
        "odoo_core_run_wizard", wizard=WIZARD, model="account.move", ids=[document], values=values
    )


def due(shop: Shop, document: int) -> int:
    """Return the journal item of an invoice that is to be paid."""
    open_one = [["move_id", "=", document], ["amount_residual", "!=", 0]]
    (found,) = search_read(shop.odoo, "account.move.line", open_one, ["id"])
    return int(found["id"])


def filled(shop: Shop, document: int) -> int:
    """Return a wizard that is already filled in."""
    context = {"active_model": "account.move", "active_ids": [document]}
    made = create(shop.odoo, WIZARD, {"payment_date": "2026-01-31"}, context=context).id
    assert made is not None
    return made


#: Payments of more than 100, however they are made.
LARGE: dict[str, Callable[[Shop], dict[str, Any]]] = {
    "all of it": lambda s: pay(invoice(s, 160)),
    "one half of it": lambda s: pay(invoice(s, 160), amount=80),
    "too much for a small one": lambda s: pay(invoice(s, 60), amount=160),
    "two small ones together": lambda s: pay(invoice(s, 60), invoice(s, 61)),
    "two small ones, one after the other": lambda s: batch(
        pay(invoice(s, 60)), pay(invoice(s, 61))
    ),
    "by the wizard": lambda s: by_hand(invoice(s, 160), amount=1.0),
    "by the wizard, opened on a small one": lambda s: by_hand(
        invoice(s, 60), line_ids=[[6, 0, [due(s, invoice(s, 160))]]]
    ),
    "by a wizard that is filled in": lambda s: execute_item(
        WIZARD, "action_create_payments", [filled(s, invoice(s, 160))]
    ),
}


@pytest.mark.every_version
@pytest.mark.parametrize("name", LARGE)
async def test_a_large_payment_waits(
    own_server: Server, database: Database, shop: Shop, tmp_path: Path, name: str
) -> None:
    attack = LARGE[name](shop)
    async with Office(own_server, tmp_path, [PAYING]).person("admin") as asks:
        with unchanged(database, LOGIN_TABLES):
            answer = await call(asks, attack["tool"], **attack["arguments"])
    assert "Nothing was done" in answer.get("message", ""), answer
    assert "approv" in answer["message"], answer


@pytest.mark.every_version
async def test_a_small_payment_does_not_wait_and_a_large_one_is_made_once_it_is_approved(
    own_server: Server, shop: Shop, tmp_path: Path
) -> None:
    small, large = pay(invoice(shop, 60)), pay(invoice(shop, 160), amount=100)
    office = Office(own_server, tmp_path, [PAYING])
    async with office.person("admin") as asks, office.person("demo") as decides:
        paid = await call(asks, small["tool"], **small["arguments"])
        assert paid["payments"][0]["amount"] == 60, paid
        waits = await call(asks, large["tool"], **large["arguments"])
        assert waits["code"] == "APPROVAL_NEEDED", waits
        approval = waits["details"]["approval"]
        await call(decides, "odoo_core_decide_approval", approval=approval, approve=True)
        paid = await call(asks, large["tool"], **large["arguments"])
        assert paid["payments"][0]["amount"] == 100, paid


#: The same call by another method: the rule, and the call.
IMPLIED: dict[str, Case] = {
    "load": (
        f"{TAG}.create",
        lambda s: execute_item(TAG, "load", ["name"], [["Loaded"]]),
    ),
    "name_create": (f"{TAG}.create", lambda s: execute_item(TAG, "name_create", "Named")),
    "copy": (f"{TAG}.create", lambda s: execute_item(TAG, "copy", [s.tag])),
    "a command that creates": (
        f"{TAG}.create",
        lambda s: record("write", ids=[s.partner], values={"category_id": [[0, 0, {"name": "x"}]]}),
    ),
    "a command within a new record": (
        f"{TAG}.create",
        lambda s: record("create", values={"name": "x", "category_id": [[0, 0, {"name": "y"}]]}),
    ),
    "a command within a command": (
        f"{TAG}.create",
        lambda s: record(
            "write",
            ids=[s.partner],
            values={"child_ids": [[0, 0, {"name": "x", "category_id": [[0, 0, {"name": "y"}]]}]]},
        ),
    ),
    "a default in the context": (
        f"{TAG}.create",
        lambda s: record(
            "create", values={"name": "x"}, context={"default_category_id": [[0, 0, {"name": "y"}]]}
        ),
    ),
    "a command that deletes": (
        "*.unlink",
        lambda s: record(
            "write", "sale.order", ids=[s.order], values={"order_line": [[2, s.lines[0]]]}
        ),
    ),
    "a command that takes away": (
        "sale.order.line.unlink",
        lambda s: record(
            "write", "sale.order", ids=[s.order], values={"order_line": [[3, s.lines[0]]]}
        ),
    ),
    "clearing": (
        "sale.order.line.unlink",
        lambda s: execute_item("sale.order", "write", [s.order], {"order_line": False}),
    ),
    "a list of ids": (
        "sale.order.line.unlink",
        lambda s: record("write", "sale.order", ids=[s.order], values={"order_line": [[6, 0, []]]}),
    ),
    "a command that writes": (
        "sale.order.line.write",
        lambda s: record(
            "write",
            "sale.order",
            ids=[s.order],
            values={"order_line": [[1, s.lines[0], {"price_unit": 1}]]},
        ),
    ),
    "archiving": (
        "res.partner.write",
        lambda s: execute_item(PARTNER, "action_archive", [s.partner]),
    ),
    "an inherited field": (
        "product.template.write",
        lambda s: record("write", "product.product", ids=[s.product], values={"name": "Other"}),
    ),
    "a record that another inherits from": (
        "product.template.create",
        lambda s: record("create", "product.product", values={"name": "Other"}),
    ),
    "an import": (
        f"{TAG}.create",
        lambda s: record("import", TAG, rows=[{"name": "Imported"}], key=["name"]),
    ),
    "an item of a batch": (
        f"{TAG}.create",
        lambda s: batch(execute_item(TAG, "name_create", "Named")),
    ),
}

#: From Odoo 17 on.
SAVED: Case = (
    f"{TAG}.create",
    lambda s: execute_item(TAG, "web_save", [], {"name": "Saved"}, {}),
)


@pytest.mark.every_version  # which methods and models there are differs
@pytest.mark.parametrize("name", IMPLIED)
async def test_a_rule_holds_for_every_method_that_does_the_same(
    own_server: Server, database: Database, shop: Shop, tmp_path: Path, name: str
) -> None:
    await _waits(own_server, database, shop, tmp_path, IMPLIED[name])


@pytest.mark.every_version
async def test_a_rule_holds_for_saving(
    own_server: Server, database: Database, shop: Shop, tmp_path: Path
) -> None:
    await _waits(own_server, database, shop, tmp_path, SAVED)


async def _waits(
    own_server: Server, database: Database, shop: Shop, folder: Path, case: Case
) -> None:
    rule, made = case
    attack = made(shop)
    async with Office(own_server, folder, [rule]).person("admin") as asks:
        with unchanged(database, LOGIN_TABLES):
            answer = await call(asks, attack["tool"], **attack["arguments"])
    assert answer.get("code") == "APPROVAL_NEEDED", answer


HIDDEN = "attacker@evil.example"
LONG = "please correct the address, " * 40

#: Calls with something behind much else: the rule, the call, and what must be in the question.
BEHIND: dict[str, tuple[str, Callable[[Shop], dict[str, Any]]]] = {
    "values": (
        "res.partner.write",
        lambda s: record("write", ids=[s.partner], values={"comment": LONG, "email": HIDDEN}),
    ),
    "many values": (
        "res.partner.write",
        lambda s: record(
            "write", ids=[s.partner], values={"comment": LONG, "street": LONG, "email": HIDDEN}
        ),
    ),
    "values of execute": (
        "res.partner.write",
        lambda s: execute_item(PARTNER, "write", [s.partner], {"comment": LONG, "email": HIDDEN}),
    ),
    "lines": (
        "sale.order.write",
        lambda s: record(
            "write",
            "sale.order",
            ids=[s.order],
            values={
                "order_line": [
                    [0, 0, {"name": LONG, "display_type": "line_note"}],
                    [0, 0, {"name": HIDDEN, "display_type": "line_note"}],
                ]
            },
        ),
    ),
    "rows": (
        "res.partner.create",
        lambda s: record(
            "import",
            rows=[{"name": "One", "comment": LONG}, {"name": "Two", "email": HIDDEN}],
            key=["name"],
        ),
    ),
    "the context": (
        "res.partner.create",
        lambda s: record(
            "create",
            values={"name": "One", "comment": LONG},
            context={"default_street": LONG, "default_email": HIDDEN},
        ),
    ),
    "an item": (
        "res.partner.create",
        lambda s: batch(
            record("create", values={"name": "One", "comment": LONG}),
            record("create", values={"name": "Two", "comment": LONG, "email": HIDDEN}),
        ),
    ),
    "a later item": (
        "res.partner.create",
        lambda s: batch(
            record("create", values={"name": "One", "comment": LONG}),
            record(
                "create", values={"parent_id": REF, "comment": LONG, "email": HIDDEN, "name": "Two"}
            ),
        ),
    ),
}


@pytest.mark.parametrize("name", BEHIND)
async def test_whoever_decides_sees_all_of_it(
    own_server: Server, shop: Shop, tmp_path: Path, name: str
) -> None:
    """And what is too long to be seen cannot be asked for."""
    rule, made = BEHIND[name]
    attack = made(shop)
    office = Office(own_server, tmp_path, [rule])
    async with office.person("admin") as asks, office.person("demo") as decides:
        answer = await call(asks, attack["tool"], **attack["arguments"])
        assert answer.get("code") == "APPROVAL_NEEDED", answer
        (seen,) = (await call(decides, "odoo_core_list_approvals"))["waiting"]
        assert HIDDEN in seen["message"]
        assert seen["message"].count(LONG.strip()) >= attack_count(attack, LONG)
        longer = stretched(attack)
        refused = await call(asks, longer["tool"], **longer["arguments"])
        assert refused["code"] == "VALIDATION_ERROR", refused
        assert "Split it" in refused["suggestion"]


def attack_count(value: Any, text: str) -> int:
    """Return how often a text is in arguments."""
    if isinstance(value, dict):
        return sum(attack_count(each, text) for each in value.values())
    if isinstance(value, list):
        return sum(attack_count(each, text) for each in value)
    return int(value == text)


def stretched(value: Any) -> Any:
    """Return arguments with texts that nobody reads."""
    if isinstance(value, dict):
        return {name: stretched(each) for name, each in value.items()}
    if isinstance(value, list):
        return [stretched(each) for each in value]
    return value * 20 if value == LONG else value


async def test_a_yes_to_a_batch_is_one_to_what_was_shown(
    own_server: Server, shop: Shop, tmp_path: Path
) -> None:
    """The victims are named; and what is done after the yes is that, with a record of its own."""
    victims = [create(shop.odoo, PARTNER, {"name": f"Victim {n}"}).id for n in range(12)]
    attack = batch(
        record("create", TAG, values={"name": f"Long {LONG}"[:200]}),
        record("create", values={"name": "Decoy"}),
        record("unlink", ids=[{"id_of_item": 2}, *victims]),
    )
    office = Office(own_server, tmp_path, [f"{TAG}.create", "res.partner.unlink"])
    async with office.person("admin") as asks, office.person("demo") as decides:
        waits = await call(asks, attack["tool"], **attack["arguments"])
        (seen,) = (await call(decides, "odoo_core_list_approvals"))["waiting"]
        for number, victim in enumerate(victims):
            assert f"- Victim {number} (id {victim})" in seen["message"]
        assert "cannot restore deleted records" in seen["message"]
        approval = waits["details"]["approval"]
        await call(decides, "odoo_core_decide_approval", approval=approval, approve=True)
        done = await call(asks, attack["tool"], **attack["arguments"])
        assert "items" in done, done
        again = await call(asks, attack["tool"], **attack["arguments"])
        assert again["code"] != "APPROVAL_NEEDED" or again["details"]["approval"] != approval
    assert not search_read(shop.odoo, PARTNER, [["id", "in", victims]], ["name"]).records


async def test_what_is_taken_back_by_itself_needs_no_yes(
    own_server: Server, database: Database, shop: Shop, tmp_path: Path
) -> None:
    """A batch that fails deletes what it has made, though deleting waits."""
    attack = batch(
        record("create", values={"name": "Made and gone"}),
        record("write", ids=[shop.partner], values={"parent_id": REF, "nonsense": REF}),
    )
    async with Office(own_server, tmp_path, ["*.unlink"]).person("admin") as asks:
        answer = await call(asks, attack["tool"], **attack["arguments"])
    assert answer["details"]["left"] == [], answer
    assert not search_read(shop.odoo, PARTNER, [["name", "=", "Made and gone"]], ["name"]).records


#: Batches that delete: what the person's question must name.
DELETING: dict[str, tuple[Callable[[Shop], dict[str, Any]], Callable[[Shop], list[str]]]] = {
    "lines, by a later item": (
        lambda s: LATER["a later item, by a command"][1](s),
        lambda s: [f"(id {line})" for line in s.lines],
    ),
    "records beside a reference": (
        lambda s: LATER["deleting beside what an item makes"][1](s),
        lambda s: [f"(id {s.partner})"],
    ),
    "lines of a new record's own": (
        lambda s: batch(
            record("create", values={"name": "New"}),
            execute_item(
                "sale.order", "write", [s.order], {"order_line": [[2, s.lines[0]]], "note": LONG}
            ),
            record("write", ids=[REF], values={"child_ids": [[2, s.partner]]}),
        ),
        lambda s: [f"(id {s.lines[0]})", f"(id {s.partner})"],
    ),
}


@pytest.mark.parametrize("name", DELETING)
async def test_a_batch_is_not_confirmed_without_what_it_deletes(
    own_server: Server, database: Database, shop: Shop, tmp_path: Path, name: str
) -> None:
    made, says = DELETING[name]
    attack = made(shop)
    person = Person(ElicitResult(action="decline"))
    async with Office(own_server, tmp_path, ()).person("admin", person, confirm="auto") as asks:
        with unchanged(database, LOGIN_TABLES):
            await call(asks, attack["tool"], **attack["arguments"])
    (question,) = person.asked
    for text in says(shop):
        assert text in question
    assert "cannot restore deleted records" in question


async def test_an_import_goes_on_beside_rules_of_others_and_in_a_batch(
    own_server: Server, shop: Shop, tmp_path: Path
) -> None:
    suffix = uuid.uuid4().hex[:8]
    rows = [{"name": f"Imported {suffix} {number}"} for number in range(3)]
    imported = record("import", rows=rows, key=["name"])
    office = Office(own_server, tmp_path, ["account.move.action_post", "res.partner.create"])
    async with Office(own_server, tmp_path, ["account.move.action_post"]).person("admin") as asks:
        done = await call(asks, imported["tool"], **imported["arguments"])
        assert done["created"] == 3
        as_item = batch(
            record("import", rows=[{"name": f"{suffix} in a batch"}], key=["name"]),
            record("write", ids=[shop.partner], values={"ref": suffix}),
        )
        done = await call(asks, as_item["tool"], **as_item["arguments"])
        assert done["items"][0]["result"]["created"] == 1, done
    again = record("import", rows=[{"name": f"Allowed {suffix}"}], key=["name"])
    async with office.person("admin") as asks, office.person("demo") as decides:
        waits = await call(asks, again["tool"], **again["arguments"])
        approval = waits["details"]["approval"]
        await call(decides, "odoo_core_decide_approval", approval=approval, approve=True)
        done = await call(asks, again["tool"], **again["arguments"])
        assert done["created"] == 1, done


#: What can be allowed, and is then done as it was shown: the rule, and the call.
ALLOWED: dict[str, Case] = {
    "a wizard": LATER["the button of a wizard"],
    "a new order, confirmed": LATER["confirming a new order"],
    "rows": LATER["a later row of an import"],
    "an inherited field": IMPLIED["an inherited field"],
    "a command": IMPLIED["a command that writes"],
}


@pytest.mark.parametrize("name", ALLOWED)
async def test_what_was_allowed_is_done_once(
    own_server: Server, shop: Shop, tmp_path: Path, name: str
) -> None:
    rule, made = ALLOWED[name]
    attack = made(shop)
    office = Office(own_server, tmp_path, [rule])
    async with office.person("admin") as asks, office.person("demo") as decides:
        waits = await call(asks, attack["tool"], **attack["arguments"])
        assert waits.get("code") == "APPROVAL_NEEDED", waits
        approval = waits["details"]["approval"]
        await call(decides, "odoo_core_decide_approval", approval=approval, approve=True)
        done = await call(asks, attack["tool"], **attack["arguments"])
        assert "code" not in done, done
        assert not any("not in the plan" in str(text) for text in done.values()), done


async def test_an_undo_waits_before_its_first_step(
    own_server: Server, database: Database, shop: Shop, tmp_path: Path
) -> None:
    """It writes back before it deletes what was made, which is what waits."""
    suffix = uuid.uuid4().hex[:8]
    changes = batch(
        record("create", values={"name": f"Undone {suffix}"}),
        record("write", ids=[shop.partner], values={"ref": suffix}),
    )
    async with Office(own_server, tmp_path, ()).person("admin") as plain:
        entry = (await call(plain, changes["tool"], **changes["arguments"]))["undo"]["entry"]
    office = Office(own_server, tmp_path, ["res.partner.unlink"])
    async with office.person("admin") as asks, office.person("demo") as decides:
        with unchanged(database, LOGIN_TABLES):
            waits = await call(asks, "odoo_core_undo", entry=entry)
        assert waits["code"] == "APPROVAL_NEEDED", waits
        (seen,) = (await call(decides, "odoo_core_list_approvals"))["waiting"]
        assert f"Undone {suffix}" in seen["message"]
        approval = waits["details"]["approval"]
        await call(decides, "odoo_core_decide_approval", approval=approval, approve=True)
        done = await call(asks, "odoo_core_undo", entry=entry)
        assert done["left"] == [], done


async def test_those_who_decide_at_one_server_do_not_at_another(
    own_server: Server, shop: Shop, tmp_path: Path
) -> None:
    """Two servers of one database have different people who may say yes."""
    attack = record("unlink", ids=[shop.partner])
    office = Office(own_server, tmp_path, ["*.unlink"])
    async with (
        office.person("admin", approvers=("olga",)) as asks,
        office.person("admin", approvers=("demo",)) as elsewhere,
        office.person("demo", approvers=("demo",)) as other,
    ):
        waits = await call(asks, attack["tool"], **attack["arguments"])
        approval = waits["details"]["approval"]
        assert not (await call(other, "odoo_core_list_approvals")).get("waiting")
        refused = await call(other, "odoo_core_decide_approval", approval=approval, approve=True)
        assert refused["code"] == "NOT_FOUND", refused
        # Nor is a yes there one here.
        there = await call(elsewhere, attack["tool"], **attack["arguments"])
        allowed = there["details"]["approval"]
        await call(other, "odoo_core_decide_approval", approval=allowed, approve=True)
        again = await call(asks, attack["tool"], **attack["arguments"])
        assert again["code"] == "APPROVAL_NEEDED"
    assert read(shop.odoo, PARTNER, [shop.partner], ["name"]).records
