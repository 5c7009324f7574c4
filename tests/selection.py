"""Which tests run, on which Odoo, and in which order the processes take them.

A run has every test on the newest Odoo, as the administrator, in the newest era of MCP. What
differs by version, user or era is marked ``every_version``, ``every_user`` or ``every_era``. What
is ``recorded`` is played without an Odoo; this and what is ``long`` run on one only where the file
is named. With ``--everything`` all tests run in all ways. A test that is marked with the name of a
gate is run by ``make`` of that name.
"""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.live.own import is_shared
from tests.live.servers import Server, find_servers

SERVERS = find_servers()
_SHARED = {server.name for server in SERVERS if is_shared(server)}
_NAMES = sorted((re.escape(server.name) for server in SERVERS), key=len, reverse=True)
_SERVER = re.compile(rf"\[.*?\b({'|'.join(_NAMES)})\b" if _NAMES else r"(?!)")

#: Marker -> what only the tests have that are so marked, and the parameter that it is one of.
OTHER_WAYS = {"every_user": ("demo", "user"), "every_era": ("legacy", "era")}

#: Markers of tests that one target of ``make`` runs; CONTRIBUTING.md says which change asks for it.
GATES = (
    "attack",
    "bench",
    "browser",
    "cluster",
    "evals",
    "examples",
    "lint",
    "proxies",
    "soak",
    "types",
)

_NO_PARAMETERS: Any = SimpleNamespace(params={})

#: Files that take more than 20 seconds, the longest first: begun last, one would keep a process
#: busy alone while the others wait. Only the run's length depends on it.
LONGEST = (
    "tests/live/test_undo.py",
    "tests/live/test_lost_answers.py",
    "tests/attacks/test_user_contacts.py",
    "tests/attacks/test_plans.py",
    "tests/attacks/test_write_many.py",
    "tests/attacks/test_approval.py",
    "tests/attacks/test_code.py",
    "tests/attacks/test_readonly_writes.py",
    "tests/attacks/test_owner_records.py",
    "tests/attacks/test_plugins.py",
    "tests/live/test_dlt.py",
    "tests/live/test_dlt_postgres.py",
    "tests/live/test_reports.py",
    "tests/live/test_hr.py",
    "tests/team/test_first_file.py",
    "tests/live/test_attachments.py",
    "tests/live/test_user_keys.py",
)


def server_of(item: pytest.Item) -> Server | None:
    """Return the server that a test is for, or None."""
    callspec = getattr(item, "callspec", None)
    parameters = callspec.params.values() if callspec else ()
    return next((one for one in parameters if isinstance(one, Server)), None)


def mark(item: pytest.Item) -> None:
    """Mark what needs a server, and what a gate of its own runs."""
    if server_of(item) or "server" in getattr(item, "callspec", _NO_PARAMETERS).params:
        item.add_marker("needs_odoo")
    if gate_of(item):
        item.add_marker("own_gate")


def gate_of(item: pytest.Item) -> str:
    """Return the target of ``make`` that alone runs a test, or nothing."""
    return next((gate for gate in GATES if item.get_closest_marker(gate)), "")


def of_other_gates(config: pytest.Config, items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests that a gate of their own runs.

    None is left out where the command line chooses by markers, names the file or wants everything.
    """
    if config.option.markexpr or config.getoption("everything"):
        return []
    named = _named_files(config)
    return [item for item in items if gate_of(item) and str(item.path) not in named]


def _named_files(config: pytest.Config) -> set[str]:
    return {str(config.invocation_params.dir / arg.partition("::")[0]) for arg in config.args}


def of_fuller_runs(config: pytest.Config, items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests of other versions, users and eras that nobody asked for.

    Servers whose version is not known are never left out: they are the person's own.
    """
    asked = " ".join([config.option.keyword, *config.args])
    ways = [*(server.name for server in SERVERS), *(name for name, _ in OTHER_WAYS.values())]
    if config.getoption("everything") or any(way in asked for way in ways):
        return []
    known = [server for server in SERVERS if server.version]
    marked = {*known[:1], *known[-1:]}
    named = _named_files(config)

    def runs(item: pytest.Item) -> bool:
        server = server_of(item)
        where = marked if item.get_closest_marker("every_version") else known[:1]
        parameters = getattr(item, "callspec", _NO_PARAMETERS).params
        elsewhere = any(map(item.get_closest_marker, ("recorded", "long")))
        if server and elsewhere and str(item.path) not in named:
            return False
        return (server is None or not server.version or server in where) and all(
            item.get_closest_marker(marker) or parameters.get(name) != way
            for marker, (way, name) in OTHER_WAYS.items()
        )

    return [item for item in items if not runs(item)]


def begin_with_the_longest(items: list[pytest.Item]) -> None:
    """Put the files first that take longest; the order within a file stays."""
    places = {name: place for place, name in enumerate(LONGEST)}

    def place(item: pytest.Item) -> int:
        return places.get(item.nodeid.partition("::")[0], len(places))

    items.sort(key=place)


class ByFileAndServer(LoadScopeScheduling):  # type: ignore[misc]
    """A file's tests on one server stay in one process: their fixtures are made once.

    All tests on a server that the processes share go to one, because they count each other's
    records.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        found = _SERVER.search(nodeid)
        name = found[1] if found else ""
        return name if name in _SHARED else f"{file} {name}"
