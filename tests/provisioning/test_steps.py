"""What a step says while it goes on, and environments that a kill left half made."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

import pytest

from tests.provisioning import cache, database, odoo_server, ports, postgres, pythons
from tests.provisioning.cache import (
    FullDiscError,
    ProvisioningError,
    remind,
    run,
    shown_mark,
    step,
    still,
    write_json,
)
from tests.provisioning.database import Installation, prepare_database
from tests.provisioning.releases import ODOO_19


def test_a_long_step_is_named_every_fifteen_seconds() -> None:
    """By a clock that only this test turns; a step that ends sooner is not named again."""
    now = 100.0
    told: list[float] = []

    def wait(seconds: float) -> bool:
        nonlocal now
        now += seconds
        return now > 150

    remind(wait, told.append, lambda: now)
    assert told == [15, 30, 45]


def test_a_reminder_names_what_goes_on_and_the_log(tmp_path: Path) -> None:
    assert still("Unpacking ...", 30.2, None) == "Unpacking ... (for 30 s now)"
    log = tmp_path / "pip.log"
    assert still("Installing ...", 15, log) == f"Installing ... (for 15 s now; log: {log})"


@pytest.mark.parametrize("fails", [False, True])
def test_a_step_says_more_once_it_knows_more_and_ends(
    fails: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also when what it does fails: nothing is said of it then."""
    monkeypatch.setattr(cache, "REMIND_SECONDS", 0)
    before = threading.active_count()
    asked = threading.Event()

    def now() -> str:
        asked.set()
        return "Installing module sale (2 of 9) ..."

    def work() -> None:
        with step("Making a database ...", "odoo-19", tmp_path / "log", now) as log:
            assert log
            assert asked.wait(60)
            if fails:
                raise ProvisioningError("broken")

    if fails:
        with pytest.raises(ProvisioningError, match="broken"):
            work()
    else:
        work()
    assert threading.active_count() == before
    first, second, *_ = capsys.readouterr().err.splitlines()
    assert first.endswith("odoo-19: Making a database ...")
    assert f"odoo-19: Installing module sale (2 of 9) ... (for 0 s now; log: {tmp_path}" in second


def _fail(said: str, log: Path | None = None) -> str:
    """Return what ``run`` raises when a command says something and fails."""
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(log.open("a", encoding="utf-8")) if log else None
        try:
            run(["sh", "-c", f"echo '{said}' >&2; exit 1"], failure="It failed.", log=file)
        except FullDiscError as error:
            return str(error)
        except ProvisioningError:
            return "another error"
    return "no error"


def test_a_full_disc_is_told_from_what_a_program_says(tmp_path: Path) -> None:
    """Not from what another one said into the same log before."""
    full = "tar: a: No space left on device"
    told = f"It failed.\n  {full}\nA disc is full: free some, and repeat the command."
    log = tmp_path / "log"
    assert _fail(f"{full}\nand more").startswith(told)
    assert _fail(full, log).startswith(told)
    assert _fail("no such file", log) == "another error"


def _write_python(folder: Path, does: str) -> None:
    python = folder / "bin" / "python"
    python.parent.mkdir(parents=True, exist_ok=True)
    python.write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
    python.chmod(0o755)


@pytest.mark.parametrize("left", ["nothing", "exit 1", "echo has pip"])
def test_an_environment_without_pip_is_made_anew(
    left: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where 'make' was killed while it made one; a whole one is kept."""
    folder = tmp_path / "venv"
    made: list[Path] = []

    def make(target: Path, *_: object) -> None:
        made.append(target)
        _write_python(target, 'echo "$@"')

    monkeypatch.setattr(pythons, "make_environment", make)
    if left != "nothing":
        _write_python(folder, left)
    pythons.install_checkout(folder, ".[cli]")
    assert made == ([] if left == "echo has pip" else [folder])
    if made:
        assert "install" in (said := (folder / "pip.log").read_text("utf-8"))
        assert "--editable .[cli]" in said


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    """Odoo 19 with a dump, restored in no time."""
    monkeypatch.setenv("ODOO_TOOLKIT_CACHE", str(tmp_path))
    monkeypatch.setattr(postgres, "database_exists", lambda _: True)
    monkeypatch.setattr(database, "_restore", lambda *_: {"admin": "key"})
    made = Installation(ODOO_19, tmp_path / "root", Path("python"))
    write_json(database.kept_dump(made) / "keys.json", {"admin": "key"})
    made.filestore.mkdir(parents=True)
    prepare_database(made, fresh=True)
    shown_mark(made.name, made.database).touch()
    return made


def test_a_fresh_database_has_not_seen_the_demo(installation: Installation) -> None:
    mark = shown_mark(installation.name, installation.database)
    prepare_database(installation, fresh=False)
    assert mark.exists()
    prepare_database(installation, fresh=True)
    assert not mark.exists()


def test_a_server_that_ends_says_where_its_log_is(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Odoo that cannot start, such as one from a broken tree."""
    monkeypatch.setattr(postgres, "execute", lambda *_: "")
    broken = Installation(ODOO_19, installation.root, installation.folder / "bin/python")
    _write_python(installation.folder, "echo SyntaxError >&2; exit 1")
    log = installation.folder / "server.log"
    with (
        ports.reserved() as port,
        pytest.raises(ProvisioningError, match="ended while it started") as error,
    ):
        odoo_server.start_process(broken, port)
    assert f"The log {log} ends with:\n  SyntaxError" in str(error.value)
