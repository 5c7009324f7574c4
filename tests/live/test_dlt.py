"""Real models in a warehouse: complete, followed, and never emptied by rights that narrow."""

from __future__ import annotations

import subprocess
import sys
import xmlrpc.client
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit.loading import PARTNER, PRODUCT, QUIET, TAG, WORKER, assert_equal, done

pytest.importorskip("dlt")

from odoo_toolkit import (
    AccessError,
    NotFoundError,
    Odoo,
    ValidationError,
    connect,
    create,
    read,
    search_read,
    unlink,
    write,
)
from odoo_toolkit.dlt import BUNDLES, sync
from tests.kit.command import COMMAND, ROOT, environment
from tests.live.servers import Server, User, credentials, ordinary_user
from tests.warehouse import Warehouse

FIELDS = ["name", "active", "color", "ref", "category_id", "country_id", "comment", "type"]


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(tmp_path / "odoo.db")


@pytest.fixture
def made(admin: Odoo, suffix: str) -> Iterator[str]:
    """A word for contacts and tags, all of which go in the end."""
    yield suffix
    for model in (PARTNER, TAG):
        found = search_read(
            admin,
            model,
            [["name", "like", suffix]],
            ["id"],
            limit=None,
            context={"active_test": False},
        )
        if found.records:
            unlink(admin, model, [row["id"] for row in found.records])


@pytest.mark.long
def test_every_model_of_the_bundles_is_complete(admin: Odoo, warehouse: Warehouse) -> None:
    models = sorted({model for models in BUNDLES.values() for model in models})
    for model in models:
        report = sync(admin, warehouse.url, model, check=True)
        assert report.status.startswith("complete"), report
        assert (report.rows, report.id_sum) == (report.counted, report.counted_id_sum), report


def test_what_changes_is_followed_to_the_last_value(
    admin: Odoo, warehouse: Warehouse, made: str
) -> None:
    domain = [["name", "like", made]]
    tags = create(admin, TAG, [{"name": f"{made} {i}"} for i in range(3)]).ids
    values = [
        {"name": f"{made} {i}", "ref": "", "color": i, "category_id": [[6, 0, tags[: i % 3]]]}
        for i in range(12)
    ]
    values[0] |= {"comment": "<p>Ä\u2028</p>", "ref": "'; drop table x; --"}
    ids = create(admin, PARTNER, values, context=QUIET).ids

    def follow() -> dict[str, int]:
        report = sync(admin, warehouse.url, PARTNER, domain, FIELDS, check=True)
        assert report.status == "complete"
        assert_equal(admin, warehouse, PARTNER, domain)
        return done(report)

    assert follow() == {"loaded": 12}
    assert follow() == {}
    write(admin, PARTNER, ids[:2], {"active": False}, context=QUIET)
    write(admin, PARTNER, [ids[2]], {"category_id": [[5]]}, context=QUIET)
    write(admin, PARTNER, [ids[3]], {"name": "left"}, context=QUIET)
    unlink(admin, PARTNER, [ids[4], ids[5]])
    create(admin, PARTNER, {"name": f"{made} new"}, context=QUIET)
    assert follow() == {"loaded": 1, "changed": 3, "left": 1, "deleted": 2}
    # This changes links and not one record.
    unlink(admin, TAG, [tags[0]])
    assert follow() == {}
    write(admin, PARTNER, [ids[3]], {"name": f"{made} back"}, context=QUIET)
    assert follow() == {"loaded": 1}
    unlink(admin, PARTNER, [ids[3]])


@pytest.fixture
def narrowed(server: Server, made: str) -> Iterator[tuple[Odoo, Callable[[bool], None]]]:
    """A user of a group of its own, and a function that hides from it what has "hidden" in it."""
    user = ordinary_user(server, "Narrowed")
    ask = _asker(server)
    (uid,) = ask("res.users", "search", [["login", "=", user.login]])
    field = "group_ids" if "group_ids" in ask("res.users", "fields_get", ["group_ids"]) else ""
    # A run that was cut off leaves its rule, and rules of several groups show what either shows.
    for model in ("ir.rule", "res.groups"):
        active = [["active", "in", [True, False]]] if model == "ir.rule" else []
        ask(model, "unlink", ask(model, "search", [["name", "like", "Narrowed "], *active]))
    group = ask("res.groups", "create", {"name": f"Narrowed {made}"})
    ask("res.users", "write", [uid], {field or "groups_id": [[4, group]]})
    (model,) = ask("ir.model", "search", [["model", "=", TAG]])
    rule = ask(
        "ir.rule",
        "create",
        {
            "name": f"Narrowed {made}",
            "model_id": model,
            "groups": [[6, 0, [group]]],
            "domain_force": f"[('name', 'not like', '{made} hidden')]",
            "active": False,
        },
    )

    def narrow(on: bool) -> None:
        ask("ir.rule", "write", [rule], {"active": on})

    try:
        with connect(**credentials(server, user)) as odoo:
            yield odoo, narrow
    finally:
        ask("ir.rule", "unlink", [rule])
        ask("res.groups", "unlink", [group])


def _asker(server: Server) -> Callable[..., Any]:
    """Return what calls Odoo as the administrator, past the toolkit, which gives no rights."""
    admin: User = server.user("admin")
    password = admin.api_key or admin.password
    common = xmlrpc.client.ServerProxy(f"{server.url}/xmlrpc/2/common")
    uid = common.authenticate(server.db, admin.login, password, {})
    models = xmlrpc.client.ServerProxy(f"{server.url}/xmlrpc/2/object")
    return lambda model, method, *arguments: models.execute_kw(
        server.db, uid, password, model, method, list(arguments)
    )


def test_rights_that_narrow_delete_nothing(
    admin: Odoo,
    narrowed: tuple[Odoo, Callable[[bool], None]],
    warehouse: Warehouse,
    made: str,
) -> None:
    odoo, narrow = narrowed
    names = [f"{made} {word}" for word in ("seen", "hidden", "hidden too", "seen too")]
    seen, hidden, deleted, gone = create(admin, TAG, [{"name": name} for name in names]).ids

    def follow() -> dict[str, int]:
        report = sync(odoo, warehouse.url, TAG, check=True)
        assert report.status.startswith("complete")
        return done(report)

    follow()
    narrow(True)
    unlink(admin, TAG, [gone])
    found = follow()
    # Others work on the same server.
    assert (found["not_accessible"], found["deleted"] >= 1) == (2, True)
    ids = {key for (key,) in warehouse.rows("res_partner_category", "id")}
    assert ids >= {seen, hidden, deleted}
    assert gone not in ids
    unlink(admin, TAG, [deleted])
    found = follow()
    assert (found["not_accessible"], found["deleted"] >= 1) == (1, True)
    narrow(False)
    write(admin, TAG, [hidden], {"name": f"{made} shown"})
    assert "not_accessible" not in follow()
    rows = dict(warehouse.rows("res_partner_category", "id", "name"))
    assert rows[hidden] == f"{made} shown"
    assert deleted not in rows


def test_a_user_without_rights_is_told(server: Server, warehouse: Warehouse) -> None:
    with connect(**credentials(server, ordinary_user(server))) as odoo:
        with pytest.raises(AccessError, match=r"sale\.order"):
            sync(odoo, warehouse.url, "sale.order")
        with pytest.raises(NotFoundError, match=r"sale\.ordre"):
            sync(odoo, warehouse.url, "sale.ordre")


@pytest.mark.every_version
@pytest.mark.parametrize(
    ("model", "field"), [("project.task", "role_ids"), ("account.journal", "type_control_ids")]
)
def test_links_to_a_model_without_rights_do_not_keep_the_table_from_being_loaded(
    server: Server, warehouse: Warehouse, model: str, field: str
) -> None:
    with connect(**credentials(server, ordinary_user(server))) as odoo:
        found = odoo.schema.fields(model).get(field) if odoo.schema.has_model(model) else None
        if found is None or odoo.schema.may(str(found.relation), "read"):
            pytest.skip("here, the user may read what these links lead to")
        report = sync(odoo, warehouse.url, model, check=True)
        assert report.status.startswith("complete")
        told = any(f"{field} (to {found.relation})" in text for text in report.warnings)
        # Odoo 14 shows the ids of such links, as it does not ask for the rights on their model.
        if odoo.version.major in (14, 19):
            assert told == (odoo.version.major == 19)
        if told:
            with pytest.raises(AccessError, match=f"{field} of .* leads to {found.relation}"):
                sync(odoo, warehouse.url, model, fields=["name", field], table="named")
        else:
            assert field in report.links


@pytest.mark.long
def test_four_workers_at_once_on_one_odoo(
    server: Server, admin: Odoo, made: str, tmp_path: Path
) -> None:
    """Each has a part of the records, as that of a company, and a process of its own."""
    values = [{"name": f"{made} {i}", "color": i % 4} for i in range(400)]
    create(admin, PARTNER, values, context=QUIET)
    files = [Warehouse(tmp_path / f"{part}.db") for part in range(4)]

    def work() -> None:
        running = [
            subprocess.Popen(
                [
                    *(*COMMAND, "sync", file.url, PARTNER, "--name", f"partners_{part}"),
                    *("--where", f"name~{made}", "--where", f"color={part}"),
                    *("-f", "name,color", "--check"),
                ],
                env=environment(server, server.user("admin")),
                cwd=tmp_path,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for part, file in enumerate(files)
        ]
        for worker in running:
            said, failed = worker.communicate()
            assert worker.returncode == 0, failed
            assert '"status": "complete"' in said

    def every() -> list[tuple[Any, ...]]:
        return sorted(
            row
            for part, file in enumerate(files)
            for row in file.rows(f"partners_{part}", "id", "name", "color")
        )

    def there() -> list[tuple[Any, ...]]:
        found = search_read(admin, PARTNER, [["name", "like", made]], ["name", "color"], limit=None)
        return sorted((row["id"], row["name"], row["color"]) for row in found.records)

    work()
    assert every() == there()
    ids = [row[0] for row in every()]
    # From the part of one worker into that of another.
    write(admin, PARTNER, ids[:40], {"color": 2}, context=QUIET)
    unlink(admin, PARTNER, ids[-40:])
    work()
    assert every() == there()
    assert len(every()) == 360


@pytest.mark.usefixtures("french")
def test_texts_of_two_languages_do_not_come_into_one_table(
    server: Server, admin: Odoo, warehouse: Warehouse, made: str
) -> None:
    tags = create(admin, TAG, [{"name": f"{made} red"}, {"name": f"{made} green"}]).ids
    domain = [["id", "in", tags]]

    def names(table: str = "res_partner_category") -> list[tuple[Any, ...]]:
        return warehouse.rows(table, "id", "name")

    english = [(tags[0], f"{made} red"), (tags[1], f"{made} green")]
    mixed = [(tags[0], f"{made} rouge"), (tags[1], f"{made} green")]
    sync(admin, warehouse.url, TAG, domain, ["name"])
    with connect(**credentials(server, server.user("admin")), lang="fr_FR") as french:
        write(french, TAG, [tags[0]], {"name": f"{made} rouge"})
        with pytest.raises(ValidationError, match=r"in the language en_US, .* in fr_FR"):
            sync(french, warehouse.url, TAG, domain, ["name"])
        assert names() == english
        assert sync(admin, warehouse.url, TAG, domain, ["name"], check=True).status == "complete"
        assert names() == english
        sync(french, warehouse.url, TAG, domain, ["name"], table="etiquettes", check=True)
        assert names("etiquettes") == mixed
        sync(french, warehouse.url, TAG, domain, ["name"], refresh=True)
        assert names() == mixed
    with pytest.raises(ValidationError, match="in the language fr_FR"):
        sync(admin, warehouse.url, TAG, domain, ["name"])


def test_values_of_two_companies_do_not_come_into_one_table(
    server: Server, admin: Odoo, warehouse: Warehouse, made: str
) -> None:
    (user,) = read(admin, "res.users", [admin.uid], ["company_id", "company_ids"])
    own = user["company_id"]["id"]
    other = next(number for number in user["company_ids"] if number != own)
    product = create(admin, PRODUCT, {"name": made, "standard_price": 4.0}).id
    asked: Any = (PRODUCT, [["id", "=", product]], ["standard_price"])

    def prices(table: str = "product_product") -> list[float]:
        return [float(price) for (price,) in warehouse.rows(table, "standard_price")]

    try:
        sync(admin, warehouse.url, *asked)
        with connect(**credentials(server, server.user("admin")), company_id=other) as second:
            write(second, PRODUCT, [product], {"standard_price": 9.0})
            said = f"company {own}, but this run would read those of {other}"
            with pytest.raises(ValidationError, match=said):
                sync(second, warehouse.url, *asked)
            assert prices() == [4.0]
            sync(second, warehouse.url, *asked, table="of_the_other", check=True)
            assert prices("of_the_other") == [9.0]
        context = {"allowed_company_ids": [own, other]}
        assert sync(admin, warehouse.url, *asked, table="named", context=context).rows == 1
        assert sync(admin, warehouse.url, *asked, check=True).status == "complete"
        assert prices() == prices("named") == [4.0]
    finally:
        unlink(admin, PRODUCT, [product])


def test_a_run_with_fewer_fields_leaves_no_column_behind(
    admin: Odoo, warehouse: Warehouse, made: str
) -> None:
    tag = create(admin, TAG, {"name": made}).id
    values = [{"name": f"{made} {i}", "ref": "r", "category_id": [[6, 0, [tag]]]} for i in range(3)]
    ids = create(admin, PARTNER, values, context=QUIET).ids
    domain = [["name", "like", made]]
    sync(admin, warehouse.url, PARTNER, domain)
    write(admin, PARTNER, ids[:1], {"ref": "s", "category_id": [[5]]}, context=QUIET)
    with pytest.raises(ValidationError, match="which this run would not read") as caught:
        sync(admin, warehouse.url, PARTNER, [["id", "in", ids[:2]]], ["name"])
    assert {"ref", "category_id"} <= {*caught.value.details["fields"]}
    assert [ref for (ref,) in warehouse.rows("res_partner", "ref")] == ["r", "r", "r"]
    assert sync(admin, warehouse.url, PARTNER, domain, check=True).status == "complete"
    assert_equal(admin, warehouse, PARTNER, domain)
    sync(admin, warehouse.url, PARTNER, domain, ["name"], refresh=True, check=True)
    assert [*warehouse.columns("res_partner")] == ["id", "create_date", "write_date", "name"]
    assert "res_partner__category_id" not in warehouse.tables()


@pytest.mark.parametrize("when", [pytest.param("reading", marks=pytest.mark.long), "loading"])
def test_a_worker_that_is_killed_is_made_up_for(
    server: Server, admin: Odoo, warehouse: Warehouse, made: str, when: str
) -> None:
    domain = [["name", "like", made]]
    tag = create(admin, TAG, {"name": made}).id
    values = [{"name": f"{made} {i}", "category_id": [[6, 0, [tag]]]} for i in range(50)]
    ids = create(admin, PARTNER, values, context=QUIET).ids

    def work() -> None:
        worker = subprocess.run(
            [sys.executable, "-c", WORKER, warehouse.url, made, when],
            env=environment(server, server.user("admin")),
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert worker.returncode == -9, worker.stderr

    work()
    new = create(admin, PARTNER, {"name": f"{made} new"}, context=QUIET).id
    unlink(admin, PARTNER, ids[:5])
    work()
    unlink(admin, PARTNER, [new, *ids[5:10]])
    report = sync(admin, warehouse.url, PARTNER, domain, check=True)
    assert report.status == "complete"
    assert_equal(admin, warehouse, PARTNER, domain)
    assert len(warehouse.rows("res_partner__category_id", "id")) == 40


def test_links_to_archived_records_are_links_like_others(
    admin: Odoo, warehouse: Warehouse, made: str
) -> None:
    """Archiving the other record changes neither write_date of this one nor its links."""
    domain = [["name", "like", made]]
    tags = create(admin, TAG, [{"name": f"{made} {i}"} for i in range(2)]).ids
    partner = create(admin, PARTNER, {"name": made, "category_id": [[6, 0, tags]]}).id
    pairs = [(partner, tag) for tag in tags]
    for tag in tags:
        write(admin, TAG, [tag], {"active": False})
        report = sync(admin, warehouse.url, PARTNER, domain, FIELDS, check=True)
        assert (report.status, report.links) == ("complete", {"category_id": 2})
        assert warehouse.rows("res_partner__category_id", "id", "other_id") == pairs
    unlink(admin, TAG, tags[:1])
    assert sync(admin, warehouse.url, PARTNER, domain, FIELDS).links == {"category_id": 1}


def test_two_tables_of_one_relation_have_the_same_pairs(admin: Odoo, warehouse: Warehouse) -> None:
    """Users to their companies, and companies to their users, some of whom are archived."""
    for model, field in (("res.users", "company_ids"), ("res.company", "user_ids")):
        sync(admin, warehouse.url, model, fields=[field], check=True)
    of_users = warehouse.rows("res_users__company_ids", "other_id", "id")
    assert warehouse.rows("res_company__user_ids", "id", "other_id") == of_users


@pytest.mark.every_version
def test_fields_that_users_have_for_groups_are_not_followed(
    admin: Odoo, warehouse: Warehouse
) -> None:
    sync(admin, warehouse.url, "res.users")
    columns = warehouse.columns("res_users")
    assert not [name for name in columns if name.startswith(("in_group_", "sel_groups_"))]
    named = [name for name in admin.schema.fields("res.users") if name.startswith("sel_groups_")]
    assert bool(named) == (admin.version.major < 19)
    for name in named[:1]:
        with pytest.raises(ValidationError, match=f"Odoo computes {name}"):
            sync(admin, warehouse.url, "res.users", fields=[name])
