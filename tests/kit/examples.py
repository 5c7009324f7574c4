"""The examples in docstrings, run on the records that a test has made."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any


class _InItsWords(doctest.OutputChecker):
    """Compares what is said once the names of a test are those of the example again."""

    def __init__(self, words: Mapping[str, str]) -> None:
        self.words = words

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        for pattern, word in self.words.items():
            got = re.sub(pattern, word, got)
        return super().check_output(want, got, optionflags)


def functions(app: str) -> list[Callable[..., Any]]:
    """Return the public functions of an app."""
    module = importlib.import_module(f"odoo_toolkit.apps.{app}")
    return [found for name in module.__all__ if inspect.isfunction(found := getattr(module, name))]


def run_example(
    function: Callable[..., Any],
    odoo: Any,
    called: Mapping[str, str] | None = None,
    words: Mapping[str, str] | None = None,
    **more: Any,
) -> None:
    """Run the example of a function, and compare what it says.

    Args:
        function: whose docstring has it.
        odoo: the connection.
        called: what the example calls a record -> what it is called here.
        words: pattern of what is said here -> what the example says.
        more: arguments besides those of the example.
    """
    text = inspect.getdoc(function) or ""
    lines = text.splitlines()
    for word, real in (called or {}).items():
        lines = [
            re.sub(rf"\b{re.escape(word)}\b", real, line)
            if line.startswith((">>>", "..."))
            else line
            for line in lines
        ]
    text = "\n".join(lines)
    names = {**vars(inspect.getmodule(function)), "odoo": odoo}
    name = function.__name__
    names |= {name: partial(function, **more)} if more else {}
    example = doctest.DocTestParser().get_doctest(text, names, name, None, None)
    assert example.examples, "It has no example."
    back = {re.escape(real): word for word, real in (called or {}).items()}
    checker = _InItsWords({**back, **(words or {})})
    said: list[str] = []
    failed = doctest.DocTestRunner(checker, verbose=False).run(example, out=said.append).failed
    assert not failed, "".join(said)
