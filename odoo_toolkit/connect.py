"""Says why there is no function ``connect``, where another project's ``__init__.py`` is in place.

``from odoo_toolkit import connect`` looks for a module only if ``odoo_toolkit`` has no such name.
"""

from odoo_toolkit.installation import clash

raise ImportError(clash() or "connect is a function: write 'from odoo_toolkit import connect'.")
