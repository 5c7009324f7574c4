"""Values of one2many and many2many fields: every form is read, or refused with a clear error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odoo_toolkit.arguments import Command, owns_lines, read_commands, wire, with_values
from odoo_toolkit.arguments.commands import hold
from odoo_toolkit.arguments.reading import wired
from odoo_toolkit.call import Call
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.fields import Field

CLEAR = Command(kind="clear")


def put(*ids: int) -> Command:
    return Command(kind="set", ids=ids)


READ: dict[str, tuple[Any, list[Command]]] = {
    "false": (False, [CLEAR]),
    "null": (None, [CLEAR]),
    "nothing": ([], []),
    "clear": ([[5]], [CLEAR]),
    "clear of three": ([(5, 0, 0)], [CLEAR]),
    "clear of false": ([[5, False, None]], [CLEAR]),
    "ids": ([7, 8], [put(7, 8)]),
    "ids of a table": ([7.0], [put(7)]),
    "a command without its list is ids": ([2, 7], [put(2, 7)]),
    "five without its list is an id": ([5], [put(5)]),
    "records as read": ([{"id": 7, "name": "x"}, {"id": 8, "display_name": "y"}], [put(7, 8)]),
    "set": ([[6, 0, [7]]], [put(7)]),
    "set with false": ([[6, False, [7.0]]], [put(7)]),
    "set none": ([[6, 0, []]], [put()]),
    "delete": ([[2, 7]], [Command(kind="delete", id=7)]),
    "delete by floats": ([[2.0, 7.0, 0.0]], [Command(kind="delete", id=7)]),
    "unlink": ([[3, 7, False]], [Command(kind="unlink", id=7)]),
    "link as an onchange answers": ([[4, 7, {"id": 7}]], [Command(kind="link", id=7)]),
    "link": ([(4, 7, 0)], [Command(kind="link", id=7)]),
    "update": ([[1, 7, {"a": 1}]], [Command(kind="update", id=7, values={"a": 1})]),
    "create": ([[0, 0, {"a": 1}]], [Command(kind="create", values={"a": 1})]),
    "create with false": ([[0, False, {}]], [Command(kind="create")]),
    "create in a form": ([[0, "virtual_1", {}]], [Command(kind="create", ref="virtual_1")]),
    "several": ([[4, 7], [5]], [Command(kind="link", id=7), CLEAR]),
}

REFUSED: dict[str, Any] = {
    "true": True,
    "zero": 0,
    "a text": "",
    "commands as text": "[[5]]",
    "an id alone": 7,
    "an object": {"id": 7},
    "an empty object": {},
    "true as a code": [[True, 7, {}]],
    "false as a code": [[False, 0, {}]],
    "a text as a code": [["2", 7]],
    "a fraction as a code": [[2.5, 7]],
    "null as a code": [[None, 7]],
    "an unknown code": [[7, 7]],
    "a negative code": [[-1, 7]],
    "no code": [[]],
    "too much": [[4, 7, 0, 0]],
    "a text as an id": [[2, "7"]],
    "true as an id": [[4, True]],
    "no id": [[2]],
    "id zero": [[3, 0]],
    "a negative id": [[3, -7]],
    "an id too large": [[3, 2**31]],
    "several ids": [[3, [7, 8]]],
    "update without values": [[1, 7]],
    "update with false": [[1, 7, False]],
    "create without values": [[0, 0]],
    "create with a list": [[0, 0, [{}]]],
    "values by numbers": [[0, 0, {1: 2}]],
    "delete with values": [[2, 7, {"a": 1}]],
    "clear with an id": [[5, 7]],
    "set of false": [[6, 0, False]],
    "set of one id": [[6, 0, 7]],
    "set of texts": [[6, 0, ["7"]]],
    "set of zero": [[6, 0, [7, 0]]],
    "set without its list": [[6, 0]],
    "set in second place": [[6, [7]]],
    "a lone command with zero": [4, 7, 0],
    "a lone set": [6, 0, [7]],
    "commands and ids": [[2, 7], 8],
    "ids and commands": [8, [2, 7]],
    "commands and objects": [[4, 7], {"id": 8}],
    "commands in commands": [[[2, 7]]],
    "objects that are no records as read": [{"name": "x"}],
    "records with more": [{"id": 7, "name": "x", "color": 1}],
    "texts": ["7"],
    "false among ids": [7, False],
}


@pytest.mark.parametrize(("value", "commands"), READ.values(), ids=READ)
def test_forms_that_are_read(value: Any, commands: list[Command]) -> None:
    assert list(read_commands(value, "vals.line_ids")) == commands


@pytest.mark.parametrize("value", REFUSED.values(), ids=REFUSED)
def test_forms_that_are_refused_with_what_is_taken(value: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        read_commands(value, "vals.line_ids")
    assert "vals.line_ids" in caught.value.message
    assert caught.value.suggestion


def test_objects_among_default_values_are_records_to_be_made() -> None:
    made = read_commands([[5], {"name": "x"}], "context.default_line_ids", default=True)
    assert made == (CLEAR, Command(kind="create", values={"name": "x"}))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.integers(0, 8)
    | st.sampled_from([0, 1, 2, 3, 4, 5, 6, 7.0, 2**31]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)
almost_commands = st.lists(
    st.tuples(st.integers(-1, 8) | json_values, json_values, json_values).map(list)
    | st.tuples(st.integers(0, 6), st.integers(1, 9)).map(list)
    | st.tuples(st.integers(0, 1), st.integers(0, 9), st.dictionaries(st.text(), st.none()))
    | st.tuples(st.just(6), st.just(0), st.lists(st.integers(1, 9))),
    max_size=4,
)


@given(json_values | almost_commands, st.booleans())
def test_every_value_is_read_or_refused_and_what_was_read_reads_the_same(
    value: Any, default: bool
) -> None:
    try:
        commands = read_commands(value, "values", default=default)
    except ValidationError:
        return
    sent = json.loads(json.dumps(wire(commands)))
    assert read_commands(sent, "values") == commands
    assert read_commands(sent, "values", default=True) == commands
    assert wire(read_commands(sent, "values")) == sent


def test_values_nested_without_end_are_refused_not_a_crash() -> None:
    value: Any = []
    for _ in range(5000):
        value = [value]
    with pytest.raises(ValidationError):
        read_commands(value, "values")
    nested: Any = {}
    for _ in range(5000):
        nested = {"line_ids": [[0, 0, nested]]}
    with pytest.raises(ValidationError):
        with_values(Call(model="x", method="write", arguments={"vals": nested}), described)


# Calls -------------------------------------------------------------------------------------------

LINES = Field(name="line_ids", type="one2many", relation="x", relation_field="parent_id")
TAGS = Field(name="tag_ids", type="many2many", relation="tag")
FIELDS = {"line_ids": LINES, "tag_ids": TAGS, "name": Field(name="name", type="char")}


def described(model: str) -> Mapping[str, Field]:
    return FIELDS if model == "x" else {}


@pytest.mark.parametrize(
    ("method", "argument"),
    [
        ("create", "vals_list"),
        ("write", "vals"),
        ("update", "values"),
        ("copy", "default"),
        ("copy_data", "default"),
        ("web_save", "vals"),
        ("web_save_multi", "vals_list"),
        ("onchange", "values"),
    ],
)
def test_values_of_known_methods_take_the_one_form(method: str, argument: str) -> None:
    given = {
        "name": False,
        "line_ids": [[1, 7, {"line_ids": None, "tag_ids": [3]}], [0, 0, {"line_ids": [4]}]],
        "unknown_ids": [8],
    }
    inner = {"line_ids": [[5, 0, 0]], "tag_ids": [[6, 0, [3]]]}
    made = {"line_ids": [[6, 0, [4]]]}
    expected = {
        "name": False,
        "line_ids": [[1, 7, inner], [0, 0, made]],
        "unknown_ids": [8],
    }
    for one, other in ((given, expected), ([given], [expected])):
        named = Call(model="x", method=method, arguments={argument: one, "specification": {}})
        assert wired(with_values(named, described)).arguments == {
            argument: other,
            "specification": {},
        }
        placed = Call(model="x", method=method, positional=(one, {}))
        assert wired(with_values(placed, described)).positional == (other, {})


def test_default_values_of_a_context_take_the_one_form() -> None:
    context = {"default_line_ids": [{"name": "a"}], "default_tag_ids": False, "lang": "fr"}
    call = Call(model="x", method="nobody_knows", context=context)
    assert with_values(call, described).context == {
        "default_line_ids": [[0, 0, {"name": "a"}]],
        "default_tag_ids": [[5, 0, 0]],
        "lang": "fr",
    }


def test_values_of_other_methods_stay() -> None:
    call = Call(model="x", method="nobody_knows", positional=({"line_ids": False},))
    assert with_values(call, described) is call


def test_what_is_taken_from_a_stored_many2many_is_only_unlinked() -> None:
    fields = {
        "tag_ids": TAGS,
        "line_ids": LINES,
        "parent_id": Field(name="parent_id", type="many2one", relation="x"),
        "partner_ids": Field(name="a", type="many2many", relation="p", store=False),
        "shown_ids": Field(
            name="b",
            type="many2many",
            relation="tag",
            store=False,
            related=("parent_id", "tag_ids"),
        ),
        "far_ids": Field(
            name="c",
            type="many2many",
            relation="p",
            store=False,
            related=("parent_id", "partner_ids"),
        ),
    }
    owned = {
        name: owns_lines(field, "x", {"x": fields}.__getitem__)
        for name, field in fields.items()
        if field.type != "many2one"
    }
    assert owned == {
        "tag_ids": False,
        "line_ids": True,
        "partner_ids": True,
        "shown_ids": False,
        "far_ids": True,
    }
    assert owns_lines(None, "x", described)


@pytest.mark.parametrize(
    ("value", "shown", "expected"),
    [
        (False, [], True),
        (False, [7], False),
        ([[6, 0, [7, 8]]], [8, 7], True),
        ([[4, 7], [3, 8]], [7, 9], True),
        ([[4, 7], [2, 8]], [7, 8], False),
        ([[1, 7, {}]], [7], False),
        ([[0, 0, {}]], [7], False),
        ([], [7], True),
    ],
)
def test_whether_commands_hold(value: Any, shown: list[int], expected: bool) -> None:
    assert hold(read_commands(value, "values"), shown) is expected
