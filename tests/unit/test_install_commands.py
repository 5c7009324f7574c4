"""Every command that installs the toolkit names the distribution and the extras that there are.

Another project has nearly the same name: a command that is wrong would install its code.
"""

from __future__ import annotations

import ast
import configparser
import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from odoo_toolkit.installation import DISTRIBUTION, Extra, how_to_install

pytestmark = pytest.mark.lint

ROOT = Path(__file__).parents[2]

SETUP = configparser.ConfigParser()
SETUP.read(ROOT / "setup.cfg", "utf-8")
EXTRAS = set(SETUP["options.extras_require"])
SCRIPTS = SETUP["options.entry_points"]["console_scripts"]
COMMANDS = set(re.findall(r"^([\w-]+) =", SCRIPTS, re.MULTILINE))

#: What else the texts install or remove; the last is what a message puts in when it is said.
OTHERS = {"duckdb", "jupyterlab", "keyring", "matplotlib", "openpyxl", "pandas", "pip", "polars"}
OTHERS |= {"pyarrow", "tqdm", "uv", "{...}"}
FOREIGN = "odoo-toolkit"
#: Programs of others that are run without being installed.
RUN = {"pre-commit"}

COMMAND = re.compile(
    r"\b(?P<program>(?:uv )?pip (?P<verb>install|uninstall|download)"
    r"|pipx (?:install|inject|upgrade|run)|uv tool (?:install|upgrade|run)|uv add|uvx"
    r"|docker (?:build|run))(?P<rest> [^\n]*)"
)
#: Where a command ends within a text.
END = re.compile(r"\s#|\s\|\s|&&|;|(?<=\S)\.(?=\s|$)|(?<!\[)',|(?<=\w)'$|[`\"]")
PACKAGE = re.compile(r"(?P<name>[\w.-]+?|{\.\.\.})(?:\[(?P<extras>[\w,]+|{\.\.\.})\])?")


def wrong(command: str) -> str | None:
    """Return what is wrong with a command, if anything is."""
    found = COMMAND.fullmatch(command)
    assert found
    program, words = found["program"], shlex.split(found["rest"])
    if program.startswith("docker"):
        # What is run in the image follows its name.
        words = words[: words.index("serve")] if "serve" in words else words
        image = words[words.index("--tag") + 1] if "--tag" in words else words[-1]
        return None if image == DISTRIBUTION else f"{image} is no image of ours"
    packages = [one for one in words if not one.startswith("-")]
    if program in {"pipx run", "uv tool run", "uvx"}:
        if "--from" in words or "--spec" in words:
            packages, run = packages[:1], packages[1]
        else:
            packages, run = packages[:1], packages[0]
        if packages == [run] and run in RUN:
            return None
        if run not in COMMANDS or (packages == [run] and run != DISTRIBUTION):
            return f"{run} is not what it runs"
    for package in packages:
        about = PACKAGE.fullmatch(package)
        if about is None or about["name"] not in {DISTRIBUTION, ".", *OTHERS}:
            removed = found["verb"] == "uninstall" and package == FOREIGN
            if not (removed and DISTRIBUTION in packages):
                return f"{package} is not to be installed"
        elif unknown := set((about["extras"] or "").split(",")) - EXTRAS - {"", "{...}"}:
            return f"there is no extra {', '.join(unknown)}"
    return None


def commands(text: str) -> list[str]:
    """Return the commands in a text, each from its program to its end."""
    text = re.sub(r"\s*\\\n\s*#?\s*", " ", text)
    found, place = [], 0
    while match := COMMAND.search(text, place):
        end = END.search(match[0])
        command = match[0][: end.start()] if end else match[0]
        if COMMAND.fullmatch(command):  # and not just the name of a program
            found.append(command.strip())
        place = match.start() + len(command)
    return found


def texts(path: Path) -> Iterator[str]:
    """Return what a file has that may hold commands."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        yield from _strings(ast.parse(text))
    elif path.suffix == ".ipynb":
        yield from ("".join(cell["source"]) for cell in json.loads(text)["cells"])
    elif path.suffix == ".md":
        # Commands stand in blocks and between backticks; prose tells of programs, too.
        yield from re.findall(r"^ *```\w*\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
        yield from re.findall(r"(?<!`)`([^`]+)`(?!`)", text)
    else:
        yield text


def _strings(tree: ast.AST) -> Iterator[str]:
    """Return the texts of a program, with the distribution's name where it is put in."""
    if isinstance(tree, ast.JoinedStr):
        yield "".join(map(_part, tree.values))
    elif isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        yield tree.value
    else:
        for node in ast.iter_child_nodes(tree):
            yield from _strings(node)


def _part(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    value = node.value if isinstance(node, ast.FormattedValue) else None
    return DISTRIBUTION if isinstance(value, ast.Name) and value.id == "DISTRIBUTION" else "{...}"


def _files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    suffixes = {".md", ".py", ".ipynb", ".yml", ".yaml", ""}
    paths = [ROOT / name for name in listed.stdout.splitlines() if not name.startswith("tests/")]
    found = [path for path in paths if path.is_file() and path.suffix in suffixes]
    return [*found, ROOT / "tests/packaging/bundle.py", ROOT / "tests/provisioning/__main__.py"]


FOUND = [
    (str(path.relative_to(ROOT)), command)
    for path in _files()
    for text in texts(path)
    for command in commands(text)
]


@pytest.mark.parametrize(("file", "command"), sorted(set(FOUND)))
def test_a_command_installs_what_there_is(file: str, command: str) -> None:
    assert wrong(command) is None


def test_commands_are_found_where_people_read_them() -> None:
    files = {file for file, _ in FOUND}

    guides = {"README.md", "docs/install.md", "docs/cli.md", "docs/team.md"}
    guides |= {f"docs/start/{name}.md" for name in ("script", "notebook", "chat")}
    programs = {"odoo_toolkit/installation.py", "Dockerfile"}
    assert guides | programs <= files
    assert len([file for file, _ in FOUND if file == "docs/install.md"]) > 10


@pytest.mark.parametrize(
    "command",
    [
        "pip install odoo-toolkit",
        "pip install 'odoo-toolkit[cli]'",
        "pip install odoo_toolkit_mcp_server",
        "pip install 'odoo-toolkit-mcp[mcp]'",
        "pip install '.[cli,warehouse]'",
        "pip uninstall odoo-toolkit",
        "pipx install odoo-toolkit",
        "uv tool install odoo-toolkit",
        "uvx odoo-toolkit",
        "uvx --from odoo-toolkit odoo-toolkit",
        "uvx --from odoo-toolkit-mcp otk",
        "docker build --tag odoo-toolkit .",
        "docker run --rm --env ODOO_URL odoo-toolkit",
    ],
)
def test_a_wrong_command_is_noticed(command: str) -> None:
    (found,) = commands(f"Run: {command}. Or so.")
    assert wrong(found)


def test_the_extras_of_messages_are_those_of_people() -> None:
    assert set(get_args(Extra)) == EXTRAS - {"dev", "docs"}
    assert commands(how_to_install("dlt")) == [
        "pip install 'odoo-toolkit-mcp[dlt]'",
        "pip install '.[dlt]'",
    ]


def test_the_name_is_that_of_the_setup() -> None:
    assert SETUP["metadata"]["name"] == DISTRIBUTION
    assert {DISTRIBUTION, "odoo-toolkit"} == COMMANDS
