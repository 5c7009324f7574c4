"""What people have granted to clients: accounts, grants, and the tokens that stand for them.

An account is one Odoo user of one instance, with the API key that acts for that user. A grant lets
one client act for an account. Codes and tokens belong to a grant and end with it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal

import attrs

from odoo_toolkit.configuration import Secret
from odoo_toolkit.databases import Database, Session
from odoo_toolkit_mcp.accounts.issuer import folded
from odoo_toolkit_mcp.accounts.store import now
from odoo_toolkit_mcp.accounts.vault import Vault, hashed, new_token

#: Seconds within which a code is exchanged for tokens. Half of it is for clocks of two processes
#: that are apart.
CODE_LASTS = 600.0

#: Grants of one account that are shown.
_SHOWN = 200

#: Seconds that the clocks of two processes may be apart.
_APART = 300.0

#: Why a grant has ended, as people are told it.
Why = Literal[
    "disconnected by the user",
    "revoked by the operator",
    "revoked by the client",
    "a code was used twice",
    "a refresh token was used twice",
    "Odoo refuses the key",
    "another user has this login in other letters",
    "the policy no longer admits this user",
    "the key has been replaced",
]


#: Those that nobody has wished for, so that a new key puts an end to them.
_KEY_OF_NO_USE: tuple[Why, ...] = (
    "Odoo refuses the key",
    "another user has this login in other letters",
)


@attrs.frozen(kw_only=True)
class Account:
    """One Odoo user of one instance.

    Attributes:
        id: of the account.
        instance: name of the instance.
        uid, login, name: of the Odoo user.
        key: acts for that user; None once it is known to be of no use.
        key_id: of the key's record in Odoo, where this server has made it.
        key_ends: when the key ends; None where it does not, or nobody knows.
        groups: external ids of the user's groups.
        checked: when these were last asked for, in seconds since the epoch.
    """

    id: int
    instance: str
    uid: int
    login: str
    name: str
    key: Secret | None
    key_id: int | None
    key_ends: datetime | None
    groups: tuple[str, ...]
    checked: float

    @property
    def holds(self) -> bool:
        """Whether there is a key, and it has not ended."""
        ended = self.key_ends is not None and self.key_ends.timestamp() <= now()
        return self.key is not None and not ended


@attrs.frozen(kw_only=True)
class LeftKey:
    """A key that this server has made and uses no more, and that is still in Odoo.

    Attributes:
        key_id: of its record in Odoo.
        happened: when it came out of use, in seconds since the epoch.
        ends: when Odoo ends it; None where it does not, or nobody knows.
    """

    key_id: int
    happened: float
    ends: float | None


@attrs.frozen(kw_only=True)
class Grant:
    """What one client may do.

    Attributes:
        id: of the grant.
        account: for whom the client acts.
        client: its id.
        client_name: as it calls itself.
        scopes: granted to it.
        resource: address of the server that its tokens are for.
        made, used: when, in seconds since the epoch.
        ended: when it ended; None while it holds.
        why: it ended.
    """

    id: int
    account: Account
    client: str
    client_name: str
    scopes: tuple[str, ...]
    resource: str | None
    made: float
    used: float
    ended: float | None
    why: str | None


@attrs.frozen(kw_only=True)
class KnownToken:
    """A token or code that this server has given out.

    Attributes:
        grant: that it belongs to.
        scopes: that it carries.
        ends: when, in seconds since the epoch.
        used: when it was used up; None while it was not.
        body: what a code was given out for.
    """

    grant: Grant
    scopes: tuple[str, ...]
    ends: float
    used: float | None
    body: dict[str, Any] = attrs.field(factory=dict)


_ACCOUNT = (
    "account.id AS account_id, account.instance, account.uid, account.login, account.name,"
    " account.sealed_key, account.key_id, account.key_ends, account.groups, account.checked"
)
_GRANT = (
    f"granted.id, granted.client, granted.client_name, granted.scopes, granted.resource,"
    f" granted.made, granted.used, granted.ended, granted.why, {_ACCOUNT}"
)
_JOINED = "granted JOIN account ON account.id = granted.account"

#: Nothing that this server has given out belongs to it: its client comes with an issuer's tokens.
_OF_ISSUER = (
    "NOT EXISTS (SELECT 1 FROM code WHERE code.granted = granted.id)"
    " AND NOT EXISTS (SELECT 1 FROM token WHERE token.granted = granted.id)"
)


class Grants:
    """The accounts and grants of a store; safe to share between threads.

    Args:
        store: where they are kept.
        vault: seals the keys.
    """

    def __init__(self, store: Database, vault: Vault) -> None:
        self._store = store
        self._vault = vault

    # Accounts.

    def keep_account(
        self,
        *,
        instance: str,
        uid: int,
        login: str,
        name: str,
        key: Secret,
        key_id: int | None,
        key_ends: datetime | None,
        groups: Sequence[str],
        checked: float | None = None,
    ) -> Account:
        """Keep the key of an Odoo user, in place of an earlier one; return the account.

        An earlier key that was made here is among :meth:`left_keys` from then on. Groups that are
        known of a later time than ``checked`` stay.
        """
        values = {
            "login": login,
            "name": name,
            "sealed_key": self._vault.seal(key.reveal()),
            "key_id": key_id,
            "key_ends": key_ends.timestamp() if key_ends else None,
        }
        asked = {"groups": json.dumps(sorted(groups)), "checked": checked or now()}
        columns = ["instance", "uid", "made", *values, *asked]
        marks = ", ".join("?" for _ in columns)
        updates = ", ".join(f"{column} = excluded.{column}" for column in values)
        with self._store.writing() as session:
            _leave_key(session, "instance = ? AND uid = ?", [instance, uid], but=key_id)
            row = session.execute(
                f"INSERT INTO account ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608
                f" ON CONFLICT (instance, uid) DO UPDATE SET {updates} RETURNING id",
                [instance, uid, now(), *values.values(), *asked.values()],
            ).fetchone()
            _note_groups(session, int(row["id"]), asked)
            return self._account(session, int(row["id"]))

    def account(self, account_id: int) -> Account | None:
        """Return an account; None where there is none."""
        with self._store.reading() as session:
            found = self._accounts(session, "WHERE account.id = ?", [account_id])
        return found[0] if found else None

    def account_of(self, instance: str, uid: int) -> Account | None:
        """Return the account of an Odoo user; None where there is none."""
        with self._store.reading() as session:
            where = "WHERE account.instance = ? AND account.uid = ?"
            found = self._accounts(session, where, [instance, uid])
        return found[0] if found else None

    def accounts_with(self, instance: str, login: str) -> list[Account]:
        """Return the accounts whose login is this one, in whatever case its letters are."""
        with self._store.reading() as session:
            where = "WHERE account.instance = ? AND lower(account.login) = lower(?)"
            found = self._accounts(session, where, [instance, login])
        # What a database takes for the same letter depends on the database.
        return [account for account in found if folded(account.login) == folded(login)]

    def accounts(self) -> list[Account]:
        """Return all accounts."""
        with self._store.reading() as session:
            return self._accounts(session, "ORDER BY account.instance, account.login", [])

    def note_groups(self, account_id: int, groups: Sequence[str], checked: float) -> None:
        """Note which groups a user was in, unless it is known of a later time."""
        asked = {"groups": json.dumps(sorted(groups)), "checked": checked}
        with self._store.writing() as session:
            _note_groups(session, account_id, asked)

    def drop_key(self, account_id: int, why: Why, key: Secret | None = None) -> None:
        """Forget the key of an account, and end all that was granted for it.

        Unless the person has removed it in Odoo, it is among :meth:`left_keys` from then on, and
        the person's sessions end.

        Args:
            account_id: of the account.
            why: it ends.
            key: only if it still is this one: somebody may just have signed in with another, at
                another process.
        """
        with self._store.writing() as session:
            row = session.execute(
                "SELECT sealed_key FROM account WHERE id = ?", [account_id]
            ).fetchone()
            sealed = row["sealed_key"] if row else None
            if key and (not sealed or self._vault.open(sealed) != key.reveal()):
                return
            # What Odoo refuses may still be there: of a user who is archived, or who comes back.
            if why != "disconnected by the user":
                _leave_key(session, "id = ?", [account_id])
            dropped = session.execute(
                "UPDATE account SET sealed_key = NULL, key_id = NULL, key_ends = NULL WHERE id = ?"
                " AND (sealed_key = ? OR ? = 0)",
                [account_id, sealed, 1 if key else 0],
            )
            if not dropped.rowcount:
                return
            session.execute(
                "UPDATE granted SET ended = ?, why = ? WHERE account = ? AND ended IS NULL",
                [now(), why, account_id],
            )
            if why != "disconnected by the user":
                session.execute("DELETE FROM session WHERE account = ?", [account_id])

    def left_keys(self, account_id: int, *, for_seconds: float = 0.0) -> list[LeftKey]:
        """Return the keys of an account that serve no more, and are still in Odoo.

        Args:
            account_id: of the account.
            for_seconds: only those that have been out of use for so long.
        """
        with self._store.reading() as session:
            rows = session.execute(
                "SELECT key_id, happened, ends FROM left_key WHERE account = ? AND happened <= ?"
                " AND (ends IS NULL OR ends > ?) ORDER BY key_id",
                [account_id, now() - for_seconds, now()],
            ).fetchall()
        return [LeftKey(**dict(row)) for row in rows]

    def forget_left_keys(self, account_id: int, key_ids: Sequence[int]) -> None:
        """Forget keys that are not in Odoo any more."""
        with self._store.writing() as session:
            for key_id in key_ids:
                session.execute(
                    "DELETE FROM left_key WHERE account = ? AND key_id = ?", [account_id, key_id]
                )

    def rotate_keys(self) -> int:
        """Seal all keys anew with the first key of the ring; return how many there are."""
        with self._store.writing() as session:
            rows = session.execute(
                "SELECT id, sealed_key FROM account WHERE sealed_key IS NOT NULL"
            ).fetchall()
            for row in rows:
                # Not over a key that somebody has just signed in with, at another process.
                session.execute(
                    "UPDATE account SET sealed_key = ? WHERE id = ? AND sealed_key = ?",
                    [self._vault.renew(row["sealed_key"]), row["id"], row["sealed_key"]],
                )
        return len(rows)

    # Grants.

    def grant(
        self,
        account: Account,
        *,
        client: str,
        client_name: str,
        scopes: Sequence[str],
        resource: str | None,
        code: dict[str, Any],
    ) -> str:
        """Grant a client to act for an account; return the code that the client exchanges.

        Args:
            account: for whom.
            client, client_name: to which client.
            scopes: what it may do.
            resource: address of the server that its tokens will be for.
            code: what the exchange has to agree with.
        """
        token = new_token()
        with self._store.writing() as session:
            row = session.execute(
                "INSERT INTO granted (account, client, client_name, scopes, resource, made, used)"
                " VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
                [account.id, client, client_name, " ".join(scopes), resource, now(), now()],
            ).fetchone()
            session.execute(
                "INSERT INTO code (hash, granted, body, ends) VALUES (?, ?, ?, ?)",
                [hashed(token), row["id"], json.dumps(code), now() + CODE_LASTS],
            )
        return token

    def connection(
        self,
        account: Account,
        client: str,
        *,
        client_name: str,
        scopes: Sequence[str],
        resource: str,
    ) -> tuple[Grant, bool]:
        """Return what a client may do that an issuer lets in, and whether that is new.

        One that was ended stays so, whatever tokens the issuer gives: see :meth:`resume`.

        Args:
            account: for whom the client acts.
            client, client_name: its id and name.
            scopes: of its token.
            resource: address of the endpoint that the token is for.
        """
        where = (
            f"WHERE granted.account = ? AND granted.client = ? AND {_OF_ISSUER}"
            " ORDER BY granted.id LIMIT 1"
        )
        with self._store.reading() as session:
            found = self._grants(session, where, [account.id, client])
        if found:
            return found[0], False
        with self._store.writing(f"connection {account.id}") as session:
            if found := self._grants(session, where, [account.id, client]):
                return found[0], False
            session.execute(
                "INSERT INTO granted (account, client, client_name, scopes, resource, made, used)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                [account.id, client, client_name, " ".join(scopes), resource, now(), now()],
            )
            return self._grants(session, where, [account.id, client])[0], True

    def ended(self, account_id: int) -> list[Grant]:
        """Return what clients with an issuer's tokens may not do any more, the latest first."""
        where = f"WHERE granted.account = ? AND granted.ended IS NOT NULL AND {_OF_ISSUER}"
        with self._store.reading() as session:
            return self._grants(session, f"{where} ORDER BY granted.ended DESC", [account_id])

    def resume(self, account_id: int, *, grant_id: int | None = None) -> None:
        """Let clients that an issuer lets in go on.

        Args:
            account_id: for whom they act.
            grant_id: of the one that was ended; None for all that ended as the key was found to be
                of no use.
        """
        conditions: list[str] = ["id = ?"]
        values: list[Any] = [grant_id]
        if grant_id is None:
            conditions, values = ["why = ?"] * len(_KEY_OF_NO_USE), [*_KEY_OF_NO_USE]
        with self._store.writing() as session:
            session.execute(
                f"UPDATE granted SET ended = NULL, why = NULL WHERE account = ? AND {_OF_ISSUER}"  # noqa: S608
                f" AND ({' OR '.join(conditions)})",
                [account_id, *values],
            )

    def grants(self, account_id: int | None = None, *, ended: bool = False) -> list[Grant]:
        """Return the latest grants of an account, or of each, the latest first.

        Args:
            account_id: of one account only.
            ended: also those that have ended.
        """
        conditions, values = ["1 = 1"], []
        if account_id is not None:
            conditions, values = ["account = ?"], [account_id]
        if not ended:
            conditions.append("ended IS NULL")
        # Of each, so that somebody with very many hides nobody else's.
        where = (
            "WHERE granted.id IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY"  # noqa: S608
            f" account ORDER BY id DESC) AS place FROM granted WHERE {' AND '.join(conditions)})"
            f" AS latest WHERE place <= {_SHOWN}) ORDER BY granted.id DESC"
        )
        with self._store.reading() as session:
            return self._grants(session, where, values)

    def find_grant(self, grant_id: int) -> Grant | None:
        """Return a grant; None where there is none, or it has ended."""
        where = "WHERE granted.id = ? AND granted.ended IS NULL"
        with self._store.reading() as session:
            found = self._grants(session, where, [grant_id])
        return found[0] if found else None

    def knows_client(self, client: str) -> bool:
        """Whether anything was ever granted to a client."""
        if "\0" in client:
            return False  # PostgreSQL would not even look
        with self._store.reading() as session:
            found = session.execute(
                "SELECT 1 AS found FROM granted WHERE client = ? LIMIT 1", [client]
            )
            return found.fetchone() is not None

    def end(self, grant_id: int, why: Why) -> bool:
        """End a grant and all its tokens; return whether it held until now."""
        with self._store.writing() as session:
            return _end(session, grant_id, why)

    # Codes and tokens.

    def find_code(self, code: str) -> KnownToken | None:
        """Return what is known of a code; None for one that was never given out."""
        return self._find("code", "code.body", code, "")

    def use_code(self, code: str) -> bool:
        """Use a code up; return whether it was unused.

        Where it was used before, somebody has stolen it: what was granted with it ends.
        """
        return self._use("code", code, "a code was used twice")

    def find_token(self, token: str, kind: Literal["access", "refresh"]) -> KnownToken | None:
        """Return what is known of a token; None for one that was never given out."""
        return self._find("token", "token.scopes AS token_scopes", token, f"token.kind = '{kind}'")

    def use_refresh_token(self, token: str) -> bool:
        """Use a refresh token up; as of :meth:`use_code`. Access tokens before it end with it."""
        if not self._use("token", token, "a refresh token was used twice"):
            return False
        with self._store.writing() as session:
            session.execute(
                # Used, as its end is another moment for a process whose clock is behind.
                "UPDATE token SET ends = ?, used = ? WHERE kind = 'access' AND used IS NULL AND"
                " granted = (SELECT granted FROM token WHERE hash = ?)",
                [now(), now(), hashed(token)],
            )
        return True

    def new_tokens(
        self, grant: Grant, scopes: Sequence[str], access_lasts: float, refresh_lasts: float
    ) -> tuple[str, str]:
        """Return an access token and a refresh token for a grant."""
        access, refresh = new_token(), new_token()
        with self._store.writing() as session:
            for token, kind, lasts, carried in (
                (access, "access", access_lasts, scopes),
                (refresh, "refresh", refresh_lasts, grant.scopes),
            ):
                session.execute(
                    "INSERT INTO token (hash, granted, kind, scopes, ends) VALUES (?, ?, ?, ?, ?)",
                    [hashed(token), grant.id, kind, " ".join(carried), now() + lasts],
                )
        return access, refresh

    def note_use(self, grant_id: int) -> None:
        """Note that a client was there just now."""
        with self._store.writing() as session:
            session.execute("UPDATE granted SET used = ? WHERE id = ?", [now(), grant_id])

    def _find(self, table: str, column: str, token: str, kind: str) -> KnownToken | None:
        condition = f" AND {kind}" if kind else ""
        with self._store.reading() as session:
            row = session.execute(
                f"SELECT {column}, {table}.ends AS token_ends, {table}.used AS token_used,"  # noqa: S608
                f" {_GRANT} FROM {table} JOIN granted ON granted.id = {table}.granted"
                f" JOIN account ON account.id = granted.account"
                f" WHERE {table}.hash = ?{condition}",
                [hashed(token)],
            ).fetchone()
        if row is None:
            return None
        grant = self._as_grant(row)
        is_code = table == "code"
        return KnownToken(
            grant=grant,
            scopes=grant.scopes if is_code else tuple(row["token_scopes"].split()),
            ends=row["token_ends"],
            used=row["token_used"],
            body=json.loads(row["body"]) if is_code else {},
        )

    def _use(self, table: str, token: str, why: Why) -> bool:
        with self._store.writing() as session:
            done = session.execute(
                f"UPDATE {table} SET used = ? WHERE hash = ? AND used IS NULL",  # noqa: S608
                [now(), hashed(token)],
            )
            if done.rowcount == 1:
                return True
            row = session.execute(
                f"SELECT granted FROM {table} WHERE hash = ?",  # noqa: S608
                [hashed(token)],
            ).fetchone()
            if row:
                _end(session, int(row["granted"]), why)
        return False

    def _accounts(self, session: Session, condition: str, values: Sequence[Any]) -> list[Account]:
        rows = session.execute(
            f"SELECT {_ACCOUNT} FROM account {condition}",  # noqa: S608
            values,
        ).fetchall()
        return [self._as_account(row) for row in rows]

    def _account(self, session: Session, account_id: int) -> Account:
        return self._accounts(session, "WHERE account.id = ?", [account_id])[0]

    def _grants(self, session: Session, condition: str, values: Sequence[Any]) -> list[Grant]:
        rows = session.execute(
            f"SELECT {_GRANT} FROM {_JOINED} {condition}",  # noqa: S608
            values,
        ).fetchall()
        return [self._as_grant(row) for row in rows]

    def _as_account(self, row: Any) -> Account:
        ends = row["key_ends"]
        return Account(
            id=int(row["account_id"]),
            instance=row["instance"],
            uid=int(row["uid"]),
            login=row["login"],
            name=row["name"],
            key=Secret(self._vault.open(row["sealed_key"])) if row["sealed_key"] else None,
            key_id=row["key_id"],
            key_ends=datetime.fromtimestamp(ends, UTC) if ends else None,
            groups=tuple(json.loads(row["groups"])),
            checked=float(row["checked"]),
        )

    def _as_grant(self, row: Any) -> Grant:
        return Grant(
            id=int(row["id"]),
            account=self._as_account(row),
            client=row["client"],
            client_name=row["client_name"],
            scopes=tuple(row["scopes"].split()),
            resource=row["resource"],
            made=float(row["made"]),
            used=float(row["used"]),
            ended=row["ended"],
            why=row["why"],
        )


def _note_groups(session: Session, account_id: int, asked: dict[str, Any]) -> None:
    # What lies ahead is from before a clock was set back.
    session.execute(
        "UPDATE account SET groups = ?, checked = ? WHERE id = ? AND (checked < ? OR checked > ?)",
        [*asked.values(), account_id, asked["checked"], now() + _APART],
    )


def _leave_key(
    session: Session, account: str, values: Sequence[Any], but: int | None = None
) -> None:
    """Note that the key of an account comes out of use, if this server has made it."""
    session.execute(
        "INSERT INTO left_key (account, key_id, happened, ends)"  # noqa: S608
        f" SELECT id, key_id, ?, key_ends FROM account WHERE {account}"
        " AND key_id IS NOT NULL AND key_id <> ?"
        " ON CONFLICT (account, key_id) DO NOTHING",
        [now(), *values, -1 if but is None else but],
    )


def _end(session: Session, grant_id: int, why: Why) -> bool:
    done = session.execute(
        "UPDATE granted SET ended = ?, why = ? WHERE id = ? AND ended IS NULL",
        [now(), why, grant_id],
    )
    return done.rowcount == 1
