"""/compare/ in Chromium: two models' files in memory -> the page's body drawn and laid out, over random pairs."""

from __future__ import annotations

import functools
import http.server
import random
import sys
import threading
from pathlib import Path
from statistics import median

import pages
from chromium import _Quiet
from rows import Row, quantile

ROOT = Path(__file__).resolve().parents[2]
PAIRS, REPEATS = 20, 5  # random pairs; the least disturbed of so many
DRAW = """async ([pairs, repeats]) => {
  const at = (name) => import(document.querySelector('script[src*="compare.js"]').src.replace(/compare\\.js.*/, name));
  const { two, cache } = await at("compare-views.js"), body = document.querySelector(".cmp-body");
  const file = (slug) => fetch(new URL(`${slug}.json`, new URL(document.querySelector(".cmp").dataset.files, location.href))).then((one) => one.json());
  const took = [];
  for (const [one, other] of pairs) {
    const a = await file(one), b = await file(other), width = body.clientWidth;
    let least = Infinity;
    for (let i = 0; i < repeats; i++) {
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      const start = performance.now();
      body.replaceChildren(...two([a, b], { width, equal: false, show: "both", part: "", counting: "" }), ...cache([a, b]));
      body.getBoundingClientRect();
      least = Math.min(least, performance.now() - start);
    }
    took.push(least);
  }
  return took;
}"""  # noqa: E501


def rows() -> list[Row]:
    """The whole comparison of two models, at 1x, wide and on a phone."""
    from playwright.sync_api import sync_playwright

    sys.path.insert(0, str(ROOT))
    from cutaway.gallery import catalog
    from tests import browsers, bundled

    folder = pages.built()[0]
    slugs = [row.slug for row in catalog.drawable_rows()]
    draw = random.Random(20)
    pairs = [draw.sample(slugs, 2) for _ in range(PAIRS)]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found = []
    with sync_playwright() as playwright:
        browser = browsers.launch(playwright)
        for width in (1400, 390):
            page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
            bundled.serve_modules(page, "compare-views.js")
            page.goto(f"http://127.0.0.1:{server.server_port}/compare/")
            page.wait_for_selector(".cmp-towers")
            took, spent = timed(page, pairs)
            name, note = f"compare of two, {PAIRS} random pairs, {width} px", f"p95 {quantile(took, 0.95):.1f}"
            found.append(Row(f"{name}: median", median(took), "ms", 50.0, note))
            found.append(Row(f"{name}: processor time, median", median(spent), "ms"))
        browser.close()
    server.shutdown()
    modules = sum(pages.packed(one.read_bytes()) for one in (folder / "assets" / "js").glob("compare-*.js"))
    size = (pages.page_bytes(folder / "compare" / "index.html") + modules) / 1000
    return [*found, Row("the page with all its scripts, gzipped", size, "KB", 60.0)]


def timed(page, pairs: list) -> tuple[list[float], list[float]]:
    """(ms of the least disturbed time, ms of the page's own thread each time) of every pair."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        return next(one["value"] for one in session.send("Performance.getMetrics")["metrics"]
                    if one["name"] == "TaskDuration") * 1000  # fmt: skip

    took, spent = [], []
    for pair in pairs:
        before = busy()
        took += page.evaluate(DRAW, [[pair], REPEATS])
        spent.append((busy() - before) / REPEATS)
    return took, spent
