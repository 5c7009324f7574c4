"""Reports: which way leads to the PDF, what is checked before, and that nothing stays behind."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
import responses
from pypdf import PdfReader, PdfWriter

from odoo_toolkit import (
    AccessError,
    NotFoundError,
    Odoo,
    OdooConnectionError,
    OdooError,
    Policy,
    ValidationError,
)
from odoo_toolkit.call import Call
from odoo_toolkit.reports import generate_report, list_reports
from odoo_toolkit.reports.by_session import login_address
from odoo_toolkit.reports.ways import only_in_state
from odoo_toolkit_mcp import results
from odoo_toolkit_mcp.files import KeptFiles, deliver
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets.reports import file_of, tools_for
from tests.unit.wire import URL, Wire, error_body, odoo, settings

RECORDED: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "recorded/reports.json").read_text("utf-8")
)
ORDER = "sale.report_saleorder"
SLIP = "stock.report_deliveryslip"


def pdf(width: int = 100, pages: int = 1) -> bytes:
    """Return a PDF that its width tells from others."""
    writer, file = PdfWriter(), io.BytesIO()
    for _ in range(pages):
        writer.add_blank_page(width, 100)
    writer.write(file)
    return file.getvalue()


def widths(content: bytes) -> list[float]:
    return [float(page.mediabox.width) for page in PdfReader(io.BytesIO(content)).pages]


def text64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def fields(**types: str) -> dict[str, Any]:
    return {
        name: {"type": kind, "string": name, **({"relation": "x"} if "2" in kind else {})}
        for name, kind in types.items()
    }


class Printer:
    """An Odoo with reports, e-mail templates and files; ``printed`` has what was asked of the web.

    ``answers`` has by record id what the web route gives: a PDF, or (status, headers, body).
    """

    def __init__(self, mock: responses.RequestsMock, version: str) -> None:
        self.wire, self.version = Wire(mock, version), version
        self.records = {i: f"S0000{i}" for i in range(1, 30)}
        self.printed: list[dict[str, Any]] = []
        self.answers: dict[int, Any] = {}
        self.session = "web"
        self.logins = 0
        self.login_answer: Any = RECORDED[version]["login"]
        #: id -> (res_model, name, content)
        self.files: dict[int, tuple[str, str, bytes]] = {
            9: ("mail.compose.message", "Terms.pdf", pdf(9))
        }
        self.templates: dict[int, list[int]] = {}
        self.rights = {"create": True, "unlink": True}
        self.onchange_gives_files = True
        #: What the user sees of the system parameters; None without Settings permissions.
        self.parameters: dict[str, str] | None = {"web.base.url": URL}
        self.evaluated = {"lang": "${object.partner_id.lang}", "report_name": "Order_${object.id}"}
        answers = self.wire.answers
        template = "report_template" if version == "14" else "report_template_ids"
        kind = "many2one" if version == "14" else "many2many"
        plain = fields(id="integer", display_name="char", name="char", state="selection")
        for model in ("sale.order", "stock.picking", "mail.compose.message"):
            answers[model, "fields_get"] = plain
        answers["mail.template", "fields_get"] = {
            **plain,
            **fields(**{"model_id": "many2one", template: kind}),
        }
        answers["ir.actions.report", "search_read"] = self._search_reports
        answers["ir.config_parameter", "search_read"] = self._search_parameters
        answers["sale.order", "read"] = answers["stock.picking", "read"] = self._read
        answers["mail.template", "search_read"] = lambda args, kwargs: [
            {"id": i, template: [*reports[:1], "x"] if version == "14" else reports,
             "attachment_ids": [9], **self.evaluated}
            for i, reports in self.templates.items() if args[0][1][2] in reports
        ]  # fmt: skip
        answers["mail.template", "check_access_rights"] = lambda args, kwargs: self.rights[args[0]]
        answers["mail.template", "has_access"] = lambda args, kwargs: self.rights[args[1]]
        answers["mail.template", "search"] = lambda args, kwargs: list(self.templates)
        answers["mail.template", "create"] = self._make_template
        answers["mail.template", "unlink"] = lambda args, kwargs: (
            [self.templates.pop(i) for i in args[0]] != []
        )
        answers["mail.template", "generate_email"] = self._generate
        answers["mail.compose.message", "onchange"] = self._onchange
        answers["mail.compose.message", "create"] = lambda args, kwargs: 44
        answers["mail.compose.message", "read"] = lambda args, kwargs: [
            {"id": 44, "attachment_ids": [9, self._attach(7)]}
        ]
        answers["ir.attachment", "search"] = lambda args, kwargs: [
            i for i in args[0][0][2] if self.files[i][0] == "mail.compose.message"
        ]
        answers["ir.attachment", "read"] = lambda args, kwargs: [
            {"id": i, "name": self.files[i][1], "datas": text64(self.files[i][2])} for i in args[0]
        ]
        answers["ir.attachment", "unlink"] = lambda args, kwargs: (
            [self.files.pop(i) for i in args[0]] != []
        )
        mock.add_callback("POST", f"{URL}/web/session/authenticate", self._log_in)
        mock.add_callback("GET", f"{URL}/report/download", self._print)

    def methods(self) -> list[str]:
        """Return the calls made, without those that describe fields and rights."""
        aside = {"fields_get", "check_access_rights", "has_access"}
        return [f"{model}.{name}" for model, name, *_ in self.wire.calls if name not in aside]

    def _search_reports(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        rows = RECORDED[self.version]["reports"]
        return [row for row in rows if all(row[name] == value for name, _, value in args[0])]

    def _search_parameters(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if self.parameters is None:
            return error_body(self.version, "access_error_model")
        wanted = args[0][0][2]
        return [{"key": k, "value": v} for k, v in self.parameters.items() if k in wanted]

    def _read(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return [{"id": i, "display_name": self.records[i]} for i in args[0] if i in self.records]

    def _make_template(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        values = args[0][0] if isinstance(args[0], list) else args[0]
        given = values.get("report_template") or values["report_template_ids"][0][2]
        self.templates[77] = given if isinstance(given, list) else [given]
        return [77] if isinstance(args[0], list) else 77

    def _generate(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        name = "" if args[0] == [77] else "Order_S1.pdf"
        file = [name or "report.sale.report_saleorder.pdf", text64(pdf(kwargs["res_ids"]))]
        return {"subject": "x", "attachment_ids": [9], "attachments": [file]}

    def _onchange(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if not self.onchange_gives_files:
            return {"value": {}}
        record_id = json.loads(args[1]["res_ids"])[0]
        # A template that was made for this has no files of its own.
        own = [] if args[1]["template_id"] == 77 else [[4, 9, {"id": 9}]]
        return {"value": {"attachment_ids": [*own, [4, self._attach(record_id), {}]]}}

    def _attach(self, record_id: int) -> int:
        self.files[100] = ("mail.compose.message", f"Quotation - S{record_id}.pdf", pdf(record_id))
        return 100

    def _log_in(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        self.logins += 1
        self.session = f"web{self.logins}"
        headers = {"Set-Cookie": f"session_id={self.session}; Path=/"}
        return 200, headers, json.dumps(self.login_answer)

    def _print(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], Any]:
        expired = RECORDED[self.version]["expired"]
        if request.headers.get("Cookie") != f"session_id={self.session}":
            return expired["status"], expired["headers"], ""
        query = {key: values[0] for key, values in parse_qs(urlsplit(request.url).query).items()}
        self.printed.append(query)
        record_id = int(json.loads(query["data"])[0].rsplit("/", 1)[1])
        answer = self.answers.get(record_id, pdf(record_id))
        if isinstance(answer, dict):
            return answer["status"], answer["headers"], answer["body"]
        if isinstance(answer, bytes):
            return 200, RECORDED[self.version]["printed"]["headers"], answer
        status, headers, body = answer(self) if callable(answer) else answer
        return status, headers, body


@pytest.fixture(params=["14", "19"])
def printer(request: pytest.FixtureRequest, mock: responses.RequestsMock) -> Printer:
    """An Odoo 14, an Odoo 19."""
    return Printer(mock, request.param)


@pytest.fixture
def newest(mock: responses.RequestsMock) -> Printer:
    """An Odoo 19."""
    return Printer(mock, "19")


@pytest.fixture
def oldest(mock: responses.RequestsMock) -> Printer:
    """An Odoo 14."""
    return Printer(mock, "14")


def report_id(version: str, name: str) -> int:
    found = next(row for row in RECORDED[version]["reports"] if row["report_name"] == name)
    return int(found["id"])


def by_key(policy: Policy | None = None, **keywords: Any) -> Odoo:
    """Return a connection with an API key and no password."""
    return odoo(policy, password=None, api_key="0123456789", protocol="jsonrpc", **keywords)


# Listing ------------------------------------------------------------------------------------


def test_the_reports_of_a_model_are_listed_in_one_round_trip(printer: Printer) -> None:
    found = list_reports(odoo(), "sale.order")

    assert printer.methods() == ["ir.actions.report.search_read"]
    assert len(printer.wire.calls) == 1
    assert found.model == "sale.order"
    assert found.count == len(found.reports) > 1
    assert ORDER in [report.report_name for report in found.reports]
    assert {report.report_type for report in found.reports} == {"qweb-pdf"}


def test_reports_that_are_no_pdfs_are_listed_with_their_type(oldest: Printer) -> None:
    types = {r.report_name: r.report_type for r in list_reports(odoo(), "stock.picking").reports}
    assert types["stock.label_transfer_template_view_zpl"] == "qweb-text"


def test_a_model_without_reports_has_none_and_an_unknown_model_is_an_error(oldest: Printer) -> None:
    assert list_reports(odoo(), "res.partner").reports == []

    oldest.wire.answers["no.model", "fields_get"] = error_body("14", "unknown_model")
    oldest.wire.answers["ir.model", "search_read"] = []
    with pytest.raises(NotFoundError) as caught:
        list_reports(odoo(), "no.model")
    assert caught.value.code == "UNKNOWN_MODEL"


@pytest.mark.parametrize("call", [lambda o: list_reports(o, "sale.order"),
                                  lambda o: generate_report(o, ORDER, [1])])  # fmt: skip
def test_reports_of_a_model_that_the_policy_closes_are_refused(printer: Printer, call: Any) -> None:
    with pytest.raises(AccessError) as caught:
        call(odoo(Policy(model_blocklist="sale.order")))
    assert caught.value.code == "MODEL_BLOCKED"
    assert printer.printed == []


def test_an_allowlist_need_not_name_the_models_behind_reports(printer: Printer) -> None:
    policy = Policy(model_allowlist="sale.order", mode="readonly")
    assert list_reports(odoo(policy), "sale.order").count
    assert generate_report(odoo(policy), ORDER, [1]).source == "web_session"


# Checked before anything is printed ---------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "meant"),
    [("sale.report_saleoder", ORDER), ("Delivery Slip", SLIP), ("sale.report_saleorder ", ORDER)],
)
def test_an_unknown_report_brings_similar_ones(printer: Printer, asked: str, meant: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        generate_report(odoo(), asked, [1])
    assert meant in caught.value.details["did_you_mean"]
    assert meant in caught.value.message
    assert printer.printed == []


def test_similar_names_do_not_tell_of_closed_models(printer: Printer) -> None:
    with pytest.raises(NotFoundError) as caught:
        generate_report(odoo(Policy(model_blocklist="sale.order")), "sale.report_saleoder", [1])
    assert ORDER not in str(caught.value.to_dict())


def test_a_report_that_is_no_pdf_is_refused(oldest: Printer) -> None:
    with pytest.raises(ValidationError, match="qweb-text"):
        generate_report(odoo(), "stock.label_transfer_template_view_zpl", [1])
    assert oldest.printed == []


def test_missing_records_are_named_with_the_model_that_the_report_prints(printer: Printer) -> None:
    with pytest.raises(NotFoundError) as caught:
        generate_report(odoo(), ORDER, [1, 99999])
    assert "99999" in caught.value.message
    assert "sale.order" in caught.value.message
    assert caught.value.details["missing_ids"] == [99999]
    assert printer.printed == []


@pytest.mark.parametrize("ids", [[], [0], [-1], [True], ["1"], list(range(1, 22)), None])
def test_wrong_ids_are_refused_before_anything_is_sent(
    mock: responses.RequestsMock, ids: Any
) -> None:
    with pytest.raises(ValidationError):
        generate_report(odoo(), ORDER, ids)
    assert len(mock.calls) == 0


def test_a_context_that_the_policy_forbids_is_refused(printer: Printer) -> None:
    with pytest.raises(AccessError):
        generate_report(odoo(Policy(field_blocklist="note")), ORDER, [1], {"default_note": "x"})
    assert printer.printed == []


# With a password ----------------------------------------------------------------------------


def test_a_password_prints_by_the_web_session(printer: Printer) -> None:
    connection = odoo(lang="fr_FR")
    result = generate_report(connection, ORDER, [5], {"tz": "Asia/Tokyo"})

    assert result.source == "web_session"
    assert widths(result.content) == [5]
    assert result.file_name == "Quotation - S00001.pdf"
    assert (result.format, result.pages, result.model) == ("pdf", 1, "sale.order")
    assert (result.report_name, result.record_ids) == (ORDER, [5])
    assert result.size == len(result.content)
    assert result.size_human == f"{result.size} bytes"
    assert result.warnings == []
    assert printer.methods() == [
        "ir.actions.report.search_read",
        "sale.order.read",
        "ir.config_parameter.search_read",
    ]
    query = printer.printed[0]
    assert json.loads(query["data"]) == [f"/report/pdf/{ORDER}/5", "qweb-pdf"]
    assert json.loads(query["context"]) == {"lang": "fr_FR", "tz": "Asia/Tokyo"}
    assert query["token"]


def test_records_are_printed_one_by_one_and_merged_in_order(printer: Printer) -> None:
    printer.answers[4] = pdf(4, pages=2)
    result = generate_report(odoo(), ORDER, [7, 4, 2])

    assert widths(result.content) == [7, 4, 4, 2]
    assert (result.pages, result.record_ids) == (4, [7, 4, 2])
    assert len(printer.printed) == 3
    assert printer.logins == 1
    # Odoo's own name would be that of the first record.
    assert "S0000" not in result.file_name


def test_a_session_that_expires_between_two_reports_logs_in_again_once(printer: Printer) -> None:
    def expire_after(printer: Printer) -> tuple[int, dict[str, str], bytes]:
        printer.session = "forgotten"
        return 200, RECORDED[printer.version]["printed"]["headers"], pdf(1)

    printer.answers[1] = expire_after
    result = generate_report(odoo(), ORDER, [1, 2])

    assert widths(result.content) == [1, 2]
    assert printer.logins == 2


def test_what_odoo_says_against_printing_is_passed_on(printer: Printer) -> None:
    printer.answers[1] = RECORDED[printer.version]["user_error"]
    with pytest.raises(ValidationError, match="No original"):
        generate_report(odoo(), ORDER, [1])


def test_a_record_that_vanishes_while_printing_is_an_error_without_traceback(
    printer: Printer,
) -> None:
    printer.answers[1] = RECORDED[printer.version]["missing_record"]
    with pytest.raises(OdooError) as caught:
        generate_report(odoo(), ORDER, [1])
    assert "Traceback" not in json.dumps(caught.value.to_dict())


@pytest.mark.parametrize(
    "answer",
    [
        RECORDED["14"]["empty_pdf"].encode("latin-1"),
        pdf()[:60],
        (200, {"Content-Type": "text/html"}, "<html>Log in</html>"),
        (200, {"Content-Type": "application/pdf"}, "<html>Log in</html>"),
        (200, {"Content-Type": "text/html"}, pdf()),
        (500, {"Content-Type": "text/html"}, "<title>Internal Server Error</title>"),
        (502, {"Content-Type": "text/html"}, "<title>Bad Gateway</title>"),
    ],
    ids=["no-page", "cut-off", "page", "page-as-pdf", "pdf-as-page", "500", "502"],
)
def test_what_is_no_pdf_with_a_page_never_passes_for_one(printer: Printer, answer: Any) -> None:
    printer.answers[2] = answer
    with pytest.raises(OdooError) as caught:
        generate_report(odoo(), ORDER, [1, 2])
    assert caught.value.category == "connection"


def test_a_refused_password_beside_no_key_says_so(printer: Printer) -> None:
    printer.login_answer = RECORDED[printer.version]["refused"]
    with pytest.raises(AccessError) as caught:
        generate_report(odoo(Policy(mode="readonly")), ORDER, [1])
    assert "does not accept the password" in caught.value.message


def refused_login(printer: Printer, connection: Odoo) -> str:
    """Return why the web session is not taken, and see that no login was tried."""
    with pytest.raises(AccessError) as caught:
        generate_report(connection, ORDER, [1])
    assert printer.logins == 0
    return caught.value.message


@pytest.mark.parametrize("mode", ["full", "restricted", "readonly"])
def test_no_login_changes_the_address_in_odoos_links(printer: Printer, mode: Any) -> None:
    printer.parameters = {"web.base.url": "https://erp.example.com"}
    policy = Policy(mode=mode, model_blocklist="mail.template", method_blocklist="get_portal_url")
    message = refused_login(printer, odoo(policy))
    for said in (
        "https://erp.example.com",
        URL,
        "web.base.url.freeze",
        "without Settings permissions",
    ):
        assert said in message


@pytest.mark.parametrize(
    ("parameters", "url"),
    [
        ({"web.base.url": "https://erp.example.com", "web.base.url.freeze": "True"}, URL),
        ({"web.base.url.freeze": "1"}, URL),
        ({"web.base.url": URL}, f"{URL}/"),
        (None, URL),
    ],
    ids=["frozen", "frozen-none", "the-same", "no-settings-rights"],
)
def test_a_login_that_leaves_the_address_alone_prints(
    printer: Printer, parameters: dict[str, str] | None, url: str
) -> None:
    printer.parameters = parameters
    assert generate_report(odoo(url=url), ORDER, [1]).source == "web_session"


@pytest.mark.parametrize(
    "parameters",
    [{}, {"web.base.url": f"{URL}/"}, {"web.base.url": "x", "web.base.url.freeze": ""}],
    ids=["none", "a-slash-more", "not-frozen"],
)
def test_the_address_must_be_exactly_what_odoo_would_write(
    printer: Printer, parameters: dict[str, str]
) -> None:
    printer.parameters = parameters
    policy = Policy(mode="readonly", model_blocklist="mail.template")
    assert "web.base.url" in refused_login(printer, odoo(policy))


def test_a_refusal_that_is_not_odoos_own_lets_no_login_pass(printer: Printer) -> None:
    """Only Odoo's word that this user reads no parameters shows that it has no Settings rights."""
    policy = Policy(mode="readonly", model_blocklist="mail.template")
    connection = odoo(policy)
    send = connection._send

    def refuse(call: Call) -> Any:
        if call.model == "ir.config_parameter":
            raise AccessError("A proxy forbids it.", outcome="refused")
        return send(call)

    connection._send = refuse
    assert "A proxy forbids it" in refused_login(printer, connection)


def test_an_address_that_changed_meanwhile_is_asked_for_at_the_next_login(
    printer: Printer,
) -> None:
    def expire_after(printer: Printer) -> tuple[int, dict[str, str], bytes]:
        printer.session = "forgotten"
        printer.parameters = {"web.base.url": "https://erp.example.com"}
        return 200, RECORDED[printer.version]["printed"]["headers"], pdf(1)

    printer.answers[1] = expire_after
    policy = Policy(mode="readonly", model_blocklist="mail.template")
    with pytest.raises(AccessError, match=r"https://erp\.example\.com"):
        generate_report(odoo(policy), ORDER, [1, 2])
    assert printer.logins == 1


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://Odoo.Test:8069/odoo/", "http://odoo.test:8069"),
        ("https://odoo.test:443", "https://odoo.test"),
        ("http://odoo.test:443", "http://odoo.test:443"),
        ("http://[::1]:8069", "http://[::1]:8069"),
    ],
)
def test_the_address_that_a_login_comes_by(url: str, address: str) -> None:
    assert login_address(url) == address


def test_a_password_of_another_user_than_the_keys_is_not_tried(
    mock: responses.RequestsMock,
) -> None:
    """With JSON-2 the key alone says who we are: its user's rights tell nothing of the other's."""
    printer = Printer(mock, "19")
    printer.parameters = None
    printer.wire.answers["res.users", "read"] = [{"id": 2, "login": "demo"}]

    class ByKey(Odoo):
        protocol = "json2"

    policy = Policy(mode="readonly", model_blocklist="mail.template")
    connection = ByKey(settings(api_key="0123456789", protocol="jsonrpc"), policy=policy)
    assert "another user" in refused_login(printer, connection)

    printer.wire.answers["res.users", "read"] = [{"id": 2, "login": "admin"}]
    assert generate_report(connection, ORDER, [1]).source == "web_session"


def test_a_password_of_another_user_is_not_used(printer: Printer) -> None:
    answer = json.loads(json.dumps(printer.login_answer))
    answer["result"]["uid"] = 12
    printer.login_answer = answer
    with pytest.raises(AccessError, match="another user"):
        generate_report(odoo(Policy(mode="readonly")), ORDER, [1])
    assert printer.printed == []


def test_a_report_that_odoo_keeps_a_copy_of_is_told(printer: Printer) -> None:
    row = dict(RECORDED[printer.version]["reports"][0], attachment="object.name + '.pdf'")
    printer.wire.answers["ir.actions.report", "search_read"] = [row]
    assert "stores a copy" in generate_report(odoo(), row["report_name"], [1]).warnings[0]


# Where nothing may be written ---------------------------------------------------------------

POSTED = "(object.state == 'posted') and ((object.name or 'INV').replace('/','_')+'.pdf')"


@pytest.fixture
def keeping(printer: Printer) -> Printer:
    """An Odoo that keeps the PDFs of orders in the state "posted"; 1 is a draft, 2 is not."""
    rows = [
        {**row, "attachment": POSTED}
        for row in RECORDED[printer.version]["reports"]
        if row["report_name"] == ORDER
    ]
    states = {1: "draft", 2: "posted"}
    printer.wire.answers["ir.actions.report", "search_read"] = rows
    printer.wire.answers["sale.order", "read"] = lambda args, kwargs: [
        {"id": i, "display_name": f"S{i}", "state": states[i]} for i in args[0]
    ]
    return printer


@pytest.mark.parametrize(
    "policy", [Policy(mode="readonly"), Policy(mode="restricted", write_allowlist="res.partner")]
)
def test_nothing_is_printed_of_which_odoo_would_keep_a_copy(
    keeping: Printer, policy: Policy
) -> None:
    with pytest.raises(AccessError, match=r"attaches the PDF .*\(sale\.order 2\)") as caught:
        generate_report(odoo(policy), ORDER, [1, 2])
    assert caught.value.code == "MODE_VIOLATION"
    assert "attachments" in caught.value.suggestion
    assert keeping.logins == 0
    assert keeping.printed == []


@pytest.mark.parametrize(
    ("policy", "record_id"),
    [
        (Policy(mode="readonly"), 1),
        (Policy(mode="restricted", write_allowlist="sale.order"), 2),
        (Policy(), 2),
    ],
)
def test_what_is_not_kept_or_may_be_kept_is_printed(
    keeping: Printer, policy: Policy, record_id: int
) -> None:
    assert widths(generate_report(odoo(policy), ORDER, [record_id]).content) == [record_id]


@pytest.mark.parametrize(
    ("expression", "state"),
    [
        (POSTED, "posted"),
        ("object.state == 'done' and object.name", "done"),
        ("object.state == 'done' and object.name or 'x'", None),
        ("object.state != 'draft' and object.name", None),
        ("object.state == 'done' or object.name", None),
        ("object.name and object.state == 'done'", None),
        ("object.partner_id.state == 'done' and object.name", None),
        ("other.state == 'done' and object.name", None),
        ("'x.pdf'", None),
        ("object.state ==", None),
    ],
)
def test_only_a_state_that_comes_first_excludes_a_copy(expression: str, state: str | None) -> None:
    assert only_in_state(expression) == state


@pytest.mark.parametrize("version", ["14", "19"])
def test_invoices_of_19_are_not_printed_where_they_may_not_change(
    mock: responses.RequestsMock, version: str
) -> None:
    printer = Printer(mock, version)
    name = "account.report_invoice_with_payments"
    row = {
        **RECORDED[version]["reports"][0],
        "report_name": name,
        "model": "account.move",
        "attachment": False,
    }
    printer.wire.answers["ir.actions.report", "search_read"] = [row]
    printer.wire.answers["account.move", "fields_get"] = fields(id="integer", display_name="char")
    printer.wire.answers["account.move", "read"] = [{"id": 1, "display_name": "INV/1"}]
    readonly = odoo(Policy(mode="readonly"))
    if version == "14":
        assert generate_report(readonly, name, [1]).source == "web_session"
        return
    with pytest.raises(AccessError, match=r"changes records of account\.move") as caught:
        generate_report(readonly, name, [1])
    assert "invoice_pdf_report_id" in caught.value.suggestion
    assert printer.logins == 0
    assert generate_report(odoo(), name, [1]).source == "web_session"


# With an API key only -----------------------------------------------------------------------


def test_to_16_an_email_template_prints_without_writing_even_in_readonly_mode(
    oldest: Printer,
) -> None:
    oldest.templates[21] = [report_id("14", ORDER)]
    result = generate_report(by_key(Policy(mode="readonly")), ORDER, [3, 5])

    assert result.source == "mail_template"
    assert widths(result.content) == [3, 5]
    assert oldest.logins == 0
    assert oldest.methods() == [
        "ir.actions.report.search_read",
        "sale.order.read",
        "mail.template.search_read",
        "mail.template.generate_email",
        "mail.template.generate_email",
    ]
    single = generate_report(by_key(), ORDER, [3])
    assert single.file_name == "Order_S1.pdf"


@pytest.mark.parametrize("field", ["lang", "report_name"])
@pytest.mark.parametrize(
    ("text", "prints"),
    [
        ("", True),
        ("${object.partner_id.lang}", True),
        ("PO_${(object.name or '').replace('/','_')}", True),
        ("${object.state == 'draft' and ('x' or '_draft') or ''}", True),
        ("${object.get_portal_url()}", False),
        ("${object.write({'name': 'x'})}", False),
        ("{{ object._rating_get_partner().lang }}", False),
        ("${object['write']({'name': 'x'})}", False),
        ("${(object.write)({'name': 'x'})}", False),
        ("${[object] | map('write') | list}", False),
    ],
)
def test_a_template_that_calls_something_is_not_rendered_in_readonly_mode(
    oldest: Printer, field: str, text: str, prints: bool
) -> None:
    oldest.templates[21] = [report_id("14", ORDER)]
    oldest.evaluated[field] = text
    connection = by_key(Policy(mode="readonly"))
    if prints:
        assert generate_report(connection, ORDER, [3]).source == "mail_template"
    else:
        with pytest.raises(AccessError, match="calls methods, which may write"):
            generate_report(connection, ORDER, [3])
        assert oldest.wire.asked("generate_email") == []
    assert generate_report(by_key(), ORDER, [3]).source == "mail_template"


def test_a_templates_subject_and_body_are_not_rendered(oldest: Printer) -> None:
    oldest.templates[21] = [report_id("14", ORDER)]
    generate_report(by_key(), ORDER, [3])
    ((_, _, _, arguments),) = oldest.wire.asked("generate_email")
    assert arguments["fields"] == ["lang"]


def test_templates_that_the_policy_closes_are_not_used(printer: Printer) -> None:
    printer.templates[21] = [report_id(printer.version, ORDER)]
    policy = Policy(mode="readonly", model_blocklist="mail.template")
    with pytest.raises(AccessError, match=r"mail\.template cannot be accessed"):
        generate_report(by_key(policy), ORDER, [1])
    assert not [call for call in printer.methods() if call.startswith("mail.")]


def test_from_17_the_email_form_prints_and_its_file_is_removed(newest: Printer) -> None:
    newest.templates[29] = [report_id("19", ORDER)]
    result = generate_report(by_key(), ORDER, [3])

    assert result.source == "mail_template"
    assert widths(result.content) == [3]
    assert result.file_name == "Quotation - S3.pdf"
    assert result.warnings == []
    # The template's own file is neither taken for the report nor removed.
    assert list(newest.files) == [9]
    assert newest.methods()[2:] == [
        "mail.template.search_read",
        "mail.compose.message.onchange",
        "ir.attachment.search",
        "ir.attachment.read",
        "ir.attachment.unlink",
    ]


def test_a_form_that_gives_no_file_unsaved_is_saved_and_that_is_told(newest: Printer) -> None:
    newest.templates[29] = [report_id("19", ORDER)]
    newest.onchange_gives_files = False
    result = generate_report(by_key(), ORDER, [7])

    assert widths(result.content) == [7]
    assert "mail.compose.message 44" in result.warnings[0]
    assert list(newest.files) == [9]


def test_a_template_with_another_report_beside_is_not_taken(newest: Printer) -> None:
    newest.templates[29] = [report_id("19", ORDER), 1]
    assert generate_report(by_key(), ORDER, [1]).source == "temporary_mail_template"
    assert list(newest.templates) == [29]


def test_without_a_template_one_is_made_and_removed(printer: Printer) -> None:
    result = generate_report(by_key(), SLIP, [1, 2])

    assert result.source == "temporary_mail_template"
    assert widths(result.content) == [1, 2]
    assert printer.templates == {}
    assert list(printer.files) == [9]
    assert result.warnings == []
    assert len(printer.wire.asked("create")) == 1


def test_a_file_without_a_name_is_called_after_report_and_record(oldest: Printer) -> None:
    assert generate_report(by_key(), SLIP, [1]).file_name == "Delivery Slip - S00001.pdf"


def test_temporary_records_are_removed_after_a_failure_too(printer: Printer) -> None:
    failing = {"14": ("mail.template", "generate_email"), "19": ("ir.attachment", "read")}
    key = failing[printer.version]
    printer.wire.answers[key] = error_body(printer.version, "unlink_protected")
    with pytest.raises(OdooError):
        generate_report(by_key(), SLIP, [1])
    assert printer.templates == {}
    assert list(printer.files) == [9]


def test_an_empty_pdf_from_a_template_fails_and_leaves_nothing(newest: Printer) -> None:
    def attach(record_id: int) -> int:
        empty = RECORDED["14"]["empty_pdf"].encode("latin-1")
        newest.files[100] = ("mail.compose.message", "x.pdf", empty)
        return 100

    newest._attach = attach
    with pytest.raises(OdooError, match="without a page"):
        generate_report(by_key(), SLIP, [1])
    assert newest.templates == {}
    assert list(newest.files) == [9]


def test_what_cannot_be_removed_is_told_and_the_pdf_given(newest: Printer) -> None:
    refused = error_body("19", "unlink_protected")
    newest.wire.answers["mail.template", "unlink"] = refused
    newest.wire.answers["ir.attachment", "unlink"] = refused
    result = generate_report(by_key(), SLIP, [1])

    assert widths(result.content) == [1]
    assert any("attachments (100)" in warning for warning in result.warnings)
    assert any("template 77" in warning for warning in result.warnings)


@pytest.mark.parametrize("lost", ["create", "unlink"])
def test_a_temporary_template_is_removed_though_an_answer_about_it_is_lost(
    newest: Printer, lost: str
) -> None:
    connection, answers, made = by_key(), newest.wire.answers, []
    send = connection._send

    def lose(call: Call) -> Any:
        answer = send(call)
        if (call.model, call.method) != ("mail.template", lost):
            return answer
        row = dict(call.arguments.get("vals_list", {}))
        made.append({**row, "id": 77, "model_id": [row.get("model_id"), "x"]})
        raise OdooConnectionError("The answer was cut off.", outcome="maybe_applied")

    connection._send = lose
    assert connection._connected().http
    connection._connected().http.clock_ahead = 0.0
    log = fields(create_uid="many2one", create_date="datetime")
    answers["mail.template", "fields_get"] |= log
    answers["mail.template", "search_read"] = lambda args, kwargs: [
        {**row, "report_template_ids": row["report_template_ids"][0][2]} for row in made
    ]
    answers["mail.template", "read"] = []
    result = generate_report(connection, SLIP, [1])
    assert (result.source, result.warnings) == ("temporary_mail_template", [])
    assert newest.templates == {}
    assert len(newest.wire.asked("create")) == 1
    assert len(newest.wire.asked("unlink")) == 2


def test_no_template_is_made_that_the_user_could_not_remove(printer: Printer) -> None:
    printer.rights["unlink"] = False
    with pytest.raises(AccessError, match="cannot unlink"):
        generate_report(by_key(), SLIP, [1])
    assert printer.wire.asked("create") == []


@pytest.mark.parametrize("mode", ["readonly", "restricted"])
def test_modes_that_forbid_writing_say_what_would_make_it_possible(
    newest: Printer, mode: str
) -> None:
    newest.templates[29] = [report_id("19", ORDER)]
    with pytest.raises(AccessError) as caught:
        generate_report(by_key(Policy(mode=mode)), ORDER, [1])
    for way in ("web_session", "mail_template", "temporary_mail_template", "portal"):
        assert f"{way}: " in caught.value.message
    assert "ODOO_PASSWORD" in caught.value.suggestion
    assert {name for _, name, *_ in newest.wire.calls} <= {"fields_get", "read", "search_read"}


def test_a_key_and_a_password_print_by_the_web_session(printer: Printer) -> None:
    both = odoo(api_key="0123456789", protocol="jsonrpc")
    assert generate_report(both, ORDER, [1]).source == "web_session"


def test_a_key_prints_where_the_password_beside_it_is_refused(printer: Printer) -> None:
    printer.login_answer = RECORDED[printer.version]["refused"]
    both = odoo(api_key="0123456789", protocol="jsonrpc")
    assert generate_report(both, ORDER, [1]).source == "temporary_mail_template"


@pytest.mark.parametrize("bound", [True, False], ids=["one-database", "several-databases"])
def test_the_customers_page_prints_last_and_its_link_is_told(
    newest: Printer, mock: responses.RequestsMock, bound: bool
) -> None:
    newest.rights["create"] = False
    newest.wire.answers["sale.order", "get_portal_url"] = "/my/orders/1?access_token=t0k&x=pdf"
    if not bound:
        mock.add("GET", f"{URL}/my/orders/1", status=404)
        mock.add("GET", f"{URL}/web/login", headers={"Set-Cookie": "session_id=db; Path=/"})
    mock.add("GET", f"{URL}/my/orders/1", body=pdf(6), content_type="application/pdf")
    result = generate_report(by_key(), ORDER, [1])

    assert result.source == "portal"
    assert widths(result.content) == [6]
    assert "sale.order 1 now has a link" in result.warnings[0]
    assert "t0k" not in str(result)
    assert mock.calls[-1].request.headers["X-Odoo-Database"] == "odoo19"
    logins = [call.request.url for call in mock.calls if "/web/login" in str(call.request.url)]
    assert logins == ([] if bound else [f"{URL}/web/login?db=odoo19"])


def test_a_customers_page_that_refuses_is_told_with_the_link_it_left(
    oldest: Printer, mock: responses.RequestsMock
) -> None:
    oldest.rights["unlink"] = False
    oldest.wire.answers["sale.order", "get_portal_url"] = "/my/orders/1?access_token=t0k"
    mock.add("GET", f"{URL}/my/orders/1", status=403, body="<html>403")
    with pytest.raises(AccessError) as caught:
        generate_report(by_key(), ORDER, [1])
    assert "HTTP 403" in caught.value.message
    assert "sale.order 1 now has a link" in caught.value.message


def test_an_address_elsewhere_is_not_followed(newest: Printer) -> None:
    newest.rights["create"] = False
    newest.wire.answers["sale.order", "get_portal_url"] = "https://elsewhere.test/my/orders/1"
    with pytest.raises(AccessError, match="no address"):
        generate_report(by_key(), ORDER, [1])


# Files and MCP ------------------------------------------------------------------------------


def test_a_folder_takes_the_file_instead_of_the_answer(printer: Printer, tmp_path: Path) -> None:
    (tmp_path / "Quotation - S00001.pdf").write_text("mine")
    result = generate_report(odoo(), ORDER, [1], download_dir=tmp_path)

    assert result.content_base64 is None
    assert result.path == str(tmp_path / "Quotation - S00001 (2).pdf")
    assert widths(Path(result.path).read_bytes()) == [1]
    assert (tmp_path / "Quotation - S00001.pdf").read_text() == "mine"


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("attachment; filename*=UTF-8''INV%2F2026%2F00001.pdf", "INV_2026_00001.pdf"),
        ("attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", "_.._etc_passwd.pdf"),
        ("attachment; filename*=UTF-8''D%C3%A9p%C3%B4t.pdf", "Dépôt.pdf"),
        ('inline; filename="Order S1.pdf"', "Order S1.pdf"),
        ("", "{report} - S00001.pdf"),
    ],
)
def test_the_files_name_is_odoos_and_safe(printer: Printer, header: str, name: str) -> None:
    headers = {"Content-Type": "application/pdf", "Content-Disposition": header}
    printer.answers[1] = (200, headers, pdf())
    label = next(
        row["name"] for row in RECORDED[printer.version]["reports"] if row["report_name"] == ORDER
    )
    expected = name.format(report=label.replace("/", "_"))
    assert generate_report(odoo(), ORDER, [1]).file_name == expected


def test_the_pdf_is_an_embedded_resource_and_not_in_the_text(printer: Printer) -> None:
    result = generate_report(odoo(), ORDER, [1])
    delivered = deliver(file_of(result), "embedded", KeptFiles(), "me", None)
    answer = results.success(result, delivered).model_dump(
        by_alias=True, mode="json", exclude_none=True
    )

    text, resource = answer["content"]
    assert result.content_base64 not in text["text"]
    assert "content_base64" not in answer["structuredContent"]
    assert resource["resource"]["uri"] == answer["structuredContent"]["uri"]
    assert resource["type"] == "resource"
    assert resource["resource"]["mimeType"] == "application/pdf"
    assert base64.b64decode(resource["resource"]["blob"]) == result.content


def test_the_tools_are_there_in_readonly_mode_and_advertise_the_limit(tmp_path: Path) -> None:
    (*plain, attach), (_, to_folder, _) = (
        tools_for(ServerSettings()),
        tools_for(ServerSettings(download_dir=str(tmp_path))),
    )
    assert [tool.name for tool in plain] == ["odoo_reports_list", "odoo_reports_generate"]
    assert {tool.access for tool in plain} == {"read"}
    assert (attach.name, attach.access) == ("odoo_reports_attach", "create")
    properties = plain[1].input_schema["properties"]
    assert set(properties) == {"report_name", "record_ids", "context", "deliver"}
    assert properties["deliver"]["enum"] == ["embedded", "link", "base64"]
    assert properties["record_ids"]["maxItems"] == 20
    given = {"report_name": "x", "record_ids": [1], "deliver": "link"}
    assert "deliver" not in to_folder.check(given)
    assert (to_folder.delivery({}), to_folder.delivery(given)) == ("file", "link")
