"""The live tests of this name, without an Odoo."""

from tests.live.test_calendar_privacy import *  # noqa: F403
