"""An Odoo 14 in a thread: JSON-RPC over a real socket, with answers recorded from a real one."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.provisioning import ports

RECORDED = json.loads(
    (Path(__file__).parent.parent / "recorded/mcp/odoo-14-res_partner.json").read_text("utf-8")
)
DATABASE, LOGIN, PASSWORD = "odoo14", "admin", "correct horse battery"

Answer = Callable[[list[Any], dict[str, Any]], Any]


#: Of an administrator.
ADMIN = {
    "res.users": {
        "id": 2,
        "name": "Mitchell",
        "company_id": [1, "My Company"],
        "company_ids": [1],
        "lang": "en_US",
        "tz": "Europe/Brussels",
    },
    "res.company": {"id": 1, "name": "My Company", "currency_id": [1, "EUR"]},
}

#: What the server reads for itself of the user and the company.
_WHO = {
    ("res.users", "read", ("name", "company_id", "company_ids", "lang")),
    ("res.users", "read", ("tz",)),
    ("res.users", "read", ("groups_id",)),
    ("res.company", "read", ("name", "currency_id")),
    ("res.company", "read", ("name",)),
}

#: What it reads for itself of the names in a policy's lists.
_OF_LISTS = {("ir.model", ("model",)), ("ir.model.fields", ("name",))}


def _fields_of(args: list[Any], kwargs: dict[str, Any]) -> tuple[str, ...]:
    fields = kwargs.get("fields") or (args[1] if len(args) > 1 else ())
    return tuple(fields) if isinstance(fields, list) else ()


class FaultError(Exception):
    """Makes an answer the JSON-RPC error object ``error``."""

    def __init__(self, error: dict[str, Any]) -> None:
        self.error = error


class _Server(ThreadingHTTPServer):
    request_queue_size = 512  # more calls at once than a busy machine accepts at once


class FakeOdoo:
    """Answers like an Odoo; ``calls`` has what was asked, ``answers`` can be replaced.

    It listens on the same port each time it is started.
    """

    def __init__(self) -> None:
        self._reservation = ports.reserve()
        self.port = self._reservation.number
        self.url = f"http://127.0.0.1:{self.port}"
        self.calls: list[tuple[str, str, list[Any], dict[str, Any]]] = []
        self.logins = 0
        #: model -> what the server reads for itself of the user and the company, once; refused
        #: where there is none. It is not among the calls.
        self.who: dict[str, dict[str, Any]] = {}
        self.version_info: dict[str, Any] = RECORDED["version_info"]
        self.records: dict[int, dict[str, Any]] = {
            record["id"]: dict(record) for record in RECORDED["records"]
        }
        self.answers: dict[tuple[str, str], Answer] = {
            ("res.partner", "fields_get"): lambda args, kwargs: RECORDED["fields"],
            ("res.partner", "search_read"): self._search_read,
            ("res.partner", "read"): self._read,
            ("res.partner", "search"): lambda args, kwargs: list(self.records),
            ("res.partner", "search_count"): lambda args, kwargs: len(self.records),
            ("res.partner", "read_group"): lambda args, kwargs: [
                {
                    "country_id": [233, "United States"],
                    "agg_00": 3,
                    "agg_01": 0,
                    "__count": 3,
                    "__domain": [["country_id", "=", 233]],
                }
            ],
            ("res.partner", "create"): self._create,
            ("res.partner", "write"): self._write,
            ("res.partner", "unlink"): self._unlink,
            ("res.partner", "default_get"): lambda args, kwargs: {"type": "contact", "color": 0},
            ("res.partner", "check_access_rights"): lambda args, kwargs: True,
            ("res.partner", "action_archive"): lambda args, kwargs: True,
            ("account.payment.register", "fields_get"): lambda args, kwargs: {
                "amount": {"type": "monetary", "string": "Amount", "readonly": False}
            },
            ("res.partner", "fields_view_get"): lambda args, kwargs: {
                "arch": '<form><field name="name"/></form>'
            },
            ("account.payment.register", "fields_view_get"): lambda args, kwargs: {
                "arch": '<form><field name="amount"/></form>'
            },
            ("ir.module.module", "search_read"): lambda args, kwargs: [
                {"id": 1, "name": "crm", "shortdesc": "CRM"},
                {"id": 2, "name": "lunch", "shortdesc": "Lunch"},
                {"id": 3, "name": "sale_management", "shortdesc": "Sales"},
            ],
            ("res.lang", "fields_get"): lambda args, kwargs: {
                name: {"type": "boolean" if name == "active" else "char", "string": name}
                for name in ("code", "name", "active")
            },
            ("res.lang", "search_read"): lambda args, kwargs: [
                {"id": 1, "code": "en_US", "name": "English (US)", "active": True}
            ],
            ("res.country", "fields_get"): lambda args, kwargs: {
                "name": {"type": "char", "string": "Name", "store": True, "translate": True}
            },
            ("res.country", "read"): lambda args, kwargs: [{"id": 20, "name": "Belgium"}],
            ("ir.model", "search_read"): lambda args, kwargs: [
                {"id": 80, "model": "res.partner", "name": "Contact"}
            ],
        }
        self._server: _Server | None = None

    def start(self) -> FakeOdoo:
        """Begin to answer."""
        handler = type("Handler", (_Handler,), {"odoo": self})
        self._server = _Server(("127.0.0.1", self.port), handler)
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        return self

    def stop(self) -> None:
        """Refuse connections from now on, and drop those that are open."""
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    @property
    def stopped(self) -> bool:
        """Whether connections are refused."""
        return self._server is None

    def methods(self) -> list[str]:
        """Return the methods called so far, without those that describe fields."""
        return [method for _, method, _, _ in self.calls if method != "fields_get"]

    def dispatch(self, path: str, params: dict[str, Any]) -> Any:
        """Answer one request."""
        if path == "/web/webclient/version_info":
            return self.version_info
        if path == "/web/database/list":
            return [DATABASE]
        if params.get("service") == "common":
            self.logins += 1
            return 2 if params["args"][1:3] == [LOGIN, PASSWORD] else False
        _, _, secret, model, method, args, *rest = params["args"]
        kwargs = rest[0] if rest else {}
        assert secret == PASSWORD
        if (model, method, _fields_of(args, kwargs)) in _WHO:
            if model not in self.who:
                raise FaultError(_access_error(model))
            return [_chosen(self.who[model], [*_fields_of(args, kwargs)])]
        if (model, _fields_of(args, kwargs)) not in _OF_LISTS:
            self.calls.append((model, method, args, kwargs))
        answer = self.answers.get((model, method))
        if answer is None:
            raise FaultError(_access_error(model))
        return answer(args, kwargs)

    def _search_read(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        names = ["domain", "fields", "offset", "limit", "order"]
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        rows = [
            row
            for row in self.records.values()
            # Of domains it knows the ids alone.
            if all(row["id"] in c[2] for c in given.get("domain") or () if c[:2] == ["id", "in"])
        ][given.get("offset") or 0 :]
        return [_chosen(row, given.get("fields")) for row in rows[: given.get("limit") or None]]

    def _read(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        fields = kwargs.get("fields") or (args[1] if len(args) > 1 else None)
        return [_chosen(self.records[i], fields) for i in args[0] if i in self.records]

    def _create(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        several = isinstance(args[0], list)
        ids = []
        for values in args[0] if several else [args[0]]:
            ids.append(max(self.records) + 1)
            self.records[ids[-1]] = {"id": ids[-1], **values}
        return ids if several else ids[0]

    def _write(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        for record_id in args[0]:
            if record_id not in self.records:
                raise FaultError(RECORDED["missing_record"])
            self.records[record_id] |= args[1]
        return True

    def _unlink(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        for record_id in args[0]:
            self.records.pop(record_id, None)
        return True


def _chosen(row: dict[str, Any], fields: list[str] | None) -> dict[str, Any]:
    return {"id": row["id"], **{name: row.get(name, False) for name in fields or row}}


def _access_error(model: str) -> dict[str, Any]:
    return {
        "code": 200,
        "message": "Odoo Server Error",
        "data": {
            "name": "odoo.exceptions.AccessError",
            "debug": "Traceback (most recent call last):\n  File ...",
            "message": f"You are not allowed to access '{model}' ({model}) records.",
            "arguments": [f"You are not allowed to access '{model}' ({model}) records."],
            "context": {},
        },
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Without this, header and body in two packets wait for each other's acknowledgement.
    disable_nagle_algorithm = True
    odoo: FakeOdoo

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or "{}")
        if self.odoo.stopped:
            self.close_connection = True
            return
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request.get("id")}
        try:
            answer["result"] = self.odoo.dispatch(self.path, request.get("params") or {})
        except FaultError as fault:
            answer["error"] = fault.error
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


FIELDS = json.loads(
    (Path(__file__).parent.parent / "recorded/communication.json").read_text("utf-8")
)["14"]["ir.attachment"]


def serve(odoo: FakeOdoo, content: bytes, **values: Any) -> None:
    """Let the fake Odoo have one attachment, 5, of partner 1."""
    described = {
        "id": 5,
        "name": "file",
        "mimetype": "application/octet-stream",
        "file_size": len(content),
        "type": "binary",
        "url": False,
        "res_model": "res.partner",
        "res_field": False,
        "res_id": 1,
        "create_date": "2026-11-21 23:25:00",
        "create_uid": [2, "Mitchell Admin"],
        **values,
    }

    def search_read(args: list[Any], kwargs: dict[str, Any]) -> list[dict[str, Any]]:
        if "datas" in args[1]:
            return [{"id": 5, "datas": base64.b64encode(content).decode()}]
        return [described]

    odoo.answers["ir.attachment", "fields_get"] = lambda args, kwargs: FIELDS
    odoo.answers["ir.attachment", "search_read"] = search_read
    odoo.answers["ir.attachment", "create"] = lambda args, kwargs: 5


def environ_of(odoo: FakeOdoo) -> dict[str, str]:
    return {
        "ODOO_URL": odoo.url,
        "ODOO_DB": DATABASE,
        "ODOO_USERNAME": LOGIN,
        "ODOO_PASSWORD": PASSWORD,
        "ODOO_MCP_LOG_LEVEL": "error",
    }
