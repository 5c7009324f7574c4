"""``python -m tests.attacks``: all attacks on all servers, with every model where a run samples."""

from __future__ import annotations

import os
import sys

import pytest

from tests.attacks.fuzz import EVERYTHING

if __name__ == "__main__":
    os.environ[EVERYTHING] = "1"
    options = ("--everything", "--receipt", "attack", "-n", "2")
    sys.exit(pytest.main(["tests/attacks", *options, *sys.argv[1:]]))
