"""The tensor-parallel lab as a reader meets it: stepped, split too far, pointed at, ZeRO, from a link, narrow."""

from __future__ import annotations

import re

import pytest

from cutaway import explainers
from tests.explainers.reader import assert_narrow_and_accessible, state
from tests.explainers.test_tensor_parallel_models import PRODUCTS


@pytest.fixture
def tensor(learn):
    """Open the page at a state; its lab is ready."""
    return learn("tensor-parallel")


def errors(page) -> list[str]:
    return [text for text in page.locator(".cw-error").all_inner_texts() if text]


def test_seven_ranks_on_64_heads_are_refused(tensor):
    """The slider passes 5, 6 and 7 with the legal numbers said beside it; the drawing keeps 4 until 8."""
    page = tensor()
    slider = page.locator("[data-widget]").get_by_role("slider", name="ranks t")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert errors(page) == [
        "7 ranks cannot share 64 query heads evenly: 64 / 7 is not whole. Legal for Llama 3.1 70B: 1, 2, 4, 8, 16."
    ]
    assert (state(page, "tp"), page.locator("[data-widget] .cw-heading span").first.inner_text()) == (
        4,
        "Llama 3.1 70B: one layer, 4 ranks",
    )
    page.keyboard.press("ArrowRight")
    assert (errors(page), state(page, "tp")) == ([], 8)


def test_a_model_that_four_ranks_cannot_share_moves_them(tensor):
    """Choosing Phi-4, whose 10 KV heads four ranks cannot share, moves to five ranks; nothing is refused."""
    page = tensor()
    page.locator("[data-widget]").get_by_label("model", exact=True).select_option("microsoft/phi-4")
    assert (errors(page), state(page, "tp")) == ([], 5)
    assert page.locator("[data-widget] .cw-heading span").first.inner_text() == "Phi-4: one layer, 5 ranks"


WALK = """async () => {
  const lab = document.querySelector("[data-widget]");
  const [svg, bar] = [".cw-tensor-parallel-svg", ".cw-transport"].map((css) => lab.querySelector(css));
  const range = bar.querySelector("input"), text = (css) => lab.querySelector(css).textContent, seen = [];
  const look = () => {
    const number = (node, key) => Number(node.getAttribute(key));
    const pieces = [...svg.querySelectorAll(".cw-tensor-parallel-blocks .cw-rank")];
    const sides = pieces.flatMap((r) => [number(r, "width"), number(r, "height")]);
    const words = [...svg.querySelectorAll(".cw-tensor-parallel-names text")];
    const button = lab.querySelector("[aria-current]").firstChild;
    seen.push({
      said: [range.getAttribute("aria-valuetext"), text(".cw-tensor-parallel-now .on"), button.textContent],
      at: [range.getAttribute("aria-valuetext"), bar.querySelector("output").textContent],
      tops: [svg, bar].map((e) => Math.round(e.getBoundingClientRect().top + scrollY)),
      thin: Math.min(...sides),
      screen: bar.getBoundingClientRect().bottom - svg.getBoundingClientRect().top,
      last: words.map((t) => [t.textContent, number(t, "x"), number(t, "y")]),
    });
  };
  look();
  while (range.value !== range.max) {
    bar.querySelector("[aria-label='Step forward']").click();
    await new Promise(requestAnimationFrame);
    look();
  }
  return seen; }"""


def names(one: dict) -> set[str]:
    """What a step is called by the slider, the sentence and its button, without its number."""
    return {re.search(r"(?:\d+ of \d+: |^\d+ )([^:;]*?)(?=;|$)", said)[1] for said in one["said"]}


@pytest.mark.parametrize("query", ["?tp=16&step=0", "?tp=16&step=0&sequence_parallel=true"])
def test_a_step_has_one_name_and_moves_nothing(tensor, query):
    """On a phone, through all ten: one name, a still drawing beside its buttons, no rank's piece under 2 px."""
    page = tensor()
    page.set_viewport_size({"width": 390, "height": 844})
    seen = tensor(query).evaluate(WALK)
    assert [len(names(one)) for one in seen] == [1] * 10
    assert len({next(iter(names(one))) for one in seen}) == 10
    for k, one in enumerate(seen):
        assert all(said.startswith(f"{k + 1} of 10") for said in one["at"])
    assert len({tuple(one["tops"]) for one in seen}) == 1
    assert min(one["thin"] for one in seen) >= 2
    assert max(one["screen"] for one in seen) <= 700


def test_the_product_is_drawn_under_its_own_name(tensor):
    """silu where it is silu; other gates, and none, by what they are."""
    for slug, words in PRODUCTS.items():
        page = tensor(f"?model={slug}&tp=8")
        assert page.locator("[data-widget] .cw-tensor-parallel-names text", has_text=words).first.is_visible(), slug


def test_what_a_half_ends_with_stands_beside_its_partial_sums(tensor):
    """At 900 pixels y and z stand on the line of the partial sums they are made of, not under x and y."""
    page = tensor()
    page.set_viewport_size({"width": 900, "height": 900})
    named = tensor("?tp=16&step=9").evaluate(WALK)[0]["last"]
    for partial, whole in (("16 partial y", "y"), ("16 partial z", "z")):
        at = next(i for i, (name, _, _) in enumerate(named) if name == partial)
        (_, x, y), (name, x_whole, y_whole) = named[at], named[at + 1]
        assert name == whole
        assert x_whole > x
        assert abs(y_whole - y) < 60


def test_each_step_says_its_difference(tensor):
    """Each of the ten buttons prints what was measured there; columns and heads are exact."""
    page = tensor()
    steps = page.locator(".cw-tensor-parallel-steps button")
    assert [steps.nth(k).locator("small").inner_text() for k in range(3)] == ["Δ 0"] * 3
    steps.nth(3).click()
    assert state(page, "step") == 3
    page.locator("[data-widget]").get_by_label("sequence parallelism").check()
    assert steps.nth(4).inner_text().startswith("5 reduce-scatter of y")


def test_the_same_bytes_with_sequence_parallelism(tensor):
    """192 MiB at each meeting, as an all-reduce or as reduce-scatter and all-gather."""
    page = tensor()
    table = page.locator("[data-widget] .cw-table:visible tbody")
    before = table.locator("td:nth-child(4)").all_inner_texts()
    page.locator("[data-widget]").get_by_label("sequence parallelism").check()
    assert (
        before
        == table.locator("td:nth-child(4)").all_inner_texts()
        == ["192.0 MiB", "192.0 MiB", "384.0 MiB", "30.0 GiB"]
    )


def test_pointing_at_a_rank_says_what_it_holds(tensor):
    """Rank 5 of 16 holds a copy of KV head 2, as rank 4 does; a link to a rank that is not there points at none."""
    assert tensor("?tp=4&rank=12").locator(".cw-tensor-parallel-held").inner_text().startswith("Every rank holds 16")
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
    rows = page.locator("[data-widget] .cw-table:visible tbody tr")
    assert rows.locator("td:nth-child(2)").all_inner_texts() == ["16.00", "5.50", "3.75", "2.00"]
    assert rows.nth(3).locator("td").all_inner_texts()[2:4] == ["1.75", "3.50"]
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
        assert page.locator("[data-widget] .cw-heading span").first.inner_text() == "Llama 3.1 70B: one layer, 4 ranks"


def test_narrow_and_accessible(tensor):
    """At 390 pixels nothing is cut off, and axe finds nothing; the themes in turn."""
    assert_narrow_and_accessible(tensor, "tensor-parallel", "?view=zero&dp=64&convention=20", "?tp=16&step=4")


DRAWN = """() => {
  const lab = document.querySelector("[data-widget]"), all = (css) => [...lab.querySelectorAll(css)];
  const number = (node, key) => Number(node.getAttribute(key));
  return {
    steps: all(".cw-tensor-parallel-blocks rect").map((r) => [number(r, "data-step"), number(r, "data-rank"), r.getAttribute("opacity") && number(r, "opacity")]),
    bars: all(".cw-tensor-parallel-bar").map((bar) => [...bar.querySelectorAll("rect")].map((i) => parseFloat(i.getAttribute("width")))),
    starts: all(".cw-tensor-parallel-bar").map((bar) => [...bar.querySelectorAll("rect")].map((i) => parseFloat(i.getAttribute("x")))),
    cards: all(".cw-tensor-parallel-svg .cw-tensor-parallel-weight").map((r) => [number(r, "x"), number(r, "width")]),
    room: all(".cw-tensor-parallel-svg .cw-tensor-parallel-missing").map((r) => [number(r, "x"), number(r, "width")]),
  }; }"""  # noqa: E501


def test_the_drawings_are_the_numbers(tensor):
    """What is not there yet is pale, as is another rank; bars are bytes; a rank's share of a card is its own place."""
    drawn = tensor("?step=3&rank=1").evaluate(DRAWN)
    pale = {(step, rank): opacity for step, rank, opacity in drawn["steps"]}
    assert {opacity for (step, _), opacity in pale.items() if step > 3} == {0.22}
    assert {opacity for (step, rank), opacity in pale.items() if step <= 3 and rank in (0, 2, 3)} == {0.18}
    assert {opacity for (step, rank), opacity in pale.items() if step <= 3 and rank in (-1, 1)} == {None}
    reference = explainers.reference("tensor-parallel")
    ladder = reference.compute(reference.STATE, explainers.data("tensor-parallel"))["ladder"]
    for widths, row in zip(drawn["bars"], ladder, strict=True):
        wanted = [100 * row[key] / ladder[0]["total"] for key in ("cut", "kv", "whole", "cache", "stream")]
        assert widths == pytest.approx(wanted, abs=0.01)
    for widths, starts in zip(drawn["bars"], drawn["starts"], strict=True):
        assert starts == pytest.approx([sum(widths[:n]) for n in range(5)], abs=0.01)
    zero = tensor("?view=zero&stage=3&dp=8").evaluate(DRAWN)
    count = len(zero["cards"])
    for n, ((x, width), (left, room)) in enumerate(zip(zero["cards"], zero["room"][:count], strict=True)):
        rank = 7 if n == count - 1 else n
        assert (x, width) == pytest.approx((left + room * rank / 8, room / 8), abs=0.05)


MATRICES = """() => {
  const svg = document.querySelector("[data-widget] .cw-tensor-parallel-svg");
  const number = (node, key) => Number(node.getAttribute(key));
  const all = (css, keys) => [...svg.querySelectorAll(`.cw-tensor-parallel-${css}`)].map((node) =>
    [node.classList.contains("cw-tensor-parallel-sheet"), ...keys.map((key) => number(node, key)), node.textContent]);
  return [all("names text", ["data-step", "x", "y"]),
    all("blocks rect", ["data-step", "x", "y", "width", "height", "data-rank"])]; }"""


def matrices(page) -> dict:
    """(name, step, x, y) -> its pieces (sheet, x, y, width, height, rank): those of its step that are nearest."""
    names, pieces = page.evaluate(MATRICES)
    found = {(text, step, x, y): [] for _, step, x, y, text in names}
    for sheet, step, x, y, width, height, rank, _ in pieces:
        near = min((one for one in found if one[1] == step), key=lambda one: abs(one[2] - x - width / 2))
        found[near].append((sheet, x, y, width, height, rank))
    return found


@pytest.mark.parametrize(
    "query", ["tp=4", "tp=16", "tp=8&sequence_parallel=true", "tp=2&model=deepseek-ai/DeepSeek-V3"]
)
def test_pieces_make_their_matrix(tensor, query):
    """Pieces stand over the name of their matrix, equal for all ranks, side by side; partial sums are apart."""
    found = matrices(tensor(f"?step=9&{query}"))
    assert len(found) >= 10
    for (name, _, x, y), pieces in found.items():
        left, right = min(p[1] for p in pieces), max(p[1] + p[3] for p in pieces)
        assert (left + right) / 2 == pytest.approx(x, abs=1), name
        assert max(p[2] + p[4] for p in pieces) == pytest.approx(y - 16, abs=1), name
        each = {rank: sorted(p[3:5] for p in pieces if p[5] == rank) for *_, rank in pieces}
        assert all(sizes == next(iter(each.values())) for sizes in each.values()), name
        for n, (sheet, *a, _) in enumerate(pieces):
            for _, *b, _ in pieces[:n]:
                beside = a[0] >= b[0] + b[2] or b[0] >= a[0] + a[2] or a[1] >= b[1] + b[3] or b[1] >= a[1] + a[3]
                apart = abs(a[0] - b[0]) >= 2 and abs(a[1] - b[1]) >= 2
                assert apart if sheet and "partial" in name else sheet or beside, name
