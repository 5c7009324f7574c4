"""What the demo prints to go on with, and that it sells only once."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import anyio
import pytest

from tests.demo.__main__ import main, settings
from tests.live.servers import Server
from tests.provisioning.cache import shown_mark, write_json

OURS = Server("odoo-19", "http://127.0.0.1:1", "odoo19", "admin", "pass", "key", version="19")
ENV = {"ODOO_URL": OURS.url, "ODOO_API_KEY": "it's a key", "ODOO_MCP_MODE": "full"}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder with one server, and a session that only counts how often it was shown."""
    monkeypatch.setenv("ODOO_TOOLKIT_CACHE", str(tmp_path))
    monkeypatch.delenv("ODOO_TOOLKIT_SERVERS_FILE", raising=False)
    monkeypatch.delenv("ODOO_TEST_SERVERS", raising=False)
    write_json(tmp_path / "servers.json", [vars(OURS)])
    monkeypatch.setattr(anyio, "run", lambda *_: print("sold"))
    return tmp_path


def test_a_shell_and_a_client_take_what_is_printed() -> None:
    lines = "\n".join(settings(OURS, "/venv/bin/odoo-toolkit-mcp", ENV)).splitlines()
    (export,) = [line for line in lines if line.startswith("export ")]
    shown = subprocess.run(
        ["sh", "-c", f'{export}; printf "%s %s" "$ODOO_API_KEY" "$ODOO_MCP_MODE"'],
        env={},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == "it's a key "
    assert ". /venv/bin/activate" in lines
    start, end = lines.index('{"mcpServers": {"odoo-19": {'), lines.index("}}}")
    assert json.loads("\n".join(lines[start : end + 1])) == {
        "mcpServers": {"odoo-19": {"command": "/venv/bin/odoo-toolkit-mcp", "env": ENV}}
    }


def test_the_last_line_removes_all_that_the_demo_leaves(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/my state")
    monkeypatch.setattr("sys.prefix", "/checkout/.venv")
    *_, last = settings(OURS, "odoo-toolkit-mcp", ENV)
    for left in (str(cache), "/checkout/.venv", "'/my state/odoo-toolkit/history/127.0.0.1-1'.*"):
        assert f" {left}" in last


def test_the_key_of_a_server_of_yours_is_not_printed() -> None:
    mine = Server("mine", "http://odoo.test", "db", "ann", "pass", "secret")
    text = "\n".join(settings(mine, "odoo-toolkit-mcp", {**ENV, "ODOO_API_KEY": "secret"}))
    assert "secret" not in text
    assert "ODOO_API_KEY=..." in text


def test_the_session_is_shown_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odoo-19"]) == 0
    assert "sold" in capsys.readouterr().out

    assert main(["odoo-19"]) == 0
    second = capsys.readouterr().out
    assert "sold" not in second
    assert "make demo AGAIN=yes" in second
    assert "export ODOO_URL=" in second
    assert len(second.splitlines()) <= 22

    assert main(["odoo-19", "--again"]) == 0
    assert "sold" in capsys.readouterr().out


def test_a_session_that_stopped_is_shown_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no server")

    monkeypatch.setattr(anyio, "run", fail)
    assert main(["odoo-19"]) == 1
    assert "The demo stopped: no server" in capsys.readouterr().err
    assert not shown_mark(OURS.name, OURS.db).exists()
