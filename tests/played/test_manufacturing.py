"""The live tests of this name, without an Odoo."""

from tests.live.test_manufacturing import *  # noqa: F403
