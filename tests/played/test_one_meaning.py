"""The live tests of this name, without an Odoo."""

from tests.live.test_one_meaning import *  # noqa: F403
