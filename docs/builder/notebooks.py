"""Run notebooks of the docs and write their outputs into them.

``ODOO_URL=... python -m docs.builder.notebooks docs/cohorts-and-cash.ipynb`` runs it on that Odoo,
in an empty folder. A cell that fails ends it, and nothing is written.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def main() -> None:
    """Write the outputs of the notebooks that the command line names."""
    for name in sys.argv[1:]:
        notebook = nbformat.read(name, as_version=4)
        with tempfile.TemporaryDirectory() as folder:
            within = {"metadata": {"path": folder}}
            NotebookClient(notebook, timeout=300, resources=within).execute()
        for cell in notebook.cells:
            # When it was run says nothing to readers, and makes every diff long.
            cell.metadata.pop("execution", None)
        nbformat.write(notebook, Path(name))


if __name__ == "__main__":
    main()
