"""What takes back what a method did, where no row of a table can say it."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from odoo_toolkit.change_history import Write
from odoo_toolkit.client import Odoo
from odoo_toolkit.operations.steps import AnyStep


@attrs.frozen(kw_only=True)
class WayBack:
    """What takes back what a call did to one record.

    Attributes:
        model, ids: of the records that the steps act on.
        name: of the document.
        says: what comes of it, after "It would be ".
        steps: in order.
        blocked: why it cannot be done; None where nothing is known to keep it from being done.
        covers: model and id of the records that are settled by it: what was written to them, or
            created, before this in the same operation, is left as it is.
    """

    model: str
    ids: list[int]
    name: str
    says: str
    steps: list[AnyStep] = attrs.Factory(list)
    blocked: str | None = None
    covers: frozenset[tuple[str, int]] = frozenset()


#: Looks in Odoo how a call is taken back; writes nothing. Nothing where nothing is left of it.
Way = Callable[[Odoo, Write], list[WayBack]]
