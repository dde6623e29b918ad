"""explainers/norms and loops: their small stack is what the interpreter, transformers and two tensor ranks compute."""

import json
from dataclasses import replace
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from cutaway.gallery import spec as s
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
from cutaway.gallery.sublayers import norm_after, norm_at, sublayer
from tests.explainers import expected
from tests.explainers.norms_states import around, at, data, legal, mixing, small, stack
from tests.tally import Tally

GOLDEN = json.loads(Path(__file__).with_name("golden_around.json").read_text("utf-8"))
LAYERS = 6


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
