"""Code that Odoo would run with all rights: templates, assets and pages, by every known way."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from odoo_toolkit import Odoo, OdooError, create, default_get, execute, write
from odoo_toolkit.chatter.attachments import upload
from tests.attacks.database import Database, unchanged
from tests.attacks.policies import Noting, Raw, connected, needs, refused
from tests.live.servers import Server

#: What a template would show if it were rendered: a setting that ordinary users may not read. The
#: model's name is in parts, as a search for it must not be what stops the call.
EXPRESSION = "object.env['ir.con' + 'fig_parameter'].sudo().get_param('database.uuid')"

#: What a restricted client may write here: as much as an operator might list, and more.
LISTED = (
    "calendar.event",
    "calendar.popover.delete.wizard",
    "crm.lead",
    "digest.tip",
    "ir.attachment",
    "mail.compose.message",
    "mail.template.preview",
    "res.partner",
    "sale.order",
    "sale.order.cancel",
)
MODES: dict[str, dict[str, Any]] = {
    "readonly": {"mode": "readonly"},
    "restricted": {"mode": "restricted", "write_allowlist": LISTED},
    "full": {"mode": "full"},
}

PAGE = base64.b64encode(b"<script>parent.odoo</script>").decode()
#: name -> type, as an attachment says it or as Odoo guesses it from the name.
PAGES = {
    "page.html": "text/html",
    "page.xhtml": "application/xhtml+xml",
    "picture.svg": "image/svg+xml",
    "program.js": "text/javascript",
    "module.js": "application/javascript",
    "data.xml": "text/xml",
}


@pytest.fixture(scope="module", params=list(MODES))
def client(request: pytest.FixtureRequest, own_server: Server, role: str) -> Iterator[Noting]:
    """A connection of each user in each mode, to the copied server."""
    with connected(own_server, role, **MODES[request.param]) as odoo:
        yield odoo


@pytest.fixture(scope="module")
def full(own_server: Server, role: str) -> Iterator[Noting]:
    """A connection of each user in full mode, to the copied server."""
    with connected(own_server, role, mode="full") as odoo:
        yield odoo


def one(raw: Raw, model: str, domain: list[Any] | None = None) -> int:
    """Return the id of some record."""
    found = raw(model, "search", domain or [], limit=1)
    assert found, f"there is no {model} to try it with"
    return int(found[0])


def all_refused(odoo: Noting, database: Database, *calls: tuple[str, str, list[Any]]) -> None:
    """See that none of these calls (model, method, arguments) is sent."""
    with unchanged(database):
        for model, method, arguments in calls:
            refused(odoo, partial(execute, model=model, method=method, args=arguments))


# Templates -----------------------------------------------------------------------------------


def template_in_memory(odoo: Odoo, raw: Raw) -> tuple[str, dict[str, Any], str, str]:
    """Return a wizard that renders a template in memory, its values, the trigger, the outcome."""
    major = odoo.version.major
    # The record's name makes the text another one than before the trigger, which is what is shown.
    body = f'<t t-out="object.name"/> <t t-out="{EXPRESSION}"/>'
    if major >= 19:
        template = {
            "model_id": one(raw, "ir.model", [["model", "=", "calendar.event"]]),
            "body_html": body,
        }
        event = one(raw, "calendar.event")
        values = {"template_id": template, "calendar_event_id": event}
        return "calendar.popover.delete.wizard", values, "calendar_event_id", "body"
    if major >= 16:
        template = {"body_html": body, "model": "sale.order", "render_model": "sale.order"}
        values = {"order_id": one(raw, "sale.order"), "template_id": template}
        return "sale.order.cancel", values, "template_id", "body"
    # To 14 templates are Jinja's, of which "<%" begins a statement, and "${" an expression.
    told = "{'comment': " + EXPRESSION + "}"
    template = {
        "model_id": one(raw, "ir.model", [["model", "=", "res.partner"]]),
        # the only one of its texts that is not translated, which is what a record in memory can do
        "reply_to": f"<% if object.sudo().write({told}) %><% endif %>",
    }
    partner = one(raw, "res.partner")
    values = {"mail_template_id": template, "resource_ref": f"res.partner,{partner}"}
    return "mail.template.preview", values, "resource_ref", "reply_to"


def onchange(
    odoo: Odoo, model: str, values: dict[str, Any], trigger: str, *shown: str
) -> tuple[str, str, list[Any]]:
    """Return the call of ``onchange`` in the version's own form."""
    specification: dict[str, Any] = {name: {} for name in (*values, *shown)}
    if odoo.version.major < 17:
        specification = dict.fromkeys(specification, "1")
        for name, value in values.items():
            if isinstance(value, dict):
                specification |= {f"{name}.{inner}": "" for inner in value}
    return model, "onchange", [[], values, [trigger], specification]


@pytest.mark.every_version
def test_a_template_made_in_memory_is_not_rendered(
    client: Noting, raw: Raw, database: Database
) -> None:
    """A relation given as an object becomes a record that Odoo renders with all rights."""
    model, values, trigger, shown = template_in_memory(client, raw)
    all_refused(client, database, onchange(client, model, values, trigger, shown))


def user_templates(raw: Raw) -> list[int]:
    """Return the templates that hold the link by which a user's password is set."""
    known = [["module", "=", "auth_signup"], ["model", "=", "mail.template"]]
    rows = raw("ir.model.data", "search_read", known, ["res_id"])
    assert rows, "auth_signup has no templates"
    return [row["res_id"] for row in rows]


@pytest.mark.every_version
def test_a_template_is_not_rendered_on_users_by_a_composer(
    client: Noting, raw: Raw, database: Database
) -> None:
    """It would return a link that sets the password of any user, such as the administrator's."""
    ids = {"res_ids": "[2]"} if client.version.major >= 17 else {"res_id": 2}
    for template in user_templates(raw):
        values = {"composition_mode": "comment", "model": "res.users", **ids}
        shown = ("subject", "body")
        composer = "mail.compose.message"
        given = {**values, "template_id": template}
        all_refused(
            client,
            database,
            onchange(client, composer, given, "template_id", *shown),
            (composer, "create", [given]),
            (composer, "onchange_template_id", [[], template, "comment", "res.users", 2]),
            (composer, "generate_email_for_composer", [[], template, [2], ["body_html"]]),
        )
        defaults = {f"default_{name}": value for name, value in given.items()}
        with unchanged(database):
            refused(client, partial(default_get, model=composer, fields=shown, context=defaults))


def test_a_template_is_not_rendered_on_users_by_its_own_methods(
    client: Noting, raw: Raw, database: Database
) -> None:
    """Sent, the message goes to the outbox, where its body can be read."""
    fields = ["subject", "body_html", "email_to"]
    for template in user_templates(raw):
        all_refused(
            client,
            database,
            ("mail.template", "send_mail", [[template], 2]),
            ("mail.template", "send_mail_batch", [[template], [2]]),
            ("mail.template", "generate_email", [[template], [2], fields]),
            ("mail.template", "get_email_template", [[template], [2]]),
            ("mail.template", "generate_recipients", [[template], {}, [2]]),
        )


def test_a_tip_of_a_digest_is_not_written(client: Noting, raw: Raw, database: Database) -> None:
    """The next digest renders it with all rights."""
    needs(client, "digest.tip")
    tip = one(raw, "digest.tip")
    body = f'<t t-out="{EXPRESSION}"/>${{{EXPRESSION}}}'
    all_refused(
        client,
        database,
        ("digest.tip", "write", [[tip], {"tip_description": body}]),
        ("digest.tip", "write", [[tip], {"name": "harmless"}]),
        ("digest.tip", "create", [{"name": "new", "tip_description": body}]),
        ("digest.tip", "copy", [[tip], {"tip_description": body}]),
        ("digest.tip", "load", [["name", "tip_description"], [["new", body]]]),
        ("digest.tip", "web_save", [[tip], {"tip_description": body}, {}]),
        ("digest.tip", "name_create", [body]),
        ("digest.tip", "update_field_translations", [[tip], "tip_description", {"en_US": body}]),
        ("digest.tip", "import_data", [["tip_description"], [[body]]]),
    )
    values = {"tip_description": body}
    with unchanged(database):
        refused(client, partial(write, model="digest.tip", ids=[tip], values=values))
        refused(client, partial(create, model="digest.tip", values=values))


# Assets and pages ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bundle(raw: Raw) -> int:
    """A style sheet as Odoo keeps it: an attachment of views that is served at its own address."""
    values = {
        "name": "web.assets_backend.min.css",
        "type": "binary",
        "mimetype": "text/css",
        "datas": base64.b64encode(b"body { color: black }").decode(),
        "url": "/web/assets/0-0/web.assets_backend.min.css",
        "res_model": "ir.ui.view",
        "res_id": 0,
        "public": True,
    }
    made: int = raw("ir.attachment", "create", values)
    return made


def test_what_odoo_serves_as_its_own_program_is_not_overwritten(
    client: Noting, raw: Raw, bundle: int, database: Database
) -> None:
    """Scripts and styles of the web client are attachments, which an administrator may write."""
    changed = {"datas": PAGE}
    all_refused(
        client,
        database,
        ("ir.attachment", "write", [[bundle], changed]),
        ("ir.attachment", "web_save", [[bundle], changed, {}]),
        ("ir.attachment", "load", [[".id", "datas"], [[str(bundle), PAGE]]]),
        ("ir.attachment", "copy", [[bundle], changed]),
        ("ir.attachment", "unlink", [[bundle]]),
    )


def test_no_attachment_gets_an_address_of_its_own(
    client: Noting, raw: Raw, database: Database
) -> None:
    """What is at ``/web/assets/...`` or at any other address is served as part of Odoo."""
    move = one(raw, "account.move")
    plain = raw("ir.attachment", "create", {"name": "a file", "datas": PAGE})
    for url in ("/web/assets/1-1/web.assets_backend.min.js", "/web/login", "web/static/src/x.js"):
        values = {"name": "x", "type": "binary", "datas": PAGE, "url": url}
        all_refused(
            client,
            database,
            ("ir.attachment", "create", [values]),
            ("ir.attachment", "create", [[values]]),
            ("ir.attachment", "write", [[plain], {"url": url}]),
            ("ir.attachment", "load", [["name", "url"], [["x", url]]]),
            ("account.move", "write", [[move], {"message_main_attachment_id": {"url": url}}]),
        )


def test_no_attachment_belongs_to_views(client: Noting, database: Database) -> None:
    """Attachments of views are what the web client takes its bundles from."""
    for model in ("ir.ui.view", "ir.asset", "ir.module.module"):
        values = {"name": "x.css", "datas": PAGE, "res_model": model, "res_id": 0}
        all_refused(client, database, ("ir.attachment", "create", [values]))


@pytest.mark.parametrize("name", PAGES)
def test_no_attachment_is_a_page_or_a_program(
    name: str, full: Noting, raw: Raw, suffix: str
) -> None:
    """Odoo serves it from its own address, where a script acts for whoever opens it."""
    title = f"{suffix}-{name}"
    types: list[dict[str, Any]] = [{}, {"mimetype": PAGES[name]}, {"mimetype": PAGES[name].upper()}]
    for named in types:
        values = {"name": title, "datas": PAGE, **named}
        with contextlib.suppress(OdooError):
            create(full, "ir.attachment", values)
        with contextlib.suppress(OdooError):
            execute(full, "ir.attachment", "create", [values])
    with contextlib.suppress(OdooError):
        made = create(full, "ir.attachment", {"name": f"{suffix}-plain.txt", "datas": PAGE}).id
        write(full, "ir.attachment", [made or 0], {"name": title, "mimetype": PAGES[name]})
    with contextlib.suppress(OdooError):
        upload(full, "res.partner", one(raw, "res.partner"), title, PAGE)
    found = raw("ir.attachment", "search_read", [["name", "like", suffix]], ["name", "mimetype"])
    assert [row for row in found if row["mimetype"].lower() in PAGES.values()] == []


@pytest.mark.parametrize("model", ["web_editor.assets", "website.assets"])
def test_style_sheets_and_scripts_are_not_customised(
    model: str, client: Noting, database: Database
) -> None:
    """The website's editor writes them; the new program runs in everybody's browser."""
    needs(client, model)
    url, bundle = "/web/static/src/js/core/ajax.js", "web.assets_common"
    all_refused(
        client,
        database,
        (model, "save_asset", [url, bundle, "alert()", "js"]),
        (model, "reset_asset", [url, bundle]),
        (model, "make_scss_customization", [url, {"a": "b"}]),
    )
