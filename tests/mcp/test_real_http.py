"""Real servers over HTTP: each request as the Odoo user that it names."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.kit.mcp import headers_of, mcp_server
from tests.live.conftest import server
from tests.live.servers import Server, User
from tests.mcp.http_server import RunningServer

__all__ = ["server"]


def test_each_request_has_the_rights_of_its_user(server: Server, era: str, tmp_path: Path) -> None:
    """What the administrator may read stays closed to the demo user, also at the same time."""
    audit = tmp_path / "audit.jsonl"
    admin, demo = server.user("admin"), server.user("demo")
    settings: dict[str, Any] = {
        "transport": "http",
        "credential_headers": True,
        "audit": True,
        "audit_reads": True,
        "audit_file": str(audit),
    }

    with RunningServer(mcp_server(server, admin, **settings)) as served:

        def call(user: User, model: str) -> Any:
            return served.call(era, "odoo_core_count", {"model": model}, **headers_of(user))

        with ThreadPoolExecutor(20) as threads:
            closed = list(threads.map(lambda user: call(user, "ir.ui.view"), [admin, demo] * 10))
        open_to_both = [call(user, "res.partner") for user in (admin, demo)]
        wrong = call(User(admin.login, "", "not a key"), "res.partner")

    assert [result.get("isError", False) for result in closed] == [False, True] * 10
    assert {result["structuredContent"]["code"] for result in closed[1::2]} == {"ACCESS_DENIED"}
    assert not any(result.get("isError") for result in open_to_both)
    assert wrong["isError"]
    lines = [json.loads(line) for line in audit.read_text("utf-8").splitlines()]
    by_success = {
        success: {
            line["odoo_uid"]
            for line in lines
            if line["model"] == "ir.ui.view" and line["success"] is success
        }
        for success in (True, False)
    }
    assert len(by_success[True]) == len(by_success[False]) == 1
    assert by_success[True] != by_success[False]
