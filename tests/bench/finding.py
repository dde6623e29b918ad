"""The search among so many made-up models -> milliseconds of every keystroke, each text typed letter by letter.

The models have names of their own and the ideas of catalogued ones, in turn. Each repeat has a fresh index, so that
nothing is known of the word before, warmed up as a page does it while it is idle. What counts is the least disturbed.
"""

from __future__ import annotations

import functools
import http.server
import json
import threading
from pathlib import Path

from rows import Row, quantile

ROOT = Path(__file__).resolve().parents[2]
TYPED = ("sliding window attention", "sparce mla atention", "qwen moe", "zzzzzzzz", "hyper-conections", "a b c d")
TYPE = """async ({ module, index, many, typed, repeats }) => {
  const { finder } = await import(module);
  const parts = "ka lo mi ren tor vex zu qui bel dor fen gal hy jun nor pra".split(" ");
  let seed = 1;
  const one = () => parts[(seed = (seed * 48271) % 2147483647) % parts.length];
  const models = Array.from({ length: many }, (_, at) => {
    const [brand, company] = [one() + one() + one(), one() + one()];
    const name = `${brand} ${at % 97}B v${at % 7}`, slug = `${company}/${brand}-${at}`;
    const { has } = index.models[at % index.models.length];
    return { slug, name, company, words: `${name} ${slug} ${company}`, has };
  });
  const least = new Map();
  for (let r = 0; r < repeats; r++) {
    const find = finder({ ...index, models });
    find.warm();
    for (const text of typed) for (let end = 1; end <= text.length; end++) {
      const part = text.slice(0, end), start = performance.now();
      find(part);
      least.set(part, Math.min(least.get(part) ?? Infinity, performance.now() - start));
    }
  }
  return [...least.values()];
}"""


def keystrokes(page, module: str, many: int = 10_000, typed: tuple[str, ...] = TYPED, repeats: int = 3) -> list[float]:
    """Milliseconds of each; the page only lends its engine, `module` is the address of find.js."""
    from app.pages.models import search_index
    from app.site import Site

    index = json.loads(search_index(Site()))
    given = {"module": module, "index": index, "many": many, "typed": list(typed), "repeats": repeats}
    return page.evaluate(TYPE, given)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def rows() -> list[Row]:
    """Among 10,000 models: the slowest keystroke, and most of them."""
    from playwright.sync_api import sync_playwright

    from tests import browsers

    handler = functools.partial(_Quiet, directory=str(ROOT / "static"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}/"
    with sync_playwright() as playwright:
        browser = browsers.launch(playwright)
        page = browser.new_page()
        page.goto(f"{home}icon.svg")
        spent = keystrokes(page, f"{home}js/find.js")
        browser.close()
    server.shutdown()
    return [
        Row("10,000 models: slowest keystroke", max(spent), "ms", 50.0),
        Row("10,000 models: p95 of keystrokes", quantile(spent, 0.95), "ms"),
    ]
