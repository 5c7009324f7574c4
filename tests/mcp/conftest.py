"""A server before a fake Odoo, and clients of both protocol eras."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from odoo_toolkit.configuration import load
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit_mcp.server import OdooServer
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets.core import CoreToolset
from tests.mcp.fake_odoo import LOGIN, PASSWORD, FakeOdoo

MakeServer = Callable[..., OdooServer]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def odoo() -> Iterator[FakeOdoo]:
    """An Odoo that answers."""
    fake = FakeOdoo().start()
    yield fake
    fake.stop()


@pytest.fixture
def make_server(odoo: FakeOdoo) -> MakeServer:
    """Makes a server for the fake Odoo; keywords are server settings or ``toolsets``.

    It has the core toolset unless told otherwise.
    """

    def make(**keywords: Any) -> OdooServer:
        toolsets = keywords.pop("toolsets", [CoreToolset])
        settings, problems = load(ServerSettings, keywords, environ={})
        assert settings is not None, problems
        return OdooServer(connection_settings(odoo), settings, toolsets)

    return make


@pytest.fixture(params=["auto", "legacy"], ids=["2026-07-28", "2025-11-25"])
def era(request: pytest.FixtureRequest) -> str:
    """The mode of the SDK's client: stateless, or with the handshake of 2025-11-25."""
    return str(request.param)


def connection_settings(odoo: FakeOdoo) -> ConnectionSettings:
    settings, problems = load(
        ConnectionSettings,
        {
            "url": odoo.url,
            "username": LOGIN,
            "password": PASSWORD,
            "reconnect_attempts": 0,
            # Only what hangs takes that long, however busy the machine is.
            "timeout": 240,
            "history": "off",
        },
        environ={},
    )
    assert settings is not None, problems
    return settings
