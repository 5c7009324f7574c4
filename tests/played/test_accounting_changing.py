"""The live tests of this name, without an Odoo."""

from tests.live.test_accounting_changing import *  # noqa: F403
