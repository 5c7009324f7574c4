"""Stubs: what is written of models and fields, whatever they are called, and into which folder."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odoo_toolkit import AccessError, Model, NotFoundError, Policy, ValidationError, connect
from odoo_toolkit.fields import Field
from odoo_toolkit.notebook import typed
from odoo_toolkit.stubs import StubsResult, write_stubs
from odoo_toolkit.stubs.source import StubbedModel, package
from odoo_toolkit.testing import FakeServer
from tests.unit.fake_shell import Run, run, server

__all__ = ["run", "server"]

STATES = [["draft", "Quotation"], ["sale", "Sales Order"]]


def field(name: str, kind: str, **facts: Any) -> Field:
    return Field(name=name, type=kind, **{"string": name.title(), **facts})


def model(name: str, *fields: Field) -> StubbedModel:
    return StubbedModel(name=name, label=name.title(), fields={one.name: one for one in fields})


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Import a module of stubs: ``imported(files, "sale_order")``."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def load(files: dict[str, str], module: str) -> ModuleType:
        folder = tmp_path / "stubbed_odoo"
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8")
        return importlib.import_module(f"stubbed_odoo.{module}")

    yield load
    for name in [name for name in sys.modules if name.startswith("stubbed_odoo")]:
        del sys.modules[name]


def types(imported: Any, *fields: Field) -> tuple[dict[str, Any], dict[str, Any]]:
    """The types of fields when they are read, and when they are written."""
    module = imported(package([model("sale.order", *fields)], 19), "sale_order")
    return (
        typing.get_type_hints(module.SaleOrderRow),
        typing.get_type_hints(module.SaleOrderValues),
    )


class TestTypes:
    def test_each_type_of_field_is_as_reading_gives_it_and_writing_takes_it(
        self, imported: Any
    ) -> None:
        read, written = types(
            imported,
            field("char", "char"),
            field("note", "html"),
            field("amount", "monetary"),
            field("number", "integer"),
            field("active", "boolean"),
            field("day", "date"),
            field("moment", "datetime"),
            field("partner_id", "many2one", relation="res.partner"),
            field("line_ids", "one2many", relation="sale.order.line"),
            field("res_id", "many2one_reference"),
            field("origin", "reference"),
            field("picture", "binary"),
            field("totals", "binary", store=False),
            field("data", "json"),
            field("properties", "properties"),
            field("what_comes_next", "something_new"),
        )
        assert read == {
            "char": str,
            "note": str,
            "amount": float,
            "number": int,
            "active": bool,
            "day": str | None,
            "moment": str | None,
            "partner_id": typed.Many2one | None,
            "line_ids": list[int],
            "res_id": int | None,
            "origin": str | None,
            "picture": str | None,
            "totals": Any,
            "data": Any,
            "properties": Any,
            "what_comes_next": Any,
        }
        assert written["partner_id"] == typed.RecordId
        assert written["line_ids"] == typed.RecordIds
        assert written["active"] is bool
        assert written["what_comes_next"] is Any

    def test_a_selection_has_its_values(self, imported: Any) -> None:
        read, written = types(
            imported,
            field("state", "selection", selection=(("draft", "Quotation"), ('a"b', "Odd"))),
            field("kind", "selection", selection=(("a", "A"),), required=True),
            field("zone", "selection", selection=tuple((str(n), "x") for n in range(400))),
            field("number", "selection", selection=((1, "One"), (2, "Two"))),
            field("none", "selection"),
        )
        assert read["state"] == typing.Literal["draft", 'a"b'] | None
        assert read["kind"] == typing.Literal["a"]
        assert read["zone"] == str | None
        assert read["number"] is Any
        assert read["none"] == str | None
        assert written["state"] == typing.Literal["draft", 'a"b'] | typed.Nothing

    def test_only_a_column_that_is_required_is_never_empty(self, imported: Any) -> None:
        partner = {"relation": "res.partner", "required": True}
        read, _ = types(
            imported,
            field("column_id", "many2one", **partner),
            field("computed_id", "many2one", store=False, **partner),
            field("by_company_id", "many2one", company_dependent=True, **partner),
        )
        assert read["column_id"] is typed.Many2one
        assert read["computed_id"] == read["by_company_id"] == typed.Many2one | None

    def test_what_odoo_sets_itself_is_not_written(self, imported: Any) -> None:
        read, written = types(
            imported, field("id", "integer"), field("write_date", "datetime"), field("x", "char")
        )
        assert (set(read), set(written)) == ({"id", "write_date", "x"}, {"x"})

    def test_labels_and_relations_are_told(self) -> None:
        files = package(
            [
                model(
                    "sale.order",
                    field("partner_id", "many2one", string="Customer", relation="res.partner"),
                )
            ],
            19,
        )
        assert '"""Customer: many2one to res.partner"""' in files["sale_order.py"]
        assert '"""Sale.Order"""' in files["sale_order.py"]


class TestNames:
    @pytest.mark.parametrize(
        "name",
        ["class", "x_a$b", "1st", "__last_update", "str", "typed", "x-y", "é", 'a"b', "a\nb"],
    )
    def test_a_field_may_have_any_name(self, imported: Any, name: str) -> None:
        read, written = types(imported, field(name, "char"), field("plain", "integer"))
        assert read == {name: str, "plain": int}
        assert set(written) == {"plain"} | ({name} - {"__last_update"})

    def test_models_whose_names_are_alike_are_kept_apart(self) -> None:
        names = ["sale.order", "sale_order", "sale.order_2", "sale_order.2"]
        files = package([model(name, field("id", "integer")) for name in names], 19)
        modules = sorted(files.keys() - {"__init__.py", "__init__.pyi", "py.typed"})
        assert len({name.casefold() for name in modules}) == 4
        connection = ast.parse(files["__init__.pyi"])
        imports = [one for one in connection.body if isinstance(one, ast.ImportFrom) and one.level]
        assert {f"{one.module}.py" for one in imports} == set(modules)
        assert len({alias.name for one in imports for alias in one.names}) == 4
        assert "from .sale_order import SaleOrder as SaleOrder\n" in files["__init__.pyi"]

    @pytest.mark.parametrize(
        "name", ["1.x", "class", "connect", "__init__", "odoo", "literal", "none"]
    )
    def test_a_model_may_have_any_name(self, imported: Any, name: str) -> None:
        files = package([model(name, field("x", "char"))], 19)
        assert len(files) == 4
        (module,) = files.keys() - {"__init__.py", "__init__.pyi", "py.typed"}
        imported(files, module.removesuffix(".py"))
        assert sys.modules["stubbed_odoo"].connect is connect

    @given(st.text(), st.text(), st.text(), st.text())
    def test_no_text_of_the_database_becomes_code(
        self, name: str, label: str, value: str, title: str
    ) -> None:
        state = field(name, "selection", string=label, selection=((value, value),))
        files = package([StubbedModel(name=title, label=title, fields={name: state})], 19)
        plain = package([model("x", field("x", "selection", selection=(("x", "x"),)))], 19)
        for file, text in files.items():
            text.encode()
            tree = ast.parse(text)
            if file.startswith("__init__"):
                like = ast.parse(plain[file])
                assert [type(one) for one in tree.body] == [type(one) for one in like.body]
                continue
            for node in ast.walk(tree):
                assert not isinstance(node, (ast.Import, ast.ImportFrom)) or node in tree.body[1:4]
                if isinstance(node, ast.Call):
                    assert ast.unparse(node.func) == "typing.TypedDict"
        texts = [node.value for tree in map(ast.parse, files.values()) for node in ast.walk(tree)
                 if isinstance(node, ast.Constant)]  # fmt: skip
        assert {title, name} <= set(texts)


# The folder ---------------------------------------------------------------------------------

MODELS: dict[str, Any] = {
    "sale.order": {
        "name": "char",
        "state": {"type": "selection", "string": "Status", "store": True, "selection": STATES},
        "partner_id": "many2one res.partner",
        "password": "char",
    },
    "res.partner": {"name": "char"},
    "res.users": {"name": "char"},
    "ir.config_parameter": {"key": "char"},
}


@pytest.fixture
def odoo() -> Any:
    return FakeServer(MODELS).connect()


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in folder.iterdir()}


def test_the_same_models_give_the_same_bytes_and_leave_the_files_alone(
    odoo: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "shop"
    first = write_stubs(odoo, ["sale.order", "res.partner"], folder)
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}
    again = write_stubs(FakeServer(MODELS).connect(), ["res.partner", "sale.order"], folder)
    assert first.models == again.models == ["res.partner", "sale.order"]
    assert sorted(first.changed) == sorted(path.name for path in before)
    assert (again.changed, again.removed) == ([], [])
    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.iterdir()} == before


def test_a_field_that_changes_changes_one_file(odoo: Any, tmp_path: Path) -> None:
    write_stubs(odoo, ["sale.order", "res.partner"], tmp_path / "shop")
    models = {**MODELS, "res.partner": {"name": "char", "x_size": "integer"}}
    result = write_stubs(
        FakeServer(models).connect(), ["sale.order", "res.partner"], tmp_path / "shop"
    )
    assert result.changed == ["res_partner.py"]
    assert "    x_size: int\n" in texts(tmp_path / "shop")["res_partner.py"]


def test_a_model_that_is_gone_is_removed_and_other_files_stay(odoo: Any, tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    write_stubs(odoo, ["sale.order", "res.partner"], folder)
    (folder / "mine.py").write_text("MINE = 1\n", "utf-8")
    result = write_stubs(odoo, ["res.partner"], folder)
    assert result.removed == ["sale_order.py"]
    assert texts(folder).keys() >= {"mine.py", "res_partner.py"}
    assert "sale_order.py" not in texts(folder)


def test_a_file_that_is_no_stub_is_not_overwritten(odoo: Any, tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "res_partner.py").write_text("MINE = 1\n", "utf-8")
    with pytest.raises(ValidationError, match=r"files that are not stubs: res_partner\.py"):
        write_stubs(odoo, ["res.partner"], folder)
    assert texts(folder) == {"res_partner.py": "MINE = 1\n"}


@pytest.mark.parametrize(
    ("name", "usable"), [("my-odoo", "my_odoo"), ("class", "my_odoo"), ("1shop", "my_odoo")]
)
def test_a_folder_that_cannot_be_imported_is_refused(
    odoo: Any, tmp_path: Path, name: str, usable: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        write_stubs(odoo, ["res.partner"], tmp_path / name)
    assert refused.value.details["use"] == usable
    assert not list(tmp_path.iterdir())


def test_a_file_in_the_place_of_the_folder_is_refused(odoo: Any, tmp_path: Path) -> None:
    (tmp_path / "shop").write_text("", "utf-8")
    with pytest.raises(ValidationError, match="is not a folder"):
        write_stubs(odoo, ["res.partner"], tmp_path / "shop")


def test_a_model_that_is_misspelt_is_named_with_similar_ones(odoo: Any, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"Did you mean sale\.order") as refused:
        write_stubs(odoo, ["res.partner", "sale.oder"], tmp_path / "shop")
    assert refused.value.details["did_you_mean"] == ["sale.order"]
    assert not list(tmp_path.iterdir())


def test_what_is_closed_is_left_out_and_told(tmp_path: Path) -> None:
    odoo: Any = FakeServer(MODELS).connect(
        policy=Policy(model_blocklist=["res.partner"], field_blocklist=["password"])
    )
    result: StubsResult = write_stubs(odoo, folder=tmp_path / "shop")
    files = texts(tmp_path / "shop")
    assert "res.partner" not in result.models
    assert result.closed_models
    assert result.closed_fields >= 1
    assert "password" not in "".join(files.values())
    assert "Omitted because they are blocked:" in files["sale_order.py"]
    with pytest.raises(AccessError):
        write_stubs(odoo, ["res.partner"], tmp_path / "shop")


def test_a_model_that_odoo_does_not_tell_of_is_left_out_unless_it_is_named(
    tmp_path: Path,
) -> None:
    server = FakeServer(MODELS)
    answer = server.send

    def refuse(call: Any) -> Any:
        if (call.model, call.method) == ("res.users", "fields_get"):
            raise AccessError("You are not allowed to access 'User'.")
        return answer(call)

    server.send = refuse
    odoo: Any = server.connect()
    result = write_stubs(odoo, folder=tmp_path / "shop")
    assert result.not_told == {"res.users": "You are not allowed to access 'User'."}
    assert "sale.order" in result.models
    with pytest.raises(AccessError, match="User"):
        write_stubs(odoo, ["res.users"], tmp_path / "shop")


# What is said of every model ----------------------------------------------------------------


def methods() -> list[ast.FunctionDef]:
    """The methods of typed models."""
    (kind,) = (one for one in ast.parse(inspect.getsource(typed.TypedModel)).body)
    assert isinstance(kind, ast.ClassDef)
    return [one for one in kind.body if isinstance(one, ast.FunctionDef) and one.name[0] != "_"]


@pytest.mark.parametrize("shown", methods(), ids=lambda shown: f"{shown.name}-{shown.lineno}")
def test_typed_models_take_what_models_take(shown: ast.FunctionDef) -> None:
    if shown.name in {"name", "context"}:
        return
    takes = inspect.signature(getattr(Model, shown.name)).parameters.values()
    # The decorator adds it.
    added = {"dry_run"} if shown.decorator_list else set()
    keywords = [one.name for one in takes if one.kind is one.KEYWORD_ONLY and one.name not in added]
    others = [one.name for one in takes if one.kind is one.POSITIONAL_OR_KEYWORD]
    assert [one.arg for one in shown.args.args] == others
    assert [one.arg for one in shown.args.kwonlyargs] == keywords


def test_typed_models_have_every_method_of_models() -> None:
    public = {name for name in dir(Model) if name[0] != "_"} - {"odoo"}
    assert public == {name for name in vars(typed.TypedModel) if name[0] != "_"}


# The command --------------------------------------------------------------------------------


def test_the_command_writes_a_package_and_says_what_it_did(
    run: Run, server: FakeServer, tmp_path: Path
) -> None:
    result = run("stubs", "res.partner", "sale.order")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "2 models in my_odoo: 5 files written, 0 removed.\n"
    assert "credit_limit: float" in texts(tmp_path / "my_odoo")["res_partner.py"]
    every = run("stubs", "-o", "other")
    assert every.stderr == "6 models in other: 9 files written, 0 removed.\n"
    assert "res_country.py" in texts(tmp_path / "other")


def test_the_command_ends_with_what_is_wrong(run: Run, server: FakeServer) -> None:
    wrong = run("stubs", "res.parner")
    assert wrong.exit_code == 6
    assert "Did you mean res.partner" in wrong.stderr
    assert run("stubs", "-o", "my-odoo").exit_code == 7
