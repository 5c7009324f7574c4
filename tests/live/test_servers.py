"""The servers themselves are what the live tests take them for."""

from __future__ import annotations

import pytest

from tests.live.servers import Server, User, can_log_in, parse_entries


@pytest.mark.every_user
def test_each_user_can_log_in(server: Server, user: User) -> None:
    """The password and, where there is one, the API key are accepted."""
    assert can_log_in(server, User(user.login, user.password))
    assert can_log_in(server, user)


def test_a_wrong_password_is_refused(server: Server) -> None:
    """The check of a login is one: it refuses what is wrong."""
    assert not can_log_in(server, User(server.login, "not the password"))


def test_entries_are_read_from_text() -> None:
    """Entries are separated by semicolons or white space, and the API key is optional."""
    text = "mine=http://localhost:8069/,shop,admin,secret,key; other=https://odoo.test,db,me,pw\n"
    mine, other = parse_entries(text)
    assert (mine.name, mine.url, mine.db, mine.api_key) == (
        "mine",
        "http://localhost:8069",
        "shop",
        "key",
    )
    assert other.user("admin") == User("me", "pw", "")
    assert other.user("demo") == User("demo", "demo", "")


@pytest.mark.parametrize("entry", ["http://localhost", "mine=shop,admin,secret", "x=a,b,c,hidden"])
def test_a_malformed_entry_is_refused(entry: str) -> None:
    """The error names the entry, and does not repeat its password."""
    with pytest.raises(ValueError, match="ODOO_TEST_SERVERS") as raised:
        parse_entries(entry)
    assert "hidden" not in str(raised.value)
