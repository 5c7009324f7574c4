"""The live tests of this name, without an Odoo."""

from tests.live.test_prompts import *  # noqa: F403
