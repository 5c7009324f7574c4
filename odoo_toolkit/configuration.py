"""Settings read from keywords, the environment and a JSON file, every mistake reported at once.

A settings class is an attrs class whose fields are made by :func:`setting`, which names the
environment variable and the parser. The JSON file holds the same names in lower case.
"""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import attrs

from odoo_toolkit.errors import ConfigurationError

T = TypeVar("T")

#: What examples and clients have in place of a value: ${input:key}, <your key>, {{key}}, %KEY%.
_PLACEHOLDER = re.compile(r"\$\{[^{}]*\}|<[^<>]*>|\{\{[^{}]*\}\}|%[A-Z][A-Z0-9_]+%")

Source = Literal["keyword", "environment", "file"]

#: Names that people give to settings, and the settings; others are found by their likeness.
OTHER_NAMES = {
    "db": "database",
    "dbname": "database",
    "host": "url",
    "login": "username",
    "user": "username",
    "key": "api_key",
    "token": "api_key",
}

#: A setting's field -> the source, the setting's name there, and the value as it stands there.
Given = dict[str, tuple[Source, str, Any]]


class Secret(str):
    """A password or key that shows itself nowhere but in :meth:`reveal`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"

    def __str__(self) -> str:
        return "***"

    def __format__(self, spec: str) -> str:
        return "***"

    def __reduce__(self) -> tuple[type[Secret], tuple[str]]:
        return type(self), (self.reveal(),)

    def reveal(self) -> str:
        """Return the text itself."""
        return str.__str__(self)


def setting(
    env: str,
    *,
    parse: Callable[[Any], Any] | None = None,
    default: Any = None,
    secret: bool = False,
) -> Any:
    """Declare a field of a settings class.

    Args:
        env: environment variable; in a JSON file the same name in lower case.
        parse: turns a string, or a JSON value, into the value; raises ValueError with the rest of
            the sentence "<name> ..." when it cannot.
        default: when no source has it.
        secret: never shown in ``repr``.
    """
    parser = parse or text
    return attrs.field(
        default=default, repr=not secret, metadata={"env": env, "parse": parser, "secret": secret}
    )


def load(
    cls: type[T],
    keywords: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    file: Mapping[str, Any] | None = None,
) -> tuple[T | None, list[str]]:
    """Read a settings class: keywords before the environment, before the file, before defaults.

    Args:
        cls: attrs class of :func:`setting` fields; its classmethod ``check(values)``, if it has
            one, returns the problems that lie between the fields.
        keywords: by field name; None means not given.
        environ: as ``os.environ`` (the default).
        file: content of the JSON file.

    Returns:
        The settings, or None where there are problems, and the problems as sentences.
    """
    given = sources(cls, keywords, environ, file)
    values: dict[str, Any] = {}
    problems: list[str] = []
    for field in attrs.fields(cls):  # type: ignore[arg-type]
        if field.name not in given:
            values[field.name] = field.default
            continue
        _, name, raw = given[field.name]
        try:
            values[field.name] = field.metadata["parse"](_filled_in(raw))
        except ValueError as error:
            problems.append(f"{name} {error}")
    problems += getattr(cls, "check", lambda values: [])(values)
    return (None, problems) if problems else (cls(**values), [])


def is_placeholder(text: str) -> bool:
    """Tell whether a text is a placeholder, which its user should have replaced."""
    return _PLACEHOLDER.fullmatch(text) is not None


def _filled_in(value: Any) -> Any:
    """Return a value without the blanks and line ends around it, which copying adds.

    Raises:
        ValueError: it stands for a value that was to be put in its place.
    """
    if not isinstance(value, str):
        return value
    stripped = str.strip(value)
    if is_placeholder(stripped):
        raise ValueError(f"still contains a placeholder: replace {stripped[:60]}.")
    return stripped


def sources(
    cls: type,
    keywords: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    file: Mapping[str, Any] | None = None,
) -> Given:
    """Return where each setting that is given comes from; arguments as of :func:`load`.

    A classmethod ``adding(given, found)`` of the settings returns what a source adds to those
    before it, where that is not all that it has.

    """
    environ = os.environ if environ is None else environ
    fields = {field.name: field.metadata["env"] for field in attrs.fields(cls)}
    named: tuple[tuple[Source, dict[str, str], Mapping[str, Any]], ...] = (
        ("keyword", {name: name for name in fields}, keywords or {}),
        ("environment", fields, environ),
        ("file", {name: env.lower() for name, env in fields.items()}, file or {}),
    )
    given: Given = {}
    for source, names, values in named:
        found: Given = {
            field: (source, name, values[name])
            for field, name in names.items()
            if values.get(name) not in (None, "")
        }
        found = getattr(cls, "adding", lambda _, found: found)(given, found)
        given = {**found, **given}
    return {name: given[name] for name in fields if name in given}


def read_file(path: str | Path) -> dict[str, Any]:
    """Return the content of a JSON settings file.

    Raises:
        ConfigurationError: it cannot be read, or does not hold a JSON object.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise configuration_error([f"The settings file {path} cannot be read: {error}."]) from None
    if not isinstance(content, dict):
        raise configuration_error([f"The settings file {path} must contain a JSON object."])
    return content


def unknown_keys(file: Mapping[str, Any], classes: Iterable[type]) -> list[str]:
    """Return a sentence for each key of a settings file that none of the classes reads."""
    known = [field.metadata["env"].lower() for cls in classes for field in attrs.fields(cls)]
    return [
        f"{key} in the settings file is not a setting.{_meant(key, known)}"
        for key in file
        if key not in known
    ]


def unknown_variables(
    prefix: str, classes: Iterable[type], others: Collection[str] = ()
) -> list[str]:
    """Return a sentence for each environment variable that begins so and that nothing reads.

    A blocklist under a misspelled name would block nothing, without a word.
    """
    known = [field.metadata["env"] for cls in classes for field in attrs.fields(cls)]
    given = [name for name in sorted(os.environ) if name.startswith(prefix)]
    return unknown_names([name for name in given if name not in others], known)


def unknown_names(keywords: Iterable[str], known: Collection[str]) -> list[str]:
    """Return a sentence for each keyword that is not a known one."""
    return [
        f"{name} is not a setting.{_meant(name, known)}" for name in keywords if name not in known
    ]


def _meant(name: str, known: Collection[str]) -> str:
    meant = OTHER_NAMES.get(name)
    near = [meant] if meant in known else difflib.get_close_matches(name, known, n=1)
    return f" Did you mean {near[0]}?" if near else ""


def configuration_error(problems: list[str]) -> ConfigurationError:
    """Return the error that reports all ``problems`` together."""
    return ConfigurationError(
        "The settings are not valid: " + " ".join(problems),
        suggestion="Correct these settings, then start again.",
        details={"problems": problems},
    )


# Parsers. Each raises ValueError with the end of a sentence that begins with the setting's name.


def text(value: Any) -> str:
    """A string without surrounding white space."""
    if not isinstance(value, str):
        raise ValueError("must be a string.")
    return value.strip()


def secret(value: Any) -> Secret:
    """A password or key, kept as it is."""
    if not isinstance(value, str):
        raise ValueError("must be a string.")
    return value if isinstance(value, Secret) else Secret(value)


def boolean(value: Any) -> bool:
    """true/1/yes/on or false/0/no/off, in any case."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in {"true", "1", "yes", "on"}:
        return True
    if word in {"false", "0", "no", "off"}:
        return False
    raise ValueError(f"must be true or false, not {value!r}.")


def integer(*, minimum: int | None = None, maximum: int | None = None) -> Callable[[Any], int]:
    """A whole number within bounds."""
    return lambda value: _bounded(value, int, "a whole number", minimum, maximum)


def number(*, minimum: float | None = None, maximum: float | None = None) -> Callable[[Any], float]:
    """A number within bounds."""
    return lambda value: _bounded(value, float, "a number", minimum, maximum)


def _bounded(
    value: Any, kind: type, name: str, minimum: float | None, maximum: float | None
) -> Any:
    try:
        if isinstance(value, (bool, float)) and kind is int:
            raise ValueError
        result = kind(value)
    except (TypeError, ValueError):
        raise ValueError(f"must be {name}, not {value!r}.") from None
    if (
        result != result
        or (minimum is not None and result < minimum)
        or (maximum is not None and result > maximum)
    ):
        bounds = f"at least {minimum}" if maximum is None else f"from {minimum} to {maximum}"
        raise ValueError(f"must be {bounds}, not {value!r}.")
    return result


def choice(*allowed: str) -> Callable[[Any], str]:
    """One of a few words, in any case."""

    def parse(value: Any) -> str:
        word = str(value).strip().lower()
        if word not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}, not {value!r}.")
        return word

    return parse


def comma_list(value: Any) -> tuple[str, ...]:
    """Words separated by commas, or a list of strings."""
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, (list, tuple, set, frozenset)) or not all(
        isinstance(item, str) for item in items
    ):
        raise ValueError("must be a comma-separated list.")
    return tuple(item.strip() for item in items if item.strip())


def id_list(value: Any) -> tuple[int, ...]:
    """Record ids separated by commas, or a list of integers."""
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)):
        raise ValueError("must be a comma-separated list of ids.")
    parse = integer(minimum=1)
    return tuple(parse(item) for item in items if str(item).strip())
