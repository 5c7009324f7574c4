"""What the words of a command line mean: conditions, values, ids."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.testing import FakeServer
from tests.unit.fake_shell import Run, run, server

__all__ = ["run", "server"]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["ref=007"], [["ref", "=", "007"]]),
        (["country_id=20"], [["country_id", "=", 20]]),
        (["country_id=20,21"], [["country_id", "in", [20, 21]]]),
        (["id!=7, 8"], [["id", "not in", [7, 8]]]),
        (["name=Azure, Inc"], [["name", "=", "Azure, Inc"]]),
        (["country_id=Belgium"], [["country_id", "=", "Belgium"]]),
        (["country_id.code=BE"], [["country_id.code", "=", "BE"]]),
        (["active=false"], [["active", "=", False]]),
        (["credit_limit>=80.5"], [["credit_limit", ">=", 80.5]]),
        (["email="], [["email", "=", False]]),
        (["email!="], [["email", "!=", False]]),
        (["name~100%"], [["name", "ilike", "100\\%"]]),
        (["name=a=b"], [["name", "=", "a=b"]]),
        (["id=7"], [["id", "=", 7]]),
        (["name=A", "id=7"], [["name", "=", "A"], ["id", "=", 7]]),
        (["[('id', 'in', [7, 8])]"], [["id", "in", [7, 8]]]),
        (
            ['["|", ["id", "=", 7], ["id", "=", 8]]', "name=A"],
            ["|", ["id", "=", 7], ["id", "=", 8], ["name", "=", "A"]],
        ),
    ],
)
def test_conditions_are_read_by_the_type_of_the_field(
    run: Run, server: FakeServer, words: list[str], meant: list[Any]
) -> None:
    result = run("search", "res.partner", *words, "-f", "name")
    assert result.exit_code == 0, result.stderr
    assert [call.arguments["domain"] for call in server.asked("search_read")] == [meant]


@pytest.mark.parametrize(
    ("word", "status", "said"),
    [
        ("name", 2, "is not a condition"),
        ("name==Azure", 2, "is not a condition"),
        ("amount=>5", 2, "is not a condition"),
        ("", 2, "is not a condition"),
        ("nam=Azure", 7, "did you mean name"),
        ("color=red", 7, "numbers"),
        ('["name", "=", "Azure"]', 7, '[["name", "=", "Azure"]]'),
        ("[[", 7, "not valid JSON"),
        ('[["name", "="]]', 7, "is not [field, operator, value]"),
    ],
)
def test_a_wrong_condition_is_an_error_and_nothing_is_searched(
    run: Run, server: FakeServer, word: str, status: int, said: str
) -> None:
    result = run("search", "res.partner", word)
    assert (result.exit_code, result.stdout) == (status, "")
    assert said in result.stderr
    assert server.asked("search_read") == []


def test_one_wrong_domain_among_several_is_no_domain_either(run: Run, server: FakeServer) -> None:
    for wrong in ('["id", "=", 7]', '["|"]'):
        result = run("search", "res.partner", wrong, "active=true", "id=7")
        assert result.exit_code == 7
    assert server.asked("search_read") == []


def test_values_are_read_by_the_type_of_the_field(run: Run, server: FakeServer) -> None:
    words = ["name=7", "ref=007", "active=no", "color=3", "credit_limit=1.5", "country_id=20"]
    result = run("create", "res.partner", *words, "category_id=1", "email=", "--mode", "full")
    assert result.stderr.startswith("Created res.partner record")
    (made,) = server.asked("create")
    assert made.arguments["vals_list"] == [
        {
            "name": "7",
            "ref": "007",
            "active": False,
            "color": 3,
            "credit_limit": 1.5,
            "country_id": 20,
            "category_id": [[6, 0, [1]]],
            "email": False,
        }
    ]
    assert result.stdout == f"{server.records['res.partner'][-1]['id']}\n"


def test_values_come_as_json_from_standard_input_too(run: Run, server: FakeServer) -> None:
    several = '{"name": "A"}\n{"name": "B"}\n'
    assert run("create", "res.partner", "-", "--mode", "full", input=several).exit_code == 0
    assert run("create", "res.partner", "-", "ref=x", "--mode", "full", input='{"name": "C"}')
    assert [row["name"] for row in server.records["res.partner"][2:]] == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("word", "status", "said"),
    [
        ("name", 2, "is not a value"),
        ("{", 2, "not valid JSON"),
        ("nam=x", 7, "did you mean name"),
        ("active=perhaps", 7, "active"),
        ("color=red", 7, "color"),
        ("country_id=Belgium", 7, "country_id"),
        ("category_id=Gold", 7, "category_id"),
    ],
)
def test_a_wrong_value_is_an_error_and_nothing_is_written(
    run: Run, server: FakeServer, word: str, status: int, said: str
) -> None:
    result = run("create", "res.partner", "ref=1", word, "--mode", "full")
    assert (result.exit_code, result.stdout) == (status, "")
    assert said in result.stderr
    assert server.asked("create") == []


@pytest.mark.parametrize("ids", ["0", "x", "7;8", "7.5", "", "²"])
def test_what_is_no_id_is_refused(run: Run, server: FakeServer, ids: str) -> None:
    result = run("write", "res.partner", ids, "name=x", "--mode", "full")
    assert result.exit_code == 2
    assert "is not a list of ids" in result.stderr
    assert server.sent == []


@pytest.mark.parametrize("command", ["search", "count"])
def test_a_name_that_nothing_has_is_said_where_nothing_is_found(run: Run, command: str) -> None:
    unknown = run(command, "res.partner", "country_id=Belgien")
    assert "no res.country is named 'Belgien'" in unknown.stderr
    assert "en_US" in unknown.stderr
    known = run(command, "res.partner", "country_id=Belgium", "name=Nobody")
    assert "is named" not in known.stderr
