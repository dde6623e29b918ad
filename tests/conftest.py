"""What every test may ask for: a browser, a built site on loopback, kept pictures, and counts for /verify/.

browser   the session's Chromium
page      an empty page; foreign requests and script errors fail the test
live_url  the live app: the site and the workbench as a reader starts them (hub_url: what stands in the Hub's place)
site_url  the static site, built once, served under a prefix (site_dir: its folder)
shot      shot(page | locator | svg text, "name") against tests/visual/shots/<name>.png
verified  verified("what", tally, against="tool and version") collects counts for /verify/ (tests/tally.py); so does
          verified("what", checked, mismatches, "tool and version") where both are numbers that the test counted
"""

from __future__ import annotations

import gc
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cutaway import gallery
from tests import browsers, bundled, units
from tests.counts import Counts
from tests.flaky import Flaky
from tests.guarded import Kept, painted
from tests.once import once
from tests.rewritten import rewrite_ahead
from tests.served import served
from tests.tally import Tally
from tests.units import longest_first, unit
from tests.visual import compare
from tests.visual.taken import given_room, taken

ROOT = Path(__file__).resolve().parent.parent
PREFIX = "/some/prefix"  # nobody may assume that the site stands at the root of its host


def pytest_addoption(parser):
    parser.addoption("--update-shots", action="store_true", help="keep today's pictures as tests/visual/shots/*.png")
    parser.addoption("--site", default="", metavar="DIR", help="test this built site instead of building one")
    parser.addoption("--keep-counts", action="store_true", help="a whole, clean run rewrites app/verify/counts.json")

    parser.addoption("--every", action="store_true", help="tests marked turns go over every page, not a sample of them")
    parser.addoption("--patient", action="store_true", help="run also what waits long: tests marked patient")
    parser.addoption("--firefox", action="store_true", help="run tests/app/test_firefox.py: two minutes")
    parser.addoption("--webkit", action="store_true", help="tests/app/test_firefox.py drives WebKit instead")
    again = "a failing browser test is tried so often again, since a busy machine may miss a beat, and listed as FLAKY"
    parser.addoption("--browser-reruns", type=int, default=0, metavar="N", help=again)


def pytest_configure(config):
    folder = Path(gallery.__file__).resolve().parent.parent
    if folder != ROOT:
        raise pytest.UsageError(f"These tests would try {folder}: run `pip install --editable .` here first.")
    config.pluginmanager.register(Counts(config), "counts")
    config.pluginmanager.register(Flaky(), "flaky-tests")
    os.environ.setdefault("CUTAWAY_COLD", "1")  # two dozen servers start, and each is asked for little
    gc.set_threshold(50_000, 20, 50)  # what tests share lives long: looking through it took a fifth of their time


def pytest_sessionstart(session):
    """Before any worker starts, once: pages' scripts are bundled where a source has changed, and asserts rewritten."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        return
    if not bundled.maker().is_current():
        bundled.maker().make()
    rewrite_ahead(session.config, ROOT / "tests")


def pytest_sessionfinish():
    """pytest collects garbage five times as it ends, through all that tests have kept: three seconds a process."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config, items):
    """Marks come before -m looks for them, order after pytest has its own.

    Tests that drive a browser are marked so; they alone are tried again: a mark costs a test 20 ms under xdist.

    What is the same code on every page goes over a sample of them, each test over another, unless one page is meant,
    or all are.

    What reads the built site or asks the live server is left to `make test`: a third of `make check` waited for them.
    """
    times = config.getoption("--browser-reruns")
    wait = pytest.mark.skip(reason="it waits long: pytest --patient")
    later = pytest.mark.skip(reason="other pages' turn: pytest --every")
    every = config.getoption("--every") or config.getoption("keyword") or units.ONLY
    for item in items:
        if item.get_closest_marker("patient") and not config.getoption("--patient"):
            item.add_marker(wait)
        if not every and item.get_closest_marker("turns") and not units.turn(item.nodeid):
            item.add_marker(later)
        if {"site_dir", "learn_dir", "live_url"} & set(item.fixturenames):
            item.add_marker(pytest.mark.whole)
        if "fox" in item.fixturenames and not (config.getoption("--firefox") or config.getoption("--webkit")):
            item.add_marker(pytest.mark.skip(reason="Firefox takes two minutes of its own: make firefox"))
        if {"browser", "fox"} & set(item.fixturenames):
            item.add_marker(pytest.mark.browser)
            if times:
                item.add_marker(pytest.mark.flaky(reruns=times, reruns_delay=1))
    done = yield
    if "PYTEST_XDIST_WORKER" in os.environ or any(item.get_closest_marker("browser") for item in items):
        longest_first(items)
    else:
        items.sort(key=lambda item: bool(item.get_closest_marker("whole")))  # what is quick says first what is wrong
    return done


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """--dist loadfile deals out units: a file, or what goes over one explainer's page."""
    from xdist.scheduler import LoadFileScheduling

    class Units(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return unit(nodeid)

    return Units(config, log) if config.getoption("dist") == "loadfile" else None


# ---------------------------------------------------------------- the browser


@pytest.fixture(scope="session")
def browser():
    """One Chromium per session; where there is none the run stops with the two commands that help."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=30_000)  # as long as pages wait: a busy machine may start a worker in between
    with sync_playwright() as playwright:
        try:
            chromium = browsers.launch(playwright)
        except SystemExit as missing:
            pytest.exit(str(missing), returncode=3)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def _kept(browser):
    kept = Kept(browser)
    yield kept
    kept.close()


@pytest.fixture
def page(_kept, request):
    """A guarded page, 1400 x 900, empty: the one of the test before where that left it as new.

    A test that provokes a fault on purpose empties `page.foreign` or `page.errors` when it has looked; one that leaves
    what nothing takes away (a clock, a script before all others) sets `page.spent`.
    """
    if getattr(request.node, "execution_count", 1) > 1:
        _kept.close()  # the second try of a test that failed
    yield _kept()
    _kept.over()


# ---------------------------------------------------------------- the site


@pytest.fixture(scope="session")
def site_dir(request, tmp_path_factory) -> Path:
    """The built site's folder: built once a run, also when several workers ask at once."""
    if given := request.config.getoption("--site"):
        return Path(given).resolve()

    def build(out: Path) -> None:
        command = [sys.executable, str(ROOT / "build" / "site.py"), "--out", str(out)]
        built = subprocess.run(command, cwd=out.parent, capture_output=True, text=True)
        assert built.returncode == 0, built.stdout + built.stderr

    return once(tmp_path_factory, "site", build)


@pytest.fixture(scope="session")
def site_url(site_dir) -> str:
    """Where the built site is served, without a trailing slash: page.goto(site_url + "/models/")."""
    with served(site_dir, PREFIX) as url:
        yield url


# ---------------------------------------------------------------- the live app


@pytest.fixture(scope="session")
def hub_url():
    """A small server in the Hub's place."""
    from tests.gallery.fake_hub import fake_hub

    with fake_hub() as server:
        yield server.url


@pytest.fixture(scope="session")
def live_url(tmp_path_factory, hub_url):
    """One `panel serve app/` for the session's tests."""
    from tests.app.conftest import served as started

    log = tmp_path_factory.mktemp("live") / "serve.log"
    with started(log=log, hub=hub_url) as (url, _):
        yield url
    assert "Traceback" not in log.read_text(), log.read_text()[-4000:]


# ---------------------------------------------------------------- pictures


@pytest.fixture
def shot(request, browser):
    """Compare a page, a locator or SVG text with tests/visual/shots/<name>.png; --update-shots keeps today's.

    `hide` is a selector whose parts of a page are painted over: they have pictures of their own.
    """
    from PIL import Image

    update = request.config.getoption("--update-shots")

    def check(
        target, name: str, *, tolerance: float = 0.003, full_page: bool = True, dark: bool = False, width=1400, hide=""
    ):
        if isinstance(target, str):
            png = _svg_png(browser, target, dark, width)
        elif hasattr(target, "goto"):
            painted(target)
            target.evaluate("document.fonts.ready")
            mask = [target.locator(hide)] if hide else []
            png = target.screenshot(full_page=full_page, animations="disabled", caret="hide", mask=mask)
        else:
            png = taken(given_room(target))
        message = compare.check(Image.open(io.BytesIO(png)), name, tolerance, update)
        assert message == "", message

    return check


def _svg_png(browser, svg: str, dark: bool, width: int) -> bytes:
    """SVG text drawn at a width, on a page that has nothing else."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light")
    page = context.new_page()
    page.set_content(f'<body style="margin:0">{svg}</body>')
    png = page.locator("svg").first.screenshot()
    context.close()
    return png


# ---------------------------------------------------------------- counts for /verify/


@pytest.fixture
def verified(request):
    """Collect what a check compared, for the summary and for /verify/ (tests/counts.py); fails on any mismatch.

    `against` names the second route and its version, e.g. "ml_dtypes 0.6.0".
    """
    counts = request.config.pluginmanager.get_plugin("counts")

    def record(name: str, checked: int | Tally, mismatches: int | None = None, against: str = "") -> None:
        shown: list[str] = []
        if isinstance(checked, Tally):
            checked, mismatches, shown = checked.checked, checked.mismatches, checked.shown
        assert mismatches is not None and against, f"{name}: how many differ, and from what?"
        assert 0 <= mismatches <= checked and checked > 0, f"{name}: {mismatches} of {checked} compared"
        counts.add(name, checked, mismatches, against, request.node.nodeid)
        print(f"verified {name}: {checked:,} checked, {mismatches:,} mismatches, against {against}")
        assert mismatches == 0, "\n".join((f"{name}: {mismatches:,} of {checked:,} differ from {against}", *shown))

    return record
