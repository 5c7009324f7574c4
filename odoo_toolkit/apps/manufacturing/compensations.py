"""How a finished production is taken back: what was made is taken apart again."""

from __future__ import annotations

from typing import Any

from odoo_toolkit import operations as op
from odoo_toolkit.apps.manufacturing.orders import ORDER
from odoo_toolkit.change_history import Write
from odoo_toolkit.client import Odoo

_MOVE, _LINE = "stock.move", "stock.move.line"

_UNBUILD = op.Document(
    model="mrp.unbuild", noun="unbuild order", argument="unbuild_id", fields=("id", "state")
)

_FIELDS = (
    *("display_name", "product_id", "qty_produced", "product_uom_id", "bom_id"),
    *("location_src_id", "location_dest_id", "lot_producing_id", "lot_producing_ids"),
)


def productions(odoo: Odoo, write: Write) -> list[op.WayBack]:
    """Return how done orders are taken back, each by an unbuild order."""
    # A wizard acts on others than itself, which were noted.
    ids = write.ids if write.model == ORDER.model else list(write.before)
    domain = [["id", "in", ids], ["state", "=", "done"]]
    there = odoo.schema.fields(ORDER.model)
    names = [name for name in _FIELDS if name in there]
    found = []
    for row in op.read_rows(odoo, ORDER.model, domain, names, acts_on=ORDER.model):
        taken = [["mo_id", "=", row["id"]], ["state", "=", "done"]]
        if op.read_rows(odoo, _UNBUILD.model, taken, ["id"], acts_on=ORDER.model, limit=1):
            continue
        lots = [row["lot_producing_id"].id] if row.get("lot_producing_id") else []
        lots += list(row.get("lot_producing_ids") or ())
        values: dict[str, Any] = {
            "mo_id": row["id"],
            "product_id": row["product_id"].id,
            "product_qty": row["qty_produced"],
            "product_uom_id": row["product_uom_id"].id,
            "bom_id": row["bom_id"].id if row["bom_id"] else False,
            "location_id": row["location_dest_id"].id,
            "location_dest_id": row["location_src_id"].id,
            **({"lot_id": lots[0]} if lots else {}),
        }
        several = f"{row['display_name']}: it produced several lots. Unbuild them one by one"
        found.append(
            op.WayBack(
                model=ORDER.model,
                ids=[row["id"]],
                name=row["display_name"],
                says="taken apart again (unbuilt), and its components are back",
                steps=[
                    op.Step(
                        model=_UNBUILD.model,
                        method="create",
                        arguments={"vals_list": values},
                        says="Unbuild order created",
                    ),
                    op.Step(
                        model=_UNBUILD.model,
                        method="action_validate",
                        says="Unbuilt",
                        seen=op.shows(_UNBUILD, state=("done",)),
                        fails="The unbuild order is a draft",
                    ),
                ],
                blocked=several if len(lots) > 1 else None,
                covers=frozenset({(ORDER.model, row["id"]), *_moved(odoo, row["id"])}),
            )
        )
    return found


def _moved(odoo: Odoo, order: int) -> list[tuple[str, int]]:
    """Return the moves of an order and their lines: an old quantity written to what is done moves
    goods."""
    own = ["|", ["raw_material_production_id", "=", order], ["production_id", "=", order]]
    moves = [row["id"] for row in op.read_rows(odoo, _MOVE, own, ["id"], acts_on=ORDER.model)]
    lines = op.read_rows(odoo, _LINE, [["move_id", "in", moves]], ["id"], acts_on=ORDER.model)
    return [*((_MOVE, number) for number in moves), *((_LINE, row["id"]) for row in lines)]
