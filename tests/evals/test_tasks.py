"""The checks of the tasks, on copies of Odoo: what passes them, and what does not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.evals.copies import MONTHS, VERSIONS, Group, chosen, copy, done

pytestmark = pytest.mark.evals


@pytest.fixture(scope="module", params=VERSIONS, ids=str)
def groups(request: pytest.FixtureRequest) -> Iterator[tuple[Group, Group]]:
    """The tasks that change the database, and then those that must not, on a copy."""
    with copy(request.param) as db:
        changing = done(db, chosen(db.version, ("everyday", "planning", "month_end")))
        yield changing, done(db, chosen(db.version, ("refused",)))


def test_checks_pass_on_the_reference_solutions(groups: tuple[Group, Group]) -> None:
    """The scripted assistant does each task by calls of our tools."""
    wrong = {name: faults for group in groups for name, faults in group.faults.items() if faults}

    assert not wrong


def test_plans_of_the_reference_are_at_the_optimum(groups: tuple[Group, Group]) -> None:
    """And the books of the month-ends are as they should be."""
    changing, _ = groups
    for name, task in changing.tasks.items():
        if task.distance:
            assert task.distance(changing.db, changing.facts[name]) == pytest.approx(0), name


def test_no_answer_does_not_pass(groups: tuple[Group, Group]) -> None:
    """Of any kind."""
    for group in groups:
        assert all(group.untouched.values())


def test_what_was_changed_fails_the_tasks_that_must_change_nothing(
    groups: tuple[Group, Group],
) -> None:
    """The same answers, and a phone number that somebody has written."""
    _, refused = groups
    partner = refused.db.search("res.partner", [["name", "=", "Shrike Logistics"]], ["phone"])[0]
    refused.db.write("res.partner", partner["id"], {"phone": "+1 555 0666"})
    for name, task in refused.tasks.items():
        faults = task.faults(refused.db, refused.facts[name], refused.answers[name])
        assert any("something was changed: res.partner" in fault for fault in faults), name


def test_a_plan_that_is_worse_is_told_with_its_distance(groups: tuple[Group, Group]) -> None:
    """One order less is worth less; 500 that cannot be made are no plan."""
    changing, _ = groups
    db, facts = changing.db, changing.facts["production_mix-01"]
    task = changing.tasks["production_mix-01"]
    ids = list(facts["product_ids"].values())
    order = db.search(
        "mrp.production",
        [["product_id", "in", ids], ["state", "!=", "cancel"]],
        ["product_id", "product_uom_id", "bom_id"],
        limit=1,
    )[0]
    db.call("mrp.production", "action_cancel", [order["id"]])
    distance = task.distance_of(db, facts)
    assert distance is not None
    assert 0 < distance < 1
    assert task.faults(db, facts, changing.answers[task.name])

    values = {name: order[name][0] for name in ("product_id", "product_uom_id", "bom_id")}
    db.create("mrp.production", {**values, "product_qty": 500})
    assert task.distance_of(db, facts) is None


def test_an_error_in_a_month_is_in_the_months_after_it(groups: tuple[Group, Group]) -> None:
    """An entry of depreciation that is made twice."""
    changing, _ = groups
    db = changing.db
    (entry,) = db.search("account.move", [["ref", "=", "Depreciation 02"]], ["id"])
    twice = db.call(
        "account.move", "copy", [entry["id"]], {"date": changing.facts[MONTHS[1]]["last"]}
    )
    db.call("account.move", "action_post", twice if isinstance(twice, list) else [twice])

    faulty = [
        name
        for name in MONTHS
        if changing.tasks[name].faults(db, changing.facts[name], changing.answers[name])
    ]
    assert faulty == list(MONTHS[1:])
    far = changing.tasks[MONTHS[2]].distance_of(db, changing.facts[MONTHS[2]])
    assert far is not None
    assert far > 0
