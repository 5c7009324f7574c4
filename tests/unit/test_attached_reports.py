"""Reports that are printed and kept on their record."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

from odoo_toolkit.chatter.attachments import UploadedAttachment, attach_report, printing
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError, ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit.records.names import AmbiguousNameError
from odoo_toolkit.reports.generation import GeneratedReport
from tests.unit.operation_checks import writes
from tests.unit.scripted import Scripted

CONTENT = b"%PDF-1.4 offer"
MODELS: dict[str, Any] = {
    "sale.order": {"name": "char"},
    "ir.attachment": {
        "name": "char",
        "mimetype": "char",
        "file_size": "integer",
        "checksum": "char",
        "res_model": "char",
        "res_id": "integer",
        "res_field": "char",
        "datas": "binary",
    },
    "ir.actions.report": {
        "name": "char",
        "report_name": "char",
        "report_type": "char",
        "model": "char",
        "model_id": "many2one ir.model",
        "attachment": "char",
    },
}


class Office(Scripted):
    """Two quotations of the same name, one of another, and a report of orders."""

    def __init__(self, policy: Policy | None = None) -> None:
        report = {"name": "Quotation", "report_type": "qweb-pdf", "model": "sale.order"}
        records: dict[str, list[dict[str, Any]]] = {
            "sale.order": [
                {"id": 5, "name": "S00005"},
                {"id": 6, "name": "Twin"},
                {"id": 7, "name": "Twin"},
            ],
            "ir.attachment": [],
            "ir.actions.report": [
                {"id": 1, "report_name": "sale.report_saleorder", "attachment": "", **report},
                {"id": 2, "report_name": "sale.text", **report, "report_type": "qweb-text"},
            ],
        }
        super().__init__(19, {}, policy, MODELS, records=records)
        self.answers["ir.attachment", "create"] = self._attached

    def _attached(self, call: Any) -> list[int]:
        rows = self.server.records["ir.attachment"]
        values = call.arguments["vals_list"]
        row = {"id": len(rows) + 1, **values, "file_size": len(CONTENT)}
        rows.append({**row, "checksum": hashlib.sha1(CONTENT, usedforsecurity=False).hexdigest()})
        return [row["id"]]


@pytest.fixture(autouse=True)
def printed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was printed."""
    seen: list[Any] = []

    def generate(odoo: Any, report_name: str, record_ids: list[int]) -> GeneratedReport:
        seen.append((report_name, record_ids))
        return GeneratedReport(
            report_name=report_name,
            record_ids=record_ids,
            format="pdf",
            file_name="Quotation - S00005.pdf",
            size=len(CONTENT),
            size_human="14 bytes",
            pages=1,
            model="sale.order",
            source="web_session",
            content_base64=base64.b64encode(CONTENT).decode(),
        )

    monkeypatch.setattr(printing, "generate_report", generate)
    return seen


def attach(odoo: Office, record: Any = "S00005", **options: Any) -> UploadedAttachment:
    return attach_report(odoo, report_name="sale.report_saleorder", record=record, **options)


def test_another_name_is_taken_and_gets_its_ending() -> None:
    assert attach(Office(), file_name=" Offer ").name == "Offer.pdf"


def test_a_copy_that_odoo_keeps_itself_is_not_made_twice() -> None:
    odoo = Office()
    first = attach(odoo)
    again = attach(odoo)
    assert (again.id, len(odoo.server.records["ir.attachment"])) == (first.id, 1)
    assert "Odoo attached the file itself" in again.message


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"record": "Nobody"}, NotFoundError),
        ({"record": 99}, NotFoundError),
        ({"record": "Twin"}, AmbiguousNameError),
        ({"report_name": "sale.nothing"}, NotFoundError),
        ({"report_name": "sale.text"}, ValidationError),
        ({"file_name": " "}, ValidationError),
    ],
)
def test_bad_input_prints_nothing(
    options: dict[str, Any], error: type[OdooError], printed: list[Any]
) -> None:
    odoo = Office()
    with pytest.raises(error):
        attach_report(odoo, **{"report_name": "sale.report_saleorder", "record": 5, **options})
    assert (printed, writes(odoo)) == ([], [])


@pytest.mark.parametrize(
    "policy",
    [Policy(mode="readonly"), Policy(model_blocklist="sale.order")],
)
def test_the_policy_is_asked_before_it_is_printed(policy: Policy, printed: list[Any]) -> None:
    odoo = Office(policy)
    with pytest.raises(AccessError):
        attach(odoo)
    assert (printed, writes(odoo)) == ([], [])
