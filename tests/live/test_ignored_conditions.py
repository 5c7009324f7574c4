"""No condition that Odoo leaves out of a search passes: a sweep over all fields of all models."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import (
    Connection,
    OdooError,
    ValidationError,
    aggregate,
    changes,
    count,
    create,
    execute,
    export,
    iterate,
    search_read,
    upsert,
)
from odoo_toolkit.call import Call
from odoo_toolkit.fields import RELATIONAL, Field
from odoo_toolkit.policy.reach import NAMED_BY

pytestmark = pytest.mark.recorded

NOWHERE, BEYOND = "nothing is named like this 4f7d", 2_111_111_111

#: A file that no export makes.
UNMADE = Path(tempfile.gettempdir(), "none.csv")

#: What a model of the demo data drops: to 18 the condition, on 19 Odoo itself refuses it.
DROPPED = ("res.company", "country_code")


def impossible(field: Field) -> Iterator[list[Any]]:
    """Yield conditions on a field that no record fulfils, one for each kind of operator."""
    name, kind = field.name, field.type
    if kind in RELATIONAL:
        yield [name, "=", NOWHERE]
        yield [name, "ilike", NOWHERE]
        yield [name, "in", [NOWHERE]]
        yield [name, "in", [BEYOND]]
    elif kind in ("integer", "float", "monetary"):
        yield [name, "=", -BEYOND]
        yield [name, "<", -BEYOND]
        yield [name, ">", BEYOND]
    elif kind in ("date", "datetime"):
        yield [name, "=", "1805-05-05"]
        yield [name, "<", "1805-05-05"]
        yield [name, ">", "9705-05-05"]
    elif kind in ("char", "text", "html"):
        yield [name, "=", NOWHERE]
        yield [name, "ilike", NOWHERE]
        yield [name, "in", [NOWHERE]]


def contradictions(field: Field) -> Iterator[tuple[list[Any], list[Any]]]:
    """Yield pairs of conditions, of which a record that fulfils one does not fulfil the other."""
    if field.type == "boolean":
        yield [field.name, "=", True], [field.name, "=", False]
    else:
        yield [field.name, "=", False], [field.name, "!=", False]


def counted(odoo: Connection, model: str, domain: list[Any]) -> int | None:
    """Return how many records the toolkit finds; None where it or Odoo refuses."""
    try:
        return count(odoo, model, domain, {"active_test": False}).count
    except OdooError:
        return None


def raw_count(odoo: Connection, model: str, domain: Sequence[Any] = ()) -> int:
    """Return how many records Odoo itself finds; 0 where it refuses."""
    return asked_of_odoo(odoo, model, domain) or 0


def asked_of_odoo(odoo: Connection, model: str, domain: Sequence[Any] = ()) -> int | None:
    """Return how many records Odoo itself finds; None where it refuses."""
    asked = Call(
        model=model,
        method="search_count",
        arguments={"domain": list(domain)},
        context={"active_test": False},
        internal=True,
    )
    try:
        return int(odoo.call(asked))
    except OdooError:
        return None


def finding(odoo: Connection, model: str, conditions: list[list[Any]]) -> list[list[Any]]:
    """Return the conditions by which Odoo itself finds records; none of them in one call."""
    any_of = [*["|"] * (len(conditions) - 1), *conditions]
    found = asked_of_odoo(odoo, model, any_of) if conditions else 0
    if found == 0 or len(conditions) == 1:
        return conditions if found else []
    half = len(conditions) // 2
    return [
        one for part in (conditions[:half], conditions[half:]) for one in finding(odoo, model, part)
    ]


def looked_at(odoo: Connection, model: str, seen: Counter[str]) -> Iterator[Field]:
    """Yield the fields of a model that Odoo does not simply compare with a column.

    What many models inherit, such as ``message_is_follower``, is looked at in a few of them; and so
    are relations, of which the other model's names matter.
    """
    for field in odoo.schema.fields(model).values():
        key = str(field.relation) if field.store else field.name
        if (field.store and field.type not in RELATIONAL) or not field.searchable:
            continue
        if field.name != "display_name" and seen[key] >= (1 if field.store else 3):
            continue
        if field.store and not raw_count(odoo, model, [[field.name, "!=", False]]):
            continue
        seen[key] += 1
        yield field


def test_no_field_of_any_model_finds_all_by_what_none_has(admin: Connection) -> None:
    """Where Odoo finds records by what none of them has, the toolkit refuses."""
    wrong, tried, seen = [], 0, Counter[str]()
    for model in sorted(admin.schema.models()):
        everything = raw_count(admin, model)
        fields = list(looked_at(admin, model, seen)) if everything else []
        conditions = [condition for field in fields for condition in impossible(field)]
        pairs = [pair for field in fields if not field.store for pair in contradictions(field)]
        tried += len(conditions) + len(pairs)
        suspects = finding(admin, model, conditions)
        for one, other in pairs:
            if all(raw_count(admin, model, [side]) == everything for side in (one, other)):
                suspects.append(one)
        wrong += [(model, one) for one in suspects if counted(admin, model, [one])]
    assert not wrong
    assert tried > 1000


WAYS: dict[str, Callable[[Connection, str, list[Any]], Any]] = {
    "search_read": lambda odoo, model, domain: search_read(odoo, model, domain, ["id"]),
    "count": count,
    "iterate": lambda odoo, model, domain: list(iterate(odoo, model, domain, ["id"])),
    "aggregate": lambda odoo, model, domain: aggregate(odoo, model, domain=domain),
    "export": lambda odoo, model, domain: export(odoo, model, domain, ["id"], UNMADE),
    "changes": lambda odoo, model, domain: changes(odoo, model, domain=domain),
    "execute": lambda odoo, model, domain: execute(odoo, model, "search", [domain]),
    "execute search_count": lambda odoo, model, domain: execute(
        odoo, model, "search_count", [domain]
    ),
    "upsert": lambda odoo, model, domain: upsert(
        odoo, model, [{domain[0][0]: "XX", "email": "x@example.com"}], key=domain[0][0]
    ),
}


@pytest.mark.every_version
@pytest.mark.parametrize("way", WAYS)
def test_every_way_in_refuses_a_condition_that_is_left_out(admin: Connection, way: str) -> None:
    model, field = DROPPED
    with pytest.raises(ValidationError, match="country"):
        WAYS[way](admin, model, [[field, "=", "XX"]])


@pytest.mark.every_version
@pytest.mark.parametrize("operator", ["=", "!=", "ilike", "not ilike"])
def test_a_path_that_ends_in_such_a_field_is_refused(admin: Connection, operator: str) -> None:
    with pytest.raises(ValidationError, match="country_code"):
        count(admin, "res.users", [["company_id.country_code", operator, "XX"]])


def test_any_with_such_a_field_is_refused(admin: Connection) -> None:
    if admin.version.major < 17:
        pytest.skip("This server has no any, which came with Odoo 17.")
    with pytest.raises(ValidationError, match="country_code"):
        count(admin, "res.users", [["company_id", "any", [["country_code", "=", "XX"]]]])


@pytest.mark.parametrize(
    "asked",
    [
        lambda odoo: counted(odoo, "account.partial.reconcile", [["display_name", "=", NOWHERE]]),
        lambda odoo: counted(odoo, "account.move.line", [["full_reconcile_id", "=", NOWHERE]]),
        lambda odoo: counted(odoo, "res.partner", [["display_name", "=", False]]),
        lambda odoo: counted(odoo, "product.product", [["display_name", "=", False]]),
        lambda odoo: counted(odoo, "res.partner", [["display_name", "in", [""]]]),
        lambda odoo: execute(odoo, "res.partner", "name_search", [NOWHERE]).result,
    ],
)
def test_a_name_that_nothing_has_finds_none_or_is_refused(
    admin: Connection, asked: Callable[[Connection], Any]
) -> None:
    assert not asked(admin)


@pytest.mark.every_version
def test_models_of_known_names_are_searched_by_them(admin: Connection) -> None:
    """Of these the toolkit does not ask whether Odoo applies a condition on the name."""
    wrong, models = [], [name for name in sorted(NAMED_BY) if raw_count(admin, name)]
    assert len(models) > 10
    for model in models:
        found = {
            operator: execute(admin, model, "name_search", [NOWHERE, [], operator]).result
            for operator in ("=", "ilike")
        }
        found["display_name"] = counted(admin, model, [["display_name", "ilike", NOWHERE]])
        wrong += [(model, how) for how, records in found.items() if records]
    assert not wrong


@pytest.mark.every_version
def test_a_number_that_was_never_set_is_found_as_the_zero_that_it_is_read_as(
    admin: Connection, suffix: str
) -> None:
    rows: Any = [{"name": f"Never {suffix}"}, {"name": f"Zero {suffix}", "partner_latitude": 0.0}]
    create(admin, "res.partner", rows)
    for operator, value, expected in [
        ("=", 0, 2),
        ("in", [0, 7], 2),
        ("<", 1, 2),
        ("=", False, 2),
        ("!=", 0, 0),
        ("!=", False, 0),
        ("not in", [0], 0),
        (">", 0, 0),
        ("!=", 3, 2),
    ]:
        domain = [["name", "ilike", suffix], ["partner_latitude", operator, value]]
        assert count(admin, "res.partner", domain).count == expected, (operator, value)
        negated = [domain[0], "!", domain[1]]
        assert count(admin, "res.partner", negated).count == 2 - expected, ("!", operator, value)


@pytest.mark.every_version
@pytest.mark.parametrize("path", ["parent_id", "category_id", "child_ids"])
def test_nothing_among_records_is_what_is_not_set(
    admin: Connection, suffix: str, path: str
) -> None:
    """Odoo itself finds all that are set by an empty text, or passes over false in a list."""
    tag = create(admin, "res.partner.category", {"name": suffix}).id
    top = create(admin, "res.partner", {"name": f"Top {suffix}", "category_id": [tag]}).id
    low = create(admin, "res.partner", {"name": f"Low {suffix}", "parent_id": top}).id
    given = {"parent_id": (low, top), "category_id": (top, tag), "child_ids": (top, low)}
    has, other = given[path]
    (lacks,) = {top, low} - {has}
    for operator, value, expected in [
        ("=", "", [lacks]),
        ("!=", "", [has]),
        ("in", [""], [lacks]),
        ("in", [False], [lacks]),
        ("not in", [False], [has]),
        ("in", [False, other], sorted([top, low])),
        ("not in", [False, other], []),
        ("ilike", "", [has]),
    ]:
        domain = [["id", "in", [top, low]], [path, operator, value]]
        found = search_read(admin, "res.partner", domain, ["id"], order="id")
        assert [row["id"] for row in found] == expected, (operator, value)
    with pytest.raises(ValidationError, match="takes a name"):
        count(admin, "res.partner", [[path, "=like", ""]])


def test_records_without_names_are_not_searched_by_name(admin: Connection) -> None:
    with pytest.raises(ValidationError, match="does not search its names"):
        execute(admin, "hr.attendance", "name_search", [NOWHERE])
