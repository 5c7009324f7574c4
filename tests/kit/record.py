"""Record the scenarios of operations: ``python -m tests.kit.record 19 14 -k sales``.

Each version is recorded on a copy of its demo data, in a process of its own. A scenario that fails
keeps the recording that it had, and is named at the end.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback

import attrs

from odoo_toolkit import connect
from odoo_toolkit.change_history import History
from odoo_toolkit.notebook import Connection
from tests.kit.recordings import Recording, Recordings, Tape, standing_still
from tests.kit.scenarios import names, play
from tests.live.accounting_data import accountant
from tests.live.servers import Server, User, credentials, read_entry
from tests.provisioning.copies import copied
from tests.provisioning.releases import RELEASES


def main(arguments: list[str]) -> int:
    """Record versions one after the other; return how many scenarios failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="+", choices=sorted(RELEASES))
    parser.add_argument("-k", default="", help="only scenarios whose name has this")
    given = parser.parse_args(arguments)
    failed = []
    for version in map(int, given.versions):
        recordings = Recordings.read(version)
        with copied(RELEASES[str(version)]) as entry:
            server = read_entry(entry)
            people = {"accountant": accountant(server)}
            for name in names(version):
                if given.k in name:
                    try:
                        recordings.tapes[name] = record(server, people, name, recordings)
                    except Exception:
                        failed.append(f"{name} on {version}")
                        traceback.print_exc()
                    print(version, name, failed[-1:], flush=True)
        if not given.k:
            recordings.tapes = {
                name: recordings.tapes[name] for name in names(version) if name in recordings.tapes
            }
        recordings.write(version)
    print(f"Failed: {', '.join(failed) or 'none'}")
    return len(failed)


def record(server: Server, people: dict[str, User], name: str, recordings: Recordings) -> Tape:
    """Run a scenario on a real Odoo, and return what went over the wire."""
    tape = Tape(moment=int(time.time()))

    def opened(user: str, journal: History | None) -> Connection:
        person = people.get(user) or server.user("admin")
        real = connect(**credentials(server, person))
        tape.version = attrs.asdict(real.version)
        transport = Recording(
            real._connected().transport, real.version, real.uid, user, tape, recordings
        )
        return Connection(real.settings, transport=transport, history=journal).connect()

    with standing_still(name, tape.moment):
        play(name, opened)
    return tape


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
