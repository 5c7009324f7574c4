"""``odoo-toolkit export | report``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from odoo_toolkit import records
from odoo_toolkit.cli import options
from odoo_toolkit.cli.connecting import WatchedOdoo, with_odoo
from odoo_toolkit.cli.output import (
    Form,
    form_options,
    print_rows,
    print_text,
    progress,
    say,
    tell_warnings,
)
from odoo_toolkit.cli.parsing import domain_of, id_list
from odoo_toolkit.records.export_files import written_beside
from odoo_toolkit.reports import generate_report, list_reports
from odoo_toolkit.values.plain_text import counted

_STANDARD_OUTPUT = "-"


@click.command()
@options.model
@options.domain
@options.of(records.export, "fields", "order", "context")
@click.option(
    "-o",
    "--output",
    default=_STANDARD_OUTPUT,
    metavar="FILE",
    help="File that ends in .csv, .jsonl, .parquet, .arrow or .xlsx. Default: standard output.",
)
@click.option("--database-ids", is_flag=True, help="Write database ids instead of external ids.")
@form_options("csv", "jsonl")
@with_odoo
def export(
    odoo: WatchedOdoo,
    model: str,
    domain: tuple[str, ...],
    output: str,
    database_ids: bool,
    form: Form,
    given: dict[str, Any],
) -> None:
    """Write all records that match, as import takes them; conditions as of search.

    To standard output, JSON lines or --csv. A file is there whole or not at all. For a report
    without external ids, see search --all --csv.

    \b
    odoo-toolkit export res.partner is_company=true -f name,email,country_id -o companies.csv
    """
    if "fields" not in given:
        raise click.UsageError("No fields are selected. Pass -f, such as -f name,email, or -f '*'.")
    asked = domain_of(odoo, model, domain)
    if output != _STANDARD_OUTPUT and form:
        raise click.UsageError("The extension of the file name sets the format.")
    with tempfile.TemporaryDirectory() as folder, progress(model) as bar:
        # Complete before anything of it is printed.
        ending = "csv" if form == "csv" else "jsonl"
        path = Path(folder) / f"export.{ending}" if output == _STANDARD_OUTPUT else Path(output)
        result = records.export(
            odoo,
            model,
            asked,
            path=path,
            external_ids=not database_ids,
            progress=bar or False,
            **given,
        )
        if output == _STANDARD_OUTPUT:
            with path.open(encoding="utf-8", newline="") as file:
                for line in file:
                    print_text(line.replace("\r\n", "\n"))
    tell_warnings(result)
    where = "" if output == _STANDARD_OUTPUT else f" to {output}"
    say(f"{counted(result.rows, 'record')} of {model} written{where}.")


@click.command()
@click.argument("name", required=False)
@click.argument("ids", type=id_list, required=False)
@click.option(
    "-o", "--output", metavar="FILE", help="Default: a new file with the name that Odoo suggests."
)
@click.option("--list", "model", metavar="MODEL", help="Instead, print the reports of a model.")
@options.of(generate_report, "context")
@form_options()
@with_odoo
def report(
    odoo: WatchedOdoo,
    name: str | None,
    ids: list[int] | None,
    output: str | None,
    model: str | None,
    form: Form,
    given: dict[str, Any],
) -> None:
    """Print records as a PDF, and print the path of the file.

    NAME is the report's technical name, IDS up to 20 ids. -o - writes the PDF to standard output.

    \b
    odoo-toolkit report --list sale.order
    odoo-toolkit report sale.report_saleorder 7 -o quotation.pdf
    """
    if model:
        if name or ids:
            raise click.UsageError("--list accepts no report and no ids.")
        found = list_reports(odoo, model).reports
        rows = [
            {"report_name": r.report_name, "name": r.name, "report_type": r.report_type}
            for r in found
        ]
        print_rows(rows, form=form)
        return
    if not name or not ids:
        raise click.UsageError("Pass the report's name and ids, or --list MODEL.")
    if output == _STANDARD_OUTPUT and sys.stdout.isatty():
        raise click.UsageError("The command does not print a PDF to a terminal. Pass -o FILE.")
    folder = "." if output is None else None
    pdf = generate_report(odoo, name, ids, download_dir=folder, **given)
    if output == _STANDARD_OUTPUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(pdf.content)
        sys.stdout.buffer.flush()
    elif output is not None:
        with written_beside(output) as part:
            part.write_bytes(pdf.content)
    tell_warnings(pdf)
    if output != _STANDARD_OUTPUT:
        print_text(f"{output or Path(str(pdf.path)).name}\n")
    say(f"{counted(pdf.pages, 'page')}, {pdf.size_human}.")
