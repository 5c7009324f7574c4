"""Clients over HTTP are told of changes: on a stream of their own, or on that of their session."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from odoo_toolkit_mcp import callers
from odoo_toolkit_mcp.resources import serving
from tests.kit.mcp import HANDSHAKE, URI, line_with
from tests.mcp.conftest import MakeServer
from tests.mcp.http_server import RunningServer
from tests.mcp.issuer import Issuer


@pytest.mark.parametrize("closed", ["stream", "server"])
def test_polling_ends_when_nobody_listens(make_server: MakeServer, closed: str) -> None:
    server = make_server(transport="http", subscription_interval=1)
    with RunningServer(server) as served:
        asked = {"notifications": {"resourceSubscriptions": [URI]}}
        connection = served.send("auto", "subscriptions/listen", asked)
        response = connection.getresponse()
        line_with(response, "acknowledged")
        assert server.resources.subscriptions.watched == [URI]
        if closed == "stream":
            # Closing the connection alone leaves the socket to the response.
            response.close()
            connection.close()
            while server.resources.subscriptions.watched:
                served.post("auto", "tools/list")
    assert server.resources.subscriptions.watched == []


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    issuer = Issuer()
    yield issuer
    issuer.stop()


def at(moment: float) -> SimpleNamespace:
    """Return a clock that stands still."""
    return SimpleNamespace(time=lambda: moment, monotonic=time.monotonic)


def test_the_stream_of_a_stateless_client_ends_with_its_token(
    make_server: MakeServer, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "HOLDS", 0.05)
    expires = int(time.time()) + 60
    token = f"Bearer {issuer.token(exp=expires)}"
    asked = {"notifications": {"resourceSubscriptions": [URI]}}
    with RunningServer(make_server(**issuer.settings(), subscription_interval=1)) as served:
        connection = served.send("auto", "subscriptions/listen", asked, Authorization=token)
        response = connection.getresponse()
        line_with(response, "acknowledged")
        monkeypatch.setattr(callers, "time", at(expires + 1))
        assert "with a token that holds" in line_with(response, "error")
        assert "with a token that holds" not in response.read().decode()
        connection.close()


def test_the_stream_of_a_session_ends_with_its_token(
    make_server: MakeServer, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    expires = int(time.time()) + 60
    token = f"Bearer {issuer.token(exp=expires)}"
    with RunningServer(make_server(**issuer.settings(), stateless=False)) as served:
        began = served.post("legacy", "initialize", HANDSHAKE, Authorization=token)
        headers = {
            "Accept": "text/event-stream",
            "Authorization": token,
            "MCP-Protocol-Version": "2025-11-25",
            "Mcp-Session-Id": began.headers["mcp-session-id"],
        }
        monkeypatch.setattr(callers, "time", at(expires - 0.2))
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=120)
        connection.request("GET", served.path, headers=headers)
        response = connection.getresponse()
        assert response.status == 200
        with pytest.raises(AssertionError, match="ended"):
            line_with(response, "something")
        connection.close()
