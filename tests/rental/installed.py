"""A Python plugin as an installer leaves it: on the path, with the metadata of a package."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from odoo_toolkit.plugins import GROUP

HERE = Path(__file__).parent
ADDON = HERE / "addons" / "rental"
FILE = HERE / "rental.toml"


def install(
    monkeypatch: pytest.MonkeyPatch, folder: Path, points: Mapping[str, str], package: str = "x"
) -> None:
    """Put a package with entry points of plugins on the path, for one test."""
    metadata = folder / f"{package}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {value}\n" for name, value in points.items()]
    (metadata / "entry_points.txt").write_text("".join([f"[{GROUP}]\n", *lines]))
    monkeypatch.syspath_prepend(str(folder))


def install_rental(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Put the plugin for rentals on the path, for one test."""
    monkeypatch.syspath_prepend(str(HERE))
    install(monkeypatch, folder, {"rental": "odoo_rental:PLUGIN"}, "odoo-rental")
    for name in [name for name in sys.modules if name.partition(".")[0] == "odoo_rental"]:
        monkeypatch.delitem(sys.modules, name)
