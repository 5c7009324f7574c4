"""What a search leaves out because the policy closes it: nothing is hidden in silence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from odoo_toolkit.call import Call, parameter_names
from odoo_toolkit.client import Odoo
from odoo_toolkit.compat import FILTERED_AFTER_LIMIT
from odoo_toolkit.errors import OdooError
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.policy.owners import is_owned
from odoo_toolkit.policy.sending import left_out

T = TypeVar("T")


def with_left_out(
    odoo: Odoo, call: Call, warnings: list[str], search: Callable[[], T], total: bool = False
) -> tuple[T, int | None]:
    """Search, and find out beside it how many records the policy leaves out; warn of them.

    Args:
        odoo: the connection.
        call: what is searched for; of others than searches nothing is found out.
        warnings: where the sentence is added.
        search: makes the call.
        total: whether all that match are counted; else they are not, where that takes Odoo long.

    Returns:
        What ``search`` returns, and the number; None where it is not told.
    """
    if not is_owned(call.model) or "domain" not in (parameter_names(call.method) or ()):
        return search(), 0

    def hidden() -> int | None:
        counted = total or call.model not in FILTERED_AFTER_LIMIT
        domain = call.arguments.get("domain") or ()
        try:
            return left_out(odoo, call.model, domain, call.context, counted)
        except OdooError:
            return None

    actions: list[Callable[[], Any]] = [search, hidden]
    found, number = side_by_side(actions)
    if number is None:
        warnings.append(
            f"Records of {call.model} that belong to closed models or fields are left out. How"
            " many of them match is not shown: any number here counts only those that can be seen."
        )
    elif number:
        warnings.append(
            f"{number} records of {call.model} are left out: they belong to closed models or"
            " fields."
        )
    return found, number
