"""The command as a process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.live.servers import Server, User

COMMAND = [sys.executable, "-m", "odoo_toolkit.cli"]
ROOT = Path(__file__).parents[2]


def environment(server: Server, user: User, **more: str) -> dict[str, str]:
    """Return the environment of a command that works as a user."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("ODOO_")}
    settings = {
        "ODOO_URL": server.url,
        "ODOO_DB": server.db,
        "ODOO_USERNAME": user.login,
        "ODOO_PASSWORD": user.password,
    }
    return {**kept, **settings, "PYTHONPATH": str(ROOT), **more}


VARIABLES = {
    "url": "ODOO_URL",
    "database": "ODOO_DB",
    "username": "ODOO_USERNAME",
    "password": "ODOO_PASSWORD",
    "api_key": "ODOO_API_KEY",
}
