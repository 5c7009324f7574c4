"""The live tests of this name, without an Odoo."""

from tests.live.test_mail import *  # noqa: F403
