"""What the toolkit is installed as, and whether another project's files lie among its own.

The project ``odoo-toolkit`` in the package index is somebody else's, and has a folder
``odoo_toolkit``, too. Installers put the files of both into one folder: ``__init__.py`` is then
that of whichever came last, and is gone when either is removed.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
from typing import Literal

DISTRIBUTION = "odoo-toolkit-mcp"
Extra = Literal["cli", "pandas", "arrow", "dlt", "postgres"]

_FOREIGN = re.compile(r"odoo[-_.]toolkit-(?P<version>\d[^-]*).*\.(?:dist|egg)-info", re.IGNORECASE)

#: The folder that the packages lie in. The foreign project does harm only there.
_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def version() -> str:
    """Return the version that is installed."""
    # Imported here: it takes longer than the rest of `import odoo_toolkit`.
    from importlib.metadata import version as installed

    return installed(DISTRIBUTION)


def how_to_install(extra: Extra) -> str:
    """Return the command that installs an extra: from the package index, and in a checkout.

    Example:
        >>> how_to_install("cli")
        "Run: pip install 'odoo-toolkit-mcp[cli]'. In a checkout: pip install '.[cli]'"
    """
    return f"Run: pip install '{DISTRIBUTION}[{extra}]'. In a checkout: pip install '.[{extra}]'"


@functools.cache
def clash() -> str | None:
    """Return what is wrong with the files of this package, and what to do; None if nothing is.

    It looks at names in one folder: the metadata of installed packages take a hundred times as
    long to read.
    """
    names: list[str] = []
    with contextlib.suppress(OSError):  # in a zip file, say
        names = os.listdir(_FOLDER)
    for name in names:
        if foreign := _FOREIGN.fullmatch(name):
            return (
                f"odoo-toolkit {foreign['version']}, another project, is installed in the same"
                f" environment ({_FOLDER}). Both have a folder odoo_toolkit and overwrite each"
                f" other's files. Remove both: pip uninstall odoo-toolkit {DISTRIBUTION}; then"
                f" install the one you need: pip install {DISTRIBUTION}. To have both, give each"
                " an environment of its own."
            )
    if not hasattr(sys.modules[__package__], "_HOMES"):
        return (
            f"The file __init__.py in {os.path.join(_FOLDER, 'odoo_toolkit')} is missing or another"
            " project's: odoo-toolkit, which has a folder of that name, was installed or removed"
            f" here. Repair it: pip install --force-reinstall --no-deps {DISTRIBUTION}"
        )
    return None
