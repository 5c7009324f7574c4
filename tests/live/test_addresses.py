"""One database behind two addresses: whose keys and entries are found at the other one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from odoo_toolkit import (
    Connection,
    History,
    NotFoundError,
    StateError,
    connect,
    count,
    create,
    history,
    undo,
)
from odoo_toolkit.connection.line import Line
from tests.live.conftest import server
from tests.live.servers import Server, credentials

__all__ = ["server"]

pytestmark = pytest.mark.every_version

Connect = Callable[..., Connection]


@pytest.fixture
def at(server: Server, tmp_path: Path) -> Connect:
    """Connect at an address of the server, with one history for all."""

    def connected(host: str, user: str = "admin") -> Connection:
        settings = credentials(server, server.user(user))
        settings["url"] = settings["url"].replace("127.0.0.1", host)
        return connect(**settings, history=History(tmp_path / "history.sqlite"))

    return connected


def _asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return which models are asked from now on, beside what the policy sees."""
    asked: list[str] = []
    send = Line.send

    def sent(self: Line, call: object) -> object:
        asked.append(call.model)  # type: ignore[attr-defined]
        return send(self, call)  # type: ignore[arg-type]

    monkeypatch.setattr(Line, "send", sent)
    return asked


def test_retry_at_another_address_returns_the_first_result(
    at: Connect, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _asked(monkeypatch)
    values = {"name": f"Once {suffix}"}
    with at("127.0.0.1") as first, at("localhost") as second:
        made = create(first, "res.partner", values, idempotency_key=f"key-{suffix}")
        assert create(second, "res.partner", values, idempotency_key=f"key-{suffix}") == made
        assert count(first, "res.partner", [["name", "=", values["name"]]]).count == 1
        assert asked.count("ir.config_parameter") == 2, "once for each connection"
        assert "at this address" not in made.message


def test_entry_can_be_undone_at_another_address(at: Connect, suffix: str) -> None:
    with at("127.0.0.1") as first, at("localhost") as second:
        made = create(first, "res.partner", {"name": f"Undone {suffix}"})
        (entry,) = history(second)
        undo(second, entry=entry.id)
        assert count(first, "res.partner", [["id", "=", made.id]]).count == 0


def test_user_without_settings_rights_gets_an_error_at_another_address(
    at: Connect, suffix: str
) -> None:
    key, values = f"key-{suffix}", {"name": f"Once {suffix}"}
    with at("127.0.0.1", "demo") as first, at("localhost", "demo") as second:
        made = create(first, "res.partner", values, idempotency_key=key)
        assert "and at this address of Odoo" in made.message
        assert create(first, "res.partner", values, idempotency_key=key) == made
        with pytest.raises(StateError, match=r"at another address.*127\.0\.0\.1") as raised:
            create(second, "res.partner", values, idempotency_key=key)
        assert (raised.value.code, raised.value.outcome) == ("KEY_UNCONFIRMED", "not_sent")
        with pytest.raises(StateError, match="at another address"):
            create(second, "res.partner", values, idempotency_key=key, dry_run=True)
        assert count(first, "res.partner", [["name", "=", values["name"]]]).count == 1
        (entry,) = history(first)
        with pytest.raises(NotFoundError, match="at which the entry was written"):
            undo(second, entry=entry.id)
        assert history(second) == []


def test_connection_without_a_history_is_not_asked_for_the_uuid(
    server: Server, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _asked(monkeypatch)
    with connect(**credentials(server, server.user("admin"))) as odoo:
        create(odoo, "res.partner", {"name": f"Without {suffix}"})
    assert "ir.config_parameter" not in asked
