"""That axe finds what is wrong on a page, also where thousands of elements look alike."""

from __future__ import annotations

import pytest

from tests import accessible

ROW = "<tr><td>a name</td><td><a href='#x'>a link</a></td></tr>"
STYLE = "<style>body { background: #fff; color: #111 } .faint { color: #eee } .dark { background: #222 }</style>"
FORTY = f"<html lang=en><title>rows</title>{STYLE}<main><h1 id=x>Rows</h1><table>{ROW * 40}%s</table></main></html>"
WRONG = {
    "a faint colour by a class": ("<tr><td class=faint>a name</td></tr>", "color-contrast"),
    "a faint colour by the element alone": ("<tr><td style='color: #ddd'>a name</td></tr>", "color-contrast"),
    "a background under the same colour": ("<tr class=dark><td>a name</td></tr>", "color-contrast"),
    "a link without words": ("<tr><td><a href='#x'></a></td></tr>", "link-name"),
}


@pytest.mark.parametrize("what", WRONG)
def test_one_row_that_is_wrong_is_found_among_forty(page, what):
    """A look of its own is measured, wherever it stands; a rule without colours goes over all."""
    row, rule = WRONG[what]
    page.set_content(FORTY % row)
    assert [rule] == [one.partition(":")[0] for one in accessible.look(page).wrong]


def test_rows_that_are_right_pass_and_keep_no_mark(page):
    """Nothing is found, the contrast rule is among what passed, and the page is as it was."""
    page.set_content(FORTY % "")
    before = page.content()
    assert (accessible.look(page).wrong, accessible.look(page, rules=accessible.CONTRAST).passed) == ([], 1)
    assert before == page.content()


def test_a_shadow_root_and_the_other_theme_are_looked_into(page):
    """Text in a shadow root is measured, and so is what the dark theme alone makes faint."""
    dark = "<style>@media (prefers-color-scheme: dark) { p { color: #333; background: #222 } }</style>"
    page.set_content(
        f"<html lang=en><title>p</title>{STYLE}{dark}<main><h1>a</h1><p>words</p><div></div></main></html>"
    )
    assert accessible.look(page).wrong == []
    page.emulate_media(color_scheme="dark")
    assert [one.partition(":")[0] for one in accessible.look(page).wrong] == ["color-contrast"]
    page.emulate_media(color_scheme="light")
    page.evaluate("""() => { document.querySelector("div").attachShadow({ mode: "open" })
      .innerHTML = "<p style='color: #ddd'>in the shadow</p>"; }""")
    assert [one.partition(":")[0] for one in accessible.look(page).wrong] == ["color-contrast"]
