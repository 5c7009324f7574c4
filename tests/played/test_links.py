"""The live tests of this name, without an Odoo."""

from tests.live.test_links import *  # noqa: F403
