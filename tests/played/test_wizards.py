"""The live tests of this name, without an Odoo."""

from tests.live.test_wizards import *  # noqa: F403
