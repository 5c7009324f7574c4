"""Which tests run, on which Odoo, and in which order the processes take them.

The newest Odoo runs all tests. What differs between the versions is marked ``every_version`` and
runs on the oldest, too; with ``--all-versions`` all tests run on all servers.
"""

from __future__ import annotations

import re

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.live.own import is_shared
from tests.live.servers import Server, find_servers

SERVERS = find_servers()
_SHARED = {server.name for server in SERVERS if is_shared(server)}
_NAMES = sorted((re.escape(server.name) for server in SERVERS), key=len, reverse=True)
_SERVER = re.compile(rf"\[.*?\b({'|'.join(_NAMES)})\b" if _NAMES else r"(?!)")

#: Files that take more than 20 seconds, the longest first: begun last, one would keep a process
#: busy alone while the others wait. Only the run's length depends on it.
LONGEST: list[str] = []


def server_of(item: pytest.Item) -> Server | None:
    """Return the server that a test is for, or None."""
    callspec = getattr(item, "callspec", None)
    parameters = callspec.params.values() if callspec else ()
    return next((one for one in parameters if isinstance(one, Server)), None)


def of_other_versions(config: pytest.Config, items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests that a run leaves out because a newer Odoo runs them.

    It leaves out none if it is told ``--all-versions``, or if the command line names a server.
    Servers whose version is not known are never left out: they are the person's own.
    """
    asked = " ".join([config.option.keyword, *config.args])
    if config.getoption("all_versions") or any(server.name in asked for server in SERVERS):
        return []
    known = [server for server in SERVERS if server.version]
    marked = {*known[:1], *known[-1:]}

    def runs(item: pytest.Item) -> bool:
        server = server_of(item)
        where = marked if item.get_closest_marker("every_version") else known[:1]
        return server is None or not server.version or server in where

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
