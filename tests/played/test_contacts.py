"""The live tests of this name, without an Odoo."""

from tests.live.test_contacts import *  # noqa: F403
