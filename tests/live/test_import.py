"""Imports into a real Odoo: what is made, changed, left alone and refused, and no e-mail sent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import (
    AccessError,
    Odoo,
    Policy,
    count,
    create,
    create_many,
    export,
    read,
    read_csv,
    search_read,
    unlink,
    upsert,
    write_many,
)
from odoo_toolkit.records import record_refs
from odoo_toolkit.records.importing import ImportResult
from tests.kit.live_tapes import Open
from tests.live.messy import COLUMNS, VALUES, as_csv, mended, messy

EVERY = {"active_test": False}


def counts(result: ImportResult) -> tuple[int, int, int, int]:
    return (result.created, result.updated, result.unchanged, len(result.failed))


def ids_of(result: ImportResult) -> list[int]:
    return [record_id for record_id in result.ids if record_id is not None]


def found(odoo: Odoo, model: str, domain: list[Any], fields: list[str]) -> list[dict[str, Any]]:
    return search_read(odoo, model, domain, fields, limit=500, order="id", context=EVERY).records


@pytest.fixture
def made(admin: Odoo, suffix: str) -> Iterator[str]:
    """A word for names; all contacts, leads, orders and products that have it go in the end."""
    yield suffix
    for model, field in (
        ("sale.order", "client_order_ref"),
        ("crm.lead", "name"),
        ("product.template", "name"),
        ("product.category", "name"),
        ("crm.tag", "name"),
        ("res.partner", "name"),
        ("res.partner.category", "name"),
    ):
        rows = found(admin, model, [[field, "ilike", suffix]], ["id"])
        if rows:
            unlink(admin, model, [row["id"] for row in rows])


def contacts(word: str, number: int = 12) -> list[dict[str, Any]]:
    return [
        {
            "name": f"{word} {n}",
            "email": f"{word}_{n}@example.com",
            "ref": f"{word}-{n}",
            "country_id/code": "BE" if n % 2 else "FR",
            "is_company": "yes",
            "type": "invoice" if n % 3 else "Contact",
            "partner_latitude": 50.123456789,
            "comment": "plain",
            "street": None,
        }
        for n in range(number)
    ]


def test_contacts_by_email_twice(odoo: Odoo, admin: Odoo, made: str) -> None:
    rows = contacts(made)
    rows[3]["type"] = "other"
    first = upsert(odoo, "res.partner", rows, key="email", batch=5)
    before = found(admin, "res.partner", [["name", "ilike", made]], ["name", "write_date"])
    again = upsert(odoo, "res.partner", rows, key="email")
    shouted = [{**row, "email": row["email"].upper().replace("EXAMPLE", "eXample")} for row in rows]
    either = upsert(odoo, "res.partner", shouted, key="email", case_sensitive=False)

    assert counts(first) == (12, 0, 0, 0)
    assert counts(again) == counts(either) == (0, 0, 12, 0)
    assert first.ids == again.ids == either.ids == [row["id"] for row in before]
    assert found(admin, "res.partner", [["name", "ilike", made]], ["name", "write_date"]) == before
    row = read(odoo, "res.partner", ids_of(first)[:1], ["country_id", "type", "email"]).records[0]
    assert (row["type"], row["email"]) == ("contact", f"{made}_0@example.com")
    assert row["country_id"]["name"] == "France"


def test_changes_the_same_and_different_and_archived_ones(odoo: Odoo, made: str) -> None:
    rows = contacts(made)
    first = upsert(odoo, "res.partner", rows, key="ref")
    archived = [first.ids[2], first.ids[9]]
    assert write_many(odoo, "res.partner", [{"id": i, "active": False} for i in archived]).ok
    rows = [
        {"ref": row["ref"], "city": "Gent" if n < 6 else f"City {n}"} for n, row in enumerate(rows)
    ]
    second = upsert(odoo, "res.partner", rows, key="ref")
    third = upsert(odoo, "res.partner", rows, key="ref")

    assert counts(second) == (0, 12, 0, 0)
    assert counts(third) == (0, 0, 12, 0)
    now = found(odoo, "res.partner", [["id", "in", first.ids]], ["city", "active"])
    assert [row["city"] for row in now] == [row["city"] for row in rows]
    assert [row["active"] for row in now] == [n not in (2, 9) for n in range(12)]


def test_external_ids_make_and_find(odoo: Odoo, admin: Odoo, made: str) -> None:
    tag = create(admin, "res.partner.category", {"name": f"Tag, {made}"})
    rows = [
        {
            "id": f"__import__.{made}_{n}",
            "name": f" {made}  {n} ",
            "country_id/id": "base.be" if n else "",
            "category_id": [tag.id] if n else [],
            "is_company": n == 1,
            "color": n,
            "type": "other",
            "partner_latitude": 1.5,
        }
        for n in range(3)
    ]
    first = upsert(odoo, "res.partner", rows, key="id")
    again = upsert(odoo, "res.partner", rows, key="id")
    rows[1]["color"] = 7
    third = upsert(odoo, "res.partner", rows, key="id")

    assert counts(first) == (3, 0, 0, 0)
    assert counts(again) == (0, 0, 3, 0)
    assert counts(third) == (0, 1, 2, 0)
    assert first.ids == again.ids
    fields = ["name", "category_id", "is_company", "color", "country_id", "partner_latitude"]
    now = read(odoo, "res.partner", ids_of(first), fields).records
    assert [row["name"] for row in now] == [row["name"] for row in rows]
    assert [row["category_id"] for row in now] == [[], [tag.id], [tag.id]]
    assert [row["is_company"] for row in now] == [False, True, False]
    assert [row["color"] for row in now] == [0, 7, 2]
    assert now[0]["country_id"] is None
    assert now[1]["country_id"]["name"] == "Belgium"
    assert [row["partner_latitude"] for row in now] == [1.5] * 3


def test_an_external_id_of_another_model_is_left_alone(admin: Odoo, made: str) -> None:
    rows = [{"id": "base.be", "name": f"{made} thief"}]
    result = upsert(admin, "res.partner", rows, key="id")
    assert "belongs to a record of another model" in result.failed[0].reason
    names = [["module", "=", "base"], ["name", "=", "be"]]
    assert found(admin, "ir.model.data", names, ["model"])[0]["model"] == "res.country"
    assert count(admin, "res.partner", [["name", "ilike", made]]).count == 0


COMPANIES: dict[str, dict[str, Any]] = {
    "bare": {},
    "with a number": {"vat": "BE0477472701", "street": "Its street", "lang": "en_US"},
}
CONTACTS: dict[str, dict[str, Any]] = {
    "number": {"vat": "BE0477472701"},
    "address": {"street": "Own street", "city": "Own city", "vat": "BE0428759497"},
    "delivery": {"type": "delivery", "zip": "1000", "vat": "BE0477472701", "ref": "x"},
    "company": {"is_company": True, "vat": "BE0428759497", "street": "Own street"},
    "plain": {"function": "f", "user_id": 2},
}


@pytest.mark.every_version
@pytest.mark.parametrize("company", COMPANIES)
def test_contacts_of_a_company_are_as_if_created(admin: Odoo, made: str, company: str) -> None:
    """Of each kind the first of its company, and a later one; the addresses from Odoo 19 on."""
    fields = ["name", "vat", "type", "lang", "user_id", "function", "ref", "is_company"]
    if admin.version.major >= 19:
        fields += ["street", "city", "zip"]

    def stored(contacts: list[dict[str, Any]], way: str) -> list[dict[str, Any]]:
        values = {"is_company": True, **COMPANIES[company]}
        parents = [create(admin, "res.partner", {"name": made, **values}).id for _ in contacts]
        rows = [
            {"name": f"{made} {place}", "parent_id": parent, **contact}
            for parent, contact in zip(parents, contacts, strict=True)
            for place in ("first", "later")
        ]
        ids = [create(admin, "res.partner", row).id for row in rows if way == "create"]
        for start in range(0, len(rows) if way == "load" else 0, 2):
            named = [
                {**row, "id": f"__import__.{made}{start}{n}"}
                for n, row in enumerate(rows[start : start + 2])
            ]
            result = upsert(admin, "res.partner", named, key="id")
            assert result.statuses == ["created"] * 2
            # What a contact shares with its company is told, not written to both.
            assert bool(result.warnings) is bool(result.differences)
            assert all(
                text.startswith("Odoo stored other values than you passed: ")
                for text in result.warnings
            )
            ids += ids_of(result)
        found = {row["id"]: row for row in read(admin, "res.partner", [*parents, *ids], fields)}
        return [{name: found[n][name] for name in fields} for n in (*parents, *ids)]

    contacts = list(CONTACTS.values())
    assert stored(contacts, "load") == stored(contacts, "create")


def test_a_contact_whose_company_is_not_there_is_not_made(admin: Odoo, made: str) -> None:
    company = create(admin, "res.partner", {"name": made, "is_company": True}).id
    rows: list[dict[str, Any]] = [
        {"id": f"__import__.{made}{n}", "name": f"{made} {n}", "parent_id": {"id": parent}}
        for n, parent in enumerate([company, 99_999_999, company])
    ]
    plan = upsert(admin, "res.partner", rows, key="id", dry_run=True)
    result = upsert(admin, "res.partner", rows, key="id")
    assert plan.statuses == result.statuses == ["created", "failed", "created"]
    (failed,) = result.failed
    assert failed.reason == "There is no res.partner with the id 99999999."
    assert count(admin, "res.partner", [["name", "=", f"{made} 1"]]).count == 0
    rows[1]["parent_id"] = {"id": company}
    again = upsert(admin, "res.partner", rows, key="id")
    assert again.ok
    parents = read(admin, "res.partner", ids_of(again), ["parent_id"]).records
    assert [row["parent_id"]["id"] for row in parents] == [company] * 3


def test_leads_with_tags_and_a_salesperson_send_nothing(
    opened: Open, admin: Odoo, made: str
) -> None:
    tags = [create(admin, "crm.tag", {"name": f"{made} {n}"}).id for n in "ab"]
    (demo,) = found(admin, "res.users", [["id", "=", opened("demo").uid]], ["login"])
    mails = [row["id"] for row in found(admin, "mail.mail", [], ["id"])]
    rows = [
        {
            "name": f"Lead {made} {n}",
            "user_id/login": demo["login"],
            "tag_ids": f"{made} a,{made} b" if n % 2 else f"{made} a",
            "expected_revenue": 10.555 + n,
            "priority": "High" if n == 1 else "0",
            "date_deadline": "2027-01-31",
        }
        for n in range(7)
    ]
    result = upsert(admin, "crm.lead", rows, key="name")
    again = upsert(admin, "crm.lead", rows, key="name")
    changed = [{"name": row["name"], "user_id": "", "expected_revenue": 1.0} for row in rows[:3]]
    back = [{"name": row["name"], "user_id": demo["id"], "city": row["name"]} for row in rows[:3]]
    third = upsert(admin, "crm.lead", changed, key="name")
    fourth = upsert(admin, "crm.lead", back, key="name")

    assert counts(result) == (7, 0, 0, 0)
    assert counts(again)[::3] == (0, 0)
    assert counts(third) == counts(fourth) == (0, 3, 0, 0)
    now = read(admin, "crm.lead", ids_of(result), ["user_id", "tag_ids", "priority"]).records
    assert {row["user_id"]["id"] for row in now} == {demo["id"]}
    assert [sorted(row["tag_ids"]) for row in now[:2]] == [tags[:1], tags]
    assert [row["priority"] for row in now[:3]] == ["0", "2", "0"]
    assert [row["id"] for row in found(admin, "mail.mail", [], ["id"])] == mails
    logged = [["model", "=", "crm.lead"], ["res_id", "in", result.ids]]
    assert count(admin, "mail.message", logged).count == 0


def test_products_with_categories(admin: Odoo, made: str) -> None:
    top = create(admin, "product.category", {"name": f"Top {made}"}).id
    other = create(admin, "product.category", {"name": f"Other {made}"}).id
    under = [
        create(admin, "product.category", {"name": f"Sub {made}", "parent_id": parent}).id
        for parent in (top, other)
    ]
    rows = [
        {"default_code": f"{made}{n}", "name": f"{made} {n}", "categ_id": name, "list_price": 1.239}
        for n, name in enumerate([f"Top {made}", f"Top {made} / Sub {made}", f"Sub {made}", "No"])
    ]
    result = upsert(admin, "product.template", rows, key="default_code")
    again = upsert(admin, "product.template", rows, key="default_code")

    assert result.statuses == ["created", "created", "failed", "failed"]
    assert again.statuses == ["unchanged", "unchanged", "failed", "failed"]
    now = read(admin, "product.template", ids_of(result), ["categ_id"]).records
    assert [row["categ_id"]["id"] for row in now] == [top, under[0]]
    assert {match["id"] for match in result.failed[0].candidates} == set(under)
    assert "Pass the id of one" in result.failed[0].reason


def test_bad_rows_in_the_middle(odoo: Odoo, admin: Odoo, made: str, tmp_path: Path) -> None:
    """Odoo refuses a contact without a name, and a parent that there is not."""
    rows = contacts(made, 40)
    rows[12]["name"] = ""
    rows[30]["parent_id"] = 99999999
    result = upsert(odoo, "res.partner", rows, key="ref")
    assert counts(result) == (38, 0, 0, 2)
    assert [row.row for row in result.failed] == [13, 31]
    assert count(admin, "res.partner", [["ref", "like", made]]).count == 38

    path = tmp_path / "failed.csv"
    result.write_failed(path)
    text = path.read_text(encoding="utf-8")
    assert "import_error" in text
    text = text.replace('"{""id"": 99999999}"', "").replace("\n,", f"\n{made} 12,")
    path.write_text(text, encoding="utf-8")
    assert counts(upsert(odoo, "res.partner", path, key="ref")) == (2, 0, 0, 0)
    assert counts(upsert(odoo, "res.partner", path, key="ref")) == (0, 0, 2, 0)


def test_ambiguous_keys_and_names_change_nothing(admin: Odoo, made: str) -> None:
    same = [create(admin, "res.partner", {"name": f"Twin {made}"}).id for _ in "ab"]
    before = read(admin, "res.partner", same, ["name", "city", "write_date"]).records
    result = upsert(admin, "res.partner", [{"name": f"Twin {made}", "city": "X"}], key="name")
    child = [{"ref": made, "name": f"Child {made}", "parent_id": f"Twin {made}"}]
    second = upsert(admin, "res.partner", child, key="ref")

    assert [match["id"] for match in result.failed[0].candidates] == same
    assert [match["id"] for match in second.failed[0].candidates] == same
    assert read(admin, "res.partner", same, ["name", "city", "write_date"]).records == before
    assert count(admin, "res.partner", [["name", "=", f"Child {made}"]]).count == 0


def test_many_different_changes_are_written_as_they_are_given(admin: Odoo, made: str) -> None:
    """Moments in UTC whatever the user's time zone, texts with their blanks, ids as ids."""
    customers = create_many(admin, "res.partner", [{"name": f"{made} {n}"} for n in range(4)]).ids
    orders = [{"client_order_ref": f"{made} {n}", "partner_id": customers[0]} for n in range(6)]
    ids = ids_of(create_many(admin, "sale.order", orders))
    rows: list[dict[str, Any]] = [
        {
            "id": order,
            "date_order": f"2026-0{n + 1}-15T23:30:00Z",
            "validity_date": f"2027-0{n + 1}-01",
            "client_order_ref": f" {made}, \"{n}\"; 'x' ",
            "origin": "" if n == 5 else f"1{n}",
        }
        for n, order in enumerate(ids)
    ]
    result = write_many(admin, "sale.order", [*rows, {"id": 99999999, "origin": "x"}])
    assert counts(result) == (0, 6, 0, 1)
    fields = ["date_order", "validity_date", "client_order_ref", "origin"]
    assert read(admin, "sale.order", ids, fields).records == rows
    assert counts(write_many(admin, "sale.order", rows)) == (0, 0, 6, 0)


def test_all_or_nothing_of_different_values(admin: Odoo, made: str) -> None:
    """One of them archived; where Odoo refuses one, none is written, and its row says why."""
    ids = create_many(admin, "res.partner", [{"name": f"{made} {n}"} for n in range(4)]).ids
    write_many(admin, "res.partner", [{"id": ids[2], "active": False}])
    first, second, archived, parent = map(int, filter(None, ids))
    rows: list[dict[str, Any]] = [
        {".id": first, "ref": "one", "comment": "", "parent_id": {"id": parent}},
        {".id": second, "ref": "two", "comment": "", "parent_id": None},
        {".id": archived, "ref": "three", "comment": "", "parent_id": None},
    ]
    circle = {".id": parent, "ref": "four", "comment": "", "parent_id": {"id": parent}}
    fields = ["ref", "parent_id"]
    before = read(admin, "res.partner", [first, second, archived, parent], fields).records
    refused = write_many(admin, "res.partner", [*rows, circle], all_or_nothing=True)
    assert (refused.ok, refused.updated) == (False, 0)
    assert "Nothing was written" in str(refused.interrupted)
    after = read(admin, "res.partner", [first, second, archived, parent], fields).records
    assert after == before
    written = write_many(admin, "res.partner", rows, all_or_nothing=True)
    assert (written.ok, written.updated) == (True, 3), written.interrupted
    now = read(admin, "res.partner", [first, second, archived], fields).records
    assert [row["ref"] for row in now] == ["one", "two", "three"]
    assert now[0]["parent_id"]["id"] == parent


def test_a_dry_run_leaves_the_database_as_it_was(admin: Odoo, made: str) -> None:
    upsert(admin, "res.partner", contacts(made, 3), key="ref")
    before = found(admin, "res.partner", [["name", "ilike", made]], ["name", "city", "write_date"])
    rows = [{**row, "city": "Gent"} for row in contacts(made, 6)]
    rows[5]["country_id/code"] = "XX"
    result = upsert(admin, "res.partner", rows, key="ref", dry_run=True)

    assert counts(result) == (2, 3, 0, 1)
    assert result.ways == {"create": 2, "write": 3}
    after = found(admin, "res.partner", [["name", "ilike", made]], ["name", "city", "write_date"])
    assert after == before


def test_without_the_right_nothing_is_made(ordinary: Odoo, admin: Odoo, made: str) -> None:
    rows = [{"name": f"{made} {n}"} for n in range(30)]
    result = create_many(ordinary, "res.partner.category", rows)
    assert counts(result) == (0, 0, 0, 30)
    assert count(admin, "res.partner.category", [["name", "ilike", made]]).count == 0


@pytest.mark.parametrize(
    "policy",
    [
        Policy(field_blocklist="email"),
        Policy(model_blocklist="res.country"),
        Policy(mode="readonly"),
        Policy(mode="restricted", write_allowlist="crm.lead"),
    ],
)
def test_a_policy_holds_in_imports(opened: Open, admin: Odoo, made: str, policy: Policy) -> None:
    ids = ids_of(upsert(admin, "res.partner", contacts(made, 3), key="ref"))
    before = read(admin, "res.partner", ids, ["email", "city", "write_date"])
    odoo = opened("admin", policy=policy)
    rows = [
        {"email": f"{made}_{n}@example.com", "country_id": "Belgium", "city": "Mine"}
        for n in range(3)
    ]
    with pytest.raises(AccessError):
        upsert(odoo, "res.partner", rows, key="email", notify=True)
    if policy.mode == "full":
        with pytest.raises(AccessError):
            upsert(odoo, "res.partner", rows, key="email", dry_run=True)
    else:  # a plan says what it takes
        plan = upsert(odoo, "res.partner", rows, key="email", dry_run=True)
        assert (plan.updated, policy.mode in str(plan.needs)) == (3, True)
    after = read(admin, "res.partner", ids, ["email", "city", "write_date"])
    assert after == before


def test_a_messy_file_of_2000_customers_is_repaired_in_one_round(
    admin: Odoo, made: str, tmp_path: Path
) -> None:
    """One dry run names every error that was planted; mended from the report alone, all goes in."""
    known = [f"{made} old", f"{made} loyal"]
    create(admin, "res.partner.category", [{"name": name} for name in known])
    tags = [known[0], known[1].upper(), f"{made} new", f"{made} NEW", f"{made} other"]
    file = messy(made, 2000, tags)
    path, failed = tmp_path / "customers.csv", tmp_path / "failed.csv"
    path.write_text(file.as_csv(), encoding="cp1252")
    asked: dict[str, Any] = {
        "key": "ref",
        "columns": COLUMNS,
        "values": VALUES,
        "constants": {"lang": "en_US"},
        "create_missing": ["res.partner.category"],
    }
    rows = read_csv(path, encoding="cp1252")
    dry = upsert(admin, "res.partner", rows, dry_run=True, **asked)

    told = {(row.row, error.column) for row in dry.failed for error in row.errors}
    assert told == file.planted
    bad = {row for row, _ in file.planted}
    assert counts(dry) == (2000 - len(bad), 0, 0, len(bad))
    assert sorted(dry.related["res.partner.category"], key=str.lower)[1:] == [f"{made} other"]
    assert count(admin, "res.partner", [["name", "ilike", made]]).count == 0
    assert len(dry.problems) < len(file.planted) / 2

    # What is right goes in at once, and what is wrong into a file, which is mended and goes in.
    first = upsert(admin, "res.partner", rows, **asked)
    assert counts(first) == counts(dry)
    assert first.write_failed(failed) == len(bad)
    repaired = mended(failed.read_text(encoding="cp1252"), made)
    failed.write_text(as_csv(repaired), encoding="cp1252")
    second = upsert(admin, "res.partner", read_csv(failed, encoding="cp1252"), **asked)
    assert counts(second) == (file.customers - first.created, 0, 0, 0)
    mine = [["ref", "like", made]]
    assert count(admin, "res.partner", mine).count == file.customers
    assert count(admin, "res.partner.category", [["name", "ilike", made]]).count == 4
    again = upsert(admin, "res.partner", read_csv(failed, encoding="cp1252"), **asked)
    assert counts(again) == (0, 0, len(repaired), 0)
    one = search_read(admin, "res.partner", [*mine, ["partner_latitude", "=", 1234.0]], ["lang"])
    assert one.records
    assert {row["lang"] for row in one.records} == {"en_US"}


def test_relations_in_any_case_and_what_may_have_been_meant(odoo: Odoo, made: str) -> None:
    rows = [
        {"ref": f"{made}{n}", "name": made, "country_id": name}
        for n, name in enumerate(("BELGIUM", "frAnce", "Belgiumm", "Nowhere at all"))
    ]
    result = upsert(odoo, "res.partner", rows, key="ref", dry_run=True)
    assert result.statuses == ["created", "created", "failed", "failed"]
    assert [found["name"] for found in result.failed[0].candidates] == ["Belgium"]
    assert result.failed[1].candidates == []


def test_an_export_into_another_database_means_no_records_by_its_numbers(
    admin: Odoo, made: str, tmp_path: Path
) -> None:
    """The same server under another name is another database, as far as anybody can tell."""
    parent = create(admin, "res.partner", {"name": f"{made} parent"}).id
    child = create(admin, "res.partner", {"name": f"{made} child", "parent_id": parent}).id
    path = tmp_path / "a.csv"
    domain = [["id", "in", [parent, child]]]
    export(admin, "res.partner", domain, ["name", "parent_id", "country_id"], path)
    text = path.read_text("utf-8")
    mark = record_refs.mark_of(admin)
    path.write_text(text.replace(mark, "__elsewhere_0123abcd__"), "utf-8")

    assert upsert(admin, "res.partner", _rows(text, tmp_path), key="id").unchanged == 2
    first = upsert(admin, "res.partner", path, key="id")
    second = upsert(admin, "res.partner", path, key="id")
    assert first.statuses == ["created", "failed"]
    assert second.statuses == ["unchanged", "created"]
    new = ids_of(second)
    assert not {parent, child} & set(new)
    now = read(admin, "res.partner", new, ["parent_id"]).records
    assert now[1]["parent_id"]["id"] == new[0]
    assert upsert(admin, "res.partner", path, key="id").unchanged == 2


def _rows(text: str, folder: Path) -> Path:
    path = folder / "b.csv"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.every_version
def test_what_odoo_stores_otherwise_is_told_where_it_is_asked(admin: Odoo, made: str) -> None:
    rows = [
        {"default_code": f"{made}{n}", "name": f"{made} {n}", "list_price": price}
        for n, price in enumerate((1.239, 2.5))
    ]
    result = upsert(admin, "product.template", rows, key="default_code")
    # Odoo 19 keeps more decimals of prices than it shows.
    now = read(admin, "product.template", ids_of(result), ["list_price"]).records
    rounded = now[0]["list_price"] != 1.239
    assert rounded == (admin.version.major < 19)
    told = [(one.field, one.became, one.ids) for one in result.differences]
    assert told == ([("list_price", "rounded", result.ids[:1])] if rounded else [])
    assert any("list_price" in warning for warning in result.warnings) == rounded
