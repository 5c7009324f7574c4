"""The live tests of this name, without an Odoo."""

from tests.live.test_export import *  # noqa: F403
