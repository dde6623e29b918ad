"""CPM-Ant: prompt vectors before the tokens, a learned bias by distance on every score, and every token sees all."""

from cutaway.gallery.graph import Graph, Tensor, Wires
from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.family import Family

OWN = ("prompt_types", "prompt_length", "segment_types", "position_bias_num_buckets", "position_bias_max_distance")
SIZES = dict(zip(OWN, (32, 32, 32, 512, 2048), strict=True))


def size(r: Reading, name: str) -> int:
    """One of its own keys, or what the class assumes."""
    return r.facts.integer(name, SIZES[name]) or 0


def opening(r: Reading) -> Graph:
    """The third prompt's vectors, a row for the segment of each, and the bias that all layers share."""
    g, h = Wires("model.", "embedding"), r.hidden_size
    count, types = size(r, "prompt_length"), size(r, "segment_types")
    vocabulary, buckets = r.facts.need("vocab_size"), size(r, "position_bias_num_buckets")
    table = Tensor("model.embed_tokens.weight", (vocabulary + size(r, "prompt_types") * count, h), "embedding")
    start = vocabulary + 2 * count
    prompt = g.add("prompt", "rows", tensors={"weight": table}, start=start, stop=start + count)
    x = g.add("with_prompt", "in_front", prompt, "x")
    segments = {"weight": g.tensor("segment_embedding.weight", types, h)}
    segment = g.add("segment", "segments", "tokens", tensors=segments, before=count, kind=2)
    bias = {"weight": g.tensor("position_bias.relative_attention_bias", buckets + types**2, heads(r), part="attention")}
    g.add("position_bias", "distance_bias", "tokens", tensors=bias, before=count, kind=2, types=types, buckets=buckets,
          longest=size(r, "position_bias_max_distance"))  # fmt: skip
    return g.graph(g.add("with_segment", "add", x, segment))


def closing(r: Reading) -> Graph:
    """What stands at the tokens."""
    g = Wires()
    return g.graph(g.add("tokens_only", "behind", "x", start=size(r, "prompt_length")))


def heads(r: Reading) -> int:
    """One column of the bias for each."""
    return r.facts.need("num_attention_heads")


def full(r: Reading, index: int) -> object:
    """Scores get the bias of their distance."""
    return attention(r, index, added="model:opening.position_bias")


def finish(r: Reading, fields: dict) -> dict:
    """Prompts have rows of the embedding; the head is a matrix of its own whatever the config says."""
    rows = fields["vocab_size"] + size(r, "prompt_types") * size(r, "prompt_length")
    return {**fields, "embedding_rows": rows, "tie_word_embeddings": False}


FAMILY = Family(
    source="transformers 5.23.0, models/cpmant",
    defaults={"hidden_act": "gelu"},
    spellings={
        "dim_ff": "intermediate_size",
        "dim_head": "head_dim",
        "eps": "norm_eps",
        **{name: name for name in OWN},
    },
    final_norm="encoder.output_layernorm",
    position="relative",
    bidirectional=True,
    mixers={"full": full},
    opening=opening,
    closing=closing,
    finish=finish,
    names=(
        ("self_attn.q_proj", "self_att.self_attention.project_q"),
        ("self_attn.k_proj", "self_att.self_attention.project_k"),
        ("self_attn.v_proj", "self_att.self_attention.project_v"),
        ("self_attn.o_proj", "self_att.self_attention.attention_out"),
        ("mlp.gate_proj", "ffn.ffn.w_in.w_0"),
        ("mlp.up_proj", "ffn.ffn.w_in.w_1"),
        ("mlp.down_proj", "ffn.ffn.w_out"),
        ("input_layernorm", "self_att.layernorm_before_attention"),
        ("post_attention_layernorm", "ffn.layernorm_before_ffn"),
        ("model.embed_tokens", "cpmant.input_embedding"),
        ("model.layers", "cpmant.encoder.layers"),
        ("model", "cpmant"),
    ),
)
