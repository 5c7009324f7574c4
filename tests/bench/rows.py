"""What many rows cost: reading, iterating, importing, grouping; on a copy with two workers."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import odoorpc
import requests

from odoo_toolkit import Odoo, aggregate, connect, create, iterate, search_read, upsert
from odoo_toolkit.arguments import Domain
from odoo_toolkit.records.importing.preparing import SILENT
from tests.attacks.servers import copied
from tests.bench.timing import medians
from tests.live.servers import Server, credentials
from tests.provisioning import postgres

#: Rows read in one call, by ``iterate``, imported, and imported one by one.
MANY, MOST, IMPORTED, SINGLE = 10_000, 100_000, 5_000, 250
FIELDS = {
    "res.partner": ["name", "email", "country_id", "create_date", "active", "comment"],
    "mail.message": ["subject", "body", "date", "author_id", "message_type"],
}
#: Messages of other models are filtered by Odoo after it has taken so many.
DOMAIN: dict[str, list[Any]] = {"mail.message": [["model", "=", "res.partner"]]}
PAGE = 1_000


def measure(server: Server) -> dict[str, list[list[str]]]:
    """Return a table for each question: reading, iterating, importing, grouping."""
    with copied(server, workers=2) as copy, connect(**_password(copy.server)) as odoo:
        for model in FIELDS:
            _multiply(copy.server.db, odoo, model)
        return {
            "reading": [_reading(copy.server, odoo, model) for model in FIELDS],
            "iterating": _iterating(odoo),
            "importing": _importing(copy.server, odoo),
            "grouping": _grouping(odoo),
        }


def _password(server: Server) -> dict[str, str]:
    keywords = credentials(server, server.user("admin"))
    keywords.pop("api_key", None)
    return {**keywords, "password": server.password, "protocol": "jsonrpc"}


def _multiply(database: str, odoo: Odoo, model: str) -> None:
    """Copy rows of a table within the database until there are enough of them."""
    table, wanted = model.replace(".", "_"), MOST if model == "res.partner" else MANY
    columns = postgres.execute(
        database,
        "SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns"
        f" WHERE table_name = '{table}' AND column_name <> 'id' AND is_generated = 'NEVER'",
    )
    last = search_read(odoo, model, DOMAIN.get(model, []), ["id"], limit=30, order="id desc")
    source = ", ".join(str(row["id"]) for row in last)
    postgres.execute(
        database,
        f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {table},"
        f" generate_series(1, {wanted // len(last.records) + 1}) WHERE id IN ({source})",
    )


def _reading(server: Server, odoo: Odoo, model: str) -> list[str]:
    """Compare the bare request for many rows with the library's."""
    fields = FIELDS[model]
    session, args = requests.Session(), [server.db, odoo.uid, server.password]
    domain = DOMAIN.get(model, [])
    named = {"domain": domain, "fields": fields, "limit": MANY, "order": "id"}
    # The language makes Odoo look for translations: both ask in the same one.
    named["context"] = dict(odoo.settings.base_context)
    call = {"service": "object", "method": "execute_kw"}
    body = {
        "jsonrpc": "2.0",
        "method": "call",
        "params": {**call, "args": [*args, model, "search_read", [], named]},
    }

    def bare() -> None:
        rows = session.post(f"{server.url}/jsonrpc", json=body).json()["result"]
        assert len(rows) == MANY, (model, len(rows))

    def library() -> None:
        assert len(search_read(odoo, model, domain, fields, limit=MANY, order="id")) == MANY

    taken = medians(15, {"bare": bare, "library": library})
    return [
        model,
        f"{taken['bare'] / 1000:.2f} s",
        f"{taken['library'] / 1000:.2f} s",
        f"{taken['library'] / taken['bare']:.2f}",
    ]


def _iterating(odoo: Odoo) -> list[list[str]]:
    """Compare ``iterate`` with pages that are read one after the other, and weigh its memory."""
    fields = FIELDS["res.partner"]
    domain = Domain([["active", "in", [True, False]]])

    def pages() -> None:
        last, found = 0, 0
        while rows := search_read(
            odoo,
            "res.partner",
            domain & Domain([["id", ">", last]]),
            fields,
            limit=PAGE,
            order="id",
        ).records:
            last, found = rows[-1]["id"], found + len(rows)
        assert found > MOST

    def ahead() -> None:
        assert sum(1 for _ in iterate(odoo, "res.partner", domain, fields)) > MOST

    taken = medians(3, {"pages": pages, "iterate": ahead}, warm_up=0)
    few, all_of_them = _peak(odoo, MANY), _peak(odoo, MOST)
    return [
        ["pages one after the other", f"{taken['pages'] / 1000:.1f} s", ""],
        [
            "iterate",
            f"{taken['iterate'] / 1000:.1f} s",
            f"{taken['pages'] / taken['iterate']:.2f} times faster",
        ],
        [
            f"memory at its peak, {MANY:,} and {MOST:,} rows",
            f"{few:.1f} and {all_of_them:.1f} MB",
            "",
        ],
    ]


def _peak(odoo: Odoo, rows: int) -> float:
    """Return the megabytes that iterating over so many rows takes at most."""
    tracemalloc.start()
    for number, _ in enumerate(iterate(odoo, "res.partner", [], FIELDS["res.partner"]), 1):
        if number == rows:
            break
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def _importing(server: Server, odoo: Odoo) -> list[list[str]]:
    """Compare ``upsert`` with rows one by one and with the best of odoorpc, on new records."""
    rpc = odoorpc.ODOO("127.0.0.1", port=int(server.url.rpartition(":")[2]))
    rpc.login(server.db, server.login, server.password)
    rpc.env.context.update(SILENT)
    model = rpc.env["res.partner"]

    def single() -> None:
        for row in _rows(SINGLE):
            create(odoo, "res.partner", row)

    def batches() -> None:
        rows = _rows(IMPORTED)
        for start in range(0, IMPORTED, PAGE // 10):
            model.create(rows[start : start + PAGE // 10])

    def load() -> None:
        rows = _rows(IMPORTED)
        names = list(rows[0])
        for start in range(0, IMPORTED, PAGE):
            page = [[row[name] for name in names] for row in rows[start : start + PAGE]]
            assert model.load(names, page)["ids"]

    ways: dict[str, tuple[Callable[[], object], int]] = {
        "row by row": (single, SINGLE),
        "odoorpc, create with lists of 100": (batches, IMPORTED),
        "odoorpc, load with 1,000 rows": (load, IMPORTED),
        "upsert": (lambda: upsert(odoo, "res.partner", _rows(IMPORTED), key="ref"), IMPORTED),
        "upsert, two batches at once": (
            lambda: upsert(odoo, "res.partner", _rows(IMPORTED), key="ref", concurrency=2),
            IMPORTED,
        ),
        "upsert, the same once more": (_Again(odoo), IMPORTED),
    }
    taken = medians(3, {name: action for name, (action, _) in ways.items()}, warm_up=0)
    each = {name: taken[name] / number for name, (_, number) in ways.items()}
    return [
        [name, f"{each[name]:.2f} ms", f"{each['row by row'] / each[name]:.1f}"] for name in ways
    ]


class _Again:
    """Imports rows that are there as they are."""

    def __init__(self, odoo: Odoo) -> None:
        self._odoo, self._same = odoo, _rows(IMPORTED)
        upsert(odoo, "res.partner", self._same, key="ref")

    def __call__(self) -> None:
        assert upsert(self._odoo, "res.partner", self._same, key="ref").unchanged == IMPORTED


def _rows(number: int) -> list[dict[str, Any]]:
    """Return rows that no other call has returned."""
    batch = time.perf_counter_ns()
    return [
        {"ref": f"{batch}-{row}", "name": f"Bench {row}", "email": f"bench{row}@example.com"}
        for row in range(number)
    ]


def _grouping(odoo: Odoo) -> list[list[str]]:
    """Tell the milliseconds and the requests of some groupings."""
    asked: dict[str, tuple[list[str], list[str]]] = {
        "by a field": (["country_id"], ["color:sum"]),
        "by month": (["create_date:month"], []),
        "by week": (["create_date:week"], []),
        "by a dotted path": (["parent_id.country_id"], []),
    }
    table = []
    for name, (groupings, measures) in asked.items():

        def ask(groupings: list[str] = groupings, measures: list[str] = measures) -> None:
            aggregate(odoo, "res.partner", [], groupings, measures)

        taken = medians(5, {name: ask})
        with _counted(odoo) as requests_sent:
            ask()
        table.append([name, f"{taken[name]:.0f} ms", str(len(requests_sent))])
    return table


@contextmanager
def _counted(odoo: Odoo) -> Iterator[list[str]]:
    """Note the calls that are sent within the block."""
    sent: list[str] = []
    original = odoo._send

    def send(call: Any) -> Any:
        sent.append(call.method)
        return original(call)

    odoo._send = send  # type: ignore[method-assign]
    try:
        yield sent
    finally:
        odoo._send = original  # type: ignore[method-assign]
