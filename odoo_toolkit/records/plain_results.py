"""Results as plain data, as the MCP server answers with them and the command prints them."""

from __future__ import annotations

import functools
from typing import Any

import attrs
from cattrs import Converter
from cattrs.gen import override

from odoo_toolkit.display.results import answered
from odoo_toolkit.records.results import Described, Record


def as_data(result: Any) -> Any:
    """Return a result as dictionaries and lists, without attributes that have their default.

    A plan's calls that differ only in their records are one.
    """
    if getattr(result, "dry_run", False) and getattr(result, "calls", None):
        # Imported here: plans are made of records.
        from odoo_toolkit.plans import folded

        result = attrs.evolve(result, calls=folded(result.calls))
    return _converter().unstructure(result)


@functools.cache
def _converter() -> Converter:
    """Return the converter.

    Descriptions of fields are for DataFrames only. Records are plain already: to take many of them
    apart value by value would cost more than all else here.
    """
    converter = Converter(omit_if_default=True, type_overrides={Described: override(omit=True)})
    converter.register_unstructure_hook_func(
        lambda hint: hint in (Record, list[Record]), lambda value: value
    )

    def with_properties(cls: Any) -> Any:
        attributes = converter.gen_unstructure_attrs_fromdict(cls)
        names = answered(cls)
        return lambda value: {**attributes(value), **{n: getattr(value, n) for n in names}}

    converter.register_unstructure_hook_factory(
        lambda hint: isinstance(hint, type) and attrs.has(hint) and bool(answered(hint)),
        with_properties,
    )
    return converter
