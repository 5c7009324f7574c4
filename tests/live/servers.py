"""The Odoo servers that the live tests run on: the provisioned ones, and those of the person."""

from __future__ import annotations

import json
import os
import re
import xmlrpc.client
from dataclasses import dataclass, fields
from pathlib import Path

from tests.provisioning.cache import servers_file


@dataclass(frozen=True)
class User:
    """Who calls: one login of a server. ``api_key`` is empty where none is known."""

    login: str
    password: str
    api_key: str = ""


@dataclass(frozen=True)
class Server:
    """A real Odoo: its address and database, an administrator's login and the demo user's."""

    name: str
    url: str
    db: str
    login: str
    password: str
    api_key: str = ""
    demo_login: str = "demo"
    demo_password: str = "demo"
    demo_api_key: str = ""
    version: str = ""
    """The major version, of provisioned servers only; the others have to be asked."""

    def user(self, role: str) -> User:
        """Return the login for ``"admin"`` or ``"demo"``."""
        if role == "admin":
            return User(self.login, self.password, self.api_key)
        return User(self.demo_login, self.demo_password, self.demo_api_key)


def credentials(server: Server, user: User) -> dict[str, str]:
    """Return the keywords of ``odoo_toolkit.connect`` for a user of a server."""
    keywords = {"url": server.url, "database": server.db, "username": user.login}
    if user.api_key:
        return {**keywords, "api_key": user.api_key}
    return {**keywords, "password": user.password}


def find_servers() -> list[Server]:
    """Return the servers of ``servers.json``, then those of ``ODOO_TEST_SERVERS``.

    Raises:
        ValueError: An entry of ``ODOO_TEST_SERVERS`` cannot be read.
    """
    named = os.environ.get("ODOO_TOOLKIT_SERVERS_FILE")
    provisioned = read_provisioned(Path(named) if named else servers_file())
    return [*provisioned, *parse_entries(os.environ.get("ODOO_TEST_SERVERS", ""))]


def read_provisioned(path: Path) -> list[Server]:
    """Return the servers that provisioning listed in a file; none when there is no file."""
    if not path.exists():
        return []
    known = {field.name for field in fields(Server)}
    entries = json.loads(path.read_text(encoding="utf-8"))
    return [
        Server(**{name: value for name, value in entry.items() if name in known})
        for entry in entries
    ]


def parse_entries(text: str) -> list[Server]:
    """Return the servers written as ``name=url,db,login,password,api_key``.

    Entries are separated by ``;`` or white space. The API key may be left out.

    Raises:
        ValueError: An entry has another form; the message shows its name, not its password.
    """
    servers = []
    for entry in re.split(r"[;\s]+", text.strip()):
        if not entry:
            continue
        name, _, rest = entry.partition("=")
        values = rest.split(",")
        if not name or len(values) not in (4, 5) or not values[0].startswith("http"):
            raise ValueError(
                f"ODOO_TEST_SERVERS: {name!r} does not have the form "
                "name=url,db,login,password,api_key (no commas or blanks within a value)"
            )
        url, *others = values
        servers.append(Server(name, url.rstrip("/"), *others))
    return servers


def can_log_in(server: Server, user: User) -> bool:
    """Tell whether the server accepts a login.

    Raises:
        OSError: The server cannot be reached.
    """
    common = xmlrpc.client.ServerProxy(f"{server.url}/xmlrpc/2/common")
    return bool(common.authenticate(server.db, user.login, user.api_key or user.password, {}))
