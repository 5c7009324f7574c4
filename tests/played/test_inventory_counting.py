"""The live tests of this name, without an Odoo."""

from tests.live.test_inventory_counting import *  # noqa: F403
