"""A server that bears one call at a time: everything still works."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from odoo_toolkit import connect, run_queries
from odoo_toolkit.connection.http import Http
from odoo_toolkit.deep_search import deep_search
from tests.live.servers import Server, User, credentials


@pytest.fixture
def under_way(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many requests were sent at a time, noted with each."""
    numbers: list[int] = []
    now: set[object] = set()
    send = Http._send

    def note(http: Http, *arguments: object, **options: object) -> object:
        request = object()
        now.add(request)
        numbers.append(len(now))
        try:
            return send(http, *arguments, **options)
        finally:
            now.discard(request)

    monkeypatch.setattr(Http, "_send", note)
    return numbers


def test_what_is_asked_side_by_side_is_asked_one_by_one(
    server: Server, user: User, under_way: list[int]
) -> None:
    """Deep searches and several questions, from several threads: none is stuck."""
    asked = [{"model": "res.partner", "count": True}, {"model": "res.users", "limit": 1}]
    with (
        connect(**credentials(server, user), max_concurrent_calls=1) as odoo,
        ThreadPoolExecutor(4) as threads,
    ):
        searches = [
            threads.submit(deep_search, odoo, "Azure Interior", exhaustive=True) for _ in range(3)
        ]
        questions = threads.submit(run_queries, odoo, asked)
        found = [search.result(120) for search in searches]
        partners, users = questions.result(120)

    assert [f.results["res.partner"][0]["name"] for f in found] == ["Azure Interior"] * 3
    assert partners.count
    assert users.records
    assert len(under_way) > 10
    assert max(under_way) == 1
