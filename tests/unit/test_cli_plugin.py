"""``odoo-toolkit plugin``: what is installed, what is wrong with one, and the beginning of one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from odoo_toolkit.cli import main
from odoo_toolkit.plugins.writing_out import write_plugin
from tests.rental.installed import FILE, install_rental
from tests.unit.fake_shell import run

ROOT = Path(__file__).parents[2]


__all__ = ["run"]


@pytest.fixture(autouse=True)
def _no_odoo(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ODOO_URL", "ODOO_PROFILE"):
        monkeypatch.delenv(name, raising=False)


def test_what_is_wrong_is_told_line_by_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "rental.toml"
    file.write_text(FILE.read_text("utf-8").replace('"action_confirm"', '"sudo"'))

    assert main(["plugin", "check", str(file)]) == 3
    said = capsys.readouterr().out

    assert said.startswith("wrong: It declares the step rental.contract.sudo")
    assert main(["plugin", "check", "nobodys"]) == 3
    assert "No installed package has a plugin 'nobodys'" in capsys.readouterr().out


def test_installed_plugins_are_listed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install_rental(monkeypatch, tmp_path)

    assert main(["plugin", "list"]) == 0
    assert '"plugin":"rental"' in capsys.readouterr().out.replace(" ", "")


@pytest.mark.parametrize("name", ["sales", "Hire", "x", "read"])
def test_a_name_that_no_plugin_can_have_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    assert main(["plugin", "new", name, "--folder", str(tmp_path)]) == 3
    assert f"A plugin cannot be called '{name}'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "hire").mkdir()

    assert main(["plugin", "new", "hire", "--folder", str(tmp_path)]) == 3
    assert "already exists" in capsys.readouterr().err
    assert list((tmp_path / "hire").iterdir()) == []


def test_a_new_file_is_right(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["plugin", "new", "hire", "--toml", "--folder", str(tmp_path)]) == 0
    assert main(["plugin", "check", str(tmp_path / "hire.toml")]) == 0
    assert "valid: hire" in capsys.readouterr().out


def test_a_new_package_is_right_and_its_tests_pass(tmp_path: Path) -> None:
    """In a process of its own, with the metadata that an installer would leave."""
    write_plugin("hire", tmp_path)
    folder = tmp_path / "hire"
    project = (folder / "pyproject.toml").read_text("utf-8")
    points = re.search(r'^hire = "(.+)"', project, re.MULTILINE)
    assert points
    metadata = folder / "odoo_toolkit_hire-0.1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: hire\nVersion: 0.1.0\n")
    (metadata / "entry_points.txt").write_text(f"[odoo_toolkit.plugins]\nhire = {points[1]}\n")
    environ = {"PYTHONPATH": f"{ROOT}:{folder}", "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    for words in (["odoo_toolkit.cli", "plugin", "check", "hire"], ["pytest", "-q", "tests"]):
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=folder,
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
