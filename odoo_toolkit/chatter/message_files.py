"""Messages that are posted with files: those that a record has, and new ones.

A new file is attached to the record first. If the message is not posted after all, the file stays
there, and the error says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

import attrs
from annotated_doc import Doc

from odoo_toolkit.call import Call
from odoo_toolkit.chatter.attachments.content import ATTACHMENT
from odoo_toolkit.chatter.attachments.files import checked_file, checksum
from odoo_toolkit.chatter.owner_records import MakesOwned
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.bulk import sending
from odoo_toolkit.errors import NotFoundError, OdooError, ValidationError, invalid
from odoo_toolkit.file_content import human_size
from odoo_toolkit.operations.documents import read_rows
from odoo_toolkit.operations.lines import check_lines
from odoo_toolkit.values.scalars import is_id

#: Files of one message.
_MOST_FILES = 20

_KEYS = ("id", "name", "content_base64", "mimetype")


class MessageFile(TypedDict, total=False):
    """A file that goes with a message: one of the record's, by ``id``, or a new one."""

    id: int
    name: Annotated[str, Doc("Of a new file, with its extension.")]
    content_base64: Annotated[str | bytes, Doc("Base64 as text, or the file's bytes.")]
    mimetype: str


@attrs.frozen(kw_only=True)
class NewFile:
    """A file that is uploaded for a message.

    Attributes:
        content: its bytes as base64.
        remarks: on what Odoo will store.
    """

    name: str
    mimetype: str
    content: str = attrs.field(repr=False)
    size: int
    remarks: Sequence[str] = ()

    def step(self, owner: str, record: int, datas: str) -> MakesOwned:
        """Return the step that attaches it; ``datas`` stands for the content."""
        values = {"name": self.name, "res_model": owner, "res_id": record}
        return MakesOwned(
            model=ATTACHMENT.model,
            method="create",
            arguments={"vals_list": {**values, "mimetype": self.mimetype, "datas": datas}},
            owner=owner,
            kind=ATTACHMENT.model,
            like=values,
        )

    def attach(self, odoo: Odoo, owner: str, record: int, warnings: list[str]) -> int:
        """Attach it, and return its id."""
        with sending(self.content) as mark:
            step = self.step(owner, record, mark)
            like = {**step.like, "checksum": checksum(self.content)}
            made = attrs.evolve(step, like=like).make(odoo, (), warnings)
        if not made:
            raise OdooError(
                f"Odoo did not confirm the upload of the file {self.name!r}. No message was "
                "posted.",
                suggestion="Check with list_attachments before you post the message again.",
                outcome="maybe_applied",
            )
        return made[0]


@attrs.frozen(kw_only=True)
class PostsOn(MakesOwned):
    """Posts a message on a record of its own, after attaching the files that go with it.

    Attributes:
        record: the id of the record.
    """

    record: int
    files: tuple[NewFile, ...] = ()

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[Call]:
        """Return the writing calls."""
        uploads = [
            file.step(self.model, self.record, f"<{human_size(file.size)}>").calls(odoo, ())[0]
            for file in self.files
        ]
        there = self.arguments.get("attachment_ids", [])
        shown = [*there, *(f"the new file {file.name}" for file in self.files)]
        arguments = {**self.arguments, **({"attachment_ids": shown} if shown else {})}
        posting = super().calls(odoo, (self.record,))
        return [*uploads, *(attrs.evolve(call, arguments=arguments) for call in posting)]

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> list[int]:
        """Do it, and return the id of the message; none where Odoo told none."""
        if not self.files:
            return super().make(odoo, (self.record,), warnings)
        new: dict[int, str] = {}
        try:
            for file in self.files:
                new[file.attach(odoo, self.model, self.record, warnings)] = file.name
            there = self.arguments.get("attachment_ids", [])
            arguments = {**self.arguments, "attachment_ids": [*there, *new]}
            return attrs.evolve(self, arguments=arguments, files=()).make(odoo, ids, warnings)
        except OdooError as error:
            if new:
                listed = ", ".join(f"{name} (id {number})" for number, name in new.items())
                error.message += f" These files are attached to the record: {listed}."
                error.suggestion += " To post the message again, pass the ids of these files."
                error.outcome = "maybe_applied"
            raise


def message_files(
    given: Sequence[Mapping[str, Any]] | None, max_bytes: int
) -> tuple[list[int], tuple[NewFile, ...]]:
    """Return the ids of files that are there, and the new ones.

    Raises:
        ValidationError: one is neither, not base64, empty, or too large.
    """
    if given is None or (isinstance(given, (list, tuple)) and not given):
        return [], ()
    there: list[int] = []
    new: list[NewFile] = []
    for index, file in enumerate(check_lines(given, _KEYS, "attachments")):
        place = f"attachments[{index}]"
        number = file.get("id")
        if number is not None:
            if not is_id(number) or len(file) > 1:
                raise _no_file(place, "is not the id of a file alone")
            there.append(number)
        elif "name" not in file or "content_base64" not in file:
            raise _no_file(place, "has neither an id nor a name with content")
        else:
            name, content, size, kind, remarks = checked_file(
                file["name"], file["content_base64"], file.get("mimetype"), max_bytes
            )
            new.append(
                NewFile(name=name, mimetype=kind, content=content, size=size, remarks=remarks)
            )
    if len(there) + len(new) > _MOST_FILES or len(set(there)) < len(there):
        raise invalid("attachments", f"Pass up to {_MOST_FILES} files, each only once.")
    return there, tuple(new)


def _no_file(place: str, why: str) -> ValidationError:
    return invalid(
        place,
        f"{place} {why}.",
        "For a file of the record, pass {'id': 7}. For a new file, pass {'name': "
        "'offer.pdf', 'content_base64': '...'}.",
    )


def check_files(odoo: Odoo, model: str, record_id: int, ids: Sequence[int]) -> None:
    """Refuse files that the record has not: others could not open them in the message.

    Raises:
        NotFoundError: one is not attached to it, or this user cannot see it.
    """
    domain = [["res_model", "=", model], ["res_id", "=", record_id], ["id", "in", list(ids)]]
    rows = read_rows(odoo, ATTACHMENT.model, domain, ["name"], acts_on=model)
    found = {row["id"] for row in rows}
    if missing := [number for number in ids if number not in found]:
        raise NotFoundError(
            f"{model} {record_id} has no file {', '.join(map(str, missing))}, or this user cannot"
            " see it.",
            suggestion="List its files with list_attachments, or pass the file as a new one.",
            details={"model": ATTACHMENT.model, "field": "attachments", "ids": missing},
        )
