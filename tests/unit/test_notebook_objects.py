"""How results, errors and models show themselves, and what a model as an object does."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import pydoc
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Annotated, Any

import attrs
import pytest
from annotated_doc import Doc

import odoo_toolkit
from odoo_toolkit import (
    AccessError,
    NotFoundError,
    OdooError,
    Policy,
    ValidationError,
    apps,
    fields_get,
    search_read,
)
from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.apps.sales import create_order
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.display.results import Shown, as_html, as_text
from odoo_toolkit.model_guide import ModelStates
from odoo_toolkit.plans import Plan, PlannedCall
from odoo_toolkit.records.names import AmbiguousNameError
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.testing import FakeServer

APPS = [
    importlib.import_module(found.name)
    for found in pkgutil.iter_modules(apps.__path__, "odoo_toolkit.apps.")
]
#: What gives a connection, an iterator, rows of a file, a clock.
NO_RESULT = ("connect", "iterate", "to_arrow", "read_csv", "time_limit")

MODELS: dict[str, Any] = {
    "res.partner": {
        "name": {"type": "char", "string": "Name", "help": "What it is called", "store": True},
        "city": "char",
        "parent_id": "many2one res.partner",
    },
    "res.company": {"name": "char"},
    "res.users": {"name": "char", "company_ids": "many2many res.company"},
}


@pytest.fixture
def server() -> FakeServer:
    server = FakeServer(
        MODELS,
        records={
            "res.partner": [
                {"id": i, "name": f"Partner {i}", "city": "Ghent"} for i in range(1, 61)
            ],
            "res.company": [
                {"id": 1, "name": "Main"},
                {"id": 2, "name": "Branch"},
                {"id": 3, "name": "Branch"},
                {"id": 4, "name": "Not mine"},
            ],
        },
    )
    server.answers["res.users", "read"] = [{"id": 2, "company_ids": [1, 2, 3]}]
    return server


@attrs.frozen(kw_only=True)
class Line(Shown):
    id: int
    product: RecordName
    note: str | None = None


@attrs.frozen(kw_only=True)
class Order(Shown):
    id: int
    message: str
    lines: list[Line]
    totals: dict[str, float] = attrs.Factory(dict)
    warnings: list[str] = attrs.Factory(list)


LINE = Line(id=5, product=RecordName(id=3, name="<Desk>"))
ORDER = Order(
    id=1,
    message="Order S1 is confirmed.",
    lines=[LINE, LINE],
    totals={"tax": 2.5},
    warnings=["The first thing.", "The second thing."],
)


class TestShown:
    def test_in_python_it_is_one_line_with_lists_counted(self) -> None:
        assert repr(ORDER) == (
            "Order(id=1, message='Order S1 is confirmed.', lines=[2 items], totals={1 item},"
            " warnings=['The first thing.', 'The second thing.'])"
        )

    def test_the_line_is_short_however_much_there_is(self) -> None:
        long = Order(id=1, message="x" * 5000, lines=[], warnings=["y" * 500])
        assert len(repr(long)) < 250

    def test_as_text_the_message_comes_first_then_values_then_tables(self) -> None:
        assert as_text(ORDER).split("\n") == [
            "Order S1 is confirmed.",
            "  id        1",
            "  warnings  The first thing.",
            "            The second thing.",
            "lines (2)",
            "  id  product",
            "  5   <Desk> (3)",
            "  5   <Desk> (3)",
            "totals (1)",
            "       value",
            "  tax  2.5",
        ]

    def test_as_html_everything_is_escaped(self) -> None:
        html = as_html(ORDER)
        assert "&lt;Desk&gt; (3)" in html
        assert "<Desk>" not in html
        assert html.count("<table>") == 3

    def test_a_plan_is_a_numbered_list_of_calls(self) -> None:
        calls = [
            PlannedCall(model="sale.order", method="write", ids=[5], arguments={"vals": {"a": 1}}),
            PlannedCall(model="sale.order", method="action_confirm", ids=[5], arguments={}),
        ]
        plan = Plan(dry_run=True, message="Would confirm.", calls=calls)
        assert "  1. sale.order.write([5], vals={'a': 1})" in as_text(plan)
        assert "  2. sale.order.action_confirm([5])" in as_text(plan)
        assert as_html(plan).count("<li>") == 2

    def test_of_many_rows_the_first_are_shown_and_the_others_counted(
        self, server: FakeServer
    ) -> None:
        found = search_read(server.connect(), "res.partner", [], ["name"], limit=60)
        assert as_text(found).endswith("and 50 more")
        assert as_html(found).count("<tr>") == 51
        assert "and 10 more" in as_html(found)
        assert as_text(found).startswith("60 records of res.partner; next_offset 60\n")

    def test_states_are_drawn_where_mermaid_is_known(self) -> None:
        states = ModelStates(
            model="sale.order",
            state_field="state",
            states=[],
            transitions=[{"from": "draft", "to": "sale", "method": "x", "label": "Confirm & <go>"}],
            mermaid="stateDiagram-v2",
        )
        drawn = states._repr_mimebundle_()
        assert drawn["text/vnd.mermaid"] == "stateDiagram-v2"
        # What knows no Mermaid has a picture that needs nothing else.
        picture = ElementTree.fromstring(drawn["image/svg+xml"])
        texts = [text.text for text in picture.iter() if text.tag.endswith("text")]
        assert texts == ["draft", "Confirm & <go> (x)", "sale"]
        # A notebook prefers HTML to the drawing.
        assert states._repr_html_() is None
        assert "Confirm" in as_text(states)
        without = attrs.evolve(states, mermaid="")
        assert without._repr_mimebundle_() == {}
        assert "Confirm" in (without._repr_html_() or "")

    def test_every_result_of_the_public_functions_shows_itself(self) -> None:
        functions = {
            f"{home.__name__}.{name}": getattr(home, name)
            for home in (odoo_toolkit, *APPS)
            for name in home.__all__
        }
        hidden = []
        for name, function in functions.items():
            if inspect.isfunction(function) and name.split(".")[-1] not in NO_RESULT:
                hints = inspect.get_annotations(function, eval_str=True)["return"]
                classes = getattr(hints, "__args__", (hints,))
                hidden += [(name, cls) for cls in classes if not hasattr(cls, "_repr_html_")]
        assert hidden == []
        assert len(functions) > 80


class TestErrors:
    def test_a_notebook_shows_what_happened_and_what_to_do_without_a_stack_trace(
        self, server: FakeServer
    ) -> None:
        odoo = server.connect()
        with pytest.raises(OdooError) as raised:
            search_read(odoo, "res.partner", [["nam", "=", "x"]])
        lines = raised.value._render_traceback_()
        assert lines[0].startswith("ValidationError (INVALID_FIELD): ")
        assert "did you mean name" in lines[0]
        assert lines[1] == raised.value.suggestion
        assert lines[2].endswith('search_read(odoo, "res.partner", [["nam", "=", "x"]])')
        assert len(lines) == 3

    def test_the_line_is_the_callers_also_where_the_library_works_in_threads(
        self, server: FakeServer
    ) -> None:
        with pytest.raises(OdooError) as raised:
            side_by_side([lambda: server.connect()["res.partnr"], lambda: None])
        assert raised.value._render_traceback_()[-1].startswith("Line ")
        assert "side_by_side([lambda" in raised.value._render_traceback_()[-1]

    def test_where_several_records_were_meant_they_are_listed(self) -> None:
        matches = [RecordName(id=3, name="Office Chair"), RecordName(id=4, name="Office Lamp")]
        error = AmbiguousNameError("product_id", "Office", "product.product", matches)
        assert error._render_traceback_()[2:] == ["  3: Office Chair", "  4: Office Lamp"]


class TestModel:
    def test_rows_and_files_are_its_methods_too(self, server: FakeServer, tmp_path: Path) -> None:
        partners = server.connect()["res.partner"].with_context(lang="fr_FR")
        cursor = partners.changes().cursor
        rows = [{"name": "Partner 1", "city": "Gent"}, {"name": "New", "city": "Gent"}]
        dry = partners.upsert(rows, key="name", dry_run=True)
        assert (dry.created, dry.updated) == (1, 1)
        done = partners.upsert(rows, "name", columns={"city": None}, constants={"city": "Gent"})
        assert (done.created, done.updated) == (1, 1)
        path = tmp_path / "a.csv"
        exported = partners.export([["city", "=", "Gent"]], ["name"], path, external_ids=False)
        assert exported.rows == 2
        found = partners.changes(cursor, fields=["name"])
        assert [row["name"] for row in found.created] == ["New"]
        assert {call.context["lang"] for call in server.sent if call.model == "res.partner"} == {
            "fr_FR"
        }

    def test_states_are_shown_without_a_server(self) -> None:
        states = [["draft", "Quotation"], ["sale", "Order"]]
        fields: Any = {"state": {"type": "selection", "selection": states, "string": "Status"}}
        server = FakeServer({"sale.order": fields}, records={"sale.order": []})
        shown = server.connect()["sale.order"].states()
        assert [state.label for state in shown.states] == ["Quotation", "Order"]
        assert "Quotation" in (shown._repr_html_() or "")

    def test_its_methods_are_the_functions_with_model_and_connection_filled_in(
        self, server: FakeServer
    ) -> None:
        odoo = server.connect()
        partners = odoo["res.partner"].with_context(lang="fr_FR")
        made = partners.create({"name": "Ada"}, return_fields=["name"])
        assert made.records == [{"id": made.id, "name": "Ada"}]
        partners.write([made.id], {"city": "Lyon"})
        assert partners.read([made.id], ["city"])[0]["city"] == "Lyon"
        found = partners.search([["name", "=", "Ada"]], ["name"], order="name", count_total=True)
        assert (found.total, found[0]["id"]) == (1, made.id)
        assert partners.count().count == 61
        partners.unlink([made.id])
        assert partners.count().count == 60
        own = ("create", "write", "read", "search_read", "search_count", "unlink")
        assert {call.context.get("lang") for call in server.asked(*own)} == {"fr_FR"}

    def test_a_context_of_one_call_extends_that_of_the_model(self, server: FakeServer) -> None:
        partners = server.connect()["res.partner"].with_context(lang="fr_FR", tz="Asia/Tokyo")
        partners.search([], ["name"], context={"tz": "UTC"})
        (asked,) = server.asked("search_read")
        assert {"lang": "fr_FR", "tz": "UTC"}.items() <= asked.context.items()
        assert partners.context == {"lang": "fr_FR", "tz": "Asia/Tokyo"}

    def test_help_shows_what_is_left_to_give(self, server: FakeServer) -> None:
        partners = server.connect()["res.partner"]
        assert str(inspect.signature(partners.count)).startswith("(domain: Domain = ()")
        assert "odoo_toolkit.search_read" in (inspect.getdoc(partners.search) or "")
        assert partners.search.__name__ == "search"
        with pytest.raises(TypeError, match="key"):
            partners.upsert([])

    def test_asking_for_it_is_one_question_once(self, server: FakeServer) -> None:
        odoo = server.connect()
        odoo["res.partner"], odoo["res.partner"]
        assert server.sent == []

    def test_neither_a_connection_nor_a_model_is_counted_through(self, server: FakeServer) -> None:
        odoo = server.connect()
        for what in (odoo, odoo["res.partner"]):
            with pytest.raises(TypeError):
                list(what)

    @pytest.mark.parametrize("name", [0, None, ["res.partner"], ""])
    def test_what_is_no_name_is_no_model_and_no_field(self, server: FakeServer, name: Any) -> None:
        odoo = server.connect()
        with pytest.raises(OdooError):
            odoo[name]
        with pytest.raises(OdooError):
            odoo["res.partner"][name]

    def test_a_model_that_does_not_exist_is_refused_at_once(self, server: FakeServer) -> None:
        with pytest.raises(NotFoundError):
            server.connect()["res.partnr"]

    def test_a_model_that_the_policy_closes_is_refused_at_once(self, server: FakeServer) -> None:
        odoo = server.connect(policy=Policy(model_blocklist=["res.partner"]))
        with pytest.raises(AccessError):
            odoo["res.partner"]

    def test_fields_are_searched_by_name_label_and_help(self, server: FakeServer) -> None:
        partners = server.connect()["res.partner"]
        assert list(partners.fields("called what").fields) == ["name"]
        assert list(partners.fields("CITY").fields) == ["city"]
        assert partners.fields("nothing such").field_count == 0
        assert partners.fields() == fields_get(partners.odoo, "res.partner")

    def test_a_field_describes_itself_and_names_are_completed(self, server: FakeServer) -> None:
        odoo = server.connect(policy=Policy(field_blocklist=["city"]))
        partners = odoo["res.partner"]
        assert partners["parent_id"].relation == "res.partner"
        assert "name" in partners._ipython_key_completions_()
        assert "city" not in partners._ipython_key_completions_()
        with pytest.raises(ValidationError, match="did you mean name"):
            partners["nam"]

    def test_models_are_completed_and_a_failing_server_completes_none(
        self, server: FakeServer
    ) -> None:
        odoo = server.connect(policy=Policy(model_blocklist=["res.company"]))
        assert "res.partner" in odoo._ipython_key_completions_()
        assert "res.company" not in odoo._ipython_key_completions_()

    def test_in_a_notebook_it_tells_what_it_is_and_what_it_can(self, server: FakeServer) -> None:
        html = server.connect()["res.partner"]._repr_html_()
        assert "<b>res.partner</b>" in html
        assert "9 fields" in html
        assert "<code>.search()</code>" in html

    @pytest.mark.parametrize("company", [1, "main"])
    def test_a_company_is_meant_by_its_name_or_id(
        self, server: FakeServer, company: str | int
    ) -> None:
        partners = server.connect()["res.partner"].with_company(company)
        partners.count()
        (call,) = server.asked("search_count")
        assert call.context["allowed_company_ids"] == [1]

    @pytest.mark.parametrize(
        ("company", "problem"),
        [("Not mine", "none of"), (4, "none of"), ("Branch", "several of"), (True, "none of")],
    )
    def test_a_company_that_is_not_the_users_is_refused(
        self, server: FakeServer, company: str | int, problem: str
    ) -> None:
        partners = server.connect()["res.partner"]
        with pytest.raises(NotFoundError, match=problem) as raised:
            partners.with_company(company)
        assert raised.value.details["companies"] == {1: "Main", 2: "Branch", 3: "Branch"}

    def test_companies_that_the_settings_leave_out_are_refused(self, server: FakeServer) -> None:
        odoo = server.connect()
        settings = attrs.evolve(odoo.settings, company_id=1)
        odoo.settings = settings
        assert odoo["res.partner"].with_company("Main").context == {"allowed_company_ids": [1]}
        with pytest.raises(NotFoundError, match="none of"):
            odoo["res.partner"].with_company(2)

    def test_the_context_of_one_object_is_not_that_of_another(self, server: FakeServer) -> None:
        partners = server.connect()["res.partner"]
        french = partners.with_context(lang="fr_FR")
        assert partners.context == {}
        assert french.with_context(active_test=False).context == {
            "lang": "fr_FR",
            "active_test": False,
        }


class TestHelp:
    def test_signatures_show_types_without_what_is_for_tools(self) -> None:
        text = pydoc.plain(pydoc.render_doc(search_read))
        assert "limit: int" in text
        assert "order: str | None = None" in text
        for word in ("Annotated", "Doc(", "AtMost", "Len(", "REQ-"):
            assert word not in text

    @pytest.mark.parametrize("home", [odoo_toolkit, *APPS], ids=lambda home: home.__name__)
    def test_no_public_function_shows_what_is_for_tools(self, home: Any) -> None:
        functions = {name: getattr(home, name) for name in home.__all__}
        signatures = {
            name: f"{inspect.signature(function)} {function.__doc__}"
            for name, function in functions.items()
            if inspect.isfunction(function)
        }
        assert signatures
        assert [name for name, shown in signatures.items() if "Annotated" in shown] == []
        assert [name for name, shown in signatures.items() if "REQ-" in shown] == []

    def test_a_text_in_an_annotation_may_hold_brackets_and_commas(self) -> None:
        def function(a: Annotated[list[int], Doc("one ], two ['x'], \"z\"")], b: int = 1) -> int:
            return b + len(a)

        readable_signatures({"function": function})
        assert str(inspect.signature(function)) == "(a: list[int], b: int = 1) -> int"

    def test_help_lists_what_the_signature_says_of_parameters_in_its_order(self) -> None:
        def function(
            a: Annotated[int, Doc("How many.")],
            b: int = 1,
            *,
            c: Annotated[str, Doc("Name of the record.")] = "",
        ) -> int:
            """Add.

            Args:
                b: the other,
                    on two lines.

            Raises:
                ValueError: never.
            """
            return a + b

        readable_signatures({"function": function})
        assert inspect.getdoc(function) == (
            "Add.\n\nArgs:\n    a: How many.\n    b: the other,\n        on two lines.\n"
            "    c: Name of the record.\n\nRaises:\n    ValueError: never."
        )
        described = inspect.getdoc(function)
        readable_signatures({"function": function})
        assert inspect.getdoc(function) == described

    def test_help_of_an_operation_describes_its_key(self) -> None:
        assert "    idempotency_key: " in (inspect.getdoc(create_order) or "")

    def test_the_annotations_themselves_stay(self) -> None:
        assert "Annotated" in search_read.__annotations__["limit"]


def test_the_companies_of_a_policy_that_closes_them_are_not_told(server: FakeServer) -> None:
    odoo = server.connect(policy=Policy(model_allowlist=["res.partner"]))
    with pytest.raises(AccessError):
        odoo["res.partner"].with_company(1)
    assert [call for call in server.sent if call.model != "res.partner"] == []


class TestIPython:
    @pytest.fixture
    def shell(self, server: FakeServer) -> Any:
        terminal = pytest.importorskip("IPython.core.interactiveshell")
        shell = terminal.InteractiveShell.instance()
        shell.user_ns["odoo"] = server.connect()
        yield shell
        terminal.InteractiveShell.clear_instance()

    @pytest.mark.parametrize(
        ("typed", "expected"),
        [
            ('odoo["res.p', "res.partner"),
            ('partners["par', "parent_id"),
            ('odoo["res.partner"].agg', "aggregate"),
            ("partners.with_c", "with_company"),
        ],
    )
    def test_tab_completes_models_fields_and_methods(
        self, shell: Any, typed: str, expected: str
    ) -> None:
        shell.user_ns["partners"] = shell.user_ns["odoo"]["res.partner"]
        completer = pytest.importorskip("IPython.core.completer")
        with completer.provisionalcompleter():
            found = [one.text for one in shell.Completer.completions(typed, len(typed))]
        assert expected in found

    def test_an_error_is_shown_without_a_stack_trace(
        self, shell: Any, capsys: pytest.CaptureFixture[str]
    ) -> None:
        shell.run_cell('odoo["res.partnr"]')
        shown = capsys.readouterr().out
        assert "NotFoundError" in shown
        assert 'Line 1: odoo["res.partnr"]' in shown
        assert "Traceback" not in shown

    def test_a_result_is_a_table_and_within_a_list_one_line(
        self, shell: Any, capsys: pytest.CaptureFixture[str]
    ) -> None:
        shell.user_ns["order"] = ORDER
        shell.run_cell("order")
        assert "lines (2)\n" in capsys.readouterr().out
        shell.run_cell("[order.lines[0]]")
        assert "[Line(id=5, product=" in capsys.readouterr().out
