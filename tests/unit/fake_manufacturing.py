"""A workshop in memory: a bill of materials and an order, on any version."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.apps.manufacturing.bills import VARIANTS
from odoo_toolkit.call import Call
from odoo_toolkit.policy import Policy
from tests.unit.scripted import Scripted, contents, recorded

FIELDS = recorded("manufacturing")
TABLE, WOOD, STEEL, KIT, MILK = 1, 2, 3, 4, 5
BILL, BILL_OF_DOZENS, BILL_OF_KIT = 1, 2, 3
UNIT, DOZEN = 1, 2
STOCK, SHELF, PRODUCTION = 8, 9, 15
ORDER, WOOD_MOVE, STEEL_MOVE, MILK_MOVE = 5, 51, 52, 53

OTHERS: dict[str, dict[str, str]] = {
    "product.template": {
        "name": "char",
        "product_variant_ids": "one2many product.product product_tmpl_id",
    },
    "product.template.attribute.line": {"name": "char"},
    "mrp.bom.byproduct": {"name": "char"},
    "mrp.workcenter": {
        "name": "char",
        "routing_line_ids": "one2many mrp.routing.workcenter workcenter_id",
        "alternative_workcenter_ids": "many2many mrp.workcenter",
        "resource_calendar_id": "many2one resource.calendar",
        "working_state": "selection",
        **dict.fromkeys(("time_start", "time_stop", "time_efficiency"), "float"),
        **dict.fromkeys(("costs_hour", "workcenter_load"), "float"),
    },
    "resource.calendar": {"name": "char", "hours_per_day": "float"},
    "mrp.consumption.warning": {"mrp_production_ids": "many2many mrp.production"},
    "res.company": {"name": "char"},
    "res.users": {"name": "char"},
    "procurement.group": {"name": "char"},
    "mrp.production.group": {"name": "char"},
    "stock.picking.type": {"name": "char"},
    "stock.location": {
        "name": "char",
        "usage": "selection",
        "parent_id": "many2one stock.location",
    },
}


class Workshop(Scripted):
    """A bill of a table (2 wood, 1 steel), and the order 5 for four tables, on some version.

    Args:
        major: the version.
        order: what differs of the order.
        wood: what differs of its move of wood, of which 8 are reserved.
        milk: the lines of a component tracked by lots, of which the order needs 8, as pairs of lot
            and reserved quantity; None for no such component.
        tracking: of the product.
        free: how much of each product is not reserved.
        policy: what may be called.
        work: whether the table is cut at the saw (twice as fast as said) or, for less money, at
            the bench, and is painted at the bench.
    """

    def __init__(
        self,
        major: int,
        *,
        order: dict[str, Any] | None = None,
        wood: dict[str, Any] | None = None,
        milk: list[tuple[int, float]] | None = None,
        tracking: str = "none",
        free: float = 12.0,
        policy: Policy | None = None,
        work: bool = False,
    ) -> None:
        self.work = work
        self.major, self.flagged = major, major >= 17
        self.lots = "stock.lot" if major >= 16 else "stock.production.lot"
        self.group = "production_group_id" if major >= 19 else "procurement_group_id"
        models = _models(major)
        counted = {"is_storable": True} if major >= 18 else {}
        kind = "consu" if major >= 18 else "product"
        size = "factor" if major >= 19 else "factor_inv"
        names = ["Table", "Wood", "Steel", "Kit", "Milk"]
        records: dict[str, list[dict[str, Any]]] = {name: [] for name in models}
        records["product.template"] = [{"id": n, "name": name} for n, name in enumerate(names, 1)]
        records["product.product"] = [
            {
                "id": n,
                "name": name,
                "product_tmpl_id": n,
                "uom_id": UNIT,
                "type": kind,
                "qty_available": 20.0,
                "free_qty": free,
                "standard_price": 3.0,
                **counted,
            }
            for n, name in enumerate(names, 1)
        ]
        records["uom.uom"] = [
            {"id": UNIT, "name": "Units", size: 1.0, "rounding": 0.01},
            {"id": DOZEN, "name": "Dozens", size: 12.0, "rounding": 0.01},
        ]
        records["mrp.bom"] = [
            {"product_tmpl_id": TABLE, "product_qty": 1.0, "product_uom_id": UNIT, "sequence": 1},
            {"product_tmpl_id": TABLE, "product_qty": 1.0, "product_uom_id": DOZEN, "sequence": 2},
            {"product_tmpl_id": KIT, "product_qty": 1.0, "product_uom_id": UNIT, "type": "phantom"},
        ]
        for number, bom in enumerate(records["mrp.bom"], 1):
            bom |= {"id": number, "display_name": f"Bill {number}"}
            bom.setdefault("type", "normal")
        parts = [
            (BILL, WOOD, 2.0, False),
            (BILL, STEEL, 1.0, False),
            (BILL_OF_DOZENS, KIT, 2.0, BILL_OF_KIT),
            (BILL_OF_KIT, WOOD, 3.0, False),
        ]
        records["mrp.bom.line"] = [
            {
                "bom_id": bom,
                "product_id": product,
                "product_qty": quantity,
                "product_uom_id": UNIT,
                "child_bom_id": child,
            }
            for bom, product, quantity, child in parts
        ]
        records["mrp.workcenter"] = [{"id": 1, "name": "Saw"}]
        if work:
            self._work(records)
        records["res.company"] = [{"id": 1, "name": "My Company"}]
        records[self.group.removesuffix("_id").replace("_", ".")] = [{"id": 7, "name": "WH/MO/5"}]
        if major >= 19:
            records["mrp.production.group"] = [{"id": 7, "name": "WH/MO/5"}]
        records["stock.location"] = [
            {"id": STOCK, "name": "Stock"},
            {"id": SHELF, "name": "Shelf", "parent_id": STOCK},
            {"id": PRODUCTION, "name": "Production"},
        ]
        records[self.lots] = [
            {"id": n, "name": f"L{n}", "product_id": MILK, "company_id": 1} for n in (1, 2)
        ]
        records["stock.quant"] = [
            {"product_id": MILK, "lot_id": n, "location_id": SHELF, "quantity": 6.0} for n in (1, 2)
        ]
        records["mrp.production"] = [
            {
                "id": ORDER,
                "name": "WH/MO/5",
                "state": "confirmed",
                "product_id": TABLE,
                "product_tracking": tracking,
                "product_qty": 4.0,
                "product_uom_id": UNIT,
                "bom_id": BILL,
                "consumption": "warning",
                "company_id": 1,
                "location_src_id": STOCK,
                **(order or {}),
            }
        ]
        answers: dict[tuple[str, str], Any] = {
            ("mrp.production", "create"): self._create,
            ("mrp.production", "onchange"): self._onchange,
            ("mrp.production", "action_confirm"): self._confirm,
            ("mrp.production", "action_assign"): self._assign,
            ("mrp.production", "action_cancel"): lambda call: self._set(call, state="cancel"),
            ("mrp.production", "button_mark_done"): self._mark_done,
            (self.lots, "create"): self._create_lots,
        }
        super().__init__(major, answers, policy, models, records=records)
        self._move(WOOD_MOVE, WOOD, 8.0, 8.0, **(wood or {}))
        self._move(STEEL_MOVE, STEEL, 4.0, 4.0)
        if milk is not None:
            total = sum(quantity for _, quantity in milk)
            self._move(MILK_MOVE, MILK, 8.0, total, has_tracking="lot")
            for lot, quantity in milk:
                self._add_line(lot, quantity)

    def _work(self, records: dict[str, list[dict[str, Any]]]) -> None:
        """Add two operations to the bill, and the work centers that do them."""
        records["resource.calendar"] = [{"id": 1, "name": "40 hours", "hours_per_day": 8.0}]
        times = {"time_start": 5.0, "time_stop": 3.0, "time_efficiency": 200.0}
        saw = {"costs_hour": 60.0, "workcenter_load": 90.0, "working_state": "normal", **times}
        saw |= {"id": 1, "name": "Saw", "resource_calendar_id": 1}
        bench = {"id": 2, "name": "Bench", "costs_hour": 30.0, "working_state": "normal"}
        records["mrp.workcenter"] = [
            saw | {"alternative_workcenter_ids": [2], "routing_line_ids": [1]},
            bench | {"time_efficiency": 100.0, "routing_line_ids": [2]},
        ]
        sizes = {"capacity": 2.0} if self.major <= 15 else {"default_capacity": 2.0}
        records["mrp.workcenter"][0] |= sizes if self.major <= 18 else {"capacity_ids": [1]}
        if self.major >= 16:
            own = {"workcenter_id": 1, "product_id": TABLE, "capacity": 2.0, "product_uom_id": UNIT}
            line = own | {"id": 1, "time_start": 5.0, "time_stop": 3.0}
            records["mrp.workcenter.capacity"] = [line]
        records["mrp.routing.workcenter"] = [
            {
                "id": 1,
                "name": "Cut",
                "workcenter_id": 1,
                "time_cycle": 10.0,
                "bom_id": BILL,
                "sequence": 1,
            },
            {
                "id": 2,
                "name": "Paint",
                "workcenter_id": 2,
                "time_cycle": 7.0,
                "bom_id": BILL,
                "sequence": 2,
            },
        ]
        records["mrp.bom"][0]["operation_ids"] = [1, 2]

    def order(self, number: int = ORDER) -> dict[str, Any]:
        return next(r for r in self.server.records["mrp.production"] if r["id"] == number)

    def move(self, number: int) -> dict[str, Any]:
        return next(row for row in self.server.records["stock.move"] if row["id"] == number)

    def _move(
        self, number: int, product: int, needed: float, reserved: float, **values: Any
    ) -> None:
        shown = {"quantity": reserved} if self.flagged else {"reserved_availability": reserved}
        kind = {"is_storable": True} if self.major >= 18 else {"product_type": "product"}
        move: dict[str, Any] = {
            "id": number,
            "raw_material_production_id": ORDER,
            "product_id": product,
            "product_uom_qty": needed,
            "product_qty": needed,
            "product_uom": UNIT,
            "location_id": STOCK,
            "location_dest_id": PRODUCTION,
            "state": "assigned",
            "has_tracking": "none",
            **shown,
            **kind,
        }
        self.server.records["stock.move"].append({**move, **values})

    def _add_line(self, lot: int, quantity: float) -> None:
        fields = self.server._models["stock.move.line"]
        reserved = next(
            name
            for name in ("quantity", "reserved_uom_qty", "product_uom_qty")
            if name in fields and (name == "quantity") == self.flagged
        )
        lines = self.server.records["stock.move.line"]
        line = {"id": 100 + len(lines), "move_id": MILK_MOVE, "lot_id": lot, "location_id": SHELF}
        lines.append({**line, reserved: quantity})

    def _set(self, call: Call, **values: Any) -> bool:
        for number in call.ids or ():
            self.order(number).update(values)
        return True

    def _create_lots(self, call: Call) -> Any:
        """Create lots; Odoo numbers those that were given no name."""
        values = [{"name": "0000042", **given} for given in call.arguments["vals_list"]]
        kept = Call(model=self.lots, method="create", arguments={"vals_list": values})
        return self.server._kept.answer(kept)

    def _create(self, call: Call) -> Any:
        """Create the order; from 16 on with its components, which to 15 have to be given."""
        given = dict(call.arguments["vals_list"])
        moves = [command[2] for command in given.pop("move_raw_ids", [])]
        work = [command[2] for command in given.get("workorder_ids", [])]
        for lines in ("move_finished_ids", "move_byproduct_ids", "workorder_ids"):
            given.pop(lines, None)
        head = {"name": "WH/MO/6", "state": "draft", "company_id": 1, "location_src_id": STOCK}
        kept = Call(
            model="mrp.production", method="create", arguments={"vals_list": {**head, **given}}
        )
        number: int = self.server._kept.answer(kept)
        if self.work and self.major >= 16:
            work = [
                {"name": "Cut", "operation_id": 1, "workcenter_id": 1, "duration_expected": 18.0},
                {"name": "Paint", "operation_id": 2, "workcenter_id": 2, "duration_expected": 28.0},
            ]
        for place, values in enumerate(work if self.work else (), 70):
            row = {"id": place, "production_id": number, "state": "pending", **values}
            self.server.records["mrp.workorder"].append(row)
            self.order(number).setdefault("workorder_ids", []).append(place)
        wanted = [(m["product_id"], m["product_uom_qty"]) for m in moves]
        if self.major >= 16:
            wanted = [(WOOD, 2 * given["product_qty"]), (STEEL, given["product_qty"])]
        for place, (product, quantity) in enumerate(wanted):
            extra = {"raw_material_production_id": number, "availability": min(quantity, 12.0)}
            self._move(60 + place, product, quantity, 0.0, state="draft", **extra)
        return [number]

    def _onchange(self, call: Call) -> dict[str, Any]:
        """Answer as the form of 14 and 15: naming the bill sets its quantity."""
        values, changed = call.arguments["values"], call.arguments["field_names"]
        quantity = values["product_qty"] if changed else 1.0
        lines = [(WOOD, "Wood", 2.0), (STEEL, "Steel", 1.0)]
        raw = [
            [0, "v", {"product_id": [n, name], "product_uom_qty": each * quantity, "name": "New"}]
            for n, name, each in lines
        ]
        finished = [
            [0, "v", {"product_id": [TABLE, "Table"], "byproduct_id": False}],
            [0, "v", {"product_id": [MILK, "Milk"], "byproduct_id": [3, "Dust"]}],
        ]
        cut = {"name": "Cut", "workcenter_id": [1, "Saw"], "duration_expected": quantity}
        work = [0, "v", {**cut, **({"operation_id": [1, "Cut"]} if self.work else {})}]
        head = {"product_qty": 1.0, "location_src_id": [STOCK, "Stock"]}
        return {
            "value": {
                **({} if changed else head),
                "move_raw_ids": [[5], *raw],
                "move_finished_ids": [[5], *finished],
                "workorder_ids": [[5], work],
            }
        }

    def _confirm(self, call: Call) -> bool:
        if self.major >= 15:
            self._assign(call)
        return self._set(call, state="confirmed")

    def _assign(self, call: Call) -> bool:
        name = "quantity" if self.flagged else "reserved_availability"
        for move in self.server.records["stock.move"]:
            if move["raw_material_production_id"] in (call.ids or ()):
                free = move.get("availability", 0.0)
                move |= {name: move.get(name, 0.0) + free, "availability": 0.0, "state": "assigned"}
        return True

    def _mark_done(self, call: Call) -> Any:
        order = self.order((call.ids or (0,))[0])
        amount = order["qty_producing"]
        rest = order["product_qty"] - amount
        order |= {"state": "done", "qty_produced": amount}
        if order["id"] not in call.context.get("mo_ids_to_backorder", ()):
            return True
        order |= {"name": "WH/MO/5-001", "backorder_sequence": 1, self.group: 7}
        values = {
            **order,
            "id": 9,
            "name": "WH/MO/5-002",
            "state": "confirmed",
            "product_qty": rest,
            "qty_producing": 0.0,
            "qty_produced": 0.0,
            "backorder_sequence": 2,
        }
        self.server.records["mrp.production"].append(values)
        return {"type": "ir.actions.act_window", "res_model": "mrp.production", "res_id": 9}

    def entered(self) -> dict[str, Any]:
        """Return what was written on the order."""
        (write,) = self.asked("write")
        assert write.model == "mrp.production"
        return contents(write)


def _models(major: int) -> dict[str, Any]:
    """Return the fields that the functions look at."""
    models: dict[str, Any] = {**FIELDS[str(major)], **OTHERS}
    variants = {VARIANTS: "many2many product.template.attribute.value"} if major >= 15 else {}
    operation = {"operation_id": "many2one mrp.routing.workcenter"}
    bill = {"bom_id": "many2one mrp.bom", "sequence": "integer"}
    models["mrp.routing.workcenter"] = models["mrp.routing.workcenter"] | variants | bill
    move = {"date": "datetime", **dict.fromkeys(("origin", "reference"), "char")}
    models["stock.move"] = models["stock.move"] | move
    models["mrp.workorder"] = models["mrp.workorder"] | operation
    extra = dict.fromkeys(("standard_price", "incoming_qty", "virtual_available"), "float")
    models["product.product"] = models["product.product"] | extra
    center = dict(models["mrp.workcenter"])
    if major <= 15:
        center["capacity"] = "float"
    elif major <= 18:
        center["default_capacity"] = "float"
    if major >= 16:
        center["capacity_ids"] = "one2many mrp.workcenter.capacity workcenter_id"
        models["mrp.workcenter.capacity"] = {
            "workcenter_id": "many2one mrp.workcenter",
            "product_id": "many2one product.product",
            **({"product_uom_id": "many2one uom.uom"} if major >= 19 else {}),
            **dict.fromkeys(("capacity", "time_start", "time_stop"), "float"),
        }
    models["mrp.workcenter"] = center
    return models
