"""What has changed since a cursor, on real servers, while others are at work."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from odoo_toolkit import Odoo, changes, connect, create, execute, search_read, unlink, write
from odoo_toolkit.errors import OdooError, ValidationError
from tests.live.servers import Server, credentials

TAG = "res.partner.category"
PARTNER = "res.partner"


@pytest.fixture
def other(server: Server) -> Iterator[Odoo]:
    with connect(**credentials(server, server.user("admin"))) as connection:
        yield connection


def test_created_written_archived_and_deleted(admin: Odoo, suffix: str) -> None:
    kept, changed, gone = create(admin, PARTNER, [{"name": f"{suffix} {i}"} for i in range(3)]).ids
    domain = [["name", "like", suffix]]
    fields = ["name", "active", "category_id"]
    cursor = changes(admin, PARTNER, domain=domain, fields=fields).cursor
    new = create(admin, PARTNER, {"name": f"{suffix} new"}).id
    write(admin, PARTNER, [changed], {"name": f"{suffix} changed"})
    unlink(admin, PARTNER, [gone])
    found = changes(admin, PARTNER, cursor, domain, fields)
    assert [record["id"] for record in found.created] == [new]
    assert [(r["id"], r["name"]) for r in found.written] == [(changed, f"{suffix} changed")]
    assert (found.deleted, found.left, found.entered) == ([gone], [], [])

    tag = create(admin, TAG, {"name": suffix}).id
    write(admin, PARTNER, [kept], {"category_id": [[4, tag]]})
    write(admin, PARTNER, [changed], {"active": False})
    write(admin, PARTNER, [new], {"name": "Remove that character"})
    found = changes(admin, PARTNER, found.cursor, domain, fields)
    assert [(r["id"], r["active"], r["category_id"]) for r in found.written] == [
        (kept, True, [tag]),
        (changed, False, []),
    ]
    assert (found.left, found.deleted) == ([new], [])
    assert not changes(admin, PARTNER, found.cursor, domain, fields)
    unlink(admin, PARTNER, [kept, changed, new])
    unlink(admin, TAG, [tag])


def test_the_mark_of_another_user_is_refused(admin: Odoo, ordinary: Odoo) -> None:
    cursor = changes(admin, PARTNER).cursor
    assert not changes(admin, PARTNER, cursor).deleted
    with pytest.raises(ValidationError, match=f"is for user {admin.uid}, .* user {ordinary.uid}"):
        changes(ordinary, PARTNER, cursor)


def test_a_record_written_several_times_within_a_second(admin: Odoo, suffix: str) -> None:
    tag = create(admin, TAG, {"name": suffix}).id
    cursor = changes(admin, TAG, fields=["name"]).cursor
    for i in range(10):
        write(admin, TAG, [tag], {"name": f"{suffix} {i}"})
        found = changes(admin, TAG, cursor, fields=["name"])
        cursor = found.cursor
        assert [r["name"] for r in found.written if r["id"] == tag] == [f"{suffix} {i}"]
    unlink(admin, TAG, [tag])
    assert changes(admin, TAG, cursor, fields=["name"]).deleted == [tag]


def test_a_domain_over_another_model_sees_its_changes(admin: Odoo, suffix: str) -> None:
    countries = [r["id"] for r in search_read(admin, "res.country", [], ["id"], limit=2)]
    parent = create(admin, PARTNER, {"name": suffix, "is_company": True}).id
    child = create(admin, PARTNER, {"name": f"{suffix} child", "parent_id": parent}).id
    domain = [["parent_id.comment", "like", suffix]]
    cursor = changes(admin, PARTNER, domain=domain).cursor
    write(admin, PARTNER, [parent], {"comment": suffix})
    found = changes(admin, PARTNER, cursor, domain)
    assert child in [r["id"] for r in found.records]
    write(admin, PARTNER, [parent], {"comment": "nothing", "country_id": countries[0]})
    found = changes(admin, PARTNER, found.cursor, domain)
    assert found.left == [child]
    unlink(admin, PARTNER, [child, parent])


def test_messages_follow_their_own_model(admin: Odoo, suffix: str) -> None:
    partner = create(admin, PARTNER, {"name": suffix}).id
    domain = [["model", "=", PARTNER], ["res_id", "=", partner]]
    cursor = changes(admin, PARTNER, domain=[["id", "=", partner]]).cursor
    messages = changes(admin, "mail.message", domain=domain, fields=["body"]).cursor
    execute(admin, PARTNER, "message_post", [[partner]], {"body": suffix})
    assert not changes(admin, PARTNER, cursor, [["id", "=", partner]])
    found = changes(admin, "mail.message", messages, domain, ["body"])
    assert suffix in [r["body"] for r in found.created]
    unlink(admin, PARTNER, [partner])


def test_two_writers_and_a_follower(admin: Odoo, server: Server, suffix: str) -> None:
    """A copy that is kept by the changes alone is the same as the table in the end."""
    domain, fields = [["name", "like", suffix]], ["name", "color"]
    cursor = changes(admin, TAG, domain=domain, fields=fields).cursor
    copy: dict[int, dict[str, object]] = {}
    failures: list[Exception] = []
    running = threading.Barrier(3)

    def work(number: int) -> None:
        try:
            with connect(**credentials(server, server.user("admin"))) as odoo:
                running.wait()
                mine: list[int] = []
                for i in range(25):
                    names = [{"name": f"{suffix} {number} {i} {j}"} for j in range(5)]
                    mine += create(odoo, TAG, names).ids
                    write(odoo, TAG, mine[-5:], {"color": i % 10})
                    write(odoo, TAG, mine[:3], {"color": (i + 1) % 10})
                    if i % 3 == 0:
                        unlink(odoo, TAG, [mine.pop(), mine.pop(-2)])
                    if i % 5 == 0:
                        write(odoo, TAG, [mine.pop()], {"name": "has left"})
        except (OdooError, threading.BrokenBarrierError) as error:
            failures.append(error)
            running.abort()

    def follow() -> None:
        nonlocal cursor
        found = changes(admin, TAG, cursor, domain, fields)
        for record in found.created:
            assert record["id"] not in copy
        for record in found.written:
            assert record["id"] in copy
        copy.update({record["id"]: record for record in found.records})
        for record_id in (*found.deleted, *found.left):
            del copy[record_id]
        cursor = found.cursor

    writers = [threading.Thread(target=work, args=(number,)) for number in (1, 2)]
    for writer in writers:
        writer.start()
    running.wait()
    rounds = 0
    while any(writer.is_alive() for writer in writers):
        follow()
        rounds += 1
    for writer in writers:
        writer.join()
    follow()
    assert not failures
    assert rounds
    there = search_read(admin, TAG, domain, fields, limit=1000).records
    assert copy == {record["id"]: record for record in there}
    assert len(copy) > 100
    assert not changes(admin, TAG, cursor, domain, fields)
    left = search_read(admin, TAG, [["name", "=", "has left"]], ["id"]).records
    unlink(admin, TAG, [*copy, *(record["id"] for record in left)])


def test_an_ordinary_user_hears_of_what_it_may_see(
    ordinary: Odoo, admin: Odoo, suffix: str
) -> None:
    cursor = changes(ordinary, PARTNER, domain=[["name", "like", suffix]]).cursor
    partner = create(admin, PARTNER, {"name": suffix}).id
    found = changes(ordinary, PARTNER, cursor, [["name", "like", suffix]])
    assert [record["id"] for record in found.created] == [partner]
    unlink(admin, PARTNER, [partner])


def test_every_record_is_in_a_small_mark(admin: Odoo) -> None:
    # What changed within the overlap is noted one by one, all of it where Odoo was just installed.
    cursor = changes(admin, "ir.model.fields", fields=["name"], overlap=1).cursor
    assert len(cursor) < 20_000
    assert not changes(admin, "ir.model.fields", cursor, fields=["name"])
