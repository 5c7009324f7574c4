"""The guide for operators: its settings are right, and its metrics are those that there are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from odoo_toolkit.configuration import load
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit_mcp.metrics import Metrics
from odoo_toolkit_mcp.server import OdooServer
from odoo_toolkit_mcp.settings import ServerSettings

GUIDE = (Path(__file__).parents[2] / "docs/operating.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The settings of the guide, with credentials in place of the dots."""
    lines = dict(re.findall(r"^(ODOO_\w+)=(.*)$", blocks("sh")[0], re.MULTILINE))
    assert len(lines) > 10
    lines["ODOO_MCP_AUDIT_FILE"] = str(tmp_path / "audit.jsonl")
    return {name: "x" * 32 if value == "..." else value for name, value in lines.items()}


def test_its_settings_make_a_server(environ: dict[str, str]) -> None:
    connection, problems = load(ConnectionSettings, environ=environ)
    server, more = load(ServerSettings, environ=environ)

    assert problems + more == []
    assert connection is not None
    assert server is not None
    read = {f.metadata["env"] for c in (connection, server) for f in c.__attrs_attrs__}
    assert set(environ) <= read


def test_its_metrics_are_those_that_there_are(environ: dict[str, str]) -> None:
    connection, _ = load(ConnectionSettings, environ=environ)
    settings, _ = load(ServerSettings, environ=environ)
    assert connection is not None
    assert settings is not None
    text = Metrics(OdooServer(connection, settings, [])).text().decode()
    exposed = set(re.findall(r"^# TYPE (odoo_mcp_\w+)", text, re.MULTILINE))

    assert set(re.findall(r"^\| `(odoo_mcp_\w+)`", GUIDE, re.MULTILINE)) == exposed
    asked = set(re.findall(r"odoo_mcp_\w+", "".join(blocks(""))))
    assert {re.sub("_(sum|bucket|count)$", "", name) for name in asked} <= exposed


def test_its_json_is_json() -> None:
    for block in blocks("json"):
        json.loads(block)
