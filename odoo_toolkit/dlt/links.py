"""Links of x2many fields: which records of another model each record has.

Odoo does not always note with a record that its links changed: not where another record is deleted
to which they led, nor where they were written from there. So all links are read every time, which
is little, and compared with the last time by a digest for each block of ids. Only blocks that
differ are loaded.

Links to archived records are links like others. Odoo gives them where records are read by their ids
with ``active_test`` off, and in no other way: ``search_read`` searches with it, and reads without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from itertools import groupby

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.dlt.tables import Table, check_readable, matching, name_the_failing
from odoo_toolkit.errors import AccessError, OdooError
from odoo_toolkit.progress import checkpoint
from odoo_toolkit.records import rows
from odoo_toolkit.records.iterate import BATCH
from odoo_toolkit.records.omissions import FAULTS
from odoo_toolkit.records.pages import in_order
from odoo_toolkit.records.results import Record

#: Ids of a block, and bytes of its digest.
_BLOCK, _DIGEST = 1000, 8

Pair = tuple[int, int]


@attrs.frozen
class Links:
    """Links of one field that are to be loaded.

    Attributes:
        field: name of the field.
        ids: records whose former links go.
        pairs: ids of a record and of one that it is linked to.
    """

    field: str
    ids: Sequence[int]
    pairs: Sequence[Pair]


@attrs.define
class Compared:
    """What was found when links were compared.

    Attributes:
        blocks: field -> block -> digest, for the next time.
        counts: field -> how many links there are.
    """

    blocks: dict[str, dict[str, str]] = attrs.Factory(dict)
    counts: dict[str, int] = attrs.Factory(dict)


def changed_links(
    odoo: Odoo,
    table: Table,
    known: frozenset[int],
    before: Mapping[str, Mapping[str, str]],
    found: Compared,
) -> Iterator[Links]:
    """Read all links, and yield those of the blocks that differ.

    Args:
        odoo: the connection.
        table: whose links.
        known: ids of the rows; others are left for the next time.
        before: the digests of the last time.
        found: is filled.

    Raises:
        AccessError: the user cannot read one of the fields.
    """
    fields = list(table.links)
    for field in fields:
        found.blocks[field], found.counts[field] = {}, 0
    if not fields:
        return
    records = _read(odoo, table, sorted(known & matching(odoo, table)))
    for block, group in groupby(records, key=lambda row: row["id"] // _BLOCK):
        within = list(group)
        ids = [row["id"] for row in within]
        for field in fields:
            pairs = [(row["id"], other) for row in within for other in row[field] or ()]
            digest = block_digest(pairs)
            if digest:
                found.blocks[field][str(block)] = digest
                found.counts[field] += len(pairs)
            if digest != before.get(field, {}).get(str(block), ""):
                yield Links(field, ids, pairs)


def _read(odoo: Odoo, table: Table, ids: Sequence[int]) -> Iterator[Record]:
    """Yield the links of records in this order; the next ones are read meanwhile."""
    pages = in_order(
        partial(_page, odoo, table, ids[start : start + BATCH])
        for start in range(0, len(ids), BATCH)
    )
    try:
        for page in pages:
            checkpoint()
            yield from page
    finally:
        pages.close()


def _page(odoo: Odoo, table: Table, ids: Sequence[int]) -> list[Record]:
    model, context = table.model, table.context

    def read(chosen: Sequence[int]) -> list[Record]:
        page = rows.read(odoo, odoo.options, model, chosen, [*table.links], context)
        check_readable(table, page.skipped_fields)
        return page.records

    try:
        return read(ids)
    except AccessError:
        # A read is refused as a whole where one record was hidden since it was found.
        seen = rows.existing_ids(odoo, model, ids, context)
        if len(seen) == len(ids):
            raise
        return read(sorted(seen)) if seen else []
    except OdooError as error:
        if error.code in FAULTS:
            name_the_failing(odoo, table, [["id", "in", list(ids)]], [*table.links])
        raise


def block_digest(pairs: Sequence[Pair]) -> str:
    """Return a digest of the links of a block, in whatever order; nothing of none."""
    if not pairs:
        return ""
    text = ",".join(f"{one}:{other}" for one, other in sorted(pairs))
    return blake2b(text.encode(), digest_size=_DIGEST).hexdigest()


def ids_of_block(block: str) -> range:
    """Return the ids that records of a block may have."""
    return range(int(block) * _BLOCK, (int(block) + 1) * _BLOCK)


def digests_of(pairs: Iterable[Pair]) -> dict[str, str]:
    """Return the digest of each block of all links of a field."""
    ordered = sorted(pairs)
    return {
        str(block): block_digest(list(within))
        for block, within in groupby(ordered, key=lambda pair: pair[0] // _BLOCK)
    }
