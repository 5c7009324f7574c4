"""Documents sent by e-mail: what is shown before, what is sent, and what became of it."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import mail
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError, ValidationError
from odoo_toolkit.mail.sending import MailPlan, SentMail
from odoo_toolkit.policy import Policy
from odoo_toolkit.records.names import AmbiguousNameError
from tests.unit.operation_checks import check_seen_when_lost, check_told_when_lost
from tests.unit.postoffice import FORMS, SENDS, PostOffice
from tests.unit.scripted import VERSIONS

DOCUMENTS = {"sale.order": 5, "account.move": 8, "stock.picking": 4}


def send(odoo: PostOffice, model: str = "sale.order", **options: Any) -> SentMail:
    sent = mail.send_document(odoo, **{"model": model, "record_id": DOCUMENTS[model], **options})
    assert isinstance(sent, SentMail)
    return sent


def plan(odoo: PostOffice, model: str = "sale.order", **options: Any) -> MailPlan:
    options = {"model": model, "record_id": DOCUMENTS[model], **options}
    shown = mail.send_document(odoo, **options, dry_run=True)
    assert isinstance(shown, MailPlan)
    return shown


def nothing_was_sent(odoo: PostOffice) -> bool:
    return not odoo.asked(*SENDS, "create", "write") and odoo.server.records["mail.message"] == []


@pytest.mark.parametrize("major", VERSIONS)
def test_an_order_is_sent_as_the_button_of_odoo_sends_it(major: int) -> None:
    odoo = PostOffice(major)
    sent = send(odoo)

    assert (sent.status, sent.state, sent.record.name) == ("sent", "sent", "S00005")
    assert [one.name for one in sent.deliveries] == ["Azure", "Follower"]
    assert sent.attachments == ["S00005.pdf"]
    form = odoo.forms["mail.compose.message"]
    assert form["partner_ids"] == [[6, 0, [9]]]
    assert form["template_id"] == 21
    assert form.get("res_id") == 5 or form["res_ids"] == "[5]"
    # Forms of 14 to 16 do not take their template by themselves.
    assert ("attachment_ids" in form) is (major < 17)
    assert odoo.asked("action_send_mail")[0].context["mark_so_as_sent"] is True


@pytest.mark.parametrize("major", VERSIONS)
@pytest.mark.parametrize("model", ["sale.order", "stock.picking"])
def test_a_plan_shows_what_would_be_sent(major: int, model: str) -> None:
    odoo = PostOffice(major)
    shown = plan(odoo, model)

    assert [(one.name, one.email) for one in shown.recipients] == [("Azure", "azure@example.com")]
    assert [one.name for one in shown.followers] == ["Follower"]
    assert (shown.subject, shown.body) == ("Subject of it", "Text of it")
    assert shown.attachments or "The e-mail has no attachment." in shown.warnings
    assert nothing_was_sent(odoo)


@pytest.mark.parametrize("major", [14, 19])
def test_a_plan_makes_no_link_for_the_customer(major: int) -> None:
    odoo = PostOffice(major, link=True)
    assert plan(odoo).body is None
    assert odoo.asked("generate_email") == []
    assert all("body" not in c.arguments["fields_spec"] for c in odoo.asked("onchange"))


@pytest.mark.parametrize("major", [14, 19])
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<t t-out='format_amount(object.amount_total, object.currency_id)'/> for order(s)", True),
        ("<a t-att-href='object.rating_get_access_token()'/>", False),
        ("<t t-out='object.nobody_knows()'/>", False),
    ],
)
def test_a_plan_fills_in_a_text_only_where_all_that_it_calls_is_known_to_read(
    text: str, shown: bool, major: int
) -> None:
    odoo = PostOffice(major, text=text)
    assert bool(plan(odoo).body) == shown
    assert bool(odoo.asked("generate_email")) == (shown and major == 14)


@pytest.mark.parametrize("documents", [0, 1])
def test_a_plan_makes_no_link_to_documents_of_products(documents: int) -> None:
    text = "<a t-att-href=\"object.get_portal_url('/document/' + str(document.id))\"/>"
    assert bool(plan(PostOffice(19, text=text, documents=documents)).body) == (not documents)


@pytest.mark.parametrize("major", [17, 18, 19])
def test_the_plan_is_the_run(major: int) -> None:
    shown = plan(PostOffice(major), "account.move")
    odoo = PostOffice(major)
    send(odoo, "account.move")
    sent = [call for call in odoo.sent if call.model in FORMS]
    assert [(c.method, c.arguments) for c in shown.calls] == [
        (c.method, dict(c.arguments)) for c in sent
    ]


@pytest.mark.parametrize(
    ("outcome", "status"),
    [("ready", "queued"), ("exception", "failed"), ("bounce", "failed"), ("canceled", "cancelled")],
)
def test_what_became_of_it_is_read_from_odoo(outcome: str, status: str) -> None:
    sent = send(PostOffice(outcome=outcome))

    assert sent.status == status
    if outcome == "exception":
        assert "mail server" in (sent.deliveries[0].failure or "")
        assert "failed: the outgoing mail server" in sent.message


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"to": ["Silent"]}, ValidationError, "has no e-mail address"),
        ({"to": ["Odd"]}, ValidationError, "is not valid: 'odd at home'"),
        ({"to": ["x@y"]}, ValidationError, "is not an e-mail address"),
        ({"to": ["nobody@example.com"]}, NotFoundError, "No contact has the address"),
        ({"to": ["shared@example.com"]}, AmbiguousNameError, "to\\[0\\]"),
        ({"to": []}, ValidationError, "to is empty"),
        ({"to": "azure@example.com"}, ValidationError, "must be a list"),
        ({"to": [99]}, NotFoundError, "no contact with id 99"),
        ({"to": ["Azur"], "record_id": 55}, NotFoundError, "record_id"),
        ({"subject": " "}, ValidationError, "subject is empty"),
        ({"body": "Dear {{ object.name }}"}, ValidationError, "placeholder"),
        ({"template_id": 99}, NotFoundError, "template"),
        ({"template_name": "Invoice"}, NotFoundError, "template"),
    ],
)
def test_what_is_wrong_is_refused_before_anything_is_sent(
    given: dict[str, Any], error: type[OdooError], text: str
) -> None:
    odoo = PostOffice()
    with pytest.raises(error, match=text):
        send(odoo, **given)
    assert nothing_was_sent(odoo)


def test_without_a_template_subject_and_body_are_needed() -> None:
    odoo = PostOffice()
    odoo.server.records["mail.template"].pop()
    with pytest.raises(ValidationError, match="no e-mail template"):
        send(odoo, "stock.picking")
    assert nothing_was_sent(odoo)
    assert send(odoo, "stock.picking", subject="Sent", body="It is under way.").status == "sent"


def test_a_model_without_messages_is_refused() -> None:
    with pytest.raises(ValidationError, match="chatter"):
        mail.send_document(PostOffice(), model="ir.attachment", record_id=1)


@pytest.mark.parametrize("major", VERSIONS)
def test_what_was_sent_is_seen_when_the_answer_is_lost(
    major: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = check_seen_when_lost(PostOffice(major), "action_send_mail", send, monkeypatch)
    assert result.status == "sent"


def test_what_is_not_seen_may_have_been_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    error = check_told_when_lost(PostOffice(), "action_send_mail", send, monkeypatch)
    assert "You can safely repeat the call" not in error.suggestion


def test_a_form_that_was_lost_sent_nothing() -> None:
    odoo = PostOffice()
    odoo.server.lose_answer("create")
    with pytest.raises(OdooError) as raised:
        send(odoo)
    assert raised.value.outcome == "rolled_back"
    assert odoo.server.records["mail.message"] == []


@pytest.mark.parametrize(
    "policy",
    [
        Policy(mode="readonly"),
        Policy(mode="restricted", write_allowlist=("res.partner",)),
        Policy(model_blocklist=("sale.order",)),
    ],
)
def test_the_policy_is_asked_before_anything_is_sent(policy: Policy) -> None:
    odoo = PostOffice(policy=policy)
    with pytest.raises(AccessError):
        send(odoo)
    assert odoo.sent == []


def test_a_readonly_connection_has_the_plan() -> None:
    shown = plan(PostOffice(policy=Policy(mode="readonly")))
    assert shown.needs
    assert shown.subject == "Subject of it"
