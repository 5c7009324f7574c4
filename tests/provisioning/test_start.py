"""What ``start`` and ``stop`` say and answer, with servers that only seem to run."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from tests.provisioning import copies, database, debian, odoo_server, postgres
from tests.provisioning.__main__ import main
from tests.provisioning.cache import ProvisioningError, end_of_log, write_json
from tests.provisioning.odoo_server import Server
from tests.provisioning.releases import Release


def _entry(version: str) -> Server:
    names = ("password", "login", "demo_password", "demo_login", "db", "url")
    return {"name": f"odoo-{version}", "version": version, "pid": 1, **dict.fromkeys(names, "x")}


class Machine:
    """Stands for all that runs: which versions do, and why others do not start."""

    def __init__(self) -> None:
        self.running: set[str] = set()
        self.broken: dict[str, str] = {}

    def start(self, release: Release, *_: object) -> Server:
        """Start a server, or fail."""
        if release.version in self.broken:
            raise ProvisioningError(self.broken[release.version])
        self.running.add(release.version)
        return _entry(release.version)

    def stop(self, name: str, *_: object) -> None:
        """Stop a server, if it runs."""
        self.running.discard(name.removeprefix("odoo-"))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine on which nothing runs yet, with a cache folder of its own."""
    machine = Machine()
    monkeypatch.setenv("ODOO_TOOLKIT_CACHE", str(tmp_path))
    monkeypatch.setattr(debian, "check_machine", lambda: None)
    monkeypatch.setattr(copies, "remove_left_behind", lambda: None)
    monkeypatch.setattr("tests.provisioning.__main__._prepare_system", lambda: None)
    monkeypatch.setattr(odoo_server, "start", machine.start)
    monkeypatch.setattr(odoo_server, "stop", machine.stop)
    monkeypatch.setattr(odoo_server, "is_running", lambda one: one["version"] in machine.running)
    monkeypatch.setattr(postgres, "is_running", lambda: True)
    monkeypatch.setattr(postgres, "stop", lambda: machine.running.add("no PostgreSQL"))
    return machine


def _run_before(machine: Machine, folder: Path, *versions: str) -> None:
    machine.running.update(versions)
    write_json(folder / "servers.json", [_entry(version) for version in versions])


def test_start_fails_if_one_version_does_not_run(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    """The others run; which one does not, and why, is said last."""
    machine.broken["16"] = "it has no source tree."
    assert main(["start", "19", "16"]) == 1
    said = capsys.readouterr().err
    assert said.splitlines()[-1] == "*** NOT STARTED: odoo-16: it has no source tree."
    assert "odoo-19: x  database x" in said
    assert machine.running == {"19"}


def test_start_fails_though_an_older_one_of_that_name_runs(
    machine: Machine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who names another source tree does not want the server that ran before."""
    _run_before(machine, tmp_path, "16")
    machine.broken["16"] = "the tree is Odoo 15.0, not 16.0."
    assert main(["start", "16"]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert "odoo-16 (odoo-16 as it was started before still runs): the tree" in last


def test_a_full_disc_is_named(
    machine: Machine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The system's error does not say which one it is."""

    def fill(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(odoo_server, "start", fill)
    assert main(["start", "19"]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert f"odoo-19: No space is left on the disc of {tmp_path}: free some" in last


def test_a_reason_that_all_have_is_said_once(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without PostgreSQL, none starts."""
    machine.broken = dict.fromkeys(("19", "14"), "PostgreSQL: pg_ctl failed.")
    assert main(["start", "19", "14"]) == 1
    said = capsys.readouterr().err
    assert said.count("pg_ctl failed") == 1
    assert "*** NOT STARTED: odoo-14, odoo-19: PostgreSQL" in said


def test_start_lists_what_was_asked_for(
    machine: Machine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Others that run have one line together."""
    _run_before(machine, tmp_path, "15", "14")
    assert main(["start", "19", "--json"]) == 0
    out, said = capsys.readouterr()
    assert [one["name"] for one in json.loads(out)] == ["odoo-19"]
    assert [line for line in said.splitlines() if "odoo-14" in line or "odoo-15" in line] == [
        line for line in said.splitlines() if "Others run, too: odoo-14, odoo-15" in line
    ]
    assert "python -m tests.provisioning stop 19" in said


def test_stop_leaves_other_versions_alone(machine: Machine, tmp_path: Path) -> None:
    """PostgreSQL stops with the last of them."""
    _run_before(machine, tmp_path, "19", "14")
    assert main(["stop", "19"]) == 0
    assert machine.running == {"14"}
    assert [one["name"] for one in odoo_server.read_servers()] == ["odoo-14"]
    assert main(["stop"]) == 0
    assert machine.running == {"no PostgreSQL"}
    assert odoo_server.read_servers() == []


def test_an_unknown_version_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is done."""
    with pytest.raises(SystemExit):
        main(["stop", "13"])
    assert "no Odoo 13: choose from 19" in capsys.readouterr().err


LOG = """\
2026-01-01 00:00:00,000 1 INFO odoo19 odoo.modules.loading: Loading module base (1/1)
2026-01-01 00:00:01,000 1 INFO odoo19 odoo.modules.loading: Module base loaded in 7.31s
"""


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("", ""),
        (LOG, "Installing module base ..."),
        (
            LOG + "odoo.modules.loading: Loading module mrp (57/128)\nmore",
            "Installing module mrp (57 of 128) ...",
        ),
    ],
)
def test_the_module_being_installed_is_read_from_the_log(log: str, said: str) -> None:
    """Of both forms; a silence of minutes looks like a hang."""
    assert database.last_module(log) == said


def test_the_end_of_a_log_is_part_of_an_error(tmp_path: Path) -> None:
    """With its path; also of one that is empty or not there."""
    log = tmp_path / "server.log"
    assert end_of_log(log) == f"The log {log} is empty."
    log.write_text("\n".join(map(str, range(100))), encoding="utf-8")
    assert end_of_log(log).splitlines()[0] == f"The log {log} ends with:"
    assert end_of_log(log).splitlines()[-1] == "  99"
