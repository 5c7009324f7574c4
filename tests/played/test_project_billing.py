"""The live tests of this name, without an Odoo."""

from tests.live.test_project_billing import *  # noqa: F403
