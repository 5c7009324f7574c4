"""Attributes and variants of a product."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypedDict

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit import operations as op
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, StateError, ValidationError, invalid
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.plain import plain
from odoo_toolkit.values.search_text import folded

TEMPLATE = "product.template"
VARIANT = "product.product"
ATTRIBUTE = "product.attribute"
VALUE = "product.attribute.value"
TEMPLATE_VALUE = "product.template.attribute.value"

#: Names that are looked through, and that are suggested.
_MOST, _SUGGESTED = 2000, 3


class AttributeLine(TypedDict, total=False):
    """An attribute of a product, such as its color, and its values."""

    attribute: Annotated[str, Doc("Name.")]
    values: Annotated[Sequence[str], Doc("Names of its values.")]
    extra_prices: Annotated[Mapping[str, float], Doc("Amounts added to the price, by value name.")]


class VariantLine(TypedDict, total=False):
    """Data of one variant."""

    values: Annotated[Mapping[str, str], Doc("This variant's values, by attribute name.")]
    code: Annotated[str, Doc("Internal reference.")]
    barcode: str
    cost: Annotated[float, Ge(0)]
    weight: Annotated[float, Ge(0)]


@attrs.frozen(kw_only=True)
class Attribute:
    """An attribute that a product gets.

    Attributes:
        name: as it was given.
        id: None where it is to be created.
        values: by name as given, the id; None where it is to be created.
        makes: when variants are made: ``always``, ``dynamic`` or ``no_variant``.
        extra_prices: by the name of a value.
    """

    name: str
    id: int | None
    values: dict[str, int | None]
    makes: str = "always"
    extra_prices: dict[str, float] = attrs.Factory(dict)

    def line(self, made: Mapping[str, int]) -> list[Any]:
        """Return the command that adds it to a product; ``made`` has the ids of new ones."""
        number: Any = self.id or made.get(self.name, f"the new attribute {self.name}")
        links = [
            [4, value, 0] if value else [0, 0, {"name": name, "attribute_id": number}]
            for name, value in self.values.items()
        ]
        return [0, 0, {"attribute_id": number, "value_ids": links}]


def checked_attributes(given: Sequence[AttributeLine] | None) -> list[dict[str, Any]]:
    """Return the attributes as plain Python, or refuse what is wrong with them by themselves."""
    if plain(given) in (None, []):
        return []
    lines = op.check_lines(given or (), AttributeLine.__annotations__, "attributes")
    seen: set[str] = set()
    for index, line in enumerate(lines):
        where = f"attributes[{index}]"
        _text(line.get("attribute"), f"{where}.attribute")
        if folded(line["attribute"]) in seen:
            raise ValidationError(f"{where}: {line['attribute']!r} is listed twice.")
        seen.add(folded(line["attribute"]))
        values = line.get("values")
        if not isinstance(values, list) or not values:
            raise invalid(
                f"{where}.values",
                f"{where}.values must not be empty.",
                "List the names of the values that the product is available in.",
            )
        for value in values:
            _text(value, f"{where}.values")
        if len({folded(value) for value in values}) < len(values):
            raise ValidationError(f"{where}.values contains a value twice.")
        line["values"] = [value.strip() for value in values]
        line["extra_prices"] = _by_value(line.get("extra_prices"), line["values"], where)
    return lines


def _by_value(given: Any, values: Sequence[str], where: str) -> dict[str, float]:
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise ValidationError(f"{where}.extra_prices must map the name of each value to a price.")
    named = {folded(value): value for value in values}
    for name, price in given.items():
        if folded(str(name)) not in named:
            raise invalid(
                f"{where}.extra_prices",
                f"{where}.extra_prices: {str(name)[:60]!r} is not among its values.",
                f"The values are {', '.join(values)}.",
            )
        op.checked_number(price, f"{where}.extra_prices", positive=False)
    return {named[folded(str(name))]: price for name, price in given.items()}


def _text(value: Any, field: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise invalid(field, f"{field} must be a name.")
    return value.strip()


def checked_variants(
    given: Sequence[VariantLine] | None, attributes: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return what variants have of their own, each with its values by attribute.

    Raises:
        ValidationError: a line means no variant of these attributes, or one is meant twice.
    """
    if plain(given) in (None, []):
        return []
    lines = op.check_lines(given or (), VariantLine.__annotations__, "variants")
    choices = {
        folded(line["attribute"]): (line["attribute"], {folded(v): v for v in line["values"]})
        for line in attributes
    }
    seen: set[tuple[tuple[str, str], ...]] = set()
    for index, line in enumerate(lines):
        where = f"variants[{index}]"
        values = line.get("values")
        if not isinstance(values, dict):
            raise invalid(
                f"{where}.values",
                f"{where}.values is missing, so the variant cannot be identified.",
                "Set values to the variant's value for each attribute name.",
            )
        meant: dict[str, str] = {}
        for name, value in values.items():
            attribute, known = choices.get(folded(str(name)), ("", {}))
            if not attribute or folded(str(value)) not in known:
                told = f"{attribute}: {', '.join(known.values())}" if known else _listed(choices)
                raise invalid(
                    f"{where}.values",
                    f"{where}: the product has no value {str(value)[:60]!r} for "
                    f"{str(name)[:60]!r}.",
                    f"Choose from {told}.",
                )
            meant[attribute] = known[folded(str(value))]
        for attribute, known in choices.values():
            if attribute not in meant and len(known) > 1:
                raise invalid(
                    f"{where}.values",
                    f"{where} needs a value for {attribute}.",
                    f"Choose one of {', '.join(known.values())}.",
                )
            meant.setdefault(attribute, next(iter(known.values())))
        key = tuple(sorted(meant.items()))
        if key in seen:
            raise ValidationError(f"{where}: this variant is listed twice.")
        seen.add(key)
        for number in ("cost", "weight"):
            if number in line:
                not_negative(line[number], f"{where}.{number}")
        line["values"] = meant
    return lines


def _listed(choices: Mapping[str, tuple[str, Mapping[str, str]]]) -> str:
    return "; ".join(f"{name}: {', '.join(v.values())}" for name, v in choices.values()) or "none"


def not_negative(value: Any, field: str) -> float:
    """Return a number from 0 on, or refuse what is none."""
    number = op.checked_number(value, field, positive=False)
    if number < 0:
        raise invalid(field, f"{field} must not be negative.")
    return number


def find_attributes(
    odoo: Odoo, lines: Sequence[Mapping[str, Any]], *, create: bool
) -> list[Attribute]:
    """Return the attributes and values that lines name; two round trips, none for none.

    Raises:
        NotFoundError: there is no such attribute or value, and it is not to be created.
        AmbiguousNameError: several attributes have the name.
    """
    if not lines:
        return []
    fields = ["name", "create_variant"]
    rows = op.read_rows(odoo, ATTRIBUTE, [], fields, acts_on=TEMPLATE, limit=_MOST)
    found = [
        _named(rows, line["attribute"], f"attributes[{index}].attribute", create)
        for index, line in enumerate(lines)
    ]
    ids = [row["id"] for row in found if row]
    domain = [["attribute_id", "in", ids]]
    values = (
        op.read_rows(odoo, VALUE, domain, ["name", "attribute_id"], acts_on=TEMPLATE) if ids else []
    )
    return [
        Attribute(
            name=line["attribute"].strip(),
            id=row["id"] if row else None,
            makes=(row["create_variant"] if row else None) or "always",
            values={
                name: _value_id(
                    [v for v in values if row and v["attribute_id"].id == row["id"]],
                    name,
                    f"attributes[{index}].values",
                    create,
                )
                for name in line["values"]
            },
            extra_prices=line["extra_prices"],
        )
        for index, (line, row) in enumerate(zip(lines, found, strict=True))
    ]


def _value_id(rows: Sequence[op.Row], name: str, field: str, create: bool) -> int | None:
    row = _named(rows, name, field, create)
    return row["id"] if row else None


def _named(rows: Sequence[op.Row], name: str, field: str, create: bool) -> op.Row | None:
    """Return the row that has a name; None where there is none and it may be created."""
    found = [row for row in rows if folded(str(row["name"])) == folded(name)]
    if len(found) == 1:
        return found[0]
    if found:
        matches = [RecordName(id=row["id"], name=row["name"]) for row in found]
        raise op.AmbiguousNameError(field, name, ATTRIBUTE, matches)
    if create:
        return None
    names = {folded(str(row["name"])): str(row["name"]) for row in rows}
    near = [names[n] for n in difflib.get_close_matches(folded(name), names, _SUGGESTED)]
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    known = ", ".join(list(names.values())[:20])
    raise NotFoundError(
        f"There is no {name!r} ({field}).{hint}",
        suggestion=f"Existing: {known or 'none'}. To create the missing ones, pass "
        "create_attributes=True.",
        details={"field": field, "name": name, "did_you_mean": near},
    )


def count_variants(attributes: Sequence[Attribute]) -> int:
    """Return how many variants Odoo makes at once; 0 where it makes them when they are sold."""
    if any(attribute.makes == "dynamic" for attribute in attributes):
        return 0
    return math.prod(len(a.values) for a in attributes if a.makes == "always")


# The variants that there are ----------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class Made:
    """A variant that Odoo has made: its id, and its values by the attribute's name."""

    id: int
    values: dict[str, str]


def read_made(odoo: Odoo, template: int) -> tuple[list[Made], list[op.Row]]:
    """Return a product's variants, and its values with their prices; two round trips."""
    domain = [["product_tmpl_id", "=", template]]
    fields = ["product_template_attribute_value_ids"]
    rows = op.read_rows(odoo, VARIANT, [["active", "=", True], *domain], fields, acts_on=TEMPLATE)
    fields = ["name", "attribute_id", "price_extra"]
    values = op.read_rows(odoo, TEMPLATE_VALUE, domain, fields, acts_on=TEMPLATE)
    by_id = {value["id"]: value for value in values}
    made = [
        Made(
            id=row["id"],
            values={
                by_id[number]["attribute_id"].name: by_id[number]["name"]
                for number in row["product_template_attribute_value_ids"] or ()
                if number in by_id
            },
        )
        for row in rows
    ]
    return made, values


def meant(made: Sequence[Made], values: Mapping[str, str]) -> list[int]:
    """Return the ids of the variants with these values, by attribute; all for none."""
    wanted = {(folded(name), folded(value)) for name, value in values.items()}
    return [
        one.id
        for one in made
        if wanted <= {(folded(name), folded(value)) for name, value in one.values.items()}
    ]


@attrs.frozen(kw_only=True)
class Beside(op.Step):
    """Writes what belongs to a product that an earlier step has made.

    Attributes:
        which: finds the records to write to.
        label: what they are, for a plan, in which they have no ids yet.
        about: the model of the product, by which lists of models judge it.
    """

    which: Callable[[Odoo, int], list[int]]
    label: str
    about: str = TEMPLATE

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[op.Call]:
        """Return the writing call, on what is yet to be made."""
        (call,) = op.Step.calls(self, odoo, (self.label,))
        return [attrs.evolve(call, acts_on=self.about)]

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        """Find the records and write to them."""
        found = self.which(odoo, ids[0])
        if not found:
            raise StateError(
                f"Odoo did not create {self.label}.",
                suggestion="Check the product's variants, and write the values there.",
            )
        (call,) = self.calls(odoo, ids)
        return op.send(odoo, attrs.evolve(call, ids=found), warnings)
