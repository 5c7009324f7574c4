"""The live tests of this name, without an Odoo."""

from tests.live.test_aggregate import *  # noqa: F403
