"""Talk to a provisioned Odoo through ``odoo-toolkit-mcp``, as an MCP client does.

Run it as ``python -m tests.demo [server name] [--again]`` once servers are provisioned. Each call
and its result is printed in short. At the end stand the settings to go on with, for a shell and for
an MCP client. As the session sells something, a database that has seen it gets the settings only.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, MCPError, StdioServerParameters

from odoo_toolkit.change_history.places import usual_file
from tests.live.servers import Server, find_servers
from tests.provisioning.__main__ import how_to_remove
from tests.provisioning.cache import cache_folder, shown_mark

COMMAND = "odoo-toolkit-mcp"
SHOWN = ("id", "ids", "name", "count", "deleted", "updated", "path", "pages")


class DemoError(Exception):
    """The session cannot go on; the message says why."""


def main(arguments: list[str]) -> int:
    """Run the session on the named server, or on the first one; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.demo", description=__doc__)
    parser.add_argument("server", nargs="?", help="a server's name; the first one by default")
    parser.add_argument("--again", action="store_true", help="also where it was shown before")
    chosen = parser.parse_args(arguments)
    try:
        server = _choose(find_servers(), chosen.server)
        parameters = _server_process(server)
        shown = shown_mark(server.name, server.db)
        if shown.exists() and not chosen.again:
            print(f"{server.name} has seen the demo. To see it again: make demo AGAIN=yes")
        else:
            anyio.run(_session, parameters, server)
            shown.parent.mkdir(parents=True, exist_ok=True)
            shown.touch()
    except Exception as error:
        causes = list(_causes(error))
        if not all(isinstance(cause, (DemoError, MCPError, OSError)) for cause in causes):
            raise
        for cause in causes:
            print(f"\nThe demo stopped: {cause}", file=sys.stderr)
        return 1
    for line in settings(server, parameters.command, parameters.env or {}):
        print(line)
    return 0


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield what went wrong: the client's tasks wrap an error into groups of errors."""
    for inner in getattr(error, "exceptions", ()):
        yield from _causes(inner)
    if not hasattr(error, "exceptions"):
        yield error


def _choose(servers: list[Server], name: str | None) -> Server:
    """Return the server that the person named, or the first one."""
    chosen = [one for one in servers if name in (None, one.name)]
    if not chosen:
        raise DemoError(
            "there is no such server. Start one with 'python -m tests.provisioning start 19'."
        )
    return chosen[0]


def _server_process(server: Server) -> StdioServerParameters:
    """Return how to start the MCP server for that Odoo: the command and its environment."""
    # beside the interpreter that runs this: the demo is about this checkout's server
    command = Path(sys.executable).parent / COMMAND
    if not command.exists():
        raise DemoError(f"{COMMAND} is not installed here. Run 'make venv' first.")
    environment = {
        "ODOO_URL": server.url,
        "ODOO_DB": server.db,
        "ODOO_USERNAME": server.login,
        **({"ODOO_API_KEY": server.api_key} if server.api_key else {}),
        **({} if server.api_key else {"ODOO_PASSWORD": server.password}),
        "ODOO_MCP_MODE": "full",  # the demo creates and deletes; the server's default is to read
        "ODOO_MCP_DOWNLOAD_DIR": str(_download_folder()),
    }
    return StdioServerParameters(command=str(command), env=environment)


def _download_folder() -> Path:
    """Return the folder where the server puts files."""
    folder = cache_folder() / "downloads"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


async def _session(parameters: StdioServerParameters, server: Server) -> None:
    """Connect, list the tools, find a customer, read an order, make and unmake a contact."""
    _headline(f"Connecting to {server.name} on {server.url} through {COMMAND}")
    # the tools of each toolset are counted, and the server's log would stand between the calls
    own = {"ODOO_MCP_TOOLS": "flat", "ODOO_MCP_LOG_LEVEL": "warning"}
    process = parameters.model_copy(update={"env": {**(parameters.env or {}), **own}})
    async with Client(process, read_timeout_seconds=60) as client:
        print(f"  connected; protocol {client.protocol_version}")
        await _list_tools(client)
        await _read(client)
        await _write(client)
        await _sell(client)


async def _list_tools(client: Client) -> None:
    """Print how many tools each toolset has."""
    names: list[str] = []
    cursor: str | None = None
    while True:
        page = await client.list_tools(cursor=cursor)
        names += [tool.name for tool in page.tools]
        cursor = page.next_cursor
        if not cursor:
            break
    toolsets = Counter(name.split("_")[1] for name in names)
    _headline(f"The server offers {len(names)} tools")
    print("  " + ", ".join(f"{toolset} {count}" for toolset, count in toolsets.items()))


async def _read(client: Client) -> None:
    """Find a customer and read one of its orders."""
    _headline("Finding a customer")
    found = await _call(
        client,
        "odoo_core_search_read",
        model="res.partner",
        domain=[["name", "ilike", "gemini"], ["is_company", "=", True]],
        fields=["name", "email", "city", "country_id"],
        limit=1,
    )
    customer = _first(found, "no company is named Gemini; is this the demo data?")
    orders_of_customer = [["partner_id", "child_of", customer["id"]]]
    _headline(f"Counting the orders of {customer['name']}, and reading the newest")
    await _call(client, "odoo_core_count", model="sale.order", domain=orders_of_customer)
    orders = await _call(
        client,
        "odoo_core_search_read",
        model="sale.order",
        domain=orders_of_customer,
        fields=["name"],
        order="date_order desc",
        limit=1,
    )
    await _call(
        client,
        "odoo_core_read",
        model="sale.order",
        ids=[_first(orders, "this customer has no order")["id"]],
        fields=["name", "state", "partner_id", "date_order", "amount_total", "currency_id"],
    )


async def _write(client: Client) -> None:
    """Create, update and delete a contact."""
    _headline("Creating, updating and deleting a contact")
    model = "res.partner"
    values = {"name": "Ada Demo", "email": "ada@example.com"}
    created = await _call(client, "odoo_core_create", model=model, values=values)
    ids = [created["id"]]
    await _call(
        client, "odoo_core_write", model=model, ids=ids, values={"phone": "+44 20 7946 0018"}
    )
    await _call(client, "odoo_core_read", model=model, ids=ids, fields=["name", "email", "phone"])
    await _call(client, "odoo_core_unlink", model=model, ids=ids)
    await _call(client, "odoo_core_count", model=model, domain=[["id", "in", ids]])


async def _sell(client: Client) -> None:
    """Sell two of what has to be bought first: from the quotation to the payment and the PDF."""
    _headline("Finding something to sell that is not in stock")
    products = await _call(
        client,
        "odoo_core_search_read",
        model="product.product",
        domain=[
            ["free_qty", "<=", 0],
            ["is_storable", "=", True],
            ["seller_ids", "!=", False],
            ["sale_ok", "=", True],
            ["tracking", "=", "none"],
        ],
        fields=["name", "free_qty", "list_price"],
        limit=1,
    )
    product = _first(
        products,
        "all is in stock; 'python -m tests.provisioning start 19 --fresh' helps.",
    )
    _headline("Making a quotation for Azure Interior, by names")
    customer = "Azure Interior"
    lines = [{"product_id": product["id"], "quantity": 2}]
    order = await _call(client, "odoo_sales_create_order", partner_name=customer, lines=lines)
    _headline("Confirming it")
    name = order["name"]
    await _call(client, "odoo_sales_confirm_order", order_name=name)
    await _buy(client, product["id"])
    _headline("Delivering what was ordered")
    found = await _call(
        client,
        "odoo_core_search_read",
        model="stock.picking",
        domain=[["origin", "=", name]],
        fields=["name", "state"],
    )
    for picking in found["records"]:
        await _call(client, "odoo_inventory_validate_picking", picking_id=picking["id"])
    _headline("Invoicing it, and posting the invoice")
    invoiced = await _call(client, "odoo_sales_create_invoices", order_name=name)
    invoice_id = invoiced["invoices"][0]["id"]
    await _call(client, "odoo_accounting_post_invoice", invoice_id=invoice_id)
    _headline("Registering the payment")
    await _call(client, "odoo_accounting_register_payment", invoice_ids=[invoice_id])
    _headline("Printing the order")
    await _call(
        client,
        "odoo_reports_generate",
        report_name="sale.report_saleorder",
        record_ids=[order["id"]],
    )


async def _buy(client: Client, product_id: int) -> None:
    """Buy two of a product where it is offered, and receive them."""
    _headline("What can be had of it, and when?")
    supply = await _call(client, "odoo_purchase_get_supply", product_id=product_id, quantity=2)
    offer = supply["offers"][0]
    quantity = max(2, -supply["forecast"], offer.get("min_quantity", 0))
    _headline(f"Buying what is missing from {offer['vendor']['name']}, and receiving it")
    order = await _call(
        client,
        "odoo_purchase_create_order",
        partner_id=offer["vendor"]["id"],
        lines=[{"product_id": product_id, "quantity": quantity}],
        confirm=True,
    )
    await _call(client, "odoo_purchase_receive", order_id=order["id"])


async def _call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool, print the call and what came of it, and return the result's content."""
    given = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    print(f"> {tool} {', '.join(given)}")
    answer = await client.call_tool(tool, arguments)
    content: dict[str, Any] = answer.structured_content or {}
    text = "\n".join(part.text for part in answer.content if part.type == "text")
    for line in text.splitlines() if answer.is_error or not content else _readable(content):
        print(f"  {line}")
    if answer.is_error:
        raise DemoError(f"{tool} answered with the error above.")
    return content


def _readable(content: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that show a result: its records, its message, or its first values."""
    if "records" in content:
        yield from (json.dumps(record, ensure_ascii=False) for record in content["records"])
    elif "message" in content:
        yield content["message"]
    else:
        plain = {name: value for name, value in content.items() if name in SHOWN}
        yield ", ".join(f"{name}: {json.dumps(value)}" for name, value in plain.items())


def _first(result: dict[str, Any], missing: str) -> dict[str, Any]:
    """Return the first record of a search's result."""
    records: list[dict[str, Any]] = result["records"]
    if not records:
        raise DemoError(missing)
    return records[0]


def _headline(text: str) -> None:
    """Print what comes next."""
    print(f"\n== {text}", flush=True)


def settings(server: Server, command: str, env: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines with which a shell, an MCP client and a person go on with this Odoo.

    Args:
        server: Where the session was. Only of a provisioned one are the keys printed.
        command: What starts the MCP server.
        env: The settings of the MCP server.
    """
    ours = bool(server.version)
    secret = () if ours else ("ODOO_API_KEY", "ODOO_PASSWORD")
    told = {name: "..." if name in secret else value for name, value in env.items()}
    shell = {name: value for name, value in told.items() if not name.startswith("ODOO_MCP_")}
    yield "\n== Go on in a shell: paste this, and try the examples of README.md"
    yield f". {shlex.quote(str(Path(command).with_name('activate')))}"
    yield "export " + " ".join(f"{name}={shlex.quote(value)}" for name, value in shell.items())
    yield "\n== Go on in an MCP client: paste this into its configuration"
    yield f'{{"mcpServers": {{{json.dumps(server.name)}: {{'
    yield f'  "command": {json.dumps(command)},'
    yield f'  "env": {textwrap.indent(json.dumps(told, indent=2), "  ").lstrip()}'
    yield "}}}"
    if ours:
        yield f"\nIn a browser: {server.url}  ({server.login} / {server.password})"
        yield "To stop it: make demo-stop"
        yield f"To remove it: {how_to_remove(*_left(server))}"


def _left(server: Server) -> Iterator[str]:
    """Yield, for a shell, what else the demo leaves: the environment, and what is known of Odoo."""
    if sys.prefix != sys.base_prefix:
        yield shlex.quote(sys.prefix)
    # beside the history, which the command shares, lies what the MCP server knows of this Odoo
    yield f"{shlex.quote(str(usual_file(server.url).with_suffix('')))}.*"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
