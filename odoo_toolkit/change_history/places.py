"""Where a change history is kept, and for how long, as the settings say."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import urlsplit

from odoo_toolkit.change_history.recording import History
from odoo_toolkit.connection.settings import ConnectionSettings

#: Words in place of a path.
AUTO, OFF = "auto", "off"


def history_of_settings(settings: ConnectionSettings, *, unset: str = OFF) -> History | None:
    """Return the change history that the settings name; its file is opened when it is first used.

    Args:
        settings: of the connection.
        unset: what holds where they say nothing: ``auto``, ``off`` or a path.
    """
    place = settings.history or unset
    if place == OFF:
        return None
    path = usual_file(settings.url) if place == AUTO else place
    return History(path, days=settings.history_days, megabytes=settings.history_megabytes)


def usual_file(url: str) -> Path:
    """Return the path of the history of an Odoo in the person's folder; one for each address.

    The databases of one address are apart within it. The command and the MCP server share it.
    """
    if os.name == "nt" and os.environ.get("LOCALAPPDATA"):
        folder = Path(os.environ["LOCALAPPDATA"])
    else:
        folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    parts = urlsplit(url)
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", f"{parts.netloc}{parts.path}").strip("-.")
    return folder / "odoo-toolkit" / "history" / f"{name or 'odoo'}.sqlite"
