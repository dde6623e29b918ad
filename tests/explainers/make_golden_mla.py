"""Transformers -> golden_mla.json: DeepseekV3Attention on the page's four tokens, and on random layers.

    python tests/explainers/make_golden_mla.py    (needs torch and transformers; tests themselves do not)

In the example a token's hidden vector is its latent, its key for place and its queries written behind each other, so
that the projections only pick; the latent's norm is left out. "apart" is the class as it stands, "none" the same with
no rotation, "every" torch's attention on keys and queries that torch.polar has turned. A random layer keeps
the class whole, with norms and a query latent, and its inputs to attention beside its output.
"""

import json
from pathlib import Path

import torch
import transformers
from torch.nn.functional import scaled_dot_product_attention as attend
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.models.deepseek_v3 import modeling_deepseek_v3 as v3

torch.set_default_dtype(torch.float64)
LATENTS = [[1, 0, 2], [0, 1, -1], [2, -1, 0], [1, 1, 1]]
PLACES = [[1, 0], [0, 1], [1, 1], [-1, 1]]
KEY_UP = [[[1, 0, 1], [0, 1, -1]], [[1, 1, 0], [-1, 0, 1]]]
VALUE_UP = [[[1, -1, 0], [0, 1, 2]], [[0, 1, 1], [2, 0, -1]]]
QUERIES, QUERY_PLACES = [[1, -1], [2, 1]], [[1, 0], [0, 1]]


def layer(hidden: int, heads: int, rank: int, nope: int, rope: int, value: int, query: int | None = None):
    """An attention of these sizes, and the pace of each pair: its own cosines would be float32."""
    sizes = {"hidden_size": hidden, "num_attention_heads": heads, "num_key_value_heads": heads, "kv_lora_rank": rank}
    sizes |= {"qk_nope_head_dim": nope, "qk_rope_head_dim": rope, "v_head_dim": value, "q_lora_rank": query}
    config = v3.DeepseekV3Config(**sizes, max_position_embeddings=64, attn_implementation="sdpa")
    return v3.DeepseekV3Attention(config, 0).double().eval(), v3.DeepseekV3RotaryEmbedding(config).inv_freq.double()


def run(attention, paces, x: torch.Tensor, still: bool = False) -> torch.Tensor:
    tokens = x.shape[1]
    angles = torch.outer(torch.zeros(tokens) if still else torch.arange(tokens).double(), paces)
    cos, sin = (one(torch.cat([angles, angles], dim=-1))[None] for one in (torch.cos, torch.sin))
    mask = torch.full((tokens, tokens), float("-inf")).triu(1)[None, None]
    with torch.no_grad():
        return attention(x, (cos, sin), mask)[0]


def example(still: bool) -> list:
    attention, paces = layer(13, 2, 3, 2, 2, 2)
    attention.kv_a_layernorm, attention.o_proj = torch.nn.Identity(), torch.nn.Identity()
    asked = [part for q, place in zip(QUERIES, QUERY_PLACES, strict=True) for part in (*q, *place)]
    x = torch.tensor([[*c, *place, *asked] for c, place in zip(LATENTS, PLACES, strict=True)]).double()[None]
    with torch.no_grad():
        attention.kv_a_proj_with_mqa.weight.copy_(torch.eye(13)[:5])
        attention.q_proj.weight.copy_(torch.eye(13)[5:])
        up = [row for k, v in zip(KEY_UP, VALUE_UP, strict=True) for row in (*k, *v)]
        attention.kv_b_proj.weight.copy_(torch.tensor(up).double())
    return run(attention, paces, x, still)[0, -1].view(2, 2).tolist()


def polar(x: torch.Tensor) -> torch.Tensor:
    """Each row, a pair, turned by its place."""
    made = torch.complex(x[..., 0], x[..., 1]) * torch.polar(torch.ones(4), torch.arange(4).double())
    return torch.stack([made.real, made.imag], dim=-1)


def every() -> list:
    c, rows = torch.tensor(LATENTS).double(), []
    for wk, wv, q, place in zip(KEY_UP, VALUE_UP, QUERIES, QUERY_PLACES, strict=True):
        k = torch.cat([polar(c @ torch.tensor(wk).double().T), polar(torch.tensor(PLACES).double())], dim=-1)
        both = [polar(torch.tensor(one).double().expand(4, 2)) for one in (q, place)]
        out = attend(torch.cat(both, dim=-1)[None], k[None], (c @ torch.tensor(wv).double().T)[None], is_causal=True)
        rows.append(out[0, -1].tolist())
    return rows


def random(seed: int, *sizes: int) -> dict:
    torch.manual_seed(seed)
    attention, paces = layer(*sizes)
    for one in attention.parameters():
        torch.nn.init.normal_(one, 0.3 if one.dim() > 1 else 1.0, 0.4)
    caught: dict = {}
    attention.o_proj.register_forward_pre_hook(lambda _, given: caught.update(out=given[0][0]))
    attention.expand_kv = caught_kv(attention, caught)
    run(attention, paces, torch.randn(1, 5, sizes[0]))
    return {**{name: made.tolist() for name, made in caught.items()}, "sizes": sizes}


def caught_kv(attention, caught: dict):
    """expand_kv as it is, and beside it what came in, what came out, and the queries of the same call."""
    whole, soft = attention.expand_kv, sdpa_attention_forward

    def expand(latent, place):
        caught.update(c=latent[0, 0], kr=place[0, 0], up=attention.kv_b_proj.weight)
        return whole(latent, place)

    def attended(module, q, k, v, *rest, **named):
        caught.update(q=q[0], k=k[0], v=v[0])
        return soft(module, q, k, v, *rest, **named)

    v3.ALL_ATTENTION_FUNCTIONS.register("caught", attended)
    attention.config._attn_implementation = "caught"
    return expand


if __name__ == "__main__":
    made = {
        "made_with": f"torch {torch.__version__}, transformers {transformers.__version__}, float64",
        "example": {"apart": example(False), "none": example(True), "every": every()},
        "layers": [random(1, 8, 2, 3, 4, 2, 3, 5), random(2, 6, 3, 5, 2, 4, 2)],
    }
    Path(__file__).with_name("golden_mla.json").write_text(json.dumps(made) + "\n", "utf-8")
