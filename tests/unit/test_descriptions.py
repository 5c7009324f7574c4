"""What is said names things that exist.

The texts are collected in ``tests/descriptions.py``, the names that there are in
``tests/known_names.py``. Names of Odoo that no recorded answer has are in ``tests/odoo_names.py``
and looked for on real servers by ``tests/live/test_descriptions.py``. A name that is right and that
nobody can look up goes into ``OTHER_NAMES`` of ``tests/known_names.py``, with the reason.
"""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

import attrs
import pytest

from odoo_toolkit import errors
from odoo_toolkit.app_models import MODELS
from odoo_toolkit.policy import Policy
from odoo_toolkit_mcp.resources.uris import parse_uri
from odoo_toolkit_mcp.results import _HINTS
from tests import odoo_names
from tests.descriptions import (
    HOLE,
    ROOT,
    VERSIONS,
    Said,
    docstrings,
    guides,
    messages,
    sentences,
    server_texts,
    sources,
    tool_texts,
    tools,
)
from tests.known_names import (
    OTHER_VARIABLES,
    area,
    arguments_by_area,
    attributes,
    constants,
    functions,
    modules,
    names_of_odoo,
    own_names,
    parameters,
    recorded,
    settings,
)

pytestmark = pytest.mark.lint

#: Files with tables of words, which are no sentences.
WORD_TABLES = (
    "odoo_toolkit/app_models/",
    "odoo_toolkit/databases.py",
    "odoo_toolkit_mcp/accounts/grants.py",
    "odoo_toolkit_mcp/accounts/store.py",
    "odoo_toolkit/change_history/store.py",
    "odoo_toolkit/records/default_orders.py",
    "odoo_toolkit/search_help/",
    "odoo_toolkit/policy/tables.py",
    "odoo_toolkit/policy/owners.py",
    "odoo_toolkit/policy/reach.py",
)

_TOOL = re.compile(r"\bodoo_(?!toolkit)[a-z]+_[a-z_]+")
_VARIABLE = re.compile(r"\bODOO_[A-Z_]*[A-Z]\b(?!_?\*)")
_ADDRESS = re.compile(r"odoo://(?!\w+/\.\.\.)[^\s`'\"|)\[]+(?:\[\[.*?\]\][^\s`'\")]*)?")
_PATH = re.compile(r"`((?:odoo_toolkit|odoo_toolkit_mcp|tests|docs)/[\w./-]+)`")
_MODULE = re.compile(r"\b(odoo_toolkit(?:_mcp)?(?:\.[a-z]\w*)+)")
_IMPORT = re.compile(r"^from (odoo_toolkit[\w.]*) import ([\w, ]+)$", re.MULTILINE)
_SNAKE = re.compile(rf"(?<![\w./@{HOLE}-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w{HOLE}])")
#: What names of models begin with: an app that is added is looked at, too. Those of wizards begin
#: with words such as ``base`` and ``change``, as other names do.
_DOCUMENTS = [name for name, model in MODELS.items() if not model.is_wizard]
_BEGINNINGS = sorted({name.split(".")[0] for name in (*_DOCUMENTS, *odoo_names.models())})
_MODEL = re.compile(
    rf"(?<![\w./@:#{HOLE}-])(?:{'|'.join(_BEGINNINGS)})(?:\.[a-z][a-z0-9_]*)+(?![\w({HOLE}])"
)
_KEYWORD = re.compile(r"(?<![\w.&?…])(?<!; )([a-z_]+)=(?=True|False|None|['\"\[{(\d…]|lambda)")
_FENCED = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
_ROLE = re.compile(r":(?:func|class|meth|mod|attr|data):`~?([\w.]+)`")


def assert_none(wrong: Iterable[str]) -> None:
    """Show all that is wrong at once."""
    listed = sorted(set(wrong))
    assert not listed, "\n" + "\n".join(listed)


def said_in_the_server() -> Iterable[Said]:
    """Return what clients and models are told."""
    return (*tool_texts(), *server_texts(), *_sentences())


def _sentences() -> Iterator[Said]:
    return (said for said in messages() if not said.where.startswith(WORD_TABLES))


def everything() -> Iterator[Said]:
    yield from said_in_the_server()
    yield from guides()
    yield from docstrings()


def unknown(pattern: re.Pattern[str], texts: Iterable[Said], known: Iterable[str]) -> list[str]:
    """Return the names in texts that are not known, and where they are said."""
    names = frozenset(known)
    return sorted(
        {
            f"{name} in {said.where}"
            for said in texts
            for name in pattern.findall(said.words)
            if name not in names
        }
    )


def test_tools_and_prompts_that_are_named_exist() -> None:
    assert_none(unknown(_TOOL, everything(), own_names()))


def test_settings_that_are_named_exist() -> None:
    assert_none(unknown(_VARIABLE, everything(), {*settings(), *OTHER_VARIABLES}))


def test_files_and_modules_that_are_named_exist() -> None:
    wrong = []
    for said in (*guides(), *docstrings()):
        wrong += [f"{p} in {said.where}" for p in _PATH.findall(said.words) if not exists(p)]
        imported = [
            f"{module}.{name.strip()}"
            for module, names in _IMPORT.findall(said.words)
            for name in names.split(",")
        ]
        for dotted in (*imported, *_MODULE.findall(said.words)):
            try:
                pkgutil.resolve_name(dotted)
            except (ImportError, AttributeError):
                wrong.append(f"{dotted} in {said.where}")
    assert_none(wrong)


def exists(path: str) -> bool:
    return (ROOT / path).exists()


def test_words_that_the_server_adds_something_to_are_the_librarys() -> None:
    """Hints are added where a suggestion has certain words; those must be said somewhere."""
    library = [said.words for said in messages() if said.where.startswith("odoo_toolkit/")]
    assert len(_HINTS) > 2
    assert_none(words for _, words, _ in _HINTS if not any(words in text for text in library))


def test_addresses_of_resources_are_understood() -> None:
    """With an example for what is left open."""
    filled = {"model": "sale.order", "MODEL": "sale.order", "id": "1", "ID": "1"}
    filled |= {"domain": "[]", "limit": "5", "path": "info", "category": "system"}
    refused = []
    for said in everything():
        for address in _ADDRESS.findall(said.words):
            text = re.sub(r"\{(\w+)\}|\b(MODEL|ID)\b", lambda m: filled[m[1] or m[2]], address)
            text = text.rstrip(".,;:").replace(HOLE, "sale.order")
            try:
                parse_uri(text)
            except errors.OdooError as error:
                refused.append(f"{address} in {said.where}: {error.message}")
    assert_none(refused)


def test_names_in_descriptions_and_messages_exist() -> None:
    assert_none(unknown(_SNAKE, said_in_the_server(), own_names() | names_of_odoo()))


def test_names_in_guides_exist() -> None:
    """Blocks of code are checked with their types, in tests/types; other blocks are not ours."""
    known = own_names() | names_of_odoo()
    for guide in guides():
        bound = set(re.findall(r"\b(\w+) = |\bdef (\w+)", guide.words))
        prose = Said(guide.where, _FENCED.sub("", guide.words))
        assert_none(unknown(_SNAKE, [prose], known.union(*bound)))


def test_a_tool_tells_of_its_own_arguments() -> None:
    """What is an argument of some tool is, where a tool speaks of it, one of its own."""
    others = {name for tool in tools().values() for name in _keys(tool.input_schema)}
    of_odoo = names_of_odoo()
    wrong = []
    for said in tool_texts():
        tool = tools()[said.where.partition(".")[0]]
        own = {*_keys(tool.input_schema), *_keys(tool.output_schema or {}), *of_odoo}
        own |= constants(area(tool.function.__module__.replace(".", "/") + ".py"))
        own |= constants("odoo_toolkit/operations/line_changes.py")  # the lines of all documents
        wrong += [
            f"{name} in {said.where}"
            for name in _SNAKE.findall(said.words)
            if name in others and name not in own and name not in functions()
        ]
    assert_none(wrong)


def test_tools_are_named_like_their_functions() -> None:
    """Suggestions name functions; the instructions say that the tool is named like it."""
    assert_none(
        [
            name
            for name, tool in tools().items()
            if not {word.rstrip("s") for word in tool.function.__name__.strip("_").split("_")}
            <= {word.rstrip("s") for word in name.split("_")}
        ]
    )


def test_models_that_are_named_are_known() -> None:
    known = {*recorded(), *MODELS, *odoo_names.models(), *odoo_names.EXTERNAL_IDS}
    found = [
        line
        for line in unknown(_MODEL, everything(), {*known, *odoo_names.reports()})
        if PurePosixPath(line.split(" in ")[0]).suffix != ".md" and not _is_a_path(line)
    ]
    assert_none(found)


def _is_a_path(line: str) -> bool:
    """Whether a dotted name is a known model with a field of it."""
    model, _, field = line.split(" in ")[0].rpartition(".")
    return field in names_of_odoo() and (model in recorded() or model in odoo_names.models())


def test_methods_that_are_to_be_executed_are_known() -> None:
    """On every version: a suggestion does not know on which it is read."""
    known = {(model, name) for model, name, on in odoo_names.claims() if on == VERSIONS}
    said = [
        (model.rstrip("."), method)
        for each in said_in_the_server()
        for method, model in re.findall(r"execute (\w+) on ([a-z_]+\.[a-z_.]+)", each.words)
    ]
    assert len(said) > 5
    assert [pair for pair in said if pair not in known] == []


def test_arguments_that_suggestions_name_are_those_of_functions_nearby() -> None:
    known, rules = arguments_by_area(), {field.name for field in attrs.fields(Policy)}
    assert_none(
        [
            f"{name} in {said.where}"
            for said in _sentences()
            for name in _KEYWORD.findall(said.words)
            if name not in known.get(area(said.where), ()) and name not in rules
        ]
    )


def calls_in(words: str) -> Iterator[ast.Call]:
    """Yield the calls that are written out between backticks, or in a sentence."""
    for span in re.findall(r"`([^`\n]+)`", words) or re.findall(r"\b[a-z_]+\([^()]*\)", words):
        try:
            tree = ast.parse(span.replace(HOLE, "None"), mode="eval")
        except SyntaxError:
            continue
        yield from (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def takes(function: Any, keywords: Iterable[str]) -> bool:
    """Whether a function has all these parameters."""
    given = inspect.signature(function).parameters
    anything = any(p.kind is p.VAR_KEYWORD for p in given.values())
    return anything or {*keywords} <= {*given}


def test_calls_in_sentences_fit_the_functions() -> None:
    """Whole blocks of code are checked with their types, in tests/types."""
    wrong = []
    for said in (*guides(), *messages(), *docstrings()):
        words = _FENCED.sub("", said.words).replace("``", "`")
        for call in calls_in(words):
            name = ast.unparse(call.func).rpartition(".")[2]
            keywords = [keyword.arg for keyword in call.keywords if keyword.arg]
            if name in functions() and not any(takes(f, keywords) for f in functions()[name]):
                wrong.append(f"{ast.unparse(call)} in {said.where}")
    assert_none(wrong)


def test_references_in_docstrings_lead_somewhere() -> None:
    names = own_names() | {name for module in modules() for name in vars(module)}
    names |= sys.stdlib_module_names
    assert_none(
        [
            f"{target} in {said.where}"
            for said in docstrings()
            for target in _ROLE.findall(said.words)
            if target.rpartition(".")[2] not in names
        ]
    )


def test_docstrings_describe_arguments_that_there_are() -> None:
    wrong = []
    for path, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and (text := ast.get_docstring(node)):
                section = re.search(r"^Args:\n((?:    .*\n?|\n)+)", text, re.MULTILINE)
                every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
                given = {each.arg for each in (*every, node.args.vararg, node.args.kwarg) if each}
                told = re.findall(
                    r"^    \*{0,2}(\w+(?:, \w+)*):", section[1] if section else "", re.MULTILINE
                )
                said = {name for names in told for name in names.split(", ")}
                wrong += [f"{name} in {path}:{node.name}" for name in said - given]
    assert_none(wrong)


def _keys(schema: Any) -> set[str]:
    found = set(schema.get("properties", {})) if isinstance(schema, dict) else set()
    below = schema.values() if isinstance(schema, dict) else schema
    for value in below if isinstance(schema, (dict, list)) else ():
        found |= _keys(value)
    return found


def test_examples_of_lines_have_known_keys() -> None:
    """Objects that suggestions show, such as ``{'product_id': 7, 'quantity': 2}``."""
    shown = [
        f"{key} in {said.where}"
        for said in _sentences()
        for key in re.findall(r"\{'(\w+)': ", said.words)
    ]
    known = attributes() | names_of_odoo() | parameters()
    assert len(shown) > 3
    assert_none(line for line in shown if line.partition(" in ")[0] not in known)


PLANTED = (
    (_TOOL, "Look it up with odoo_core_serch_read."),
    (_VARIABLE, "It is the setting ODOO_MCP_MODUS."),
    (_SNAKE, "Give pikcing_id, or its name."),
    (_MODEL, "Look for it with search_read on sale.ordr."),
)


@pytest.mark.parametrize(("pattern", "words"), PLANTED, ids=[words for _, words in PLANTED])
def test_a_wrong_name_would_be_found(pattern: re.Pattern[str], words: str) -> None:
    source = f"def f(x):\n    raise error(f'No {{x}} there', suggestion={words!r})"
    texts = [Said("planted", text) for _, text in sentences(ast.parse(source))]
    known = own_names() | names_of_odoo() | settings() | {*recorded(), *MODELS}
    assert len(unknown(pattern, texts, known)) == 1
