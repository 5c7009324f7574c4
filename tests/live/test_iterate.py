"""Every record, dotted fields, and searches without a limit, on real servers."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from odoo_toolkit import Odoo, Policy, count, create, iterate, read, search_read, unlink, write
from odoo_toolkit.connection.settings import connection_settings
from odoo_toolkit.records import pages
from tests.live.conftest import admin, ordinary, server
from tests.live.servers import Server, credentials

__all__ = ["admin", "ordinary", "server"]

QUIET = {"tracking_disable": True}
#: A path of relations that every version has, with many2one and one2many.
PATHS = [
    "parent_id.name",
    "parent_id.country_id.code",
    "parent_id.country_id.currency_id.symbol",
    "parent_id.child_ids.name",
    "category_id.name",
    "company_id.name",
    "country_id.currency_id.active",
]


@pytest.fixture
def partners(admin: Odoo, suffix: str) -> Iterator[list[int]]:
    """Twenty contacts, their names in the reverse of the order of their ids."""
    values = [{"name": f"{suffix} {number:02}", "ref": suffix} for number in range(20, 0, -1)]
    ids = create(admin, "res.partner", values, context=QUIET).ids
    yield ids
    domain = [["name", "like", suffix], ["active", "in", [True, False]]]
    for row in search_read(admin, "res.partner", domain, ["id"], order="id desc"):
        unlink(admin, "res.partner", [row["id"]])


@pytest.fixture
def second(server: Server) -> Iterator[Odoo]:
    """Another connection, whose transactions are others."""
    with Odoo(connection_settings(**credentials(server, server.user("admin")))) as odoo:
        yield odoo


def test_rows_that_come_and_go_between_the_pages(
    admin: Odoo, second: Odoo, partners: list[int], suffix: str
) -> None:
    domain = [["ref", "=", suffix]]
    found = iterate(admin, "res.partner", domain, ["name"], batch=3)
    seen = [next(found)["id"] for _ in range(3)]
    unlink(second, "res.partner", [*partners[:3], partners[18]])
    late = create(second, "res.partner", {"name": f"{suffix} new", "ref": suffix}, QUIET).id
    seen += [row["id"] for row in found]
    stayed = [one for one in partners if one not in (partners[18], late)]
    assert [one for one in seen if one in stayed] == stayed
    assert len(seen) == len(set(seen))
    assert set(seen) <= {*partners, late}
    assert partners[18] not in seen


def test_another_order_over_pages(
    admin: Odoo, second: Odoo, partners: list[int], suffix: str
) -> None:
    domain = [["ref", "=", suffix]]
    found = iterate(admin, "res.partner", domain, ["name", "active"], order="name", batch=3)
    seen = [next(found)["id"]]
    unlink(second, "res.partner", [partners[2]])
    write(second, "res.partner", [partners[1]], {"active": False, "ref": False})
    seen += [row["id"] for row in found]
    assert seen == [one for one in reversed(partners) if one != partners[2]]


def test_every_record_of_a_model_once(admin: Odoo) -> None:
    for model in ("res.country", "ir.model.fields", "mail.message", "ir.attachment"):
        counted = count(admin, model)
        found = iterate(admin, model, fields=["id"], batch=1500)
        ids = [row["id"] for row in found]
        assert len(ids) == len(set(ids))
        # Others work on the same server.
        assert abs(len(ids) - counted.count) < 50
        same = search_read(admin, model, fields=["id"], order="id", limit=1)
        assert found.excluded_count == same.excluded_count
        assert found.warnings == same.warnings


def test_all_at_once_and_in_pages_are_the_same(
    admin: Odoo, partners: list[int], suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["odoo_toolkit.records.iterate"], "BATCH", 6)
    options = {"domain": [["ref", "=", suffix]], "fields": ["name", "company_id"]}
    at_once = search_read(admin, "res.partner", limit=500, **options).records
    assert len(at_once) == len(partners)
    assert search_read(admin, "res.partner", limit=None, **options).records == at_once
    by_id = list(iterate(admin, "res.partner", batch=6, **options))
    assert by_id == sorted(at_once, key=lambda row: row["id"])


def test_dotted_fields_are_what_single_reads_give(
    admin: Odoo, partners: list[int], suffix: str
) -> None:
    country = search_read(admin, "res.country", [["code", "=", "BE"]], ["id"], limit=1)[0]["id"]
    tags = create(admin, "res.partner.category", [{"name": f"{suffix} {n}"} for n in "ba"]).ids
    values = {"country_id": country, "category_id": tags, "parent_id": partners[0]}
    write(admin, "res.partner", partners[1:9], values, context=QUIET)
    write(admin, "res.partner", [partners[0]], {"country_id": country, "active": False})
    found = search_read(admin, "res.partner", [["id", "in", partners]], ["name", *PATHS])
    assert found.count == 19
    assert (found.skipped_fields, found.warnings) == ([], [])
    for row in found:
        for path in PATHS:
            assert row[path] == alone(admin, row["id"], path), path
    reached = next(row for row in found if row["id"] == partners[3])
    assert reached["parent_id.name"] == f"{suffix} 20"
    assert reached["parent_id.country_id.currency_id.symbol"] == "€"
    assert sorted(reached["category_id.name"]) == [f"{suffix} a", f"{suffix} b"]
    again = {
        row["id"]: row
        for row in iterate(
            admin, "res.partner", [["id", "in", partners]], ["name", *PATHS], batch=4
        )
    }
    assert again == {row["id"]: row for row in found}
    one = read(admin, "res.partner", [partners[3]], ["name", *PATHS])[0]
    assert one == reached
    unlink(admin, "res.partner.category", tags)


def alone(odoo: Odoo, record_id: int, path: str, model: str = "res.partner") -> object:
    """Return what a path leads to, step by step and record by record."""
    name, _, rest = path.partition(".")
    value = read(odoo, model, [record_id], [name])[0][name]
    relation = odoo.schema.fields(model)[name].relation
    if not rest or relation is None:
        return value
    if isinstance(value, list):
        return [alone(odoo, one, rest, relation) for one in value]
    return alone(odoo, value["id"], rest, relation) if value else None


def test_the_number_of_calls_does_not_depend_on_the_rows(server: Server) -> None:
    calls: list[str] = []
    settings = connection_settings(**credentials(server, server.user("admin")))
    with Odoo(settings, on_call=lambda event: calls.append(event.call.model)) as odoo:
        fields = ["country_id.currency_id.name", "country_id.code", "create_uid.login"]
        search_read(odoo, "res.partner", [["country_id", "!=", False]], fields, limit=200)
    assert sorted(calls) == ["res.country", "res.currency", "res.partner", "res.users"]


@pytest.fixture
def hidden_tag(server: Server, admin: Odoo, suffix: str) -> Iterator[int]:
    """A tag that has two below it, and that a record rule hides from everybody."""
    parent = create(admin, "res.partner.category", {"name": f"{suffix} hidden"}).id
    below = [{"name": f"{suffix} {n}", "parent_id": parent} for n in "ab"]
    create(admin, "res.partner.category", [*below, {"name": f"{suffix} c"}])
    settings = connection_settings(**credentials(server, server.user("admin")))
    with Odoo(settings, policy=Policy(protect=False)) as unguarded:
        of_tags = [["model", "=", "res.partner.category"]]
        model = search_read(unguarded, "ir.model", of_tags, ["id"])[0]["id"]
        domain = f"[('name', '!=', '{suffix} hidden')]"
        values = {"name": suffix, "model_id": model, "domain_force": domain}
        rule = create(unguarded, "ir.rule", values).id
        yield parent
        unlink(unguarded, "ir.rule", [rule])
    tags = search_read(admin, "res.partner.category", [["name", "like", suffix]], order="id desc")
    unlink(admin, "res.partner.category", [row["id"] for row in tags])


def test_a_record_that_the_user_may_not_read_is_none_and_the_rest_stays(
    admin: Odoo, ordinary: Odoo, hidden_tag: int, suffix: str
) -> None:
    domain = [["name", "like", suffix]]
    for odoo in (admin, ordinary):
        fields = ["name", "parent_id.id", "parent_id.name", "parent_id.active"]
        found = search_read(odoo, "res.partner.category", domain, fields, order="id")
        assert [list(row.values())[1:] for row in found] == [
            [f"{suffix} a", hidden_tag, None, None],
            [f"{suffix} b", hidden_tag, None, None],
            [f"{suffix} c", None, None, None],
        ]
        assert "parent_id" in found.warnings[0]
        pages = iterate(odoo, "res.partner.category", domain, fields, batch=1)
        assert list(pages) == found.records
        assert pages.warnings == found.warnings


def test_a_model_that_the_user_may_not_read_is_skipped(ordinary: Odoo) -> None:
    closed = [
        (model, name)
        for model in ("res.partner", "res.company", "hr.employee.public")
        for name, field in ordinary.schema.fields(model).items()
        if field.type == "many2one"
        and field.store
        and field.relation
        and not ordinary.policy.field_closed(field)
        and ordinary.policy.model_allowed(field.relation)
        and not ordinary.schema.may(field.relation, "read")
    ]
    # Where nothing is linked, nothing is asked.
    model, name, domain = next(
        (model, name, domain)
        for model, name in closed
        if search_read(ordinary, model, domain := [[name, "!=", False]], ["id"], limit=1).records
    )
    path = f"{name}.create_date"
    found = search_read(ordinary, model, domain, ["name", path, "create_uid.login"], limit=1)
    assert list(found[0]) == ["id", "name", "create_uid.login"]
    assert found.skipped_fields == [path]


@pytest.mark.parametrize("mode", ["readonly", "full"])
def test_closed_models_are_closed_to_paths_and_pages(server: Server, mode: str) -> None:
    policy = Policy(mode=mode, model_blocklist="res.country", field_blocklist="email")
    settings = connection_settings(**credentials(server, server.user("admin")))
    with Odoo(settings, policy=policy) as odoo:
        for fields in (["country_id.code"], ["parent_id.email"], ["user_ids.password"]):
            with pytest.raises(Exception, match="not"):
                next(iterate(odoo, "res.partner", fields=fields))
        rows = list(iterate(odoo, "res.partner", fields=["name", "parent_id.name"], batch=700))
        assert len(rows) > 20
        assert set(rows[0]) == {"id", "name", "parent_id.name"}


def test_a_window_more(admin: Odoo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_WINDOW", 2)
    ids = [row["id"] for row in iterate(admin, "res.country", fields=["id"], batch=20)]
    assert ids == sorted(set(ids))
    assert len(ids) == count(admin, "res.country").count
