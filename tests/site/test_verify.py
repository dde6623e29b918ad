"""/verify/ lists checks that exist, and shows every one."""

import ast
import functools
import json
import re

import pytest

from cutaway.app.site import Site
from cutaway.app.verify import page as verify
from tests.counts import ROOT, VERIFY

ROWS = json.loads(VERIFY.read_text())


@functools.cache
def module(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text() if (ROOT / path).exists() else "")


@functools.cache
def functions(path: str) -> set[str]:
    """The tests of one file."""
    return {node.name for node in ast.walk(module(path)) if isinstance(node, ast.FunctionDef)}


@functools.cache
def names(path: str) -> tuple[str, ...]:
    """Patterns of the names that one file's checks go by: first words of verified(...), or of what it is handed to."""
    calls = [node for node in ast.walk(module(path)) if isinstance(node, ast.Call)]
    found = []
    for call in calls:
        said = [call.func, *call.args]
        if any(isinstance(part, ast.Name) and part.id == "verified" for part in said):
            found += [pattern(part) for part in call.args if isinstance(part, ast.Constant | ast.JoinedStr)]
    return tuple(found)


def pattern(said: ast.expr) -> str:
    """A string as a pattern: what an f-string fills in may be anything."""
    parts = said.values if isinstance(said, ast.JoinedStr) else [said]
    return "".join(re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".+" for part in parts)


@pytest.mark.whole
def test_each_row_names_a_check_that_a_test_makes():
    """A row whose test is gone, or goes by another name now, is no check."""
    for name, row in ROWS.items():
        path, _, function = row["test"].partition("::")
        assert function in functions(path), f"{path} has no test {function}"
        assert any(re.fullmatch(pattern, name) for pattern in names(path)), f"{path} verifies nothing by this name"


def test_each_row_is_shown():
    """The groups of the page cover every folder that counts come from."""
    folders = tuple(folder for folders, _ in verify.GROUPS for folder in folders)
    assert [row["test"] for row in ROWS.values() if not row["test"].startswith(folders)] == []


def test_configs_are_told_apart_by_where_they_are_from():
    """Each model of the catalogue stands once on the page: a file's copy, lent, reconstructed, or without a config."""
    site = Site()
    told = verify.configs(site)
    assert [words for words, _ in told] == [
        "the Hub's own file", "shared with another model", "reconstructed", "no config, so not drawn",
    ]  # fmt: skip
    assert [len(models) for _, models in told] == [
        sum(row.snapshot is not None and not row.config_of and not row.reconstructed for row in site.rows),
        sum(row.config_of is not None for row in site.rows),
        sum(row.reconstructed and not row.config_of for row in site.rows),
        sum(row.snapshot is None for row in site.rows),
    ]
    assert sorted(view.slug for _, models in told for view in models) == sorted(row.slug for row in site.rows)
    page = verify.verify_page(site)
    assert "Every number is checked" not in page
    for words, models in told:
        assert f"{len(models)} models, {words.replace(chr(39), '&#39;')}" in page, words
