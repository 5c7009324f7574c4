"""API keys of people, made from login and password, on every Odoo that runs."""

from __future__ import annotations

import dataclasses
import traceback
from datetime import UTC, datetime, timedelta

import attrs
import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import (
    AccessError,
    ConfigurationError,
    NotFoundError,
    Odoo,
    OdooConnectionError,
    OdooError,
    ValidationError,
)
from odoo_toolkit.call import Call
from odoo_toolkit.configuration import Secret
from odoo_toolkit.connection.settings import ConnectionSettings, connection_settings
from odoo_toolkit.connection.websession import WebSession
from odoo_toolkit.policy import Policy
from odoo_toolkit.users.user_keys import UserKey, check_key, make_key, remove_key
from tests.kit.user_keys import NAME, People, Person, people, with_second_factor
from tests.live.servers import User, can_log_in

__all__ = ["people"]


@pytest.fixture(scope="module")
def person(people: People) -> Person:
    """An internal user without further rights, whom no test changes."""
    return people.make()


@pytest.fixture(scope="module")
def made(person: Person) -> UserKey:
    """A key of that user, which no test removes."""
    return person.make()


def everything(error: BaseException) -> str:
    """Return all that an error holds: words, causes, and the values in the frames it came by."""
    shown = traceback.TracebackException.from_exception(error, capture_locals=True)
    library = [f for f in shown.stack if "odoo_toolkit" in f.filename]
    texts = [str(error), repr(vars(error)), repr(error.__cause__), repr(error.__context__)]
    return "\n".join([*texts, *(repr(frame.locals) for frame in library)])


@pytest.mark.every_version
def test_the_key_is_the_users_own_and_logs_in(person: Person, made: UserKey) -> None:
    assert (made.name, made.owner.uid, made.owner.login) == (NAME, person.uid, person.login)
    assert made.owner.name.startswith("Keys")
    assert made.owner.company
    assert made.owner.company["name"]
    assert "base.group_user" in made.owner.groups
    assert made.warning == ""
    with person.connect(made.key.reveal()) as odoo:
        assert odoo.uid == person.uid
        assert odoo.protocol == ("json2" if odoo.version.major >= 19 else "jsonrpc")
    with person.connect(made.key.reveal(), protocol="jsonrpc") as odoo:
        assert odoo.uid == person.uid


def test_neither_key_nor_password_shows_itself(person: Person, made: UserKey) -> None:
    assert made.key.reveal() not in f"{made!r} {made} {made.key}"
    assert person.password not in repr(attrs.asdict(made))


@pytest.mark.every_version
def test_its_end_is_the_latest_that_the_user_may_have(person: Person, made: UserKey) -> None:
    if int(person.server.version or 19) < 18:
        assert made.expires is None
    else:
        assert made.expires
        left = made.expires - datetime.now(UTC)
        assert timedelta(days=88) < left < timedelta(days=91)


@pytest.mark.every_version
def test_fewer_days_are_kept_to_and_more_are_lowered(person: Person) -> None:
    if int(person.server.version or 19) < 18:
        assert person.make(days=3).expires is None
        return
    now = datetime.now(UTC)
    for days, most in [(1, 1), (3, 3), (500, 90)]:
        expires = person.make(days=days).expires
        assert expires
        assert timedelta(days=most - 2) < expires - now < timedelta(days=most, minutes=5)


@pytest.mark.every_version
def test_a_user_with_settings_rights_has_a_key_without_an_end(people: People) -> None:
    person = people.make("group_system")

    assert person.make().expires is None
    limited = person.make(days=500).expires
    if int(person.server.version or 19) < 18:
        assert limited is None
    else:
        assert limited
        assert timedelta(days=499) < limited - datetime.now(UTC) < timedelta(days=501)


@pytest.mark.every_version
def test_a_key_tells_whose_it_is(person: Person, made: UserKey) -> None:
    assert person.check(f" {made.key.reveal()}\n") == made.owner


@pytest.mark.every_version
def test_a_key_proves_nothing_for_another_login(
    person: Person, made: UserKey, people: People
) -> None:
    key = made.key.reveal()

    with pytest.raises(AccessError) as caught:
        people.make().check(key)
    assert caught.value.details["reason"] == "credentials"
    with pytest.raises(AccessError) as unknown:
        attrs.evolve(person, login=f"{person.login}-nobody").check(key)
    assert unknown.value.to_dict() == caught.value.to_dict()


@pytest.mark.every_version
def test_a_password_is_no_key(person: Person) -> None:
    # Odoo to 18 would let it pass for one.
    with pytest.raises(ValidationError, match="40 characters") as caught:
        person.check(person.password)
    assert person.password not in everything(caught.value)


@pytest.mark.every_version
def test_a_removed_key_is_gone(person: Person, made: UserKey) -> None:
    removed = person.make()

    person.remove(removed.key_id)

    with pytest.raises(AccessError):
        person.check(removed.key.reveal())
    assert person.check(made.key.reveal()) == made.owner
    with pytest.raises(NotFoundError):
        person.remove(removed.key_id)


@pytest.mark.every_version
def test_nobody_removes_the_key_of_another(person: Person, made: UserKey, people: People) -> None:
    with pytest.raises(NotFoundError):
        people.make().remove(made.key_id)
    assert person.check(made.key.reveal()) == made.owner


@pytest.mark.every_version
def test_without_the_password_it_is_told_where_keys_are_removed(person: Person) -> None:
    with pytest.raises(AccessError) as caught:
        person.remove(1, password=None)
    assert "Account Security" in caught.value.suggestion


@pytest.mark.every_version
def test_refused_logins_are_all_alike_and_an_archived_users_key_is_refused(
    person: Person, people: People
) -> None:
    archived = people.make()
    key = archived.make().key.reveal()
    people.archive(archived.uid)
    told = []
    # Odoo takes no login for a while after five that failed in a row; each of these is two.
    for who, password in [
        (person, "not the password"),
        (archived, archived.password),
        (attrs.evolve(person, login=f"{person.login}-nobody"), person.password),
    ]:
        with pytest.raises(AccessError) as caught:
            who.make(password)
        error = caught.value
        assert error.details == {"reason": "credentials", "login": who.login}
        assert password not in everything(error)
        told.append((error.message, error.suggestion))
        assert can_log_in(person.server, User(person.login, person.password))
    assert len(set(told)) == 1
    assert "Odoo does not accept this login and password." in told[0][0]

    with pytest.raises(AccessError) as caught:
        archived.check(key)
    assert caught.value.details["reason"] == "credentials"


@pytest.mark.every_version
def test_a_portal_user_may_have_no_keys_and_leaves_no_password(people: People) -> None:
    person = people.make("group_portal")

    with pytest.raises(AccessError) as caught:
        person.make()
    assert caught.value.details["reason"] == "no_keys"
    assert person.password not in everything(caught.value)
    # To 18, Odoo keeps what is typed at its question until that is answered.
    settings = connection_settings(
        url=person.server.url,
        database=person.server.db,
        username=person.login,
        password=person.password,
    )
    with Odoo(settings, policy=Policy(protect=False)) as odoo:
        call = Call(model="res.users.identitycheck", method="search_read", internal=True)
        rows = odoo.call(call)
    assert rows
    assert not any(row["password"] for row in rows)


@pytest.mark.every_version
def test_a_second_factor_is_asked_for_and_the_apps_code_completes_the_login(
    people: People,
) -> None:
    person = people.make()
    app = with_second_factor(person)

    with pytest.raises(AccessError) as caught:
        person.make()
    assert caught.value.details["reason"] == "second_factor"
    assert "Account Security" in caught.value.suggestion

    made = person.make(second_factor=f" {app.code()[:3]} {app.code()[3:]} ")
    assert person.check(made.key.reveal()) == made.owner
    person.remove(made.key_id, second_factor=app.code(30))
    with pytest.raises(AccessError):
        person.check(made.key.reveal())


@pytest.mark.every_version
def test_a_login_without_the_wanted_code_leaves_no_half_login(people: People) -> None:
    person = people.make()
    app = with_second_factor(person)
    settings = connection_settings(
        url=person.server.url, username=person.login, password=person.password
    )
    web = WebSession(settings, person.server.db)
    with pytest.raises(AccessError, match="second factor"):
        web.log_in(before_login=lambda: None)
    token = web._http.cookie("session_id")
    web.close()
    # As whoever finds the session's number would go on, with a code.
    left = WebSession(settings, person.server.db)
    left.resume(0, Secret(token or ""))
    with pytest.raises(OdooError):
        left._complete(Secret(app.code()))
    left.close()


@pytest.mark.every_version
def test_a_wrong_code_is_told_apart_from_a_wrong_password(people: People) -> None:
    person = people.make()
    app = with_second_factor(person)
    wrong = f"{(int(app.code()) + 1) % 10**6:06}"

    for code in [wrong, "no code"]:
        with pytest.raises(AccessError) as caught:
            person.make(second_factor=code)
        assert caught.value.details["reason"] == "code"
        assert "Account Security" in caught.value.suggestion
        assert person.password not in everything(caught.value)
    with pytest.raises(AccessError) as caught:
        person.make("not the password", second_factor=wrong)
    assert caught.value.details["reason"] == "credentials"


@pytest.mark.every_version
def test_a_code_that_nobody_asks_for_does_no_harm(person: Person) -> None:
    assert person.make(second_factor="123456").owner.uid == person.uid


@pytest.mark.every_version
def test_an_unknown_database_is_told(person: Person) -> None:
    lost = attrs.evolve(person, server=dataclasses.replace(person.server, db="nothing-here"))

    with pytest.raises(ConfigurationError) as caught:
        lost.make()
    assert person.password not in everything(caught.value)
    with pytest.raises(ConfigurationError):
        lost.check("0" * 40)


def test_an_odoo_that_is_down_is_told(person: Person) -> None:
    settings = connection_settings(url="http://127.0.0.1:9", api_key="x", reconnect_attempts=0)

    for call in (
        lambda: make_key(settings, "db", person.login, person.password, NAME),
        lambda: check_key(settings, "db", person.login, "0" * 40),
        lambda: remove_key(settings, "db", person.login, person.password, 1),
    ):
        with pytest.raises(OdooConnectionError) as caught:
            call()
        assert caught.value.code == "CONNECTION_REFUSED"
        assert person.password not in everything(caught.value)


@pytest.mark.every_version
def test_a_login_that_would_change_the_address_in_odoos_links_is_not_made(
    people: People,
) -> None:
    person = people.make("group_system")
    elsewhere = person.server.url.replace("127.0.0.1", "localhost")
    if elsewhere == person.server.url:
        pytest.skip("only for servers that have a second name")

    with pytest.raises(ConfigurationError) as caught:
        make_key(elsewhere, person.server.db, person.login, person.password, NAME)
    assert caught.value.details["reason"] == "address"
    assert "web.base.url.freeze" in caught.value.message
    named = [["key", "=", "web.base.url"]]
    found = toolkit.search_read(people.free, "ir.config_parameter", named, fields=["value"])
    (row,) = found.records
    assert row["value"] != elsewhere


def test_settings_say_where_odoo_is_and_not_who_logs_in(person: Person) -> None:
    operators: ConnectionSettings = connection_settings(
        url=person.server.url,
        username="another",
        api_key="0" * 40,
        protocol="xmlrpc",
        company_id=4711,
        timeout=20,
    )

    made = make_key(operators, person.server.db, person.login, person.password, NAME)
    assert made.owner.uid == person.uid
    assert check_key(operators, None, person.login, made.key.reveal()) == made.owner


def test_nothing_of_the_environment_is_used(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ODOO_API_KEY", "0" * 40)
    monkeypatch.setenv("ODOO_DB", "nothing-here")

    assert (
        make_key(person.server.url, None, person.login, person.password, NAME).owner.login
        == person.login
    )


@pytest.mark.parametrize(("name", "days"), [("", None), (" ", None), (NAME, 0), (NAME, -1)])
def test_a_bad_wish_is_refused_before_anything_is_sent(name: str, days: int | None) -> None:
    with pytest.raises(ValidationError):
        make_key("http://odoo.invalid", "db", "ann", "secret", name, days=days)


def test_a_failure_nobody_expects_is_still_an_error_of_odoo(person: Person) -> None:
    with pytest.raises(OdooError):
        make_key("not an address", person.server.db, person.login, person.password, NAME)
