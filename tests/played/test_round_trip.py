"""The live tests of this name, without an Odoo."""

from tests.live.test_round_trip import *  # noqa: F403
