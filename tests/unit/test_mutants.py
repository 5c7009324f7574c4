"""The faults of tests/mutants.toml can be made: the code that each of them changes is there."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.mutants import ROOT, Fault

pytestmark = pytest.mark.lint


def test_each_mutant_changes_code_that_is_there_once() -> None:
    """One whose code moved or changed would find nothing out, and would be seen much later."""
    content = tomllib.loads(Path(ROOT, "tests/mutants.toml").read_text("utf-8"))
    faults = [Fault(**entry) for entry in content["fault"]]
    texts = {fault.file: Path(ROOT, fault.file).read_text("utf-8") for fault in faults}
    stale = [fault for fault in faults if texts[fault.file].count(fault.code) != 1]
    assert not stale, "Put another fault of the same kind in their place."
