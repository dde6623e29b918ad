"""Explainer pages in Chromium -> ready at 4x throttle, input to repaint, other hosts asked, Panel's .save() beside.

A repaint counts from the event to the end of layout: what the widget's script and its page cost, without the wait for
the next frame, and without what a widget leaves for after that frame. Each step is the least disturbed of five.
"""

from __future__ import annotations

import functools
import http.server
import sys
import threading
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple
from urllib.parse import urlsplit

import pages
from rows import Missing, Row, number, quantile

ROOT = Path(__file__).resolve().parents[2]
LOADS, REPEATS = 3, 5  # the least disturbed of so many
# One step: an input event, the microtask in which a widget updates, layout; then a frame, so that what a widget left
# for after the frame does not count against the next step.
DRIVE = """
async (repeats) => {
  const root = document.querySelector('[data-widget]');
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const step = async (act) => {
    await frame();
    const start = performance.now();
    act();
    await null; await null; await null;
    root.getBoundingClientRect();
    return performance.now() - start;
  };
  const put = (node, value) => step(() => {
    node.value = value;
    node.dispatchEvent(new Event('input', { bubbles: true }));
  });
  const seen = (css) => [...root.querySelectorAll(css)].filter((node) => !node.disabled && node.offsetParent);
  const acts = [];
  for (const slider of seen('input[type=range]').slice(0, 4)) {
    const low = Number(slider.min || 0), high = Number(slider.max || 100);
    for (let i = 0; i < 9; i++) acts.push(() => put(slider, String(low + ((high - low) * i) / 8)));
  }
  if (root.dataset.widget === 'bits') {
    const box = seen('input[type=text]')[0];
    for (const text of ['0.1', '1.7', '464', '1/3', '-2.5', '1e-3', '27.3']) acts.push(() => put(box, text));
    for (const button of seen('button.bit')) acts.push(() => step(() => button.click()));
  }
  for (const radio of seen('input[type=radio]').slice(0, 8)) acts.push(() => step(() => radio.click()));
  const least = acts.map(() => Infinity);
  for (let r = 0; r < repeats; r++) for (const [i, act] of acts.entries()) least[i] = Math.min(least[i], await act());
  return least;
}
"""
# Two seconds of play: the share of its frames that came later than 17.5 ms after the one before, in percent.
PLAY = """
async () => {
  const play = document.querySelector('[data-widget] button[aria-label="Play"]');
  if (!play) return null;
  play.click();
  const gaps = [];
  let last = await new Promise(requestAnimationFrame);
  for (const until = last + 2000; last < until;) {
    const now = await new Promise(requestAnimationFrame);
    gaps.push(now - last);
    last = now;
  }
  return 100 * gaps.filter((gap) => gap > 17.5).length / gaps.length;
}
"""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


class Measured(NamedTuple):
    """What one explainer page costs a reader."""

    ready: float  # ms until the widget answers, at 4x throttle
    steps: list[float]  # ms of each input
    frames: float | None  # % of frames of a play that came late
    strangers: list[str]


def _ready(browser, address: str, rate: int = 4):
    """(ms from the start of navigation to the host's mark, the open page)."""
    page = browser.new_context(viewport={"width": 1400, "height": 900}).new_page()
    throttle = page.context.new_cdp_session(page)
    throttle.send("Emulation.setCPUThrottlingRate", {"rate": rate})
    page.goto(address)
    page.wait_for_selector("[data-ready]", state="attached", timeout=20_000)
    throttle.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    return page.evaluate("performance.getEntriesByName('cutaway:ready')[0].startTime"), page


def _measure(browser, address: str) -> Measured:
    """The least disturbed of a few loads; then inputs and a play on one of them."""
    times, strangers = [], []
    for _ in range(LOADS):
        ready, page = _ready(browser, address)
        times.append(ready)
        page.context.close()
    _, page = _ready(browser, address, 1)
    page.on("request", lambda request: strangers.append(request.url) if _foreign(request.url, address) else None)
    _reload(page)
    frames = page.evaluate(PLAY)
    _reload(page)
    steps = page.evaluate(DRIVE, REPEATS)
    page.context.close()
    return Measured(min(times), steps, frames, strangers)


def _reload(page) -> None:
    """The page again, scrolled to its widget, which stands below the beats and is mounted when it is near."""
    page.reload()
    page.locator("[data-widget]").scroll_into_view_if_needed()
    page.wait_for_selector("[data-widget][data-ready]", state="attached")


def _foreign(url: str, address: str) -> bool:
    return urlsplit(url).netloc not in ("", urlsplit(address).netloc) and not url.startswith(("data:", "blob:"))


def _page_rows(browser, home: str, names: list[str]) -> list[Row]:
    found, strangers = [], []
    for name in names:
        made = _measure(browser, f"{home}learn/{name}/")
        strangers += made.strangers
        found.append(Row(f"{name}: ready at 4x throttle", made.ready, "ms", 500.0))
        if made.steps:
            note = f"{len(made.steps)} inputs, median {number(median(made.steps))}"
            found.append(Row(f"{name}: input to repaint, p95", quantile(made.steps, 0.95), "ms", 16.0, note))
        if made.frames is not None:
            found.append(Row(f"{name}: frames of a play later than 17.5 ms", made.frames, "%", 5.0))
    return [*found, Row("requests to other hosts", len(strangers), "requests", 0, " ".join(strangers[:2]))]


def _saved(browser, home: str, folder: Path, name: str) -> list[Row]:
    """The same widget as Panel's .save() writes it: its size and its time, as multiples of our embed's."""
    import panel
    from bokeh.resources import INLINE

    from cutaway.app.learn import widgets

    target = folder / "embed" / name / "saved.html"
    panel.Row(widgets.widget(name)).save(str(target), resources=INLINE, title=name)
    ours, theirs = (folder / "embed" / name / "index.html").read_bytes(), target.read_bytes()
    took = [
        min(_shown(browser, f"{home}embed/{name}/{file}", name) for _ in range(LOADS)) for file in ("", target.name)
    ]
    target.unlink()
    note = f"{number(took[1])} against {number(took[0])} ms"
    return [
        Row(f"{name} by Panel's .save(), gzipped", pages.packed(theirs) / pages.packed(ours), "x our embed"),
        Row(f"{name} by Panel's .save(), until it is there", took[1] / took[0], "x our embed", None, note),
    ]


def _shown(browser, address: str, name: str) -> float:
    """Milliseconds until the widget's controls are there, seen from outside: the same yardstick for both."""
    page = browser.new_context(viewport={"width": 1400, "height": 900}).new_page()
    start = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.locator(f".cw-{name} input").first.wait_for(timeout=60_000, state="attached")
    spent = (time.perf_counter() - start) * 1000
    page.context.close()
    return spent


def rows() -> list[Row]:
    """Every explainer of the built site."""
    folder = pages.built()[0]
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
        home = f"http://127.0.0.1:{server.server_port}/"
        found = _page_rows(browser, home, names)
        for name in names[:3]:
            found += _saved(browser, home, folder, name)
        browser.close()
    server.shutdown()
    return found
