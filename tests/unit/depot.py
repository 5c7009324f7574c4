"""A warehouse on a server of some version, which answers as that does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.policy import Policy
from tests.kit.real_fields import real_fields
from tests.unit.fake_purchase import buying_models
from tests.unit.scripted import Scripted

WIZARD = {
    "type": "ir.actions.act_window",
    "res_model": "stock.immediate.transfer",
    "target": "new",
    "context": {"button_validate_picking_ids": [5], "default_pick_ids": [[4, 5]]},
}


class Depot(Scripted):
    """The picking 5, of one move or two, on a server of some version that answers as that does.

    Args:
        major: the version.
        demand, reserved, entered: quantities of the move 1, of desks.
        free: desks that are not reserved.
        state: of the picking.
        ratio: of the desk's unit to the move's.
        usage: of the location that the goods come from.
        tracking: of the desks.
        chairs: demand of a second move; there are enough of them.
        places: move lines of the move 1, each with what is reserved in it.
        lots: name -> how many lie in stock; those named K... are of the chairs.
        manager: whether the user may adjust the stock to 17.
        order: the number of the purchase order that the picking is the receipt of.
        policy: what may be called.
        answers: of methods of the picking.
    """

    def __init__(
        self,
        major: int,
        *,
        demand: float = 5.0,
        reserved: float = 5.0,
        entered: float = 0.0,
        free: float = 0.0,
        state: str = "assigned",
        ratio: float = 1.0,
        usage: str = "internal",
        tracking: str = "none",
        chairs: float = 0.0,
        places: Sequence[float] = (),
        lots: Mapping[str, float] | None = None,
        manager: bool = True,
        order: str | None = None,
        policy: Policy | None = None,
        **answers: Any,
    ) -> None:
        self.flagged = major >= 17
        self.reserves_backorder = major >= 15
        self.moves = "move_ids" if major >= 16 else "move_lines"
        storable = {"is_storable": True} if major >= 18 else {"type": "product"}
        # A picking type of 16 and before has no location on the partner's side.
        partner_side = 4 if major >= 17 else False
        self.lot_model = "stock.lot" if major >= 16 else "stock.production.lot"
        at = 8 if usage == "internal" else 10
        kept = {name: 4 if name.startswith("K") else 3 for name in lots or {}}
        records: dict[str, list[dict[str, Any]]] = {
            "stock.picking": [],
            "stock.move": [],
            "stock.move.line": [],
            self.lot_model: [
                {"name": name, "product_id": product, "company_id": 1}
                for name, product in kept.items()
            ],
            "stock.quant": [
                {"product_id": kept[name], "lot_id": n, "location_id": at, "quantity": quantity}
                for n, (name, quantity) in enumerate((lots or {}).items(), 1)
                if quantity
            ],
            "stock.location": [
                {
                    "id": 8,
                    "name": "WH/Stock",
                    "complete_name": "WH/Stock",
                    "usage": usage,
                    "company_id": 1,
                },
                {"id": 10, "name": "WH/Shelf", "complete_name": "WH/Shelf", "usage": "internal"},
                {"id": 4, "name": "Vendors", "complete_name": "Vendors", "usage": "supplier"},
            ],
            "stock.picking.type": [
                {
                    "default_location_src_id": partner_side,
                    "default_location_dest_id": 8,
                    "warehouse_id": 1,
                    "code": "outgoing",
                }
            ],
            "stock.warehouse": [
                {"in_type_id": 1, "company_id": 1, "view_location_id": 8, "lot_stock_id": 8}
            ],
            "res.company": [{"name": "My Company"}],
            "res.users": [{"id": 2, "company_id": 1}],
            "uom.uom": [
                {"name": "Units", "factor": 1.0, "factor_inv": 1.0},
                {"name": "Dozens", "factor": 12.0, "factor_inv": 12.0},
            ],
            "res.currency": [{"name": "EUR"}],
            "product.product": [
                {
                    "id": 3,
                    "display_name": "Desk",
                    "uom_id": 1,
                    "type": "consu",
                    "free_qty": free,
                    "qty_available": free + reserved,
                    "tracking": tracking,
                    "standard_price": 2.5,
                    "cost_currency_id": 1,
                    **storable,
                },
                {
                    "id": 4,
                    "display_name": "Chair",
                    "uom_id": 1,
                    "type": "consu",
                    "free_qty": 100.0,
                    "qty_available": 100.0,
                    "tracking": "none",
                    "standard_price": 10.0,
                    "cost_currency_id": 1,
                    **storable,
                },
            ],
        }
        table: dict[tuple[str, str], Any] = {
            ("stock.picking", "create"): self._create,
            ("stock.picking", "action_confirm"): self._confirm,
            ("stock.picking", "action_assign"): self._assign,
            ("stock.picking", "button_validate"): self._validate,
            ("stock.immediate.transfer", "default_get"): {},
            ("stock.immediate.transfer", "create"): 9,
            ("stock.immediate.transfer", "process"): self._process,
            ("stock.return.picking", "default_get"): {},
            ("stock.return.picking", "create"): self._fill_return,
            ("stock.return.picking", "create_returns"): self._return,
            ("stock.return.picking", "action_create_returns"): self._return,
            ("stock.quant", "create"): self._count,
            ("stock.quant", "action_apply_inventory"): self._apply,
            ("stock.warehouse.orderpoint", "action_replenish"): self._replenish,
            ("stock.scrap", "action_validate"): self._scrap,
        }
        table |= {("stock.picking", name): answer for name, answer in answers.items()}
        models = _models(major, manager)
        if order:
            bought = buying_models(major)
            models["stock.picking"] |= dict(bought["stock.picking"])
            models["purchase.order"] = dict(bought["purchase.order"])
            records["purchase.order"] = [{"id": 12, "name": order, "state": "purchase"}]
            for model in ("purchase.order.line", "account.move", "account.move.line"):
                models[model], records[model] = dict(bought[model]), []
            records["purchase.order.line"] = [{"id": 1, "order_id": 12, "product_id": 3}]
            records["purchase.order.line"][0] |= {"qty_received": 5.0, "product_qty": 5.0}
            models["product.product"] |= {"purchase_method": "selection"}
        records = {model: [] for model in _EMPTY if model in models} | {"res.partner": []} | records
        super().__init__(major, table, policy, models, records=records)
        self.pickings = self.server.records["stock.picking"]
        self.product = self.server.records["product.product"][0]
        ends = {"location_id": 8, "location_dest_id": 4, "picking_type_id": 1, "company_id": 1}
        uses = {"use_create_lots": usage == "supplier", "use_existing_lots": True}
        of_order = {"purchase_id": 12, "picking_type_code": "incoming"} if order else {}
        self._add(5, ends | uses | of_order, state)
        self._add_move(5, {"product_id": 3, "product_uom_qty": demand}, state, ratio, reserved)
        self._move(5)["has_tracking"] = tracking
        if chairs:
            self._add_move(5, {"product_id": 4, "product_uom_qty": chairs}, state, 1, chairs)
        for quantity in places:
            self._add_line({"move_id": 1, "picking_id": 5, "location_dest_id": 4}, quantity)
        if entered:
            self._move(5).update(self._quantities(reserved, entered))

    @property
    def now(self) -> str:
        """The state of the picking."""
        return str(self._picking(5)["state"])

    def _picking(self, number: int) -> dict[str, Any]:
        return next(row for row in self.pickings if row["id"] == number)

    def _move(self, picking: int) -> dict[str, Any]:
        moves = self.server.records["stock.move"]
        return next(row for row in moves if row["picking_id"] == picking)

    def _quantities(self, reserved: float, entered: float) -> dict[str, Any]:
        if self.flagged:
            return {"quantity": entered or reserved, "picked": entered > 0}
        return {"quantity_done": entered, "reserved_availability": reserved}

    def _add(self, number: int, values: dict[str, Any], state: str) -> None:
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
        about = {"id": number, "name": f"WH/OUT/{number}", "state": state, "create_uid": 2}
        self.pickings.append({**about, "create_date": now, **values})

    def _add_move(
        self,
        picking: int,
        values: dict[str, Any],
        state: str,
        ratio: float = 1.0,
        reserved: float = 0.0,
    ) -> None:
        moves = self.server.records["stock.move"]
        row = {"id": len(moves) + 1, "picking_id": picking, "state": state}
        row |= {"location_id": 8, "location_dest_id": 4}
        row |= {"product_uom": 1, "product_qty": values["product_uom_qty"] * ratio}
        moves.append(row | values | self._quantities(reserved, 0.0))

    def _add_line(self, values: dict[str, Any], reserved: float) -> None:
        lines = self.server.records["stock.move.line"]
        name = "quantity" if self.flagged else _RESERVED[self.version.major]
        lines.append({"id": len(lines) + 1, name: reserved, "product_uom_id": 1, **values})

    def _create(self, call: Call) -> Any:
        number = max(row["id"] for row in self.pickings) + 1
        values = dict(call.arguments["vals_list"])
        ((_, _, move),) = values.pop(self.moves)
        self._add(number, values, "draft")
        self._add_move(number, move, "draft")
        return [number] if self.version.major == 19 else number

    def _put(self, number: int, state: str) -> bool:
        self._picking(number)["state"] = self._move(number)["state"] = state
        return True

    def _confirm(self, call: Call) -> bool:
        return self._put((call.ids or ())[0], "confirmed")

    def _assign(self, call: Call) -> bool:
        (number,) = call.ids or ()
        move, ratio = self._move(number), self._ratio(number)
        field = "quantity" if self.flagged else "reserved_availability"
        taken = min(self.product["free_qty"] / ratio, move["product_uom_qty"] - move[field])
        if move["location_id"] == 4:
            taken = move["product_uom_qty"]
        else:
            self.product["free_qty"] -= taken * ratio
        move[field] += taken
        return self._put(number, "assigned")

    def _ratio(self, number: int) -> float:
        move = self._move(number)
        return float(move["product_qty"] / move["product_uom_qty"])

    def _validate(self, call: Call) -> Any:
        (number,) = call.ids or ()
        if self.flagged or self._move(number)["quantity_done"]:
            return self._done(number)
        return WIZARD | {"context": {**WIZARD["context"], "button_validate_picking_ids": [number]}}  # type: ignore[dict-item]

    def _process(self, call: Call) -> bool:
        (number,) = call.context["button_validate_picking_ids"]
        return self._done(number)

    def _done(self, number: int) -> bool:
        moves = [m for m in self.server.records["stock.move"] if m["picking_id"] == number]
        for move in moves:
            lines = [
                r for r in self.server.records["stock.move.line"] if r["move_id"] == move["id"]
            ]
            if any("qty_done" in line for line in lines):
                move["quantity_done"] = sum(line.get("qty_done", 0.0) for line in lines)
        picked = any(move.get("picked") or move.get("quantity_done") for move in moves)
        for move in moves:
            moved = move["quantity"] if self.flagged else move["quantity_done"]
            if picked and self.flagged and not move["picked"]:
                moved = 0.0
            if not picked and not self.flagged:
                moved = move["reserved_availability"]
            rest = move["product_uom_qty"] - moved
            if rest > 0 and not self.asked("button_validate")[-1].context.get(_DROPS):
                state = "assigned" if self.reserves_backorder else "confirmed"
                self._add(number + 1, {"backorder_id": number}, state)
                values = {"product_id": move["product_id"], "product_uom_qty": rest}
                self._add_move(number + 1, values, state)
            if move["product_id"] == 3:
                self.product["qty_available"] -= moved
            move |= {"product_uom_qty": moved, **self._quantities(0.0, moved)}
        return self._put(number, "done")

    def _fill_return(self, call: Call) -> int:
        self.returning = call.arguments["vals_list"]
        return 9

    def _return(self, call: Call) -> dict[str, Any]:
        self._add(7, {"location_id": 4, "location_dest_id": 8}, "assigned")
        for _, _, line in self.returning["product_return_moves"]:
            values = {"product_id": line["product_id"], "product_uom_qty": line["quantity"]}
            values["origin_returned_move_id"] = line["move_id"]
            self._add_move(7, values, "assigned", reserved=line["quantity"])
        return {"type": "ir.actions.act_window", "res_model": "stock.picking", "res_id": 7}

    def _count(self, call: Call) -> Any:
        given = call.arguments["vals_list"]
        if isinstance(given, list):
            return [self._count_one(values) for values in given]
        return self._count_one(given)

    def _count_one(self, values: dict[str, Any]) -> int:
        at = {name: values.get(name, False) for name in ("product_id", "location_id", "lot_id")}
        quants = self.server.records["stock.quant"]
        found = [q for q in quants if all(q.get(k, False) == v for k, v in at.items())]
        if not found:
            quants.append({"id": len(quants) + 1, "quantity": 0.0, **at})
            found = quants[-1:]
        # 15 has the field that applies at once, and does not apply it.
        at_once = self.version.major >= 16 and "inventory_quantity_auto_apply" in values
        applies = self.version.major < 15 or at_once
        counted = values.get("inventory_quantity", values.get("inventory_quantity_auto_apply"))
        found[0]["quantity" if applies else "inventory_quantity"] = counted
        return int(found[0]["id"])

    def _apply(self, call: Call) -> None:
        for quant in self.server.records["stock.quant"]:
            if quant["id"] in (call.ids or ()):
                quant["quantity"] = quant.pop("inventory_quantity")

    def rule(self, **values: Any) -> None:
        """Add a reordering rule of desks in the stock, whose route buys them."""
        rules = self.server.records["stock.warehouse.orderpoint"]
        self.server.records["stock.rule"] = [{"id": 1, "action": "buy"}]
        given = {"product_min_qty": 5.0, "product_max_qty": 20.0, "qty_to_order": 17.0}
        given |= {"product_id": 3, "location_id": 8, "warehouse_id": 1, "product_uom": 1}
        given |= {"qty_on_hand": 3.0, "qty_forecast": 3.0}
        number = len(rules) + 1
        named = {"id": number, "name": f"OP/0000{number}", "active": True, "trigger": "auto"}
        rules.append({**named, **given, "rule_ids": [1], **values})

    def _replenish(self, call: Call) -> bool:
        records = self.server.records
        records["purchase.order"] = [{"id": 12, "name": "P00012", "state": "draft"}]
        for rule in records["stock.warehouse.orderpoint"]:
            if rule["id"] in (call.ids or ()):
                lines = records["purchase.order.line"]
                line = {"product_id": rule["product_id"], "product_qty": rule["qty_to_order"]}
                line |= {"id": len(lines) + 1, "order_id": 12, "state": "draft"}
                lines.append({**line, _unit(self.version.major): 1})
                rule["qty_forecast"] += rule["qty_to_order"]
                rule["qty_to_order"] = 0.0
        return False

    def _scrap(self, call: Call) -> bool:
        (scrap,) = [s for s in self.server.records["stock.scrap"] if s["id"] in (call.ids or ())]
        scrap |= {"state": "done", "name": f"SP/0000{scrap['id']}"}
        for quant in self.server.records["stock.quant"]:
            at = ("product_id", "location_id", "lot_id")
            if all(quant.get(name, False) == scrap.get(name, False) for name in at):
                quant["quantity"] -= scrap["scrap_qty"]
        return True


def _unit(major: int) -> str:
    return "product_uom_id" if major >= 19 else "product_uom"


#: In the context, what drops the rest.
_DROPS = "picking_ids_not_to_backorder"
_RESERVED = {14: "product_uom_qty", 15: "product_uom_qty", 16: "reserved_uom_qty"}

#: Model -> its fields that the functions of inventory look at, on any version.
_FIELDS = {
    "stock.picking": (
        "location_id location_dest_id name state picking_type_id backorder_id scheduled_date "
        "origin picking_type_code company_id use_create_lots move_lines move_ids"
    ),
    "stock.move": (
        "location_id location_dest_id quantity_done reserved_availability quantity picked name "
        "state picking_id product_id product_uom product_uom_qty product_qty company_id "
        "has_tracking origin_returned_move_id move_orig_ids origin reference date move_line_ids"
    ),
    "stock.move.line": (
        "location_id location_dest_id qty_done product_uom_qty reserved_uom_qty quantity picked "
        "picking_id move_id product_id product_uom_id lot_id lot_name reference state"
    ),
    "stock.quant": (
        "inventory_quantity inventory_quantity_auto_apply product_id location_id lot_id "
        "package_id owner_id quantity reserved_quantity"
    ),
    "stock.return.picking": "picking_id product_return_moves location_id",
    "stock.return.picking.line": "to_refund",
    "stock.location": "name complete_name usage company_id",
    "stock.picking.type": "default_location_src_id default_location_dest_id warehouse_id code",
    "stock.warehouse": "in_type_id view_location_id lot_stock_id company_id",
    "stock.warehouse.orderpoint": (
        "product_id location_id name active trigger warehouse_id product_uom product_min_qty "
        "product_max_qty qty_multiple qty_on_hand qty_forecast qty_to_order lead_days_date "
        "lead_horizon_date rule_ids"
    ),
    "stock.scrap": "product_id location_id lot_id name state scrap_qty product_uom_id company_id",
    "purchase.order": "name state picking_type_id partner_id",
    "purchase.order.line": (
        "product_id order_id product_qty product_uom product_uom_id state date_planned partner_id"
    ),
    "product.supplierinfo": "product_id product_tmpl_id product_code product_name name partner_id",
    "res.company": "name",
    "res.currency": "name",
    "res.users": "company_id",
    "uom.uom": "name factor factor_inv",
    "product.product": (
        "seller_ids uom_id type tracking standard_price cost_currency_id free_qty qty_available "
        "is_storable"
    ),
}
#: Of these, what is made to order and counted: there is none at first.
_EMPTY = (
    *("stock.warehouse.orderpoint", "stock.rule", "stock.scrap", "stock.scrap.reason.tag"),
    *("purchase.order", "purchase.order.line", "product.supplierinfo", "res.partner"),
)


def _models(major: int, manager: bool) -> dict[str, dict[str, str]]:
    models = real_fields(major, _FIELDS)
    lot = "stock.lot" if major >= 16 else "stock.production.lot"
    models[lot] = {name: models["stock.move"][name] for name in ("product_id", "company_id")}
    models[lot]["name"] = "char"
    models |= {"stock.rule": {"action": "char"}, "stock.immediate.transfer": {}}
    models["stock.picking"]["use_existing_lots"] = "boolean"
    if major >= 17:
        models["stock.scrap"]["scrap_reason_tag_ids"] = "many2many stock.scrap.reason.tag"
        models["stock.scrap.reason.tag"] = {"name": "char"}
    if major < 15 or not manager:
        models["stock.quant"].pop("inventory_quantity_auto_apply", None)
    if major < 15 and not manager:
        del models["stock.quant"]["inventory_quantity"]
    return models
