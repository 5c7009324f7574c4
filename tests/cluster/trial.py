"""One trial: people work on a team's processes while these die, and all is counted afterwards."""

from __future__ import annotations

import random
import secrets
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import attrs
import psycopg
import pytest

from tests.cluster.counting import wrong_records
from tests.cluster.people import TRIES, LostAnswerError, Member, make_users, pause, sign_in
from tests.cluster.running import Process, RoundRobin, StorePostgres, nginx, store_postgres
from tests.cluster.work import COMPANY, Ledger, Work
from tests.live.own import own
from tests.live.servers import Server, find_servers
from tests.provisioning import postgres
from tests.provisioning.ports import free_port
from tests.team.harness import instance_of

#: The same Odoo, without and with limits.
INSTANCE, LIMITED = "main", "limited"

#: Calls a minute of those whose limit is tried.
LIMIT = 40


@attrs.define
class Cluster:
    """A team's server that runs.

    Attributes:
        url: at which people reach it.
        processes: that answer.
        store: of all of them.
        keys: the secret keys that the processes have been given, the present one first.
        front: hands the requests round, where nginx does not.
        seen: what was done to it, for the report.
    """

    url: str
    processes: list[Process]
    store: StorePostgres
    keys: list[str]
    front: RoundRobin | None = None
    seen: list[str] = attrs.field(factory=list)

    def kill(self, place: int) -> None:
        """Kill a process in the middle of everything, and start it again."""
        self.seen.append(f"process {place} is killed")
        self.processes[place].kill()
        self.processes[place].start()

    def hang(self, place: int) -> None:
        """Let a process stand still in the middle of everything: nobody can tell that it does."""
        self.seen.append(f"process {place} hangs")
        if self.front:
            self.front.patience = 4.0  # else all would soon wait for this one
        self.processes[place].hang()

    def wake(self, place: int) -> None:
        """Let it go on: what it was asked meanwhile, it does now."""
        self.seen.append(f"process {place} goes on")
        if self.front:
            self.front.patience = 120.0
        self.processes[place].wake()

    def restart_store(self, mode: str = "fast") -> None:
        """Restart the PostgreSQL of the store; ``immediate`` is a crash."""
        self.seen.append(f"PostgreSQL of the store is restarted ({mode})")
        self.store.stop(mode)
        self.store.start()

    def change_keys(self) -> None:
        """Give all processes a new secret key, one after the other, and take the old one away."""
        old, new = self.keys[0], secrets.token_hex(32)
        for ring in ([old, new], [new, old]):
            self._restart_with(ring)
        self.processes[0].rotate_keys()
        self._restart_with([new])
        self.keys = [new]
        self.seen.append("the secret key is changed")

    def _restart_with(self, ring: list[str]) -> None:
        for process in self.processes:
            process.stop()
            process.keys = ring
            process.start()


Fault = Callable[[Cluster], None]


@attrs.frozen
class Outcome:
    """What came of a trial.

    Attributes:
        wrong: all that is not as it must be.
        lines: what was done, for people.
    """

    wrong: list[str]
    lines: list[str]


def trial(
    server: Server,
    *,
    processes: int,
    people: int,
    steps: int,
    faults: Sequence[Fault],
    seed: int = 1,
    program: Path | None = None,
) -> Outcome:
    """Let people work while faults happen, and count.

    Args:
        server: an Odoo whose database may be written to.
        processes: how many answer.
        people: how many sign in and work.
        steps: pieces of work of each.
        faults: that happen, evenly spread over the work.
        seed: of what is done.
        program: nginx; without it, each request goes to the next process in the test itself.
    """
    prefix = f"c{secrets.token_hex(3)}"
    users = make_users(server, people + 2, f"{prefix}p")
    ledger = Ledger()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        store = stack.enter_context(store_postgres())
        cluster = _started(stack, server, store, folder, processes, program, prefix)
        *named, last = users.items()
        *workers, leaving = [sign_in(cluster.url, INSTANCE, *one) for one in named]
        for worker in workers:
            worker.on_lost = ledger.step
        limited = sign_in(cluster.url, LIMITED, *last)
        with ThreadPoolExecutor(people + 2) as threads:
            done = [
                threads.submit(
                    _work, Work(ledger, one, random.Random(f"{seed} {place}"), prefix), steps
                )
                for place, one in enumerate(workers)
            ]
            tried = threads.submit(_try_limit, limited, 3 * LIMIT)
            ended = threads.submit(_leave, leaving, 4 * processes)
            for number, fault in enumerate(faults, 1):
                ledger.wait_for(people * steps * number // (len(faults) + 1))
                fault(cluster)
            for one in done:
                one.result()
            ledger.wrong += [*tried.result(), *ended.result()]
        ledger.wrong += _audited(cluster, ledger)
        for process in cluster.processes:
            ledger.wrong += _tracebacks(process.said)
    ledger.wrong += wrong_records(server.db, prefix, ledger.claims)
    lines = [f"{count:6} {what}" for what, count in sorted(ledger.counts.items())]
    lost = f"{sum(one.lost for one in [*workers, limited, leaving]):6} answers that have not come"
    return Outcome(ledger.wrong, [*lines, lost, *cluster.seen])


def _started(
    stack: ExitStack,
    server: Server,
    store: StorePostgres,
    folder: Path,
    number: int,
    program: Path | None,
    prefix: str,
) -> Cluster:
    port, key = free_port(), secrets.token_hex(32)
    instance = instance_of(
        server, mode="full", confirm_tools=[COMPANY], rules=[{"logins": [f"{prefix}p*"]}]
    )
    limits = {"rate_limit": True, "rate_limit_rpm": LIMIT, "rate_limit_rph": 100 * LIMIT}
    instance["history"] = store.address
    team = {
        "public_url": f"http://127.0.0.1:{port}",
        "store": store.address,
        "instances": {INSTANCE: instance, LIMITED: {**instance, **limits}},
    }
    made = [Process(team, folder, [key]) for _ in range(number)]
    for process in made:
        stack.callback(process.kill)
        process.start()
    ports = [process.port for process in made]
    if program:
        return Cluster(stack.enter_context(nginx(program, ports, port, folder)), made, store, [key])
    front = stack.enter_context(RoundRobin(ports, port))
    return Cluster(front.url, made, store, [key], front)


def _work(work: Work, steps: int) -> None:
    for number in range(steps):
        work.step(number)


def _tracebacks(said: Sequence[str]) -> list[str]:
    """Return the tracebacks of a process's log, each with the lines after it."""
    return [
        "".join(said[place : place + 60]) for place, line in enumerate(said) if "Traceback" in line
    ]


def _try_limit(member: Member, calls: int) -> list[str]:
    """Call more often than is allowed, by all processes at once."""
    begun = int(time.time() // 60)

    def call() -> str:
        try:
            said = member.call("odoo_core_get_user", {})
        except LostAnswerError:
            return "lost"
        return "done" if said.done else said.code

    with ThreadPoolExecutor(6) as threads:
        answers = [one.result() for one in [threads.submit(call) for _ in range(calls)]]
    minutes = int(time.time() // 60) - begun + 1
    done, refused = answers.count("done"), answers.count("RATE_LIMITED")
    if done > LIMIT * minutes or not done:
        return [f"{done} calls were answered within {minutes} minutes, {LIMIT} a minute allowed"]
    if minutes == 1 and not refused:
        return [f"nobody was refused: {answers}"]
    return []


def _leave(member: Member, calls: int) -> list[str]:
    """Take back what was granted; nobody gets in with it from then on, at any process."""
    before = member.until_answered("odoo_core_get_user", {})
    if not before.done:
        return [f"who leaves was not let in before: {before}"]
    for _ in range(TRIES):
        try:
            if member.client.post("/revoke", token=member.access).status_code == 200:
                break
        except OSError:
            pass
        pause()
    after = []
    for _ in range(calls):
        try:
            after.append(member.call("odoo_core_get_user", {}).status)
        except LostAnswerError:
            pause()
    return [] if set(after) == {401} else [f"who has left was answered: {after}"]


def _audited(cluster: Cluster, ledger: Ledger) -> list[str]:
    """Return of whom more was done than is noted: in the store, or in the log while it was away."""
    logged = sum("The entry was:" in line for process in cluster.processes for line in process.said)
    with psycopg.connect(cluster.store.address) as connection:
        rows = connection.execute(
            "SELECT account.uid, count(*) FROM odoo_toolkit_accounts.activity"
            " JOIN odoo_toolkit_accounts.account ON account.id = activity.account"
            " WHERE kind = 'call' AND activity.instance = %s GROUP BY account.uid",
            [INSTANCE],
        ).fetchall()
    noted = {int(uid): int(count) for uid, count in rows}
    done = Counter(claim.who for claim in ledger.claims if claim.expected == "one")
    return [
        f"{count} changes of {uid} are done, {noted.get(uid, 0)} are noted, {logged} logged"
        for uid, count in done.items()
        if count > noted.get(uid, 0) + logged
    ]


def newest() -> Server:
    """The newest Odoo that runs here."""
    servers = [server for server in find_servers() if server.version]
    if not servers or postgres._find_programs() is None:
        pytest.skip("It takes an Odoo and a PostgreSQL of this machine: run 'make servers' first.")
    return own(max(servers, key=lambda server: int(server.version)))
