"""The exact solver: an optimum that is proved, or an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ortools.sat.python import cp_model


class NoOptimum(Exception):  # noqa: N818  (it says what is so)
    """There is no plan at all, or no proof that the best one found is the best."""


def solved(
    model: cp_model.CpModel, objective: Any, variables: Mapping[str, Any], *, maximise: bool = False
) -> tuple[int, dict[str, int]]:
    """Return the optimum, and the value of each variable in a best plan.

    Args:
        model: With its constraints.
        objective: What is to be small, or with ``maximise`` large.
        variables: Those of the plan, by name.
        maximise: Which of the two.

    Raises:
        NoOptimum: There is none that is proved.
    """
    if maximise:
        model.maximize(objective)
    else:
        model.minimize(objective)
    solver = cp_model.CpSolver()
    # the same plan on each machine: one worker, one seed
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    if solver.solve(model) != cp_model.OPTIMAL:
        raise NoOptimum(f"The solver says {solver.status_name()}.")
    return round(solver.objective_value), {
        name: int(solver.value(variable)) for name, variable in variables.items()
    }
