"""The command ``odoo-toolkit``: the library's functions from the shell.

It needs click and rich, the extra ``cli``; nothing else of the library imports them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec

from odoo_toolkit.installation import clash, how_to_install

#: Exit status of a command that lacks what it needs, as of other wrong settings.
_WRONG_SETTINGS = 3
#: As of programs that a signal ends: SIGINT.
INTERRUPTED = 130
NOTHING_WRITTEN = "Interrupted: nothing was written."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    Args:
        arguments: as on the command line; those of the process by default.
    """
    if problem := clash():
        sys.stderr.write(f"odoo-toolkit: {problem}\n")
        return _WRONG_SETTINGS
    if missing := [name for name in ("click", "rich") if find_spec(name) is None]:
        sys.stderr.write(
            f"odoo-toolkit: the command also needs {' and '.join(missing)}."
            f" {how_to_install('cli')}\n"
        )
        return _WRONG_SETTINGS
    try:
        from odoo_toolkit.cli.commands import commands
    except KeyboardInterrupt:
        sys.stderr.write(f"{NOTHING_WRITTEN}\n")
        return INTERRUPTED

    return commands.run(arguments)
