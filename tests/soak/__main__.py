"""``python -m tests.soak [calls] [faults] [keys]``: writes through a proxy that loses answers.

On each protocol of each server, so many writes are made side by side, and so many of their
requests meet a fault. Then the database is asked what has happened. It fails when a write was
claimed that was not applied, was denied that was applied, or was applied twice; or when more than
one in fifty of those that were applied ended as "may have been applied".

With the word ``keys``, each write has a key, and is made again as long as it is in doubt: then none
may be made twice, and each that is in doubt says what to look at.
"""

from __future__ import annotations

import random
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from tempfile import TemporaryDirectory
from typing import get_args

from odoo_toolkit import History, Odoo, connect, create
from odoo_toolkit.errors import OdooError
from tests.live.servers import Server, credentials, find_servers
from tests.provisioning import postgres
from tests.soak.proxy import Fault, proxy
from tests.soak.writes import ALONE, WRITES, Claim

THREADS = 8

#: So many fit into a command line.
_STATEMENTS = 200


def main(calls: int, faults: int, *, keys: bool = False) -> int:
    """Soak every protocol of every server; return the number of wrong answers."""
    wrong = 0
    for server in find_servers():
        for protocol in (
            ("json2", "jsonrpc", "xmlrpc")
            if int(server.version) >= 19
            else (
                "jsonrpc",
                "xmlrpc",
            )
        ):
            wrong += soak(server, protocol, calls, faults, keys=keys)
    return wrong


def soak(server: Server, protocol: str, calls: int, faults: int, *, keys: bool = False) -> int:
    """Make the writes, count, tell; return the number of wrong answers."""
    chance = random.Random(f"{server.name} {protocol}")
    lock = threading.Lock()
    met: Counter[str] = Counter()

    def choose(path: str, body: bytes) -> Fault | None:
        with lock:
            if sum(met.values()) >= faults or chance.random() > faults / calls:
                return None
            fault: Fault = chance.choice(get_args(Fault))
            met[fault] += 1
            return fault

    keywords = {**credentials(server, server.user("admin")), "protocol": protocol}
    actions = chance.choices(
        [action for _, action in WRITES], [weight for weight, _ in WRITES], k=calls
    )
    with (
        TemporaryDirectory() as folder,
        proxy(server.url, choose) as between,
        connect(**keywords) as safe,
        connect(
            **{**keywords, "url": between.url},
            history=History(f"{folder}/history.sqlite") if keys else None,
        ) as odoo,
        ThreadPoolExecutor(THREADS) as pool,
    ):
        beside = [action for action in actions if action not in ALONE]
        claims = list(pool.map(lambda action: action(odoo, safe), beside))
        claims += [action(odoo, safe) for action in actions if action in ALONE]
        alike = alike_at_once(odoo, 20)
    found = counts(server.db, [claim.count for claim in claims])
    verdicts = [verdict(claim, number) for claim, number in zip(claims, found, strict=True)]
    told = Counter(verdicts)
    wrong = sum(number for text, number in told.items() if text.startswith("WRONG"))
    applied = sum(number for text, number in told.items() if "applied" in text)
    unsure = told["maybe, applied"]
    print(f"{server.name} {protocol}: {calls} writes, {sum(met.values())} faults {dict(met)}")
    for text, number in sorted(told.items()):
        print(f"  {number:5d}  {text}")
    for claim, text in zip(claims, verdicts, strict=True):
        if text.startswith("WRONG") or text == "maybe, applied":
            print(f"         {text}: {claim.kind} {claim.id} {claim.said}")
    wrong += alike_wrong(server.db, alike)
    if keys:
        silent = [claim for claim in claims if claim.told == "maybe" and "Look" not in claim.said]
        print(f"  {len(silent)} in doubt without a word")
        wrong += len(silent)
    if unsure * 50 > applied:
        print(f"  too many in doubt: {unsure} of {applied}")
        wrong += 1
    return wrong


def counts(database: str, selects: list[str]) -> list[int]:
    """Return what each of several statements counts, in order."""
    found: list[int] = []
    for start in range(0, len(selects), _STATEMENTS):
        part = selects[start : start + _STATEMENTS]
        sql = " union all ".join(f"select {i} as i, ({text})" for i, text in enumerate(part))
        rows = postgres.execute(database, f"{sql} order by i").splitlines()
        found += [int(row.split("|")[1]) for row in rows]
    return found


def verdict(claim: Claim, found: int) -> str:
    """Say what came of a write: what was told, and how often the database has it."""
    if found not in (0, claim.expected):
        return f"WRONG: {found} instead of {claim.expected}"
    state = "applied" if found else "not there"
    right = {"done": found > 0, "not done": found == 0, "maybe": True}[claim.told]
    return f"{'' if right else 'WRONG: '}{claim.told}, {state}"


def alike_at_once(odoo: Odoo, pairs: int) -> dict[str, list[int | None]]:
    """Create contacts that are alike, two at a time; return the ids that were claimed, by name."""

    def one(name: str) -> int | None:
        try:
            return create(odoo, "res.partner", {"name": name}).id
        except OdooError as error:
            return None if error.outcome == "maybe_applied" else 0

    names = [f"Alike {random.getrandbits(64):x}" for _ in range(pairs)]
    with ThreadPoolExecutor(2) as pool:
        return {name: list(pool.map(one, [name, name])) for name in names}


def alike_wrong(database: str, claimed: dict[str, list[int | None]]) -> int:
    """Return how many of those that are alike were claimed wrongly."""
    wrong = 0
    for name, ids in claimed.items():
        sql = f"select id from res_partner where name = '{name}'"
        there = {int(number) for number in postgres.execute(database, sql).split()}
        sure = [number for number in ids if number]
        wrong += len(sure) != len(set(sure)) or not there.issuperset(sure) or len(there) > 2
    print(f"  {len(claimed)} pairs alike: {wrong} claimed wrongly")
    return wrong


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    sys.exit(1 if main(*(numbers or [2000, 500]), keys="keys" in sys.argv) else 0)
