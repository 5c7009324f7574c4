"""A server in memory to import into: contacts with countries and tags."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.errors import make_error
from odoo_toolkit.testing import FakeServer

TYPES = [["contact", "Contact"], ["invoice", "Invoice Address"]]
_STORED = dict.fromkeys(("store", "searchable", "sortable"), True)
MODELS: dict[str, Any] = {
    "res.partner": {
        "name": {"type": "char", "string": "Name", "required": True, **_STORED},
        "email": "char",
        "ref": "char",
        "phone": "char",
        "active": "boolean",
        "color": "integer",
        "credit_limit": {"type": "float", "string": "Limit", "digits": [16, 2], **_STORED},
        "date": "date",
        "seen": "datetime",
        "type": {"type": "selection", "string": "Type", "selection": TYPES, **_STORED},
        "total": {"type": "float", "string": "Total", "readonly": True, **_STORED},
        "country_id": "many2one res.country",
        "parent_id": "many2one res.partner",
        "category_id": "many2many res.partner.category",
        "child_ids": "one2many res.partner parent_id",
        "signup_token": "char",
    },
    "res.country": {"name": "char", "code": "char"},
    "res.partner.category": {"name": "char"},
    "ir.model.data": {"module": "char", "name": "char", "model": "char", "res_id": "integer"},
}


def contacts(*partners: dict[str, Any], version: int = 19, **answers: Any) -> FakeServer:
    """Return a server with countries, tags, and these contacts."""
    records: dict[str, Any] = {
        "res.partner": list(partners),
        "res.country": [
            {"id": 20, "name": "Belgium", "code": "BE"},
            {"id": 75, "name": "France", "code": "FR"},
            {"id": 81, "name": "Georgia", "code": "GE"},
            {"id": 82, "name": "Georgia", "code": "US-GA"},
        ],
        "res.partner.category": [{"id": 1, "name": "Gold"}, {"id": 2, "name": "Silver"}],
        "ir.model.data": [
            {"module": "base", "name": "be", "model": "res.country", "res_id": 20},
            {"module": "base", "name": "main", "model": "res.company", "res_id": 1},
        ],
    }
    server = FakeServer(MODELS, version=version, records=records)
    server.answers["res.partner", "load"] = lambda call: load(server, call)
    server.answers["res.partner", "web_save_multi"] = _save_each
    server.answers |= {("res.partner", method): answer for method, answer in answers.items()}
    return server


def _save_each(call: Call) -> Any:
    """Refuse what ``load`` refuses; the records in memory do the rest."""
    if any("bad" in map(str, values.values()) for values in call.arguments["vals_list"]):
        return make_error("CONSTRAINT_ERROR", "Too bad a name.", outcome="rolled_back")
    return NotImplemented


def refuse(server: FakeServer, *names: str) -> None:
    """Let the server refuse to create contacts of these names."""

    def create(call: Call) -> Any:
        if any(values.get("name") in names for values in call.arguments["vals_list"]):
            return make_error("CONSTRAINT_ERROR", "No such names here.", outcome="rolled_back")
        return NotImplemented

    server.answers["res.partner", "create"] = create


def load(server: FakeServer, call: Call) -> dict[str, Any]:
    """Carry out Odoo's own import: records under external ids, or changes by database id."""
    first, *names = call.arguments["fields"]
    rows = server.records["res.partner"]
    messages = [
        {"type": "error", "record": index, "field": "name", "message": "Too bad a name."}
        for index, line in enumerate(call.arguments["data"])
        if "bad" in map(str, line)
    ]
    if messages:
        return {"ids": False, "messages": messages, "nextrow": 0}
    ids = []
    for key, *cells in call.arguments["data"]:
        values = {name: _read(name, cell) for name, cell in zip(names, cells, strict=True)}
        values = {name.removesuffix("/.id"): value for name, value in values.items()}
        if first == ".id":
            (row,) = (row for row in rows if row["id"] == key)
        else:
            row = {"id": max((row["id"] for row in rows), default=0) + 1}
            rows.append(row)
            module, _, name = key.partition(".")
            known = {"module": module, "name": name, "model": "res.partner", "res_id": row["id"]}
            data = server.records["ir.model.data"]
            data.append({"id": len(data) + 1, **known})
        row |= values
        ids.append(row["id"])
    return {"ids": ids, "messages": [], "nextrow": 0}


def _read(name: str, cell: Any) -> Any:
    if name == "category_id/.id":
        return [int(part) for part in cell.split(",") if part]
    if name.endswith("/.id"):
        return int(cell) if cell else False
    return {"1": True, "0": False}.get(cell, cell) if name == "active" else cell
