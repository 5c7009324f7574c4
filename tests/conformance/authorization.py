"""The suite's scenarios of an authorization server, against a team's: a person signs in for it."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.provisioning.ports import free_port
from tests.team.harness import OAuthClient, Person, RunningTeam
from tests.team.people import NOWHERE, Users, password_of

#: Those that must pass.
SCENARIOS = ("authorization-server-metadata-endpoint", "authorization-code-grant")

#: Seconds that the scenarios may take.
PATIENCE = 120.0


def passes_as_authorization_server(suite: list[str], folder: Path) -> bool:
    """Run the scenarios, print what the suite says, and return whether nothing failed.

    Args:
        suite: how the suite is started.
        folder: in which it runs.
    """
    with (
        pytest.MonkeyPatch.context() as patch,
        tempfile.TemporaryDirectory() as kept,
    ):
        Users().take_the_place(patch)
        with RunningTeam(Path(kept), {"main": dict(NOWHERE)}) as team:
            return _passes(suite, folder, team)


def _passes(suite: list[str], folder: Path, team: RunningTeam) -> bool:
    port = free_port()
    client = OAuthClient(team.url, callback=f"http://127.0.0.1:{port}/callback")
    told = [*("--url", team.url), *("--client-id", client.id), *("--resource", team.resource)]
    # What the suite says of its progress is not kept until it ends.
    running = subprocess.Popen(
        [*suite, "authorization", *told, "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
    )
    assert running.stdout
    said = []
    try:
        for line in running.stdout:
            said.append(line)
            if line.startswith(f"{team.url}/authorize?"):
                _sign_in(team, line.strip())
        status = running.wait(PATIENCE)
    finally:
        running.kill()
    output = "".join(said)
    _, found, summary = output.partition("=== SUMMARY ===")
    print("Authorization server", summary if found else output)
    # A scenario that is skipped counts as no failure.
    return status == 0 and all(f"\u2713 {name}: " in summary for name in SCENARIOS)


def _sign_in(team: RunningTeam, address: str) -> None:
    """Do what a person does at the address that the suite shows."""
    person = Person(team.url)
    page = person.get(person.get(address).headers["Location"])
    page = person.sign_in(page, login="ann", password=password_of("ann"))
    sent = person.post("/consent", page, answer="allow")
    person.get(sent.headers["Location"])
