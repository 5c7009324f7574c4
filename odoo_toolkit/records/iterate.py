"""Every record that matches, one after the other, however many there are."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from odoo_toolkit.annotations import Context, Domain, Fields, Model
from odoo_toolkit.client import Odoo
from odoo_toolkit.fields import Field
from odoo_toolkit.frames import to_df
from odoo_toolkit.progress import checkpoint
from odoo_toolkit.records.arguments import checked_count
from odoo_toolkit.records.completeness import ReadReport, Watch
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
    """Records that are read while they are used, see :func:`iterate`; for one thread at a time.

    Attributes:
        model: such as ``res.partner``.
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
        """Read no more; returns when nothing is under way any longer."""
        self._rows.close()
        self._read.close()

    def pages(self) -> Generator[list[Record], None, None]:
        """Return what yields the records page by page, for use in place of the iterator."""
        return self._read

    @property
    def total(self) -> int | None:
        """How many match; None until it is known, and where nobody asked for it."""
        return self._pages.total

    @property
    def report(self) -> ReadReport:
        """What has been read, and with ``check``, after the last record, whether it is all."""
        return self._watch.report

    @property
    def excluded_count(self) -> int | None:
        """How many the policy keeps out, as of a search; known from the first record on."""
        return self._pages.excluded_count

    @property
    def described(self) -> dict[str, Field]:
        """The field of each column, in the order asked, also of dotted ones."""
        return self._question.columns.described(self._pages.shower.skipped)

    @property
    def skipped_fields(self) -> list[str]:
        """Fields that the user cannot read, as far as is known yet."""
        return list(self._pages.shower.skipped)

    @property
    def warnings(self) -> list[str]:
        """What was done differently from what was asked, as far as is known yet."""
        return [*self._pages.warnings, *self._pages.shower.warnings]

    def to_df(self) -> pd.DataFrame:
        """Read the rest and return it as a pandas DataFrame, see ``odoo_toolkit.frames.to_df``.

        Raises:
            ConfigurationError: pandas is not installed.
        """
        rest = list(self)
        return to_df(rest, self.described)

    def to_arrow(self, *, decimals: bool = True) -> ArrowStream:
        """Return the records as a stream of Arrow batches, see :func:`odoo_toolkit.to_arrow`.

        Each use of the stream reads all records anew, whatever was read of this iterator.

        Args:
            decimals: whether money, and floats whose digits Odoo fixes, are decimals; else floats.

        Raises:
            ValidationError: a field is binary, or holds properties.
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
    """Return every record that matches, read page by page while they are used.

    >>> for partner in iterate(odoo, "res.partner", fields=["name", "country_id.code"]):
    ...     print(partner["name"], partner["country_id.code"])

    Memory stays flat, whatever the number: while one page is used, the next two are read in
    threads. Arguments are checked at once; nothing is read before the first record is asked for.
    Leaving the loop, or ``close()``, ends it; what is under way is waited for.

    By id, the default, it stays right while others create and delete: no record that was there
    all the time is missed or comes twice. What is created meanwhile may or may not come; do not
    create what matches within the loop. Ids are not the order of commits: what a transaction
    creates that ends only after its ids were passed does not come, unless ``check`` is given;
    see ``changes``, too.

    By another order, the ids are taken at once, and the records read in that order: what is
    deleted meanwhile is left out, what is created does not come, and what no longer matches comes
    as it is now. So it is with messages, activities and files, by whatever order.

    Args:
        odoo: the connection.
        model: such as ``res.partner``.
        domain: which records; a list of conditions or a :class:`~odoo_toolkit.arguments.Domain`.
        fields: names of fields and dotted paths, as of :func:`search_read`.
        order: as of :func:`search_read`; by id where none is given.
        batch: records that one request reads, at most ``odoo.options.max_limit``.
        context: extends the base context.
        progress: True shows a bar of tqdm; a function is called after each page with the numbers
            of records used and of all. Either asks Odoo first how many there are.
        check: whether, at the end, the ids are compared with those that match then. What the
            pages missed comes last, and ``report`` tells of what came, went or changed meanwhile.

    Raises:
        ValidationError: INVALID_DOMAIN, INVALID_FIELD, an order or a batch that is none.
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
        ConfigurationError: ``progress=True`` without tqdm.
        StateError: with ``check``, after the last record: the database counts records that it
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
        skipped_fields=every.skipped_fields,
        warnings=every.warnings,
        described=every.described,
    )
