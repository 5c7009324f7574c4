"""What a plan is about, in names and money: documents as they are, and as Odoo would make them.

Figures are Odoo's own. Those of a document that is there are read. Those of a new one are asked of
Odoo's form (``onchange`` of a record in memory, as for a person who types it): nothing is written.
Up to 15 the form of each line is asked first, as ``create`` then fills in the same. What neither
tells is left out, and a note says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import gather, side_by_side
from odoo_toolkit.errors import OdooConnectionError, OdooError
from odoo_toolkit.fields import Field
from odoo_toolkit.operations.documents import Document, Row, currency_of, read_rows
from odoo_toolkit.operations.lines import local_day
from odoo_toolkit.plans import PlannedDocument, PlannedLine
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.records.time_zones import own_context
from odoo_toolkit.values import from_wire

_TAX = "account.tax"

#: Odoo rounds: what differs less is the same.
_CENT = 0.01

#: The first version whose form computes lines without being asked for each, and that which tells
#: the names of linked records.
_COMPUTES, _NAMES = 16, 17

#: What a new document takes its figures from; what a model lacks is not asked for.
_HEAD = (
    *("company_id", "currency_id", "pricelist_id", "fiscal_position_id", "warehouse_id"),
    *("partner_invoice_id", "partner_shipping_id", "user_id", "journal_id", "move_type", "date"),
)

#: What the lines of a new document look at in it, up to 15.
_SEEN_BY_LINES = (
    *("partner_id", "company_id", "currency_id", "pricelist_id", "date_order", "date_planned"),
    *("partner_shipping_id", "partner_invoice_id", "warehouse_id", "journal_id", "move_type"),
)

#: The unit of a line: up to 18, and from 19 on; invoices have always had the second.
UOMS = ("product_uom", "product_uom_id")

AMOUNTS = ("amount_untaxed", "amount_tax", "amount_total")

_READONLY = (
    "The plan needs Odoo's form to calculate prices, taxes and totals, which readonly mode "
    "does not allow. A dry run in restricted or full mode shows them, and writes nothing."
)
UNKNOWN = "Some sums are missing: Odoo calculates them when it creates the record."


@attrs.frozen(kw_only=True)
class Layout:
    """Where an app keeps what a person looks at before signing; a version may lack some fields.

    Attributes:
        document: the records.
        noun: what a new one is called.
        lines, line, parent: the field of the lines, their model, and its field of the document.
        quantity: of a line.
        taxes: of a line; that which a version has.
        available: of a line, the quantity that stock has free, and whether that matters.
        date, booked, due, delivery: days of the document.
        completed: the last version whose form has to be asked for each line of a product, as
            ``create`` then fills in the same.
        sums: the field of a form that has the sums, where the amounts follow only later.
    """

    document: Document
    noun: str
    lines: str
    line: str
    parent: str
    quantity: str
    taxes: tuple[str, ...] = ("tax_ids",)
    available: tuple[str, str] | None = None
    date: str
    booked: str | None = None
    due: str | None = None
    delivery: str | None = None
    terms: str = "payment_term_id"
    completed: int = 15
    sums: str | None = None

    @property
    def of_document(self) -> tuple[str, ...]:
        """The fields of a document that are shown."""
        dates = [name for name in (self.date, self.due, self.delivery) if name]
        return ("partner_id", self.terms, *dates, *AMOUNTS, "currency_id")

    @property
    def of_line(self) -> tuple[str, ...]:
        """The fields of a line that are shown."""
        return (
            *("product_id", "name", "display_type", self.quantity, *UOMS),
            *("price_unit", "discount", *self.taxes, "price_subtotal", *(self.available or ())),
        )


#: Characters of a date without a time.
_DAY = len("2026-11-24")

# What is there --------------------------------------------------------------------------------


def read_document(
    odoo: Odoo,
    layout: Layout,
    row: Row,
    *,
    of_lines: Sequence[str] = (),
    shown: Callable[[Row, PlannedLine], PlannedLine | None] | None = None,
    **more: Any,
) -> PlannedDocument:
    """Return a document as it stands; one round trip for its lines, one for names of taxes.

    Args:
        odoo: the connection.
        layout: of its app.
        row: of the document.
        of_lines: more fields of its lines.
        shown: changes a line, or leaves it out.
        more: attributes that differ.
    """
    fields = (*layout.of_line, *of_lines)
    ids = row.get(layout.lines)
    of = [layout.parent, "=", row["id"]] if ids is None else ["id", "in", ids]
    rows = read_rows(odoo, layout.line, [of], fields, acts_on=layout.document.model)
    lines = [_line(layout, line, name) for line, name in _with_taxes(odoo, layout, rows)]
    if shown:
        told = [shown(line, item) for line, item in zip(rows, lines, strict=True)]
        lines = [item for item in told if item is not None]
    return _document(odoo, layout, row, lines, more)


def summary(odoo: Odoo, layout: Layout, row: Row, **more: Any) -> PlannedDocument:
    """Return a document as it stands, without its lines; no round trip."""
    return _document(odoo, layout, row, [], more)


def _with_taxes(
    odoo: Odoo, layout: Layout, rows: Sequence[Row]
) -> Iterable[tuple[Row, list[str] | None]]:
    """Yield each line with the names of its taxes."""
    ids = [next((line[f] for f in layout.taxes if line.get(f) is not None), None) for line in rows]
    names = tax_names(odoo, layout.document.model, [n for each in ids for n in each or ()])
    for line, each in zip(rows, ids, strict=True):
        yield line, None if each is None else [names.get(number, str(number)) for number in each]


def tax_names(odoo: Odoo, model: str, ids: Iterable[int]) -> dict[int, str]:
    """Return the names of taxes; one round trip, none for none."""
    wanted = sorted(set(ids))
    if not wanted:
        return {}
    domain = [["id", "in", wanted]]
    rows = read_rows(odoo, _TAX, domain, ["name"], acts_on=model)
    return {row["id"]: row["name"] for row in rows}


def _document(
    odoo: Odoo, layout: Layout, row: Row, lines: Sequence[PlannedLine], more: Mapping[str, Any]
) -> PlannedDocument:
    def name_of(field: str) -> str | None:
        value = row.get(field)
        return value.name if isinstance(value, RecordName) else None

    def day_of(field: str | None) -> str | None:
        """The time is left out: of what is new it is the present one, so no plan would stay."""
        value = row.get(field) if field else None
        return local_day(odoo, value) if value and len(value) > _DAY else value

    told: dict[str, Any] = {
        "model": layout.document.model,
        "id": row.get("id"),
        "name": row.get("name") or layout.noun,
        "url": row.get("url"),
        "state": row.get("state"),
        "partner": name_of("partner_id"),
        "date": day_of(layout.date),
        "accounting_date": day_of(layout.booked),
        "due_date": day_of(layout.due),
        "delivery_date": day_of(layout.delivery),
        "payment_term": name_of(layout.terms),
        "currency": currency_of({"currency_id": row.get("currency_id")}),
        "lines": list(lines),
        **{name: _rounded(row.get(name)) for name in AMOUNTS},
    }
    told |= more
    told["notes"] = [*not_in_stock(lines), *told.get("notes", ())]
    return PlannedDocument(**told)


def _line(layout: Layout, row: Row, taxes: list[str] | None) -> PlannedLine:
    kind = (row.get("display_type") or "").removeprefix("line_")
    if kind in ("section", "subsection", "note"):
        return PlannedLine(name=row.get("name"), kind=kind)
    product, name = row.get("product_id"), row.get("name")
    called = product.name if product else None
    available = None
    if layout.available:
        free, matters = layout.available
        available = _rounded(row.get(free)) if row.get(matters) else None
    return PlannedLine(
        product=called,
        name=None if called and name and name.strip() == called.strip() else name,
        quantity=row.get(layout.quantity),
        uom=uom_of(row),
        price_unit=_rounded(row.get("price_unit")),
        discount=row.get("discount") or 0.0,
        taxes=taxes,
        subtotal=_rounded(row.get("price_subtotal")),
        available=available,
    )


def uom_of(row: Mapping[str, Any]) -> str | None:
    """Return the name of the unit of a line's row that has :data:`UOMS`."""
    uom = next((row[field] for field in UOMS if row.get(field)), None)
    return uom.name if uom else None


def not_in_stock(lines: Sequence[PlannedLine]) -> list[str]:
    """Say of which lines stock has less than they take; nothing where all is there."""
    short = [
        f"{line.product}: {max(line.available, 0):g} of {line.quantity:g}"
        for line in lines
        if line.available is not None and line.quantity and line.available < line.quantity
    ]
    return [f"The stock does not cover everything: {'; '.join(short)}."] if short else []


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 6)


# What would be made ---------------------------------------------------------------------------


def new_document(
    odoo: Odoo, layout: Layout, values: Mapping[str, Any], **more: Any
) -> PlannedDocument:
    """Return a document that does not exist, as Odoo's form fills it in.

    Three round trips, the third for the names of taxes; up to 15 one more, with a call for each
    line of a product. A form that fails leaves what was given, and a note.

    Args:
        odoo: the connection.
        layout: of its app.
        values: as ``create`` takes them.
        more: attributes of the result that differ.
    """
    notes = list(more.pop("notes", ()))
    try:
        head, lines = _filled_in(odoo, layout, dict(values), notes)
    except OdooConnectionError:
        raise
    except OdooError as error:
        known = odoo.policy.mode != "readonly"
        said = f"Odoo's form could not be evaluated: {error.message}"
        notes.append(said if known else _READONLY)
        head, lines = {}, []
    if not lines:
        notes.append(UNKNOWN)
        head, lines = _as_given(odoo, layout, values)
    elif not _adds_up(layout, head, lines, values):
        # Some forms take a price from the vendor in the place of the one given.
        numbers = ("price_unit", "discount", layout.quantity)
        notes.append(UNKNOWN)
        head |= dict.fromkeys(AMOUNTS)
        given = [command[2] for command in values[layout.lines]]
        lines = [
            line | {n: v for n, v in told.items() if n in numbers} | {"price_subtotal": None}
            for line, told in zip(lines, given, strict=True)
        ]
    told = [_line(layout, line, taxes) for line, taxes in _with_taxes(odoo, layout, lines)]
    return _document(odoo, layout, {**head, "name": None}, told, {**more, "notes": notes})


def line_rows(odoo: Odoo, layout: Layout, number: int, fields: Sequence[str]) -> list[Row]:
    """Return the rows of a document's lines in their order."""
    domain = [[layout.parent, "=", number]]
    return read_rows(odoo, layout.line, domain, fields, acts_on=layout.document.model)


def changed_sums(
    odoo: Odoo,
    layout: Layout,
    row: Row,
    commands: Sequence[Sequence[Any]],
    like: Callable[[], Mapping[str, Any]],
) -> dict[str, float | None]:
    """Return the sums of a document once commands change its lines; None if they are unknown.

    One request. Odoo 16 and earlier need those of :func:`new_document`, as their form adds up the
    lines of an existing document as they are stored. So do new lines that the form has to be asked
    for one by one.

    Args:
        odoo: the connection.
        layout: of its app.
        row: of the document.
        commands: of its lines.
        like: returns the values of a new document with the lines that are wanted.
    """
    major = odoo.version.major
    asked_for = major <= layout.completed and any(command[0] == 0 for command in commands)
    try:
        if major >= _NAMES and not asked_for:
            return _Form(odoo, layout, {}).sums(row, commands)
        planned = new_document(odoo, layout, like())
    except OdooConnectionError:
        raise
    except OdooError:
        return dict.fromkeys(AMOUNTS)
    return {name: getattr(planned, name) for name in AMOUNTS}


def _prices_last(command: Sequence[Any]) -> list[Any]:
    """Return a command with the price behind the quantity, after which a form computes it."""
    *which, values = command
    prices = ("price_unit", "discount")
    return [*which, values and dict(sorted(values.items(), key=lambda item: item[0] in prices))]


def _adds_up(layout: Layout, head: Row, lines: Sequence[Row], values: Mapping[str, Any]) -> bool:
    """Whether a form reckoned with what was given, and its sums are those of its lines."""
    given = [command[2] for command in values.get(layout.lines) or ()]
    for line, told in zip(lines, given, strict=False):
        for name in ("price_unit", "discount", layout.quantity):
            if name in told and not math.isclose(told[name], line.get(name) or 0.0, abs_tol=_CENT):
                return False
        price, subtotal = line.get("price_unit") or 0.0, line.get("price_subtotal")
        if price and line.get(layout.quantity) and not subtotal and line.get("discount") != 100:
            return False
    untaxed, tax, total = [float(head.get(name) or 0.0) for name in AMOUNTS]
    of_lines = math.fsum(line.get("price_subtotal") or 0.0 for line in lines)
    near = _CENT * (len(lines) + 1)
    return abs(of_lines - untaxed) < near and abs(untaxed + tax - total) < near


def given_lines(
    odoo: Odoo, layout: Layout, commands: Sequence[Sequence[Any]], change: str | None = None
) -> list[PlannedLine]:
    """Return new lines as they were given, with the names of their products; one round trip."""
    _, rows = _as_given(odoo, layout, {layout.lines: commands})
    told = [_line(layout, line, taxes) for line, taxes in _with_taxes(odoo, layout, rows)]
    return [attrs.evolve(line, change=change) for line in told]


def _as_given(odoo: Odoo, layout: Layout, values: Mapping[str, Any]) -> tuple[Row, list[Row]]:
    """Return rows of what was given, with names; two round trips side by side."""
    model = layout.document.model
    lines = [command[2] for command in values.get(layout.lines) or ()]

    def names(of: str, ids: Iterable[Any]) -> dict[int, RecordName]:
        wanted = sorted({number for number in ids if number})
        domain = [["id", "in", wanted]]
        rows = read_rows(odoo, of, domain, ["display_name"], acts_on=model) if wanted else []
        return {row["id"]: RecordName(id=row["id"], name=row["display_name"]) for row in rows}

    partners, products = gather(
        lambda: names("res.partner", [values.get("partner_id")]),
        lambda: names("product.product", [line.get("product_id") for line in lines]),
    )
    given = odoo.schema.fields(model)
    shown = _row(_plain(values, given), {n: f for n, f in given.items() if n in values})
    rows = [
        {
            **{name: line.get(name) for name in ("name", "price_unit", "discount", "display_type")},
            layout.quantity: line.get(layout.quantity),
            "product_id": products.get(line.get("product_id", 0)),
            **{name: _ids(line[name]) for name in layout.taxes if name in line},
        }
        for line in lines
    ]
    return {**shown, "partner_id": partners.get(values.get("partner_id", 0))}, rows


def _filled_in(
    odoo: Odoo, layout: Layout, values: dict[str, Any], notes: list[str]
) -> tuple[Row, list[Row]]:
    """Return the rows of a document in memory and of its lines."""
    commands = [dict(command[2]) for command in values.pop(layout.lines, None) or ()]
    form = _Form(odoo, layout, values)
    # Lines look at the document: what a customer has, such as a price list, comes before them.
    first, _, wire = form.ask(values, [], notes)
    about = {name: _id(wire[name]) for name in _SEEN_BY_LINES if wire.get(name)} | values
    computes = odoo.version.major >= _COMPUTES
    if odoo.version.major <= layout.completed:
        seen = {name: value for name, value in about.items() if name in _SEEN_BY_LINES}
        filled = side_by_side(
            [partial(form.complete, {**line, layout.parent: seen}) for line in commands]
        )
        commands = [{**more, **line} for more, line in zip(filled, commands, strict=True)]
    head, lines, _ = form.ask(about, commands, notes, settled=not computes)
    # To 15, ``create`` does not take over the customer's terms as the form does.
    told = {name: v for name, v in head.items() if v is not None or name == layout.terms}
    return first | told, lines


@attrs.frozen
class _Form:
    """Odoo's form of a new document; nothing is written by what it is asked."""

    odoo: Odoo
    layout: Layout
    values: Mapping[str, Any]

    def ask(
        self,
        values: Mapping[str, Any],
        lines: Sequence[Mapping[str, Any]],
        notes: list[str],
        *,
        settled: bool = False,
    ) -> tuple[Row, list[Row], dict[str, Any]]:
        """Return what follows from values, as rows and as it was answered.

        Args:
            values: of the document.
            lines: of its lines.
            notes: is told what the form warns of.
            settled: up to 15, whether only sums are asked for and no value is to change others.
        """
        layout = self.layout
        given = {f"virtual_{number}": line for number, line in enumerate(lines, 1)}
        sums = (layout.sums,) if layout.sums else ()
        of_head = self._readable(layout.document.model, (*layout.of_document, *_HEAD, *sums))
        of_line = self._readable(layout.line, layout.of_line)
        if self.odoo.version.major >= _NAMES:
            spec: dict[str, Any] = _nested(of_head)
            spec[layout.lines] = {"fields": _nested(of_line)}
        else:
            names = (
                *of_head,
                layout.lines,
                *(f"{layout.lines}.{name}" for name in of_line),
            )
            spec = dict.fromkeys(names, "" if settled else "1")
        commands = [[0, name, dict(line)] for name, line in given.items()]
        told = {**values, layout.lines: commands}
        answer = self._onchange(layout.document.model, told, [], spec)
        said = " ".join(str((answer.get("warning") or {}).get("message") or "").split())
        if said and said not in notes:
            notes.append(said)
        value = answer.get("value") or {}
        head = _row({**_plain(values, of_head), **value}, of_head) | _sums(value.get(layout.sums))
        rows = [
            _row({**_plain(given.get(name, {}), of_line), **line}, of_line)
            for _, name, line in (c for c in value.get(layout.lines) or () if c[0] in (0, 1))
        ]
        return head, rows, value

    def sums(self, row: Row, commands: Sequence[Sequence[Any]]) -> dict[str, float | None]:
        """Return the sums of an existing document once commands change its lines."""
        layout = self.layout
        known = self._readable(layout.document.model, AMOUNTS)
        spec: dict[str, Any] = {name: {} for name in (*known, layout.lines)}
        told = {layout.lines: [_prices_last(command) for command in commands]}
        answer = self._onchange(layout.document.model, told, [layout.lines], spec, [row["id"]])
        # What does not change is not answered.
        after = {name: row.get(name) for name in known} | (answer.get("value") or {})
        return {name: _rounded(after.get(name)) for name in AMOUNTS}

    def complete(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return what ``create`` fills into a line of a product."""
        if not values.get("product_id"):
            return {}
        taken = ("name", "price_unit", *UOMS, *self.layout.taxes)
        asked = self._readable(self.layout.line, (*taken, *self.layout.of_line))
        spec = _nested(asked) if self.odoo.version.major >= _NAMES else dict.fromkeys(asked, "1")
        answer = self._onchange(self.layout.line, values, ["product_id"], spec)
        found = (answer.get("value") or {}).items()
        return {
            name: [[6, 0, _ids(value)]] if asked[name].type == "many2many" else _id(value)
            for name, value in found
            if name in taken and name in asked
        }

    def _readable(self, model: str, names: Sequence[str]) -> dict[str, Field]:
        policy = self.odoo.policy.about(self.layout.document.model)
        known = policy.readable_fields(model, self.odoo.schema.fields)
        return {name: known[name] for name in names if name in known}

    def _onchange(
        self,
        model: str,
        values: Mapping[str, Any],
        changed: Sequence[str],
        spec: Any,
        ids: Sequence[int] = (),
    ) -> dict[str, Any]:
        kind = self.values.get("move_type")
        answer: dict[str, Any] = self.odoo.call(
            Call(
                model=model,
                method="onchange",
                ids=ids,
                arguments={
                    "values": dict(values),
                    "field_names": list(changed),
                    "fields_spec": spec,
                },
                # As in the step that is planned: Odoo takes its own days from the zone.
                context={**own_context(self.odoo), **({"default_move_type": kind} if kind else {})},
                access="read",
                acts_on=self.layout.document.model,
                step=True,
            )
        )
        return answer


def _sums(told: Any) -> dict[str, float]:
    """Return the amounts of a field with sums: its keys differ to 17 and from 18 on."""
    if not isinstance(told, Mapping):
        return {}
    untaxed = told.get("base_amount_currency", told.get("amount_untaxed"))
    total = told.get("total_amount_currency", told.get("amount_total"))
    if untaxed is None or total is None:
        return {}
    return dict(zip(AMOUNTS, (untaxed, total - untaxed, total), strict=True))


def _nested(fields: Mapping[str, Field]) -> dict[str, Any]:
    """Return how the form is asked for fields, and for the names of what they link."""
    return {
        name: {"fields": {"display_name": {}}} if field.type == "many2one" else {}
        for name, field in fields.items()
    }


def _plain(values: Mapping[str, Any], fields: Mapping[str, Field]) -> dict[str, Any]:
    """Return what was given of plain fields: what did not change is not answered."""
    return {
        name: value
        for name, value in values.items()
        if name in fields and fields[name].type not in ("many2one", "many2many", "one2many")
    }


def _row(values: Mapping[str, Any], fields: Mapping[str, Field]) -> Row:
    """Return values of a form in the shape of rows that are read."""
    row: Row = {}
    plain = {}
    for name, field in fields.items():
        value = values.get(name)
        if field.type == "many2one":
            row[name] = _name(value)
        elif field.type == "many2many":
            row[name] = _ids(value or ())
        else:
            plain[name] = value
    shown = from_wire({name: v for name, v in plain.items() if v is not None}, fields)
    return row | {name: None if value == "" else value for name, value in shown.items()}


def _name(value: Any) -> RecordName | None:
    if isinstance(value, Mapping):
        return RecordName(id=value["id"], name=value.get("display_name") or "")
    if isinstance(value, (list, tuple)) and len(value) == 2:
        return RecordName(id=value[0], name=value[1])
    return None


def _id(value: Any) -> Any:
    if isinstance(value, Mapping):
        return value["id"]
    return value[0] if isinstance(value, (list, tuple)) and value else value


def _ids(commands: Iterable[Sequence[Any]]) -> list[int]:
    """Return the ids that commands of a new record link."""
    ids: list[int] = []
    for command in commands:
        if command[0] == 4:
            ids.append(command[1])
        elif command[0] == 6:
            ids = list(command[2])
        elif command[0] == 5:
            ids = []
    return ids
