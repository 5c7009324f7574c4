"""A budget for each answer: what is over it is left out by whole records, and the answer says so.

A record is never cut, however long it is: one of each list stays.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
from mcp.types import CallToolResult, TextContent
from pydantic_core import from_json, to_json

from odoo_toolkit_mcp import results

if TYPE_CHECKING:
    from odoo_toolkit_mcp.toolsets.base import Tool

#: Bytes of the sentence that says what is left out, and of each list that it names.
_SENTENCE, _NAMED = 400, 70

#: Content of files, which was asked for: it does not count.
_FILES = frozenset({"content_base64"})

#: Arguments by which an answer does not become shorter.
_NOT_NARROWING = frozenset({"context", "dry_run", "limit", "offset", "max_depth", "exhaustive"})


@attrs.define
class _Records:
    """A list or a map of an answer, of which whole entries can be left out.

    Attributes:
        name: where it is in the answer.
        holder: has it.
        key: at which the holder has it.
        main: whether it holds records; of the others something is left out only after that.
        query: the query that it answers, where there are several.
    """

    name: str
    holder: dict[str, Any]
    key: str
    main: bool = True
    query: Mapping[str, Any] | None = None
    sizes: list[int] = attrs.field(init=False)
    kept: int = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        entries = self._entries()
        sizes = (len(to_json(entry)) + 1 for entry in entries)
        #: Bytes of the first one, of the first two, and so on.
        self.sizes = list(itertools.accumulate(sizes))
        self.kept = len(entries)

    def _entries(self) -> list[Any]:
        value = self.holder[self.key]
        return list(value.items() if isinstance(value, dict) else value)

    @property
    def total(self) -> int:
        """How many entries there are."""
        return len(self.sizes)

    def fitting(self, most: int) -> int:
        """Return how many entries take so many bytes; one at least."""
        return max(1, bisect.bisect_right(self.sizes, most))

    @property
    def following(self) -> str:
        """Where the others of a query begin, in words."""
        if self.query is None:
            return ""
        return f" (offset {(self.query.get('offset') or 0) + self.kept})"

    def cut(self, most: int) -> None:
        """Keep the first entries, which take so many bytes."""
        self.kept = self.fitting(most)
        entries = self._entries()[: self.kept]
        is_map = isinstance(self.holder[self.key], dict)
        self.holder[self.key] = dict(entries) if is_map else entries


def within_budget(
    result: CallToolResult, tool: Tool | None, given: Mapping[str, Any], most: int
) -> CallToolResult:
    """Return the result of a tool in so many bytes of JSON, if leaving out records can do that.

    Args:
        result: its first content is JSON; what follows that, such as a file, stays.
        tool: that was called; None where there is none of that name.
        given: its arguments.
        most: bytes.
    """
    first = result.content[0] if result.content else None
    if result.structured_content is None or not isinstance(first, TextContent):
        return result
    before = len(first.text.encode())
    if before <= most:
        return result
    data = from_json(first.text)
    file = {name: data.pop(name) for name in _FILES & data.keys()}
    if len(to_json(data)) <= most:
        return result
    lists = list(_lists(data, tool.output_schema if tool else {}, given.get("queries", ())))
    for main in (True, False):
        named = sum(_NAMED for one in lists if one.kept < one.total)
        over = len(to_json(data)) + _SENTENCE + named - most
        these = [one for one in lists if one.main == main]
        # Of what is not a record, nothing is left out for the sake of something else.
        if over > 0 and (main or sum(_saved(one, 0) for one in these) >= over):
            _leave_out(these, over)
    shortened = [one for one in lists if one.kept < one.total]
    if not shortened:
        return result
    told = [f"{one.kept} of {one.total} {one.name}{one.following}" for one in shortened]
    sentence = (
        f"{', '.join(told)} are returned. The full result has {_kb(before)} kB, and this server"
        f" returns at most {_kb(most)} kB (ODOO_MCP_ANSWER_KB)."
        f" {_how(tool, shortened, data, given, result)}"
    )
    if len(to_json(data)) > most:
        sentence += " A single record exceeds this limit."
    data["warnings"] = [sentence.strip(), *data.get("warnings", ())]
    return results.with_data(result, data | file)


def _lists(
    data: dict[str, Any], schema: Mapping[str, Any], queries: Sequence[Mapping[str, Any]]
) -> Iterator[_Records]:
    """Yield what an answer lists; what is in a record is not looked at."""
    properties = schema.get("properties", {})
    for name, value in data.items():
        described = properties.get(name, {})
        if isinstance(value, list) and value:
            inner = _inside(described, schema)
            yield from (
                _Records(f"{name}[{place}].{inner}", item, inner, query=query)
                for place, (item, query) in enumerate(itertools.zip_longest(value, queries))
                if inner and item.get(inner)
            )
            yield _Records(name, data, name, main=isinstance(value[0], dict) and not inner)
        elif isinstance(value, dict) and name == "details":
            yield from (
                _Records(f"{name}.{key}", value, key)
                for key, of in value.items()
                if isinstance(of, list) and of
            )
        elif isinstance(value, dict) and (entries := described.get("additionalProperties")):
            if entries.get("type") == "array":
                yield from (_Records(f"{name}[{key}]", value, key) for key in value if value[key])
            elif value:
                yield _Records(name, data, name)


def _inside(described: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Return where the items of a list, being answers themselves, have their records."""
    reference = described.get("items", {}).get("$ref", "").rpartition("/")[2]
    properties = schema.get("$defs", {}).get(reference, {}).get("properties", {})
    return "records" if "records" in properties else ""


def _leave_out(lists: list[_Records], over: int) -> None:
    """Shorten the longest lists to the same length, by so many bytes together."""
    least, most = 0, max((one.sizes[-1] for one in lists), default=0)
    while least < most:  # the greatest length that is short enough
        middle = (least + most + 1) // 2
        if sum(_saved(one, middle) for one in lists) >= over:
            least = middle
        else:
            most = middle - 1
    for one in lists:
        one.cut(least)


def _saved(one: _Records, most: int) -> int:
    """Return the bytes that are left out of a list, less those of the words that say so."""
    left_out = one.sizes[-1] - one.sizes[one.fitting(most) - 1]
    return left_out - _NAMED if left_out else 0


def _how(
    tool: Tool | None,
    shortened: Sequence[_Records],
    data: dict[str, Any],
    given: Mapping[str, Any],
    result: CallToolResult,
) -> str:
    """Return how to get the others; in ``data`` the next page begins where this one ends."""
    if tool is None or result.is_error:
        return "Fix these first."
    if data.get("dry_run") is True:
        return (
            "The plan covers all changes, but its lists are shortened. To see each change, plan"
            " fewer records at a time."
        )
    if tool.access != "read":
        return "All changes were made. Read the others with odoo_core_search_read."
    arguments = tool.input_schema["properties"]
    fewer = ", or name fewer fields" if "fields" in arguments else ""
    paged = next((one for one in shortened if one.name == "records"), None)
    if paged and "offset" in arguments:
        following = (given.get("offset") or 0) + paged.kept
        data |= {"count": paged.kept, "has_more": True, "next_offset": following}
        return f"To get the next records, call again with offset {following}{fewer}."
    if "ids" in arguments:
        return f"To get the others, call again with their ids{fewer}."
    narrowing = [name for name in arguments if name not in _NOT_NARROWING]
    if "queries" in arguments:
        for one in shortened:
            one.holder["has_more"] = True
        return "Run these queries again in a separate call, with these offsets or fewer fields."
    return f"To get the others, narrow the call with {', '.join(narrowing)}."


def _kb(size: int) -> str:
    return f"{size / 1000:.1f}".removesuffix(".0")
