"""Files of the toolkit's own: a readonly server makes none, and no link leads out of a folder."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.errors import AccessError
from odoo_toolkit.file_content import NewFile
from odoo_toolkit.records.importing import upsert
from odoo_toolkit_mcp import cli
from odoo_toolkit_mcp.requests import history_for
from odoo_toolkit_mcp.settings import ServerSettings
from tests.attacks.policies import Raw, connected, raw
from tests.live.conftest import admin, server, suffix
from tests.live.servers import Server

__all__ = ["admin", "raw", "server", "suffix"]


@pytest.mark.parametrize("mode", ["readonly", "restricted"])
def test_only_a_server_that_writes_makes_a_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    path = tmp_path / "folder" / "history.sqlite"
    for name, value in {
        "ODOO_URL": "http://127.0.0.1:1",
        "ODOO_DB": "x",
        "ODOO_USERNAME": "x",
        "ODOO_PASSWORD": "x",
        "ODOO_HISTORY": str(path),
        "ODOO_MCP_MODE": mode,
    }.items():
        monkeypatch.setenv(name, value)
    connection, settings, problems, _ = cli._settings(cli._parser().parse_args([]))
    assert problems == []
    assert isinstance(connection, ConnectionSettings)
    assert isinstance(settings, ServerSettings)
    journal = history_for(connection, settings)
    assert (journal is not None) == (mode != "readonly") == path.exists()
    if journal:  # a readonly server shows the one that is there
        monkeypatch.setenv("ODOO_MCP_MODE", "readonly")
        connection, settings, *_ = cli._settings(cli._parser().parse_args([]))
        assert connection
        assert settings
        assert history_for(connection, settings) is not None


@pytest.mark.parametrize("there", [True, False], ids=["a file", "nothing"])
@pytest.mark.parametrize("name", ["report.pdf", "../report.pdf", "..\\report.pdf"])
def test_a_link_in_the_download_folder_is_not_followed(
    tmp_path: Path, name: str, there: bool
) -> None:
    folder, outside = tmp_path / "downloads", tmp_path / "outside.pdf"
    folder.mkdir()
    if there:
        outside.write_bytes(b"mine")
    (folder / "report.pdf").symlink_to(outside)
    (tmp_path / "report.pdf").symlink_to(outside)
    with NewFile(folder, name) as file:
        file.write(base64.b64encode(b"content"))
    assert outside.exists() == there
    assert not there or outside.read_bytes() == b"mine"
    (written,) = [path for path in folder.iterdir() if not path.is_symlink()]
    assert written.read_bytes() == b"content"


@pytest.mark.parametrize("moved", ["the file", "the folder"])
def test_a_file_that_fails_removes_no_other_one(tmp_path: Path, moved: str) -> None:
    """Somebody moves it meanwhile, and puts another file, or a link to a folder, in its place."""
    folder, other = tmp_path / "downloads", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    (other / "report.pdf").write_bytes(b"mine")
    file = NewFile(folder, "report.pdf")
    if moved == "the folder":
        folder.rename(tmp_path / "away")
        folder.symlink_to(other)
    else:
        file.path.rename(folder / "away.pdf")
        file.path.write_bytes(b"mine")
    file.__exit__(KeyError)
    assert (folder / "report.pdf").read_bytes() == b"mine"


@pytest.mark.parametrize("name", ["pipe", "folder", "a link to a device", "a link to itself"])
def test_nothing_that_is_there_is_opened(tmp_path: Path, name: str) -> None:
    """Opening a pipe would wait for ever."""
    there = tmp_path / "report.pdf"
    {
        "pipe": lambda: os.mkfifo(there),
        "folder": there.mkdir,
        "a link to a device": lambda: there.symlink_to("/dev/null"),
        "a link to itself": lambda: there.symlink_to(there),
    }[name]()
    with NewFile(tmp_path, "/../report.pdf") as file:
        file.write(base64.b64encode(b"content"))
    assert (tmp_path / "report (2).pdf").read_bytes() == b"content"


@pytest.mark.every_version
@pytest.mark.parametrize(
    ("model", "row", "missing"),
    [
        ("crm.lead", {"name": "Lead", "partner_id": "{}"}, "res.partner"),
        ("crm.lead", {"name": "Lead", "tag_ids": "{}"}, "crm.tag"),
        ("res.partner", {"name": "Contact", "category_id": "{}"}, "res.partner.category"),
    ],
    ids=str,
)
@pytest.mark.parametrize("mode", ["restricted", "full"])
def test_an_import_creates_no_records_of_other_models(
    server: Server,
    raw: Raw,
    suffix: str,
    model: str,
    row: dict[str, str],
    missing: str,
    mode: str,
) -> None:
    name = f"Missing {suffix}"
    rows: Any = [{key: value.format(name) for key, value in row.items()}]
    lists = {"model_blocklist": missing} if mode == "full" else {"write_allowlist": model}
    key = "name"
    with connected(server, mode=mode, **lists) as closed, pytest.raises(AccessError) as caught:
        upsert(closed, model, rows, key=key, create_missing=[missing], notify=True)
    assert caught.value.code in ("MODE_VIOLATION", "MODEL_BLOCKED")
    assert missing in caught.value.message
    assert raw(missing, "search_count", [["name", "=", name]]) == 0
    with connected(server) as opened:
        upsert(opened, model, rows, key=key, create_missing=[missing])
    assert raw(missing, "search_count", [["name", "=", name]]) == 1
    raw.clean(model, [["name", "=", row["name"]]])
    raw.clean(missing, [["name", "=", name]])
