"""What the log of a server's calls adds up to."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Counts:
    """Calls, errors and bytes of a log.

    Args:
        calls: Calls of tools.
        errors: Those of them that failed.
        answers: Bytes of the answers that a model read.
        lists: Bytes of lists of tools and other texts that a model read.
        sent: Bytes of arguments.
        whole_list: Bytes of the whole list of tools, as most clients hand it to a model.
        died: Why the server does not answer any more; empty if it does.
    """

    calls: int = 0
    errors: int = 0
    answers: int = 0
    lists: int = 0
    sent: int = 0
    whole_list: int = 0
    died: str = ""


def count(entries: Iterable[dict[str, Any]]) -> Counts:
    """Add up the entries of a log."""
    entries = list(entries)
    calls = [entry for entry in entries if "call" in entry]
    deaths = [str(entry["died"]) for entry in entries if "died" in entry]
    return Counts(
        calls=len(calls),
        errors=sum(bool(entry["error"]) for entry in calls),
        answers=sum(entry["out"] for entry in calls),
        lists=sum(entry["out"] for entry in entries if "read" in entry),
        sent=sum(entry["in"] for entry in calls),
        whole_list=max(
            (entry["whole_list"] for entry in entries if "whole_list" in entry), default=0
        ),
        died=deaths[0] if deaths else "",
    )


def read_log(file: Path) -> list[dict[str, Any]]:
    """Return the entries of a log's file; none if there is no file."""
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def write_entry(file: Path, entry: dict[str, Any]) -> None:
    """Add an entry to a log's file."""
    with file.open("a", encoding="utf-8") as log:
        log.write(json.dumps(entry, ensure_ascii=False, default=str) + "\n")
