"""The server's own user in each Odoo: whether Odoo takes its key, and when that key ends.

By this user the server finds out which apps are installed. Without it people sign in all the same,
but lack the tools of the apps; so the operator is told, in the log and at ``/admin``.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import anyio
import anyio.to_thread
import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.http import Http
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.connection.version import detect_version
from odoo_toolkit.errors import OdooError, is_refusal
from odoo_toolkit_mcp.accounts.team import Instance, Team
from odoo_toolkit_mcp.accounts.web import day
from odoo_toolkit_mcp.accounts.wording import in_the_file

logger = logging.getLogger(__name__)

#: Seconds that an Odoo has to say that it is there.
_PATIENCE = 5.0

#: The first version of Odoo that goes on taking logins by RPC after many have failed.
_TAKES_LOGINS = 16

#: Seconds for which it counts what was found out: of a wrong login too often repeated, Odoo would
#: hold up all logins that come from this machine.
_FRESH = 60.0

#: Errors of an Odoo that is not there.
_SILENT = ("CONNECTION_ERROR", "CONNECTION_REFUSED", "TIMEOUT")

#: How long before its end a key is warned of.
_SOON = timedelta(days=14)


@contextmanager
def as_own_user(instance: Instance, patience: float | None = None) -> Iterator[Odoo]:
    """Give a connection to an instance's Odoo as the server's own user there.

    Args:
        instance: where.
        patience: seconds that Odoo has for an answer; as the file says by default.

    Raises:
        OdooError: Odoo cannot be reached, or does not take the user.
    """
    with Odoo(hurried(instance.connection, patience)) as odoo:
        odoo.connect()
        yield odoo


def hurried(settings: ConnectionSettings, patience: float | None = _PATIENCE) -> ConnectionSettings:
    """Return settings with which an Odoo that hangs is given up soon."""
    if patience is None:
        return settings
    return attrs.evolve(
        settings,
        timeout=min(patience, settings.timeout),
        total_timeout=2 * patience,
        reconnect_attempts=0,
    )


def is_taken(instance: Instance) -> bool:
    """Whether Odoo takes the server's own user now.

    Up to Odoo 15, a login by RPC also makes Odoo forget the failed ones of this machine.

    Raises:
        OdooError: Odoo cannot be asked.
    """
    try:
        with as_own_user(instance, _PATIENCE):
            return True
    except OdooError as error:
        if is_refusal(error):
            return False
        raise


def holds_logins_up(instance: Instance) -> bool:
    """Whether Odoo takes no login by RPC for a minute after many from here have failed.

    It says so in the same words as of a wrong login.

    Raises:
        OdooError: Odoo cannot be asked.
    """
    http = Http(hurried(instance.connection))
    try:
        return detect_version(http).major < _TAKES_LOGINS
    finally:
        http.close()


def goes_on_counting(instance: Instance) -> bool:
    """Whether Odoo still counts failed logins of this machine, after our own user has logged in.

    Up to Odoo 15 that makes it begin again.
    """
    try:
        return not (holds_logins_up(instance) and is_taken(instance))
    except OdooError:
        return False


def ends_of_keys(odoo: Odoo) -> list[datetime | None]:
    """Return when the keys of the connected user end; None for one that does not.

    Odoo does not tell with which of its keys a user has come: only of a single one it is known.

    Raises:
        OdooError: Odoo does not tell.
    """
    if odoo.version.major < 18:
        return []  # there, keys do not end
    own = [["user_id", "=", odoo.uid]]
    fields = ["expiration_date"]
    call = Call(
        model="res.users.apikeys",
        method="search_read",
        arguments={"domain": own, "fields": fields},
        internal=True,
    )
    ends = [row["expiration_date"] for row in odoo.call(call)]
    times = [datetime.fromisoformat(str(end)).replace(tzinfo=UTC) if end else None for end in ends]
    # One that has ended is not the one that Odoo has just taken.
    return [end for end in times if end is None or end > datetime.now(UTC)]


def end_in_words(instance: Instance, ends: list[datetime | None]) -> str | None:
    """Return when the key of the server's own user ends; None where it does not, or none is used.

    Args:
        instance: where.
        ends: when the keys of that user end.
    """
    days = [day(end) for end in sorted(end for end in ends if end)]
    if not days or not instance.connection.api_key:
        return None
    login, renew = instance.connection.username, _new_key(instance)
    if len(ends) == 1:
        return f"The API key of {login} expires on {days[0]}. Before that date, {renew}."
    return (
        f"{login} has {len(ends)} API keys that expire on these dates: {', '.join(days)}. Odoo does"
        f" not show which one this server uses. Before it expires, {renew}."
    )


def refusal_in_words(instance: Instance, error: OdooError) -> str:
    """Return what is wrong with an instance and the server's own user there, and what to do.

    Args:
        instance: where.
        error: with which the user was refused, or Odoo did not answer.
    """
    if is_refusal(error):
        return (
            f"Odoo does not accept the server's own user {instance.connection.username}:"
            f" {error.message.rstrip('.')}. Users can sign in, but do not get the tools of the"
            " apps. Odoo 14 and 15 also reject it for a minute after other logins from this machine"
            f" have failed, so check again. If Odoo still rejects it, {_new_key(instance)}."
        )
    what = "does not answer" if error.code in _SILENT else "cannot be used"
    return f"{what}: {in_the_file(error)}"


def _new_key(instance: Instance) -> str:
    return (
        f"make another key with odoo-toolkit-mcp serve --renew {instance.name} FILE (or in Odoo as"
        f" {instance.connection.username}, and write it into the team's file as api_key of"
        f" [instances.{instance.name}]), and restart this server"
    )


@attrs.frozen(kw_only=True)
class Health:
    """How an instance is.

    Attributes:
        state: in words.
        well: whether nothing is to be done about it.
    """

    state: str
    well: bool


class OwnUsers:
    """Looks how the instances are, and warns in the log; safe to share between threads.

    Args:
        team: has the instances.
    """

    def __init__(self, team: Team) -> None:
        self._team = team
        self._found: dict[str, tuple[float, Health]] = {}

    def health(self, instance: Instance) -> Health:
        """Return how an instance is now, or was a moment ago; this waits for its Odoo."""
        moment, found = self._found.get(instance.name, (float("-inf"), None))
        if found is None or time.monotonic() - moment > _FRESH:
            found = _health(instance)
            self._found[instance.name] = time.monotonic(), found
        return found

    async def warn(self) -> None:
        """Look at each instance, and say in the log what is to be done."""
        for instance in self._team.instances.values():
            # Left alone when the server ends: an Odoo that hangs must not hold that up.
            found = await anyio.to_thread.run_sync(self.health, instance, abandon_on_cancel=True)
            if not found.well:
                logger.warning("Instance %s: %s", instance.name, found.state)


def _health(instance: Instance) -> Health:
    try:
        with as_own_user(instance, _PATIENCE) as odoo:
            state = f"Odoo {odoo.version.full}"
            try:
                ends = ends_of_keys(odoo)
            except OdooError:
                return Health(state=state, well=True)  # the key is taken all the same
    except OdooError as error:
        return Health(state=refusal_in_words(instance, error), well=False)
    told = end_in_words(instance, ends)
    soon = any(end and end < datetime.now(UTC) + _SOON for end in ends)
    if not told or not soon:
        return Health(state=state, well=True)
    return Health(state=f"{state}. {told}", well=False)
