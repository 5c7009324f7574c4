"""HTTP connections that several users, databases and policies share."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import pickle
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import attrs
import pytest

from odoo_toolkit import AccessError, Odoo, Policy, Pool
from odoo_toolkit.call import Call
from odoo_toolkit.connection.http import Http
from tests.unit.wire import RECORDED, settings

COUNT = Call(model="res.partner", method="search_count", arguments={"domain": []})


class Server(ThreadingHTTPServer):
    """Answers as Odoo 14 over connections that stay open, and counts these."""

    daemon_threads = True
    opened = 0
    cookies: list[str | None]
    asked: list[list[Any]]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def setup(self) -> None:
        super().setup()
        self.server.opened += 1

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.cookies.append(self.headers["Cookie"])
        answer: Any = RECORDED["14"]["version_info"]
        if self.path == "/jsonrpc":
            service, arguments = body["params"]["service"], body["params"]["args"]
            self.server.asked.append(arguments)
            result = {"ann": 7, "ben": 8}[arguments[1]] if service == "common" else 3
            answer = {"jsonrpc": "2.0", "id": 1, "result": result}
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Set-Cookie", "session_id=somebody; Path=/")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: Any) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as running:
        running.cookies, running.asked = [], []
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def user(server: Server, name: str, pool: Pool | None, **keywords: Any) -> Odoo:
    url = f"http://127.0.0.1:{server.server_port}"
    policy = keywords.pop("policy", None)
    chosen = {"url": url, "username": name, "password": name, "database": "one", **keywords}
    return Odoo(settings(**chosen), policy=policy, pool=pool)


def test_users_and_databases_share_sockets_and_nothing_else(server: Server) -> None:
    with Pool() as pool:
        ann, ben = user(server, "ann", pool), user(server, "ben", pool, database="two")
        careful = user(server, "ann", pool, policy=Policy(model_blocklist="res.partner"))
        assert (ann.uid, ben.uid, careful.uid) == (7, 8, 7)
        assert (ann.call(COUNT), ben.call(COUNT)) == (3, 3)
        with pytest.raises(AccessError):
            careful.call(COUNT)

    assert server.opened == 1
    assert [asked[:3] for asked in server.asked[-2:]] == [["one", 7, "ann"], ["two", 8, "ben"]]
    assert set(server.cookies) == {None}


def test_without_a_pool_each_has_its_own(server: Server) -> None:
    with user(server, "ann", None) as ann, user(server, "ben", None) as ben:
        assert (ann.uid, ben.uid) == (7, 8)
    assert server.opened == 2


def test_closing_a_connection_leaves_the_pool_open(server: Server) -> None:
    pool = Pool()
    ann, ben = user(server, "ann", pool), user(server, "ben", pool)
    assert (ann.uid, ben.uid) == (7, 8)
    ann.close()
    assert ben.call(COUNT) == 3
    assert server.opened == 1
    pool.close()
    assert ben.call(COUNT) == 3
    assert server.opened == 2
    pool.close()


def test_a_forked_process_leaves_its_parents_sockets_alone(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with user(server, "ann", None) as ann:
        assert ann.call(COUNT) == 3
        parent = os.getpid()
        monkeypatch.setattr(os, "getpid", lambda: parent + 1)
        assert ann.call(COUNT) == 3
        assert server.opened == 2
        monkeypatch.undo()
        assert ann.call(COUNT) == 3
        assert server.opened == 2


@pytest.mark.parametrize(
    "differs", [{"verify_ssl": False}, {"ca_cert": __file__}, {"proxy": "http://proxy.test"}]
)
def test_other_tls_and_other_proxies_share_no_socket(differs: dict[str, Any]) -> None:
    pool, same = Pool(), settings(lang="fr_FR", username="other", timeout=5)
    assert pool.adapter(settings()) is pool.adapter(same)
    assert pool.adapter(settings()) is not pool.adapter(attrs.evolve(same, **differs))


def test_a_web_session_keeps_its_cookies_to_itself(server: Server) -> None:
    url = f"http://127.0.0.1:{server.server_port}"
    with contextlib.closing(Http(settings(url=url), keep_cookies=True)) as web:
        for _ in range(2):
            web.request("POST", "/web/webclient/version_info", json={})
    assert server.cookies == [None, "session_id=somebody"]


def test_a_copy_of_a_pool_is_empty(server: Server) -> None:
    pool = Pool()
    assert user(server, "ann", pool).uid == 7
    assert pool._adapters
    for copied in (copy.deepcopy(pool), pickle.loads(pickle.dumps(pool))):
        assert copied._adapters == {}
    pool.close()
