"""``odoo-toolkit-mcp config``: what each client is told, and what is written into its file."""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
import tomlkit

from odoo_toolkit_mcp import client_config
from odoo_toolkit_mcp.cli import main
from odoo_toolkit_mcp.client_config import CLIENTS, client_file

KEY = "the-secret-key"
SETTINGS = {
    "ODOO_URL": "https://odoo.example.com",
    "ODOO_USERNAME": "ann",
    "ODOO_API_KEY": KEY,
    "ODOO_MCP_MODE": "restricted",
    "ODOO_MCP_WRITE_ALLOWLIST": "res.partner",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of a person who has started every client once, and no settings."""
    for variable in list(os.environ):
        if variable.startswith("ODOO_"):
            monkeypatch.delenv(variable)
    for variable in ("XDG_CONFIG_HOME", "APPDATA", "CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    for client in CLIENTS.values():
        client_file(client).parent.mkdir(parents=True, exist_ok=True)
    return tmp_path


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings of a person who has tried the server in a shell."""
    for variable, value in SETTINGS.items():
        monkeypatch.setenv(variable, value)


def server_in(path: Path, client: str, name: str = "odoo") -> dict[str, Any]:
    """The server that a client would find in its file."""
    text = path.read_text("utf-8")
    document = tomlkit.parse(text).unwrap() if path.suffix == ".toml" else json.loads(text)
    server: dict[str, Any] = document[CLIENTS[client].section][name]
    return server


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.usefixtures("settings")
def test_written_for_every_client(client: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = client_file(CLIENTS[client])

    assert main(["config", client, "--write"]) == 0

    server = server_in(path, client)
    assert Path(server["command"]).is_absolute()
    assert server["env"] | {"ODOO_API_KEY": KEY} == SETTINGS
    out, told = capsys.readouterr()
    assert out == ""
    assert str(path) in told
    assert KEY not in path.read_text("utf-8") + told
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("client", [name for name in CLIENTS if name != "claude-code"])
@pytest.mark.usefixtures("settings")
def test_printed_as_it_would_be_written(client: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", client]) == 0
    out, told = capsys.readouterr()
    path = client_file(CLIENTS[client])
    assert str(path) in told
    assert not path.exists()

    main(["config", client, "--write"])

    written = path.read_text("utf-8")
    parse = tomlkit.parse if path.suffix == ".toml" else json.loads
    assert parse(out) == parse(written)


@pytest.mark.usefixtures("settings")
def test_a_command_line_for_claude_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ODOO_DB", "Ann's books; rm -rf")

    assert main(["config", "claude-code", "--name", "books"]) == 0

    words = shlex.split(capsys.readouterr().out)
    assert words[:6] == ["claude", "mcp", "add", "books", "--scope", "user"]
    assert "ODOO_DB=Ann's books; rm -rf" in words
    assert "ODOO_API_KEY=YOUR_API_KEY" in words
    assert Path(words[words.index("--") + 1]).is_absolute()


def test_without_settings_what_is_needed_is_to_be_filled_in(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["config", "cursor"]) == 0

    out, told = capsys.readouterr()
    assert json.loads(out)["mcpServers"]["odoo"]["env"] == {
        "ODOO_URL": "https://example.odoo.com",
        "ODOO_USERNAME": "YOUR_LOGIN",
        "ODOO_API_KEY": "YOUR_API_KEY",
    }
    assert "Fill in ODOO_URL, ODOO_USERNAME, ODOO_API_KEY." in told


@pytest.mark.usefixtures("settings")
def test_the_key_is_written_when_that_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    for client in CLIENTS:
        assert main(["config", client, "--write", "--with-secrets"]) == 0
        assert server_in(client_file(CLIENTS[client]), client)["env"] == SETTINGS
    assert "Fill in" not in capsys.readouterr().err


@pytest.mark.usefixtures("settings")
def test_vs_code_asks_for_the_key(capsys: pytest.CaptureFixture[str]) -> None:
    path = client_file(CLIENTS["vscode"])
    path.write_text('{"inputs": [{"id": "other", "type": "promptString"}], "servers": {}}')

    for _ in range(2):
        assert main(["config", "vscode", "--write"]) == 0

    document = json.loads(path.read_text("utf-8"))
    assert [one["id"] for one in document["inputs"]] == ["other", "odoo_api_key"]
    assert document["inputs"][1]["password"] is True
    assert document["servers"]["odoo"]["env"]["ODOO_API_KEY"] == "${input:odoo_api_key}"
    assert "asks you for the key" in capsys.readouterr().err


@pytest.mark.usefixtures("settings")
def test_what_a_file_holds_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    path = client_file(CLIENTS["claude-desktop"])
    before = (
        '{\r\n    "scale": 1.5,\r\n    "mcpServers": {"files": {"command": "npx", "äö": [1]}},\r\n'
        '    "theme": "dark"\r\n}'
    )
    path.write_bytes(before.encode())

    assert main(["config", "claude-desktop", "--write"]) == 0

    after = path.read_bytes().decode()
    document = json.loads(after)
    assert document["mcpServers"].pop("odoo")
    assert document == json.loads(before)
    assert list(document) == ["scale", "mcpServers", "theme"]
    assert "äö" in after
    assert after.count("\n") == after.count("\r\n")
    assert '\n    "scale"' in after
    backup = path.with_name(path.name + ".bak")
    assert backup.read_bytes() == before.encode()
    assert str(backup) in capsys.readouterr().err
    assert {one.name for one in path.parent.iterdir()} == {path.name, backup.name}


@pytest.mark.usefixtures("settings")
def test_comments_of_toml_are_kept() -> None:
    path = client_file(CLIENTS["codex"])
    before = '# mine\nmodel = "o5"\n\n[mcp_servers.other] # keep\ncommand = "npx"\n'
    path.write_text(before)

    assert main(["config", "codex", "--write"]) == 0

    assert path.read_text("utf-8").startswith(before)
    assert server_in(path, "codex")["env"]["ODOO_USERNAME"] == "ann"


@pytest.mark.parametrize("client", CLIENTS)
def test_written_again_keeps_what_was_filled_in(
    client: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = client_file(CLIENTS[client])
    monkeypatch.setenv("ODOO_URL", "https://odoo.example.com")
    main(["config", client, "--write"])
    text = path.read_text("utf-8").replace("YOUR_LOGIN", "ann")
    text = re.sub(r"YOUR_API_KEY|\$\{input:odoo_api_key\}", KEY, text)
    path.write_text(text, "utf-8")
    capsys.readouterr()

    assert main(["config", client, "--write"]) == 0
    assert path.read_text("utf-8") == text
    assert not path.with_name(path.name + ".bak").exists()
    monkeypatch.setenv("ODOO_DB", "books")
    assert main(["config", client, "--write"]) == 0

    env = server_in(path, client)["env"]
    assert env["ODOO_DB"] == "books"
    assert (env["ODOO_USERNAME"], env["ODOO_API_KEY"]) == ("ann", KEY)
    assert "Fill in" not in capsys.readouterr().err


def test_a_password_that_was_filled_in_needs_no_key() -> None:
    path = client_file(CLIENTS["cursor"])
    main(["config", "cursor", "--write"])
    document = json.loads(path.read_text("utf-8"))
    env = document["mcpServers"]["odoo"]["env"]
    del env["ODOO_API_KEY"]
    env["ODOO_PASSWORD"] = "secret"
    path.write_text(json.dumps(document), "utf-8")

    assert main(["config", "cursor", "--write"]) == 0

    assert server_in(path, "cursor")["env"] == env


UNUSABLE = {
    "comments": '{\n  // mine\n  "mcpServers": {}\n}',
    "a trailing comma": '{"mcpServers": {},}',
    "a list": "[]",
    "half a file": '{"mcpServers": {"a": {"command": "x"',
    "servers that are no object": '{"mcpServers": []}',
    "the same key twice": '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}',
    "a number that is none": '{"scale": NaN}',
    "a number too large to write again": '{"scale": 1e999}',
    "half a character": '{"title": "\\ud83d"}',
    "another server of that name": '{"mcpServers": {"odoo": {"url": "https://mcp.example.com"}}}',
}


@pytest.mark.parametrize("content", UNUSABLE.values(), ids=UNUSABLE)
def test_a_file_that_cannot_be_kept_is_left_as_it_is(
    content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = client_file(CLIENTS["cursor"])
    path.write_text(content, "utf-8")

    assert main(["config", "cursor", "--write"]) == client_config.NOT_WRITTEN

    assert path.read_text("utf-8") == content
    assert list(path.parent.iterdir()) == [path]
    out, told = capsys.readouterr()
    assert "unchanged" in told
    assert json.loads(out)["mcpServers"]["odoo"], "what to paste by hand"


@pytest.mark.parametrize("content", [b"\xff\xfe{}", b"model = "], ids=["encoding", "syntax"])
def test_a_file_that_is_no_toml_is_left_as_it_is(
    content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = client_file(CLIENTS["codex"])
    path.write_bytes(content)

    assert main(["config", "codex", "--write"]) == client_config.NOT_WRITTEN

    assert path.read_bytes() == content
    assert "is not TOML" in capsys.readouterr().err


def test_another_server_of_that_name_can_be_stepped_aside() -> None:
    path = client_file(CLIENTS["cursor"])
    path.write_text(UNUSABLE["another server of that name"], "utf-8")

    assert main(["config", "cursor", "--write", "--name", "books"]) == 0

    servers = json.loads(path.read_text("utf-8"))["mcpServers"]
    assert list(servers) == ["odoo", "books"]


@pytest.mark.parametrize("step", ["copy2", "replace"])
def test_without_permission_nothing_is_changed(
    step: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = client_file(CLIENTS["cursor"])
    path.write_text("{}", "utf-8")
    monkeypatch.setattr("shutil.copy2", refuse)
    if step == "replace":
        monkeypatch.setattr("shutil.copy2", lambda source, target: None)
        monkeypatch.setattr("os.replace", refuse)

    assert main(["config", "cursor", "--write"]) == client_config.NOT_WRITTEN

    assert path.read_text("utf-8") == "{}"
    assert list(path.parent.iterdir()) == [path]
    assert "Permission denied" in capsys.readouterr().err


def test_what_a_client_writes_meanwhile_is_not_lost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = client_file(CLIENTS["claude-code"])
    path.write_text("{}", "utf-8")
    synchronise = os.fsync

    def write_too(file: int) -> None:
        synchronise(file)
        path.write_text('{"projects": {}}', "utf-8")

    monkeypatch.setattr("os.fsync", write_too)

    assert main(["config", "claude-code", "--write"]) == client_config.NOT_WRITTEN

    assert path.read_text("utf-8") == '{"projects": {}}'
    assert "Quit the client" in capsys.readouterr().err


def test_a_client_that_was_never_started(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / ".cursor").rmdir()

    assert main(["config", "cursor", "--write"]) == client_config.NOT_WRITTEN

    assert not (home / ".cursor").exists()
    assert "Start the client once" in capsys.readouterr().err


def test_a_link_to_the_file_stays_a_link(home: Path) -> None:
    real = home / "dotfiles.json"
    real.write_text("{}", "utf-8")
    path = client_file(CLIENTS["cursor"])
    path.symlink_to(real)

    assert main(["config", "cursor", "--write"]) == 0

    assert path.is_symlink()
    assert server_in(real, "cursor")


@pytest.mark.parametrize(
    ("platform", "client", "environ", "expected"),
    [
        ("darwin", "claude-desktop", {}, "Library/Application Support/Claude"),
        ("win32", "claude-desktop", {"APPDATA": "/roaming"}, "/roaming/Claude"),
        ("darwin", "vscode", {}, "Library/Application Support/Code/User"),
        ("win32", "vscode", {"APPDATA": "/roaming"}, "/roaming/Code/User"),
        ("linux", "vscode", {}, ".config/Code/User"),
        ("linux", "vscode", {"XDG_CONFIG_HOME": "/xdg"}, "/xdg/Code/User"),
        ("linux", "codex", {"CODEX_HOME": "/codex"}, "/codex"),
        ("win32", "claude-code", {}, ""),
        ("linux", "claude-code", {"CLAUDE_CONFIG_DIR": "/claude"}, "/claude"),
        ("darwin", "gemini", {}, ".gemini"),
    ],
)
def test_where_clients_keep_their_files(
    platform: str,
    client: str,
    environ: dict[str, str],
    expected: str,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    for variable, value in environ.items():
        monkeypatch.setenv(variable, value)

    assert client_file(CLIENTS[client]).parent == home / expected


@pytest.mark.usefixtures("settings")
def test_another_file(home: Path) -> None:
    path = home / "elsewhere.json"

    assert main(["config", "cursor", "--write", "--file", str(path)]) == 0

    assert server_in(path, "cursor")
    assert not client_file(CLIENTS["cursor"]).exists()


def test_settings_of_a_file_need_not_be_filled_in(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = {"odoo_url": "https://odoo.example.com", "odoo_username": "ann", "odoo_api_key": KEY}
    (home / "odoo.json").write_text(json.dumps(keys), "utf-8")
    monkeypatch.chdir(home)

    assert main(["config", "gemini", "--config", "odoo.json"]) == 0

    out, told = capsys.readouterr()
    server = json.loads(out)["mcpServers"]["odoo"]
    assert server["args"][-2:] == ["--config", str(home / "odoo.json")]
    assert server["env"] == {}
    assert "Fill in" not in told


@pytest.mark.usefixtures("settings")
def test_settings_that_would_not_work_are_not_passed_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ODOO_MCP_MODE", "everything")
    monkeypatch.setenv("ODOO_TIMEOUT", "-1")

    assert main(["config", "cursor", "--write"]) == client_config.WRONG_SETTINGS

    told = capsys.readouterr().err
    assert "ODOO_MCP_MODE must be one of" in told
    assert "ODOO_TIMEOUT must be" in told
    assert not client_file(CLIENTS["cursor"]).exists()


@pytest.mark.usefixtures("settings")
def test_what_is_of_http_and_relative_paths(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(home)
    monkeypatch.setenv("ODOO_MCP_TRANSPORT", "http")
    monkeypatch.setenv("ODOO_MCP_AUTH_TOKEN", "a-token-of-sixteen-characters")
    monkeypatch.setenv("ODOO_MCP_AUDIT_FILE", "audit.log")

    assert main(["config", "cursor"]) == 0

    env = json.loads(capsys.readouterr().out)["mcpServers"]["odoo"]["env"]
    assert "ODOO_MCP_TRANSPORT" not in env
    assert "ODOO_MCP_AUTH_TOKEN" not in env
    assert env["ODOO_MCP_AUDIT_FILE"] == str(home / "audit.log")


def test_where_there_is_no_command_the_module_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *arguments, **options: None)

    assert client_config.server_command() == [sys.executable, "-m", "odoo_toolkit_mcp"]


@pytest.mark.parametrize("name", ["", "my books", "a.b", "x" * 65])
def test_names_that_some_client_refuses(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["config", "cursor", "--write", "--name", name])

    assert ended.value.code == client_config.WRONG_SETTINGS
    assert not client_file(CLIENTS["cursor"]).exists()
    assert "letters, digits, - and _" in capsys.readouterr().err


def test_a_server_in_a_cache_is_told_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "prefix", "/home/ann/.cache/uv/archive-v0/abc")

    assert main(["config", "cursor"]) == 0

    assert "runs from a cache" in capsys.readouterr().err


# A server elsewhere --------------------------------------------------------------------------

URL = "https://mcp.example.com/mcp"
REMOTE: dict[str, dict[str, Any]] = {
    "claude-code": {"type": "http", "url": URL, "headers": {}},
    "cursor": {"url": URL, "headers": {}},
    "vscode": {"type": "http", "url": URL, "headers": {}},
    "codex": {"url": URL, "http_headers": {}},
    "gemini": {"httpUrl": URL, "headers": {}},
    "claude-desktop": {"command": "npx", "args": ["-y", "mcp-remote", URL], "env": {}},
}


def remote(client: str, *more: str) -> int:
    return main(["config", client, "--write", "--url", URL, *more])


@pytest.mark.usefixtures("settings")
@pytest.mark.parametrize("client", REMOTE)
def test_a_server_elsewhere_is_named_by_its_url_and_nothing_else(client: str) -> None:
    assert remote(client) == 0
    assert server_in(client_file(CLIENTS[client]), client) == REMOTE[client]


@pytest.mark.usefixtures("settings")
@pytest.mark.parametrize("client", REMOTE)
def test_what_a_server_here_was_started_with_does_not_stay(client: str) -> None:
    assert main(["config", client, "--write", "--with-secrets"]) == 0
    path = client_file(CLIENTS[client])
    assert KEY in path.read_text()
    assert remote(client) == 0
    assert server_in(path, client) == REMOTE[client]
    for told in (KEY, "ann", "restricted", "res.partner", "odoo.example.com"):
        assert told not in path.read_text()


@pytest.mark.parametrize("client", REMOTE)
def test_headers_are_filled_in_once(client: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert remote(client, "--header", "Authorization", "--header", "X-Odoo-Api-Key") == 0
    assert "Fill in" in capsys.readouterr().err or client == "vscode"
    path = client_file(CLIENTS[client])
    before = path.read_text()
    assert "Authorization" in before
    filled = before.replace("YOUR_TOKEN", "t-1").replace("${input:odoo_mcp_api_key}", "k-1")
    path.write_text(filled)
    assert remote(client, "--header", "Authorization", "--header", "X-Odoo-Api-Key") == 0
    assert path.read_text() == filled


def test_another_server_at_another_url_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    path = client_file(CLIENTS["cursor"])
    other = {"mcpServers": {"odoo": {"url": "https://other.example.com/mcp"}}}
    path.write_text(json.dumps(other))
    assert remote("cursor") == 1
    assert json.loads(path.read_text()) == other
    assert URL in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["--url", "http://mcp.example.com/mcp"],
        ["--url", "https://ann:key@mcp.example.com/mcp"],
        ["--url", "mcp.example.com"],
        ["--url", URL, "--with-secrets"],
        ["--url", URL, "--config", "settings.json"],
        ["--header", "Authorization"],
    ],
)
def test_what_would_not_be_safe_or_of_use_is_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["config", "cursor", "--write", *arguments])
    assert left.value.code == 2
    assert not client_file(CLIENTS["cursor"]).exists()
