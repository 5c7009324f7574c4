"""Two addresses, of one database or of copies: what is known of keys and entries at the other."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import (
    Connection,
    History,
    NotFoundError,
    StateError,
    connect,
    count,
    create,
    create_many,
    history,
    search_read,
    undo,
    undo_since,
)
from odoo_toolkit.connection.line import Line
from tests.live.conftest import server
from tests.live.own import is_shared
from tests.live.servers import Server, credentials, read_entry
from tests.provisioning import copies
from tests.provisioning.releases import RELEASES

__all__ = ["server"]

pytestmark = pytest.mark.every_version

Connect = Callable[..., Connection]


@pytest.fixture
def at(server: Server, tmp_path: Path) -> Connect:
    """Connect at an address of the server, with one history for all."""

    def connected(host: str, user: str = "admin", of: Server = server) -> Connection:
        settings = credentials(of, of.user(user))
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


@pytest.mark.parametrize("user", ["admin", "demo"])
def test_key_and_entry_hold_at_their_address_only(
    at: Connect, user: str, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing shows that another address is the same database, and not a copy."""
    asked = _asked(monkeypatch)
    key, values = f"key-{suffix}", {"name": f"Once {suffix}"}
    with at("127.0.0.1", user) as first, at("localhost", user) as second:
        made = create(first, "res.partner", values, idempotency_key=key)
        assert "and this address of Odoo" in made.message
        assert create(first, "res.partner", values, idempotency_key=key) == made
        with pytest.raises(StateError, match=r"127\.0\.0\.1.*at another address") as raised:
            create(second, "res.partner", values, idempotency_key=key)
        assert (raised.value.code, raised.value.outcome) == ("KEY_UNCONFIRMED", "not_sent")
        assert raised.value.details["created"] == {"res.partner": [made.id]}
        with pytest.raises(StateError, match="at another address"):
            create(second, "res.partner", values, idempotency_key=key, dry_run=True)
        assert count(first, "res.partner", [["name", "=", values["name"]]]).count == 1
        assert asked.count("ir.config_parameter") == 2, "once for each connection"
        (entry,) = history(first)
        with pytest.raises(NotFoundError, match="connect to that address"):
            undo(second, entry=entry.id)
        assert history(second) == []
        assert count(first, "res.partner", [["id", "=", made.id]]).count == 1


def test_restored_copy_of_the_same_name_has_keys_and_entries_of_its_own(
    server: Server, at: Connect, suffix: str
) -> None:
    """The two have the same uuid, name and user, as a staging server has that of production."""
    if is_shared(server):
        pytest.skip("A server that was named cannot be copied.")
    key, values = f"key-{suffix}", {"name": f"Once {suffix}"}
    mine: list[Any] = [["name", "like", suffix]]

    def copied() -> AbstractContextManager[Any]:
        return copies.copied(RELEASES[server.version])

    with copied() as entry, at("127.0.0.1", of=read_entry(entry)) as staging:
        started, name = datetime.now(UTC), staging.database
        create(staging, "res.partner", {"name": f"Plain {suffix}"})
        made = create(staging, "res.partner", values, idempotency_key=key)
        uuid = staging.database_uuid
        written = [one.id for one in history(staging)]
    # The first one is removed by now, as two of one name cannot be in one PostgreSQL.
    with copied() as entry, at("localhost", of=read_entry(entry)) as production:
        assert (production.database, production.database_uuid) == (name, uuid)
        # These have the ids of what the other one has made.
        create_many(production, "res.partner", [{"name": f"Own {suffix} {n}"} for n in range(2)])
        before = _contents(production, mine)
        assert made.id in [row["id"] for row in before]
        with pytest.raises(StateError) as raised:
            create(production, "res.partner", values, idempotency_key=key)
        assert (raised.value.code, raised.value.outcome) == ("KEY_UNCONFIRMED", "not_sent")
        own = [one.id for one in history(production)]
        assert len(own) == 1
        assert not set(own) & set(written)
        for number in written:
            with pytest.raises(NotFoundError):
                undo(production, entry=number)
        assert _contents(production, mine) == before
        undo_since(production, since=started)
        assert _contents(production, mine) == [], "its own two, and nothing else"
        create(production, "res.partner", values, idempotency_key=f"{key}-production")
        assert count(production, "res.partner", mine).count == 1


def _contents(odoo: Connection, domain: list[Any]) -> list[dict[str, Any]]:
    return list(search_read(odoo, "res.partner", domain, ["name", "write_date"], order="id"))


def test_connection_without_a_history_is_not_asked_for_the_uuid(
    server: Server, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _asked(monkeypatch)
    with connect(**credentials(server, server.user("admin"))) as odoo:
        create(odoo, "res.partner", {"name": f"Without {suffix}"})
    assert "ir.config_parameter" not in asked
