"""The live tests of this name, without an Odoo."""

from tests.live.test_stored_as_given import *  # noqa: F403
