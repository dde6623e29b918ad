"""/docs/: everything the package exports and the command takes is there, as the code has it, and examples give what
they say."""

from __future__ import annotations

import dataclasses
import doctest
import inspect
import json
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from urllib.parse import urljoin

import pytest
from bs4 import BeautifulSoup

import cutaway
from cutaway.app.docs import api, commands, markdown, outputs, page, schema_rows, schemas, sources, tutorial
from cutaway.app.site.pages import all_pages
from cutaway.gallery import catalog
from cutaway.gallery.command import cli
from cutaway.gallery.command.arguments import parser
from cutaway.gallery.command.examples import EXAMPLES
from tests.one_site import SITE

ROOT = Path(__file__).resolve().parents[2]
TEXTS = {name: (ROOT / name).read_text("utf-8") for name in ("app/docs/start.md", "README.md")}
FUNCTIONS = [name for name in cutaway.__all__ if inspect.isfunction(getattr(cutaway, name))]


@cache
def soup(path: str) -> BeautifulSoup:
    """The main part of a page."""
    (found,) = (one for one in page.pages(SITE) if one.path == path)
    return BeautifulSoup(found.content(), "html.parser").main


def words(text: str) -> str:
    return " ".join(text.split())


# ---------------------------------------------------------------- the API


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_stands_there_as_python_has_it(name):
    """Its parameters, their defaults and its docstring, as inspect finds them; griffe reads the source."""
    entry = soup(page.API).find(id=name).parent
    shown = words(entry.select_one("pre").get_text()).replace("( ", "(").replace(", )", ")")
    found = inspect.signature(getattr(cutaway, name))
    plain = found.replace(
        parameters=[one.replace(annotation=one.empty) for one in found.parameters.values()],
        return_annotation=found.empty,
    )
    scope: dict = {}
    exec(f"def {shown.partition(' -> ')[0]}: ...", dict.fromkeys(("Model", "Any", "Mapping"), object), scope)
    read = inspect.signature(scope[name])
    assert str(read.replace(parameters=[p.replace(annotation=p.empty) for p in read.parameters.values()])) == str(plain)
    said = markdown.html(inspect.getdoc(getattr(cutaway, name)))
    assert words(BeautifulSoup(said, "html.parser").get_text()) in words(entry.get_text())


def test_every_exported_name_has_a_heading_and_nothing_else_has():
    """What is in `__all__`, and the classes of the package that its functions return."""
    ids = [one["id"] for one in soup(page.API).select("h3")]
    assert len(ids) == len(set(ids))
    assert set(ids) == {*cutaway.__all__, *(one.name for one in api.returned())}
    assert {"Memory", "Parameters", "Flops", "Weight", "Drawing"} <= set(ids)
    (first, *_) = commands.about()
    assert first == words(parser().description.split("\n\n")[0]) and first in words(soup(page.COMMANDS).get_text())


def test_the_fields_of_what_is_returned_are_the_classs_own():
    """As dataclasses lists them, with their types; what a repr leaves out is left out."""
    from cutaway.gallery.counting.memory import Memory
    from cutaway.gallery.spec import ModelSpec

    for kind in (Memory, ModelSpec):
        entry = soup(page.API).find(id=kind.__name__).parent
        shown = [row.th.get_text() for row in entry.select("tbody tr")]
        fields = [one.name for one in dataclasses.fields(kind) if one.repr]
        assert [name for name in shown if name in fields] == fields
        assert all(name in fields or isinstance(getattr(kind, name), property) for name in shown)
    assert "graphs" not in shown
    parts = [one.name for entry in api.returned() for one in (*entry.fields, *entry.methods)]
    assert [name for name in parts if name.startswith("_")] == [] and "to_pandas" in parts


def test_a_comment_beside_a_field_is_its_meaning():
    """The fields' comments are the only words on them; a note for tools is none."""
    found = {one.name: one for one in api.returned()}["Memory"].fields
    says = {one.name: one.says for one in found}
    assert says["total_bytes"] == "for all sequences of the batch"
    assert not any(text.startswith(("type:", "noqa", "fmt:")) for text in says.values())


def test_what_is_not_there_is_named():
    """A path that leads nowhere says where it ended."""
    with pytest.raises(LookupError, match=r"cutaway\.gallery\.spec defines no Nothing"):
        sources.find("cutaway.gallery.spec.Nothing")


# ---------------------------------------------------------------- the command


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_a_command_stands_there_with_all_its_arguments(name):
    """Every option that its own help lists."""
    section = soup(page.COMMANDS).find(id=name).parent
    grammar = parser().commands[name]
    named = words(" ".join(one.get_text() for one in section.select("dt")))
    for option in (option for action in grammar._actions for option in action.option_strings):
        assert option in ("-h", "--help") or option in named.replace(",", "").split(), option
    shown = section.select_one("pre").get_text()
    assert shown.startswith(f"cutaway {name}")
    assert all(action.option_strings[-1] in shown for action in grammar._actions
               if action.required and action.option_strings)  # fmt: skip


@pytest.mark.whole
def test_every_example_of_the_help_is_shown_and_gives_what_stands_below(capfd):
    """Those that need neither a shell nor a file print, in this process, what the page says they print."""
    figures = {one.code.get_text()[2:]: one for one in soup(page.COMMANDS).select("figure")}
    grammar = parser()
    rows = dict(row for rows in EXAMPLES.values() for row in rows)
    assert {line: one.figcaption.get_text().lower() for line, one in figures.items()} == {
        line: says.lower() for line, says in rows.items()
    }
    ran = [line for line in figures if outputs.runnable(line)]
    assert len(ran) >= 5
    for line in ran:
        shown = figures[line].samp.get_text().splitlines()
        assert shown and len(shown) <= commands.LINES
        if " draw " in line:
            continue
        typed = shlex.split(line)[1:]
        assert cli.main(typed + ["--offline"] * hasattr(grammar.parse_args(typed), "offline")) == 0
        printed = capfd.readouterr().out.rstrip().splitlines()
        assert [row.rstrip() for row in printed[: len(shown)]] == [row.rstrip() for row in shown]


def test_an_example_that_needs_a_shell_or_a_file_is_not_run():
    """Pipes, files, servers: shown as they are."""
    assert outputs.runnable("cutaway facts Qwen/Qwen3-8B --json")
    for line in ("cutaway facts - < x", "cutaway facts -", "cutaway serve", "cutaway draw ./config.json", "rm -r x",
                 "cutaway facts a/b | jq .", "cutaway facts 'a"):  # fmt: skip
        assert not outputs.runnable(line), line


def test_a_picture_s_example_needs_no_further_package(monkeypatch, tmp_path):
    """`make serve` installs no Typst: what a .png's line prints is worked out without it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "typst", None)
    said = outputs.run("cutaway draw Qwen/Qwen3-8B -o qwen.png --scale 2 --dark")
    assert said.startswith("Qwen3 8B") and [one.name for one in tmp_path.iterdir()] == ["qwen.svg"]


def test_a_broken_example_breaks_the_build():
    """A line that the command refuses is no documentation."""
    with pytest.raises(RuntimeError, match="nobody/nothing"):
        outputs.of(["cutaway facts nobody/nothing"])


# ---------------------------------------------------------------- JSON


@pytest.mark.parametrize("name", schemas.SCHEMAS)
def test_every_key_of_a_schema_is_described(name):
    """The keys at the top in their order, with words on each; the file itself is linked."""
    section = soup(page.JSON).find(id=f"schema-{name}").parent
    shown = [row.get_text() for row in section.select("dt") if "docs-inner" not in row.parent.get("class", ())]
    assert shown == list(schemas.SCHEMAS[name]["properties"])
    assert all(row.says for row in schema_rows.rows(name) if row.depth == 0)
    assert any(link["href"].endswith(f"/data/schema/{name}.json") for link in section.select("a"))


@pytest.mark.parametrize(
    ("expected", "schema"),
    [
        ("list of whole numbers", {"type": "array", "items": {"type": "integer"}}),
        ("list of lists of texts", {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}),
        ("text or null", {"type": ["string", "null"]}),
        ("any", {}),
        ('"a" | "b"', {"type": "string", "enum": ["a", "b"]}),
    ],
)
def test_kinds_are_said_in_words(expected, schema):
    """Types of JSON Schema as a reader says them."""
    assert schema_rows.kind(schema) == expected


# ---------------------------------------------------------------- texts


@pytest.fixture
def offline(monkeypatch, tmp_path):
    """The catalogue's snapshots for the Hub, an empty folder to write in."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.chdir(tmp_path)


def test_the_python_of_the_start_page_gives_what_it_says(offline):
    """All blocks in order, as one session."""
    code = "\n".join(markdown.blocks(TEXTS["app/docs/start.md"], "python"))
    test = doctest.DocTestParser().get_doctest(code, {}, "start.md", "app/docs/start.md", 0)
    assert len(test.examples) >= 6
    said: list[str] = []
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=said.append).failed == 0, said
    assert Path("qwen3.svg").read_text("utf-8").startswith("<svg")


@pytest.mark.parametrize("name", TEXTS)
def test_every_command_of_the_texts_runs(name, offline, capfd):
    """Each line of a shell block that is a command of ours, but servers, exits with 0."""
    Path("config.json").write_text(json.dumps(catalog.load("Qwen/Qwen3-8B")))
    lines = [
        line.partition("#")[0].strip() for block in markdown.blocks(TEXTS[name], "sh") for line in block.splitlines()
    ]
    ours = [line for line in lines if line.startswith("cutaway ") and line.split()[1] not in outputs.LONG]
    assert len(ours) >= 2
    for line in ours:
        assert cli.main(shlex.split(line)[1:]) == 0, (line, capfd.readouterr().err)


def test_headings_have_ids_of_their_own_and_html_stays_text():
    """Two alike are told apart; what a text has of markup is shown."""
    text = "## A *b*\n\n## A b\n\n<script>x</script> and [here](/models/)"
    assert [(one.id, one.words) for one in markdown.headings(text)] == [("a-b", "A b"), ("a-b-2", "A b")]
    made = markdown.html(text, lambda path: ".." + path)
    assert "&lt;script&gt;" in made and 'href="../models/"' in made


def test_the_tutorial_shows_every_cell_and_every_output():
    """Words, code and what it gave; its pictures are files, described by what they say of themselves."""
    main, cells = soup(tutorial.PATH), tutorial.cells()
    assert [one.code.get_text() for one in main.select(".docs-cell")] == [one.code for one in cells if one.code]
    assert [one.get_text() for one in main.select("samp")] == [one.text for one in cells if one.text]
    (picture,) = main.select("img")
    assert picture["alt"].startswith("Qwen3 8B: 36 layers")
    assert urljoin(tutorial.PATH, picture["src"]) in tutorial.pictures()
    assert not any(output["output_type"] == "error" for one in tutorial._cells() for output in one.get("outputs", ()))


def test_links_lead_to_pages_and_headings(verified):
    """Every link of every page of the documentation; so do the rows at the side."""
    there = {one.path for one in all_pages(SITE)}
    paths = [one.path for one in page.pages(SITE) if one.path.endswith("/")]
    found = [(path, urljoin(path, link["href"])) for path in paths for link in soup(path).select("a[href]")]
    inside = [(path, target) for path, target in found if "://" not in target]
    wrong = [(path, target) for path, target in inside if target.split("#")[0].split("?")[0] not in there]
    ids = {path: {one["id"] for one in soup(path).select("[id]")} for path in paths}
    wrong += [
        row for row in inside if "#" in row[1] and (at := row[1].split("#"))[0] in ids and at[1] not in ids[at[0]]
    ]
    assert wrong == []
    verified("links on the pages of the documentation", len(inside), len(wrong), "the pages of the site")


def test_the_outputs_need_no_package_of_the_site():
    """The process that runs the examples loads neither Panel nor Bokeh: it starts in a blink."""
    code = "import sys, cutaway.app.docs.outputs; print([name for name in ('panel', 'bokeh') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
