"""``python -m tests.proxies`` tries the proxies' files of docs/operating with nginx and Caddy.

Each is run with TLS in front of a server of its own and of a real Odoo. What is not installed is
unpacked from Debian's packages; where that cannot be, it is said, and left out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.provisioning.cache import ProvisioningError, progress
from tests.proxies.programs import PATHS, fetch


def main() -> int:
    """Fetch the programs, run the tests, and return the exit code."""
    missing = []
    for name in PATHS:
        try:
            progress(f"{fetch(name)}", name)
        except ProvisioningError as error:
            missing.append(name)
            print(f"SKIPPED: {name} cannot be tried: {error}", file=sys.stderr)
    if len(missing) == len(PATHS):
        return 0
    return int(pytest.main([str(Path(__file__).parent), "-ra", "--no-header", "-m", "proxies"]))


if __name__ == "__main__":
    raise SystemExit(main())
