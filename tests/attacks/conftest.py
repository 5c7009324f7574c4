"""Fixtures of the attacks: those of the live tests, and servers with databases of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.attacks.database import Database
from tests.attacks.fuzz import EVERYTHING
from tests.attacks.policies import Noting, Raw, connected
from tests.attacks.servers import Copy, can_be_copied, copied
from tests.live.conftest import SERVERS, admin, odoo, server, suffix, user
from tests.live.servers import Server

#: The fixtures that come from elsewhere.
__all__ = ["admin", "odoo", "server", "suffix", "user"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the attacks that take long to the first server, the newest, but for ``make attack``.

    They hold a policy and an adapter that are the same on every version; what differs between the
    versions is in the other attacks.
    """
    if os.environ.get(EVERYTHING):
        return
    left_out = [
        item for item in items if _is_long(item) and _server(item) not in (None, SERVERS[0])
    ]
    config.hook.pytest_deselected(items=left_out)
    kept = set(items).difference(left_out)
    items[:] = [item for item in items if item in kept]


def _is_long(item: pytest.Item) -> bool:
    return item.get_closest_marker("one_server") is not None


def _server(item: pytest.Item) -> Server | None:
    """Return the server that a test is for, or None."""
    callspec = getattr(item, "callspec", None)
    parameters = callspec.params.values() if callspec else ()
    return next((one for one in parameters if isinstance(one, Server)), None)


@pytest.fixture(scope="session")
def copy(server: Server) -> Iterator[Copy]:
    """A copy of each provisioned server, and its database, which nobody else uses."""
    if not can_be_copied(server):
        pytest.skip(f"{server.name} was not provisioned here: its database cannot be copied.")
    with copied(server) as made:
        yield made


@pytest.fixture(scope="session")
def own_server(copy: Copy) -> Server:
    """The copied server."""
    return copy.server


@pytest.fixture(scope="session")
def database(copy: Copy) -> Database:
    """The copied server's database."""
    return copy.database


@pytest.fixture(scope="session", params=["admin", "demo"])
def role(request: pytest.FixtureRequest) -> str:
    """An administrator and an ordinary user, in turn."""
    name: str = request.param
    return name


@pytest.fixture(scope="session")
def raw(own_server: Server) -> Raw:
    """The administrator of the copied server, without the toolkit."""
    return Raw(own_server)


@pytest.fixture(scope="session")
def reader(own_server: Server, role: str) -> Iterator[Noting]:
    """A readonly connection of each user to the copied server."""
    with connected(own_server, role, mode="readonly") as odoo:
        yield odoo
