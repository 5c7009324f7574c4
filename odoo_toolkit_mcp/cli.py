"""``odoo-toolkit-mcp``: reads the settings and serves MCP, over stdio or HTTP."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from odoo_toolkit.configuration import load, read_file, unknown_keys, unknown_variables
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.connection.variables import unread_variables, warn_once
from odoo_toolkit.errors import ConfigurationError, OdooError
from odoo_toolkit.installation import DISTRIBUTION, clash, version
from odoo_toolkit_mcp.audit import AuditLog
from odoo_toolkit_mcp.logs import log_to_stderr
from odoo_toolkit_mcp.settings import ServerSettings, policy_of

if TYPE_CHECKING:
    from odoo_toolkit_mcp.server import OdooServer

#: Exit status of wrong settings, as argparse uses it for wrong arguments.
WRONG_SETTINGS = 2

_READ = (ConnectionSettings, ServerSettings)

#: Variables that name a file of settings, and are no settings.
_OF_COMMANDS = ("ODOO_MCP_CONFIG", "ODOO_MCP_TEAM")

_EPILOG = """\
settings, each by environment variable or, in lower case, in the JSON file:
  ODOO_URL              address of Odoo, such as https://example.odoo.com
  ODOO_USERNAME         login of the Odoo user
  ODOO_PASSWORD         password, or instead of it
  ODOO_API_KEY          API key
  ODOO_DB               database, when the server has several
  ODOO_MCP_MODE         readonly (default), restricted or full
The documentation lists the others.

'odoo-toolkit-mcp config CLIENT' prints what tells an MCP client of this server;
'odoo-toolkit-mcp config --help' lists the clients.

'odoo-toolkit-mcp serve' serves a team, whose people sign in with their Odoo users;
'odoo-toolkit-mcp serve --init' asks what it needs.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    Args:
        arguments: as on the command line; those of the process by default.
    """
    if problem := clash():
        return _report([problem])
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["config"]:
        from odoo_toolkit_mcp.client_config import main as tell_a_client

        return tell_a_client(words[1:])
    if words[:1] == ["serve"]:
        from odoo_toolkit_mcp.accounts.command import main as serve_a_team

        return serve_a_team(words[1:])
    options = _parser().parse_args(words)
    connection, server, problems, unread = _settings(options)
    if connection is None or server is None or problems:
        return _report(problems + unread)
    secrets = [connection.password, connection.api_key, server.auth_token, server.metrics_token]
    log_to_stderr(server.log_level, server.log_format, secrets)
    warn_once(unread)

    # Imported here: mcp takes most of a second, and whoever asks for help need not wait.
    import anyio

    from odoo_toolkit_mcp.requests import fails_without_history
    from odoo_toolkit_mcp.server import OdooServer

    if told := fails_without_history(connection, server, page=False):
        logging.getLogger(__name__).warning(told)
    odoo_server = OdooServer(connection, server)
    with contextlib.suppress(KeyboardInterrupt):
        anyio.run(_serve_http if server.transport == "http" else _serve_stdio, odoo_server)
    # All calls have ended; only a thread that still tries to reach Odoo would hold up the exit.
    logging.shutdown()
    os._exit(0)


async def _serve_http(server: OdooServer) -> None:
    """Serve clients over HTTP, until a signal comes."""
    from odoo_toolkit_mcp.http.app import serve

    try:
        await serve(server)
    except ConfigurationError as error:
        _report([error.message])
        raise SystemExit(WRONG_SETTINGS) from None


async def _serve_stdio(server: OdooServer) -> None:
    """Serve one client over standard input and output, until it closes them."""
    import anyio

    from odoo_toolkit_mcp.stdio import StandardInput, StandardOutput

    output = StandardOutput()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_prepare, server)
        options = server.create_initialization_options()
        await server.run(StandardInput(output.send), output, options)
        tasks.cancel_scope.cancel()


async def _prepare(server: OdooServer) -> None:
    try:
        await server.prepare()
    except ConfigurationError as error:
        _report([error.message])
        # Reading from standard input cannot be interrupted.
        os._exit(WRONG_SETTINGS)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="odoo-toolkit-mcp",
        description="Serve an Odoo database (14 to 19) over the Model Context Protocol.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--config", metavar="FILE", default=os.environ.get("ODOO_MCP_CONFIG"), help="JSON file"
    )
    parser.add_argument("--transport", help="stdio, the default, or http")
    parser.add_argument("--host", help="address to listen at, 127.0.0.1 by default")
    parser.add_argument("--port", help="port to listen at, 8080 by default")
    parser.add_argument("--log-level", help="debug, info (default), warning or error")
    parser.add_argument(
        "--version",
        action="version",
        version=f"{DISTRIBUTION} {version()}",
    )
    return parser


def _settings(
    options: argparse.Namespace,
) -> tuple[ConnectionSettings | None, ServerSettings | None, list[str], list[str]]:
    """Read all settings: command line, environment, file, defaults; all problems, and hints."""
    file: Mapping[str, Any] = {}
    problems: list[str] = []
    if options.config:
        try:
            file = read_file(options.config)
        except ConfigurationError as error:
            problems += error.details["problems"]
    problems += unknown_keys(file, _READ)
    problems += unknown_variables("ODOO_MCP_", _READ, _OF_COMMANDS)
    connection, found = load(ConnectionSettings, file=file)
    problems += found
    keywords = {name: getattr(options, name) for name in ("transport", "host", "port", "log_level")}
    server, found = load(ServerSettings, keywords, file=file)
    problems += found
    if server and server.audit:
        try:
            AuditLog(server, policy_of(server)).close()
        except OSError as error:
            problems.append(f"The server cannot write to ODOO_MCP_AUDIT_FILE: {error}.")
    if connection and server and connection.history not in (None, "auto", "off"):
        # Imported here: it takes a while, and most servers need it later.
        from odoo_toolkit_mcp.requests import history_for

        try:
            if history := history_for(connection, server):
                history.store.open()
        except OdooError as error:
            problems.append(f"ODOO_HISTORY: {error.message} {error.suggestion}")
    return connection, server, problems, unread_variables(file=file)


def _report(problems: Sequence[str]) -> int:
    print("odoo-toolkit-mcp cannot start:", file=sys.stderr)  # noqa: T201
    for problem in problems:
        print(f"  - {problem}", file=sys.stderr)  # noqa: T201
    return WRONG_SETTINGS
