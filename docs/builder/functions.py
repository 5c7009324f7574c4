"""The reference of the library's functions, from their docstrings.

Sphinx's autodoc reads the docstrings; here is said which, and on which page.
"""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType

import attrs

import odoo_toolkit
from docs.builder.apps import business_apps

_APPS = tuple(f"odoo_toolkit.apps.{app}" for app in business_apps())
_RESULTS = (
    "odoo_toolkit.records.results",
    "odoo_toolkit.records.aggregate",
    "odoo_toolkit.records.iterate",
    "odoo_toolkit.records.arrow_stream",
    "odoo_toolkit.records.completeness",
    "odoo_toolkit.records.importing.results",
    "odoo_toolkit.records.export",
    "odoo_toolkit.records.changes",
    "odoo_toolkit.records.names",
    "odoo_toolkit.arguments.compared",
)

#: page -> title, modules. Of a module these names are shown: see ``ONLY``, else
#: those of its ``__all__``, else its own public ones.
PAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "connection": (
        "Connection, policy, domains, errors",
        (
            "odoo_toolkit.connecting",
            "odoo_toolkit.client",
            "odoo_toolkit.connection.pool",
            "odoo_toolkit.connection.settings",
            "odoo_toolkit.policy",
            "odoo_toolkit.arguments",
            "odoo_toolkit.values",
            "odoo_toolkit.progress",
            "odoo_toolkit.errors",
        ),
    ),
    "records": ("Records of any model", ("odoo_toolkit.records", *_RESULTS)),
    "undo": (
        "Undo and history",
        (
            "odoo_toolkit.undoing.functions",
            "odoo_toolkit.batching",
            "odoo_toolkit.undoing.overview",
            "odoo_toolkit.change_history",
            "odoo_toolkit.change_history.undo_preview",
        ),
    ),
    "warehouse": (
        "Syncing to a data warehouse",
        (
            "odoo_toolkit.dlt.loading",
            "odoo_toolkit.dlt.source",
            "odoo_toolkit.dlt.reports",
        ),
    ),
    "notebook": ("Models as objects", ("odoo_toolkit.notebook.models",)),
    "search": (
        "Finding records",
        ("odoo_toolkit.deep_search", "odoo_toolkit.search_help.suggestion"),
    ),
    "communication": (
        "Messages, e-mail, activities, files, reports, languages",
        (
            "odoo_toolkit.mail",
            "odoo_toolkit.chatter.messages",
            "odoo_toolkit.chatter.activities",
            "odoo_toolkit.chatter.attachments",
            "odoo_toolkit.reports",
            "odoo_toolkit.languages.installed",
            "odoo_toolkit.languages.translations",
        ),
    ),
    "operations": (
        "Business operations",
        ("odoo_toolkit.plans", *_APPS),
    ),
    "models": (
        "Models, methods and the connected user",
        (
            "odoo_toolkit.model_guide.methods",
            "odoo_toolkit.model_guide.states",
            "odoo_toolkit.records.system_info",
            "odoo_toolkit.users.acting_as",
        ),
    ),
    "testing": ("An Odoo in memory", ("odoo_toolkit.testing",)),
}  # fmt: skip

#: Classes whose methods are for users; results have their attributes told in the docstring.
WITH_MEMBERS = frozenset(
    {
        "ArrowStream",
        "Connection",
        "Domain",
        "FakeServer",
        "Field",
        "ImportResult",
        "ImportPlan",
        "Model",
        "Odoo",
        "OdooError",
        "Records",
    }
)

#: The names that are for users, of modules that have others, too.
ONLY = {
    "odoo_toolkit.arguments.compared": ("Difference",),
    "odoo_toolkit.client": ("Odoo", "CallEvent"),
    "odoo_toolkit.connection.settings": ("ConnectionSettings",),
    "odoo_toolkit.arguments": ("Domain",),
    "odoo_toolkit.dlt.loading": ("sync",),
    "odoo_toolkit.dlt.source": ("odoo_source", "odoo_table", "reports"),
    "odoo_toolkit.dlt.reports": ("TableReport",),
    "odoo_toolkit.change_history": ("History", "HistoryEntry", "Write"),
    "odoo_toolkit.change_history.undo_preview": ("Undo",),
    "odoo_toolkit.undoing.functions": ("history", "undo", "undo_since", "UndoResult"),
    "odoo_toolkit.batching": ("batch", "BatchResult", "BatchItem", "BatchPlan"),
    "odoo_toolkit.undoing.overview": ("HistorySummary",),
    "odoo_toolkit.languages.installed": (
        "get_languages",
        "activate_language",
        "Language",
        "LanguagesResult",
        "ActivatedLanguage",
    ),
    "odoo_toolkit.model_guide.methods": ("model_methods", "ModelMethods"),
    "odoo_toolkit.model_guide.states": ("model_states", "ModelStates"),
    "odoo_toolkit.notebook.models": ("Connection", "Model"),
    "odoo_toolkit.plans": (
        "Plan",
        "PlannedCall",
        "PlannedChange",
        "PlannedDocument",
        "PlannedLine",
    ),
    "odoo_toolkit.progress": ("time_limit", "OperationCancelled"),
    "odoo_toolkit.records.aggregate": ("AggregateResult",),
    "odoo_toolkit.records.arrow_stream": ("ArrowStream", "ArrowFile"),
    "odoo_toolkit.records.changes": ("ChangesResult",),
    "odoo_toolkit.records.completeness": ("ReadReport",),
    "odoo_toolkit.records.export": ("ExportResult",),
    "odoo_toolkit.records.importing.results": (
        "ImportResult",
        "ImportPlan",
        "FailedRow",
        "RowError",
        "Problem",
    ),
    "odoo_toolkit.records.iterate": ("Records",),
    "odoo_toolkit.records.names": ("AmbiguousNameError",),
    "odoo_toolkit.values": ("ReadOptions",),
}


def pages() -> dict[str, str]:
    """Return the pages by file name, with the page that lists them."""
    made = {f"functions-{page}.md": _page(*PAGES[page]) for page in PAGES}
    entries = "\n".join(name.removesuffix(".md") for name in made)
    made["functions.md"] = f"{_INTRODUCTION}\n```{{toctree}}\n:maxdepth: 1\n\n{entries}\n```\n"
    return made


_INTRODUCTION = """# Functions

Look up every public function and class. Pass the connection first:

```python
odoo = connect()
search_read(odoo, "sale.order", [["state", "=", "sale"]], ["name"])
```

A `domain` is a list of conditions or a {class}`~odoo_toolkit.Domain`. A `context` is a dictionary
that extends the context of the connection.
"""


def _page(title: str, modules: tuple[str, ...]) -> str:
    parts = [f"# {title}"]
    shown: list[object] = []
    for name in modules:
        module = importlib.import_module(name)
        if len(modules) > 1:
            summary = (inspect.getdoc(module) or "").partition("\n\n")[0]
            parts += [f"## `{name}`", f"```{{eval-rst}}\n{summary}\n```"]
        # What several apps share, such as a line of a document, is documented at the first one.
        own = [each for each in public_names(module) if getattr(module, each) not in shown]
        parts += [_directive(module, each) for each in own]
        shown += [getattr(module, each) for each in own]
    return "\n\n".join(parts) + "\n"


def public_names(module: ModuleType) -> list[str]:
    """Return the names of a module's functions and classes that are for users, functions first."""
    listed = (
        ONLY.get(module.__name__)
        or getattr(module, "__all__", None)
        or [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
        ]
    )
    names = [
        name
        for name in listed
        if inspect.isclass(value := getattr(module, name)) or inspect.isroutine(value)
    ]
    return sorted(names, key=lambda name: inspect.isclass(getattr(module, name)))


def _directive(module: ModuleType, name: str) -> str:
    value = getattr(module, name)
    kind = "class" if inspect.isclass(value) else "function"
    options = ""
    if kind == "class" and issubclass(value, Exception):
        kind = "exception"
    if name in WITH_MEMBERS:
        options = "\n   :members:"
    elif attrs.has(value) and kind == "class":
        options = "\n   :no-members:"
    # A name is documented where it is imported from.
    return f"```{{eval-rst}}\n.. auto{kind}:: {home(module, name)}{options}\n```"


def home(module: ModuleType, name: str) -> str:
    """Return the dotted name under which users import a name."""
    same = name in odoo_toolkit.__all__ and getattr(odoo_toolkit, name) is getattr(module, name)
    return f"odoo_toolkit.{name}" if same else f"{module.__name__}.{name}"
