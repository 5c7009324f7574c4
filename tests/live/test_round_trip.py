"""Usual models: exported, one column changed, imported: each record is what the file says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import Odoo, export, search_read
from odoo_toolkit.records.importing import upsert
from odoo_toolkit.records.importing.preparing import loud_fields
from tests.kit.fields import writable

pytestmark = [pytest.mark.every_version, pytest.mark.recorded]

#: Model -> the column that is changed, and which records are taken.
MODELS: dict[str, tuple[str, list[Any]]] = {
    "account.account": ("name", []),
    "account.analytic.account": ("code", []),
    "account.analytic.line": ("unit_amount", [["project_id", "!=", False]]),
    "account.journal": ("name", [["type", "=", "general"]]),
    "account.move": ("ref", [["state", "=", "draft"]]),
    "account.move.line": ("name", [["move_id.state", "=", "draft"]]),
    "account.payment.term": ("name", []),
    "account.tax": ("name", []),
    "calendar.event": ("location", [["recurrency", "=", False]]),
    "crm.lead": ("partner_name", []),
    "crm.stage": ("name", []),
    "crm.team": ("name", []),
    "hr.department": ("name", []),
    "hr.employee": ("work_phone", []),
    "hr.job": ("name", []),
    "mrp.bom": ("code", []),
    "mrp.bom.line": ("product_qty", []),
    "mrp.workcenter": ("code", []),
    "product.category": ("name", []),
    "product.pricelist": ("name", []),
    "product.pricelist.item": ("min_quantity", []),
    "product.product": ("default_code", []),
    "product.supplierinfo": ("product_code", []),
    "product.template": ("list_price", [["attribute_line_ids", "=", False]]),
    "project.project": ("name", []),
    "project.task": ("name", [["parent_id", "=", False]]),
    "purchase.order": ("partner_ref", [["state", "=", "draft"]]),
    "purchase.order.line": ("product_qty", [["order_id.state", "=", "draft"]]),
    "res.country.state": ("name", []),
    "res.partner": ("street", []),
    "res.partner.bank": ("acc_number", []),
    "res.partner.category": ("name", []),
    "resource.calendar": ("name", []),
    "sale.order": ("client_order_ref", [["state", "=", "draft"]]),
    "sale.order.line": ("product_uom_qty", [["order_id.state", "=", "draft"]]),
    "stock.location": ("name", [["usage", "=", "internal"]]),
    "stock.picking": ("origin", [["state", "=", "draft"]]),
    "stock.warehouse": ("name", []),
    "stock.warehouse.orderpoint": ("product_max_qty", []),
    "uom.uom": ("name", []),
}


def _exported(odoo: Odoo, model: str, ids: list[int], fields: list[str], path: Path) -> list[Any]:
    export(odoo, model, [["id", "in", ids]], fields, path)
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("model", MODELS)
def test_each_record_is_what_the_file_says(
    admin: Odoo, tmp_path: Path, suffix: str, model: str, request: pytest.FixtureRequest
) -> None:
    column, domain = MODELS[model]
    if not admin.schema.has_model(model) or column not in writable(admin, model):
        pytest.skip(f"This server has no {column} of {model} to write.")
    found = search_read(admin, model, domain, ["id"], limit=5, order="id").records
    ids = [row["id"] for row in found]
    if not ids:
        pytest.skip(f"This server has no {model} to change.")
    described = admin.schema.fields(model)
    fields = [
        name
        for name in writable(admin, model)
        # What only Odoo sets, and links to what this administrator does not see.
        if name != "parent_path"
        and (not (to := described[name].relation) or admin.schema.may(to, "read"))
    ]
    loud = set(loud_fields(model, fields, admin.version.major))
    fields = [name for name in fields if name not in loud or name == column]
    rows = _exported(admin, model, ids, fields, tmp_path / "before.jsonl")
    before = [{"id": row["id"], column: row[column]} for row in rows]
    # Other tests look for units and terms by name.
    request.addfinalizer(lambda: upsert(admin, model, before, key="id"))
    for row in rows:
        old = row[column]
        row[column] = f"{old or ''} {suffix}".strip() if not isinstance(old, float) else old + 1
    imported = upsert(admin, model, rows, key="id")
    assert (imported.failed, imported.updated) == ([], len(rows))
    assert imported.differences == []
    again = _exported(admin, model, ids, fields, tmp_path / "after.jsonl")
    wrong = {
        (row["id"], name): (row[name], stored[name])
        for row, stored in zip(rows, again, strict=True)
        for name in row
        if row[name] != stored[name]
    }
    assert wrong == {}
    assert upsert(admin, model, rows, key="id").unchanged == len(rows)
