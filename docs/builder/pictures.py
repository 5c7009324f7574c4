"""Draw the pictures of a chat and of a notebook, from the responses of an Odoo with demo data.

``ODOO_URL=... python -m docs.builder.pictures`` writes ``docs/images/chat.svg``, from a tool of the
MCP server, and ``docs/images/notebook.svg``, from the notebook's display. The question and the
final sentences of the chat are written here.
"""

from __future__ import annotations

import datetime
import html
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
from mcp import Client

from odoo_toolkit import connect
from odoo_toolkit.connection.settings import connection_settings
from odoo_toolkit_mcp.server import OdooServer
from odoo_toolkit_mcp.settings import ServerSettings

IMAGES = Path(__file__).parents[1] / "images"
DOMAIN = [["state", "=", "sale"]]
MONTH, SUM, CUSTOMERS = "date_order:month", "amount_untaxed:sum", "partner_id:count_distinct"
QUESTION = {"model": "sale.order", "domain": DOMAIN, "groupby": [MONTH], "measures": [SUM]}

_SANS, _MONO = "Helvetica, Arial, sans-serif", "Menlo, Consolas, monospace"
_INK, _GREY, _PAPER = "#1f2328", "#656d76", "#ffffff"
#: That of the chat can be read on a phone, where all of it is seen at once.
WIDTH, CHAT_WIDTH = 760, 500


class Drawing:
    """An SVG that grows downwards."""

    def __init__(self, width: int = WIDTH) -> None:
        self.parts: list[str] = []
        self.width = width
        self.y = 16

    def box(self, x: int, width: int, height: int, fill: str, line: str = "none") -> None:
        """Draw a box at the present height."""
        self.parts.append(
            f'<rect x="{x}" y="{self.y}" width="{width}" height="{height}" rx="8" '
            f'fill="{fill}" stroke="{line}"/>'
        )

    def text(self, x: int, y: int, words: str, **style: Any) -> None:
        """Write a line; its base is ``y`` below the present height."""
        style = {"font-family": _SANS, "font-size": 15, "fill": _INK, **style}
        attributes = " ".join(f'{name}="{value}"' for name, value in style.items())
        self.parts.append(
            f'<text x="{x}" y="{self.y + y}" xml:space="preserve" {attributes}>'
            f"{html.escape(words)}</text>"
        )

    def lines(self, x: int, y: int, lines: Sequence[str], height: int, **style: Any) -> None:
        """Write several lines."""
        for index, line in enumerate(lines):
            self.text(x, y + index * height, line, **style)

    def save(self, path: Path, title: str) -> None:
        """Write the file."""
        area = f'width="{self.width}" height="{self.y}"'
        size = f'{area} viewBox="0 0 {self.width} {self.y}"'
        paper = f'<rect {area} rx="10" fill="{_PAPER}" stroke="#d0d7de"/>'
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n'
            f"<title>{html.escape(title)}</title>\n{paper}\n"
            + "\n".join(self.parts)
            + "\n</svg>\n",
            "utf-8",
        )


async def tool_answer() -> dict[str, Any]:
    """Ask the MCP server, as a chat client does."""
    server = OdooServer(connection_settings(), ServerSettings())
    async with Client(server) as client:
        result = await client.call_tool("odoo_core_aggregate", QUESTION)
    answer: dict[str, Any] = result.structured_content
    return answer


def month_name(day: str) -> str:
    """Return the month of a day, as ``October 2026``."""
    return datetime.date.fromisoformat(day).strftime("%B %Y")


def _in_two(row: str) -> list[str]:
    """Break a row before its last value."""
    start, _, end = row.rpartition(", ")
    return [f"{start},", f"  {end}"]


def draw_chat(answer: dict[str, Any]) -> None:
    """Draw the chat."""
    drawing = Drawing(CHAT_WIDTH)
    drawing.box(160, 320, 42, "#e7f0ff")
    drawing.text(178, 27, "What did we sell, month by month?")
    drawing.y += 58
    call = ["odoo_core_aggregate", *(f"  {k}: {json.dumps(v)}" for k, v in QUESTION.items())]
    rows = [line for row in answer["records"] for line in _in_two(json.dumps(row))]
    height = 22 + 19 * (len(call) + len(rows))
    drawing.box(20, 460, height, "#f6f8fa", "#d0d7de")
    code = {"font-family": _MONO, "font-size": 12.5}
    drawing.lines(36, 24, call, 19, **code)
    drawing.lines(36, 24 + 19 * len(call), rows, 19, **{**code, "fill": "#0a6640"})
    drawing.y += height + 16
    said = [
        f"{month_name(row[MONTH])}: {row[SUM]:,.2f} without taxes, {row['count']} orders"
        for row in answer["records"]
    ]
    drawing.box(20, 460, 24 + 24 * len(said), "#f0f7ee")
    drawing.lines(38, 28, said, 24)
    drawing.y += 24 + 24 * len(said) + 20
    drawing.save(IMAGES / "chat.svg", "A chat that asks Odoo for the sales of each month")


def draw_notebook() -> None:
    """Draw the notebook's cell, and the table that it shows."""
    with connect() as odoo:
        result = odoo["sale.order"].aggregate(DOMAIN, [MONTH], [SUM, CUSTOMERS])
    code = [
        'orders = odoo["sale.order"]',
        'orders.aggregate([["state", "=", "sale"]], ["date_order:month"],',
        '                 ["amount_untaxed:sum", "partner_id:count_distinct"])',
    ]
    drawing = Drawing()
    height = 20 + 20 * len(code)
    drawing.box(62, 678, height, "#f6f8fa", "#d0d7de")
    drawing.text(20, 25, "[1]:", **{"font-family": _MONO, "font-size": 13, "fill": "#1f6aa5"})
    drawing.lines(76, 25, code, 20, **{"font-family": _MONO, "font-size": 13})
    drawing.y += height + 10
    drawing.text(20, 22, "[1]:", **{"font-family": _MONO, "font-size": 13, "fill": "#a8482c"})
    title = re.search("<p>(.*?)</p>", result._repr_html_() or "")
    columns = list(result[0])
    places = [76, 230, 300, 500]
    drawing.lines(76, 22, [html.unescape(title[1])] if title else [], 20, fill=_GREY)
    drawing.y += 34
    for x, column in zip(places, columns, strict=True):
        drawing.text(x, 16, column, **{"font-weight": "bold", "font-size": 14})
    for row in result:
        drawing.y += 28
        drawing.parts.append(
            f'<line x1="70" x2="735" y1="{drawing.y - 4}" y2="{drawing.y - 4}" stroke="#d0d7de"/>'
        )
        for x, column in zip(places, columns, strict=True):
            drawing.text(x, 16, str(row[column]), **{"font-size": 14})
    drawing.y += 40
    drawing.save(IMAGES / "notebook.svg", "A notebook cell that groups orders by month")


def main() -> None:
    """Draw both."""
    IMAGES.mkdir(exist_ok=True)
    draw_chat(anyio.run(tool_answer))
    draw_notebook()


if __name__ == "__main__":
    main()
