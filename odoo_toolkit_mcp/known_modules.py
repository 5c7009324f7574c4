"""The Odoo modules that the tools depend on, remembered for the next start.

A client loads the list of tools before Odoo has answered, and many load it only once.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.errors import OdooConnectionError, OdooError
from odoo_toolkit.file_content import replacing

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo
    from odoo_toolkit.connection.settings import ConnectionSettings

logger = logging.getLogger(__name__)

#: Why a toolset is not registered as long as there is no connection.
WAITING = "waits for the connection to Odoo"


class KnownModules:
    """The modules of one user's Odoo, as it last answered.

    Args:
        file: of all databases at an address; None to remember nothing.
        key: of this database and user in the file.
    """

    def __init__(self, file: Path | None = None, key: str = "") -> None:
        self._file, self._key = file, key
        facts = self._in_file().get(key)
        facts = facts if isinstance(facts, dict) else {}
        major, missing = facts.get("odoo"), facts.get("missing")
        #: The major version of Odoo; None as long as nothing is known.
        self.major: int | None = major if isinstance(major, int) else None
        #: module -> why it is missing; an empty text for one that is installed.
        self.missing: dict[str, str] = missing if isinstance(missing, dict) else {}
        #: What the user may do, for :class:`KnownRights`.
        self.rights: Any = facts.get("rights", {})

    def look_up(self, odoo: Odoo, modules: Iterable[str]) -> None:
        """Find out which modules are installed.

        Raises:
            OdooConnectionError: Odoo went away meanwhile.
        """

        def ask(module: str) -> str:
            try:
                installed = odoo.schema.module_installed(module, alone=True)
            except OdooConnectionError:
                raise
            except OdooError:
                installed = False
            return (
                "" if installed else f"module {module!r} is not installed, or not open to this user"
            )

        asked = sorted(modules)
        found = side_by_side([partial(ask, module) for module in asked])
        self.missing |= zip(asked, found, strict=True)

    def obstacle(self, module: str) -> str | None:
        """Return why a module is missing, None if it is installed."""
        return self.missing.get(module, WAITING) or None

    def keep(self) -> None:
        """Write the file, if anything has changed."""
        facts = {"odoo": self.major, "missing": self.missing, "rights": self.rights}
        if self._file is None or self._in_file().get(self._key) == facts:
            return
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with replacing(self._file) as part:
                part.write_text(json.dumps({**self._in_file(), self._key: facts}), "utf-8")
        except OSError as error:
            logger.debug("The server cannot store the list of Odoo's modules: %s", error)

    def _in_file(self) -> dict[str, Any]:
        try:
            found = json.loads(self._file.read_text("utf-8")) if self._file else {}
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}


def modules_of(settings: ConnectionSettings) -> KnownModules:
    """Return the modules of a connection, in a file beside the usual history, if that is used."""
    # Imported here: the server must be able to start without it.
    from odoo_toolkit.change_history.places import AUTO, usual_file

    if settings.history not in (None, AUTO):
        return KnownModules()
    key = f"{settings.database or ''} {settings.username or ''}"
    return KnownModules(usual_file(settings.url).with_suffix(".modules.json"), key)
