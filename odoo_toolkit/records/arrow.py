"""A function that returns records of any model as Arrow data."""

from __future__ import annotations

from odoo_toolkit.annotations import Context, Domain, Fields, Model
from odoo_toolkit.client import Odoo
from odoo_toolkit.records.arrow_columns import imported
from odoo_toolkit.records.arrow_stream import ArrowStream
from odoo_toolkit.records.iterate import BATCH, iterate
from odoo_toolkit.records.progress_bar import Progress
from odoo_toolkit.records.rows import DEFAULT_FIELDS


def to_arrow(
    odoo: Odoo,
    model: Model,
    domain: Domain = (),
    fields: Fields = DEFAULT_FIELDS,
    *,
    order: str | None = None,
    batch: int = BATCH,
    context: Context = None,
    decimals: bool = True,
    progress: bool | Progress = False,
    check: bool = False,
) -> ArrowStream:
    """Return every record that matches a domain as a stream of Arrow batches.

    >>> lines = to_arrow(odoo, "sale.order.line", [["state", "=", "sale"]],
    ...                  ["order_id", "product_uom_qty", "price_subtotal"])
    >>> lines.write("lines.parquet")

    DuckDB, polars, pandas and pyarrow accept the stream directly, through the PyCapsule interface
    of Arrow. To write a Parquet or Arrow file, call ``write``. Records are read while you use them,
    so memory use stays flat.

    The type of each column follows from its field in Odoo, so it is the same on every page. Empty
    values are null. The Arrow guide lists the types.

    Args:
        fields: Field names and dotted paths, as in :func:`search_read`.
        order: Order, as in :func:`search_read`. Default: by id.
        batch: Records per request, and rows per batch.
        context: Keys to add to the context of the connection. Set ``lang`` for translated texts.
        decimals: True if money is decimal, and also floats with a number of digits fixed by Odoo.
            Otherwise they are floats.
        progress: See :func:`iterate`.
        check: See :func:`iterate`. ``stream.report`` describes the last use, and a Parquet file
            stores it in its metadata.

    Raises:
        ValidationError: INVALID_DOMAIN, INVALID_FIELD, a wrong order or batch, or a binary or
            properties field.
        NotFoundError: The model does not exist.
        AccessError: Odoo or the policy does not allow it.
        ConfigurationError: pyarrow is not installed.
    """
    imported()
    found = iterate(odoo, model, domain, fields, order, batch, context, progress, check=check)
    return found.to_arrow(decimals=decimals)
