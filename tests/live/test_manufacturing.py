"""Manufacturing, with Odoo's own figures; both users may work with manufacturing orders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs
import pytest

from odoo_toolkit import Odoo, records
from odoo_toolkit.apps import purchase
from odoo_toolkit.apps.inventory import create_transfer
from odoo_toolkit.apps.manufacturing import (
    Order,
    cancel_order,
    check_components,
    confirm_order,
    create_order,
    get_order,
    produce,
)
from odoo_toolkit.errors import (
    AccessError,
    NotFoundError,
    OdooError,
    StateError,
    ValidationError,
    WizardRequiredError,
)
from odoo_toolkit.operations.companies import acting_company
from odoo_toolkit.operations.lots import lot_model
from odoo_toolkit.plans import Plan
from odoo_toolkit.records.names import AmbiguousNameError
from tests.kit.examples import functions, run_example
from tests.live.sales_data import counted

pytestmark = [pytest.mark.every_version, pytest.mark.recorded]


@attrs.frozen(kw_only=True)
class Shop:
    """Makes products with stock, and bills of materials."""

    admin: Odoo
    tag: str

    def make(self, model: str, **values: Any) -> int:
        number = records.create(self.admin, model, values).id
        assert number
        return number

    def product(self, name: str, stock: float = 0, tracking: str = "none", **values: Any) -> int:
        """Make a product of which there are that many in stock."""
        storable = "is_storable" in self.admin.schema.fields("product.product")
        kind = {"is_storable": True} if storable else {"type": "product"}
        number = self.make(
            "product.product", name=f"{name} {self.tag}", tracking=tracking, **{**kind, **values}
        )
        if stock:
            received = create_transfer(
                self.admin,
                picking_type_name="incoming",
                lines=[{"product_id": number, "quantity": stock}],
                validate=True,
            )
            assert received.validated, received.warnings
        return number

    def lot(self, product: int, name: str, stock: float = 0) -> str:
        """Make a lot of which there are that many in stock, counted by hand."""
        company = acting_company(self.admin, "mrp.production")
        number = self.make(
            lot_model(self.admin),
            name=f"{name} {self.tag}",
            product_id=product,
            company_id=company,
        )
        if stock:
            warehouse = records.search_read(
                self.admin, "stock.warehouse", [["company_id", "=", company]], ["lot_stock_id"]
            )[0]
            quant = {"product_id": product, "lot_id": number, "inventory_quantity": stock}
            quant["location_id"] = warehouse["lot_stock_id"]["id"]
            made = records.create(
                self.admin, "stock.quant", quant, context={"inventory_mode": True}
            ).id
            if self.admin.version.major > 14:
                records.execute(self.admin, "stock.quant", "action_apply_inventory", [[made]])
        return f"{name} {self.tag}"

    def bill(self, product: int, parts: Mapping[int, float], **values: Any) -> int:
        """Make the bill of materials of a product."""
        template = records.read(self.admin, "product.product", [product], ["product_tmpl_id"])[0]
        lines = [[0, 0, {"product_id": p, "product_qty": q}] for p, q in parts.items()]
        return self.make(
            "mrp.bom",
            product_tmpl_id=template["product_tmpl_id"]["id"],
            bom_line_ids=lines,
            **values,
        )

    def on_hand(self, *products: int) -> list[float]:
        """Return what there is of products, as Odoo has it."""
        rows = records.read(self.admin, "product.product", list(products), ["qty_available"])
        return [float(row["qty_available"]) for row in rows]


@pytest.fixture
def shop(admin: Odoo, suffix: str) -> Shop:
    if not admin.schema.module_installed("mrp"):
        pytest.skip("The module mrp is not installed.")
    return Shop(admin=admin, tag=suffix)


def _order(odoo: Odoo, product: int, quantity: float, **options: Any) -> Order:
    made = create_order(odoo, product_id=product, quantity=quantity, **options)
    assert isinstance(made, Order)
    assert made.warnings == []
    return made


def _produce(odoo: Odoo, order: int, **options: Any) -> Order:
    return produce(odoo, order_id=order, **options)


def _state(odoo: Odoo, order: int) -> tuple[Any, ...]:
    """Return all of an order that a refused operation could have changed."""
    row = records.read(odoo, "mrp.production", [order], ["state", "qty_producing"])[0]
    domain = [["raw_material_production_id", "=", order]]
    moves = records.search_read(odoo, "stock.move", domain, ["state", "product_uom_qty"])
    return row["state"], row["qty_producing"], [sorted(move.items()) for move in moves]


def test_a_table_is_made_of_what_is_there(odoo: Odoo, shop: Shop) -> None:
    """From the question whether it can be made to the stock afterwards, with a work order."""
    wood, steel = shop.product("Wood", 20), shop.product("Steel", 5)
    table = shop.product("Table")
    saw = shop.make("mrp.workcenter", name=f"Saw {shop.tag}")
    cut = {"name": "Cut", "workcenter_id": saw, "time_cycle_manual": 30}
    bill = shop.bill(table, {wood: 2, steel: 1}, operation_ids=[[0, 0, cut]])
    found = check_components(odoo, product_name=f"Table {shop.tag}", quantity=7)
    assert (found.can_make, found.producible, found.bom.id) == (False, 5.0, bill)
    told = {item.product.id: (item.needed, item.free, item.missing) for item in found.components}
    assert told == {wood: (14.0, 20.0, 0.0), steel: (7.0, 5.0, 2.0)}
    assert [(step.name, step.minutes) for step in found.operations] == [("Cut", 30.0)]

    made = create_order(odoo, product_name=f"Table {shop.tag}", quantity=4, confirm=True)
    assert (made.state, made.available, made.warnings) == ("confirmed", True, [])
    order = get_order(odoo, order_name=made.name)
    assert (order.quantity, order.produced, order.available) == (4.0, 0.0, True)
    assert order.components
    assert {item.product.id: item.reserved for item in order.components} == {wood: 8.0, steel: 4.0}
    assert [work.duration_expected for work in order.work_orders] == [120.0]

    done = _produce(odoo, made.id)
    assert (done.state, done.produced, done.backorder) == ("done", 4.0, None)
    assert shop.on_hand(wood, steel, table) == [12.0, 1.0, 4.0]
    assert [work.state for work in get_order(odoo, order_id=made.id).work_orders] == ["done"]
    for again in (produce, cancel_order, confirm_order):
        with pytest.raises(StateError, match="done") as raised:
            again(odoo, order_id=made.id)
        assert raised.value.details["current_state"] == "done"
    assert shop.on_hand(wood, steel, table) == [12.0, 1.0, 4.0]


def test_work_centers_are_chosen_with_odoos_own_times(odoo: Odoo, shop: Shop) -> None:
    """Each way takes the time that Odoo expects of a work order there; other ones are refused."""
    wood, table, twin = (
        shop.product("Wood", standard_price=3.0),
        shop.product("T"),
        shop.product("U"),
    )
    fields = odoo.schema.fields("mrp.workcenter")
    half = {name: 2 for name in ("capacity", "default_capacity") if name in fields}
    times = {"time_start": 5, "time_stop": 3, "time_efficiency": 50}
    saw = shop.make("mrp.workcenter", name=f"Saw {shop.tag}", costs_hour=60, **times, **half)
    bench = shop.make("mrp.workcenter", name=f"Bench {shop.tag}", costs_hour=30, time_start=1)
    oven = shop.make("mrp.workcenter", name=f"Oven {shop.tag}")
    beside = {"alternative_workcenter_ids": [[6, 0, [bench]]]}
    records.write(shop.admin, "mrp.workcenter", [saw], beside)
    if not half:
        size = {"workcenter_id": saw, "product_id": table, "capacity": 2}
        shop.make("mrp.workcenter.capacity", **size, time_start=9, time_stop=1)
    cut, paint = {"name": "Cut", "time_cycle_manual": 10}, {"name": "Paint", "time_cycle_manual": 7}
    painted = [0, 0, {**paint, "workcenter_id": bench}]
    shop.bill(table, {wood: 2}, operation_ids=[[0, 0, {**cut, "workcenter_id": saw}], painted])
    # The same with the alternative in the bill itself: Odoo's own figure for it.
    shop.bill(twin, {wood: 2}, operation_ids=[[0, 0, {**cut, "workcenter_id": bench}], painted])

    found = check_components(odoo, product_id=table, quantity=5)
    own, other = found.operations[0].ways
    assert (own.workcenter.id, other.workcenter.id, other.alternative) == (saw, bench, True)
    assert own.minutes == (68.0 if half else 70.0)
    assert (own.cost, own.load_minutes, own.capacity) == (own.minutes, 0.0, 2.0)
    assert (found.minutes, found.component_cost) == (own.minutes + 36.0, 30.0)

    usual = _order(odoo, table, 5)
    assert [work.duration_expected for work in usual.work_orders] == [own.minutes, 36.0]
    odoos = _order(odoo, twin, 5)
    plan = create_order(odoo, product_id=table, quantity=5, workcenter_id=bench, dry_run=True)
    assert isinstance(plan, Plan)
    assert f"Cut at Bench {shop.tag}" in plan.message
    deadline = "2031-02-03T10:00:00Z"
    there = _order(
        odoo,
        table,
        5,
        workcenter_id=f"Bench {shop.tag}",
        deadline=deadline,
        origin=f"SO {shop.tag}",
        confirm=True,
    )
    assert (there.origin, there.date_deadline, there.warnings) == (f"SO {shop.tag}", deadline, [])
    works = get_order(odoo, order_id=there.id).work_orders
    assert [work.workcenter and work.workcenter.id for work in works] == [bench, bench]
    figures = [work.duration_expected for work in odoos.work_orders]
    assert [work.duration_expected for work in works] == figures == [other.minutes, 36.0]
    load = check_components(odoo, product_id=table).operations[0].ways
    row = records.read(shop.admin, "mrp.workcenter", [bench], ["workcenter_load"])[0]
    assert load[1].load_minutes == row["workcenter_load"] > 0

    before = records.count(odoo, "mrp.production", [["product_id", "=", table]])
    for wrong, error in ((oven, ValidationError), (f"No {shop.tag}", NotFoundError)):
        with pytest.raises(error):
            create_order(odoo, product_id=table, workcenter_id=wrong)
    with pytest.raises(ValidationError, match="deadline"):
        create_order(odoo, product_id=table, deadline="soon")
    assert records.count(odoo, "mrp.production", [["product_id", "=", table]]) == before
    late = create_order(odoo, product_id=table, deadline="2020-01-31")
    assert isinstance(late, Order)
    assert "after the deadline" in late.warnings[0]


def test_components_due_before_the_deadline_are_not_missing(odoo: Odoo, shop: Shop) -> None:
    wood, table = shop.product("Wood", 3), shop.product("Table")
    shop.bill(table, {wood: 1})
    vendor = shop.make("res.partner", name=f"Vendor {shop.tag}")
    line = {"product_id": wood, "quantity": 4, "price_unit": 1, "date_planned": "2031-02-03"}
    bought = purchase.create_order(shop.admin, partner_id=vendor, lines=[line], confirm=True)
    found = check_components(odoo, product_id=table, quantity=5, deadline="2031-02-10")
    (part,) = found.components
    assert (found.can_make, part.missing, part.coming) == (True, 0.0, 2.0)
    assert [receipt.source for receipt in part.receipts] == [bought.name]
    early = check_components(odoo, product_id=table, quantity=5, deadline="2031-02-01")
    assert (early.can_make, early.components[0].missing) == (False, 2.0)


def test_a_part_leaves_a_backorder_or_drops_the_rest(odoo: Odoo, shop: Shop) -> None:
    wood, table = shop.product("Wood", 20), shop.product("Table")
    shop.bill(table, {wood: 2})
    first = _produce(odoo, _order(odoo, table, 5, confirm=True).id, quantity=2)
    assert (first.state, first.produced) == ("done", 2.0)
    rest = get_order(odoo, order_id=first.backorder.id)
    assert (rest.state, rest.quantity, rest.available) == ("confirmed", 3.0, True)
    assert [(other.id, other.state) for other in rest.backorders] == [(first.id, "done")]
    assert shop.on_hand(wood, table) == [16.0, 2.0]
    last = _produce(odoo, rest.id, quantity=1, backorder=False)
    assert (last.state, last.produced, last.backorder) == ("done", 1.0, None)
    assert shop.on_hand(wood, table) == [14.0, 3.0]
    # Nothing is reserved any more for what was dropped.
    assert check_components(odoo, product_id=table, quantity=7).can_make


def test_by_products_are_made_too(odoo: Odoo, shop: Shop) -> None:
    wood, dust, table = shop.product("Wood", 20), shop.product("Dust"), shop.product("Table")
    unit = records.read(shop.admin, "product.product", [dust], ["uom_id"])[0]["uom_id"]["id"]
    besides = [[0, 0, {"product_id": dust, "product_qty": 3, "product_uom_id": unit}]]
    shop.bill(table, {wood: 2}, byproduct_ids=besides)
    first = _produce(odoo, _order(odoo, table, 3, confirm=True).id, quantity=1)
    assert shop.on_hand(wood, dust, table) == [18.0, 3.0, 1.0]
    _produce(odoo, first.backorder.id)
    assert shop.on_hand(wood, dust, table) == [14.0, 9.0, 3.0]


def test_a_draft_is_confirmed_and_produced_in_one_go(odoo: Odoo, shop: Shop) -> None:
    wood, table = shop.product("Wood", 3), shop.product("Table")
    shop.bill(table, {wood: 1})
    draft = _order(odoo, table, 3, date="2031-02-03T04:05:06Z")
    assert (draft.state, draft.date, draft.available) == ("draft", "2031-02-03T04:05:06Z", True)
    with counted(odoo) as methods:
        done = _produce(odoo, draft.id)
    assert len(methods) <= 8, methods
    assert (done.state, done.produced) == ("done", 3.0)
    assert shop.on_hand(wood, table) == [0.0, 3.0]


def test_a_shortage_is_told_and_nothing_is_written(odoo: Odoo, shop: Shop) -> None:
    """Odoo itself would take what is not there."""
    wood, table = shop.product("Wood", 3), shop.product("Table")
    shop.bill(table, {wood: 2})
    made = _order(odoo, table, 2, confirm=True)
    assert (made.state, made.available) == ("confirmed", False)
    assert [(item.product.id, item.missing) for item in made.missing] == [(wood, 1.0)]
    before = _state(odoo, made.id)
    with pytest.raises(StateError, match="3 of 4") as raised:
        produce(odoo, order_id=made.id)
    assert raised.value.details["missing"][0]["missing"] == 1.0
    assert (_state(odoo, made.id), shop.on_hand(wood, table)) == (before, [3.0, 0.0])
    done = _produce(odoo, made.id, unreserved=True)
    assert done.state == "done"
    assert shop.on_hand(wood, table) == [-1.0, 2.0]


def test_more_than_ordered_is_made_only_when_said(odoo: Odoo, shop: Shop) -> None:
    wood, table = shop.product("Wood", 20), shop.product("Table")
    shop.bill(table, {wood: 2})
    made = _order(odoo, table, 2, confirm=True)
    before = _state(odoo, made.id)
    with pytest.raises(StateError, match="are left to produce"):
        produce(odoo, order_id=made.id, quantity=3)
    assert _state(odoo, made.id) == before
    done = _produce(odoo, made.id, quantity=3, allow_more=True)
    assert (done.state, done.produced) == ("done", 3.0)
    assert shop.on_hand(wood, table) == [14.0, 3.0]


def test_other_quantities_of_components_are_used_when_said(odoo: Odoo, shop: Shop) -> None:
    wood, steel, table = shop.product("Wood", 9), shop.product("Steel", 9), shop.product("Table")
    shop.bill(table, {wood: 2, steel: 1})
    made = _order(odoo, table, 2, confirm=True)
    lines = [{"product_name": f"Wood {shop.tag}", "quantity": 7}]
    done = _produce(odoo, made.id, lines=lines)
    assert done.state == "done"
    assert shop.on_hand(wood, steel, table) == [2.0, 7.0, 2.0]
    strict = shop.bill(table, {wood: 1}, consumption="strict")
    made = _order(odoo, table, 1, bom_id=strict)
    before = _state(odoo, made.id)
    with pytest.raises(StateError, match="strict"):
        produce(odoo, order_id=made.id, lines=[{"product_id": wood, "quantity": 2}])
    with pytest.raises(ValidationError, match="not an open component"):
        produce(odoo, order_id=made.id, lines=[{"product_id": steel, "quantity": 2}])
    assert _state(odoo, made.id) == before


def test_what_was_entered_in_odoo_stays(odoo: Odoo, shop: Shop) -> None:
    wood, steel, table = shop.product("Wood", 9), shop.product("Steel", 9), shop.product("Table")
    shop.bill(table, {wood: 2, steel: 1})
    made = _order(odoo, table, 2, confirm=True)
    domain = [["raw_material_production_id", "=", made.id], ["product_id", "=", wood]]
    (move,) = records.search_read(odoo, "stock.move", domain, ["id"]).records
    picked = "picked" in odoo.schema.fields("stock.move")
    values = {"quantity": 3, "picked": True} if picked else {"quantity_done": 3}
    records.write(odoo, "mrp.production", [made.id], {"qty_producing": 2})
    records.write(odoo, "stock.move", [move["id"]], values)
    # It is not what the bill says: Odoo asks, and whoever means it says so.
    with pytest.raises(WizardRequiredError, match=r"mrp\.consumption\.warning"):
        produce(odoo, order_id=made.id)
    assert shop.on_hand(wood, steel, table) == [9.0, 9.0, 0.0]
    done = _produce(odoo, made.id, lines=[{"product_id": wood, "quantity": 3}])
    assert done.state == "done"
    assert shop.on_hand(wood, steel, table) == [6.0, 7.0, 2.0]


def test_lots_of_components_and_of_the_product(odoo: Odoo, shop: Shop) -> None:
    """Those that are reserved, else those that are named; a new lot of what is made."""
    milk, cheese = shop.product("Milk", tracking="lot"), shop.product("Cheese", tracking="lot")
    monday, tuesday = shop.lot(milk, "Monday", 5), shop.lot(milk, "Tuesday", 9)
    shop.bill(cheese, {milk: 2})
    made = _order(odoo, cheese, 1, confirm=True)
    order = get_order(odoo, order_id=made.id)
    assert order.components
    assert order.components[0].lots == [monday]
    done = _produce(odoo, made.id, lots=[f"C1 {shop.tag}"])
    assert [lot.name for lot in done.lots] == [f"C1 {shop.tag}"]
    assert done.state == "done"

    made = _order(odoo, cheese, 3, confirm=True)
    lines = [
        {"product_id": milk, "lots": [tuesday], "quantity": 5},
        {"product_id": milk, "lots": [monday], "quantity": 1},
    ]
    done = _produce(odoo, made.id, lines=lines)
    assert done.state == "done", done
    assert len(done.lots) == 1
    used = get_order(odoo, order_id=made.id).components
    assert used
    assert sorted(used[0].lots) == [monday, tuesday]
    assert _in_lots(odoo, milk) == {monday: 2.0, tuesday: 4.0}
    # In part, of what is reserved; the rest keeps its reservation.
    made = _order(odoo, cheese, 2, confirm=True)
    done = _produce(odoo, made.id, quantity=1, lots=[f"C1 {shop.tag}"])
    assert shop.on_hand(milk, cheese) == [4.0, 5.0]
    assert _produce(odoo, done.backorder.id).state == "done"
    assert shop.on_hand(milk, cheese) == [2.0, 6.0]


def _in_lots(odoo: Odoo, product: int) -> dict[str, float]:
    domain = [["product_id", "=", product], ["location_id.usage", "=", "internal"]]
    rows = records.search_read(odoo, "stock.quant", domain, ["lot_id", "quantity"])
    return {row["lot_id"]["name"]: row["quantity"] for row in rows if row["quantity"]}


def test_wrong_lots_write_nothing(odoo: Odoo, shop: Shop) -> None:
    milk, cheese = shop.product("Milk", tracking="lot"), shop.product("Cheese", tracking="lot")
    salt = shop.product("Salt", 9)
    monday = shop.lot(milk, "Monday", 5)
    foreign = shop.lot(cheese, "Foreign")
    shop.bill(cheese, {milk: 2, salt: 1})
    made = _order(odoo, cheese, 1)
    before = _state(odoo, made.id)
    wrong: list[dict[str, Any]] = [
        {"lines": [{"product_id": milk, "lots": [foreign]}]},
        {"lines": [{"product_id": milk, "lots": ["unknown"]}]},
        {"lines": [{"product_id": milk, "lots": [monday], "quantity": 6}]},
        {"lines": [{"product_id": milk, "lots": [monday, monday]}]},
        {"lines": [{"product_id": salt, "lots": [monday]}]},
        {"lines": [{"product_id": milk}]},
        {"lines": [{"product_id": milk, "quantity": -1}]},
        {"lots": [monday]},
        {"lots": ["A", "B"]},
        {"lots": ["A", "A"]},
        {"quantity": 0},
        {"quantity": -1},
    ]
    for options in wrong:
        with pytest.raises(OdooError) as raised:
            produce(odoo, order_id=made.id, **options)
        assert isinstance(raised.value, (ValidationError, NotFoundError)), options
    # In a draft nothing is reserved: which lot is not known.
    with pytest.raises(ValidationError, match="tracked by lot") as raised:
        produce(odoo, order_id=made.id)
    assert monday in raised.value.suggestion
    assert _state(odoo, made.id) == before
    assert shop.on_hand(milk, cheese, salt) == [5.0, 0.0, 9.0]


def test_serial_numbers_one_per_piece(odoo: Odoo, shop: Shop) -> None:
    """To 18 one order per piece, from 19 on several in one."""
    chip, phone = shop.product("Chip", tracking="serial"), shop.product("Phone", tracking="serial")
    chips = [shop.lot(chip, f"K{n}", 1) for n in range(3)]
    shop.bill(phone, {chip: 1})
    made = _order(odoo, phone, 2, confirm=True)
    names = [f"P{n} {shop.tag}" for n in range(2)]
    before = _state(odoo, made.id)
    if odoo.version.major < 19:
        with pytest.raises(StateError, match="one at a time"):
            produce(odoo, order_id=made.id, lots=names)
        assert _state(odoo, made.id) == before
        first = _produce(odoo, made.id, quantity=1, lots=names[:1])
        assert first.backorder, first
        last = _produce(odoo, first.backorder.id, lots=names[1:])
        made_of = [*first.lots, *last.lots]
    else:
        last = _produce(odoo, made.id, lots=names)
        made_of = last.lots
    assert last.state == "done", last
    assert [lot.name for lot in made_of] == names
    assert shop.on_hand(chip, phone) == [1.0, 2.0]
    left = next(name for name in chips if name in _in_lots(odoo, chip))
    order = _order(odoo, phone, 1, confirm=True)
    before = _state(odoo, order.id)
    with pytest.raises(ValidationError, match="already in use"):
        produce(odoo, order_id=order.id, lots=names[:1])
    gone = next(name for name in chips if name != left)
    with pytest.raises(ValidationError, match="in stock"):
        produce(odoo, order_id=order.id, lines=[{"product_id": chip, "lots": [gone]}])
    assert _state(odoo, order.id) == before
    done = _produce(odoo, order.id, lines=[{"product_id": chip, "lots": [left]}])
    assert (done.state, len(done.lots)) == ("done", 1)


def test_kits_dozens_and_other_bills(odoo: Odoo, shop: Shop) -> None:
    """A kit among the components is replaced by what is in it, in Odoo's order as in the answer."""
    units = [["name", "ilike", "dozen"], ["active", "in", [True, False]]]
    dozen = records.search_read(shop.admin, "uom.uom", units, ["id"])[0]["id"]
    screw, plate, glue = shop.product("Screw", 100), shop.product("Plate", 10), shop.product("Glue")
    kit, table = shop.product("Kit"), shop.product("Table")
    shop.bill(kit, {screw: 4, plate: 1}, type="phantom")
    shop.bill(table, {kit: 2, glue: 1}, product_uom_id=dozen, sequence=1)
    other = shop.bill(table, {plate: 3}, sequence=99)
    found = check_components(odoo, product_id=table, quantity=24)
    needed = {item.product.id: item.needed for item in found.components}
    assert needed == {screw: 16.0, plate: 4.0, glue: 2.0}
    assert [row.id for row in found.other_boms] == [other]
    made = _order(odoo, table, 24)
    assert made.quantity == 24.0
    components = get_order(odoo, order_id=made.id).components
    assert components
    assert {item.product.id: item.needed for item in components} == needed
    assert [item.product.id for item in components if item.missing] == [glue]
    chosen = _order(odoo, table, 2, bom_id=other)
    assert chosen.bom.id == other
    assert check_components(odoo, bom_id=other, quantity=4).components[0].missing == 2.0
    for act in (check_components, create_order):
        with pytest.raises(StateError, match="is a kit"):
            act(odoo, product_id=kit)
        with pytest.raises(ValidationError, match="does not belong to"):
            act(odoo, product_id=screw, bom_id=other)


# One explosion ----------------------------------------------------------------------------------


def _consumed(shop: Shop, domain: list[Any]) -> dict[int, float]:
    """Return how much Odoo itself takes of each product, in that product's unit."""
    moves = records.search_read(shop.admin, "stock.move", domain, ["product_id", "product_qty"])
    found: dict[int, float] = {}
    for move in moves:
        number = move["product_id"]["id"]
        found[number] = found.get(number, 0.0) + move["product_qty"]
    return {number: round(quantity, 4) for number, quantity in found.items()}


def _agree(shop: Shop, product: int, quantity: float) -> dict[int, float]:
    """Return what Odoo puts into an order, once the library has said the same twice."""
    order = _order(shop.admin, product, quantity).id
    taken = _consumed(shop, [["raw_material_production_id", "=", order]])
    checked = check_components(shop.admin, product_id=product, quantity=quantity).components
    assert {item.product.id: round(item.needed, 4) for item in checked} == taken
    made = purchase.get_supply(shop.admin, product_id=product, quantity=quantity).making
    assert {item.product.id: round(item.missing, 4) for item in made.short} == taken
    return taken


def test_a_component_is_for_variants_that_have_a_value_of_each_attribute(shop: Shop) -> None:
    """Within an attribute one value is enough, and all the attributes of a line must match."""
    values: dict[str, int] = {}
    lines = []
    for attribute, names in (("Colour", ("red", "blue")), ("Size", ("M", "L"))):
        number = shop.make("product.attribute", name=f"{attribute} {shop.tag}")
        made = [
            shop.make("product.attribute.value", name=name, attribute_id=number) for name in names
        ]
        values |= dict(zip(names, made, strict=True))
        lines.append([0, 0, {"attribute_id": number, "value_ids": [[6, 0, made]]}])
    shirt = shop.make("product.template", name=f"Shirt {shop.tag}", attribute_line_ids=lines)
    own = records.search_read(
        shop.admin,
        "product.template.attribute.value",
        [["product_tmpl_id", "=", shirt]],
        ["product_attribute_value_id"],
    )
    of_value = {row["product_attribute_value_id"]["id"]: row["id"] for row in own}
    named = {name: of_value[number] for name, number in values.items()}
    cloth, badge, label = (shop.product(name) for name in ("Cloth", "Badge", "Label"))
    only = "bom_product_template_attribute_value_ids"
    parts = ((cloth, ()), (badge, ("red", "L")), (label, ("red", "blue", "M")))
    shop.make(
        "mrp.bom",
        product_tmpl_id=shirt,
        bom_line_ids=[
            [0, 0, {"product_id": part, only: [[6, 0, [named[name] for name in names]]]}]
            for part, names in parts
        ],
    )
    variants = records.search_read(
        shop.admin,
        "product.product",
        [["product_tmpl_id", "=", shirt]],
        ["product_template_attribute_value_ids"],
    )
    taken = {}
    for row in variants:
        has = {name for name in named if named[name] in row["product_template_attribute_value_ids"]}
        taken[frozenset(has)] = set(_agree(shop, row["id"], 3))
    assert taken == {
        frozenset({"red", "M"}): {cloth, label},
        frozenset({"red", "L"}): {cloth, badge},
        frozenset({"blue", "M"}): {cloth, label},
        frozenset({"blue", "L"}): {cloth},
    }


def test_kits_and_units_are_counted_as_odoo_counts_them(shop: Shop) -> None:
    """Kits within kits, bills and lines in dozens, and a component that is bought as well."""
    units = [["name", "ilike", "dozen"], ["active", "in", [True, False]]]
    dozen = records.search_read(shop.admin, "uom.uom", units, ["id"])[0]["id"]
    screw, plate, box, leg = (shop.product(name) for name in ("Screw", "Plate", "Box", "Leg"))
    work = shop.make("product.product", name=f"Work {shop.tag}", type="service")
    inner, kit, table = (shop.product(name) for name in ("Inner", "Kit", "Table"))
    shop.bill(inner, {screw: 5, plate: 1}, type="phantom", product_qty=3)
    shop.bill(kit, {inner: 2, screw: 1}, type="phantom", product_uom_id=dozen)
    # The first bill of legs makes them, the second one is a kit, by which Odoo takes them apart.
    shop.bill(leg, {plate: 2}, sequence=1)
    shop.bill(leg, {screw: 7}, type="phantom", sequence=5)
    bill = shop.bill(table, {kit: 4, leg: 4, work: 1}, product_uom_id=dozen, product_qty=1)
    in_dozens = {"bom_id": bill, "product_id": box, "product_qty": 1, "product_uom_id": dozen}
    shop.make("mrp.bom.line", **in_dozens)
    for quantity in (12, 7, 1):
        assert set(_agree(shop, table, quantity)) == {screw, plate, box}


def test_a_kit_is_delivered_as_what_is_in_it(shop: Shop) -> None:
    screw, plate, kit = (shop.product(name) for name in ("Screw", "Plate", "Kit"))
    inner = shop.product("Inner")
    shop.bill(inner, {screw: 4}, type="phantom")
    shop.bill(kit, {inner: 2, plate: 1}, type="phantom", product_qty=2)
    sent = create_transfer(
        shop.admin,
        picking_type_name="outgoing",
        lines=[{"product_id": kit, "quantity": 3}],
    )
    records.execute(shop.admin, "stock.picking", "action_confirm", [[sent.id]])
    made = purchase.get_supply(shop.admin, product_id=kit, quantity=3).making
    assert made.kit
    missing = {item.product.id: item.missing for item in made.short}
    assert missing == _consumed(shop, [["picking_id", "=", sent.id]]) == {screw: 12.0, plate: 1.5}


def test_cancelling(odoo: Odoo, shop: Shop) -> None:
    wood, table = shop.product("Wood", 3), shop.product("Table")
    shop.bill(table, {wood: 2})
    made = _order(odoo, table, 1, confirm=True)
    planned = cancel_order(odoo, order_id=made.id, dry_run=True)
    assert isinstance(planned, Plan)
    assert get_order(odoo, order_id=made.id).state == "confirmed"
    gone = cancel_order(odoo, order_name=made.name)
    assert (gone.state, gone.message) == ("cancel", f"{made.name} is cancelled.")
    again = cancel_order(odoo, order_id=made.id)
    assert isinstance(again, Order)
    assert "already" in again.message
    with pytest.raises(StateError, match="cancelled"):
        produce(odoo, order_id=made.id)
    # Its components are free again.
    assert check_components(odoo, product_id=table).components[0].free == 3.0


def test_bad_input_writes_nothing(odoo: Odoo, shop: Shop) -> None:
    wood, table = shop.product("Wood", 3), shop.product("Table")
    shop.product("Twin A"), shop.product("Twin B")
    of_ours = [["product_id.name", "like", shop.tag]]
    before = records.count(odoo, "mrp.production", of_ours).count
    for quantity in (0, -1, "two", float("inf")):
        with pytest.raises(ValidationError, match="quantity"):
            create_order(odoo, product_id=table, quantity=quantity)
    with pytest.raises(NotFoundError, match="no bill of materials"):
        create_order(odoo, product_id=table)
    shop.bill(table, {wood: 2})
    with pytest.raises(OdooError, match="date"):
        create_order(odoo, product_id=table, date="soon")
    with pytest.raises(NotFoundError):
        create_order(odoo, product_id=2**30)
    with pytest.raises(NotFoundError):
        create_order(odoo, product_name=f"Chair {shop.tag}")
    with pytest.raises(NotFoundError):
        create_order(odoo, bom_id=2**30)
    with pytest.raises(AmbiguousNameError):
        create_order(odoo, product_name="Twin")
    for act in (produce, cancel_order, get_order, confirm_order):
        with pytest.raises(NotFoundError):
            act(odoo, order_id=2**30)
    planned = create_order(odoo, product_id=table, quantity=2, confirm=True, dry_run=True)
    assert [call.method for call in planned.calls[:2]] == ["create", "action_confirm"]
    assert records.count(odoo, "mrp.production", of_ours).count == before


def test_what_cannot_be_made_is_refused(odoo: Odoo, shop: Shop) -> None:
    wood, table, kit = shop.product("Wood", 3), shop.product("Table"), shop.product("Kit")
    shop.bill(kit, {wood: 1}, type="phantom")
    bill = shop.bill(table, {wood: 2})
    saw = shop.make("mrp.workcenter", name=f"Saw {shop.tag}")
    wrong: list[tuple[dict[str, Any], type[OdooError], str]] = [
        ({"product_id": wood}, NotFoundError, "no bill of materials"),
        ({"product_id": kit}, StateError, "is a kit"),
        ({"product_id": wood, "bom_id": bill}, ValidationError, "does not belong to Wood"),
        ({"product_id": 2**30}, NotFoundError, "no product"),
        ({"bom_id": 2**30}, NotFoundError, "no bill of materials with id"),
        ({}, ValidationError, "is needed"),
        ({"product_id": table, "workcenter_id": saw}, ValidationError, f"work center {saw}"),
    ]
    for options, error, text in wrong:
        for act in (check_components, create_order):
            with pytest.raises(error, match=text) as raised:
                act(odoo, **options)
            assert raised.value.outcome == "refused"
    assert "has no operations" in raised.value.suggestion
    assert records.count(odoo, "mrp.production", [["product_id", "=", table]]).count == 0


def test_what_cannot_be_produced_is_refused(odoo: Odoo, shop: Shop) -> None:
    wood, table = shop.product("Wood", 9), shop.product("Table")
    milk, cheese = shop.product("Milk", tracking="lot"), shop.product("Cheese", tracking="lot")
    monday = shop.lot(milk, "Monday", 5)
    shop.bill(table, {wood: 2})
    shop.bill(cheese, {milk: 2})
    of_wood, of_milk = (_order(odoo, what, 2, confirm=True).id for what in (table, cheese))
    before = _state(odoo, of_wood), _state(odoo, of_milk)
    wrong: list[tuple[int, dict[str, Any], str]] = [
        (of_wood, {"quantity": float("nan")}, "number"),
        (of_wood, {"lots": ["A"]}, "not tracked"),
        (of_wood, {"lots": ["A", "A"]}, "twice"),
        (of_wood, {"lots": [""]}, "list of strings"),
        (of_wood, {"lines": []}, "lines is empty"),
        (of_wood, {"lines": [{"product_id": wood}]}, "neither a quantity nor lots"),
        (of_wood, {"lines": [{"product_id": wood, "quantity": -1}]}, "negative"),
        (of_wood, {"lines": [{"product_id": wood, "amount": 1}]}, "unknown key"),
        (of_wood, {"lines": [{"product_id": wood, "lots": [monday]}]}, "not tracked"),
        (of_milk, {"lots": ["A", "B"]}, "need one lot"),
        (of_milk, {"lots": [monday]}, "a lot of Milk"),
    ]
    for order, options, text in wrong:
        with pytest.raises(ValidationError, match=text):
            produce(odoo, order_id=order, **options)
    lines = [{"product_name": f"Chair {shop.tag}", "quantity": 1}]
    with pytest.raises(NotFoundError, match="Chair"):
        produce(odoo, order_id=of_wood, lines=lines)
    assert (_state(odoo, of_wood), _state(odoo, of_milk)) == before


def test_a_lot_that_is_not_reserved_is_taken_from_where_it_lies(odoo: Odoo, shop: Shop) -> None:
    milk, cheese = shop.product("Milk", tracking="lot"), shop.product("Cheese")
    shop.bill(cheese, {milk: 2})
    made = _order(odoo, cheese, 3, confirm=True)
    monday = shop.lot(milk, "Monday", 5)
    lines = [{"product_id": milk, "lots": [monday]}]
    with pytest.raises(ValidationError, match="in stock"):
        produce(odoo, order_id=made.id, lines=lines)
    assert _produce(odoo, made.id, lines=lines, unreserved=True).state == "done"
    assert (_in_lots(odoo, milk), shop.on_hand(cheese)) == ({monday: -1.0}, [3.0])


@pytest.mark.parametrize("act", functions("manufacturing"))
def test_the_example_of_a_function_runs(admin: Odoo, shop: Shop, act: Callable[..., Any]) -> None:
    wood, steel, table = [shop.product(name, 20) for name in ("Wood", "Steel", "Table")]
    shop.bill(table, {wood: 2, steel: 1})
    order = _order(admin, table, 4, confirm=True)
    called = {name: f"{name} {shop.tag}" for name in ("Wood", "Steel", "Table")}
    run_example(act, admin, {**called, "WH/MO/5": order.name}, {r"WH/MO/\d{5}": "WH/MO/6"})


def test_stock_that_came_later_is_reserved(odoo: Odoo, shop: Shop) -> None:
    wood, table = shop.product("Wood"), shop.product("Table")
    shop.bill(table, {wood: 2})
    made = _order(odoo, table, 1, confirm=True)
    assert made.available is False
    lines = [{"product_id": wood, "quantity": 2}]
    create_transfer(shop.admin, picking_type_name="incoming", lines=lines, validate=True)
    confirmed = confirm_order(odoo, order_id=made.id)
    assert confirmed.available
    components = get_order(odoo, order_id=made.id).components
    assert components
    assert components[0].reserved == 2.0


def test_without_rights_nothing_is_read_or_written(ordinary: Odoo, admin: Odoo, shop: Shop) -> None:
    """A user without manufacturing rights; what the demo user may do differs by version."""
    wood, table = shop.product("Wood", 3), shop.product("Table")
    shop.bill(table, {wood: 2})
    made = _order(admin, table, 1, confirm=True)
    of_table = [["product_id", "=", table]]
    before = _state(admin, made.id), records.count(admin, "mrp.production", of_table).count
    for act in (produce, cancel_order, get_order, confirm_order):
        with pytest.raises((AccessError, NotFoundError)):
            act(ordinary, order_id=made.id)
    for make in (check_components, create_order):
        with pytest.raises(AccessError):
            make(ordinary, product_id=table)
    now = _state(admin, made.id), records.count(admin, "mrp.production", of_table).count
    assert now == before
