"""``python -m tests.browser`` writes the pictures of the views and of a team's pages.

They come from an Odoo with demo data.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from playwright.async_api import Browser, async_playwright

from odoo_toolkit import connect
from odoo_toolkit.records import create, search_read, unlink
from tests.browser.host import SHOWS_VIEWS, Origins, origins, show
from tests.browser.team_pictures import team_pictures
from tests.kit.mcp import mcp_server
from tests.live.servers import Server, credentials, find_servers

IMAGES = Path(__file__).parents[2] / "docs/images"

#: Companies of Odoo's demo data.
CUSTOMERS = ["Azure Interior", "Ready Mat", "Gemini Furniture", "Acme Corporation", "Deco Addict"]
BY_CUSTOMER: Mapping[str, Any] = {
    "model": "sale.order",
    "domain": [["partner_id.name", "in", CUSTOMERS]],
    "groupby": ["partner_id"],
    "measures": ["amount_total:sum"],
    "order": "amount_total:sum desc",
}


def newest() -> Server:
    """Return the server of the newest Odoo."""
    return max(find_servers(), key=lambda one: int(one.version or 0))


async def pictures(at: Origins, browser: Browser) -> None:
    server = newest()
    with connect(**credentials(server, server.user("admin"))) as odoo:
        orders = search_read(
            odoo, "sale.order", [["partner_id.name", "in", CUSTOMERS]], ["partner_id"], limit=1
        )
        customer = orders.records[0]["partner_id"]["id"]
        products = search_read(
            odoo, "product.product", [["default_code", "like", "FURN_"]], ["id"], limit=2
        )
        invoices = search_read(
            odoo,
            "account.move",
            [["move_type", "=", "out_invoice"], ["state", "=", "posted"]],
            ["id"],
            limit=1,
            order="id",
        )
        lines = [
            {"product_id": record["id"], "quantity": 2, "price_unit": 75.5} for record in products
        ]
        order = {"lines": lines, "commitment_date": "2026-12-18", "dry_run": True}
        twins = [
            create(
                odoo, "res.partner", {"name": "Jansen Interiors", "city": city, "email": mail}
            ).id
            for city, mail in (("Ghent", "info@jansen.example"), ("Bruges", "sales@j.example"))
        ]
        calls: dict[str, tuple[str, Mapping[str, Any], str, int]] = {
            "review": (
                "odoo_sales_create_order",
                {"partner_id": customer, **order},
                "light",
                680,
            ),
            "choose": (
                "odoo_sales_create_order",
                {"partner_name": "Jansen Interiors", **order},
                "light",
                420,
            ),
            "table": (
                "odoo_core_search_read",
                {
                    "model": "sale.order",
                    "domain": BY_CUSTOMER["domain"],
                    "fields": ["name", "partner_id", "date_order", "amount_total", "state"],
                    "limit": 8,
                },
                "light",
                680,
            ),
            "chart": (
                "odoo_core_aggregate",
                {
                    "model": "account.move.line",
                    "domain": [
                        ["date", ">", "2026-08-01"],
                        ["date", "<", "2027-01-01"],
                        ["parent_state", "=", "posted"],
                        ["company_id", "=", 1],
                    ],
                    "groupby": ["date:week"],
                    "measures": ["debit:sum"],
                },
                "light",
                680,
            ),
            "bars": ("odoo_core_aggregate", BY_CUSTOMER, "dark", 680),
            "document": (
                "odoo_reports_generate",
                {
                    "report_name": "account.report_invoice",
                    "record_ids": [invoices.records[0]["id"]],
                },
                "light",
                680,
            ),
        }
        try:
            served = mcp_server(server, server.user("admin"), mode="full")
            async with Client(served, extensions=SHOWS_VIEWS) as client:
                for name, (tool, arguments, theme, width) in calls.items():
                    page = await browser.new_page(viewport={"width": width, "height": 800})
                    shown = await show(page, at, client, tool, dict(arguments), theme=theme)
                    await shown.picture(IMAGES / f"view-{name}.png")
                    await page.close()
        finally:
            unlink(odoo, "res.partner", twins)


async def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with origins() as at:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            await pictures(at, browser)
            await team_pictures(browser, newest(), IMAGES)
            await browser.close()
    if quantizer := shutil.which("pngquant"):
        for path in [*IMAGES.glob("view-*.png"), *IMAGES.glob("team-*.png")]:
            subprocess.run([quantizer, "--force", "--ext", ".png", str(path)], check=True)


if __name__ == "__main__":
    anyio.run(main)
