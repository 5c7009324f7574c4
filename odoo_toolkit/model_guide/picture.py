"""The transitions of a model as a picture that needs nothing else to be seen."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence

#: Pixels of a line, of a state, and between the two states of a line.
_LINE, _WIDTH, _HEIGHT, _BETWEEN = 40, 190, 30, 360

#: Characters of a label that a state has room for.
_LONGEST = 28


def picture(transitions: Sequence[Mapping[str, str]], labels: Mapping[str, str]) -> str:
    """Return each transition as a line of an SVG: from a state, by a button, to a state.

    Args:
        transitions: with ``from``, ``to``, ``method`` and ``label``.
        labels: of the states, as people read them.
    """
    size = (2 * _WIDTH + _BETWEEN + 20, _LINE * len(transitions) + 20)
    width, height = map(str, size)
    svg = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {width} {height}",
            "width": width,
            "height": height,
            "font-family": "sans-serif",
            "font-size": "12",
            "fill": "#222",
        },
    )
    ElementTree.SubElement(svg, "rect", {"width": width, "height": height, "fill": "#fff"})
    for number, step in enumerate(transitions):
        top = 10 + number * _LINE
        _box(svg, 10, top, labels.get(step["from"], step["from"]))
        _write(svg, 10 + _WIDTH + _BETWEEN // 2, top + 11, f"{step['label']} ({step['method']})")
        arrow = f"M{10 + _WIDTH} {top + 18}h{_BETWEEN - 2}m-7-5l7 5-7 5"
        ElementTree.SubElement(svg, "path", {"d": arrow, "fill": "none", "stroke": "#555"})
        _box(svg, 10 + _WIDTH + _BETWEEN, top, labels.get(step["to"], step["to"]))
    return ElementTree.tostring(svg, encoding="unicode")


def _box(svg: ElementTree.Element, left: int, top: int, label: str) -> None:
    place = {"x": str(left), "y": str(top), "width": str(_WIDTH), "height": str(_HEIGHT)}
    look = {"rx": "6", "fill": "#eef2ff", "stroke": "#667"}
    ElementTree.SubElement(svg, "rect", {**place, **look})
    shown = label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"
    _write(svg, left + _WIDTH // 2, top + 19, shown)


def _write(svg: ElementTree.Element, middle: int, base: int, text: str) -> None:
    place = {"x": str(middle), "y": str(base), "text-anchor": "middle"}
    ElementTree.SubElement(svg, "text", place).text = text
