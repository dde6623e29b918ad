"""Short names in packed scripts: what is renamed, what keeps its letters, and that nothing else changes."""

from __future__ import annotations

import re

import pytest

import explainers
from explainers import javascript, renamed
from tests.explainers.javascript import Token, tokens

SAME = r"\b(\w+): \1\b"  # the long form of { node }
BECOMES = {
    "const sum = (first, second) => first + second;": "const sum = (a, b) => a + b;",
    "const f = ({ node, wide: width, tall = 3 }) => node[width] + tall;":
        "const f = ({ node: a, wide: b, tall: c = 3 }) => a[b] + c;",
    "const f = (node) => ({ node, width: node.width });": "const f = (a) => ({ node: a, width: a.width });",
    "const f = (node) => `node ${node.title} of ${`${node}`}`;": "const f = (a) => `node ${a.title} of ${`${a}`}`;",
    "const f = (list) => list.map(silu).filter(Boolean);": "const f = (a) => a.map(silu).filter(Boolean);",
    "const f = (text) => text.replace(/text}/g, 'text');": "const f = (a) => a.replace(/text}/g, 'text');",
    "const f = (slot, end) => (slot.from / end) * slot.in / end;": "const f = (a, b) => (a.from / b) * a.in / b;",
    "const f = (end) => { return /end/.test(end) / end; };": "const f = (a) => { return /end/.test(a) / a; };",
    "const f = (total, part) => total / part / 2;": "const f = (a, b) => a / b / 2;",
    "const [wide, tall] = [(wide) => wide, 2];": "const [wide, tall] = [(wide) => wide, 2];",
    "const f = (ok) => (ok ? ok : g(ok));": "const f = (a) => (a ? a : g(a));",
    "function go(step, { at = start } = {}) { return { step, at }; }":
        "function go(a, { at: b = start } = {}) { return { step: a, at: b }; }",
    "const f = () => { for (const [key, one] of rows) g(key, one); };":
        "const f = () => { for (const [a, b] of rows) g(a, b); };",
    "const f = (top) => { const outer = top; try { g(); } catch (error) { h(error, outer); } };":
        "const f = (top) => { const a = top; try { g(); } catch (b) { h(b, a); } };",
    "const o = { draw(size) { return size; }, get big() { return 1; } };":
        "const o = { draw(a) { return a; }, get big() { return 1; } };",
    "const f = () => { // one\n  /* two */ g('/* // */', /\\/*/); };": "const f = () => {\ng('/* // */', /\\/*/); };",
    "const f = (a, node) => { const [, second] = node; return second + b; };":
        "const f = (a, c) => { const [, d] = c; return d + b; };",
}  # fmt: skip


@pytest.mark.parametrize("script", BECOMES)
def test_a_statement_gets_short_names(script):
    """Parameters, patterns and constants inside; not keys, properties, strings, the top level or what is not given."""
    assert renamed.renamed(script) == BECOMES[script]


def test_a_name_of_the_top_level_keeps_its_letters():
    """Two statements share what the first gives to the top level, and nothing else."""
    script = "const all = (part) => part;\nconst two = (part) => all(part) + all(part);\n"
    assert renamed.renamed(script) == "const all = (a) => a;\nconst two = (a) => all(a) + all(a);\n"


def test_a_head_around_statements_keeps_its_names():
    """Parameters of a function whose body stands at the left edge belong to every statement of the body."""
    script = "export default ({ node, wide }) => {\nconst f = (part) => node + part;\nreturn f(wide);\n};\n"
    assert renamed.renamed(script) == script.replace("part", "a")


def test_names_are_given_in_one_order():
    """A build gives a file the same bytes as the build before it, so that a browser need not load it again."""
    names = [f"{letter}_{n}" for letter in "qwertyuiop" for n in range(4)]
    script = f"const [{', '.join(names)}] = rows;\n"
    assert list(renamed.of_top([script], "kept")) == sorted(names)


def test_what_it_does_not_know_stays():
    """A statement with a class or a switch is left as it is."""
    for script in ("const f = (node) => { switch (node) { default: } };", "class A { draw(node) { return node; } }"):
        assert renamed.renamed(script) == script


def all_of() -> list:
    """All names; `make check` takes those of bits and blocks."""
    return [one if one < "c" else pytest.param(one, marks=pytest.mark.whole) for one in explainers.names()]


@pytest.mark.parametrize("name", all_of())
def test_nothing_but_names_changes(name):
    """With the long names put back an explainer's module is what it was, without comments."""
    script = explainers.sent.needed(name)
    assert "".join(javascript.texts(script)) == script
    for part in filter(str.strip, renamed.START.split(script)):
        back = {short: long for long, short in renamed.into(part).items()}
        again = "".join(renamed.written(one, back) for one in javascript.tokens(renamed.statement(part)))
        long = [[one.text for one in tokens(re.sub(SAME, r"\1", text))] for text in (part, again)]
        assert long[0] == long[1]


def scripts() -> dict[str, str]:
    """All that is packed: modules of explainers, the machine of beats, the host, what /plan/ runs."""
    static = explainers.HERE.parent / "static" / "js"
    files = [static / "host.js", *sorted((static / "plan").glob("*.js"))]
    found = {name: explainers.sent.needed(name) + explainers.sent.page_script(name) for name in explainers.names()}
    return found | {"machine": explainers.kit_text(*explainers.MACHINE)} | {f.name: f.read_text("utf-8") for f in files}


@pytest.mark.whole
def test_no_name_is_left_behind():
    """By another reading of JavaScript: where a name got a short one, only keys and properties are still called so."""
    left = []
    for where, script in scripts().items():
        for part in filter(str.strip, renamed.START.split(script)):
            names = renamed.into(part)
            words = [*tokens(renamed.statement(part)), Token("sign", 0, ""), Token("sign", 0, "")]
            for before, one, after in zip([Token("sign", 0, ""), *words], words, words[1:], strict=False):
                key = before.text in (".", "?.", "get", "set") or after.text == ":"
                if one.kind == "word" and one.text in names and one.text not in names.values() and not key:
                    left.append((where, one.text))
    assert left == []
