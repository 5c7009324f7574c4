"""How Sphinx makes the site: Furo's look, Markdown by MyST, docstrings by autodoc.

Nothing is fetched from elsewhere, neither when it is built nor when it is read.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import re
import typing
from pathlib import Path
from typing import Any

import attrs
from sphinx.application import Sphinx
from sphinx.util.typing import stringify_annotation

import odoo_toolkit
from odoo_toolkit.installation import version as installed

project = "Odoo toolkit"
author = "the authors of Odoo toolkit"
version = release = installed()
html_title = f"{project} {version}"
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["copy.js"]
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
html_copy_source = False
#: Dashes only: quotation marks stand in examples.
smartquotes_action = "D"
html_show_sphinx = False
html_show_copyright = False
#: myst_nb reads Markdown as myst_parser does, and notebooks, too.
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

#: Notebooks are shown as they are in the repository; the live tests run them.
nb_execution_mode = "off"
#: Errors are a few lines of the library's own, and no stack traces.
nb_render_error_lexer = "text"
#: The guides may begin with a table, and skip from a title to a heading of the third level. What
#: only notebooks can draw is shown in the next form that they have of it.
suppress_warnings = ["myst.header", "mystnb.unknown_mime_type"]

myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]

#: "text" blocks are output; the rest is coloured by what it says it is.
highlight_language = "text"
#: Styles whose every colour stands out from the background (WCAG AA; a test computes it).
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

autodoc_member_order = "bysource"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
python_use_unqualified_type_names = True
add_module_names = False
maximum_signature_line_length = 90
toc_object_entries_show_parents = "hide"


def _signature(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str, returns: str
) -> tuple[str, str | None] | None:
    """Results are made by functions, not by hand: how to make one is left out.

    Functions are shown with plain types: what ``Annotated`` holds besides them is for schemas.
    """
    if what == "class" and attrs.has(obj) and obj.__name__ not in odoo_toolkit.__all__:
        return "", None
    if what != "function":
        return None
    try:
        hints = typing.get_type_hints(obj)
    except NameError:  # a type that is imported for type checkers only
        hints = {}
    written = inspect.signature(obj)
    parameters = [
        one.replace(annotation=_Words(_type(hints.get(one.name, one.annotation))))
        for one in written.parameters.values()
    ]
    arguments = written.replace(parameters=parameters, return_annotation=inspect.Signature.empty)
    return str(arguments), _type(hints.get("return", written.return_annotation))


class _Words(str):
    """An annotation as a signature shows it: without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def _type(annotation: Any) -> str:
    if isinstance(annotation, str):
        return annotation
    return stringify_annotation(annotation, "fully-qualified-except-typing")


def _docstring(app: Sphinx, what: str, path: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Attributes told together, ``host, port: where``, get an entry each, as Napoleon needs it."""
    together = re.compile(r"^( +)(\w+(?:, \w+)+): (.*)$")
    for index in reversed(range(len(lines))):
        if what == "class" and (found := together.match(lines[index])):
            indent, names, words = found.groups()
            deeper = functools.partial(re.match, f"{indent} ")
            more = list(itertools.takewhile(deeper, lines[index + 1 :]))
            lines[index : index + 1 + len(more)] = [
                line for name in names.split(", ") for line in (f"{indent}{name}: {words}", *more)
            ]


def setup(app: Sphinx) -> None:
    """Connect the above."""
    app.connect("autodoc-process-signature", _signature)
    app.connect("autodoc-process-docstring", _docstring, priority=400)
