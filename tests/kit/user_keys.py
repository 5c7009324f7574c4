"""Users of a real Odoo, made for tests, their API keys, and their second factor."""

from __future__ import annotations

import base64
import hmac
import re
import struct
import time
import uuid
from collections.abc import Iterator
from typing import Any

import attrs
import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import Odoo, connect
from odoo_toolkit.call import Call
from odoo_toolkit.connection.settings import connection_settings
from odoo_toolkit.connection.websession import WebSession
from odoo_toolkit.policy import Policy
from odoo_toolkit.users.user_keys import UserKey, check_key, make_key, remove_key
from tests.live.servers import Server

#: The name of the keys that are made here.
NAME = "Toolkit test"


@attrs.frozen
class Person:
    """A user made for one test, and the server whom it belongs to."""

    server: Server
    login: str
    password: str
    uid: int

    @property
    def form(self) -> dict[str, str]:
        """What this user types to sign in."""
        return {"login": self.login, "password": self.password}

    def make(self, password: str | None = None, **options: Any) -> UserKey:
        password = password or self.password
        return make_key(self.server.url, self.server.db, self.login, password, NAME, **options)

    def check(self, key: str) -> Any:
        return check_key(self.server.url, self.server.db, self.login, key)

    def remove(self, key_id: int | None, **options: Any) -> None:
        assert key_id
        password = options.pop("password", self.password)
        remove_key(self.server.url, self.server.db, self.login, password, key_id, **options)

    def connect(self, key: str, **options: Any) -> Odoo:
        return connect(
            url=self.server.url,
            database=self.server.db,
            username=self.login,
            api_key=key,
            reconnect_attempts=0,
            **options,
        )


class People:
    """Makes users of one group each, and archives them at the end.

    Odoo takes its time to check a password, so users are shared where that does no harm.
    """

    def __init__(self, server: Server, admin: Odoo) -> None:
        self.server = server
        # Users and groups are closed to scripts that leave the protection on.
        self.free = Odoo(admin.settings, policy=Policy(protect=False))
        self.made: list[int] = []

    def make(self, group: str = "group_user") -> Person:
        """Return a new user."""
        named = [["module", "=", "base"], ["name", "=", group]]
        rows = toolkit.search_read(self.free, "ir.model.data", named, fields=["res_id"]).records
        field = "group_ids" if self.free.version.major >= 19 else "groups_id"
        login = f"keys-{uuid.uuid4().hex[:8]}"
        password = f"secret of {login}"
        values = {
            "name": f"Keys {login}",
            "login": login,
            "password": password,
            field: [[6, 0, [rows[0]["res_id"]]]],
        }
        context = {"no_reset_password": True}
        uid = toolkit.create(self.free, "res.users", values, context=context).id
        self.made.append(uid)
        return Person(self.server, login, password, uid)

    def archive(self, *uids: int) -> None:
        """Archive users."""
        toolkit.write(self.free, "res.users", list(uids), {"active": False})


@pytest.fixture(scope="module")
def people(server: Server, admin: Odoo) -> Iterator[People]:
    people = People(server, admin)
    with people.free:
        yield people
        people.archive(*people.made)


@attrs.frozen
class App:
    """The authenticator app of a user, who has turned two-factor authentication on."""

    secret: bytes

    def code(self, seconds: int = 0) -> str:
        """Return the code of now, or of so many seconds from now."""
        counter = struct.pack(">Q", int((time.time() + seconds) / 30))
        digest = hmac.new(self.secret, counter, "sha1").digest()
        (number,) = struct.unpack_from(">I", digest, digest[-1] & 15)
        return f"{(number & 0x7FFFFFFF) % 10**6:06}"


def with_second_factor(person: Person) -> App:
    """Turn on two-factor authentication, as the user does in Odoo, and return the app."""
    settings = connection_settings(
        url=person.server.url, username=person.login, password=person.password
    )
    web = WebSession(settings, person.server.db)

    def send(model: str, method: str, ids: list[int], **options: Any) -> Any:
        call = Call(model=model, method=method, ids=ids, **options)
        return web.send(call, timeout=30, before_login=lambda: None)

    method = "action_totp_enable_wizard"
    if person.server.version == "14":
        method = method.removeprefix("action_")
    check = send("res.users", method, [person.uid])
    values = {"vals": {"password": person.password}}
    send(check["res_model"], "write", [check["res_id"]], arguments=values)
    context = {"password": person.password}
    wizard = send(check["res_model"], "run_check", [check["res_id"]], context=context)
    model, ids = wizard["res_model"], [wizard["res_id"]]
    (row,) = send(model, "read", ids, arguments={"fields": ["secret"]})
    app = App(base64.b32decode(re.sub(r"\s", "", row["secret"])))
    # The code before, as Odoo takes each only once from 18 on.
    code = app.code(-30)
    send(model, "write", ids, arguments={"vals": {"code": code}})
    send(model, "enable", ids, context={"code": code})
    web.close()
    return app


def creator(people: People) -> Person:
    """Return a new user who may create contacts."""
    user = people.make()
    named = [["module", "=", "base"], ["name", "=", "group_partner_manager"]]
    (row,) = toolkit.search_read(people.free, "ir.model.data", named, ["res_id"]).records
    field = "group_ids" if people.free.version.major >= 19 else "groups_id"
    toolkit.write(people.free, "res.users", [user.uid], {field: [[4, row["res_id"]]]})
    return user


def keys_of(user: Person, people: People) -> list[str]:
    """Return the names of the API keys that a user has in Odoo."""
    rows = toolkit.search_read(
        people.free, "res.users.apikeys", [["user_id", "=", user.uid]], ["name"]
    )
    return [row["name"] for row in rows.records]
