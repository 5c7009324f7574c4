"""The toolsets, in the order in which their tools are listed."""

from odoo_toolkit_mcp.toolsets.base import BaseToolset
from odoo_toolkit_mcp.toolsets.core import CoreToolset

ALL_TOOLSETS: list[type[BaseToolset]] = [CoreToolset]
