"""explainers/heads: attention executed, against itself in another order, and against torch."""

import json
from pathlib import Path

import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers.heads import forward

HERE = Path(__file__).parent
GOLDEN = json.loads((HERE / "golden_attention.json").read_text())
heads = explainers.reference("heads")
data = explainers.data("heads")


def at(**state) -> dict:
    """What the page prints in a state."""
    return heads.compute({**heads.STATE, **state}, data)


@pytest.mark.parametrize(("query_heads", "kv_heads"), [(8, 8), (8, 4), (8, 2), (8, 1), (6, 3), (12, 4)])
def test_a_group_is_mha_with_repeated_keys_and_values(query_heads, kv_heads):
    """GQA, run head by head as drawn, equals MHA whose key/value matrices repeat each head."""
    rng = np.random.default_rng(query_heads * 100 + kv_heads)
    width, size = 32, 8
    x = rng.standard_normal((10, width))
    w = {n: rng.standard_normal((width, size * (query_heads if n == "q" else kv_heads))) for n in "qkv"}
    repeated = {n: w[n] if n == "q" else forward.repeat_heads(w[n], kv_heads, query_heads // kv_heads) for n in "qkv"}
    assert np.allclose(forward.mha(x, repeated, query_heads), forward.gqa(x, w, query_heads, kv_heads), atol=1e-12)


def test_absorbed_equals_expanded(verified):
    """MLA gives the same output whether it rebuilds every key and value or attends to the latents themselves."""
    checked = wrong = 0
    for seed in range(24):
        rng = np.random.default_rng(seed)
        count, rank, nope, v = (int(n) for n in rng.integers([1, 2, 2, 2], [9, 33, 17, 17]))
        rot, tokens = 2 * int(rng.integers(1, 9)), int(rng.integers(1, 21))
        x, w = forward.random_mla(seed, tokens, 24, count, rank, nope, rot, v)
        expanded, absorbed = forward.mla_expanded(x, w, count), forward.mla_absorbed(x, w, count)
        checked += expanded.size
        wrong += int((~np.isclose(expanded, absorbed, atol=1e-10)).sum())
    verified(
        "heads: absorbed and expanded MLA give the same outputs",
        checked,
        wrong,
        "numpy, with the matrix products in two orders",
    )


@pytest.mark.whole
def test_mla_keeps_rank_plus_rope_numbers():
    """What the executed MLA caches per token is what the page counts."""
    x, w = forward.random_mla(0, 5, 64, 128, 512, 128, 64, 128)
    c, k_rope = forward.mla_cache(x, w)
    assert at(model="deepseek-ai/DeepSeek-V3")["bytes_per_token"] == 2 * 61 * (c.shape[1] + k_rope.shape[1])


def golden_inputs(name: str) -> dict[str, np.ndarray]:
    return {key: np.array(value) for key, value in GOLDEN[name].items()}


def test_gqa_and_rope_equal_torch_golden_vectors(verified):
    """Rotary position and grouped attention equal what torch computed (golden_attention.json says how)."""
    g = golden_inputs("gqa")
    rotated = forward.rope(g["raw_q"], np.arange(g["raw_q"].shape[1]))
    count, kv = g["q"].shape[0], g["k"].shape[0]
    k, v = (np.repeat(g[n], count // kv, axis=0) for n in "kv")
    out = forward.attend(g["q"], k, v, forward.causal(k.shape[1]), g["q"].shape[-1] ** -0.5)
    wrong = int((~np.isclose(rotated, g["q"], atol=1e-6)).sum() + (~np.isclose(out, g["out"], atol=1e-6)).sum())
    verified("heads: RoPE and GQA against torch", rotated.size + out.size, wrong, GOLDEN["made_with"])


def test_attention_equals_torch_where_there_is_one(verified):
    """With torch installed, grouped attention over random shapes equals scaled_dot_product_attention."""
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(11)
    checked = wrong = 0
    for count, kv, tokens, size in [(8, 8, 5, 4), (8, 2, 17, 16), (12, 3, 9, 8), (64, 8, 33, 32), (5, 1, 2, 6)]:
        q, k, v = (rng.standard_normal((n, tokens, size)) for n in (count, kv, kv))
        repeated = (np.repeat(one, count // kv, axis=0) for one in (k, v))
        mine = forward.attend(q, *repeated, forward.causal(tokens), size**-0.5)
        sent = (torch.from_numpy(one)[None] for one in (q, k, v))
        theirs = torch.nn.functional.scaled_dot_product_attention(*sent, is_causal=True, enable_gqa=True)[0].numpy()
        checked += mine.size
        wrong += int((~np.isclose(mine, theirs, atol=1e-12)).sum())
    verified("heads: GQA against torch, live", checked, wrong, f"torch {torch.__version__}")


def test_the_toy_agrees_only_with_rope_apart():
    """Four tokens expanded and absorbed: equal with RoPE apart, wrong with RoPE inside except at distance zero."""
    apart, inside = at(rope="apart")["toy"], at(rope="inside")["toy"]
    assert (apart["agree"], inside["agree"]) == (True, False)
    assert pytest.approx(max(abs(e) for e in apart["error"]), abs=1e-12) == 0.0
    assert [abs(e) > 0.1 for e in inside["error"]] == [True, True, True, False]
    assert apart["needed"][0] == apart["needed"][3]
    assert inside["needed"][0] != inside["needed"][3]
