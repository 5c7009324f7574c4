"""The live tests of this name, without an Odoo."""

from tests.live.test_sales import *  # noqa: F403
