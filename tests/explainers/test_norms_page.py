"""The pages on norms and on loops as a reader meets them: a name switches the lab, its card is drawn and steps."""

from __future__ import annotations

from math import log2

from pytest import approx

from cutaway import explainers
from tests.explainers.reader import lab, state

reference, data = explainers.reference("norms"), explainers.data("norms")

CARD = """(root) => {
  const all = (css, pick) => [...root.querySelectorAll(`.ab-card ${css}`)].map(pick);
  const boxes = all("> g:nth-of-type(3) > g", (g) => [g.getAttribute("class"), g.textContent]);
  return { boxes, sums: all(".sum", () => 1).length, flows: all(".flow", () => 1).length }; }"""


def test_a_models_name_switches_the_lab_and_layers_are_stepped(learn):
    """On a phone: Gemma 3n's norms, streams and tables; each step prints another layer and moves nothing."""
    go = learn("norms")
    go.page.set_viewport_size({"width": 390, "height": 844})
    page = go("?model=google/gemma-3n-E4B&loops=2")
    own = reference.settle({**reference.STATE, "model": "google/gemma-3n-E4B", "loops": 2}, ["model", "loops"], data)
    assert {key: state(page, key) for key in own} == own
    card = lab(page).evaluate(CARD)
    kinds = [css for css, _ in card["boxes"]]
    assert kinds == ["norm", "mixer", "norm", "norm", "mlp", "norm", "own"]
    assert card["boxes"][1][1] == "attentionQK-norm · cap"
    assert (card["sums"], card["flows"]) == (3, 4)
    seen, tall = [], set()
    for _ in range(3):
        lab(page).get_by_role("button", name="Step forward").click()
        seen.append(lab(page).locator(".ab-card .stream").all_text_contents())
        tall.add(lab(page).evaluate("(root) => root.getBoundingClientRect().height"))
    sizes = reference.compute(own, data)["sizes"]
    assert [(one[0], one[2]) for one in seen] == [(f"{sizes[n]:.2f}", f"{sizes[n + 1]:.2f}") for n in (1, 2, 3)]
    assert len(tall) == 1
    assert page.evaluate("document.documentElement.scrollWidth") == 390


SUPER = "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16"
CELLS = """(root) => Object.fromEntries([...root.querySelectorAll(".ab-lent path")]
  .map((node) => [node.getAttribute("class"), (node.getAttribute("d").match(/M/g) || []).length]))"""


def test_caches_states_and_nothing_are_counted_apart(learn):
    """Nemotron 3 Super: 8 attention, 40 Mamba-2, 40 without a mixer; Gemma 3n: 20 caches a run, 15 layers read them."""
    root = lab(learn("loops")(f"?model={SUPER}"))
    words = root.inner_text()
    assert "keys and values: 1 × 8 layers = 8 caches; 40 states" in words
    assert "0 reuse those of an earlier layer, 40 store only a state, 40 store nothing" in words
    assert root.evaluate(CELLS) == {"arc": 0, "any": 88, "kept": 8, "lent": 0, "state": 40}
    words = lab(learn("loops")("?model=google/gemma-3n-E4B&loops=2")).inner_text()
    assert "keys and values: 2 × 20 layers = 40 caches\n" in words
    assert "20 layers store keys and values, 15 reuse those of an earlier layer\n" in words


def test_a_norm_behind_each_half_keeps_both_meetings(learn):
    """Side by side 40 sums in 40 layers, with norms behind the halves 80, in the lab."""
    for norm, count in (("pre", 40), ("sandwich", 80), ("behind", 80)):
        results = lab(learn("norms")(f"?norm={norm}&parallel=true")).locator(".ab-results").inner_text()
        assert f"all-reduces with tensor parallelism\n{count}" in results


def test_the_head_is_the_models_or_said_to_be_nobodys(learn):
    """DeepSeek V4-Pro has 512 numbers to a head and QK-norm; xLSTM has no heads that attend, and says so."""
    page = learn("norms")("?model=deepseek-ai/DeepSeek-V4-Pro")
    assert (state(page, "head"), state(page, "qk")) == (512, True)
    assert "has no attention" not in lab(page).inner_text()
    page = learn("norms")("?model=NX-AI/xLSTM-7b")
    assert state(page, "head") == 128
    assert "xLSTM 7B has no attention: the head size stays as it was." in lab(page).inner_text()


def test_who_does_what_has_a_line_for_each_thing(learn):
    """QK-norm per head and over all heads, scaled residuals and weighed sums: four lines with their own counts."""
    lines = lab(learn("norms")()).locator(".ab-who li").all_text_contents()
    named = {
        "qk": "QK-norm per head",
        "qk_all": "QK-norm across the whole projection",
        "scale": "scaled residuals",
        "weighed": "weighted sums",
    }
    for key, words in named.items():
        count, some = data["who"][key]["count"], data["who"][key]["some"]
        assert f"{words}: {count} {'model' if count == 1 else 'models'} on this site. {some}" in lines


DRAWN = """(root) => {
  const path = (css) => root.querySelector(`.ab-sizes path.${css}`)?.getAttribute("d") ?? "";
  const points = (css) => path(css).slice(1).split("L").map((point) => point.split(" ").map(Number));
  const circle = (css) => ["cx", "cy"].map((key) => Number(root.querySelector(css)?.getAttribute(key)));
  const cells = (css) => (root.querySelector(css)?.getAttribute("d").match(/M/g) || []).length;
  return { sizes: points("sizes"), free: points("free"), more: circle(".more"), less: circle(".less"),
    dots: ["plain", "normed"].map((which) => cells(`.ab-dots.${which} .all`)),
    tape: ["sure", "good", "bad", "idle"].map((css) => cells(`.ab-tape .${css}`)) }; }"""


def test_the_drawings_are_the_references(learn):
    """The stream, both gains, the scores under the cap and twelve steps lie where the reference's numbers put them."""
    chosen = {"layers": 12, "norm": "sandwich", "cap": 40, "score": 90, "drafts": 3}
    now = reference.compute({**reference.STATE, **chosen}, data)
    query = "?layers=12&norm=sandwich&cap=40&score=90&drafts=3"
    norms, loops = (lab(learn(name)(query)).evaluate(DRAWN) for name in ("norms", "loops"))
    high = lambda value: 100 - 100 * (min(max(log2(value), -1), 7) + 1) / 8  # noqa: E731
    line = lambda values: [approx([i, high(value)], abs=0.06) for i, value in enumerate(values)]  # noqa: E731
    assert norms["sizes"] == loops["sizes"] == line(now["sizes"])
    assert loops["free"] == line(now["mixing"]["free"])
    one = now["ceiling"]
    spots = ((one["score"], one["out"]), (one["less"], one["less_out"]))
    places = [approx([34 + 306 * came / 200, 196 - 180 * left / 200], abs=0.01) for came, left in spots]
    assert [norms["more"], norms["less"]] == places
    assert norms["dots"] == [len(now["scores"][which]["all"]) for which in ("plain", "normed")]
    tape = now["drafted"]["tape"]
    assert loops["tape"] == [12, sum(tape), sum(good < 3 for good in tape), sum(max(0, 2 - good) for good in tape)]
