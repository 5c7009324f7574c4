"""By what records, or groups of them, are ordered."""

from __future__ import annotations

import re
from typing import Any

import attrs

from odoo_toolkit.errors import ValidationError, invalid
from odoo_toolkit.values.scalars import short_repr

_LONGEST = 1000
_TERM = re.compile(
    r"\s*([A-Za-z_][\w.]{0,199}(?::[a-z_]{1,20})?)"
    r"(?i:(?:\s+(asc|desc))?(?:\s+nulls\s+(first|last))?)\s*",
    re.ASCII,
)
EXAMPLE = "Write it like 'name asc, id desc'."


@attrs.frozen
class Term:
    """One field, or group's key, with its direction.

    Attributes:
        path: a field, a dotted path, or of groups ``amount_total:sum`` and ``date:month``.
        direction: ``asc``, ``desc`` or nothing.
        nulls: ``first`` or ``last``, or nothing where Odoo decides.
    """

    path: str
    direction: str = ""
    nulls: str = ""

    @property
    def wire(self) -> str:
        """The term as it is sent."""
        nulls = f"nulls {self.nulls}" if self.nulls else ""
        return " ".join(filter(None, (self.path, self.direction, nulls)))


@attrs.frozen
class Order:
    """An order, term by term.

    Attributes:
        terms: in the order given.
        separator: that stands between them.
    """

    terms: tuple[Term, ...]
    separator: str = attrs.field(default=", ", eq=False)

    @property
    def paths(self) -> tuple[str, ...]:
        """The fields and paths that are named."""
        return tuple(term.path for term in self.terms)

    @property
    def wire(self) -> str:
        """The order as it is sent; reading this gives the same order again."""
        return self.separator.join(term.wire for term in self.terms)

    @property
    def by_id(self) -> bool:
        """Whether records come by their ids, from the first one on."""
        return [(term.path, term.direction == "desc") for term in self.terms] == [("id", False)]

    def whole(self) -> Order:
        """Return an order that tells all records apart.

        Where it does not, PostgreSQL arranges equals otherwise for each page: some come twice, and
        others never.
        """
        return self if "id" in self.paths else attrs.evolve(self, terms=(*self.terms, Term("id")))


def read_order(value: Any, where: str = "order", example: str = EXAMPLE) -> Order:
    """Return an order, read from the text in which Odoo takes it.

    >>> read_order("name DESC, id").wire
    'name desc, id'

    Args:
        value: a text, or an order that was read before.
        where: the name of the argument, for the error.
        example: the suggestion of the error.

    Raises:
        ValidationError: it is not understood.
    """
    if isinstance(value, Order):
        return value
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise _not_understood(value, where, example)
    terms = tuple(_read(term, where, example) for term in value.split(","))
    # Odoo to 16 does not take the space everywhere in an order of groups.
    return Order(terms, "," if "," in value and ", " not in value else ", ")


def _read(text: str, where: str, example: str) -> Term:
    match = _TERM.fullmatch(text)
    if match is None:
        raise _not_understood(text.strip(), where, example)
    path, direction, nulls = match.groups("")
    return Term(path, direction.lower(), nulls.lower())


def _not_understood(value: Any, where: str, example: str) -> ValidationError:
    return invalid(where, f"The order {short_repr(value)} is not valid.", example, named_in=where)
