"""Provision real Odoo servers from Debian packages, on loopback, for tests and for the demo.

Run it as ``python -m tests.provisioning start 19 14`` from the checkout. It needs only the
standard library, because it runs before any virtual environment exists.
"""
