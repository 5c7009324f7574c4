"""``python -m odoo_toolkit_mcp`` is ``odoo-toolkit-mcp``."""

import sys

from odoo_toolkit_mcp.cli import main

sys.exit(main())
