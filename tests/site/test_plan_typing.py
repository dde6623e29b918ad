"""What is typed and chosen on /plan/: every field's words, what each of them means, and what is refused."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from cutaway.gallery.planning.schedules import SCHEDULES
from tests.guarded import until
from tests.site.plan_words import V3, at, query

TRAIN = V3 + "&batch=4096"
SERVE = "?m=openai/gpt-oss-20b&on=h100_sxm:1x8&tp=8"
# field -> (what takes it back, {what is typed: the word that the address gains; "": none; None: it is refused})
TYPED = {
    "used": ("92%", {"95%": "used=0.95", "0.5": "used=0.5", "92 %": "", "0": None, "1.01": None, "1": "used=1"}),
    "imbalance": ("1", {"1.5": "busy=1.5", "0.5": None, "10000": None, "9999": "busy=9999"}),
    "framework_bytes": ("", {"4.5": "fw=4500000000", "-1": None, "0": "fw=0", "10000": None}),
    "sequence": ("4,096", {"8k": "seq=8192", "1m": "seq=1048576", "1,000": "seq=1000", "4 096": "", "2.5": None,
                           "": None, "long": None}),
    "optimizer_bytes": ("12", {"8": "o=8"}),
    "lora_rank": ("0", {"16": "lora=16", "0": "", "": None, "all": None}),
    "micro_batch": ("1", {"2": "mb=2", "k": None, "1e1": None, "0x2": None, "2K": "mb=2048"}),
    "mtp": ("", {"1": "mtp=1", "0": "", "as usual": ""}),
    "etp": ("", {"2": "etp=2", "1": ""}),
    "dp_shard": ("", {"4": "shard=4", "all of dp": "", "some": None}),
    "split": ("", {"Et*3|(tt|)*29,m|L": "split=Et*3%7C(tt%7C)*29,m%7CL", " ": ""}),
}  # fmt: skip
CHOSEN = [
    *(("schedule", name, f"sched={name}") for name in SCHEDULES), ("recompute", "full", "re=full"),
    ("recompute", "parts", "re=parts"), ("gradient_dtype", "bfloat16", "g=bfloat16"), ("compute_dtype", "fp8", "x=fp8"),
    ("cp_kind", "ulysses", "cp=1:ulysses"), ("zero", "3", "zero=3"), ("zero", "0", "zero=0"),
    ("order", "tp-cp-ep-pp-dp", "order=tp-cp-ep-pp-dp"), ("dispatch_dtype", "fp8", "d=fp8"),
]  # fmt: skip


def in_words(search: str) -> set[str]:
    return set(search.removeprefix("?").split("&"))


def words(page) -> set[str]:
    return in_words(query(page))


@pytest.fixture
def trained(opened):
    """A page that trains, with More open."""
    page = opened(TRAIN)
    page.evaluate("document.querySelector('.plan-more').open = true")
    return page


# Texts typed one after the other, a reader's quick hand: the address and the field's mark after each. Where a hand
# rests for 300 ms the page looks through layouts, ten times as long as all that is asked here.
TYPE = """async ([field, texts, kinds]) => {
  const written = () => new Promise((done) =>
    requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => setTimeout(done)))));
  const found = [];
  field.focus();
  for (const text of texts) {
    field.value = text;
    for (const kind of kinds) field.dispatchEvent(new Event(kind, { bubbles: true }));
    await written();
    found.push([location.search, field.getAttribute("aria-invalid") === "true"]);
  }
  return found; }"""


def test_every_field_means_what_is_typed_into_it(trained):
    """Shares, factors, gigabytes, thousands as people write them; what is no number is marked and changes nothing."""
    page, usual = trained, set(TRAIN.removeprefix("?").split("&"))
    assert words(page) == usual
    for field, (back, rows) in TYPED.items():
        page.fill(f"#in-{field}", back)
        texts = [text for row in rows for text in (row, back)]
        found = page.evaluate(TYPE, [page.query_selector(f"#in-{field}"), texts, ["input"]])
        for (text, wanted), (search, refused) in zip(rows.items(), found[::2], strict=True):
            gained = {word for word in in_words(search) - usual if not word.startswith("batch=")}
            if wanted is None:
                assert (in_words(search), refused) == (usual, True), (field, text)
            else:
                assert gained == {wanted} - {""}, (field, text, gained)
        assert [in_words(search) == usual and not refused for search, refused in found[1::2]] == [True] * len(rows)


def test_every_choice_has_its_word(trained):
    """Each option of a menu is a word of the address, and the first takes it away again."""
    page = trained
    for field, value, wanted in CHOSEN:
        menu = page.query_selector(f"#in-{field}")
        usual = menu.input_value()
        (there, _), (away, _) = page.evaluate(TYPE, [menu, [value, usual], ["input", "change"]])
        assert wanted in in_words(there), (field, value, there)
        assert wanted not in in_words(away), (field, value)


def test_another_job_leaves_behind_what_it_does_not_have(opened):
    """Training's chunks, context ranks, schedule and LoRA go when the page serves; dcp when it no longer decodes."""
    page = opened("?m=openai/gpt-oss-20b&on=h100_sxm:2x8&job=train&pp=4x2&cp=2:ring&sched=zb-v&shard=1&batch=64&lora=8")
    page.check("input[name=job][value=decode]", force=True)
    assert words(page) == {"m=openai/gpt-oss-20b", "on=h100_sxm:2x8", "pp=4", "cp=1:ring"}
    page = opened("?m=Qwen/Qwen3-235B-A22B&on=h100_sxm:1x8&tp=8&dcp=2")
    page.check("input[name=job][value=prefill]", force=True)
    assert words(page) == {"m=Qwen/Qwen3-235B-A22B", "on=h100_sxm:1x8", "job=prefill", "tp=8"}


def test_fields_say_what_follows_and_take_it_back(opened):
    """An open field shows what follows from the rest; typed over it stays, emptied it follows again."""
    page = opened(SERVE)
    assert page.input_value("#in-n") == "as many as fit"
    page.fill("#in-n", "5")
    assert "n=5" in words(page)
    page.fill("#in-n", "")
    page.press("#in-n", "Tab")
    assert page.input_value("#in-n") == "as many as fit" and words(page) == set(SERVE[1:].split("&"))
    assert page.input_value("#in-context") == "32,768" and page.input_value("#in-used") == "0.92"
    assert page.input_value("#in-dp_shard") == "all of dp"


def test_what_is_refused_stays_marked_until_it_is_mended(trained):
    """A drawing that comes late takes no mark away from a field that cannot be read; leaving the field does."""
    page = trained
    page.fill("#in-optimizer_bytes", "8")
    page.fill("#in-sequence", "long")
    page.wait_for_timeout(500)  # the verdict is spoken, and fields are marked, 300 ms after the last change
    assert page.get_attribute("#in-sequence", "aria-invalid") == "true"
    page.press("#in-sequence", "Tab")
    assert page.get_attribute("#in-sequence", "aria-invalid") is None and page.input_value("#in-sequence") == "4,096"


def test_a_job_that_a_layout_cannot_do_offers_the_nearest_that_can(opened):
    """The job is a list of radio buttons, of which none is marked; what is legal is suggested all the same."""
    page = opened("?m=openai/gpt-oss-20b&on=h100_sxm:1x2&tp=4")
    page.check("input[name=job][value=prefill]", force=True)
    page.wait_for_selector("[data-at=ways] .way")
    assert page.locator("[data-plan] [aria-invalid=true]").count() == 0


TEXT = "document.querySelector('[data-plan]').innerText"
FIELDS = "[...document.querySelectorAll('[data-plan] input')].map((one) => [one.name, one.value])"
SPOKEN = "document.querySelector('[data-at=say]').textContent.length > 0"
DRAWN = "[...document.querySelectorAll('[data-at=drawing], [data-at=legend]')].map((one) => one.outerHTML)"


def settled(page) -> None:
    """What is said and looked for last stands there: the spoken verdict, and the worker's table of layouts."""
    until(page, lambda: page.evaluate(SPOKEN))
    expect(at(page, "layouts-box")).to_be_visible()


@pytest.mark.parametrize("start, field, typed", [(TRAIN, "sequence", "8192"), (SERVE, "context", "65536")])
def test_what_is_typed_ends_as_the_page_of_its_address(opened, planner, start, field, typed):
    """Words, drawing and tables that follow a keystroke late are, once all is there, those of a fresh page."""
    page = opened(start)
    page.focus(f"#in-{field}")
    page.evaluate(
        """([field, values]) => { for (const value of values) {
          field.value = value; field.dispatchEvent(new Event("input", { bubbles: true })); } }""",
        [page.query_selector(f"#in-{field}"), ["2", "77", typed]],
    )
    address = query(page)
    assert f"={typed}" in address
    fresh = page.context.new_page()
    fresh.goto(planner + address)
    settled(fresh)
    until(page, lambda: page.evaluate(TEXT) == fresh.evaluate(TEXT))
    fresh.close()


def test_a_step_back_drops_what_was_still_to_be_said(opened):
    """Back in the very moment of a keystroke: the words of what was typed do not come after those of the page."""
    start, told = SERVE + "&pick=no.such", f"[{FIELDS}, {TEXT}, {DRAWN}]"
    page = opened(start)
    settled(page)
    before = page.evaluate(told)
    assert "No tensor of this plan is called “no.such”." in before[1]
    page.check("input[name=job][value=prefill]", force=True)
    page.evaluate(
        """(field) => { field.value = "65536"; field.dispatchEvent(new Event("input", { bubbles: true }));
          history.back(); }""",
        page.query_selector("#in-context"),
    )
    until(page, lambda: page.evaluate(told) == before)
    page.wait_for_timeout(600)
    assert words(page) == {*SERVE[1:].split("&"), "pick=no.such"}
    assert page.evaluate(told) == before


def test_what_is_said_beside_the_drawing_is_of_the_plan(opened):
    """How sure each number is, and what the colours mean: of what is trained, then of what is served instead."""
    held = {"gradients", "optimizer", "activations at most"}
    page = opened(TRAIN)
    trained, served = ["computed", "extrapolated", "bounded"], ["computed", "bounded"]
    for job, sure, there in (("train", trained, held), ("decode", served, {"cache"})):
        page.check(f"input[name=job][value={job}]", force=True)
        assert page.locator("[data-at=labels] b").all_inner_texts() == sure
        legend = set(page.locator("[data-at=legend]").inner_text().split("\n"))
        assert legend & (held | {"cache"}) == there and "a GPU holds" in legend
