"""Asks Odoo who somebody is, and makes the key that acts for that person.

These functions wait for Odoo: they run in threads.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Sequence
from datetime import datetime
from urllib.parse import urlsplit

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.configuration import Secret
from odoo_toolkit.errors import OdooConnectionError, OdooError, ValidationError, is_refusal
from odoo_toolkit.users.user_keys import (
    BegunKey,
    KeyOwner,
    begin_key,
    check_key,
    finish_key,
    give_up_key,
    settings_of_user,
)
from odoo_toolkit_mcp.accounts.grants import Account, Grants, Why
from odoo_toolkit_mcp.accounts.issuer import folded
from odoo_toolkit_mcp.accounts.service_accounts import holds_logins_up, hurried, is_taken
from odoo_toolkit_mcp.accounts.store import now
from odoo_toolkit_mcp.accounts.team import Instance, Team

logger = logging.getLogger(__name__)

#: Seconds after which it is looked whether a key still holds, and in which groups its user is.
CHECKED = 600.0

#: Seconds before its end from which a key is made anew when its user signs in.
_RENEWED = 30 * 86_400.0

#: Seconds after which no call uses a key any more that has come out of use.
UNUSED = 3600.0

#: Seconds after which it is looked again where Odoo denied something.
_DENIED = 30.0

#: Seconds that Odoo has for an answer while somebody's request waits for the look.
_PATIENCE = 10.0

#: Seconds after which a refused key is looked at again: by then Odoo takes logins again.
_AGAIN = 65.0


@attrs.frozen(kw_only=True)
class SignedIn:
    """Who has signed in, with what the key comes from. It is sealed between two pages.

    Attributes:
        instance: name of the instance.
        uid, login, name: of the Odoo user.
        groups: external ids of the user's groups.
        asked: when Odoo was asked for them.
        key: that the person has pasted.
        session: the web session in which Odoo makes the key, where the person gave the password.
        known: whether that login is known to have changed nothing in Odoo.
        account: id of an account that has a key already.
    """

    instance: str
    uid: int
    login: str
    name: str
    groups: tuple[str, ...]
    asked: float = attrs.field(factory=now)
    key: str | None = attrs.field(default=None, repr=False)
    session: str | None = attrs.field(default=None, repr=False)
    known: bool = True
    account: int | None = None


@attrs.frozen(kw_only=True)
class Key:
    """A key that acts for a user.

    Attributes:
        key: the key.
        key_id: of its record in Odoo, where it was made here.
        ends: when it ends, if that is known.
        removed: ids of earlier keys that are not in Odoo any more.
        warning: what the login has changed in Odoo; empty for nothing.
    """

    key: Secret
    key_id: int | None = None
    ends: datetime | None = None
    removed: Sequence[int] = ()
    warning: str = ""


def with_password(instance: Instance, login: str, password: str, code: str) -> SignedIn:
    """Sign in to Odoo with a password, and with the code of a second factor.

    Raises:
        OdooError: Odoo does not accept it, or cannot be asked.
    """
    settings, asked = instance.connection, now()
    begun = begin_key(settings, settings.database, login, password, second_factor=code or None)
    user = _signed_in(instance, begun.owner, asked)
    return attrs.evolve(user, session=begun.session.reveal(), known=begun.known)


def with_key(instance: Instance, login: str, key: str) -> SignedIn:
    """Return who a pasted key belongs to.

    Raises:
        OdooError: it is not one of the user with this login, or Odoo cannot be asked.
    """
    asked = now()
    owner = check_key(instance.connection, instance.connection.database, login, key)
    return attrs.evolve(_signed_in(instance, owner, asked), key=key)


def _signed_in(instance: Instance, owner: KeyOwner, asked: float) -> SignedIn:
    return SignedIn(
        instance=instance.name,
        uid=owner.uid,
        login=owner.login,
        name=owner.name,
        groups=tuple(owner.groups),
        asked=asked,
    )


def _begun(user: SignedIn) -> BegunKey:
    owner = KeyOwner(
        uid=user.uid, login=user.login, name=user.name, company=None, groups=list(user.groups)
    )
    return BegunKey(owner=owner, session=Secret(user.session or ""), known=user.known)


def key_for(
    instance: Instance,
    user: SignedIn,
    public_url: str,
    known: Account | None = None,
    left: Sequence[int] = (),
) -> Key:
    """Return the key that acts for somebody who has signed in; it is made in Odoo if need be.

    Args:
        instance: where.
        user: who has signed in.
        public_url: by which the user is to recognise the key.
        known: the user's account, if there is one: its key serves on, so that keys which nobody
            knows any more do not pile up in Odoo.
        left: ids of keys that serve no more, which are removed as long as Odoo lets it.

    Raises:
        OdooError: Odoo does not make it.
    """
    if user.key:
        return Key(key=Secret(user.key))
    if not user.session:
        raise ValidationError("The server cannot create an API key without a password.")
    if known and (kept := _kept(instance, user, known)):
        with contextlib.suppress(OdooError):
            kept = attrs.evolve(kept, removed=forget(instance, user, left))
        return kept
    settings = instance.connection
    name = key_name(public_url)
    made = finish_key(settings, settings.database, _begun(user), name, remove=left)
    return Key(
        key=made.key,
        key_id=made.key_id,
        ends=made.expires,
        removed=made.removed,
        warning=made.warning,
    )


def key_name(public_url: str) -> str:
    """Return the name in Odoo of the keys that a server makes."""
    return f"Assistants at {urlsplit(public_url).netloc}"


def _kept(instance: Instance, user: SignedIn, known: Account) -> Key | None:
    """Return the key that this server has made before, if it holds and does not end soon."""
    ends = known.key_ends
    if known.key is None or known.key_id is None:
        return None
    if ends and ends.timestamp() < now() + _RENEWED:
        return None
    try:
        owner = with_key(instance, user.login, known.key.reveal())
    except OdooError as error:
        if is_refusal(error):
            return None
        raise
    if owner.uid != known.uid:
        return None
    return Key(key=known.key, key_id=known.key_id, ends=ends)


def shares_login(instance: Instance, login: str, key: Secret) -> bool:
    """Whether another active user of Odoo has the same login but for the case of its letters.

    Args:
        instance: where.
        login: of a user.
        key: of that user, by which Odoo is asked.

    Raises:
        OdooError: Odoo does not accept the key, or cannot be asked.
    """
    connection = instance.connection
    settings = settings_of_user(connection, connection.database, login, api_key=key)
    # More than is asked for may match, as some characters stand for others.
    alike = [["login", "=ilike", login.replace("\\", "\\\\")]]
    find = Call(
        model="res.users",
        method="search_read",
        arguments={"domain": alike, "fields": ["login"]},
        internal=True,
    )
    with Odoo(settings) as odoo:
        found = {row["login"] for row in odoo.call(find)}
    return any(other != login and folded(other) == folded(login) for other in found)


def forget(instance: Instance, user: SignedIn, left: Sequence[int] = ()) -> list[int]:
    """End what was begun for somebody who has signed in and is granted nothing.

    Args:
        instance: where.
        user: who has signed in.
        left: as of :func:`key_for`.

    Returns:
        Which of these keys are not in Odoo any more.
    """
    if not user.session:
        return []
    settings = instance.connection
    return give_up_key(settings, settings.database, _begun(user), left)


class Rechecks:
    """Looks, every ten minutes, whether a key still holds and what its user may do.

    Where Odoo does not answer, or something before it refuses, what was known stays known: nothing
    can be reached then anyway. A key is dropped only when it is known that Odoo refuses this key,
    and not just every login of this machine for a while.

    Args:
        team: where the instances are.
        grants: where it is noted.
    """

    def __init__(self, team: Team, grants: Grants) -> None:
        self._team = team
        self._grants = grants
        self._lock = threading.Lock()
        self._looked: dict[int, float] = {}
        #: Accounts whose key was refused, and nobody knows yet why -> since when.
        self._doubted: dict[int, float] = {}

    def is_due(self, account: Account, *, denied: bool = False) -> bool:
        """Whether to look now.

        Args:
            account: whose key.
            denied: Odoo has just denied something.
        """
        last = max(account.checked, self._looked.get(account.id, 0.0))
        # Either way: the clock of another process may be ahead, and ours may have been set back.
        doubted = account.id in self._doubted
        return abs(now() - last) > (_AGAIN if doubted else _DENIED if denied else CHECKED)

    def check_known(self, account: Account) -> None:
        """See that it is known whether a key holds.

        Raises:
            OdooConnectionError: Odoo has refused it, and nobody knows yet whether that will stay.
        """
        if account.id in self._doubted:
            raise OdooConnectionError(
                f"Odoo does not accept the API key of {account.login} now. The server tries again"
                " before it disconnects any app.",
                suggestion="Wait a minute.",
            )

    def __call__(self, account: Account) -> None:
        """Look, unless somebody else has just done so."""
        with self._lock:
            if not self.is_due(account, denied=True):
                return
            self._looked[account.id] = now()
        instance = self._team.instances.get(account.instance)
        if instance is None or account.key is None:
            return
        soon = attrs.evolve(instance, connection=hurried(instance.connection, _PATIENCE))
        try:
            user = with_key(soon, account.login, account.key.reveal())
        except OdooError as error:
            if not (is_refusal(error) and error.details.get("reason") == "credentials"):
                logger.info(
                    "The server cannot check the API key of %s: %s", account.login, error.message
                )
            elif self._is_proven(instance, account):
                logger.warning("The API key of %s: %s", account.login, error.message)
                self._doubted.pop(account.id, None)
                self._grants.drop_key(account.id, "Odoo refuses the key", account.key)
            else:
                logger.warning(
                    "The server checks the API key of %s again later: %s",
                    account.login,
                    error.message,
                )
            return
        self._doubted.pop(account.id, None)
        if self._team.issuer:
            self._check_alone(soon, account, account.key)
        self._grants.note_groups(account.id, user.groups, user.asked)

    def _check_alone(self, instance: Instance, account: Account, key: Secret) -> None:
        """Drop a key whose login an issuer's token does not tell from another user's."""
        try:
            if not shares_login(instance, account.login, key):
                return
        except OdooError as error:
            logger.info(
                "The server cannot find out which users share the login %s: %s",
                account.login,
                error.message,
            )
            return
        why: Why = "another user has this login in other letters"
        logger.warning("The server no longer uses the API key of %s: %s.", account.login, why)
        self._grants.drop_key(account.id, why, key)

    def _is_proven(self, instance: Instance, account: Account) -> bool:
        """Whether it is the key that Odoo has refused.

        It was refused some minutes ago, too, or Odoo takes the server's own user now. Where Odoo
        may be holding up all logins, which each of its processes does apart, it takes both.
        """
        since = self._doubted.get(account.id)
        if since is None or abs(now() - since) > CHECKED:  # that was another time
            since = self._doubted[account.id] = now()
        again = abs(now() - since) >= _AGAIN
        try:
            waits, taken = holds_logins_up(instance), is_taken(instance)
        except OdooError:
            return False
        return (taken and again) if waits else (taken or again)
