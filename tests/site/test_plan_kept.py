"""The planner in a browser: what the history, the address and the focus keep."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.site.plan_words import at, near, query


def test_back_returns_to_what_stood_before_something_was_typed(opened):
    """One step in the history for a number that was typed, and one for the next; nothing for what is refused."""
    page = opened("?m=Qwen/Qwen3-235B-A22B&on=h100_sxm:1x8&tp=4")
    for typed in ("2", "8"):
        page.fill("#in-tp", typed)
        page.press("#in-tp", "Enter")
        page.wait_for_url(f"**&tp={typed}*")
    page.go_back()
    page.wait_for_url("**&tp=2")
    page.go_back()
    page.wait_for_url("**&tp=4")
    expect(page.locator("#in-tp")).to_have_value("4")


def test_a_zero_takes_nothing_else_with_it(opened):
    """What follows from an illegal layout is not written, and nothing is called infinite."""
    page = opened("?m=Qwen/Qwen3-235B-A22B&on=h100_sxm:16x8&job=train&tp=4&pp=4&ep=8")
    page.fill("#in-tp", "0")
    page.press("#in-tp", "Enter")
    page.wait_for_url("**tp=0*")
    assert "batch=" not in query(page) and "etp=" not in query(page)
    assert "Infinity" not in page.locator("[data-plan]").inner_text()
    page.fill("#in-tp", "4")
    page.press("#in-tp", "Enter")
    expect(at(page, "verdict")).to_contain_text("stage 0 needs 88.0 GB")
    assert query(page) == "?m=Qwen/Qwen3-235B-A22B&on=h100_sxm:16x8&job=train&tp=4&pp=4&ep=8"


@pytest.mark.parametrize(
    "words, says",
    [("dcp=64", "dcp 64 does not divide tp 1."), ("job=train&mb=0", "micro batch is 0, but must be at least 1.")],
)
def test_an_address_that_cannot_be_draws_the_nearest(opened, words, says):
    """Whatever is wrong in it, a layout stands below, and no number is infinite."""
    page = opened("?m=openai/gpt-oss-20b&on=h100_sxm:1x8&" + words)
    expect(at(page, "verdict")).to_have_text(says)
    expect(at(page, "because")).to_contain_text("Drawn below is the nearest legal layout, tp 1 · pp 1")
    expect(at(page, "ways").locator("button").first).to_contain_text(re.compile("dcp 1|micro batch 1"))
    assert "Infinity" not in page.locator("[data-plan]").inner_text()


def test_what_is_pressed_keeps_the_focus(opened):
    """A tab of what is taken away, a tensor's row: drawn anew, and still where the keyboard is."""
    page = opened("?m=Qwen/Qwen3-235B-A22B&on=h100_sxm:1x8&tp=4")
    for part, n in (("take", 1), ("owns", 2)):
        button = at(page, part).locator("button").nth(n)
        button.focus()
        words = button.inner_text()
        page.keyboard.press("Enter")
        page.wait_for_timeout(300)
        assert page.evaluate("document.activeElement.innerText") == words


def test_pause_keeps_the_place(opened):
    """The address has the second at which playing was stopped."""
    page = opened("?m=Qwen/Qwen3-235B-A22B&on=h100_sxm:4x8&job=train&tp=4&pp=4&ep=8&batch=64")
    near(page)
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").click()
    page.wait_for_url("**&t=*")


WRONG = (
    ("tp", "abc", "“abc” is not a whole number below 1e9, as 4 or 4k; what stood there before"),
    ("nodes", "", "“” is not a whole number"),
    ("context", "-5", "“-5” is not a whole number"),
    ("used", "120 %", "“120 %” is not a share of the memory, as 92 % or 0.92"),
)


@pytest.mark.parametrize("name, text, says", WRONG)
def test_what_is_no_number_is_answered_in_a_sentence(opened, name, text, says):
    """Under the fields of its group, tied to the field; it goes when something is taken."""
    page = opened("?m=Qwen/Qwen3-235B-A22B&on=h100_sxm:1x8&tp=4")
    page.locator(".plan-more").evaluate("(more) => { more.open = true; }")
    page.fill(f"#in-{name}", text)
    expect(page.get_by_role("alert")).to_contain_text(says)
    expect(page.locator(f"#in-{name}")).to_have_accessible_description(re.compile("what stood there before is planned"))
    page.press(f"#in-{name}", "Enter")
    page.fill("#in-tp", "2")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_name_of_no_model_is_answered_in_a_sentence(opened):
    """The plan stays; the sentence says what would do."""
    page = opened("?m=Qwen/Qwen3-235B-A22B&on=h100_sxm:1x8&tp=4")
    page.fill("#in-m", "nonsense")
    page.press("#in-m", "Enter")
    expect(page.get_by_role("alert")).to_have_text("“nonsense” is no catalogued model: a part of a name will do.")
    assert query(page) == "?m=Qwen/Qwen3-235B-A22B&on=h100_sxm:1x8&tp=4"


def test_layouts_of_which_none_fits_are_no_empty_table(opened):
    """A line says so."""
    page = opened("?m=deepseek-ai/DeepSeek-V3&on=h100_sxm:1x1")
    expect(at(page, "layouts-note")).to_have_text(re.compile(r"^none: of [\d,]+ legal ones on these GPUs none fits$"))
    expect(at(page, "layouts")).to_be_empty()


def test_lora_makes_a_run_fit_that_full_training_does_not(opened):
    """Llama 3 70B on eight GB200, as it was published: the field says the rank, the verdict and a note follow it."""
    page = opened("?m=meta-llama/Llama-3.1-70B&on=gb200:2x4&job=train&pp=2x20&batch=32&lora=16&g=bfloat16&x=fp8")
    expect(page.get_by_label("LoRA rank, 0: train all")).to_have_value("16")
    expect(at(page, "verdict")).to_have_attribute("data-fits", "true")
    expect(at(page, "notes")).to_contain_text("LoRA trains adapters of rank 16 on every linear layer")
    expect(at(page, "labels")).to_contain_text("1 published run of this layout ran with gradients in bfloat16, LoRA of")
    page.fill("#in-lora_rank", "0")
    expect(at(page, "verdict")).to_have_attribute("data-fits", "false")
    assert "lora" not in query(page)
    page.fill("#in-lora_rank", "9000")
    expect(at(page, "verdict")).to_have_text("lora_rank 9000 is more than hidden_size 8192.")
    expect(page.locator("#in-lora_rank")).to_have_attribute("aria-invalid", "true")
    at(page, "ways").locator("button").first.click()
    expect(page.locator("#in-lora_rank")).to_have_value("8,192")
