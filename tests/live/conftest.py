"""Fixtures of the live tests: each test runs on every server, and where it asks, as every user."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from odoo_toolkit import Connection, connect, search_read, write
from odoo_toolkit.connection.settings import connection_settings
from odoo_toolkit.languages import activate_language
from tests.kit.live_tapes import Open
from tests.live.accounting_data import person
from tests.live.own import own
from tests.live.servers import Server, User, can_log_in, credentials, find_servers, ordinary_user

SERVERS = find_servers()
# Parametrising with nothing would skip the tests; with None, the fixture can make them fail.
SERVERS_OR_NONE: list[Server | None] = [*SERVERS] or [None]
NO_SERVER = (
    "No Odoo server to test on. Start some with 'python -m tests.provisioning start 19 14', "
    "or name yours in ODOO_TEST_SERVERS, or set ODOO_TOOLKIT_NO_LIVE=1 to do without."
)


@pytest.fixture(
    scope="session",
    params=SERVERS_OR_NONE,
    ids=[server.name for server in SERVERS] or ["no-server"],
)
def server(request: pytest.FixtureRequest) -> Server:
    """Each server in turn, as a copy of this process. Without any the test fails.

    Silence would pass for success.
    """
    if os.environ.get("ODOO_TOOLKIT_NO_LIVE") == "1":
        pytest.skip("ODOO_TOOLKIT_NO_LIVE=1")
    if request.param is None:
        pytest.fail(NO_SERVER, pytrace=False)
    found = own(request.param)
    try:
        accepted = can_log_in(found, found.user("admin"))
    except OSError as error:
        pytest.fail(f"{found.name} does not answer on {found.url} ({error}). {NO_SERVER}", False)
    if not accepted:
        pytest.fail(f"{found.name} refuses the login {found.login}.", pytrace=False)
    return found


@pytest.fixture(scope="session", params=["admin", "demo"])
def user(request: pytest.FixtureRequest, server: Server) -> User:
    """An administrator and a user with limited rights, in turn."""
    found = server.user(request.param)
    if request.param == "demo" and not can_log_in(server, found):
        pytest.skip(f"{server.name} has no user {found.login} with the demo data's password.")
    return found


@pytest.fixture(scope="session")
def odoo(server: Server, user: User) -> Iterator[Connection]:
    """A connection of each user to each server, by what ``auto`` chooses."""
    with connect(**credentials(server, user)) as connection:
        yield connection


@pytest.fixture(scope="session")
def admin(server: Server) -> Iterator[Connection]:
    """A connection of the administrator to each server, for preparing and cleaning up."""
    with connect(**credentials(server, server.user("admin"))) as connection:
        yield connection


@pytest.fixture(scope="session")
def ordinary(server: Server) -> Iterator[Connection]:
    """A connection of an internal user without further rights, the same on every version."""
    with connect(**credentials(server, ordinary_user(server))) as connection:
        yield connection


@pytest.fixture
def opened(server: Server) -> Iterator[Open]:
    """Opens connections of a user with a policy and a history of the test's own."""
    with ExitStack() as stack:

        def open_(user: str, **how: Any) -> Connection:
            settings = connection_settings(**credentials(server, person(server, user)))
            return stack.enter_context(Connection(settings, **how))

        yield open_


@pytest.fixture(scope="module")
def french(admin: Connection) -> Iterator[None]:
    """French, switched on."""
    named = [["code", "=", "fr_FR"]]
    row = search_read(admin, "res.lang", named, ["active"], context={"active_test": False})[0]
    result = activate_language(admin, "fr_FR")
    assert (result.code, result.active) == ("fr_FR", True)
    assert result.warnings == []
    yield
    if not row["active"]:
        write(admin, "res.lang", [row["id"]], {"active": False})


@pytest.fixture
def suffix() -> str:
    """A word that no other test uses, for the names of records."""
    return uuid.uuid4().hex[:8]
