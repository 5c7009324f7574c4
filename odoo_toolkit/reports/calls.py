"""What the calls that find and print reports have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo


def look(
    odoo: Odoo,
    model: str,
    method: str,
    ids: Sequence[int] | None = None,
    *,
    timeout: float | None = None,
    **arguments: Any,
) -> Any:
    """Return what the toolkit reads for itself, whatever lists of models say.

    Args:
        odoo: the connection.
        model: that is read.
        method: by which it is read.
        ids: the records, where the method takes them.
        timeout: seconds to wait at least.
        arguments: of the method.
    """
    return odoo.call(
        Call(
            model=model,
            method=method,
            ids=ids,
            arguments=arguments,
            step=True,
            internal=True,
            timeout=timeout,
        )
    )
