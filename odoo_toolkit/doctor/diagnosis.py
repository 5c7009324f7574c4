"""What was found, step by step."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import attrs

from odoo_toolkit.display.results import Shown
from odoo_toolkit.display.visible_text import ACTING

Status = Literal["ok", "warning", "problem", "skipped"]

#: What stands before each step.
MARKS: Mapping[Status, str] = {"ok": "✓", "warning": "!", "problem": "✗", "skipped": "-"}

#: Control characters, by which a text from a server could steer the terminal.
_CONTROL = re.compile(f"[\n\t{ACTING}\ud800-\udfff]")


@attrs.frozen(kw_only=True)
class Step(Shown):
    """One thing that was looked at.

    Attributes:
        name: what was looked at, such as ``address``.
        status: ``problem`` keeps the toolkit from working, a ``warning`` only some of it;
            ``skipped`` could not be looked at.
        meaning: what was found, in plain words.
        advice: what to do; empty where nothing needs to be done.
        details: rows of facts, all with the same keys.
    """

    name: str = ""
    status: Status
    meaning: str
    advice: str = ""
    details: list[dict[str, Any]] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class Diagnosis(Shown):
    """All steps, in the order in which they were taken; ``print()`` shows them as text."""

    steps: list[Step]

    @property
    def healthy(self) -> bool:
        """Whether no step found a problem."""
        return all(step.status != "problem" for step in self.steps)

    def step(self, name: str) -> Step:
        """Return a step by its name.

        Raises:
            KeyError: there is none of that name.
        """
        for step in self.steps:
            if step.name == name:
                return step
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, for JSON."""
        return {"healthy": self.healthy, "steps": [attrs.asdict(step) for step in self.steps]}

    def __str__(self) -> str:
        return "\n".join(line for step in self.steps for line in step_lines(step))


def step_lines(step: Step, mark: str | None = None, width: int | None = None) -> Iterator[str]:
    """Yield the lines of a step's text.

    Args:
        step: the step.
        mark: what stands before it, one character; by default the one of :data:`MARKS`.
        width: characters that a line of sentences has at most; None for any number.
    """
    first, *more = _wrapped(f"{step.name}: {step.meaning}", "  ", width)
    yield f"{mark or MARKS[step.status]} {first.lstrip()}"
    yield from more
    if step.advice:
        yield from _wrapped(f"What to do: {step.advice}", "    ", width)
    for line in _table(step.details):
        yield f"    {line}"


def _wrapped(text: str, indent: str, width: int | None) -> list[str]:
    text = _shown(text)
    if width is None:
        return [indent + text]
    return textwrap.wrap(
        text,
        max(width, 40),
        initial_indent=indent,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not rows:
        return
    cells = [[name.replace("_", " ") for name in rows[0]]]
    cells += [[_cell(value) for value in row.values()] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _shown(", ".join(value) if isinstance(value, list) else str(value))


def _shown(text: str) -> str:
    return _CONTROL.sub("\ufffd", text)


# What a step ends with; its name is added by who asked for it.


def ok(meaning: str, details: Sequence[dict[str, Any]] = ()) -> Step:
    """Return a step that found nothing wrong."""
    return Step(status="ok", meaning=meaning, details=list(details))


def warning(meaning: str, advice: str, details: Sequence[dict[str, Any]] = ()) -> Step:
    """Return a step that found what may be wrong, or hinders some uses."""
    return Step(status="warning", meaning=meaning, advice=advice, details=list(details))


def problem(meaning: str, advice: str, details: Sequence[dict[str, Any]] = ()) -> Step:
    """Return a step that found why it does not work."""
    return Step(status="problem", meaning=meaning, advice=advice, details=list(details))


def skipped(meaning: str) -> Step:
    """Return a step that could not be taken."""
    return Step(status="skipped", meaning=meaning)
