"""Attachments: limits before anything is sent, content as what it is, and a safe folder."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit.call import Call
from odoo_toolkit.change_history.lost_answers import SEEN
from odoo_toolkit.chatter.attachments import delete, get_content, list_attachments, upload
from odoo_toolkit.errors import AccessError, OdooConnectionError, OdooError
from odoo_toolkit.file_content import human_size, safe_name
from odoo_toolkit.policy import Policy
from odoo_toolkit.policy.files import UNKNOWN_TYPE, picture_type
from tests.unit.communication import Communication, remembering

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)

OFFICE = "application/vnd.openxmlformats-officedocument"


def b64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def row(content: bytes = b"hello", **values: Any) -> dict[str, Any]:
    """Return an attachment's description as Odoo gives it."""
    return {
        "id": 5,
        "name": "note.txt",
        "mimetype": "text/plain",
        "file_size": len(content),
        "type": "binary",
        "url": False,
        "res_model": "res.partner",
        "res_id": 1,
        "res_field": False,
        "create_date": "2026-11-21 23:25:00",
        "create_uid": [2, "Mitchell Admin"],
        **values,
    }


def odoo_with(
    content: bytes = b"hello", policy: Policy | None = None, major: int = 14, **values: Any
) -> Communication:
    """An Odoo with partner 1 and one attachment, 5."""
    datas = values.pop("datas", b64(content))

    def search_read(call: Call) -> list[dict[str, Any]]:
        if "datas" in call.arguments["fields"]:
            return [{"id": 5, "datas": datas}]
        wanted = [leaf[2] for leaf in call.arguments["domain"] if leaf[0] == "id"]
        return [row(content, **values)] if wanted in ([], [5]) else []

    def of_partner(call: Call) -> list[int]:
        return [i for i in (1,) if i in call.arguments["domain"][-1][2]]

    return Communication(
        major,
        {
            ("ir.attachment", "search_read"): search_read,
            ("ir.attachment", "create"): 5 if major < 19 else [5],
            ("ir.attachment", "unlink"): True,
            ("ir.attachment", "search"): [5],
            ("res.partner", "search"): of_partner,
            ("res.country", "search"): [1],
            ("ir.model", "search_read"): [],
        },
        policy,
    )


class TestListing:
    def test_described_without_content(self) -> None:
        odoo = odoo_with(b"x" * 1536)
        found = list_attachments(odoo, "res.partner", 1)

        (attachment,) = found.attachments
        assert (attachment.file_size, attachment.file_size_human) == (1536, "1.5 KB")
        assert attachment.created_at == "2026-11-21T23:25:00Z"
        assert attachment.created_by.name == "Mitchell Admin"
        (asked,) = odoo.asked("search_read")
        assert not {"raw", "datas", "db_datas"} & set(asked.arguments["fields"])
        assert asked.arguments["order"] == "create_date desc, id desc"
        assert len(odoo.sent) == 2

    def test_a_missing_record(self) -> None:
        with pytest.raises(OdooError, match=r"no res.partner record with id 99") as raised:
            list_attachments(odoo_with(), "res.partner", 99)
        assert raised.value.code == "NOT_FOUND"


class TestContent:
    def test_base64_unless_text_is_asked_for(self) -> None:
        odoo = odoo_with(b"hello")
        found = get_content(odoo, 5)
        assert (found.encoding, found.content_base64, found.content) == (
            "base64",
            b64(b"hello"),
            None,
        )
        assert len(odoo.sent) == 2

    @pytest.mark.parametrize(
        ("mimetype", "content", "text"),
        [
            ("text/plain", "grün".encode(), "grün"),
            ("text/csv", "\ufeffa;ü".encode(), "a;ü"),
            ("text/csv", "a;ü".encode("cp1252"), "a;ü"),
            ("text/plain; charset=iso-8859-2", "ő".encode("iso-8859-2"), "ő"),
            ("text/plain", "ő".encode("utf-16"), "ő"),
            ("application/json", b'{"a": 1}', '{"a": 1}'),
            ("application/xhtml+xml", b"<p/>", "<p/>"),
            ("TEXT/HTML", b"<p>x</p>", "<p>x</p>"),
        ],
    )
    def test_text(self, mimetype: str, content: bytes, text: str) -> None:
        found = get_content(odoo_with(content, mimetype=mimetype), 5, as_text=True)
        assert (found.encoding, found.content, found.content_base64) == ("text", text, None)

    @pytest.mark.parametrize(
        ("mimetype", "content", "remark"),
        [
            ("application/pdf", b"%PDF-1.4", "application/pdf, not text"),
            ("", b"hello", "no declared type"),
            ("text/plain", PNG, "bytes are not text"),
            ("text/csv", b"PK\x03\x04\x00\x00", "bytes are not text"),
        ],
    )
    def test_what_is_not_text_comes_as_base64(
        self, mimetype: str, content: bytes, remark: str
    ) -> None:
        """Declared type and bytes must both say text."""
        found = get_content(odoo_with(content, mimetype=mimetype), 5, as_text=True)
        assert (found.encoding, found.content_base64) == ("base64", b64(content))
        assert remark in found.warnings[0]

    def test_a_file_above_the_limit_is_never_fetched(self) -> None:
        odoo = odoo_with(file_size=200_000_000)
        found = get_content(odoo, 5)

        assert (found.encoding, found.content_base64, found.file_size) == (None, None, 200_000_000)
        assert "190.7 MB" in found.warnings[0]
        assert len(odoo.sent) == 1

    def test_the_limit_is_twelve_megabytes_and_can_be_set(self) -> None:
        at_limit = 12 * 1024 * 1024
        assert get_content(odoo_with(file_size=at_limit), 5).encoding == "base64"
        assert get_content(odoo_with(file_size=at_limit + 1), 5).encoding is None
        assert get_content(odoo_with(file_size=1000), 5, max_bytes=999).encoding is None

    @pytest.mark.parametrize("as_text", [False, True])
    def test_an_empty_file(self, as_text: bool) -> None:
        odoo = odoo_with(b"", datas=False)
        found = get_content(odoo, 5, as_text=as_text)
        assert (found.content, found.content_base64) == (("", None) if as_text else (None, ""))
        assert "empty" in found.warnings[0]

    def test_an_address_is_not_a_file(self) -> None:
        found = get_content(odoo_with(b"", type="url", url="https://example.com/x.pdf"), 5)
        assert (found.encoding, found.url) == (None, "https://example.com/x.pdf")
        assert "not a file" in found.warnings[0]

    @pytest.mark.parametrize("datas", [False, ""])
    def test_a_lost_file(self, datas: Any) -> None:
        with pytest.raises(OdooError, match="is lost") as raised:
            get_content(odoo_with(b"hello", datas=datas), 5)
        assert raised.value.code == "NOT_FOUND"

    @pytest.mark.parametrize("operation", [get_content, delete])
    def test_missing_or_of_another_company(self, operation: Callable[[Any, int], object]) -> None:
        """Odoo finds neither for this user."""
        odoo = odoo_with()
        with pytest.raises(OdooError, match="no attachment with id 6") as raised:
            operation(odoo, 6)
        assert raised.value.code == "NOT_FOUND"
        assert odoo.writes() == []

    @pytest.mark.parametrize("bad", [0, -1, True, "5"])
    def test_what_is_no_id(self, bad: Any) -> None:
        odoo = odoo_with()
        with pytest.raises(OdooError, match="must be a record id"):
            get_content(odoo, bad)
        assert odoo.sent == []

    def test_blocked_owners_and_fields_stay_closed(self) -> None:
        """The lookup by id is filtered, because files behind binary fields have ids, too."""
        odoo = odoo_with(policy=Policy(model_blocklist=frozenset({"hr.contract"})))
        get_content(odoo, 5)
        domain = odoo.sent[0].arguments["domain"]
        owners = next(leaf[2] for leaf in domain if leaf[0] == "res_model")
        fields = next(leaf[2] for leaf in domain if leaf[0] == "res_field")
        assert "hr.contract" in owners
        assert "signature" in fields

    def test_an_allowlist_judges_by_the_owner(self) -> None:
        assert get_content(odoo_with(policy=Policy(model_allowlist="res.partner")), 5).encoding
        with pytest.raises(AccessError):
            get_content(odoo_with(policy=Policy(model_allowlist="sale.order")), 5)

    def test_not_even_its_description(self) -> None:
        policy = Policy(model_allowlist="sale.order")
        with pytest.raises(AccessError):
            get_content(odoo_with(policy=policy, type="url", url="https://secret.test"), 5)


class TestFolder:
    def fetch(self, folder: Path, name: str = "big.bin", content: bytes = b"0123456789") -> Any:
        odoo = odoo_with(content, name=name)
        return get_content(odoo, 5, max_bytes=3, download_dir=folder)

    def test_large_files_are_written_and_small_ones_are_not(self, tmp_path: Path) -> None:
        found = self.fetch(tmp_path)
        assert found.path == str(tmp_path / "5-big.bin")
        assert Path(found.path).read_bytes() == b"0123456789"
        assert (found.encoding, found.content_base64, found.content) == (None, None, None)
        assert Path(found.path).stat().st_mode & 0o077 == 0

        small = get_content(odoo_with(b"hi"), 5, download_dir=tmp_path)
        assert (small.path, small.encoding) == (None, "base64")

    def test_nothing_is_overwritten(self, tmp_path: Path) -> None:
        (tmp_path / "5-big.bin").write_text("mine")
        found = self.fetch(tmp_path)
        assert found.path == str(tmp_path / "5-big (2).bin")
        assert (tmp_path / "5-big.bin").read_text() == "mine"

    def test_links_are_not_followed(self, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        folder = tmp_path / "folder"
        folder.mkdir()
        (folder / "5-big.bin").symlink_to(outside)
        found = self.fetch(folder)
        assert not outside.exists()
        assert found.path == str(folder / "5-big (2).bin")

    @pytest.mark.parametrize(
        "name",
        [
            "../../etc/passwd",
            "/etc/passwd",
            "..\\..\\windows\\system.ini",
            "..",
            ".",
            "",
            "a\x00b\n.txt",
            "x" * 300 + ".pdf",
            "ü" * 300,
            "con.txt",
            "invoice\u202efdp.exe",
            "\ud800.txt",
        ],
    )
    def test_no_name_leaves_the_folder(self, tmp_path: Path, name: str) -> None:
        folder = tmp_path / "folder"
        folder.mkdir()
        found = self.fetch(folder, name)
        assert os.listdir(tmp_path) == ["folder"]
        assert [str(path) for path in folder.iterdir()] == [found.path]
        assert len(os.fsencode(Path(found.path).name)) < 255
        assert Path(found.path).name.startswith("5-")
        assert Path(found.path).read_bytes() == b"0123456789"

    def test_a_failed_download_leaves_nothing(self, tmp_path: Path) -> None:
        odoo = odoo_with(b"0123456789")
        answer = odoo.answers["ir.attachment", "search_read"]

        def break_off(call: Call) -> Any:
            if "datas" in call.arguments["fields"]:
                raise OdooConnectionError("The connection broke.", retry=False)
            return answer(call)

        odoo.answers["ir.attachment", "search_read"] = break_off
        with pytest.raises(OdooConnectionError):
            get_content(odoo, 5, max_bytes=3, download_dir=tmp_path)
        assert os.listdir(tmp_path) == []

    def test_a_folder_that_does_not_exist(self, tmp_path: Path) -> None:
        with pytest.raises(OdooError, match="download folder"):
            self.fetch(tmp_path / "nowhere")


class TestUpload:
    @pytest.mark.parametrize("major", [14, 19])
    def test_the_file_and_what_odoo_stored(self, major: int) -> None:
        odoo = odoo_with(b"hello", major=major, mimetype="text/plain")
        made = upload(odoo, "res.partner", 1, "note.html", b64(b"hello"))

        (call,) = odoo.writes()
        values = call.arguments["vals_list"]
        assert {**values, "datas": ""} == {
            "name": "note.html",
            "res_model": "res.partner",
            "res_id": 1,
            "mimetype": "text/plain",
            "datas": "",
        }
        assert (made.id, made.mimetype, made.file_size) == (5, "text/plain", 5)
        assert "instead of text/html" in made.warnings[0]
        assert len(odoo.sent) == 3

    @pytest.mark.parametrize(
        ("name", "given", "sent"),
        [
            ("a.pdf", None, "application/pdf"),
            ("a.csv", None, "text/csv"),
            (
                "a.docx",
                f"{OFFICE}.wordprocessingml.document",
                f"{OFFICE}.wordprocessingml.document",
            ),
            ("a.json", None, "application/json"),
            ("a.eps", None, "application/postscript"),
            ("a.pdf", "image/png", "image/png"),
            ("a.csv", " Text/CSV;header=x; charset=ISO-8859-2", "text/csv; charset=iso-8859-2"),
        ],
    )
    def test_type_by_name_unless_given(self, name: str, given: str | None, sent: str) -> None:
        odoo = odoo_with()
        made = upload(odoo, "res.partner", 1, name, b64(b"hello"), given)
        assert odoo.writes()[0].arguments["vals_list"]["mimetype"] == sent
        assert made.warnings == []

    @pytest.mark.parametrize("given", [None, "application/octet-stream"])
    @pytest.mark.parametrize(
        ("content", "sent"),
        [
            (PNG, "image/png"),
            (b"%PDF-1.4", "application/pdf"),
            (b"PK\x03\x04...", "application/zip"),
            (b"<!doctype html><script>alert(1)</script>", "text/plain"),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "text/plain"),
            (b"\x00\x01\x02", UNKNOWN_TYPE),
            (b"<svg/>" + b"\x00", UNKNOWN_TYPE),
            (b"<svg/>" + b" " * 10_000 + b"\x00", "text/plain"),
        ],
    )
    @pytest.mark.parametrize("name", ["noext", "a.unknown-extension", "page.html.gz"])
    def test_without_a_type_the_bytes_decide_here_and_not_in_odoo(
        self, name: str, content: bytes, sent: str, given: str | None
    ) -> None:
        """Of application/octet-stream Odoo would make what the bytes look like, such as HTML."""
        odoo = odoo_with(content)
        upload(odoo, "res.partner", 1, name, b64(content), given)
        assert odoo.writes()[0].arguments["vals_list"]["mimetype"] == sent

    @pytest.mark.parametrize(
        ("name", "given"),
        [
            *((f"a.{end}", None) for end in ("html", "htm", "svg", "xml", "js", "css", "xsl")),
            ("a.txt", "text/html"),
            ("a.txt", "TEXT/HTML"),
            ("a.txt", " text/html ; charset=utf-8"),
            ("a.txt", "application/xhtml+xml"),
            ("a.txt", "image/svg+xml"),
            ("a.txt", "application/x-javascript"),
            ("a.txt", "text/jscript"),
            ("a.txt", "text/css"),
            ("a.txt", "application/hta"),
            ("a.txt", "multipart/x-mixed-replace; boundary=x"),
            ("a.docx", f"{OFFICE}.x+xml"),
        ],
    )
    def test_what_a_browser_would_run_is_stored_as_text(self, name: str, given: str | None) -> None:
        odoo = odoo_with()
        made = upload(odoo, "res.partner", 1, name, b64(b"hello"), given)
        assert odoo.writes()[0].arguments["vals_list"]["mimetype"] == "text/plain"
        assert "would run it" in made.warnings[0]

    @pytest.mark.parametrize(
        ("options", "code"),
        [
            ({"content_base64": "###"}, "VALIDATION_ERROR"),
            ({"content_base64": "QUJDR"}, "VALIDATION_ERROR"),
            ({"content_base64": "QQ="}, "VALIDATION_ERROR"),
            ({"content_base64": "QQ==QQ=="}, "VALIDATION_ERROR"),
            ({"content_base64": "QUJD\nQUJD"}, "VALIDATION_ERROR"),
            ({"content_base64": "data:text/plain;base64,QUJD"}, "VALIDATION_ERROR"),
            ({"content_base64": "ŒUJD"}, "VALIDATION_ERROR"),
            ({"content_base64": ""}, "VALIDATION_ERROR"),
            ({"content_base64": None}, "VALIDATION_ERROR"),
            ({"max_bytes": 4}, "VALIDATION_ERROR"),
            ({"name": " "}, "VALIDATION_ERROR"),
            ({"name": "a\nb"}, "VALIDATION_ERROR"),
            ({"mimetype": "html"}, "VALIDATION_ERROR"),
            ({"mimetype": "text/plain, text/html"}, "VALIDATION_ERROR"),
            ({"mimetype": "text/plain\r\nX: y"}, "VALIDATION_ERROR"),
            ({"model": "ir.ui.view"}, "MODEL_BLOCKED"),
            ({"model": "res.users"}, "MODEL_BLOCKED"),
            ({"record_id": 99}, "NOT_FOUND"),
            ({"record_id": 0}, "VALIDATION_ERROR"),
            ({"model": "no.such"}, "UNKNOWN_MODEL"),
            ({"model": "ir.config_parameter"}, "MODEL_BLOCKED"),
        ],
    )
    def test_bad_input_uploads_nothing(self, options: dict[str, Any], code: str) -> None:
        odoo = odoo_with()
        if code == "UNKNOWN_MODEL":
            from odoo_toolkit.errors import make_error

            odoo.answers["no.such", "search"] = make_error(code, "No model no.such")
        given = {
            "model": "res.partner",
            "record_id": 1,
            "name": "a.txt",
            "content_base64": b64(b"hello"),
            **options,
        }
        with pytest.raises(OdooError) as raised:
            upload(odoo, **given)
        assert raised.value.code == code
        assert odoo.writes() == []

    @pytest.mark.parametrize("content", [b"a;\xff", bytearray(b"a;b"), b"QUJDRA"])
    def test_bytes_are_the_file_itself(self, content: bytes) -> None:
        odoo = odoo_with()
        made = upload(odoo, "res.partner", 1, "a.csv", content)
        (write,) = odoo.writes()
        assert write.arguments["vals_list"]["datas"].startswith(f"{len(content)} bytes ")
        assert made.message.endswith(f"({len(content)} bytes) to res.partner 1.")
        assert not [told for told in made.warnings if "base64" in told]

    def test_bytes_that_were_encoded_before_get_a_warning(self) -> None:
        content = base64.b64encode(b"%PDF-1.4 and more of it")
        made = upload(odoo_with(), "res.partner", 1, "a.txt", content)
        assert "look like base64" in made.warnings[0]

    def test_an_upload_stays_a_success(self) -> None:
        odoo = odoo_with()
        odoo.answers["ir.attachment", "search_read"] = OdooConnectionError("gone")
        made = upload(odoo, "res.partner", 1, "a.txt", b64(b"hello"))
        assert (made.id, made.mimetype, made.file_size) == (5, None, 5)
        assert "cannot be read back" in made.warnings[0]


class TestLostAnswers:
    """The file 41 is attached, and perhaps deleted again."""

    @pytest.mark.parametrize("method", ["create", "unlink"])
    def test_what_was_done_is_seen(self, method: str) -> None:
        server = remembering()
        odoo = server.connect()
        server.lose_answer(method)
        made = upload(odoo, "res.partner", 1, "a.txt", b64(b"hello"))
        gone = delete(odoo, made.id)
        seen = [made.warnings, gone.warnings]
        assert seen == ([[SEEN], []] if method == "create" else [[], [SEEN]])
        assert (made.id, gone.id, server.records["ir.attachment"]) == (41, 41, [])
        assert [call.method for call in server.asked("create", "unlink")] == ["create", "unlink"]

    def test_a_file_that_was_not_attached_stays_in_doubt(self) -> None:
        """Though one like it has just been attached."""
        server = remembering()
        odoo = server.connect()
        upload(odoo, "res.partner", 1, "a.txt", b64(b"hello"))
        server.lose_answer("create", applied=False)
        with pytest.raises(OdooConnectionError, match="did not find it") as raised:
            upload(odoo, "res.partner", 1, "a.txt", b64(b"hello"))
        assert raised.value.outcome == "maybe_applied"
        assert "safe" not in raised.value.suggestion
        assert len(server.asked("create")) == 1

    def test_a_file_of_other_bytes_is_not_taken_for_it(self) -> None:
        server = remembering()
        server.lose_answer("create")
        with pytest.raises(OdooConnectionError):
            upload(server.connect(), "res.partner", 1, "a.txt", b64(b"other"))

    def test_deleting_again_is_safe(self) -> None:
        server = remembering()
        odoo = server.connect()
        upload(odoo, "res.partner", 1, "a.txt", b64(b"hello"))
        server.lose_answer("unlink", applied=False)
        with pytest.raises(OdooConnectionError) as raised:
            delete(odoo, 41)
        assert "You can safely repeat the call" in raised.value.suggestion
        assert delete(odoo, 41).deleted


class TestMoreThanFiles:
    @pytest.mark.parametrize(
        ("values", "why"),
        [
            ({"res_field": "image_1920"}, "the content of the field image_1920"),
            ({"url": "/web/assets/1/x.css", "res_model": False}, "an address of its own"),
            ({"url": "https://example.com", "type": "url"}, "an address of its own"),
            ({"res_model": "ir.ui.view"}, "never changes it"),
            ({"res_model": "res.users"}, "never changes it"),
        ],
    )
    def test_they_are_not_deleted(self, values: dict[str, Any], why: str) -> None:
        odoo = odoo_with(**values)
        with pytest.raises(AccessError, match=why) as raised:
            delete(odoo, 5)
        assert raised.value.code == "MODEL_BLOCKED"
        assert odoo.writes() == []

    @pytest.mark.parametrize("field", ["signature", "x_client_secret", "note_file"])
    @pytest.mark.parametrize("operation", [get_content, delete])
    def test_files_behind_closed_fields_are_not_there(
        self, operation: Callable[[Any, int], object], field: str
    ) -> None:
        odoo = odoo_with(policy=Policy(field_blocklist="note_file"), res_field=field)
        with pytest.raises(OdooError, match="no attachment with id 5"):
            operation(odoo, 5)
        assert len(odoo.sent) == 1
        assert odoo.writes() == []

    def test_the_content_is_asked_for_as_what_was_judged(self) -> None:
        """Should it move to another record or field meanwhile, it is not found any more."""
        odoo = odoo_with(res_field="image_1920")
        get_content(odoo, 5)
        domain = odoo.sent[-1].arguments["domain"]
        assert ["res_model", "=", "res.partner"] in domain
        assert ["res_field", "=", "image_1920"] in domain

    def test_the_list_is_of_files_only(self) -> None:
        odoo = odoo_with()
        list_attachments(odoo, "res.partner", 1)
        (asked,) = odoo.asked("search_read")
        assert ["res_field", "=", False] in asked.arguments["domain"]


def test_what_the_functions_do_are_steps_that_declare_whose_files_they_touch() -> None:
    odoo = odoo_with()
    list_attachments(odoo, "res.partner", 1)
    get_content(odoo, 5)
    upload(odoo, "res.partner", 1, "a.txt", b64(b"hello"))
    delete(odoo, 5)
    # The record is looked for, and the policy looks for what must not be changed.
    calls = [call for call in odoo.sent if call.method != "search"]
    assert {call.method for call in calls} == {"search_read", "create", "unlink"}
    assert all(call.step for call in calls)
    assert all(call.acts_on == "res.partner" or call.internal for call in calls)


@pytest.mark.parametrize(
    ("mode", "allowed", "uploads", "deletes"),
    [
        ("readonly", "", False, False),
        ("restricted", "", False, False),
        ("restricted", "res.partner", True, False),
        ("full", "", True, True),
    ],
)
def test_modes(mode: Any, allowed: str, uploads: bool, deletes: bool) -> None:
    """Restricted mode judges by the record that the file belongs to."""
    odoo = odoo_with(policy=Policy(mode=mode, write_allowlist=allowed))
    for passes, action in (
        (uploads, lambda: upload(odoo, "res.partner", 1, "a.txt", b64(b"hello"))),
        (deletes, lambda: delete(odoo, 5)),
    ):
        odoo.sent.clear()
        if passes:
            assert action().id == 5
            assert len(odoo.writes()) == 1
        else:
            with pytest.raises(AccessError) as raised:
                action()
            assert raised.value.code == "MODE_VIOLATION"
            assert odoo.writes() == []


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1.0 KB"),
        (10_000_000, "9.5 MB"),
        (1024**3, "1.0 GB"),
        (1024**5, "1024.0 TB"),
    ],
)
def test_sizes_in_words(size: int, words: str) -> None:
    assert human_size(size) == words


@pytest.mark.parametrize(
    ("head", "mimetype"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a..", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"RIFF\x00\x00\x00\x00WAVE", None),
        (b"<svg/>", None),
        (b"", None),
    ],
)
def test_pictures_by_their_bytes(head: bytes, mimetype: str | None) -> None:
    assert picture_type(head) == mimetype


def test_names_keep_what_is_harmless() -> None:
    assert safe_name("Angebot Müller (2).pdf") == "Angebot Müller (2).pdf"
    assert safe_name("x" * 300 + ".pdf").endswith("x.pdf")
    for device in ("CON", "nul.pdf", "Com1.tar.gz", "aux .txt", "LPT¹"):
        assert safe_name(device).startswith("_")
    assert safe_name("console.pdf") == "console.pdf"
