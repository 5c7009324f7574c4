"""Domains, which are Odoo's filters: how to build them, and the checks before they are sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import attrs

from odoo_toolkit.arguments.domain_shape import (
    check_syntax,
    check_versions,
    join,
    plain_elements,
    together,
)
from odoo_toolkit.arguments.domain_values import Zone, resolve_conditions
from odoo_toolkit.errors import make_error
from odoo_toolkit.fields import FieldsOf
from odoo_toolkit.values.search_text import literal

DOMAIN_HELP = """\
Domain: a list of conditions [field, operator, value]. All must be true. [] selects all records.
Comparisons: = != > >= < <= like ilike =like =ilike in "not in" child_of parent_of, \
any/"not any" (Odoo 17+).
Operators precede their conditions: "|" (or) and "&" (and) join two, "!" (not) negates one.
Empty: ["email", "=", false]. Dots follow relations. Datetimes are UTC, \
days in the user's time zone.
[["state", "=", "sale"], ["amount_total", ">=", 1000]]
["|", ["name", "ilike", "acme"], ["email", "ilike", "acme"]]
[["partner_id.country_id.code", "in", ["PT", "ES"]]]
["!", ["category_id", "child_of", 5]]
[["create_date", ">=", "2025-01-01"]]"""


def check_domain(domain: Any, *, version_major: int | None = None) -> list[Any]:
    """Return a domain as plain lists, its shape checked; no server is asked.

    Args:
        domain: a list or tuple of conditions and connectors, or a :class:`Domain`.
        version_major: the Odoo version it is for, where known: ``any`` exists from 17 on.

    Returns:
        A new list; tuples and sets have become lists, None has become False, dates texts.

    Raises:
        ValidationError: INVALID_DOMAIN. Where the meaning is beyond doubt,
            ``details["corrected_domain"]`` has the domain that was probably meant.
    """
    return read_domain(domain, version_major).build()


def read_domain(domain: Any, version: int | None = None) -> Domain:
    """Return a domain, its shape checked; one that was read before is not read again.

    Args:
        domain: as for :func:`check_domain`.
        version: the Odoo version it is for, where known.

    Raises:
        ValidationError: as of :func:`check_domain`.
    """
    if not isinstance(domain, Domain):
        elements = plain_elements(domain)
        if elements is None:
            elements = _freeze(check_syntax(domain, version))
        return Domain(_Elements(elements))
    if version is not None:
        check_versions(domain.elements, version)
    return domain


def resolve_domain(
    domain: Any,
    model: str,
    fields_of: FieldsOf,
    *,
    version_major: int | None = None,
    zone: Zone | None = None,
) -> tuple[list[Any], list[str]]:
    """Return a domain checked against the fields of its model, its values in Odoo's form.

    Datetimes in any ISO form become naive UTC, dates ``YYYY-MM-DD``. With a zone, a day for a
    datetime field becomes the time at which it begins there, for ``<=`` and ``>`` its end.

    Args:
        domain: as for :func:`check_domain`.
        model: the model that is searched.
        fields_of: gives the fields of a model. Where it raises for a model on a dotted path, the
            rest of that path is left to the server.
        version_major: the Odoo version, where known.
        zone: gives the time zone of days; asked only if there is one. Without it they stay days.

    Returns:
        The domain, and warnings worth passing on.

    Raises:
        ValidationError: INVALID_DOMAIN; INVALID_FIELD for a field that does not exist or cannot be
            filtered by, which Odoo to 18 ignores, giving every record; INVALID_SELECTION.
        OdooError: the fields of ``model`` cannot be had.
    """
    resolved, warnings = resolved_domain(domain, model, fields_of, version_major, zone)
    return resolved.build(), warnings


def resolved_domain(
    domain: Any,
    model: str,
    fields_of: FieldsOf,
    version: int | None,
    zone: Zone | None = None,
) -> tuple[Domain, list[str]]:
    """Return a domain as :func:`resolve_domain` does, as an object."""
    checked = read_domain(domain, version).build()
    warnings: list[str] = []
    resolved = resolve_conditions(checked, model, fields_of, version, warnings, zone)
    return Domain.of(_freeze(resolved)), warnings


class _Elements(tuple[Any, ...]):
    """Elements of a domain that were checked."""

    __slots__ = ()


def _freeze(items: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(_freeze(item) if isinstance(item, list) else item for item in items)


@attrs.frozen(repr=False, init=False)
class Domain(Sequence[Any]):
    """A domain, built condition by condition. Every method returns a new domain.

    ::

        Domain().equals("state", "sale").between("amount_total", 100, 500)
        Domain.or_(Domain().contains("name", "acme"), Domain().contains("email", "acme"))
        ~Domain().is_set("email") & Domain().equals("active", True)
        Domain().equals("active", True) | [["create_date", ">=", "2025-01-01"]]

    You can pass it to every parameter that accepts a domain. To start from an existing domain,
    write ``Domain([["state", "=", "sale"]])``. ``&`` and ``|`` also accept a plain list on either
    side.
    """

    elements: tuple[Any, ...]

    def __init__(self, elements: Any = ()) -> None:
        checked = elements if type(elements) is _Elements else read_domain(elements).elements
        object.__setattr__(self, "elements", checked)

    def equals(self, field: str, value: Any) -> Domain:
        """Require the value. None and False mean "empty"."""
        return self._with(field, "=", value)

    def not_equals(self, field: str, value: Any) -> Domain:
        """Exclude the value. Records with an empty field also match."""
        return self._with(field, "!=", value)

    def contains(self, field: str, text: str) -> Domain:
        """Require the text anywhere in the field, ignoring case.

        ``%`` and ``_`` are ordinary characters. In a plain ``ilike`` condition they are wildcards.
        """
        return self._with(field, "ilike", literal(text))

    def starts_with(self, field: str, text: str) -> Domain:
        """Require the text at the beginning of the field, ignoring case."""
        return self._with(field, "=ilike", literal(text) + "%")

    def in_list(self, field: str, values: Iterable[Any]) -> Domain:
        """Require one of the values. An empty list matches no records."""
        if isinstance(values, str):
            raise make_error(
                "INVALID_DOMAIN",
                f"in_list needs a list of values for {field}, not a string.",
                suggestion=f"Pass [{values!r}].",
            )
        return self._with(field, "in", list(values))

    def greater_than(self, field: str, value: Any) -> Domain:
        """Require a value greater than this one."""
        return self._with(field, ">", value)

    def less_than(self, field: str, value: Any) -> Domain:
        """Require a value less than this one."""
        return self._with(field, "<", value)

    def between(self, field: str, low: Any, high: Any) -> Domain:
        """Require a value from ``low`` to ``high``, both included."""
        return self._with(field, ">=", low)._with(field, "<=", high)

    def is_set(self, field: str) -> Domain:
        """Require that the field is not empty."""
        return self._with(field, "!=", False)

    def is_empty(self, field: str) -> Domain:
        """Require that the field is empty."""
        return self._with(field, "=", False)

    def or_(*conditions: Sequence[Any]) -> Domain:
        """Match records that match at least one of the domains.

        ``Domain.or_(a, b)`` and ``a.or_(b)`` are the same. No domains match no records.
        """
        return Domain(join("|", [check_domain(part) for part in conditions]) or [[0, "=", 1]])

    def negate(self) -> Domain:
        """Match records that do not match the domain."""
        return Domain(["!", *together(self.build())])

    def build(self) -> list[Any]:
        """Return the domain as a list for Odoo."""
        return _thaw(self.elements)

    @property
    def wire(self) -> list[Any]:
        """The domain as it is sent."""
        return self.build()

    @classmethod
    def of(cls, elements: Iterable[Any]) -> Domain:
        """Return a domain of elements that were checked before, such as another domain's."""
        return cls(_Elements(elements))

    def __and__(self, other: Sequence[Any]) -> Domain:
        return Domain(self.build() + check_domain(other)) if _is_list(other) else NotImplemented

    def __rand__(self, other: Sequence[Any]) -> Domain:
        return Domain(check_domain(other) + self.build()) if _is_list(other) else NotImplemented

    def __or__(self, other: Sequence[Any]) -> Domain:
        return Domain.or_(self, other) if _is_list(other) else NotImplemented

    def __ror__(self, other: Sequence[Any]) -> Domain:
        return Domain.or_(other, self) if _is_list(other) else NotImplemented

    def __invert__(self) -> Domain:
        return self.negate()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.build())

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self.build()[index]

    def __len__(self) -> int:
        return len(self.elements)

    def __repr__(self) -> str:
        return f"Domain({self.build()!r})"

    def _with(self, field: str, operator: str, value: Any) -> Domain:
        return Domain([*self.build(), [field, operator, value]])


def is_condition(element: Any) -> bool:
    """Whether an element of a domain that was read is a condition on a field."""
    return isinstance(element, tuple) and isinstance(element[0], str)


def _is_list(value: object) -> bool:
    return isinstance(value, (Domain, list, tuple))


def _thaw(items: tuple[Any, ...]) -> list[Any]:
    return [_thaw(item) if isinstance(item, tuple) else item for item in items]
