"""/your-model/ with Python started: a drawing, its wires, its layouts, and what the page says of faults."""

from __future__ import annotations

import json
import re

from playwright.sync_api import expect

from cutaway.app.site.pages import STRICT
from cutaway.app.your_model import page as own
from tests import accessible
from tests.site.your_model_page import HOSTILE, TINY, give


def answering(**answered):
    """What stands in the Hub's place says this."""
    return lambda route: route.fulfill(**answered)


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
    expect(warm.locator("#drawing")).not_to_have_attribute("aria-busy", "true")  # what stood there had three, too
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
