"""What the log of a sharded run holds: bytes of every axis equal the formulas, meeting by meeting."""

from collections import Counter
from functools import cache
from math import ceil

import numpy as np
import pytest

from cutaway.gallery.mesh import Mesh, Network, zero
from cutaway.gallery.mesh.loss import rank_loss
from tests.gallery.sharding import TOKENS, compared, on_mesh

NUMBER = 8  # bytes of a float64


def forth(name: str, axes: dict, sequence_parallel: bool = False, experts: dict | None = None):
    """A case, run forward only."""
    run = on_mesh(name, axes, sequence_parallel, experts)
    run.logits()
    return run


def sent(run, axis: str, source: int = 0) -> Counter:
    """Bytes that one rank sent along an axis, by what it sent."""
    found: Counter = Counter()
    for move in run.net.log:
        if move.axis == axis and move.source == source:
            found[move.tensor] += move.bytes
    return found


def meetings(t: int, width: int, tokens: int = TOKENS) -> int:
    """Bytes that a ring's all-reduce of whole vectors makes one rank send: 2 (t - 1) / t of them."""
    return 2 * (t - 1) * tokens * width * NUMBER // t


@pytest.mark.parametrize("t", [2, 4])
def test_two_meetings_a_layer_forth_and_two_back(t):
    """Llama: an all-reduce after o_proj and one after down_proj, one before each half on the way back, no others."""
    run = compared("llama", {"tp": t}).run
    layers, h = len(run.spec.layers), run.spec.hidden_size
    log = sent(run, "tp")
    halves = {f"layer{i}:{word}_add" for i in range(layers) for word in ("mixer", "mlp")}
    norms = {f"layer{i}:{word}_in_norm gradient" for i in range(layers) for word in ("mixer", "mlp")}
    expected = dict.fromkeys([*halves, *norms, "model:embed", "model:final_norm gradient"], meetings(t, h))
    per_token = {"largest logit": (t - 1) * TOKENS * NUMBER}
    per_token |= dict.fromkeys(("sum of exponentials", "logit of the next token"), meetings(t, 1))
    if t > run.spec.layers[0].mixer.num_key_value_heads:  # copies of a KV head have one gradient between them
        copied = {f"layer{i}:self_attn.{word}_proj.weight gradient" for i in range(layers) for word in "kv"}
        expected |= dict.fromkeys(copied, h * run.spec.layers[0].mixer.head_dim * NUMBER)
    assert log == {**expected, **per_token}


def test_sequence_parallelism_sends_the_same_forth():
    """A reduce-scatter after each half and an all-gather before the next are an all-reduce's bytes."""
    plain, shared = (forth("llama", {"tp": 4}, sp) for sp in (False, True))
    assert sum(sent(plain, "tp").values()) == sum(sent(shared, "tp").values())
    assert sent(shared, "tp")["layer0:mixer_add"] == sent(plain, "tp")["layer0:mixer_add"] // 2


@pytest.mark.parametrize(("name", "often"), [("llama", 2), ("falcon", 1), ("cohere", 1), ("gpt_neox", 1), ("gpt2", 2)])
def test_halves_side_by_side_meet_once(name, often):
    """Falcon, Command R and GPT-NeoX add both halves to the stream before anybody needs the sum."""
    run = forth(name, {"tp": 2})
    found = {tensor: size for tensor, size in sent(run, "tp").items() if tensor.startswith("layer")}
    assert len(found) == often * len(run.spec.layers)
    assert set(found.values()) == {meetings(2, run.spec.hidden_size)}


@pytest.mark.parametrize("name", ["olmo2", "minimax_m2"])
def test_a_norm_of_the_full_width_needs_an_all_gather(name):
    """OLMo 2 and MiniMax M2 norm all heads' queries together: each rank's are sent to all before the norm."""
    run = forth(name, {"tp": 2})
    mixer, log = run.spec.layers[0].mixer, sent(run, "tp")
    assert log["layer0:mixer.q_proj"] == TOKENS * mixer.num_attention_heads * mixer.head_dim * NUMBER // 2
    assert log["layer0:mixer.k_proj"] == TOKENS * mixer.num_key_value_heads * mixer.head_dim * NUMBER // 2


def test_a_latent_is_held_by_everyone_and_sent_to_nobody():
    """DeepSeek-V3: the projections down to both latents are copied whole; attention sends nothing but its sum."""
    run = forth("deepseek_v3", {"tp": 4})
    held = run.weights.sizes(3)
    for module in ("q_a_proj", "kv_a_proj_with_mqa"):
        name = f"self_attn.{module}.weight"
        assert held[0, name] == run.state.get(name, 0).size
    assert held[0, "self_attn.kv_b_proj.weight"] == run.state.get("self_attn.kv_b_proj.weight", 0).size // 4
    assert [tensor for tensor in sent(run, "tp") if tensor.startswith("layer0:mixer.")] == []


def test_fewer_kv_heads_than_ranks_are_copied_not_refused():
    """With 2 KV heads on 4 ranks each holds one whole head; a tool that stops at the number of KV heads is wrong."""
    run = forth("llama", {"tp": 4})
    mixer, held = run.spec.layers[0].mixer, [run.weights.held[0, "self_attn.k_proj.weight"][rank] for rank in range(4)]
    assert mixer.num_key_value_heads == 2
    rows = [np.unique(next(iter(one.values())).ids // run.spec.hidden_size) for one in held]
    d = mixer.head_dim
    assert [(own[0] // d, len(own)) for own in rows] == [(0, d), (0, d), (1, d), (1, d)]


def test_columns_are_laid_side_by_side_and_rows_are_summed():
    """What ranks make of columns of a matrix is joined; only rows give partial sums, and only they meet."""
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((3, 4)), rng.standard_normal((4, 6))
    columns, rows = np.split(w, 2, axis=1), np.split(w, 2, axis=0)
    assert np.allclose(np.concatenate([x @ part for part in columns], axis=1), x @ w)
    assert (x @ columns[0] + x @ columns[1]).shape != (x @ w).shape
    net = Network(Mesh({"tp": 2}, 2))
    met = net.all_reduce({i: part @ rows[i] for i, part in enumerate(np.split(x, 2, axis=1))}, "tp", "y")
    assert np.allclose(met[0], x @ w)


def test_keys_and_values_go_round_the_context_axis():
    """Each rank sends its rows of k and v, K heads of them and not H: (c - 1) / c of all rows, each layer."""
    run = forth("llama", {"cp": 2})
    mixer, log = run.spec.layers[0].mixer, sent(run, "cp")
    width = mixer.num_key_value_heads * mixer.head_dim
    for word in ("keys", "values"):
        assert log[f"layer0:mixer.{word}"] == TOKENS // 2 * width * NUMBER
    assert len(log) == 2 * len(run.spec.layers)  # queries stay


@pytest.mark.parametrize("ep", [2, 4])
def test_tokens_go_to_each_rank_that_holds_one_of_their_experts(ep):
    """One copy of h numbers for each rank visited, there and back: not 2 b s h, and not one for each expert."""
    run = forth("mixtral", {"dp": ep}, experts={"edp": 1, "ep": ep, "etp": 1})
    for layer in range(len(run.spec.layers)):
        weights = run.values[f"layer{layer}:mlp.weigh"].parts
        visits = 0
        for rank, part in weights.items():
            blocks = np.split(part.data != 0, ep, axis=1)
            visits += sum(int(block.any(1).sum()) for place, block in enumerate(blocks) if place != rank)
        for way in ("dispatch", "combine"):
            total = sum(m.bytes for m in run.net.log if m.tensor == f"layer{layer}:mlp.experts {way}")
            assert total == visits * run.spec.hidden_size * NUMBER > 0


def test_experts_beside_a_tensor_axis_need_rows_of_their_own():
    """Megatron-LM refuses tp with ep without sequence parallelism; so does the mesh, and it says why."""
    with pytest.raises(ValueError, match="need sequence parallelism"):
        forth("mixtral", {"tp": 2}, experts={"edp": 1, "ep": 2, "etp": 1})
    with pytest.raises(ValueError, match="no 3 x 1 equal parts"):
        forth("mixtral", {"dp": 3}, experts={"edp": 1, "ep": 3, "etp": 1})


def test_stages_send_the_stream_and_its_gradient():
    """b s h there and b s h back for every boundary that the stream crosses, and nothing else but a tied embedding."""
    run = compared("gpt2", {"pp": 2}).run
    h = run.spec.hidden_size
    out, back = sent(run, "pp", 0), sent(run, "pp", 1)
    assert [size for tensor, size in out.items() if "gradient" not in tensor] == [TOKENS * h * NUMBER]
    assert [size for tensor, size in back.items() if tensor.startswith("layer")] == [TOKENS * h * NUMBER]
    assert all(run.mesh.link(m.source, m.destination) == m.link for m in run.net.log)


@cache
def four_copies():
    """Llama on four data-parallel ranks: (its weights, their summed gradients), flat."""
    made = compared("llama", {"dp": 4})
    keys = sorted(made.gradients, key=str)
    full = np.concatenate([made.run.state.get(name, layer).ravel() for layer, name in keys])
    return full, [np.concatenate([made.gradients[key][rank][1] for key in keys]) for rank in range(4)]


@pytest.mark.parametrize("stage", zero.STAGES)
def test_every_stage_of_zero_steps_alike(stage):
    """Gradients of a real model on 4 ranks: the new weights are the unsharded step's, the bytes the formulas'."""
    full, summed = four_copies()
    own = {rank: summed[rank] * (rank + 1) / 10 for rank in range(4)}  # each rank brings a share of its own
    net = Network(Mesh({"dp": 4}, 4))
    after = zero.step(net, dict.fromkeys(range(4), full), own, stage)
    expected = zero.adam(full, summed[0])
    assert all(np.allclose(after[r], expected, rtol=1e-12, atol=1e-12) for r in range(4))
    log = Counter()
    for move in net.log:
        log[move.tensor] += move.bytes
    once = 3 * ceil(len(full) / 4) * 4 * NUMBER  # all four ranks: (D - 1) / D each
    gradients = {"gradients": once * (2 if stage == 0 else 1)}
    weights = {0: {}, 1: {"weights": once}, 2: {"weights": once}}
    both = {f"weights, {way}": once for way in ("forward", "backward")}
    assert log == gradients | weights.get(stage, both)


def test_shares_inside_a_node_and_copies_across():
    """HSDP: gradients are shared out along dp_shard and only the shares are summed across nodes."""
    net = Network(Mesh({"dp_replicate": 2, "dp_shard": 4}, 4))
    rng = np.random.default_rng(2)
    w, g = rng.standard_normal(16), {r: rng.standard_normal(16) for r in range(8)}
    after = zero.step(net, dict.fromkeys(range(8), w), g, 3, "dp_shard", "dp_replicate")
    assert all(np.allclose(one, zero.adam(w, sum(g.values()))) for one in after.values())
    outside = sum(m.bytes for m in net.log if m.link == "outside")
    assert outside == 8 * 2 * 4 * NUMBER // 2  # an all-reduce of 4 numbers between two, by each of the 8
    assert {m.axis for m in net.log if m.link == "outside"} == {"dp_replicate"}


def test_zero_holds_what_its_paper_says():
    """7.5 B parameters on 64 ranks: 120, 31.4, 16.6 and 1.9 GB."""
    held = [zero.count_held(stage, 7_500_000_000, 64).bytes() / 1e9 for stage in zero.STAGES]
    assert [round(one, 1) for one in held] == [120.0, 31.4, 16.6, 1.9]
    assert zero.count_held(1, 10, 4) == (10, 10, 3) and zero.count_held(0, 1000, 4).bytes(gradient_bytes=4) == 18_000


def test_a_loss_meets_in_three_numbers_a_token():
    """The vocabulary's shares send the largest logit, a sum and one logit of every token, never the logits."""
    run = on_mesh("llama", {"tp": 2})
    logits = run.logits()
    before = len(run.net.log)
    rank_loss(run, logits)
    assert sum(m.bytes for m in run.net.log[before:]) == 2 * (TOKENS + 2 * TOKENS) * NUMBER
