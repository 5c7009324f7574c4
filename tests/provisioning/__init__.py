"""Provision real Odoo servers on loopback, for tests and for the demo.

Odoo 14 and 19 come from Debian packages, 15 to 18 from a source tree. Run it as
``python -m tests.provisioning start 19 14`` from the checkout. It needs only the standard library,
because it runs before any virtual environment exists.
"""
