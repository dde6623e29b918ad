"""What a reader does on a model's page before its scripts are there: it is kept, or cannot be done yet."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.guarded import until
from tests.site.weighed import said

V3, NEXT = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-Next-80B-A3B-Instruct"


@pytest.fixture
def waiting(page, weighed):
    """waiting(file, query): a model's page that has not got a file yet; page.come() lets it come."""

    def open_(file: str, query: str = ""):
        stem, dot, kind = file.rpartition(".")
        held, name = [], re.compile(rf"/{re.escape(stem)}(-[A-Z0-9]{{8}})?{re.escape(dot + kind)}(\?|$)")
        page.route(name, lambda route: held.append(route))
        page.goto(f"{weighed}/models/{V3}/{query}", wait_until="commit")

        def come():
            until(page, lambda: held)
            for route in held:
                route.continue_()
            page.unroute(name)

        page.come = come
        return page

    return open_


VS = "?vs=Qwen/Qwen3-Next-80B-A3B-Instruct"


def named(page):
    page.fill('[data-in="vs"]', "GPT-2")
    page.press('[data-in="vs"]', "Enter")


ACTS = {
    "?paint=storage": lambda page: page.get_by_text("Colour by storage").click(),
    "?tp=4": lambda page: page.locator("[data-xray]").get_by_label("4", exact=True).check(),
    "?marks=0": lambda page: page.locator("[data-marks]").uncheck(),
    "?gpu=l4": lambda page: page.locator('[data-in="gpu"]').select_option("l4"),
    "?gpus=4": lambda page: page.locator('[data-in="gpus"]').fill("4"),
    "?job=prefill": lambda page: page.get_by_role("radio", name="whole prompt").press(" "),
    "?batch=2": lambda page: page.locator("#cache [data-more]").click(),
    f"{VS},openai-community/gpt2-xl": named,
}


@pytest.mark.parametrize(
    ("file", "query"),
    [
        ("paint.js", "?paint=storage"), ("ranks.js", "?tp=4"), ("lazy.js", "?marks=0"), ("weigh.js", "?gpu=l4"),
        ("weigh.js", "?gpus=4"), ("weigh-page.js", "?gpu=l4"), ("weigh-page.js", "?job=prefill"),
        ("weigh-page.js", "?batch=2"), ("data/weigh.json", f"{VS},openai-community/gpt2-xl"),
    ],
)  # fmt: skip
def test_what_is_chosen_before_a_script_has_come_is_kept(waiting, file, query):
    """Once the script is there the choice still stands, and the address names it."""
    page = waiting(file, query=VS if query.startswith(VS) else "")
    ACTS[query](page)
    page.come()
    until(page, lambda: page.url.endswith(query))


def test_the_first_keys_are_answered_before_other_models_are_known(waiting):
    """Two presses of ] are two steps, whatever stands beside the model, and no script fails."""
    page = waiting("data/weigh.json", query="?vs=openai-community/gpt2-xl")
    page.wait_for_load_state()
    page.keyboard.press("]")
    page.keyboard.press("]")
    page.come()
    until(page, lambda: page.url.endswith("?ctx=163840&vs=openai-community/gpt2-xl"))
    assert said(page, "title") == "Cache at 163,840 tokens"


def test_a_key_is_one_step_where_edits_brought_the_weighing(page, weighed):
    """An address with edits wakes the page by itself; ] is then not pressed a second time."""
    page.goto(f"{weighed}/models/{NEXT}/?edit=layers:40")
    page.wait_for_selector(".what-if[data-ready]")
    page.keyboard.press("]")
    until(page, lambda: said(page, "title") != "Cache at 131,072 tokens, edited")
    page.wait_for_timeout(300)
    assert said(page, "title") == "Cache at 147,456 tokens, edited"


def test_buttons_that_nobody_hears_yet_are_off(waiting):
    """− and + can be pressed once somebody answers."""
    page = waiting("weigh.js")
    more = page.locator("#cache [data-more]")
    expect(more).to_be_disabled()
    page.come()
    expect(more).to_be_enabled()
    more.click()
    until(page, lambda: page.url.endswith("?batch=2"))


@pytest.mark.parametrize("file", ["lazy.js", "taking-model.js"])
def test_a_menu_opened_early_answers(waiting, file):
    """It stays open, and its buttons say what they did."""
    page = waiting(file)
    page.click(".taking > summary")
    if file == "taking-model.js":
        page.get_by_role("button", name="iframe").click()
        page.come()
    else:
        page.come()
        page.wait_for_load_state("networkidle")
        page.get_by_role("button", name="iframe").click()
    expect(page.locator(".taking [role=status]")).not_to_be_empty()
    expect(page.locator(".taking")).to_have_attribute("open", "")


def test_a_form_opened_early_fills_itself(waiting):
    """“What if the model had …” opened before its script is not left empty."""
    page = waiting("lazy.js")
    page.click(".what-if > summary")
    page.come()
    page.wait_for_selector(".what-if[data-ready]")
