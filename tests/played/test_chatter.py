"""The live tests of this name, without an Odoo."""

from tests.live.test_chatter import *  # noqa: F403
