"""Short ways of the policy: what names nothing is not looked through, and passes as it would."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odoo_toolkit import Policy
from odoo_toolkit.arguments.reading import wired
from odoo_toolkit.call import Call
from odoo_toolkit.errors import AccessError, OdooError
from odoo_toolkit.fields import Field
from odoo_toolkit.policy import calls
from odoo_toolkit.policy.tables import FILE_MODELS
from odoo_toolkit.policy.unknown_arguments import Walk

PARTNER, COMPOSER, FILE = "res.partner", "mail.compose.message", min(FILE_MODELS)
_TYPES = (
    *("char", "text", "html", "integer", "float", "monetary", "boolean", "date", "datetime"),
    *("selection", "binary", "json", "reference", "properties", "many2one_reference"),
)
FIELDS = {
    name: Field(name=name, type=kind, relation=relation, store=True, searchable=True, sortable=True)
    for name, kind, relation in [
        *((f"a_{kind}", kind, None) for kind in _TYPES),
        ("res_model", "char", None),
        ("filter_domain", "char", None),
        ("signup_token", "char", None),
        ("country_id", "many2one", "res.country"),
        ("model_id", "many2one", "ir.model"),
        ("category_id", "many2many", "res.partner.category"),
        ("child_ids", "one2many", PARTNER),
        ("rule_ids", "many2many", "ir.rule"),
    ]
}


def fields_of(model: str) -> Mapping[str, Field]:
    return FIELDS


def outcome(policy: Policy, call: Call, worded: bool) -> Any:
    """Return what passes, or why nothing does."""
    try:
        return wired(policy.admitted(call, fields_of, lambda _: "ir.rule", worded=worded))
    except OdooError as error:
        return type(error), error.code, error.message


def by_the_long_way(act: Callable[[], Any]) -> Any:
    with (
        patch.object(Walk, "takes_any", {}),
        patch.object(calls, "names_nothing", lambda context: False),
    ):
        return act()


_POLICIES = st.builds(
    Policy,
    mode=st.sampled_from(["full", "restricted", "readonly"]),
    model_allowlist=st.sampled_from(["", "", f"{PARTNER},{COMPOSER},{FILE}"]),
    field_blocklist=st.sampled_from(["", "a_char,a_integer"]),
    method_blocklist=st.sampled_from(["", "unlink"]),
    write_allowlist=st.sampled_from(["", f"{PARTNER},{COMPOSER},{FILE}"]),
    protect=st.booleans(),
)
_NAMES = st.sampled_from([*FIELDS, "no_field", "country_id.name"])
_TEXTS = st.sampled_from(
    [
        *("", "x", "1.5", "a@b.c", "ir.rule", " IR.rule ", "ir.rule@x.y", "ir.rule,1", "a,b"),
        *("res.partner,7", "${object}", "{{ object }}", "[('signup_token', '=', 1)]"),
        *("[('a', '=', 'ir.rule')]", "signup_token", "<script>", "data.csv"),
    ]
)
_SCALARS = st.one_of(_TEXTS, st.integers(-1, 9), st.booleans(), st.none(), st.floats(0, 2))
_MORE: Any = st.one_of(
    st.lists(st.one_of(_SCALARS, st.lists(_SCALARS, max_size=3)), max_size=2),
    st.dictionaries(_NAMES, _SCALARS, max_size=2),
    st.lists(
        st.builds(lambda values: [0, 0, values], st.dictionaries(_NAMES, _SCALARS, max_size=2)),
        max_size=2,
    ),
)
_VALUES = st.dictionaries(_NAMES, st.one_of(_SCALARS, _SCALARS, _MORE), max_size=4)
_CONTEXTS = st.dictionaries(
    st.sampled_from(["lang", "active_test", "default_signup_token", "default_a_char", "res_model"]),
    st.one_of(_SCALARS, _MORE),
    max_size=2,
)
_ARGUMENTS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "create": lambda values: {"vals_list": [values, values]},
    "write": lambda values: {"vals": values},
    "load": lambda values: {"fields": list(values), "data": [list(values.values())]},
    "copy": lambda values: {"default": values},
    "message_post": lambda values: {"body": "x", **values},
    "action_confirm": lambda values: {},
    "unlink": lambda values: {},
    "web_search_read": lambda values: {},
    "read": lambda values: {"fields": list(values)},
}


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([PARTNER, COMPOSER, FILE]),
    st.sampled_from(list(_ARGUMENTS)),
    _VALUES,
    _CONTEXTS,
    _POLICIES,
    st.booleans(),
    st.booleans(),
)
def test_the_short_way_lets_pass_what_the_long_way_does(
    model: str,
    method: str,
    values: dict[str, Any],
    context: dict[str, Any],
    policy: Policy,
    step: bool,
    worded: bool,
) -> None:
    call = Call(
        model=model,
        method=method,
        ids=None if method in ("create", "load", "web_search_read") else (1,),
        arguments=_ARGUMENTS[method](values),
        context=context,
        step=step,
    )
    short = outcome(policy, call, worded)
    assert by_the_long_way(lambda: outcome(policy, call, worded)) == short


@pytest.mark.parametrize("step", [True, False])
@pytest.mark.parametrize(
    ("field", "value", "policy"),
    [
        ("a_char", " IR.rule ", Policy()),
        ("a_text", "ir.rule", Policy()),
        ("res_model", "sale.order", Policy(model_blocklist="sale.order")),
        ("res_model", "a@sale.order", Policy(model_allowlist=PARTNER)),
        ("filter_domain", "[('x', '=', 'ir.rule')]", Policy()),
        ("a_char", "ir.rule,1", Policy()),
        ("signup_token", True, Policy()),
        ("a_integer", 1, Policy(field_blocklist="a_integer")),
    ],
)
def test_what_is_closed_is_found_in_a_plain_field(
    field: str, value: Any, policy: Policy, step: bool
) -> None:
    call = Call(model=PARTNER, method="create", arguments={"vals_list": {field: value}}, step=step)
    with pytest.raises(AccessError):
        policy.admitted(call, fields_of)


@pytest.mark.parametrize("context", [{}, {"active_test": False, "validate_analytic": True}])
def test_a_button_is_judged_by_its_method_alone(context: dict[str, Any]) -> None:
    call = Call(model=PARTNER, method="action_confirm", ids=(1,), context=context, step=True)
    with patch.object(Walk, "call", side_effect=AssertionError):
        assert Policy().admitted(call, fields_of) is call
        assert Policy().check(call, fields_of) is call


@pytest.mark.parametrize("context", [{"default_signup_token": True}, {"x": "ir.rule"}])
def test_a_context_that_names_something_is_judged(context: dict[str, Any]) -> None:
    call = Call(model=PARTNER, method="action_confirm", ids=(1,), context=context, step=True)
    with pytest.raises(AccessError):
        Policy().admitted(call, fields_of)
