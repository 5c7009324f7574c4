"""The module ``rental`` in memory: its records, its buttons, and the form that they are on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.policy import Policy
from odoo_toolkit.testing import FakeServer

STATES = ("draft", "confirmed", "out", "returned", "cancelled")
BUTTONS = {
    "action_confirm": "confirmed",
    "action_hand_over": "out",
    "action_cancel": "cancelled",
    "action_draft": "draft",
}
#: On the form, and declared by no plugin.
OTHERS = ("action_return", "action_write_off", "generate_access_token")

CONTRACT: dict[str, Any] = {
    "name": "char",
    "partner_id": {"type": "many2one", "relation": "res.partner", "string": "Customer"},
    "equipment_id": "many2one rental.equipment",
    "date_start": "date",
    "date_end": "date",
    "days": {"type": "integer", "readonly": True},
    "price": {"type": "float", "readonly": True},
    "state": {"type": "selection", "selection": [[state, state.title()] for state in STATES]},
    "damage": "text",
    "access_token": "char",
    "line_ids": "one2many rental.equipment name",
}
EQUIPMENT = {
    "name": "char",
    "code": "char",
    "daily_price": "float",
    "active": "boolean",
    "note": "html",
    "accessory_ids": "many2many rental.equipment",
    "bought": "datetime",
}
OWNED = {"ir.config_parameter": {"key": "char", "value": "char"}, "ir.cron": {"name": "char"}}


def server(version: int = 19) -> FakeServer:
    """Return an Odoo with one draft of a contract, of a drill for Azure Interior."""
    buttons = "".join(f'<button name="{m}" type="object"/>' for m in (*BUTTONS, *OTHERS))
    form = {"arch": f"<form><header>{buttons}</header><field name='name'/></form>"}
    view = "get_view" if version >= 16 else "fields_view_get"
    made = FakeServer(
        {
            "rental.contract": CONTRACT,
            "rental.equipment": EQUIPMENT,
            "rental.return": {"contract_id": "many2one rental.contract", "damage": "text"},
            "res.partner": {"name": "char"},
            **OWNED,
        },
        version=version,
        records={
            "rental.contract": [
                {
                    "id": 1,
                    "name": "RENT/0001",
                    "partner_id": 9,
                    "equipment_id": 1,
                    "date_start": "2026-11-02",
                    "date_end": False,
                    "price": 12.5,
                    "state": "draft",
                }
            ],
            "rental.equipment": [
                {"id": 1, "name": "Drill", "code": "D", "daily_price": 12.5, "active": True}
            ],
            "rental.return": [],
            "res.partner": [{"id": 9, "name": "Azure Interior"}],
            "ir.config_parameter": [{"id": 1, "key": "database.secret", "value": "x"}],
        },
        answers={
            ("rental.contract", view): form,
            ("ir.module.module", "search_count"): 1,
        },
        transient=("rental.return",),
    )
    for method, state in BUTTONS.items():
        made.answers["rental.contract", method] = _press(made, state)
    made.answers["rental.return", "default_get"] = {}
    made.answers["rental.return", "action_done"] = _return(made)
    for method in OTHERS:
        made.answers["rental.contract", method] = True
    return made


def connection(policy: Policy | None = None, version: int = 19) -> tuple[Odoo, FakeServer]:
    """Return a connection to such an Odoo, and the server."""
    made = server(version)
    return made.connect(policy=policy), made


def _press(made: FakeServer, state: str) -> Callable[[Call], bool]:
    def press(call: Call) -> bool:
        for row in made.records["rental.contract"]:
            if row["id"] in (call.ids or ()):
                row["state"] = state
        return True

    return press


def _return(made: FakeServer) -> Callable[[Call], bool]:
    def done(call: Call) -> bool:
        for answered in made.records["rental.return"]:
            if answered["id"] in (call.ids or ()):
                for row in made.records["rental.contract"]:
                    if row["id"] == answered["contract_id"]:
                        row["state"] = "returned"
        return True

    return done


def written(made: FakeServer) -> list[str]:
    """Return what arrived besides reads, as model and method."""
    return [f"{call.model}.{call.method}" for call in made.sent if call.access != "read"]
