"""Fixtures of the attacks: those of the live tests, and servers with databases of their own."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest

from tests.attacks.database import Database
from tests.attacks.policies import Noting, Raw, connected
from tests.attacks.servers import Copy, copied
from tests.live.conftest import admin, odoo, server, suffix, user
from tests.live.own import can_be_copied, opened
from tests.live.servers import Server

#: The fixtures that come from elsewhere.
__all__ = ["admin", "odoo", "server", "suffix", "user"]


@functools.cache
def _watched(server: Server) -> Copy:
    return opened(copied(server))


@pytest.fixture(scope="session")
def copy(server: Server) -> Copy:
    """A copy of each provisioned server, and its database, which nobody else uses."""
    if not can_be_copied(server):
        pytest.skip(f"{server.name} was not provisioned here: its database cannot be copied.")
    return _watched(server)


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
