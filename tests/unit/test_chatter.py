"""Messages and activities: what is sent on each version, and what is refused before that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from odoo_toolkit.call import Call
from odoo_toolkit.change_history.lost_answers import SEEN
from odoo_toolkit.chatter.activities import get_activities, mark_activity_done, schedule_activity
from odoo_toolkit.chatter.messages import get_messages, post_message, post_notes
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooConnectionError, OdooError, ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit.testing import FakeServer
from odoo_toolkit.values.html_text import html_to_text
from tests.unit.communication import Communication, remembering
from tests.unit.scripted import VERSIONS

ROW = {
    "id": 7,
    "date": "2026-11-21 23:22:17",
    "author_id": [3, "YourCompany, Mitchell Admin"],
    "email_from": '"Mitchell Admin" <admin@yourcompany.example.com>',
    "message_type": "comment",
    "subtype_id": [1, "Discussions"],
    "subject": False,
    "body": "<p>a<br>b &lt;c&gt;</p><script>no()</script><ul><li>one</li><li>two</li></ul>",
    "attachment_ids": [],
}
ACTIVITY = {
    "id": 45,
    "activity_type_id": [4, "To Do"],
    "summary": "Call back",
    "note": "<p>n1<br>n2 &lt;b&gt;</p>",
    "date_deadline": "2030-01-02",
    "user_id": [2, "Mitchell Admin"],
    "state": "planned",
}
FILE = {"name": "a.txt", "content_base64": "aGVsbG8="}
#: What the calls of each protocol and version return for the record 45.
RETURNED: list[tuple[int, Any]] = [
    *[(version, "mail.activity(45,)") for version in range(14, 19)],
    (19, [45]),
]


def of_ids(existing: set[int]) -> Callable[[Call], list[int]]:
    """Answer a search by ids with those that exist."""

    def search(call: Call) -> list[int]:
        _, operator, value = call.arguments["domain"][-1]
        return [i for i in (value if operator == "in" else [value]) if i in existing]

    return search


def odoo_of(major: int = 14, policy: Policy | None = None, **answers: Any) -> Communication:
    """An Odoo with partners 1, 14 and 26, and user 2; ``model__method`` replaces an answer."""
    default: dict[tuple[str, str], Any] = {
        ("res.partner", "search"): of_ids({1, 14, 26}),
        ("res.users", "search"): of_ids({2}),
        ("mail.message", "search_read"): [ROW],
        ("mail.message", "search_count"): 1,
        ("mail.activity", "search_read"): [ACTIVITY],
        ("mail.activity", "search"): [],
        ("mail.notification", "search_read"): [],
        ("ir.attachment", "search_read"): [],
        ("ir.model.data", "check_object_reference"): ["mail.activity.type", 4],
        ("ir.model", "search_read"): [],
        ("res.partner", "message_post"): 7,
        ("res.partner", "activity_schedule"): "mail.activity(45,)",
    }
    for name, answer in answers.items():
        model, _, method = name.partition("__")
        default[model.replace("_", "."), method] = answer
    return Communication(major, default, policy)


class TestMessages:
    def test_three_round_trips(self) -> None:
        odoo = odoo_of()
        get_messages(odoo, "res.partner", 1)
        assert sorted(odoo.methods()) == [
            "mail.message.search_count",
            "mail.message.search_read",
            "res.partner.search",
        ]

    @pytest.mark.parametrize(
        ("rows", "total", "has_more"), [(3, 3, True), (2, 2, False), (1, 3, True)]
    )
    def test_has_more_is_honest(self, rows: int, total: int, has_more: bool) -> None:
        """Odoo drops what the user may not see after cutting: fewer rows can still not be all."""
        odoo = odoo_of(mail_message__search_read=[ROW] * rows, mail_message__search_count=total)
        found = get_messages(odoo, "res.partner", 1, limit=2)
        assert (found.has_more, found.count) == (has_more, min(rows, 2))

    def test_an_author_outside_the_address_book(self) -> None:
        odoo = odoo_of(mail_message__search_read=[{**ROW, "author_id": False, "body": False}])
        (message,) = get_messages(odoo, "res.partner", 1).messages
        assert message.author is None
        assert message.email_from == ROW["email_from"]
        assert message.body is None

    def test_the_limit_is_at_most_a_hundred(self) -> None:
        odoo = odoo_of()
        get_messages(odoo, "res.partner", 1, limit=1000)
        assert odoo.asked("search_read")[0].arguments["limit"] == 101

    @pytest.mark.parametrize(
        ("options", "code"),
        [
            ({"record_id": 99}, "NOT_FOUND"),
            ({"record_id": True}, "VALIDATION_ERROR"),
            ({"model": "res.country"}, "VALIDATION_ERROR"),
            ({"model": "no.such"}, "UNKNOWN_MODEL"),
            ({"model": "ir.config_parameter"}, "MODEL_BLOCKED"),
            ({"message_types": ["nosuch"]}, "INVALID_SELECTION"),
            ({"message_types": "comment"}, "VALIDATION_ERROR"),
        ],
    )
    def test_bad_input(self, options: dict[str, Any], code: str) -> None:
        with pytest.raises(OdooError) as raised:
            get_messages(odoo_of(), **{"model": "res.partner", "record_id": 1, **options})
        assert raised.value.code == code

    def test_an_allowlist_judges_by_the_record(self) -> None:
        """Messages of an allowed model may be read; those of another may not."""
        policy = Policy(model_allowlist=frozenset({"res.partner"}))
        assert get_messages(odoo_of(policy=policy), "res.partner", 1).count == 1
        with pytest.raises(AccessError):
            get_messages(odoo_of(policy=policy), "res.country", 1)


class TestPosting:
    @pytest.mark.parametrize("major", VERSIONS)
    def test_text_is_shown_as_written(self, major: int) -> None:
        """Escaped HTML on every version; from 17 on Odoo has to be told that it is HTML."""
        odoo = odoo_of(major, res_partner__message_post=[7] if major == 19 else 7)
        body = "l1\nl2 a<b & <b>x</b>"
        posted = post_message(odoo, "res.partner", 1, body)

        (call,) = odoo.writes()
        sent = call.arguments
        assert sent["body"] == "<p>l1<br>l2 a&lt;b &amp; &lt;b&gt;x&lt;/b&gt;</p>"
        assert html_to_text(sent["body"]) == body
        assert sent.get("body_is_html") == (True if major >= 17 else None)
        assert posted.id == 7

    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            ({}, ("comment", "mail.mt_comment")),
            ({"message_type": "notification"}, ("comment", "mail.mt_note")),
            ({"subtype": "mail.mt_note"}, ("comment", "mail.mt_note")),
        ],
    )
    def test_subtype_follows_from_the_type(
        self, options: dict[str, Any], expected: tuple[str, str]
    ) -> None:
        odoo = odoo_of()
        post_message(odoo, "res.partner", 1, "x", **options)
        sent = odoo.writes()[0].arguments
        assert (sent["message_type"], sent["subtype_xmlid"]) == expected

    def test_body_as_stored_and_who_was_notified(self) -> None:
        notification = {
            "res_partner_id": [14, "Azure Interior"],
            "notification_type": "email",
            "notification_status": "ready",
        }
        odoo = odoo_of(
            mail_message__search_read=[{"id": 7, "body": "<p>hello</p>"}],
            mail_notification__search_read=[notification],
        )
        posted = post_message(odoo, "res.partner", 1, "hello", partner_ids=[14, 26])

        assert posted.body == "<p>hello</p>"
        assert [(p.id, p.by, p.status) for p in posted.notified] == [(14, "email", "ready")]
        assert "Azure Interior" in posted.message
        assert posted.warnings == []
        assert odoo.writes()[0].arguments["partner_ids"] == [14, 26]
        assert len(odoo.sent) == 5

    def test_another_stored_text_is_told(self) -> None:
        odoo = odoo_of(mail_message__search_read=[{"id": 7, "body": "<p>l2 a</p>"}])
        posted = post_message(odoo, "res.partner", 1, "l2 a<b")
        assert "another text" in posted.warnings[0]

    def test_a_posted_message_stays_a_success(self) -> None:
        """What fails afterwards is a warning beside the id."""
        broken = OdooConnectionError("The connection broke.")
        odoo = odoo_of(mail_message__search_read=broken, mail_notification__search_read=broken)
        posted = post_message(odoo, "res.partner", 1, "x")
        assert (posted.id, posted.body, len(posted.warnings)) == (7, None, 2)

    @pytest.mark.parametrize(
        ("options", "code"),
        [
            ({"body": ""}, "VALIDATION_ERROR"),
            ({"body": " \n"}, "VALIDATION_ERROR"),
            ({"body": None}, "VALIDATION_ERROR"),
            ({"record_id": 99}, "NOT_FOUND"),
            ({"model": "res.country"}, "VALIDATION_ERROR"),
            ({"partner_ids": [14, 99]}, "NOT_FOUND"),
            ({"partner_ids": [[6, 0, [14]]]}, "VALIDATION_ERROR"),
            ({"message_type": "user_notification"}, "VALIDATION_ERROR"),
            ({"subtype": "mail.nosuch"}, "VALIDATION_ERROR"),
            ({"attachments": [{"id": 99}]}, "NOT_FOUND"),
            ({"attachments": [{"id": "9"}]}, "VALIDATION_ERROR"),
            ({"attachments": [{"id": 9, "name": "a.txt"}]}, "VALIDATION_ERROR"),
            ({"attachments": [{"name": "a.txt"}]}, "VALIDATION_ERROR"),
            ({"attachments": [{"name": "a.txt", "content_base64": "?"}]}, "VALIDATION_ERROR"),
            ({"attachments": [{"name": "a.txt", "datas": "aGVsbG8="}]}, "VALIDATION_ERROR"),
            ({"attachments": [{"id": 9}, {"id": 9}]}, "VALIDATION_ERROR"),
            ({"attachments": [FILE], "max_bytes": 4}, "VALIDATION_ERROR"),
        ],
    )
    def test_bad_input_posts_nothing(self, options: dict[str, Any], code: str) -> None:
        odoo = odoo_of()
        given = {"model": "res.partner", "record_id": 1, "body": "x", **options}
        with pytest.raises(OdooError) as raised:
            post_message(odoo, **given)
        assert raised.value.code == code
        assert odoo.writes() == []

    def test_files_that_the_message_has_not_are_told(self) -> None:
        odoo = odoo_of(
            ir_attachment__create=[12],
            mail_message__search_read=[{"id": 7, "body": "<p>x</p>", "attachment_ids": []}],
        )
        posted = post_message(odoo, "res.partner", 1, "x", attachments=[FILE])
        assert "The message has 0 of 1 files." in posted.warnings

    def test_files_are_uploaded_only_where_the_record_may_be_written_to(self) -> None:
        policy = Policy(mode="restricted", write_allowlist=frozenset(["ir.attachment"]))
        odoo = odoo_of(policy=policy)
        with pytest.raises(AccessError):
            post_message(odoo, "res.partner", 1, "x", attachments=[FILE])
        assert odoo.sent == []

    @pytest.mark.parametrize(
        ("mode", "allowed", "passes"),
        [
            ("readonly", (), False),
            ("restricted", (), False),
            ("restricted", ("res.partner",), True),
            ("full", (), True),
        ],
    )
    def test_modes(self, mode: Any, allowed: tuple[str, ...], passes: bool) -> None:
        odoo = odoo_of(policy=Policy(mode=mode, write_allowlist=frozenset(allowed)))
        if passes:
            assert post_message(odoo, "res.partner", 1, "x").id == 7
            assert schedule_activity(odoo, "res.partner", 1).id == 45
        else:
            with pytest.raises(AccessError):
                post_message(odoo, "res.partner", 1, "x")
            with pytest.raises(AccessError):
                schedule_activity(odoo, "res.partner", 1)
            assert odoo.sent == []


class TestNotesOnSeveral:
    def notes(self, **answers: Any) -> Communication:
        posted = iter((7, 8, 9))
        default: dict[str, Any] = {
            "res_partner__message_post": lambda call: next(posted),
            "res_partner__search_read": lambda call: [
                {"id": number, "display_name": f"Partner {number}"}
                for number in call.arguments["domain"][-1][2]
                if number in (1, 14, 26)
            ],
            "mail_message__search_read": [
                {"id": 7, "body": "<p>On hold</p>"},
                {"id": 8, "body": "<p>On hold</p>"},
            ],
        }
        return odoo_of(**{**default, **answers})

    def test_what_comes_after_a_failure_is_not_tried(self) -> None:
        def post(call: Call) -> int:
            if call.ids == (14,):
                raise AccessError("Not yours.", outcome="rolled_back")
            return 7

        odoo = self.notes(res_partner__message_post=post)
        done = post_notes(odoo, model="res.partner", records=[1, 14, 26], body="On hold")
        assert [note.record.id for note in done.notes] == [1]
        assert [record.id for record in done.not_posted] == [14, 26]
        assert "Partner 14 (14) and those after it: Not yours." in done.warnings[0]
        assert [call.ids for call in odoo.writes()] == [(1,), (14,)]


class TestActivities:
    def test_by_deadline_with_readable_notes(self) -> None:
        odoo = odoo_of()
        found = get_activities(odoo, "res.partner", 1)

        (activity,) = found.activities
        assert activity.note == "n1\nn2 <b>"
        assert (activity.type, activity.deadline, activity.state) == (
            "To Do",
            "2030-01-02",
            "planned",
        )
        assert odoo.asked("search_read")[0].arguments["order"] == "date_deadline, id"
        assert len(odoo.sent) == 2

    @pytest.mark.parametrize(("major", "answer"), RETURNED)
    def test_scheduling_reads_the_activity_back(self, major: int, answer: Any) -> None:
        odoo = odoo_of(major, res_partner__activity_schedule=answer)
        made = schedule_activity(
            odoo, "res.partner", 1, "call", "Call back", "n1\nn2 <b>", "2030-01-02T10:00:00"
        )

        (call,) = odoo.writes()
        assert call.arguments == {
            "act_type_xmlid": "mail.mail_activity_data_call",
            "summary": "Call back",
            "note": "<p>n1<br>n2 &lt;b&gt;</p>",
            "date_deadline": "2030-01-02",
            "user_id": 2,
        }
        assert made.id == 45
        assert made.activity.user

    def test_an_answer_that_xml_rpc_cannot_carry(self) -> None:
        """The activity was made, is found, and nothing has gone wrong."""
        server = remembering(18)
        server.name = "xmlrpc"
        server.lose_answer("activity_schedule")
        made = schedule_activity(server.connect(), "res.partner", 1, summary="Call back")
        assert (made.id, made.activity.summary, made.warnings) == (41, "Call back", [])

    @pytest.mark.parametrize(
        ("options", "code"),
        [
            ({"model": "res.country"}, "VALIDATION_ERROR"),
            ({"record_id": 99}, "NOT_FOUND"),
            ({"user_id": 99}, "NOT_FOUND"),
            ({"user_id": 0}, "VALIDATION_ERROR"),
            ({"date_deadline": "soon"}, "VALIDATION_ERROR"),
        ],
    )
    def test_bad_input_schedules_nothing(self, options: dict[str, Any], code: str) -> None:
        odoo = odoo_of()
        with pytest.raises(OdooError) as raised:
            schedule_activity(odoo, **{"model": "res.partner", "record_id": 1, **options})
        assert raised.value.code == code
        assert odoo.writes() == []

    def test_what_a_user_is_to_do_is_told_with_its_record(self) -> None:
        about = {"res_model": "res.partner", "res_id": 14, "res_name": "Azure"}
        odoo = odoo_of(mail_activity__search_read=[{**ACTIVITY, **about}])
        (activity,) = get_activities(odoo).activities
        told = (activity.model, activity.record.id, activity.record.name)
        assert told == ("res.partner", 14, "Azure")
        (asked,) = odoo.sent
        assert asked.arguments["domain"][-1] == ["user_id", "=", 2]
        get_activities(odoo, user_id=2)
        assert len(odoo.sent) == 3
        with pytest.raises(OdooError, match="no active user"):
            get_activities(odoo, user_id=99)

    def test_a_users_list_says_where_it_is_cut(self) -> None:
        odoo = odoo_of(mail_activity__search_read=[ACTIVITY] * 101)
        found = get_activities(odoo)
        assert (found.count, len(found.activities), found.has_more) == (100, 100, True)

    def test_a_users_list_leaves_out_what_belongs_to_closed_models(self) -> None:
        odoo = odoo_of(policy=Policy(mode="readonly", model_blocklist="res.partner"))
        get_activities(odoo)
        (asked,) = odoo.sent
        closed = [leaf for leaf in asked.arguments["domain"] if leaf[0] == "res_model"]
        assert any("res.partner" in leaf[2] for leaf in closed if leaf[1] == "not in")

    def test_a_record_is_named_whole_or_not_at_all(self) -> None:
        odoo = odoo_of()
        for given in ({"model": "res.partner"}, {"record_id": 1}):
            with pytest.raises(ValidationError, match="belong together"):
                get_activities(odoo, **given)
        assert odoo.sent == []

    def test_of_a_record_those_of_one_user(self) -> None:
        odoo = odoo_of()
        get_activities(odoo, "res.partner", 1, user_id=2)
        assert ["user_id", "=", 2] in odoo.asked("search_read")[0].arguments["domain"]

    def test_an_unknown_type_schedules_nothing(self) -> None:
        """Odoo itself would schedule an activity of another type."""
        missing = ValidationError("External ID not found in the system", code="VALUE_ERROR")
        odoo = odoo_of(ir_model_data__check_object_reference=missing)
        with pytest.raises(OdooError, match="no activity type 'meeting'"):
            schedule_activity(odoo, "res.partner", 1, "meeting")
        assert odoo.writes() == []

    def test_done_is_what_is_read_afterwards(self) -> None:
        row = {"id": 45, "res_model": "res.partner", "res_id": 1, "display_name": "Call back"}
        rows = iter([[row], []])
        odoo = odoo_of(
            mail_activity__search_read=lambda call: next(rows), mail_activity__action_feedback=653
        )
        odoo.answers["mail.activity", "search"] = [45]
        done = mark_activity_done(odoo, 45, "ok\n<b>")

        assert (done.done, done.message_id, done.warnings) == (True, 653, [])
        (call,) = odoo.writes()
        # Odoo escapes it by itself, on every version.
        assert call.arguments == {"feedback": "ok\n<b>"}

    def test_an_activity_that_stays_open_is_not_done(self) -> None:
        row = {"id": 45, "res_model": "res.partner", "res_id": 1, "display_name": "Call back"}
        odoo = odoo_of(mail_activity__search_read=[row], mail_activity__action_feedback=653)
        odoo.answers["mail.activity", "search"] = [45]
        done = mark_activity_done(odoo, 45)
        assert (done.done, len(done.warnings)) == (False, 1)

    def test_done_needs_the_right_to_write_the_record(self) -> None:
        row = {"id": 45, "res_model": "res.partner", "res_id": 1, "display_name": "Call back"}
        policy = Policy(mode="restricted", write_allowlist=frozenset({"sale.order"}))
        odoo = odoo_of(policy=policy, mail_activity__search_read=[row])
        with pytest.raises(AccessError):
            mark_activity_done(odoo, 45)
        assert odoo.writes() == []


WRITES: dict[str, Callable[[Odoo], Any]] = {
    "message_post": lambda odoo: post_message(odoo, "res.partner", 1, "Hello <you>"),
    "activity_schedule": lambda odoo: schedule_activity(
        odoo, "res.partner", 1, "call", "Call back", "soon\n<b>", "2030-01-02"
    ),
    "action_feedback": lambda odoo: mark_activity_done(odoo, 41),
}


def with_an_activity() -> tuple[FakeServer, Odoo]:
    """Return a server, and a connection to it, with the activity 41 of another day and text."""
    server = remembering()
    odoo = server.connect()
    schedule_activity(odoo, "res.partner", 1, summary="Write")
    server.sent.clear()
    return server, odoo


class TestLostAnswers:
    @pytest.mark.parametrize(
        ("method", "made"),
        [("message_post", 41), ("activity_schedule", 42), ("action_feedback", 41)],
    )
    def test_what_was_done_is_seen(self, method: str, made: int) -> None:
        server, odoo = with_an_activity()
        server.lose_answer(method)
        result = WRITES[method](odoo)
        assert (result.id, result.warnings) == (made, [SEEN])
        assert len(server.asked(method)) == 1

    @pytest.mark.parametrize("method", WRITES)
    def test_what_was_not_done_stays_in_doubt(self, method: str) -> None:
        server, odoo = with_an_activity()
        server.lose_answer(method, applied=False)
        with pytest.raises(OdooConnectionError, match="did not find it") as raised:
            WRITES[method](odoo)
        assert raised.value.outcome == "maybe_applied"
        # Only what is there no more once it is done can be repeated.
        assert ("safe" in raised.value.suggestion) == (method == "action_feedback")
        assert server.asked(method) == []

    @pytest.mark.parametrize("method", ["message_post", "activity_schedule"])
    def test_what_is_known_to_be_another_is_not_taken_for_it(self, method: str) -> None:
        server, odoo = with_an_activity()
        assert WRITES[method](odoo).warnings == []
        server.lose_answer(method, applied=False)
        with pytest.raises(OdooConnectionError):
            WRITES[method](odoo)

    @pytest.mark.parametrize("values", [{"create_uid": 9}, {"body": "<p>Hello me</p>"}])
    def test_a_message_of_others_or_of_another_text_is_not_taken_for_it(
        self, values: dict[str, Any]
    ) -> None:
        server, odoo = with_an_activity()
        real = server.answers["res.partner", "message_post"]

        def another(call: Call) -> Any:
            real(call)
            server.records["mail.message"][-1] |= values
            raise OdooConnectionError("no answer", outcome="maybe_applied")

        server.answers["res.partner", "message_post"] = another
        with pytest.raises(OdooConnectionError):
            post_message(odoo, "res.partner", 1, "Hello <you>")
