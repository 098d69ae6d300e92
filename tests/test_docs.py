"""The code in the documentation runs as it stands, one block after the other."""

import re
from pathlib import Path

import pytest

PAGES = ["README.md", "docs/without_negatives.md"]
ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page, capsys):
    blocks = re.findall(r"^( *)```python\n(.*?)^ *```$", (ROOT / page).read_text(), re.M | re.S)
    assert blocks
    names = {}
    for indent, block in blocks:
        code = "\n".join(line.removeprefix(indent) for line in block.splitlines())
        exec(compile(code, page, "exec"), names)
    assert capsys.readouterr().out
