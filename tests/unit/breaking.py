"""An Odoo that breaks, and a clock that a test moves on."""

from __future__ import annotations

import json
from typing import Any

import requests
import responses

from tests.unit.wire import RECORDED


def broken(*failures: Exception | int) -> Any:
    """Return a callback that logs in, then fails in turn, then answers 7."""
    left = list(failures)

    def answer(request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        if b'"login"' in (request.body or b""):  # type: ignore[operator]
            return 200, {}, '{"jsonrpc": "2.0", "result": 2}'
        if b'"fields_get"' in (request.body or b""):  # type: ignore[operator]
            return 200, {}, json.dumps({"jsonrpc": "2.0", "result": RECORDED["14"]["fields"]})
        if left:
            failure = left.pop(0)
            if isinstance(failure, int):
                return failure, {"Content-Type": "text/html"}, "<html>"
            raise failure
        return 200, {}, '{"jsonrpc": "2.0", "result": 7}'

    return answer


def calls_sent(mock: responses.RequestsMock) -> int:
    bodies = [str(call.request.body) for call in mock.calls]
    return sum("execute_kw" in body and "fields_get" not in body for body in bodies)


class Clock:
    """Stands for the module time; sleeping lets it go on, and may be interrupted."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept.append(seconds)
