"""What the server serves, as far as its texts speak of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs


@attrs.frozen(kw_only=True)
class Served:
    """What the server serves.

    Attributes:
        mode: readonly, restricted or full.
        tools: their names.
        toolsets: their names.
        creating: model -> the tool that creates its records better than odoo_core_create does,
            as it resolves names and checks.
    """

    mode: str
    tools: frozenset[str]
    toolsets: tuple[str, ...] = ()
    creating: Mapping[str, str] = attrs.field(factory=dict)


def served_by(creates: Mapping[str, str], mode: str, toolsets: Iterable[str] = ()) -> Served:
    """Return what a server serves.

    Args:
        creates: name of each of its tools -> the model whose records it creates, or nothing.
        mode: readonly, restricted or full.
        toolsets: their names.
    """
    return Served(
        mode=mode,
        tools=frozenset(creates),
        toolsets=tuple(toolsets),
        creating={model: name for name, model in creates.items() if model},
    )
