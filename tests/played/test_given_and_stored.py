"""The live tests of this name, without an Odoo."""

from tests.live.test_given_and_stored import *  # noqa: F403
