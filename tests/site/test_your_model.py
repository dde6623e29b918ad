"""/your-model/: the same Python in a browser's worker as here, what the page asks for, how a config comes back."""

from __future__ import annotations

import base64
import json
import re
import zlib

from playwright.sync_api import expect

from cutaway.app.your_model import page as own
from tests.site.your_model_page import DRAW, SHOWN, SMALL, TINY, asked, farthest, give, run_here, run_requests, wrong

PARTS = r"^python-\w+/(.*)|\?v=\w+$"  # of an address: what changes with the content
ASKED = {"worker.js", "pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm.bin", "cutaway.bin"}


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


def test_a_models_page_runs_its_copy_when_asked(your_model_page, your_model_url):
    """Nothing of Python is loaded until the panel is opened; then a line of the page's own drawing is cut."""
    your_model_page.goto(f"{your_model_url.removesuffix(own.PATH)}/models/{SHOWN}/")
    your_model_page.asked.clear()
    panel = your_model_page.locator("details.run")
    panel.scroll_into_view_if_needed()
    assert [one for one in your_model_page.asked if "/your-model/" in one] == []
    panel.locator("summary").click()
    expect(panel.locator(".run-logits tbody tr")).to_have_count(8)
    assert [one for one in your_model_page.asked if one.endswith("run.bin")]
    your_model_page.locator("svg.cf-wide [data-g=layer3] [data-e='mixer_add>mlp_add']").dispatch_event("click")
    panel.get_by_text("Cut this wire").click()
    expect(panel.locator(".run-logits")).to_contain_text("nats")


def test_it_asks_its_own_host_and_the_hub_when_told_to(yours, your_model_url):
    """Before a click nothing of Python is loaded; a drawing asks this site, a Hub id one file of huggingface.co."""
    assert not [one for one in yours.asked if "python-" in one]
    yours.click("[data-example=example-1]")
    expect(yours.locator("#result svg").first).to_be_attached()
    site = your_model_url.removesuffix(own.PATH)
    assert yours.asked and [one for one in yours.asked if not one.startswith(site)] == []
    own_files = {
        re.sub(PARTS, r"\1", one.removeprefix(your_model_url)) for one in yours.asked if one.startswith(your_model_url)
    }
    assert own_files - {"offline.js", ""} == ASKED  # the service worker comes a moment later
    assert [one for one in yours.asked if not one.startswith((your_model_url, f"{site}/assets/"))] == []
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


def test_it_compares_with_any_model_here(yours, your_model_url):
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


def test_a_link_and_the_list_bring_a_config_back(yours, your_model_url):
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
    yours.goto(f"{your_model_url}#c={bomb}")
    expect(yours.locator("#error")).to_contain_text("damaged")
    yours.goto("about:blank")
    yours.goto(your_model_url + "#id=some/model")
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


def test_the_second_visit_needs_no_network(yours, your_model_url):
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
        yours.goto(your_model_url)
        give(yours, json.dumps(TINY | {"num_hidden_layers": 3}))
        expect(yours.locator("#result .tiles")).to_contain_text("3")
    finally:
        yours.context.set_offline(False)


def pack_files() -> dict[str, int]:
    return own.manifest()["files"]


def test_a_drawing_without_end_is_ended(your_model_page, your_model_url):
    """A worker that does not answer is stopped at the limit, and the reader is told what to do."""
    context = your_model_page.context.browser.new_context(service_workers="block")
    page = context.new_page()
    silent = "onmessage = ({ data }) => data.id || postMessage({ ready: true })"
    page.route("**/worker.js*", lambda route: route.fulfill(content_type="text/javascript", body=silent))
    page.route(
        your_model_url,
        lambda route: route.fulfill(body=route.fetch().text().replace('data-seconds="20"', 'data-seconds="0.3"')),
    )
    page.goto(your_model_url)
    give(page, json.dumps(TINY))
    expect(page.locator("#error")).to_contain_text("so it was stopped")
    context.close()


def test_what_is_not_here_leads_here(yours, your_model_url):
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
