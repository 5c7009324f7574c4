"""Imports under a policy: what is closed is neither found by, nor looked up, nor written."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import AccessError, OdooError, Policy, create_many, upsert, write_many
from odoo_toolkit.records.importing.loading import load
from odoo_toolkit.testing import FakeServer
from tests.unit.fake_import import contacts

ANN = {"id": 7, "name": "Ann", "email": "ann@x.com", "ref": "A", "signup_token": "s3cret"}


def attempt(policy: Policy, rows: list[dict[str, Any]], key: Any, **options: Any) -> FakeServer:
    """Try an import that must be refused as a whole, and return the server."""
    server = contacts(ANN)
    before = [dict(row) for row in server.records["res.partner"]]
    with pytest.raises(AccessError) as raised:
        upsert(server.connect(policy=policy), "res.partner", rows, key=key, **options)
    assert raised.value.code in ("FIELD_BLOCKED", "MODEL_BLOCKED", "MODE_VIOLATION")
    assert server.records["res.partner"] == before
    return server


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize(
    ("policy", "rows", "key"),
    [
        # A match would tell the value.
        (Policy(), [{"signup_token": "s3cret", "phone": "1"}], "signup_token"),
        (Policy(field_blocklist="email"), [{"email": "ann@x.com", "phone": "1"}], "email"),
        (Policy(field_blocklist="code"), [{"ref": "A", "country_id/code": "BE"}], "ref"),
        (Policy(field_blocklist="code"), [{"ref": "A", "country_id.code": "BE"}], "ref"),
        (Policy(), [{"ref": "A", "parent_id/signup_token": "s3cret"}], "ref"),
        (Policy(model_blocklist="res.country"), [{"ref": "A", "country_id": "Belgium"}], "ref"),
        (Policy(model_blocklist="res.country"), [{"ref": "A", "country_id": 20}], "ref"),
        (Policy(model_blocklist="res.partner"), [{"ref": "A", "phone": "1"}], "ref"),
        (Policy(model_allowlist="res.partner"), [{"ref": "A", "country_id/code": "BE"}], "ref"),
        (Policy(model_allowlist="res.partner"), [{"ref": "A", "country_id": "Belgium"}], "ref"),
        (Policy(model_allowlist="res.partner"), [{"ref": "A", "country_id/id": "base.be"}], "ref"),
        (Policy(model_blocklist="ir.model.data"), [{"id": "base.be", "phone": "1"}], "id"),
    ],
)
def test_what_is_closed_is_refused_before_anything_is_told(
    policy: Policy, rows: list[dict[str, Any]], key: str, dry_run: bool
) -> None:
    server = attempt(policy, rows, key, dry_run=dry_run, notify=True)
    assert server.asked("create", "write", "load", "name_search") == []
    told = [call for call in server.asked("search_read") if call.model == "res.partner"]
    assert told == []


@pytest.mark.parametrize("mode", ["readonly", "restricted"])
def test_a_mode_that_writes_nothing_plans_an_import_and_says_what_it_takes(
    mode: Any,
) -> None:
    rows = [{"ref": "A", "phone": "1"}, {"ref": "B", "name": "Ben"}]
    server = attempt(Policy(mode=mode), rows, "ref")
    assert server.asked("create", "write", "load", "web_save_multi") == []
    odoo = server.connect(policy=Policy(mode=mode))
    plan = upsert(odoo, "res.partner", rows, key="ref", dry_run=True)
    assert (plan.created, plan.updated) == (1, 1)
    assert mode in str(plan.needs)
    assert server.asked("create", "write", "load", "web_save_multi") == []


def test_restricted_mode_imports_into_its_models_and_says_that_it_is_loud() -> None:
    policy = Policy(mode="restricted", write_allowlist="res.partner")
    rows = [{"ref": "A", "phone": "1"}, {"ref": "B", "name": "Ben"}]
    server = attempt(policy, rows, "ref")
    assert server.sent == []

    odoo = server.connect(policy=policy)
    result = upsert(odoo, "res.partner", rows, key="ref", notify=True)
    assert (result.created, result.updated) == (1, 1)


def test_models_never_written_stay_so() -> None:
    server = FakeServer({"res.users": {"name": "char", "login": "char"}}, records={"res.users": []})
    with pytest.raises(AccessError) as raised:
        create_many(server.connect(), "res.users", [{"login": "eve", "name": "Eve"}])
    assert raised.value.code == "MODEL_BLOCKED"
    assert server.records["res.users"] == []


def test_methods_that_are_closed_are_not_called_under_another_name() -> None:
    rows = [{"id": 7, "phone": "1"}, {"id": 8, "phone": "2"}]
    for method in ("write", "create"):
        server = contacts(ANN, {**ANN, "id": 8, "ref": "B"})
        odoo = server.connect(policy=Policy(method_blocklist=method))
        with pytest.raises(AccessError):
            upsert(odoo, "res.partner", [{"id": "x.a", "name": "A"}, *rows], key="id")
        assert server.asked("create", "write", "load", "web_save_multi") == []
    with pytest.raises(AccessError):
        write_many(server.connect(policy=Policy(method_blocklist="write")), "res.partner", rows)


@pytest.mark.parametrize(("version", "method"), [(18, "load"), (19, "web_save_multi")])
def test_one_method_closed_writes_rows_one_by_one(version: int, method: str) -> None:
    server = contacts(ANN, {**ANN, "id": 8, "ref": "B"}, version=version)
    odoo = server.connect(policy=Policy(method_blocklist=method))
    rows = [{"id": 7, "phone": "1"}, {"id": 8, "phone": "2"}]
    assert write_many(odoo, "res.partner", rows).updated == 2
    asked = server.asked("write", "load", "web_save_multi")
    assert [call.method for call in asked] == ["write", "write"]


@pytest.mark.parametrize(("version", "method"), [(18, "write"), (19, "web_save_multi")])
def test_a_row_is_judged_as_its_write_is(version: int, method: str) -> None:
    """In a mode that allows writing the model, all at once; a closed field in one row stops it."""
    rules: dict[str, Any] = {"mode": "restricted", "write_allowlist": "res.partner"}
    rows = [{"id": 7, "phone": "1"}, {"id": 8, "email": "8@x.com"}]
    server = contacts(ANN, {**ANN, "id": 8, "ref": "B"}, version=version)
    odoo = server.connect(policy=Policy(**rules))
    assert write_many(odoo, "res.partner", rows, notify=True).updated == 2
    assert [call.method for call in server.asked("write", "web_save_multi")] == [method]
    closed = server.connect(policy=Policy(**rules, field_blocklist="email"))
    with pytest.raises(AccessError):
        write_many(closed, "res.partner", [{"id": 7, "phone": "2"}, rows[1]], notify=True)
    assert len(server.asked("write", "web_save_multi", "load")) == 1


def test_records_of_closed_models_are_neither_found_nor_changed() -> None:
    """Attachments of a closed model, named by a key and by their ids."""
    models = {
        "ir.attachment": {
            "name": "char",
            "description": "char",
            "res_model": "char",
            "res_id": "integer",
            "res_field": "char",
            "url": "char",
        },
        "res.partner": {"name": "char"},
        "hr.contract": {"name": "char"},
    }
    files = [
        {"id": 1, "name": "open", "res_model": "res.partner", "res_id": 1},
        {"id": 2, "name": "closed", "res_model": "hr.contract", "res_id": 1},
        {"id": 3, "name": "closed too", "res_model": "hr.contract", "res_id": 1},
    ]
    records: dict[str, Any] = {"ir.attachment": files, "res.partner": [{"id": 1}]}
    server = FakeServer(models, records=records)
    odoo = server.connect(policy=Policy(model_blocklist="hr.contract"))
    rows = [{"id": n, "description": f"new {n}"} for n in (1, 2, 3)]
    result = write_many(odoo, "ir.attachment", rows)
    assert result.statuses == ["updated", "failed", "failed"]
    assert "There is no ir.attachment 2" in result.failed[0].reason
    found = [row.get("description") for row in server.records["ir.attachment"]]
    assert found == ["new 1", None, None]
    assert server.asked("load", "web_save_multi") == []

    found_by_name = upsert(
        odoo, "ir.attachment", [{"name": "closed", "description": "x"}], key="name", dry_run=True
    )
    assert (found_by_name.created, found_by_name.updated) == (1, 0)


def test_values_that_name_closed_models_are_refused() -> None:
    models = {"x.note": {"name": "char", "res_model": "char"}}
    server = FakeServer(models, records={"x.note": [{"id": 1, "name": "A"}]})
    odoo = server.connect(policy=Policy(model_blocklist="hr.contract"))
    for value in ("hr.contract", "ir.rule"):
        with pytest.raises(OdooError) as raised:
            upsert(odoo, "x.note", [{"name": "A", "res_model": value}], key="name")
        assert raised.value.code == "MODEL_BLOCKED"
    assert server.asked("create", "write", "load", "web_save_multi") == []


def test_records_that_belong_to_others_are_never_changed_by_load() -> None:
    """What the connection sees to before a write, it does not see to before a load."""
    fields = {"summary": "char", "res_model": "char", "res_id": "integer"}
    models = {"mail.activity": fields, "res.partner": {"name": "char"}}
    todo = [{"id": n, "summary": "x", "res_model": "res.partner", "res_id": 1} for n in (1, 2)]
    records: dict[str, Any] = {"mail.activity": todo, "res.partner": [{"id": 1}]}
    server = FakeServer(models, records=records)
    odoo = server.connect(policy=Policy(model_blocklist="hr.contract"))
    rows = [{"id": n, "summary": f"new {n}"} for n in (1, 2)]
    assert write_many(odoo, "mail.activity", rows).updated == 2
    asked = server.asked("write", "load", "web_save_multi")
    assert [call.method for call in asked] == ["write", "write"]


@pytest.mark.parametrize("records", [["x.a"], [7]])
def test_load_is_given_nothing_that_create_and_write_would_refuse(records: list[Any]) -> None:
    server = contacts(ANN)
    odoo = server.connect()
    with pytest.raises(AccessError) as raised:
        load(odoo, "res.partner", records, [{"name": "ir.rule"}], {}, [])
    assert raised.value.code == "MODEL_BLOCKED"
    assert server.asked("load", "web_save_multi") == []
