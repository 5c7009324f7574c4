"""The live tests of this name, without an Odoo."""

from tests.live.test_purchase_documents import *  # noqa: F403
