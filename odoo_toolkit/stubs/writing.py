"""Type stubs for the models of a connected database, written to a folder."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError, invalid
from odoo_toolkit.progress import Steps, checkpoint
from odoo_toolkit.records import list_models
from odoo_toolkit.records.arguments import describe
from odoo_toolkit.records.export_files import written_beside
from odoo_toolkit.stubs.source import MARK, StubbedModel, package


@attrs.frozen(kw_only=True)
class StubsResult(Shown):
    """The result of writing stubs to a folder.

    Attributes:
        folder: Folder of the package.
        models: Models that have stubs now.
        changed: Files that were written, because they are new or different.
        removed: Files of models that no longer have stubs.
        not_told: Models whose fields Odoo does not return, and the reason.
        closed_models: Number of models that the policy blocks. None if it is unknown.
        closed_fields: Number of fields of these models that the policy blocks.
        warnings: Limits of the stubs.
    """

    folder: str
    models: list[str]
    changed: list[str]
    removed: list[str]
    not_told: dict[str, str] = attrs.Factory(dict)
    closed_models: int | None = 0
    closed_fields: int = 0
    warnings: list[str] = attrs.Factory(list)


def write_stubs(
    odoo: Odoo, models: Sequence[str] = (), folder: str | PathLike[str] = "my_odoo"
) -> StubsResult:
    """Write a package that tells type checkers and editors which fields models have.

    A script then imports ``connect`` from it in place of that of the library; what runs is the
    same. One round trip for each model. The same database gives the same bytes.

    >>> write_stubs(odoo, ["sale.order", "res.partner"], "my_odoo")

    Args:
        odoo: the connection; models and fields that its policy closes are left out.
        models: such as ``sale.order``; by default all that the user may read.
        folder: of the package; what an earlier run wrote there is replaced.

    Raises:
        NotFoundError: there is no such model; it says which are similar. Nothing is written.
        AccessError: Odoo or the policy does not allow a model that is named.
        ValidationError: the folder has a name that cannot be imported, or holds other files with
            the names of stubs.
        OSError: a file cannot be written.
    """
    place = Path(folder)
    _check_name(place.resolve().name)
    if isinstance(models, str):
        models = [models]
    warnings: list[str] = []
    closed_models: int | None = 0
    if models:
        labels = _labels(odoo)
        wanted = {name: labels.get(name, name) for name in sorted(set(models))}
    else:
        listed = list_models(odoo)
        wanted = {one.model: one.name for one in listed.models}
        warnings += listed.warnings
        closed_models = _closed_models(odoo, wanted)
    described, not_told = _described(odoo, wanted, strict=bool(models))
    files = package(described, odoo.version.major)
    changed, removed = _replace(place, files)
    return StubsResult(
        folder=str(folder),
        models=[model.name for model in described],
        changed=changed,
        removed=removed,
        not_told=not_told,
        closed_models=closed_models,
        closed_fields=sum(model.closed for model in described),
        warnings=warnings,
    )


# What Odoo says -----------------------------------------------------------------------------


def _labels(odoo: Odoo) -> Mapping[str, str]:
    try:
        return odoo.schema.models()
    except AccessError:  # Odoo 15 tells ordinary users nothing of its models
        return {}


def _closed_models(odoo: Odoo, shown: Mapping[str, str]) -> int | None:
    try:
        return len(odoo.schema.models().keys() - shown.keys())
    except AccessError:
        return None


def _described(
    odoo: Odoo, wanted: Mapping[str, str], *, strict: bool
) -> tuple[list[StubbedModel], dict[str, str]]:
    """Return the models that can be described, and why the others cannot."""
    steps = Steps(len(wanted))

    def ask(name: str) -> StubbedModel | OdooError:
        checkpoint()
        try:
            # Asked by name, so that the policy judges it as it does what a caller words.
            readable = describe(odoo, name, "fields_get", {}, None)
            every = odoo.schema.fields(name)
            fields = {one: readable[one] for one in every if one in readable}
            return StubbedModel(
                name=name, label=wanted[name], fields=fields, closed=len(every) - len(fields)
            )
        except (AccessError, NotFoundError) as error:
            return error
        finally:
            steps.finish(1, name)

    answers = side_by_side([lambda name=name: ask(name) for name in wanted])  # type: ignore[misc]
    found = [answer for answer in answers if isinstance(answer, StubbedModel)]
    failed = {
        name: answer
        for name, answer in zip(wanted, answers, strict=True)
        if isinstance(answer, OdooError)
    }
    if strict and failed:
        raise next(iter(failed.values()))
    return found, {name: error.message for name, error in failed.items()}


# Files --------------------------------------------------------------------------------------


def _check_name(name: str) -> None:
    if re.fullmatch(r"[a-zA-Z_]\w*", name, re.ASCII) and not keyword.iskeyword(name):
        return
    usable = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
    usable = usable if re.match("[a-zA-Z]", usable) and not keyword.iskeyword(usable) else "my_odoo"
    raise invalid(
        "folder",
        f"{name!r} cannot be the name of a Python package.",
        f"Rename the folder to the name of a Python package, such as {usable}.",
        use=usable,
    )


def _replace(folder: Path, files: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Write files that are different, remove stubs that are not among them; return both.

    Files that no stub is, stay; one in the place of a stub is an error, before anything is written.
    """
    if folder.exists() and not folder.is_dir():
        raise invalid(
            "folder",
            f"{folder} is not a folder.",
            "Pass the path of a folder, because stubs are a package.",
        )
    found = {path.name: path for path in folder.glob("*") if path.is_file()}
    ours = {name for name, path in found.items() if _starts_with_mark(path)}
    # py.typed is empty: whoever wrote it, it says the same.
    foreign = sorted(name for name in found.keys() & files.keys() - ours if files[name])
    if foreign:
        raise invalid(
            "folder",
            f"{folder} contains files that are not stubs: {', '.join(foreign[:3])}.",
            "Pass an empty folder for the stubs.",
            files=foreign,
        )
    folder.mkdir(parents=True, exist_ok=True)
    changed = []
    for name, text in sorted(files.items()):
        data = text.encode()
        # What stays as it is keeps its date, by which checkers know what to look at again.
        if name not in found or found[name].read_bytes() != data:
            with written_beside(folder / name) as part:
                part.write_bytes(data)
            changed.append(name)
    removed = sorted(ours - files.keys())
    for name in removed:
        found[name].unlink()
    return changed, removed


def _starts_with_mark(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(MARK)) == MARK.encode()
