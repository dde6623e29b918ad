"""What the workbench's address asks for, and what it asks for where it is nonsense."""

from __future__ import annotations

import pytest

from cutaway.app.workbench.url import BESIDE, START, WorkbenchState, beside, context, state


@pytest.mark.parametrize(
    ("search", "turn", "wished"),
    [
        ("", 0, WorkbenchState(START)),
        ("?edit=layers:4", 0, WorkbenchState(START, "layers:4")),
        ("?model=plain/model&edit=heads:3", 7, WorkbenchState("plain/model", "heads:3")),
        ("?edit=layers:1&pasted=7", 7, WorkbenchState("", "layers:1", 7)),
        ("?pasted=7", 8, WorkbenchState(START)),
        ("?pasted=0", 0, WorkbenchState(START)),
    ],
)
def test_an_address_names_a_model_or_what_was_pasted(search, turn, wished):
    """Where it names nothing, or a text that the session has not, it is the model that the workbench begins with."""
    assert state(search, turn) == wished


def test_what_stands_beside_it_is_forgiven():
    """Our two where the address says nothing, none where it says so, nothing for a name that nobody has."""
    assert beside("") == list(BESIDE)
    assert beside("?vs=none") == ["", ""]
    assert beside("?vs=,openai/gpt-oss-20b,more") == ["", "openai/gpt-oss-20b"]
    assert beside("?vs=nobody/nothing") == ["", ""]
    assert [context(f"?context={words}") for words in ("8192", "-1", "1e9", "9" * 12)] == [8192, 131072, 131072, 131072]
