"""The records that business operations are about: found, read, read back, and made a result of.

All rows have one shape, whatever the options of the connection: a many2one is a
:class:`RecordName` or None, and what is empty is None.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

import attrs

from odoo_toolkit.arguments import named, read_domain
from odoo_toolkit.arguments.compared import Difference, differences
from odoo_toolkit.call import Call
from odoo_toolkit.change_history.lost_answers import made_since
from odoo_toolkit.client import Odoo
from odoo_toolkit.compat import words
from odoo_toolkit.errors import NotFoundError, OdooError, StateError, make_error
from odoo_toolkit.operations.steps import Done, Seen
from odoo_toolkit.policy import Policy
from odoo_toolkit.policy.reach import closed_in
from odoo_toolkit.records.names import AmbiguousNameError, Wanted, resolve, resolve_all
from odoo_toolkit.records.numbers import read_stored
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values import ReadOptions, from_wire

Row = dict[str, Any]

#: Most records of one reference that are looked at.
_CANDIDATES = 11
T = TypeVar("T")


@attrs.frozen(kw_only=True)
class Document:
    """A kind of record that operations are about.

    Attributes:
        model: such as ``sale.order``.
        noun: what people call it.
        argument: of the operations that name it by id, such as ``order_id``.
        fields: what is read of it, as names or as one text with spaces between; what a version
            lacks, or may not be read, is None.
        numbered: whether its name is a number of its own, which one search by it finds.
        references: the fields with what else it is called by, such as the partner's number for it.
        domain: what all of them match.
    """

    model: str
    noun: str
    argument: str
    fields: tuple[str, ...] = attrs.field(converter=words)
    numbered: bool = False
    references: tuple[str, ...] = attrs.field(default="", converter=words)
    domain: tuple[Any, ...] = ()

    def wanted(self, record_id: int | None, name: str | None) -> Wanted:
        """Return what is resolved to find one by id or name."""
        return Wanted(
            model=self.model, field=self.argument, id=record_id, name=name, domain=self.domain
        )


def find(odoo: Odoo, document: Document, record_id: int | None, name: str | None) -> Row:
    """Return the row of the record meant; archived ones are found by id only.

    A number that is exactly one record's takes one round trip, as does an id.

    Raises:
        AmbiguousNameError: the name matches several.
        NotFoundError: there is none, or this user cannot see it.
        ValidationError: neither or both were given.
    """
    if document.numbered and record_id is None and isinstance(name, str) and name.strip():
        exact = [*document.domain, ["name", "=", name.strip()]]
        rows = read_rows(odoo, document.model, exact, document.fields, limit=2)
        if len(rows) == 1:
            return _linked(odoo, document, rows[0])
    return read(odoo, document, find_id(odoo, document, record_id, name))


def find_id(odoo: Odoo, document: Document, record_id: int | None, name: str | None) -> int:
    """Return the id of the record meant; one that is given is taken as it is.

    Raises:
        AmbiguousNameError: the name matches several.
        NotFoundError: none does.
        ValidationError: neither or both were given.
    """
    return _find_one(odoo, document, document.wanted(record_id, name))


def find_ids(odoo: Odoo, document: Document, wanted: Sequence[Wanted]) -> list[int]:
    """Return the ids of the records meant, looked up together where their names are known.

    Raises: as :func:`find_id`.
    """
    try:
        return [number for number in resolve_all(odoo, wanted) if number]
    except NotFoundError:
        return [_find_one(odoo, document, item) for item in wanted]


def _find_one(odoo: Odoo, document: Document, wanted: Wanted) -> int:
    try:
        found = resolve(odoo, wanted)
    except NotFoundError:
        found = _by_reference(odoo, document, wanted)
        if found is None:
            raise
    assert found is not None  # noqa: S101 - it is required
    return found


def _by_reference(odoo: Odoo, document: Document, wanted: Wanted) -> int | None:
    """Return the one record that has a reference; None if there is none.

    Raises:
        AmbiguousNameError: several have it.
    """
    readable = odoo.policy.readable_fields(document.model, odoo.schema.fields)
    fields = [name for name in document.references if name in readable]
    if not fields or not isinstance(wanted.name, str):
        return None
    said = wanted.name.strip()
    either = [*"|" * (len(fields) - 1), *([name, "=", said] for name in fields)]
    domain = [*document.domain, *either]
    rows = read_rows(odoo, document.model, domain, ["display_name"], limit=_CANDIDATES)
    if len(rows) > 1:
        matches = [RecordName(id=row["id"], name=str(row["display_name"])) for row in rows]
        raise AmbiguousNameError(wanted.field, said, document.model, matches)
    return rows[0]["id"] if rows else None


def read(odoo: Odoo, document: Document, record_id: int) -> Row:
    """Return the row of a record by its id.

    Raises:
        NotFoundError: there is none, or this user cannot see it.
    """
    domain = [*document.domain, ["id", "=", record_id]]
    rows = read_rows(odoo, document.model, domain, document.fields)
    if not rows:
        raise not_found(document, [record_id])
    return _linked(odoo, document, rows[0])


def _linked(odoo: Odoo, document: Document, row: Row) -> Row:
    """Give a row its link: what is made of it with an attribute ``url`` takes it over."""
    row.setdefault("url", odoo.link(document.model, row["id"]))
    return row


def read_all(odoo: Odoo, document: Document, ids: Sequence[int], **options: Any) -> list[Row]:
    """Return the rows of records by their ids, in that order; options as of :func:`read_rows`.

    Raises:
        NotFoundError: one does not exist, or this user cannot see it.
    """
    domain = [*document.domain, ["id", "in", list(ids)]]
    found = read_rows(odoo, document.model, domain, document.fields, **options)
    rows = {row["id"]: _linked(odoo, document, row) for row in found}
    if missing := [number for number in ids if number not in rows]:
        raise not_found(document, missing)
    return [rows[number] for number in ids]


def not_found(document: Document, ids: Sequence[int]) -> NotFoundError:
    """Return the error for records that do not exist."""
    listed = ", ".join(map(str, ids))
    return NotFoundError(
        f"There is no {document.noun} with id {listed} ({document.argument}), or this user cannot"
        " see it.",
        suggestion=f"Look for it with search_read on {document.model}.",
        details={"model": document.model, "field": document.argument, "ids": list(ids)},
    )


def read_rows(
    odoo: Odoo,
    model: str,
    domain: Sequence[Any],
    fields: Sequence[str],
    *,
    acts_on: str | None = None,
    limit: int | None = None,
    order: str | None = None,
    strip_html: bool = True,
    **context: Any,
) -> list[Row]:
    """Return what an operation has to know of records, archived ones included; one round trip.

    Args:
        odoo: the connection.
        model: whose records.
        domain: which of them.
        fields: what is read; None stands for what this server or user has not.
        acts_on: the model that the operation is about, by which lists of models judge it.
        limit: most rows.
        order: how they are sorted.
        strip_html: what is html as plain text.
        context: extends the connection's.
    """
    policy = odoo.policy.about(acts_on) if acts_on else odoo.policy
    described = policy.readable_fields(model, odoo.schema.fields)
    arguments: dict[str, Any] = {
        "domain": read_domain(domain),
        "fields": named(dict.fromkeys(name for name in fields if name in described) or ("id",)),
    }
    arguments |= {"limit": limit} if limit is not None else {}
    arguments |= {"order": order} if order is not None else {}
    rows = odoo.call(
        Call(
            model=model,
            method="search_read",
            arguments=arguments,
            context={"active_test": False, **context},
            acts_on=acts_on,
            step=True,
        )
    )
    options = ReadOptions(strip_html=strip_html)
    plain = [{**dict.fromkeys(fields), **_own(row, described, options)} for row in rows]
    closed = odoo.schema.fields(model).keys() & set(fields) - described.keys()
    refusal = functools.partial(_refusal, odoo, policy, model)
    return [_PartlyClosed(row, closed, refusal) for row in plain] if closed else plain


def first(
    odoo: Odoo, model: str, domain: Sequence[Any], fields: Sequence[str], **options: Any
) -> Row | None:
    """Return the first record that matches; options as of :func:`read_rows`."""
    rows = read_rows(odoo, model, domain, fields, limit=1, **options)
    return rows[0] if rows else None


def _refusal(odoo: Odoo, policy: Policy, model: str, name: str) -> OdooError:
    """Return the error for what cannot do without a closed field."""
    field = odoo.schema.fields(model)[name]
    closed = closed_in(policy, model, field, odoo.schema.fields)
    if closed is not None and closed.model is not None:
        return closed.refusal(policy, field, model, "fields")
    return make_error(
        "FIELD_BLOCKED",
        f"This needs the field {name} of {model}, but the policy blocks it.",
        suggestion="Read other fields with search_read, or remove this one from "
        "Policy(field_blocklist=...).",
        details={"model": model, "field": name},
    )


class _PartlyClosed(Row):
    """A row some of whose fields the policy closes: where they are only shown, it omits them.

    What is computed of None would be wrong, so what asks for one with ``row[name]`` is told.
    """

    def __init__(
        self, row: Row, closed: Collection[str], refusal: Callable[[str], OdooError]
    ) -> None:
        super().__init__(row)
        self._closed, self.refusal = frozenset(closed), refusal

    def __getitem__(self, name: str) -> Any:
        if name in self._closed:
            raise self.refusal(name)
        return super().__getitem__(name)

    def closes(self, name: str) -> bool:
        """Whether a field is closed."""
        return name in self._closed


def _own(row: Mapping[str, Any], described: Mapping[str, Any], options: ReadOptions) -> Row:
    own: Row = {}
    for name, shown in from_wire(row, described, options).items():
        if name in described and described[name].type == "many2one":
            own[name] = RecordName(**shown) if shown else None
        else:
            own[name] = None if shown == "" else shown
    return own


def read_new(
    odoo: Odoo,
    model: str,
    domain: Sequence[Any],
    fields: Sequence[str],
    *,
    since: float,
    acts_on: str | None = None,
) -> list[Row]:
    """Return the rows of what this user has made since a time of this machine; none without clock.

    To see that a step has happened whose answer was lost.
    """
    made = made_since(odoo, since)
    if made is None:
        return []
    return read_rows(odoo, model, [*made, *domain], fields, acts_on=acts_on, order="id")


def is_locked(row: Mapping[str, Any]) -> bool:
    """Whether an order is closed for changes: a state of old, later a field of its own.

    Sales orders have the field ``locked`` from Odoo 17 on, purchase orders from 19 on.
    """
    return row["state"] == "done" or bool(row["locked"])


def currency_of(row: Mapping[str, Any]) -> str | None:
    """Return the name of the currency of a row, such as EUR."""
    return row["currency_id"].name if row["currency_id"] else None


def read_back(odoo: Odoo, document: Document, record_id: int, warnings: list[str]) -> Row | None:
    """Return the row of a record that something was done to; None, with a warning, if it fails."""
    return afterwards(lambda: read(odoo, document, record_id), warnings)


def afterwards(look: Callable[[], T], warnings: list[str], what: str = "it") -> T | None:
    """Return what is read after something was done; None, with a warning, if it fails.

    What is done stays done, whether or not it can be read.
    """
    try:
        return look()
    except OdooError as error:
        warnings.append(f"This is done, but {what} cannot be read back: {error.message}")
        return None


def readable(
    what: str,
    ask: Callable[[], T],
    warnings: list[str],
    refusal: type[OdooError] = OdooError,
    instead: T | None = None,
) -> Callable[[], T | None]:
    """Return a question for a part of a document, of which a warning says where it is refused.

    Args:
        what: the part is called, in the plural.
        ask: reads it.
        warnings: gets the sentence.
        refusal: the errors that the document itself survives.
        instead: the answer then.
    """

    def asking() -> T | None:
        try:
            return ask()
        except refusal as error:
            warnings.append(f"The {what} cannot be read: {error.message}")
            return instead

    return asking


def row_after(odoo: Odoo, document: Document, done: Done, **known: Any) -> Row:
    """Return the row of a record that steps were made on, or just its id and what is known."""
    return read_back(odoo, document, done.id, done.warnings) or {"id": done.id, **known}


def label(row: Mapping[str, Any]) -> str:
    """Return how messages call a record that has no number: ``'Chairs' (5)``."""
    return f"{row['name']!r} ({row['id']})"


def linked_names(
    odoo: Odoo, model: str, ids: Sequence[int], what: str, warnings: list[str], *, acts_on: str
) -> list[RecordName]:
    """Return the names of records that another one links; no round trip for none.

    Args:
        odoo: the connection.
        model: of the linked records.
        ids: theirs.
        what: they are, in the plural, for the warning.
        warnings: is told where some cannot be read.
        acts_on: the model of the record that links them.
    """
    if not ids:
        return []
    domain = [["id", "in", list(ids)]]
    try:
        rows = read_rows(odoo, model, domain, ["display_name"], acts_on=acts_on)
    except OdooError as error:
        warnings.append(f"The {what}' names cannot be read: {error.message}")
        return []
    names = {row["id"]: RecordName(id=row["id"], name=row["display_name"]) for row in rows}
    if hidden := [number for number in ids if number not in names]:
        warnings.append(f"This user cannot see these {what}: {', '.join(map(str, hidden))}.")
    return [names[number] for number in ids if number in names]


def differing(row: Mapping[str, Any], links: Mapping[str, int | None]) -> dict[str, int]:
    """Return those links that a row does not show: field -> id; None stands for any."""
    return {
        field: wanted
        for field, wanted in links.items()
        if wanted and field in row and (row[field] is None or row[field].id != wanted)
    }


def not_taken(row: Mapping[str, Any], links: Mapping[str, int | None]) -> list[str]:
    """Say which links a row that was read back does not show, see :func:`differing`."""
    return [f"Odoo did not accept {field} {link}." for field, link in differing(row, links).items()]


def filled(result: type[T], row: Mapping[str, Any], **told: Any) -> T:
    """Make a result of a row: an attribute takes the field of its name, ``stage`` ``stage_id``.

    Args:
        result: an attrs class.
        row: as :func:`read_rows` gives it; what it lacks stays at the attribute's default.
        told: attributes that are no fields.
    """
    values = dict(told)
    for attribute in attrs.fields(result):  # type: ignore[arg-type]
        for field in (attribute.name, f"{attribute.name}_id"):
            if attribute.name not in values and row.get(field) is not None:
                values[attribute.name] = row[field]
            needed = attribute.name not in values and attribute.default is attrs.NOTHING
            if needed and isinstance(row, _PartlyClosed) and row.closes(field):
                raise row.refusal(field)
    return result(**values)


def stored_otherwise(
    odoo: Odoo, model: str, given: Mapping[int, Mapping[str, Any]], acts_on: str
) -> list[Difference]:
    """Return what is stored otherwise than it was given; one round trip.

    Args:
        odoo: the connection.
        model: of the records.
        given: the values of each, by its id, as they were sent.
        acts_on: the model that the operation is about.
    """
    described = odoo.policy.readable_fields(model, odoo.schema.fields)
    names = sorted({name for values in given.values() for name in values})
    rows = read_stored(odoo, model, list(given), names, acts_on)
    return differences(model, given, rows, described)


def would_cancel(name: str, others: Sequence[str]) -> str:
    """Return what a plan says of cancelling a document, and the others that Odoo cancels too."""
    also = f" (and with it {', '.join(others)})" if others else ""
    return f"Would cancel {name}{also}."


def state_error(
    document: Document, row: Mapping[str, Any], message: str, todo: str, **details: Any
) -> StateError:
    """Return the error for a record whose state does not allow what was asked."""
    about = {"model": document.model, "id": row["id"], "current_state": row.get("state")}
    about |= {"locked": row["locked"]} if row.get("locked") is not None else {}
    return StateError(message, suggestion=todo, details=about | details)


def shows(document: Document, **values: Any) -> Seen:
    """Return what sees that a step has happened: the record shows one of the values of each field.

    >>> shows(ORDER, state=("sale", "done"))
    """

    def seen(odoo: Odoo, record_id: int) -> bool | None:
        for row in read_rows(odoo, document.model, [["id", "=", record_id]], list(values)):
            shown = {name: getattr(row[name], "id", row[name]) for name in values}
            if all(shown[name] in values[name] for name in values):
                return True
        return None

    return seen
