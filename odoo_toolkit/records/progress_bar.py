"""How far long work has come, shown to whoever sits there."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from odoo_toolkit.errors import ConfigurationError, ValidationError

#: Hears how many records are done, and of how many.
Progress = Callable[[int, int], Any]


class Bar:
    """Shows progress by tqdm."""

    def __init__(self, model: str) -> None:
        from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]

        self._bar = tqdm(desc=model, unit=" records")

    def __call__(self, done: int, total: int) -> None:
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        self._bar.close()


class _Line:
    """Shows progress as one line on standard error, where tqdm is not installed."""

    def __init__(self, model: str) -> None:
        self._model = model

    def __call__(self, done: int, total: int) -> None:
        sys.stderr.write(f"\r{self._model}: {done} of {total} records")
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write("\n")


def progress_of(progress: Any, model: str) -> Callable[[], Progress] | None:
    """Return what makes that which hears of the progress, when the first record is done.

    Args:
        progress: as the caller gave it: whether to show a bar, or a function.
        model: of the records.

    Raises:
        ValidationError: it is something else.
        ConfigurationError: True without tqdm.
    """
    if progress is None or progress is False:
        return None
    if callable(progress):
        return lambda: progress
    if progress is not True:
        raise ValidationError(
            "progress must be True, False or a function of two numbers.",
            suggestion="Omit progress, or pass a function such as lambda done, total: "
            "print(done, total).",
        )
    if not _has_tqdm():
        raise ConfigurationError(
            "progress=True needs tqdm for its bar, but tqdm is not installed.",
            suggestion="Run: pip install tqdm. Or pass a function of two numbers.",
        )
    return partial(Bar, model)


def progress_for_somebody(model: str) -> Callable[[], Progress] | None:
    """Return the same where the caller said nothing: on a terminal, and in a notebook.

    What runs in a pipe, a job or a server shows nothing.
    """
    if not (sys.stderr.isatty() or _in_notebook()):
        return None
    return partial(Bar if _has_tqdm() else _Line, model)


def _has_tqdm() -> bool:
    try:
        import tqdm  # type: ignore[import-untyped,unused-ignore]  # noqa: F401
    except ImportError:
        return False
    return True


def _in_notebook() -> bool:
    """Whether the code runs in a kernel of IPython."""
    ipython = sys.modules.get("IPython")
    return hasattr(ipython.get_ipython(), "kernel") if ipython else False
