"""The workbench in a browser: every way to bring a model, every way to get it wrong, and the address."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests import accessible
from tests.gallery.fake_hub import CONFIG
from tests.guarded import until

START = "DeepSeek V3"
WORKER = 60_000  # ms that a worker may take to begin and to draw


@pytest.fixture
def bench(page, live_url):
    def open_at(query: str = "", title: str = START):
        page.goto(f"{live_url}/app{query}")
        page.wait_for_selector("html[data-ready]", timeout=30_000)
        expect(page.locator("#result h2")).to_have_text(title)
        return page

    return open_at


def draw(page, wanted: str) -> None:
    page.fill("#model", wanted)
    page.click("#open button")


def paste(page, text: str) -> None:
    if not page.locator("#pasted").is_visible():
        page.click(".paste summary")
    page.fill("#pasted", text)
    page.click("#read")


def test_it_opens_with_a_model_and_asks_no_other_host(bench):
    """The first drawing, its facts, the plot and the table stand there; the page fixture refuses other hosts."""
    page = bench()
    expect(page.locator("#result .cw-figure svg.cf-wide")).to_be_visible()
    expect(page.locator("#figures tbody tr")).to_have_count(3)
    expect(page.locator(".plot canvas").first).to_be_visible()
    expect(page.locator("#status")).to_have_text(f"{START} is drawn.")


def test_a_catalogued_model_is_picked_and_back_returns(bench):
    """Choosing changes the address; back brings the model before; a link restores all of it."""
    page = bench("?model=openai/gpt-oss-20b&vs=google/gemma-3-27b-it&context=32768", "GPT-OSS 20B")
    expect(page.locator("#context")).to_have_value("32768")
    expect(page.locator("#figures tbody tr")).to_have_count(2)
    draw(page, "Qwen/Qwen3-32B")
    expect(page.locator("#result h2")).to_have_text("Qwen3 32B")
    assert page.url.endswith("?model=Qwen/Qwen3-32B&vs=google/gemma-3-27b-it&context=32768")
    page.go_back()
    expect(page.locator("#result h2")).to_have_text("GPT-OSS 20B")
    expect(page.locator("#model")).to_have_value("openai/gpt-oss-20b")


def test_a_model_is_drawn_as_it_would_be(bench):
    """Edits stand in the address beside the model; a bad one is a sentence above the last good drawing; back undoes."""
    page = bench("?model=openai/gpt-oss-20b&edit=heads:32,layers:6", re.compile("GPT-OSS 20B(, edited)?"))
    title, edits = page.locator("#result h2"), page.locator("#edit")

    def ask(text: str) -> None:
        edits.fill(text)
        page.click("#what-if button")

    expect(title).to_have_text("GPT-OSS 20B, edited", timeout=WORKER)
    expect(page.locator("#result .tiles")).to_contain_text("3 + 3")
    back = page.locator("#result .sub a")
    expect(back).to_have_attribute("href", "models/openai/gpt-oss-20b/?edit=heads:32,layers:6")
    ask("heads:30")
    says = "num_attention_heads 30 is not a multiple of num_key_value_heads 8"
    expect(page.locator("#error")).to_contain_text(says, timeout=WORKER)
    expect(title).to_have_text("GPT-OSS 20B, edited")
    ask("")
    expect(title).to_have_text("GPT-OSS 20B", timeout=WORKER)
    assert page.url.endswith("?model=openai/gpt-oss-20b") and page.locator("#error").is_hidden()
    page.go_back()
    page.go_back()
    expect(title).to_have_text("GPT-OSS 20B, edited", timeout=WORKER)
    expect(edits).to_have_value("heads:32,layers:6")
    paste(page, json.dumps(CONFIG))
    expect(title).to_have_text("Your config", timeout=WORKER)
    ask("layers:1")
    expect(title).to_have_text("Your config, edited", timeout=WORKER)
    assert page.url.endswith("?edit=layers:1")


def test_the_two_beside_are_chosen_and_stand_in_the_address(bench):
    """The plot's companions are the reader's choice."""
    page = bench()
    page.select_option("#vs1", "google/gemma-3-27b-it")
    expect(page.locator("#figures")).to_contain_text("Gemma 3 27B")
    page.select_option("#vs1", "")
    page.select_option("#vs2", "")
    expect(page.locator("#figures tbody tr")).to_have_count(1)
    assert page.url.endswith("vs=none")


def test_a_model_of_the_hub_is_fetched(bench):
    """Any Hub id: the config comes from the Hub (here a local one), and the page says from where."""
    page = bench()
    draw(page, "plain/model")
    expect(page.locator("#result h2")).to_have_text("plain/model")
    expect(page.locator("#result .sub")).to_contain_text("Hub")


def test_what_cannot_be_fetched_gets_its_sentence_and_the_drawing_stays(bench):
    """Each failure, one after the other, says what it is; the last good drawing remains."""
    page = bench()
    for wanted, words in (
        ("gone/model", "404"),
        ("gated403/model", "gated"),
        ("html/model", "HTML"),
        ("two words", "repo id"),
    ):
        draw(page, wanted)
        expect(page.locator("#error")).to_contain_text(words)
        expect(page.locator("#result h2")).to_have_text(START)
        expect(page.locator("#busy")).to_be_hidden()


def test_a_pasted_config_is_drawn_and_its_unread_keys_are_listed(bench):
    """A pasted config never enters the address; keys that nobody reads are said at once."""
    page = bench()
    paste(page, json.dumps({**CONFIG, "strange_key": 1}))
    expect(page.locator("#result h2")).to_have_text("Your config")
    expect(page.locator(".unread")).to_contain_text("strange_key")
    assert "model=" not in page.url and "hidden_size" not in page.url


def test_a_bad_paste_gets_one_sentence(bench):
    """Half a file, a page, a list, nothing, too much: one sentence each, another for each, and the drawing stays."""
    page, said = bench(), set()
    rows = {
        '{"model_type":': "breaks off",
        "<html>": "HTML",
        "[]": "JSON object",
        "{}": "num_layers",
        '{"num_hidden_layers": 1000000000}': "from 1 to 1,000",
    }
    for text, words in rows.items():
        paste(page, text)
        expect(page.locator("#error")).to_contain_text(words)
        expect(page.locator("#result h2")).to_have_text(START)
        said.add(page.locator("#error").inner_text())
    assert len(said) == len(rows)


def test_an_error_stands_beside_what_it_is_about(bench):
    """Under the two fields what is wrong with them, under a pasted text what is wrong with that."""
    page = bench()
    error = page.locator("#error")
    page.click(".paste summary")
    for act, words, above in ((draw, "two words", "#what-if"), (paste, "[]", "#read"), (draw, "two words", "#what-if")):
        act(page, words)
        expect(error).to_contain_text("JSON object" if act is paste else "repo id")
        stands, over = error.bounding_box(), page.locator(above).bounding_box()
        assert 0 < stands["y"] - over["y"] - over["height"] < 32


def test_markup_in_a_config_stays_text(bench):
    """Strings of a config never become elements: no image, no script, no handler."""
    page = bench()
    evil = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    paste(page, json.dumps({**CONFIG, "model_type": evil, "architectures": [evil], evil: 1, "torch_dtype": evil}))
    expect(page.locator("#result h2")).to_have_text("Your config")
    assert page.locator("#result img, #result script, #more img, #more script").count() == 0
    assert page.title() != "owned"


def test_a_dropped_file_is_read(bench):
    """Dropping a config.json anywhere on the page draws it."""
    page = bench()
    page.evaluate(
        """text => {
            const data = new DataTransfer();
            data.items.add(new File([text], "config.json", { type: "application/json" }));
            document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }""",
        json.dumps(CONFIG),
    )
    expect(page.locator("#result h2")).to_have_text("Your config")


@pytest.mark.parametrize(
    "query", ["?model=%3Cscript%3E&vs=a,b,c&context=-1", "?context=1e9&vs=nobody/nothing", "?model=" + "x" * 5000]
)
def test_a_broken_address_is_forgiven(bench, query):
    """Nonsense in the address: a sentence or a default, never an empty page."""
    page = bench(query)
    expect(page.locator("#context")).to_have_value("131072")


def test_axe_finds_nothing_light_and_dark(bench, verified):
    """The workbench has no accessibility violation, shadow roots included."""
    passed, wrong, page = 0, [], bench()
    for scheme, rules in (("light", accessible.ALL), ("dark", accessible.CONTRAST)):  # a theme changes colours alone
        page.emulate_media(color_scheme=scheme)
        until(page, lambda: page.evaluate("document.getAnimations().length") == 0)  # colours fade
        found = accessible.look(page, rules=rules)
        passed += found.passed
        wrong += [f"{scheme} {one}" for one in found.wrong]
    assert wrong == []
    verified("accessibility of /app, light and dark", passed, len(wrong), found.engine)


def test_nothing_is_cut_off(bench):
    """The workbench is never wider than its window."""
    page = bench()
    for width in (1400, 900, 390):
        page.set_viewport_size({"width": width, "height": 844})
        until(page, lambda width=width: page.evaluate("document.documentElement.scrollWidth") <= width)


def test_the_sites_search_leads_an_unknown_id_to_the_workbench(page, live_url):
    """With the app behind the site, a Hub id that is not catalogued opens there."""
    page.goto(live_url + "/models/openai/gpt-oss-20b/")
    page.fill(".search input", "plain/other-model")
    page.wait_for_selector(".found [aria-selected=true]")
    page.keyboard.press("Enter")
    page.wait_for_url("**/app?model=plain*")
    expect(page.locator("#result h2")).to_have_text("plain/other-model", timeout=30_000)
