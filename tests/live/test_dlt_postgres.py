"""Models in PostgreSQL: followed, by workers of several processes at once, each with its table."""

from __future__ import annotations

import re
import subprocess
import threading
import uuid
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import attrs
import psycopg
import pytest

pytest.importorskip("dlt")
pytest.importorskip("psycopg2", reason="dlt loads into PostgreSQL with it")

from odoo_toolkit import Odoo, connect, create, search_read, unlink, write
from odoo_toolkit.dlt import batches, sync
from odoo_toolkit.dlt.loading import DATASET
from odoo_toolkit.errors import StateError
from tests.kit.command import COMMAND, environment
from tests.kit.loading import PARTNER, QUIET, TAG, assert_equal, done
from tests.live.servers import Server, credentials
from tests.provisioning import postgres
from tests.warehouse import PostgresWarehouse

#: model -> the field that has the word of the test.
MODELS = {
    PARTNER: "name",
    "product.template": "name",
    "sale.order": "client_order_ref",
    "account.move": "ref",
}

#: What workers load, so that a round is short.
FIELDS_OF_WORKERS = {
    PARTNER: "name,parent_id,category_id",
    "product.template": "name,list_price,taxes_id",
    "sale.order": "client_order_ref,partner_id,amount_total,order_line",
    "account.move": "ref,state,line_ids",
}


@pytest.fixture
def warehouse() -> Iterator[PostgresWarehouse]:
    """A database of its own."""
    name = f"warehouse_{uuid.uuid4().hex[:8]}"
    postgres.execute("postgres", f"CREATE DATABASE {name}")
    yield PostgresWarehouse(
        f"postgresql://{postgres.ROLE}:unused@localhost/{name}?host={postgres.socket_folder()}"
    )
    postgres.execute("postgres", f"DROP DATABASE {name} WITH (FORCE)")


@attrs.frozen
class Made:
    """Records of a test, found by a word.

    Attributes:
        odoo: the administrator.
        word: that is in all of them.
    """

    odoo: Odoo
    word: str

    def domain(self, model: str) -> list[Any]:
        """Return what finds those of a model."""
        return [[MODELS.get(model, "name"), "like", self.word]]

    def ids(self, model: str) -> list[int]:
        """Return those of a model, archived ones, too."""
        every = {"active_test": False}
        found = search_read(
            self.odoo, model, self.domain(model), ["id"], limit=None, order="id", context=every
        )
        return [row["id"] for row in found.records]


@pytest.fixture
def made(admin: Odoo, suffix: str) -> Iterator[Made]:
    """Some records of each model, with links; all go in the end."""
    found = Made(admin, suffix)
    tags = create(admin, TAG, [{"name": f"{suffix} {i}"} for i in range(3)]).ids
    partners = [
        {"name": f"{suffix} {i}", "category_id": [[6, 0, tags[: i % 4]]]} for i in range(20)
    ]
    partner = create(admin, PARTNER, partners, context=QUIET).ids[0]
    create(admin, "product.template", [{"name": f"{suffix} {i}"} for i in range(20)])
    note = [[0, 0, {"display_type": "line_note", "name": "A note"}]]
    orders = [
        {"partner_id": partner, "client_order_ref": f"{suffix} {i}", "order_line": note}
        for i in range(20)
    ]
    create(admin, "sale.order", orders, context=QUIET)
    create(admin, "account.move", [{"ref": f"{suffix} {i}"} for i in range(20)], context=QUIET)
    yield found
    for model in [*reversed(MODELS), TAG]:
        if ids := found.ids(model):
            unlink(admin, model, ids)


@pytest.mark.long
def test_what_changes_is_followed_in_postgresql(
    admin: Odoo, warehouse: PostgresWarehouse, made: Made
) -> None:
    def follow(model: str) -> dict[str, int]:
        report = sync(admin, warehouse.url, model, made.domain(model), check=True)
        assert (report.status, report.checked) == ("complete", True)
        assert_equal(admin, warehouse, model, made.domain(model))
        return done(report)

    for model in MODELS:
        assert follow(model) == {"loaded": 20}, model
        assert follow(model) == {}, model
    links = warehouse.rows("res_partner__category_id", "id", "other_id")
    assert len(links) == 30
    for model, field in MODELS.items():
        ids = made.ids(model)
        write(admin, model, ids[1:3], {field: f"{made.word} 'Ä\u2028%s\\'"}, context=QUIET)
        write(admin, model, [ids[4]], {field: "left"}, context=QUIET)
        unlink(admin, model, ids[5:8])
        assert follow(model) == {"changed": 2, "left": 1, "deleted": 3}, model
        write(admin, model, [ids[4]], {field: f"{made.word} back"}, context=QUIET)
        assert follow(model) == {"loaded": 1}, model
    # This changes links and not one record.
    unlink(admin, TAG, made.ids(TAG)[:1])
    assert follow(PARTNER) == {}
    assert len(warehouse.rows("res_partner__category_id", "id")) < 20


@pytest.mark.long
def test_four_workers_load_four_models_while_others_write(
    server: Server, admin: Odoo, warehouse: PostgresWarehouse, made: Made, tmp_path: Path
) -> None:
    """Into one database that is empty at first; each is a process of its own."""
    stopped, rounds, failures = threading.Event(), list[int](), list[BaseException]()

    def change() -> None:
        try:
            with connect(**credentials(server, server.user("admin"))) as odoo:
                while not stopped.is_set():
                    _change(odoo, made, len(rounds))
                    rounds.append(1)
        except BaseException as error:
            failures.append(error)

    writer = threading.Thread(target=change)
    writer.start()
    try:
        said = [*_worked(server, warehouse, made, tmp_path)]
    finally:
        stopped.set()
        writer.join()
    assert not failures, failures
    assert rounds
    assert all('"status": "complete' in one for one in said)
    said = _worked(server, warehouse, made, tmp_path)
    assert all('"status": "complete"' in one for one in said)
    for model in MODELS:
        assert_equal(admin, warehouse, model, made.domain(model))
        links = FIELDS_OF_WORKERS[model].rpartition(",")[2]
        assert model == "account.move" or warehouse.rows(
            f"{model.replace('.', '_')}__{links}", "id"
        )
        ids = [key for (key,) in warehouse.rows(model.replace(".", "_"), "id")]
        assert ids == made.ids(model)


def test_a_table_that_is_loaded_is_refused_to_another_process(
    server: Server,
    admin: Odoo,
    warehouse: PostgresWarehouse,
    made: Made,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A second worker with the same table is told so; one with a table of its own is not."""
    handed_out, said = batches.Batches.rows, list[tuple[int, str]]()

    def rows(self: batches.Batches, records: Any) -> Any:
        if not said:
            for name in ("res_partner", "others"):
                worker = _worker(server, warehouse, made, PARTNER, tmp_path, "--name", name)
                _, failed = worker.communicate()
                said.append((worker.returncode, failed))
        return handed_out(self, records)

    monkeypatch.setattr(batches.Batches, "rows", rows)
    fields = FIELDS_OF_WORKERS[PARTNER].split(",")
    report = sync(admin, warehouse.url, PARTNER, made.domain(PARTNER), fields=fields, check=True)
    assert (report.status, report.loaded) == ("complete", 20)
    (refused, why), (status, _) = said
    assert (refused, status) == (9, 0)
    assert "Another sync is loading the table res_partner" in why
    assert_equal(admin, warehouse, PARTNER, made.domain(PARTNER))
    worker = _worker(server, warehouse, made, PARTNER, tmp_path)
    assert '"status": "complete"' in worker.communicate()[0]


def test_a_dataset_that_another_worker_creates_meanwhile_is_used(
    admin: Odoo, warehouse: PostgresWarehouse, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dlt.destinations.impl.postgres.sql_client import Psycopg2SqlClient

    create_dataset, created = Psycopg2SqlClient.create_dataset, list[str]()

    def late(self: Psycopg2SqlClient) -> None:
        created.append(self.dataset_name)
        with psycopg.connect(warehouse.url) as other:
            other.execute(f"create schema {self.dataset_name}".encode())
        create_dataset(self)

    monkeypatch.setattr(Psycopg2SqlClient, "create_dataset", late)
    report = sync(admin, warehouse.url, TAG, made.domain(TAG), check=True)
    assert (report.status, report.loaded) == ("complete", 3)
    assert created == [DATASET, f"{DATASET}_staging"]


def test_a_database_that_cannot_be_reached_or_is_not_there_is_an_error_that_says_so(
    admin: Odoo, warehouse: PostgresWarehouse
) -> None:
    host = warehouse.url.partition("?")[2]
    wrong = [
        (f"postgresql://{postgres.ROLE}:unused@localhost/none?{host}", '"none" does not exist'),
        (f"postgresql://{postgres.ROLE}:unused@127.0.0.1:1/none", "Connection refused"),
    ]
    for url, said in wrong:
        with pytest.raises(StateError, match=f"The destination failed: .*{said}"):
            sync(admin, url, TAG)


def test_a_connection_that_is_lost_in_the_middle_is_made_up_for(
    admin: Odoo, warehouse: PostgresWarehouse, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL ends all connections: when rows are to be merged, and while they are read."""
    from dlt.destinations.impl.postgres.sql_client import Psycopg2SqlClient

    ended = list[str]()

    def end() -> None:
        with psycopg.connect(warehouse.url, autocommit=True) as other:
            other.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid()"
            )

    handed_out, merged = batches.Batches.rows, Psycopg2SqlClient.execute_many

    def rows(self: batches.Batches, records: Any) -> Any:
        end()
        return handed_out(self, records)

    def execute_many(self: Psycopg2SqlClient, statements: Any, *args: Any, **more: Any) -> Any:
        if any("DELETE FROM" in one for one in statements) and not ended:
            ended.append("merging")
            end()
        return merged(self, statements, *args, **more)

    sync(admin, warehouse.url, PARTNER, made.domain(PARTNER))
    write(admin, PARTNER, made.ids(PARTNER)[:3], {"name": f"{made.word} later"}, context=QUIET)
    monkeypatch.setattr(Psycopg2SqlClient, "execute_many", execute_many)
    with pytest.raises(StateError, match="The destination failed"):
        sync(admin, warehouse.url, PARTNER, made.domain(PARTNER))
    assert ended == ["merging"]
    write(admin, PARTNER, made.ids(PARTNER)[3:5], {"name": f"{made.word} last"}, context=QUIET)
    monkeypatch.setattr(batches.Batches, "rows", rows)
    # dlt goes on with new connections, but the lock has gone: another may load the table, too.
    with pytest.raises(StateError, match="The destination failed"):
        sync(admin, warehouse.url, PARTNER, made.domain(PARTNER))
    monkeypatch.undo()
    report = sync(admin, warehouse.url, PARTNER, made.domain(PARTNER), check=True)
    assert report.status == "complete"
    assert_equal(admin, warehouse, PARTNER, made.domain(PARTNER))


def _change(odoo: Odoo, made: Made, number: int) -> None:
    """Create, change and delete a record of each model, and links of contacts."""
    partner = made.ids(PARTNER)[0]
    more = {"sale.order": {"partner_id": partner}}
    for model, field in MODELS.items():
        values = {**more.get(model, {}), field: f"{made.word} more {number}"}
        new = create(odoo, model, values, context=QUIET).id
        write(odoo, model, [new], {field: f"{made.word} changed {number}"}, context=QUIET)
        unlink(odoo, model, made.ids(model)[10:11])
    tags = made.ids(TAG)
    write(odoo, PARTNER, [partner], {"category_id": [[6, 0, tags[: number % 4]]]}, context=QUIET)


def _worked(
    server: Server, warehouse: PostgresWarehouse, made: Made, folder: Path
) -> Iterator[str]:
    """Let a worker sync each model, all at once, and return what they said."""
    running = [_worker(server, warehouse, made, model, folder) for model in MODELS]
    answers = [(*worker.communicate(), worker.returncode) for worker in running]
    assert [(failed, status) for _, failed, status in answers if status] == []
    return iter([said for said, _, _ in answers])


def _worker(
    server: Server, warehouse: PostgresWarehouse, made: Made, model: str, folder: Path, *more: str
) -> subprocess.Popen[str]:
    """Start a process that syncs a model."""
    url = warehouse.url.replace(":unused@", "@")
    where = f"{MODELS[model]}~{made.word}"
    return subprocess.Popen(
        [
            *(*COMMAND, "sync", url, model, "--where", where),
            *("-f", FIELDS_OF_WORKERS[model], "--check", *more),
        ],
        env=environment(
            server,
            server.user("admin"),
            DESTINATION__POSTGRES__CREDENTIALS__PASSWORD="unused",
        ),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


GUIDE = (Path(__file__).parents[2] / "docs/bi.md").read_text("utf-8")

#: What the guide's queries read.
READ = {
    "sale.order": ["state", "date_order", "amount_total", "partner_id"],
    "sale.order.line": ["order_id", "price_subtotal"],
    PARTNER: ["name"],
}


@pytest.fixture
def reader() -> Iterator[str]:
    """The name of a role that the test may create."""
    name = f"reader_{uuid.uuid4().hex[:8]}"
    yield name
    postgres.execute("postgres", f"DROP ROLE IF EXISTS {name}")


def test_queries_of_bi_tools_work_as_the_guides_user_that_only_reads(
    admin: Odoo, reader: str, warehouse: PostgresWarehouse
) -> None:
    by_month, grants, by_customer = re.findall(r"```sql\n(.*?)```", GUIDE, re.DOTALL)
    for number, (model, fields) in enumerate(READ.items()):
        sync(admin, warehouse.url, model, fields=fields)
        if not number:  # tables that come later are covered, and so are those that are made again
            with psycopg.connect(warehouse.url) as connection:
                connection.execute(grants.replace("metabase", reader).encode())
    sync(admin, warehouse.url, "sale.order", fields=READ["sale.order"], refresh=True)
    seen = PostgresWarehouse(warehouse.url.replace(f"{postgres.ROLE}:", f"{reader}:", 1))

    sold = search_read(admin, "sale.order", [["state", "=", "sale"]], ["amount_total"], limit=None)
    total = sum(Decimal(str(row["amount_total"])) for row in sold.records)
    assert sum(amount for _, amount in seen.ask(by_month)) == pytest.approx(total)
    assert total > 0
    amounts = [amount for _, amount in seen.ask(by_customer)]
    assert amounts == sorted(amounts, reverse=True)
    assert len(amounts) > 3
    types = seen.columns("sale_order")
    told = {"state": "character varying", "partner_id": "bigint", "amount_total": "numeric"}
    assert {**told, "date_order": "timestamp with time zone"}.items() <= types.items()
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        seen.ask("delete from sale_order returning id")
    with psycopg.connect(warehouse.url) as connection:
        connection.execute(f"DROP OWNED BY {reader}".encode())
