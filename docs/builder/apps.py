"""The business apps, as the code has them: a list of them that is kept by hand grows old."""

from __future__ import annotations

import pkgutil

from odoo_toolkit import apps
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS

#: Toolsets that are described in the guide of another one.
_GUIDES = {"contacts": "crm", "helpdesk": "project", "calendar": "chatter", "mail": "reports"}


def business_apps() -> list[str]:
    """Return the names of the modules in ``odoo_toolkit.apps``, in the order of the toolsets."""
    order = [toolset().metadata().name for toolset in ALL_TOOLSETS]
    return sorted((found.name for found in pkgutil.iter_modules(apps.__path__)), key=order.index)


def guide(toolset: str) -> str:
    """Return the page that describes a toolset."""
    return _GUIDES.get(toolset, toolset)
