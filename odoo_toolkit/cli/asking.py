"""The question before a command writes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from odoo_toolkit.cli.output import Form, print_plan, say, tell_warnings


def agreed(planned: Callable[[], Any], form: Form, *, dry_run: bool, yes: bool) -> bool:
    """Show the plan and ask whether to do it; return whether it is to be done.

    Args:
        planned: returns the plan.
        form: of the output of a dry run.
        dry_run: print the plan alone.
        yes: do it without a question.

    Raises:
        click.UsageError: there is no terminal to ask on.
        click.Abort: the answer is no.
    """
    if yes and not dry_run:
        return True
    if not dry_run and not is_terminal():
        raise click.UsageError(
            "The command cannot ask, because there is no terminal. Pass --yes or --dry-run."
        )
    plan = planned()
    if dry_run:
        print_plan(plan, form)
        return False
    if plan.needs:  # The attempt says what refuses it.
        return True
    for document in plan.documents:
        say(str(document))
    say(plan.message)
    tell_warnings(plan)
    click.confirm("Do it?", abort=True, err=True)
    return True


def is_terminal() -> bool:
    """Return whether there is a terminal to ask on."""
    return sys.stdin.isatty()
