"""An archive of dumps: a new machine takes the databases from it, and need not install them.

It has no code of Odoo. Each dump has the name of what it was made of, by which it is used only with
the same Odoo, modules and test addons.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from tests.provisioning import database, layout
from tests.provisioning.cache import ProvisioningError, cache_folder, folder_made_whole, progress
from tests.provisioning.releases import RELEASES, Release

CONTENTS = "contents.json"


def pack(releases: Sequence[Release], path: Path) -> None:
    """Write the dumps of releases into one file, which has its name only when it is whole.

    Raises:
        ProvisioningError: A release has no dump: it was never started.
    """
    contents = []
    for release in releases:
        version = layout.version(layout.root_folder(release))
        kept = database.dump_folder(release, version)
        if not version or not kept.exists():
            raise ProvisioningError(
                f"{release.name} has no dump: run 'python -m tests.provisioning start "
                f"{release.version}' first."
            )
        contents.append(
            {
                "release": release.version,
                "version": version,
                "name": kept.name,
                "files": _digests(kept),
            }
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    with tarfile.open(partial, "w:gz", compresslevel=6) as archive:
        text = json.dumps(contents).encode()
        first = tarfile.TarInfo(CONTENTS)
        first.size = len(text)
        archive.addfile(first, io.BytesIO(text))
        for one in contents:
            kept = database.dump_folder(RELEASES[str(one["release"])], str(one["version"]))
            archive.add(kept, arcname=kept.name)
    partial.chmod(0o600)  # there are API keys in it
    partial.replace(path)
    progress(f"Packed {', '.join(release.name for release in releases)} into {path}")


def unpack(path: Path) -> None:
    """Take the dumps of an archive, all or none of them.

    Raises:
        ProvisioningError: It is not such an archive, it is damaged, or its dumps are of other
            contents than this checkout's.
    """
    folder = cache_folder() / "dumps"
    try:
        with tarfile.open(path) as archive, folder_made_whole(folder / "unpacked") as whole:
            first = archive.next()
            if first is None or first.name != CONTENTS:
                raise ProvisioningError(f"{path} is not an archive that 'pack' wrote.")
            contents = json.loads(_read(archive, first))
            for one in contents:
                _check_fit(path, one)
            for member in archive:
                place = PurePosixPath(member.name)
                if member.isfile() and not place.is_absolute() and ".." not in place.parts:
                    target = whole / place
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(_read(archive, member))
            for one in contents:
                made = whole / _folder(one).name
                if _digests(made) != one["files"]:
                    raise ProvisioningError(f"{path} is damaged: {made.name} is not as it was.")
    except (tarfile.TarError, EOFError, ValueError, KeyError) as error:
        raise ProvisioningError(f"{path} is damaged, or no archive of 'pack': {error}") from error
    for one in contents:
        kept = _folder(one)
        if kept.exists():
            progress(f"{kept.name} is there already")
            continue
        (folder / "unpacked" / kept.name).rename(kept)
        progress(f"Unpacked {kept.name}")
    shutil.rmtree(folder / "unpacked")


def _check_fit(path: Path, one: dict[str, Any]) -> None:
    """Raise an error unless a dump of an archive is one that this checkout would make here."""
    release = RELEASES[one["release"]]
    here = layout.version(layout.root_folder(release)) or release.package_version
    if here and here != one["version"]:
        raise ProvisioningError(
            f"{path} does not fit: its {release.name} is {one['version']}, here it is {here}."
        )
    if one["name"] != _folder(one).name:
        raise ProvisioningError(
            f"{path} does not fit: its {release.name} was made with other modules or test addons. "
            "Pack it again from this checkout."
        )


def _folder(one: dict[str, Any]) -> Path:
    return database.dump_folder(RELEASES[one["release"]], one["version"])


def _read(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    return file.read() if file else b""


def _digests(folder: Path) -> dict[str, str]:
    """Return the digest of each file below a folder."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
