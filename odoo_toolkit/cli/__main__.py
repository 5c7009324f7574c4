"""``python -m odoo_toolkit.cli`` is ``odoo-toolkit``."""

import sys

from odoo_toolkit.cli import main

sys.exit(main())
