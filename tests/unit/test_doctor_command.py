"""``odoo-toolkit doctor``: text, JSON, exit status, profiles."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import responses

from odoo_toolkit.cli import main
from odoo_toolkit.doctor import diagnosis
from tests.unit.wire import RECORDED, URL

KEY = "f21a2556452a8dfe1069194344b0a8e654a67bd5"


@pytest.fixture(autouse=True)
def profiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of the file of profiles, in a folder of its own; there is none yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("APPDATA", raising=False)
    path = tmp_path / "odoo-toolkit" / "profiles.ini"
    path.parent.mkdir()
    return path


@pytest.fixture
def refusing(mock: responses.RequestsMock) -> responses.RequestsMock:
    """An Odoo 14 that accepts no login."""
    mock.add("POST", f"{URL}/web/webclient/version_info", json=RECORDED["14"]["version_info"])
    mock.add("POST", f"{URL}/web/database/list", json=RECORDED["14"]["database_list"])
    mock.add("POST", f"{URL}/jsonrpc", json=RECORDED["14"]["login_refused"])
    return mock


def write_profile(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o600)


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    status = main([*arguments, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_a_profile_is_looked_at_and_named_as_the_origin(
    refusing: responses.RequestsMock, profiles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_profile(profiles, f"[shop]\nurl = {URL}\nusername = ann\napi_key = {KEY}\n")

    status, told = as_json(capsys, "doctor", "--profile", "shop")
    assert status == 5
    rows = told["steps"][0]["details"]
    assert {row["from"] for row in rows} == {"profile shop"}
    assert KEY not in json.dumps(told)
    # A profile has no variables of the environment to correct.
    assert "ODOO_" not in json.dumps(told)


def test_the_key_of_a_profile_may_come_from_the_environment(
    refusing: responses.RequestsMock,
    profiles: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_profile(profiles, f"[shop]\nurl = {URL}\nusername = ann\n")
    monkeypatch.setenv("ODOO_PROFILE", "shop")
    monkeypatch.setenv("ODOO_API_KEY", KEY)

    _, told = as_json(capsys, "doctor")
    origins = {row["setting"]: row["from"] for row in told["steps"][0]["details"]}
    assert origins["url"] == "profile shop"
    assert origins["api_key"] == "environment variable ODOO_API_KEY"


@pytest.mark.parametrize(
    ("text", "said"), [("[shop]\nurl = nowhere\n", "url"), ("[other]\n", "no profile 'shop'")]
)
def test_a_profile_that_is_wrong_is_the_problem(
    profiles: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    write_profile(profiles, text)

    status, told = as_json(capsys, "--profile", "shop", "doctor")
    assert status == 3
    assert said in told["steps"][0]["meaning"]
    assert [step["status"] for step in told["steps"][1:]] == ["skipped"] * 9


@pytest.mark.parametrize(("encoding", "marks"), [("utf-8", "✓✗-"), ("ascii", "+x-")])
def test_marks_are_what_the_terminal_can_show(
    refusing: responses.RequestsMock,
    monkeypatch: pytest.MonkeyPatch,
    encoding: str,
    marks: str,
) -> None:
    for name, value in {"ODOO_URL": URL, "ODOO_USERNAME": "a", "ODOO_PASSWORD": "b"}.items():
        monkeypatch.setenv(name, value)
    raw = io.BytesIO()
    terminal = io.TextIOWrapper(raw, encoding=encoding)
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", "60")

    assert main(["doctor"]) == 5
    terminal.flush()
    text = re.sub(r"\x1b\[[0-9;]*m", "", raw.getvalue().decode(encoding))
    advice = text.split("What to do: ")[-1].split("\n- ")[0].splitlines()
    assert len(advice) > 2
    assert max(map(len, advice)) <= 60
    begin = {line[0] for line in text.splitlines() if not line.startswith(" ")}
    # A connection by http to another machine is a warning.
    assert begin == {*marks, "!"}
    assert set(diagnosis.MARKS.values()) == {"✓", "!", "✗", "-"}
