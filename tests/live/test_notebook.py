"""The notebook in docs runs from top to bottom."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.live.servers import Server, User, credentials

NOTEBOOK = Path(__file__).parents[2] / "docs/explore.ipynb"
VARIABLES = {
    "url": "ODOO_URL",
    "database": "ODOO_DB",
    "username": "ODOO_USERNAME",
    "password": "ODOO_PASSWORD",
    "api_key": "ODOO_API_KEY",
}


def test_every_cell_runs(
    server: Server, user: User, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in credentials(server, user).items():
        monkeypatch.setenv(VARIABLES[name], value)
    names: dict[str, object] = {}
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)

    assert "did you mean name" in capsys.readouterr().out
    companies = names["companies"]
    assert "<table>" in companies._repr_html_()  # type: ignore[attr-defined]
