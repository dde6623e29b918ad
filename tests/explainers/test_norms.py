"""explainers/norms and loops: its small stack is what the interpreter and transformers compute; its figures hold."""

import json
from dataclasses import replace
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from cutaway import explainers
from cutaway.app.model.view import ModelView
from cutaway.app.model_page import explainer_links, reading
from cutaway.gallery import catalog, memory, parameters
from cutaway.gallery import spec as s
from cutaway.gallery.comparing.mechanisms import BY_KEY, mechanisms
from cutaway.gallery.graph import Tensor, Wires
from cutaway.gallery.mesh import Mesh
from cutaway.gallery.mesh.sharded import Sharded
from cutaway.gallery.residuals import plain
from cutaway.gallery.residuals.hyper_connections import HyperConnections
from cutaway.gallery.residuals.normed_stream import NormedStream
from cutaway.gallery.residuals.per_layer import PerLayer
from cutaway.gallery.residuals.plain import Plain
from cutaway.gallery.running.interpreter import run
from cutaway.gallery.running.numbers import NUMBERS
from cutaway.gallery.sublayers import graph_of, norm_after, norm_at, sublayer
from tests.explainers import expected
from tests.tally import Tally

around, data = explainers.reference("norms"), explainers.data("norms")
stack, mixing, small, legal = around.stack, around.mixing, around.small, around.legal
GOLDEN = json.loads(Path(__file__).with_name("golden_around.json").read_text("utf-8"))
LAYERS = 6


def at(**state) -> dict:
    """What the page prints in a state."""
    return around.compute({**around.STATE, **state}, data)


# ---------------------------------------------------------------- the stack against two others

PLACES = {
    "pre": ("mixer_in", "mlp_in"), "post": ("mixer_after", "mlp_after"), "behind": ("mixer_out", "mlp_out"),
    "sandwich": ("mixer_in", "mixer_out", "mlp_in", "mlp_out"), "normed": ("mixer_in", "mlp_in"),
}  # fmt: skip


def own_tables() -> s.Graph:
    """What stands before the layers where each has an embedding of its own: one table."""
    g = Wires("model.", "embedding")
    shape = (stack.TOKENS, LAYERS * stack.OWN)
    g.add("per_layer", "embed", "tokens", tensors={"weight": Tensor("model.own", shape, "embedding")},
          split=(LAYERS, stack.OWN))  # fmt: skip
    return g.graph("x")


def residual(state: dict):
    """The scheme of a state."""
    if state["norm"] == "normed":
        return NormedStream(((stack.ALPHA, state["scale"]),), (stack.ALPHA, state["scale"]))
    if state["streams"] > 1:
        return HyperConnections(state["streams"], state["rounds"], head="mean")
    return PerLayer(stack.OWN) if state["own"] else Plain(state["scale"])


def spec_of(state: dict) -> s.ModelSpec:
    """The small stack as a model that the interpreter runs."""
    gates, source = {"none": "", "heads": "headwise", "numbers": "separate"}, LAYERS - state["borrow"] - 1
    layers = []
    for i in range(LAYERS):
        mixer = s.Attention(
            stack.HEADS, stack.HEADS, stack.SIZE, stack.SIZE, position="nope", softcap=float(state["cap"]),
            qk_norm="unweighted" if state["qk"] else "", gate=gates[state["gate"]],
            kv_source=source if i > source else None,
        )  # fmt: skip
        norms = tuple(s.Norm(place, weight=False) for place in PLACES[state["norm"]])
        layers.append(s.Layer(i, mixer, s.Dense(stack.INNER), norms, state["parallel"]))
    return s.ModelSpec(
        "small", "", stack.WIDTH, stack.TOKENS, LAYERS, tuple(layers), None, True, "float64", None, has_head=False,
        residual=residual(state), opening=own_tables() if state["own"] else None, loops=state["loops"],
    )  # fmt: skip


class Drawn(dict):
    """The drawn weights under the names by which the interpreter asks for them."""

    def __init__(self, state: dict):
        drawn = stack.normal(np.array([stack.SEED + 1]), stack.TOKENS * stack.WIDTH)[0]
        first = stack.norm(drawn.reshape(stack.TOKENS, -1))
        tables = [stack.matrix(i, stack.OWN_TABLE, stack.TOKENS, stack.OWN) * 2 for i in range(LAYERS)]
        super().__init__({"model.embed_tokens.weight": first, "model.own": np.concatenate(tables, 1)})
        for i in range(LAYERS):
            self.update({f"model.layers.{i}.{name}": value for name, value in weights(state, i).items()})


def weights(state: dict, i: int) -> dict:
    """One layer's."""
    grown, wide, many = state["grown"], stack.WIDTH, stack.INNER
    rows = {
        "self_attn.q_proj": (stack.Q, wide, wide), "self_attn.k_proj": (stack.K, wide, wide),
        "self_attn.v_proj": (stack.V, wide, wide), "self_attn.o_proj": (stack.OUT, wide, wide),
        "self_attn.gate_proj": (stack.GATE, wide, wide), "self_attn.g_proj": (stack.HEADWISE, 2, wide),
        "mlp.gate_proj": (stack.MLP_GATE, many, wide), "mlp.up_proj": (stack.UP, many, wide),
        "mlp.down_proj": (stack.DOWN, wide, many), "per_layer_input_gate": (stack.OWN_GATE, stack.OWN, wide),
        "per_layer_projection": (stack.OWN_OUT, wide, stack.OWN),
    }  # fmt: skip
    found = {f"{name}.weight": stack.matrix(i, *row) * (grown if name[-6] in "qk" and "self" in name else 1)
             for name, row in rows.items()}  # fmt: skip
    found["post_per_layer_input_norm.weight"] = np.ones(wide)
    for place, name in enumerate(("attn_hc", "ffn_hc")):
        drawn = stack.normal(np.array([2 * mixing.FIRST + 2 * i + place]), 8)[0]
        base = np.concatenate([drawn, (mixing.SHARP * mixing.raw(2 * i + place)).ravel()])
        found |= {f"{name}.fn": np.zeros((24, 4 * wide)), f"{name}.base": base, f"{name}.scale": np.ones(3)}
    return found


STATES = [
    {}, {"norm": "post"}, {"norm": "sandwich"}, {"norm": "behind"}, {"norm": "normed"}, {"scale": 0.22}, {"cap": 5},
    {"norm": "sandwich", "scale": 0.5, "qk": True}, {"norm": "behind", "qk": True, "gate": "heads"},
    {"gate": "numbers"}, {"parallel": True},
    {"parallel": True, "scale": 0.3, "gate": "heads"}, {"own": True}, {"loops": 3},
    {"borrow": 3},
    {"loops": 2, "borrow": 2, "cap": 3, "own": True}, {"streams": 4}, {"streams": 4, "rounds": 3, "gate": "numbers"},
]  # fmt: skip


def test_the_stack_is_what_the_interpreter_runs(verified):
    """Norms, gates, caps, borrowing, loops, own embeddings, streams: the stream after each layer is the gallery's."""
    tally = Tally()
    for changes in STATES:
        state, found = {**around.STATE, "layers": LAYERS, "grown": 2, **changes}, []
        watch = lambda name, value, found=found: found.append(value) if name[5:].isdigit() else None  # noqa: E731
        run(spec_of(state), Drawn(state), range(stack.TOKENS), watch)
        mine = stack.run_stack(state)["sizes"][1:]
        tally.near(mine, [sqrt((x * x).mean()) for x in found], changes, rel=2e-6)
    verified("norms: residual stream after each layer", tally, against="the interpreter of gallery.running")


def test_the_stack_is_what_transformers_runs(verified):
    """Llama, Granite, Gemma 2 and Gemma 3, run once by their own classes with these weights."""
    states = {
        "pre": {}, "scale": {"scale": 0.22}, "sandwich": {"norm": "sandwich", "cap": 5, "grown": 4},
        "qk": {"norm": "sandwich", "qk": True, "grown": 4},
    }  # fmt: skip
    tally = Tally()
    for name, changes in states.items():
        tally.near(stack.run_stack({**around.STATE, **changes, "layers": 8})["sizes"][1:], GOLDEN[name], name, rel=1e-6)
    verified(
        "norms: residual stream of four model classes",
        tally,
        against=f"transformers {GOLDEN['transformers']}",
    )


def beside(kind: str):
    """How the card draws halves side by side: one input, norms behind each answer, one sum, a norm on it."""

    def graph(scheme, g, spec, layer):
        x = norm_at(g, spec, layer, "mixer_in", "stream")
        mixed, done = (
            norm_at(g, spec, layer, f"{word}_out", sublayer(g, spec, layer, word, x)) for word in ("mixer", "mlp")
        )
        kept = g.scale("kept", x, stack.ALPHA) if kind == "normed" else "stream"
        both = g.add("mlp_add", "add", g.add("mixer_add", "add", kept, mixed), done)
        return g.graph(norm_after(g, spec, layer, "mlp", both))

    return graph


@pytest.mark.parametrize("kind", legal.NORMS)
@pytest.mark.parametrize("parallel", [False, True])
def test_ranks_that_run_the_stack_meet_as_often_as_is_printed(kind, parallel, monkeypatch):
    """Two tensor ranks that wait for a sum until somebody needs it: a norm behind a half needs that half's own."""
    state = {**around.STATE, "layers": LAYERS, "norm": kind, "parallel": parallel}
    spec = spec_of(state)
    if parallel:  # no model of the gallery has norms behind halves side by side: its scheme does not draw them
        monkeypatch.setattr(plain, "side_by_side", beside(kind))
        spec = replace(spec, residual=Plain())
    ranks, found = Sharded(spec, Drawn(state), Mesh({"tp": 2}, 2), [range(stack.TOKENS)], gradients=False), []
    last = ranks.logits()  # nothing reads it: its sum still waits
    calls = [call.op for call in ranks.net.calls if call.tensor.startswith("layer")]
    assert set(calls) == {"all-reduce"}
    assert len(calls) + bool(last.pending) == stack.cost(state)["meetings"]
    run(
        spec, Drawn(state), range(stack.TOKENS), lambda name, value: found.append(value) if name[5:].isdigit() else None
    )
    assert stack.run_stack(state)["sizes"][1:] == pytest.approx([sqrt((x * x).mean()) for x in found], rel=2e-6)


def test_a_norm_behind_a_half_is_a_meeting_of_its_own():
    """40 layers, by hand: side by side one sum a layer, two where each half's answer is normalised first."""
    beside = {kind: at(norm=kind, parallel=True)["cost"]["meetings"] for kind in legal.NORMS}
    assert beside == {"pre": 40, "post": 40, "normed": 40, "sandwich": 80, "behind": 80}
    assert {at(norm=kind)["cost"]["meetings"] for kind in legal.NORMS} == {80}
    saver = expected.answers("norms")["saver"]
    assert {saver({**around.STATE, "norm": kind, "parallel": True}, data) for kind in legal.NORMS} == {2}


def test_single_operations_are_the_interpreters():
    """A norm, a cap, Sinkhorn's rounds, both shares of a stream and GELU, each as the gallery computes it."""
    from cutaway.gallery.graph import Node
    from cutaway.gallery.records import Normal

    rng = np.random.default_rng(2)
    x = rng.normal(size=(5, 16)) * 7

    def ask(op, tensors, *inputs, **facts):
        return NUMBERS[op](None, Node("", op, (), {}, facts), tensors, *inputs)

    assert np.array_equal(stack.norm(x), ask("norm", {}, x, normal=Normal()))
    assert np.allclose(stack.softcap(x, 5), ask("softcap", {}, x, cap=5), rtol=1e-14)
    assert [small.cap_score(v, 5) for v in x[0]] == pytest.approx(list(ask("softcap", {}, x[0], cap=5)), rel=1e-14)
    assert np.allclose(stack.sigmoid(x), ask("act", {}, x, act="sigmoid"), rtol=1e-12)
    assert np.allclose(stack.gelu(x), ask("act", {}, x, act="gelu_pytorch_tanh"), rtol=1e-12)
    for rounds in legal.ROUNDS[1:]:
        logits = rng.normal(size=(4, 4))
        tensors = {"base": np.concatenate([np.zeros(8), logits.ravel()]), "scale": np.ones(3)}
        theirs = ask("sinkhorn", tensors, np.zeros((1, 24)), streams=4, iters=rounds, eps=1e-6)[0]
        assert np.allclose(mixing.sinkhorn(logits, rounds), theirs, rtol=1e-13)


# ---------------------------------------------------------------- the figures of the page


def test_what_the_beats_answer():
    """The stream after 40 layers, √128, the cap of 50, one meeting, three drafts, Ouro, Gemma 3n, 122 halves."""
    now = at()
    assert [round(now["sizes"][n], 2) for n in (5, 10, 20, 40)] == [1.92, 3.17, 4.75, 6.39]
    assert at(norm="post")["heard"] < 1e-6
    assert now["heard"] == pytest.approx(1 / now["size"], rel=0.05)
    assert (now["scores"]["bound"], round(at(cap=50)["ceiling"]["out"], 1)) == (sqrt(128), 48.2)
    assert round(at(cap=50, score=5)["ceiling"]["out"], 2) == 4.98  # a tenth of the cap
    assert [round(at(drafts=n)["drafted"]["expected"], 2) for n in range(4)] == [1, 1.85, 2.57, 3.19]
    ouro, llama = "ByteDance/Ouro-1.4B", "meta-llama/Llama-3.1-70B"
    assert at(model=ouro, loops=4)["looped"]["bytes"] == 786_432 == memory(catalog.spec(ouro), 1).per_token_bytes
    assert (data["beside"]["per_token"], data["beside"]["layers"]) == (327_680, 80)
    assert (
        49 < parameters(catalog.spec(llama)).total / parameters(catalog.spec(ouro)).total < 51
    )  # fifty times the weights
    of = at(model="google/gemma-3n-E4B")["of"]
    assert (of["lent"], of["layers"], round(of["table"] / 1e9, 2), round(of["total"] / 1e9, 2)) == (15, 35, 2.35, 6.84)
    assert of["sources"][20:] == [19 if i % 5 == 4 else 18 for i in range(20, 35)]
    mix = at(layers=61)["mixing"]
    assert catalog.spec("deepseek-ai/DeepSeek-V4-Pro").num_hidden_layers == 61
    assert (mix["places"], round(mix["free_gain"], 1), round(mix["gain"], 3)) == (122, 9.9, 1.0)
    assert np.allclose(mix["all"], 0.25, atol=0.005)


def test_no_normalised_pair_scores_more_than_the_root_of_the_head():
    """Over heads and growths; and the pair that points the same way reaches it."""
    for head in legal.HEADS:
        for grown in (0.5, 1, 8):
            made = small.scores({"head": head, "grown": grown})
            assert made["normed"]["top"] == pytest.approx(sqrt(head), rel=1e-5)
            assert made["normed"]["top"] < sqrt(head)
            if grown > 2:
                assert made["plain"]["top"] > 10 * made["normed"]["top"]


def test_drafts_as_expected_are_drafts_as_drawn():
    """The sum of powers against 4,096 drawn steps, and against steps drawn by numpy one draft at a time."""
    rng = np.random.default_rng(8)
    for drafts, accept in ((1, 0.85), (3, 0.85), (7, 0.6), (5, 0.95)):
        made = small.drafted_tokens({"drafts": drafts, "accept": accept})
        good = [next((i for i in range(drafts) if rng.random() >= accept), drafts) for _ in range(8000)]
        assert 1 + np.mean(good) == pytest.approx(made["expected"], rel=0.03)
        assert made["measured"] == pytest.approx(made["expected"], rel=0.02)
        assert made["expected"] == pytest.approx((1 - accept ** (drafts + 1)) / (1 - accept))
        assert made["tokens"] == sum(made["tape"]) + 12
        assert made["wasted"] == pytest.approx(1 - made["expected"] / (drafts + 1))
        assert made["checked"] == 12 * (drafts + 1)


def test_the_seed_ends_near_the_middle(monkeypatch):
    """Of 12 stacks of 40 layers, this one's is neither among the smallest nor the largest; the root law holds."""
    ends = []
    for seed in range(12):
        monkeypatch.setattr(stack, "SEED", 6_000_000 + 20_000 * seed)
        stack.matrix.cache_clear()
        stack.run_layers.cache_clear()
        ends.append(stack.run_stack(around.STATE)["sizes"])
    monkeypatch.undo()
    stack.matrix.cache_clear()
    stack.run_layers.cache_clear()
    last = sorted(sizes[40] for sizes in ends)
    assert last[2] < at()["size"] < last[9]
    assert np.median([sizes[40] / sizes[10] for sizes in ends]) == pytest.approx(2, rel=0.1)


MISSED = [
    ("heard_to_the_end", {"layers": 39}, "40 passes or more"),
    ("heard_to_the_end", {"norm": "post"}, "only 0.0 % of it"), ("heard_to_the_end", {"scale": 0.5}, "size is 3"),
    ("half_of_both", {"layers": 20, "loops": 2}, "100.0 % of the cache"),
    ("half_of_both", {"borrow": 20}, "90.0 % of the weights and 50.0 %"),
    ("half_of_both", {"layers": 2}, "there are 2"),
    ("small_scores", {"grown": 2, "qk": True, "parallel": True}, "scaled by 2, not by 4"),
    ("small_scores", {"grown": 4, "parallel": True}, "above 3"),
    ("small_scores", {"grown": 4, "qk": True}, "The largest score is 2.5, but each layer needs two all-reduces"),
    ("cheap_drafts", {"drafts": 3}, "3.19 tokens per step, with 20.3 % of the checked tokens discarded"),
]  # fmt: skip


@pytest.mark.parametrize(("goal", "changes", "says"), MISSED)
def test_a_goal_that_is_missed_says_why(goal, changes, says, of_beats):
    """Near misses are named."""
    page = "loops" if goal in ("half_of_both", "cheap_drafts") else "norms"
    (made,) = of_beats(page, "goals", goal, [{**around.STATE, **changes}])
    assert not made["reached"]
    assert says in made["says"]


# ---------------------------------------------------------------- models


def test_a_model_by_its_name_is_switched_as_it_is(verified):
    """Every listed model opens by its name alone; a few known ones have the switches that they are known for."""
    tally = Tally()
    for row in data["models"]:
        state = around.settle({**around.STATE, "model": row[0]}, ["model"], data)
        tally.same(around.check(state, data), "", row[0])
    verified("norms: models opened from a link with only a name", tally, against="gallery.read")
    known = {
        "google/gemma-2-2b": {"norm": "sandwich", "cap": 50, "layers": 26},
        "ByteDance/Ouro-1.4B": {"loops": 4, "layers": 24},
        "allenai/OLMo-2-1124-7B-Instruct": {"norm": "behind", "qk": True}, "tiiuae/falcon-7b": {"parallel": True},
        "ibm-granite/granite-3.3-8b-instruct": {"scale": 0.22}, "MiniMaxAI/MiniMax-Text-01-hf": {"norm": "normed"},
        "google/gemma-3n-E4B": {"borrow": 15, "own": True, "streams": 4, "cap": 30, "qk": True},
        "deepseek-ai/DeepSeek-V4-Pro": {"streams": 4, "rounds": 20, "drafts": 1, "layers": 61, "head": 512, "qk": True},
        "Zyphra/ZAYA1-8B": {"head": 128, "qk": True}, "deepseek-ai/DeepSeek-V3": {"head": 192, "qk": False},
        "Qwen/Qwen3-Next-80B-A3B-Instruct": {"gate": "numbers", "head": 256},
        "stepfun-ai/Step-3.7-Flash": {"drafts": 3},
    }  # fmt: skip
    for slug, switches in known.items():
        state = around.settle({**around.STATE, "model": slug}, ["model"], data)
        assert {key: state[key] for key in switches} == switches, slug
    given = around.settle({**around.STATE, "model": "google/gemma-2-2b", "cap": 7}, ["model", "cap"], data)
    assert (given["cap"], given["norm"]) == (7, "sandwich")
    alpha = catalog.spec("MiniMaxAI/MiniMax-M1-80k").residual.mixer[0][0]
    assert alpha == pytest.approx(stack.ALPHA, abs=5e-5)


BARE = ("NX-AI/xLSTM-7b", "fla-hub/rwkv7-2.9B-world", "mistralai/Mamba-Codestral-7B-v0.1")


def test_a_model_without_attention_leaves_the_head_as_it_was():
    """Three models have none: their names choose everything but the numbers to a head. All others choose that too."""
    assert {row[0] for row in data["models"] if not legal.find(row[0], data)["head"]} == set(BARE)
    for slug in BARE:
        state = around.settle({**around.STATE, "model": slug, "head": 64}, ["model"], data)
        assert (state["head"], state["qk"]) == (64, False)


# slug -> layers that keep keys and values, read another's, keep a state alone, keep nothing; by hand from the configs:
KEEPING = {  # hybrid_override_pattern has 8 *, 40 M and 40 E; num_kv_shared_layers 15 of 35; 24 layers; 61 compressed;
    "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16": (8, 0, 40, 40), "google/gemma-3n-E4B": (20, 15, 0, 0),
    "ByteDance/Ouro-1.4B": (24, 0, 0, 0), "deepseek-ai/DeepSeek-V4-Pro": (61, 0, 0, 0),
    # full_attention_interval 4 of 48; mLSTM alone; Mamba and attention in each; every fifth layer reads an image;
    "Qwen/Qwen3-Next-80B-A3B-Instruct": (12, 0, 36, 0), "NX-AI/xLSTM-7b": (0, 0, 32, 0),
    "tiiuae/Falcon-H1-7B-Instruct": (44, 0, 0, 0), "meta-llama/Llama-3.2-90B-Vision-Instruct": (80, 0, 0, 20),
}  # fmt: skip


def test_what_layers_keep_is_counted_by_what_it_is(verified):
    """Caches are layers with keys and values of their own, once a run; states and nothing are counted apart."""
    pattern = catalog.load("nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16")["hybrid_override_pattern"]
    assert [pattern.count(one) for one in "*ME"] == [8, 40, 40]
    for slug, counts in KEEPING.items():
        now = at(model=slug, loops=2)
        assert tuple(now["of"][key] for key in ("keeping", "lent", "states", "none")) == counts, slug
        assert (now["looped"]["caches"], now["looped"]["states"]) == (2 * counts[0], 2 * counts[2]), slug
    tally, letter = Tally(), {"M": "state", "*": "kept", "E": "none"}
    assert at(model="nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16")["of"]["kinds"] == [letter[one] for one in pattern]
    for row in data["models"]:
        kinds, layers = around.kinds_of(legal.find(row[0], data)), memory(catalog.spec(row[0]), 8192).layers
        for kind, layer in zip(kinds, layers, strict=True):
            entries = bool({"kv", "compressed"} & layer.by_kind.keys())
            said = (entries, not layer.by_kind, "reads the keys and values of layer" in layer.what)
            tally.same((kind == "kept", kind in ("lent", "none"), kind == "lent"), said, row[0], layer.index)
    verified("norms: what each layer of every model caches", tally, against="gallery.memory")


def test_who_does_what_is_what_the_mechanisms_find():
    """Counted are those whose own pages name the mechanism, and attention that always normalises: a sample."""
    having = {key: {one.slug for one in found} for key, found in around.models.models_with().items()}
    assert {key: len(slugs) for key, slugs in having.items()} == {key: row["count"] for key, row in data["who"].items()}
    kinds = (s.CompressedAttention, s.ConvolvedAttention)
    for one in [one for one in catalog.gallery_rows() if not one.variant_of][::9]:
        spec = catalog.spec(one.slug)
        own = mechanisms(spec)
        for key, keys in around.models.WHO.items():
            always = key == "qk" and any(isinstance(layer.mixer, kinds) for layer in spec.layers)
            assert (one.slug in having[key]) == (always or any(word in own for word in keys)), (one.slug, key)


def test_only_who_normalises_head_by_head_is_under_the_root_of_the_head():
    """V4 and ZAYA1 are; what normalises all heads together is counted apart, for one head may hold most of it."""
    having = {key: {one.slug for one in found} for key, found in around.models.models_with().items()}
    always = {"deepseek-ai/DeepSeek-V4-Pro", "deepseek-ai/DeepSeek-V4-Flash", "Zyphra/ZAYA1-8B"}
    assert always < having["qk"]
    for slug in always:  # their graphs: a norm of each query head, with nothing learned
        layer = catalog.spec(slug).layers[0]
        norms = {node.name: node for node in graph_of(layer.mixer, 64).nodes if node.op == "norm"}
        assert norms.keys() & {"q_norm", "q_b_norm"}, slug
        assert norms.keys() & {"k_norm", "kv_norm"}, slug
    assert not having["qk"] & having["qk_all"]
    full = {"allenai/OLMo-2-1124-7B-Instruct", "allenai/Olmo-3-1025-7B", "allenai/OLMoE-1B-7B-0924"}
    assert full < having["qk_all"]
    assert data["who"]["qk_all"]["count"] == 8
    heads, size = 32, 128
    q = np.zeros(heads * size)
    q[:size] = np.random.default_rng(1).normal(size=size)  # one head holds all of the norm
    q /= np.sqrt((q * q).mean())
    assert q[:size] @ q[:size] / sqrt(size) == pytest.approx(heads * sqrt(size))


def test_scaled_residuals_and_weighed_sums_are_two_things():
    """Granite and MiniCPM multiply what a half gives; ZAYA1 weighs both terms of a sum."""
    having = {key: {one.slug for one in found} for key, found in around.models.models_with().items()}
    assert having["weighed"] == {"Zyphra/ZAYA1-8B"}
    assert {catalog.spec(slug).residual.multiplier != 1 for slug in having["scale"]} == {True}
    assert {slug.split("/")[0] for slug in having["scale"]} >= {"ibm-granite", "openbmb"}
    assert not having["scale"] & having["weighed"]


def test_what_stands_around_the_halves_leads_here():
    """Words of the glossary and drawn parts offer this page, at the model's own switches."""
    keys = {key for keys in around.models.WHO.values() for key in keys}
    assert {key for key in keys if not {"norms", "loops"} & {*BY_KEY[key].learn}} == set()
    assert all("norms" in reading.LEARN[op] for op in ("norm", "softcap"))
    assert all("loops" in reading.LEARN[op] for op in ("sinkhorn", "mix_streams"))
    layers = reading.sheet(ModelView(catalog.find("google/gemma-3n-E4B")))["graphs"]
    own = {
        name for rows in layers.values() for name, one in rows.items() if {"norms", "loops"} & {*one.get("learn", ())}
    }
    assert {"mixer.attend", "per_layer.mine", "predict", "correct", "mixer_in_norm", "logits_softcap"} <= own
    preset = explainer_links.wired(ModelView(catalog.find("google/gemma-2-2b")))
    assert explainer_links._query("norms", preset) == "?model=google/gemma-2-2b"


def test_qk_norm_gives_a_root_mean_square_of_1_not_a_length():
    """128 numbers with a root mean square of 1 have a length of √128: two that point the same way score √128."""
    x = np.random.default_rng(0).normal(size=128)
    x /= np.sqrt((x * x).mean())
    assert x @ x / np.sqrt(128) == pytest.approx(np.sqrt(128)) == pytest.approx(at(head=128)["scores"]["bound"])
    beat = explainers.load("norms").beats[1]
    assert "a root mean square of 1" in beat.text
    assert "size of 1" not in beat.text
