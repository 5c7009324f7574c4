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

from odoo_toolkit.configuration import configuration_error
from odoo_toolkit.errors import ConfigurationError, OdooError
from odoo_toolkit_mcp.logs import log_to_stderr

if TYPE_CHECKING:
    from odoo_toolkit_mcp.accounts.team import Instance, Team

#: Exit status of wrong settings, as argparse uses it for wrong arguments, and of a failed check.
WRONG_SETTINGS, FAILED = 2, 1


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
        from odoo_toolkit_mcp.accounts.team import read_team

        team = read_team(path)
        if problem := _other_way(options.auth, team):
            raise configuration_error([problem])
        if options.check:
            return _check(team)
        if options.reseal:
            return _reseal(team)
        return _serve(team)
    except ConfigurationError as error:
        problems = error.details.get("problems") or [f"{error.message} {error.suggestion or ''}"]
        _say(f"odoo-toolkit-mcp serve {path}:", *(f"  - {problem}" for problem in problems))
        return WRONG_SETTINGS
    except OdooError as error:
        _say(f"{error.message} {error.suggestion or ''}")
        return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="odoo-toolkit-mcp serve",
        description="Serves a team over HTTP: people sign in with their Odoo user.",
    )
    parser.add_argument(
        "file",
        nargs="?",
        default=os.environ.get("ODOO_MCP_TEAM", "team.toml"),
        help="the team's file, team.toml by default",
    )
    parser.add_argument(
        "--auth",
        choices=["local", "issuer"],
        help="how people are meant to sign in: with Odoo on pages of this server, or at the issuer"
        " that the file names. The file decides; the server does not start where it says otherwise",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--init", action="store_true", help="ask five questions, and write and check the file"
    )
    what.add_argument(
        "--check", action="store_true", help="check the file, the store and each Odoo; then end"
    )
    what.add_argument(
        "--reseal", action="store_true", help="seal everything with the first secret key; then end"
    )
    what.add_argument(
        "--hash-password",
        action="store_true",
        help="ask for the operator's password, and print what to write into the file",
    )
    return parser


def _other_way(auth: str | None, team: Team) -> str | None:
    """Return how people sign in, where that is another way than the command line says."""
    if auth == "local" and team.issuer:
        return f"--auth local: the file has [issuer], so that people sign in at {team.issuer.url}."
    if auth == "issuer" and not team.issuer:
        return "--auth issuer: the file has no [issuer], so that people sign in with Odoo here."
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


def _check(team: Team) -> int:
    """Look at the store, the keys, and each Odoo as the server's own user there."""
    from odoo_toolkit_mcp.accounts.app import TeamServer
    from odoo_toolkit_mcp.http.authentication import SigningKeys

    TeamServer(team)
    _say(f"The store {team.store} and its keys can be used.")
    failed = False
    for instance in team.instances.values():
        for problem in _problems_with_odoo(instance):
            failed = True
            _say(f"{instance.title}: {problem}")
    if team.issuer:
        try:
            count = len(SigningKeys(team.issuer.jwks_url, issuer=team.issuer.url).read())
            _say(f"The issuer {team.issuer.url} has {count} keys for signing tokens.")
        except OdooError as error:
            failed = True
            _say(error.message)
    if not team.operator_password:
        _say("There is no operator's page: operator_password is not set.")
    if team.issuer:
        _say(f"People sign in at {team.issuer.url}, and give a key at {team.public_url}/me.")
    for address in team.addresses:
        of = team.instances[address.instance].title if address.instance else "any database"
        _say(f"The address for assistants, {of}: {address.url}")
    return FAILED if failed else 0


def _problems_with_odoo(instance: Instance) -> Iterator[str]:
    """Yield what is wrong with an instance and its Odoo; what is right is said."""
    from odoo_toolkit.client import Odoo
    from odoo_toolkit_mcp.accounts.policy_checks import (
        journal_problem,
        unknown_groups,
        unused_plugins,
    )

    yield from unused_plugins(instance)
    if problem := journal_problem(instance):
        yield problem
    try:
        with Odoo(instance.connection) as odoo:
            odoo.connect()
            _say(f"{instance.title}: Odoo {odoo.version.full} knows {odoo.settings.username}.")
            if unknown := unknown_groups(instance, odoo):
                yield (
                    f"Odoo has no group {', '.join(unknown)}, so that no rule with it fits anybody."
                    " Correct the name; developer mode shows it on the group's form."
                )
    except OdooError as error:
        yield f"{error.message} {error.suggestion or ''}".strip()


def _reseal(team: Team) -> int:
    from odoo_toolkit_mcp.accounts.app import TeamServer

    count = TeamServer(team).provider.reseal()
    _say(f"{count} secrets are sealed with the first key now. The others can be removed.")
    return 0


def _hash_password() -> int:
    from odoo_toolkit_mcp.accounts.passwords import hash_password

    try:
        hashed = hash_password(getpass.getpass("The operator's password: "))
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
        f"The operator's page is {team.public_url}/admin, its password:"
        f" {written.operator_password}",
        "(only its hash is in the file: write it down now).",
    )
    status = _check(team)
    if team.public_url.startswith("https:"):
        _say(
            f"A proxy with TLS has to pass {team.public_url} on to"
            f" http://{team.server.host}:{team.server.port}: docs/operating.md has files for it."
        )
    _say(f"Start it with: odoo-toolkit-mcp serve {path}")
    return status


def _say(*lines: str) -> None:
    for line in lines:
        print(line, file=sys.stderr)  # noqa: T201
