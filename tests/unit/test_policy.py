"""The policy, attacked on every path by which a model, a field or a method can be named."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Mapping
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odoo_toolkit.call import Call, default_access, name_arguments
from odoo_toolkit.errors import (
    AccessError,
    ConfigurationError,
    NotFoundError,
    OdooError,
    ValidationError,
)
from odoo_toolkit.fields import Field
from odoo_toolkit.policy import Policy
from odoo_toolkit.policy import names as policy_names
from odoo_toolkit.policy.calls import KNOWN_KEYS
from odoo_toolkit.policy.owners import record_filter
from odoo_toolkit.policy.policy import policy_problems
from odoo_toolkit.policy.tables import HARMLESS_METHODS, LONGEST_NAME
from odoo_toolkit.policy.user_contacts import address_paths


def _schema(**types: str) -> dict[str, Field]:
    fields = {}
    for name, kind in types.items():
        type_, _, relation = kind.partition(" ")
        fields[name] = Field(name=name, type=type_, relation=relation or None)
    return fields


SCHEMA: dict[str, dict[str, Field]] = {
    "res.partner": _schema(
        id="integer",
        name="char",
        email="char",
        signup_token="char",
        comment="html",
        country_id="many2one res.country",
        user_ids="one2many res.users",
        child_ids="one2many res.partner",
        category_id="many2many res.partner.category",
        employee_ids="one2many hr.employee",
        properties="properties",
    ),
    "res.country": _schema(id="integer", name="char", code="char"),
    "res.partner.category": _schema(id="integer", name="char"),
    "res.users": _schema(
        id="integer", login="char", password="char", partner_id="many2one res.partner"
    ),
    "res.company": _schema(
        id="integer", name="char", user_ids="many2many res.users", partner_id="many2one res.partner"
    ),
    "sale.order": _schema(
        id="integer",
        name="char",
        state="selection",
        date_order="datetime",
        amount_total="monetary",
        signature="binary",
        partner_id="many2one res.partner",
        user_id="many2one res.users",
        order_line="one2many sale.order.line",
        tag_ids="many2many crm.tag",
        cron_id="many2one ir.cron",
        transaction_ids="many2many payment.transaction",
        reference="reference",
    ),
    "sale.order.line": _schema(
        id="integer",
        name="text",
        product_id="many2one product.product",
        order_id="many2one sale.order",
        price_unit="float",
        product_uom_qty="float",
        tax_ids="many2many account.tax",
    ),
    "crm.tag": _schema(id="integer", name="char"),
    "account.tax": _schema(id="integer", name="char", amount="float", python_compute="text"),
    "product.product": _schema(id="integer", name="char", default_code="char"),
    "payment.transaction": _schema(id="integer", provider_id="many2one payment.provider"),
    "hr.employee": _schema(id="integer", name="char"),
    "ir.attachment": _schema(id="integer", name="char", res_model="char", res_field="char"),
    "mail.message": _schema(id="integer", model="char", mail_server_id="many2one ir.mail_server"),
    "mail.template": _schema(id="integer", body_html="html", subject="char", model="char"),
    "mail.compose.message": _schema(id="integer", body="html", subject="char", model="char"),
    "mailing.mailing": _schema(id="integer", mailing_domain="char", subject="char"),
}


def fields_of(model: str) -> Mapping[str, Field]:
    try:
        return SCHEMA[model]
    except KeyError:
        raise NotFoundError(f"no {model}", code="UNKNOWN_MODEL") from None


def make_call(
    model: str, method: str, /, *args: Any, context: Mapping[str, Any] | None = None, **kwargs: Any
) -> Call:
    """A call as the tool for arbitrary methods makes it."""
    ids, named, positional = name_arguments(method, list(args), kwargs)
    return Call(
        model=model,
        method=method,
        ids=ids,
        arguments=named,
        positional=positional,
        context=context or {},
    )


FULL = Policy()


def refused(call: Call, policy: Policy = FULL) -> AccessError:
    with pytest.raises(AccessError) as caught:
        policy.check(call, fields_of)
    return caught.value


FIELD_ATTACKS: dict[str, Call] = {
    "fields": make_call("res.users", "search_read", [], ["login", "password"]),
    "fields as tuple": make_call("res.users", "search_read", (), ("login", "password")),
    "fields as string": make_call("res.users", "read", [1], "password"),
    "mixed case": make_call("res.users", "read", [1], ["Password"]),
    "whitespace": make_call("res.users", "read", [1], [" password\t"]),
    "suffix": make_call("res.partner", "read", [1], ["my_access_token"]),
    "suffix smtp_pass": make_call("res.partner", "read", [1], ["relay_smtp_pass"]),
    "signature": make_call("sale.order", "read", [1], ["signature"]),
    "dotted field": make_call("sale.order", "search_read", [], ["user_id.password"]),
    "domain leaf": make_call("res.users", "search", [["password", "=like", "a%"]]),
    "domain tuple": make_call("res.users", "search_count", [("password", "!=", False)]),
    "domain after connectors": make_call(
        "res.users", "search", ["|", ["id", "=", 1], "!", ["password", "=", "x"]]
    ),
    "dotted domain": make_call("sale.order", "search", [["user_id.password", "like", "a"]]),
    "dotted domain spaced": make_call("sale.order", "search", [["user_id. password", "like", "a"]]),
    "domain in a list": make_call("res.users", "search", [[["password", "=", "x"]]]),
    "any": make_call("sale.order", "search", [["user_id", "any", [["password", "like", "a"]]]]),
    "any in any": make_call(
        "sale.order",
        "search",
        [["partner_id", "Any", [("user_ids", "not  any", [["password", "like", "a"]])]]],
    ),
    "any with bang": make_call(
        "sale.order", "search", [["user_id", "any!", [["password", "=", 1]]]]
    ),
    "domain of an unknown model": make_call("x.unknown", "search", [["a_id.password", "=", 1]]),
    "domain as text": make_call("res.users", "search", "[('password', 'like', 'a')]"),
    "unknown operator": make_call("res.users", "search", [["password", "inselect", [1]]]),
    "order": make_call("res.users", "search", [], order="login, password desc"),
    "domain as mapping": make_call("res.users", "search", {"password": 1}),
    "mapping in a domain": make_call("res.users", "search", [["login", "=", {"password": 1}]]),
    "specification as list": make_call("res.users", "web_read", [1], ["password"]),
    "callback": make_call("payment.transaction", "write", [1], {"callback_method": "unlink"}),
    "values as text": make_call("res.partner", "create", "password"),
    "x2many as mapping": make_call("res.partner", "create", {"child_ids": {"signature": 1}}),
    "names in a command": make_call("res.partner", "create", {"child_ids": [[6, 0, ["password"]]]}),
    "specification of odd shape": make_call("res.partner", "web_read", [1], {"name": ["password"]}),
    "specification option": make_call(
        "res.partner", "web_read", [1], {"user_ids": {"other": ["password"]}}
    ),
    "order as list": make_call("res.users", "search", [], order=["password"]),
    "fields as mapping": make_call("res.users", "read", [1], {"password": 1}),
    "fields in a mapping": make_call("res.users", "read", [1], {"a": ["password"]}),
    "order dotted": make_call("sale.order", "search", [], order="user_id.password"),
    "orderby": make_call("res.users", "read_group", [], ["id"], ["login"], orderby="password"),
    "groupby": make_call("res.users", "read_group", [], ["id"], ["password"]),
    "groupby as string": make_call("res.users", "read_group", [], ["id"], "password"),
    "groupby with granularity": make_call(
        "res.users", "formatted_read_group", [], ["password:month"], ["__count"]
    ),
    "groupby dotted": make_call("sale.order", "formatted_read_group", [], ["user_id.password"], []),
    "aggregate": make_call("res.users", "read_group", [], ["password:array_agg"], ["login"]),
    "aggregate alias": make_call("res.users", "read_group", [], ["x:max(password)"], ["login"]),
    "aggregates": make_call("res.users", "formatted_read_group", [], ["login"], ["password:max"]),
    "having": make_call(
        "res.users",
        "formatted_read_group",
        [],
        ["login"],
        ["__count"],
        [["password:max", ">", "a"]],
    ),
    "web_read_group": make_call("res.partner", "web_read_group", [], ["id"], ["password"]),
    "specification": make_call("res.users", "web_read", [1], {"password": {}}),
    "nested specification": make_call(
        "sale.order", "web_search_read", [], {"user_id": {"fields": {"password": {}}}}
    ),
    "specification order": make_call(
        "res.partner",
        "web_read",
        [1],
        {"user_ids": {"fields": {"login": {}}, "order": "password desc"}},
    ),
    "specification context": make_call(
        "res.partner", "web_read", [1], {"user_ids": {"context": {"default_password": "x"}}}
    ),
    "specification of web_save": make_call(
        "res.partner", "web_save", [1], {}, {"user_ids": {"fields": {"password": {}}}}
    ),
    "create": make_call("res.partner", "create", {"name": "a", "signup_token": "x"}),
    "create many": make_call("res.partner", "create", [{"name": "a"}, {"new_password": "x"}]),
    "write": make_call("res.partner", "write", [1], {"signup_token": "x"}),
    "copy": make_call("res.partner", "copy", [1], {"signup_token": "x"}),
    "copy_data": make_call("res.partner", "copy_data", [1], {"signup_token": "x"}),
    "update": make_call("res.partner", "update", [1], {"signup_token": "x"}),
    "nested values": make_call(
        "res.partner", "write", [1], {"child_ids": [(0, 0, {"api_key": 1})]}
    ),
    "x2many in x2many": make_call(
        "res.partner",
        "create",
        {"child_ids": [[0, 0, {"child_ids": [[1, 5, {"signup_token": "x"}]]}]]},
    ),
    "command as True": make_call(
        "res.partner", "write", [1], {"child_ids": [[True, 5, {"signup_token": "x"}]]}
    ),
    "dict in x2many": make_call("res.partner", "create", {"child_ids": [{"signup_token": "x"}]}),
    "unwrapped command": make_call("res.partner", "create", {"child_ids": [0, 0, {"api_key": 1}]}),
    "values of an unknown model": make_call("x.y", "create", {"z": [[0, 0, {"password": "x"}]]}),
    "properties": make_call("res.partner", "write", [1], {"properties": [{"password": "x"}]}),
    "context default": make_call("res.partner", "create", {}, context={"default_password": "x"}),
    "nested context": make_call(
        "res.partner", "read", [1], ["name"], context={"a": {"password": 1}}
    ),
    "context in kwargs": make_call("res.partner", "foo", context={"default_password": 1}),
    "context names": make_call(
        "res.partner", "read", [1], ["name"], context={"group_by": "password"}
    ),
    "fields_get": make_call("res.users", "fields_get", ["login", "password"]),
    "default_get": make_call("res.users", "default_get", ["password"]),
    "export_data": make_call("res.partner", "export_data", [1], ["name", "user_ids/password"]),
    "export_data dotted": make_call("sale.order", "export_data", [1], ["user_id.password"]),
    "export_data past the id": make_call(
        "sale.order", "export_data", [1], ["user_id/.id/password"]
    ),
    "load": make_call("res.partner", "load", ["name", "child_ids/signup_token"], [["a", "x"]]),
    "mapped": make_call("sale.order", "mapped", [1], "user_id.password"),
    "mapped spaced": make_call("res.partner", "mapped", [1], " password "),
    "sorted": make_call("res.partner", "sorted", [1], "login, password desc"),
    "filtered_domain": make_call(
        "res.partner", "filtered_domain", [1], [["password", "like", "a"]]
    ),
    "unknown method": make_call("res.partner", "anything", {"deep": [{"x": ["password"]}]}),
    "unknown keyword": make_call("res.users", "search_read", [], ["id"], extra={"password": 1}),
    "keyword of that name": make_call("res.partner", "anything", password="x"),
    "list as text": make_call("res.partner", "anything", "['password']"),
    "search panel": make_call("res.partner", "search_panel_select_range", "password"),
    "progress bar": make_call(
        "res.partner", "read_progress_bar", [], "login", {"field": "password"}
    ),
    "translations": make_call("sale.order", "get_field_translations", [1], "signature"),
    "files of a field": make_call("ir.attachment", "search", [["res_field", "=", "signature"]]),
    "files of fields": make_call("ir.attachment", "search", [["res_field", "in", ["signature"]]]),
    "code": make_call("account.tax", "write", [1], {"python_compute": "result = 1"}),
    "code nested": make_call(
        "sale.order",
        "write",
        [1],
        {"order_line": [[1, 2, {"tax_ids": [[1, 3, {"python_compute": ""}]]}]]},
    ),
    "code by load": make_call("account.tax", "load", ["id", "python_compute"], [["a", "b"]]),
    "users of a company": make_call("res.company", "write", [1], {"user_ids": [[4, 7]]}),
    "users of a company by a method": make_call(
        "res.company", "anything", [1], {"user_ids": [[4, 7]]}
    ),
    "inline template": make_call("mail.compose.message", "create", {"subject": "{{ object.env }}"}),
    "template by context": make_call(
        "mail.compose.message", "create", {}, context={"default_body": "${object.env}"}
    ),
    "foreign commands by context": make_call(
        "sale.order", "create", {}, context={"default_user_ids": [[0, 0, {"login": "x"}]]}
    ),
}


@pytest.mark.parametrize("call", FIELD_ATTACKS.values(), ids=FIELD_ATTACKS)
def test_blocked_fields_are_refused_wherever_they_are_named(call: Call) -> None:
    error = refused(call)
    assert error.code == "FIELD_BLOCKED"
    assert error.details["named_in"]


MODEL_ATTACKS: dict[str, Call] = {
    "onchange values": make_call("res.users", "onchange", [], {"password": "x"}, [], {}),
    "onchange names": make_call("res.users", "onchange", [], {}, ["password"], {}),
    "onchange spec": make_call("res.users", "onchange", [], {}, [], {"password": "1"}),
    "template in a list": make_call("mail.template", "create", {"x": ["{{ object.env }}"]}),
    "domain in a char field": make_call(
        "mailing.mailing", "create", {"mailing_domain": "[('user_ids.password', 'like', 'a')]"}
    ),
    "template": make_call("mail.template", "write", [1], {"body_html": '<p t-out="object.env"/>'}),
    "jinja": make_call("mail.template", "create", {"body_html": "a\n  % set x = object.env\n"}),
    "template by translation": make_call(
        "mail.template", "update_field_translations", [1], "subject", {"en_US": "{{ user.env }}"}
    ),
    "template by load": make_call("mail.template", "load", ["subject"], [["{{ user.env }}"]]),
    "itself": make_call("ir.config_parameter", "search_read", [], ["key", "value"]),
    "code": make_call("ir.actions.server", "run", [1]),
    "cron": make_call("ir.cron", "method_direct_trigger", [1]),
    "settings": make_call("res.config.settings", "execute", [1]),
    "password wizard": make_call("change.password.wizard", "create", {}),
    "users written": make_call("res.users", "write", [2], {"login": "x"}),
    "users created": make_call("res.users", "create", {"login": "x"}),
    "users by load": make_call("res.users", "load", ["login"], [["x"]]),
    "users by a method": make_call("res.users", "action_reset_password", [2]),
    "keys": make_call("res.users.apikeys", "generate", "x"),
    "groups": make_call("res.groups", "write", [1], {"users": [[4, 2]]}),
    "portal users": make_call("portal.wizard", "create", {}),
    "views": make_call("ir.ui.view", "write", [1], {"arch": "<t/>"}),
    "views by a page": make_call("website.page", "write", [1], {"arch": "<t/>"}),
    "modules": make_call("ir.module.module", "button_install", [1]),
    "module wizard": make_call("base.module.uninstall", "create", {}),
    "module file": make_call("base.import.module", "create", {"module_file": "x"}),
    "fields": make_call("ir.model.fields", "create", {"name": "x_a"}),
    "xml ids": make_call("ir.model.data", "unlink", [1]),
    "import wizard": make_call("base_import.import", "create", {"res_model": "res.partner"}),
    "merging what is alike": make_call("data_merge.group", "merge_records", [1]),
    "properties": make_call("ir.property", "create", {}),
    "user by a partner": make_call(
        "res.partner", "write", [1], {"user_ids": [(0, 0, {"login": "x"})]}
    ),
    "user updated by a partner": make_call(
        "res.partner", "write", [1], {"user_ids": [[1, 2, {"login": "x"}]]}
    ),
    "user taken by a partner": make_call("res.partner", "write", [1], {"user_ids": [[4, 2]]}),
    "user as mapping": make_call("res.partner", "write", [1], {"user_ids": [{"login": "x"}]}),
    "model's name as a value": make_call("res.partner", "create", {"name": "ir.cron"}),
    "users set as ids": make_call("res.partner", "write", [1], {"user_ids": [2]}),
    "user by nesting": make_call(
        "sale.order",
        "create",
        {"partner_id": 1, "order_line": [[0, 0, {"order_id": 1}]], "x": 1}
        | {"tag_ids": [[6, 0, [1]]], "transaction_ids": [[0, 0, {"provider_id": 3}]]},
    ),
    "user by context": make_call(
        "res.partner", "create", {}, context={"default_user_ids": [[0, 0, {"login": "x"}]]}
    ),
    "user by an unknown method": make_call(
        "res.partner", "anything", {"user_ids": [[0, 0, {"login": "x"}]]}
    ),
    "user by a keyword": make_call("res.partner", "anything", user_ids=[[0, 0, {"login": "x"}]]),
    "user by web_save": make_call(
        "res.partner", "web_save", [], {"user_ids": [[0, 0, {"login": "x"}]]}, {}
    ),
    "user by load": make_call("res.partner", "load", ["name", "user_ids/login"], [["a", "x"]]),
    "user taken by load": make_call("res.partner", "load", ["name", "user_ids/id"], [["a", "x"]]),
    "user named by load": make_call("res.partner", "load", ["name", "user_ids"], [["a", "x"]]),
    "many2one": make_call("sale.order", "read", [1], ["cron_id"]),
    "all fields": make_call("sale.order", "read", [1]),
    "all fields, empty list": make_call("mail.message", "search_read", [], []),
    "domain path": make_call("sale.order", "search", [["cron_id.name", "=", "x"]]),
    "domain leaf": make_call("sale.order", "search", [["cron_id", "ilike", "x"]]),
    "domain any": make_call("sale.order", "search", [["cron_id", "any", []]]),
    "two steps": make_call("sale.order", "search", [["transaction_ids.provider_id", "=", 1]]),
    "order": make_call("sale.order", "search", [], order="cron_id"),
    "groupby": make_call("sale.order", "read_group", [], ["id"], ["cron_id"]),
    "specification": make_call("sale.order", "web_read", [1], {"cron_id": {}}),
    "mapped": make_call("sale.order", "mapped", [1], "cron_id"),
    "export": make_call("sale.order", "export_data", [1], ["cron_id/.id"]),
    "reference value": make_call("sale.order", "write", [1], {"reference": "ir.cron,1"}),
    "reference in a domain": make_call("sale.order", "search", [["reference", "=", "ir.cron,1"]]),
    "active_model": make_call("res.partner", "foo", context={"active_model": "ir.cron"}),
    "context deeper": make_call("res.partner", "read", [1], ["name"], context={"p": ["ir.cron"]}),
    "default_res_model": make_call(
        "mail.message", "create", {}, context={"default_res_model": "ir.cron"}
    ),
    "attachment": make_call("ir.attachment", "create", {"name": "a", "res_model": "ir.cron"}),
    "attachments": make_call("ir.attachment", "search", [["res_model", "=", "ir.cron"]]),
    "attachments in": make_call("ir.attachment", "search", [["res_model", "in", ["ir.cron"]]]),
    "messages": make_call("mail.message", "search_read", [("model", "=", " ir.cron ")], ["id"]),
    "argument": make_call("res.partner", "anything", ["x", {"y": "ir.config_parameter"}]),
    "keyword": make_call("res.partner", "anything", model="ir.config_parameter"),
    "mixed case": make_call("res.partner", "anything", " IR.Cron "),
    "key": make_call("res.partner", "anything", {"ir.cron": 1}),
    "properties comodel": make_call(
        "res.partner", "write", [1], {"properties": [{"comodel": "ir.cron"}]}
    ),
}


@pytest.mark.parametrize("call", MODEL_ATTACKS.values(), ids=MODEL_ATTACKS)
def test_closed_models_are_refused_wherever_they_are_named(call: Call) -> None:
    error = refused(call)
    assert error.code == "MODEL_BLOCKED"
    assert error.details["model"]
    assert error.details["named_in"]


@pytest.mark.parametrize(
    "method",
    [
        *("_search", "__init__", "sudo", "Sudo", "with_context", "with_user", "init"),
        *("clear_caches", "module_uninstall", "button_immediate_install", "message_process"),
        "signup_prepare",
    ],
)
def test_blocked_methods_are_refused(method: str) -> None:
    error = refused(Call(model="res.partner", method=method))
    assert error.code == "METHOD_BLOCKED"
    assert error.details["method"] == method


def test_method_rules_bind_internal_calls_too() -> None:
    assert refused(Call(model="res.partner", method="_x", access="read", internal=True)).code == (
        "METHOD_BLOCKED"
    )
    policy = Policy(method_blocklist=["action_post"])
    assert refused(Call(model="a.b", method="action_post"), policy).code == "METHOD_BLOCKED"


@pytest.mark.parametrize(
    ("model", "method"),
    [
        ("res.partner/read", "read"),
        ("../res.partner", "read"),
        ("res..partner", "read"),
        ("res.partner\n", "read"),
        ("Res.Partner", "read"),
        (" res.partner", "read"),
        ("res.partner?x", "read"),
        ("", "read"),
        ("res.partner", "read/../x"),
        ("res.partner", "read\n"),
        ("res.partner", "ｒead"),
        ("res.partner", "read "),
        ("res.partner", ""),
    ],
)
def test_malformed_names_never_reach_a_url(model: str, method: str) -> None:
    with pytest.raises(ValidationError):
        FULL.check(Call(model=model, method=method, access="read", internal=True), fields_of)


def test_ids_in_disguise_do_not_shift_the_arguments() -> None:
    """The server would take "5" for the ids and the second argument for the fields."""
    ids, named, positional = name_arguments("read", ["5", ["password"]], {})
    call = Call(model="res.users", method="read", ids=ids, arguments=named, positional=positional)
    with pytest.raises(ValidationError):
        FULL.check(call, fields_of)
    with pytest.raises(ValidationError):
        FULL.check(
            Call(model="res.users", method="search_read", ids=(1,), arguments={"domain": []}),
            fields_of,
        )


@pytest.mark.parametrize(
    ("positional", "arguments"),
    [((5,), {}), ((5.0,), {}), (([5.0],), {}), ((["5"], {}), {}), ((), {"ids": [5]})],
)
def test_ids_are_never_smuggled_in_as_other_arguments(positional: Any, arguments: Any) -> None:
    """Whose records they are is checked by the call's ids, so there must be no others."""
    call = Call(
        model="mail.message", method="copy_data", positional=positional, arguments=arguments
    )
    with pytest.raises(ValidationError, match="ids"):
        FULL.check(call, fields_of)


ORDINARY: dict[str, Call] = {
    "search_read": make_call(
        "sale.order",
        "search_read",
        ["|", ["state", "=", "sale"], ["partner_id.country_id.code", "=", "PT"]],
        ["name", "partner_id", "amount_total", "order_line"],
        order="date_order desc, id",
        context={"lang": "pt_PT", "active_test": False, "allowed_company_ids": [1]},
    ),
    "read": make_call("res.partner", "read", [1, 2], ["name", "country_id"]),
    "child_of": make_call("res.partner", "search", [["id", "child_of", [1]]]),
    "text in a domain": make_call("res.partner", "search", [["name", "ilike", "password"]]),
    "read_group": make_call(
        "sale.order", "read_group", [], ["amount_total:sum"], ["date_order:month"], lazy=False
    ),
    "formatted_read_group": make_call(
        "sale.order",
        "formatted_read_group",
        [],
        ["date_order:month", "partner_id"],
        ["__count", "amount_total:sum"],
        having=[["__count", ">", 1]],
    ),
    "name_search": make_call("res.partner", "name_search", "password", [], "ilike", 5),
    "users read": make_call("res.users", "search_read", [], ["login", "partner_id"]),
    "web_read": make_call(
        "sale.order",
        "web_read",
        [1],
        {"partner_id": {"fields": {"display_name": {}}}, "order_line": {"fields": {"name": {}}}},
    ),
    "onchange": make_call(
        "sale.order", "onchange", [], {"order_line": [[0, 0, {"name": "a"}]]}, [], {"name": {}}
    ),
    "export_data": make_call("sale.order", "export_data", [1], ["id", "partner_id/id", "name"]),
    "not the attachments of closed models": make_call(
        "ir.attachment", "search", [["res_model", "not in", ["ir.cron"]]]
    ),
}

CHANGES: dict[str, Call] = {
    "create": make_call(
        "sale.order",
        "create",
        {
            "partner_id": 1,
            "user_id": 2,
            "tag_ids": [[6, 0, [1, 2]]],
            "order_line": [
                (0, 0, {"product_id": 3, "product_uom_qty": 2, "tax_ids": [(6, 0, [4])]}),
                (0, 0, {"name": "Your password and signature", "price_unit": 0.0}),
            ],
        },
    ),
    "write": make_call("sale.order", "write", [1], {"order_line": [[1, 5, {"price_unit": 9}]]}),
    "text": make_call("sale.order", "write", [1], {"name": "password"}),
    "confirm": Call(
        model="sale.order", method="action_confirm", ids=[1], access="write", step=True
    ),
    "load": make_call("sale.order", "load", ["name", "order_line/name"], [["a", "b"]]),
}

FURTHER: dict[str, Call] = {
    "unlink": make_call("sale.order", "unlink", [1]),
    "lines replaced": make_call("sale.order", "write", [1], {"order_line": [[5, 0, 0]]}),
    "line deleted": make_call("sale.order", "write", [1], {"order_line": [[2, 7, 0]]}),
    "line unlinked": make_call("sale.order", "write", [1], {"order_line": [[3, 7, 0]]}),
    "any method": make_call("sale.order", "action_confirm", [1]),
    "message": make_call(
        "sale.order", "message_post", [1], body="password", message_type="comment", partner_ids=[3]
    ),
}


@pytest.mark.parametrize(
    "call", [*ORDINARY.values(), *CHANGES.values(), *FURTHER.values()],
    ids=[*ORDINARY, *CHANGES, *FURTHER],
)  # fmt: skip
def test_ordinary_business_passes_in_full_mode(call: Call) -> None:
    FULL.check(call, fields_of)


@pytest.mark.parametrize("mode", ["readonly", "restricted", "full"])
@pytest.mark.parametrize(
    "context",
    [
        {"lang": 5},
        {"tz": ["UTC"]},
        {"active_test": "no"},
        {"allowed_company_ids": 1},
        {"allowed_company_ids": ["My Company"]},
        "lang",
        ["lang"],
        7,
    ],
)
def test_a_context_of_a_wrong_type_is_refused_in_every_mode(mode: Any, context: Any) -> None:
    call = Call(model="res.partner", method="search_count", context=context)
    with pytest.raises(ValidationError):
        Policy(mode=mode).check(call, fields_of)


@pytest.mark.parametrize("call", ORDINARY.values(), ids=ORDINARY)
@pytest.mark.parametrize("mode", ["readonly", "restricted"])
def test_reads_that_are_known_to_be_harmless_pass_in_every_mode(mode: Any, call: Call) -> None:
    policy = Policy(mode=mode)
    if call.method in HARMLESS_METHODS and call.context.keys() <= KNOWN_KEYS.keys():
        policy.check(call, fields_of)
    else:
        assert refused(call, policy).code == "MODE_VIOLATION"


@pytest.mark.parametrize("call", [*CHANGES.values(), *FURTHER.values()], ids=[*CHANGES, *FURTHER])
@pytest.mark.parametrize("mode", ["readonly", "restricted"])
def test_nothing_is_changed_without_a_write_allowlist(mode: Any, call: Call) -> None:
    assert refused(call, Policy(mode=mode)).code == "MODE_VIOLATION"


SALES = Policy(mode="restricted", write_allowlist="sale.order, sale.order.line")


@pytest.mark.parametrize("call", CHANGES.values(), ids=CHANGES)
def test_restricted_mode_changes_the_models_of_the_write_allowlist(call: Call) -> None:
    SALES.check(call, fields_of)


@pytest.mark.parametrize("call", FURTHER.values(), ids=FURTHER)
def test_restricted_mode_never_deletes_or_executes(call: Call) -> None:
    assert refused(call, SALES).code == "MODE_VIOLATION"


def test_restricted_mode_binds_the_models_of_commands() -> None:
    policy = Policy(mode="restricted", write_allowlist=["sale.order"])
    error = refused(CHANGES["create"], policy)
    assert error.code == "MODE_VIOLATION"
    assert error.details["model"] == "sale.order.line"
    assert error.details["named_in"] == "vals_list.order_line[0]"
    assert refused(CHANGES["load"], policy).details["model"] == "sale.order.line"
    policy.check(make_call("sale.order", "write", [1], {"tag_ids": [[4, 1]]}), fields_of)


def test_restricted_mode_refuses_commands_whose_model_is_unknown() -> None:
    policy = Policy(mode="restricted", write_allowlist=["x.y"])
    assert refused(make_call("x.y", "create", {"z_ids": [[0, 0, {"a": 1}]]}), policy)


def test_records_created_by_name_during_a_load_count_as_created() -> None:
    call = make_call(
        "sale.order",
        "load",
        ["name", "partner_id"],
        [["a", "New"]],
        context={"name_create_enabled_fields": {"partner_id": True}},
    )
    assert refused(call, SALES).details["named_in"] == "context.name_create_enabled_fields"
    assert refused(call, ONLY_SALES).details["model"] == "res.partner"


def test_a_destructive_method_is_judged_by_its_name_whatever_it_declares() -> None:
    call = Call(model="sale.order", method="unlink", ids=[1], access="read", internal=True)
    assert refused(call, Policy(mode="readonly")).code == "MODE_VIOLATION"
    call = Call(model="sale.order", method="unlink", ids=[1], access="write")
    assert refused(call, SALES).code == "MODE_VIOLATION"


ON_THE_ORDER: dict[str, Any] = {"access": "write", "acts_on": "sale.order", "step": True}
ONLY_ORDERS = Policy(mode="restricted", write_allowlist=["sale.order"])


def test_an_operation_on_an_allowed_model_may_answer_its_wizard_and_add_its_lines() -> None:
    wizard = Call(model="x.wizard", method="apply", ids=[1], **ON_THE_ORDER)
    ONLY_ORDERS.check(wizard, fields_of)
    ONLY_ORDERS.check(attrs.evolve(CHANGES["create"], **ON_THE_ORDER), fields_of)
    assert refused(attrs.evolve(wizard, acts_on="res.partner"), ONLY_ORDERS)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (Call(model="ir.cron", method="apply", ids=[1], **ON_THE_ORDER), "MODEL_BLOCKED"),
        (Call(model="res.users", method="apply", ids=[1], **ON_THE_ORDER), "MODEL_BLOCKED"),
        (Call(model="sale.order.line", method="unlink", ids=[1], **ON_THE_ORDER), "MODE_VIOLATION"),
        (attrs.evolve(CHANGES["write"], **ON_THE_ORDER), "MODE_VIOLATION"),
        (attrs.evolve(FURTHER["line deleted"], **ON_THE_ORDER), "MODE_VIOLATION"),
    ],
    ids=["blocked", "never written", "delete", "line of any order", "line deleted"],
)
def test_an_operation_on_an_allowed_model_opens_nothing_else(call: Call, code: str) -> None:
    assert refused(call, ONLY_ORDERS).code == code


@pytest.mark.parametrize(
    ("method", "operation"),
    [("create", "Create"), ("write", "Write"), ("unlink", "Delete"), ("action_x", "Execute")],
)
def test_a_mode_violation_says_what_the_administrator_would_set(
    method: str, operation: str
) -> None:
    call = Call(model="res.partner", method=method, ids=None if method == "create" else [1])
    error = refused(call, Policy(mode="readonly"))
    assert error.message == f"{operation} operations are not allowed in readonly mode"
    assert "mode: Policy(" in error.suggestion
    if default_access(method) in ("create", "write"):
        error = refused(call, SALES)
        assert "res.partner" in error.suggestion
        assert "write allowlist" in error.suggestion


ONLY_SALES = Policy(model_allowlist=["sale.order", "sale.order.line", "ir.attachment"])


@pytest.mark.parametrize(
    "call",
    [
        make_call("res.partner", "read", [1], ["name"]),
        make_call("sale.order", "search", [["partner_id.email", "=", "x"]]),
        make_call("sale.order", "search", [["partner_id", "any", [["email", "=", "x"]]]]),
        make_call("sale.order", "search", [["partner_id", "child_of", 1]]),
        make_call("sale.order", "search_read", [], ["partner_id.email"]),
        make_call("sale.order", "search", [], order="partner_id.email"),
        make_call("sale.order", "formatted_read_group", [], ["partner_id.email"], []),
        make_call("sale.order", "export_data", [1], ["partner_id/email"]),
        make_call("sale.order", "write", [1], {"tag_ids": [[0, 0, {"name": "x"}]]}),
        make_call("ir.attachment", "search", [["res_model", "=", "hr.employee"]]),
        make_call("ir.attachment", "create", {"res_model": "hr.employee"}),
        make_call("sale.order", "write", [1], {"reference": "hr.employee,1"}),
    ],
    ids=str,
)
def test_with_an_allowlist_no_path_leads_out_of_it(call: Call) -> None:
    assert refused(call, ONLY_SALES).code == "MODEL_BLOCKED"


@pytest.mark.parametrize(
    "call",
    [
        make_call("sale.order", "mapped", [1], "partner_id.email"),
        make_call("sale.order", "web_read", [1], {"partner_id": {"fields": {"email": {}}}}),
        make_call("sale.order", "web_read", [1], {"name": {}}),
        make_call("sale.order", "web_search_read", [["name", "ilike", "x"]], {"name": {}}),
        make_call("sale.order", "copy_data", [1]),
        make_call("sale.order", "read_progress_bar", [], "state", {}),
        make_call("sale.order", "onchange", [1], {}, [], {"name": {}}),
        make_call("sale.order", "foo", context={"active_model": "hr.employee"}),
        make_call("sale.order", "foo", [1], res_model="hr.employee"),
        make_call("sale.order", "action_confirm", [1], "an argument"),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "rules", [{"model_allowlist": "sale.order"}, {"field_blocklist": "email"}], ids=str
)
def test_while_a_list_closes_something_unknown_methods_do_not_pass(
    call: Call, rules: dict[str, str]
) -> None:
    assert refused(call, Policy(**rules)).code == "METHOD_BLOCKED"
    FULL.check(call, fields_of)


@pytest.mark.parametrize(
    "call",
    [
        make_call("sale.order", "action_confirm", [1]),
        make_call("sale.order", "copy", [1], {"name": "x"}),
        make_call("sale.order", "action_archive", [1]),
        make_call("sale.order", "message_post", [1], body="x"),
        make_call("sale.order", "default_get", ["name"], context={"default_type": "x_y"}),
        make_call("sale.order", "read", [1], ["name"], context={"warehouse": 1, "lang": "fr_FR"}),
    ],
    ids=str,
)
def test_business_and_known_methods_pass_while_a_list_closes_something(call: Call) -> None:
    ONLY_SALES.check(call, fields_of)


@pytest.mark.parametrize(
    "context",
    [
        {"default_partner_id": 1},
        {"default_body": "a text"},
        {"active_ids": [1]},
        {"warehouse": "sale.order"},
        {"a key": 1},
    ],
    ids=str,
)
def test_no_context_makes_default_values_of_what_is_closed(context: dict[str, Any]) -> None:
    call = make_call("sale.order", "default_get", ["name"], context=context)
    assert refused(call, Policy(field_blocklist="email")).code == "FIELD_BLOCKED"


@pytest.mark.parametrize(
    "call",
    [
        make_call("sale.order", "read", [1], ["name", "partner_id"]),
        make_call("sale.order", "search", [["partner_id", "=", 1]]),
        make_call("sale.order", "export_data", [1], ["partner_id/id"]),
        make_call("sale.order", "create", {"partner_id": 1, "tag_ids": [[6, 0, [1]]]}),
    ],
    ids=str,
)
def test_with_an_allowlist_ids_and_names_of_linked_records_still_come_back(call: Call) -> None:
    ONLY_SALES.check(call, fields_of)


def test_a_blocklisted_model_is_withheld_also_as_a_many2one() -> None:
    policy = Policy(model_blocklist={"res.partner"})
    assert refused(make_call("sale.order", "read", [1], ["partner_id"]), policy).details == {
        "model": "res.partner",
        "named_in": "fields: partner_id",
    }
    assert refused(make_call("res.partner", "search_count", []), policy)


def test_the_field_blocklist_adds_to_the_fixed_one() -> None:
    policy = Policy(field_blocklist="email")
    assert policy.field_blocked(" Email ")
    assert refused(make_call("sale.order", "search", [["partner_id.email", "=", "x"]]), policy)
    assert not FULL.field_blocked("email")


def test_internal_reads_skip_mode_and_lists_but_internal_writes_do_not() -> None:
    policy = Policy(mode="readonly", model_allowlist=["sale.order"])
    policy.check(
        Call(model="ir.model", method="get_available_models", access="read", internal=True),
        fields_of,
    )
    call = Call(model="sale.order", method="write", ids=[1], internal=True)
    assert refused(call, policy).code == "MODE_VIOLATION"


def test_without_a_schema_names_alone_decide() -> None:
    FULL.check(make_call("x.y", "search_read", [["a_id.b", "=", 1]], ["c"]), fields_of)


def test_nesting_that_would_exhaust_the_check_is_refused() -> None:
    deep: Any = ["id", "=", 1]
    for _ in range(200):
        deep = [deep]
    with pytest.raises(ValidationError):
        FULL.check(make_call("res.partner", "search", deep), fields_of)


def test_every_part_is_walked_once_however_many_roles_it_could_play(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each level is a condition, a value and commands at once: walked for each, it would double."""
    monkeypatch.setattr(policy_names, "MOST_VISITS", 2000)
    nested: Any = 1
    for _ in range(18):
        nested = ["child_ids", "any", {"child_ids": nested}]
    FULL.check(make_call("res.partner", "anything", nested), fields_of)


KEYS = st.sampled_from(["name", "user_ids", "child_ids", "fields", "order", "x", "domain"])
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12), KEYS,
    st.sampled_from(["any", "=", "in", "&", "default_name", "res.partner,1", "res.users", ""]),
)  # fmt: skip
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(KEYS, st.sampled_from(["any", "=", "in"]), inner),
        st.tuples(st.integers(0, 6), st.integers(0, 9), inner),
        st.dictionaries(st.one_of(KEYS, st.text(max_size=8)), inner, max_size=3),
    ),
    max_leaves=12,
)
NAMED = ["domain", "fields", "order", "groupby", "specification", "values", "context", "x", "data"]
METHODS = ["search_read", "write", "load", "onchange", "copy", "web_save", "mapped", "anything"]
POLICIES = [FULL, Policy(mode="readonly"), SALES, ONLY_SALES]


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(METHODS),
    st.dictionaries(st.sampled_from(NAMED), JSON, max_size=3),
    st.lists(JSON, max_size=2),
    st.dictionaries(st.text(max_size=8), JSON, max_size=2),
    st.sampled_from(POLICIES),
    st.sampled_from([None, (1,)]),
)
def test_whatever_is_sent_is_passed_or_refused_and_never_crashes(
    method: str, named: Any, positional: Any, context: Any, policy: Policy, ids: Any
) -> None:
    call = Call(
        model="res.partner", method=method, ids=ids, arguments=named,
        positional=positional, context=context,
    )  # fmt: skip
    with contextlib.suppress(OdooError):  # anything else is a crash
        policy.check(call, fields_of)


def _planted(secret: str) -> st.SearchStrategy[Any]:
    """JSON that has the secret's name somewhere where a field is named."""
    seeds = st.sampled_from(
        [
            {secret: 1},
            [secret],
            [secret, "=", 1],
            (f"user_ids.{secret}", "in", [1]),
            f"user_ids.{secret}",
            f"name, {secret} desc",
            f"{secret}:max",
            f"x:max({secret})",
            [0, 0, {secret: 1}],
        ]
    )
    return st.recursive(
        seeds,
        lambda inner: st.one_of(
            st.tuples(inner).map(list),
            st.tuples(JSON, inner).map(list),
            st.builds(lambda key, value: {key: value}, KEYS, inner),
            st.builds(lambda value: ["child_ids", "any", [value]], inner),
        ),
        max_leaves=4,
    )


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(["anything", "mapped", "update", "web_read_group", "action_confirm"]),
    st.sampled_from(["password", "signature", "x_secret"]).flatmap(_planted),
    st.booleans(),
)
def test_a_blocked_name_in_any_argument_of_any_method_is_refused(
    method: str, argument: Any, named: bool
) -> None:
    call = Call(
        model="res.partner",
        method=method,
        arguments={"x": argument} if named else {},
        positional=() if named else (argument,),
    )
    with pytest.raises(OdooError):
        FULL.check(call, fields_of)


def test_redact_removes_blocked_keys_at_any_depth() -> None:
    answer = [
        {"id": 1, "password": "x", "lines": [{"id": 2, "access_token": "y"}]},
        {"signature:max": 1, "__count": 2, "Password": 3},
    ]
    assert FULL.redact(answer) == [{"id": 1, "lines": [{"id": 2}]}, {"__count": 2}]
    assert FULL.redact(({"password": 1},)) == ({},)


def test_redact_copies_nothing_where_nothing_is_blocked() -> None:
    answer = [{"id": 1, "name": "password", "partner_id": [1, "x"]}]
    assert FULL.redact(answer) is answer
    assert FULL.redact(False) is False


def test_readable_fields_leave_out_blocked_names_and_closed_models() -> None:
    assert "signature" not in FULL.readable_fields("sale.order", SCHEMA.__getitem__)
    readable = ONLY_SALES.readable_fields("sale.order", SCHEMA.__getitem__)
    assert "cron_id" not in readable
    assert "partner_id" in readable


@pytest.mark.parametrize(
    ("field", "closed"),
    [
        (Field(name="email", type="char"), True),
        (Field(name="mail_of_parent", type="char", related=("parent_id", "email")), True),
        (Field(name="email_formatted", type="char", depends=("name", "email")), True),
        (Field(name="reply_to", type="text", depends=("partner_id.email",)), True),
        (Field(name="display_name", type="char", depends=("name", "email")), False),
        (Field(name="has_email", type="boolean", depends=("email",)), False),
        (Field(name="phone", type="char", depends=("mobile",)), False),
    ],
    ids=lambda value: value.name if isinstance(value, Field) else "",
)
def test_what_shows_a_closed_field_is_closed(field: Field, closed: bool) -> None:
    parent = Field(name="parent_id", type="many2one", relation="res.partner")
    policy = Policy(field_blocklist="email")
    assert policy.field_closed(field) is closed
    described = {field.name: field, "parent_id": parent}
    readable = policy.readable_fields("res.partner", lambda model: described)
    assert (field.name not in readable) is closed


def hidden_by(policy: Policy, model: str, *domain: list[Any]) -> list[Any]:
    return record_filter(policy, model, domain, fields_of)


def test_record_filter_hides_the_records_of_closed_models() -> None:
    found = hidden_by(Policy(model_blocklist=["hr.employee"]), "ir.attachment")
    (field, operator, models), only_files = found
    assert (field, operator) == ("res_model", "not in")
    assert {"hr.employee", "ir.cron"} <= set(models)
    assert only_files == ["res_field", "=", False]
    assert hidden_by(ONLY_SALES, "mail.message") == [
        "|",
        ["model", "=", False],
        ["model", "in", ["ir.attachment", "sale.order", "sale.order.line"]],
    ]
    assert hidden_by(FULL, "res.partner") == []


def test_record_filter_hides_the_files_of_closed_fields_however_they_are_asked_for() -> None:
    _, extra, *suffixes = hidden_by(FULL, "ir.attachment", ["id", ">", 0])
    assert extra[:2] == ["res_field", "not in"]
    assert "signature" in extra[2]
    assert ["res_field", "=ilike", "%\\_token"] in suffixes


def test_what_cannot_be_told_apart_is_refused_while_something_is_closed() -> None:
    assert hidden_by(FULL, "ir.translation") == []
    with pytest.raises(AccessError, match="cannot be accessed"):
        hidden_by(Policy(field_blocklist="email"), "ir.translation")


def test_model_problem_and_model_allowed_agree() -> None:
    for policy in POLICIES:
        for model in SCHEMA:
            assert policy.model_allowed(model) == (policy.model_problem(model, "read") is None)
    assert FULL.model_problem("res.users", "read") is None
    assert FULL.model_problem("res.users", "write") is not None


def test_describe_is_plain_data() -> None:
    described = SALES.describe()
    assert described["mode"] == "restricted"
    assert described["write_allowlist"] == ["sale.order", "sale.order.line"]
    assert "ir.cron" in described["always"]["blocked_models"]


def test_policy_problems_finds_all_mistakes_at_once() -> None:
    problems = policy_problems(
        mode="yolo",
        model_allowlist=["sale.order"],
        model_blocklist=["res.partner/x"],
        write_allowlist=["crm.lead"],
        field_blocklist=["res.partner.vat"],
        method_blocklist=["action post"],
    )
    assert len(problems) == 6
    assert policy_problems(mode="restricted", write_allowlist=["sale.order"]) == []


def test_an_unknown_mode_is_never_taken_for_a_permissive_one() -> None:
    with pytest.raises(ValueError, match="Unknown mode"):
        Policy(mode="FULL")
    assert attrs.evolve(SALES, mode="full").write_allowlist == SALES.write_allowlist


def test_an_address_is_followed_through_fields_that_show_others() -> None:
    """Each model shows the address of the next one; the last one's is the contact's own."""
    longest = 6
    models = [f"x.model{n}" for n in range(longest)] + ["res.partner"]
    described = {
        model: {
            "mail": Field(name="mail", type="char", related=("next", "mail")),
            "next": Field(name="next", type="many2one", relation=following),
        }
        for model, following in itertools.pairwise(models)
    }
    described[models[-2]]["mail"] = Field(name="mail", type="char", related=("next", "email"))
    described["res.partner"] = {"email": Field(name="email", type="char")}
    found = address_paths(models[0], "mail", described.__getitem__)
    assert found == [("next",) * longest]


@pytest.mark.parametrize("name", ["auth.passkey.key", "res.partner,7"])
def test_a_text_that_is_longer_than_a_name_names_nothing(name: str) -> None:
    """Other checks leave it alone, too, and a long text would take a second."""
    naming = Policy().naming
    assert naming(f" {name}\n")
    assert not naming(name + " " * (LONGEST_NAME - len(name) + 1))
    assert not naming(" " * 1_000_000 + name)
    assert not naming("\n" * 1_000_000)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("field_blocklist", ["email", "res.partner.email"]),
        ("field_blocklist", "res.users:login"),
        ("method_blocklist", ["action_*"]),
        ("model_blocklist", ["Sales Orders"]),
        ("model_allowlist", ["Res.Partner"]),
        ("write_allowlist", ["res partner"]),
    ],
)
def test_what_is_no_name_closes_nothing_and_is_refused(name: str, value: Any) -> None:
    given: dict[str, Any] = {name: value}
    with pytest.raises(ConfigurationError, match="is not the name of a"):
        Policy(**given)
