"""The lines of an invoice, with the same prices and taxes on every version of Odoo.

Odoo 15 and earlier fill in nothing for an external call: no price, taxes, payment terms or fiscal
position. Odoo 16 and later compute them as the form does. Odoo 16 also adds the company's default
tax to lines without taxes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.invoices import COMPUTES, INVOICE, kind_of, of_companies
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, ValidationError, make_error


class NewLine(TypedDict, total=False):
    """A line of an invoice or bill: a product, text with a price, or a note."""

    product_id: int
    product_name: str
    name: Annotated[str, Doc("Text. Alone: a note. With price_unit: a line without a product.")]
    quantity: Annotated[float, op.JsonSchema({"type": "number", "default": 1})]
    price_unit: Annotated[float, Doc("Default: the product's.")]
    discount: Annotated[float, Doc("Percentage.")]
    uom: op.Uom
    account_id: int
    account_name: Annotated[str, Doc("Name or code.")]
    tax_ids: Annotated[
        Sequence[op.IdOrName], Doc("Default: the product's. None without a product.")
    ]


_LINE = "account.move.line"

#: What a product has for a sale and for a purchase: its taxes, its price.
_OF_PRODUCT = {
    "sale": ("taxes_id", "lst_price"),
    "purchase": ("supplier_taxes_id", "standard_price"),
}


def checked_lines(
    odoo: Odoo, lines: Sequence[Mapping[str, Any]], argument: str = "lines"
) -> list[dict[str, Any]]:
    """Return the lines, or refuse what cannot be a line of an invoice.

    Args:
        odoo: the connection.
        lines: as they were given.
        argument: that they were given as, for messages.

    Raises:
        ValidationError: naming the line and the key.
    """
    checked = op.check_lines(lines, NewLine.__annotations__, argument)
    for index, line in enumerate(checked):
        where = f"{argument}[{index}]"
        op.check_described(odoo, line, where, "active", free=True)
        if _is_note(line):
            continue
        line.setdefault("quantity", 1)
        for key in ("quantity", "price_unit", "discount"):
            if key in line:
                line[key] = op.checked_number(line[key], f"{where}.{key}", positive=False)
        op.check_discount(line, where)
    return checked


def _is_note(line: Mapping[str, Any]) -> bool:
    return line.keys() == {"name"}


def resolve_lines(
    odoo: Odoo,
    lines: Sequence[dict[str, Any]],
    others: Sequence[op.Wanted],
    kind: str,
    company: int,
    argument: str = "lines",
) -> list[int | None]:
    """Put the ids of the products, accounts and taxes that are meant into the lines.

    Args:
        odoo: the connection.
        lines: as :func:`checked_lines` returned them.
        others: names that are looked up together with theirs.
        kind: sale or purchase.
        company: the invoice's.
        argument: that they were given as, for messages.

    Returns:
        The ids of the others.
    """
    wanted: list[tuple[dict[str, Any], str, list[op.Wanted]]] = []
    for index, line in enumerate(lines):
        where = f"{argument}[{index}]"
        if {"product_id", "product_name"} & line.keys():
            wanted.append((line, "product_id", [op.wanted_product(line, index, argument)]))
        if {"account_id", "account_name"} & line.keys():
            # A code is made of digits, as an id is: so they are apart here.
            name = line.pop("account_name", None)
            account = op.Wanted(
                model="account.account",
                field=f"{where}.account_id",
                id=line.get("account_id"),
                name=name,
                domain=() if name is None else (of_companies(odoo, company),),
            )
            wanted.append((line, "account_id", [account]))
        if "tax_ids" in line:
            taxes = op.wanted_each("account.tax", line["tax_ids"], f"{where}.tax_ids")
            if any(tax.name is not None for tax in taxes):
                companies = op.usable_companies(odoo, company, INVOICE.model)
                fits = (("type_tax_use", "in", (kind, "none")), ("company_id", "in", companies))
                taxes = [attrs.evolve(tax, domain=fits) for tax in taxes]
            wanted.append((line, "tax_ids", taxes))
    found = iter(op.resolve_all(odoo, [*others, *(each for *_, part in wanted for each in part)]))
    ids = [next(found) for _ in others]
    for line, key, part in wanted:
        meant = [next(found) for _ in part]
        line[key] = meant if key == "tax_ids" else meant[0]
    return ids


def fill_lines(
    odoo: Odoo,
    head: Mapping[str, Any],
    lines: Sequence[Mapping[str, Any]],
    company: int,
    argument: str = "lines",
) -> tuple[op.Row, list[Any], list[str]]:
    """Return more values of the invoice, the commands that make its lines, and warnings.

    Args:
        odoo: the connection.
        head: the invoice's own values; ``move_type`` and ``partner_id`` among them.
        lines: checked and resolved.
        company: the invoice's.
        argument: that they were given as, for messages.

    Raises:
        NotFoundError: a product or tax does not exist.
        ValidationError: a tax is another company's or for the other direction.
    """
    kind = kind_of(head["move_type"])
    taxes_field, price_field = _OF_PRODUCT[kind]
    computed = odoo.version.major >= COMPUTES
    product_ids = sorted({line["product_id"] for line in lines if "product_id" in line})
    product = op.Document(
        model="product.product",
        noun="product",
        argument="product_id",
        fields=(taxes_field, *(() if computed else (price_field, "uom_id"))),
    )
    rows, terms = op.gather(
        lambda: op.read_all(odoo, product, product_ids) if product_ids else [],
        lambda: {} if computed else _of_partner(odoo, head),
    )
    products = {row["id"]: row for row in rows}
    told = {tax for line in lines for tax in line.get("tax_ids", [])}
    own = {tax for row in rows for tax in row[taxes_field]}
    usable = _usable_taxes(odoo, told, own, kind, company)
    mapping = _tax_mapping(odoo, terms.get("fiscal_position_id"), usable)
    foreign = not computed and head.get("currency_id") is not None
    commands, untaxed = [], []
    units: list[dict[str, Any]] = [{"product_id": line.get("product_id")} for line in lines]
    ratios = op.put_units(odoo, _LINE, list(zip(lines, units, strict=True)), argument)
    for index, line in enumerate(lines):
        if _is_note(line):
            commands.append([0, 0, {"display_type": "line_note", "name": line["name"]}])
            continue
        values = {
            key: line[key]
            for key in ("quantity", "name", "price_unit", "discount", "account_id", "product_id")
            if key in line
        }
        taxes = []
        if row := products.get(line.get("product_id")):
            taxes = [tax for tax in row[taxes_field] if tax in usable]
            if not computed:
                values["product_uom_id"] = row["uom_id"].id
                own_price = (row[price_field] or 0.0) * ratios.get(index, 1.0)
                if "price_unit" not in line and foreign:
                    raise make_error(
                        "MISSING_REQUIRED_FIELD",
                        f"{argument}[{index}] needs a price_unit: Odoo 15 and earlier do not "
                        "convert product prices to the currency of the invoice.",
                        suggestion="Set price_unit, or omit currency_id.",
                        details={"field": f"{argument}[{index}].price_unit"},
                    )
                values.setdefault("price_unit", own_price)
                taxes = list(dict.fromkeys(t for tax in taxes for t in mapping.get(tax, [tax])))
        else:
            values.setdefault("price_unit", 0.0)
        # From 16 on, a product's own taxes are left to Odoo, which maps them by fiscal position.
        if not (computed and taxes) or "tax_ids" in line:
            values["tax_ids"] = [[6, 0, line.get("tax_ids", taxes)]]
        if not taxes and "tax_ids" not in line:
            untaxed.append(f"{argument}[{index}]")
        values |= {key: unit for key, unit in units[index].items() if key != "product_id"}
        commands.append([0, 0, values])
    warnings = []
    if untaxed:
        which = ", ".join(untaxed)
        warnings.append(
            f"Without tax, because the product has none: {which}. Pass tax_ids if tax is due."
        )
    return terms, commands, warnings


def _of_partner(odoo: Odoo, head: Mapping[str, Any]) -> op.Row:
    """Return what Odoo's form takes from the partner: terms of payment and fiscal position."""
    wanted = ("invoice_payment_term_id", "fiscal_position_id")
    values = {key: head[key] for key in ("move_type", "partner_id", "journal_id") if key in head}
    answer = odoo.call(
        op.Call(
            model=INVOICE.model,
            method="onchange",
            ids=(),
            arguments={
                "values": values,
                "field_names": ["partner_id"],
                "fields_spec": {**dict.fromkeys(wanted, ""), **dict.fromkeys(values, "1")},
            },
            context={"default_move_type": head["move_type"]},
            access="read",
            step=True,
        )
    )
    filled = answer.get("value") or {}
    return {
        name: filled[name][0] if isinstance(filled[name], (list, tuple)) else filled[name]
        for name in wanted
        if filled.get(name)
    }


def _usable_taxes(odoo: Odoo, told: set[int], own: set[int], kind: str, company: int) -> set[int]:
    """Return which of the taxes the company can use; refuse those told that do not fit."""
    if not told | own:
        return set()
    companies = op.usable_companies(odoo, company, INVOICE.model)
    domain = [["id", "in", sorted(told | own)], ["company_id", "in", companies]]
    fields = ("name", "type_tax_use")
    rows = op.read_rows(
        odoo, "account.tax", domain, fields, acts_on=INVOICE.model, active_test=True
    )
    found = {row["id"]: row for row in rows}
    if missing := sorted(told - found.keys()):
        raise NotFoundError(
            f"The company has no tax {', '.join(map(str, missing))}.",
            suggestion="search_read on account.tax lists the taxes.",
            details={"model": "account.tax", "ids": missing, "field": "tax_ids"},
        )
    for tax in sorted(told):
        if found[tax]["type_tax_use"] not in (kind, "none"):
            raise ValidationError(
                f"The tax {found[tax]['name']} ({tax}) is for {found[tax]['type_tax_use']}s, but "
                f"this document is a {kind}.",
                suggestion=f"Choose a tax with type_tax_use {kind}.",
                details={"model": "account.tax", "field": "tax_ids", "id": tax},
            )
    return set(found)


def _tax_mapping(odoo: Odoo, position: int | None, taxes: set[int]) -> dict[int, list[int]]:
    """Return which taxes a fiscal position puts in the place of others (to Odoo 15)."""
    if not position or not taxes:
        return {}
    domain = [["position_id", "=", position], ["tax_src_id", "in", sorted(taxes)]]
    fields = ("tax_src_id", "tax_dest_id")
    mapping: dict[int, list[int]] = {}
    for row in op.read_rows(
        odoo, "account.fiscal.position.tax", domain, fields, acts_on=INVOICE.model
    ):
        targets = mapping.setdefault(row["tax_src_id"].id, [])
        targets += [row["tax_dest_id"].id] if row["tax_dest_id"] else []
    return mapping
