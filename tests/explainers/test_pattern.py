"""Every explainer follows the pattern: what its folder holds, and that its JavaScript is its reference again."""

from __future__ import annotations

import json
import math
import random
import re
from functools import cache

import pytest
from panel.custom import AnyWidgetComponent

from cutaway import explainers
from cutaway.app.learn import widgets
from cutaway.explainers import fmt, permalink
from tests import bundled
from tests.explainers import expected

NAMES = explainers.names()
PLAIN = (int, float, str, bool, type(None), list, dict)


def folders() -> list[str]:
    return sorted(path.parent.name for path in explainers.HERE.glob("*/page.md"))


@pytest.mark.parametrize("name", folders())
def test_a_folder_has_the_four_files(name):
    """A folder with words also has a reference, a widget and a style: only then is it an explainer. It is a package."""
    assert name.isidentifier() and (explainers.HERE / name / "__init__.py").is_file()
    missing = [file for file in explainers.FILES if not (explainers.HERE / name / file).is_file()]
    assert missing == []


@pytest.mark.parametrize("name", NAMES)
def test_the_words_are_complete(name):
    """The front matter has the field's term and a question, names sources and where to go next."""
    one = explainers.load(name)
    assert one.question.endswith("?") and not one.title.endswith("?")
    assert one.sources
    assert [other for other in one.next if other not in NAMES] == []
    assert 1 <= len(one.summary.split()) <= 60


@pytest.mark.parametrize("name", NAMES)
def test_the_module_is_import_free_and_safe(name):
    """What Panel and notebooks get imports nothing and has one default; no markup from strings, no style attribute."""
    script = explainers.module(name)
    for bad in (r"^\s*import\b", r"\bimport\s*\(", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"):
        assert re.search(bad, script, flags=re.M) is None, bad
    assert re.search(r"setAttribute\(\s*.style|style:\s*[\"'`]", script) is None
    assert len(re.findall(r"\bas default\b", script)) == 1


def test_a_widget_has_only_what_it_uses():
    """A module gets the parts of the kit that it calls, and what those call."""
    kit = bundled.bundled('import { number } from "./kit/controls.js";\nnumber({ label: "n" });')
    assert all(f"{name} = (" in kit for name in ("number", "text_input", "control", "h", "setAttrs"))
    assert not any(f"{name} = (" in kit for name in ("makeTable", "addTooltip", "onDrag"))


@pytest.mark.parametrize("name", NAMES)
def test_every_selector_is_prefixed_and_every_colour_is_a_token(name):
    """widget.css reaches nothing outside .cw-<name>, and names no colour of its own."""
    css = re.sub(r"/\*.*?\*/", "", (explainers.folder(name) / "widget.css").read_text(), flags=re.S)
    css = re.sub(r"@keyframes\s+cw-[\w-]+\s*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", "", css)
    heads = [head.strip() for head in re.findall(r"([^{};]+)\{", css) if not head.strip().startswith("@")]
    selectors = [s.strip() for head in heads for s in split_selectors(head)]
    assert selectors
    assert [s for s in selectors if not re.match(rf"(\.cw )?\.cw-{name}(?![a-z0-9_])", s)] == []
    assert re.findall(r"#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch|lab)a?\(|:\s*(?:white|black|red|gray|grey)\b", css) == []


def split_selectors(head: str) -> list[str]:
    """Selectors of a list, commas inside parentheses left alone."""
    return re.split(r",(?![^()]*\))", head)


@pytest.mark.parametrize("name", NAMES)
def test_files_apart_are_those_that_are_named(name):
    """The list of all pages names each file that the data holds apart, without reading the data."""
    assert sorted(explainers.data(name).get("apart", {})) == sorted(explainers.separate_files(name))


@pytest.mark.parametrize("name", NAMES)
def test_the_state_is_plain_and_legal(name):
    """State holds plain finite values, its defaults and most shared cases are legal, and no key is Panel's own."""
    made = explainers.reference(name)
    assert [key for key, value in made.STATE.items() if not isinstance(value, PLAIN)] == []
    json.dumps(made.STATE, allow_nan=False)
    assert set(made.STATE) & (set(AnyWidgetComponent.param) | {"data"}) == set()
    check = explainers.checker(name)
    assert check(made.STATE) == ""
    assert [case for case in cases(name) if not set(case) <= set(made.STATE)] == []
    assert len(legal(name)) > len(cases(name)) / 2


@cache
def cases(name: str) -> list[dict]:
    """The shared cases of an explainer: made once, since some of them try thousands of states."""
    return explainers.reference(name).cases()


@cache
def legal(name: str) -> list[dict]:
    """The shared cases that check allows, as whole states."""
    state, check = explainers.reference(name).STATE, explainers.checker(name)
    return [one for one in ({**state, **case} for case in cases(name)) if not check(one)]


@pytest.mark.parametrize("name", NAMES)
def test_the_widget_listens_to_its_state(name, blank):
    """Rendered on a recording model, the widget asks for its state keys and data, and listens once for each key."""
    state = explainers.reference(name).STATE
    page = blank(explainers.module(name))
    asked, heard = page.evaluate(RECORD, json.dumps([state, explainers.data(name)]))
    assert set(asked) <= {*state, "data"}
    assert sorted(heard) == sorted(f"change:{key}" for key in state)


RECORD = """(text) => {
  const [state, data] = JSON.parse(text);
  const [asked, heard] = [[], []];
  const model = {
    get: (key) => { asked.push(key); return key === "data" ? data : state[key]; },
    set: (key, value) => { state[key] = value; },
    save_changes: () => {},
    on: (event) => heard.push(event),
    off: (event) => heard.splice(heard.indexOf(event), 1),
  };
  const cleanup = loaded.default.render({ model, el: document.body });
  const listening = [...heard];
  cleanup();
  if (heard.length || document.body.children.length) throw new Error("cleanup left something behind");
  return [asked, listening];
}"""


# ---------------------------------------------------------------- JavaScript is the reference again


@pytest.mark.parametrize("name", NAMES)
def test_javascript_computes_what_the_reference_computes(name, blank, called, plain, verified):
    """Over the shared cases, compute in Chromium gives every key and value that compute in Python gives."""
    made, data = expected.reference(name), explainers.data(name)
    states = [made.STATE, *legal(name)]
    theirs = called(blank(explainers.module(name)), "compute", states, data)
    wrong = []
    for case, mine, got in zip(states, (plain(made.compute(case, data)) for case in states), theirs, strict=True):
        different = list(differences(mine, got, off=ROUNDED.get(name, 0.0)))
        wrong += [(case, different[:3])] if different else []
    assert wrong[:3] == []
    verified(f"{name}: JavaScript results on shared test cases", len(states), len(wrong), "the Python reference")


@pytest.mark.parametrize("name", NAMES)
def test_javascript_refuses_what_the_reference_refuses(name, blank, called):
    """check says the same sentence in both languages, for legal states and for broken ones."""
    made = explainers.reference(name)
    data = explainers.data(name)
    states = [{**made.STATE, **case} for case in [*cases(name), *broken(made)]]
    page = blank(explainers.module(name))
    theirs = called(page, "check", states, data)
    mine = map(explainers.checker(name), states)
    assert [triple for triple in zip(states, mine, theirs, strict=True) if triple[1] != triple[2]] == []


@pytest.mark.parametrize("name", [name for name in NAMES if explainers.settler(name)])
def test_javascript_settles_as_the_reference_does(name, blank, plain):
    """What a link leaves open moves to the same legal value in both languages, whatever the link sets."""
    made, settle = explainers.reference(name), explainers.settler(name)
    rng = random.Random(8)
    asked = [
        ({**made.STATE, **case}, sorted(rng.sample(list(case), rng.randrange(len(case) + 1)))) for case in cases(name)
    ]
    page = blank(explainers.module(name))
    run = """(text) => { const [all, d] = JSON.parse(text);
      return JSON.stringify(all.map(([s, g]) => loaded.settle(s, g, d))); }"""
    theirs = json.loads(page.evaluate(run, json.dumps([asked, explainers.data(name)])))
    mine = [plain(settle(state, given)) for state, given in asked]
    assert [triple for triple in zip(asked, mine, theirs, strict=True) if triple[1] != triple[2]] == []


def broken(made) -> list[dict]:
    """States that may be illegal: the module's own, and each key set to something odd of its kind."""
    odd = {int: [-1, 0, 7, 10**9], float: [-1.5, 1e30], str: ["", "nonsense", "<b>"], bool: [True, False], list: [[]]}
    one_off = [{key: value} for key, default in made.STATE.items() for value in odd.get(type(default), [])]
    return [*getattr(made, "bad_cases", list)(), *one_off]


# name -> what a float may be off, where a reference says so: sums in another order, powers and cosines
ROUNDED = {name: off for name in NAMES if (off := getattr(explainers.reference(name), "ROUNDED", 0.0))}


def differences(mine, theirs, off: float = 0.0):
    """(path, mine, theirs) where two JSON values differ; a float may be off by a share."""
    if isinstance(mine, dict) and isinstance(theirs, dict):
        for key in {**mine, **theirs}:
            for path, *both in differences(mine.get(key, "absent"), theirs.get(key, "absent"), off):
                yield f".{key}{path}", *both
    elif isinstance(mine, list) and isinstance(theirs, list) and len(mine) == len(theirs):
        if mine == theirs and ({*map(type, mine), *map(type, theirs)} in ALIKE):
            return  # a long row of numbers: one look
        for i, pair in enumerate(zip(mine, theirs, strict=True)):
            for path, *both in differences(*pair, off):
                yield f"[{i}]{path}", *both
    elif type(mine) in (int, float) and type(theirs) in (int, float):
        if not math.isclose(mine, theirs, rel_tol=off, abs_tol=off / 1000):
            yield "", mine, theirs
    elif mine != theirs or type(mine) is not type(theirs):
        yield "", mine, theirs


ALIKE = (set(), {int}, {float}, {int, float}, {str}, {bool})  # of plain values that are equal where == says so


# ---------------------------------------------------------------- the kit's and the host's Python twins


def test_numbers_are_printed_the_same_in_both_languages(blank, verified):
    """kit.fmt and explainers.fmt give the same strings for counts, bytes and percentages."""
    rng = random.Random(4)
    numbers = [0, 1, 999, 1000, 1024, 12345, 999_950, 10**6, 671026419200, 0.0256, 1.5, 2.5, -7168, 327680]
    numbers += [rng.randrange(10 ** rng.randrange(1, 13)) for _ in range(300)]
    numbers += [rng.random() * 10 ** rng.randrange(-3, 12) for _ in range(300)]
    page = blank(bundled.kit())
    theirs = page.evaluate(
        """(all) => all.map((n) => { const f = loaded.kit.fmt;
          return [f.int(n), f.count(n), f.bytes(n), f.kib(n), f.bytes(n, "KB"),
            f.percent(n), f.times(n), f.fixed(n, 3), f.signed(-n, 1), f.num(-n, 4), f.num(n / 2 ** 70, 3)]; })""",
        numbers,
    )
    wrong = 0
    for n, got in zip(numbers, theirs, strict=True):
        mine = [fmt.integer(n), fmt.count(n), fmt.in_bytes(n), fmt.in_kib(n), fmt.in_bytes(n, "KB")]
        mine += [fmt.percent(n), fmt.times(n), fmt.fixed(n, 3), fmt.signed(-n, 1)]
        mine += [fmt.num(-float(n), 4), fmt.num(n / 2**70, 3)]
        wrong += mine != got
        assert mine == got, n
    assert [fmt.sup(-12), fmt.pow2(-6)] == page.evaluate("[loaded.kit.fmt.sup(-12), loaded.kit.fmt.pow2(-6)]")
    verified("number formatting in JavaScript", len(numbers), wrong, "explainers.fmt")


DEFAULTS = {"a": "x", "n": 3, "f": 0.5, "on": False, "list": [1, 2], "deep": {"k": [None, "é"]}, "any": None}
QUERIES = [
    "?n=7", "?f=1e-3&on=true", "?on=1&list=3,4.5,-2", "?a=%C3%A9%20b%26c", "?deep=%7B%22k%22%3A1%7D", "?any=5",
    "?n=x", "?on=maybe", "?list=a,b", "?deep=%7B", "?zz=1", "?n=", "?theme=dark&utm_x=1", "?list=", "?n=1e999", "?a=",
    "?list=%5B%22p%22%5D", "?n=%20%20", "?f=NaN", "?n=7&n=8", "", "?any=%5B1%5D", "?list=9",
]  # fmt: skip


def test_links_are_read_the_same_in_both_languages(blank):
    """readQuery and permalink.read turn a query, good or broken, into the same state and the same sentences."""
    page = blank(bundled.bundled('export * as host from "./kit/host.js";'))
    theirs = page.evaluate("([all, d]) => all.map((q) => loaded.host.readQuery(q, d))", [QUERIES, DEFAULTS])
    mine = [dict(zip(("state", "says"), permalink.read_address(DEFAULTS, query), strict=True)) for query in QUERIES]
    assert list(zip(QUERIES, mine, strict=True)) == list(zip(QUERIES, theirs, strict=True))


def test_links_are_written_the_same_and_read_back(blank):
    """writeQuery and permalink.write give the same short query, and reading it gives the state back."""
    states = [
        {}, {"n": 8}, {"f": 2.0, "on": True}, {"a": "é b&c=+%"}, {"list": [1.5, -2]}, {"list": []},
        {"deep": {"k": "ü"}}, {"any": [1, "x"]}, {"a": "-0"}, {"a": "1,000/3"}, {"list": ["p", "q"]},
    ]  # fmt: skip
    states = [{**DEFAULTS, **state} for state in states]
    page = blank(bundled.bundled('export * as host from "./kit/host.js";'))
    theirs = page.evaluate("([all, d]) => all.map((s) => loaded.host.writeQuery(s, d))", [states, DEFAULTS])
    assert [permalink.write(DEFAULTS, state) for state in states] == theirs
    assert [(state, []) for state in states] == [permalink.read_address(DEFAULTS, query) for query in theirs]


def test_an_unknown_key_is_refused_when_a_link_is_made():
    """A page that presets a state the explainer does not have fails at build time."""
    with pytest.raises(KeyError, match="no state tpp"):
        permalink.write({"tp": 1}, {"tpp": 2})


def test_each_widget_class_has_its_own_name():
    """Panel caches by class name: no two explainers share one."""
    made = [widgets.widget_class(name).__name__ for name in NAMES]
    assert len(set(made)) == len(made) > 0


def test_a_notebook_widget_is_made_from_the_same_folder():
    """explainers.notebook gives an anywidget with the module, the style and the state."""
    pytest.importorskip("anywidget")
    made = explainers.notebook("bits", typed="0.1")
    assert (made.typed, made.format) == ("0.1", "float8_e4m3fn")
    with pytest.raises(KeyError, match="no state nothing"):
        explainers.notebook("bits", nothing=1)


def test_a_notebook_without_anywidget_says_what_to_install(monkeypatch):
    """Where the extra is missing, the sentence names the command."""
    import sys

    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match=r"pip install \"cutaway\[notebook\]\""):
        explainers.notebook("bits")
