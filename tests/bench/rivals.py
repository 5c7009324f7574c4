"""Other servers of the Model Context Protocol, and other libraries, each in its own environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs

from tests.live.servers import Server
from tests.mcp.stdio_client import StdioClient
from tests.provisioning import pythons
from tests.provisioning.cache import cache_folder, run
from tests.provisioning.releases import DEVELOPMENT_PYTHONS


@attrs.frozen
class Rival:
    """A package, how it is told where Odoo is, and its tool that does what search_read does."""

    package: str
    version: str
    protocol: str
    tool: str
    environ: dict[str, str]
    user_variable: str = "ODOO_USERNAME"
    since: int = 14


RIVALS = (
    Rival("odoo-mcp", "1.3.0", "XML-RPC", "search_records", {}),
    Rival("odoo-mcp", "1.3.0", "JSON-2", "search_records", {"ODOO_TRANSPORT": "json2"}, since=19),
    Rival(
        "mcp-server-odoo",
        "0.9.0",
        "XML-RPC",
        "search_records",
        {"ODOO_YOLO": "read", "ODOO_RPC_TRANSPORT": "xmlrpc"},
        user_variable="ODOO_USER",
    ),
)

#: Libraries whose answers scripts put into frames of pandas.
LIBRARIES = (("odoorpc", "0.10.1"), ("odooly", "2.6.7"))


def environment(library: str) -> Path:
    """Return the Python that has a library, pandas and pyarrow; they are installed if need be."""
    version = dict(LIBRARIES)[library]
    folder = cache_folder() / "rivals" / f"{library}-{version}"
    finished = folder / "finished"
    if not finished.exists():
        python = pythons.make_environment(folder, DEVELOPMENT_PYTHONS, library)
        wanted = [f"{library}=={version}", "pandas", "pyarrow"]
        run(
            [python, "-m", "pip", "install", "--quiet", *wanted],
            failure=f"{library} could not be installed.",
        )
        finished.touch()
    return folder / "bin" / "python"


def start(rival: Rival, server: Server) -> StdioClient:
    """Install a rival unless it is there, start it for the server's administrator, shake hands."""
    user = server.user("admin")
    client = StdioClient(
        {
            "ODOO_URL": server.url,
            "ODOO_DB": server.db,
            rival.user_variable: user.login,
            "ODOO_PASSWORD": user.password,
            **({"ODOO_API_KEY": user.api_key} if rival.protocol == "JSON-2" else {}),
            # Nobody reads their standard error, and a pipe that is full stops them.
            "ODOO_MCP_LOG_LEVEL": "CRITICAL",
            **rival.environ,
        },
        (str(_installed(rival)),),
    )
    client.initialize()
    return client


def search(client: StdioClient, rival: Rival, **arguments: Any) -> None:
    """Call the rival's tool; a failure is no measurement."""
    answer = client.call(rival.tool, **arguments)
    assert not answer.get("isError"), answer


def _installed(rival: Rival) -> Path:
    folder = cache_folder() / "rivals" / f"{rival.package}-{rival.version}"
    program = folder / "bin" / rival.package
    if not program.exists():
        python = pythons.make_environment(folder, DEVELOPMENT_PYTHONS, rival.package)
        run(
            [python, "-m", "pip", "install", "--quiet", f"{rival.package}=={rival.version}"],
            failure=f"{rival.package} could not be installed.",
        )
    return program
