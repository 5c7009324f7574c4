"""The command line: ``python -m tests.provisioning start 19 14``, ``stop``, ``status``."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path

from tests.provisioning import debian, odoo_server, postgres, pythons
from tests.provisioning.cache import (
    ProvisioningError,
    cache_folder,
    locked,
    progress,
    servers_file,
    write_json,
)
from tests.provisioning.odoo_server import Server
from tests.provisioning.releases import DEVELOPMENT_PYTHONS, RELEASES, Release

OTHER_WAYS = """\
Instead of provisioning an Odoo here, you can
  - point the tests at an Odoo that you have (its login must be an administrator's):
      export ODOO_TEST_SERVERS='mine=http://localhost:8069,DATABASE,LOGIN,PASSWORD,API_KEY'
  - run the official container images (docs/compose.yaml, untested):
      docker compose -f docs/compose.yaml up"""


def main(arguments: list[str] | None = None) -> int:
    """Run one command of the command line and return the process's exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.provisioning", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    start_parser = commands.add_parser("start", help="provision what is missing, start the servers")
    start_parser.add_argument("versions", nargs="+", choices=list(RELEASES), metavar="VERSION")
    start_parser.add_argument("--json", action="store_true", help="print the servers on stdout")
    start_parser.add_argument(
        "--fresh", action="store_true", help="put the databases back to their demo data"
    )
    commands.add_parser("stop", help="stop the servers and their PostgreSQL")
    commands.add_parser("status", help="say what runs, and where everything is kept")
    environment_parser = commands.add_parser(
        "environment", help="make an empty virtual environment to develop in"
    )
    environment_parser.add_argument("folder", type=Path)
    chosen = parser.parse_args(arguments)
    try:
        if chosen.command == "environment":
            pythons.make_environment(chosen.folder, DEVELOPMENT_PYTHONS)
            return 0
        if chosen.command == "start":
            with locked():
                return _start([RELEASES[one] for one in chosen.versions], chosen.fresh, chosen.json)
        if chosen.command == "stop":
            with locked():
                return _stop()
        return _status()
    except ProvisioningError as error:
        print(f"\n{error}\n\n{OTHER_WAYS}", file=sys.stderr)
        return 1


def _start(releases: list[Release], fresh: bool, as_json: bool) -> int:
    """Start the servers side by side; succeed when at least one runs."""
    debian.check_machine()
    progress(f"Everything is kept in {cache_folder()}")
    progress(f"except PostgreSQL's data, kept in {postgres.cluster_folder()}")
    ports = odoo_server.choose_ports(releases)
    servers = {server["name"]: server for server in odoo_server.running_servers()}
    with ThreadPoolExecutor() as pool:
        system = pool.submit(_prepare_system)
        started = {
            pool.submit(odoo_server.start, one, ports[one.name], system, fresh): one.name
            for one in releases
        }
        for one in as_completed(started):
            server = _result(one, started[one])
            if server:
                servers[server["name"]] = server
                _write_servers(list(servers.values()))
    if not servers:
        print(OTHER_WAYS, file=sys.stderr)
        return 1
    _tell(servers)
    if as_json:
        print(json.dumps(list(servers.values()), indent=2))
    return 0


def _result(start: Future[Server], name: str) -> Server | None:
    """Return the server that was started, or say loudly why there is none."""
    try:
        return start.result()
    except ProvisioningError as error:
        print(f"\n*** {name} IS SKIPPED: {error}\n", file=sys.stderr, flush=True)
        return None


def _prepare_system() -> None:
    """Start PostgreSQL, and install what Odoo makes PDFs with; without that all else works."""
    postgres.start()
    if shutil.which("wkhtmltopdf"):
        return
    try:
        debian.install(["wkhtmltopdf"], "Odoo makes its PDF reports with wkhtmltopdf")
    except ProvisioningError as error:
        print(f"\n*** NO PDF REPORTS: {error}\n", file=sys.stderr, flush=True)


def _write_servers(servers: list[Server]) -> None:
    """Write ``servers.json``, the newest version first."""
    newest_first = sorted(servers, key=lambda server: int(server["version"]), reverse=True)
    write_json(servers_file(), newest_first)


def _tell(servers: dict[str, Server]) -> None:
    """Print where the servers are and how to get rid of them."""
    for server in servers.values():
        progress(
            f"{server['url']}  database {server['db']}, log in as "
            f"{server['login']}/{server['password']} or "
            f"{server['demo_login']}/{server['demo_password']}",
            server["name"],
        )
    progress(f"Addresses, passwords and API keys: {servers_file()}")
    progress("To stop them: python -m tests.provisioning stop")
    progress(f"To remove them: stop, then delete {cache_folder()} and {postgres.cluster_folder()}")


def _stop() -> int:
    """Stop the servers and their PostgreSQL, and empty the list of servers."""
    for server in odoo_server.running_servers():
        odoo_server.stop(server)
    if servers_file().exists():
        _write_servers([])
    if postgres.is_running():
        progress("Stopping PostgreSQL ...")
        postgres.stop()
    return 0


def _status() -> int:
    """Print what runs; the exit code is 1 when no server does."""
    servers = odoo_server.running_servers()
    print(f"PostgreSQL  {'runs' if postgres.is_running() else 'is stopped'}")
    for server in servers:
        print(f"{server['name']}  {server['url']}  database {server['db']}  pid {server['pid']}")
    if not servers:
        print("No server runs. Start them with: python -m tests.provisioning start 19 14")
    print(f"Kept in {cache_folder()} and {postgres.cluster_folder()}")
    return 0 if servers else 1


if __name__ == "__main__":
    sys.exit(main())
