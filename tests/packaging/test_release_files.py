"""What shows without building packages; ``make packages`` builds, installs and uses them."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import attrs
import pytest

from odoo_toolkit.configuration import load
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit_mcp.settings import ServerSettings
from tests.packaging import bundle, registry
from tests.packaging.tools import ROOT

METADATA = """\
Metadata-Version: 2.4
Name: odoo-toolkit-mcp
Version: 1.2.3
Summary: Odoo from Python
License: MIT
Requires-Python: >=3.10
"""

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A wheel that holds its metadata only."""
    file = tmp_path / "odoo_toolkit_mcp-1.2.3-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("odoo_toolkit_mcp-1.2.3.dist-info/METADATA", METADATA)
    return file


@pytest.fixture
def made(wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bundle of that wheel."""
    monkeypatch.setattr(bundle, "_versions", lambda wheel: ["attrs==26.1.0"])
    return bundle.make_bundle(wheel, tmp_path / "release")


def fields() -> dict[str, Any]:
    """All settings by variable."""
    classes = (ConnectionSettings, ServerSettings)
    return {field.metadata["env"]: field for cls in classes for field in attrs.fields(cls)}


def test_the_bundle_asks_for_settings_that_exist(wheel: Path) -> None:
    manifest = bundle.manifest(wheel)
    env = manifest["server"]["mcp_config"]["env"]

    assert set(env) <= set(fields())
    for variable, reference in env.items():
        question = manifest["user_config"][reference[len("${user_config.") : -1]]
        assert question.get("sensitive", False) == fields()[variable].metadata["secret"]
        # A client puts a reference to what was not answered into the variable, unless there is
        # something to put there.
        assert question.get("required") or "default" in question


def test_answers_to_what_the_bundle_asks_are_enough(wheel: Path) -> None:
    questions = bundle.manifest(wheel)["user_config"]
    answers = {
        variable: question.get("default", "https://example.odoo.com")
        for variable, question in zip(bundle.QUESTIONS, questions.values(), strict=True)
    }

    assert load(ConnectionSettings, environ=answers)[1] == []
    server, problems = load(ServerSettings, environ=answers)
    assert problems == []
    assert server is not None
    assert server.mode == "readonly"


def test_the_bundle_has_the_wheel_and_the_versions_of_what_it_needs(made: Path) -> None:
    with zipfile.ZipFile(made) as archive:
        project = archive.read("pyproject.toml").decode()
        names = archive.namelist()

    assert made.name == "odoo-toolkit-mcp-1.2.3.mcpb"
    assert {"manifest.json", "server/main.py", "LICENSE"} < set(names)
    source = re.search(r'odoo-toolkit-mcp = \{ path = "(.*)" \}', project)
    assert source
    assert source[1] in names
    assert '"attrs==26.1.0"' in project


def test_the_same_wheel_gives_the_same_bundle(made: Path, wheel: Path, tmp_path: Path) -> None:
    assert bundle.make_bundle(wheel, tmp_path / "again").read_bytes() == made.read_bytes()


def test_the_registry_entry_points_to_the_bundle(
    made: Path, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"$id": "the schema"}), "utf-8")
    monkeypatch.setattr(registry, "registry_schema", lambda: schema)

    entry = registry.server_json(wheel, made, "https://example.com/ann/odoo")

    assert entry["$schema"] == "the schema"
    assert entry["name"] == "io.github.ann/odoo-toolkit-mcp"
    address = entry["packages"][0]["identifier"]
    assert address == f"https://example.com/ann/odoo/releases/download/v1.2.3/{made.name}"
    assert len(entry["description"]) <= 100
    with pytest.raises(SystemExit, match="address of a repository"):
        registry.server_json(wheel, made, "https://example.com/odoo")


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_use_actions_of_one_commit(workflow: Path) -> None:
    text = workflow.read_text("utf-8")
    used = re.findall(r"uses: (.*)", text)

    assert used
    assert [one for one in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", one)] == []
    assert re.search(r"^permissions: \{\}$", text, re.MULTILINE)
    assert "secrets." not in text


def test_the_image_runs_as_a_user_without_rights() -> None:
    stages = (ROOT / "Dockerfile").read_text("utf-8").split("\nFROM ")[1:]

    assert [stage.split()[0] for stage in stages] == ["python:3.13-slim"] * 2
    user = re.search(r"^USER (\d+):\d+$", stages[-1], re.MULTILINE)
    assert user
    assert int(user[1]) > 0


def test_the_image_is_made_of_what_the_package_needs() -> None:
    ignored, *let_in = (ROOT / ".dockerignore").read_text("utf-8").split()
    setup = (ROOT / "setup.cfg").read_text("utf-8")
    named = re.findall(r"file: (\S+)|license_files = (\S+)", setup)

    assert ignored == "*"
    needed = {"pyproject.toml", "setup.cfg", *(first or second for first, second in named)}
    needed |= {path.parent.name for path in ROOT.glob("odoo_toolkit*/__init__.py")}
    assert {f"!{one}" for one in needed} <= set(let_in)
