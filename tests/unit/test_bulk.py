"""Large base64 values go past the encoders and parsers, unchanged and cheaply."""

from __future__ import annotations

import base64
import gc
import io
import json
import random
import tracemalloc
import xmlrpc.client
from typing import Any

import pytest
import requests
import responses

from odoo_toolkit.call import Call
from odoo_toolkit.configuration import Secret
from odoo_toolkit.connection.bulk import _divert, receiving, sending
from odoo_toolkit.connection.http import Http
from odoo_toolkit.connection.json2 import Json2Transport
from odoo_toolkit.connection.jsonrpc import JsonRpcTransport
from odoo_toolkit.connection.transport import Transport
from odoo_toolkit.connection.xmlrpc import XmlRpcTransport
from tests.unit.wire import URL, settings

MEGABYTES_10 = 10_000_000
READ = Call(model="ir.attachment", method="search_read", arguments={"fields": ["datas"]})


class Kept:
    """A sink that keeps what comes."""

    def __init__(self) -> None:
        self.text = io.StringIO()

    def start(self) -> None:
        self.text = io.StringIO()

    def write(self, piece: bytes) -> None:
        self.text.write(piece.decode())


class Server(requests.adapters.BaseAdapter):
    """Reads requests piece by piece, as a socket does, and keeps only how long they were."""

    def __init__(self, answer: bytes) -> None:
        super().__init__()
        self.answer = answer
        self.received: list[int] = []

    def send(self, request: requests.PreparedRequest, *args: Any, **kw: Any) -> requests.Response:
        body: Any = request.body
        length = 0
        while piece := body.read(16_384):
            length += len(piece)
        assert length == int(request.headers["Content-Length"])
        self.received.append(length)
        answer = requests.Response()
        answer.status_code = 200
        answer.raw = io.BytesIO(self.answer)
        return answer

    def close(self) -> None:
        """Nothing is open."""


def transport_of(name: str, server: Server | None = None) -> tuple[Transport, str]:
    """Return a transport, and the address that its calls go to."""
    http = Http(settings())
    if server:
        http._session.mount("http://", server)
    secret = Secret("key")
    if name == "json2":
        url = f"{URL}/json/2/ir.attachment"
        return Json2Transport(http, "db", secret), url
    if name == "xmlrpc":
        return XmlRpcTransport(http, "db", "admin", secret), f"{URL}/xmlrpc/2/object"
    return JsonRpcTransport(http, "db", "admin", secret, "14.0"), f"{URL}/jsonrpc"


def body_of(name: str, result: Any) -> bytes:
    """Return an answer as the protocol writes it."""
    if name == "json2":
        return json.dumps(result).encode()
    if name == "xmlrpc":
        return xmlrpc.client.dumps((result,), methodresponse=True).encode()
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode()


def values_in(name: str, body: bytes) -> dict[str, Any]:
    """Return the values of a create in a request's body."""
    if name == "json2":
        found: dict[str, Any] = json.loads(body)["vals_list"]
        return found
    if name == "xmlrpc":
        return xmlrpc.client.loads(body)[0][5][0]  # type: ignore[no-any-return, index, call-overload]
    return json.loads(body)["params"]["args"][5][0]


@pytest.fixture(scope="module")
def content() -> str:
    return base64.b64encode(random.Random(7).randbytes(MEGABYTES_10)).decode()


@pytest.mark.parametrize("protocol", ["jsonrpc", "xmlrpc", "json2"])
class TestProtocols:
    def test_down_with_less_than_three_times_the_size(
        self, mock: responses.RequestsMock, protocol: str, content: str
    ) -> None:
        """As text of base64, which alone is 1.33 times the size; without this it took 4 to 9."""
        transport, url = transport_of(protocol)
        address = f"{url}/search_read" if protocol == "json2" else url
        mock.add("POST", address, body_of(protocol, [{"id": 5, "datas": content}]))
        gc.collect()
        tracemalloc.start()
        sink = Kept()
        with receiving(sink):
            rows = transport.send(READ)
        text = sink.text.getvalue()
        ratio = tracemalloc.get_traced_memory()[1] / MEGABYTES_10
        tracemalloc.stop()

        assert rows == [{"id": 5, "datas": ""}]
        assert text == content
        assert ratio < 3

    def test_up_with_hardly_more_than_was_there(self, protocol: str, content: str) -> None:
        server = Server(body_of(protocol, 9))
        transport, _ = transport_of(protocol, server)
        gc.collect()
        tracemalloc.start()
        with sending(content) as mark:
            values = {"name": "big.bin", "datas": mark}
            call = Call(model="ir.attachment", method="create", arguments={"vals_list": values})
            assert transport.send(call) == 9
        ratio = tracemalloc.get_traced_memory()[1] / MEGABYTES_10
        tracemalloc.stop()

        assert server.received[0] > len(content)
        assert ratio < 0.5

    def test_the_request_holds_the_text_in_its_place(
        self, mock: responses.RequestsMock, protocol: str
    ) -> None:
        """However often it is sent."""
        transport, url = transport_of(protocol)
        small = base64.b64encode(bytes(range(256)) * 1000).decode()
        mock.add("POST", f"{url}/create" if protocol == "json2" else url, body_of(protocol, 9))
        with sending(small) as mark:
            values = {"name": "ä.bin", "datas": mark}
            call = Call(model="ir.attachment", method="create", arguments={"vals_list": values})
            transport.send(call)
            transport.send(call)

        assert len(mock.calls) == 2
        for sent in mock.calls:
            assert values_in(protocol, sent.request.body) == {"name": "ä.bin", "datas": small}
            assert "Transfer-Encoding" not in sent.request.headers

    def test_errors_arrive_while_receiving(
        self, mock: responses.RequestsMock, protocol: str
    ) -> None:
        transport, url = transport_of(protocol)
        address = f"{url}/search_read" if protocol == "json2" else url
        mock.add("POST", address, "<html>busy</html>", status=503, content_type="text/html")
        with receiving(Kept()), pytest.raises(Exception, match=r"503|overloaded|not available"):
            transport.send(READ)


@pytest.mark.parametrize("length", [0, 10, 4095, 4096, 4097, 100_000])
@pytest.mark.parametrize("chunk", [1000, 4096, 65_536])
def test_only_long_runs_are_taken_out(length: int, chunk: int) -> None:
    """Wherever the pieces are cut; a short content stays in the answer."""
    value = b"QUJD" * (length // 4) + b"Q" * (length % 4)
    answer = b'{"result": [{"id": 5, "datas": "' + value + b'", "name": "x"}]}'
    sink = Kept()
    pieces = (answer[i : i + chunk] for i in range(0, len(answer), chunk))
    left = _divert(pieces, sink)

    if length < 4096:
        assert (left, sink.text.getvalue()) == (answer, "")
    else:
        assert left == b'{"result": [{"id": 5, "datas": "", "name": "x"}]}'
        assert sink.text.getvalue().encode() == value


def test_nothing_changes_outside(mock: responses.RequestsMock) -> None:
    """Without a sink, a long text stays where it is."""
    transport, url = transport_of("jsonrpc")
    rows = [{"id": 5, "datas": "QUJD" * 5000}]
    mock.add("POST", url, body_of("jsonrpc", rows))
    assert transport.send(READ) == rows
