"""Calls that are large, endless, or go around a limit or a blocked method."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from odoo_toolkit import Policy, ReadOptions, count, create, execute, search_read, write
from odoo_toolkit.errors import OdooError, ValidationError
from odoo_toolkit.records.names import name_search
from tests.attacks.policies import Attack, calling, connected, passing, refused
from tests.attacks.serverless import Serverless
from tests.live.conftest import server
from tests.live.servers import Server

__all__ = ["server"]

PARTNER = "res.partner"
ALLOWED = "res.partner,res.partner.bank,res.partner.category"
POLICIES = {
    "readonly": Policy(mode="readonly"),
    "restricted": Policy(mode="restricted", write_allowlist=ALLOWED),
    "full": Policy(mode="full"),
    "full, closed": Policy(mode="full", field_blocklist="email", model_blocklist="crm.lead"),
}


@pytest.fixture(params=POLICIES)
def odoo(request: pytest.FixtureRequest) -> Serverless:
    return Serverless(POLICIES[request.param])


# Time ----------------------------------------------------------------------------------------

#: Texts that a careless pattern takes the square of their length for.
REPEATED = (
    *("a", " ", "(", "a.", "a,1", "a ", "\t", "\n", "a:", "${", "{{", "<t ", "< ", "t-a", "['a'"),
    *("a/", ".", ",", "1", "a.b,", "%", "% \n", "a_", "\\", "'", '"', "[", "any ", "- ", "=", "é"),
)

Place = Callable[[Serverless, str], Any]


def _value(name: str) -> Place:
    return lambda o, t: create(o, PARTNER, {"name": "x", name: t})


PLACES: dict[str, Place] = {
    "domain value": lambda o, t: search_read(o, PARTNER, [["name", "ilike", t]], ["name"]),
    "domain field": lambda o, t: search_read(o, PARTNER, [[t, "=", 1]], ["name"]),
    "domain operator": lambda o, t: search_read(o, PARTNER, [["name", t, 1]], ["name"]),
    "domain item": lambda o, t: count(o, PARTNER, [t]),
    "domain as text": lambda o, t: count(o, PARTNER, t),
    "reference": lambda o, t: count(o, PARTNER, [["reference", "=", t]]),
    "relation by name": lambda o, t: count(o, PARTNER, [["parent_id", "ilike", t]]),
    "field": lambda o, t: search_read(o, PARTNER, [], [t]),
    "order": lambda o, t: search_read(o, PARTNER, [], ["name"], order=t),
    "name": lambda o, t: name_search(o, PARTNER, t),
    "context key": lambda o, t: count(o, PARTNER, [], context={t: 1}),
    "context value": lambda o, t: count(o, PARTNER, [], context={"lang": t}),
    "other context": lambda o, t: count(o, PARTNER, [], context={"default_x": t}),
    "execute domain": lambda o, t: execute(o, PARTNER, "search", [[["name", "=", t]]]),
    "execute fields": lambda o, t: execute(o, PARTNER, "search_read", [[], [t]]),
    "execute order": lambda o, t: execute(o, PARTNER, "search", [[], 0, 1, t]),
    "execute group": lambda o, t: execute(o, PARTNER, "read_group", [[], ["id"], [t]]),
    "execute aggregate": lambda o, t: execute(o, PARTNER, "read_group", [[], [t], ["name"]]),
    "execute having": lambda o, t: execute(
        o, PARTNER, "formatted_read_group", [[], ["name"], ["__count"], [[t, ">", 1]]]
    ),
    "execute name_search": lambda o, t: execute(o, PARTNER, "name_search", [t]),
    "execute argument": lambda o, t: execute(o, PARTNER, "anything", [[1], t]),
    "execute keyword": lambda o, t: execute(o, PARTNER, "anything", [[1]], {"x": {t: t}}),
    "method": lambda o, t: execute(o, PARTNER, t, []),
    "model": lambda o, t: execute(o, t, "search", [[]]),
    "text value": _value("comment"),
    "name value": _value("name"),
    "relation value": _value("parent_id"),
    "reference value": _value("reference"),
    "model value": lambda o, t: create(o, "ir.attachment", {"name": "x", "res_model": t}),
    "body": lambda o, t: execute(o, PARTNER, "message_post", [[1]], {"body": t}),
    "load column": lambda o, t: execute(o, PARTNER, "load", [[t], [["x"]]]),
    "load cell": lambda o, t: execute(o, PARTNER, "load", [["name"], [[t]]]),
}


#: Seconds of 20 kB below which the clock tells little; what grows as its text does stays below
#: eight times as much with 80 kB.
LITTLE = 0.02


def _seconds(odoo: Serverless, place: Place, text: str, enough: float) -> float:
    """Return the processor time that the toolkit takes with a text, refused or not.

    The least of some, as what the machine does beside must not count; the first that is little
    enough will do.
    """
    least = float("inf")
    for _ in range(5):
        started = time.thread_time()
        with contextlib.suppress(OdooError, ValueError, TypeError):
            place(odoo, text)
        least = min(least, time.thread_time() - started)
        if least < enough:
            break
    return least


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("policy", "pieces"),
    [
        pytest.param("full, closed", REPEATED[::8], id="sample"),
        *(pytest.param(name, REPEATED, id=name, marks=pytest.mark.attack) for name in POLICIES),
    ],
)
def test_the_time_that_a_text_takes_grows_no_faster_than_the_text(
    policy: str, pieces: Sequence[str], place: str
) -> None:
    """Four times the text, a little more than four times the time: never sixteen."""
    odoo = Serverless(POLICIES[policy])
    slow = []
    for piece in pieces:
        short = _seconds(odoo, PLACES[place], (piece * 20_000)[:20_000], LITTLE)
        if short > 1:
            slow.append((piece, f"20 kB: {short:.1f} s"))
            break
        most = 8 * max(short, LITTLE)
        long = _seconds(odoo, PLACES[place], (piece * 80_000)[:80_000], most)
        if long > most:
            slow.append((piece, f"20 kB: {short:.3f} s, 80 kB: {long:.3f} s"))
    assert slow == []


# Size ----------------------------------------------------------------------------------------


def _nested(depth: int) -> list[Any]:
    domain: list[Any] = [["name", "=", "x"]]
    for _ in range(depth):
        domain = [["parent_id", "any", domain]]
    return domain


def _lists(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def _commands(depth: int) -> dict[str, Any]:
    values: dict[str, Any] = {"name": "x"}
    for _ in range(depth):
        values = {"child_ids": [[0, 0, values]]}
    return values


LARGE: dict[str, list[Any]] = {
    "leaves": [["name", "=", f"x{i}"] for i in range(10_000)],
    "alternatives": ["|"] * 9_999 + [["name", "=", f"x{i}"] for i in range(10_000)],
    "negations": ["!"] * 10_001 + [["name", "=", "x"]],
    "any in any": _nested(200),
    "lists in lists": _lists(200),
    "leaves in an any": [["parent_id", "any", [["name", "=", "x"]] * 10_000]],
}


@pytest.mark.parametrize("case", LARGE)
def test_a_domain_of_no_honest_size_is_refused(odoo: Serverless, case: str) -> None:
    domain = LARGE[case]
    attacks: tuple[Attack, ...] = (
        lambda o: search_read(o, PARTNER, domain, ["name"]),
        lambda o: count(o, PARTNER, domain),
        lambda o: execute(o, PARTNER, "search", [domain]),
        lambda o: execute(o, PARTNER, "search_count", kwargs={"domain": domain}),
        lambda o: execute(o, PARTNER, "name_search", ["x", domain]),
        lambda o: execute(o, PARTNER, "read_group", [domain, ["id"], ["name"]]),
    )
    for attack in attacks:
        error = refused(odoo, attack)
        assert isinstance(error, ValidationError)
        assert len(error.message) < 1_000


def test_many_ids_in_one_condition_are_no_large_domain(odoo: Serverless) -> None:
    ids = list(range(1, 10_001))
    count(odoo, PARTNER, [["id", "in", ids]])
    assert odoo.sent[-1].arguments["domain"][0][2] == ids


@pytest.mark.parametrize("policy", ["restricted", "full"])
def test_values_nested_too_deeply_are_refused(policy: str) -> None:
    odoo = Serverless(POLICIES[policy])
    for values in (_commands(200), {"name": _lists(5_000)}, {"child_ids": _lists(5_000)}):
        refused(odoo, calling(execute, PARTNER, "create", [values]))


def test_a_name_has_at_most_a_thousand_characters(odoo: Serverless) -> None:
    execute(odoo, PARTNER, "name_search", ["x" * 1_000])
    refused(odoo, calling(execute, PARTNER, "name_search", ["x" * 1_001]))


# Limits of searches --------------------------------------------------------------------------

MOST = 5
SEARCHES: dict[str, list[Any]] = {
    # method: its arguments before the limit
    "search": [[], 0],
    "search_read": [[], ["name"], 0],
    "name_search": ["x", [], "ilike"],
    "read_group": [[], ["id"], ["name"], 0],
    "formatted_read_group": [[], ["name"], ["__count"], [], 0],
}
LIMITS: tuple[Any, ...] = (1000, None, False, 0, MOST + 1)


@pytest.mark.parametrize("method", SEARCHES)
@pytest.mark.parametrize("policy", ["readonly", "restricted", "full"])
def test_execute_keeps_to_the_limit_of_searches(policy: str, method: str) -> None:
    before = SEARCHES[method]
    odoo = Serverless(POLICIES[policy], ReadOptions(max_limit=MOST))
    ways = [
        *[([*before, limit], {}) for limit in LIMITS],
        *[(before, {"limit": limit}) for limit in LIMITS],
        (before, {}),
    ]
    for args, kwargs in ways:
        odoo.sent.clear()
        result = execute(odoo, PARTNER, method, args, kwargs)
        assert odoo.sent[-1].arguments["limit"] == MOST, (args, kwargs)
        assert any(str(MOST) in warning for warning in result.warnings), (args, kwargs)


@pytest.mark.parametrize("method", SEARCHES)
def test_a_lower_limit_stays(method: str) -> None:
    odoo = Serverless(POLICIES["readonly"], ReadOptions(max_limit=MOST))
    result = execute(odoo, PARTNER, method, [*SEARCHES[method], 2])
    assert odoo.sent[-1].arguments["limit"] == 2
    assert result.warnings == []


@pytest.mark.every_version
def test_a_server_gives_no_more_than_the_limit(server: Server) -> None:
    with connected(server, options=ReadOptions(max_limit=MOST), mode="readonly") as odoo:
        for method, before in SEARCHES.items():
            if method == "formatted_read_group" and odoo.version.major < 19:
                continue
            # Of countries, every server has hundreds.
            args = ["", *before[1:]] if method == "name_search" else before
            for kwargs in ({"limit": 1000}, {}):
                result = execute(odoo, "res.country", method, args, kwargs).result
                assert len(result) == MOST, (method, kwargs)


# Blocked methods by another name -------------------------------------------------------------

NEW, OLD, GONE = [0, 0, {"name": "x"}], [1, 7, {"name": "x"}], [2, 7]
#: blocked method -> methods and values that do the same
BY_ANOTHER_NAME: dict[str, dict[str, Attack]] = {
    "unlink": {
        "of a one2many": lambda o: write(o, PARTNER, [1], {"child_ids": [GONE]}),
        "of a many2many": lambda o: write(o, PARTNER, [1], {"category_id": [GONE]}),
        "with zero": lambda o: execute(o, PARTNER, "write", [[1], {"child_ids": [[2, 7, 0]]}]),
        "nested": lambda o: execute(
            o, PARTNER, "write", [[1], {"child_ids": [[1, 7, {"child_ids": [GONE]}]]}]
        ),
        "in a new record": lambda o: create(o, PARTNER, {"name": "x", "child_ids": [GONE]}),
        "itself": lambda o: execute(o, PARTNER, "unlink", [[1]]),
        "in any case": lambda o: execute(o, PARTNER, "Unlink", [[1]]),
    },
    "create": {
        "copy": lambda o: execute(o, PARTNER, "copy", [[1]]),
        "load": lambda o: execute(o, PARTNER, "load", [["name"], [["x"]]]),
        "name_create": lambda o: execute(o, PARTNER, "name_create", ["x"]),
        "web_save": lambda o: execute(o, PARTNER, "web_save", [[], {"name": "x"}, {}]),
        "of a one2many": lambda o: write(o, PARTNER, [1], {"child_ids": [NEW]}),
        "of a many2many": lambda o: execute(o, PARTNER, "write", [[1], {"category_id": [NEW]}]),
        "nested": lambda o: execute(
            o, PARTNER, "write", [[1], {"child_ids": [[1, 7, {"child_ids": [NEW]}]]}]
        ),
        "itself": lambda o: create(o, PARTNER, {"name": "x"}),
    },
    "write": {
        "load": lambda o: execute(o, PARTNER, "load", [[".id", "name"], [["1", "x"]]]),
        "web_save": lambda o: execute(o, PARTNER, "web_save", [[1], {"name": "x"}, {}]),
        "of a one2many": lambda o: execute(o, PARTNER, "write", [[1], {"child_ids": [OLD]}]),
        "in a new record": lambda o: create(o, PARTNER, {"name": "x", "child_ids": [OLD]}),
        "of a many2many": lambda o: create(o, PARTNER, {"name": "x", "category_id": [OLD]}),
        "itself": lambda o: write(o, PARTNER, [1], {"name": "x"}),
    },
}


@pytest.mark.parametrize("mode", ["restricted", "full"])
@pytest.mark.parametrize("blocked", BY_ANOTHER_NAME)
def test_what_does_the_same_as_a_blocked_method_is_blocked(mode: Any, blocked: str) -> None:
    policy = Policy(mode=mode, write_allowlist=ALLOWED, method_blocklist=blocked)
    assert passing(Serverless(policy), BY_ANOTHER_NAME[blocked]) == []


def test_other_methods_pass_beside_a_blocked_one() -> None:
    odoo = Serverless(Policy(method_blocklist="unlink"))
    write(odoo, PARTNER, [1], {"child_ids": [NEW, OLD]})
    create(odoo, PARTNER, {"name": "x"})
    assert [call.method for call in odoo.sent if not call.reads] == ["write", "create"]
