"""A file, message or activity of a closed model, linked to what is open, would go out with it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import attrs
import pytest

from odoo_toolkit import Odoo, create, execute, write
from odoo_toolkit.chatter.messages import post_message
from odoo_toolkit.errors import OdooError
from tests.attacks.policies import Noting, Raw, connected, raw
from tests.live.conftest import admin, server
from tests.live.servers import Server

__all__ = ["admin", "raw", "server"]

pytestmark = pytest.mark.every_version  # methods and models of messages differ

CLOSED, CONTACT, FILE, MAIL, MESSAGE = (
    *("hr.employee", "res.partner", "ir.attachment", "mail.mail", "mail.message"),
)
INVOICE = "account.move"
OUTSIDE = "outside@attack.example"
RULES = {
    "blocklist": {"model_blocklist": CLOSED},
    "allowlist": {"model_allowlist": f"{CONTACT},{FILE},{MAIL},{MESSAGE},crm.lead,{INVOICE}"},
}


@attrs.frozen
class Hidden:
    """A file and a message of a closed record, and open records to link them to."""

    contact: int
    invoice: int
    file: int
    message: int


@pytest.fixture(scope="module", params=RULES)
def closed(request: pytest.FixtureRequest, server: Server) -> Iterator[Noting]:
    with connected(server, **RULES[request.param]) as odoo:
        yield odoo


@pytest.fixture(scope="module")
def hidden(raw: Raw) -> Iterator[Hidden]:
    with ExitStack() as stack:

        def make(model: str, **values: Any) -> int:
            return stack.enter_context(raw.record(model, values))

        word = uuid.uuid4().hex[:8]
        employee = make(CLOSED, name=f"Employee {word}")
        contact = make(CONTACT, name=f"Contact {word}")
        of_employee = {"res_model": CLOSED, "res_id": employee}
        file = make(FILE, name="salary.txt", datas="c2VjcmV0", **of_employee)
        message = raw(MESSAGE, "search", [["model", "=", CLOSED], ["res_id", "=", employee]])
        invoice = make(INVOICE, move_type="out_invoice", partner_id=contact)
        yield Hidden(contact, invoice, file, message[0])


def _posted(odoo: Odoo, h: Hidden, **named: Any) -> Any:
    return execute(odoo, CONTACT, "message_post", [[h.contact]], {"body": "x", **named})


#: Each leaves the number of links that the closed records have as it is.
ATTEMPTS: dict[str, Callable[[Odoo, Hidden], Any]] = {
    **{
        f"an e-mail with {name}": lambda o, h, ids=ids: create(
            o, MAIL, {"email_to": OUTSIDE, "subject": "x", "attachment_ids": ids(h.file)}
        )
        for name, ids in {
            "a link": lambda file: [[4, file]],
            "a link of three": lambda file: [[4, file, 0]],
            "a set": lambda file: [[6, 0, [file]]],
            "ids": lambda file: [file],
        }.items()
    },
    "an e-mail by execute": lambda o, h: execute(
        o, MAIL, "create", [{"email_to": OUTSIDE, "attachment_ids": [[6, 0, [h.file]]]}]
    ),
    "an e-mail of a message": lambda o, h: create(
        o, MAIL, {"email_to": OUTSIDE, "mail_message_id": h.message}
    ),
    "an e-mail with a default": lambda o, h: create(
        o, MAIL, {"email_to": OUTSIDE}, {"default_attachment_ids": [[6, 0, [h.file]]]}
    ),
    "a message": lambda o, h: _posted(o, h, attachment_ids=[h.file]),
    **{
        f"a message with {name}": lambda o, h, form=form: _posted(o, h, attachment_ids=form(h.file))
        for name, form in {
            "a fraction": lambda file: [float(file)],
            "a text": lambda file: [f" {file}"],
            "a text beside an id": lambda file: [1, str(file)],
            "a link with a text": lambda file: [[4, str(file)]],
        }.items()
    },
    "a message with a default": lambda o, h: execute(
        o,
        CONTACT,
        "message_post",
        [[h.contact]],
        {"body": "x"},
        context={"default_attachment_ids": [[6, 0, [h.file]]]},
    ),
    "an answer": lambda o, h: _posted(o, h, parent_id=h.message),
    "a nested message": lambda o, h: write(
        o, CONTACT, [h.contact], {"message_ids": [[0, 0, {"attachment_ids": [[4, h.file]]}]]}
    ),
    "its message": lambda o, h: write(o, CONTACT, [h.contact], {"message_ids": [[4, h.message]]}),
    "another file's words": lambda o, h: create(
        o, MAIL, {"email_to": OUTSIDE, "attachment_ids": [[1, h.file, {"description": "x"}]]}
    ),
    "load": lambda o, h: execute(
        o, MAIL, "load", [["email_to", "attachment_ids/.id"], [[OUTSIDE, str(h.file)]]]
    ),
    "load by name": lambda o, h: execute(
        o, MAIL, "load", [["email_to", "attachment_ids"], [[OUTSIDE, "salary.txt"]]]
    ),
    **{
        f"an invoice that waits to be sent, {name}": lambda o, h, name=name: write(
            o, INVOICE, [h.invoice], {name: {"mail_attachments_widget": [{"id": h.file}]}}
        )
        for name in ("send_and_print_values", "sending_data")
    },
    "the toolkit's own message": lambda o, h: post_message(
        o, CONTACT, h.contact, body="x", attachments=[{"id": h.file}]
    ),
}


@pytest.mark.parametrize("name", ATTEMPTS)
def test_nothing_of_a_closed_model_is_linked(
    raw: Raw, closed: Noting, hidden: Hidden, name: str
) -> None:
    before = _links(raw, hidden)
    with pytest.raises((OdooError, TypeError)):
        ATTEMPTS[name](closed, hidden)
    assert _links(raw, hidden) == before


def _links(raw: Raw, hidden: Hidden) -> Any:
    """Return what links to the closed file and message, and what they hold."""
    file = raw(FILE, "read", [hidden.file], ["res_model", "res_id", "description"])
    message = raw(MESSAGE, "read", [hidden.message], ["model", "res_id", "child_ids"])
    found = [
        raw(model, "search", [["attachment_ids", "in", [hidden.file]]]) for model in (MESSAGE,)
    ]
    mails = raw(MAIL, "search", [["mail_message_id", "=", hidden.message]])
    return file, message, found, mails


def test_open_files_are_linked(server: Server, closed: Noting, hidden: Hidden, raw: Raw) -> None:
    of_contact = {"res_model": CONTACT, "res_id": hidden.contact}
    with raw.record(FILE, {"name": "open.txt", "datas": "b3Blbg==", **of_contact}) as file:
        made = create(closed, MAIL, {"email_to": OUTSIDE, "attachment_ids": [[4, file]]})
        assert raw.value(MAIL, made.id, "attachment_ids") == [file]
        raw.clean(MAIL, [["id", "=", made.id]])
