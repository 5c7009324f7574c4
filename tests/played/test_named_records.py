"""The live tests of this name, without an Odoo."""

from tests.live.test_named_records import *  # noqa: F403
