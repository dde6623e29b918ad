"""What two parts of one kind can differ in: one row a field, or a few that are one idea, in the order of attribution.

`style` says how a difference is put into words: "count" (384 experts instead of 256), "size" (a larger vocabulary),
"flag" (no indexer), "kind" (LayerNorm instead of RMSNorm), "value" (in the table alone).
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple


class Field(NamedTuple):
    """One row of the table of differences."""

    names: tuple[str, ...]  # of the record; changed together
    part: str
    what: str
    key: str  # the config's own
    one: str = ""  # in a sentence: "head"
    many: str = ""
    style: str = "value"
    counts: bool = True  # whether it can change a count
    disc: bool = True  # whether it stands in the drawing


def _f(
    names: str, part: str, what: str, key: str = "", one: str = "", many: str = "", style: str = "value", *flags: str
):
    split = tuple(names.split())
    return Field(split, part, what, key or split[0], one, many or (one and one + "s"), style, "still" not in flags,
                 "undrawn" not in flags)  # fmt: skip


# fmt: off
FIELDS: dict[str, tuple[Field, ...]] = {
    "mixer": (
        _f("num_attention_heads", "mixer", "attention heads", "", "head", "", "count"),
        _f("num_key_value_heads", "mixer", "key and value heads", "", "KV head", "", "count"),
        _f("head_dim v_head_dim", "mixer", "head size", "head_dim", "head size", "", "size"),
        _f("qk_nope_head_dim qk_rope_head_dim v_head_dim", "mixer", "head size: plain, rotated, value",
           "qk_nope_head_dim", "head size", "", "size"),
        _f("q_lora_rank", "mixer", "query latent", "", "query latent", "", "size"),
        _f("kv_lora_rank", "mixer", "latent", "", "latent", "", "size"),
        _f("linear_num_value_heads", "mixer", "value heads of the state", "", "value head", "", "count"),
        _f("linear_num_key_heads", "mixer", "key heads of the state", "", "key head", "", "count"),
        _f("linear_key_head_dim linear_value_head_dim", "mixer", "state of a head", "linear_key_head_dim", "state", "",
           "size"),
        _f("linear_conv_kernel_dim", "mixer", "convolution"), _f("short_conv_kernel_size", "mixer", "convolution"),
        _f("conv_kernel", "mixer", "convolution"), _f("conv_L_cache", "mixer", "convolution"),
        _f("num_heads", "mixer", "heads of the state", "", "state head", "", "count"),
        _f("head_dim", "mixer", "head size", "", "head size", "", "size"),
        _f("state_size", "mixer", "state", "", "state", "", "size"),
        _f("d_inner", "mixer", "channels", "", "channel", "", "count"),
        _f("n_groups", "mixer", "groups of B and C", "", "group", "", "count"),
        _f("sliding_window", "mixer", "window", "", "window", "", "size"),
        _f("attention_chunk_size", "mixer", "chunk", "", "chunk", "", "size"),
        _f("compress_ratio", "mixer", "tokens per entry", "compress_ratios", "entry", "", "size"),
        _f("o_groups o_lora_rank", "mixer", "output projection: groups, rank", "o_groups", "output group", "", "count"),
        _f("indexer", "mixer", "indexer", "index_topk", "indexer", "", "flag"),
        _f("indexer.index_topk", "mixer", "tokens an indexer picks", "index_topk", "picked token", "", "count"),
        _f("indexer.index_n_heads", "mixer", "heads of the indexer", "index_n_heads", "indexer head", "", "count"),
        _f("indexer.index_head_dim", "mixer", "head size of the indexer", "index_head_dim", "indexer head size", "",
           "size"),
        _f("indexer.shared", "mixer", "reuses an earlier choice", "indexer_types", "shared choice", "", "flag"),
        _f("gate", "mixer", "output gate", "attn_output_gate", "output gate", "", "flag"),
        _f("sinks", "mixer", "sinks", "sinks", "sink per head", "sinks", "flag"),
        _f("k_eq_v", "mixer", "keys are values", "attention_k_eq_v", "key that is its value", "", "flag"),
        _f("kv_source", "mixer", "KV of an earlier layer", "num_kv_shared_layers", "shared cache", "", "flag"),
        _f("bias", "mixer", "biases", "attention_bias", "bias", "biases", "flag"),
        _f("softcap", "mixer", "soft-cap of scores", "attn_logit_softcapping", "soft-cap", "", "flag", "still"),
        _f("clip", "mixer", "clipped q, k, v", "clip_qkv", "clipping", "", "flag", "still"),
        _f("temperature", "mixer", "attention temperature by position", "attn_temperature_tuning", "", "", "value",
           "still", "undrawn"),
        _f("scale", "mixer", "softmax scale", "rope_scaling", "", "", "value", "still", "undrawn"),
        _f("qk_norm qk_norm_bias", "norms", "QK-norm", "qk_norm", "QK-norm", "QK-norm", "flag"),
        _f("qk_norm_after_rope", "norms", "QK-norm after RoPE", "", "", "", "value", "still"),
        _f("v_norm", "norms", "value norm", "", "value norm", "", "flag"),
        _f("sub_norm", "norms", "norm before o_proj", "", "norm before o_proj", "", "flag"),
        _f("inner_norms inner_norm_weights", "norms", "norms inside", "inner_norms", "inner norm", "", "flag"),
        _f("position", "position", "positions", "position_embedding_type", "", "", "kind", "still"),
        _f("rotary_dim rope.dims", "position", "rotated dimensions", "partial_rotary_factor", "rotated dimension", "",
           "count", "still"),
        _f("rope.kind rope.scaling", "position", "RoPE scaling", "rope_scaling", "", "", "value", "still",
           "undrawn"),
        _f("rope.theta", "position", "RoPE base", "rope_theta", "", "", "value", "still", "undrawn"),
        _f("rope.interleaved", "position", "rotated pairs are adjacent", "rope_interleave", "", "", "value", "still",
           "undrawn"),
    ),
    "mlp": (
        _f("num_experts", "mlp", "routed experts", "num_experts", "expert", "", "count"),
        _f("num_experts_per_tok", "mlp", "experts per token", "", "active expert", "active experts", "count"),
        _f("moe_intermediate_size", "mlp", "width of an expert", "", "expert width", "", "size"),
        _f("n_shared_experts shared_expert_intermediate_size", "mlp", "shared experts, total width", "n_shared_experts",
           "shared expert", "", "count"),
        _f("shared_gate", "mlp", "gate on the shared expert", "shared_expert_gate", "gate on the shared expert", "",
           "flag"),
        _f("n_group topk_group", "mlp", "routing groups, groups used", "n_group", "routing group", "", "groups"),
        _f("zero_expert_num", "mlp", "zero-computation experts", "", "zero-computation expert", "",
           "count"),
        _f("latent_size", "mlp", "width the experts compute in", "moe_latent_size", "latent for the experts", "",
           "flag"),
        _f("scoring", "mlp", "router", "scoring_func", "router", "", "kind", "still"),
        _f("table_rows", "mlp", "hash routing", "num_hash_layers", "hash routing", "hash routing", "flag"),
        _f("selection_bias selection_bias_trained selection_bias_row", "mlp", "bias for choosing only",
           "e_score_correction_bias", "bias for choosing only", "", "flag"),
        _f("routed_scaling_factor", "mlp", "scale of expert outputs", "", "", "", "value", "still", "undrawn"),
        _f("norm_topk_prob", "mlp", "weights divided by their sum", "", "", "", "value", "still", "undrawn"),
        _f("router_bias", "mlp", "router bias", "", "router bias", "router biases", "flag"),
        _f("intermediate_size", "mlp", "width", "", "dense width", "", "size"),
        _f("gated hidden_act glu", "mlp", "activation", "hidden_act", "", "", "kind"),
        _f("limit", "mlp", "clamp", "swiglu_limit", "", "", "value", "still", "undrawn"),
        _f("bias", "mlp", "biases", "mlp_bias", "bias in the MLP", "biases in the MLP", "flag"),
    ),
}
# fmt: on
SILENT = (
    "normal",
    "qk_normal",
    "network_normal",
    "rope",
    "weights_of",
    "adapter",
    "router_from",
    "norm_eps",
    "masked",
    "first",
    "layers",
    "chunk_size",
    "group_score",
    "fused",
    "by_head",
)  # fmt: skip
STILL = ("in_multiplier", "key_multiplier", "out_multiplier", "gate_act", "gate_multiplier", "alpha", "alibi_scale",
         "value_scale", "jitter", "joined", "lower_bound", "time_step_limit", "hidden_act", "act", "groups",
         "multipliers", "limit_after", "shared_limit", "shared_act", "q_scale", "kv_scale", "on_input", "causal",
         "clip_last", "out_gate", "sparsity", "topk_first", "eps", "gate_soft_cap", "allow_neg_eigval")  # fmt: skip


def get_field(record: Any, name: str) -> Any:
    """A field by its dotted name; None where a record on the way is missing."""
    for word in name.split("."):
        record = getattr(record, word, None)
    return record


@cache
def rows_for(kind: type, half: str) -> tuple[Field, ...]:
    """The rows that a kind of record has: those of the table, then a plain one for each field that no row names."""
    own = {one.name for one in fields(kind)}
    found: list[Field] = []
    taken: set[str] = set()
    for row in FIELDS[half]:
        heads = {name.split(".")[0] for name in row.names}
        if heads <= own and not (set(row.names) & taken):
            found.append(row)
            taken |= set(row.names)
    left = own - {name.split(".")[0] for name in taken} - set(SILENT)
    for one in fields(kind):
        if one.name in left:
            still = () if one.name not in STILL else ("still", "undrawn")
            found.append(_f(one.name, half, one.name.replace("_", " "), "", "", "", "value", *still))
    return tuple(found)


def text(value: Any) -> str:
    """A value as the table prints it; "" = has none."""
    if value is None or value is False or value == () or value == frozenset() or value == "":
        return ""
    if value is True:
        return "yes"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, frozenset):
        return ", ".join(sorted(value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return getattr(value, "kind", type(value).__name__)
    if isinstance(value, tuple):
        return ", ".join(filter(None, map(text, value)))
    return type(value).__name__ if is_dataclass(value) else str(value)
