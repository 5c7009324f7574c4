"""Values that come in as they were meant, without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import ValidationError, create, create_many, execute, search_read, write
from odoo_toolkit.records.importing.tables import read_csv
from tests.unit.scripted import Scripted

MODELS: dict[str, Any] = {
    "x.entry": {"name": "char", "line_ids": "one2many account.move.line move_id"},
    "account.move.line": {
        "name": "char",
        "move_id": {"type": "many2one", "relation": "x.entry", "required": True},
    },
    "x.note": {
        "ref": "char",
        "must": {"type": "char", "required": True},
        "body": "html",
        "child_ids": "one2many x.note parent_id",
        "parent_id": "many2one x.note",
    },
}


def _odoo(**answers: Any) -> Scripted:
    records: dict[str, Any] = {"x.entry": [{"id": n, "name": str(n)} for n in range(1, 30)]}
    found = {("x.note", name): answer for name, answer in answers.items()}
    return Scripted(17, found, None, MODELS, records={**records, "account.move.line": []})


def test_an_empty_text_is_sent_as_not_set() -> None:
    """But for a required field, which would refuse that."""
    odoo = _odoo(create=[7], write=True, read=[], search_read=[{"id": 7, "ref": "x"}])
    values = {"ref": "", "must": "", "body": "", "child_ids": [[0, 0, {"ref": "", "must": "x"}]]}
    create(odoo, "x.note", values)
    write(odoo, "x.note", [7], {"ref": ""})
    execute(odoo, "x.note", "write", [[7], {"ref": ""}])
    made, *written = (call.arguments for call in odoo.sent if call.method in ("create", "write"))
    (sent,) = made["vals_list"]
    assert (sent["ref"], sent["must"], sent["body"]) == (False, "", False)
    assert sent["child_ids"][0][2] == {"ref": False, "must": "x"}
    assert [one["vals"] for one in written] == [{"ref": False}, {"ref": False}]


def test_rows_of_one_parent_are_in_one_batch() -> None:
    odoo = _odoo()
    rows = [{"name": f"{part}", "move_id": parent} for part in "abc" for parent in range(1, 18)]
    result = create_many(odoo, "account.move.line", rows, batch=10)
    assert result.created == 51
    sent = [call.arguments["vals_list"] for call in odoo.asked("create")]
    parents = [{row["move_id"] for row in batch} for batch in sent]
    assert sum(len(one) for one in parents) == 17
    assert [one["move_id"] for batch in sent for one in batch] == sorted(
        row["move_id"] for row in rows
    )


@pytest.mark.parametrize(
    ("fields", "suggestion"),
    [
        ("name, email", '["name", "email"]'),
        (["name, email"], '["name", "email"]'),
        (["__all__"], '["*"]'),
    ],
)
def test_names_of_fields_in_one_text_are_told_as_a_list(fields: Any, suggestion: str) -> None:
    with pytest.raises(ValidationError) as caught:
        search_read(_odoo(), "x.note", [], fields)
    assert suggestion in caught.value.suggestion


def test_a_workbook_is_told_as_one_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"PK\x03\x04 and more")
    with pytest.raises(ValidationError, match="workbook"):
        read_csv(path)


@pytest.mark.parametrize(
    ("body", "beside", "warned"),
    [
        ("<p>Hello</p>", {}, True),
        ("<p>Hello</p>", {"body_is_html": True}, False),
        ("1 < 2 and 3 > 2", {}, False),
    ],
)
def test_tags_in_a_message_are_warned_of(body: str, beside: Any, warned: bool) -> None:
    odoo = _odoo(message_post=3)
    arguments = {"body": body, **beside}
    found = execute(odoo, "x.note", "message_post", [[7]], arguments).warnings
    assert any("body_is_html" in text for text in found) == warned
