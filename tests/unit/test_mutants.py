"""The faults of tests/mutants.toml can be made: the code that each of them changes is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutants import ROOT, faults

pytestmark = pytest.mark.lint


def test_each_mutant_changes_code_that_is_there_once() -> None:
    """One whose code moved or changed would find nothing out, and would be seen much later."""
    texts = {fault.file: Path(ROOT, fault.file).read_text("utf-8") for fault in faults()}
    stale = [fault for fault in faults() if texts[fault.file].count(fault.code) != 1]
    assert not stale, "Put another fault of the same kind in their place."
