"""The live tests of this name, without an Odoo."""

from tests.live.test_operation_commands import *  # noqa: F403
