"""The names that there are: the toolkit's own, and what is known of Odoo's."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import json
import pkgutil
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from types import FunctionType, ModuleType
from typing import Any

import attrs
import tomlkit

import odoo_toolkit
import odoo_toolkit_mcp
from odoo_toolkit.app_models import MODELS
from odoo_toolkit.arguments.domain_shape import OPERATORS
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.policy.tables import HARMLESS_METHODS
from odoo_toolkit.records.aggregate.measuring import FUNCTIONS
from odoo_toolkit.reports.generation import WAYS
from odoo_toolkit_mcp.prompts.catalog import list_prompts
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.tool_groups import areas_for
from odoo_toolkit_mcp.views.serving import CALL, CONFIRM
from tests import odoo_names
from tests.descriptions import ROOT, objects_in, sources, tools

#: Names that are right, though they can be looked up nowhere.
OTHER_NAMES = {
    "array_agg": "a function of Odoo's read_group",
    "body_is_html": "an argument of Odoo's message_post",
    "date_field": "stands for any field with a date",
    "did_you_mean": "a key of an error's details",
    "disambiguation_needed": "a key of an error's details",
    "duckdb_databases": "a function of DuckDB",
    "field_name": "stands for any field",
    "id_of_item": "stands for the id of what an item of a batch makes",
    "idle_in_transaction_session_timeout": "a setting of PostgreSQL",
    "import_error": "a column of a file of failed rows",
    "in_payment": "a value of payment_state",
    "in_process": "a state of account.payment",
    "no_keys": "a value of an error's details",
    "proxy_buffering": "a setting of nginx",
    "referenced_by": "a group of a regular expression",
    "many2one_reference": "a type of fields",
    "my_odoo": "the package that stubs are written into",
    "sale_order": "a module of stubs",
    "taken_back": "a key of an error's details",
    "too_many_tries": "a value of an error's details",
    "x_id": "stands for any field",
    "x_name": "stands for any field",
}

#: Environment variables that no class of settings has.
OTHER_VARIABLES = {
    "ODOO_MCP_CONFIG": "of the command line, for the file of settings",
    "ODOO_DATABASE": "a mistake that the doctor finds",
    "ODOO_PROFILE": "of the command, for a whole profile",
    "ODOO_TEST_SERVERS": "of the project's own tests",
    "ODOO_MCP_ALLOW_UNKNOWN_METHODS": "of another server",
    "ODOO_MCP_ENABLE_METHOD_CALLS": "of another server",
    "ODOO_MCP_ENABLE_WRITES": "of another server",
    "ODOO_YOLO": "of another server",
}

#: Files that write lines whose keys a guide explains.
LOGGED = (
    "odoo_toolkit_mcp/audit.py",
    "odoo_toolkit_mcp/logs.py",
    "odoo_toolkit_mcp/request_ids.py",
)


@functools.cache
def names_of_odoo() -> frozenset[str]:
    """Return the fields, methods, states and modules that are known to exist."""
    found = {name for by in recorded().values() for names in by.values() for name in names}
    found |= {name for _, name, _ in odoo_names.claims()}
    for model in MODELS.values():
        found |= {*model.name_fields, *model.search_fields, *model.deep_fields, *model.key_fields}
        found |= {
            *model.dates,
            *model.disambiguation_fields,
            *(move.method for move in model.moves),
        }
    return frozenset(
        {
            *found,
            *odoo_names.MODULES,
            *odoo_names.CONTEXT_KEYS,
            *odoo_names.PROPERTY_KEYS,
            *HARMLESS_METHODS,
        }
    )


def names_of_the_example() -> set[str]:
    """Return the names of the plugin that the guide to plugins makes: tools, package, arguments."""
    text = (ROOT / "tests/rental/rental.toml").read_text("utf-8")
    plugin, models = (tomlkit.parse(text).unwrap()[key] for key in ("plugin", "models"))
    found = {"odoo_rental", "odoo_rental_due_back"}
    for key, model in models.items():
        actions = [
            f"{verb}_{key}" for verb in ("get", "create", "update", *model.get("buttons", {}))
        ]
        actions.append(f"list_{model.get('plural', key + 's')}")
        found |= {f"odoo_{plugin['name']}_{action}" for action in actions}
        found |= {f"{key}_id", f"{key}_name"}
    return found


@functools.cache
def own_names() -> frozenset[str]:
    """Return the names of the toolkit: functions, arguments, results, choices, modules."""
    parts = {part for module in modules() for part in module.__name__.split(".")}
    keys = {name.lower() for name in settings()}
    keys |= {n for file in LOGGED for n in constants(file) if n.isidentifier()}
    tables = {*OPERATORS, *FUNCTIONS, *WAYS, *OTHER_NAMES, *keys, *metrics()}
    served = {*tools(), CALL, CONFIRM, *areas_for(tools(), {}, "full")}
    served |= {prompt.name for prompt in list_prompts()}
    return frozenset().union(
        functions(),
        parameters(),
        attributes(),
        parts,
        _choices(),
        tables,
        served,
        names_of_the_example(),
    )


def metrics() -> set[str]:
    """Return the names of the metrics, with the endings that Prometheus gives them."""
    endings = ("", "_info", "_total", "_sum", "_count", "_bucket")
    return {
        name + ending for name in constants("odoo_toolkit_mcp/metrics.py") for ending in endings
    }


@functools.cache
def constants(path: str) -> set[str]:
    """Return the texts in the code below a path."""
    return {
        node.value
        for name, tree in sources().items()
        if name.startswith(path)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def _choices() -> set[str]:
    return {
        part.value
        for tree in sources().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal"
        for part in ast.walk(node.slice)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    }


def area(path: str) -> str:
    """Return what belongs together: the folder of a file, or a file that is alone."""
    folder = str(PurePosixPath(path.partition(":")[0]).parent)
    return path.partition(":")[0] if folder in ("odoo_toolkit", "odoo_toolkit_mcp") else folder


@functools.cache
def arguments_by_area() -> dict[str, set[str]]:
    """Return the parameters of the functions of each area."""
    found: dict[str, set[str]] = {}
    for path, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
                found.setdefault(area(path), set()).update(each.arg for each in given)
    return found


@functools.cache
def functions() -> Mapping[str, tuple[Any, ...]]:
    """Return the public functions, classes and methods of the library and adapter, by name."""
    found: dict[str, list[Any]] = {}
    for module in modules():
        for name, value in vars(module).items():
            if name.startswith("_") or getattr(value, "__module__", "") != module.__name__:
                continue
            if isinstance(value, FunctionType) or inspect.isclass(value):
                found.setdefault(name, []).append(value)
            for method, function in vars(value).items() if inspect.isclass(value) else ():
                if not method.startswith("_") and callable(function):
                    found.setdefault(method, []).append(function)
    return {name: tuple(values) for name, values in found.items()}


#: What runs when it is imported; and what says that another project's files lie among ours.
_NOT_IMPORTED = ("__main__", "odoo_toolkit.connect")


@functools.cache
def modules() -> tuple[ModuleType, ...]:
    """Return every module of both packages."""
    return tuple(
        importlib.import_module(each.name)
        for package in (odoo_toolkit, odoo_toolkit_mcp)
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if not each.name.endswith(_NOT_IMPORTED)
    )


@functools.cache
def parameters() -> frozenset[str]:
    """Return the names that arguments have, and what is in lists and objects of arguments."""
    given = {
        name
        for values in functions().values()
        for value in values
        for name in _parameters_of(value)
    }
    schemas = [part for tool in tools().values() for part in objects_in(tool.input_schema)]
    return frozenset(given.union(*(schema.get("properties", {}) for schema in schemas)))


def _parameters_of(value: Any) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(value).parameters)
    except (TypeError, ValueError):
        return ()


@functools.cache
def attributes() -> frozenset[str]:
    """Return the names of attributes and keys of what the library returns and takes."""
    return frozenset(
        target.id
        for tree in sources().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for line in node.body
        if isinstance(line, ast.AnnAssign)
        for target in [line.target]
        if isinstance(target, ast.Name)
    )


@functools.cache
def settings() -> frozenset[str]:
    """Return the environment variables that are read."""
    return frozenset(
        field.metadata["env"]
        for cls in (ConnectionSettings, ServerSettings)
        for field in attrs.fields(cls)
    )


@functools.cache
def recorded() -> Mapping[str, Mapping[int, frozenset[str]]]:
    """Return what real servers said of models: fields and buttons, by version."""
    found: dict[str, dict[int, set[str]]] = {}
    for path in sorted((ROOT / "tests/recorded").glob("*.json")):
        _collect(json.loads(path.read_text("utf-8")), 0, found)
    return {m: {v: frozenset(n) for v, n in by.items()} for m, by in found.items()}


def _collect(value: Any, version: int, found: dict[str, dict[int, set[str]]]) -> None:
    if not isinstance(value, dict):
        return
    for key, below in value.items():
        if re.fullmatch(r"1[4-9]", key):
            _collect(below, int(key), found)
        elif version and re.fullmatch(r"[a-z_]+(\.[a-z0-9_]+)+", key):
            names = _names_in(below)
            found.setdefault(key, {}).setdefault(version, set()).update(names)
        else:
            _collect(below, version, found)


def _names_in(described: Any) -> Iterator[str]:
    if isinstance(described, dict):
        yield from described
    for item in described if isinstance(described, list) else ():
        yield from [item] if isinstance(item, str) else [item.get("name", "")]
