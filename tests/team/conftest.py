"""Fixtures of a team's tests: those of the live tests, and a team whose Odoo is made up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit_mcp.accounts import public_address, sign_in
from tests.kit.user_keys import people
from tests.live.conftest import admin, server, suffix
from tests.mcp.conftest import anyio_backend
from tests.team.harness import OAuthClient, Person, RunningTeam
from tests.team.issuing import issuer
from tests.team.people import NOWHERE, Users

#: The fixtures that come from elsewhere.
__all__ = ["admin", "anyio_backend", "issuer", "people", "server", "suffix"]

Serve = Callable[..., RunningTeam]


@pytest.fixture
def users(monkeypatch: pytest.MonkeyPatch) -> Users:
    """Users in place of an Odoo."""
    found = Users()
    found.take_the_place(monkeypatch)
    return found


@pytest.fixture(autouse=True)
def _no_public_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ``--check`` ask nobody for the public addresses that the tests make up."""
    monkeypatch.setattr(public_address, "public_findings", lambda team: iter(()))


@pytest.fixture
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse sign-ins at once: that all refusals take as long is shown with made up users."""

    async def pause(seconds: float) -> None:
        """Hold no refusal back."""

    monkeypatch.setattr(sign_in, "pause", pause)


@pytest.fixture
def serve(users: Users, tmp_path: Path) -> Iterator[Serve]:
    """Serves teams of made up users until the test ends: of the instances named, else of one."""
    with ExitStack() as stack:

        def start(instances: dict[str, Any] | None = None, **more: Any) -> RunningTeam:
            named = {"main": dict(NOWHERE)} if instances is None else instances
            return stack.enter_context(RunningTeam(tmp_path, named, **more))

        yield start


@pytest.fixture
def team(serve: Serve) -> RunningTeam:
    """A team of one instance, whose users are made up."""
    return serve()


@pytest.fixture
def client(team: RunningTeam) -> OAuthClient:
    """A client that has registered."""
    return OAuthClient(team.url)


@pytest.fixture
def person(team: RunningTeam) -> Person:
    """Somebody with a browser."""
    return Person(team.url)
