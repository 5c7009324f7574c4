"""The live tests of this name, without an Odoo."""

from tests.live.test_restocking import *  # noqa: F403
