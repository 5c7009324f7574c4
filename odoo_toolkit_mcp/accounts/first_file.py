"""Writes a team's first file, adds a database to it, and puts a new key into it.

It asks, and takes no answer that would not serve.

Each answer is tried as soon as it is given: on a terminal, the question is asked again; where the
answers are piped in, the first wrong one ends it. The key is made last, so that nothing is left in
Odoo, and no file here, of a dialog that came to no end.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import secrets
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import attrs
import tomlkit

from odoo_toolkit.configuration import Secret, configuration_error, load
from odoo_toolkit.connection.database import listed_databases
from odoo_toolkit.connection.http import Http
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.connection.version import detect_version
from odoo_toolkit.errors import AccessError, ConfigurationError, OdooError
from odoo_toolkit.users.user_keys import (
    BegunKey,
    KeyOwner,
    UserKey,
    begin_key,
    check_key,
    finish_key,
    give_up_key,
    is_key,
)
from odoo_toolkit_mcp.accounts.passwords import hash_password
from odoo_toolkit_mcp.accounts.team import Team, name_problem, read_team, team_of
from odoo_toolkit_mcp.accounts.wording import setting_names
from odoo_toolkit_mcp.settings import is_loopback

T = TypeVar("T")

Ask = Callable[[str], str]
Say = Callable[[str], None]

#: By which people recognise the server's own key in Odoo.
_KEY_NAME = "odoo-toolkit-mcp server"

#: Groups of users who may change users or settings.
_TOO_MUCH = frozenset({"base.group_erp_manager", "base.group_system"})

#: Stands for a key that has not been made yet, while the other answers are looked at.
_NO_KEY = "0" * 40


@attrs.frozen(kw_only=True)
class FirstFile:
    """What was written.

    Attributes:
        team: as the file has it.
        operator_password: of the operator's page; only its hash is in the file.
    """

    team: Team
    operator_password: str


def write_first_file(
    path: Path,
    say: Say,
    ask: Ask = input,
    ask_secretly: Ask = getpass.getpass,
    patient: bool | None = None,
) -> FirstFile:
    """Ask what a team's file needs, and write it.

    Args:
        path: of the file.
        say: tells the person something.
        ask, ask_secretly: return what the person answers.
        patient: whether a question whose answer is wrong is asked again; on a terminal by default.

    Raises:
        ConfigurationError: the file is there already, or cannot be written; or an answer is wrong
            or missing. Nothing was written, and no key was made.
        OdooError: Odoo cannot be reached, or does not take an answer; as above.
    """
    if path.exists():
        raise ConfigurationError(f"{path} already exists.", suggestion="Choose another file.")
    if not path.absolute().parent.is_dir():
        raise ConfigurationError(
            f"There is no folder {path.absolute().parent}.", suggestion="Create it first."
        )
    _check_alone(path)
    dialog = _Dialog(say, ask, ask_secretly, sys.stdin.isatty() if patient is None else patient)
    operator = secrets.token_urlsafe(15)
    content: dict[str, Any] = {"operator_password": hash_password(operator)}
    with _answers_to_the_end():
        server, begun = _answered(dialog, content, path.absolute().parent)
    with _new_file(path) as write:
        content["instances"]["main"]["api_key"] = _key(dialog, server, begun)
        write(_document(content))
    dialog.say(f"Written: {path}")
    return FirstFile(team=read_team(path), operator_password=operator)


def add_database(
    path: Path,
    name: str,
    say: Say,
    ask: Ask = input,
    ask_secretly: Ask = getpass.getpass,
    patient: bool | None = None,
) -> None:
    """Ask for another database, and write it into a team's file.

    Args:
        path: of the file.
        name: of the new instance.
        say, ask, ask_secretly, patient: as of :func:`write_first_file`.

    Raises:
        ConfigurationError: the file is wrong or cannot be written, or has that instance already; or
            an answer is wrong or missing. Nothing was written, and no key was made.
        OdooError: Odoo cannot be reached, or does not take an answer; as above.
    """
    if problem := name_problem(name):
        raise configuration_error([problem])
    if name in read_team(path).instances:
        raise ConfigurationError(
            f"{path} already has an instance {name}.", suggestion="Choose another name."
        )
    document = tomlkit.parse(path.read_text(encoding="utf-8"))
    dialog = _Dialog(say, ask, ask_secretly, sys.stdin.isatty() if patient is None else patient)
    with _answers_to_the_end():
        server, begun = _logged_in(dialog)
        with _given_up(server, begun):
            instance = _instance(server, begun)
            content = document.unwrap()
            _ask_mode(dialog, content, name, instance, path.absolute().parent, number=4)
    with _new_file(path, instead=True) as write:
        table = tomlkit.table()
        table.update({**instance, "api_key": _key(dialog, server, begun)})
        document["instances"].add(name, table)
        write(tomlkit.dumps(document))
    added = next(one for one in read_team(path).addresses if one.instance == name)
    dialog.say(
        f"Written: {path}. Restart the server. The address for assistants, {instance['title']}:"
        f" {added.url}"
    )


def renew_key(
    path: Path,
    name: str,
    say: Say,
    ask: Ask = input,
    ask_secretly: Ask = getpass.getpass,
    patient: bool | None = None,
) -> None:
    """Make another key of the server's own user in a database, and write it into a team's file.

    Args:
        path: of the file.
        name: of the instance.
        say, ask, ask_secretly, patient: as of :func:`write_first_file`.

    Raises:
        ConfigurationError: as of :func:`add_database`; or there is no such instance.
        OdooError: as of :func:`add_database`.
    """
    known = read_team(path).instances
    found = known.get(name)
    if found is None:
        raise ConfigurationError(
            f"{path} has no instance {name}.", suggestion=f"It has: {', '.join(known)}."
        )
    document = tomlkit.parse(path.read_text(encoding="utf-8"))
    table = document["instances"][name]
    variable = str(table.get("api_key", "")).partition("env:")[2]
    connection = found.connection
    dialog = _Dialog(say, ask, ask_secretly, sys.stdin.isatty() if patient is None else patient)
    dialog.say(f"   The server's own user in {found.title}: {connection.username}")
    server = _where(connection.url, connection.database)
    with _answers_to_the_end():
        begun = dialog.until_taken(lambda: _with_password(dialog, server, str(connection.username)))
    with _new_file(path, instead=True) as write:
        key = _key(dialog, server, begun)
        if variable:
            dialog.say(
                f"The settings file reads the key from the environment variable {variable}. Set it"
                f" to: {key}"
            )
        else:
            table["api_key"] = key
            table.pop("password", None)
        write(tomlkit.dumps(document))
    dialog.say(
        f"Restart the server. Then remove the old API keys of {connection.username} in Odoo, under"
        " Preferences, Account Security."
    )


@contextlib.contextmanager
def _answers_to_the_end() -> Iterator[None]:
    """Say what it means that the answers have ended.

    Raises:
        ConfigurationError: they have.
    """
    try:
        yield
    except (EOFError, KeyboardInterrupt):
        raise ConfigurationError(
            "The input ended before the last question.",
            suggestion="The command wrote no file and created no key. Start again.",
        ) from None


def _key(dialog: _Dialog, server: ConnectionSettings, begun: BegunKey | _GivenKey) -> str:
    """Return the key of the server's own user, which is made now unless it was given."""
    if isinstance(begun, _GivenKey):
        return begun.key.reveal()
    made = finish_key(server, server.database, begun, _KEY_NAME)
    _tell_of_key(dialog, made)
    return made.key.reveal()


def _check_alone(path: Path) -> None:
    """See that the server of a file would not share its store with another one.

    Raises:
        ConfigurationError: there is a store in the folder, or the file of another team.
    """
    folder = path.absolute().parent
    # What the file says nothing of, is named by itself.
    beside = [name for name in ("accounts.sqlite",) if (folder / name).exists()]
    beside += [
        other.name
        for other in sorted(folder.glob("*.toml"))
        if "\n[instances." in other.read_text(encoding="utf-8", errors="replace")
    ]
    if beside:
        raise ConfigurationError(
            f"{folder} already contains {beside[0]}. Two teams in one folder would share their"
            " sign-ins.",
            suggestion="Choose a file in another folder. To reuse an existing database of sign-ins,"
            " write the file by hand: docs/team-rules.md.",
        )


@attrs.frozen(kw_only=True)
class _GivenKey:
    """A key that was given, so that none is made.

    Attributes:
        owner: the user.
        key: that Odoo takes for that user.
    """

    owner: KeyOwner
    key: Secret


def _answered(
    dialog: _Dialog, content: dict[str, Any], folder: Path
) -> tuple[ConnectionSettings, BegunKey | _GivenKey]:
    """Ask everything, and fill in the content of the file; return what the key comes from."""
    dialog.say("The command asks five questions, and sends your answers only to your Odoo.")
    server, begun = _logged_in(dialog)
    instance = _instance(server, begun)
    content["instances"] = {"main": instance}
    with _given_up(server, begun):

        def with_address(answer: str) -> dict[str, Any]:
            found = _address(answer)
            team_of({**content, **found}, folder)
            return found

        content |= dialog.until_right(
            "4. Address of this server for your users (empty: this machine only): ",
            with_address,
        )
        _ask_mode(dialog, content, "main", instance, folder)
    return server, begun


def _instance(server: ConnectionSettings, begun: BegunKey | _GivenKey) -> dict[str, Any]:
    """Return what the file says of a database, but for the key and the mode."""
    return {
        "title": server.database,
        "url": server.url,
        "database": server.database,
        "username": begun.owner.login,
        "api_key": _NO_KEY,
    }


@contextlib.contextmanager
def _given_up(server: ConnectionSettings, begun: BegunKey | _GivenKey) -> Iterator[None]:
    """End the session in Odoo if the dialog comes to no end."""
    try:
        yield
    except BaseException:
        _give_up(server, begun)
        raise


def _give_up(server: ConnectionSettings, begun: BegunKey | _GivenKey) -> None:
    if isinstance(begun, BegunKey):
        with contextlib.suppress(OdooError):
            give_up_key(server, server.database, begun)


def _ask_mode(
    dialog: _Dialog,
    content: dict[str, Any],
    name: str,
    instance: dict[str, Any],
    folder: Path,
    number: int = 5,
) -> None:
    """Ask what assistants may do in a database, and fill it in."""

    def with_mode(answer: str) -> str:
        mode = answer.lower() or "readonly"
        if mode not in ("readonly", "full"):
            raise ConfigurationError(
                f"{answer!r} is neither readonly nor full.",
                suggestion="Enter readonly or full. You can add other rules to the file later, such"
                " as for certain models.",
            )
        tried = {**content["instances"], name: {**instance, "mode": mode}}
        team_of({**content, "instances": tried}, folder)
        return mode

    dialog.say(
        "Every user with a login in this database can sign in. To allow only some users, add rules"
        " to the file: docs/team-rules.md."
    )
    instance["mode"] = dialog.until_right(
        f"{number}. What can assistants do? readonly, or full: everything that each user can do in"
        " Odoo (empty: readonly): ",
        with_mode,
    )


def _logged_in(dialog: _Dialog) -> tuple[ConnectionSettings, BegunKey | _GivenKey]:
    """Ask where Odoo is and who the server is there, until Odoo takes it."""
    url = dialog.until_right("1. Address of Odoo, such as https://odoo.example.com: ", _url)
    there = _listed(url)
    only = f" (empty: {there[0]})" if len(there) == 1 else ""
    of_database = f"2. Its database{only}: "
    database = dialog.until_right(of_database, partial(_database, there))
    dialog.say(
        "3. An Odoo user for the server itself, to find out which apps are installed. Create an"
        " internal user without other permissions: Settings, Users & Companies, Users, New."
    )
    while True:
        try:
            server, begun = _with_login(dialog, url, database)
            with _given_up(server, begun):
                meant = _is_meant(dialog, begun.owner)
            if meant:
                return server, begun
            _give_up(server, begun)
        except OdooError as error:
            if not dialog.patient:
                raise
            dialog.complain(error)
            if isinstance(error, ConfigurationError) and "reason" not in error.details:
                database = dialog.until_right(of_database, partial(_database, there))


def _with_login(
    dialog: _Dialog, url: str, database: str
) -> tuple[ConnectionSettings, BegunKey | _GivenKey]:
    """Ask for the server's own user, and log in."""
    login = dialog.until_right("   Login: ", partial(_given, "The login is missing."))
    server = _where(url, database)
    return server, _with_password(dialog, server, login)


def _is_meant(dialog: _Dialog, owner: KeyOwner) -> bool:
    """Whether a user with more rights than the server needs is to be its own all the same.

    Raises:
        AccessError: it is a user who could not even find out which apps are installed.
    """
    if "base.group_user" not in owner.groups:
        raise AccessError(
            f"{owner.login} is not an internal user of Odoo.",
            suggestion="Use an internal user. You can see the type on the user's form in Odoo.",
        )
    if not _TOO_MUCH.intersection(owner.groups):
        return True
    dialog.say(
        f"Warning: {owner.login} can change users or settings in Odoo. This server does not need"
        " that, and anyone who can read its file could act as that user."
    )
    if not dialog.patient:
        return True
    answer = dialog.ask(
        f"   Use {owner.login} anyway? Enter yes, or leave this empty to choose another user: "
    )
    return answer.strip().lower() in ("y", "yes")


def _with_password(dialog: _Dialog, server: ConnectionSettings, login: str) -> BegunKey | _GivenKey:
    """Ask for the password or a key of the server's own user, and log in."""
    database = server.database
    password = dialog.until_right(
        "   Password (creates an API key, and is not stored), or an API key: ",
        partial(_given, "The password or API key is missing."),
        secretly=True,
    )
    if is_key(password):
        key = Secret(password.strip())
        return _GivenKey(owner=check_key(server, database, login, key.reveal()), key=key)
    try:
        return begin_key(server, database, login, password)
    except AccessError as error:
        if error.details.get("reason") != "second_factor":
            raise
    code = dialog.until_right(
        "   Two-factor code: ",
        partial(_given, "The code is missing."),
    )
    return begin_key(server, database, login, password, second_factor=code)


def _where(url: str, database: str | None = None) -> ConnectionSettings:
    """Return where an Odoo is; who logs in there is given apart.

    Raises:
        ConfigurationError: this is no address.
    """
    given = {"url": url, "database": database, "username": "nobody", "api_key": _NO_KEY}
    settings, problems = load(ConnectionSettings, given, environ={})
    if settings is None:
        raise configuration_error(problems)
    return settings


def _url(answer: str) -> str:
    """Return the address of an Odoo that answers."""
    _check_scheme("url", answer)
    answer = _given("The address is missing.", answer).rstrip("/")
    try:
        _check_odoo(answer)
    except OdooError:
        parts = urlsplit(answer)
        host = f"{parts.scheme}://{parts.netloc}"
        if host == answer or not _has_odoo(host):
            raise
        raise ConfigurationError(
            f"{answer} redirects to {host}. Enter that address.", suggestion=f"Enter {host}"
        ) from None
    return answer


def _has_odoo(url: str) -> bool:
    try:
        _check_odoo(url)
    except OdooError:
        return False
    return True


def _check_odoo(url: str) -> None:
    """See that an Odoo answers.

    Raises:
        OdooError: it does not.
    """
    http = Http(_where(url))
    try:
        detect_version(http)
    finally:
        http.close()


def _check_scheme(name: str, answer: str) -> None:
    if not answer or "://" in answer:
        return
    # Neither this machine nor Odoo's own port has a certificate, as a rule.
    host, _, port = answer.partition("/")[0].rpartition(":")
    scheme = "http" if port == "8069" or is_loopback(host or port) else "https"
    raise configuration_error([f"{name} must begin with https:// or http://: {scheme}://{answer}"])


def _listed(url: str) -> list[str]:
    """Return the databases that an Odoo tells of."""
    http = Http(_where(url))
    try:
        return listed_databases(http) or []
    finally:
        http.close()


def _database(there: list[str], answer: str) -> str:
    """Return the name of a database, the only one if there is no answer; Odoo need not tell any."""
    if len(there) == 1:
        answer = answer or there[0]
    if there and answer not in there:
        raise ConfigurationError(
            f"Odoo has no database {answer!r} there.", suggestion=f"It has: {', '.join(there)}."
        )
    return _given("The database is missing.", answer)


def _given(missing: str, answer: str) -> str:
    """Return an answer, which must not be empty."""
    if not answer:
        raise ConfigurationError(missing, suggestion="Enter it.")
    return answer


def _address(answer: str) -> dict[str, Any]:
    """Return where the server is reached, and listens if that is on this machine."""
    _check_scheme("public_url", answer)
    public = (answer or "http://127.0.0.1:8080").rstrip("/")
    parts = urlsplit(public)
    if parts.scheme == "http" and is_loopback(parts.hostname):
        # Nothing stands before it, so that it is the port at which it listens.
        return {"public_url": public, "port": parts.port or 80}
    return {"public_url": public}


def _document(content: dict[str, Any]) -> str:
    """Return a file's text."""
    document = tomlkit.document()
    document.add(
        tomlkit.comment(
            "Settings: docs/team-rules.md. Only the server should be able to read this file."
        )
    )
    for name in ("public_url", "port", "operator_password"):
        if name in content:
            document[name] = content[name]
    instances = tomlkit.table(is_super_table=True)
    for name, values in content["instances"].items():
        instance = tomlkit.table()
        instance.update(values)
        instances.add(name, instance)
    document["instances"] = instances
    return tomlkit.dumps(document)


@contextlib.contextmanager
def _new_file(path: Path, *, instead: bool = False) -> Iterator[Callable[[str], None]]:
    """Make a file that only its owner reads; it is removed again if nothing comes of it.

    Args:
        path: of the file.
        instead: it takes the place of one that is there, when it is written.

    Raises:
        ConfigurationError: it cannot be made.
    """
    made = path.with_name(f"{path.name}.new") if instead else path
    try:
        descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            if instead and os.name != "nt":
                before = path.stat()
                os.fchown(descriptor, before.st_uid, before.st_gid)
                os.fchmod(descriptor, before.st_mode & 0o777)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                yield lambda text: print(text, end="", file=file)
            os.replace(made, path)
        except BaseException:
            made.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ConfigurationError(
            f"The command cannot write {made}: {error.strerror or error}.",
            suggestion="Pass another file.",
        ) from error


def _tell_of_key(dialog: _Dialog, made: UserKey) -> None:
    if made.warning:
        dialog.say(made.warning)
    if made.expires:
        dialog.say(
            f"The server's own API key expires on {made.expires:%Y-%m-%d}. Before that date, run"
            f" serve --renew. Or create another key in Odoo as {made.owner.login}, and set api_key"
            " in the file."
        )


@attrs.frozen
class _Dialog:
    """Asks, and asks again.

    Attributes:
        say: tells the person something.
        ask, ask_secretly: return what the person answers.
        patient: whether a question whose answer is wrong is asked again.
    """

    say: Say
    ask: Ask
    ask_secretly: Ask
    patient: bool

    def until_right(self, question: str, read: Callable[[str], T], secretly: bool = False) -> T:
        """Return what is read of an answer, which ``secretly`` does not show on the screen."""

        def answer() -> str:
            return self.ask_secretly(question) if secretly else self.ask(question).strip()

        return self.until_taken(lambda: read(answer()))

    def until_taken(self, ask: Callable[[], T]) -> T:
        """Return what ``ask`` does: it asks, and raises where an answer is wrong."""
        while True:
            try:
                return ask()
            except OdooError as error:
                if not self.patient:
                    raise
                self.complain(error)

    def complain(self, error: OdooError) -> None:
        """Say what is wrong with an answer."""
        problems = error.details.get("problems")
        told = problems or [f"{error.message} {error.suggestion or ''}".strip()]
        self.say(setting_names("\n".join(told)))
