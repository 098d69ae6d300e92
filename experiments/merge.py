"""Take over the rows of other results files: `python -m experiments.merge TARGET SOURCE ...`.

Finished rows that the target lacks are appended to it; nothing is taken twice, and no line of the
target changes. This is how rows from a machine with a GPU come home.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from experiments import store


def main(arguments: list[str] | None = None) -> None:
    """Merge from the command line."""
    parser = argparse.ArgumentParser(prog="experiments.merge", description=__doc__)
    parser.add_argument("target", type=Path)
    parser.add_argument("source", type=Path, nargs="+")
    options = parser.parse_args(arguments)
    for source in options.source:
        if not source.is_file():
            parser.error(f"source must name a results file; there is none at {str(source)!r}.")
    with store.Writer(options.target) as writer:
        rows = store.merged(store.read(options.target), *map(store.read, options.source))
        n_rows = 0
        for row in rows:
            writer.append(row)
            n_rows += 1
    print(f"{n_rows} rows were added to {options.target}")


if __name__ == "__main__":
    main()
