"""What a tensor rank really held while its graphs ran is the share that the planner says."""

from fractions import Fraction

import numpy as np
import pytest

from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.sharding.arithmetic import ratio
from cutaway.gallery.planning.sharding.rules import rule_of
from cutaway.gallery.wiring import closing_graph, layer_graph, opening_graph
from tests.gallery.sharding import CASES, on_mesh
from tests.tally import Tally

# Held whole by every rank here, though the planner deals it out; each with its reason.
WHOLE_HERE = {
    "norm.weight": "a gated norm by groups, which the mesh cuts with its groups and the planner counts whole",
    "norm.bias": "norms with weights and biases of each head, which the mesh cuts with the heads (Chameleon)",
    "lambda_": "a head's worth of numbers beside heads that are weighed against each other",
    "self_attn.A": "a mask of all heads that every rank makes (Doge)",
    "self_attn.sinks": "attention over entries is run whole here (DeepSeek-V4)",
    "self_attn.o_a_proj": "the same",
    "self_attn.q_a_proj": "the same: what the mesh runs whole reads it in lanes",
    "self_attn.dt_proj": "the same",
    "rel_": "a bias for each distance that every rank makes (Inkling)",
    "r_proj": "the same",
    "x_proj_weight": "a matrix for each head, run whole here (Zamba)",
    "head.dense": "a dense layer in front of the head (ModernBERT)",
}
APART = {
    "jetmoe": "experts for queries and outputs: the planner deals their heads out, the mesh runs them whole",
    "cpmant": "its tokens stand behind a prompt of their own table",
    "zaya": "a convolution that mixes the numbers of a head, run whole here with all that it reads",
    "inkling2_text": "a convolution whose weights follow from the tokens, run whole here",
    "muse_spark_text": "each expert's sum is normed by itself, so its width is not cut here",
}
NAMES = ("minimax_m2", "qwen3_next", "nemotron_h__nano")


def differences(name: str, t: int) -> tuple[int, dict[str, tuple]]:
    """(how many tensors, {name: (the share held, the planner's)} of those that differ) on the first rank."""
    run = on_mesh(name, {"tp": t}, length=2, gradients=False)
    run.logits()
    layout = Layout(next(iter(DEVICES.values())), 1, t, tp=t, etp=t)
    ends = {
        tensor.name: tensor
        for graph in (opening_graph(run.spec), closing_graph(run.spec))
        for tensor in graph.tensors()
    }
    found = {}
    for (layer, tensor), by_rank in run.weights.held.items():
        of = None if layer is None else run.spec.layers[layer]
        known = ends if of is None else {one.name: one for one in layer_graph(run.spec, of).tensors()}
        own = np.unique(np.concatenate([one.ids.ravel() for one in by_rank[0].values()]))
        mine = Fraction(len(own), run.state.get(tensor, layer).size)
        planned = Fraction(*ratio(rule_of(tensor, known[tensor].shape, known[tensor].part, of), layout))
        if mine != planned and not any(word in tensor for word in WHOLE_HERE):
            found[tensor] = (mine, planned)
    return len(run.weights.held), found


@pytest.mark.parametrize("name", NAMES)
def test_a_rank_holds_what_the_planner_says(name):
    """Every tensor of a tiny model, on two tensor ranks."""
    assert differences(name, 2)[1] == {}


@pytest.mark.whole
def test_the_planners_shares_are_those_of_running_graphs(verified):
    """Families in turn on 2 ranks."""
    names = [path.stem for path in sorted(CASES.glob("*.json")) if "__" not in path.stem][::12]
    tally = Tally()
    for name in names:
        if name not in APART:
            tally.add(*differences(name, 2))
    verified("mesh: tensor shards", tally, against="the shards of the planner")
