"""The live tests of this name, without an Odoo."""

from tests.live.test_names import *  # noqa: F403
