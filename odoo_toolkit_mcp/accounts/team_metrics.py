"""The metrics of all servers of a team's process, each with the name of its Odoo and its rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from odoo_toolkit_mcp.metrics import Metrics

if TYPE_CHECKING:
    from odoo_toolkit_mcp.server import OdooServer

Key = tuple[str, int]


class TeamMetrics(Collector):
    """Collects the metrics of several servers."""

    def __init__(self) -> None:
        self._counted: dict[Key, Metrics] = {}
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    def watch(self, key: Key, server: OdooServer) -> None:
        """Count what a server does, from now on; it must not have connected to Odoo yet."""
        self._counted[key] = Metrics(server)

    def text(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        return generate_latest(self._registry)

    def collect(self) -> Iterable[Metric]:
        """Return the metrics of all servers, told apart by labels."""
        merged: dict[str, Metric] = {}
        for (instance, rule), metrics in self._counted.items():
            labels = {"odoo": instance, "rule": str(rule + 1)}
            for metric in metrics.registry.collect():
                if not metric.name.startswith("process_"):  # which are of the whole process
                    _add(merged, metric, labels)
        return merged.values()


def _add(merged: dict[str, Metric], metric: Metric, labels: Mapping[str, str]) -> None:
    known = merged.setdefault(metric.name, Metric(metric.name, metric.documentation, metric.type))
    known.samples += [
        sample._replace(labels={**sample.labels, **labels}) for sample in metric.samples
    ]
