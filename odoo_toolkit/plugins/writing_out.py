"""Writing out the beginning of a new plugin."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

from odoo_toolkit.errors import ConfigurationError
from odoo_toolkit.installation import version
from odoo_toolkit.plugins.claims import NAME, RESERVED

_TEMPLATES = Path(__file__).with_name("template")

#: File of the template -> where it goes.
_PLACES = {
    "pyproject.toml.txt": "pyproject.toml",
    "README.md.txt": "README.md",
    "package/__init__.py.txt": "odoo_$name/__init__.py",
    "package/models.py.txt": "odoo_$name/models.py",
    "package/operations.py.txt": "odoo_$name/operations.py",
    "package/toolset.py.txt": "odoo_$name/toolset.py",
    "package/skills/SKILL.md.txt": "odoo_$name/skills/$name-order/SKILL.md",
    "tests/test_plugin.py.txt": "tests/test_plugin.py",
}


def write_plugin(name: str, folder: Path, *, toml: bool = False) -> list[Path]:
    """Write the beginning of a plugin, and return the files; none is overwritten.

    Args:
        name: of the plugin.
        folder: in which a folder of that name is made, or the TOML file.
        toml: whether it is one TOML file.

    Raises:
        ConfigurationError: a plugin cannot have that name, or there is something there already.
        OSError: it cannot be written.
    """
    if not NAME.fullmatch(name) or name in RESERVED:
        raise ConfigurationError(
            f"A plugin cannot be called {name!r}.",
            suggestion="Choose 2 to 31 lower-case letters and digits, but not the name of a "
            "toolset or an area of the toolkit.",
        )
    told = {"name": name, "toolkit": ".".join(re.findall(r"\d+", version())[:2])}
    texts = {folder / f"{name}.toml": _TEMPLATES / "plugin.toml.txt"}
    if not toml:
        root = folder / name
        texts = {
            root / Template(place).substitute(told): _TEMPLATES / "python" / source
            for source, place in _PLACES.items()
        }
    there = folder / (f"{name}.toml" if toml else name)
    if there.exists():
        raise ConfigurationError(
            f"{there} already exists.", suggestion="Choose another name or folder."
        )
    for path, source in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        text = Template(source.read_text("utf-8")).substitute(told)
        path.write_text(text, "utf-8")
    return list(texts)
