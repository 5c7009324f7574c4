"""What shows without building packages; ``make packages`` builds, installs and uses them."""

from __future__ import annotations

import datetime
import io
import json
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import attrs
import pytest

from odoo_toolkit.configuration import load
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit_mcp.settings import ServerSettings
from tests.packaging import bundle, changelog, environments, registry, secrets
from tests.packaging.distributions import _without_traces
from tests.packaging.tools import ROOT
from tests.provisioning.cache import ProvisioningError
from tests.provisioning.releases import DEVELOPMENT_PYTHONS

pytestmark = pytest.mark.lint

METADATA = """\
Metadata-Version: 2.4
Name: odoo-toolkit-mcp
Version: 1.2.3
Summary: Odoo from Python
License: MIT
Requires-Python: >=3.11
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


def test_each_python_is_named_wherever_pythons_are_named() -> None:
    setup = (ROOT / "setup.cfg").read_text("utf-8")
    release = (ROOT / ".github/workflows/release.yml").read_text("utf-8")

    assert tuple(re.findall(r"Python :: (3\.\d+)", setup)) == environments.PYTHONS
    assert tuple(re.findall(r"^ +(3\.\d+)$", release, re.MULTILINE)) == environments.PYTHONS
    ends = f'python: ["{environments.PYTHONS[0]}", "{environments.PYTHONS[-1]}"]'
    assert ends in (ROOT / ".github/workflows/ci.yml").read_text("utf-8")
    assert f"python_requires = >={environments.PYTHONS[0]}\n" in setup
    assert set(DEVELOPMENT_PYTHONS) == {*environments.PYTHONS}
    for page in ("README.md", "docs/install.md", "docs/start/script.md", "docs/versions.md"):
        text = (ROOT / page).read_text("utf-8")
        assert f"{environments.PYTHONS[0]} to {environments.PYTHONS[-1]}" in text, page


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


def test_a_source_distribution_does_not_tell_who_packed_it_and_when(tmp_path: Path) -> None:
    packed = []
    for number, owner in enumerate(("ann", "ben")):
        file = tmp_path / f"{owner}.tar.gz"
        with tarfile.open(file, "w:gz") as archive:
            for name in ("b.py", "a.py") if number else ("a.py", "b.py"):
                member = tarfile.TarInfo(name)
                member.size, member.uname, member.uid = 1, owner, number
                member.mtime, member.mode = 1_000 + number + 0.5, 0o600 + number * 0o44
                archive.addfile(member, io.BytesIO(b"x"))
        _without_traces(file, 1_700_000_000)
        packed.append(file.read_bytes())
    assert packed[0] == packed[1]
    with tarfile.open(tmp_path / "ann.tar.gz") as archive:
        assert [(one.name, one.mtime, one.mode) for one in archive] == [
            ("a.py", 1_700_000_000, 0o644),
            ("b.py", 1_700_000_000, 0o644),
        ]


def test_a_secret_that_is_not_known_is_found_and_one_that_has_moved_is_not() -> None:
    known = {"tests/x.py": [{"hashed_secret": "1", "line_number": 5, "type": "Keyword"}]}
    moved = {"tests/x.py": [{"hashed_secret": "1", "line_number": 9, "type": "Keyword"}]}
    other = {"docs/y.md": [{"hashed_secret": "1", "line_number": 3, "type": "Private Key"}]}
    assert secrets.unknown(moved, known) == []
    assert secrets.unknown({**moved, **other}, known) == ["docs/y.md:3 (Private Key)"]


def test_the_known_secrets_are_in_files_that_are_there() -> None:
    known = json.loads((ROOT / secrets.BASELINE).read_text("utf-8"))["results"]
    assert [path for path in known if not (ROOT / path).is_file()] == []


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """A checkout with an older release and two changes since."""
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.2 (2026-01-31)\n\nOld.\n")
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes/README.md").write_text("How to.\n")
    (tmp_path / "changes/names.fixed.md").write_text("Names are\nfound.\n")
    (tmp_path / "changes/undo.added.md").write_text("`undo` exists.\n")
    return tmp_path


def test_a_release_moves_the_changes_into_the_changelog(changed: Path) -> None:
    left = changelog.problem("1.2.3", changed)
    assert left
    assert "python -m tests.packaging changelog" in left

    changelog.collect("1.2.3", datetime.date(2026, 2, 3), changed)

    assert changelog.problem("1.2.3", changed) is None
    assert [path.name for path in (changed / "changes").iterdir()] == ["README.md"]
    assert (changed / "CHANGELOG.md").read_text() == (
        "# Changelog\n\n## 1.2.3 (2026-02-03)\n\n### Added\n\n- `undo` exists.\n\n"
        "### Fixed\n\n- Names are\n  found.\n\n## 1.2.2 (2026-01-31)\n\nOld.\n"
    )


def test_a_release_keeps_what_was_written_about_the_version(changed: Path) -> None:
    old = "## 1.2.2 (2026-01-31)\n\nOld.\n"
    (changed / "CHANGELOG.md").write_text(f"## 1.2.3 (unreleased)\n\nNew.\n\n{old}")

    changelog.collect("1.2.3", datetime.date(2026, 2, 3), changed)

    text = (changed / "CHANGELOG.md").read_text()
    assert text.startswith("## 1.2.3 (2026-02-03)\n\nNew.\n\n### Added\n\n- `undo` exists.\n")
    assert text.endswith(f"\n\n{old}")


def test_a_released_version_with_changes_left_is_a_problem(changed: Path) -> None:
    assert changelog.problem("1.2.2", changed)
    for path in (changed / "changes").glob("*.*.md"):
        path.unlink()
    assert changelog.problem("1.2.2", changed) is None


@pytest.mark.parametrize("name", ["undo.md", "undo.new.md", ".added.md", "undo.added.txt"])
def test_a_change_without_a_kind_is_refused(changed: Path, name: str) -> None:
    (changed / "changes" / name).write_text("x")
    with pytest.raises(ProvisioningError, match=re.escape(name)):
        changelog.pending(changed)


def test_every_change_of_this_checkout_has_a_kind() -> None:
    assert set(changelog.pending()) <= {*changelog.KINDS}
