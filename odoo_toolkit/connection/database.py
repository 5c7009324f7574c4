"""The database to connect to, asked from the server where the settings do not name one."""

from __future__ import annotations

from odoo_toolkit.connection.http import Http
from odoo_toolkit.errors import ConfigurationError, OdooConnectionError, OdooError


def find_database(http: Http) -> str:
    """Return the name of the only database that the server serves.

    Raises:
        ConfigurationError: it serves none or several, or does not tell.
        OdooConnectionError: it cannot be reached.
    """
    try:
        names = http.json("POST", "/web/database/list", json={})["result"]
    except OdooConnectionError as error:
        if error.outcome == "not_sent" or error.code == "TIMEOUT":
            raise
        names = None
    except (OdooError, KeyError, TypeError):
        names = None
    if isinstance(names, list) and len(names) == 1:
        return str(names[0])
    if isinstance(names, list) and names:
        reason = f"The server serves several databases: {', '.join(map(str, names))}."
    else:
        reason = "The server does not tell which databases it serves."
    raise ConfigurationError(
        f"{reason} database (ODOO_DB) must be given.", suggestion="Set ODOO_DB to its name."
    )
