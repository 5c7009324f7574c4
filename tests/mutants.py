"""Do the tests find faults? ``python -m tests.mutants`` makes those of mutants.toml, one at a time.

For each it prints the gate and the test that finds it, and at the end how many each gate finds. It
fails if one is not found, or if its text is not in the code any longer: then put another of the
same kind in its place. ``python -m tests.mutants accounts/`` makes those whose file has that in its
name, ``--root`` in another checkout.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

import attrs

ROOT = Path(__file__).parents[1]

#: Gate -> what chooses its tests. A fault counts for the first that finds it: the cheapest.
GATES = {
    "check": ["-m", "not needs_odoo and not own_gate"],
    "test": ["-m", "needs_odoo and not own_gate"],
    "attack": ["-m", "attack"],
    "live": ["-m", "not own_gate", "--everything"],
}
_NOT_FOUND, _NO_TESTS = "ERROR: not found", 5
_FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/.+?)(?: - .*)?$", re.MULTILINE)


@attrs.frozen(kw_only=True)
class Fault:
    """One change of the code.

    Attributes:
        file: the file, from the checkout's folder.
        code: a text that is there once.
        fault: what stands in its place.
        tests: that may find it: files, or one where a file takes minutes.
    """

    file: str
    code: str
    fault: str
    tests: list[str]


def faults(part: str = "") -> list[Fault]:
    """Return the faults of mutants.toml whose file has a part in its name."""
    content = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return [Fault(**entry) for entry in content["fault"] if part in entry["file"]]


def judge(fault: Fault, root: Path) -> tuple[str, str]:
    """Return the gate and the test that find a fault; "missed" or "renew", and nothing, if none."""
    file = root / fault.file
    before = file.read_text("utf-8") if file.exists() else ""
    if before.count(fault.code) != 1:
        return "renew", ""
    file.write_text(before.replace(fault.code, fault.fault), "utf-8")
    try:
        for gate, chosen in GATES.items():
            if test := first_failure(chosen, fault.tests, root):
                return gate, test
    finally:
        file.write_text(before, "utf-8")
    return "missed", ""


def first_failure(chosen: list[str], tests: list[str], root: Path) -> str:
    """Return the test that fails first, or what else pytest says; nothing if all pass."""
    words = ["-x", "-q", "-n", "0", "-p", "no:tests.kit.trusted", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, *chosen, *tests],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), "CI": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if _NOT_FOUND in done.stderr:
        raise SystemExit(f"{done.stderr}\nDo the servers run?")
    if done.returncode in (0, _NO_TESTS):
        return ""
    found = _FAILED.search(done.stdout)
    return found[1] if found else (done.stdout + done.stderr)[-300:]


def main() -> int:
    """Make each fault in a copy of the code, and print what finds it."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("part", nargs="?", default="")
    parser.add_argument("--root", type=Path, default=ROOT)
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "checkout"
        left = shutil.ignore_patterns(".git", ".venv", "build", "*.egg-info", ".*_cache")
        shutil.copytree(given.root, root, ignore=left)
        for fault in faults(given.part):
            gate, test = judge(fault, root)
            counts[gate] += 1
            print(f"{gate:7} {fault.file}: {fault.fault}\n        {test}", flush=True)
    print(", ".join(f"{gate}: {count}" for gate, count in counts.items()))
    return 1 if counts["missed"] or counts["renew"] else 0


if __name__ == "__main__":
    sys.exit(main())
