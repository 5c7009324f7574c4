"""Every writing operation on six versions, as it went over the wire of a real Odoo of each."""

from __future__ import annotations

import json
import lzma
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
import time_machine

from odoo_toolkit.call import Call
from tests.kit import record
from tests.kit.recordings import FOLDER, Played, Recordings, StaleRecordingError
from tests.kit.scenarios import names, play_back
from tests.provisioning.releases import RELEASES

VERSIONS = sorted(map(int, RELEASES))

kept = cache(Recordings.read)


@pytest.mark.parametrize(
    ("version", "name"), [(version, name) for version in VERSIONS for name in names(version)]
)
def test_an_operation_and_its_way_back_send_what_was_recorded(version: int, name: str) -> None:
    play_back(version, name, kept(version))


def test_a_recording_is_played_on_any_day() -> None:
    with time_machine.travel(datetime(2040, 2, 29, 23, 59, tzinfo=UTC)):
        play_back(19, "write", kept(19))


def _cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def _of_another_form(path: Path) -> None:
    path.write_bytes(lzma.compress(b'{"answers": {}, "tapes": {"write": {"calls": []}}}'))


def _of_another_version(path: Path) -> None:
    path.write_bytes((FOLDER / "odoo-18.json.xz").read_bytes())


def _less_sent(path: Path) -> None:
    found = Recordings.read(19)
    del found.tapes["write, lines"].exchanges[-1]
    found.write(19)


def _no_answers(path: Path) -> None:
    content = json.loads(lzma.decompress(path.read_bytes()))
    path.write_bytes(lzma.compress(json.dumps({**content, "answers": {}}).encode()))


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (Path.unlink, "It is not recorded."),
        (_cut_off, "odoo-19.json.xz cannot be read"),
        (_of_another_form, "odoo-19.json.xz cannot be read"),
        (_of_another_version, "odoo-19.json.xz is of Odoo 18"),
        (_less_sent, "is sent, and no more calls is recorded"),
        (_no_answers, "is missing"),
    ],
)
def test_a_recording_that_is_missing_or_damaged_says_how_to_record_it(
    harm: Callable[[Path], None],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """So does the list of what is stale, without a server."""
    path = tmp_path / "odoo-19.json.xz"
    shutil.copy(FOLDER / path.name, path)
    monkeypatch.setattr("tests.kit.recordings.FOLDER", tmp_path)
    harm(path)
    assert record.main(["19", "--check", "-k", "write, lines"]) == 1
    printed = capsys.readouterr().out
    assert said in printed
    assert "python -m tests.kit.record 19" in printed


WRITE = {"model": "res.partner", "method": "write", "ids": [1], "arguments": {"vals": {"ref": "a"}}}


@pytest.mark.parametrize(
    ("recorded", "said"),
    [
        ({**WRITE, "arguments": {"vals": {"ref": "b"}}}, 'vals.ref is "b" in the recording, and'),
        ({**WRITE, "arguments": {"vals": {"ref": "b" * 9000}}}, 'vals.ref is "bbb'),
        ({**WRITE, "arguments": {"vals": {str(n): n for n in range(999)}}}, "and 995 more"),
        ({**WRITE, "context": {"lang": "fr_FR"}}, 'context is gone: {"lang": "fr_FR"}'),
        ({**WRITE, "ids": [1, 2]}, "ids is [1, 2] in the recording, and sent as [1]"),
        ({**WRITE, "method": "copy"}, "res.partner.write is sent, and res.partner.copy is record"),
    ],
)
def test_a_stale_recording_says_in_short_what_changed(recorded: dict[str, Any], said: str) -> None:
    stale = partial(StaleRecordingError, version=19, name="write")
    pending = [["odoo", recorded, "", False], *(["odoo", WRITE, "", False] for _ in range(99))]
    played = Played(kept(19), pending, stale)
    with pytest.raises(StaleRecordingError) as changed:
        played.answer("odoo", Call(**{**WRITE, "ids": (1,)}))
    with pytest.raises(StaleRecordingError, match=r"No longer sent: .* and 95 more") as gone:
        played.end()
    assert said in str(changed.value)
    for error in (changed, gone):
        assert "python -m tests.kit.record 19 -k write" in str(error.value)
        assert len(str(error.value)) < 900


def test_nothing_is_said_of_a_recording_that_is_as_it_was(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert record.main(["19", "14", "--check", "-k", "write, lines"]) == 0
    assert "Stale: none" in capsys.readouterr().out
