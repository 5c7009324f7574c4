"""Fixtures of the attacks: those of the live tests, and servers with databases of their own."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest

from odoo_toolkit.client import Odoo
from odoo_toolkit_mcp import known_rights, tool_list
from odoo_toolkit_mcp.known_rights import KnownRights
from tests.attacks.database import Database
from tests.attacks.policies import Noting, Raw, connected
from tests.attacks.servers import Copy, copied
from tests.live.conftest import admin, odoo, server, suffix, user
from tests.live.own import can_be_copied, opened
from tests.live.servers import Server

#: The fixtures that come from elsewhere.
__all__ = ["admin", "odoo", "server", "suffix", "user"]


#: What the groups of all users may do: asked for once, as the list of tools is comfort, no wall.
_RIGHTS, _groups_of = KnownRights(), known_rights._groups_of


@pytest.fixture(autouse=True)
def _one_look_at_rights(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have all servers of a process know the rights that one of them asked for."""

    def groups_of(odoo: Odoo) -> str | None:
        # Other groups of another version may have the same ids.
        found = _groups_of(odoo)
        return found and f"{odoo.version.major}: {found}"

    monkeypatch.setattr(tool_list, "KnownRights", lambda: _RIGHTS)
    monkeypatch.setattr(known_rights, "_groups_of", groups_of)


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
