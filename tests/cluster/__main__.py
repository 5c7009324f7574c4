"""``make cluster``: four processes behind nginx, killed in the middle of work, counted afterwards.

``python -m tests.cluster [versions]`` makes a fresh copy of each Odoo, 19 by default.
"""

from __future__ import annotations

import sys

from tests.cluster.trial import Cluster, Fault, trial
from tests.live.servers import read_entry
from tests.provisioning import copies
from tests.provisioning.cache import ProvisioningError
from tests.provisioning.releases import RELEASES
from tests.proxies.programs import fetch

FAULTS: list[Fault] = [
    lambda cluster: cluster.kill(0),
    lambda cluster: cluster.kill(1),
    lambda cluster: cluster.restart_store("fast"),
    lambda cluster: cluster.kill(2),
    Cluster.change_keys,
    lambda cluster: cluster.restart_store("immediate"),
    lambda cluster: cluster.kill(3),
    lambda cluster: cluster.kill(0),
]


def main(versions: list[str]) -> int:
    """Try it with each version; return how much was wrong."""
    try:
        program = fetch("nginx")
    except ProvisioningError as error:
        print(f"Without nginx, requests are handed round in the test itself: {error}")
        program = None
    wrong = 0
    for version in versions:
        with copies.copied(RELEASES[version], workers=2) as entry:
            server = read_entry(entry)
            outcome = trial(server, processes=4, people=6, steps=60, faults=FAULTS, program=program)
        print(f"Odoo {version}:", *outcome.lines, sep="\n  ")
        print(f"  wrong: {len(outcome.wrong)}", *outcome.wrong, sep="\n    ")
        wrong += len(outcome.wrong)
    return wrong


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:] or ["19"]), 1))
