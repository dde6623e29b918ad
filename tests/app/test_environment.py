"""app/site/environment.py: how templates become pages."""

from __future__ import annotations

import pytest

from cutaway.app.site.environment import unindented


def test_indents_between_tags_are_not_sent():
    """A line's indent goes where a tag is beside it; the line break, which parts words, stays."""
    assert unindented("<ul>\n    <li>a</li>\n  <li>b</li>\n</ul>") == "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"
    assert unindented("<p>\n   words\n   of two lines\n  </p>") == "<p>\nwords\n   of two lines\n</p>"


@pytest.mark.parametrize("tag", ["pre", "textarea", "script", "style"])
def test_an_indent_that_is_said_is_kept(tag):
    """Code keeps its indents, and so does what a policy knows by its hash."""
    kept = f'<{tag} id="a">\n  if a:\n    <b>\n      b\n</{tag}>'
    assert unindented(f"<div>\n  {kept}\n  </div>") == f"<div>\n{kept}\n</div>"


def test_an_attribute_keeps_its_lines():
    """What a button copies is an attribute: its lines are code."""
    button = '<button data-copy="if a:\n    b\n  &lt;c&gt;\n    d">copy</button>'
    assert unindented(button) == button
