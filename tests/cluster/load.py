"""How many calls a team's server of one, two and four processes answers, beside bare requests.

``python -m tests.cluster.load [version]`` prints the table of ``tests/bench/results.md``.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import os
import random
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import attrs
import requests

from odoo_toolkit.configuration import Secret
from odoo_toolkit_mcp.accounts.clients import SCOPES
from odoo_toolkit_mcp.accounts.grants import Grants
from odoo_toolkit_mcp.accounts.store import open_store
from odoo_toolkit_mcp.accounts.vault import Vault
from tests.cluster.people import Member, make_users
from tests.cluster.running import Process, nginx, store_postgres
from tests.live.servers import Server, read_entry
from tests.provisioning import copies, postgres
from tests.provisioning.ports import free_port
from tests.provisioning.releases import RELEASES
from tests.proxies.programs import fetch
from tests.team.harness import instance_of

#: People, calls of a round, of which one in ten writes, those at once, and rounds.
PEOPLE, CALLS, WRITES, AT_ONCE, ROUNDS = 200, 200, 10, 20, 5

#: Contacts that a read returns.
LIMIT = 20

#: Rounds for nothing, in which each of four processes meets each person.
WARM_UP = 4

SIZES = (1, 2, 4)

INTRODUCTION = f"""{PEOPLE} people who have signed in, {AT_ONCE} of whom call at once: reads of
{LIMIT} contacts, and one write in {WRITES}. Store and journal are in PostgreSQL, nginx hands the
requests round, Odoo has two workers. The ratio is that of the time that the same requests take when
they are sent to Odoo bare, in the same round: the median of {ROUNDS} rounds of {CALLS} calls."""
DAY = 86_400.0

#: As Odoo hashes keys; the beginning of a key is its index.
_HASHING, _INDEX = 6000, 8


@attrs.frozen
class Caller:
    """Somebody with a key in Odoo, and with a token of the team's server."""

    login: str
    uid: int
    partner: int
    key: str
    token: str


def measure(server: Server) -> list[list[str]]:
    """Return a table: who, calls a second, times as long as bare requests, from least to most."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        store = stack.enter_context(store_postgres())
        secret = secrets.token_hex(32)
        callers = make_callers(server, store.address, secret)
        actions: dict[str, Callable[[Caller, bool], None]] = {"bare requests": bare(server)}
        started: list[Process] = []
        for size in SIZES:
            port = free_port()
            instance = instance_of(server, mode="full", history=store.address)
            team = {
                "public_url": f"http://127.0.0.1:{port}",
                "store": store.address,
                "instances": {"main": instance},
            }
            part = folder / f"{size}"
            part.mkdir()
            made = [Process(team, part, [secret]) for _ in range(size)]
            for process in made:
                stack.callback(process.kill)
                process.start()
            ports = [process.port for process in made]
            url = stack.enter_context(nginx(fetch("nginx"), ports, port, part))
            noun = "process" if size == 1 else "processes"
            actions[f"{size} {noun}"] = tool(url)
            started += made
        taken: dict[str, list[float]] = {name: [] for name in actions}
        turns = itertools.cycle(callers)
        for number in range(WARM_UP + ROUNDS):
            for name, action in actions.items():
                seconds = one_round(action, turns, random.Random(number))
                if number >= WARM_UP:
                    taken[name].append(seconds)
                print(f"  {name}: {CALLS / seconds:.0f} calls a second", file=sys.stderr)
        memory = [f"{resident(process):.0f}" for process in started]
        print(f"  MB of each process: {', '.join(memory)}", file=sys.stderr)
    lines = []
    for name, durations in taken.items():
        ratios = [one / bare for one, bare in zip(durations, taken["bare requests"], strict=True)]
        speed = CALLS / statistics.median(durations)
        spread = f"{min(ratios):.1f} to {max(ratios):.1f}"
        lines.append([name, f"{speed:.0f}", f"{statistics.median(ratios):.1f}", spread])
    return lines


def one_round(action: Callable[[Caller, bool], None], turns: Any, chance: random.Random) -> float:
    """Return the seconds that a round of calls takes, by as many people in turn."""
    calls = [(next(turns), chance.randrange(WRITES) == 0) for _ in range(CALLS)]
    started = time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as threads:
        list(threads.map(lambda call: action(*call), calls))
    return time.perf_counter() - started


def bare(server: Server) -> Callable[[Caller, bool], None]:
    """Return what sends a request to Odoo, over the protocol that the toolkit chooses, too."""

    def act(caller: Caller, writes: bool) -> None:
        method = "write" if writes else "search_read"
        given: dict[str, Any] = {"domain": [], "fields": ["name", "email"], "limit": LIMIT}
        if writes:
            given = {"ids": [caller.partner], "vals": _values()}
        if int(server.version) >= 19:
            answer = requests.post(
                f"{server.url}/json/2/res.partner/{method}",
                json=given,
                headers={"Authorization": f"bearer {caller.key}", "X-Odoo-Database": server.db},
                timeout=120,
            )
            assert answer.status_code == 200, answer.text
            return
        ids = [given.pop("ids"), given.pop("vals")] if writes else []
        call = [server.db, caller.uid, caller.key, "res.partner", method, ids, given]
        params = {"service": "object", "method": "execute_kw", "args": call}
        body = {"jsonrpc": "2.0", "method": "call", "params": params}
        answer = requests.post(f"{server.url}/jsonrpc", json=body, timeout=120)
        assert "result" in answer.json(), answer.text

    return act


def tool(url: str) -> Callable[[Caller, bool], None]:
    """Return what calls a tool of a team's server."""

    def act(caller: Caller, writes: bool) -> None:
        member = Member(url, caller.login, caller.uid, caller.token)
        if writes:
            given = {"model": "res.partner", "ids": [caller.partner], "values": _values()}
            said = member.call("odoo_core_write", given)
        else:
            given = {"model": "res.partner", "fields": ["name", "email"], "limit": LIMIT}
            said = member.call("odoo_core_search_read", given)
        assert said.done, said

    return act


def _values() -> dict[str, str]:
    return {"ref": secrets.token_hex(4)}


def make_callers(server: Server, store: str, secret: str) -> list[Caller]:
    """Make users in Odoo, with a key each, and grants for them in the store of the team."""
    users = make_users(server, PEOPLE, "load", password=None)
    keys = {login: secrets.token_hex(20) for login in users}
    rows = ", ".join(
        f"('load', {users[login]}, 'rpc', '{key[:_INDEX]}', '{hashed(key)}', now()"
        f" + interval '1 day')"
        for login, key in keys.items()
    )
    expires = int(server.version) >= 18
    columns = "name, user_id, scope, index, key, expiration_date"
    if not expires:
        columns = columns.replace(", expiration_date", "")
        rows = rows.replace(", now() + interval '1 day'", "")
    postgres.execute(server.db, f"INSERT INTO res_users_apikeys ({columns}) VALUES {rows}")
    found = postgres.execute(
        server.db, "SELECT login, partner_id FROM res_users WHERE login LIKE 'load%'"
    )
    partners = dict(line.split("|") for line in found.splitlines())
    grants = Grants(open_store(store), Vault([secret]))
    return [
        Caller(
            login, uid, int(partners[login]), keys[login], granted(grants, login, uid, keys[login])
        )
        for login, uid in users.items()
    ]


def granted(grants: Grants, login: str, uid: int, key: str) -> str:
    """Return a token that a client has after somebody has signed in."""
    account = grants.keep_account(
        instance="main",
        uid=uid,
        login=login,
        name=login,
        key=Secret(key),
        key_id=None,
        key_ends=None,
        groups=[],
    )
    code = grants.grant(
        account, client="load", client_name="Load", scopes=SCOPES, resource=None, code={}
    )
    known = grants.find_code(code)
    assert known is not None
    return grants.new_tokens(known.grant, SCOPES, DAY, DAY)[0]


def hashed(key: str) -> str:
    """Return a key as Odoo keeps it."""
    salt = os.urandom(16)
    digest = hashlib.pbkdf2_hmac("sha512", key.encode(), salt, _HASHING)
    return f"$pbkdf2-sha512${_HASHING}${_base64(salt)}${_base64(digest)}"


def _base64(value: bytes) -> str:
    return base64.b64encode(value, b"./").decode().rstrip("=")


def resident(process: Process) -> float:
    """Return the megabytes of memory that a process has."""
    text = Path(f"/proc/{process.pid}/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in text.splitlines() if "VmRSS" in line)


def main(words: Sequence[str]) -> int:
    """Measure on a fresh copy with two workers, and print the table."""
    with copy_of(words[0] if words else "19") as server:
        for line in measure(server):
            print(f"| {' | '.join(line)} |")
    return 0


@contextmanager
def copy_of(version: str) -> Iterator[Server]:
    """Run a fresh copy of an Odoo, with two workers."""
    with copies.copied(RELEASES[version], workers=2) as entry:
        yield read_entry(entry)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
