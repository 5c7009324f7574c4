"""The live tests of this name, without an Odoo."""

from tests.live.test_sales_processing import *  # noqa: F403
