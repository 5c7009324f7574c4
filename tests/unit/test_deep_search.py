"""The deep search: what each level finds, in which order, in how many calls, and what it admits."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.deep_search import DeepSearchResult, SearchLogEntry, deep_search
from odoo_toolkit.deep_search.configurations import searched_models
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError, ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit.values import ReadOptions
from tests.unit.memory_odoo import MemoryOdoo, Row

VERSIONS = (14, 15, 16, 17, 18, 19)

#: Twenty and more contacts whose names contain "interior", and the one that is meant, last.
AZURE = 99


def tables() -> dict[str, list[Row]]:
    partners: list[Row] = [
        {"id": i, "name": f"Interior {i}", "complete_name": f"Interior {i}"} for i in range(1, 31)
    ]
    partners += [
        {
            "id": AZURE,
            "name": "Azure Interior",
            "complete_name": "Azure Interior",
            "is_company": True,
            "email": "azure@example.com",
            "phone": "+1 (555) 010-0199",
            "city": "Fremont",
            "comment": "<p class='lead'>Pays <b>promptly</b>, R&amp;D discount</p>",
        },
        {"id": 100, "name": "Brandon Freeman", "complete_name": "Brandon", "parent_id": AZURE},
        {"id": 101, "name": "Nicole Ford", "complete_name": "Nicole", "parent_id": AZURE},
        {"id": 102, "name": "Zoé Łącka", "complete_name": "Zoé Łącka", "phone": "912 345 678"},
    ]
    return {
        "res.partner": partners,
        "sale.order": [
            {"id": 1, "name": "S00001", "partner_id": 5, "state": "sale"},
            {"id": 2, "name": "S00002", "partner_id": 101, "note": "leave at the gate"},
            {"id": 3, "name": "S00003", "partner_id": AZURE, "state": "draft"},
        ],
        "product.product": [{"id": 7, "name": "100%_cotton", "default_code": "CO_1"}],
        "project.project": [{"id": 1, "name": "Renovation"}],
        "project.task": [{"id": 1, "name": "Paint", "project_id": 1}],
        "mail.message": [
            {
                "id": 9,
                "model": "project.task",
                "res_id": 1,
                "body": "<p class='swatch'>The colour is turquoise &amp; gold</p>",
                "message_type": "comment",
            },
            {
                "id": 8,
                "model": "project.task",
                "res_id": 1,
                "body": "turquoise",
                "message_type": "notification",
            },
        ],
        "res.currency": [{"id": 1, "name": "EUR"}],
    }


def odoo(**options: Any) -> MemoryOdoo:
    return MemoryOdoo(tables(), **options)


def names(found: DeepSearchResult, model: str = "res.partner") -> list[str]:
    return [record["name"] for record in found.results.get(model, [])]


def entry(found: DeepSearchResult, level: int, model: str = "res.partner") -> SearchLogEntry:
    (only,) = [e for e in found.search_log if (e.level, e.model) == (level, model)]
    return only


class TestLevels:
    @pytest.mark.parametrize("version", VERSIONS)
    def test_exact_name_ends_the_search_after_one_call(self, version: int) -> None:
        connection = odoo(version=version)
        found = deep_search(connection, "azure interior", "res.partner")

        assert names(found) == ["Azure Interior"]
        assert found.depth_reached == 1
        assert found.strategies_used == ["exact_match"]
        assert len(connection.calls) == 1

    @pytest.mark.parametrize("version", VERSIONS)
    def test_best_match_is_first_although_twenty_others_match(self, version: int) -> None:
        """In any order of words, and although Odoo has the others first."""
        connection = odoo(version=version)
        found = deep_search(connection, "interior azure", "res.partner")

        assert names(found)[0] == "Azure Interior"
        assert len(names(found)) == 20
        assert found.depth_reached == 2
        assert "20 or more match" in entry(found, 2).notes[-1]
        # Level 1, the words one by one, and as that was too much, all of them together.
        assert len(connection.calls) == 3

    def test_prefix_comes_before_the_middle(self) -> None:
        connection = odoo()
        connection.tables["res.partner"] = [
            {"id": 1, "name": "Big Oak", "complete_name": "Big Oak"},
            {"id": 2, "name": "Oakland", "complete_name": "Oakland"},
        ]
        assert names(deep_search(connection, "oak", "res.partner")) == ["Oakland", "Big Oak"]

    def test_prefix_is_looked_for_when_too_many_have_it_in_the_middle(self) -> None:
        connection = odoo()
        connection.tables["res.partner"] = [
            {"id": i, "name": f"Big Oak {i}", "complete_name": f"Big Oak {i}"} for i in range(1, 9)
        ] + [{"id": 9, "name": "Oakland", "complete_name": "Oakland"}]

        assert names(deep_search(connection, "oak", "res.partner", limit=3))[0] == "Oakland"

    def test_more_words_come_before_fewer(self) -> None:
        connection = odoo()
        connection.tables["res.partner"] = [
            {"id": i, "name": name, "complete_name": name}
            for i, name in enumerate(["Red Chair", "Red Door", "Red Oak Table", "Red Oak Door"], 1)
        ]
        found = deep_search(connection, "oak red door", "res.partner")

        assert names(found) == ["Red Oak Door", "Red Door", "Red Oak Table", "Red Chair"]

    def test_words_may_stand_in_different_fields(self) -> None:
        found = deep_search(odoo(), "freMONT azure example", "res.partner", exhaustive=True)

        assert entry(found, 3).results_found == 0
        assert names(found)[0] == "Azure Interior"

    def test_words_of_the_markup_are_not_found(self) -> None:
        """ "class" and "lead" stand in the comment's HTML, not in its text."""
        assert deep_search(odoo(), "class lead", "res.partner").results == {}

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("+1 555 010 0199", ["Azure Interior"]),
            ("0015550100199", ["Azure Interior"]),
            ("(555)0100-199", ["Azure Interior"]),
            ("010 0199", ["Azure Interior"]),
            ("+351 912 345 678", ["Zoé Łącka"]),
            ("00351.912.345.678", ["Zoé Łącka"]),
            ("912-345-679", []),
            ("5551010199", []),
        ],
    )
    def test_phone_number_whatever_its_punctuation(self, query: str, expected: list[str]) -> None:
        assert names(deep_search(odoo(), query, "res.partner")) == expected

    def test_orders_of_a_contact_and_of_its_relatives(self) -> None:
        """The contact's own first, then those of people of the company; none of others."""
        found = deep_search(odoo(), "Azure Interior", "sale.order", max_depth=4)

        assert names(found, "sale.order") == ["S00003", "S00002"]
        assert found.strategies_used[-1] == "related_models"
        assert any(f"['partner_id', 'child_of', {AZURE}]" in hint for hint in found.suggestions)

    def test_the_company_of_a_person_is_shown_and_searched_on(self) -> None:
        found = deep_search(odoo(), "Brandon Freeman", "res.partner")
        (person,) = found.results["res.partner"]
        assert person["parent_id"]["id"] == AZURE
        (hint,) = found.suggestions
        assert f"['partner_id', 'child_of', {AZURE}]" in hint
        assert "'Brandon Freeman' of " in hint

    def test_orders_of_the_company_of_a_person(self) -> None:
        """A person's company and colleagues count (REQ-08-10)."""
        found = deep_search(odoo(), "Brandon Freeman", "sale.order", max_depth=4)
        assert f"['partner_id', 'child_of', {AZURE}]" in found.suggestions[0]

        assert sorted(names(found, "sale.order")) == ["S00002", "S00003"]

    def test_contact_by_the_number_of_an_order(self) -> None:
        found = deep_search(odoo(), "S00002", "res.partner", max_depth=4)

        assert names(found) == ["Nicole Ford"]

    def test_task_by_its_project(self) -> None:
        found = deep_search(odoo(), "renovation", "project.task", max_depth=4)

        assert names(found, "project.task") == ["Paint"]

    def test_messages(self) -> None:
        found = deep_search(odoo(), "gold turquoise", "project.task", max_depth=5)

        assert names(found, "project.task") == ["Paint"]
        assert found.depth_reached == 5
        assert any("in messages" in hint for hint in found.suggestions)

    def test_markup_and_notifications_are_no_messages(self) -> None:
        connection = odoo()
        assert deep_search(connection, "swatch", "project.task", max_depth=5).total_results == 0
        connection.tables["mail.message"].pop(0)
        assert deep_search(connection, "turquoise", "project.task", max_depth=5).results == {}

    def test_exhaustive_goes_on_and_keeps_the_best_first(self) -> None:
        found = deep_search(
            odoo(), "Azure Interior", "res.partner", max_depth=5, limit=100, exhaustive=True
        )

        assert names(found)[0] == "Azure Interior"
        assert [e.level for e in found.search_log] == [1, 2, 3, 4, 5]
        assert [e.results_found for e in found.search_log][:3] == [1, 30, 0]
        assert len({record["id"] for record in found.results["res.partner"]}) == 31

    def test_weak_matches_do_not_push_out_those_of_deeper_levels(self) -> None:
        connection = odoo()
        connection.tables["res.partner"][-1] |= {"email": "interior@example.com", "city": "Lodz"}
        found = deep_search(
            connection, "Interior Lodz", "res.partner", limit=5, exhaustive=True, max_depth=3
        )

        assert names(found)[-1] == "Zoé Łącka"
        assert len(names(found)) == 5

    def test_accents_do_not_matter_where_the_server_has_unaccent(self) -> None:
        connection = odoo()
        connection.tables["res.partner"][-1]["name"] = "Zoé"
        assert names(deep_search(connection, "zoe", "res.partner")) == ["Zoé"]
        connection.server.unaccent = False
        assert names(deep_search(connection, "zoe", "res.partner")) == []

    def test_depth_is_three_with_a_model_and_five_without(self) -> None:
        assert deep_search(odoo(), "zzz", "res.partner").depth_reached == 3
        assert deep_search(odoo(), "zzz").depth_reached == 5
        assert deep_search(odoo(), "zzz", max_depth=2).depth_reached == 2


class TestBroad:
    def test_models_stop_one_by_one(self) -> None:
        found = deep_search(odoo(), "Azure Interior")

        assert names(found) == ["Azure Interior"]
        assert names(found, "sale.order") == ["S00003", "S00002"]
        assert [e.level for e in found.search_log if e.model == "res.partner"] == [1]
        assert [e.level for e in found.search_log if e.model == "sale.order"] == [1, 2, 3, 4]
        levels = [e.level for e in found.search_log]
        assert levels == sorted(levels)

    def test_contacts_are_looked_up_once_for_all_models(self) -> None:
        connection = odoo()
        deep_search(connection, "zzz")

        # Three levels of its own, and one look for level 4 of all the others.
        assert len(connection.asked("res.partner")) == 4

    def test_round_trips(self) -> None:
        """Found at once: one call per model that is there; nothing anywhere: few per level."""
        connection = odoo()
        deep_search(connection, "S00003", max_depth=1)
        assert len(connection.calls) == 6
        connection.calls.clear()
        deep_search(connection, "zzz")
        # Levels 1 to 3 in six models; contacts, orders, moves, leads and projects for level 4;
        # for level 5 the messages and their number in each.
        assert len(connection.calls) == 18 + 5 + 12

    def test_missing_model_is_told_and_the_others_are_searched(self) -> None:
        found = deep_search(odoo(), "Azure Interior")

        assert not entry(found, 1, "helpdesk.ticket").searched
        assert "not installed" in entry(found, 1, "helpdesk.ticket").notes[0]

    def test_blocked_model_is_told_and_never_asked(self) -> None:
        connection = odoo(policy=Policy(model_blocklist="res.partner,mail.message"))
        found = deep_search(connection, "Azure Interior")

        assert "res.partner" not in found.results
        assert "blocked" in entry(found, 1).notes[0]
        assert "sale.order" not in found.results
        assert "res.partner" in entry(found, 4, "sale.order").notes[0]
        assert "mail.message" in entry(found, 5, "sale.order").notes[0]
        assert not entry(found, 5, "sale.order").searched
        assert {call.model for call in connection.calls}.isdisjoint({"res.partner", "mail.message"})

    def test_model_without_access_is_told(self) -> None:
        connection = odoo()
        connection.refuse("crm.lead", "ACCESS_DENIED")
        found = deep_search(connection, "Azure Interior")

        assert "cannot read" in entry(found, 1, "crm.lead").notes[0]
        assert names(found) == ["Azure Interior"]

    def test_slow_messages_do_not_cost_the_other_results(self) -> None:
        connection = odoo()
        connection.refuse("mail.message", "TIMEOUT")
        found = deep_search(connection, "Azure Interior")

        assert names(found) == ["Azure Interior"]
        assert not entry(found, 5, "account.move").searched

    def test_contacts_that_time_out_are_not_asked_for_by_every_model(self) -> None:
        connection = odoo()
        connection.refuse("res.partner", "TIMEOUT")
        found = deep_search(connection, "zzz")

        assert "res.partner not searched" in entry(found, 4, "crm.lead").notes[0]
        # Its own three levels, and one look for all the others.
        assert len(connection.asked("res.partner")) == 4

    def test_lost_connection_is_an_error(self) -> None:
        connection = odoo()
        connection.refuse("sale.order", "CONNECTION_REFUSED")
        with pytest.raises(OdooError) as raised:
            deep_search(connection, "Azure Interior")
        assert raised.value.code == "CONNECTION_REFUSED"

    def test_fields_that_a_model_lacks_are_left_out(self) -> None:
        found = deep_search(odoo(), "Azure Interior", fields=["name", "amount_total"])

        assert set(found.results["res.partner"][0]) == {"id", "name"}
        assert set(found.results["sale.order"][0]) == {"id", "name", "amount_total"}

    def test_configurations_name_what_the_document_does(self) -> None:
        assert searched_models() == [
            "res.partner",
            "sale.order",
            "account.move",
            "crm.lead",
            "helpdesk.ticket",
            "product.product",
            "project.task",
        ]


class TestHonesty:
    @pytest.mark.parametrize(
        ("version", "level", "note"),
        [
            (14, 2, "complete_name (not available)"),
            (18, 2, "display_name (not stored)"),
            (19, 3, "mobile (not available)"),
        ],
    )
    def test_fields_that_were_not_searched(self, version: int, level: int, note: str) -> None:
        found = deep_search(odoo(version=version), "zzz", "res.partner")

        assert note in entry(found, level).notes[0]

    def test_fields_that_may_not_be_read(self) -> None:
        connection = odoo()
        connection.hide("res.partner", "email")
        found = deep_search(connection, "Azure Interior", "res.partner")

        assert names(found) == ["Azure Interior"]
        assert entry(found, 1).notes == ["fields that the user cannot read: email"]

    def test_nothing_found_says_what_to_try(self) -> None:
        hints = " ".join(deep_search(odoo(), "zzz", "res.partner").suggestions)

        assert "Nothing was found" in hints
        assert "max_depth=5" in hints
        assert "Omit model" in hints

    def test_weak_matches_say_how_to_go_on(self) -> None:
        found = deep_search(odoo(), "Interior decorators", "res.partner")

        assert any("only some of the words" in hint for hint in found.suggestions)

    def test_nothing_stored_by_field(self) -> None:
        """Blocked fields are neither searched nor returned, nor named among those searched."""
        connection = odoo(policy=Policy(field_blocklist="email"))
        found = deep_search(connection, "azure@example.com", "res.partner")

        assert found.results == {}
        assert "email (not available)" in entry(found, 3).notes[0]
        assert "email" not in str(connection.calls)

        found = deep_search(connection, "Azure Interior", "res.partner")
        assert "email" not in found.results["res.partner"][0]


class TestQueries:
    @pytest.mark.parametrize("query", ["", "   ", "\n\t", "\x00", "\ud800"])
    def test_empty_query_is_an_error(self, query: str) -> None:
        connection = odoo()
        with pytest.raises(ValidationError, match="empty"):
            deep_search(connection, query)
        assert connection.calls == []

    def test_long_query_is_an_error(self) -> None:
        with pytest.raises(ValidationError, match="10240 characters"):
            deep_search(odoo(), "x" * 10240)

    def test_query_must_be_text(self) -> None:
        with pytest.raises(ValidationError, match="must be a string"):
            deep_search(odoo(), 42)

    def test_many_words(self) -> None:
        found = deep_search(odoo(), " ".join(f"w{i}" for i in range(40)), "res.partner")

        assert "first 10 words" in found.warnings[0]

    @pytest.mark.parametrize("query", ["%", "_", "a%r", "Azure_Interior", "%%", "\\", "A\\%"])
    def test_wildcards_are_ordinary_characters(self, query: str) -> None:
        connection = odoo()
        assert deep_search(connection, query, "res.partner", max_depth=5).results == {}

    @pytest.mark.parametrize("query", ["100%_cotton", "0%_c", "CO_1", "%_"])
    def test_wildcards_are_found_as_such(self, query: str) -> None:
        assert names(deep_search(odoo(), query, "product.product"), "product.product") == [
            "100%_cotton"
        ]

    def test_one_letter_finds_what_begins_with_it(self) -> None:
        found = deep_search(odoo(), "a", "res.partner", max_depth=5)
        assert names(found) == ["Azure Interior"]

        found = deep_search(odoo(), "q", "res.partner", max_depth=5)
        assert [e.searched for e in found.search_log] == [True, True, False, False, False]
        assert "single letter" in entry(found, 3).notes[0]

    def test_one_character_can_be_a_word(self) -> None:
        connection = odoo()
        connection.tables["res.partner"][0] |= {"name": "小王", "complete_name": "小王"}
        assert names(deep_search(connection, "王", "res.partner")) == ["小王"]

    def test_control_characters_separate_words(self) -> None:
        assert names(deep_search(odoo(), "Azure\x00Interior", "res.partner")) == ["Azure Interior"]

    def test_brackets_and_quotes_around_words_are_not_searched(self) -> None:
        found = deep_search(odoo(), '[CO_1] "100%_cotton"', "product.product")
        assert names(found, "product.product") == ["100%_cotton"]


class TestArguments:
    def test_unknown_model(self) -> None:
        with pytest.raises(NotFoundError) as raised:
            deep_search(odoo(), "azure", "res.partnr")
        assert raised.value.code == "UNKNOWN_MODEL"

    def test_blocked_model(self) -> None:
        with pytest.raises(AccessError) as raised:
            deep_search(odoo(), "admin", "ir.config_parameter")
        assert raised.value.code == "MODEL_BLOCKED"

    def test_model_without_access(self) -> None:
        connection = odoo()
        connection.refuse("crm.lead", "ACCESS_DENIED")
        with pytest.raises(AccessError, match="may not read"):
            deep_search(connection, "azure", "crm.lead")

    def test_error_of_every_level_is_raised(self) -> None:
        connection = odoo()
        connection.refuse("crm.lead", "TIMEOUT")
        with pytest.raises(OdooError) as raised:
            deep_search(connection, "azure", "crm.lead")
        assert raised.value.code == "TIMEOUT"

    def test_unknown_field(self) -> None:
        with pytest.raises(ValidationError) as raised:
            deep_search(odoo(), "azure", "res.partner", fields=["nmae"])
        assert raised.value.code == "INVALID_FIELD"

    def test_blocked_field(self) -> None:
        for model in ("res.partner", None):
            with pytest.raises(AccessError) as raised:
                deep_search(odoo(), "azure", model, fields=["name", "signup_token"])
            assert raised.value.code == "FIELD_BLOCKED"

    @pytest.mark.parametrize(
        "wrong", [{"max_depth": 0}, {"max_depth": 6}, {"limit": 0}, {"fields": "name"}]
    )
    def test_wrong_arguments(self, wrong: dict[str, Any]) -> None:
        connection = odoo()
        with pytest.raises(ValidationError):
            deep_search(connection, "azure", "res.partner", **wrong)
        assert connection.calls == []

    def test_limit_above_the_maximum_is_lowered(self) -> None:
        found = deep_search(odoo(), "interior", "res.partner", limit=500)
        assert "reduced to 100" in found.warnings[0]
        assert len(names(found)) == 31

        found = deep_search(
            odoo(options=ReadOptions(max_limit=4)), "interior", "res.partner", limit=9
        )
        assert len(names(found)) == 4

    def test_model_without_configuration(self) -> None:
        connection = odoo()
        assert names(deep_search(connection, "eur", "res.currency"), "res.currency") == ["EUR"]
        assert connection.calls[0].method == "name_search"
        assert names(deep_search(connection, "eu", "res.currency"), "res.currency") == ["EUR"]

    def test_values_are_given_like_those_of_search_read(self) -> None:
        options = ReadOptions(normalize_many2one=False)
        for connection, partner in (
            (odoo(), {"id": AZURE, "name": "Azure Interior"}),
            (odoo(options=options), [AZURE, "Azure Interior"]),
        ):
            found = deep_search(connection, "azure interior", "sale.order", max_depth=4)
            assert found.results["sale.order"][0]["partner_id"] == partner
            assert names(found, "sale.order") == ["S00003", "S00002"]

    def test_all_fields(self) -> None:
        found = deep_search(odoo(), "Azure Interior", "res.partner", fields=["*"])
        assert found.results["res.partner"][0]["comment"].startswith("Pays promptly")
