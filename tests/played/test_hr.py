"""The live tests of this name, without an Odoo."""

from tests.live.test_hr import *  # noqa: F403
