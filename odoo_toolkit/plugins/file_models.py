"""A model as a plugin's TOML file names it: fields, states and buttons."""

from __future__ import annotations

import attrs

from odoo_toolkit.app_models import AppModel, Move, Opposite


@attrs.frozen(kw_only=True)
class FileButton:
    """A button of a model's form.

    Attributes:
        key: what it is called in the tool's name, such as ``confirm``.
        method: that it calls, on the record alone.
        to: the states that it leads to.
        sources: the states that it is for; any other than those that it leads to, if empty.
        description: what it does, for people and models.
        undo: the button that takes it back.
        ask: whether a person is asked first.
    """

    key: str
    method: str
    to: tuple[str, ...]
    sources: tuple[str, ...] = ()
    description: str = ""
    undo: str = ""
    ask: bool = False


@attrs.frozen(kw_only=True)
class FileModel:
    """A model of the file, and what its tools are made of.

    Attributes:
        key: what a record is called in the tools' names, such as ``contract``.
        model: its technical name.
        noun, plural: what people call its records.
        fields: that are shown of one; the first few tell most.
        listed: those that are shown of many.
        filter: the fields by which a list is narrowed.
        create, update: the fields that are given.
        search: the fields by which people know its records.
        state: the field of its state.
        numbered: whether a record's name is a number that Odoo gives.
        buttons: of its form.
    """

    key: str
    model: str
    noun: str
    plural: str
    fields: tuple[str, ...]
    listed: tuple[str, ...] = ()
    filter: tuple[str, ...] = ()
    create: tuple[str, ...] = ()
    update: tuple[str, ...] = ()
    search: tuple[str, ...] = ()
    state: str = "state"
    numbered: bool = False
    buttons: tuple[FileButton, ...] = ()

    @property
    def named(self) -> dict[str, tuple[str, ...]]:
        """What names fields -> those that it names."""
        lists = ("fields", "filter", "create", "update", "search")
        named = {**{name: getattr(self, name) for name in lists}, "list": self.listed}
        return {**named, "state": (self.state,)} if self.buttons else named

    def facts(self, module: str) -> AppModel:
        """Return what the file tells of the model, in the form of the toolkit's own facts.

        Args:
            module: the Odoo module of which the model shows that it is installed, if it is that.
        """
        told = {button.key: button for button in self.buttons}
        return AppModel(
            self.model,
            module=module,
            nouns=(self.noun,),
            numbered=self.numbered,
            search_fields=self.search,
            key_fields=("id", *self.listed[:6]),
            # Of a state with another name, nothing that uses such facts would know.
            moves=tuple(
                Move(b.method, b.sources, b.to)
                for b in self.buttons
                if b.sources and self.state == "state"
            ),
            opposites=tuple(
                Opposite(b.method, (back.method,), f"{back.to[0]} again", notes=(self.state,))
                for b in self.buttons
                if (back := told.get(b.undo)) and back.to
            ),
        )
