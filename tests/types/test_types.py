"""The examples of the guides and docstrings, and what is promised of types, by two checkers."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.types.examples import PREAMBLES, ROOT, blocks, guides, is_left_out, modules, write

pytestmark = pytest.mark.types

PROMISES = ROOT / "tests/types/exact.py"


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what is checked: the examples, and the promises."""
    folder = tmp_path_factory.mktemp("examples")
    write(folder)
    shutil.copy(PROMISES, folder)
    return folder


def run(module: str, *arguments: str | Path) -> str:
    """Run a checker, whose complaints fail the test, and return what it says."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def test_mypy_has_no_complaint(checked: Path) -> None:
    # The library is checked by `make lint`. A cache of its own, as other options spoil that one.
    own = ("--follow-imports=silent", "--cache-dir", ROOT / ".mypy_cache/examples")
    said = run("mypy", *own, checked)
    assert f"no issues found in {len(list(checked.glob('*.py')))} source files" in said


def test_pyright_has_no_complaint(checked: Path) -> None:
    settings = {
        "extraPaths": [str(ROOT)],
        "typeCheckingMode": "standard",
        "enableTypeIgnoreComments": False,  # those are mypy's
        "reportUnnecessaryTypeIgnoreComment": True,
        "reportUnusedExpression": False,  # examples show values
    }
    (checked / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    python = ("--pythonpath", sys.executable)
    said = json.loads(run("pyright", "--outputjson", "--project", checked, *python))
    assert said["summary"]["filesAnalyzed"] == len(list(checked.glob("*.py")))


def test_no_block_of_a_guide_is_left_out_unsaid() -> None:
    for path in guides():
        found = list(blocks((ROOT / path).read_text("utf-8")))
        for language, first, code in found:
            if language != "python":
                assert not language.lower().startswith("py"), f"{path}:{first}"
                assert not re.search(r"^(>>> |(from|import) \w|odoo = )", code, re.MULTILINE), (
                    f"{path}:{first}"
                )
        checked = [
            code for kind, _, code in found if kind == "python" and not is_left_out(path, code)
        ]
        assert bool(checked) == (path in modules()), path


def test_examples_stand_at_the_lines_of_their_guide() -> None:
    for path in guides():
        made = modules().get(path, "").splitlines()
        for language, first, code in blocks((ROOT / path).read_text("utf-8")):
            if language == "python" and not is_left_out(path, code):
                assert made[first - 1 : first - 1 + len(code.splitlines())] == code.splitlines()


def test_the_examples_of_the_docstrings_are_found() -> None:
    assert "in_connect" in modules()["odoo_toolkit/connecting.py"]
    assert "in_search_read" in modules()["odoo_toolkit/records/reading.py"]


def test_each_preamble_serves_a_file_that_has_examples() -> None:
    assert set(PREAMBLES) <= set(modules())
