"""The live tests of this name, without an Odoo."""

from tests.live.test_products import *  # noqa: F403
