"""The documents tell the truth: every ```python block of docs/python.md and of the README runs, page by page."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGES = ["docs/python.md", "README.md"]
pytest.importorskip("pandas")


def blocks_of(page):
    """(line, code) of each block."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [(text[:found.start()].count("\n") + 2, found[1])
            for found in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]


@pytest.mark.parametrize("page", PAGES)
def test_every_shown_block_runs(page, tmp_path, monkeypatch):
    for folder in ("examples", "studies"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    blocks = blocks_of(page)
    assert blocks, page
    names = {"__name__": "__main__"}
    for line, code in blocks:
        # Lines as the page has them, so that a failure points there.
        exec(compile("\n" * (line - 1) + code, page, "exec"), names)
