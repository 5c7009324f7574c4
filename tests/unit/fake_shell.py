"""The command ``odoo-toolkit`` on an Odoo in memory, within this process."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from odoo_toolkit.cli import connecting
from odoo_toolkit.cli.commands import commands
from odoo_toolkit.cli.connecting import WatchedOdoo
from odoo_toolkit.testing import FakeServer

ENVIRONMENT = {
    "ODOO_URL": "http://odoo.test",
    "ODOO_DB": "test",
    "ODOO_USERNAME": "ann",
    "ODOO_PASSWORD": "secret-of-ann",
}

Run = Callable[..., Result]


def depot(**options: Any) -> FakeServer:
    """Return an Odoo with a few contacts."""
    return FakeServer(
        {
            "res.country": {"name": "char", "code": "char"},
            "res.partner": {
                "name": "char",
                "ref": "char",
                "email": "char",
                "active": "boolean",
                "color": "integer",
                "credit_limit": "float",
                "country_id": "many2one res.country",
                "category_id": "many2many res.partner.category",
            },
            "res.partner.category": {"name": "char"},
            "sale.order": {
                "name": "char",
                "rate": {"type": "float", "string": "Rate", "digits": [16, 2], "store": True},
            },
        },
        records={
            "res.country": [{"id": 20, "name": "Belgium", "code": "BE"}],
            "res.partner": [
                {"id": 7, "name": "Azure", "ref": "007", "active": True, "country_id": 20},
                {"id": 8, "name": "Brandon", "ref": "8", "active": True, "credit_limit": 80.5},
            ],
            "res.partner.category": [{"id": 1, "name": "Gold"}],
            "ir.model.data": [],
            "sale.order": [],
        },
        **options,
    )


def connected_to(server: FakeServer) -> Any:
    """Return what takes the place of ``WatchedOdoo`` and has a server in memory."""
    return partial(WatchedOdoo, transport=server)


@pytest.fixture
def server() -> FakeServer:
    """The server that ``run`` works with."""
    return depot()


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, server: FakeServer) -> Run:
    """Run a command line: ``run("count", "res.partner").stdout``."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(connecting, "WatchedOdoo", connected_to(server))

    def run(*arguments: str, input: str | bytes | None = None) -> Result:  # noqa: A002
        return CliRunner().invoke(commands, arguments, input=input, catch_exceptions=False)

    return run
