"""How often tensor ranks meet in each layer, over what, and how much: rows by hand beside the planner's count."""

from collections import Counter

import numpy as np
import pytest

from cutaway.gallery.mesh import ALGORITHMS, OPERATIONS, Mesh, schedule
from cutaway.gallery.mesh.network import carry_out
from cutaway.gallery.mesh.tape import Tape
from cutaway.gallery.mesh.tape.functions import FUNCTIONS
from cutaway.gallery.planning.planner_model import make_planner_model
from tests.gallery.sharding import TOKENS, compared, on_mesh

NUMBER = 8  # bytes of a float64
# case -> what is gathered in a layer before its sums, by the half it stands in; {} = nothing
GATHERED = {
    "llama": {}, "falcon": {}, "cohere": {}, "gpt2": {}, "bloom": {}, "gemma2": {}, "deepseek_v3": {}, "gpt_oss": {},
    "phimoe": {}, "qwen3_next": {}, "kimi_linear": {}, "nemotron_h__groups": {}, "deepseek_v32": {},
    "granitemoeshared": {},
    "beam": {}, "mistral_large4_text": {},
    "laguna": {}, "stablelm__parallel_qk": {}, "apertus": {}, "exaone4": {}, "cohere2_moe": {}, "phi": {},
    "minimax_m3_vl_text": {}, "bailing_hybrid__default": {},
    "olmo2": {"mixer.q_proj", "mixer.k_proj"},  # a norm of the full width, on both
    "minimax_m2": {"mixer.q_proj", "mixer.k_proj"},
    "gemma3n_text": {"mlp.gate_proj"},  # its sparse layers: all numbers weighed against each other
    "minimax": {"mixer.state"},  # its linear layers: a norm over all heads
    "bamba": {"mixer.gated"},  # one group of heads: its gated norm sees all of them
    "diffllama": {"mixer.q_rope", "mixer.keys", "mixer.values"},  # heads weighed against each other
}  # fmt: skip


def meetings(run) -> dict[int, list[tuple[str, str, int]]]:
    """{layer: [(collective, what, bytes of one rank's part)]} of a run going forth."""
    found: dict[int, list[tuple[str, str, int]]] = {}
    for call in run.net.calls:
        where, _, what = call.tensor.partition(":")
        if where.startswith("layer"):
            found.setdefault(int(where[5:]), []).append((call.op, what, call.held // len(call.group)))
    return found


@pytest.mark.parametrize("name", GATHERED)
def test_ranks_meet_as_often_as_a_row_says(name):
    """Sums as often as the planner counts, each of the whole stream; gathers where a row has them, and nowhere else."""
    run = on_mesh(name, {"tp": 2}, gradients=False)
    run.logits()
    model, stream = make_planner_model(run.spec), TOKENS * run.spec.hidden_size * NUMBER
    for layer, calls in meetings(run).items():
        sums = [size for op, what, size in calls if op == "all-reduce" and (size == stream or what != "mlp.experts")]
        assert sums == [stream] * model["kinds"][model["layers"][layer]]["meets"][0], (layer, calls)
        gathers = {what: size for op, what, size in calls if op == "all-gather"}
        assert not gathers or gathers.keys() == GATHERED[name], (layer, gathers)
        assert {op for op, _, _ in calls} <= {"all-reduce", "all-gather"}
    assert any(op == "all-gather" for calls in meetings(run).values() for op, _, _ in calls) == bool(GATHERED[name])
    ends = [(call.op, call.held // 2) for call in run.net.calls if not call.tensor.startswith("layer")]
    assert ends == [("all-reduce", stream)]  # the vocabulary's rows of the embedding


@pytest.mark.parametrize(("name", "numbers"), [
    ("olmo2", lambda m: {"mixer.q_proj": m.num_attention_heads * m.head_dim,
                         "mixer.k_proj": m.num_key_value_heads * m.head_dim}),
    ("bamba", lambda m: {"mixer.gated": m.num_heads * m.head_dim}),
    ("minimax", lambda m: {"mixer.state": m.num_heads * m.head_dim}),
])  # fmt: skip
@pytest.mark.parametrize("t", [2, 4])
def test_what_is_gathered_is_a_ranks_part_of_all_heads(name, numbers, t):
    """1 / t of every head's numbers, of each token."""
    run = on_mesh(name, {"tp": t}, gradients=False)
    run.logits()
    gathers = {what: size for op, what, size in meetings(run)[0] if op == "all-gather"}
    wanted = numbers(run.spec.layers[0].mixer)
    assert gathers == {what: TOKENS * many * NUMBER // t for what, many in wanted.items()}


def shares(run, word: str) -> set[tuple[str, float]]:
    """(name, share that the first rank holds) of tensors whose name has a word."""
    held = run.weights.sizes(0)
    return {(name, size / run.state.get(name, layer).size) for (layer, name), size in held.items() if word in name}


@pytest.mark.parametrize(("name", "t", "word", "wanted"), [
    ("nemotron_h__groups", 2, "mamba.norm", {("mamba.norm.weight", 1 / 2)}),  # groups of heads, two a rank
    ("nemotron_h__groups", 4, "mamba.norm", {("mamba.norm.weight", 1 / 4)}),
    ("bamba", 2, "mamba.norm", {("mamba.norm.weight", 1)}),  # one group: every rank norms all of it
    ("minimax", 2, "self_attn.norm", {("self_attn.norm.weight", 1)}),
    ("olmo2", 2, "q_norm", {("self_attn.q_norm.weight", 1)}),
    ("qwen3_next", 2, "linear_attn.norm", {("linear_attn.norm.weight", 1)}),  # the same for each head
    ("gpt_oss", 2, "sinks", {("self_attn.sinks", 1 / 2)}),
    ("gpt_oss", 2, "o_proj", {("self_attn.o_proj.weight", 1 / 2), ("self_attn.o_proj.bias", 1)}),
])  # fmt: skip
def test_norms_and_what_belongs_to_a_head_are_held_as_they_are_used(name, t, word, wanted):
    """By groups where a norm has groups, whole where it sees every head or is the same for each."""
    run = on_mesh(name, {"tp": t}, gradients=False)
    run.logits()
    assert shares(run, word) == wanted


@pytest.mark.parametrize(("name", "axes"), [("doge", {"tp": 2}), ("bloom", {"tp": 2}), ("inkling_text", {"tp": 2})])
def test_masks_and_slopes_of_a_head_go_with_it(name, axes):
    """A mask or a slope of its own for each head: logits, loss and gradients are the whole model's."""
    assert compared(name, axes).wrong == 0


def test_experts_without_weights_return_their_input_once():
    """LongCat's identity experts, dealt out over expert ranks and cut: what they return is counted on one of them."""
    folds = {"edp": 1, "ep": 2, "etp": 2}
    assert compared("longcat_flash", {"dp": 2, "tp": 2}, True, folds).wrong == 0


def test_nobody_meets_alone():
    """No collective of a run has a group of one, whatever axes a mesh has none of; only those it has are used."""
    for axes in ({"tp": 2}, {"dp": 2}, {"tp": 2, "dp": 1, "cp": 1, "pp": 1}):
        run = compared("llama", axes).run
        found = Counter((call.axis, len(call.group)) for call in run.net.calls)
        assert found.keys() == {(axis, size) for axis, size in axes.items() if size > 1}


@pytest.mark.parametrize(("axes", "per_node", "experts", "says"), [
    ({"tp": 0}, 8, None, r"not \['tp 0'\]"),
    ({"tp": 2}, 0, None, "not 0"),
    ({"tp": 2, "dp": -1}, 8, None, r"not \['dp -1'\]"),
    ({"dp": 4}, 8, {"edp": 2, "ep": 3}, "dp 4 are 4 ranks, edp 2 x ep 3 are 6"),
])  # fmt: skip
def test_a_mesh_that_cannot_be_says_which_number(axes, per_node, experts, says):
    """The axis that is too short, the node without devices, the folds that differ."""
    with pytest.raises(ValueError, match=says):
        Mesh(axes, per_node, experts)


@pytest.mark.parametrize(("group", "many"), [
    (range(8), 4), ([0, 1, 4, 5], 2), ([0, 4], 1), ([0, 1], 2), ([3], 1),
    ([0, 1, 2, 4], 0), ([0, 4, 1, 5], 0), ([0, 1, 4], 0), ([0, 4, 5, 6], 0), ([0, 4, 5, 8], 0),
])  # fmt: skip
def test_a_group_shares_its_nodes_evenly_or_not(group, many):
    """So many ranks in each node, side by side; none where nodes hold unequal parts, or ranks go to and fro."""
    assert Mesh({"tp": 12}, 4).neighbours(list(group)) == many


COPIES = {"all-gather", "broadcast", "everyone to everyone"}  # phases after which a chunk is there more often


@pytest.mark.parametrize("n", [2, 3, 4, 6])
@pytest.mark.parametrize("op", OPERATIONS)
def test_what_is_handed_on_is_given_up(op, n):
    """Sums and exchanges leave as much as there was, step by step; only gathers and broadcasts make copies."""
    kinds = [(algorithm, 0) for algorithm in ALGORITHMS[:3]] + [("hierarchical", d) for d in range(1, n) if n % d == 0]
    for algorithm, local in kinds:
        held = [[np.float64(2.0 ** (n * rank + slot)) for slot in range(n)] for rank in range(n)]
        if op == "all-gather":
            held = [[one if slot == rank else None for slot, one in enumerate(own)] for rank, own in enumerate(held)]
        if op == "broadcast":
            held = [own if rank == 0 else [None] * n for rank, own in enumerate(held)]
        amounts, total = [], sum(one for own in held for one in own if one is not None)
        carry_out(schedule(op, algorithm, n, 0, local), held, lambda step, sent, now=held, into=amounts: into.append(
            (step.phase, sum(one for own in now for one in own if one is not None))))  # fmt: skip
        for phase, amount in amounts:
            assert (amount > total) if phase in COPIES else (amount == total), (algorithm, phase)
            total = amount


def test_a_limit_itself_still_has_a_gradient():
    """Clipping passes the gradient of what stands on a limit, as PyTorch's clamp does, and none beyond it."""
    tape = Tape()
    x = tape.leaf(np.array([-2.0, -1.0, 0.0, 1.0, 2.0]))
    made = FUNCTIONS["clip"](x, -1.0, 1.0)
    assert made.data.tolist() == [-1, -1, 0, 1, 1]
    assert tape.backward([(made, np.ones(5))])[x.number].tolist() == [0, 1, 1, 1, 0]


def test_equal_largest_numbers_share_the_gradient():
    """Of three that are equal each gets a third of it, row by row; a mean gives everyone its part."""
    tape = Tape()
    x = tape.leaf(np.array([[2.0, 2.0, 1.0, 2.0], [0.0, 5.0, 5.0, 1.0]]))
    top, middle = x.max(1), x.mean(0)
    assert (top.data.tolist(), middle.data.tolist()) == ([2, 5], [1, 3.5, 3, 1.5])
    found = tape.backward([(top, np.array([3.0, 4.0]))])[x.number]
    assert found.tolist() == [[1, 1, 0, 1], [0, 2, 2, 0]]
    assert tape.backward([(middle, np.ones(4))])[x.number].tolist() == [[0.5] * 4] * 2


@pytest.mark.parametrize("n", range(2, 10))
def test_every_rank_sends_as_much_as_the_table_of_nccl_tests_says(n):
    """n - 1 chunks of a gather, a scatter and an exchange, twice that of a ring's sum; a broadcast reaches all once."""
    once = dict.fromkeys(range(n), n - 1)
    for op, algorithm, wanted in [
        *((op, algorithm, once) for op in ("all-gather", "reduce-scatter") for algorithm in ALGORITHMS[:3]),
        ("all-to-all", "direct", once),
        ("all-reduce", "ring", dict.fromkeys(range(n), 2 * (n - 1))),
    ]:
        sends = [send for step in schedule(op, algorithm, n).steps for send in step.sends]
        assert Counter(send.source for send in sends) == wanted == Counter(send.destination for send in sends), (
            op, algorithm)  # fmt: skip
    for algorithm in ALGORITHMS[:3]:
        for root in (0, n - 1):
            sends = [send for step in schedule("broadcast", algorithm, n, root).steps for send in step.sends]
            assert Counter(send.destination for send in sends) == {r: n for r in range(n) if r != root}
