"""What ``aggregate`` groups by, checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NoReturn

import attrs

from odoo_toolkit.compat import GROUPING_SINCE
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.fields import Field, FieldsOf, similar_names, unknown_field_error
from odoo_toolkit.values.periods import PERIODS
from odoo_toolkit.values.scalars import short_repr

#: The key of a row for the number of records in the group, and Odoo's own name of it.
COUNT, SERVER_COUNT = "count", "__count"

DATES = frozenset({"date", "datetime"})
NUMBERS = frozenset({"integer", "float", "monetary"})
COUNTED = NUMBERS | DATES | {"boolean", "char", "many2one", "selection", "text"}
_GROUPED = COUNTED | {"many2many", "many2one_reference", "reference"}
_NAME = re.compile(r"[A-Za-z_]\w{0,99}", re.ASCII)


@attrs.frozen(kw_only=True)
class Grouping:
    """What records are grouped by.

    Attributes:
        asked: as it was asked for: the key of the rows.
        path: names of fields; more than one where relations are followed.
        field: at the end of the path; of a property, the field that holds it.
        period: of a date or datetime.
    """

    asked: str
    path: tuple[str, ...]
    field: Field
    period: str | None = None

    @property
    def is_property(self) -> bool:
        """Whether it is one of the properties of a field, which is not described."""
        return self.field.type == "properties"

    @property
    def dotted(self) -> bool:
        """Whether relations are followed."""
        return len(self.path) > 1 and not self.is_property


@attrs.frozen(kw_only=True)
class Measure:
    """What is reckoned of each group; ``asked`` is the key of the rows."""

    asked: str
    field: Field
    function: str


@attrs.frozen(kw_only=True)
class Spec:
    """All of it.

    Attributes:
        groupings: in the order asked.
        measures: those asked for.
        hidden: measures that only the order or the conditions name.
        order: keys of rows, each with whether it descends; all groupings are among them.
        having: conditions on rows, in Odoo's prefix notation.
    """

    groupings: tuple[Grouping, ...]
    measures: tuple[Measure, ...]
    hidden: tuple[Measure, ...] = ()
    order: tuple[tuple[str, bool], ...] = ()
    having: tuple[Any, ...] = ()

    @property
    def every(self) -> tuple[Measure, ...]:
        """The measures asked for and the hidden ones."""
        return (*self.measures, *self.hidden)

    @property
    def local(self) -> bool:
        """Whether all groups are read, to be filtered, ordered and cut here.

        The same on all versions, whatever the server could do, so that the order is.
        """
        return bool(self.having) or any(g.dotted or g.period == "week" for g in self.groupings)


def refuse(model: str, asked: str, message: str, suggestion: str) -> NoReturn:
    raise ValidationError(
        message,
        suggestion=suggestion,
        code="INVALID_FIELD",
        details={"model": model, "field": asked[:200]},
    )


# Groupings -------------------------------------------------------------------------------------


def checked_grouping(
    model: str, asked: str, described: Mapping[str, Field], fields_of: FieldsOf, major: int
) -> Grouping:
    text, _, period = asked.partition(":")
    path = tuple(text.split("."))
    here, fields = model, described
    for index, name in enumerate(path):
        if name not in fields:
            raise unknown_field_error(here, name, fields)
        field, rest = fields[name], path[index + 1 :]
        if not rest:
            break
        if field.type == "properties" and not index and len(rest) == 1 and _NAME.fullmatch(rest[0]):
            return _property(model, asked, path, field, period, major)
        if field.type != "many2one" or not field.relation:
            refuse(
                model, asked,
                f"{asked}: {name} of {here} is {field.type}. Only a many2one can be followed by a "
"dot.",
                f"Aggregate {field.relation or here} itself.",
            )  # fmt: skip
        if not index:
            _check_groupable(here, asked, field, fields, major)
        here, fields = field.relation, fields_of(field.relation)
    last_is_read = len(path) > 1 and major < GROUPING_SINCE["formatted"]
    _check_groupable(here, asked, field, fields, major, read=last_is_read)
    return Grouping(asked=asked, path=path, field=field, period=_period(here, asked, field, period))


def _property(
    model: str, asked: str, path: tuple[str, ...], field: Field, period: str, major: int
) -> Grouping:
    if major < GROUPING_SINCE["properties"]:
        refuse(
            model, asked,
            f"Odoo {major} cannot group by properties.",
            f"Read {field.name} of the records, and count the values yourself.",
        )  # fmt: skip
    if period == "week" or (period and period not in PERIODS):
        refuse(
            model, asked, f"{asked}: properties cannot be grouped by {period}.",
            "Use day, month, quarter or year.",
        )  # fmt: skip
    return Grouping(asked=asked, path=path, field=field, period=period or None)


def _check_groupable(
    model: str,
    asked: str,
    field: Field,
    fields: Mapping[str, Field],
    major: int,
    read: bool = False,
) -> None:
    """Refuse a field that the database cannot group by; ``read``: it is read and grouped here."""
    if field.name == "id":
        refuse(
            model, asked, "Grouping by id would create a group for each record.",
            "Read the records with search_read.",
        )  # fmt: skip
    many = field.type == "many2many"
    if many and (read or major < GROUPING_SINCE["many2many"]):
        refuse(
            model, asked,
            f"{asked}: Odoo {major} cannot group by a many2many{' of another model' * read}.",
            f"Read {field.name} of the records and count, or make a call for each value with the "
f"condition [[\"{asked}\", \"=\", id]] in the domain.",
        )  # fmt: skip
    if field.type in _GROUPED and (field.store if many else field.sortable or (read and not many)):
        return
    names = [name for name, other in fields.items() if other.type in _GROUPED and other.sortable]
    similar = similar_names(field.name, names)
    if field.type in _GROUPED:
        problem = f"{field.name} of {model} is computed when it is read, and not stored"
    else:
        problem = f"{field.name} of {model} is {field.type}"
    related = ".".join(field.related)
    instead = f"Group by {related} instead" if "." in related else "Group by a stored field"
    near = f", such as {' or '.join(similar)}" if similar and "." not in related else ""
    refuse(
        model, asked,
        f"Records cannot be grouped by {asked}: {problem}.",
        f"{instead}{near}. For lines (one2many), aggregate the model of the lines.",
    )  # fmt: skip


def _period(model: str, asked: str, field: Field, period: str) -> str | None:
    if field.type not in DATES:
        if period:
            refuse(
                model, asked,
                f"{asked}: {field.name} of {model} is {field.type}, which cannot be grouped by "
f"{period[:40]}.",
                f"Group by {asked.partition(':')[0]}. Put values to calculate into measures.",
            )  # fmt: skip
        return None
    if period not in PERIODS or (period == "hour" and field.type == "date"):
        name = asked.partition(":")[0]
        refuse(
            model, asked,
            f"{asked}: a {field.type} field is grouped by a period, not by "
f"{short_repr(period) if period else 'its single values'}.",
            f"Write {name}:month, or one of {', '.join(PERIODS[field.type == 'date':])}.",
        )  # fmt: skip
    return period
