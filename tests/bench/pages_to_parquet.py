"""A table to Parquet as scripts with other libraries do it: page after page, then a DataFrame.

A program of its own, for the environments of these libraries: nothing of the toolkit is here.
``python pages_to_parquet.py LIBRARY URL DATABASE LOGIN PASSWORD LAST FILE``, the library being
``odoorpc`` or ``odooly``, and LAST the id of the last row to read. Prints the seconds and
the megabytes at the peak.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

MODEL = "account.move.line"
FIELDS = ["date", "move_id", "account_id", "partner_id", "name", "debit", "credit", "balance"]
MANY2ONE = ["move_id", "account_id", "partner_id"]
PAGE = 1_000

SearchRead = Callable[[list[Any]], list[dict[str, Any]]]


def with_odoorpc(url: str, database: str, login: str, password: str) -> SearchRead:
    import odoorpc

    place = urlsplit(url)
    odoo = odoorpc.ODOO(place.hostname, port=place.port)
    odoo.login(database, login, password)
    model = odoo.env[MODEL]
    return lambda domain: model.search_read(domain, FIELDS, limit=PAGE, order="id")


def with_odooly(url: str, database: str, login: str, password: str) -> SearchRead:
    import odooly

    client = odooly.Client(f"{url}/jsonrpc", database, login, password)
    return lambda domain: client.env.execute(MODEL, "search_read", domain, FIELDS, 0, PAGE, "id")


def peak() -> float:
    """Return the megabytes that this program took at most; not those of the one that began it."""
    told = Path("/proc/self/status").read_text(encoding="ascii")
    return int(told.partition("VmHWM:")[2].split()[0]) / 1024


def main() -> None:
    import pandas as pd

    library, url, database, login, password, end, file = sys.argv[1:]
    search_read = globals()[f"with_{library}"](url, database, login, password)
    started = time.perf_counter()
    frames: list[pd.DataFrame] = []
    last = 0
    while page := search_read([["id", ">", last], ["id", "<=", int(end)]]):
        frames.append(pd.DataFrame(page))
        last = page[-1]["id"]
    frame = pd.concat(frames)
    for name in MANY2ONE:
        # False where it is empty: pandas takes the first of nothing for missing.
        frame[f"{name}.name"], frame[name] = frame[name].str[1], frame[name].str[0]
    frame["date"] = pd.to_datetime(frame["date"])
    frame["name"] = frame["name"].replace({False: None})
    frame.to_parquet(file)
    taken = time.perf_counter() - started
    print(len(frame), taken, peak())


if __name__ == "__main__":
    main()
