"""Files of real records, which change nothing when they are imported again."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import Odoo, count, create, export, search_read, unlink
from odoo_toolkit.errors import OdooError
from odoo_toolkit.records import record_refs
from odoo_toolkit.records.importing import upsert
from odoo_toolkit.records.importing.preparing import loud_fields
from tests.kit.fields import writable

pytestmark = pytest.mark.recorded

PARTNER, TAG, DATA = "res.partner", "res.partner.category", "ir.model.data"

#: Models with relations, dates, amounts, selections, HTML and texts of several lines.
MODELS = ("res.partner", "product.template", "sale.order.line", "crm.lead", "project.task")


def rows_of(path: Path) -> Any:
    if path.suffix == ".csv":
        return path
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.every_version
@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
@pytest.mark.parametrize("model", MODELS)
def test_importing_an_exported_file_changes_nothing(
    admin: Odoo, tmp_path: Path, model: str, suffix: str
) -> None:
    if not admin.schema.has_model(model):
        pytest.skip(f"There is no {model} here.")
    path = tmp_path / f"records{suffix}"
    # Others may be at work: what came with the demo data is left alone.
    domain = [["model", "=", model], ["module", "not like", "\\_\\_"]]
    demo = [row["res_id"] for row in search_read(admin, DATA, domain, ["res_id"], limit=200)]
    old = demo or [row["id"] for row in search_read(admin, model, [], ["id"], limit=100)]
    fields = writable(admin, model)
    result = export(admin, model, [["id", "in", old]], fields, path)
    # Columns that would send e-mails if they were written are taken only when that is wanted.
    notify = bool(loud_fields(model, fields, admin.version.major))
    imported = upsert(admin, model, rows_of(path), key="id", dry_run=True, notify=notify)
    assert result.rows > 0
    assert (imported.unchanged, imported.failed) == (result.rows, [])


@pytest.mark.parametrize("external_ids", [True, False])
@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_what_was_made_is_exported_and_imported_again(
    admin: Odoo, tmp_path: Path, suffix: str, external_ids: bool
) -> None:
    tags = create(admin, TAG, [{"name": "export, 1"}, {"name": "export 2"}]).ids
    values = [
        {
            "name": 'Line\nbreak, "quotes"; é=1+1',
            "comment": "<p>one<br>two</p>",
            "category_id": [[6, 0, tags]],
            "lang": "en_US",
        },
        {"name": "=cmd()", "is_company": True},
        {"name": " spaces around ", "active": False, "email": "a@example.com"},
    ]
    ids = create(admin, PARTNER, values).ids
    fields = ["name", "comment", "category_id", "lang", "is_company", "email", "active"]
    path, domain = tmp_path / f"made{suffix}", [["id", "in", ids], ["active", "in", [True, False]]]
    result = export(admin, PARTNER, domain, fields, path, external_ids=external_ids)
    before = search_read(admin, PARTNER, domain, ["*"]).records
    external = count(admin, DATA, [["model", "=", PARTNER], ["res_id", "in", ids]]).count
    imported = upsert(admin, PARTNER, rows_of(path), key="id" if external_ids else ".id")
    assert (result.rows, imported.unchanged, imported.failed) == (3, 3, [])
    assert search_read(admin, PARTNER, domain, ["*"]).records == before
    assert external == 0
    unlink(admin, PARTNER, ids)
    unlink(admin, TAG, tags)


def test_external_ids_stand_for_records(admin: Odoo, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    export(admin, "res.country.state", [["country_id.code", "=", "US"]], ["country_id"], path)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert "base.state_us_1" in [row["id"] for row in rows]
    assert {row["country_id/id"] for row in rows} == {"base.us"}


def test_no_external_ids_are_made(admin: Odoo, tmp_path: Path) -> None:
    tag = create(admin, TAG, {"name": "without an external id"}).id
    of_tag = [["model", "=", TAG], ["res_id", "=", tag]]
    result = export(admin, TAG, [["id", "=", tag]], ["name"], tmp_path / "a.csv")
    name = record_refs.name_of(record_refs.mark_of(admin), TAG, tag)
    assert f"{name},without" in (tmp_path / "a.csv").read_text("utf-8")
    assert "without an external id" in result.warnings[0]
    assert count(admin, DATA, of_tag).count == 0
    unlink(admin, TAG, [tag])


def test_an_ordinary_user_gets_what_it_may_see(ordinary: Odoo, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    # Those that were there: others make some meanwhile.
    (last,) = search_read(ordinary, PARTNER, [], ["id"], order="id desc", limit=1).records
    there = [["id", "<=", last["id"]]]
    result = export(ordinary, PARTNER, there, ["name", "country_id"], path)
    assert result.rows == count(ordinary, PARTNER, there).count
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    # External ids are for administrators from 17 on.
    may_read = True
    try:
        search_read(ordinary, DATA, [], ["name"], limit=1)
    except OdooError:
        may_read = False
    assert any("base.us" in row["country_id/id"] for row in rows) == may_read
    assert any("cannot read" in warning for warning in result.warnings) != may_read


def test_fields_that_a_user_may_not_read_are_no_columns(ordinary: Odoo, tmp_path: Path) -> None:
    result = export(ordinary, "res.company", [], ["*"], tmp_path / "a.csv")
    assert "name" in result.fields
    assert not set(result.skipped_fields) & set(result.fields)
