"""What Odoo does with each form of a one2many or many2many: the table of ``arguments.commands``."""

from __future__ import annotations

import xmlrpc.client
from collections.abc import Callable, Iterable
from typing import Any

import attrs
import pytest

from odoo_toolkit.arguments import Command, read_commands, wire
from odoo_toolkit.errors import ValidationError
from tests.attacks.policies import Raw
from tests.live.servers import Server

#: Makes a value out of two records that are there, and one that is not.
Form = Callable[[int, int, int, dict[str, Any]], Any]

READ: dict[str, Form] = {
    "false": lambda a, b, s, new: False,
    "null": lambda a, b, s, new: None,
    "nothing": lambda a, b, s, new: [],
    "ids": lambda a, b, s, new: [a, s],
    "clear": lambda a, b, s, new: [[5]],
    "clear of three": lambda a, b, s, new: [[5, 0, 0]],
    "clear by a float": lambda a, b, s, new: [[5.0, False, None]],
    "set": lambda a, b, s, new: [[6, False, [a, s]]],
    "set none": lambda a, b, s, new: [[6, 0, []]],
    "delete": lambda a, b, s, new: [[2, a]],
    "delete by a float": lambda a, b, s, new: [[2.0, a, False]],
    "delete another's": lambda a, b, s, new: [[2, s, 0]],
    "unlink": lambda a, b, s, new: [[3, a]],
    "link": lambda a, b, s, new: [[4, s]],
    "link as an onchange answers": lambda a, b, s, new: [[4, s, {"id": s}]],
    "update": lambda a, b, s, new: [[1, a, new]],
    "create": lambda a, b, s, new: [[0, 0, new]],
    "create in a form": lambda a, b, s, new: [[0, "virtual_1", new]],
    "several": lambda a, b, s, new: [[2, a], [4, s], [0, 0, new]],
}

#: What Odoo takes for something else than it looks like, or passes over -> what it does with it,
#: None for an error.
REFUSED: dict[str, tuple[Form, str | None]] = {
    "set false": (lambda a, b, s, new: [[6, 0, False]], ""),
    "true as a code": (lambda a, b, s, new: [[True, a, new]], "a b, a changed"),
    "false as a code": (lambda a, b, s, new: [[False, 0, new]], "a b new"),
    "several ids": (lambda a, b, s, new: [[3, [a, b]]], ""),
    "false among ids": (lambda a, b, s, new: [a, False], "a"),
    "delete with values": (lambda a, b, s, new: [[2, a, {"x": 1}]], "b, a deleted"),
    "too much": (lambda a, b, s, new: [[4, s, 0, 0]], "a b s"),
    "a text as a code": (lambda a, b, s, new: [["2", a]], "a b"),
    "an unknown code": (lambda a, b, s, new: [[7, a]], "a b"),
    "a fraction as a code": (lambda a, b, s, new: [[2.5, a]], "a b"),
    "commands in commands": (lambda a, b, s, new: [[[2, a]]], "a b"),
    "zero": (lambda a, b, s, new: 0, None),
    "an empty string": (lambda a, b, s, new: "", None),
    "an empty object": (lambda a, b, s, new: {}, None),
    "true": (lambda a, b, s, new: True, None),
    "objects": (lambda a, b, s, new: [new], None),
    "commands and ids": (lambda a, b, s, new: [[4, s], b], None),
    "a command without its code": (lambda a, b, s, new: [[]], None),
}


@attrs.frozen(kw_only=True)
class Kind:
    """A field of lines, and how to make records that have two of them.

    Attributes:
        model: with the field.
        field: its name.
        lines: the model of the lines.
        line: values of a line.
        changed: a field of a line that commands change.
    """

    model: str
    field: str
    lines: str
    line: dict[str, Any]
    changed: str


def kinds(raw: Raw, suffix: str) -> list[Kind]:
    """Return a one2many that lets its lines go, one through a parent that deletes them, and a
    many2many."""
    name = f"Commands {suffix}"
    vendor = raw("res.partner", "create", {"name": name})
    has = raw("product.supplierinfo", "fields_get", ["partner_id"])
    seller = {"partner_id" if has else "name": vendor, "price": 1.0}
    category = {"name": name, "color": 1}
    return [
        Kind(
            model="res.partner",
            field="child_ids",
            lines="res.partner",
            line=category,
            changed="color",
        ),
        Kind(
            model="res.partner",
            field="category_id",
            lines="res.partner.category",
            line=category,
            changed="color",
        ),
        Kind(
            model="product.product",
            field="seller_ids",
            lines="product.supplierinfo",
            line=seller,
            changed="price",
        ),
    ]


@attrs.frozen
class Lines:
    """Records with two lines each, and a line of another for each."""

    raw: Raw
    kind: Kind
    parents: list[int]
    ids: list[tuple[int, int, int]]

    @classmethod
    def made(cls, raw: Raw, kind: Kind, count: int) -> Lines:
        name = kind.line.get("name", "Commands")
        two = [[0, 0, kind.line], [0, 0, kind.line]]
        rows = [{"name": name, kind.field: two}] * count
        parents = raw(kind.model, "create", rows)
        if kind.lines == "product.supplierinfo":  # such a line belongs to a product
            others = raw(kind.model, "create", [{"name": name, kind.field: two[:1]}] * count)
            strays = [row[kind.field][0] for row in raw(kind.model, "read", others, [kind.field])]
        else:
            strays = raw(kind.lines, "create", [kind.line] * count)
        found = raw(kind.model, "read", parents, [kind.field])
        lines = [sorted(row[kind.field]) for row in found]
        return cls(raw, kind, parents, [(a, b, s) for (a, b), s in zip(lines, strays, strict=True)])

    def new(self) -> dict[str, Any]:
        """Return values by which a line can be told from the others."""
        return {**self.kind.line, self.kind.changed: 2}

    def write(self, index: int, value: Any) -> bool:
        """Write a value; whether Odoo has taken it."""
        try:
            self.raw(self.kind.model, "write", [self.parents[index]], {self.kind.field: value})
        except xmlrpc.client.Fault:
            return False
        return True

    def outcomes(self) -> list[str]:
        """Say of each record which lines it has now, and which were deleted or changed."""
        kind, names = self.kind, [dict(zip(ids, "abs", strict=True)) for ids in self.ids]
        shown = [
            self.raw(kind.model, "read", [parent], [kind.field])[0][kind.field]
            for parent in self.parents
        ]
        every = sorted({i for ids in (*self.ids, *shown) for i in ids})
        there = {
            row["id"]: row[kind.changed]
            for row in self.raw(
                kind.lines, "search_read", [["id", "in", every]], ["id", kind.changed]
            )
        }
        return [
            " ".join(sorted(known.get(i, "new") for i in now))
            + "".join(f", {known[i]} deleted" for i in ids if i not in there)
            + "".join(f", {known[i]} changed" for i in ids if there.get(i) == 2)
            for known, ids, now in zip(names, self.ids, shown, strict=True)
        ]


def left_by(commands: Iterable[Command], a: int, b: int, s: int, inherited: bool) -> str:
    """Say what the commands mean, in the words of :meth:`Lines.outcomes`.

    Lines of the inherited field are deleted when they are taken away, but no other's are.
    """
    names = {a: "a", b: "b", s: "s"}
    now, gone, changed = ["a", "b"], set(), set()
    for command in commands:
        if command.takes_all:
            kept = [names[i] for i in command.ids]
            gone |= set(now) - set(kept) if inherited else set()
            now = kept
        elif command.kind == "create":
            now.append("new")
        elif command.kind == "update":
            changed.add(names[command.id])
        elif command.kind == "link":
            now.append(names[command.id])
        else:
            name = names[command.id]
            if name in now if inherited else command.kind == "delete":
                gone.add(name)
            now = [other for other in now if other != name]
    return (
        " ".join(sorted(now))
        + "".join(f", {name} deleted" for name in "abs" if name in gone)
        + "".join(f", {name} changed" for name in "abs" if name in changed)
    )


@pytest.fixture(scope="module")
def raw(server: Server) -> Raw:
    return Raw(server)


@pytest.mark.parametrize("number", range(3), ids=["child_ids", "category_id", "seller_ids"])
def test_odoo_does_with_each_form_what_it_does_with_what_is_sent_for_it(
    raw: Raw, suffix: str, number: int
) -> None:
    kind = kinds(raw, suffix)[number]
    given, sent = (Lines.made(raw, kind, len(READ)) for _ in range(2))
    expected = []
    for index, form in enumerate(READ.values()):
        assert given.write(index, form(*given.ids[index], given.new()))
        commands = read_commands(form(*sent.ids[index], sent.new()), kind.field)
        assert sent.write(index, wire(commands))
        inherited = kind.field == "seller_ids"
        expected.append(left_by(commands, *sent.ids[index], inherited))
    by_form = dict(zip(READ, expected, strict=True))
    assert dict(zip(READ, given.outcomes(), strict=True)) == by_form
    assert dict(zip(READ, sent.outcomes(), strict=True)) == by_form


def test_what_is_refused_does_other_than_it_looks_like(raw: Raw, suffix: str) -> None:
    lines = Lines.made(raw, kinds(raw, suffix)[0], len(REFUSED))
    expected = {}
    for index, (name, (form, outcome)) in enumerate(REFUSED.items()):
        value = form(*lines.ids[index], lines.new())
        with pytest.raises(ValidationError):
            read_commands(value, "child_ids")
        assert lines.write(index, value) == (outcome is not None), name
        expected[name] = "a b" if outcome is None else outcome
    assert dict(zip(REFUSED, lines.outcomes(), strict=True)) == expected


def test_a_new_record_has_nothing_that_could_be_taken_away(raw: Raw, suffix: str) -> None:
    """But where it shows what another record has, that goes."""
    child = kinds(raw, suffix)[0]
    for value in (False, [[5, 0, 0]], []):
        made = raw("res.partner", "create", {"name": child.line["name"], "child_ids": value})
        assert raw.value("res.partner", made, "child_ids") == []
    seller = kinds(raw, suffix)[2]
    lines = Lines.made(raw, seller, 1)
    template = raw.value("product.product", lines.parents[0], "product_tmpl_id")[0]
    # There can be one such variant only.
    raw("product.product", "write", lines.parents, {"active": False})
    raw("product.product", "create", {"product_tmpl_id": template, "seller_ids": False})
    assert lines.outcomes() == [", a deleted, b deleted"]
