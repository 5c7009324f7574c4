"""The search for a record by its name."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.app_models import known
from odoo_toolkit.arguments import Domain
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.errors import NotFoundError, OdooError, ValidationError
from odoo_toolkit.records.name_choices import in_words, told_apart
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.plain import plain, whole_number
from odoo_toolkit.values.scalars import is_id
from odoo_toolkit.values.search_text import folded, literal

#: Matches asked for, and shown to choose from.
_LIMIT, _SHOWN = 5, 10
_ANY = Domain()

#: Rows asked for per name when many are looked up together.
_ROWS_PER_NAME = 20

#: Letters at either end of a word by which similar names are looked for, how many records of
#: such names are looked at, and how many names are suggested.
_PART, _MOST_LIKE, _MOST_SUGGESTED = 3, 200, 5

_CODE = re.compile(r"\[(?P<code>[^\]]+)\]\s*(?P<name>.*)", re.DOTALL)
_VARIANT = re.compile(r"(?P<name>.*\S)\s*\([^()]+\)", re.DOTALL)
#: What Odoo shows behind the name of a ticket.
_NUMBER = re.compile(r"\s*\(#[^()]+\)$")


class AmbiguousNameError(ValidationError):
    """Several records match a name, so you must choose one. Nothing was written.

    Attributes:
        field: The argument that accepts the id of the record you choose, such as ``partner_id`` or
            ``lines[2].product_id``.
        matches: At most 10 records to choose from. Each has ``id``, ``name`` and the fields that
            distinguish it, such as ``city``.
    """

    def __init__(self, field: str, name: str, model: str, matches: Sequence[RecordName]) -> None:
        self.field = field
        self.matches = [attrs.asdict(match) for match in matches[:_SHOWN]]
        listed = ", ".join(f"{match['name']} (id {match['id']})" for match in self.matches)
        many = "Several" if len(matches) <= _SHOWN else f"More than {_SHOWN}"
        more = "" if len(matches) <= _SHOWN else " If you mean another one, pass more of its name."
        super().__init__(
            f"{many} {model} records match {name!r}. Pass {field}.",
            suggestion=f"Choose one of the matches, and pass its id as {field}: {listed}.{more}",
            details={"field": field, "matches": self.matches},
        )

    def tell_apart(self, told: Mapping[int, Mapping[str, Any]]) -> None:
        """Add to the matches what tells them apart, by id."""
        for match in self.matches:
            match.update(told.get(match["id"], {}))

    def choices(self) -> list[str]:
        """Return the matches in words: ``Ann (city Ghent)``."""
        return [
            f"{match['name']} ({told})" if (told := in_words(match)) else str(match["name"])
            for match in self.matches
        ]

    def _render_traceback_(self) -> list[str]:
        told = zip(self.matches, self.choices(), strict=True)
        choices = [f"  {match['id']}: {choice}" for match, choice in told]
        return [*super()._render_traceback_(), *choices]

    def disambiguation(self) -> dict[str, Any]:
        """Return the object that asks to choose."""
        return {
            "status": "disambiguation_needed",
            "field": self.field,
            "matches": self.matches,
            "message": self.message,
        }


def _said(value: Any) -> Any:
    """Return an id or a name as plain Python; None for what marks a gap in a table."""
    value = plain(value)
    if isinstance(value, float) and math.isnan(value):
        return None
    whole = whole_number(value)
    return whole if whole is not None else value.strip() if isinstance(value, str) else value


@attrs.frozen(kw_only=True)
class Wanted:
    """A record somebody means, by id or by name, of whatever kind of table they come.

    Attributes:
        field: the argument that takes the id, such as ``partner_id``; errors name it.
        domain: only records that match it are meant.
        either: whether that argument takes a name as well; else ``partner_name`` does.
    """

    model: str
    field: str
    id: int | None = attrs.field(default=None, converter=_said)
    name: str | None = attrs.field(default=None, converter=_said)
    domain: tuple[Any, ...] = ()
    either: bool = False

    @classmethod
    def of(
        cls, model: str, given: int | str | None, field: str, domain: tuple[Any, ...] = ()
    ) -> Wanted:
        """Return the record that one argument means by its id or name; digits alone are an id."""
        said = _said(given)
        named = isinstance(said, str) and not said.isdecimal()
        return cls(
            model=model,
            field=field,
            id=None if named or said is None else int(said) if isinstance(said, str) else said,
            name=said if named else None,
            domain=domain,
            either=True,
        )


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
    among = list(domain) or _ANY
    arguments = {"name": name, "domain": among, "operator": operator, "limit": limit}
    found = odoo.call(Call(model=model, method="name_search", arguments=arguments))
    return [RecordName(id=row[0], name=row[1]) for row in found]


def resolve(odoo: Odoo, wanted: Wanted, *, required: bool = True) -> int | None:
    """Return the id of the record meant; see :func:`resolve_all`."""
    return resolve_all(odoo, [wanted], required=required)[0]


def resolve_all(odoo: Odoo, wanted: Sequence[Wanted], *, required: bool = True) -> list[int | None]:
    """Return the ids of the records meant, in order.

    An id is taken as it is. A name must match one record, or match one of several exactly (in any
    case). The names of one model are looked up together in one call. Where a name ends in a
    number, a longer number is another one: S00012 never means S000123.

    Args:
        odoo: the connection.
        wanted: what was meant.
        required: whether giving neither id nor name is an error; else None comes back for it.

    Raises:
        AmbiguousNameError: several records match a name; one more round trip reads what tells
            them apart.
        NotFoundError: none does; ``details["did_you_mean"]`` has similar ones, archived ones too,
            which one more round trip looks for.
        ValidationError: neither or both were given, or the id is none.
    """
    for item in wanted:
        _check(item, required)
    groups: dict[tuple[str, tuple[Any, ...]], list[Wanted]] = {}
    for item in wanted:
        if item.name is not None:
            key = (item.model, tuple(_frozen(part) for part in item.domain))
            groups.setdefault(key, []).append(item)
    found = side_by_side([lambda group=group: _ids(odoo, group) for group in groups.values()])  # type: ignore[misc]
    ids = {id(item): record_id for part in found for item, record_id in part}
    return [item.id if item.name is None else ids[id(item)] for item in wanted]


def _frozen(value: Any) -> Any:
    """Make a part of a domain hashable."""
    return tuple(_frozen(part) for part in value) if isinstance(value, (list, tuple)) else value


def _check(item: Wanted, required: bool) -> None:
    by_name = item.field if item.either else item.field.removesuffix("_id") + "_name"
    details = {"field": item.field}
    if item.id is not None and item.name is not None:
        raise ValidationError(
            f"Pass either {item.field} or {by_name}.",
            suggestion="They may refer to different records. Omit one of them.",
            details=details,
        )
    if item.id is not None:
        if not is_id(item.id):
            raise ValidationError(
                f"{item.field} must be a record id, got {item.id!r}.",
                suggestion="Pass a positive integer, or a name as a string."
                if item.either
                else f"Pass a positive integer. To use a name, pass it as {by_name}.",
                details=details,
            )
    elif item.name is not None:
        if not isinstance(item.name, str) or not item.name:
            raise ValidationError(
                f"{by_name} must be a name, got {item.name!r}.",
                suggestion="Pass the name as a string.",
                details=details,
            )
    elif required:
        raise ValidationError(
            f"{item.field} is needed." if item.either else f"{item.field} or {by_name} is needed.",
            suggestion="Pass the id, or the name to look up.",
            code="MISSING_REQUIRED_FIELD",
            details=details,
        )


def _ids(odoo: Odoo, group: list[Wanted]) -> list[tuple[Wanted, int]]:
    """Return the ids that the names of one model, within one domain, mean."""
    model, domain = group[0].model, group[0].domain
    names = list(dict.fromkeys(str(item.name) for item in group))
    found = _find_together(odoo, model, names, domain) if len(names) > 1 else {}
    resolved = []
    for item in group:
        name = str(item.name)
        if not found.get(name):
            # Odoo's own search may look at more than the one call for all names does. One after
            # the other, because the first name that means nothing ends it.
            found[name] = _find_one(odoo, model, name, domain)
        try:
            resolved.append((item, _pick(item, found[name])))
        except NotFoundError as error:
            # Odoo shows more than it searches in, such as the currency of a pricelist.
            shown = _suggest(odoo, error, model, name, domain)
            if not shown:
                raise
            resolved.append((item, _pick(item, shown)))
        except AmbiguousNameError as error:
            error.tell_apart(told_apart(odoo, model, [match["id"] for match in error.matches]))
            raise
    return resolved


#: What to do where a record is archived.
ARCHIVED = "Restore it by writing active: true, or choose another record."


def _suggest(
    odoo: Odoo, error: NotFoundError, model: str, name: str, domain: tuple[Any, ...]
) -> list[RecordName]:
    """Add to an error the names that are like the one which means nothing; one round trip.

    Returns:
        The records that Odoo shows under exactly this name.
    """
    fields = _name_fields(odoo, model)
    # A misspelt word mostly has its beginning or its end right.
    parts = {word[:_PART] for word in name.split()} | {word[-_PART:] for word in name.split()}
    conditions = [[f, "ilike", literal(part)] for part in sorted(parts) for f in fields]
    if not conditions:
        return []
    try:
        rows = _found(odoo, model, conditions, fields, domain, _MOST_LIKE, archived=True)
        if len(rows) == _MOST_LIKE:
            # The parts are in too many names: the longest word, if it is right, is in fewer.
            word = max(name.split(), key=len)
            conditions = [[f, "ilike", literal(word)] for f in fields]
            more = _found(odoo, model, conditions, fields, domain, _MOST_LIKE, archived=True)
            rows = list({row["id"]: row for row in [*more, *rows]}.values())
    except OdooError:
        return []
    active = [row for row in rows if row.get("active", True)]
    exact = [row for row in active if row["display_name"] == name]
    if exact and len(rows) < _MOST_LIKE:
        return [RecordName(id=row["id"], name=row["display_name"]) for row in exact]
    archived = [
        row
        for row in rows
        if not row.get("active", True)
        and folded(name) in {folded(text) for text in _texts(row, fields)}
    ]
    if archived and not exact:
        meant = [_suggested(row) for row in archived[:_MOST_SUGGESTED]]
        named = " or ".join(f"{one['name']} (id {one['id']})" for one in meant)
        error.details["did_you_mean"] = meant
        error.message = f"{name!r} ({error.details['field']}) is archived in {model}: {named}."
        error.suggestion = ARCHIVED
        return []
    by_text: dict[str, list[int]] = {}
    for row in sorted(rows, key=lambda row: not row.get("active", True)):
        for text in {folded(text) for text in _texts(row, fields)}:
            by_text.setdefault(text, []).append(row["id"])
    near = difflib.get_close_matches(folded(name), by_text, n=_MOST_SUGGESTED, cutoff=0.6)
    # The variants of a product share its name.
    ids = list(dict.fromkeys(number for text in near for number in by_text[text]))
    shown = {row["id"]: row for row in rows}
    if ids:
        meant = [_suggested(shown[number]) for number in ids[:_MOST_SUGGESTED]]
        error.details["did_you_mean"] = meant
        listed = [
            f"{one['name']!r} (id {one['id']}{', archived' * ('archived' in one)})" for one in meant
        ]
        error.message += f" Did you mean {' or '.join(listed)}?"
    return []


def _texts(row: Mapping[str, Any], fields: Sequence[str]) -> list[str]:
    """Return by which texts a record may be meant, what Odoo shows with and without its code."""
    texts = [str(row[field]) for field in ("display_name", *fields) if row.get(field)]
    code = _CODE.fullmatch(str(row["display_name"]))
    return [*texts, code["name"]] if code else texts


def _suggested(row: Mapping[str, Any]) -> dict[str, Any]:
    archived = {} if row.get("active", True) else {"archived": True}
    return {"id": row["id"], "name": row["display_name"], **archived}


def _find_one(odoo: Odoo, model: str, name: str, domain: tuple[Any, ...]) -> list[RecordName]:
    if domain and odoo.policy.closes:
        # Odoo's own search by name looks at more than is open here.
        return _find_together(odoo, model, [name], domain).get(name, [])
    rows = name_search(odoo, model, name, domain=domain)
    matches = [match for match in rows if _is_meant(name, match.name)]
    if len(rows) == _LIMIT and not _exact(matches, name):
        # There are more than were asked for: an exact one may be among the rest.
        rows = name_search(odoo, model, literal(name), "=ilike", 2, domain)
        if len(rows) != 1:
            rows += name_search(odoo, model, name, limit=_SHOWN + 1, domain=domain)
        matches = list({row.id: row for row in rows if _is_meant(name, row.name)}.values())
    if matches:
        return matches
    return _find_together(odoo, model, [name], domain).get(name, [])


def _find_together(
    odoo: Odoo, model: str, names: list[str], domain: tuple[Any, ...]
) -> dict[str, list[RecordName]]:
    """Return what each of several names matches; names of which that stays unsure are left out."""
    fields = _name_fields(odoo, model)
    if not fields:
        return {}
    limit = _ROWS_PER_NAME * len(names)
    rows = _search(odoo, model, names, fields, "ilike", domain, limit)
    cut_off = len(rows) == limit
    if cut_off:
        # Some name matches very many records, which may have pushed out what others mean.
        exact = _search(odoo, model, names, fields, "=ilike", domain, limit)
        rows = list({row["id"]: row for row in [*exact, *rows]}.values())
    found = {name: _matches(name, rows, fields) for name in names}
    if cut_off:
        # One match among the rows that came is not yet the only one, unless it is exact.
        return {n: m for n, m in found.items() if len(m) > 1 or (m and _exact(m, n))}
    return found


def _name_fields(odoo: Odoo, model: str) -> list[str]:
    """Return the fields by which records of a model are named, as far as they may be searched."""
    described = odoo.policy.readable_fields(model, odoo.schema.fields)
    return [
        field
        for field in known(model).name_fields
        if field in described
        and described[field].searchable
        # Where it is not stored, searching by it is a detour to the other fields.
        and (field != "display_name" or described[field].store)
    ]


def _search(
    odoo: Odoo,
    model: str,
    names: list[str],
    fields: list[str],
    operator: str,
    domain: tuple[Any, ...],
    limit: int,
) -> list[dict[str, Any]]:
    texts = dict.fromkeys(literal(text) for name in names for text in _searched(model, name))
    conditions: list[Any] = [[field, operator, text] for text in texts for field in fields]
    return _found(odoo, model, conditions, fields, domain, limit)


def _found(
    odoo: Odoo,
    model: str,
    conditions: list[Any],
    fields: list[str],
    domain: tuple[Any, ...],
    limit: int,
    *,
    archived: bool = False,
) -> list[dict[str, Any]]:
    """Return what one of several conditions on open fields finds; on request archived ones too.

    The domain is an operation's own, so a step of it: it holds although a field in it is closed.
    """
    either = ["|"] * (len(conditions) - 1) + conditions
    shown = list(dict.fromkeys(["display_name", *fields]))
    if archived and "active" in odoo.policy.readable_fields(model, odoo.schema.fields):
        shown.append("active")
    context = {"active_test": False} if "active" in shown else {}
    arguments = {"domain": [*domain, *either], "fields": shown, "limit": limit}
    call = Call(
        model=model,
        method="search_read",
        arguments=arguments,
        context=context,
        step=bool(domain),
    )
    rows: list[dict[str, Any]] = odoo.call(call)
    return rows


def _searched(model: str, name: str) -> list[str]:
    """Return the texts to look for: a code in brackets says all, attributes are not in a name."""
    if code := _CODE.fullmatch(name):
        return [code["code"].strip()]
    variant = _VARIANT.fullmatch(name) if model == "product.product" else None
    return [name, variant["name"]] if variant else [name]


def _matches(name: str, rows: list[dict[str, Any]], fields: list[str]) -> list[RecordName]:
    """Return which of the rows a name means, by what Odoo shows and by what it looks at."""
    shown = [RecordName(id=row["id"], name=row["display_name"]) for row in rows]
    texts = {row["id"]: [str(row[field]) for field in fields if row[field]] for row in rows}
    code = _CODE.fullmatch(name)
    said = code["code"].strip() if code else name
    for fold in (_folded, folded):
        exact = [m for m in shown if fold(said) in [fold(text) for text in texts[m.id]]]
        if len(exact) == 1:
            return exact
    return [
        match
        for match in shown
        if any(
            folded(said) in folded(text) and _is_meant(said, text)
            for text in [match.name, *texts[match.id]]
        )
    ]


def _pick(item: Wanted, matches: list[RecordName]) -> int:
    name = str(item.name)
    if len(matches) == 1:
        return matches[0].id
    exact = _exact(matches, name)
    if len(exact) == 1:
        return exact[0].id
    if matches:
        raise AmbiguousNameError(
            item.field, name, item.model, [*exact, *(m for m in matches if m not in exact)]
        )
    raise NotFoundError(
        f"No {item.model} record matches {name!r} ({item.field}).",
        suggestion=f"Check the spelling, or look for it with search_read on {item.model}"
        f" and pass {item.field if item.field.isidentifier() else 'its id'}.",
        details={"model": item.model, "field": item.field, "name": name},
    )


def _exact(matches: Sequence[RecordName], name: str) -> list[RecordName]:
    """Return the records whose display name, with or without its code or number, is the name.

    Case never matters; accents only where another record has them as said.
    """
    for fold in (_folded, folded):
        if found := [match for match in matches if _is_exact(match.name, name, fold)]:
            return found
    return []


def _is_exact(shown: str, name: str, fold: Callable[[str], str]) -> bool:
    code = _CODE.fullmatch(shown)
    forms = [shown, _NUMBER.sub("", shown), *(code.groups() if code else ())]
    return fold(name) in map(fold, forms)


def _is_meant(name: str, shown: str) -> bool:
    """Whether a record found for a name can be meant by it.

    Not where its number goes on after what was said, and not where only Odoo's reading of ``%``
    and ``_`` as wildcards made them alike. What was found by something that is not shown, such as
    an e-mail address, may be meant.
    """
    said, text = _folded(name), _folded(shown)
    if said in text:
        before = r"(?<!\d)0*" if said[0].isdigit() else ""
        after = r"(?!\d)" if said[-1].isdigit() else ""
        return re.search(f"{before}{re.escape(said)}{after}", text) is not None
    if not set("%_") & set(said):
        return True
    pattern = re.escape(said).replace("%", ".*").replace("_", ".")
    return re.search(pattern, text) is None


def _folded(text: str) -> str:
    """Fold case and white space."""
    return " ".join(text.casefold().split())
