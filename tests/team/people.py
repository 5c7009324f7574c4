"""Users in place of an Odoo, for what is the same whichever Odoo there is."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import attrs
import pytest

from odoo_toolkit.configuration import Secret
from odoo_toolkit.errors import AccessError, OdooConnectionError
from odoo_toolkit_mcp.accounts import me, odoo_users, sign_in
from odoo_toolkit_mcp.accounts.grants import Account
from odoo_toolkit_mcp.accounts.odoo_users import Key, SignedIn
from odoo_toolkit_mcp.accounts.team import Instance

#: Where nothing listens.
NOWHERE: Mapping[str, Any] = {
    "title": "Main",
    "url": "http://127.0.0.1:9",
    "database": "main",
    "username": "server",
    "api_key": "0" * 40,
    "history": "off",
    "timeout": 1,
    "reconnect_attempts": 0,
}


def password_of(login: str) -> str:
    """Return the password of a login."""
    return f"the password of {login}"


def key_of(login: str, instance: str = "main") -> str:
    """Return the API key of a login."""
    return hashlib.sha1(f"{instance} {login}".encode(), usedforsecurity=False).hexdigest()


@attrs.define
class Users:
    """What Odoo would say of its users.

    Attributes:
        groups: of each, by login.
        archived: logins that are refused.
        down: whether Odoo does not answer.
        holds_up: whether it is one that takes no login for a while after many have failed.
        held_up: whether it takes none now.
        counts: whether it counts failed logins until one is right.
        unreadable: whether a user may not read who they are.
        refusing: the status of HTTP with which something before Odoo refuses all requests.
        ends: when keys that are made end.
        shared: logins that another user has, too, in other letters.
        factors: logins that give no code of their second factor.
        made: logins for which a key was made.
        forgotten: logins whose session was ended without a key.
        pauses: seconds for which a refusal was held back.
    """

    groups: dict[str, tuple[str, ...]] = attrs.field(factory=dict)
    archived: set[str] = attrs.field(factory=set)
    shared: set[str] = attrs.field(factory=set)
    factors: set[str] = attrs.field(factory=set)
    down: bool = False
    holds_up: bool = False
    held_up: bool = False
    counts: bool = False
    refusing: int | None = None
    unreadable: bool = False
    ends: datetime | None = None
    made: list[str] = attrs.field(factory=list)
    forgotten: list[str] = attrs.field(factory=list)
    pauses: list[float] = attrs.field(factory=list)

    def with_password(self, instance: Instance, login: str, password: str, code: str) -> SignedIn:
        self._check(login, password == password_of(login))
        return attrs.evolve(self._user(instance, login), session=f"session of {login}")

    def with_key(self, instance: Instance, login: str, key: str) -> SignedIn:
        self._check(login, key == key_of(login, instance.name))
        return attrs.evolve(self._user(instance, login), key=key)

    def key_for(
        self,
        instance: Instance,
        user: SignedIn,
        public_url: str,
        known: Account | None = None,
        left: Sequence[int] = (),
    ) -> Key:
        self._check(user.login, True)
        if user.key:
            return Key(key=Secret(user.key))
        self.made.append(user.login)
        return Key(
            key=Secret(key_of(user.login, instance.name)),
            key_id=len(self.made),
            ends=self.ends,
            removed=left,
        )

    def shares_login(self, instance: Instance, login: str, key: Secret) -> bool:
        self._check(login, key.reveal() == key_of(login, instance.name))
        return login in self.shared

    def forget(self, instance: Instance, user: SignedIn, left: Sequence[int] = ()) -> list[int]:
        self.forgotten.append(user.login)
        return list(left)

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def _check(self, login: str, right: bool) -> None:
        if self.down:
            raise OdooConnectionError("Odoo does not answer.")
        if self.unreadable:
            raise AccessError("You are not allowed to access 'Groups' (res.groups) records.")
        if self.refusing:
            raise AccessError("Something asks for a login.", details={"http_status": self.refusing})
        if login in self.factors:
            raise AccessError("A code is wanted.", details={"reason": "second_factor"})
        if not right or login in self.archived or self.held_up:
            raise AccessError(
                "Odoo does not accept this login and password.", details={"reason": "credentials"}
            )

    def _user(self, instance: Instance, login: str) -> SignedIn:
        return SignedIn(
            instance=instance.name,
            uid=int(hashlib.sha256(login.encode()).hexdigest()[:6], 16),
            login=login,
            name=login.title(),
            groups=self.groups.get(login, ("base.group_user",)),
        )

    def take_the_place(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Answer in place of every Odoo."""
        monkeypatch.setattr(sign_in, "with_password", self.with_password)
        monkeypatch.setattr(sign_in, "pause", self.pause)
        monkeypatch.setattr(sign_in, "with_key", self.with_key)
        monkeypatch.setattr(sign_in, "key_for", self.key_for)
        monkeypatch.setattr(sign_in, "forget", self.forget)
        monkeypatch.setattr(sign_in, "shares_login", self.shares_login)
        monkeypatch.setattr(odoo_users, "shares_login", self.shares_login)
        monkeypatch.setattr(me, "forget", self.forget)
        monkeypatch.setattr(odoo_users, "with_key", self.with_key)
        monkeypatch.setattr(odoo_users, "holds_logins_up", lambda instance: self.holds_up)
        monkeypatch.setattr(odoo_users, "is_taken", lambda instance: not self.held_up)
        monkeypatch.setattr(sign_in, "goes_on_counting", lambda instance: self.counts)
