"""What stands in files for records without an external id: a number, and of which database.

A number alone would mean another record in another database. ``__shop_1a2b3c4d__.res_partner_42``
means the record 42 in the database that it was exported from; anywhere else it is an external id
like any other, under which records can be imported and found again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

import attrs

from odoo_toolkit.client import Odoo

#: The name of a database where JSON-2 leaves the choice to the server.
_UNKNOWN = "db"

_NUMBERED = re.compile(
    r"(?P<mark>__(?P<database>[A-Za-z0-9]{0,20})_[0-9a-f]{8}__)\.(?P<model>[a-z0-9_]+)_(?P<id>[0-9]{1,10})"
)


@attrs.frozen
class Numbered:
    """A record by its number; ``mark`` is that of the database, ``model`` has underscores."""

    mark: str
    database: str
    model: str
    id: int


def mark_of(odoo: Odoo) -> str:
    """Return what tells a database from others: its name, its address, and a sum of both."""
    parts = urlsplit(odoo.settings.url)
    name = odoo.database or ""
    address = f"{(parts.hostname or '').lower()}:{parts.port or ''}{parts.path}"
    digest = hashlib.sha256(f"{address}\0{name}".encode()).hexdigest()[:8]
    return f"__{_plain_name(odoo) or _UNKNOWN}_{digest}__"


def name_of(mark: str, model: str, record_id: int) -> str:
    """Return what stands for a record of the database that has this mark."""
    return f"{mark}.{model.replace('.', '_')}_{record_id}"


def parse(text: str) -> Numbered | None:
    """Return the record that a text stands for; None for any other text."""
    found = _NUMBERED.fullmatch(text)
    if found is None:
        return None
    return Numbered(found["mark"], found["database"], found["model"], int(found["id"]))


def of_this_database(odoo: Odoo, model: str, names: Iterable[str]) -> dict[str, tuple[str, int]]:
    """Return the model and id of the records of this database that names stand for.

    Of a record of another model, the model is as the name has it, with underscores.
    """
    found: dict[str, tuple[str, int]] = {}
    mark = ""
    for name in names:
        numbered = parse(name)
        if numbered is None:
            continue
        mark = mark or mark_of(odoo)
        if numbered.mark == mark:
            own = numbered.model == model.replace(".", "_")
            found[name] = (model if own else numbered.model, numbered.id)
    return found


def is_of_a_namesake(odoo: Odoo, name: str) -> bool:
    """Whether a name stands for a record of a database of this name at another address.

    It may be this one, and what there is would be created once more. So may one whose name is
    not known.
    """
    numbered = parse(name)
    if numbered is None or numbered.mark == mark_of(odoo):
        return False
    own = _plain_name(odoo)
    return not own or numbered.database in (_UNKNOWN, own)


def _plain_name(odoo: Odoo) -> str:
    return re.sub("[^A-Za-z0-9]", "", odoo.database or "")[:20]
