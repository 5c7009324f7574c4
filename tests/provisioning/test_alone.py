"""Heavy runs: the second waits for the first, however that one ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.provisioning.alone import heavy_run

ROOT = Path(__file__).parents[2]
ALONE = [sys.executable, "-m", "tests.provisioning", "alone", "--"]


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache folder of the test's own; and a run of tests may be a heavy run itself."""
    monkeypatch.setenv("ODOO_TOOLKIT_CACHE", str(tmp_path))
    monkeypatch.delenv("ODOO_TOOLKIT_HEAVY_RUN", raising=False)


@pytest.fixture
def first() -> Iterator[subprocess.Popen[str]]:
    """A heavy run that is at work until its standard input ends."""
    process = _start("sh", "-c", "echo works; exec cat")
    assert process.stdout is not None
    assert process.stdout.readline() == "works\n"
    yield process
    process.kill()
    process.communicate()


def _start(*command: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [*ALONE, *command], stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=ROOT
    )


def _wait_for_message(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    return process.stderr.readline()


@pytest.mark.parametrize("kind", [None, signal.SIGTERM, signal.SIGKILL])
def test_the_second_run_says_who_is_at_work_and_waits(
    first: subprocess.Popen[str], kind: signal.Signals | None
) -> None:
    """Until the first has ended, or was killed."""
    second = _start("echo", "second")
    message = _wait_for_message(second)
    assert "sh -c 'echo works; exec cat'" in message
    assert f"process {first.pid}" in message
    assert second.poll() is None
    if kind is None:
        first.communicate()
        assert first.returncode == 0
    else:
        os.kill(first.pid, kind)
        first.wait()
    assert second.communicate(timeout=60)[0] == "second\n"
    assert second.returncode == 0


def test_the_turn_lasts_as_long_as_what_the_run_started() -> None:
    """A run that is killed may leave its tests at work, and they keep the processors busy."""
    # the child reads what the test writes; a command in the background would read nothing
    outer = _start("sh", "-c", "exec 3<&0; cat <&3 & echo works; wait")
    assert outer.stdin is not None
    assert outer.stdout is not None
    assert outer.stdout.readline() == "works\n"
    outer.kill()
    outer.wait()
    second = _start("true")
    assert "Waiting" in _wait_for_message(second)
    outer.communicate()
    second.communicate(timeout=60)
    assert second.returncode == 0


def test_a_run_within_a_run_goes_on() -> None:
    """It would otherwise wait for itself."""
    done = subprocess.run(
        [*ALONE, *ALONE, "sh", "-c", "exit 7"], capture_output=True, timeout=60, cwd=ROOT
    )
    assert done.returncode == 7
    assert done.stderr == b""
    with heavy_run("outer"), heavy_run("inner"):
        assert subprocess.run([*ALONE, "true"], timeout=60, cwd=ROOT).returncode == 0


def test_a_block_of_python_has_a_turn_of_its_own() -> None:
    """And gives it up at its end."""
    with heavy_run("the block"):
        environment = {**os.environ}
        del environment["ODOO_TOOLKIT_HEAVY_RUN"]
        second = subprocess.Popen(
            [*ALONE, "true"], stderr=subprocess.PIPE, text=True, env=environment, cwd=ROOT
        )
        assert "the block (process" in _wait_for_message(second)
    second.communicate(timeout=60)
    assert second.returncode == 0


@pytest.mark.parametrize(("command", "said"), [((), "Say what to run"), (("no-such",), "no-such")])
def test_a_command_that_cannot_be_run_is_an_error(command: tuple[str, ...], said: str) -> None:
    """None at all, or one that is not there."""
    done = subprocess.run([*ALONE, *command], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 1
    assert said in done.stderr
