"""The live tests of this name, without an Odoo."""

from tests.live.test_helpdesk import *  # noqa: F403
