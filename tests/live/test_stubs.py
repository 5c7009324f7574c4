"""Stubs of real databases: their types are those of the values that are read."""

from __future__ import annotations

import importlib
import sys
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import Connection, NotFoundError, OdooError, Policy, connect
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.stubs import StubsResult, write_stubs
from tests.live.servers import Server, credentials

#: Records of each model whose values are looked at.
RECORDS = 3


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for stubs that can be imported."""
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path / "live_odoo"
    for name in [name for name in sys.modules if name.startswith("live_odoo")]:
        del sys.modules[name]


def rows_type(folder: Path, result: StubsResult, model: str) -> dict[str, Any]:
    """Return the type of each field of a model's rows."""
    (module,) = (
        path.stem
        for path in folder.glob("*.py")
        if path.read_text("utf-8").startswith(f'"""Written by odoo-toolkit stubs: {model}, ')
    )
    found = importlib.import_module(f"live_odoo.{module}")
    (row,) = (kind for name, kind in vars(found).items() if name.endswith("Row"))
    return typing.get_type_hints(row)


def fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a type, of those that stubs are made of."""
    if kind is Any:
        return True
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Literal:
        return value in inner
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, one) for one in inner)
    if origin is list:
        return isinstance(value, list) and all(fits(item, inner[0]) for item in value)
    if typing.is_typeddict(kind):
        hints = typing.get_type_hints(kind)
        return value.keys() == hints.keys() if isinstance(value, dict) else False
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return type(value) is kind or (kind is type(None) and value is None)


@pytest.mark.long
def test_values_are_of_the_types_that_stubs_say(admin: Connection, folder: Path) -> None:
    result = write_stubs(admin, folder=folder)
    assert len(result.models) > 100
    assert result.not_told == {}

    def read(model: str) -> list[dict[str, Any]]:
        if model == "ir.translation":
            return []  # may be of a language that another test has taken out of use
        try:
            return admin[model].search([], ["*"], limit=RECORDS).records
        except OdooError:  # some models are made by a query that this user may not make
            return []

    wrong, looked_at = [], 0
    answers = side_by_side([lambda model=model: read(model) for model in result.models])
    for model, rows in zip(result.models, answers, strict=True):
        expected = rows_type(folder, result, model) if rows else {}
        for row in rows:
            assert row.keys() <= expected.keys(), model
            looked_at += len(row)
            wrong += [
                f"{model}.{name}: {value!r:.60} is no {expected[name]}"
                for name, value in row.items()
                if not fits(value, expected[name])
            ]
    assert wrong == []
    assert looked_at > 2000


def test_the_same_database_gives_the_same_bytes(odoo: Connection, folder: Path) -> None:
    models = ["res.partner", "res.users", "res.country"]
    write_stubs(odoo, models, folder)
    odoo.schema.forget()
    again = write_stubs(odoo, models, folder)
    assert (again.changed, again.removed) == ([], [])


@pytest.fixture
def custom_model(server: Server, suffix: str) -> Iterator[str]:
    """A model that somebody has made in Odoo, with labels that do not look like Python."""
    name = f"x_stub_{suffix}"
    values = [[0, 0, {"value": one, "name": one.title(), "sequence": 1}] for one in "ab"]
    size = {
        "name": "x_size",
        "ttype": "selection",
        "field_description": 'Size """ \\ of it',
        "selection_ids": values,
    }
    settings = credentials(server, server.user("admin"))
    with connect(**settings, policy=Policy(protect=False)) as unguarded:
        access = {"name": name, "perm_read": True}
        made = unguarded["ir.model"].create(
            {
                "name": f"Stub {suffix}",
                "model": name,
                "field_id": [[0, 0, size]],
                "access_ids": [[0, 0, access]],
            }
        )
        yield name
        unguarded["ir.model"].unlink(made.ids)


def test_a_custom_model_and_its_fields_are_in_the_stubs(
    admin: Connection, folder: Path, custom_model: str
) -> None:
    admin.schema.forget()
    result = write_stubs(admin, [custom_model], folder)
    kinds = rows_type(folder, result, custom_model)
    assert kinds["x_size"] == typing.Literal["a", "b"] | None
    assert 'Size \\"\\"\\" \\\\ of it: selection' in (folder / f"{custom_model}.py").read_text(
        "utf-8"
    )


@pytest.mark.every_version
def test_a_model_that_is_misspelt_is_named_with_similar_ones(
    odoo: Connection, folder: Path
) -> None:
    with pytest.raises(NotFoundError, match=r"There is no model res\.parner") as refused:
        write_stubs(odoo, ["res.parner"], folder)
    assert "res.partner" in refused.value.message or odoo.version.major == 15
    assert not folder.exists()
