"""API keys of a person's own: made from login and password, checked, and removed again.

Whoever lets people sign in needs a credential for each, which lasts and can be taken back, and is
not their password. Odoo makes such a key only in a web session, and asks for the password once
more before it does; this is what the person would do under Account Security. The password is used
and forgotten: neither a result nor an error holds it.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import attrs

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.configuration import Secret, configuration_error, load, secret
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.connection.websession import WebSession
from odoo_toolkit.display.results import Shown
from odoo_toolkit.doctor.credentials import NEW_KEY
from odoo_toolkit.errors import (
    AccessError,
    ConfigurationError,
    NotFoundError,
    OdooConnectionError,
    OdooError,
    StateError,
    ValidationError,
    is_refusal,
)
from odoo_toolkit.operations.groups import in_group
from odoo_toolkit.reports.by_session import ADDRESS, PARAMETER, check_login
from odoo_toolkit.reports.ways import Unavailable

#: Where people find their keys in Odoo, for those that cannot be removed from here.
REMOVE_KEY = (
    "Remove the key in Odoo as that user: the user's menu at the top right, Preferences (or My"
    " Profile), Account Security, the bin beside the key."
)

_KEYS = "res.users.apikeys"
_NEW = "res.users.apikeys.description"
_CHECK = "res.users.identitycheck"
_SHOW = "res.users.apikeys.show"

#: What a key of Odoo 14 to 19 looks like. Before 19, a password would pass for one.
_KEY = re.compile(r"[0-9a-f]{40}")

#: Words of Odoo's choice of durations: a key without an end, and a date of one's own.
_ENDLESS, _UNTIL = 0, -1

#: Seconds between the change of a parameter and a key that was made in the same web session.
_SAME_TIME = 120

_Send = Callable[[Call], Any]


@attrs.frozen(kw_only=True)
class KeyOwner(Shown):
    """The user of Odoo whom a key belongs to.

    Attributes:
        uid: the id in Odoo.
        login: as it is typed at Odoo's login.
        name: the full name.
        company: the user's default company, as id and name.
        groups: of the user, also those that others bring along: external ids such as
            ``base.group_user``, and names of groups that have none.
    """

    uid: int
    login: str
    name: str
    company: dict[str, Any] | None
    groups: list[str]


@attrs.frozen(kw_only=True)
class UserKey(Shown):
    """A new API key.

    Attributes:
        key: the key itself; Odoo shows it this once.
        key_id: by which it is removed; None where another key of the same name was made at the
            same moment, so that nobody can tell which of the two this is.
        name: what the user sees under Account Security.
        expires: when it ends; None for never, which is always so before Odoo 18.
        owner: the user.
        removed: the ids of earlier keys that are not there any more.
        warning: what else the login did in Odoo; "" for nothing.
    """

    key: Secret
    key_id: int | None
    name: str
    expires: datetime | None
    owner: KeyOwner
    removed: list[int] = attrs.Factory(list)
    warning: str = ""


def make_key(
    server: ConnectionSettings | str,
    database: str | None,
    login: str,
    password: str,
    name: str,
    days: int | None = None,
    second_factor: str | None = None,
) -> UserKey:
    """Log in as a user, make an API key that belongs to that user, and log out again.

    On Odoo 18 and 19 keys end. The new one has the longest time that the user may have: 90 days
    where nobody changed that, and no end for users with Settings rights.

    >>> made = make_key("https://example.odoo.com", "example", "ann", "...", "Assistant")
    >>> connect(url="https://example.odoo.com", username="ann", api_key=made.key.reveal())

    Args:
        server: Odoo's address; or settings, of which the user and the credentials are not used.
        database: its name; None where the server has one only.
        login: of the user.
        password: of the user. It is not kept.
        name: of the key, by which the user is to recognise it.
        days: after which the key ends at the latest, from Odoo 18 on.
        second_factor: the current code of the user's authenticator app, if the user has one.

    Returns:
        The key, when it ends, and whose it is.

    Raises:
        AccessError: ``details["reason"]`` is ``credentials`` where Odoo does not accept login and
            password, whatever the cause; ``second_factor`` where it wants one, ``code`` where it
            does not accept it; ``no_keys`` where this user may not have keys.
        RateLimitError: too many logins from here have failed.
        ConfigurationError: there is no such database; or the login would change the address in
            Odoo's links.
        ValidationError: there is no name, or ``days`` is not positive.
        OdooConnectionError: Odoo cannot be reached, or is not there.
    """
    password = secret(password)
    second_factor = secret(second_factor) if second_factor else None
    _check_wanted(name, days)
    begun = begin_key(server, database, login, password, second_factor)
    return finish_key(server, database, begun, name, days)


@attrs.frozen(kw_only=True)
class BegunKey(Shown):
    """A user who has logged in, so that a key can be made within ten minutes.

    It can be written down between two steps, as ``attrs.asdict`` has it: it does what the user
    could do in Odoo's web client, so keep it as you would keep a password.

    Attributes:
        owner: the user.
        session: of Odoo's web client.
        known: whether the login is known to have changed nothing in Odoo.
    """

    owner: KeyOwner
    session: Secret
    known: bool = True


def begin_key(
    server: ConnectionSettings | str,
    database: str | None,
    login: str,
    password: str,
    second_factor: str | None = None,
) -> BegunKey:
    """Log in as a user and tell who it is; no key is made before :func:`finish_key`.

    For those who ask the person in between, such as a page that says what the key is for. Odoo
    takes it for ten minutes. Where nothing comes of it, call :func:`give_up_key`.

    >>> begun = begin_key("https://example.odoo.com", "example", "ann", "...")
    >>> begun.owner.name
    'Ann'

    Args:
        server, database, login, password, second_factor: as of :func:`make_key`.

    Returns:
        Who the user is, and what the key is made with.

    Raises:
        OdooError: as of :func:`make_key`.
    """
    password = secret(password)
    second_factor = secret(second_factor) if second_factor else None
    try:
        settings = settings_of_user(server, database, login, password=password)
        known = _check_address(settings)
        web = WebSession(settings, settings.database, second_factor=second_factor)
        try:
            uid = web.log_in(before_login=lambda: None)
            send = _sender(web, settings)
            # First, so that nothing is left behind where this cannot be read.
            owner = _owner(send, uid)
            # The button before the form for a new key: it shows a form, and changes nothing.
            _confirmed(send, password, Call(model="res.users", method="api_key_wizard", ids=(uid,)))
            _, session = web.leave()
            return BegunKey(owner=owner, session=session, known=known)
        finally:
            web.close()
    except OdooError as error:
        failure = _for_person(error, login)
    # Out here, where it is not given the one before as its context.
    raise _without_traces(failure)


def finish_key(
    server: ConnectionSettings | str,
    database: str | None,
    begun: BegunKey,
    name: str,
    days: int | None = None,
    remove: Sequence[int] = (),
) -> UserKey:
    """Make the key of a user who has logged in, and log out.

    >>> begun = begin_key("https://example.odoo.com", "example", "ann", "...")
    >>> finish_key("https://example.odoo.com", "example", begun, "Assistant").key.reveal()
    '1f0c...'

    Args:
        server, database, name, days: as of :func:`make_key`.
        begun: what :func:`begin_key` has returned.
        remove: ids of earlier keys of the user, which serve no more. Where one cannot be removed,
            the new key is returned all the same.

    Returns:
        The key, when it ends, and whose it is.

    Raises:
        StateError: it is longer than ten minutes ago.
        OdooError: as of :func:`make_key`.
    """
    _check_wanted(name, days)
    uid = begun.owner.uid
    try:
        with _resumed(server, database, begun) as send:
            before = {row["id"] for row in _keys_named(send, uid, name)}
            key = _made(send, name, days)
            new = [row for row in _keys_named(send, uid, name) if row["id"] not in before]
            known = begun.known or not new
            return UserKey(
                key=key,
                key_id=new[0]["id"] if len(new) == 1 else None,
                name=name,
                expires=_moment(new[0].get("expiration_date")) if new else None,
                owner=begun.owner,
                removed=_removed(send, uid, remove),
                warning="" if known else _changed_address(send, new[0]["create_date"]),
            )
    except OdooError as error:
        failure = error
    raise _without_traces(failure)


def give_up_key(
    server: ConnectionSettings | str,
    database: str | None,
    begun: BegunKey,
    remove: Sequence[int] = (),
) -> list[int]:
    """Log out a user for whom no key is made; where Odoo does not answer, it forgets by itself.

    >>> begun = begin_key("https://example.odoo.com", "example", "ann", "...")
    >>> give_up_key("https://example.odoo.com", "example", begun)

    Args:
        server, database: as of :func:`make_key`.
        begun: what :func:`begin_key` has returned.
        remove: ids of keys of the user, which serve no more.

    Returns:
        Those of them that are not there any more.
    """
    with _resumed(server, database, begun) as send:
        return _removed(send, begun.owner.uid, remove)


def is_key(text: str) -> bool:
    """Return whether a text looks like an API key of Odoo; nothing is sent.

    >>> is_key("0123456789abcdef0123456789abcdef01234567")
    True

    Args:
        text: that somebody has given; spaces around it do not count.
    """
    return bool(_KEY.fullmatch(text.strip()))


def check_key(
    server: ConnectionSettings | str, database: str | None, login: str, key: str
) -> KeyOwner:
    """Return who an API key belongs to, after proving that it is one of the user with this login.

    >>> check_key("https://example.odoo.com", "example", "ann", "1f0c...").name
    'Ann'

    Args:
        server: Odoo's address; or settings, of which the user and the credentials are not used.
        database: its name; None where the server has one only.
        login: of the user who gave the key.
        key: that was given.

    Returns:
        The user, with company and groups.

    Raises:
        ValidationError: it does not look like a key; nothing was sent.
        AccessError: Odoo does not accept it for this login.
        ConfigurationError: there is no such database.
        OdooConnectionError: Odoo cannot be reached, or is not there.
    """
    key = Secret(secret(key).reveal().strip())
    if not is_key(key.reveal()):
        raise ValidationError(
            "This is not an Odoo API key, which has 40 characters from 0 to 9 and a to f.",
            suggestion=f"Pass the key, not the password. {NEW_KEY}",
        )
    try:
        odoo = Odoo(settings_of_user(server, database, login, api_key=key))
        with odoo:
            _connect(odoo)
            owner = _owner(lambda call: odoo.call(attrs.evolve(call, internal=True)), odoo.uid)
        if owner.login == login:
            return owner
        failure: OdooError = _refused_key()
    except OdooError as error:
        failure = error
    raise _without_traces(failure)


def remove_key(
    server: ConnectionSettings | str,
    database: str | None,
    login: str,
    password: str | None,
    key_id: int,
    second_factor: str | None = None,
) -> None:
    """Remove an API key of a user, so that it serves no more.

    Odoo wants the password for it, not the key. Without one, the error says where people remove it.

    >>> remove_key("https://example.odoo.com", "example", "ann", "...", 7)

    Args:
        server: Odoo's address; or settings, of which the user and the credentials are not used.
        database: its name; None where the server has one only.
        login: of the user.
        password: of the user; None where it is not known. It is not kept.
        key_id: of the key, as :class:`UserKey` has it.
        second_factor: the current code of the user's authenticator app, if the user has one.

    Raises:
        NotFoundError: the user has no key with this id; it was removed, or it has ended.
        AccessError: there is no password, or as of :func:`make_key`.
        StateError: it is still there.
        OdooError: as of :func:`make_key`.
    """
    password = secret(password) if password else None
    second_factor = secret(second_factor) if second_factor else None
    if password is None:
        raise AccessError(
            "Odoo wants the user's password before it removes a key.",
            suggestion=REMOVE_KEY,
            details={"reason": "credentials"},
        )
    try:
        settings = settings_of_user(server, database, login, password=password)
        with _web_session(settings, second_factor) as (send, uid):
            own = [["id", "=", key_id], ["user_id", "=", uid]]
            there = Call(model=_KEYS, method="search_read", arguments={"domain": own})
            if not send(there):
                raise NotFoundError(
                    f"The user has no API key with the id {key_id}.",
                    suggestion="The key was already removed, or has expired.",
                )
            _confirmed(send, password, Call(model=_KEYS, method="remove", ids=(key_id,)))
            if not send(there):
                return
            raise StateError("Odoo did not remove the key.", suggestion=REMOVE_KEY)
    except OdooError as error:
        failure = _for_person(error, login)
    # Out here, where it is not given the one before as its context.
    raise _without_traces(failure)


def settings_of_user(
    server: ConnectionSettings | str,
    database: str | None,
    login: str,
    *,
    password: Secret | None = None,
    api_key: Secret | None = None,
) -> ConnectionSettings:
    """Return settings for one user; of those given, only where Odoo is and how it is reached.

    Args:
        server: the address of Odoo, or settings that reach it.
        database: the user's.
        login: of the user.
        password, api_key: one of them, the user's own.

    Raises:
        ConfigurationError: the address is none.
    """
    if isinstance(server, str):
        user = {"username": login, "password": password, "api_key": api_key}
        where = {"url": server, "database": database}
        settings, problems = load(ConnectionSettings, {**where, **user}, environ={})
        if settings is None:
            raise configuration_error(problems)
        return settings
    return attrs.evolve(
        server,
        database=database,
        username=login,
        password=password,
        api_key=api_key,
        protocol="auto",
        company_id=None,
        company_ids=(),
    )


def _check_wanted(name: str, days: int | None) -> None:
    if not name.strip():
        raise ValidationError(
            "The key needs a name.", suggestion="Pass a name that the user recognizes."
        )
    if days is not None and days < 1:
        raise ValidationError(f"days must be at least 1, not {days}.")


@contextlib.contextmanager
def _web_session(
    settings: ConnectionSettings, second_factor: Secret | None
) -> Iterator[tuple[_Send, int]]:
    """Log in on the web, and out again at the end.

    Yields what sends a call, and the user's id.
    """
    _check_address(settings)
    web = WebSession(settings, settings.database, second_factor=second_factor)
    try:
        uid = web.log_in(before_login=lambda: None)
        yield _sender(web, settings), uid
    finally:
        web.close()


@contextlib.contextmanager
def _resumed(
    server: ConnectionSettings | str, database: str | None, begun: BegunKey
) -> Iterator[_Send]:
    """Go on with a login, and log out at the end."""
    # The session is the only credential: it never logs in again.
    settings = settings_of_user(server, database, begun.owner.login, password=begun.session)
    web = WebSession(settings, settings.database)
    web.resume(begun.owner.uid, begun.session)
    try:
        yield _sender(web, settings)
    finally:
        web.close()


def _sender(web: WebSession, settings: ConnectionSettings) -> _Send:
    """Return what sends a call in a web session."""
    # A login by password is the only one: what a new one would write was not looked at.
    return lambda call: web.send(call, timeout=settings.timeout, before_login=_no_second_login)


def _no_second_login() -> None:
    raise OdooConnectionError(
        "Odoo ended the web session after the login.",
        code="SESSION_EXPIRED",
        suggestion="Log in again.",
    )


def _check_address(settings: ConnectionSettings) -> bool:
    """Give up before a web login that would change the address in Odoo's links.

    Returns:
        Whether it is known that it does not: who has a second factor cannot be asked before.
    """
    # A login by RPC writes nothing.
    with Odoo(settings) as odoo:
        try:
            odoo.connect()
        except OdooError as error:
            # The web login tells a wrong password from a second factor that is wanted; and where
            # only JSON-2 is let through, a password serves for nothing else.
            if is_refusal(error) or error.code == "ENDPOINT_NOT_FOUND":
                return False
            raise
        try:
            # Others change nothing; and they cannot read the parameters, of which Odoo 14 with
            # several databases says no more than that it failed.
            if in_group(odoo, "base.group_system", acts_on=None):
                check_login(odoo)
        except Unavailable as error:
            raise ConfigurationError(
                f"This user cannot log in from here: {error}.",
                suggestion="Do one of these, or pass an API key that you created in Odoo. "
                f"{NEW_KEY}",
                details={"reason": "address"},
            ) from None
    return True


def _changed_address(send: _Send, made: str) -> str:
    """Return what to say where this web login has changed the address in Odoo's links."""
    arguments = {"domain": [["key", "=", ADDRESS]], "fields": ["value", "write_date"]}
    try:
        rows = send(Call(model=PARAMETER, method="search_read", arguments=arguments))
    except AccessError:
        return ""  # without Settings rights nobody reads parameters, and no login changes them
    for row in rows:
        if abs((_moment(made) - _moment(row["write_date"])).total_seconds()) < _SAME_TIME:
            return (
                f"At this login, Odoo changed the address in its links ({ADDRESS}) to "
                f"{row['value']}, as for each user with Settings permissions. If users cannot "
                "reach Odoo there, correct it in Settings, Technical, System Parameters, and "
                f"set {ADDRESS}.freeze to True."
            )
    return ""


def _owner(send: _Send, uid: int) -> KeyOwner:
    """Return who the user is."""
    users = "res.users"
    groups = send(
        Call(
            model=users,
            method="fields_get",
            arguments={"allfields": ["all_group_ids", "groups_id"], "attributes": ["type"]},
        )
    )
    # The first is there from 19 on; the other one then held what others bring along, too.
    of_groups = "all_group_ids" if "all_group_ids" in groups else "groups_id"
    fields = ["name", "login", "company_id", of_groups]
    (row,) = send(Call(model=users, method="read", ids=(uid,), arguments={"fields": fields}))
    company = row["company_id"]
    return KeyOwner(
        uid=uid,
        login=row["login"],
        name=row["name"] or "",
        company={"id": company[0], "name": company[1]} if company else None,
        groups=_group_names(send, row[of_groups]),
    )


def _group_names(send: _Send, ids: list[int]) -> list[str]:
    model = "res.groups"
    external = send(Call(model=model, method="get_external_id", ids=tuple(ids))) if ids else {}
    names = [name for name in external.values() if name]
    others = tuple(int(one) for one, name in external.items() if not name)
    if others:
        fields = {"fields": ["display_name"]}
        rows = send(Call(model=model, method="read", ids=others, arguments=fields))
        names += [row["display_name"] for row in rows]
    return sorted(names)


def _keys_named(send: _Send, uid: int, name: str) -> list[dict[str, Any]]:
    domain = [["user_id", "=", uid], ["name", "=", name]]
    rows: list[dict[str, Any]] = send(
        Call(model=_KEYS, method="search_read", arguments={"domain": domain})
    )
    return rows


def _removed(send: _Send, uid: int, ids: Sequence[int]) -> list[int]:
    """Remove keys while the login is fresh; return those that are not there any more."""
    if not ids:
        return []
    own = [["id", "in", list(ids)], ["user_id", "=", uid]]
    there = Call(model=_KEYS, method="search", arguments={"domain": own})
    try:
        if found := send(there):
            send(Call(model=_KEYS, method="remove", ids=tuple(found)))
        left = send(there)
    except OdooError:
        return []
    return [one for one in ids if one not in left]


def _made(send: _Send, name: str, days: int | None) -> Secret:
    """Make a key and return it."""
    try:
        asked = {"attributes": ["selection"]}
        fields = send(Call(model=_NEW, method="fields_get", arguments=asked))
        values = {"name": name, **_duration(fields, days)}
        new = send(Call(model=_NEW, method="create", arguments={"vals_list": values}))
        shown = send(Call(model=_NEW, method="make_key", ids=(new,)))
    except AccessError as error:
        raise AccessError(
            f"This user is not allowed to have API keys: {error.message.rstrip('.')}.",
            suggestion="API keys are for internal users. Ask the administrator of Odoo who may "
            "have them.",
            details={"reason": "no_keys"},
        ) from None
    if isinstance(shown, dict) and shown.get("res_model") == _CHECK:
        raise StateError(
            "The login is too old: Odoo would ask for the password again.",
            suggestion="Log in again. No key was made.",
        )
    key = shown.get("context", {}).get("default_key") if isinstance(shown, dict) else None
    if not key or shown.get("res_model") != _SHOW:
        raise StateError(
            "Odoo did not show the new key.",
            suggestion=f"Check whether the user has a key with the name {name!r}. {REMOVE_KEY} "
            f"{NEW_KEY}",
        )
    return Secret(key)


def _duration(fields: dict[str, Any], days: int | None) -> dict[str, Any]:
    """Return how long a new key is to last, where Odoo wants to know."""
    if "duration" not in fields:
        return {}
    offered = {int(value) for value, _ in fields["duration"]["selection"]}
    if days is None and _ENDLESS in offered:
        return {"duration": str(_ENDLESS)}
    longest = max((one for one in offered if one > 0), default=1)
    if days is None or (_ENDLESS not in offered and days >= longest):
        return {"duration": str(longest)}
    until = datetime.now(UTC) + timedelta(days=days)
    return {"duration": str(_UNTIL), "expiration_date": until.strftime("%Y-%m-%d %H:%M:%S")}


def _confirmed(send: _Send, password: Secret, call: Call) -> Any:
    """Call what Odoo wants the password for once more; return what the call returned."""
    answer = send(call)
    if not isinstance(answer, dict) or answer.get("res_model") != _CHECK:
        return answer
    asked = {"allfields": ["password", "auth_method"], "attributes": ["store"]}
    fields = send(Call(model=_CHECK, method="fields_get", arguments=asked))
    # Until 18 the password is stored with the question, and taken from there.
    stored = fields["password"].get("store")
    values: dict[str, Any] = {"password": password} if stored else {}
    if "auth_method" in fields:
        values["auth_method"] = "password"  # who has a passkey is asked for that else
    question = Call(model=_CHECK, method="write", ids=(answer["res_id"],))
    context = {} if stored else {"password": password}
    try:
        send(attrs.evolve(question, arguments={"vals": values}))
        return send(attrs.evolve(question, method="run_check", context=context))
    except OdooError:
        if stored:
            # Odoo clears it where the call succeeds, and else undoes that with the rest.
            with contextlib.suppress(OdooError):
                send(attrs.evolve(question, arguments={"vals": {"password": False}}))
        raise


def _moment(text: str | None) -> Any:
    """Return a datetime of Odoo's, which is in UTC; None where there is none."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None


def _connect(odoo: Odoo) -> None:
    """Log in with a key; what its user may then not read is another matter."""
    try:
        odoo.connect()
    except OdooError as error:
        raise (_refused_key() if is_refusal(error) else error) from None


def _refused_key() -> AccessError:
    return AccessError(
        "Odoo does not accept this API key for this login.",
        suggestion="The key may have expired or been removed, or belong to another user or "
        f"server. {NEW_KEY}",
        details={"reason": "credentials"},
    )


#: Why a login was refused -> what people are told, in place of what concerns the settings.
_TOLD = {
    "credentials": (
        "Odoo does not accept this login and password.",
        (
            "Check both. Archived users cannot log in. A user who logs in with another provider "
            "has no password in Odoo, and needs an API key instead."
        ),
    ),
    "second_factor": (
        "Odoo requires a second factor from this user.",
        (
            "Enter the code that the authenticator app shows now. If codes come by e-mail, pass "
            "an API key that you created in Odoo."
        ),
    ),
    "code": (
        "",
        (
            "Enter the code that the authenticator app shows now. Codes from e-mails do not work "
            "here: pass an API key that you created in Odoo."
        ),
    ),
}


def _for_person(error: OdooError, login: str) -> OdooError:
    """Return an error as the person who logs in is to read it."""
    told = _TOLD.get(error.details.get("reason", "")) if isinstance(error, AccessError) else None
    if told is None:
        return error
    message, suggestion = told
    return AccessError(
        message or error.message,
        suggestion=f"{suggestion} {NEW_KEY}",
        details={**error.details, "login": login},
    )


def _without_traces(error: OdooError) -> OdooError:
    """Return an error that holds neither its causes nor the frames that had the password."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


readable_signatures(globals())
