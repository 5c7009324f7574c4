"""From the name that a person says to the record's id: the one implementation of it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.call import Call
from odoo_toolkit.errors import NotFoundError, ValidationError
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.arguments import checked_ids
from odoo_toolkit.records.results import RecordName

#: Fields by which records of a model are found when many names are looked up in one call;
#: elsewhere ``name``.
NAME_FIELDS: dict[str, tuple[str, ...]] = {
    "product.product": ("name", "default_code", "barcode"),
    "product.template": ("name", "default_code"),
    "res.partner": ("name", "display_name", "ref", "email"),
    "res.users": ("name", "login"),
    "account.account": ("name", "code"),
    "account.journal": ("name", "code"),
    "stock.location": ("name", "complete_name", "barcode"),
}

#: Matches asked for, and shown to choose from.
_LIMIT, _SHOWN = 5, 10

_CODE = re.compile(r"^\[(?P<code>[^\]]+)\]\s*(?P<name>.*)$")


class AmbiguousNameError(ValidationError):
    """Several records match a name: somebody has to choose; nothing was written.

    Attributes:
        field: the argument that would take the id of the chosen one, such as ``partner_id`` or
            ``lines[2].product_id``.
        matches: the records to choose from.
    """

    def __init__(self, field: str, name: str, model: str, matches: Sequence[RecordName]) -> None:
        self.field = field
        self.matches = list(matches)[:_SHOWN]
        super().__init__(
            f"Several {model} records match {name!r}. Give {field}.",
            suggestion=f"Choose one of the matches and pass its id as {field}.",
            details={"field": field, "matches": [attrs.asdict(match) for match in self.matches]},
        )

    def disambiguation(self) -> dict[str, Any]:
        """Return the object that asks to choose (REQ-05-02)."""
        return {
            "status": "disambiguation_needed",
            "field": self.field,
            "matches": self.details["matches"],
            "message": self.message,
        }


@attrs.frozen(kw_only=True)
class Wanted:
    """A record somebody means, by id or by name.

    Attributes:
        field: the argument that takes the id, such as ``partner_id``; errors name it.
        domain: only records that match it are meant.
    """

    model: str
    field: str
    id: int | None = None
    name: str | None = None
    domain: tuple[Any, ...] = ()


def name_search(
    odoo: Odoo,
    model: str,
    name: str,
    operator: str = "ilike",
    limit: int = _LIMIT,
    domain: Iterable[Any] = (),
) -> list[RecordName]:
    """Return the records that Odoo finds for a name, the way its own search boxes do.

    Args:
        odoo: the connection.
        model: such as ``res.partner``.
        name: what was said.
        operator: how it is compared.
        limit: most records.
        domain: only records that match it.

    Raises:
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
    """
    arguments = {"name": name, "domain": list(domain), "operator": operator, "limit": limit}
    found = odoo.call(Call(model=model, method="name_search", arguments=arguments))
    return [RecordName(id=row[0], name=row[1]) for row in found]


def resolve(odoo: Odoo, wanted: Wanted, *, required: bool = True) -> int | None:
    """Return the id of the record meant; see :func:`resolve_all`."""
    return resolve_all(odoo, [wanted], required=required)[0]


def resolve_all(odoo: Odoo, wanted: Sequence[Wanted], *, required: bool = True) -> list[int | None]:
    """Return the ids of the records meant, in order (REQ-05-36).

    An id is taken as it is. A name must match one record, or match one of several exactly (in any
    case). The names of one model are looked up together in one call.

    Args:
        odoo: the connection.
        wanted: what was meant.
        required: whether giving neither id nor name is an error; else None comes back for it.

    Raises:
        AmbiguousNameError: several records match a name.
        NotFoundError: none does.
        ValidationError: neither or both were given, or the id is none.
    """
    for item in wanted:
        _check(item, required)
    named = [item for item in wanted if item.name is not None]
    groups: dict[tuple[str, tuple[Any, ...]], list[Wanted]] = {}
    for item in named:
        groups.setdefault((item.model, item.domain), []).append(item)
    found = side_by_side([lambda group=group: _find(odoo, group) for group in groups.values()])  # type: ignore[misc]
    matches = dict(zip(groups, found, strict=True))
    ids: list[int | None] = []
    for item in wanted:
        if item.name is None:
            ids.append(item.id)
        else:
            ids.append(_pick(item, matches[item.model, item.domain][item.name]))
    return ids


def _check(item: Wanted, required: bool) -> None:
    label = item.field.removesuffix("_id")
    if item.id is not None and item.name is not None:
        raise ValidationError(
            f"Give {item.field} or {label}_name, not both.", details={"field": item.field}
        )
    if item.id is not None:
        checked_ids([item.id])
    elif item.name is not None:
        if not isinstance(item.name, str) or not item.name.strip():
            raise ValidationError(
                f"{label}_name is empty.", suggestion="Give a name.", details={"field": item.field}
            )
    elif required:
        raise ValidationError(
            f"{item.field} or {label}_name is needed.",
            suggestion="Give the id, or the name to look up.",
            code="MISSING_REQUIRED_FIELD",
            details={"field": item.field},
        )


def _find(odoo: Odoo, group: list[Wanted]) -> dict[str, list[RecordName]]:
    """Return the matches of each name of one model."""
    model, domain = group[0].model, group[0].domain
    names = list(dict.fromkeys(item.name for item in group if item.name is not None))
    found = _find_together(odoo, model, names, domain) if len(names) > 1 else {}
    left = [name for name in names if not found.get(name)]
    # Odoo's own name search looks at more than the batch does.
    single = side_by_side([lambda name=name: _find_one(odoo, model, name, domain) for name in left])  # type: ignore[misc]
    return {**found, **dict(zip(left, single, strict=True))}


def _find_one(odoo: Odoo, model: str, name: str, domain: tuple[Any, ...]) -> list[RecordName]:
    matches = name_search(odoo, model, name.strip(), domain=domain)
    if len(matches) < _LIMIT or any(_is_exact(match.name, name) for match in matches):
        return matches
    # There are more than were asked for: an exact one may be among the rest.
    exact = name_search(odoo, model, name.strip(), operator="=ilike", limit=2, domain=domain)
    return list({match.id: match for match in [*exact, *matches]}.values())


def _find_together(
    odoo: Odoo, model: str, names: list[str], domain: tuple[Any, ...]
) -> dict[str, list[RecordName]]:
    described = odoo.schema.fields(model)
    # A display name that is not stored cannot be searched for before Odoo 17.
    fields = [
        field
        for field in NAME_FIELDS.get(model, ("name",))
        if field in described and described[field].store
    ]
    if not fields:
        return {}
    conditions: list[Any] = []
    for name in names:
        for text in _spellings(name):
            conditions += [[field, "ilike", text] for field in fields]
    either = ["|"] * (len(conditions) - 1) + conditions
    limit = 20 * len(names)
    rows = odoo.call(
        Call(
            model=model,
            method="search_read",
            arguments={
                "domain": [*domain, *either],
                "fields": list(dict.fromkeys(["display_name", *fields])),
                "limit": limit,
            },
        )
    )
    if len(rows) == limit:
        # Some name matches very many: what else matches may have been cut off.
        return {}
    return {name: _matches(name, rows, fields) for name in names}


def _matches(name: str, rows: list[dict[str, Any]], fields: list[str]) -> list[RecordName]:
    found = [
        (row, [str(row[field]) for field in fields if row.get(field)])
        for row in rows
        if any(
            _plain(text) in _plain(str(row.get(field) or ""))
            for text in _spellings(name)
            for field in fields
        )
    ]
    exact = [row for row, values in found if any(_is_exact(value, name) for value in values)]
    exact = exact or [row for row, _ in found if _is_exact(row["display_name"], name)]
    chosen = exact if len(exact) == 1 else [row for row, _ in found]
    return [RecordName(id=row["id"], name=row["display_name"]) for row in chosen]


def _pick(item: Wanted, matches: list[RecordName]) -> int:
    name = str(item.name)
    if len(matches) == 1:
        return matches[0].id
    exact = [match for match in matches if _is_exact(match.name, name)]
    if len(exact) == 1:
        return exact[0].id
    if matches:
        raise AmbiguousNameError(item.field, name, item.model, matches)
    raise NotFoundError(
        f"No {item.model} record matches {name!r}.",
        suggestion=f"Check the spelling, or look for it with odoo_core_search_read on {item.model}"
        f" and pass {item.field}.",
        details={"model": item.model, "field": item.field, "name": name},
    )


def _is_exact(candidate: str, name: str) -> bool:
    """Whether a display name, with or without its code in brackets, is the name said."""
    forms = {candidate}
    if code := _CODE.match(candidate):
        forms |= {code["name"], code["code"]}
    return _plain(name) in {_plain(form) for form in forms}


def _spellings(name: str) -> list[str]:
    code = _CODE.match(name.strip())
    return [code["code"]] if code else [name.strip()]


def _plain(text: str) -> str:
    """Fold case, accents and white space, as Odoo's search may."""
    decomposed = unicodedata.normalize("NFKD", text)
    letters = "".join(c for c in decomposed if not unicodedata.combining(c))
    return " ".join(letters.casefold().split())
