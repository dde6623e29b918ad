"""DeepSeek-V4: one shared key-value vector, compressed entries, hyper-connections; the first layers route by a hash."""

from cutaway.gallery.reading.families.deepseek_v2 import mlp
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.layer_words import mixer_words
from cutaway.gallery.reading.reading import Reading, normal
from cutaway.gallery.residuals.hyper_connections import HyperConnections
from cutaway.gallery.spec import Extra, Layer, MoE, Shapes


def connections(r: Reading, index: int) -> tuple[Extra, ...]:
    """Two mixings per layer, one around each half: what the drawing lists."""
    n = r.facts.integer("hc_mult") or 0
    if not n:
        return ()
    mixing = r.facts.integer("hc_sinkhorn_iters") or 0
    rows = (2 + (n if mixing else 0)) * n
    tensors = tuple(
        (f"{half}_hc.{name}", shape)
        for half in ("attn", "ffn")
        for name, shape in (("fn", (rows, n * r.hidden_size)), ("base", (rows,)), ("scale", (3 if mixing else 2,)))
    )
    return (Extra("hyper_connection", f"hyper-connections: {n} streams", tensors),)


def head(r: Reading) -> tuple[Extra, ...]:
    """The streams become one again before the head."""
    n = r.facts.integer("hc_mult") or 0
    tensors = (
        ("model.hc_head.hc_fn", (n, n * r.hidden_size)),
        ("model.hc_head.hc_base", (n,)),
        ("model.hc_head.hc_scale", (1,)),
    )
    return (Extra("hyper_connection", "streams into one", tensors, "residual"),) if n else ()


def mtp(r: Reading, layers: tuple[Layer, ...]) -> tuple:
    """The last layer again, window only, with two projections and three norms."""
    from cutaway.gallery.reading.compressed import compressed_attention

    count, h = r.mtp_layers, r.hidden_size
    last, mixer = layers[-1], compressed_attention(r, r.depth, "window")
    made = tuple(Layer(r.depth + number, mixer, last.mlp, last.norms, False, last.extras) for number in range(count))
    parts: Shapes = (
        ("e_proj.weight", (h, h)), ("h_proj.weight", (h, h)), ("enorm.weight", (h,)), ("hnorm.weight", (h,)),
        ("norm.weight", (h,)),
    )  # fmt: skip
    n = r.facts.integer("hc_mult") or 0
    if n:
        parts += (("hc_head_fn", (n, n * h)), ("hc_head_base", (n,)), ("hc_head_scale", (1,)))
    return made, tuple(Extra("mtp", "joins the streams with the next token's embedding", parts, "other") for _ in made)


def router_tensors(m: MoE, index: int) -> tuple[str, tuple[int, ...]]:
    """What a router stores beside its matrix: the table of a hashed layer, or a selection bias."""
    gate = f"layers.{index}.ffn.gate"
    if m.table_rows:
        return f"{gate}.tid2eid", (m.table_rows, m.num_experts_per_tok)
    return f"{gate}.bias", (m.num_experts,)


def finish(r: Reading, fields: dict) -> dict:
    """Hyper-connections, and the tables that hash layers store."""
    facts = r.facts
    n = facts.integer("hc_mult") or 0
    if n:
        eps = facts.number("hc_eps", 1e-6) or 0.0
        iters = facts.integer("hc_sinkhorn_iters") or 0
        fields["residual"] = HyperConnections(n, iters, eps, normal=normal(r))
    fields["buffers"] = tuple(
        router_tensors(layer.mlp, layer.index) for layer in fields["layers"] if isinstance(layer.mlp, MoE)
    )
    return fields


_C, _I = "self_attn.compressor", "self_attn.compressor.indexer"
NAMES = (
    (_I + ".q_b_proj", "attn.indexer.wq_b"),
    (_I + ".scorer.weights_proj", "attn.indexer.weights_proj"),
    (_I + ".kv_proj", "attn.indexer.compressor.wkv"),
    (_I + ".gate_proj", "attn.indexer.compressor.wgate"),
    (_I + ".kv_norm", "attn.indexer.compressor.norm"),
    (_I + ".position_bias", "attn.indexer.compressor.ape"),
    (_C + ".kv_proj", "attn.compressor.wkv"),
    (_C + ".gate_proj", "attn.compressor.wgate"),
    (_C + ".kv_norm", "attn.compressor.norm"),
    (_C + ".position_bias", "attn.compressor.ape"),
    ("self_attn.q_a_proj", "attn.wq_a"),
    ("self_attn.q_a_norm", "attn.q_norm"),
    ("self_attn.q_b_proj", "attn.wq_b"),
    ("self_attn.kv_proj", "attn.wkv"),
    ("self_attn.kv_norm", "attn.kv_norm"),
    ("self_attn.o_a_proj", "attn.wo_a"),
    ("self_attn.o_b_proj", "attn.wo_b"),
    ("self_attn.sinks", "attn.attn_sink"),
    ("mlp.experts.{expert}.gate_proj", "ffn.experts.{expert}.w1"),
    ("mlp.experts.{expert}.down_proj", "ffn.experts.{expert}.w2"),
    ("mlp.experts.{expert}.up_proj", "ffn.experts.{expert}.w3"),
    ("mlp.shared_experts.gate_proj", "ffn.shared_experts.w1"),
    ("mlp.shared_experts.down_proj", "ffn.shared_experts.w2"),
    ("mlp.shared_experts.up_proj", "ffn.shared_experts.w3"),
    ("mlp.gate.e_score_correction_bias", "ffn.gate.bias"),
    ("mlp.gate", "ffn.gate"),
    ("input_layernorm", "attn_norm"),
    ("post_attention_layernorm", "ffn_norm"),
    ("attn_hc.fn", "hc_attn_fn"),
    ("attn_hc.base", "hc_attn_base"),
    ("attn_hc.scale", "hc_attn_scale"),
    ("ffn_hc.fn", "hc_ffn_fn"),
    ("ffn_hc.base", "hc_ffn_base"),
    ("ffn_hc.scale", "hc_ffn_scale"),
    ("model.hc_head.hc_fn", "hc_head_fn"),
    ("model.hc_head.hc_base", "hc_head_base"),
    ("model.hc_head.hc_scale", "hc_head_scale"),
    ("model.embed_tokens", "embed"),
    ("model.norm", "norm"),
    ("model.layers", "layers"),
    ("lm_head", "head"),
)

STATE_NAMES = (
    *((theirs, ours) for ours, theirs in NAMES if "{expert}" not in ours),
    ("ffn.experts.{expert}.w1.weight + ffn.experts.{expert}.w3.weight", "mlp.experts.gate_up_proj"),
    ("ffn.experts.{expert}.w2.weight", "mlp.experts.down_proj"),
)


def prepare(r: Reading) -> None:
    """One shared vector: num_key_value_heads says 1. Windows are V4's own, and hashed layers may be words."""
    facts = r.facts
    facts.settle("num_key_value_heads", "attention_bias", "use_sliding_window")
    r.words = [{"sliding": "window"}.get(word, word) for word in mixer_words(facts, r.depth) or default_words(r.depth)]


def default_words(depth: int) -> list[str]:
    """What the class assumes: two HCA layers, then HCA and CSA in turn."""
    return ["csa" if index > 2 and index % 2 else "hca" for index in range(depth)]


FAMILY = Family(
    source="transformers 5.23.0, models/deepseek_v4 and its conversion_mapping",
    windowed=True,
    defaults={
        "scoring_func": "sqrtsoftplus",
        "num_hash_layers": 3,
        "hc_sinkhorn_iters": 20,
        "compress_rope_theta": 160_000,
        "swiglu_limit": 10.0,
    },
    unread={"n_shared_experts": 1},
    run_as={"topk_method": "noaux_tc"},
    prepare=prepare,
    extras=connections,
    model_extras=head,
    mlp=mlp,
    mtp=mtp,
    finish=finish,
    norm_topk=True,
    norm_topk_eps=1e-20,
    router_buffer="mlp.gate.e_score_correction_bias",
    names=NAMES,
    state_names=STATE_NAMES,
)
