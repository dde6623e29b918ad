"""explainers/sparse: each method against loops written by hand, published counts, the gallery's bytes and FLOP."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers.long_context import counting
from cutaway.explainers.sparse import methods, models, texts
from cutaway.gallery import catalog
from cutaway.gallery.counting import cache_growth
from tests.tally import Tally

reference, data = explainers.reference("sparse"), explainers.data("sparse")
N = texts.TOKENS


def at(**changes: object) -> dict:
    """What the page prints in a state."""
    return reference.compute({**reference.STATE, **changes}, data)


# ---------------------------------------------------------------- second route: loops over single tokens


def weights_by_hand(scores: list[float], read: list[int]) -> list[float]:
    """A softmax over the tokens that are read, one after another."""
    raised = {j: math.exp(scores[j] - max(scores[i] for i in read)) for j in read}
    return [raised.get(j, 0.0) / sum(raised.values()) for j in range(len(scores))]


def dot(a, b) -> float:
    return sum(float(x) * float(y) for x, y in zip(a, b, strict=True))


def indexed(text: texts.Text, key) -> float:
    """The indexer's score of one key: products of all index heads, none below 0."""
    return sum(max(0.0, dot(query, key)) for query in text.index_q)


def best_blocks(scores: list[float], block: int, budget: int) -> list[int]:
    """Tokens of the last block and of the best others."""
    others = sorted(range(len(scores) - 1), key=lambda b: -scores[b])[: budget // block - 1]
    return [j for b in (*others, len(scores) - 1) for j in range(b * block, (b + 1) * block)]


def read_by_hand(key: str, text: texts.Text, head: int, state: dict) -> list[int]:
    """The tokens that a head reads by themselves, or nothing where the method is no choice of tokens."""
    budget, block = state["budget"], state["block"]
    mean = [sum(text.k[b * block + i] for i in range(block)) / block for b in range(N // block)]
    small = [sum(text.index_k[b * block + i] for i in range(block)) / block for b in range(N // block)]
    group = sum(text.index_q) / len(text.index_q)
    best = [max(dot(group, text.index_k[b * block + i]) for i in range(block)) for b in range(N // block)]
    scores = [dot(text.q[head], one) for one in text.k]
    return {
        "full": lambda: list(range(N)),
        "best": lambda: sorted(range(N), key=lambda j: -scores[j])[:budget],
        "window": lambda: list(range(N - budget, N)),
        "strided": lambda: [j for j in range(N) if j >= N - budget // 2 or (N - 1 - j) % (2 * N // budget) == 0],
        "moba": lambda: best_blocks([dot(text.q[head], one) for one in mean], block, budget),
        "block_max": lambda: best_blocks(best, block, budget),
        "pooled": lambda: best_blocks([indexed(text, one) for one in small], block, budget),
        "dsa": lambda: sorted(range(N), key=lambda j: -indexed(text, text.index_k[j]))[:budget],
    }[key]()


HAND = ("full", "best", "window", "strided", "moba", "block_max", "pooled", "dsa")


@pytest.mark.whole
def test_methods_that_choose_tokens_are_those_written_by_hand(verified):
    """On every text, each head reads the tokens that a loop picks, with the weights of a softmax over these."""
    tally = Tally()
    for seed, name in enumerate([*texts.BY_NAME, texts.REAL] * 2, start=1):
        state = {**reference.STATE, "text": name, "seed": seed, "needle": 9 * seed, "block": (4, 8, 16)[seed % 3]}
        text = texts.text_of(state, data)
        for method in (one for one in methods.METHODS if one.key in HAND):
            found = method.read(text, state)
            for head in range(len(text.q)):
                known = read_by_hand(method.key, text, head, state)
                assert set(np.flatnonzero(found.single[head])) == set(known), (name, method.key, head)
                scores = [dot(text.q[head], one) / math.sqrt(texts.DIMS) for one in text.k]
                off = np.abs(found.weights[head] - weights_by_hand(scores, known)).max()
                tally.add(1, [] if off < 1e-12 else [f"{name}, {method.key}, head {head}: {off}"])
            assert found.reads == len(set(known))
    verified("sparse: tokens that a method reads, and their weights", tally, against="loops over single tokens")


def test_blends_are_softmaxes_over_explicit_entries():
    """CSA and HCA by hand: entries and window tokens in one list, an entry as often as it has tokens in effect."""
    for name, gated in (("needle", True), ("spread", True), ("real", False)):
        state = {**reference.STATE, "text": name, "gated": gated, "window": 16}
        text = texts.text_of(state, data)
        for key, size in (("csa", 4), ("hca", 16)):
            found = methods.METHODS[methods.KEYS.index(key)].read(text, state)
            entries = []
            for b in range(N // size):
                lengths = [6 * math.sqrt(dot(text.k[b * size + i], text.k[b * size + i])) * gated for i in range(size)]
                share = weights_by_hand(lengths, list(range(size)))
                mine = slice(b * size, (b + 1) * size)
                k, v, small = (
                    sum(w * row for w, row in zip(share, rows[mine], strict=True))
                    for rows in (text.k, text.v, text.index_k)
                )
                entries.append((k, v, -math.log(dot(share, share)), indexed(text, small)))
            if key == "csa":
                entries = sorted(entries, key=lambda one: -one[3])[:8]
            near = [(text.k[j], text.v[j], 0.0, 0.0) for j in range(N - 16, N)]
            for head, query in enumerate(text.q):
                scores = [dot(query, k) / math.sqrt(texts.DIMS) + more for k, _, more, _ in entries + near]
                weights = weights_by_hand(scores, list(range(len(scores))))
                known = sum(w * v for w, (_, v, _, _) in zip(weights, entries + near, strict=True))
                assert found.weights[head] @ text.v == pytest.approx(known, abs=1e-12), (name, key, head)
            assert found.reads == len(entries) + 16


def test_nsa_is_the_mean_of_three_attentions():
    """A third each: a softmax over block means, spread over their tokens; over the best blocks; over the window."""
    state = {**reference.STATE, "block": 16}
    text = texts.text_of(state, data)
    found = methods.METHODS[methods.KEYS.index("nsa")].read(text, state)
    coarse = [
        weights_by_hand(
            [dot(q, sum(text.k[16 * b : 16 * b + 16]) / 16) / math.sqrt(texts.DIMS) for b in range(8)], list(range(8))
        )
        for q in text.q
    ]
    picked = best_blocks([sum(row[b] for row in coarse) for b in range(8)], 16, 32)
    for head, query in enumerate(text.q):
        scores = [dot(query, k) / math.sqrt(texts.DIMS) for k in text.k]
        chosen, near = weights_by_hand(scores, picked), weights_by_hand(scores, list(range(N - 8, N)))
        known = [(coarse[head][j // 16] / 16 + chosen[j] + near[j]) / 3 for j in range(N)]
        assert found.weights[head].tolist() == pytest.approx(known)
    assert found.reads == 8 + 32 + 8


def test_bigbird_reads_its_eighths():
    """Of 32 tokens, 8 are the first, 12 the last and 12 between; another seed draws others."""
    found = [
        set(
            np.flatnonzero(
                methods.bigbird(texts.text_of(reference.STATE, data), {"budget": 32, "seed": seed}).single[0]
            )
        )
        for seed in (1, 2)
    ]
    for one in found:
        assert len(one) == 32
        assert set(range(8)) | set(range(N - 12, N)) <= one
    assert found[0] != found[1]


# ---------------------------------------------------------------- what is printed


def test_mass_and_error_by_hand():
    """Mean over heads of the weights that are read; the distance of the outputs over the length of the exact ones."""
    state = {**reference.STATE, "text": "heads"}
    text = texts.text_of(state, data)
    exact = np.array(
        [weights_by_hand([dot(q, k) / math.sqrt(texts.DIMS) for k in text.k], list(range(N))) for q in text.q]
    )
    row = at(text="heads")["of"]["window"]
    assert row["mass"] == pytest.approx(exact[:, -32:].sum() / 4)
    cut = exact[:, -32:] / exact[:, -32:].sum(1, keepdims=True)
    off = np.linalg.norm(cut @ text.v[-32:] - exact @ text.v) / np.linalg.norm(exact @ text.v)
    assert row["error"] == pytest.approx(off)
    assert at()["of"]["full"]["error"] == 0
    assert at()["of"]["best"]["mass"] == max(one["mass"] for one in at()["rows"] if one["reads"] == 32)


def test_how_many_tokens_hold_ninety_percent():
    """Weights 0.5, 0.3, 0.15, 0.05: two hold 0.8, three hold 0.95; of equal weights nine in ten."""
    assert reference.holding(np.array([[0.15, 0.5, 0.05, 0.3]])) == [3]
    assert reference.holding(np.full((1, 20), 0.05)) in ([18], [19])
    assert at()["holding"] == max(at()["held"]) < at(text="spread")["holding"]


def test_each_failing_case_fails_its_method_and_no_other():
    """Opposites hide a needle from means of 16, not from the indexer; a blind indexer misses what MoBA finds; blocks of
    one choice for all heads miss needles that single tokens find."""
    hidden, blind, heads = (at(text=name, block=16)["of"] for name in ("hidden", "blind", "heads"))
    assert [hidden[key]["finders"] for key in ("moba", "pooled", "dsa", "block_max")] == [0, 0, 4, 4]
    assert [blind[key]["finders"] for key in ("dsa", "pooled", "block_max", "moba")] == [0, 0, 0, 4]
    assert [heads[key]["finders"] for key in ("pooled", "block_max", "dsa", "best")] == [1, 1, 4, 4]
    assert at(text="needle")["of"]["window"]["finders"] == 0
    assert at(text="needle", needle=110)["of"]["window"]["finders"] == 4


def test_failing_cases_are_no_luck_of_one_seed():
    """Over 40 seeds: means of 16 find the hidden needle in at most 1 of 10 heads, the indexer in 9 of 10; blind, it
    finds it in at most 1 of 4; and HCA beats DSA without a needle in all."""
    found = lambda text, seed: at(text=text, seed=seed, block=16)["of"]  # noqa: E731
    share = lambda key, text: np.mean([found(text, seed)[key]["finders"] for seed in range(1, 41)]) / 4  # noqa: E731
    assert share("moba", "hidden") <= 0.1
    assert share("dsa", "hidden") >= 0.9
    assert share("dsa", "blind") <= 0.25
    for seed in range(1, 41):
        spread = at(text="spread", seed=seed)["of"]
        assert spread["hca"]["error"] < spread["dsa"]["error"]


def test_the_stored_head_is_the_models():
    """In 89 levels no weight of the real head is off by 0.01, and its passage is long enough."""
    exact, text = texts.exact(), texts.real(data["stored"])
    known = methods.softmax(exact[0] @ exact[1].T / np.sqrt(texts.DIMS))
    assert np.abs(methods.softmax(methods.scores_of(text)) - known).max() < 0.01
    assert text.k.shape == text.v.shape == (N, texts.DIMS)


# ---------------------------------------------------------------- what it costs


def test_published_counts():
    """NSA's table of memory access (tokens per decoding step); MoBA's sparsity of 95.31 %; V4's entries."""
    parts = {one.key: one.parts for one in methods.METHODS}
    for tokens, known in ((8192, 2048), (16384, 2560), (32768, 3584), (65536, 5632)):
        assert methods.reads_at(parts["nsa"], tokens) == known
    assert f"{1 - methods.reads_at(parts['moba'], 2**20) / 2**20:.2%}" == "95.31%"
    assert methods.reads_at(parts["csa"], 2**20) == 1024 + 128
    assert methods.reads_at(parts["hca"], 2**20) == 8192 + 128


def test_settings_are_those_of_the_catalogue():
    """Counts of rows that name a model are what its config says."""
    parts = {one.key: one for one in methods.METHODS}
    mixer = lambda slug: [layer.mixer for layer in catalog.spec(slug).layers]  # noqa: E731
    assert parts["dsa"].parts == ((1, mixer("deepseek-ai/DeepSeek-V3.2")[0].indexer.at_most),)
    m3 = next(one.indexer for one in mixer("MiniMaxAI/MiniMax-M3") if one.indexer)
    assert parts["block_max"].parts == ((1, m3.index_topk * m3.block_size),)
    qwen = next(one.indexer for one in mixer("Qwen/Qwen3.8-Flash-Next") if getattr(one, "indexer", None))
    assert (parts["pooled"].scores, parts["pooled"].parts) == (qwen.block_size, ((1, qwen.index_topk),))
    assert {one.compress_ratio for one in mixer("deepseek-ai/DeepSeek-V4-Pro")} == {4, 128}
    assert parts["window"].parts == ((1, min(one.sliding_window or 999 for one in mixer("openai/gpt-oss-120b"))),)


def test_costs_are_the_gallerys(verified):
    """Bytes kept of every model and length are gallery.counting's; bytes read and FLOP those of long-context."""
    tally, long = Tally(), explainers.data("long-context")
    for model in data["models"]:
        for tokens in (1, 100, 8192, 131072, 2**20):
            found, spec = models.cost(model, tokens), catalog.spec(model["slug"])
            wrong = (
                []
                if found["kept"] == cache_growth.cache_bytes(cache_growth.growth_sheet(spec), tokens)
                else [f"{model['slug']} at {tokens} tokens"]
            )
            tally.add(1, wrong)
            assert found["kept"] == found["dense"] + found["index"] + found["fixed"]
            if other := counting.find(model["slug"], long):
                kinds = counting.layers(other, long, tokens, "bf16")
                assert found["reads"] + found["fixed"] == counting.sum_layers(kinds, "reads")
                assert found["index"] == counting.sum_layers(kinds, "index")
                assert [1e9 * found[key] for key in ("look_gflop", "read_gflop")] == pytest.approx(
                    counting.work(other, tokens)
                )
    verified("sparse: bytes that a new token finds", tally, against="gallery.counting")


def test_v32_by_hand():
    """At a million tokens: 61 layers, an index key of 256 B for each token, 1,152 B for each of 2,048 entries."""
    cost = at(tokens=2**20)["cost"]
    assert cost["index"] == 61 * 256 * 2**20
    assert cost["reads"] == 61 * (256 * 2**20 + 1152 * 2048)
    assert cost["dense"] == 61 * 1152 * 2**20
    assert cost["saves"] == pytest.approx(1152 * 2**20 / (256 * 2**20 + 1152 * 2048))


# ---------------------------------------------------------------- beats


def test_bets_by_hand():
    """What the captions claim: 46 of 128 tokens, 33 %, rank 11 of 16, 85 %, 36 %, 4.2 and 4.5 times."""
    assert at()["holding"] == 46
    assert f"{at()['of']['window']['mass']:.0%}" == "33%"
    hidden = at(text="hidden", block=8)
    assert (hidden["rank"], hidden["blocks"]) == (11, 16)
    assert f"{at()['of']['dsa']['mass']:.0%}" == "85%"
    assert f"{at(text='spread')['of']['hca']['error']:.0%}" == "36%"
    assert [f"{at(tokens=tokens)['cost']['saves']:.1f}" for tokens in (2**17, 2**20)] == ["4.2", "4.5"]


def test_sentences_hold():
    """What the words say without a number: needles that three patterns read or miss, half the heads, half the bytes."""
    finders = lambda *keys, **state: [at(**state)["of"][key]["finders"] for key in keys]  # noqa: E731
    for place in range(116, 120):  # the last dozen that the slider reaches
        assert finders("window", "strided", "bigbird", needle=place) == [4, 4, 4]
    assert finders("window", "strided", "bigbird", needle=80) == [0, 0, 0]
    assert finders("window", "strided", "bigbird", needle=50) == [0, 0, 4]
    assert finders("moba", text="hidden", block=4) == [2]
    assert finders("moba", text="needle", block=8) == [3]
    plain, weighted = at(text="spread", gated=False)["of"], at(text="spread")["of"]
    assert plain["dsa"]["error"] < plain["hca"]["error"]
    assert weighted["hca"]["error"] < weighted["dsa"]["error"]
    cost = at(tokens=8192)["cost"]
    assert cost["reads"] / cost["dense"] == pytest.approx(0.47, abs=0.01)
    assert at(text="real")["holding"] == 67


def test_what_the_prose_says_of_costs():
    """Packed in 656 and 132 bytes V3.2 saves 4.9 times; the configs called reconstructed are."""
    packed = 656 * 2**20 / (132 * 2**20 + 656 * 2048)
    assert f"{packed:.1f}" == "4.9"
    shown = {one["slug"] for one in data["models"]}
    made_up = {one.title for one in catalog.gallery_rows() if one.slug in shown and one.reconstructed}
    words = Path(reference.__file__).with_name("page.md").read_text(encoding="utf-8")
    [source] = [line for line in words.splitlines() if "reconstructed" in line]
    assert len(made_up) == 4
    for title in made_up:
        assert re.sub(r"^Tencent | [\d.]+B.*$", "", title) in source


def test_goals_answer_near_misses(of_beats):
    """Each goal names what is missing, and is reached where it should be."""
    asked = [
        ("hidden", {}, False, "Choose the text"),
        ("hidden", {"text": "hidden"}, False, "MoBA or the pooled indexer"),
        (
            "hidden",
            {"text": "hidden", "method": "moba", "block": 4},
            False,
            "2 of 4 heads read the needle. Try the pooled",
        ),
        ("hidden", {"text": "hidden", "method": "moba", "block": 8}, False, "Try a smaller block"),
        ("hidden", {"text": "hidden", "method": "moba", "block": 4, "budget": 64}, False, "budget is 64"),
        ("hidden", {"text": "hidden", "method": "pooled", "block": 4}, True, "4 of 4 heads"),
        ("fewer", {"model": "zai-org/GLM-5.2"}, False, "not yet"),
        ("fewer", {"tokens": 2**20}, False, "4.5 times fewer"),
        ("fewer", {"tokens": 2**20, "model": "zai-org/GLM-5.2"}, True, "16.2 times"),
    ]
    for goal, changes, reached, words in asked:
        [made] = of_beats("sparse", "goals", goal, [{**reference.STATE, **changes}])
        assert (made["reached"], words in made["says"]) == (reached, True), made
