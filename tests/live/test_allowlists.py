"""Which models an operation needs on the lists: its own, and those of records named by name."""

from __future__ import annotations

import importlib
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from odoo_toolkit import History, Odoo, Policy, create, execute, search_read, write
from odoo_toolkit.apps.hr import create_expense
from odoo_toolkit.apps.inventory import count_stock, set_reordering_rule
from odoo_toolkit.apps.purchase import receive
from odoo_toolkit.apps.sales import confirm_order
from tests.kit.live_tapes import Open
from tests.live.products import stored
from tests.live.test_hr import leave_type

pytestmark = pytest.mark.recorded


@attrs.frozen
class Case:
    """An operation, what it is given, and the models that it needs on the lists.

    Attributes:
        app: the module of ``odoo_toolkit.apps``, or of ``odoo_toolkit`` where it is none.
        operation: the function.
        given: made of the records of :class:`Records`.
        writes: the model that it is about; it is on both lists.
        also: more models that it writes, on both lists.
        names: models of records named by name, on the model allowlist alone.
        dry: whether it is only planned.
    """

    app: str
    operation: str
    given: Callable[[Records], dict[str, Any]]
    writes: str
    names: tuple[str, ...] = ()
    dry: bool = True
    also: tuple[str, ...] = ()

    def run(self, odoo: Odoo, records: Records) -> Any:
        place = "" if self.app.split(".")[0] in ("chatter", "batching", "mail") else "apps."
        module = importlib.import_module(f"odoo_toolkit.{place}{self.app}")
        dry = {"dry_run": True} if self.dry else {}
        return getattr(module, self.operation)(odoo, **self.given(records), **dry)


class Records:
    """Records of each app, made by the administrator when they are first asked for."""

    def __init__(self, admin: Odoo) -> None:
        self.admin = admin
        self._made: dict[str, int] = {}
        tag = uuid.uuid4().hex[:8]
        self._partner, self._product, self._project = (
            f"{kind} {tag}" for kind in ("Customer", "Thing", "Project")
        )

    def _make(self, key: str, model: str, **values: Any) -> int:
        if key not in self._made:
            self._made[key] = create(self.admin, model, values).id
        return self._made[key]

    @property
    def partner(self) -> int:
        return self._make("partner", "res.partner", name=self._partner)

    @property
    def partner_name(self) -> str:
        assert self.partner
        return self._partner

    @property
    def reader(self) -> int:
        return self._make("reader", "res.partner", name="Reader", email="reader@example.com")

    @property
    def product(self) -> int:
        goods = {"type": "consu", "list_price": 5, "invoice_policy": "order"}
        return self._make("product", "product.product", name=self._product, **goods)

    @property
    def goods(self) -> int:
        """A product whose stock is counted."""
        return self._make("goods", PRODUCT, name=f"Goods of {self._product}", **stored(self.admin))

    @property
    def in_stock(self) -> int:
        """A product of which there are some."""
        if "in stock" not in self._made:
            values = {"name": f"Stock of {self._product}", **stored(self.admin)}
            product = self._make("in stock", PRODUCT, **values)
            count_stock(self.admin, lines=[{"product_id": product, "quantity": 3}])
        return self._made["in stock"]

    @property
    def rule(self) -> int:
        """A reordering rule that has something to order."""
        if "rule" not in self._made:
            rule = set_reordering_rule(self.admin, product_id=self.in_stock, minimum=5)
            self._made["rule"] = rule.id
        return self._made["rule"]

    @property
    def template(self) -> int:
        name = f"Template of {self._product}"
        return self._make("template", "product.template", name=name, list_price=5)

    @property
    def product_name(self) -> str:
        assert self.product
        return self._product

    @property
    def order(self) -> int:
        line = {"product_id": self.product, "product_uom_qty": 1}
        values = {"partner_id": self.partner, "order_line": [[0, 0, line]]}
        return self._make("order", "sale.order", **values)

    @property
    def invoice(self) -> int:
        line = {"name": "Thing", "quantity": 1, "price_unit": 5}
        values = {"partner_id": self.partner, "invoice_line_ids": [[0, 0, line]]}
        return self._make("invoice", "account.move", move_type="out_invoice", **values)

    @property
    def posted(self) -> int:
        if "posted" not in self._made:
            line = {"name": "Thing", "quantity": 1, "price_unit": 5}
            values = {"partner_id": self.partner, "invoice_line_ids": [[0, 0, line]]}
            values["invoice_date"] = "2025-01-15"
            invoice = self._make("posted", "account.move", move_type="out_invoice", **values)
            execute(self.admin, "account.move", "action_post", [[invoice]])
        return self._made["posted"]

    @property
    def lead(self) -> int:
        return self._make("lead", "crm.lead", name="Allowed lead", type="lead")

    @property
    def opportunity(self) -> int:
        return self._make("opportunity", "crm.lead", name="Opportunity", type="opportunity")

    @property
    def project(self) -> int:
        return self._make("project", "project.project", name=self._project)

    @property
    def project_name(self) -> str:
        assert self.project
        return self._project

    @property
    def country(self) -> int:
        (found,) = search_read(self.admin, "res.country", [["code", "=", "BE"]], ["id"]).records
        return int(found["id"])

    @property
    def double(self) -> int:
        return self._make("double", "res.partner", name=f"Double of {self._partner}")

    @property
    def meeting(self) -> int:
        times = {"start": "2033-05-03 10:00:00", "stop": "2033-05-03 11:00:00"}
        return self._make("meeting", "calendar.event", name="Allowed meeting", **times)

    @property
    def stage_name(self) -> str:
        name = f"Stage {self._partner}"
        self._make("stage", "crm.stage", name=name)
        return name

    @property
    def task(self) -> int:
        values = {"name": "Allowed task", "project_id": self.project}
        return self._make("task", "project.task", **values)

    @property
    def purchase(self) -> int:
        if "purchase" not in self._made:
            line = {"product_id": self.product, "product_qty": 2, "price_unit": 5}
            values = {"partner_id": self.partner, "order_line": [[0, 0, line]]}
            order = self._make("purchase", "purchase.order", **values)
            execute(self.admin, "purchase.order", "button_confirm", [[order]])
        return self._made["purchase"]

    @property
    def received(self) -> int:
        """A purchase order whose goods have come."""
        if "received" not in self._made:
            line = {"product_id": self.goods, "product_qty": 2, "price_unit": 5}
            values = {"partner_id": self.partner, "order_line": [[0, 0, line]]}
            order = self._make("received", "purchase.order", **values)
            execute(self.admin, "purchase.order", "button_confirm", [[order]])
            receive(self.admin, order_id=order)
        return self._made["received"]

    @property
    def expense(self) -> int:
        category = self._make(
            "category",
            PRODUCT,
            name=f"Meals of {self._partner}",
            type="service",
            can_be_expensed=True,
            standard_price=0,
        )
        if "expense" not in self._made:
            made = create_expense(self.admin, name="Lunch", product_id=category, amount=5)
            self._made["expense"] = made.id
        return self._made["expense"]

    @property
    def leave_type(self) -> int:
        """A type of time off that has to be allocated."""
        if "leave type" not in self._made:
            name = f"Days of {self._partner}"
            self._made["leave type"] = leave_type(self.admin, name, granted=True)
        return self._made["leave type"]


LEAD, MOVE, ORDER, TASK = "crm.lead", "account.move", "sale.order", "project.task"
PARTNER, PRODUCT, TEMPLATE = "res.partner", "product.product", "product.template"
PLACE = "stock.location"
EVENT, ITEM, PRICES = "calendar.event", "account.move.line", "product.pricelist"
PURCHASE, PICKING = "purchase.order", "stock.picking"
EXPENSE, SHEET = "hr.expense", "hr.expense.sheet"

#: What meetings are given, and asked for.
_MEETING: dict[str, Any] = {"name": "New", "start": "2033-05-04T10:00", "timezone": "UTC"}
_DAY: dict[str, Any] = {"day": "2033-05-03", "timezone": "UTC"}

CASES = {
    "an order by ids": Case(
        "sales",
        "create_order",
        lambda r: {"partner_id": r.partner, "lines": [{"product_id": r.product, "quantity": 2}]},
        ORDER,
    ),
    "an order by names": Case(
        "sales",
        "create_order",
        lambda r: {
            "partner_name": r.partner_name,
            "lines": [{"product_name": r.product_name, "quantity": 2}],
        },
        ORDER,
        (PARTNER, PRODUCT, TEMPLATE),
    ),
    "an order that is made": Case(
        "sales",
        "create_order",
        lambda r: {"partner_id": r.partner, "lines": [{"product_id": r.product, "quantity": 2}]},
        ORDER,
        dry=False,
    ),
    "confirming": Case("sales", "confirm_order", lambda r: {"order_id": r.order}, ORDER),
    "cancelling": Case("sales", "cancel_order", lambda r: {"order_id": r.order}, ORDER),
    "a batch": Case(
        "batching",
        "batch",
        lambda r: {
            "items": [
                (write, {"model": "res.partner", "ids": [r.partner], "values": {"city": "x"}}),
                (confirm_order, {"order_id": r.order}),
            ]
        },
        ORDER,
        ("res.partner",),
        also=("res.partner",),
    ),
    "reading an order": Case(
        "sales", "get_order", lambda r: {"order_id": r.order}, ORDER, dry=False
    ),
    "an invoice by ids": Case(
        "accounting",
        "create_invoice",
        lambda r: {
            "partner_id": r.partner,
            "lines": [{"name": "Thing", "quantity": 1, "price_unit": 5.0}],
        },
        MOVE,
    ),
    "an invoice by names": Case(
        "accounting",
        "create_invoice",
        lambda r: {
            "partner_name": r.partner_name,
            "lines": [{"product_name": r.product_name, "quantity": 1}],
        },
        MOVE,
        (PARTNER, PRODUCT, TEMPLATE),
    ),
    "an invoice that is made": Case(
        "accounting",
        "create_invoice",
        lambda r: {
            "partner_id": r.partner,
            "lines": [{"name": "Thing", "quantity": 1, "price_unit": 5.0}],
        },
        MOVE,
        dry=False,
    ),
    "posting": Case("accounting", "post_invoice", lambda r: {"invoice_id": r.invoice}, MOVE),
    "a credit note": Case(
        "accounting", "create_credit_note", lambda r: {"invoice_id": r.posted}, MOVE
    ),
    "a payment": Case(
        "accounting",
        "register_payment",
        lambda r: {"invoice_ids": [r.posted]},
        MOVE,
    ),
    "a bank line": Case(
        "accounting",
        "match_bank_lines",
        lambda r: {
            "lines": [{"date": "2026-01-05", "amount": 2.5, "documents": [r.posted]}],
        },
        "account.bank.statement.line",
        (ITEM, MOVE, "account.bank.statement"),
        also=(ITEM, "account.bank.statement"),
    ),
    "a statement of account": Case(
        "accounting",
        "get_statement",
        lambda r: {"partner": r.partner},
        ITEM,
        (PARTNER,),
        dry=False,
    ),
    "reminders": Case(
        "accounting",
        "send_reminders",
        lambda r: {"partners": [r.partner]},
        MOVE,
        (ITEM, PARTNER),
    ),
    "a vendor's bill": Case(
        "purchase",
        "enter_bill",
        lambda r: {
            "order_id": r.purchase,
            "ref": f"List {r.purchase}",
            "invoice_date": "2025-01-15",
            "lines": [{"product_id": r.product, "quantity": 2, "price_unit": 5}],
        },
        MOVE,
        ("purchase.order",),
    ),
    "purchases to the payment": Case(
        "purchase",
        "process_orders",
        lambda r: {"orders": [r.purchase]},
        PURCHASE,
        (MOVE, PICKING),
        also=(MOVE, PICKING),
    ),
    "goods back to a vendor": Case(
        "purchase",
        "return_order",
        lambda r: {"order_id": r.received},
        PICKING,
        # What was billed is found by the lines of the order.
        (MOVE, PURCHASE, "purchase.order.line", "stock.move"),
        also=(MOVE,),
    ),
    "expenses together": Case(
        "hr",
        "process_expenses",
        lambda r: {"expenses": [r.expense]},
        EXPENSE,
        # The report, on the versions that have one.
        (SHEET,),
        also=(SHEET,),
    ),
    "an allocation": Case(
        "hr",
        "create_allocation",
        lambda r: {"leave_type_id": r.leave_type, "days": 2},
        "hr.leave.allocation",
    ),
    "a report that is attached": Case(
        "chatter.attachments",
        "attach_report",
        lambda r: {"report_name": "sale.report_saleorder", "record": r.order},
        ORDER,
    ),
    "a receipt": Case(
        "inventory",
        "create_transfer",
        lambda r: {
            "picking_type_name": "incoming",
            "lines": [{"product_id": r.product, "quantity": 1}],
        },
        "stock.picking",
    ),
    "a receipt that is made": Case(
        "inventory",
        "create_transfer",
        lambda r: {
            "picking_type_name": "incoming",
            "lines": [{"product_id": r.product, "quantity": 1}],
        },
        "stock.picking",
        dry=False,
    ),
    "a count": Case(
        "inventory",
        "count_stock",
        lambda r: {"lines": [{"product_id": r.goods, "quantity": 3}]},
        "stock.quant",
        (PLACE,),
    ),
    "a reordering rule": Case(
        "inventory",
        "set_reordering_rule",
        lambda r: {"product_id": r.goods, "minimum": 3},
        "stock.warehouse.orderpoint",
        (PLACE,),
    ),
    "reordering": Case(
        "inventory",
        "run_reordering_rules",
        lambda r: {"rules": [r.rule]},
        "stock.warehouse.orderpoint",
    ),
    "scrap": Case(
        "inventory",
        "scrap_product",
        lambda r: {"product_id": r.in_stock, "quantity": 1},
        "stock.scrap",
        (PLACE,),
    ),
    "late transfers": Case(
        "inventory",
        "find_late_transfers",
        lambda r: {},
        "stock.picking",
        (PLACE, PRODUCT, TEMPLATE, "stock.picking.type"),
        dry=False,
    ),
    "a ticket": Case(
        "helpdesk", "create_ticket", lambda r: {"name": "New ticket"}, "helpdesk.ticket"
    ),
    "a lead": Case("crm", "create_lead", lambda r: {"name": "New lead"}, LEAD),
    "a lead by names": Case(
        "crm",
        "create_lead",
        lambda r: {"name": "New lead", "partner_name": r.partner_name},
        LEAD,
        (PARTNER,),
    ),
    "a lead that is made": Case(
        "crm", "create_lead", lambda r: {"name": "Made lead"}, LEAD, dry=False
    ),
    "winning": Case("crm", "mark_won", lambda r: {"lead_id": r.opportunity}, LEAD),
    "losing": Case("crm", "mark_lost", lambda r: {"lead_id": r.opportunity}, LEAD),
    "converting": Case(
        "crm",
        "convert_to_opportunity",
        lambda r: {"lead_id": r.lead, "partner_id": r.partner},
        LEAD,
    ),
    "a project": Case(
        "project",
        "create_project",
        lambda r: {"name": "New project", "partner": r.partner},
        "project.project",
    ),
    "a project by names": Case(
        "project",
        "create_project",
        lambda r: {"name": "New project", "partner": r.partner_name},
        "project.project",
        (PARTNER,),
    ),
    "a project that is made": Case(
        "project",
        "create_project",
        lambda r: {"name": "Made project"},
        "project.project",
        dry=False,
    ),
    "converting with revenue and stage": Case(
        "crm",
        "convert_to_opportunity",
        lambda r: {"lead_id": r.lead, "expected_revenue": 5, "stage_name": r.stage_name},
        LEAD,
        ("crm.stage",),
    ),
    "a meeting": Case("calendar", "create_meeting", lambda r: _MEETING, EVENT),
    "a meeting by names": Case(
        "calendar",
        "create_meeting",
        lambda r: {**_MEETING, "attendees": [r.partner_name], "reminders": [17]},
        EVENT,
        (PARTNER, "calendar.alarm"),
        also=("calendar.alarm",),  # no other meeting has this reminder yet
    ),
    "a meeting that is made": Case(
        "calendar",
        "create_meeting",
        lambda r: {**_MEETING, "attendees": [r.partner], "reminders": [17], "invite": False},
        EVENT,
        ("calendar.alarm",),
        dry=False,
        also=("calendar.alarm",),
    ),
    "moving a meeting": Case(
        "calendar",
        "move_meeting",
        lambda r: {"meeting_id": r.meeting, "start": "2033-05-04T15:00", "timezone": "UTC"},
        EVENT,
    ),
    "cancelling a meeting": Case(
        "calendar", "cancel_meeting", lambda r: {"meeting_id": r.meeting}, EVENT
    ),
    "an agenda": Case(
        "calendar", "get_agenda", lambda r: {"person": r.partner, **_DAY}, EVENT, dry=False
    ),
    "free times": Case(
        "calendar", "find_times", lambda r: {"attendees": [r.partner], **_DAY}, EVENT, dry=False
    ),
    "an e-mail": Case(
        "mail",
        "send_document",
        lambda r: {"model": ORDER, "record_id": r.order, "to": [r.reader]},
        ORDER,
    ),
    "a message": Case(
        "chatter",
        "post_message",
        lambda r: {
            "model": ORDER,
            "record_id": r.order,
            "body": "x",
            "attachments": [{"name": "a.txt", "content_base64": "aGVsbG8="}],
        },
        ORDER,
        dry=False,
    ),
    "notes": Case(
        "chatter",
        "post_notes",
        lambda r: {"model": ORDER, "records": [r.order], "body": "x"},
        ORDER,
        dry=False,
    ),
    "a company": Case(
        "contacts",
        "create_company",
        lambda r: {
            "name": "Planned",
            "country": r.country,
            "people": [{"name": "Ann", "phone": "+32 9 900 900 900"}],
        },
        PARTNER,
    ),
    "a company that is made": Case(
        "contacts",
        "create_company",
        lambda r: {"name": uuid.uuid4().hex, "country": "BE", "people": [{"name": "Ann"}]},
        PARTNER,
        dry=False,
    ),
    "a company by names": Case(
        "contacts",
        "create_company",
        lambda r: {"name": uuid.uuid4().hex, "country": "Belgium"},
        PARTNER,
        ("res.country",),
    ),
    "whose number it is": Case(
        "contacts", "identify_contact", lambda r: {"email": "a@b.example"}, PARTNER, dry=False
    ),
    "duplicates": Case(
        "contacts", "find_duplicates", lambda r: {"contact_id": r.partner}, PARTNER, dry=False
    ),
    "merging": Case(
        "contacts",
        "merge_contacts",
        lambda r: {"contact_id": r.partner, "duplicates": [r.double]},
        PARTNER,
    ),
    "a new product": Case(
        "products", "create_product", lambda r: {"name": "Planned", "price": 5}, TEMPLATE
    ),
    "a product that is made": Case(
        "products",
        "create_product",
        lambda r: {"name": uuid.uuid4().hex, "price": 5, "cost": 2},
        TEMPLATE,
        dry=False,
    ),
    "new prices": Case(
        "products",
        "change_prices",
        lambda r: {"products": [r.template], "percent": 10},
        TEMPLATE,
    ),
    "a customer's price": Case(
        "products",
        "get_customer_price",
        lambda r: {"product_id": r.product, "partner_id": r.partner},
        PRODUCT,
        # It is as much about the customer and the price list.
        (PARTNER, PRICES, TEMPLATE, "product.pricelist.item", "product.category"),
        dry=False,
    ),
    "a price list": Case(
        "products",
        "create_price_list",
        lambda r: {"name": "Planned", "rules": [{"percent_off": 10}]},
        PRICES,
    ),
    "a task": Case(
        "project", "create_task", lambda r: {"name": "New task", "project_id": r.project}, TASK
    ),
    "a task by names": Case(
        "project",
        "create_task",
        lambda r: {"name": "New task", "project_name": r.project_name},
        TASK,
        ("project.project",),
    ),
    "a task that is made": Case(
        "project",
        "create_task",
        lambda r: {"name": "Made task", "project_id": r.project},
        TASK,
        dry=False,
    ),
    "a timesheet": Case(
        "project",
        "log_timesheet",
        lambda r: {"task_id": r.task, "hours": 1.5, "description": "Work"},
        "account.analytic.line",
        (TASK,),
    ),
}


@pytest.fixture
def records(admin: Odoo) -> Records:
    return Records(admin)


@pytest.fixture
def case(request: pytest.FixtureRequest, admin: Odoo) -> Case:
    found = CASES[request.param]
    if not admin.schema.has_model(found.writes):
        pytest.skip(f"Odoo {admin.version.major} has no {found.writes}")
    return found


@pytest.fixture
def limited(opened: Open, case: Case, tmp_path: Path) -> Odoo:
    """The administrator with exactly what the case should need on the lists."""
    policy = Policy(
        mode="restricted",
        model_allowlist=[case.writes, *case.names],
        write_allowlist=[case.writes, *case.also],
    )
    return opened("admin", policy=policy, history=History(tmp_path / "history.sqlite"))


@pytest.mark.parametrize("case", CASES, indirect=True)
def test_the_model_it_is_about_and_those_of_names_are_enough(
    case: Case, limited: Odoo, records: Records
) -> None:
    result = case.run(limited, records)
    warnings = [text for text in getattr(result, "warnings", []) if "cannot be" in text]
    assert [text for text in warnings if text != "Merging cannot be undone."] == []


@pytest.mark.every_version
@pytest.mark.parametrize("case", ["reading an order"], indirect=True)
def test_the_lines_of_an_order_are_part_of_it(case: Case, limited: Odoo, records: Records) -> None:
    (line,) = case.run(limited, records).lines
    assert line.quantity == 1
