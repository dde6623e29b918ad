"""Explainer pages in Chromium -> ready at 4x throttle, input to repaint, other hosts asked, Panel's .save() beside.

A repaint counts from the event to the end of layout: what the widget's script and its page cost, without the wait for
the next frame.
"""

from __future__ import annotations

import functools
import http.server
import sys
import tempfile
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pages
from rows import Missing, Row, quantile

ROOT = Path(__file__).resolve().parents[2]
READY = """
new MutationObserver(() => {
  const root = document.querySelector('[data-widget][data-ready]');
  if (root && !window.readyAt) window.readyAt = performance.now();
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-ready'] });
"""
DRAG = """
() => {
  const root = document.querySelector('[data-widget]');
  const sliders = [...root.querySelectorAll('input[type=range]')].filter((s) => !s.disabled && s.offsetParent);
  const spent = [];
  for (const slider of sliders.slice(0, 4)) {
    const low = Number(slider.min || 0), high = Number(slider.max || 100), first = slider.value;
    for (let i = 0; i < 25; i++) {
      const start = performance.now();
      slider.value = String(low + ((high - low) * i) / 24);
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      root.getBoundingClientRect();
      spent.push(performance.now() - start);
    }
    slider.value = first;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  }
  return spent;
}
"""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def _measure(browser, address: str) -> tuple[float, list[float], list[str]]:
    """(ms until ready at 4x throttle, ms of each drag step, foreign requests) of one page."""
    page = browser.new_context(viewport={"width": 1400, "height": 900}).new_page()
    strangers: list[str] = []
    page.on("request", lambda request: strangers.append(request.url) if _foreign(request.url, address) else None)
    page.add_init_script(READY)
    throttle = page.context.new_cdp_session(page)
    throttle.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.goto(address)
    page.wait_for_function("window.readyAt", timeout=20_000)
    ready = page.evaluate("window.readyAt")
    throttle.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    page.evaluate(DRAG)
    spent = page.evaluate(DRAG)
    page.context.close()
    return ready, spent, strangers


def _foreign(url: str, address: str) -> bool:
    return urlsplit(url).netloc not in ("", urlsplit(address).netloc) and not url.startswith(("data:", "blob:"))


def _page_rows(browser, home: str, names: list[str]) -> list[Row]:
    found, strangers = [], []
    for name in names:
        ready, spent, asked = _measure(browser, f"{home}learn/{name}/")
        strangers += asked
        found.append(Row(f"{name}: ready at 4x throttle", ready, "ms", 500.0))
        if spent:
            found.append(Row(f"{name}: input to repaint, p95", quantile(spent, 0.95), "ms", 16.0))
    return [*found, Row("requests to other hosts", len(strangers), "requests", 0, " ".join(strangers[:2]))]


def _saved(name: str, folder: Path) -> list[Row]:
    """The same widget as Panel's .save() writes it."""
    sys.path.insert(0, str(ROOT))
    from app import widgets

    make = getattr(widgets, "component", None) or getattr(widgets, "widget", None)
    embed = folder / "embed" / name / "index.html"
    if make is None or not embed.exists():
        return []
    target = Path(tempfile.mkdtemp(prefix="cutaway-bench-")) / "saved.html"
    import panel
    from bokeh.resources import INLINE

    made = make(name)
    panel.Row(made() if isinstance(made, type) else made).save(str(target), resources=INLINE, title=name)
    ours, theirs = embed.read_bytes(), target.read_bytes()
    return [
        Row(f"{name} by Panel's .save()", len(theirs) / len(ours), "x our embed, raw"),
        Row(f"{name} by Panel's .save(), gzipped", pages.packed(theirs) / pages.packed(ours), "x our embed"),
    ]


def rows() -> list[Row]:
    """Every explainer of the built site."""
    folder, _ = pages.built()
    names = sorted(page.parent.name for page in folder.glob("learn/*/index.html"))
    if not names:
        raise Missing("the site has no explainers")
    from playwright.sync_api import sync_playwright

    sys.path.insert(0, str(ROOT))
    from tests import browsers

    handler = functools.partial(_Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = browsers.launch(playwright)
        found = _page_rows(browser, f"http://127.0.0.1:{server.server_port}/", names)
        browser.close()
    server.shutdown()
    try:
        return found + _saved(names[0], folder)
    except Exception as error:
        return [
            *found,
            Row("Panel's .save() could not be measured", 0, "", None, f"{type(error).__name__}: {error}"[:80]),
        ]
