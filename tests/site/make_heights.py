"""The embeds in a browser -> `heights` in the front matter of explainers/*/page.md: from which width on how tall.

    python tests/site/make_heights.py [name ...]

For pages around them that run no script. Every tenth pixel from 320 to 1,240 is measured; a few stretches of widths are
chosen so that the least is left empty, each as tall as its tallest width and one part in a hundred more.
"""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from math import ceil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from cutaway import explainers  # noqa: E402
from cutaway.app.embed import page as embed  # noqa: E402
from cutaway.app.site import Site  # noqa: E402
from tests import browsers  # noqa: E402

WIDTHS = range(320, 1241, 10)
STRETCHES = 7
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(done), 30)))"
HEIGHT = "document.documentElement.getBoundingClientRect().height"


def measured(page, html: str) -> dict[int, float]:
    """Width -> height of one embed."""
    page.set_content(html)
    page.wait_for_selector("[data-ready]", state="attached")
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 600})
        page.evaluate(SETTLED)
        found[width] = page.evaluate(HEIGHT)
    return found


def stretches(found: dict[int, float], most: int = STRETCHES) -> dict[int, int]:
    """The widths at which to change the height, such that the least is wasted over all widths."""
    widths = list(found)
    best: list[list[tuple[float, tuple[int, ...]]]] = [[(0.0, ())] * (len(widths) + 1)]
    for count in range(1, most + 1):
        row = [(float("inf"), ())] * len(widths) + [(0.0, ())]
        for i in reversed(range(len(widths))):
            top, wasted = 0.0, 0.0
            for j in range(i + 1, len(widths) + 1):
                top = max(top, found[widths[j - 1]])
                rest = best[count - 1][j] if count > 1 or j == len(widths) else (float("inf"), ())
                wasted = sum(top / found[width] - 1 for width in widths[i:j])
                row[i] = min(row[i], (wasted + rest[0], (i, *rest[1])))
        best.append(row)
    starts = [*best[most][0][1], len(widths)]
    tops = {widths[i]: max(found[width] for width in widths[i:j]) for i, j in pairwise(starts)}
    return {width: ceil(top * 1.01) for width, top in tops.items()}


def keep(name: str, heights: dict[int, int]) -> None:
    """Rewrite the line in page.md."""
    path = explainers.folder(name) / "page.md"
    line = "heights: {" + ", ".join(f"{width}: {height}" for width, height in heights.items()) + "}"
    path.write_text(re.sub(r"^heights: .*$", line, path.read_text("utf-8"), count=1, flags=re.M), "utf-8")
    print(f"{name}: {line}")


def main() -> int:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = browsers.launch(playwright)
        for name in sys.argv[1:] or explainers.names():
            page = browser.new_page()
            keep(name, stretches(measured(page, embed.explainer_page(Site(), name))))
            page.close()
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
