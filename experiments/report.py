"""Make tables and figures from rows: `python -m experiments.report`. It trains nothing.

Cells that the folder's own results file lacks are taken from the rows that are kept with the
experiments (`experiments/results/rows.jsonl`), where there are any.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from experiments.configs import FIGURES
from experiments.found import Results
from experiments.tables import page

KEPT = Path(__file__).parent / "results" / "rows.jsonl"


def main(arguments: list[str] | None = None) -> None:
    """Report from the command line."""
    parser = argparse.ArgumentParser(prog="experiments.report", description=__doc__)
    add = parser.add_argument
    add("--out", type=Path, default=Path("paper"), help="folder of rows.jsonl (default: paper)")
    add("--alone", action="store_true", help="show that folder's own rows and no others")
    add("--figures", nargs="*", choices=FIGURES, metavar="NAME", help="draw these; default: all")
    options = parser.parse_args(arguments)
    files = [options.out / "rows.jsonl"] + ([] if options.alone else [KEPT])
    results = Results(dict.fromkeys(file.resolve() for file in files))
    if not results.rows:
        sys.exit(f"no finished rows in {files[0]}: run python -m experiments.run first")
    tables = options.out / "tables.md"
    tables.write_text("\n".join(page(results)).rstrip() + "\n", encoding="utf-8")
    print(tables)
    if options.figures != []:
        from experiments.figures import write_all  # matplotlib only where it draws

        for path in write_all(results, options.out / "figures", options.figures):
            print(path)


if __name__ == "__main__":
    main()
