"""``odoo-toolkit-mcp config CLIENT``: prints what tells a client of the server, or writes it."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from odoo_toolkit.configuration import load, read_file, unknown_keys
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.errors import ConfigurationError
from odoo_toolkit_mcp.client_files import CREDENTIALS, Format, NotWrittenError, add_server
from odoo_toolkit_mcp.remote_entry import HEADERS, endpoint, question_id, remote_entry
from odoo_toolkit_mcp.settings import USERNAME_HEADER, ServerSettings

#: Exit status of a file that could not be written, and of wrong settings.
NOT_WRITTEN = 1
WRONG_SETTINGS = 2

#: Where a file is: the variable that names a folder, that folder without it, the file below it.
Place = tuple[str, str, str]


@attrs.frozen
class Client:
    """An MCP client, and how its configuration file names a server.

    Attributes:
        title: what people call it.
        places: its file by ``sys.platform``; an empty key stands for all others.
        section: the key of the object that holds the servers.
        form: what the file holds.
        typed: a server says that it speaks over standard input and output.
        asks: the client asks the person for a key and keeps it safe.
    """

    title: str
    places: Mapping[str, Place]
    section: str = "mcpServers"
    form: Format = "json"
    typed: bool = False
    asks: bool = False


def _application_data(file: str) -> dict[str, Place]:
    return {
        "darwin": ("", "~/Library/Application Support", file),
        "win32": ("APPDATA", "~/AppData/Roaming", file),
        "": ("XDG_CONFIG_HOME", "~/.config", file),
    }


#: The clients, as their documentation of 2026 describes their files.
CLIENTS: Mapping[str, Client] = {
    "claude-desktop": Client(
        "Claude Desktop", _application_data("Claude/claude_desktop_config.json")
    ),
    "claude-code": Client(
        "Claude Code", {"": ("CLAUDE_CONFIG_DIR", "~", ".claude.json")}, typed=True
    ),
    "cursor": Client("Cursor", {"": ("", "~", ".cursor/mcp.json")}),
    "vscode": Client(
        "VS Code",
        _application_data("Code/User/mcp.json"),
        section="servers",
        typed=True,
        asks=True,
    ),
    "codex": Client(
        "Codex",
        {"": ("CODEX_HOME", "~/.codex", "config.toml")},
        section="mcp_servers",
        form="toml",
    ),
    "gemini": Client("Gemini CLI", {"": ("", "~", ".gemini/settings.json")}),
}

#: Settings of a server that is reached over HTTP, while a client starts a server of its own.
_NOT_FOR_CLIENTS = ("ODOO_MCP_TRANSPORT", "ODOO_MCP_HOST", "ODOO_MCP_PORT")

#: Settings that name files: a client starts the server in a folder of its own.
_PATHS = ("ODOO_CA_CERT", "ODOO_MCP_AUDIT_FILE", "ODOO_MCP_DOWNLOAD_DIR")

#: What has to be known, with what stands in for it until a person fills it in.
_STAND_INS = {
    "ODOO_URL": "https://example.odoo.com",
    "ODOO_USERNAME": "YOUR_LOGIN",
    "ODOO_PASSWORD": "YOUR_PASSWORD",
    "ODOO_API_KEY": "YOUR_API_KEY",
}


def main(arguments: Sequence[str]) -> int:
    """Run ``odoo-toolkit-mcp config`` and return its exit status.

    Args:
        arguments: those after ``config``.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    client, place = CLIENTS[options.client], "env"
    if options.url:
        if options.with_secrets or options.config:
            parser.error("--url is for a server elsewhere, which has settings of its own")
        headers = list(dict.fromkeys(options.header))
        remote = remote_entry(options.client, options.url, headers, asks=client.asks)
        entry, to_fill_in, place = remote.entry, remote.to_fill_in, remote.place
        questions = _header_questions(headers, client)
    elif options.header:
        parser.error("--header goes with --url")
    else:
        config = options.config or os.environ.get("ODOO_MCP_CONFIG")
        try:
            entry, to_fill_in = server_entry(
                client, os.environ, config=config, with_secrets=options.with_secrets
            )
        except ConfigurationError as error:
            problems = [f"  - {one}" for one in error.details["problems"]]
            _say("The server cannot start with these settings:", *problems)
            return WRONG_SETTINGS
        questions = _questions(to_fill_in, client)
    pasted = shown(options.client, options.name, entry, to_fill_in, questions, place)
    path = Path(options.file).expanduser() if options.file else client_file(client)
    if not options.write:
        print(pasted)  # noqa: T201
        where = "Run it" if options.client == "claude-code" else f"Paste it into {path}"
        _say(f"{where}, or let --write do it.", *_still_to_do(to_fill_in, client))
        return 0
    try:
        merged, backup = add_server(
            path,
            client.form,
            client.section,
            options.name,
            entry,
            to_fill_in=to_fill_in,
            inputs=questions,
            place=place,
        )
    except NotWrittenError as error:
        _say(str(error))
        print(pasted)  # noqa: T201
        return NOT_WRITTEN
    before = f" The previous content is in {backup}." if backup else ""
    _say(f"{path} has the server {options.name!r}.{before} Restart {client.title} to use it.")
    left = {
        name: to_fill_in[name] for name in to_fill_in if merged[place].get(name) == to_fill_in[name]
    }
    _say(*_still_to_do(left, client))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="odoo-toolkit-mcp config",
        description="Print the settings with which an MCP client starts this server. They include"
        " the ODOO_* variables of your environment. You fill in the password or API key.",
    )
    parser.add_argument("client", choices=list(CLIENTS))
    parser.add_argument(
        "--write",
        action="store_true",
        help="put it into the client's own file, keeping what is there",
    )
    parser.add_argument(
        "--name", type=_name, default="odoo", help="name of the server, odoo by default"
    )
    parser.add_argument("--file", help="the client's file, where it is not the usual one")
    parser.add_argument(
        "--with-secrets",
        action="store_true",
        help="fill in the password and API key of the environment, too",
    )
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="JSON file that the server shall read its settings from",
    )
    parser.add_argument(
        "--url",
        type=endpoint,
        help="address of a server that runs elsewhere. The command then writes no ODOO_* settings",
    )
    parser.add_argument(
        "--header",
        action="append",
        default=[],
        choices=list(HEADERS),
        help="what that server asks for, to be filled in; several are possible",
    )
    return parser


def _name(text: str) -> str:
    """A name that all clients accept."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", text):
        raise argparse.ArgumentTypeError(f"{text!r} has more than letters, digits, - and _")
    return text


def server_entry(
    client: Client,
    environ: Mapping[str, str],
    *,
    config: str | None = None,
    with_secrets: bool = False,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return how a client starts the server.

    Args:
        client: one of :data:`CLIENTS`.
        environ: as ``os.environ``.
        config: the settings file that the server shall read.
        with_secrets: password and API key of the environment stand in the result.

    Returns:
        The server, and the variables that a person, or the client, has to fill in, with what stands
        in for them.

    Raises:
        ConfigurationError: the server would not start with these settings.
    """
    command = server_command()
    file: Mapping[str, Any] = {}
    if config:
        file = read_file(config)
        command = [*command, "--config", os.path.abspath(config)]
    env: dict[str, str] = {}
    to_fill_in: dict[str, str] = {}
    for cls in (ConnectionSettings, ServerSettings):
        for field in attrs.fields(cls):
            variable, value = field.metadata["env"], environ.get(field.metadata["env"])
            secret = field.metadata["secret"]
            # What else is secret guards an HTTP server.
            if (
                not value
                or variable in _NOT_FOR_CLIENTS
                or (secret and variable not in CREDENTIALS)
            ):
                continue
            if secret and not with_secrets:
                to_fill_in[variable] = _stand_in(variable, client)
            else:
                env[variable] = _absolute(value) if variable in _PATHS else value
    known = {*env, *to_fill_in, *(key.upper() for key in file)}
    missing = [name for name in ("ODOO_URL", "ODOO_USERNAME") if name not in known]
    if known.isdisjoint(CREDENTIALS):
        missing.append("ODOO_API_KEY")
    to_fill_in |= {variable: _stand_in(variable, client) for variable in missing}
    # What a client asks for later has not the form of a value yet.
    _check(env | {variable: _STAND_INS[variable] for variable in to_fill_in}, file)
    entry: dict[str, Any] = {"type": "stdio"} if client.typed else {}
    entry |= {"command": command[0], "args": command[1:], "env": env}
    return entry, to_fill_in


def _stand_in(variable: str, client: Client) -> str:
    if client.asks and variable in CREDENTIALS:
        return f"${{input:{variable.lower()}}}"
    return _STAND_INS[variable]


def _absolute(path: str) -> str:
    return os.path.abspath(Path(path).expanduser())


def _check(env: Mapping[str, str], file: Mapping[str, Any]) -> None:
    """Raise ConfigurationError if the server would not start with these settings."""
    problems = unknown_keys(file, [ConnectionSettings, ServerSettings])
    for cls in (ConnectionSettings, ServerSettings):
        problems += load(cls, environ=env, file=file)[1]
    if problems:
        raise ConfigurationError("The settings are not valid.", details={"problems": problems})


def server_command() -> list[str]:
    """Return the command that starts this server, with its full path."""
    beside = shutil.which("odoo-toolkit-mcp", path=os.path.dirname(sys.executable))
    started = shutil.which(sys.argv[0]) if "odoo-toolkit-mcp" in Path(sys.argv[0]).name else None
    found = beside or started
    if found:
        return [os.path.abspath(found)]
    return [sys.executable, "-m", "odoo_toolkit_mcp"]


def client_file(client: Client) -> Path:
    """Return where a client keeps its configuration on this machine."""
    variable, folder, file = client.places.get(sys.platform) or client.places[""]
    return Path(os.environ.get(variable) or folder).expanduser() / file


def shown(
    client_name: str,
    name: str,
    entry: Mapping[str, Any],
    to_fill_in: Mapping[str, str],
    questions: list[dict[str, Any]],
    place: str = "env",
) -> str:
    """Return what a person pastes: JSON, TOML, or for Claude Code a command line."""
    client = CLIENTS[client_name]
    server = {**entry, place: {**entry[place], **to_fill_in}}
    if client_name == "claude-code" and "url" in server:
        headers = [word for pair in to_fill_in.items() for word in ("--header", ": ".join(pair))]
        words = ["claude", "mcp", "add", "--transport", "http", name, server["url"]]
        return _command_line([*words, "--scope", "user", *headers])
    if client_name == "claude-code":
        settings = [word for pair in server["env"].items() for word in ("--env", "=".join(pair))]
        words = ["claude", "mcp", "add", name, "--scope", "user", *settings, "--"]
        words += [server["command"], *server["args"]]
        return _command_line(words)
    document: dict[str, Any] = {client.section: {name: server}}
    if questions:
        document["inputs"] = questions
    if client.form == "toml":
        import tomlkit

        return tomlkit.dumps(document).rstrip()
    return json.dumps(document, indent=2, ensure_ascii=False)


def _command_line(words: Sequence[str]) -> str:
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def _header_questions(headers: Sequence[str], client: Client) -> list[dict[str, Any]]:
    """Return what VS Code asks for when it reaches a server elsewhere for the first time."""
    return [
        {
            "type": "promptString",
            "id": question_id(header),
            "description": HEADERS[header][1],
            "password": header != USERNAME_HEADER,
        }
        for header in headers
        if client.asks
    ]


def _questions(to_fill_in: Mapping[str, str], client: Client) -> list[dict[str, Any]]:
    """Return what VS Code asks for when it starts the server for the first time."""
    return [
        {
            "type": "promptString",
            "id": variable.lower(),
            "description": "API key of the Odoo user" if "KEY" in variable else "Odoo password",
            "password": True,
        }
        for variable in to_fill_in
        if client.asks and variable in CREDENTIALS
    ]


def _still_to_do(to_fill_in: Mapping[str, str], client: Client) -> list[str]:
    """Return what to tell the person about variables that stand-ins are there for."""
    by_hand = [one for one, value in to_fill_in.items() if "${input:" not in value]
    lines = [f"Fill in {', '.join(by_hand)}."] if by_hand else []
    if len(by_hand) < len(to_fill_in):
        lines.append(f"{client.title} asks you for the key or password, and stores it.")
    if any(part.strip(".").lower() in {"cache", "caches"} for part in Path(sys.prefix).parts):
        lines.append(
            "This server runs from a cache that can be cleared. Install it, such as with 'uv tool"
            " install odoo-toolkit-mcp', and run the command again."
        )
    return lines


def _say(*lines: str) -> None:
    """Tell the person something; standard output is for what is pasted."""
    for line in lines:
        print(line, file=sys.stderr)  # noqa: T201
