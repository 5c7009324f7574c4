"""The live tests of this name, without an Odoo."""

from tests.live.test_deep_search import *  # noqa: F403
