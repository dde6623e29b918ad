"""/your-model/: the same Python in a browser's worker as here, what the page asks for, and what it says of faults."""

from __future__ import annotations

import base64
import json
import re
import zlib

import pytest
from playwright.sync_api import expect

from cutaway.app.site.pages import STRICT
from cutaway.app.your_model import pack
from cutaway.app.your_model import page as own
from tests import accessible
from tests.guarded import unpainted
from tests.site.your_model_page import (
    DRAW,
    HOSTILE,
    SHOWN,
    SMALL,
    TINY,
    asked,
    farthest,
    page_served,
    run_here,
    run_requests,
    wrong,
)

PARTS = r"^python-\w+/(.*)|\?v=\w+$"  # of an address: what changes with the content
ASKED = {"worker.js", "pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm.bin", "cutaway.bin"}


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """The page with its assets, and nothing else of the site."""
    with page_served(tmp_path_factory.mktemp("yours")) as address:
        yield address


@pytest.fixture(scope="module")
def kept(browser, url):
    """One page for all tests here, so that Python starts seldom; what it asked for is in `asked`."""
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
    """What is said of configs that are in no catalogue, drawn or beside a catalogued one, is equal, byte by byte."""
    requests = asked()
    found = yours.evaluate(DRAW, requests)
    unequal = wrong(requests, found)
    assert unequal == []
    assert sum("html" in json.loads(one) for one in found) >= 60
    assert sum("pair" in json.loads(one) for one in found) >= 8
    verified("answers of Python in a browser", len(found), len(unequal), "CPython")


def test_small_copies_run_as_in_cpython(yours, verified):
    """Logits and tensors of small copies, whole and without a norm, equal numpy's in CPython to 1e-9; what a hostile
    config asks for is a sentence, or small."""
    requests = run_requests()
    found = [json.loads(one) for one in yours.evaluate(DRAW, requests)]
    gaps = [farthest(json.loads(run_here(one)), said) for one, said in zip(requests, found, strict=True)]
    assert [(one, gap) for one, gap in zip(requests, gaps, strict=True) if gap > 1e-9] == []
    runs = [one for one in found if "kl" in one]
    assert len(runs) >= 2 * len(SMALL) and sum(one["kl"] > 1e-3 for one in runs) >= len(SMALL)
    assert "There is no norm called <img" in found[-1]["refused"]
    verified("tensors of small copies in a browser", len(gaps), sum(gap > 1e-9 for gap in gaps), "numpy in CPython")


def test_a_wire_of_the_drawing_is_cut_and_mended(warm):
    """A small copy of what is drawn runs when its panel is opened: a line shows its tensor, is cut, and is whole again;
    the list of wires does the same from the keyboard."""
    give(warm, json.dumps(TINY))
    expect(warm.locator("#status")).to_have_text("")
    warm.click("details.run > summary")
    expect(warm.locator(".run-logits tbody tr")).to_have_count(8)
    expect(warm.locator(".run-says")).to_contain_text("layer 0 of 2, 32 wide instead of 64")
    line = warm.locator("svg.cf-wide [data-g=layer0] [data-e='mixer.o_proj>mixer_add']")
    line.dispatch_event("click")
    expect(warm.locator(".run-tensor")).to_contain_text("layer0: mixer.o_proj")
    expect(warm.locator(".run-tensor")).to_contain_text("RMS")
    warm.click("text=Cut this wire")
    expect(warm.locator(".run-says")).to_have_text("Cut: mixer.o_proj → mixer_add (Layer 0).")
    expect(warm.locator(".run-logits")).to_contain_text(re.compile(r"KL [\d.]+ nats"))
    expect(line).to_have_class("run-chosen run-cut")
    warm.locator(".run select").select_option(label="norm mixer_in_norm")
    warm.click("text=Remove this norm")
    expect(warm.locator(".run-says")).to_contain_text("; norm mixer_in_norm")
    warm.get_by_role("button", name="Undo all").press("Enter")
    expect(warm.locator(".run-logits")).to_contain_text("Cut a wire")
    expect(line).not_to_have_class(re.compile("run-cut"))
    expect(warm.locator("#status")).to_have_text("")


def test_a_models_page_runs_its_copy_when_asked(kept, url):
    """Nothing of Python is loaded until the panel is opened; then a line of the page's own drawing is cut."""
    kept.goto(f"{url.removesuffix(own.PATH)}/models/{SHOWN}/")
    kept.asked.clear()
    panel = kept.locator("details.run")
    panel.scroll_into_view_if_needed()
    assert [one for one in kept.asked if "/your-model/" in one] == []
    panel.locator("summary").click()
    expect(panel.locator(".run-logits tbody tr")).to_have_count(8)
    assert [one for one in kept.asked if one.endswith("run.bin")]
    kept.locator("svg.cf-wide [data-g=layer3] [data-e='mixer_add>mlp_add']").dispatch_event("click")
    panel.get_by_text("Cut this wire").click()
    expect(panel.locator(".run-logits")).to_contain_text("nats")


def test_it_asks_its_own_host_and_the_hub_when_told_to(yours, url):
    """Before a click nothing of Python is loaded; a drawing asks this site, a Hub id one file of huggingface.co."""
    assert not [one for one in yours.asked if "python-" in one]
    yours.click("[data-example=example-1]")
    expect(yours.locator("#result svg").first).to_be_attached()
    site = url.removesuffix(own.PATH)
    assert yours.asked and [one for one in yours.asked if not one.startswith(site)] == []
    own_files = {re.sub(PARTS, r"\1", one.removeprefix(url)) for one in yours.asked if one.startswith(url)}
    assert own_files - {"offline.js", ""} == ASKED  # the service worker comes a moment later
    assert [one for one in yours.asked if not one.startswith((url, f"{site}/assets/"))] == []
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


def test_it_compares_with_any_model_here(yours, url):
    """A catalogued model beside the reader's, in words and drawn; the closest where none is named; nothing is asked."""
    give(yours, json.dumps(TINY))
    expect(yours.locator("#drawing")).to_be_visible()
    yours.fill("#other", "no such model")
    yours.press("#other", "Enter")
    expect(yours.locator("#error")).to_contain_text("No drawn model here is called “no such model”")
    yours.fill("#other", "deepseek-ai/DeepSeek-V3")
    yours.press("#other", "Enter")
    expect(yours.locator("#compared .cmp-verdict")).to_contain_text("DeepSeek V3")
    assert yours.input_value("#other") == "DeepSeek V3"
    assert yours.locator("#compared svg.cmp-in").count() > 2
    yours.click("#compared .cmp-show [data-show=a]")
    expect(yours.locator("#compared .cmp-seen")).to_have_attribute("data-show", "a")
    yours.click("#compared [data-equal]")
    expect(yours.locator("#compared [data-equal]")).to_have_text("Hide equal parts")
    yours.locator('#compared a[href^="#d-"]').first.dispatch_event("click")
    expect(yours).to_have_url(re.compile("#c="))
    yours.fill("#other", "")
    yours.press("#other", "Enter")
    expect(yours.locator("#other")).not_to_have_value("")
    assert [one for one in yours.asked if "/data/compare/" in one] == []


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
    assert warm.locator("#drawing script, #drawing img").count() == 0
    assert not any("alert" in text for text in warm.locator("#drawing b").all_text_contents())


def test_a_windows_layout_comes_first_and_the_others_with_the_tables(warm):
    """A second config, in a narrow window: its narrow drawing stands before the two others, which are added later."""
    give(warm, json.dumps(TINY))
    drawn, lit = (warm.locator(f"#result {which} > svg") for which in ("#drawn > .cw-figure", ".cw-lit"))
    expect(drawn).to_have_count(3)
    warm.set_viewport_size({"width": 390, "height": 900})
    give(warm, json.dumps({**TINY, "num_hidden_layers": 3}))
    expect(drawn.first).to_have_class("cf cf-narrow")
    expect(drawn.first).to_be_visible()
    expect(drawn).to_have_count(3)
    expect(lit).to_have_count(2)
    warm.set_viewport_size({"width": 1400, "height": 900})
    expect(warm.locator("#drawn > .cw-figure > .cf-wide")).to_be_visible()


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
    """Asked for while Python still loads, it is drawn in place of the one before, by the one worker; meanwhile a card
    says what is drawn, and the steps up to it."""
    workers: list[str] = []
    yours.on("worker", lambda worker: workers.append(worker.url))
    yours.click("text=DeepSeek V3")
    expect(yours.locator("#loading-name")).to_have_text("DeepSeek V3")
    expect(yours.locator("#loading-of")).to_contain_text("model_type deepseek_v3")
    expect(yours.locator("#steps li")).to_have_count(4)
    yours.evaluate("(text) => { document.querySelector('#text').value = text; }", json.dumps(TINY))
    yours.evaluate("() => document.querySelector('#give-text').requestSubmit()")
    expect(yours.locator("#result h2").first).to_have_text("Your config")
    expect(yours.locator("#loading")).to_be_hidden()
    expect(yours.locator("#give-text")).to_be_visible()
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
    return own.manifest()["files"]


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
        warm.click("details.run > summary")
        expect(warm.locator(".run-logits tbody tr")).to_have_count(8)
        found = accessible.look(warm)
        passed += found.passed
        wrong += [f"{scheme} {one}" for one in found.wrong]
        assert warm.evaluate("() => document.documentElement.scrollWidth") <= width
    warm.emulate_media(color_scheme=None)
    warm.set_viewport_size({"width": 1400, "height": 900})
    assert wrong == []
    verified("accessibility of /your-model/", passed, len(wrong), found.engine)


@pytest.mark.whole
def test_the_pack_has_what_it_imports():
    """Every module that answer.py leads to is ours, or one of two that templates need; none needs numpy or a server.
    What runs a small copy comes apart from them."""
    found = pack.modules()
    assert len(found) > 300 and {name.split(".")[0] for name in found} == {"cutaway", "jinja2", "markupsafe"}
    rooms = {name.split(".")[2] for name in found if name.count(".") > 1 and name.startswith("cutaway.app.")}
    assert not rooms & {"serve", "workbench", "embed", "learn"}
    assert not [name for name in found if name.startswith("cutaway.gallery.command")]
    later = pack.run_modules()
    assert {"cutaway.gallery.running.interpreter", "cutaway.app.your_model.plain_numpy.einsum"} <= later.keys()
    assert not [name for name in found if name.startswith("cutaway.gallery.running.numbers")] and len(later) < 40


def test_a_pack_is_current_while_what_it_was_made_of_is_there_as_it_was(tmp_path):
    """A file's digest, a version, a folder's list: one that is another, or gone, and the pack is made again."""
    assert not pack.is_current(tmp_path)
    file, fixed = "app/your_model/pack.py", pack.fixed()
    same = {file: pack.bundles.digest(pack.ROOT / file), **fixed}
    others = ({file: "0"}, {"app/gone.py": ""}, {next(iter(fixed)): "another"})
    for changed, current in (({}, True), *((other, False) for other in others)):
        (tmp_path / pack.TOLD).write_text(json.dumps({"sources": same | changed}))
        assert pack.is_current(tmp_path) == current, changed
