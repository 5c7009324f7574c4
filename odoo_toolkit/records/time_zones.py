"""The time zone in which a day or a time of day is meant."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from odoo_toolkit.call import asking
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooConnectionError, OdooError
from odoo_toolkit.values.periods import time_zone


class DayZone:
    """The time zone of the days in one question: ``tz`` of its context, or :func:`own_zone`.

    It is found out at its first use, as most questions name no day.

    Attributes:
        name: of the zone, once it is used.
    """

    def __init__(self, odoo: Odoo, context: Mapping[str, Any] | None) -> None:
        self._odoo, self._context = odoo, context or {}
        self.name: str | None = None

    def __call__(self) -> tzinfo:
        """Return the zone.

        Raises:
            ValidationError: the context or the settings name a zone that does not exist.
        """
        if self._context.get("tz"):
            zone = time_zone(self._context)
        else:
            time_zone(self._odoo.settings.base_context)
            zone = own_zone(self._odoo)
        self.name = "UTC" if zone is UTC else str(zone)
        return zone

    def context(self) -> dict[str, Any]:
        """Return the context in which Odoo's days are ours, too, if the question has days."""
        zoned = self.name and self.name != (self._odoo.settings.tz or "UTC")
        return {**self._context, **({"tz": self.name} if zoned else {})}


def own_zone(odoo: Odoo) -> ZoneInfo:
    """Return the time zone in which people mean a day: that of the settings, else of the user.

    UTC in the settings is the default, not a choice: then it is the zone of the user in Odoo,
    whose day Odoo's own forms take, too (``fields.Date.context_today``, 14 to 19). One round trip,
    once for a connection; none if the settings name another zone.

    Example:
        >>> own_zone(odoo).key
        'Europe/Brussels'
    """
    name = odoo.settings.tz
    if name in ("", "UTC"):
        name = odoo.schema.remember("time zone of the user", lambda: _of_user(odoo))
    try:
        return ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def own_context(odoo: Odoo) -> dict[str, str]:
    """Return the context in which Odoo's present day is ours: what we date, it must not call late.

    A credit note of tomorrow's date is not posted, and near midnight our day is tomorrow in UTC.
    """
    name = own_zone(odoo).key
    return {} if name == (odoo.settings.tz or "UTC") else {"tz": name}


def _of_user(odoo: Odoo) -> str:
    # Not context_get: its answer is one that Odoo 14 cannot write as XML-RPC.
    call = asking("res.users", "read", (odoo.uid,), fields=["tz"])
    try:
        rows = odoo.call(call)
    except OdooConnectionError:
        raise
    except OdooError:
        return "UTC"
    return str((rows and rows[0].get("tz")) or "UTC")
