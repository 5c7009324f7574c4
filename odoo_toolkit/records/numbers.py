"""Numbers of which Odoo keeps fewer decimals than were given, also in the lines of a document.

``fields_get`` tells how many decimals a field keeps, as they are set in the database. What becomes
nothing by it is known before anything is written; of the rest, what is stored is read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import attrs

from odoo_toolkit.arguments import read_commands
from odoo_toolkit.arguments.compared import Difference, differences
from odoo_toolkit.call import Call, asking
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, ValidationError
from odoo_toolkit.fields import TO_MANY, Field
from odoo_toolkit.values.scalars import short_repr

#: Decimals that every currency and every field without fixed digits is taken to keep.
_USUAL = 2

#: By what a new line is known again, besides its numbers.
_KNOWN_BY = "product_id"

Values = Mapping[str, Any]


@attrs.frozen(kw_only=True)
class Number:
    """A number that Odoo may not keep as it is.

    Attributes:
        model: of the record.
        field: that it is written to.
        where: the path to it: ``order_line[0].price_unit``.
        given: what is written.
        decimals: that Odoo keeps of it: by the field, or by the currency that is given with it;
            None if unknown.
    """

    model: str
    field: Field
    where: str
    given: float
    decimals: int | None

    @property
    def kept(self) -> float | None:
        """What Odoo keeps of it; None where that is not known."""
        return None if self.decimals is None else _rounded(self.given, self.decimals)

    def __str__(self) -> str:
        places = "decimal" if self.decimals == 1 else "decimals"
        return (
            f"{self.where}: {short_repr(self.given)} becomes {self.kept:g}, because Odoo "
            f"stores {self.decimals} {places}."
        )


def imprecise(odoo: Odoo, model: str, values: Values, where: str = "") -> Iterator[Number]:
    """Yield the numbers that a field keeps fewer decimals of, or may keep fewer.

    Args:
        odoo: the connection.
        model: of the record.
        values: as they are sent, with the commands of its lines.
        where: of what they are a part.
    """
    kinds = [v for v in values.values() if isinstance(v, (list, float))]
    if not any(isinstance(v, list) or _is_broken(v) for v in kinds):
        return
    described = odoo.schema.fields(model)
    for name, value in values.items():
        field = described.get(name)
        if field is None:
            continue
        if field.type in TO_MANY and isinstance(value, list) and field.relation:
            for index, _, line in _lines(value):
                yield from imprecise(odoo, field.relation, line, f"{where}{name}[{index}].")
        elif isinstance(value, float) and field.type in ("float", "monetary") and _is_broken(value):
            decimals = _USUAL if field.decimals is None else field.decimals
            if not math.isclose(_rounded(value, decimals), value, rel_tol=1e-12, abs_tol=1e-12):
                currency = values.get(field.currency_field or "") if field.decimals is None else 0
                yield Number(
                    model=model,
                    field=field,
                    where=f"{where}{name}",
                    given=value,
                    decimals=_currency_decimals(odoo, currency) if currency else field.decimals,
                )


def check_numbers(odoo: Odoo, model: str, values: Values) -> list[Number]:
    """Refuse a number of which nothing would be kept; return those that lose decimals.

    Args: as of :func:`imprecise`.

    Raises:
        ValidationError: naming the number; nothing was written.
    """
    found = list(imprecise(odoo, model, values))
    for number in found:
        _check_kept(odoo, number)
    return found


def kept_number(
    odoo: Odoo, model: str, field: str, value: float, where: str, warnings: list[str]
) -> float:
    """Return what Odoo keeps of a number.

    Args:
        odoo: the connection.
        model: of the record.
        field: that it is written to.
        value: the number.
        where: the argument that it was given as, for messages.
        warnings: is told where it is another one.

    Raises:
        ValidationError: nothing of it would be kept.
    """
    for found in imprecise(odoo, model, {field: value}):
        number = attrs.evolve(found, where=where)
        _check_kept(odoo, number)
        if number.kept is not None:
            warnings.append(str(number))
            return number.kept
    return value


def _check_kept(odoo: Odoo, number: Number) -> None:
    decimals = number.decimals
    if decimals is None and number.field.type == "monetary":
        decimals = _currency_decimals(odoo)
    if decimals is not None and not _rounded(number.given, decimals):
        raise ValidationError(
            f"{number.where}: Odoo would store {number.given:g} as 0, because {number.model} has "
            f"{decimals} decimal places for {number.field.name}.",
            suggestion="Pass a larger number, such as the price of a larger unit, or ask "
            "an administrator to raise the decimal accuracy in Odoo's settings.",
            details={"field": number.where, "decimals": decimals},
            outcome="not_sent",
        )


def _currency_decimals(odoo: Odoo, currency: Any = None) -> int | None:
    """Return the decimals of a currency, without one of the company's; None where not known."""

    def read(model: str, record: int, field: str) -> Any:
        call = asking(model, "read", (record,), fields=[field])
        return odoo.schema.remember(f"{model} {record} {field}", lambda: odoo.call(call)[0][field])

    try:
        if not currency:
            allowed = odoo.settings.base_context.get("allowed_company_ids")
            company = (allowed or read("res.users", odoo.uid, "company_id"))[0]
            currency = read("res.company", company, "currency_id")[0]
        return int(read("res.currency", currency, "decimal_places"))
    except (OdooError, LookupError, TypeError):
        return None


def numbers_stored_otherwise(
    odoo: Odoo, model: str, given: Mapping[int, Values], acts_on: str, *, lines_only: bool = False
) -> list[Difference]:
    """Return which numbers are stored otherwise than they were given; of lines, properties, too.

    No round trip where all fields keep what was given, otherwise one, and one for each field of
    lines.

    Args:
        odoo: the connection.
        model: of the records.
        given: the values of each, by its id, as they were sent.
        acts_on: the model that the operation is about.
        lines_only: whether only lines are compared.
    """
    described = odoo.schema.fields(model)
    own: dict[int, dict[str, Any]] = {}
    lines: dict[str, dict[int, list[tuple[int, Values]]]] = {}
    for record_id, values in given.items():
        for number in imprecise(odoo, model, values):
            name, nested, _ = number.where.partition("[")
            if nested:
                changed = [(line, sent) for _, line, sent in _lines(values[name])]
                lines.setdefault(name, {})[record_id] = changed
            elif not lines_only:
                own.setdefault(record_id, {})[name] = values[name]
        for name, changed in _with_properties(odoo, described, values):
            lines.setdefault(name, {})[record_id] = changed
    names = sorted({name for values in own.values() for name in values} | lines.keys())
    if not names:
        return []
    ids = sorted({*own, *(record for of in lines.values() for record in of)})
    rows = read_stored(odoo, model, ids, names, acts_on)
    found = differences(model, own, rows, described)
    for name, of in lines.items():
        relation = str(described[name].relation)
        shown = {record: rows.get(record, {}).get(name) or [] for record in of}
        found += _of_lines(odoo, name, relation, of, shown, acts_on)
    return found


def _with_properties(
    odoo: Odoo, described: Mapping[str, Field], values: Values
) -> Iterator[tuple[str, list[tuple[int, Values]]]]:
    """Yield the fields whose lines have properties, and these lines: id and values."""
    for name, value in values.items():
        if value.__class__ is list and name in described and described[name].type in TO_MANY:
            lines = [(line, sent) for _, line, sent in _lines(value)]
            if dict not in [type(v) for _, sent in lines for v in sent.values()]:
                continue
            of = odoo.schema.fields(described[name].relation or "")
            if any(_is_properties(of, n) for _, sent in lines for n in sent):
                yield name, lines


def _is_properties(described: Mapping[str, Field], name: str) -> bool:
    return name in described and described[name].type == "properties"


def _of_lines(
    odoo: Odoo,
    name: str,
    model: str,
    given: Mapping[int, Sequence[tuple[int, Values]]],
    shown: Mapping[int, Sequence[int]],
    acts_on: str,
) -> list[Difference]:
    described = odoo.schema.fields(model)
    numbers = {
        number.field.name
        for lines in given.values()
        for _, values in lines
        for number in imprecise(odoo, model, values)
        if "[" not in number.where
    }
    given_names = {n for lines in given.values() for _, values in lines for n in values}
    compared = numbers | {n for n in given_names if _is_properties(described, n)}
    ids = sorted({line for lines in shown.values() for line in lines})
    fields = [*sorted(compared), *({_KNOWN_BY} & described.keys())]
    rows = read_stored(odoo, model, ids, fields, acts_on)
    asked: dict[int, dict[str, Any]] = {}
    for record, lines in given.items():
        known = {line for line, _ in lines if line}
        # New lines have the largest ids, in the order of the commands.
        new = [line for line in sorted(shown[record]) if line not in known]
        new = new[-sum(not line for line, _ in lines) :]
        for line, values in lines:
            sent = {n: values[n] for n in numbers if n in values}
            place = line or next((n for n in new if _may_be(sent, values, rows.get(n, {}))), 0)
            new = [n for n in new if n != place]
            if place:
                asked[place] = {n: values[n] for n in compared if n in values}
    return [
        attrs.evolve(one, field=f"{name}.{one.field}")
        for one in differences(model, asked, rows, described)
    ]


def _may_be(sent: Values, values: Values, row: Values) -> bool:
    """Whether a line is the one that was made of some values, whatever Odoo has rounded."""
    product = values.get(_KNOWN_BY)
    if product and (row.get(_KNOWN_BY) or [0])[0] != product:
        return False
    return bool(row) and all(
        abs((row.get(name) or 0.0) - value) <= max(1.0, abs(value)) for name, value in sent.items()
    )


def _lines(commands: Any) -> Iterator[tuple[int, int, Values]]:
    """Yield the place, the id and the values of each line; of a new one, the id is 0."""
    try:
        read = read_commands(commands, "values")
    except ValidationError:  # Odoo, or who reads the values, will refuse it
        return
    for index, command in enumerate(read):
        if command.kind in ("create", "update"):
            yield index, command.id or 0, command.values


def _rounded(value: float, decimals: int) -> float:
    """Return what Odoo keeps of a number: halves go away from zero."""
    return float(Decimal(repr(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)) + 0.0


def _is_broken(value: float) -> bool:
    return math.isfinite(value) and not value.is_integer()


def read_stored(
    odoo: Odoo, model: str, ids: Sequence[int], names: Sequence[str], acts_on: str
) -> dict[int, dict[str, Any]]:
    """Return what Odoo holds of those fields that the policy shows, by id; one round trip."""
    readable = odoo.policy.readable_fields(model, odoo.schema.fields)
    if not ids or not (fields := [name for name in names if name in readable]):
        return {}
    rows = odoo.call(
        Call(
            model=model,
            method="read",
            ids=tuple(ids),
            arguments={"fields": fields},
            context={"active_test": False},
            acts_on=acts_on,
            step=True,
        )
    )
    return {row["id"]: row for row in rows}


def told_of_numbers(
    odoo: Odoo, model: str, given: Mapping[int, Values], acts_on: str, warnings: list[str]
) -> list[Difference]:
    """Return :func:`numbers_stored_otherwise`; where it cannot be read, a warning says so."""
    try:
        return numbers_stored_otherwise(odoo, model, given, acts_on)
    except OdooError as error:
        warnings.append(f"The call succeeded, but the numbers cannot be read back: {error.message}")
        return []
