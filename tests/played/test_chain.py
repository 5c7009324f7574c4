"""The live tests of this name, without an Odoo."""

from tests.live.test_chain import *  # noqa: F403
