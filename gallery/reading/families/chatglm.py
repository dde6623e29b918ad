"""ChatGLM 2 and 3, GLM-4-9B: fused projections, biases on q, k and v, half of a head rotated, neighbours in pairs."""

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.family import Family


def mixer(r: Reading, index: int) -> object:
    """multi_query_attention switches the KV groups on."""
    facts = r.facts
    if not facts.flag("multi_query", True):
        facts.settle("num_key_value_heads")
        return attention(r, index, num_key_value_heads=facts.need("num_attention_heads"))
    return attention(r, index)


def prepare(r: Reading) -> None:
    """The base of the rotation is 10,000 times rope_ratio."""
    r.facts.defaults["rope_theta"] = 10_000.0 * (r.facts.number("rope_ratio", 1.0) or 1.0)


FAMILY = Family(
    source="zai-org/chatglm3-6b, modeling_chatglm.py",
    defaults={"partial_rotary_factor": 0.5},
    rope_interleaved=True,
    o_bias=False,
    prepare=prepare,
    final_norm="encoder.final_layernorm",
    mixers={"full": mixer},
    names=(
        ("self_attn.q_proj + self_attn.k_proj + self_attn.v_proj", "self_attention.query_key_value"),
        ("self_attn.o_proj", "self_attention.dense"),
        ("mlp.gate_proj + mlp.up_proj", "mlp.dense_h_to_4h"),
        ("mlp.down_proj", "mlp.dense_4h_to_h"),
        ("model.embed_tokens", "transformer.embedding.word_embeddings"),
        ("model.encoder.final_layernorm", "transformer.encoder.final_layernorm"),
        ("model.layers", "transformer.encoder.layers"),
        ("lm_head", "transformer.output_layer"),
    ),
)
