"""Ways through the workbench: paste, edit, compare, back, forward, reload, refuse, undo, in any order."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.gallery.fake_hub import CONFIG

START = "DeepSeek V3"
WORKER = 60_000  # ms that a worker may take to begin and to draw
FOUR = {**CONFIG, "num_attention_heads": 4, "num_key_value_heads": 2}
UNEVEN = "num_attention_heads 3 is not a multiple of num_key_value_heads 2"


class Workbench:
    """What a reader does, and what then stands there."""

    def __init__(self, page, url: str) -> None:
        self.page, self.url = page, f"{url}/app"

    def open(self, query: str = "", title: str = START) -> Workbench:
        self.page.goto(self.url + query)
        self.page.wait_for_selector("html[data-ready]", timeout=WORKER)
        return self.shows(title)

    def draw(self, wanted: str) -> None:
        self.page.fill("#model", wanted)
        self.page.click("#open button")

    def edit(self, text: str) -> None:
        self.page.fill("#edit", text)
        self.page.click("#what-if button")

    def paste(self, config: dict) -> None:
        if not self.page.locator("#pasted").is_visible():
            self.page.click(".paste summary")
        self.page.fill("#pasted", json.dumps(config))
        self.page.click("#read")

    def shows(self, title: str, at: str | None = None, model: str | None = None, layers: int = 0) -> Workbench:
        """The heading, no error; the address behind /app, what the model's box says, how many layers are drawn."""
        page = self.page
        expect(page.locator("#result h2")).to_have_text(title, timeout=WORKER)
        expect(page.locator("#error")).to_be_hidden()
        expect(page.locator("#busy")).to_be_hidden()
        if at is not None:
            assert page.url == self.url + at
        if model is not None:
            expect(page.locator("#model")).to_have_value(model)
        if layers:
            expect(page.locator("#result .tiles div", has_text="layers")).to_contain_text(f"{layers}", timeout=WORKER)
        return self

    def refuses(self, words: str, title: str) -> Workbench:
        """A sentence over the last good drawing."""
        expect(self.page.locator("#error")).to_contain_text(words, timeout=WORKER)
        expect(self.page.locator("#result h2")).to_have_text(title)
        return self

    def says(self, words: str) -> None:
        expect(self.page.locator("#status")).to_have_text(words, timeout=WORKER)


@pytest.fixture
def bench(page, live_url):
    return Workbench(page, live_url)


def test_a_pasted_config_stays_when_others_stand_beside_it(bench):
    """Context and companions change, then it is edited and opened anew: it is the pasted config all the while."""
    bench.open().paste(CONFIG)
    bench.shows("Your config", at="", model="")
    bench.page.select_option("#context", "8192")
    bench.edit("layers:1")
    bench.shows("Your config, edited", at="?edit=layers:1&context=8192", layers=1)
    bench.page.select_option("#vs1", "google/gemma-3-27b-it")
    expect(bench.page.locator("#figures")).to_contain_text("Gemma 3 27B")
    bench.page.reload()
    bench.shows("Your config, edited", model="", layers=1)
    expect(bench.page.locator("#context")).to_have_value("8192")
    expect(bench.page.locator("#figures")).to_contain_text("Gemma 3 27B")
    bench.page.go_back()
    bench.page.go_back()
    bench.shows("Your config", at="?context=8192", model="")
    bench.draw("deepseek-ai/DeepSeek-V3")
    bench.shows(START, at="?model=deepseek-ai/DeepSeek-V3&context=8192")


def test_back_and_forward_restore_what_was_drawn(bench):
    """A bare address, a model, two pasted configs: each entry draws its own, and the model's box agrees."""
    bench.open().draw("Qwen/Qwen3-8B")
    bench.shows("Qwen3 8B")
    bench.page.go_back()
    bench.shows(START, at="", model="deepseek-ai/DeepSeek-V3").says(f"{START} is drawn.")
    bench.paste({**CONFIG, "num_hidden_layers": 3})
    bench.shows("Your config", model="", layers=3)
    bench.paste({**CONFIG, "num_hidden_layers": 5})
    bench.shows("Your config", layers=5)
    bench.page.go_back()
    bench.shows("Your config", at="", model="", layers=3)
    expect(bench.page.locator("#pasted")).to_have_value(json.dumps({**CONFIG, "num_hidden_layers": 3}))
    bench.page.go_back()
    bench.shows(START, at="", model="deepseek-ai/DeepSeek-V3")
    bench.page.go_forward()
    bench.page.go_forward()
    bench.shows("Your config", model="", layers=5)
    bench.page.reload()
    bench.shows("Your config", model="", layers=5)


def test_an_error_goes_with_its_cause(bench):
    """An edit that is taken back, a text that is no config: the next wish is drawn, at an address that names it."""
    bench.open("?model=openai/gpt-oss-20b", "GPT-OSS 20B").paste(FOUR)
    bench.shows("Your config")
    bench.edit("heads:3")
    bench.refuses(UNEVEN, "Your config")
    bench.page.reload()
    bench.refuses(UNEVEN, "Your config")  # not over the model that a new page begins with
    bench.edit("")
    bench.shows("Your config", at="").says("Your config is drawn.")
    bench.paste({"a": 1})
    bench.refuses("looked for", "Your config")
    bench.edit("layers:1")  # of what stands there
    bench.shows("Your config, edited", at="?edit=layers:1", layers=1)
    bench.draw("openai/gpt-oss-20b")
    bench.shows("GPT-OSS 20B").edit("layers:6")
    bench.shows("GPT-OSS 20B, edited").paste({"a": 1})
    bench.refuses("looked for", "GPT-OSS 20B, edited")
    bench.edit("layers:4")
    bench.shows("GPT-OSS 20B, edited", at="?model=openai/gpt-oss-20b&edit=layers:4", model="openai/gpt-oss-20b")
    expect(bench.page.locator("#result .tiles")).to_contain_text("2 + 2")


def test_an_edited_model_keeps_what_its_source_lacks(bench):
    """The mark, the notice and the copy at hand stand above a reconstructed config, also with other numbers."""
    bench.open("?model=ByteDance/Ouro-2.6B", "Ouro 2.6B")
    for title, edits in (("Ouro 2.6B", "heads:32"), ("Ouro 2.6B, edited", "")):
        bench.shows(title)
        expect(bench.page.locator("#result .mark")).to_have_text("reconstructed")
        expect(bench.page.locator(".notices")).to_contain_text("Our copy of the config lacks rope_theta;")
        expect(bench.page.locator("#result .unread")).to_have_text("Every key of our copy of the config was read.")
        bench.edit(edits)
    bench.shows("Ouro 2.6B")
