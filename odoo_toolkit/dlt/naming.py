"""Names of tables and datasets, as a destination will have them.

dlt makes names of its own of those that it is given: ``Sale_Order`` and ``sale-order`` become
``sale_order``. What is kept of a table goes by the name that was given, so two such names would be
one table whose rows nobody guards. Only names that stay as they are given are taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from odoo_toolkit.errors import ValidationError

#: Most letters of a table's name: dlt takes names of 64 for a source, which begins with ``odoo_``.
_LONGEST = 59
#: dlt's own tables begin with it.
_OF_DLT = "_dlt"


def table_named(dlt: Any, model: str, table: str | None) -> str:
    """Return the name of a model's table at the destination.

    Args:
        dlt: the library.
        model: such as ``sale.order``.
        table: the name that was asked for; by default the model's, with ``_`` for each dot.

    Raises:
        ValidationError: the destination would give the table another name, or cannot have it.
    """
    naming = dlt.Schema("odoo").naming
    name: str = table or naming.normalize_table_identifier(model.replace(".", "_"))
    _check("table", name, naming.normalize_table_identifier)
    if len(name) > _LONGEST or name.startswith(_OF_DLT):
        raise ValidationError(
            f"A table cannot have the name {name!r:.80}.",
            suggestion=f"Choose a name of at most {_LONGEST} letters that does not begin with "
            f"{_OF_DLT}.",
        )
    return name


def check_dataset(dlt: Any, dataset: str) -> None:
    """Refuse a dataset to which the destination would give another name.

    Raises:
        ValidationError: it would.
    """
    _check("dataset", dataset, dlt.Schema("odoo").naming.normalize_identifier)


def _check(what: str, name: str, normalised: Callable[[str], str]) -> None:
    becomes = normalised(name) if name.strip() else ""
    if becomes != name:
        told = f"{becomes!r:.80} at the destination" if becomes else "no name at all"
        raise ValidationError(
            f"The {what} {name!r:.80} would become {told}, which may conflict with another name.",
            suggestion=f"Choose {becomes!r:.80}, or another name of lower-case letters, digits "
            "and single underscores."
            if becomes
            else "Choose a name that contains only lower-case letters, digits and underscores.",
        )
