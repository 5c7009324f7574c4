"""The paths that a team's server answers, and that the proxies of docs/operating let through."""

from __future__ import annotations

import re
from pathlib import Path

from starlette.routing import Route

from odoo_toolkit_mcp.accounts.app import TeamServer
from odoo_toolkit_mcp.accounts.team import team_of
from odoo_toolkit_mcp.settings import HEALTH_PATH, METRICS_PATH
from tests.proxies.running import FILES, HOST
from tests.team.people import NOWHERE

#: What a proxy keeps from everybody.
FOR_THE_MACHINE = frozenset({HEALTH_PATH, METRICS_PATH})

#: Of an identity provider; it is not asked.
_ISSUER = {
    "url": "https://login.example.com",
    "jwks_url": "https://login.example.com/keys",
    "claim": "email",
    "scopes": ["odoo"],
}


def paths_of_a_team(folder: Path) -> set[str]:
    """Return the paths of a team's server for people, with and without an issuer.

    They are those of the application itself, so that a new one is never forgotten.

    Args:
        folder: for the stores.
    """
    found: set[str] = set()
    for number, more in enumerate(({}, {"issuer": _ISSUER})):
        content = {
            "public_url": f"https://{HOST}",
            "store": f"paths-{number}.sqlite",
            "instances": {"main": dict(NOWHERE), "the-2nd_one": dict(NOWHERE)},
            **more,
        }
        server = TeamServer(team_of(content, folder))
        routes = server.app().routes
        server.store.close()
        assert all(isinstance(route, Route) for route in routes)
        found |= {route.path for route in routes if isinstance(route, Route)}
    assert found >= FOR_THE_MACHINE
    return found - FOR_THE_MACHINE


def let_through() -> dict[str, re.Pattern[str]]:
    """Return by the name of each file of docs/operating which paths it passes on."""
    nginx = (FILES / "nginx.conf").read_text("utf-8")
    places = re.findall(r"location (~|=) (\S+) \{([^}]*)\}", nginx)
    patterns = [
        text if kind == "~" else f"^{re.escape(text)}$"
        for kind, text, body in places
        if "proxy_pass" in body
    ]
    (caddy,) = re.findall(r"path_regexp (\S+)", (FILES / "Caddyfile").read_text("utf-8"))
    return {
        "nginx.conf": re.compile("|".join(f"(?:{pattern})" for pattern in patterns)),
        "Caddyfile": re.compile(caddy),
    }
