"""/your-model/: the same Python in a browser's worker as here, what the page asks for, and what it says of faults."""

from __future__ import annotations

import base64
import json
import re
import zlib
from functools import partial
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from cutaway.app.model_page.page import search_index
from cutaway.app.site import Site, assets
from cutaway.app.site.pages import STRICT, Page
from cutaway.app.your_model import answer, pack
from cutaway.app.your_model import page as own
from cutaway.gallery import catalog
from tests.served import served

UNSEEN = sorted((Path(__file__).parent.parent / "oracle" / "forward").glob("*.json"))
TINY = {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 99}
TINY |= {"intermediate_size": 128, "architectures": ["LlamaForCausalLM"]}
HOSTILE = TINY | {
    "<img src=x onerror=alert(1)>": 1,
    "model_type": "<script>alert(1)</script>",
    "architectures": ["<b>"],
}
DRAW = """async (requests) => {
  const { worker, folder } = document.getElementById("yours").dataset;
  const own = new Worker(worker, { type: "module" });
  const answers = new Map();
  const all = new Promise((resolve, reject) => {
    own.onmessage = ({ data }) => {
      if (data.failed) reject(data.failed);
      if (data.answer) answers.set(data.id, data.answer);
      if (data.ready) for (const request of requests) own.postMessage(request);
      if (answers.size === requests.length) resolve();
    };
  });
  const told = JSON.parse(document.getElementById("pack").textContent);
  own.postMessage({ folder: new URL(folder, location.href).href, ...told });
  await all;
  own.terminate();
  return requests.map(({ id }) => answers.get(id));
}"""


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """The page with its assets, and nothing else of the site."""
    folder, site = tmp_path_factory.mktemp("yours"), Site()
    index = Page("/data/search.json", partial(search_index, site))
    for page in (*own.pages(site), *assets.pages(site), index):
        path = folder / (page.path.lstrip("/") + ("index.html" if page.path.endswith("/") else ""))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page.content())
    with served(folder, "/some/prefix") as address:
        yield address + own.PATH


@pytest.fixture(scope="module")
def kept(browser, url):
    """One page for all tests here, so that Python starts seldom; what it asked for is in `asked`."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
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
def yours(kept, url):
    """The page, open and without what a test before drew."""
    kept.goto("about:blank")
    kept.goto(url)
    kept.wait_for_selector("html[data-ready]")
    kept.asked.clear()
    return kept


@pytest.fixture
def warm(kept, url):
    """The page as the test before left it, its Python started: for what shows in whatever was drawn before."""
    if not kept.url.startswith(url):
        kept.goto(url)
        kept.wait_for_selector("html[data-ready]")
    return kept


def answering(**answered):
    """What stands in the Hub's place says this."""
    return lambda route: route.fulfill(**answered)


def give(page, text: str) -> None:
    page.fill("#text", text)
    page.get_by_role("button", name="Draw this", exact=True).click()


def test_the_worker_answers_as_a_server_does(yours, verified):
    """Markup of configs that are in no catalogue, of a large one and of a hostile one is equal, byte by byte."""
    texts = [json.dumps(json.loads(path.read_text("utf-8"))["config"]) for path in UNSEEN[::5][:60]]
    texts += [json.dumps(one) for one in (TINY, HOSTILE, catalog.load("deepseek-ai/DeepSeek-V3"))]
    texts += ["[1, 2]", "{", json.dumps({"hidden_size": 64})]
    requests = [
        {"id": n, "text": text, "title": "<i>", "source": "S & T.", "edits": ""} for n, text in enumerate(texts, 1)
    ]
    requests.append({**requests[60], "id": len(texts) + 1, "edits": "layers:3"})
    found = yours.evaluate(DRAW, requests)
    here = [answer.answer(one["text"], one["title"], one["source"], one["edits"]) for one in requests]
    wrong = [one["text"][:200] for one, a, b in zip(requests, found, here, strict=True) if a != b]
    assert wrong == []
    assert sum("html" in json.loads(one) for one in found) >= 60
    verified("drawings by Python in a browser", len(found), len(wrong), "CPython")


def test_it_asks_its_own_host_and_the_hub_when_told_to(yours, url):
    """Before a click nothing of Python is loaded; a drawing asks this site, a Hub id one file of huggingface.co."""
    assert not [one for one in yours.asked if "python-" in one]
    yours.click("[data-example=example-1]")
    expect(yours.locator("#result svg").first).to_be_attached()
    site = url.removesuffix(own.PATH)
    assert yours.asked and [one for one in yours.asked if not one.startswith(site)] == []
    yours.asked.clear()
    yours.route(
        "https://huggingface.co/**",
        lambda route: route.fulfill(json=TINY, headers={"Access-Control-Allow-Origin": "*"}),
    )
    yours.fill("#id", "https://huggingface.co/some/tiny")
    yours.click("text=Fetch and draw")
    expect(yours.locator("#result h2").first).to_have_text("some/tiny")
    assert [one for one in yours.asked if not one.startswith(site)] == [
        "https://huggingface.co/some/tiny/resolve/main/config.json"
    ]
    assert yours.url.endswith("#id=some/tiny")
    yours.unroute("https://huggingface.co/**")


def test_its_policy_adds_one_host(warm):
    """Of the site's policy one word is another: where this page may connect to."""
    policy = warm.get_attribute("meta[http-equiv]", "content")
    assert policy == own.POLICY == STRICT.replace("connect-src 'self'", "connect-src 'self' https://huggingface.co")
    assert "unsafe" not in policy


def test_each_fault_is_a_sentence(warm):
    """Text that is no config, a config that is too large, an id that is none, and what the Hub answers."""
    for text, says in (("[1]", "holds a list"), ("{", "is not whole JSON"), (" " * 1_000_001, "reads up to 1.0 MB")):
        give(warm, text)
        expect(warm.locator("#error")).to_contain_text(says)
    warm.fill("#id", "no id")
    warm.click("text=Fetch and draw")
    expect(warm.locator("#error")).to_contain_text("owner/name")
    warm.fill("#id", "some/model")
    for status, says in ((401, "gated or private"), (403, "gated"), (404, "no config.json"), (500, "answered 500")):
        answered = {"status": status, "body": "", "headers": {"Access-Control-Allow-Origin": "*"}}
        warm.route("https://huggingface.co/**", answering(**answered))
        warm.click("text=Fetch and draw")
        expect(warm.locator("#error")).to_contain_text(says)
        warm.unroute("https://huggingface.co/**")
    large = {"body": " " * 1_000_001, "headers": {"Access-Control-Allow-Origin": "*"}}
    warm.route("https://huggingface.co/**", answering(**large))
    warm.click("text=Fetch and draw")
    expect(warm.locator("#error")).to_contain_text("config.json of some/model is larger than 1 MB")
    warm.unroute("https://huggingface.co/**")
    warm.context.set_offline(True)
    warm.click("text=Fetch and draw")
    expect(warm.locator("#error")).to_contain_text("You are offline")
    warm.context.set_offline(False)


def test_a_hostile_config_brings_no_markup(warm):
    """Keys and names of a config that look like markup are text on the page."""
    give(warm, json.dumps(HOSTILE))
    expect(warm.locator("#drawing")).to_contain_text("<img src=x onerror=alert(1)>")
    assert warm.locator("#drawing script, #drawing img, #drawing b").count() == 0


def test_a_link_and_the_list_bring_a_config_back(yours, url):
    """The address holds the config; what was drawn is listed until it is forgotten; a damaged link says so."""
    give(yours, json.dumps(TINY))
    expect(yours.locator("#result h2").first).to_have_text("Your config")
    expect(yours.locator("#recent li")).not_to_have_count(0)
    expect(yours).to_have_url(re.compile("#c="))
    link = yours.url
    assert len(link) < 500
    yours.goto("about:blank")
    yours.goto(link)
    expect(yours.locator("#result")).to_contain_text("From the link")
    yours.click("#forget")
    expect(yours.locator("#recent")).to_be_hidden()
    yours.goto("about:blank")
    yours.goto(link[:-9])
    expect(yours.locator("#error")).to_contain_text("damaged")
    bomb = base64.urlsafe_b64encode(zlib.compress(b" " * 10_000_000, 9, -15)).decode().rstrip("=")
    assert len(bomb) > 8_192
    yours.goto("about:blank")
    yours.goto(f"{url}#c={bomb}")
    expect(yours.locator("#error")).to_contain_text("damaged")
    yours.goto("about:blank")
    yours.goto(url + "#id=some/model")
    expect(yours.locator("#status")).to_contain_text("Press “Fetch and draw”")
    assert yours.input_value("#id") == "some/model"


def test_a_newer_config_waits_for_the_same_python(yours):
    """Asked for while Python still loads, it is drawn in place of the one before, by the one worker."""
    workers: list[str] = []
    yours.on("worker", lambda worker: workers.append(worker.url))
    yours.click("text=DeepSeek V3")
    give(yours, json.dumps(TINY))
    expect(yours.locator("#result h2").first).to_have_text("Your config")
    assert len([one for one in workers if "worker.js" in one]) == 1


def test_a_copy_that_is_refused_is_not_called_one(warm):
    """Where the browser lets nothing be copied, the page says where the link is."""
    give(warm, json.dumps(TINY))
    expect(warm.locator("#status")).to_have_text("")
    expect(warm.locator("#link")).to_be_visible()
    warm.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }")
    warm.click("#link")
    expect(warm.locator("#status")).to_contain_text("Copy the address bar")
    warm.evaluate("() => { navigator.clipboard.writeText = () => Promise.resolve(); }")
    warm.click("#link")
    expect(warm.locator("#status")).to_contain_text("Link copied")


def test_the_second_visit_needs_no_network(yours, url):
    """After one drawing the page opens and draws another config while its host cannot be reached."""
    give(yours, json.dumps(TINY))
    expect(yours.locator("#drawing")).to_be_visible()
    wanted = len(pack_files()) + 3
    yours.wait_for_timeout(100)
    for _ in range(100):
        if yours.evaluate("async () => (await (await caches.open('your-model')).keys()).length") >= wanted:
            break
        yours.wait_for_timeout(100)
    yours.context.set_offline(True)
    try:
        yours.goto("about:blank")
        yours.goto(url)
        give(yours, json.dumps(TINY | {"num_hidden_layers": 3}))
        expect(yours.locator("#result .tiles")).to_contain_text("3")
    finally:
        yours.context.set_offline(False)


def pack_files() -> dict[str, int]:
    return own.told()["files"]


def test_a_drawing_without_end_is_ended(kept, url):
    """A worker that does not answer is stopped at the limit, and the reader is told what to do."""
    context = kept.context.browser.new_context(service_workers="block")
    page = context.new_page()
    silent = "onmessage = ({ data }) => data.id || postMessage({ ready: true })"
    page.route("**/worker.js*", lambda route: route.fulfill(content_type="text/javascript", body=silent))
    page.route(
        url, lambda route: route.fulfill(body=route.fetch().text().replace('data-seconds="20"', 'data-seconds="0.3"'))
    )
    page.goto(url)
    give(page, json.dumps(TINY))
    expect(page.locator("#error")).to_contain_text("so it was stopped")
    context.close()


def test_what_is_not_here_leads_here(yours, url):
    """In the search box a Hub id, a config and a name that nothing has each have a row that leads to this page."""
    yours.fill(".search input", "some/unknown-model")
    expect(yours.locator("#found")).to_contain_text("Draw some/unknown-model from the Hub")
    yours.fill(".search input", "zzzzz")
    expect(yours.locator("#found")).to_contain_text("Draw a model of your own")
    expect(yours.locator(".found [role=status]")).to_contain_text("Not in this gallery")
    yours.fill(".search input", json.dumps(TINY))
    expect(yours.locator("#found")).to_contain_text("Draw this config.json")
    yours.keyboard.press("Enter")
    expect(yours.locator("#result h2").first).to_have_text("Your config")


def test_axe_finds_nothing(warm, verified):
    """The form, and a drawing below it, in either theme and on a phone."""
    passed, wrong = 0, []
    for scheme, width in (("light", 1400), ("dark", 390)):
        warm.emulate_media(color_scheme=scheme)
        warm.set_viewport_size({"width": width, "height": 900})
        give(warm, json.dumps(TINY | {"odd_key": 1}))
        expect(warm.locator("#status")).to_have_text("")
        found = Axe().run(warm, options={"resultTypes": ["violations"]}).response
        passed += len(found["passes"])
        wrong += [f"{scheme} {rule['id']}: {node['target']}" for rule in found["violations"] for node in rule["nodes"]]
        assert warm.evaluate("() => document.documentElement.scrollWidth") <= width
    warm.emulate_media(color_scheme=None)
    warm.set_viewport_size({"width": 1400, "height": 900})
    assert wrong == []
    verified("accessibility of /your-model/", passed, len(wrong), f"axe-core {found['testEngine']['version']}")


def test_the_pack_has_what_it_imports():
    """Every module that answer.py leads to is ours, or one of two that templates need; none needs numpy or a server."""
    found = pack.modules()
    assert len(found) > 300 and {name.split(".")[0] for name in found} == {"cutaway", "jinja2", "markupsafe"}
    rooms = {name.split(".")[2] for name in found if name.count(".") > 1 and name.startswith("cutaway.app.")}
    assert not rooms & {"serve", "workbench", "embed", "learn"}
    assert not [name for name in found if name.startswith("cutaway.gallery.command")]
