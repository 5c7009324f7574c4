"""What became of records that are no longer found: deleted, or no longer to be seen by the user.

A search leaves out both. Reading by ids tells them apart, on every version and for every user:
records that are not there are left out of the answer, and for those that are there, but not for
this user, Odoo refuses the whole answer. What cannot be told is not taken for deleted.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.dlt.tables import Table
from odoo_toolkit.errors import OdooError
from odoo_toolkit.progress import checkpoint
from odoo_toolkit.records.rows import existing_ids

#: Ids that are asked for at a time, and how often it is asked at most.
_CHUNK, _MOST = 500, 1000


@attrs.frozen
class Gone:
    """Ids by what became of their records.

    Attributes:
        deleted: they are not there.
        left: they are there, and no longer match.
        not_accessible: the user cannot read them, or nobody could tell.
    """

    deleted: frozenset[int]
    left: frozenset[int]
    not_accessible: frozenset[int]


def what_became_of(odoo: Odoo, table: Table, ids: Iterable[int]) -> Gone:
    """Tell deleted records from hidden ones, of ids that a search did not find.

    Where very many are hidden, it stops asking and takes the rest for hidden.
    """
    wanted = sorted(set(ids))
    waiting = [wanted[at : at + _CHUNK] for at in range(0, len(wanted), _CHUNK)]
    there: set[int] = set()
    deleted: set[int] = set()
    for _ in range(_MOST):
        if not waiting:
            break
        checkpoint()
        chunk = waiting.pop()
        found = _read(odoo, table, chunk)
        if found is not None:
            there |= found
            deleted |= set(chunk) - found
        elif len(chunk) > 1:
            half = len(chunk) // 2
            waiting += [chunk[half:], chunk[:half]]
    seen = existing_ids(odoo, table.model, sorted(there), table.context) if there else []
    left = frozenset(seen) if table.domain else frozenset()
    return Gone(frozenset(deleted), left, frozenset(wanted) - deleted - left)


def _read(odoo: Odoo, table: Table, ids: list[int]) -> set[int] | None:
    """Return which of the records there are; None where Odoo refuses to tell."""
    call = Call(
        model=table.model,
        method="read",
        ids=ids,
        # Asked for the id alone, Odoo echoes ids that do not exist.
        arguments={"fields": ["write_date"]},
        context=table.context,
        step=True,
    )
    try:
        return {row["id"] for row in odoo.call(call)}
    except OdooError as error:
        if error.code not in ("ACCESS_DENIED", "NOT_FOUND"):
            raise
        return None
