"""A table read as a whole: by the bare requests, and by the library into a Parquet file.

A program of its own, which imports no more than a script would: so its memory is that of the way.
``python -m tests.bench.whole_table WAY URL DATABASE LOGIN PASSWORD LAST FILE``, WAY being ``bare``,
``pages`` or ``library``, and LAST the id of the last row to read. Prints the rows, the seconds and
the megabytes at the peak.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import requests

from tests.bench.pages_to_parquet import FIELDS, MODEL, PAGE, peak

#: Pages of which the ids are asked for together, as the library does.
WINDOW = 20


class _Bare:
    """Sends requests and decodes the answers, and nothing more."""

    def __init__(self, url: str, database: str, login: str, password: str) -> None:
        self._url, self._session = f"{url}/jsonrpc", requests.Session()
        uid = self._ask("common", "login", [database, login, password])
        self._start = [database, uid, password, MODEL]

    def __call__(self, method: str, **arguments: Any) -> Any:
        named = {**arguments, "order": "id", "context": {"lang": "en_US", "tz": "UTC"}}
        return self._ask("object", "execute_kw", [*self._start, method, [], named])

    def _ask(self, service: str, method: str, args: list[Any]) -> Any:
        call = {"service": service, "method": method, "args": args}
        body = {"jsonrpc": "2.0", "method": "call", "params": call, "id": 1}
        return self._session.post(self._url, json=body).json()["result"]


def bare(ask: _Bare, end_of_all: int) -> int:
    """Read pages between ids that are known, two at a time, as the library does."""

    def ranges() -> Iterator[list[Any]]:
        last, all_of_them = 0, ["id", "<=", end_of_all]
        while ids := ask("search", domain=[["id", ">", last], all_of_them], limit=WINDOW * PAGE):
            for end in [*ids[PAGE - 1 :: PAGE], *ids[-1:]]:
                if end > last:
                    yield [["id", ">", last], ["id", "<=", end]]
                    last = end

    found = 0
    with ThreadPoolExecutor(2) as threads:
        waiting = []
        for domain in ranges():
            waiting.append(threads.submit(ask, "search_read", domain=domain, fields=FIELDS))
            if len(waiting) > 2:
                found += len(waiting.pop(0).result())
        found += sum(len(page.result()) for page in waiting)
    return found


def pages(ask: _Bare, end_of_all: int) -> int:
    """Read pages one after the other."""
    last, found, all_of_them = 0, 0, ["id", "<=", end_of_all]
    domain = [["id", ">", last], all_of_them]
    while page := ask("search_read", domain=domain, fields=FIELDS, limit=PAGE):
        last, found = page[-1]["id"], found + len(page)
        domain = [["id", ">", last], all_of_them]
    return found


def library(url: str, database: str, login: str, password: str, end: int, file: str) -> int:
    """Write the file."""
    from odoo_toolkit import connect, to_arrow

    settings = {"url": url, "database": database, "username": login, "password": password}
    with connect(**settings, protocol="jsonrpc") as odoo:
        return to_arrow(odoo, MODEL, [["id", "<=", end]], FIELDS, order="id").write(file).rows


def main() -> None:
    """Go one way, and print the rows, the seconds and the megabytes."""
    way, url, database, login, password, last, file = sys.argv[1:]
    started = time.perf_counter()
    if way == "library":
        found = library(url, database, login, password, int(last), file)
    else:
        found = globals()[way](_Bare(url, database, login, password), int(last))
    taken = time.perf_counter() - started
    print(found, taken, peak())


if __name__ == "__main__":
    main()
