"""The tensor-parallel page as a reader meets it: stepped, split too far, pointed at, ZeRO, from a link, narrow."""

import pytest
from axe_playwright_python.sync_playwright import Axe

READY = "[data-widget][data-ready]"


@pytest.fixture
def tensor(page, learn_url):
    """Open the page at a state."""

    def go(query=""):
        page.goto(f"{learn_url}/learn/tensor-parallel/{query}")
        page.wait_for_selector(READY)
        return page

    return go


def state(page, key):
    return page.evaluate("(key) => document.querySelector('[data-widget]').cutaway.model.get(key)", key)


def errors(page) -> list[str]:
    return [text for text in page.locator(".cw-error").all_inner_texts() if text]


def test_seven_ranks_on_64_heads_are_refused(tensor):
    """The slider passes 5, 6 and 7 with the legal numbers said beside it; the drawing keeps 4 until 8."""
    page = tensor()
    slider = page.get_by_role("slider", name="ranks t")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert errors(page) == [
        "7 ranks cannot share 64 query heads evenly: 64 / 7 is not whole. Legal for Llama 3.1 70B: 1, 2, 4, 8, 16."
    ]
    assert (state(page, "tp"), page.locator(".cw-heading span").first.inner_text()) == (
        4,
        "Llama 3.1 70B: one layer, 4 ranks",
    )
    page.keyboard.press("ArrowRight")
    assert (errors(page), state(page, "tp")) == ([], 8)


def test_steps_name_themselves_and_their_difference(tensor):
    """Each of the ten steps is a button with the measured difference; columns and heads are exact."""
    page = tensor()
    steps = page.locator(".cw-tensor-parallel-steps button")
    assert steps.count() == 10
    assert [steps.nth(k).locator("small").inner_text() for k in range(3)] == ["Δ 0"] * 3
    steps.nth(3).click()
    assert state(page, "step") == 3
    assert page.locator(".cw-heading small").first.inner_text().startswith("step 4 of 10 · rows of o")
    page.get_by_label("sequence parallelism").check()
    assert steps.nth(4).locator("span").inner_text() == "5 reduce-scatter"


def test_the_same_bytes_with_sequence_parallelism(tensor):
    """192 MiB at each meeting, as an all-reduce or as reduce-scatter and all-gather."""
    page = tensor()
    table = page.locator(".cw-table:visible tbody")
    before = table.locator("td:nth-child(4)").all_inner_texts()
    page.get_by_label("sequence parallelism").check()
    assert (
        before
        == table.locator("td:nth-child(4)").all_inner_texts()
        == ["192.0 MiB", "192.0 MiB", "384.0 MiB", "30.0 GiB"]
    )


def test_pointing_at_a_rank_says_what_it_holds(tensor):
    """Rank 5 of 16 holds a copy of KV head 2, as rank 4 does."""
    page = tensor("?tp=16")
    page.get_by_role("button", name="rank 5", exact=True).click()
    assert page.locator(".cw-tensor-parallel-held").inner_text() == (
        "Rank 5 holds query heads 20 to 23, KV head 2 (also on rank 4), columns 8,960 to 10,751 of gate and up, "
        "the same rows of down."
    )
    assert state(page, "rank") == 5


def test_nonsense_tokens_keep_the_last_good_state(tensor):
    """Letters, zero and a length that 4 does not divide are refused beside the field."""
    page = tensor("?sequence_parallel=true")
    field = page.get_by_role("textbox", name="tokens")
    for typed, says in (("many", "whole number"), ("0", "from 1 to"), ("8191", "4 does not divide 8,191")):
        field.fill(typed)
        assert says in errors(page)[0], typed
        assert state(page, "sequence") == 8192
    field.fill("4096")
    assert (errors(page), state(page, "sequence")) == ([], 4096)


def test_zero_keeps_fewer_bytes(tensor):
    """The second tab: 16, 5.5, 3.75 and 2 bytes on 8 ranks; stage 3 sends half as much again; Megatron starts at 18."""
    page = tensor("?view=zero")
    rows = page.locator(".cw-table:visible tbody tr")
    assert rows.locator("td:nth-child(2)").all_inner_texts() == ["16.00", "5.50", "3.75", "2.00"]
    assert rows.nth(3).locator("td").all_inner_texts()[2:4] == ["1.75 B", "3.50 B"]
    page.get_by_role("radio", name="18: Megatron").check()
    assert rows.locator("td:nth-child(2)").all_inner_texts()[:2] == ["18.00", "7.50"]
    assert state(page, "convention") == "18"


def test_broken_links_are_said_and_survived(tensor):
    """An unknown model and an impossible split get a sentence; the page shows its start."""
    for query, says in (
        ("?model=nobody/nothing", "No model here is called “nobody/nothing”"),
        ("?tp=7", "7 ranks cannot share 64 query heads"),
        ("?convention=17", "The conventions are 16, 18, 20"),
    ):
        page = tensor(query)
        assert says in page.locator("[data-message]").inner_text(), query
        assert page.locator(".cw-heading span").first.inner_text() == "Llama 3.1 70B: one layer, 4 ranks"


def test_narrow_and_without_script(tensor, browser, learn_url):
    """At 390 pixels nothing is cut off in either view; without scripts the picture and its numbers stand."""
    for query in ("?tp=16", "?view=zero&dp=64&convention=20"):
        page = tensor(query)
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(f"{learn_url}/learn/tensor-parallel/")
    assert "partial sums of 128.0 MiB meet, and every rank sends 192.0 MiB" in plain.locator(".cw").inner_text()
    context.close()


def test_axe_finds_nothing(tensor):
    """No accessibility violation in either view and theme."""
    for query in ("?tp=16&step=4", "?view=zero"):
        page = tensor(query)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found = Axe().run(page)
            assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", [1400, 900, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_looks_as_kept(tensor, shot, card, width, scheme):
    """The card at three widths, light and dark."""
    page = tensor()
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 900})
    page = tensor("?tp=16&sequence=4096&step=4")
    shot(card(page), f"tensor-parallel-{width}-{scheme}")
