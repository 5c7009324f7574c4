"""Functions that return the changes since a cursor, and the time of the last change of records."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.annotations import Context, Domain, Fields, Model
from odoo_toolkit.arguments import resolve_domain
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.errors import ConfigurationError, ValidationError
from odoo_toolkit.fields import Field
from odoo_toolkit.progress import checkpoint, report
from odoo_toolkit.records import rows
from odoo_toolkit.records.arguments import admit, listed_fields, readable_of
from odoo_toolkit.records.cursors import Cursor, digest, pack, unpack
from odoo_toolkit.records.results import Described, ReadResult, Record, _Rows
from odoo_toolkit.records.rows import DEFAULT_FIELDS
from odoo_toolkit.records.time_zones import DayZone
from odoo_toolkit.values import iso_utc
from odoo_toolkit.values.moments import utc_string_of

#: Seconds before a cursor that are looked at again the next time: a transaction that was still at
#: work at the cursor commits with a write_date from its beginning.
OVERLAP = 600.0

#: Records that one request reads.
_PAGE = 1000

_DATES = ("write_date", "create_date")


@attrs.frozen(kw_only=True)
class ChangesResult(_Rows):
    """The changes in the records of a model since a cursor.

    Attributes:
        model: Model of the records, such as ``sale.order``.
        created: New records.
        entered: Older records that did not match the domain or were not visible before, and now
            are.
        written: Other records that were changed.
        left: Ids of records that still exist but no longer match the domain.
        deleted: Ids of records that no longer exist or that this user can no longer see.
        cursor: Cursor to store and to pass as ``since`` next time, as the same user.
        skipped_fields: Fields that the user can't read on these records.
        warnings: Differences between the request and the result.
        described: Description of the fields by name.
    """

    model: str
    created: list[Record]
    entered: list[Record]
    written: list[Record]
    left: list[int]
    deleted: list[int]
    cursor: str = attrs.field(repr=False)
    skipped_fields: list[str] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)
    described: Described = attrs.field(factory=dict, repr=False, eq=False)

    @property
    def records(self) -> list[Record]:  # type: ignore[override]
        """All records that are there: created, entered and written."""
        return [*self.created, *self.entered, *self.written]

    def __bool__(self) -> bool:
        """Whether anything has changed."""
        return bool(self.created or self.entered or self.written or self.left or self.deleted)

    def _summary(self, facts: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        kinds = ("created", "entered", "written", "left", "deleted")
        counted = [f"{len(getattr(self, kind))} {kind}" for kind in kinds if getattr(self, kind)]
        return f"{facts.pop('model')}: {', '.join(counted) or 'nothing has changed'}", facts


def changes(
    odoo: Odoo,
    model: Model,
    since: str | None = None,
    domain: Domain = (),
    fields: Fields = DEFAULT_FIELDS,
    context: Context = None,
    *,
    deletions: bool = True,
    overlap: float = OVERLAP,
) -> ChangesResult:
    """Return the records that were created, changed and deleted since a cursor.

    >>> cursor = changes(odoo, "res.partner").cursor
    >>> # read everything; later:
    >>> found = changes(odoo, "res.partner", cursor, fields=["name", "email"])
    >>> found.created, found.written, found.deleted, found.cursor

    First call it without ``since``. You get a cursor and no records. Store the cursor, read all
    records, and pass the cursor next time. This way you miss nothing.

    Pass the same domain and fields each time. With other fields, the latest changes before the
    cursor are returned again. Archived records are included. The result is false if there are no
    changes.

    A record is changed if Odoo sets its ``write_date``. This includes its fields, tags, archiving
    and stored totals. It does not include messages, followers, files and activities, or lines that
    change no total. While transactions overlap, the same change may be returned more than once. The
    toolkit then compares ``fields``, so a record that was written without a change in these fields
    may be omitted.

    Args:
        since: ``cursor`` of the last call. None for the first call.
        fields: Field names. Default: the default fields of a search.
        context: Keys to add to the context of the connection.
        deletions: Whether to compare ids, which takes 0.1 s for 65,000 records. The cursor stores
            the ids. Without it, ``deleted``, ``left`` and ``entered`` stay empty.
        overlap: Seconds before the cursor to look at again next time. Use at least the duration of
            the longest transaction, plus the difference between the clocks of Odoo and its
            database.

    Raises:
        ValidationError: The model has no ``write_date``, ``since`` is not a cursor of this model
            and user, or INVALID_DOMAIN, INVALID_FIELD.
        NotFoundError: The model does not exist.
        AccessError: Odoo or the policy does not allow it.
        ConfigurationError: The server does not send its time.
    """
    if isinstance(overlap, bool) or not isinstance(overlap, (int, float)) or not overlap >= 1:
        raise ValidationError("overlap must be at least 1 second.", suggestion="Omit overlap.")
    names = listed_fields(fields) or list(DEFAULT_FIELDS)
    fields_of = readable_of(odoo)
    asked = {"domain": domain, "fields": [*names, "write_date"]}
    question = Call(model=model, method="search_read", arguments=asked, context=context or {})
    read = admit(odoo, question).call.arguments["domain"]
    described = fields_of(model)
    check_kept(model, described)
    zone = DayZone(odoo, context)
    resolved, warnings = resolve_domain(
        read, model, fields_of, version_major=odoo.version.major, zone=zone
    )
    old = _checked_cursor(odoo, model, since, deletions)
    # Before anything is asked: what is changed meanwhile is then looked at again the next time.
    start = server_time(odoo, -overlap)

    def search(conditions: Sequence[Any]) -> list[int]:
        call = Call(
            model=model,
            method="search",
            arguments={"domain": list(conditions)},
            context={**zone.context(), "active_test": False},
        )
        found: list[int] = odoo.call(call)
        return found

    # The text is cut to seconds: 14 to 18 find later fractions by >=, 19 compares whole seconds.
    changed = [*resolved, ["write_date", ">=", old.start if old else start]]
    asks: list[Callable[[], list[int]]] = [lambda: search(changed)]
    if deletions:
        asks.append(lambda: search(resolved))
    answers = [set(found) for found in side_by_side(asks)]
    matching = answers[1] if deletions else None
    known = old.known if old else None
    wanted = answers[0] | (matching - known if matching and known is not None else set())
    if tuple(names) == DEFAULT_FIELDS:
        names = [name for name in names if name in described]
    extra = [name for name in _DATES if name in described and name not in names]
    pages = _read(odoo, model, sorted(wanted), [*names, *extra], context)
    found = [record for page in pages for record in page.records]

    digests = {record["id"]: digest(record) for record in found}
    sorted_out = _sorted_out(found, old, digests) if old else _Kinds()
    gone = known - matching - digests.keys() if known and matching is not None else set()
    left = set(search([["id", "in", sorted(gone)]])) if gone and resolved else set()
    new = Cursor(
        model=model,
        database=odoo.database,
        uid=odoo.uid,
        start=start,
        seen={
            record["id"]: digests[record["id"]]
            for record in found
            # It is empty in what was made by SQL.
            if (record.get("write_date") or "") >= iso_utc(start)
        },
        known=_now_known(matching, known or frozenset(), wanted, digests),
    )
    hidden = [] if "*" in names else extra
    for record in found:
        for name in hidden:
            record.pop(name, None)
    return ChangesResult(
        model=model,
        created=sorted_out.created,
        entered=sorted_out.entered,
        written=sorted_out.written,
        left=sorted(left),
        deleted=sorted(gone - left),
        cursor=pack(new),
        skipped_fields=list(dict.fromkeys(name for page in pages for name in page.skipped_fields)),
        warnings=warnings,
        described={
            name: field
            for page in pages[:1]
            for name, field in page.described.items()
            if name not in hidden
        },
    )


@attrs.frozen
class _Kinds:
    """Records by what has become of them."""

    created: list[Record] = attrs.Factory(list)
    entered: list[Record] = attrs.Factory(list)
    written: list[Record] = attrs.Factory(list)


def _sorted_out(found: Iterable[Record], old: Cursor, digests: Mapping[int, bytes]) -> _Kinds:
    """Return the records that are not as they were seen, by what has become of them."""
    kinds = _Kinds()
    before = old.seen if old.known is None else old.known
    for record in found:
        record_id = record["id"]
        # A later write within the same second has the same write_date, so contents are compared.
        if old.seen.get(record_id) == digests[record_id]:
            continue
        if record_id in before:
            kinds.written.append(record)
        elif (record.get("create_date") or "") >= iso_utc(old.start):
            kinds.created.append(record)
        elif old.known is None:
            kinds.written.append(record)
        else:
            kinds.entered.append(record)
    return kinds


def _now_known(
    matching: set[int] | None, known: frozenset[int], wanted: set[int], read: Mapping[int, Any]
) -> frozenset[int] | None:
    """Return the ids of which the caller knows now.

    What came and went while this was asked was never told, so its end need not be told either.
    """
    if matching is None:
        return None
    return frozenset((matching - (wanted - read.keys() - known)) | read.keys())


def _read(
    odoo: Odoo, model: str, ids: Sequence[int], names: Sequence[str], context: Context
) -> list[ReadResult]:
    pages = []
    for at in range(0, len(ids), _PAGE):
        checkpoint()
        pages.append(rows.read(odoo, odoo.options, model, ids[at : at + _PAGE], names, context))
        report(min(at + _PAGE, len(ids)), len(ids), f"Reading changed records of {model}")
    return pages


def _checked_cursor(odoo: Odoo, model: str, since: Any, deletions: bool) -> Cursor | None:
    if since is None:
        return None
    cursor = unpack(since)
    suggestion = "Keep one cursor for each model, database and user. To start again, pass None."
    details = {"field": "since"}
    if cursor.model != model:
        raise ValidationError(
            f"This cursor is for {cursor.model}, not for {model}.",
            suggestion=suggestion,
            details=details,
        )
    if cursor.database and odoo.database and cursor.database != odoo.database:
        raise ValidationError(
            f"This cursor is for the database {cursor.database}, not for {odoo.database}.",
            suggestion=suggestion,
            details=details,
        )
    if cursor.uid != odoo.uid:
        raise ValidationError(
            f"This cursor is for user {cursor.uid}, but this connection is for user {odoo.uid}, "
            "who may see other records.",
            suggestion=suggestion,
            details=details,
        )
    if deletions and cursor.known is None:
        raise ValidationError(
            "This cursor was created with deletions=False, so it does not know which records "
            "existed.",
            suggestion="Pass deletions=False again. To start again, pass None for since.",
            details=details,
        )
    return cursor


def server_time(odoo: Odoo, ahead: float) -> str:
    """Return the server's time, so many seconds ahead, as Odoo writes it."""
    if odoo.clock_ahead is None:
        raise ConfigurationError(
            "The server does not send its time (HTTP header Date), which the toolkit needs to "
            "find changes.",
            suggestion="Configure the proxy in front of Odoo to forward that header.",
        )
    return utc_string_of(time.time() + odoo.clock_ahead + ahead)


def check_kept(model: str, described: Mapping[str, Field]) -> None:
    """Refuse a model that does not keep when its records were last changed.

    Raises:
        ValidationError: it does not.
    """
    field = described.get("write_date")
    if field is None or not field.store:
        raise ValidationError(
            f"{model} does not record when its records were last changed (write_date).",
            suggestion="Read all records again when you need them.",
            details={"model": model},
        )


def last_changes(odoo: Odoo, model: str, ids: Iterable[int]) -> dict[int, str]:
    """Return when records were last changed, archived ones, too; one round trip.

    Those that are not there, or that the user cannot see, are left out.

    Args:
        odoo: the connection.
        model: such as ``sale.order``.
        ids: of the records.

    Raises:
        ValidationError: the model does not keep it.
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
    """
    if refusal := odoo.policy.model_problem(model, "read"):
        raise refusal
    check_kept(model, odoo.schema.fields(model))
    call = Call(
        model=model,
        method="search_read",
        arguments={"domain": [["id", "in", sorted(set(ids))]], "fields": ["write_date"]},
        context={"active_test": False},
        step=True,
    )
    return {row["id"]: row["write_date"] for row in odoo.call(call)}
