"""Reports of a real Odoo, by password and by API key, as administrator and as ordinary user."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

import odoo_toolkit as toolkit
from odoo_toolkit import (
    AccessError,
    NotFoundError,
    Odoo,
    OdooError,
    Policy,
    ValidationError,
    connect,
)
from odoo_toolkit.call import Call
from odoo_toolkit.chatter.attachments import attach_report, get_content
from odoo_toolkit.reports import generate_report, list_reports
from odoo_toolkit.undoing.overview import overview
from tests.live.servers import Server, User

ORDER = "sale.report_saleorder"
PRO_FORMA = "sale.report_saleorder_pro_forma"


def with_password(server: Server, user: User, policy: Policy | None = None) -> Odoo:
    return connect(
        url=server.url,
        database=server.db,
        username=user.login,
        password=user.password,
        policy=policy,
    )


def with_key(server: Server, user: User, policy: Policy | None = None) -> Odoo:
    if not user.api_key:
        pytest.skip(f"{server.name} lists no API key of {user.login}.")
    return connect(
        url=server.url,
        database=server.db,
        username=user.login,
        api_key=user.api_key,
        policy=policy,
    )


@pytest.fixture
def by_password(server: Server, user: User) -> Iterator[Odoo]:
    """A connection with a password."""
    with with_password(server, user) as connection:
        yield connection


@pytest.fixture
def by_key(server: Server, user: User) -> Iterator[Odoo]:
    """A connection with nothing but an API key."""
    with with_key(server, user) as connection:
        yield connection


@pytest.fixture
def orders(odoo: Odoo, admin: Odoo, suffix: str) -> Iterator[dict[int, str]]:
    """Two quotations of the user's own: numbers by id."""
    product = toolkit.search_read(
        odoo, "product.product", [["sale_ok", "=", True]], limit=1, order="id"
    )
    contact = toolkit.create(odoo, "res.partner", {"name": f"Reader {suffix}"}).id
    line = [0, 0, {"product_id": product.records[0]["id"], "product_uom_qty": 3}]
    values = {"partner_id": contact, "user_id": odoo.uid, "order_line": [line]}
    made = toolkit.create(odoo, "sale.order", [values, values]).ids
    rows = toolkit.read(odoo, "sale.order", made, ["name"])
    yield {row["id"]: row["name"] for row in rows}
    toolkit.unlink(admin, "sale.order", made)


def left_behind(admin: Odoo, orders: dict[int, str]) -> dict[str, int]:
    """Count what printing these orders could have left, whatever others do meanwhile."""
    names = [["name", "like", number] for number in orders.values()]
    counts = {
        "templates": ("mail.template", [["name", "like", "PDF of "]]),
        "files": ("ir.attachment", ["|", *names]),
        "files of orders": (
            "ir.attachment",
            [["res_model", "=", "sale.order"], ["res_id", "in", list(orders)]],
        ),
        "messages": (
            "mail.message",
            [["model", "=", "sale.order"], ["res_id", "in", list(orders)]],
        ),
    }
    found = {key: toolkit.count(admin, *asked).count for key, asked in counts.items()}
    found["links"] = sum(bool(row["access_token"]) for row in _tokens(admin, orders))
    return found


def _tokens(admin: Odoo, orders: dict[int, str]) -> Any:
    # Internal: the toolkit never shows tokens.
    arguments = {"fields": ["access_token"]}
    return admin.call(
        Call(
            model="sale.order", method="read", ids=list(orders), arguments=arguments, internal=True
        )
    )


def assert_shows(content: bytes, number: str, server: Server) -> None:
    """See that a PDF shows a number.

    A server of somebody else's may draw the letters as outlines, which no library reads; the
    provisioned ones write text.
    """
    pages = PdfReader(io.BytesIO(content)).pages
    text = "".join(page.extract_text() for page in pages)
    # A quotation builder may add pages of its own.
    assert pages
    assert number in text or not (server.version or text.strip())
    # Outlines or not, an order with a line is more than an empty page.
    assert len(content) > 10_000


def test_the_reports_of_a_model_are_listed(odoo: Odoo) -> None:
    found = list_reports(odoo, "sale.order")
    assert {ORDER, PRO_FORMA} <= {report.report_name for report in found.reports}
    assert list_reports(odoo, "res.lang").reports == []
    with pytest.raises(NotFoundError):
        list_reports(odoo, "sale.ordr")


@pytest.mark.every_user
@pytest.mark.every_version
@pytest.mark.parametrize("mode", ["full", "readonly"])
def test_a_password_prints_and_leaves_nothing(
    server: Server, user: User, admin: Odoo, orders: dict[int, str], mode: Any
) -> None:
    before = left_behind(admin, orders)
    order_id, number = next(iter(orders.items()))
    with with_password(server, user, Policy(mode=mode)) as connection:
        result = generate_report(connection, ORDER, [order_id])

    assert result.source == "web_session"
    assert number in result.file_name
    assert_shows(result.content, number, server)
    assert result.warnings == []
    assert left_behind(admin, orders) == before


def address_in_links(admin: Odoo) -> str:
    """Return the address that Odoo makes links with."""
    arguments = {"domain": [["key", "=", "web.base.url"]], "fields": ["value"]}
    read = Call(
        model="ir.config_parameter", method="search_read", arguments=arguments, internal=True
    )
    return str(admin.call(read)[0]["value"])


@pytest.mark.every_user
@pytest.mark.parametrize("mode", ["full", "readonly"])
def test_a_password_by_another_address_does_not_change_odoos_links(
    server: Server, user: User, admin: Odoo, orders: dict[int, str], mode: Any
) -> None:
    """Odoo takes the address of an administrator's login for its own; of others it does not."""
    address = address_in_links(admin)
    other = server.url.replace("127.0.0.1", "localhost")
    if server.url != address or other == server.url:
        pytest.skip(f"{server.name} has no other address that is known here.")
    policy = Policy(mode=mode, model_blocklist="mail.template", method_blocklist="get_portal_url")
    login = {"database": server.db, "username": user.login, "password": user.password}
    order_id = next(iter(orders))
    with connect(url=other, policy=policy, **login) as connection:
        if user.login == server.login:
            with pytest.raises(AccessError, match=r"web\.base\.url\.freeze"):
                generate_report(connection, ORDER, [order_id])
        else:
            assert generate_report(connection, ORDER, [order_id]).source == "web_session"
    assert address_in_links(admin) == address


@pytest.fixture
def invoice(admin: Odoo, state: str) -> Iterator[int]:
    """Give an invoice in a state; a draft is made, and deleted again."""
    domain = [["state", "=", state], ["move_type", "in", ["out_invoice", "in_invoice"]]]
    if state == "posted":
        (row,) = toolkit.search_read(admin, "account.move", domain, ["id"], limit=1).records
        yield row["id"]
        return
    (partner,) = toolkit.search_read(admin, "res.partner", [], ["id"], limit=1).records
    line = [0, 0, {"name": "Printed", "quantity": 1, "price_unit": 5.0}]
    values = {
        "move_type": "out_invoice",
        "partner_id": partner["id"],
        "invoice_line_ids": [line],
    }
    made = toolkit.create(admin, "account.move", values).id
    yield made
    toolkit.unlink(admin, "account.move", [made])


def printed_trace(admin: Odoo, invoice: int) -> Any:
    """Return what printing an invoice could change of it, and the files that it has."""
    row = admin.call(Call(model="account.move", method="read", ids=[invoice], internal=True,
                          arguments={"fields": ["write_date", "access_token"]}))  # fmt: skip
    of_it = [["res_model", "=", "account.move"], ["res_id", "=", invoice]]
    files = Call(model="ir.attachment", method="search", arguments={"domain": of_it}, internal=True)
    return row, sorted(admin.call(files))


@pytest.mark.every_version
@pytest.mark.parametrize("state", ["draft", "posted"])
@pytest.mark.parametrize("kind", ["password", "key"])
def test_printing_invoices_in_readonly_mode_changes_none(
    server: Server, admin: Odoo, invoice: int, state: str, kind: str
) -> None:
    """To 16, posted ones are attached to themselves; from 19 on, all are marked as changed."""
    before = printed_trace(admin, invoice)
    login = with_password if kind == "password" else with_key
    name = "account.report_invoice_with_payments"
    with login(server, server.user("admin"), Policy(mode="readonly")) as connection:
        major = connection.version.major
        if major >= 19 or (major <= 16 and state == "posted"):
            with pytest.raises(AccessError, match="not allowed in readonly mode"):
                generate_report(connection, name, [invoice])
        elif major <= 16 or kind == "password":
            assert generate_report(connection, name, [invoice]).pages
    assert printed_trace(admin, invoice) == before


@pytest.mark.every_user
@pytest.mark.every_version
def test_a_key_prints_by_a_template_of_odoos_and_leaves_nothing(
    server: Server, by_key: Odoo, admin: Odoo, orders: dict[int, str]
) -> None:
    before = left_behind(admin, orders)
    order_id, number = next(iter(orders.items()))
    result = generate_report(by_key, ORDER, [order_id])

    assert result.source == "mail_template"
    assert number in result.file_name
    assert_shows(result.content, number, server)
    assert result.warnings == []
    assert left_behind(admin, orders) == before


@pytest.mark.every_user
@pytest.mark.every_version
def test_a_key_prints_any_report_by_a_template_it_removes(
    by_key: Odoo, admin: Odoo, orders: dict[int, str]
) -> None:
    name = "sale_timesheet.report_timesheet_sale_order"
    used = {row.report_name for row in list_reports(by_key, "sale.order").reports}
    name = PRO_FORMA if by_key.version.major <= 16 or name not in used else name
    before = left_behind(admin, orders)
    order_id = next(iter(orders))
    if not by_key.schema.may("mail.template", "unlink"):
        with pytest.raises(AccessError, match="cannot unlink e-mail templates"):
            generate_report(by_key, name, [order_id])
    else:
        result = generate_report(by_key, name, [order_id])
        assert result.source == "temporary_mail_template"
        assert result.pages == len(PdfReader(io.BytesIO(result.content)).pages)
        assert result.warnings == []
    assert left_behind(admin, orders) == before


@pytest.mark.every_version
@pytest.mark.parametrize("report", [ORDER, PRO_FORMA])
def test_the_history_has_only_what_a_print_leaves(
    server: Server, orders: dict[int, str], tmp_path: Path, report: str
) -> None:
    """The template and the files that were made on the way and deleted are not named."""
    order_id = next(iter(orders))
    user = server.user("admin")
    login = {"database": server.db, "username": user.login, "api_key": user.api_key}
    with connect(url=server.url, **login, history=tmp_path / "history.sqlite") as odoo:
        generate_report(odoo, report_name=report, record_ids=[order_id])
        # A print that is not kept leaves nothing that anyone could undo.
        assert [one.undo for one in overview(odoo)] in ([], [None])
        assert [one.records for one in overview(odoo)] in ([], [[]])
        kept = attach_report(odoo, report_name=report, record=order_id)
        assert not isinstance(kept, toolkit.Plan)
        entry = overview(odoo)[0]
        assert [name.rpartition("(")[2] for name in entry.records] == [f"ir.attachment {kept.id})"]
        assert (entry.undo.possible, entry.undo.not_undone) == ("full", [])
        assert toolkit.undo(odoo, entry=entry.entry).not_undone == []
    assert toolkit.search_read(odoo, "ir.attachment", [["id", "=", kept.id]]).records == []


@pytest.mark.every_user
@pytest.mark.every_version
def test_a_key_in_readonly_mode_prints_only_what_writes_nothing(
    server: Server, user: User, admin: Odoo, orders: dict[int, str]
) -> None:
    before = left_behind(admin, orders)
    with with_key(server, user, Policy(mode="readonly")) as connection:
        if connection.version.major <= 16:
            assert generate_report(connection, ORDER, [*orders][:1]).source == "mail_template"
        else:
            with pytest.raises(AccessError, match="readonly mode"):
                generate_report(connection, ORDER, [*orders][:1])
    assert left_behind(admin, orders) == before


@pytest.mark.every_user
@pytest.mark.every_version
def test_the_customers_page_prints_and_its_link_is_told(
    server: Server, user: User, admin: Odoo, orders: dict[int, str]
) -> None:
    """Where templates are closed, the page is left; the Odoo 14 of Debian refuses it, too."""
    order_id, number = next(iter(orders.items()))
    policy = Policy(model_blocklist="mail.template")
    with with_key(server, user, policy) as connection:
        try:
            result = generate_report(connection, ORDER, [order_id])
        except AccessError as error:
            # Older builds of 14 print it as the public user, who may not read the contact.
            refused = error.message
            result = None
    if result is None:
        assert server.version in ("14", "")
        assert "HTTP 403" in refused
        assert f"sale.order {order_id} now has a link" in refused
        return
    assert result.source == "portal"
    assert number in result.file_name
    assert_shows(result.content, number, server)
    assert "has a link" in result.warnings[0]
    assert left_behind(admin, orders)["links"] == 1


@pytest.mark.every_user
@pytest.mark.parametrize("kind", ["by_password", "by_key"])
def test_several_records_become_one_pdf(
    kind: str, request: pytest.FixtureRequest, admin: Odoo, orders: dict[int, str]
) -> None:
    connection = request.getfixturevalue(kind)
    before = left_behind(admin, orders)
    ids = sorted(orders, reverse=True)
    result = generate_report(connection, ORDER, ids)
    assert result.record_ids == ids
    assert result.pages >= len(ids)
    assert left_behind(admin, orders) == before


@pytest.mark.every_user
def test_a_session_that_odoo_forgot_is_opened_again(
    by_password: Odoo, orders: dict[int, str]
) -> None:
    session = by_password.web_session
    first = generate_report(by_password, ORDER, [*orders][:1])
    session._http.request("POST", "/web/session/destroy", json={"params": {}})
    again = generate_report(by_password, ORDER, [*orders][:1])
    assert (again.source, again.pages) == (first.source, first.pages)
    assert session._logins == 2


@pytest.mark.every_user
def test_a_wrong_password_beside_a_key_is_told(
    server: Server, user: User, orders: dict[int, str]
) -> None:
    if not user.api_key:
        pytest.skip(f"{server.name} lists no API key of {user.login}.")
    both = {"url": server.url, "database": server.db, "username": user.login}
    policy = Policy(mode="readonly", model_blocklist="mail.template")
    with (
        connect(**both, password="wrong", api_key=user.api_key, policy=policy) as connection,
        pytest.raises(AccessError, match="does not accept the password"),
    ):
        generate_report(connection, ORDER, [*orders][:1])


@pytest.mark.every_user
def test_wrong_asks_are_clear_errors(by_password: Odoo, orders: dict[int, str]) -> None:
    order_id = next(iter(orders))
    with pytest.raises(NotFoundError) as unknown:
        generate_report(by_password, "sale.report_saleoder", [order_id])
    assert ORDER in unknown.value.details["did_you_mean"]

    with pytest.raises(NotFoundError) as missing:
        generate_report(by_password, ORDER, [order_id, 99999999])
    assert missing.value.details["missing_ids"] == [99999999]

    # The ids of orders are none of transfers.
    with pytest.raises(NotFoundError, match=r"prints stock\.picking"):
        generate_report(by_password, "stock.report_deliveryslip", [99999999])

    with pytest.raises(ValidationError, match="too many"):
        generate_report(by_password, ORDER, list(range(1, 22)))

    # Some modules bring labels for printers, which are no PDFs.
    domain = [["report_type", "!=", "qweb-pdf"]]
    for row in toolkit.search_read(by_password, "ir.actions.report", domain, ["report_name"]):
        with pytest.raises(OdooError, match="it makes no PDF"):
            generate_report(by_password, row["report_name"], [1])


@pytest.mark.every_user
def test_what_odoo_refuses_to_print_is_told_in_its_words(
    by_password: Odoo, admin: Odoo, user: User
) -> None:
    domain = [["move_type", "=", "out_invoice"], ["state", "=", "posted"]]
    try:
        invoices = toolkit.search_read(by_password, "account.move", domain, limit=1).records
    except AccessError:
        pytest.skip(f"{user.login} sees no invoices here.")
    if not invoices:
        pytest.skip("There is no posted invoice.")
    # An invoice to a customer has no original of a vendor.
    with pytest.raises(ValidationError, match="No original"):
        generate_report(by_password, "account.report_original_vendor_bill", [invoices[0]["id"]])


@pytest.mark.every_user
def test_a_report_is_printed_and_kept_on_its_record(
    by_password: Odoo, admin: Odoo, orders: dict[int, str]
) -> None:
    """A plan prints nothing; the file is that of the record; what is ambiguous is asked."""
    (number, name), *_ = orders.items()
    before = left_behind(admin, orders)
    plan = attach_report.plan(by_password, report_name=ORDER, record=number)
    assert [(call.model, call.method) for call in plan.calls] == [("ir.attachment", "create")]
    with pytest.raises(NotFoundError):
        attach_report(by_password, report_name=ORDER, record="No such order")
    with pytest.raises(NotFoundError):
        attach_report(by_password, report_name="no.such.report", record=number)
    assert left_behind(admin, orders) == before
    made = attach_report(by_password, report_name=ORDER, record=name)
    assert (made.model, made.record_id) == ("sale.order", number)
    assert name in made.name
    content = get_content(admin, made.id)
    assert content.mimetype == "application/pdf"
    pages = PdfReader(io.BytesIO(base64.b64decode(content.content_base64 or ""))).pages
    assert name in "".join(page.extract_text() for page in pages)
    after = left_behind(admin, orders)
    assert after["files of orders"] == before["files of orders"] + 1
    assert (after["templates"], after["messages"]) == (before["templates"], before["messages"])
