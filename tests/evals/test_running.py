"""What runs the evals: servers that answer, fail and die; models, programs; what it adds up to."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import responses

from evals import check as checking
from evals.answers import last_object
from evals.assistants import Assistant, Attempt, chat, idle, program, put_command
from evals.bridge import answer_questions
from evals.call import ask
from evals.counts import Counts, count, read_log, write_entry
from evals.folders import Folders
from evals.run import Outcome, attempt, summary
from evals.server import Server, ServerDied, ServerSpec, open_server
from evals.task import all_tasks
from tests.evals.small import NO_DATABASE, SMALL, small_task

pytestmark = pytest.mark.evals

API = "http://model.example/v1"


@pytest.fixture
def log() -> list[dict[str, Any]]:
    """The entries of a server's log."""
    return []


@pytest.fixture
def server(log: list[dict[str, Any]]) -> Iterator[Server]:
    """A small server that runs."""
    with open_server(SMALL, log.append) as opened:
        yield opened


def test_calls_errors_and_bytes_are_counted(server: Server, log: list[dict[str, Any]]) -> None:
    """Bytes are those of the text that a model reads: é has two."""
    assert server.call("echo", {"text": "café"}).text == "café"
    failed = server.call("fail", {"text": "no"})

    assert (failed.error, failed.text) == (True, "ERROR:\nno")
    server.read("tools", "12345")
    counts = count(log)
    assert (counts.calls, counts.errors, counts.answers, counts.lists) == (2, 1, 5 + 9, 5)
    assert counts.sent == len(json.dumps({"text": "café"}, ensure_ascii=False).encode()) + 14


def test_every_page_of_the_list_is_read(server: Server) -> None:
    """A list may come in pages."""
    assert [tool.name for tool in server.tools()] == ["echo", "fail", "file", "die"]


def test_a_file_is_handed_over_and_not_counted_as_read(
    server: Server, log: list[dict[str, Any]]
) -> None:
    """A model is told of the file; the desk has its content."""
    answer = server.call("file", {})

    assert (answer.text, list(answer.files)) == ("[file offer.pdf]", ["offer.pdf"])
    assert count(log).answers == len("[file offer.pdf]")


def test_a_server_that_dies_is_a_result_of_its_own() -> None:
    """It is void: neither right nor merely wrong, even if the answer is right."""

    def assistant(attempt: Attempt) -> Any:
        attempt.server.call("die", {})
        return {"word": "teal"}

    outcome = attempt(NO_DATABASE, small_task(), SMALL, assistant)

    assert not outcome.right
    assert "does not answer any more" in outcome.void
    assert outcome.counts.died


def test_a_server_that_died_unseen_does_not_pass() -> None:
    """The assistant has swallowed the error and answered all the same."""

    def assistant(attempt: Attempt) -> Any:
        with pytest.raises(ServerDied):
            attempt.server.call("die", {})
        return {"word": "teal"}

    outcome = attempt(NO_DATABASE, small_task(), SMALL, assistant)

    assert (outcome.right, outcome.faults) == (False, [])
    assert outcome.void


@pytest.mark.parametrize("command", [("/nonexistent/server",), (sys.executable, "-c", "exit(1)")])
def test_a_server_that_does_not_start_is_void(command: tuple[str, ...]) -> None:
    """There is nothing to say about the task."""
    outcome = attempt(NO_DATABASE, small_task(), ServerSpec(command=command), idle)

    assert "did not start" in outcome.void
    assert not outcome.right


def test_a_command_and_a_url_exclude_each_other() -> None:
    """It would not be clear which of them is judged."""
    with pytest.raises(ValueError, match="not both"):
        ServerSpec(command=("server",), url="http://127.0.0.1:1")


def reply(content: str | None = None, *calls: tuple[str, str]) -> dict[str, Any]:
    """Return what a chat-completions API answers."""
    wanted = [
        {"id": f"c{place}", "type": "function", "function": {"name": name, "arguments": text}}
        for place, (name, text) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": content, "tool_calls": wanted or None}
    return {"choices": [{"message": message}]}


def by_model() -> Assistant:
    """Return the assistant that asks the API of these tests."""
    return chat(API, "small-model", "secret")


@responses.activate
def test_a_model_gets_the_tools_calls_them_and_answers() -> None:
    """It sees each answer once; the last message has the answer."""
    address = f"{API}/chat/completions"
    responses.post(address, json=reply(None, ("echo", '{"text": "teal"}'), ("fail", "{")))
    responses.post(address, json=reply('It is done.\n```json\n{"word": "teal"}\n```'))

    outcome = attempt(NO_DATABASE, small_task(), SMALL, by_model())

    assert outcome.right, outcome.faults
    assert (outcome.counts.calls, outcome.counts.errors) == (2, 1)
    first, second = (json.loads(call.request.body) for call in responses.calls)
    assert [tool["function"]["name"] for tool in first["tools"]] == ["echo", "fail", "file", "die"]
    assert "Say teal." in first["messages"][1]["content"]
    assert "Be small." in first["messages"][0]["content"]
    told = {one["tool_call_id"]: one["content"] for one in second["messages"][3:]}
    assert told["c0"] == "teal"
    assert "not JSON" in told["c1"]
    assert responses.calls[0].request.headers["Authorization"] == "Bearer secret"


@responses.activate
def test_a_model_without_an_answer_is_wrong() -> None:
    """It said something, and no JSON."""
    responses.post(f"{API}/chat/completions", json=reply("I am done."))

    outcome = attempt(NO_DATABASE, small_task(), SMALL, by_model())

    assert (outcome.right, outcome.void) == (False, "")
    assert outcome.faults == ["no answer was given, or it is not a JSON object"]


@responses.activate
def test_an_api_that_refuses_says_nothing_about_the_server() -> None:
    """It is void, with the reason."""
    responses.post(f"{API}/chat/completions", status=400, json={"error": "no such model"})

    outcome = attempt(NO_DATABASE, small_task(), SMALL, by_model())

    assert "the model's API failed" in outcome.void


PROGRAM = """\
import subprocess, sys
task = sys.stdin.read()
said = subprocess.run(["./odoo", "call", "echo", '{"text": "teal"}'], stdout=-1, text=True).stdout
listed = subprocess.run(["./odoo", "tools"], stdout=-1, text=True).stdout
assert "Say teal." in task and "echo: echo" in listed
print('{"word": "%s"}' % said.strip())
"""


def test_a_program_gets_the_task_and_reaches_the_server_through_the_desk() -> None:
    """Its calls are counted as those of a model."""
    outcome = attempt(NO_DATABASE, small_task(), SMALL, program([sys.executable, "-c", PROGRAM]))

    assert outcome.right, (outcome.faults, outcome.void)
    assert outcome.counts.calls == 1
    assert outcome.counts.lists > 0


def test_a_program_whose_server_dies_does_not_pass() -> None:
    """The desk says so, and the outcome too."""
    dying = PROGRAM.replace('"echo"', '"die"', 1).replace("said.strip()", "'teal'")
    outcome = attempt(NO_DATABASE, small_task(), SMALL, program([sys.executable, "-c", dying]))

    assert not outcome.right
    assert outcome.void


def test_a_program_that_fails_says_nothing_about_the_server() -> None:
    """It is void, with the exit code."""
    outcome = attempt(NO_DATABASE, small_task(), SMALL, program([sys.executable, "-c", "exit(4)"]))

    assert "ended with 4" in outcome.void


def test_the_desk_saves_files_and_tells_what_it_cannot_do(server: Server, tmp_path: Path) -> None:
    """The command on the desk needs nothing of this repository."""
    import subprocess
    import threading

    put_command(tmp_path)
    socket = str(tmp_path / "server.sock")
    bridge = threading.Thread(target=answer_questions, args=(Path(socket), server))
    bridge.start()

    def desk(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(tmp_path / "odoo"), *words]
        return subprocess.run(command, cwd=tmp_path, stdout=-1, text=True, check=False)

    try:
        # the socket appears when the bridge listens; the command is told to wait by nobody
        while not Path(socket).exists():
            pass
        assert desk("call", "file").stdout == "[file offer.pdf]\n"
        assert (tmp_path / "offer.pdf").read_bytes() == b"%PDF-1"
        assert desk("call", "echo", "{").returncode == 1
        assert desk("call", "fail").returncode == 1
        assert desk("read", "skill://a").stdout == "of skill://a\n"
        assert "No such tool" in desk("tools", "nothing").stdout
        assert desk("nonsense").returncode == 2
    finally:
        ask({"op": "stop"}, socket)
        bridge.join()
    assert "no bridge runs" in desk("call", "echo").stdout


def test_pass_k_counts_tasks_that_were_right_each_time() -> None:
    """A task that is right twice of three times is no pass."""
    right, wrong = Outcome("a", right=True), Outcome("a")
    void = Outcome("a", void="it died")
    added = summary({"a": [right] * 3, "b": [right, wrong, right], "c": [right, right, void]})

    assert added["pass^3"] == pytest.approx(1 / 3)
    assert (added["right"], added["attempts"], added["void"]) == (7, 9, 1)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('first {"a": 1} then\n```json\n{"b": {"c": []}}\n``` done', {"b": {"c": []}}),
        ("no {braces} here", None),
        ("[1, 2]", None),
        ("", None),
    ],
)
def test_the_answer_is_the_last_object(text: str, found: dict[str, Any] | None) -> None:
    """Words and fences around it do not matter."""
    assert last_object(text) == found


@pytest.mark.parametrize("answer", [None, [], {}, {"word": "blue"}, {"word": ["teal"]}])
def test_an_answer_that_is_missing_or_of_another_shape_is_wrong(answer: Any) -> None:
    """It is a fault, and no error of the eval."""
    task = small_task()

    assert task.faults(NO_DATABASE, {"word": "teal"}, answer)
    assert not task.faults(NO_DATABASE, {"word": "teal"}, {"word": "Teal "})


@pytest.mark.parametrize(
    ("entries", "void"),
    [
        ([], "no tool of the server was called"),
        ([{"died": "closed"}], "the server died: closed"),
        ([{"call": "echo", "in": 1, "out": 1, "error": False}], ""),
    ],
)
def test_a_trial_without_a_server_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entries: list[dict[str, Any]], void: str
) -> None:
    """Neither does one whose server has died."""
    folders = Folders(tmp_path)
    folders.address.write_text(
        json.dumps({"url": "http://x.example", "db": "d", "login": "l", "secret": "s"}),
        encoding="utf-8",
    )
    folders.facts.write_text('{"sum_invoices": {"month": "May"}}', encoding="utf-8")
    for entry in entries:
        write_entry(folders.calls, entry)
    monkeypatch.setattr(checking, "Database", lambda address: None)

    result = checking.judge(folders)

    assert result["void"] == void
    assert result["tasks"]["sum_invoices"]
    assert len(read_log(folders.calls)) == len(entries)


def test_there_are_tasks_of_each_kind() -> None:
    """Twelve of everyday work, and twelve month-ends."""
    kinds = [task.kind for task in all_tasks().values()]

    assert kinds.count("everyday") == 12
    assert kinds.count("month_end") == 12
    assert kinds.count("planning") == 6
    assert kinds.count("refused") >= 6
    assert len(all_tasks((1, 2, 3))) == len(kinds) + 3


def test_no_counts_are_no_calls() -> None:
    """An empty log adds up to nothing."""
    assert count([]) == Counts()
