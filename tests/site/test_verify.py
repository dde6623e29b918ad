"""/verify/ lists checks that exist, and shows every one."""

import ast
import functools
import json
import re

from app.pages import verify
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
