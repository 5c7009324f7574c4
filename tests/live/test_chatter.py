"""Messages and activities on a real Odoo, as administrator and as an ordinary user."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import NotFoundError, Odoo, OdooConnectionError, OdooError, ValidationError
from odoo_toolkit.call import Call
from odoo_toolkit.change_history.lost_answers import SEEN
from odoo_toolkit.chatter.activities import get_activities, mark_activity_done, schedule_activity
from odoo_toolkit.chatter.attachments import delete, get_content, list_attachments, upload
from odoo_toolkit.chatter.messages import get_messages, post_message, post_notes
from odoo_toolkit.compat import ACTIVITIES_OF_CHANGEABLE_RECORDS
from odoo_toolkit.records.names import AmbiguousNameError
from tests.kit.live_tapes import Open

pytestmark = pytest.mark.recorded

TEXT = "l1\nl2 a<b & <b>not bold</b>\n\nnew paragraph: \"q\" 's' 100% &lt; ${object.name} {{ x }}"

FILE: Any = {"name": "lost.txt", "content_base64": "aGVsbG8="}


@pytest.fixture
def partner(odoo: Odoo, suffix: str) -> int:
    made = toolkit.create(odoo, "res.partner", {"name": f"Chatter {suffix}"})
    assert made.id
    return made.id


@pytest.fixture
def reader(odoo: Odoo, suffix: str) -> int:
    """A partner with an e-mail address."""
    values = {"name": f"Reader {suffix}", "email": f"{suffix}@example.com"}
    made = toolkit.create(odoo, "res.partner", values)
    assert made.id
    return made.id


def messages_of(odoo: Odoo, partner: int) -> int:
    domain = [["model", "=", "res.partner"], ["res_id", "=", partner]]
    return toolkit.count(odoo, "mail.message", domain).count


def of_xmlid(odoo: Odoo, name: str) -> int:
    call = Call(
        model="ir.model.data",
        method="check_object_reference",
        arguments={"module": "mail", "xml_id": name},
        access="read",
        internal=True,
    )
    found: list[int] = odoo.call(call)
    return found[1]


@pytest.mark.every_version
def test_text_is_read_as_it_was_posted(odoo: Odoo, partner: int, reader: int) -> None:
    posted = post_message(odoo, "res.partner", partner, TEXT, partner_ids=[reader])

    assert posted.warnings == []
    assert posted.body
    assert "&lt;b&gt;not bold&lt;/b&gt;" in posted.body
    assert "<b>" not in posted.body
    assert [(person.id, person.by) for person in posted.notified] == [(reader, "email")]
    (message,) = get_messages(odoo, "res.partner", partner).messages
    assert message.id == posted.id
    assert message.body == TEXT
    assert message.type == "comment"
    assert message.author
    raw = get_messages(odoo, "res.partner", partner, strip_html=False).messages[0]
    assert raw.body == posted.body


def test_a_note_is_internal_tells_nobody_and_is_read(odoo: Odoo, partner: int) -> None:
    posted = post_message(odoo, "res.partner", partner, "note", message_type="notification")
    fields = ["subtype_id", "message_type"]
    stored = toolkit.read(odoo, "mail.message", [posted.id], fields).records[0]
    assert posted.notified == []
    # As what "Log note" makes; type notification is for what Odoo logs by itself.
    assert stored["message_type"] == "comment"
    assert stored["subtype_id"]["id"] == of_xmlid(odoo, "mt_note")
    (message,) = get_messages(odoo, "res.partner", partner).messages
    assert (message.id, message.body, message.subtype) == (posted.id, "note", "Note")


def test_one_note_on_several_records(odoo: Odoo, suffix: str) -> None:
    names = [f"Several {suffix} {word}" for word in "abc"]
    ids = [toolkit.create(odoo, "res.partner", {"name": name}).id or 0 for name in names]
    records = [names[0], *ids[1:]]
    plan = post_notes.plan(odoo, model="res.partner", records=records, body=TEXT)
    assert all(name in plan.message for name in names)
    for wrong in ([*records, 99_999_999], [*records, f"No {suffix}"], [*records, ids[0]]):
        with pytest.raises(OdooError):
            post_notes(odoo, model="res.partner", records=wrong, body=TEXT)
    assert [get_messages(odoo, "res.partner", number).count for number in ids] == [0, 0, 0]

    done = post_notes(odoo, model="res.partner", records=records, body=TEXT)
    assert (done.not_posted, done.warnings) == ([], [])
    for note, number, name in zip(done.notes, ids, names, strict=True):
        assert (note.record.id, note.record.name) == (number, name)
        (message,) = get_messages(odoo, "res.partner", number).messages
        assert (message.id, message.body, message.subtype) == (note.message_id, TEXT, "Note")
    told = [["mail_message_id", "in", [note.message_id for note in done.notes]]]
    assert toolkit.count(odoo, "mail.notification", told).count == 0


def test_files_go_with_a_message(odoo: Odoo, ordinary: Odoo, partner: int, suffix: str) -> None:
    there = upload(odoo, "res.partner", partner, f"there {suffix}.txt", "aGVsbG8=")
    other = toolkit.create(odoo, "res.partner", {"name": f"Other {suffix}"}).id or 0
    elsewhere = upload(odoo, "res.partner", other, "b.txt", "aGVsbG8=")
    new = {"name": f"new {suffix}.txt", "content_base64": "d29ybGQ="}
    page = {"name": "p.html", "content_base64": "PGI+aGk8L2I+"}
    for wrong in ({"id": elsewhere.id}, {"name": "x.txt", "content_base64": "?"}):
        with pytest.raises(OdooError):
            post_message(odoo, "res.partner", partner, "x", attachments=[new, wrong])
    assert messages_of(odoo, partner) == messages_of(odoo, other)
    assert list_attachments(odoo, "res.partner", partner).count == 1

    files = [{"id": there.id}, new, page]
    plan = post_message.plan(odoo, "res.partner", partner, "x", attachments=files)
    assert "with 3 files" in plan.message
    assert list_attachments(odoo, "res.partner", partner).count == 1
    posted = post_message(odoo, "res.partner", partner, "x", attachments=files)
    assert len(posted.attachment_ids) == 3
    assert len(posted.warnings) == 1
    assert "text/plain" in posted.warnings[0]
    (message,) = get_messages(odoo, "res.partner", partner).messages
    assert sorted(message.attachment_ids) == sorted(posted.attachment_ids)
    listed = list_attachments(odoo, "res.partner", partner).attachments
    # They belong to the record now, so whoever reads it can open them.
    assert sorted(file.id for file in listed) == sorted(posted.attachment_ids)
    (number,) = (file.id for file in listed if file.name == new["name"])
    assert get_content(ordinary, number, as_text=True).content == "world"


def test_newest_first_and_has_more(odoo: Odoo, partner: int) -> None:
    ids = [post_message(odoo, "res.partner", partner, f"m{i}").id for i in range(3)]

    newest = get_messages(odoo, "res.partner", partner, limit=2)
    assert ([m.id for m in newest.messages], newest.has_more) == ([ids[2], ids[1]], True)
    everything = get_messages(odoo, "res.partner", partner, limit=3)
    assert ([m.id for m in everything.messages], everything.has_more) == (ids[::-1], False)


@pytest.mark.every_user
def test_an_activity_from_plan_to_done(odoo: Odoo, partner: int) -> None:
    late = schedule_activity(
        odoo, "res.partner", partner, "call", "Call <back>", "n1\nn2 <b>", "2031-05-06"
    )
    soon = schedule_activity(odoo, "res.partner", partner)
    assert late.warnings == soon.warnings == []
    assert (late.activity.summary, late.activity.note) == ("Call <back>", "n1\nn2 <b>")
    assert (late.activity.deadline, late.activity.state) == ("2031-05-06", "planned")
    assert late.activity.user.id == odoo.uid
    found = get_activities(odoo, "res.partner", partner)
    assert [activity.id for activity in found.activities] == [soon.id, late.id]

    assert late.id
    done = mark_activity_done(odoo, late.id, "went well\n<b>")
    assert (done.done, done.warnings) == (True, [])
    assert done.message_id
    assert [a.id for a in get_activities(odoo, "res.partner", partner).activities] == [soon.id]
    told = get_messages(odoo, "res.partner", partner, message_types=["notification"])
    body = next(m.body for m in told.messages if m.id == done.message_id) or ""
    assert "went well" in body
    assert "<b>" in body
    with pytest.raises(OdooError, match="no open activity"):
        mark_activity_done(odoo, late.id)


@pytest.mark.every_version
def test_one_activity_is_scheduled_on_many_records(odoo: Odoo, partner: int, suffix: str) -> None:
    other = toolkit.create(odoo, "res.partner", {"name": f"Other {suffix}"}).id
    given: dict[str, Any] = {"records": [partner, f"Other {suffix}"], "summary": "Call them"}
    planned = schedule_activity(odoo, "res.partner", **given, dry_run=True)
    assert [call.ids for call in planned.calls] == [[partner], [other]]
    made = schedule_activity(odoo, "res.partner", **given, date_deadline="2027-03-02")
    assert made.warnings == []
    assert "2 of 2" in made.message
    assert "Odoo stored each as To" in made.message
    assert "'Call them', due 2027-03-02, for " in made.message
    for number, activity_id in zip((partner, other), made.ids, strict=True):
        (one,) = get_activities(odoo, "res.partner", number).activities
        assert one.id == activity_id
        assert (one.summary, one.deadline) == ("Call them", "2027-03-02")
    for wrong in (
        {"records": [partner, partner]},
        {"records": []},
        {"records": [partner, f"Nobody {suffix}"]},
        {"records": [partner, 10**8]},
        {"record_id": partner, "records": [other]},
        {},
    ):
        with pytest.raises((ValidationError, NotFoundError)):
            schedule_activity(odoo, "res.partner", **wrong)
    for number in (partner, other):
        assert len(get_activities(odoo, "res.partner", number).activities) == 1


@pytest.mark.parametrize("name", ["email", "call", "meeting", "todo", "upload_document"])
def test_each_activity_type_has_its_own(odoo: Odoo, partner: int, name: str) -> None:
    made = schedule_activity(odoo, "res.partner", partner, name)
    stored = toolkit.read(odoo, "mail.activity", [made.id or 0], ["activity_type_id"])
    expected = of_xmlid(odoo, f"mail_activity_data_{name}")
    assert stored.records[0]["activity_type_id"]["id"] == expected


@pytest.mark.every_version
def test_a_user_is_named_by_name_or_login(opened: Open, admin: Odoo, partner: int) -> None:
    clerk, _ = (opened(f"{name} in base.group_user") for name in ("Clerk", "Chief"))
    login = "toolkit-clerk"
    ids = set()
    for said in (login, "clerk"):
        planned = schedule_activity(admin, "res.partner", partner, summary=said, user_name=said)
        ids.add(planned.activity.user.id)
    (user,) = ids
    (row,) = toolkit.read(admin, "res.users", [user], ["login"]).records
    assert (row["login"], user) == (login, clerk.uid)
    listed = get_activities(clerk)
    here = [a for a in listed.activities if a.record and a.record.id == partner]
    ours = [(login, "res.partner"), ("clerk", "res.partner")]
    # On 15 and 16 the clerk, who may not change contacts, is not told of them, and learns that.
    hidden = admin.version.major in ACTIVITIES_OF_CHANGEABLE_RECORDS
    assert [(a.summary, a.model) for a in here] == ([] if hidden else ours)
    assert any("there may be others" in warning for warning in listed.warnings) is hidden
    of_record = get_activities(clerk, "res.partner", partner)
    assert bool(of_record.warnings) is hidden
    assert len(of_record.activities) == (0 if hidden else 2)
    assert get_activities(admin, "res.partner", partner).warnings == []
    before = get_activities(admin, "res.partner", partner, user_name="clerk")
    assert before.count == 2
    bad: list[tuple[dict[str, Any], type[OdooError]]] = [
        # The user of Odoo itself is not active.
        ({"user_name": "__system__"}, NotFoundError),
        ({"user_id": 1}, NotFoundError),
        ({"user_name": "toolkit-"}, AmbiguousNameError),
    ]
    for values, error in bad:
        with pytest.raises(error):
            schedule_activity(admin, "res.partner", partner, **values)
        with pytest.raises(error):
            get_activities(admin, **values)
    assert get_activities(admin, "res.partner", partner) == before


BAD: dict[str, Callable[[Odoo, int], object]] = {
    "no.chatter": lambda odoo, partner: post_message(odoo, "res.country", 1, "x"),
    "no.activities": lambda odoo, partner: schedule_activity(odoo, "res.country", 1),
    "empty": lambda odoo, partner: post_message(odoo, "res.partner", partner, " "),
    "record": lambda odoo, partner: post_message(odoo, "res.partner", 99_999_999, "x"),
    "partner": lambda odoo, partner: post_message(
        odoo, "res.partner", partner, "x", partner_ids=[99_999_999]
    ),
    "type": lambda odoo, partner: schedule_activity(
        odoo,
        "res.partner",
        partner,
        "nosuch",
    ),
    "user": lambda odoo, partner: schedule_activity(
        odoo, "res.partner", partner, user_id=99_999_999
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_writes_nothing(odoo: Odoo, partner: int, case: str) -> None:
    before = messages_of(odoo, partner)
    with pytest.raises(OdooError) as raised:
        BAD[case](odoo, partner)
    assert raised.value.suggestion
    assert raised.value.outcome == "refused"
    assert messages_of(odoo, partner) == before
    assert get_activities(odoo, "res.partner", partner).count == 0


@pytest.mark.every_version
def test_a_user_without_access_is_told(opened: Open, admin: Odoo, suffix: str) -> None:
    """An ordinary user may not post where he may not read."""
    hidden = "mail.channel" if admin.version.major < 17 else "discuss.channel"
    values = {"name": f"Private {suffix}"}
    values |= {"public": "private"} if admin.version.major < 16 else {"channel_type": "group"}
    made = toolkit.create(admin, hidden, values)
    demo = opened("demo")
    for action in (
        lambda: post_message(demo, hidden, made.id or 0, "x"),
        lambda: get_messages(demo, hidden, made.id or 0),
    ):
        with pytest.raises(OdooError) as raised:
            action()
        assert raised.value.code in ("NOT_FOUND", "ACCESS_DENIED")


def test_what_was_done_is_seen_though_its_answer_is_lost(odoo: Odoo, partner: int) -> None:
    transport = odoo._connected().transport
    send, lost = transport.send, ["message_post", "activity_schedule", "action_feedback"]
    lost += ["create", "unlink"]

    def lose(call: Call) -> object:
        answer = send(call)
        if call.method not in lost:
            return answer
        lost.remove(call.method)
        raise OdooConnectionError("The answer was cut off.", outcome="maybe_applied")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transport, "send", lose)
        posted = post_message(odoo, "res.partner", partner, TEXT)
        planned = schedule_activity(odoo, "res.partner", partner, "call", "Call <back>", TEXT)
        done = mark_activity_done(odoo, planned.id or 0)
        file = upload(odoo, "res.partner", partner, "a.txt", "aGVsbG8=")
        deleted = delete(odoo, file.id)
    assert lost == []
    results = (posted, planned, done, file, deleted)
    assert [result.warnings for result in results] == [[SEEN]] * 5
    assert get_messages(odoo, "res.partner", partner).messages[0].id == posted.id
    assert done.done


def test_a_file_of_a_message_is_not_sent_twice(odoo: Odoo, partner: int) -> None:
    transport = odoo._connected().transport
    send, sent = transport.send, list[str]()

    def lose(call: Call) -> object:
        sent.append(call.method)
        answer = send(call)
        if call.method == "create":
            raise OdooConnectionError("The answer was cut off.", outcome="maybe_applied")
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transport, "send", lose)
        posted = post_message(odoo, "res.partner", partner, TEXT, attachments=[FILE])
    assert (posted.warnings, len(posted.attachment_ids)) == ([SEEN], 1)
    assert sent.count("create") == 1
    assert sent.count("message_post") == 1


def test_a_file_whose_message_fails_is_told(odoo: Odoo, partner: int) -> None:
    transport = odoo._connected().transport
    send = transport.send

    def fail(call: Call) -> object:
        if call.method == "message_post":
            raise OdooError("No.", outcome="rolled_back")
        return send(call)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transport, "send", fail)
        with pytest.raises(OdooError, match=r"lost.txt \(id ") as raised:
            post_message(odoo, "res.partner", partner, TEXT, attachments=[FILE])
    (file,) = list_attachments(odoo, "res.partner", partner).attachments
    assert f"(id {file.id})" in raised.value.message
    posted = post_message(odoo, "res.partner", partner, TEXT, attachments=[{"id": file.id}])
    assert posted.attachment_ids == [file.id]
