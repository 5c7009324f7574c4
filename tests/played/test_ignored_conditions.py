"""The live tests of this name, without an Odoo."""

from tests.live.test_ignored_conditions import *  # noqa: F403
