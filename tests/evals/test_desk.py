"""Somebody with a shell does one task after the other; and results are compared."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from evals import compare, desk
from evals.call import ask
from evals.desk import Desk
from evals.run import Outcome, attempt, main, save
from tests.evals.small import NO_DATABASE, SMALL, small_task

pytestmark = pytest.mark.evals


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that a desk may have."""
    return tmp_path / "desk"


@pytest.fixture
def taken(folder: Path) -> Iterator[Desk]:
    """A desk that is closed at the end."""
    made = Desk(folder)
    yield made
    made.close()


@pytest.fixture
def beside() -> Iterator[ThreadPoolExecutor]:
    """Does something while the test sits at the desk."""
    with ThreadPoolExecutor(2) as pool:
        yield pool


def begun(pool: ThreadPoolExecutor, at: Desk) -> Future[Outcome]:
    """Have a task done at a desk."""
    return pool.submit(attempt, NO_DATABASE, small_task(), SMALL, at)


def say(folder: Path, op: str, **more: Any) -> dict[str, Any]:
    """Ask the desk."""
    return ask({"op": op, **more}, str(folder / "server.sock"))


def test_a_task_is_shown_done_and_handed_in(
    taken: Desk, folder: Path, beside: ThreadPoolExecutor
) -> None:
    """The command on the desk is all that is needed; its calls are counted and kept."""
    doing = begun(beside, taken)

    def command(*words: str) -> str:
        odoo = [str(folder / "odoo"), *words]
        return subprocess.run(odoo, cwd=folder, stdout=-1, text=True, check=False).stdout

    shown = command("next")
    assert "Say teal." in shown
    assert '"word": "the word"' in shown
    assert "answers/say.json" in shown
    assert command("call", "echo", '{"text": "teal"}') == "teal\n"
    (folder / "answers" / "say.json").write_text('{"word": "teal"}', encoding="utf-8")
    handing_in = beside.submit(command, "next")

    outcome = doing.result()
    assert outcome.right, (outcome.faults, outcome.void)
    assert (outcome.counts.calls, outcome.log[0]["arguments"]) == (1, {"text": "teal"})
    taken.close()
    assert "no more tasks" in handing_in.result()


def test_who_waits_between_two_tasks_gets_the_next(
    taken: Desk, folder: Path, beside: ThreadPoolExecutor
) -> None:
    """Also a question that comes before the first task waits for it."""
    asked = beside.submit(say, folder, "next")
    first = begun(beside, taken)
    assert "Say teal." in asked.result()["text"]
    (folder / "answers" / "say.json").write_text('{"word": "blue"}', encoding="utf-8")
    asked = beside.submit(say, folder, "next")
    assert first.result().faults == ["the word is 'blue', not 'teal'"]

    second = begun(beside, taken)

    assert "Say teal." in asked.result()["text"]
    assert "closed" in say(folder, "stop")["text"]
    assert second.result().void


@pytest.mark.parametrize("written", [None, "teal"])
def test_a_task_without_an_answer_is_not_handed_in(
    taken: Desk, folder: Path, beside: ThreadPoolExecutor, written: str | None
) -> None:
    """The error says what is missing, and shows the task again."""
    doing = begun(beside, taken)
    say(folder, "next")
    if written:
        (folder / "answers" / "say.json").write_text(written, encoding="utf-8")

    again = say(folder, "next")

    assert again["error"]
    assert "say is not answered" in again["text"]
    assert "Say teal." in again["text"]
    say(folder, "stop")
    doing.result()


def test_who_goes_away_and_comes_back_is_shown_the_task(
    taken: Desk, folder: Path, beside: ThreadPoolExecutor
) -> None:
    """A question that nobody waits for any more is no answer that was read."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(folder / "server.sock"))
        line.sendall(b'{"op": "next"}\n')
    doing = begun(beside, taken)

    assert "Say teal." in say(folder, "next")["text"]
    say(folder, "stop")
    doing.result()


def test_a_closed_desk_says_nothing_about_the_open_task_and_the_rest(
    taken: Desk, folder: Path, beside: ThreadPoolExecutor, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are void, and neither right nor wrong."""
    doing = begun(beside, taken)

    assert desk.main([str(folder)]) == 0

    assert "the desk was closed" in doing.result().void
    assert "the desk was closed" in attempt(NO_DATABASE, small_task(), SMALL, taken).void
    taken.close()
    assert desk.main([str(folder)]) == 1
    assert "no bridge runs" in capsys.readouterr().out


def test_a_desk_takes_no_folder_with_something_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Answers of another trial would be handed in."""
    (tmp_path / "old").touch()

    assert main(["--desk", str(tmp_path), "--task", "count_stock"]) == 2
    assert "is not empty" in capsys.readouterr().err
    with pytest.raises(ValueError, match="too long a path"):
        Desk(tmp_path / ("long" * 30))


def test_results_are_compared_by_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the distances of plans, and what was wrong."""
    outcomes = {
        "count_stock": [Outcome("count_stock", right=True)],
        "keep_pdf": [Outcome("keep_pdf", faults=["there is no file"])],
        "purchase_mix-09": [Outcome("purchase_mix-09", void="it died", distance=0.25)],
    }
    save(outcomes, tmp_path / "ours.json")

    assert compare.main([str(tmp_path / "ours.json")]) == 0

    printed = capsys.readouterr().out
    assert "| ours | everyday | 1 of 2 | 0 | 0 | 0 | 0 | 0 |  |" in printed
    assert "| ours | planning | 0 of 1 | 1 | 0 | 0 | 0 | 0 | 25.0% off |" in printed
    assert "ours  keep_pdf\n    there is no file" in printed
    assert "ours  purchase_mix-09\n    it died" in printed
    assert json.loads((tmp_path / "ours.json").read_text())["summary"]["right"] == 1
