"""What the HTTP server tells Prometheus: calls, errors, durations, connections, refusals.

No label has a value that a client could choose: tools and methods that do not exist are one value
each, and what is called in Odoo is told by its kind, not by model. Over stdio nothing of this is
imported.
"""

from __future__ import annotations

import time
from collections import Counter as Count
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, get_args

import anyio
from mcp import MCPError
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from odoo_toolkit.call import Access
from odoo_toolkit.errors import CODES
from odoo_toolkit.installation import version
from odoo_toolkit_mcp.connection import ConnectionState

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

    from odoo_toolkit.client import CallEvent
    from odoo_toolkit_mcp.server import OdooServer

#: The text format, which every Prometheus reads.
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_TOOL_SECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_CALL_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)

#: The requests of MCP that the server answers.
_METHODS = frozenset(
    {
        *("initialize", "ping", "server/discover", "tools/list", "tools/call"),
        *("resources/list", "resources/templates/list", "resources/read"),
        *("resources/subscribe", "resources/unsubscribe", "subscriptions/listen"),
        *("prompts/list", "prompts/get", "completion/complete"),
    }
)

#: What the protocol itself refuses: no such tool, arguments that are no object, and the like.
_INVALID_REQUEST = "INVALID_REQUEST"


class Metrics:
    """Counts what a server does, from now on.

    Args:
        server: it must not have connected to Odoo yet.
    """

    def __init__(self, server: OdooServer) -> None:
        # They would double the number of lines, and nobody asks when counting began.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._server = server
        self.registry = registry = CollectorRegistry()
        self._tool_calls = Counter(
            "odoo_mcp_tool_calls",
            "Tool calls by result: success, error, cancelled, or question if the user was asked.",
            ["tool", "outcome"],
            registry=registry,
        )
        self._tool_seconds = Histogram(
            "odoo_mcp_tool_duration_seconds",
            "Duration of tool calls.",
            ["tool"],
            buckets=_TOOL_SECONDS,
            registry=registry,
        )
        self._errors = Counter(
            "odoo_mcp_errors",
            "Failed requests, by error code.",
            ["method", "code"],
            registry=registry,
        )
        self._under_way = Gauge(
            "odoo_mcp_requests_under_way",
            "Requests in progress.",
            ["method"],
            registry=registry,
        )
        self._odoo_seconds = Histogram(
            "odoo_mcp_odoo_call_duration_seconds",
            "Duration of calls to Odoo by kind, without the toolkit's own look-ups.",
            ["access"],
            buckets=_CALL_SECONDS,
            registry=registry,
        )
        self._odoo_errors = Counter(
            "odoo_mcp_odoo_call_errors",
            "Calls to Odoo that failed or were rejected, by error code.",
            ["code"],
            registry=registry,
        )
        Info("odoo_mcp", "The server.", registry=registry).info(
            {
                "version": version(),
                "mode": server.settings.mode,
            }
        )
        registry.register(_Standing(server))
        ProcessCollector(registry=registry)
        server.middleware.append(self.watch)
        server.requests.call_hooks.append(self.note_call)

    def text(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        return generate_latest(self.registry)

    def note_call(self, event: CallEvent) -> None:
        """Count a call to Odoo; in any thread."""
        self._odoo_seconds.labels(event.call.access).observe(event.duration_ms / 1000)
        if event.error_code:
            self._odoo_errors.labels(_known_code(event.error_code)).inc()

    async def watch(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Count a request: middleware of the MCP server."""
        if ctx.request_id is None:
            return await call_next(ctx)
        method = ctx.method if ctx.method in _METHODS else "unknown"
        started = time.monotonic()
        outcome, code = "error", None
        with self._under_way.labels(method).track_inprogress():
            try:
                result = await call_next(ctx)
                outcome, code = _outcome(result)
                return result
            except anyio.get_cancelled_exc_class():
                outcome = "cancelled"
                raise
            except MCPError as error:
                code = _code_of(error.data) or _INVALID_REQUEST
                raise
            except Exception:
                code = _INVALID_REQUEST
                raise
            finally:
                if code:
                    self._errors.labels(method, code).inc()
                if method == "tools/call":
                    tool = self._tool(ctx.params)
                    self._tool_calls.labels(tool, outcome).inc()
                    self._tool_seconds.labels(tool).observe(time.monotonic() - started)

    def _tool(self, params: Mapping[str, Any] | None) -> str:
        name, offered = (params or {}).get("name"), self._server.offered
        if not isinstance(name, str):
            return "unknown"
        return offered.called(name, (params or {}).get("arguments") or {}) or "unknown"


def _outcome(result: Any) -> tuple[str, str | None]:
    """Return how a request ended that has a result, and the code of an error."""
    if not isinstance(result, Mapping):
        return "success", None
    if result.get("resultType") == "input_required":
        return "question", None
    if not result.get("isError"):
        return "success", None
    code = _code_of(result.get("structuredContent"))
    # Without an error in it, it is the answer to a request that the client has given up.
    return ("error", code) if code else ("cancelled", None)


def _code_of(error: object) -> str | None:
    """Return the code in the error object of the toolkit; None where it is none."""
    return _known_code(error.get("code")) if isinstance(error, Mapping) else None


def _known_code(code: object) -> str:
    return code if isinstance(code, str) and code in CODES else "UNKNOWN_ERROR"


class _Standing(Collector):
    """What is counted elsewhere, or stands now: looked at when somebody asks."""

    def __init__(self, server: OdooServer) -> None:
        self._requests = server.requests

    def collect(self) -> Iterable[Metric]:
        states = Count(connection.state for connection in self._requests.connections)
        yield _family(
            GaugeMetricFamily,
            "odoo_mcp_odoo_connections",
            "Connections to Odoo. error: connecting or the last call failed.",
            "state",
            {state: states[state] for state in get_args(ConnectionState)},
        )
        refused = self._requests.rate_limits.refused
        yield _family(
            CounterMetricFamily,
            "odoo_mcp_rate_limited",
            "Requests rejected because the client made too many, by kind.",
            "access",
            {access: refused[access] for access in get_args(Access)},
        )


def _family(
    kind: Callable[..., Any], name: str, told: str, label: str, values: Mapping[str, int]
) -> Metric:
    family = kind(name, told, labels=[label])
    for value, number in values.items():
        family.add_metric([value], number)
    metric: Metric = family
    return metric
