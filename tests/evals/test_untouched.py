"""The right answers alone do not pass: the checks look into the database."""

from __future__ import annotations

import pytest

from evals.task import prepare_all
from tests.evals.copies import VERSIONS, chosen, copy, done

pytestmark = pytest.mark.evals

KINDS = ("everyday", "planning")


def test_the_right_answers_do_not_pass_on_an_untouched_database() -> None:
    """A second copy, prepared alike: the same ids and numbers, and nothing was done on it."""
    with copy(VERSIONS[0]) as db:
        tasks = chosen(db.version, KINDS)
        answers = done(db, tasks).answers
    with copy(VERSIONS[0]) as db:
        facts = prepare_all(db, tasks)
        passing = [
            task.name
            for task in tasks
            if not task.only_reads and not task.faults(db, facts[task.name], answers[task.name])
        ]

        assert passing == []
