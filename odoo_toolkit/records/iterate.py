"""An iterator over every record that matches a domain."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from odoo_toolkit.annotations import Context, Domain, Fields, Model
from odoo_toolkit.client import Odoo
from odoo_toolkit.fields import Field
from odoo_toolkit.progress import checkpoint
from odoo_toolkit.records.arguments import checked_count
from odoo_toolkit.records.completeness import ReadReport, Watch
from odoo_toolkit.records.frames import to_df
from odoo_toolkit.records.pages import Pages
from odoo_toolkit.records.progress_bar import Bar, Progress, progress_of
from odoo_toolkit.records.results import Record, SearchResult
from odoo_toolkit.records.rows import DEFAULT_FIELDS, Question, asked, in_own_order
from odoo_toolkit.values import ReadOptions

if TYPE_CHECKING:
    import pandas as pd

    from odoo_toolkit.records.arrow_stream import ArrowStream

#: Records that one request reads, unless told.
BATCH = 1000


class Records(Iterator[Record]):
    """An iterator that reads records while you use them.

    See :func:`iterate`. Use it in one thread at a time.

    Attributes:
        model: Model of the records, such as ``res.partner``.
    """

    def __init__(
        self,
        odoo: Odoo,
        question: Question,
        batch: int,
        *,
        counted: bool = False,
        progress: Callable[[], Progress] | None = None,
        options: ReadOptions | None = None,
        check: bool = False,
    ) -> None:
        self.model = question.model
        self._odoo, self._question = odoo, question
        self._again = partial(
            Records,
            odoo,
            question,
            batch,
            counted=counted,
            progress=progress,
            options=options,
            check=check,
        )
        self._pages = Pages(
            odoo,
            options or odoo.options,
            question,
            batch,
            counted=counted or progress is not None,
        )
        # It does not know of this object, so that it ends as soon as nobody holds that any more.
        self._watch = Watch(odoo, question, checked=check)
        self._read = _used(self._pages, self._watch, batch, progress)
        self._rows = _one_by_one(self._read)

    def __next__(self) -> Record:
        return next(self._rows)

    def __enter__(self) -> Records:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Records of {self.model}>"

    def close(self) -> None:
        """Stop reading. It returns when all requests have ended."""
        self._rows.close()
        self._read.close()

    def pages(self) -> Generator[list[Record], None, None]:
        """Return an iterator over pages, to use instead of the one over records."""
        return self._read

    @property
    def total(self) -> int | None:
        """The number of matching records. None until it is known, or if you did not ask for it."""
        return self._pages.total

    @property
    def report(self) -> ReadReport:
        """The records that were read. With ``check``, it also says whether they are complete."""
        return self._watch.report

    @property
    def excluded_count(self) -> int | None:
        """The number of records that the policy blocked. It is known after the first record."""
        return self._pages.excluded_count

    @property
    def described(self) -> dict[str, Field]:
        """The description of each column's field, in the order of the fields."""
        return self._question.columns.described(self._pages.shower.skipped)

    @property
    def skipped_fields(self) -> list[str]:
        """Fields that the user can't read, as far as they are known yet."""
        return list(self._pages.shower.skipped)

    @property
    def warnings(self) -> list[str]:
        """Differences between the request and the result, as far as they are known yet."""
        return [*self._pages.warnings, *self._pages.shower.warnings]

    def to_df(self) -> pd.DataFrame:
        """Read the remaining records and return them as a pandas DataFrame.

        See ``odoo_toolkit.records.frames.to_df``.

        Raises:
            ConfigurationError: pandas is not installed.
        """
        rest = list(self)
        return to_df(rest, self.described)

    def to_arrow(self, *, decimals: bool = True) -> ArrowStream:
        """Return the records as a stream of Arrow batches. See :func:`odoo_toolkit.to_arrow`.

        Each use of the stream reads all records again, even those you have read with this iterator.

        Args:
            decimals: True if money is decimal, and also floats with a number of digits fixed by
                Odoo. Otherwise they are floats.

        Raises:
            ValidationError: A field is binary, or has properties.
            ConfigurationError: pyarrow is not installed.
        """
        from odoo_toolkit.records.arrow_stream import stream_of

        question = self._question
        return stream_of(
            self._odoo, self.model, self.described, self._again, decimals, question.every
        )


def _one_by_one(pages: Iterable[list[Record]]) -> Generator[Record, None, None]:
    for page in pages:
        yield from page


def _used(
    pages: Pages, watch: Watch, batch: int, progress: Callable[[], Progress] | None
) -> Generator[list[Record], None, None]:
    """Yield the pages, and tell of the progress after each."""
    tell = progress() if progress else None
    done = 0
    watch.begin()
    reading = _watched(pages, watch, batch)
    try:
        for page in reading:
            yield page
            done += len(page)
            if tell:
                tell(done, max(done, pages.total or 0))
            checkpoint()
    finally:
        reading.close()
        if isinstance(tell, Bar):
            tell.close()


def _watched(pages: Pages, watch: Watch, batch: int) -> Generator[list[Record], None, None]:
    """Yield the pages; where that is wanted, what they have missed, too."""
    reading = pages.read()
    try:
        for page in reading:
            watch.take(page)
            yield page
    finally:
        reading.close()
    if watch.checked:
        yield from watch.rest(pages.chunk, batch)


def iterate(
    odoo: Odoo,
    model: Model,
    domain: Domain = (),
    fields: Fields = DEFAULT_FIELDS,
    order: str | None = None,
    batch: int = BATCH,
    context: Context = None,
    progress: bool | Progress = False,
    *,
    check: bool = False,
) -> Records:
    """Return an iterator over every record that matches a domain.

    >>> for partner in iterate(odoo, "res.partner", fields=["name", "country_id.code"]):
    ...     print(partner["name"], partner["country_id.code"])

    Records are read page by page while you use them, so memory use stays flat. While you use one
    page, threads read the next two. Wrong arguments raise an error immediately, but nothing is read
    before you use the first record. Leave the loop or call ``close()`` to stop.

    By default, records are ordered by id. No record that exists all the time is missed or returned
    twice, even while other users create and delete records. A record that is created meanwhile may
    or may not be returned. A transaction that takes longer can add records with ids that the loop
    has already passed. To get them too, pass ``check=True`` or see :func:`changes`. Do not create
    matching records within the loop.

    With another order, the toolkit first reads all ids in that order. Records that are deleted
    meanwhile are omitted, and new records are not returned. A record that no longer matches is
    returned with its current values. Messages, activities and files are always read this way.

    Args:
        fields: Field names and dotted paths, as in :func:`search_read`.
        order: Order, as in :func:`search_read`. Default: by id.
        batch: Records per request, at most ``odoo.options.max_limit``.
        context: Keys to add to the context of the connection.
        progress: True to show a tqdm progress bar. Or pass a function to call after each page, with
            the number of records used and the total. Both first ask Odoo for the total.
        check: Whether to compare ids at the end. Records that the pages missed come last, and
            ``report`` lists records that were added, deleted or changed meanwhile.

    Raises:
        ValidationError: INVALID_DOMAIN, INVALID_FIELD, or a wrong order or batch.
        NotFoundError: The model does not exist.
        AccessError: Odoo or the policy does not allow it.
        ConfigurationError: ``progress=True`` without tqdm.
        StateError: Only with ``check``, after the last record. The database counts records that it
            does not return.
    """
    batch = checked_count(batch, "batch", 1)
    telling = progress_of(progress, model)
    question = asked(odoo, model, domain, fields, "id" if order is None else order, context)
    most = odoo.options.max_limit
    batch = batch if most is None else min(batch, most)
    return Records(odoo, question, batch, progress=telling, check=check)


def search_all(
    odoo: Odoo,
    model: str,
    domain: Sequence[Any],
    fields: Sequence[str],
    *,
    offset: int = 0,
    order: str | None = None,
    context: Mapping[str, Any] | None = None,
    count_total: bool = False,
) -> SearchResult:
    """Return all records that match, in order; one round trip where they fill no page.

    Args: as of :func:`odoo_toolkit.records.search_read`.
    """
    question = in_own_order(odoo, asked(odoo, model, domain, fields, order, context, offset))
    every = Records(odoo, question, BATCH, counted=count_total)
    records = list(every)
    return SearchResult(
        records=records,
        count=len(records),
        model=model,
        limit=None,
        offset=question.offset,
        has_more=False,
        total=every.total if count_total else None,
        excluded_count=every.excluded_count,
        url=odoo.links(model, [row["id"] for row in records]),
        time_zone=question.time_zone,
        skipped_fields=every.skipped_fields,
        warnings=every.warnings,
        described=every.described,
    )
