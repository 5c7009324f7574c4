"""Links of x2many fields: which records of another model each record has.

Odoo does not always note with a record that its links changed: not where another record is deleted
to which they led, nor where they were written from there. So all links are read every time, which
is little, and compared with the last time by a digest for each block of ids. Only blocks that
differ are loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import groupby

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.dlt.tables import Table
from odoo_toolkit.errors import AccessError
from odoo_toolkit.records.iterate import BATCH, iterate

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
    """
    fields = list(table.links)
    for field in fields:
        found.blocks[field], found.counts[field] = {}, 0
    if not fields:
        return
    records = iterate(odoo, table.model, table.domain, fields, "id", BATCH, table.context)
    mine = (row for row in records if row["id"] in known)
    for block, rows in groupby(mine, key=lambda row: row["id"] // _BLOCK):
        within = list(rows)
        if lost := records.skipped_fields:
            raise AccessError(
                f"This user can no longer read {', '.join(lost)} of {table.model}.",
                suggestion="Name the fields that you want, without these.",
                details={"model": table.model, "fields": lost},
            )
        ids = [row["id"] for row in within]
        for field in fields:
            pairs = [(row["id"], other) for row in within for other in row[field] or ()]
            digest = block_digest(pairs)
            if digest:
                found.blocks[field][str(block)] = digest
                found.counts[field] += len(pairs)
            if digest != before.get(field, {}).get(str(block), ""):
                yield Links(field, ids, pairs)


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
