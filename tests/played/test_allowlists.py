"""The live tests of this name, without an Odoo."""

from tests.live.test_allowlists import *  # noqa: F403
