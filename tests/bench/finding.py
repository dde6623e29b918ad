"""The search among so many made-up models -> milliseconds of every keystroke, each text typed letter by letter.

Twice: the engine alone, and the box of a page, from the keystroke until what is found is painted.

The models have names of their own and the ideas of catalogued ones, in turn. Each repeat has a fresh index, so that
nothing is known of the word before, warmed up as a page does it while it is idle. What counts is the least disturbed.
"""

from __future__ import annotations

import functools
import http.server
import json
import random
import shutil
import tempfile
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
    from cutaway.app.model_page.search_index import search_index
    from cutaway.app.site import Site
    from tests.bundled import serve_modules

    serve_modules(page, "find.js")
    index = json.loads(search_index(Site()))
    given = {"module": module, "index": index, "many": many, "typed": list(typed), "repeats": repeats}
    return page.evaluate(TYPE, given)


PAINTED = """async ({ typed, repeats }) => {
  const box = document.querySelector(".search"), input = box.querySelector("input");
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const type = async (text) => {
    await frame();
    const start = performance.now();
    const changed = new Promise((done) => new MutationObserver((_, all) => { all.disconnect(); done(); })
      .observe(box, { childList: true, subtree: true, attributes: true }));
    input.value = text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await changed;
    await frame();
    return performance.now() - start;
  };
  input.focus();
  await type("warm");
  const least = new Map();
  for (let r = 0; r < repeats; r++)
    for (const text of typed) for (let end = 1; end <= text.length; end++) {
      const part = text.slice(0, end);
      least.set(part, Math.min(least.get(part) ?? Infinity, await type(part)));
    }
  return [...least.values()];
}"""


def made(many: int) -> str:
    """The search's index with so many models under names of their own, with the ideas of catalogued ones in turn."""
    from cutaway.app.model_page.search_index import plain, search_index
    from cutaway.app.site import Site

    index, rng = json.loads(search_index(Site())), random.Random(1)
    parts = ["ka", "lo", "mi", "ren", "tor", "vex", "zu", "qui", "bel", "dor", "fen", "gal", "hy", "jun", "nor", "pra"]
    rows = []
    for at in range(many):
        brand, company = ("".join(rng.choices(parts, k=k)) for k in (3, 2))
        name, slug = f"{brand} {at % 97}B v{at % 7}", f"{company}/{brand}-{at}"
        has = index["models"][at % len(index["models"])]["has"]
        rows.append({"slug": slug, "name": name, "company": company, "words": f"{name} {slug} {company}", "has": has})
    return plain({**index, "models": rows})


def lay(folder: Path, many: int) -> None:
    """A page with its search box, and the index that it asks for."""
    from cutaway.app.glossary import page as glossary
    from cutaway.app.site import Site, assets

    site = Site()
    for one in (*glossary.pages(site), *assets.pages(site)):
        path = folder / (one.path.lstrip("/") + ("index.html" if one.path.endswith("/") else ""))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(one.content())
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data" / "search.json").write_text(made(many), "utf-8")


def painted(page, home: str, typed: tuple[str, ...] = TYPED, repeats: int = 2) -> list[float]:
    """Milliseconds of each keystroke in the box of the page that `lay` wrote, with the wait for the frame."""
    page.goto(f"{home}glossary/")
    return page.evaluate(PAINTED, {"typed": list(typed), "repeats": repeats})


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def rows() -> list[Row]:
    """Among 10,000 models: the slowest keystroke, and most of them."""
    from playwright.sync_api import sync_playwright

    from tests import browsers

    folder = Path(tempfile.mkdtemp(prefix="cutaway-search-"))
    lay(folder, 10_000)
    handler = functools.partial(_Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}/"
    with sync_playwright() as playwright:
        browser = browsers.launch(playwright)
        page = browser.new_page()
        page.goto(f"{home}assets/icon.svg")
        spent, seen = keystrokes(page, f"{home}assets/js/find.js"), painted(page, home)
        browser.close()
    server.shutdown()
    shutil.rmtree(folder)
    return [
        Row("10,000 models: keystroke until it is painted, p95", quantile(seen, 0.95), "ms", 50.0),
        Row("10,000 models: slowest keystroke", max(spent), "ms", 50.0),
        Row("10,000 models: p95 of keystrokes", quantile(spent, 0.95), "ms"),
    ]
