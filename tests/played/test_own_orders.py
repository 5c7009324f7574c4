"""The live tests of this name, without an Odoo."""

from tests.live.test_own_orders import *  # noqa: F403
