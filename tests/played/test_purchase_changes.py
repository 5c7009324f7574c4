"""The live tests of this name, without an Odoo."""

from tests.live.test_purchase_changes import *  # noqa: F403
