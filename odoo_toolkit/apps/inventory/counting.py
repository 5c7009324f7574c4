"""A function that counts a list of products, locations and lots in one plan."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit import operations as op
from odoo_toolkit.apps.inventory.adjusting import (
    APPLY,
    COUNTED,
    PLACE,
    QUANT,
    TOLERANCE,
    check_counted,
    check_holds_stock,
    checked_count,
    lying_at,
    place_of,
    quants_of,
    stock_location,
    way_to_count,
)
from odoo_toolkit.apps.inventory.availability import LOCATION
from odoo_toolkit.apps.inventory.stock import ReservedFor, read_reserved, summed_up
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError, invalid, make_error
from odoo_toolkit.records.numbers import kept_number
from odoo_toolkit.records.results import RecordName

#: Lines of one call.
MOST_LINES = 1000

_VALUED = attrs.evolve(
    COUNTED, fields=(*COUNTED.fields, "standard_price", "cost_currency_id", "currency_id")
)


class CountedLine(TypedDict, total=False):
    """The counted quantity of a product, or of one of its lots, in a location."""

    product_id: int
    product_name: str
    quantity: Annotated[float, Ge(0)]
    location_id: int
    location_name: str
    lot: str


@attrs.frozen(kw_only=True)
class LineCount(op.Shown):
    """A line of a count, in the product's unit of measure.

    Attributes:
        quantity_before: Quantity in Odoo before the count.
        counted: Counted quantity.
        difference: Counted quantity minus quantity before.
        quantity: Quantity in Odoo now. None in a plan, or if it could not be read.
        reserved: Quantity reserved for transfers and manufacturing orders before the count.
        reserved_for: These transfers and orders, if the counted quantity is less than is reserved.
        value: Value of the difference, at the product's cost. None if this user can't see the cost.
    """

    product: RecordName
    location: RecordName
    lot: str | None = None
    uom: str
    quantity_before: float
    counted: float
    difference: float
    quantity: float | None = None
    reserved: float = 0.0
    reserved_for: list[ReservedFor] = attrs.Factory(list)
    value: float | None = None


@attrs.frozen(kw_only=True)
class CountResult(op.Shown):
    """A list that was counted.

    Attributes:
        lines: All lines, in your order.
        value: Value of all differences, at cost. None if one of them is unknown.
    """

    message: str
    lines: list[LineCount]
    value: float | None = None
    currency: str | None = None
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class CountPlan(op.Plan):
    """A list that would be counted, with the old and new quantity of each line.

    Attributes:
        lines: All lines, in your order.
        value: Value of all differences, at cost. None if one of them is unknown.
    """

    lines: list[LineCount]
    value: float | None = None
    currency: str | None = None


@attrs.frozen(kw_only=True)
class _Meant:
    """A line of which is known what it means.

    Attributes:
        lot_id: of a lot that exists.
    """

    index: int
    product: op.Row
    place: op.Row
    lot: str | None
    counted: float
    lot_id: int | None = None

    @property
    def named(self) -> RecordName:
        return RecordName(id=self.product["id"], name=self.product["display_name"])

    @property
    def key(self) -> tuple[int, int, str | None]:
        return self.product["id"], self.place["id"], self.lot

    def of(self, quants: Sequence[op.Row]) -> list[op.Row]:
        """Return its quants."""
        own = [quant for quant in quants if quant["product_id"].id == self.product["id"]]
        return lying_at(own, self.place["id"], self.lot)

    def lies(self, quants: Sequence[op.Row]) -> float:
        """Return how much there is of it."""
        found: list[float] = [quant["quantity"] for quant in self.of(quants)]
        return round(sum(found), 6)

    def reserved(self, rows: Sequence[op.Row]) -> list[op.Row]:
        """Return what is reserved of it."""
        own = [row for row in rows if row["product_id"].id == self.product["id"]]
        return lying_at(own, self.place["id"], self.lot)


@attrs.frozen(kw_only=True)
class _CountAll(op.Step):
    """Says what there is, in one call.

    Attributes:
        lines: the values of each quant.
        new_lots: line -> which of the lots that the step before has made.
        makes: whether the step that follows acts on the quants.
    """

    model: str = QUANT
    method: str = "create"
    says: str = "Stock counted"
    fails: str = "The stock is not adjusted"
    context: Mapping[str, Any] = attrs.field(factory=lambda: {"inventory_mode": True})
    lines: Sequence[Mapping[str, Any]] = ()
    new_lots: Mapping[int, int] = attrs.field(factory=dict)
    makes: bool = False

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[op.Call]:
        """Return the call, with the lots; those of a plan are not made yet."""
        values = [dict(line) for line in self.lines]
        for at, lot in self.new_lots.items():
            values[at]["lot_id"] = ids[min(lot, len(ids) - 1)]
        return op.Step.calls(self.of(vals_list=values), odoo, ids)


@op.operation_with(CountPlan)
def count_stock(
    odoo: Odoo,
    *,
    lines: Annotated[
        Sequence[CountedLine],
        Doc(
            "One for each product, location and lot: product_id or product_name, location_id or"
            " location_name, quantity (the total, in the product's unit), and lot of a tracked"
            " product (created if new)."
        ),
    ],
    location_id: Annotated[int | None, Doc("Location for lines without one.")] = None,
    location_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    dry_run: op.DryRun = False,
) -> CountResult | CountPlan:
    """Set the stock of a whole list to the counted quantities. Odoo creates the stock moves.

    >>> done = count_stock(odoo, lines=[{"product_name": "Desk", "quantity": 7}])
    >>> [(line.product.name, line.quantity_before, line.quantity) for line in done.lines]
    [('Desk', 0, 7)]

    Pass up to 1,000 lines. They are counted in one call to Odoo: either all of them or none.
    Products that are not in the list do not change, and neither do lines that agree with the stock.
    Stock in packages and stock of other owners does not count.

    A line without a location uses ``location_id`` or ``location_name``. If you pass neither, it
    uses the location of the product, or else the stock of the company's warehouse.

    It takes 6 to 15 requests, however many lines there are.

    Raises:
        ValidationError: A line is wrong or passed twice, a product has no stock, a product is in
            several locations and you named none, or a lot does not fit. Nothing was written.
        NotFoundError: A product or location does not exist. Nothing was written.
        AmbiguousNameError: A name matches several records. Nothing was written.
        AccessError: Odoo or the policy does not allow it. Odoo 17 and earlier allow it only to
            administrators of the inventory app.
    """
    op.permit(odoo, _CountAll(lines=[{}]), APPLY, dry_run=dry_run)
    given = _checked(lines)
    field, applies = way_to_count(odoo)
    rounded: list[str] = []
    for index, line in enumerate(given):
        where = f"lines[{index}].quantity"
        line["quantity"] = kept_number(odoo, QUANT, field, line["quantity"], where, rounded)
    default = op.Wanted(
        model=LOCATION.model, field="location_id", id=location_id, name=location_name
    )
    meant, quants, company = _look(odoo, given, default)
    changing = [line for line in meant if abs(line.lies(quants) - line.counted) > TOLERANCE]
    unmade = [at for at, line in enumerate(changing) if line.lot and line.lot_id is None]
    new = [changing[at] for at in unmade]
    steps: list[op.AnyStep] = []
    if new:
        lots = op.Step(
            model=op.lot_model(odoo),
            method="create",
            says=f"{len(new)} lot(s) created",
            arguments={"vals_list": [_lot_values(line, company) for line in new]},
        )
        op.permit(odoo, lots, dry_run=dry_run)
        steps.append(lots)

    def seen(odoo: Odoo, number: int) -> bool | None:
        now = quants_of(odoo, _products(changing))
        return all(abs(line.lies(now) - line.counted) <= TOLERANCE for line in changing) or None

    if changing:
        count = _CountAll(
            lines=[_values(line, field) for line in changing],
            new_lots={at: number for number, at in enumerate(unmade)},
            makes=applies,
            seen=None if applies else seen,
            before={at: {"quantity": line.lies(quants)} for at, line in enumerate(changing)},
        )
        steps += [count, attrs.evolve(APPLY, seen=seen)] if applies else [count]
    shown, warnings = _shown(odoo, meant, quants, company)
    warnings = [*rounded, *warnings]
    value, currency = _value(shown), _currency(meant)
    worth = _worth(value, currency, [line.product.get("standard_price") for line in changing])
    if dry_run:
        made = op.plan(odoo, steps, [0], _message("Would change", shown, worth))
        more = {"lines": shown, "value": value, "currency": currency}
        return op.merged(CountPlan, [made], warnings=warnings, **more)
    done = op.make(odoo, steps, [0]) if steps else op.Done(id=0)
    warnings += done.warnings
    now: list[op.Row] | None = quants
    if steps:
        now = op.afterwards(lambda: quants_of(odoo, _products(meant)), warnings, "the stock")
    if now is not None:
        shown = [
            attrs.evolve(one, quantity=line.lies(now))
            for one, line in zip(shown, meant, strict=True)
        ]
    for one in shown:
        if one.quantity is not None and abs(one.quantity - one.counted) > TOLERANCE:
            warnings.append(
                f"The stock of {_called(one)} is {one.quantity:g}, not {one.counted:g}: Odoo has"
                " not applied the count."
            )
    return CountResult(
        message=_message("Changed", shown, worth),
        lines=shown,
        value=value,
        currency=currency,
        warnings=warnings,
    )


def _checked(lines: Sequence[CountedLine]) -> list[dict[str, Any]]:
    """Return the lines, or refuse what is wrong with them by themselves."""
    given = op.check_lines(lines, CountedLine.__annotations__)
    if len(given) > MOST_LINES:
        raise ValidationError(
            f"{len(given)} lines are too many. The maximum is {MOST_LINES}.",
            suggestion="Count the products in several calls.",
            details={"most": MOST_LINES},
        )
    for index, line in enumerate(given):
        line["quantity"] = checked_count(line.get("quantity"), f"lines[{index}].quantity")
        lot = line.get("lot")
        if lot is not None and not (isinstance(lot, str) and lot.strip()):
            raise invalid(
                f"lines[{index}].lot",
                f"lines[{index}].lot must be a lot or serial number, as a string.",
            )
        line["lot"] = lot.strip() if lot else None
        if "product_id" not in line and "product_name" not in line:
            raise make_error(
                "MISSING_REQUIRED_FIELD",
                f"lines[{index}] has no product.",
                suggestion="Set product_id or product_name.",
                details={"field": f"lines[{index}].product_id"},
            )
    return given


def _look(
    odoo: Odoo, given: Sequence[op.Row], default: op.Wanted
) -> tuple[list[_Meant], list[op.Row], int]:
    """Return what the lines mean, what lies where of their products, and the acting company."""
    named = [op.wanted_product(line, index) for index, line in enumerate(given)]
    places = [
        op.Wanted(
            model=LOCATION.model,
            field=f"lines[{index}].location_id",
            id=line.get("location_id"),
            name=line.get("location_name"),
        )
        for index, line in enumerate(given)
    ]
    found = op.resolve_all(odoo, [*named, *places, default], required=False)
    count = len(given)
    products, at, elsewhere = found[:count], found[count:-1], found[-1]
    wanted = sorted({number for number in products if number})
    known = sorted({number for number in [*at, elsewhere] if number})
    product_rows, place_rows, quants, company = op.gather(
        lambda: op.read_all(odoo, _VALUED, wanted, acts_on=QUANT),
        lambda: op.read_all(odoo, PLACE, known, acts_on=QUANT) if known else [],
        lambda: quants_of(odoo, wanted),
        lambda: op.acting_company(odoo, QUANT),
    )
    rows = {row["id"]: row for row in product_rows}
    lying: dict[int, list[op.Row]] = {}
    for quant in quants:
        lying.setdefault(quant["product_id"].id, []).append(quant)
    stock = functools.cache(lambda: stock_location(odoo))
    chosen: list[int] = []
    for index, (line, product) in enumerate(zip(given, products, strict=True)):
        row = rows[product]
        check_counted(odoo, row, line["lot"], line["quantity"], f"lines[{index}].lot")
        name = RecordName(id=row["id"], name=row["display_name"])
        field = f"lines[{index}].location_id"
        own = lying.get(row["id"], [])
        chosen.append(at[index] or elsewhere or place_of(name, own, line["lot"], stock, field))
    seen = {row["id"]: row for row in place_rows}
    if missing := sorted({number for number in chosen if number not in seen}):
        seen |= {row["id"]: row for row in op.read_all(odoo, PLACE, missing, acts_on=QUANT)}
    meant: list[_Meant] = []
    for index, (line, product) in enumerate(zip(given, products, strict=True)):
        place = seen[chosen[index]]
        check_holds_stock(place, f"lines[{index}].location_id")
        meant.append(
            _Meant(
                index=index,
                product=rows[product],
                place=place,
                lot=line["lot"],
                counted=line["quantity"],
            )
        )
    _check_once(meant)
    return _with_lots(odoo, meant, company), quants, company


def _check_once(meant: Sequence[_Meant]) -> None:
    """Refuse what is counted twice: Odoo would take the last of the two."""
    first: dict[Any, _Meant] = {}
    for line in meant:
        other = first.setdefault(line.key, line)
        if other is not line:
            lot = f", lot {line.lot}," if line.lot else ""
            raise invalid(
                f"lines[{line.index}]",
                f"lines[{other.index}] and lines[{line.index}] both count"
                f" {line.named.name}{lot} in {line.place['display_name']}.",
                "Pass one line with the total quantity.",
            )


def _with_lots(odoo: Odoo, meant: Sequence[_Meant], company: int) -> list[_Meant]:
    """Return the lines with the ids of their lots; one round trip for each company."""
    by_company: dict[int, dict[int, op.NamedLot]] = {}
    for line in meant:
        if line.lot:
            lot = op.NamedLot(product=line.named, name=line.lot, field=f"lines[{line.index}].lot")
            by_company.setdefault(_company(line, company), {})[line.index] = lot
    ids: dict[int, int | None] = {}
    for number, lots in by_company.items():
        found = op.find_lots(odoo, list(lots.values()), acts_on=QUANT, company=number)
        ids |= {index: found.get(lot.key) for index, lot in lots.items()}
    return [attrs.evolve(line, lot_id=ids.get(line.index)) for line in meant]


def _company(line: _Meant, company: int) -> int:
    return line.place["company_id"].id if line.place["company_id"] else company


def _lot_values(line: _Meant, company: int) -> dict[str, Any]:
    values = {"name": line.lot, "product_id": line.product["id"]}
    return {**values, "company_id": _company(line, company)}


def _values(line: _Meant, field: str) -> dict[str, Any]:
    lot = {"lot_id": line.lot_id} if line.lot_id else {}
    at = {"product_id": line.product["id"], "location_id": line.place["id"]}
    return {**at, field: line.counted, **lot}


def _products(meant: Sequence[_Meant]) -> list[int]:
    return sorted({line.product["id"] for line in meant})


def _shown(
    odoo: Odoo, meant: Sequence[_Meant], quants: Sequence[op.Row], company: int
) -> tuple[list[LineCount], list[str]]:
    """Return the lines before they are counted; one round trip where reserved stock is missing."""
    reserved = {
        line.index: round(sum(quant["reserved_quantity"] or 0.0 for quant in line.of(quants)), 6)
        for line in meant
    }
    short = {line.index: line for line in meant if line.counted < reserved[line.index] - TOLERANCE}
    rows: list[op.Row] = []
    if short:
        places = {line.place["id"] for line in short.values()}
        rows = read_reserved(odoo, _products(list(short.values())), places, acts_on=QUANT)
    shown: list[LineCount] = []
    warnings: list[str] = []
    for line in meant:
        before = line.lies(quants)
        difference = round(line.counted - before, 6)
        price = line.product.get("standard_price")
        foreign = _company(line, company) != company
        one = LineCount(
            product=line.named,
            location=RecordName(id=line.place["id"], name=line.place["display_name"]),
            lot=line.lot,
            uom=line.product["uom_id"].name,
            quantity_before=before,
            counted=line.counted,
            difference=difference,
            reserved=reserved[line.index],
            reserved_for=summed_up(line.reserved(rows)) if line.index in short else [],
            # The cost is the acting company's.
            value=None if price is None or foreign else round(price * difference, 2) or 0.0,
        )
        shown.append(one)
        if line.index in short:
            documents = ", ".join(other.document for other in one.reserved_for) or "other documents"
            warnings.append(
                f"{_called(one)}: {one.reserved:g} are reserved for {documents}, but you counted "
                f"only {one.counted:g}. Odoo removes excess reservations."
            )
    return shown, warnings


def _called(one: LineCount) -> str:
    return f"{one.product.name}{f' ({one.lot})' if one.lot else ''} in {one.location.name}"


def _value(shown: Sequence[LineCount]) -> float | None:
    values = [one.value for one in shown]
    known = [value for value in values if value is not None]
    return round(sum(known), 2) or 0.0 if len(known) == len(values) else None


def _currency(meant: Sequence[_Meant]) -> str | None:
    found = {
        row.name
        for line in meant
        if (row := line.product.get("cost_currency_id") or line.product.get("currency_id"))
    }
    return found.pop() if len(found) == 1 else None


def _worth(value: float | None, currency: str | None, costs: Sequence[float | None]) -> str:
    """Return the value of the differences in words, without what has no cost."""
    if value is None:
        return ""
    free = costs.count(0.0)
    if costs and free == len(costs):
        return " These products have no cost in Odoo."
    told = f" Difference at cost: {value:+.2f}{f' {currency}' if currency else ''}"
    return (
        f"{told}, without {op.counted(free, 'line')} of products with no cost."
        if free
        else f"{told}."
    )


def _message(did: str, shown: Sequence[LineCount], worth: str) -> str:
    off = sum(1 for one in shown if abs(one.difference) > TOLERANCE)
    same = len(shown) - off
    if not off:
        return "The stock already matches the counted quantities. Nothing was done."
    told = f"{did} the stock of {off} line{'' if off == 1 else 's'}"
    told += (
        f". {same} {'line already matches' if same == 1 else 'lines already match'} the stock."
        if same
        else "."
    )
    return told + worth
