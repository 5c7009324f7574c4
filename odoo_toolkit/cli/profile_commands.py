"""``odoo-toolkit profiles``: list, show, add, remove."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from odoo_toolkit.cli import keys
from odoo_toolkit.cli import profiles as file
from odoo_toolkit.cli.connecting import complete_profile
from odoo_toolkit.cli.output import Form, form_options, print_rows, print_value, say
from odoo_toolkit.errors import ConfigurationError

_SHOWN = ("url", "database", "username", "mode")


@click.group(help="List, show, add and remove profiles.")
def profiles() -> None:
    """Profiles are sections of one file; see docs/cli.md."""


@profiles.command("list")
@form_options()
def list_(form: Form) -> None:
    """Print the profiles."""
    found = file.read_profiles()
    if not found:
        say(f"There are no profiles in {file.profiles_file()}.")
    rows = [
        {
            "profile": name,
            **{key: values.get(key) for key in _SHOWN},
            "mode": values.get("mode") or file.MODES[0],
        }
        for name, values in sorted(found.items())
    ]
    print_rows(rows, form=form)


@profiles.command()
@click.argument("name", shell_complete=complete_profile)
@click.option("--json", "form", flag_value="json", default=None, help="Print one JSON document.")
def show(name: str, form: Form) -> None:
    """Print a profile, without its keys, and where the key is."""
    values = file.profile(name)
    shown: dict[str, Any] = {
        "profile": name,
        "file": str(file.profiles_file()),
        **{key: "***" if key in keys.KEYS else text for key, text in values.items()},
    }
    shown.setdefault("mode", file.MODES[0])
    if not any(key in values for key in keys.KEYS):
        shown[keys.KEY] = values.get(keys.KEY, "environment")
    if form is None and sys.stdout.isatty():
        print_rows([{"setting": key, "value": text} for key, text in shown.items()], form="table")
    else:
        print_value(shown, form)


@profiles.command()
@click.argument("name")
@click.option("--url", required=True, help="Address of Odoo, such as https://example.odoo.com.")
@click.option("--database", help="Name of the database. Required if the server has several.")
@click.option("--username", help="Login of the Odoo user.")
@click.option(
    "--mode", type=click.Choice(file.MODES), help="Mode of the connection. Default: readonly."
)
@click.option(
    "--set",
    "more",
    multiple=True,
    metavar="SETTING=VALUE",
    help="Another setting, such as lang=fr_FR or write_allowlist=res.partner. You can repeat the"
    " option.",
)
@click.option(
    "--key",
    "where",
    type=click.Choice(["environment", "keyring", "file"]),
    default="environment",
    help="Where the key is stored. For keyring and file, the command asks for the key or reads it"
    " from standard input.",
)
@click.option("--password", is_flag=True, help="The key is a password, not an API key.")
@click.option("--replace", is_flag=True, help="Replace an existing profile with this name.")
def add(
    name: str,
    url: str,
    database: str | None,
    username: str | None,
    mode: str | None,
    more: tuple[str, ...],
    where: str,
    password: bool,
    replace: bool,
) -> None:
    """Add a profile."""
    given = {"url": url, "database": database, "username": username, "mode": mode}
    values = {key: text for key, text in given.items() if text}
    for pair in more:
        setting, equals, text = pair.partition("=")
        if not equals or setting not in file.KNOWN or setting in (*keys.KEYS, keys.KEY):
            raise click.BadParameter(f"A profile has no setting {setting}.", param_hint="--set")
        values[setting] = text
    kind = "password" if password else "api_key"
    # Checked as it will be used, before anything is kept.
    file.check_profile(name, {**values, kind: "as it will be"})
    if name in file.read_profiles() and not replace:
        raise ConfigurationError(
            f"A profile {name!r} already exists.", suggestion="To replace it, pass --replace."
        )
    if where != "environment":
        secret = _asked("Password" if password else "API key")
        if where == "keyring":
            keys.keep_in_keyring(name, kind, secret)
            values[keys.KEY] = "keyring"
        else:
            values[kind] = secret
    try:
        file.save_profile(name, values, replace=replace)
    except OSError:
        if where == "keyring":
            say("The key is in the keyring, but the profile was not written.")
        raise
    say(f"The profile {name} is in {file.profiles_file()}.")


@profiles.command()
@click.argument("name", shell_complete=complete_profile)
def remove(name: str) -> None:
    """Remove a profile, and its key from the keyring."""
    values = file.profile(name)
    if values.get(keys.KEY) == "keyring":
        keys.forget_in_keyring(name)
    file.delete_profile(name)
    say(f"Removed the profile {name} from {file.profiles_file()}.")


def _asked(what: str) -> str:
    """Ask for a key, unseen; without a terminal it is the first line of standard input."""
    if sys.stdin.isatty():
        return str(click.prompt(what, hide_input=True, err=True))
    line = sys.stdin.readline().rstrip(os.linesep + "\r\n")
    if not line:
        raise click.UsageError(f"Standard input contains no {what.lower()}.")
    return line
