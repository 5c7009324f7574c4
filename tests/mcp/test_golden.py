"""What tools/list shows is what the files in ``golden/`` have: a change of it is meant and seen."""

from __future__ import annotations

import difflib

import pytest

from tests.mcp import golden

pytestmark = pytest.mark.lint

FILES = golden.files()


@pytest.mark.parametrize("name", FILES)
def test_tools_are_shown_as_before(name: str) -> None:
    """After a change that is meant, ``make golden`` writes the files, and a review reads them."""
    file = golden.FOLDER / name
    before = file.read_text("utf-8") if file.is_file() else ""

    changes = difflib.unified_diff(
        before.splitlines(), FILES[name].splitlines(), "golden", "now", lineterm="", n=1
    )

    assert before == FILES[name], "\n".join(["Run 'make golden' if this is meant:", *changes])


def test_there_is_no_file_without_a_toolset() -> None:
    assert FILES.keys() == {file.name for file in golden.FOLDER.glob("*.json")}
