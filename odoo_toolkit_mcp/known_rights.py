"""The access rights of users, by their groups. The list leaves out tools that always fail.

Odoo gives access rights to groups. So one request, for the groups of a user, shows whether the
rights are known. The list is comfort: a tool that is called by its name runs, and Odoo decides.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from odoo_toolkit.call import asking
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.errors import OdooConnectionError, OdooError

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo

#: Seconds after which the rights of groups are asked for again: an administrator may change them.
LIFETIME = 86_400.0


class KnownRights:
    """What each set of groups may do, as Odoo last answered; safe to share between threads.

    Args:
        clock: seconds since 1970.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        #: groups -> when they were asked for, and right -> whether these groups have it.
        self._known: dict[str, tuple[float, dict[str, bool]]] = {}

    def look_up(self, odoo: Odoo, needs: Iterable[str], *, again: bool = False) -> str | None:
        """Find out the rights of the connected user, and return the user's groups.

        None if Odoo does not tell the groups.

        Args:
            odoo: the connection.
            needs: rights to know, such as ``write sale.order``.
            again: ask for the rights, even if those of these groups are known.
        """
        if (groups := _groups_of(odoo)) is None:
            return None
        asked, known = self._known.get(groups, (0.0, {}))
        now = self._clock()
        if again or not 0 <= now - asked < LIFETIME:
            asked, known = now, {}
        missing = sorted({*filter(None, needs)} - known.keys())
        rights = side_by_side([lambda need=need: _has(odoo, need) for need in missing])  # type: ignore[misc]
        told = zip(missing, rights, strict=True)
        self._known[groups] = asked, known | {need: has for need, has in told if has is not None}
        return groups

    def denied(self, groups: str | None) -> frozenset[str]:
        """Return the rights that users of some groups are known not to have."""
        _, known = self._known.get(groups or "", (0.0, {}))
        return frozenset(need for need, has in known.items() if not has)

    def to_file(self, groups: str | None) -> dict[str, Any]:
        """Return what is known of some groups, for :meth:`from_file`."""
        asked, known = self._known.get(groups or "", (0.0, {}))
        return {"groups": groups, "asked": asked, "rights": known} if known else {}

    def from_file(self, facts: Any) -> str | None:
        """Remember what a file says of a user, and return the user's groups."""
        try:
            groups, asked, rights = facts["groups"], float(facts["asked"]), dict(facts["rights"])
        except (LookupError, TypeError, ValueError):
            return None
        if not isinstance(groups, str):
            return None
        known = {need: has for need, has in rights.items() if isinstance(has, bool)}
        self._known.setdefault(groups, (asked, known))
        return groups


def _groups_of(odoo: Odoo) -> str | None:
    # Groups that another one implies are apart from 19 on.
    field = "all_group_ids" if odoo.version.major >= 19 else "groups_id"
    try:
        (row,) = odoo.call(asking("res.users", "read", (odoo.uid,), fields=[field]))
        return ",".join(map(str, sorted(row[field])))
    except (OdooError, LookupError, TypeError, ValueError):
        return None


def _has(odoo: Odoo, need: str) -> bool | None:
    """Return whether the connected user has a right; None if Odoo does not answer.

    If Odoo does not tell, the user may have it.
    """
    operation, model = need.split()
    try:
        return odoo.schema.ask_right(model, operation)
    except OdooConnectionError:
        return None
    except OdooError:
        return True
