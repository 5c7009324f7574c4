"""Records of any model as Arrow data."""

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
    """Return every record that matches as a stream of Arrow batches, read while it is used.

    DuckDB, polars, pandas, pyarrow and others read it as it is, through the PyCapsule interface
    of Arrow, and ``write`` writes a Parquet or Arrow file; memory stays flat, whatever the number.

    >>> lines = to_arrow(odoo, "sale.order.line", [["state", "=", "sale"]],
    ...                  ["order_id", "product_uom_qty", "price_subtotal"])
    >>> lines.write("lines.parquet")

    Each column has a type that follows from its field in Odoo, the same on every page; what is
    empty is null. See the guide to Arrow for the types.

    Args:
        odoo: the connection.
        model: such as ``res.partner``.
        domain: which records; a list of conditions or a :class:`~odoo_toolkit.arguments.Domain`.
        fields: names of fields and dotted paths, as of :func:`search_read`.
        order: as of :func:`search_read`; by id where none is given.
        batch: records that one request reads, and rows of a batch.
        context: extends the base context; ``lang`` is the language of translated texts.
        decimals: whether money, and floats whose digits Odoo fixes, are decimals; else floats.
        progress: as of :func:`iterate`.
        check: as of :func:`iterate`; ``stream.report`` tells of the last use, and the metadata of
            a Parquet file keep it.

    Raises:
        ValidationError: INVALID_DOMAIN, INVALID_FIELD, an order or a batch that is none, a binary
            field or properties.
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
        ConfigurationError: pyarrow is not installed.
    """
    imported()
    found = iterate(odoo, model, domain, fields, order, batch, context, progress, check=check)
    return found.to_arrow(decimals=decimals)
