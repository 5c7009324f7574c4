"""What is known of one model besides what the server says of it."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from odoo_toolkit.compat import NEWEST, OLDEST, words


def _parts(text: str | Iterable[str]) -> tuple[str, ...]:
    """Return what a table lists with bars between: states and phrases may hold spaces."""
    return tuple(part for part in text.split("|") if part) if isinstance(text, str) else tuple(text)


@attrs.frozen
class Relation:
    """A way from a model to another one by whose records it can be found.

    Attributes:
        model: the other model.
        link: the many2one field between the two.
        reverse: whether the field is the other model's and points here.
    """

    model: str
    link: str = "partner_id"
    reverse: bool = False


@attrs.frozen
class Move:
    """What a method does to the state of a record; states are written with bars between.

    Attributes:
        method: that is called on the record.
        sources: the states it is for, where the form shows the button without regard to the
            state.
        to: the states it may lead to, the usual one first.
        also: states in which it works, too, though no form shows its button there.
        never: states in which the button is shown, too, but leaves the state as it is.
        label: what the menu calls it, for methods that have no button on the form.
        since: first Odoo version for which this is so.
        until: last one.
    """

    method: str
    sources: tuple[str, ...] = attrs.field(converter=_parts)
    to: tuple[str, ...] = attrs.field(converter=_parts)
    also: tuple[str, ...] = attrs.field(default="", converter=_parts, kw_only=True)
    never: tuple[str, ...] = attrs.field(default="", converter=_parts, kw_only=True)
    label: str = attrs.field(default="", kw_only=True)
    since: int = attrs.field(default=OLDEST, kw_only=True)
    until: int = attrs.field(default=NEWEST, kw_only=True)


@attrs.frozen
class Block:
    """What keeps a document from being taken back.

    Attributes:
        model: whose records do; a server that has it not has none of them.
        domain: of these; ``ID`` stands for the id of the document.
        says: what is in the way and what to do about it; ``{names}`` are their names.
    """

    model: str
    domain: tuple[tuple[str, str, object], ...]
    says: str


@attrs.frozen
class Opposite:
    """How what a method did is taken back, as far as Odoo allows it.

    Attributes:
        method: what was called on the record; ``create`` for what is made in any way.
        by: what takes it back, in order; ``archive`` stands for writing ``active``,
            ``looked_up`` for a function of :mod:`odoo_toolkit.undoing.compensations`, and
            ``action_refuse@validate`` for a method in that state alone; if the record was
            cancelled before, ``button_cancel>cancel`` takes the place of all others, and ``notes``
            has the state. None where nothing does.
        otherwise: what does less, where Odoo refuses the first of these.
        says: what comes of it, after "It would be ".
        not_undone: what cannot be undone.
        unless: what stops it.
        context: names of what is true in the context of its methods, such as what keeps Odoo from
            asking.
        made: of a wizard's button, the model of what it makes, whose ``create`` then counts.
        keeps: fields that it changes besides; their old values are written back.
        of: of a wizard's button, the model of the records that it acts on, whose fields are kept.
        notes: fields that are read before, to know where it leads back to.
        since: first Odoo version for which this is so.
        until: last one.
    """

    method: str
    by: tuple[str, ...] = attrs.field(default="", converter=words)
    says: str = ""
    otherwise: tuple[str, ...] = attrs.field(default="", converter=words, kw_only=True)
    not_undone: str = attrs.field(default="", kw_only=True)
    unless: tuple[Block, ...] = attrs.field(default=(), kw_only=True)
    made: str = attrs.field(default="", kw_only=True)
    keeps: tuple[str, ...] = attrs.field(default="", converter=words, kw_only=True)
    of: str = attrs.field(default="", kw_only=True)
    notes: tuple[str, ...] = attrs.field(default="", converter=words, kw_only=True)
    context: tuple[str, ...] = attrs.field(default="", converter=words, kw_only=True)
    since: int = attrs.field(default=OLDEST, kw_only=True)
    until: int = attrs.field(default=NEWEST, kw_only=True)

    @property
    def is_known(self) -> bool:
        """Whether something takes it back."""
        return bool(self.by or self.keeps)


@attrs.frozen
class AppModel:
    """What is known of a model; empty where nothing is.

    The fields are those of all versions; what the connected server lacks is left out by asking
    it. Names are written with spaces between, phrases with bars.

    Attributes:
        name: technical name.
        label: what Odoo calls it; only of models that most databases have.
        module: the Odoo module of which this model shows that it is installed.
        module_field: a field that only the module adds, where the model exists without it.
        nouns: what people call its records; says nothing about which of them are meant.
        meanings: what people say of its records, and the conditions that it stands for, in lines
            of ``phrase|phrase: condition & condition / other way ~ what it implies``.
        has_parts: whether what is said of a record is meant of those below it, too.
        name_fields: by which records are found when many names are looked up in one call: what
            Odoo's own search by name looks at.
        disambiguation_fields: what differs between records of the same name, the most telling
            first.
        numbered: whether a record's name is a number that Odoo gives.
        searched: its place among the models that a search by words goes through when none is
            given; 0 for none.
        search_fields: by which people know its records.
        deep_fields: in which words are looked for besides.
        key_fields: that tell most of a record.
        found_through: other models by whose records its own are found.
        dates: by which its records are known, the likeliest first.
        moves: what its methods do to the state.
        opposites: how what its methods do is taken back.
        is_wizard: whether its records are dialogs, which nobody keeps.
        written_in: the field with its document, that of the document with the lines, and that which
            is ``draft`` while the document is one: a line of it, written alone, would unbalance it.
        tips: what experience adds.
    """

    name: str
    label: str = ""
    module: str = attrs.field(default="", kw_only=True)
    module_field: str = attrs.field(default="id", kw_only=True)
    nouns: tuple[str, ...] = attrs.field(default="", converter=_parts, kw_only=True)
    meanings: str = attrs.field(default="", kw_only=True)
    has_parts: bool = attrs.field(default=False, kw_only=True)
    name_fields: tuple[str, ...] = attrs.field(default="name", converter=words, kw_only=True)
    disambiguation_fields: tuple[str, ...] = attrs.field(default="", converter=words, kw_only=True)
    numbered: bool = attrs.field(default=False, kw_only=True)
    searched: int = attrs.field(default=0, kw_only=True)
    search_fields: tuple[str, ...] = attrs.field(default="", converter=words, kw_only=True)
    deep_fields: tuple[str, ...] = attrs.field(default="", converter=words, kw_only=True)
    key_fields: tuple[str, ...] = attrs.field(
        default="id name display_name", converter=words, kw_only=True
    )
    found_through: tuple[Relation, ...] = attrs.field(default=(), kw_only=True)
    dates: tuple[str, ...] = attrs.field(default="", converter=words, kw_only=True)
    moves: tuple[Move, ...] = attrs.field(default=(), kw_only=True)
    opposites: tuple[Opposite, ...] = attrs.field(default=(), kw_only=True)
    is_wizard: bool = attrs.field(default=False, kw_only=True)
    written_in: tuple[str, ...] = attrs.field(default="", converter=words, kw_only=True)
    tips: tuple[str, ...] = attrs.field(default=(), kw_only=True)

    def opposite(self, method: str, version: int) -> Opposite | None:
        """Return how what a method did is taken back on a version; None where not known."""
        return next(
            (o for o in self.opposites if o.method == method and o.since <= version <= o.until),
            None,
        )

    def move(self, method: str, version: int) -> Move | None:
        """Return what a method does to the state on a version; None where not known."""
        return next(
            (m for m in self.moves if m.method == method and m.since <= version <= m.until), None
        )

    def describe_moves(self) -> str:
        """Return in one line which method leads from which states to which."""
        steps = []
        for move in self.moves:
            when = f" (Odoo {move.until} and earlier)" if move.until < NEWEST else ""
            when = f" (Odoo {move.since} and later)" if move.since > OLDEST else when
            sources = ", ".join((*move.sources, *move.also))
            steps.append(f"{sources} -> [{move.method}] {' or '.join(move.to)}{when}")
        return f"States of {self.name}: {'; '.join(steps)}."
