"""The command ``odoo-toolkit``: the library's functions from the shell.

It needs click and rich, the extra ``cli``; nothing else of the library imports them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec

#: Exit status of a command that lacks what it needs, as of other wrong settings.
_WRONG_SETTINGS = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    Args:
        arguments: as on the command line; those of the process by default.
    """
    if missing := [name for name in ("click", "rich") if find_spec(name) is None]:
        verb = "is" if len(missing) == 1 else "are"
        sys.stderr.write(
            f"odoo-toolkit: {' and '.join(missing)} {verb} not installed, and the command needs"
            " both. Run: pip install 'odoo-toolkit[cli]'\n"
        )
        return _WRONG_SETTINGS
    from odoo_toolkit.cli.commands import commands

    return commands.run(arguments)
