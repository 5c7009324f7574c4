"""The reasons that an answer may give: the same list for each task, so that it tells nothing."""

from __future__ import annotations

REASONS = ("missing stock", "closed period", "not allowed", "contradiction", "ambiguous")


def because(reason: str) -> str:
    """Describe the property of the answer; the reason is one of the list.

    Raises:
        ValueError: The reason is not in the list.
    """
    if reason not in REASONS:
        raise ValueError(f"{reason} is not one of {REASONS}")
    return f"if it is not done, why, one of: {', '.join(REASONS)}; else an empty text"
