"""``odoo://config/...``: what this server lets its clients do."""

from __future__ import annotations

from typing import Any

from odoo_toolkit_mcp.resources.subscriptions import MOST_SUBSCRIPTIONS
from odoo_toolkit_mcp.resources.uris import MOST_RECORDS
from odoo_toolkit_mcp.settings import ServerSettings, policy_of


def safety(settings: ServerSettings) -> dict[str, Any]:
    """Return the mode, what is open and closed, and the limits; no secrets are among them."""
    rules = policy_of(settings).describe()
    return {
        "operation_mode": rules.pop("mode"),
        **rules,
        "rate_limit": _rate_limit(settings),
        "limits": {
            "search_limit": settings.search_limit,
            "search_max_limit": settings.search_max_limit,
            "resource_max_limit": min(MOST_RECORDS, settings.search_max_limit),
            "attachment_max_mb": settings.attachment_max_mb,
            "subscriptions_per_client": MOST_SUBSCRIPTIONS,
            "subscription_interval_seconds": settings.subscription_interval,
        },
    }


def _rate_limit(settings: ServerSettings) -> dict[str, Any] | None:
    """Return the rates of one client; None where calls are not limited."""
    if not settings.rate_limit:
        return None
    return {
        "calls_per_minute": settings.rate_limit_rpm,
        "calls_per_hour": settings.rate_limit_rph,
        "burst": settings.rate_limit_burst,
        "reads_per_minute": settings.rate_limit_read_rpm,
        "writes_per_minute": settings.rate_limit_write_rpm,
    }
