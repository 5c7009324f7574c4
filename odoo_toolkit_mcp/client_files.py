"""Putting a server into the configuration file of an MCP client, keeping what is there."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Any, Literal

from odoo_toolkit.file_content import replacing

Format = Literal["json", "toml"]

#: The variables of which one is enough for Odoo to know its user.
CREDENTIALS = ("ODOO_API_KEY", "ODOO_PASSWORD")

#: What the command of a server is called, or the module, when it is this one.
_OURS = ("odoo-toolkit-mcp", "odoo_toolkit_mcp")


#: The keys of an entry that say how its server is reached.
_URLS = ("url", "httpUrl")
_REACHING = ("type", "command", "args", "env", *_URLS, "headers", "http_headers")

#: What stands between a client that only starts programs and a server elsewhere.
_BRIDGE = "mcp-remote"


class NotWrittenError(Exception):
    """The file is as it was; the message says why, and what to do."""


def add_server(
    path: Path,
    form: Format,
    section: str,
    name: str,
    entry: Mapping[str, Any],
    *,
    to_fill_in: Mapping[str, str],
    inputs: list[dict[str, Any]],
    place: str = "env",
) -> tuple[dict[str, Any], Path | None]:
    """Add a server to a client's file, or bring up to date what an earlier call added.

    Everything else in the file stays. The new file takes the place of the old one in one step; the
    old one is kept beside it, with ``.bak`` after its name.

    Args:
        path: the file; it need not exist, its folder must.
        form: what the file holds; JSON without comments.
        section: the key of the object that holds the servers.
        name: the server's key in it.
        entry: the server, without the variables that a person has to fill in.
        to_fill_in: these variables, with what stands in for them until then; a value that the file
            has already is left alone.
        inputs: what the client shall ask the person for (VS Code).
        place: the key of the entry that holds the variables, or headers.

    Returns:
        The server as the file has it now, and the file as it was before; None where nothing had to
        be changed, or there was none.

    Raises:
        NotWrittenError: nothing was changed.
    """
    path = path.resolve()  # a link to the file stays a link
    try:
        before = path.read_bytes() if path.exists() else None
        document = _parse(before or b"", form, path)
        kept = _copy(document)
        merged = _merge(document, path, section, name, entry, to_fill_in, place)
        asked = [one for one in inputs if _asks(merged[place], one)]
        _add_inputs(document, asked, path)
        if before is not None and _copy(document) == kept:
            return merged, None
        content = _dump(document, form, before or b"")
        return merged, _replace(path, before, content)
    except OSError as error:
        reason = error.strerror or str(error)
        raise NotWrittenError(
            f"The command cannot change {path}: {reason}. The file is unchanged."
        ) from error


def _parse(content: bytes, form: Format, path: Path) -> MutableMapping[str, Any]:
    """Return a file's content; what cannot be written again as it was is refused."""
    try:
        text = content.decode("utf-8-sig")
        if form == "toml":
            import tomlkit

            return tomlkit.parse(text)
        document = json.loads(text, object_pairs_hook=_unique) if text.strip() else {}
        # What cannot be written as JSON, such as NaN or half a character, shows here.
        json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
    except ValueError as error:  # of JSON, of TOML and of the encoding
        kind = "TOML" if form == "toml" else "JSON without comments"
        raise NotWrittenError(
            f"{path} is not {kind} ({error}). The file is unchanged. Add the server by hand."
        ) from error
    if not isinstance(document, dict):
        raise NotWrittenError(f"{path} does not contain a JSON object. The file is unchanged.")
    return document


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its pairs; of two equal keys, one would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has the same key twice")
    return found


def _copy(document: Any) -> Any:
    """Return plain values, to compare with."""
    plain = document.unwrap() if hasattr(document, "unwrap") else document
    return json.loads(json.dumps(plain, default=str))


def _merge(
    document: MutableMapping[str, Any],
    path: Path,
    section: str,
    name: str,
    entry: Mapping[str, Any],
    to_fill_in: Mapping[str, str],
    place: str,
) -> dict[str, Any]:
    """Put the server into the document and return it."""
    servers = document.setdefault(section, {})
    if not isinstance(servers, MutableMapping):
        raise NotWrittenError(f"{section} in {path} is not an object. The file is unchanged.")
    old = servers.get(name)
    if old is not None and not _is_ours(old, entry):
        raise NotWrittenError(
            f"{path} already has another server named {name!r}. The file is unchanged. Choose a"
            " name with --name."
        )
    old_env = old.get(place) if old is not None else None
    # What a server of the client's own was started with is not for one elsewhere.
    kept = old is not None and _is_elsewhere(old) == _is_elsewhere(entry)
    env = dict(old_env) if kept and isinstance(old_env, MutableMapping) else {}
    env.update(entry[place])
    signed_in = any(variable in env for variable in CREDENTIALS)
    for variable, stand_in in to_fill_in.items():
        if not (signed_in and variable in CREDENTIALS):
            env.setdefault(variable, stand_in)
    merged = {**entry, place: env}
    if old is None:
        servers[name] = merged
        return merged
    for key in [key for key in _REACHING if key in old and key not in merged]:
        del old[key]  # of a server that was reached otherwise, with the settings that it had
    for key, value in merged.items():
        if _copy(old.get(key)) != value:
            old[key] = value
    return merged


def _is_ours(server: Any, entry: Mapping[str, Any]) -> bool:
    """Tell whether an entry of a client's file starts this server, or leads to the same URL."""
    if not isinstance(server, MutableMapping):
        return False
    urls = [entry[key] for key in _URLS if key in entry]
    if any(server.get(key) in urls for key in _URLS):
        return True
    if not isinstance(server.get("command"), str):
        return False
    arguments = server.get("args")
    words = [server["command"], *(arguments if isinstance(arguments, list) else [])]
    if _BRIDGE in words:  # ours where it leads to the same URL
        return words[:4] == [entry.get("command"), *entry.get("args", ())][:4]
    return any(ours in str(word) for word in words for ours in _OURS)


def _is_elsewhere(entry: Mapping[str, Any]) -> bool:
    return "command" not in entry or _BRIDGE in (entry.get("args") or ())


def _asks(values: Mapping[str, Any], question: Mapping[str, Any]) -> bool:
    """Tell whether a value comes from a question to the person."""
    return any(f"${{input:{question['id']}}}" in str(value) for value in values.values())


def _add_inputs(
    document: MutableMapping[str, Any], inputs: list[dict[str, Any]], path: Path
) -> None:
    """Add the questions that the document does not have yet."""
    if not inputs:
        return
    there = document.setdefault("inputs", [])
    if not isinstance(there, list):
        raise NotWrittenError(f"inputs in {path} is not a list. The file is unchanged.")
    known = [one.get("id") for one in there if isinstance(one, dict)]
    there += [one for one in inputs if one["id"] not in known]


def _dump(document: MutableMapping[str, Any], form: Format, before: bytes) -> bytes:
    """Return the file's new content, indented and with line ends as before."""
    if form == "toml":
        import tomlkit

        return tomlkit.dumps(document).encode()
    lines = before.decode("utf-8-sig").splitlines()
    first = next((line for line in lines if line[:1] in {" ", "\t"}), "  ")
    indent = first[: len(first) - len(first.lstrip())]
    text = json.dumps(document, indent=indent, ensure_ascii=False) + "\n"
    return text.replace("\n", "\r\n" if b"\r\n" in before else "\n").encode()


def _replace(path: Path, before: bytes | None, content: bytes) -> Path | None:
    """Put new content in a file's place in one step; return where the old content is kept."""
    if not path.parent.is_dir():
        raise NotWrittenError(
            f"The folder {path.parent} does not exist. Start the client once, or pass its file with"
            " --file. Nothing was written."
        )
    backup = path.with_name(path.name + ".bak") if before is not None else None
    # Only the owner may read it: it holds a key, or will.
    with replacing(path) as part:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if (path.read_bytes() if path.exists() else None) != before:
            raise NotWrittenError(
                f"Another program changed {path} at the same time. The command wrote nothing. Quit"
                " the client and try again."
            )
        if backup is not None:
            shutil.copy2(path, backup)
    return backup
