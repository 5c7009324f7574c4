"""The command line: ``python -m tests.provisioning start 19 14``, ``stop``, ``status``."""

from __future__ import annotations

import argparse
import contextlib
import errno
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tests.provisioning import alone, archive, copies, debian, odoo_server, postgres, pythons
from tests.provisioning.cache import (
    FREE_SOME,
    ProvisioningError,
    cache_folder,
    locked,
    progress,
    servers_file,
    write_json,
)
from tests.provisioning.odoo_server import Server
from tests.provisioning.releases import RELEASES, Release

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
    start_parser.add_argument("versions", nargs="+", metavar="VERSION")
    start_parser.add_argument(
        "--source",
        action="append",
        default=[],
        metavar="[VERSION=]PATH",
        help="a source tree to run a version from that Debian does not carry; needed once",
    )
    start_parser.add_argument("--json", action="store_true", help="print the servers on stdout")
    start_parser.add_argument(
        "--brief", action="store_true", help="do not print how the servers are used and removed"
    )
    start_parser.add_argument(
        "--fresh", action="store_true", help="put the databases back to their demo data"
    )
    copies_parser = commands.add_parser(
        "copies", help="run what follows '--' on new copies of servers, and remove the copies"
    )
    copies_parser.add_argument("versions", nargs="+", metavar="VERSION")
    copies_parser.add_argument(
        "--addon",
        action="append",
        default=[],
        type=Path,
        metavar="PATH",
        help="the folder of a module to install on the copies",
    )
    pack_parser = commands.add_parser(
        "pack", help="write the dumps of versions into a file, for another machine"
    )
    pack_parser.add_argument("versions", nargs="+", metavar="VERSION")
    pack_parser.add_argument("--file", type=Path, required=True, metavar="FILE")
    unpack_parser = commands.add_parser(
        "unpack", help="take dumps from a file of 'pack': 'start' then installs no modules"
    )
    unpack_parser.add_argument("file", type=Path, metavar="FILE")
    commands.add_parser(
        "alone", help="run what follows '--' when no other heavy run is at work on this machine"
    )
    stop_parser = commands.add_parser(
        "stop", help="stop these servers, or all; PostgreSQL stops with the last one"
    )
    stop_parser.add_argument("versions", nargs="*", metavar="VERSION")
    commands.add_parser("status", help="say what runs, and where everything is kept")
    environment_parser = commands.add_parser(
        "environment", help="install this checkout into a virtual environment, made where needed"
    )
    environment_parser.add_argument("folder", type=Path)
    environment_parser.add_argument("requirement", help="the checkout, with extras: '.[cli]'")
    words = sys.argv[1:] if arguments is None else arguments
    end = words.index("--") if "--" in words else len(words)
    chosen = parser.parse_args(words[:end])
    unknown = [one for one in getattr(chosen, "versions", ()) if one not in RELEASES]
    if unknown:
        parser.error(f"no Odoo {', '.join(unknown)}: choose from {', '.join(RELEASES)}")
    releases = [RELEASES[one] for one in dict.fromkeys(getattr(chosen, "versions", ()))]
    try:
        if chosen.command == "environment":
            pythons.install_checkout(chosen.folder, chosen.requirement)
            return 0
        if chosen.command == "start":
            trees = source_trees(chosen.source, releases)
            with locked():
                return _start(releases, trees, chosen)
        if chosen.command == "copies":
            return _run_on_copies(releases, words[end + 1 :], chosen.addon)
        if chosen.command in ("pack", "unpack"):
            with locked():
                archive.pack(releases, chosen.file) if releases else archive.unpack(chosen.file)
            return 0
        if chosen.command == "alone":
            alone.become(words[end + 1 :])
        if chosen.command == "stop":
            with locked():
                return _stop(releases)
        return _status()
    except ProvisioningError as error:
        ways = f"\n\n{OTHER_WAYS}" if chosen.command == "start" else ""
        print(f"\n{error}{ways}", file=sys.stderr)
        return 1
    except OSError as error:  # such as a disc that is full
        print(f"\n{_explain(error)}", file=sys.stderr)
        return 1


def source_trees(given: list[str], releases: list[Release]) -> dict[str, Path]:
    """Return the source tree named for each version; one alone needs no version before it.

    Raises:
        ProvisioningError: It is not clear for which of the versions a tree is meant.
    """
    from_source = [release.version for release in releases if not release.package]
    trees: dict[str, Path] = {}
    for one in given:
        version, equals, path = one.partition("=")
        if not equals:
            version, path = from_source[0] if len(from_source) == 1 else "", one
        if version not in from_source or version in trees:
            could_be = " ".join(f"--source {version}=PATH" for version in from_source)
            raise ProvisioningError(
                f"--source {one}: " + (f"give {could_be}." if could_be else "Debian carries these.")
            )
        trees[version] = Path(path).expanduser().resolve()
    return trees


def _start(releases: list[Release], trees: dict[str, Path], chosen: argparse.Namespace) -> int:
    """Start the servers side by side; fail when one of those that were named does not run."""
    debian.check_machine()
    progress(f"Everything is kept in {cache_folder()}")
    progress(f"except PostgreSQL's data, kept in {postgres.cluster_folder()}")
    servers = {server["name"]: server for server in odoo_server.running_servers()}
    failed: dict[str, str] = {}
    with ThreadPoolExecutor(max(2, os.cpu_count() or 2)) as pool:
        system = pool.submit(_prepare_system)
        started = {
            pool.submit(
                odoo_server.start, one, system, trees.get(one.version), chosen.fresh
            ): one.name
            for one in releases
        }
        for done in as_completed(started):
            name = started[done]
            try:
                servers[name] = done.result()
            except (ProvisioningError, OSError) as error:
                progress("DOES NOT RUN; the reason is at the end", name)
                failed[name] = _explain(error)
            # one that was stopped and did not come up again is not listed any more
            servers = {name: one for name, one in servers.items() if odoo_server.is_running(one)}
            _write_servers(list(servers.values()))
    named = {one.name: servers[one.name] for one in releases if one.name not in failed}
    if not chosen.brief:
        _tell(named, others=sorted({*servers} - {*named} - {*failed}))
    if chosen.json:
        print(json.dumps(list(named.values()), indent=2))
    return _report(failed, servers)


def _explain(error: Exception) -> str:
    """Return an error's message; the system's own does not say which disc is full."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"No space is left on the disc of {cache_folder()}: {FREE_SOME}"
    return str(error)


def _report(failed: dict[str, str], servers: dict[str, Server]) -> int:
    """Say last which servers were not started, and why; return the exit code."""
    if not failed:
        return 0
    if not servers:
        print(f"\n{OTHER_WAYS}", file=sys.stderr)
    # all have the same reason when PostgreSQL does not start
    for reason in dict.fromkeys(failed.values()):
        names = ", ".join(sorted(name for name, why in failed.items() if why == reason))
        older = [f"{name} as it was started before" for name in failed if name in servers]
        still = f" ({', '.join(older)} still runs)" if older else ""
        print(f"\n*** NOT STARTED: {names}{still}: {reason}", file=sys.stderr, flush=True)
    return 1


def _run_on_copies(releases: list[Release], command: list[str], addons: list[Path]) -> int:
    """Run a command for which the servers are new copies; return its exit code."""
    if not command:
        raise ProvisioningError("Say what to run on the copies: copies 16 17 -- COMMAND ...")
    # as after an interruption, the copies are removed
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(copies.copied(one, addons=addons)) for one in releases]
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        write_json(folder / "servers.json", servers)
        named = {"ODOO_TOOLKIT_SERVERS_FILE": str(folder / "servers.json")}
        return subprocess.run(command, env={**os.environ, **named}, check=False).returncode


def _prepare_system() -> None:
    """Start PostgreSQL, and install what Odoo makes PDFs with; without that all else works."""
    postgres.start()
    copies.remove_left_behind()
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


def _tell(servers: dict[str, Server], others: list[str]) -> None:
    """Print where the servers are and how to get rid of them."""
    for server in servers.values():
        progress(
            f"{server['url']}  database {server['db']}, log in as "
            f"{server['login']}/{server['password']} or "
            f"{server['demo_login']}/{server['demo_password']}",
            server["name"],
        )
    if others:
        progress(f"Others run, too: {', '.join(others)}")
    if servers:
        versions = " ".join(server["version"] for server in servers.values())
        progress(f"Addresses, passwords and API keys: {servers_file()}")
        progress(f"To stop: python -m tests.provisioning stop {versions}")
        progress(f"To remove: {how_to_remove()}")


def how_to_remove(*others: str) -> str:
    """Say what to delete so that nothing is left of what was provisioned, nor of *others*."""
    installed = debian.installed()
    packages = f" && apt-get remove --autoremove {' '.join(installed)}" if installed else ""
    stop = "python3 -m tests.provisioning stop"
    folders = [shlex.quote(str(one)) for one in (cache_folder(), postgres.cluster_folder())]
    return f"{stop} && rm -rf {' '.join([*dict.fromkeys(folders), *others])}{packages}"


def _stop(releases: list[Release]) -> int:
    """Stop the servers of some releases, or all; with the last one, PostgreSQL stops, too."""
    copies.remove_left_behind()
    names = {release.name for release in releases or RELEASES.values()}
    for name in sorted(names):
        odoo_server.stop(name)
    others = [one for one in odoo_server.running_servers() if one["name"] not in names]
    if servers_file().exists():
        _write_servers(others)
    if postgres.is_running() and not others:
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
