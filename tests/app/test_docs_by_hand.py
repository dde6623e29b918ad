"""What /docs/ makes of a source, a grammar, a schema and a text that a test wrote, part by part."""

from __future__ import annotations

import argparse

import griffe
import pytest

from cutaway.app.docs import api, commands, markdown, page, schema_rows, sources

SOURCE = '''
from dataclasses import dataclass, field
import json as _json
import math

def plain(a, /, b: int = 2, *, c=3, **more) -> str: ...
def many(*parts: str, sep=" "): ...
def long(aaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbb, cccccccccccccccc) -> int: ...

@dataclass
class Box:
    """What holds."""
    import math
    width: int  # in pixels
    # how many
    # lie in it
    count: int = 0  # noqa: E501
    kept: dict = field(default_factory=dict, repr=False)  # of nobody
    _own: int = 1

    def area(self, scale=1) -> float:
        """Of its front."""
    def _hidden(self): ...

class BoxError(ValueError):
    """It does not hold."""
'''


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The module above as griffe reads it from a file."""
    file = tmp_path_factory.mktemp("docs") / "made.py"
    file.write_text(SOURCE)
    return griffe.visit("made", filepath=file, code=SOURCE)


@pytest.mark.parametrize(("name", "shown"), [
    ("plain", "plain(a, /, b: int = 2, *, c=3, **more) -> str"),
    ("many", "many(*parts: str, sep=' ')"),
    ("long", "long(\n    aaaaaaaaaaaaaaaaaaaaaaaa,\n    bbbbbbbbbbbbbbbbbbbbbbbbb,\n    cccccccccccccccc,\n) -> int"),
])  # fmt: skip
def test_a_signature_is_written_as_python_writes_it(made, name, shown):
    """Marks of what is positional or named alone, no mark twice, a line each where one would be too long."""
    assert api.signature(name, made[name]) == shown


def test_a_signature_of_72_columns_stays_on_its_line(made):
    """One more column breaks it."""
    line = api.signature("many", made["many"])
    longer = "m" * (72 - len(line)) + "many"
    assert api.signature(longer, made["many"]) == line.replace("many", longer, 1)
    assert api.signature("m" + longer, made["many"]).count("\n") == 3


def test_a_class_shows_its_public_fields_and_methods(made):
    """Imports, what begins with a line below and what a repr leaves out are no fields; self is no parameter."""
    box = api._class("Box", made["Box"])
    assert (box.kind, box.says) == ("class", "What holds.")
    assert box.fields == (api.Member("width", "int", "in pixels"), api.Member("count", "int", "how many lie in it"))
    assert box.methods == (api.Member("area", "area(scale=1) -> float", "Of its front."),)
    assert api._class("BoxError", made["BoxError"])[1:4] == ("exception", "", "It does not hold.")


def test_a_path_is_followed_to_where_it_is_defined():
    """Through the package's own import; of a module that is not there nothing is found."""
    assert (
        sources.find("cutaway.gallery.drawing.svg.tokens").canonical_path == "cutaway.gallery.drawing.marks_svg.tokens"
    )
    with pytest.raises(LookupError, match=r"No module of nobody\.knows can be imported"):
        sources.find("nobody.knows")


def grammar() -> argparse.ArgumentParser:
    """A command with an argument, a flag, an option that is needed, one with a choice, and one that nobody is told."""
    one = argparse.ArgumentParser(description="Say it.", prog="cutaway say")
    one.add_argument("words", nargs="+", help="what to say;\n  twice")
    one.add_argument("-l", "--loud", action="store_true", help="louder")
    one.add_argument("--to", required=True, metavar=("A", "B"), nargs=2, help="between %(prog)s")
    one.add_argument("--sort-by", choices=["a", "b"], default="a", help="which first")
    one.add_argument("--times", default=3, help="how often (default %(default)s)")
    one.add_argument("--secret", help=argparse.SUPPRESS)
    return one


def test_a_command_is_told_by_its_grammar():
    """Its usage names what is needed, words first; each argument has its values, choices and what it is without."""
    said = commands._command("say", grammar(), ())
    assert (said.says, said.usage) == ("Say it.", "cutaway say words --to A B [options]")
    assert said.arguments == (
        commands.Argument("words", "what to say; twice"), commands.Argument("-l, --loud", "louder"),
        commands.Argument("--to A B", "between cutaway"),
        commands.Argument("--sort-by SORT_BY", "which first", ("a", "b"), "a"),
        commands.Argument("--times TIMES", "how often (default 3)"),
    )  # fmt: skip
    bare = argparse.ArgumentParser(description="x")
    bare.add_argument("a")
    assert commands._command("say", bare, ()).usage == "cutaway say a"


@pytest.mark.parametrize(("lines", "left"), [(0, 0), (1, 0), (14, 0), (15, 1), (40, 26)])
def test_fourteen_lines_of_an_output_are_shown(lines, left):
    """The rest is counted; spaces at the end are none of them."""
    shown = commands._shown("cutaway x", "says", "".join(f"{n}\n" for n in range(lines)) + "\n  \n")
    assert (shown.output.splitlines(), shown.left) == ([str(n) for n in range(min(lines, 14))], left)


def test_keys_inside_keys_are_shown_one_level_deep():
    """A list's keys behind [], an object's behind a dot; what is needed is said of each."""
    deep = {"type": "object", "properties": {"deeper": {"type": "null"}}}
    inner = {"type": "object", "properties": {"deep": deep}, "required": ["deep"]}
    named = {"type": "string", "description": "its name"}
    schema = {
        "properties": {"rows": {"type": "array", "items": inner}, "one": inner, "name": named},
        "required": ["one"],
    }
    found = [(row.key, row.depth, row.kind, row.says, row.always) for row in schema_rows._keys(schema, "", 0)]
    assert found == [
        ("rows", 0, "list of objects", "", False), ("rows[].deep", 1, "object", "", True),
        ("one", 0, "object", "", True), ("one.deep", 1, "object", "", True), ("name", 0, "text", "its name", False),
    ]  # fmt: skip
    assert [schema_rows.kind(one) for one in ({"const": 3}, {"type": "array", "items": {"type": "boolean"}})] == [
        '"3"', "list of true or false",
    ]  # fmt: skip


TEXT = """# A `title`

## Same
## Same!
### Same
##  ...

[in](/plan/) and [out](https://x.org/)

```python
one = 1
```
```text
no
```

| a |
|---|
| b |
"""


def test_a_text_becomes_headings_code_and_links_of_its_page():
    """Ids differ, in their order; marks of a heading are none of its words; a link of the site goes through `url`."""
    assert markdown.headings(TEXT) == [
        (1, "a-title", "A title"), (2, "same", "Same"), (2, "same-2", "Same!"), (3, "same-3", "Same"),
        (2, "part", "..."),
    ]  # fmt: skip
    assert [part.id for part in page.headings(TEXT)] == ["same", "same-2", "part"]
    assert markdown.blocks(TEXT, "python") == ["one = 1\n"]
    drawn = markdown.html(TEXT, lambda to: f"..{to}")
    assert '<a href="../plan/">in</a>' in drawn and '<a href="https://x.org/">out</a>' in drawn
    assert drawn.count('<div class="scroll"><table>') == drawn.count("</table></div>") == 1
    assert page.body(TEXT).startswith("\n## Same") and page.body("no title\nx") == "no title\nx"
    assert page.described("<svg><desc>a &lt; b</desc></svg>") == "a < b"
