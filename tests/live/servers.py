"""The Odoo servers that the live tests run on: the provisioned ones, and those of the person."""

from __future__ import annotations

import json
import os
import re
import xmlrpc.client
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypedDict

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


class Credentials(TypedDict, total=False):
    """Keywords of ``odoo_toolkit.connect``."""

    url: str
    database: str
    username: str
    password: str
    api_key: str


def credentials(server: Server, user: User) -> Credentials:
    """Return the keywords of ``odoo_toolkit.connect`` for a user of a server."""
    keywords: Credentials = {"url": server.url, "database": server.db, "username": user.login}
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
    return [read_entry(entry) for entry in json.loads(path.read_text(encoding="utf-8"))]


def read_entry(entry: Mapping[str, Any]) -> Server:
    """Return the server of one entry of ``servers.json``."""
    known = {field.name for field in fields(Server)}
    return Server(**{name: value for name, value in entry.items() if name in known})


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


def ordinary_user(server: Server, name: str = "Ordinary", *groups: str) -> User:
    """Return an internal user without further rights, whom it makes if need be.

    What the demo user may do differs by version; this one may do the same on all of them.

    Args:
        server: the Odoo.
        name: of the user.
        groups: external ids of more groups of a user who is made.
    """
    login = f"toolkit-{name.lower()}"
    user = User(login, login)
    admin = server.user("admin")
    common = xmlrpc.client.ServerProxy(f"{server.url}/xmlrpc/2/common")
    if common.authenticate(server.db, user.login, user.password, {}):
        return user
    password = admin.api_key or admin.password
    uid = common.authenticate(server.db, admin.login, password, {})
    models = xmlrpc.client.ServerProxy(f"{server.url}/xmlrpc/2/object")

    def ask(model: str, method: str, *arguments: Any) -> Any:
        return models.execute_kw(server.db, uid, password, model, method, arguments)

    ids = []
    for external in ("base.group_user", *groups):
        module, _, of = external.partition(".")
        named = [["module", "=", module], ["name", "=", of]]
        (group,) = ask("ir.model.data", "search_read", named, ["res_id"])
        ids.append(group["res_id"])
    # group_ids from 19 on.
    has = ask("res.users", "fields_get", ["groups_id", "group_ids"])
    field = "groups_id" if "groups_id" in has else "group_ids"
    values = {"name": name, "login": user.login, "password": user.password}
    context = {"no_reset_password": True}
    values_and_groups = {**values, field: [[6, 0, ids]]}
    models.execute_kw(
        server.db, uid, password, "res.users", "create", [values_and_groups], {"context": context}
    )
    return user
