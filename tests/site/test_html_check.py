"""The check of pages finds each mistake that it is there for, and nothing in sound HTML."""

from __future__ import annotations

import pytest

from tests.site.html_check import Document

COMBOBOX = '<input role="combobox" aria-expanded="false" aria-controls="a"><b id="a"></b>'
SEARCH = COMBOBOX.replace("<input", '<input type="search"')
FIGURE = "<figure><figcaption>a</figcaption><table><caption>a</caption></table></figure>"
# what is wrong: (HTML, every error that it is)
WRONG = {
    "a combobox is a text field": (SEARCH, ["<input type=search> is no combobox"]),
    "it says what it opens": ('<input role="combobox" aria-expanded="true">', ["a combobox without aria-controls"]),
    "it says whether it is open": (COMBOBOX.replace('aria-expanded="false"', ""), ["a combobox without aria-expanded"]),
    "a label names one field": ("<label><input><output>3</output></label>", ["<label> holds a second field, <output>"]),
    "a list holds items": ("<ul><div>a</div></ul>", ["<ul> holds <div>"]),
    "an item stands in a list": ("<div><li>a</li></div>", ["<li> in <div>"]),
    "a cell stands in a row": ("<table><td>a</td></table>", ["<td> in <table>", "<table> holds <td>"]),
    "a paragraph holds phrases": ("<p><div>a</div></p>", ["the block <div> in <p>, which holds phrases alone"]),
    "a span holds phrases, at any depth": (
        "<span><a href='x'><p>a</p></a></span>",
        ["the block <p> in <span>, which holds phrases alone"],
    ),
    "a link holds no button": ('<a href="x"><button>a</button></a>', ["<button> in <a>: one click, two meanings"]),
    "at any depth": ('<button><b><a href="y">a</a></b></button>', ["<a> in <button>: one click, two meanings"]),
    "a table has one title": (FIGURE, ["a <figure> of one table has <caption> beside <figcaption>"]),
    "terms are said once": ("<dl><dt>a</dt><dd>b</dd><dt> a</dt><dd>c</dd></dl>", ["<dt> 'a' twice in a <dl>"]),
    "a term in a group counts too": (
        "<dl><div><dt>a</dt><dd>b</dd></div><div><dt>a</dt><dd>c</dd></div></dl>",
        ["<dt> 'a' twice in a <dl>"],
    ),
    "an attribute is one there is": ("<b arialabel='a'></b>", ["<b> has no attribute arialabel"]),
    "an attribute belongs to its element": ("<p href='a'></p>", ["<p> has no attribute href"]),
    "an id is not empty": ('<b id=""></b>', ["<b id> is empty"]),
    "an address is not empty": ('<a href="">a</a>', ["<a href> is empty"]),
    "a label's field exists": ('<label for="no">a</label>', ["for=no names nothing"]),
    "a label's field is a field": ('<label for="a">a</label><b id="a"></b>', ["for=a names <b>, which takes no label"]),
    "what is described exists": ('<p aria-describedby="a no" id="a"></p>', ["aria-describedby=no names nothing"]),
    "a list of choices is one": ('<input list="a"><b id="a"></b>', ["list=a names no <datalist>"]),
    "an attribute stands once": ("<b id='a' id='b'></b>", ["<b> says an attribute twice"]),
    "a picture has words": ('<img src="a">', ["<img> without alt"]),
}
SOUND = {
    "a field and its words": '<label><input type="checkbox"><span>a</span></label>',
    "a field inside its label, then another label": "<label>a<input></label><label>b<input></label>",
    "a text field that opens a list": COMBOBOX,
    "a table with a title, alone in a figure": "<figure><table><caption>a</caption></table></figure>",
    "a title and a table that explains itself": FIGURE.replace("<caption>a</caption>", ""),
    "two figures, each with one title": FIGURE.replace("<caption>a</caption>", "")
    + FIGURE.replace("<figcaption>a</figcaption>", ""),
    "the same term in two lists": "<dl><dt>a</dt><dd>b</dd></dl><dl><dt>a</dt><dd>c</dd></dl>",
    "end tags that may be left out": "<ul><li>a<li>b</ul><dl><dt>a<dd>b<dt>c<dd>d</dl>",
    "a drawing, whose names are its own": '<p><svg viewBox="0 0 1 1"><a href="x"><text x="1">a</text></a></svg></p>',
    "a block inside a link": '<a href="x"><div>a</div></a>',
}


@pytest.mark.parametrize("what", WRONG)
def test_a_mistake_is_found(what):
    """Each thing that the standard forbids and the site once did, or could, is found and named."""
    html, errors = WRONG[what]
    assert Document(html).errors == errors


@pytest.mark.parametrize("what", SOUND)
def test_sound_html_passes(what):
    """What the standard allows is no error."""
    assert Document(SOUND[what]).errors == []


def page_with(policy: str, *scripts: str) -> str:
    inside = "".join(f"<script>{script}</script>" for script in scripts)
    return f'<meta http-equiv="Content-Security-Policy" content="script-src {policy}">{inside}'


def test_an_inline_script_is_found_unless_the_policy_names_it():
    """A script whose hash the page's policy names is no mistake, another one beside it is; data is none."""
    hello, named = "alert('Hello, world.');", "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"  # of CSP Level 3
    assert Document(page_with(named, hello)).inline == []
    assert Document(page_with(named, hello, "alert(2)")).inline == ["<script>"]
    assert Document(page_with("'self'", hello)).inline == ["<script>"]
    no_policy = page_with(named, hello).replace('http-equiv="Content-Security-Policy"', 'name="description"')
    assert Document(no_policy).inline == ["<script>"]
    assert Document('<script type="application/json">{}</script>').inline == []
    assert Document("<style>b { color: red }</style>").inline == ["<style>"]
