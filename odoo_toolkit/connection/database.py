"""The database to connect to, asked from the server where the settings do not name one."""

from __future__ import annotations

from odoo_toolkit.connection.http import Http
from odoo_toolkit.errors import ConfigurationError, OdooConnectionError, OdooError


def listed_databases(http: Http) -> list[str] | None:
    """Return the names of the databases that the server serves; None where it does not tell.

    Raises:
        OdooConnectionError: it cannot be reached.
    """
    try:
        names = http.json("POST", "/web/database/list", json={})["result"]
    except OdooConnectionError as error:
        if error.outcome == "not_sent" or error.code == "TIMEOUT":
            raise
        return None
    except (OdooError, KeyError, TypeError):
        return None
    return [str(name) for name in names] if isinstance(names, list) else None


def find_database(http: Http) -> str:
    """Return the name of the only database that the server serves.

    Raises:
        ConfigurationError: it serves none or several, or does not tell.
        OdooConnectionError: it cannot be reached.
    """
    names = listed_databases(http)
    if names and len(names) == 1:
        return names[0]
    if names:
        reason = f"The server has several databases: {', '.join(names)}."
    else:
        reason = "The server does not list its databases."
    raise ConfigurationError(
        f"{reason} Set the database (ODOO_DB).", suggestion="Set ODOO_DB to its name."
    )
