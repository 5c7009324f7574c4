"""The library speaks Python: its words are for people who do not know that there is a server."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import attrs
import pytest

import odoo_toolkit
from odoo_toolkit.connection.settings import ConnectionSettings

pytestmark = pytest.mark.lint

ROOT = Path(odoo_toolkit.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))

#: Names of tools and prompts, and the server's settings.
SERVER_WORDS = re.compile(r"\bodoo_(?!toolkit\b|toolkit_)[a-z]+_[a-z_]+|ODOO_MCP_\w+")

#: Settings of the connection whose variables are named like the server's.
OF_THE_CONNECTION = {field.metadata["env"] for field in attrs.fields(ConnectionSettings)}

#: What the command's doctor looks at besides: which plugins the server is told to use.
OF_THE_DOCTOR = {"ODOO_MCP_CONFIG", "ODOO_MCP_PLUGINS", "ODOO_MCP_PLUGIN_FILES"}


def strings_of(source: str) -> list[str]:
    tree = ast.walk(ast.parse(source))
    return [n.value for n in tree if isinstance(n, ast.Constant) and isinstance(n.value, str)]


@pytest.mark.parametrize("file", FILES, ids=[str(file.relative_to(ROOT)) for file in FILES])
def test_no_word_of_the_library_names_a_tool_or_a_setting_of_the_server(file: Path) -> None:
    said = SERVER_WORDS.findall("\n".join(strings_of(file.read_text("utf-8"))))
    doctor = file.parent.name == "cli" and file.stem.startswith("doctor")
    assert set(said) <= OF_THE_CONNECTION | (OF_THE_DOCTOR if doctor else set())


def test_the_words_of_the_server_would_be_found() -> None:
    source = "def f(x):\n    '''Set ODOO_MCP_MODE.'''\n    return f'see odoo_core_read on {x}'"
    found = SERVER_WORDS.findall(" ".join(strings_of(source)))
    assert sorted(found) == ["ODOO_MCP_MODE", "odoo_core_read"]
