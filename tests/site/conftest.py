"""What browser tests of the planner, and of the weighing of a cache, share: pages as a host serves them, ready."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from playwright.sync_api import Page, expect

from cutaway.app import first
from tests.guarded import unpainted
from tests.once import once
from tests.served import served

ROOT = Path(__file__).resolve().parents[2]

SHEETS = ("Qwen/Qwen3-235B-A22B", "deepseek-ai/DeepSeek-V3", "openai/gpt-oss-20b", "microsoft/phi-4",
          "meta-llama/Llama-3.2-1B", "meta-llama/Llama-3.1-70B")  # fmt: skip
WEIGHED = ("deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-Next-80B-A3B-Instruct", "deepseek-ai/DeepSeek-V4-Flash",
           "openai-community/gpt2-xl")  # fmt: skip


@pytest.fixture
def build(monkeypatch) -> ModuleType:
    """The script build/site.py as a module of its own; that it renders what is missing ends with the test."""
    monkeypatch.setattr(first, "render", first.render)
    spec = importlib.util.spec_from_file_location("build_site", ROOT / "build" / "site.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def planner(tmp_path_factory) -> Iterator[str]:
    """The planner's pages and files, written once a run, served under a prefix: its address."""
    from cutaway.app.plan_page import page as plan
    from cutaway.app.site import Site, assets

    def write(out: Path) -> None:
        site = Site()
        for one in (*plan.pages(site), *assets.pages(site)):
            if one.path.startswith("/plan/models/") and one.path[13:-5] not in SHEETS:
                continue
            path = out / (one.path.lstrip("/") + ("index.html" if one.path.endswith("/") else ""))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(one.content())

    with served(once(tmp_path_factory, "plan", write), "/under/it") as url:
        yield f"{url}/plan/"


@pytest.fixture
def opened(page, planner):
    """opened(query): the page at an address, ready."""

    def open_(query: str = ""):
        page.goto(planner + query)
        page.wait_for_selector("[data-plan][data-ready]")
        return page

    return open_


@pytest.fixture(scope="session")
def weighed(tmp_path_factory) -> Iterator[str]:
    """The address of a site with a few model pages, written once a run."""
    from tests.site.weighed import write

    with served(once(tmp_path_factory, "weighed", lambda out: write(out, WEIGHED))) as url:
        yield url


@pytest.fixture
def weighing(page, weighed):
    """weighing(slug, query): a model's page, its weighing awake."""

    def open_(slug: str = WEIGHED[0], query: str = ""):
        page.goto(f"{weighed}/models/{slug}/{query}")
        page.hover("#cache .w-panel")
        page.wait_for_selector("[data-weighs]", state="attached")
        return page

    return open_


# ---------------------------------------------------------------- /your-model/


@pytest.fixture(scope="session")
def your_model_url(tmp_path_factory) -> Iterator[str]:
    """The page with its assets, and nothing else of the site but one model's page: its address."""
    from cutaway.app.your_model import page
    from tests.site.your_model_page import write_page

    with served(once(tmp_path_factory, "your-model", write_page), "/some/prefix") as address:
        yield address + page.PATH


@pytest.fixture(scope="module")
def your_model_page(browser) -> Iterator[Page]:
    """One page for all tests of a file, so that Python starts seldom; what it asked for is in `asked`."""
    context = unpainted(browser.new_context(viewport={"width": 1400, "height": 900}))
    context.set_default_timeout(120_000)  # Python starts in 3 s alone, and beside two other browsers in half a minute
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    vars(page)["asked"] = asked
    expect.set_options(timeout=120_000)
    yield page
    expect.set_options(timeout=30_000)
    context.close()


@pytest.fixture
def yours(your_model_page, your_model_url) -> Page:
    """The page, open and without what a test before drew."""
    your_model_page.goto("about:blank")
    your_model_page.goto(your_model_url)
    your_model_page.wait_for_selector("html[data-ready]")
    your_model_page.asked.clear()
    return your_model_page


@pytest.fixture
def warm(your_model_page, your_model_url) -> Page:
    """The page as the test before left it, its Python started: for what shows in whatever was drawn before."""
    if not your_model_page.url.startswith(your_model_url):
        your_model_page.goto(your_model_url)
        your_model_page.wait_for_selector("html[data-ready]")
    return your_model_page
