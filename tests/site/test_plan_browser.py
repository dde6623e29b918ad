"""The planner's page in a browser: before and after its script, its address, what cannot be, what it offers."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests import accessible
from tests.site.plan_words import FITS, PICK, V3, at, near, query

PARTS = ("sub", "verdict", "because", "notes", "drawing", "legend", "holds", "costs", "owns", "talks", "labels",
         "lives-note", "costs-note", "talks-note", "line-devices", "line-more", "fold-split")  # fmt: skip
TEXTS = """(names) => names.map((name) => [...document.querySelectorAll(`[data-at="${name}"]`)]
  .map((one) => one.textContent.replace(/\\s+/g, " ").trim()).join(" "))"""


def test_the_script_says_what_the_page_said_before(browser, opened, planner):
    """Sentences, drawing and tables of the first visit are the same with and without JavaScript."""
    context = browser.new_context(java_script_enabled=False)
    still = context.new_page()
    still.goto(planner)
    before = [" ".join(still.locator(f'[data-at="{name}"]').first.text_content().split()) for name in PARTS]
    assert not still.locator("form.plan-inputs").is_visible()
    context.close()
    page = opened()
    expect(at(page, "owns").locator("button").first).to_be_visible()
    after = page.evaluate(TEXTS, list(PARTS))
    assert dict(zip(PARTS, after, strict=True)) == dict(zip(PARTS, before, strict=True))
    assert query(page) == ""


def test_an_address_is_a_plan_and_a_plan_an_address(opened):
    """Every word of an address is read, written back in a fixed order without defaults, and the same after a reload."""
    words = (
        V3.replace("&ep", "&sched=interleaved&ep")
        + "&zero=2&shard=32&seq=8192&batch=4096&mb=2&re=full&busy=1.5&g=bfloat16&o=8&d=fp8"
        "&fw=4500000000&used=0.9" + PICK
    )
    page = opened(words.replace("&seq=8192", ""))
    page.fill("#in-sequence", "8,192")
    page.press("#in-sequence", "Enter")
    there = query(page)
    assert there == words
    verdict = at(page, "verdict").text_content()
    opened(there)
    assert query(page) == there
    assert at(page, "verdict").text_content() == verdict
    assert page.input_value("#in-framework_bytes") == "4.5"


UNKNOWN = (
    ("?m=nobody/nothing", "There is no nobody/nothing in the catalogue."),
    ("?m=local:1234", "paste it in the workbench again"),
    ("?on=abacus:1x8", "No device is called “abacus”; known are a100_pcie, a100_sxm,"),
    ("?m=openai/gpt-oss-20b&on=h200_sxm:8", "on takes nodes x GPUs, as in h200_sxm:2x8, not “h200_sxm:8”."),
    ("?m=openai/gpt-oss-20b&gpu=h200_sxm", "The address has an unknown key, “gpu”."),
    ("?m=openai/gpt-oss-20b&kv=int1&tp=many", "tp cannot be “many”. kv cannot be “int1”."),
    ("?tp=2&sort=fastest", "sort cannot be “fastest”."),
)


@pytest.mark.parametrize(("words", "says"), UNKNOWN)
def test_what_an_address_names_and_nobody_knows_is_said_and_not_planned(opened, words, says):
    """A model, a device, a value or a word: a sentence in the verdict's place, and no plan of anything else."""
    page = opened(words)
    expect(at(page, "verdict")).to_contain_text(says)
    expect(at(page, "verdict")).to_have_attribute("data-fits", "illegal")
    expect(at(page, "because")).to_contain_text("Nothing is planned.")
    expect(page.locator(".plan-card").first).to_be_hidden()
    expect(at(page, "ways")).to_be_empty()
    assert "Fits" not in page.locator("[data-plan]").inner_text() and query(page) == words
    page.fill("#in-tp", "4")
    page.press("#in-tp", "Enter")
    expect(at(page, "verdict")).to_have_attribute("data-fits", re.compile("true|false"))


def test_a_pick_that_no_tensor_has_is_said(opened):
    """The plan is what the address says; the tensor that is not there is named."""
    page = opened("?m=openai/gpt-oss-20b&on=h100_sxm:1x8&pick=no.such.weight")
    expect(page.get_by_role("alert")).to_have_text("No tensor of this plan is called “no.such.weight”.")
    expect(at(page, "verdict")).to_contain_text("Fits")


AXES = (
    "tp=2",
    "pp=2",
    "ep=8",
    "dcp=1",
    "ctx=4096",
    "n=3",
    "kv=fp8",
    "w=fp8",
    "used=0.5",
    "on=h200_sxm:1x8",
    "red=0",
    "zero=2",
)


@pytest.mark.parametrize("words", [*AXES, "job=train", "job=prefill&seq=1024", "job=train&cp=2"])
def test_an_axis_alone_is_what_is_planned(opened, words):
    """Without a model, or anything else, the word stands as it does beside one: the first visit's tp 4 is not added."""
    page = opened(f"?{words}")
    alone = page.locator("[data-plan] form").evaluate(FIELDS)
    verdict = at(page, "verdict").text_content()
    opened(f"?m=Qwen/Qwen3-235B-A22B&{words}")
    assert page.locator("[data-plan] form").evaluate(FIELDS) == alone
    assert at(page, "verdict").text_content() == verdict
    assert page.input_value("#in-tp") == ("2" if words == "tp=2" else "1")


FIELDS = "(form) => [...new FormData(form)].map(([name, value]) => `${name}=${value}`)"


def test_a_layout_that_cannot_be_says_what_can(opened):
    """The field is marked, the reason is the verdict, the last legal drawing is dimmed, a button takes the nearest."""
    page = opened(FITS)
    expect(at(page, "verdict")).to_contain_text("Fits: the fullest GPU holds 147.2")
    held = at(page, "holds").text_content()
    page.fill("#in-ep", "48")
    expect(at(page, "verdict")).to_have_text("ep 48 does not divide 256 experts.")
    expect(page.locator("#in-ep")).to_have_attribute("aria-invalid", "true")
    expect(at(page, "layouts-box")).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.querySelector('.plan-card')).opacity") == "0.38"
    assert at(page, "holds").text_content() == held
    expect(page.locator(".way")).to_have_text(["ep 32 164.2 GB, 3.44 s", "ep 64 147.2 GB, 3.44 s"])
    page.get_by_role("button", name="ep 64").click()
    expect(at(page, "verdict")).to_contain_text("Fits:")
    assert page.input_value("#in-ep") == "64"
    expect(page.locator("#in-ep")).not_to_have_attribute("aria-invalid", "true")
    page.fill("#in-tp", "x")
    expect(page.locator("#in-tp")).to_have_attribute("aria-invalid", "true")
    expect(at(page, "verdict")).to_contain_text("Fits:")


def test_steppers_skip_what_is_illegal_and_back_goes_back(opened):
    """+ on ep goes from 64 to the next number that divides; every press is a step of the history."""
    page = opened(V3)
    page.click('[data-less="ep"]')
    assert page.input_value("#in-ep") == "32"
    page.press("#in-ep", "ArrowDown")
    assert page.input_value("#in-ep") == "16"
    page.go_back()
    expect(page.locator("#in-ep")).to_have_value("32")
    page.go_back()
    expect(page.locator("#in-ep")).to_have_value("64")
    page.go_forward()
    expect(page.locator("#in-ep")).to_have_value("32")


def test_what_does_not_fit_says_why_and_offers_fixes(opened):
    """The overrun is outlined, the because names the largest part, and a fix's button makes it fit."""
    page = opened("?m=Qwen/Qwen3-235B-A22B&on=h100-sxm:1x8")
    expect(at(page, "verdict")).to_have_attribute("data-fits", "false")
    assert "routed experts" in at(page, "because").text_content()
    assert page.locator(".st-over").count() > 0
    first = page.locator(".way-first")
    expect(first).to_be_visible()
    first.click()
    expect(at(page, "verdict")).to_have_attribute("data-fits", "true")
    assert page.locator(".st-over").count() == 0


def test_another_model_brings_its_sheet_and_moves_to_what_it_can(opened):
    """A typed name is found, its sheet fetched once, and a layout that it cannot have moves to the nearest."""
    page = opened("?m=Qwen/Qwen3-235B-A22B&tp=8&ep=8")
    page.fill("#in-m", "phi-4")
    page.press("#in-m", "Enter")
    expect(at(page, "sub")).to_contain_text("Phi-4")
    assert query(page).startswith("?m=microsoft/phi-4&on=h100_sxm:1x8")
    expect(at(page, "verdict")).to_contain_text("Fits")
    assert page.input_value("#in-ep") == "1"
    page.fill("#in-m", "no such model")
    page.press("#in-m", "Enter")
    expect(page.locator("#in-m")).to_have_attribute("aria-invalid", "true")


def test_a_dense_layout_stands_in_the_table_once(opened):
    """Where any etp is the same plan, the reader's own row is one of those that are legal."""
    page = opened("?m=microsoft/phi-4&n=3")
    rows = at(page, "layouts").locator("tbody tr")
    expect(at(page, "layouts-note")).to_contain_text("of 7 that fit, of 7 legal")
    expect(rows).to_have_count(7)
    expect(rows.filter(has_text="yours")).to_have_count(1)


def test_what_is_taken_away_is_the_plan(opened):
    """The JSON has keys of `cutaway plan --json`, its address names the model; the other address is the page's own."""
    page = opened(FITS)
    at(page, "take").get_by_role("button", name="JSON").click()
    shown = at(page, "take").locator("pre")
    expect(shown).to_contain_text('"ranks"')
    found = json.loads(shown.text_content())
    assert list(found) == ["plan", "fits", "ranks", "communicators", "step", "flags", "address", "notes"]
    assert f"?{found['address']}" == FITS
    fullest = found["ranks"][found["fits"]["fullest"]]
    assert fullest["total_bytes"] == max(rank["total_bytes"] for rank in found["ranks"])
    page.get_by_role("button", name="this page's address").click()
    expect(shown).to_have_text(re.compile(re.escape(FITS) + "$"))
    page.get_by_role("button", name="Megatron-LM").click()
    expect(shown).to_contain_text("--pipeline-model-parallel-size 4 --pipeline-model-parallel-layout")
    opened("?m=openai/gpt-oss-20b&on=h200_sxm:1x8&tp=2&ctx=131072")
    expect(shown).to_have_text(
        "vllm serve openai/gpt-oss-20b --tensor-parallel-size 2 --data-parallel-size 4 --max-model-len 131072 "
        "--gpu-memory-utilization 0.92"
    )


@pytest.mark.parametrize("words", ["", V3 + PICK])
def test_axe_finds_nothing(opened, words, verified):
    """No accessibility violation, light or dark, in a plan that serves and in one that trains."""
    page = opened(words)
    near(page)
    passed, wrong = 0, []
    for scheme, rules in (("light", accessible.ALL), ("dark", accessible.CONTRAST)):
        page.emulate_media(color_scheme=scheme)
        found = accessible.look(page, rules=rules)
        passed += found.passed
        wrong += [f"{scheme} {one}" for one in found.wrong]
    assert wrong == []
    what = "training" if words else "inference"
    verified(
        f"accessibility of /plan/ for {what}, light and dark",
        passed,
        len(wrong),
        found.engine,
    )


@pytest.mark.parametrize(
    "words", ["", V3 + PICK, "?m=deepseek-ai/DeepSeek-V3&on=h100-sxm:256x8&pp=16&ep=64&job=train&batch=15360"]
)
def test_nothing_is_cut_off_and_the_drawing_is_on_one_screen(opened, words):
    """At 1400, 900 and 390 px nothing is wider than the window; on a phone the inputs are four lines and Change."""
    page = opened(words)
    near(page)
    for width in (1400, 900, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert at(page, "drawing").bounding_box()["height"] < 844
    assert page.locator(".plan-folded dd:visible").count() == 4
    assert not page.locator("#in-tp").is_visible()
    page.get_by_role("button", name="Change").click()
    assert page.locator("#in-tp").is_visible()


@pytest.mark.parametrize(
    ("words", "says", "way"),
    [
        ("on=h100_sxm:1x12", "A node of h100_sxm joins at most 8 GPUs, not 12.", "per node 8"),
        ("on=a100_sxm:1x8&x=fp8", "a100_sxm has no peak for fp8.", "compute dtype bfloat16"),
        ("on=h100_sxm:0x8", "nodes is 0, but must be at least 1.", "1 node"),
        ("on=h100_sxm:1x8&tp=0", "tp is 0, but must be at least 1.", "tp 1"),
        ("on=h100_sxm:3x7&tp=5", "tp 5 does not divide 64 heads.", "tp 1"),
    ],
)
def test_what_cannot_be_asked_for_has_a_way_out(opened, words, says, way):
    """Too many GPUs in a node, a format without a peak, nothing at all: a sentence, and what is legal nearest."""
    page = opened(f"?m=openai/gpt-oss-20b&{words}")
    expect(at(page, "verdict")).to_have_text(says)
    expect(page.locator(".way b").first).to_contain_text(way)
    page.locator(".way").first.click()
    expect(at(page, "verdict")).not_to_have_attribute("data-fits", "illegal")
    expect(page.locator(".plan-stale")).to_have_count(0)


def test_a_tangle_offers_whole_layouts(opened):
    """Where no single value mends a layout, others of the same GPUs are offered, and the drawing is one of them."""
    page = opened("?m=deepseek-ai/DeepSeek-V3&on=h200_sxm:3x7&tp=7")
    expect(page.locator(".way").first).to_contain_text("tp 1")
    expect(at(page, "because")).to_contain_text("Drawn below is the nearest legal layout, tp 1")
    page.locator(".way").first.click()
    expect(at(page, "verdict")).not_to_have_attribute("data-fits", "illegal")


def test_ten_layouts_are_offered_and_taken(opened):
    """The table names its counts, says which row is yours, sorts either way, and a press takes a layout."""
    page = opened(FITS + "&batch=1024")
    rows = at(page, "layouts").locator("tbody tr")
    expect(rows.first).to_be_visible(timeout=30_000)
    assert re.search(r"of [\d,]+ that fit, of [\d,]+ legal", at(page, "layouts-note").text_content())
    assert rows.count() in (10, 11)
    assert at(page, "layouts").locator("tr.lit th").text_content().endswith(" yours")
    page.locator(".plan-sort").get_by_text("without overlap").click()
    assert query(page).endswith("&sort=sum")
    expect(page.get_by_role("radio", name="without overlap")).to_be_checked()
    page = opened(V3 + "&batch=1024&sort=sum")
    wanted = at(page, "layouts").locator("tbody tr").first
    wanted.locator("button").click(timeout=30_000)
    expect(at(page, "layouts").locator("tbody tr").first).to_contain_text("1 yours", timeout=30_000)
    assert "batch=1024" in query(page)
