"""``odoo-toolkit-mcp serve``: serves a team, and looks after its file and its store."""

from __future__ import annotations

import argparse
import contextlib
import getpass
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import tomlkit

from odoo_toolkit.configuration import configuration_error
from odoo_toolkit.errors import ConfigurationError, OdooError
from odoo_toolkit_mcp.accounts.wording import in_the_file, setting_names
from odoo_toolkit_mcp.logs import log_to_stderr

if TYPE_CHECKING:
    from odoo_toolkit_mcp.accounts.team import Instance, Team

#: Exit status of wrong settings, as argparse uses it for wrong arguments, and of a failed check.
WRONG_SETTINGS, FAILED = 2, 1

#: Errors of what the settings name, and that may be there again: whoever starts the server is to
#: try again, which is not so with wrong settings.
_AWAY = ("STORE_ERROR", "HISTORY_ERROR")


def main(words: Sequence[str]) -> int:
    """Run the command and return its exit status.

    Args:
        words: of the command line, after ``serve``.
    """
    options = _parser().parse_args(words)
    path = Path(options.file)
    try:
        if options.hash_password:
            return _hash_password()
        if options.init:
            return _init(path)
        if options.add or options.renew:
            from odoo_toolkit_mcp.accounts.first_file import add_database, renew_key

            change = add_database if options.add else renew_key
            change(path, options.add or options.renew, _say)
            return 0
        from odoo_toolkit_mcp.accounts.team import read_team

        team = read_team(path)
        if problem := _other_way(options.auth, team):
            raise configuration_error([problem])
        if options.check:
            return _check(team, path)
        if options.rotate_keys:
            return _rotate_keys(team)
        return _serve(team)
    except ConfigurationError as error:
        told = in_the_file(error)
        if error.code in _AWAY:
            _say(told)
            return FAILED
        problems = [*map(setting_names, error.details.get("problems") or [told])]
        if options.init:  # what is wrong are the answers, and not a file
            _say(*problems)
        else:
            _say(f"{path}:", *(f"  - {problem}" for problem in problems))
        return WRONG_SETTINGS
    except OdooError as error:
        _say(in_the_file(error))
        return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="odoo-toolkit-mcp serve",
        description="Serve a team over HTTP. Each user signs in with an Odoo login.",
    )
    parser.add_argument(
        "file",
        nargs="?",
        default=os.environ.get("ODOO_MCP_TEAM", "team.toml"),
        help="the settings file. Default: team.toml",
    )
    parser.add_argument(
        "--auth",
        choices=["local", "issuer"],
        help="stop if the settings file has another sign-in: local is on this server's pages with"
        " Odoo, issuer is at the identity provider in [issuer]",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--init", action="store_true", help="ask five questions, then write and check the file"
    )
    what.add_argument(
        "--add",
        metavar="NAME",
        help="ask for another database, and add it to the file as [instances.NAME]",
    )
    what.add_argument(
        "--renew",
        metavar="NAME",
        help="create another API key for the server's own user, and write it to [instances.NAME]",
    )
    what.add_argument(
        "--check",
        action="store_true",
        help="check the file, the database, each Odoo and the public address, then exit",
    )
    what.add_argument(
        "--rotate-keys", action="store_true", help="encrypt all data with the first key, then exit"
    )
    what.add_argument(
        "--hash-password",
        action="store_true",
        help="ask for the password of /admin, and print the line for the file",
    )
    return parser


def _other_way(auth: str | None, team: Team) -> str | None:
    """Return how people sign in, where that is another way than the command line says."""
    if auth == "local" and team.issuer:
        return f"--auth local: the file has [issuer], so users sign in at {team.issuer.url}."
    if auth == "issuer" and not team.issuer:
        return "--auth issuer: the file has no [issuer], so users sign in with Odoo on this server."
    return None


def _serve(team: Team) -> int:
    import anyio

    from odoo_toolkit_mcp.accounts.app import serve

    secrets_of_team = [*team.secret_keys, team.server.metrics_token]
    for instance in team.instances.values():
        secrets_of_team += [instance.connection.password, instance.connection.api_key]
    log_to_stderr(team.server.log_level, team.server.log_format, secrets_of_team)
    with contextlib.suppress(KeyboardInterrupt):
        anyio.run(serve, team)
    # All calls have ended; only a thread that still tries to reach Odoo would hold up the exit.
    logging.shutdown()
    os._exit(0)


def _check(team: Team, path: Path, *, started: bool = True) -> int:
    """Look at the store, the keys, each Odoo and the public address; make nothing.

    Args:
        team: the settings.
        path: of their file.
        started: whether a server may answer at the public address.
    """
    from odoo_toolkit_mcp.accounts import public_address
    from odoo_toolkit_mcp.accounts.policy_checks import doubtful_rules

    status = max(_report(_problems_with_rules(team)), _report(_problems_with_files(team)))
    if told := _readable_secret(path):
        _say(told)
    for instance in team.instances.values():
        for doubt in doubtful_rules(instance):
            _say(f"{instance.title}: Warning: {doubt}")
        for problems in (_problems_with_history, _problems_with_odoo):
            status = max(status, _report(problems(instance), f"{instance.title}: "))
    status = max(status, _report(_problems_with_issuer(team)))
    for finding in public_address.public_findings(team) if started else ():
        if finding.level == "problem":
            status = max(status, FAILED)
        _say(f"{'Warning: ' * (finding.level == 'warning')}{finding.text}")
    if not team.operator_password:
        _say("The admin page is off. To turn it on, set operator_password.")
    if team.issuer:
        _say(f"Users sign in at {team.issuer.url}, and create a key at {team.public_url}/me.")
    for address in team.addresses:
        of = team.instances[address.instance].title if address.instance else "any database"
        if address.list:
            of = f"{of}, list {address.list}"
        elif len(team.instances) == 1 and address.path != team.server.path:
            # The common one is for the same database as long as there is no other.
            of = f"{of} also when other databases are added"
        _say(f"Address for assistants, {of}: {address.url}")
    return status


def _report(problems: Iterator[str], title: str = "") -> int:
    """Say what is wrong, all of it, and return the exit status that follows."""
    status = 0
    try:
        for problem in problems:
            status = FAILED
            _say(f"{title}{problem}")
    except OdooError as error:
        wrong = isinstance(error, ConfigurationError) and error.code not in _AWAY
        status = WRONG_SETTINGS if wrong else FAILED
        for problem in error.details.get("problems") or [in_the_file(error)]:
            _say(f"{title}{setting_names(problem)}")
    return status


def _problems_with_rules(team: Team) -> Iterator[str]:
    """Raise what is wrong with the rules."""
    from odoo_toolkit_mcp.accounts.policy_checks import check_rules

    check_rules(team)
    yield from ()


def _problems_with_issuer(team: Team) -> Iterator[str]:
    """Yield why the keys of an issuer cannot be read; say how many there are."""
    from odoo_toolkit_mcp.http.authentication import SigningKeys

    if not team.issuer:
        return
    try:
        count = len(SigningKeys(team.issuer.jwks_url, issuer=team.issuer.url).read())
        _say(f"The issuer {team.issuer.url} has {count} keys for signing tokens.")
    except OdooError as error:
        yield error.message


def _problems_with_files(team: Team) -> Iterator[str]:
    """Yield what is wrong with the store and the file of keys; what is right is said.

    Nothing is made or changed: whoever checks may be another user, or have a newer version, than
    the server that runs.
    """
    from odoo_toolkit.databases import database_of
    from odoo_toolkit_mcp.accounts.provider import Provider
    from odoo_toolkit_mcp.accounts.store import FORM, holds_secrets
    from odoo_toolkit_mcp.accounts.vault import Vault, keys_of_file

    keys = team.secret_key_file
    without_keys = keys is not None and not keys.exists()
    store = database_of(team.store, attrs.evolve(FORM, left=True))
    with contextlib.closing(store):
        sealed = store.exists() and holds_secrets(store)
    if "://" in team.store or Path(team.store).exists():
        _say(f"The server can use the database {store.name}.")
    else:
        yield from _made_later(f"The database {team.store}", Path(team.store))
    if keys and without_keys and (team.secret_keys or not sealed):
        yield from _made_later(f"The file of encryption keys {keys}", keys)
        return
    kept = keys_of_file(keys, make=False) if keys else []
    vault = Vault([*(key.reveal() for key in team.secret_keys), *kept])
    if sealed:
        with contextlib.closing(store):
            Provider(team, store, vault).check_keys()
    _say("The encryption keys are valid.")


def _made_later(what: str, path: Path) -> Iterator[str]:
    """Say that a file will be made, or yield why it cannot be."""
    folder = path.absolute().parent
    while not folder.exists():
        folder = folder.parent
    if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
        _say(f"{what} does not exist yet. The first start creates it.")
    else:
        yield (
            f"{what} does not exist, and the server cannot create it because it cannot write to"
            f" {folder}. Choose another path, or allow the server to write there."
        )


def _readable_secret(path: Path) -> str | None:
    """Return a warning where others can read a file that has a secret in it."""
    if os.name == "nt" or not path.stat().st_mode & 0o077:
        return None
    content = tomlkit.parse(path.read_text(encoding="utf-8")).unwrap()
    kept = [
        name
        for table in content["instances"].values()
        for name in ("api_key", "password")
        if not str(table.get(name, "env:")).startswith("env:")
    ]
    if not kept:
        return None
    return (
        f"Warning: other users of this machine can read {path}, which contains {kept[0]}. Run:"
        f" chmod 600 {path}"
    )


def _problems_with_odoo(instance: Instance) -> Iterator[str]:
    """Yield what is wrong with an instance and its Odoo; what is right is said."""
    from odoo_toolkit.doctor.policy_names import unknown_names
    from odoo_toolkit_mcp.accounts.policy_checks import (
        unknown_approvers,
        unknown_groups,
        unused_plugins,
    )
    from odoo_toolkit_mcp.accounts.service_accounts import (
        as_own_user,
        end_in_words,
        ends_of_keys,
        refusal_in_words,
    )
    from odoo_toolkit_mcp.settings import policy_of

    yield from unused_plugins(instance)
    try:
        with as_own_user(instance) as odoo:
            _say(f"{instance.title}: Odoo {odoo.version.full} knows {odoo.settings.username}.")
            # Odoo need not tell either of them to a user with few rights.
            with contextlib.suppress(OdooError):
                if told := end_in_words(instance, ends_of_keys(odoo)):
                    _say(f"{instance.title}: {told}")
            for told in unknown_names(odoo, [policy_of(rule.settings) for rule in instance.rules]):
                _say(f"{instance.title}: Warning: {told}")
            if unknown := unknown_groups(instance, odoo):
                yield (
                    f"Odoo has no group {', '.join(unknown)}, so the rules with this group match no"
                    " user. Correct the name. In developer mode, Odoo shows it on the group's form."
                )
            if unknown := unknown_approvers(instance, odoo):
                yield (
                    f"Odoo shows {odoo.settings.username} no active user {', '.join(unknown)}, so"
                    " this approver cannot decide. Correct approvers, or create the user."
                )
    except OdooError as error:
        yield refusal_in_words(instance, error)


def _problems_with_history(instance: Instance) -> Iterator[str]:
    """Yield why the change history of an instance cannot be used; say where it is."""
    from odoo_toolkit.change_history.places import AUTO, OFF, usual_file
    from odoo_toolkit_mcp.accounts.policy_checks import history_problem, off_history

    place = instance.connection.history
    if place == OFF:
        _say(f"{instance.title}: The change history is off, so users can't undo changes.")
        if told := off_history(instance):
            _say(f"{instance.title}: Warning: {told}")
        return
    if place in (None, AUTO):
        place = str(usual_file(instance.connection.url))
    what = f"{instance.title}: The change history {_without_password(place)}"
    if "://" not in place and not Path(place).exists():
        yield from _made_later(what, Path(place))
    elif problem := history_problem(place):
        yield problem
    else:
        _say(f"{what} can be used.")


def _without_password(place: str) -> str:
    scheme, there, rest = place.partition("://")
    return f"{scheme}{there}{rest.rpartition('@')[2]}" if there else place


def _rotate_keys(team: Team) -> int:
    from odoo_toolkit_mcp.accounts.app import TeamServer

    count = TeamServer(team).provider.rotate_keys()
    _say(f"{count} secrets are now encrypted with the first key. You can remove the other keys.")
    return 0


def _hash_password() -> int:
    from odoo_toolkit_mcp.accounts.passwords import hash_password

    try:
        password = getpass.getpass("Password of the admin page: ")
        if getpass.getpass("Repeat it: ") != password:
            raise ValueError("The passwords differ. Start again.")
        hashed = hash_password(password)
    except EOFError:
        _say("Enter the password twice, on two lines.")
        return WRONG_SETTINGS
    except ValueError as error:
        _say(str(error))
        return WRONG_SETTINGS
    print(f'operator_password = "{hashed}"')  # noqa: T201
    return 0


def _init(path: Path) -> int:
    """Ask what the file needs, write it, check it, and print the address."""
    from odoo_toolkit_mcp.accounts.first_file import write_first_file

    written = write_first_file(path, _say)
    team = written.team
    # Before the check: it is the only time that it is told.
    _say(
        f"The admin page is {team.public_url}/admin. Its password: {written.operator_password}",
        "Write it down now. The file contains only its hash.",
    )
    status = _check(team, path, started=False)
    if team.public_url.startswith("https:"):
        _say(
            f"Set up a proxy with TLS that forwards {team.public_url} to"
            f" http://{team.server.host}:{team.server.port}. See docs/operating.md."
        )
    _say(
        f"Start it with: odoo-toolkit-mcp serve {path}",
        f"Then check how assistants reach it: odoo-toolkit-mcp serve --check {path}",
    )
    return status


def _say(*lines: str) -> None:
    for line in lines:
        print(line, file=sys.stderr)  # noqa: T201
