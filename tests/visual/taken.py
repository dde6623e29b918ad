"""A part of a page -> its picture, the same however the page above it came to be drawn."""

from __future__ import annotations

from tests.guarded import painted


def given_room(target):
    """A part, seen, the window as high as it is: else a picture would make it so for itself, and may move the part."""
    painted(target.page)
    page, room = target.page, target.page.viewport_size
    high = target.evaluate("(part) => Math.ceil(part.getBoundingClientRect().height)")
    page.set_viewport_size({**room, "height": max(room["height"], high + 200)})
    return target


def taken(target) -> bytes:
    """A picture of a part, on whole pixels of the window; taken again if what is above it moved it meanwhile."""
    target.scroll_into_view_if_needed()
    for _ in range(5):
        before = target.evaluate(ON_WHOLE_PIXELS)
        png = target.screenshot(animations="disabled", caret="hide", style=".rail { visibility: hidden }")
        if target.evaluate(WHERE) == before:
            return png
    raise AssertionError("it does not come to rest on whole pixels")


WHERE = "(part) => { const b = part.getBoundingClientRect(); return [b.top + scrollY, b.height]; }"
# Skipped content would be laid out when the picture is taken, and move what is below it by a part of a pixel.
ON_WHOLE_PIXELS = """async (part) => {
  const all = new CSSStyleSheet();
  all.replaceSync("* { content-visibility: visible !important; }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, all];
  if (getComputedStyle(part).position === "static") part.style.position = "relative";
  for (let last = "", still = 0, tries = 0; tries < 300; tries += 1) {
    await new Promise(requestAnimationFrame);
    const { top, height } = part.getBoundingClientRect(), off = Math.round(top) - top;
    if (Math.abs(off) > 0.01) part.style.top = `${(parseFloat(getComputedStyle(part).top) || 0) + off}px`;
    const now = `${top + scrollY} ${height}`;
    still = now === last ? still + 1 : 0;
    last = now;
    if (still === 5) return [top + scrollY, height];
  }
  return null; }"""
