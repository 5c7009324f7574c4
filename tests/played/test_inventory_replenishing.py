"""The live tests of this name, without an Odoo."""

from tests.live.test_inventory_replenishing import *  # noqa: F403
