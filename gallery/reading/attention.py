"""From facts to one mixer: each builder reads the keys of one kind of mixer for one layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutaway.gallery.reading.indexers import indexer_of
from cutaway.gallery.reading.reading import Reading, norm, normal, qk_normal
from cutaway.gallery.reading.ropes import has_own_rope, kind_of, layer_theta, number, parameters, rope_of
from cutaway.gallery.reading.scales import scale_of
from cutaway.gallery.reading.whole_heads import WHOLE_HEADS
from cutaway.gallery.spec import Attention, ConfigError, LatentAttention, NotUnderstood

__all__ = ["Reading", "attention", "latent", "norm", "unknown"]


def heads_of(r: Reading, index: int, sliding: bool) -> tuple[int, int, int, int]:
    """(query heads, KV heads, head size, value head size) of one layer; windowed layers may have their own."""
    facts = r.facts
    own = "swa_" if sliding else ""
    listed = facts.items("num_attention_heads_per_layer")
    heads = (facts.per_layer("num_attention_heads_per_layer", index) if listed else 0) or facts.need(
        "num_attention_heads"
    )
    own_kv = facts.per_layer("num_kv_heads_per_layer", index) if facts.has("num_kv_heads_per_layer") else None
    kv = kv_heads(r, heads) if own_kv is None else own_kv
    d = facts.integer("head_dim") or width_per_head(r, heads)
    dv = facts.integer("v_head_dim") or d
    if own:
        heads = heads if listed else facts.integer("swa_num_attention_heads") or heads
        kv = facts.integer("swa_num_key_value_heads") or kv
        d = facts.integer("swa_head_dim") or d
        dv = facts.integer("swa_v_head_dim") or (dv if facts.has("v_head_dim") else d)
    return heads, kv, d, dv


def width_per_head(r: Reading, heads: int) -> int:
    """hidden_size / heads, rounded down as the modelling code does, where the config states no head size."""
    if r.hidden_size < heads:
        raise ConfigError(
            f"hidden_size {r.hidden_size:,} is smaller than {r.facts.word_for('num_attention_heads')} {heads:,} "
            "and the config has no head_dim; add head_dim or correct one of the two."
        )
    if r.hidden_size % heads:
        r.contradict(
            "hidden_size",
            f"hidden_size {r.hidden_size:,} is not a multiple of {heads:,} heads and there is no head_dim; "
            f"{r.hidden_size // heads} was used, as the modelling code does.",
        )
    return r.hidden_size // heads


def kv_heads(r: Reading, heads: int) -> int:
    """KV heads: what the config says; a multi-query flag means one; nothing means one per query head."""
    facts = r.facts
    if facts.has("num_key_value_heads"):
        kv = facts.need("num_key_value_heads")
    elif facts.flag("multi_query"):
        kv = 1
    else:
        kv = facts.integer("num_key_value_heads") or heads
    if heads % kv:
        name = facts.word_for("num_key_value_heads")
        sentence = f"{heads} query heads cannot be shared evenly by {name} = {kv}; both were kept as written."
        r.contradict("num_key_value_heads", sentence)
    return kv


def rotary_of(r: Reading, d: int, index: int, word: str) -> tuple[int, str]:
    """(rotated numbers per head, kind of position)."""
    facts, position = r.facts, r.family.position
    if position == "rope" and facts.flag("alibi"):
        position = "alibi"
    said = facts.word("position_embedding_type")
    if said in ("nope", "alibi", "learned", "none"):
        position = "nope" if said == "none" else said
    if position != "rope":
        return 0, position
    if r.rotary and not r.rotary[index]:
        return 0, "nope"
    if facts.has("rotary_dim"):
        return min(facts.need("rotary_dim"), d), "rope"
    shares = () if has_own_rope(r, word) else facts.numbers("partial_rotary_factors") or ()
    share = shares[index] if index < len(shares) else facts.rotary_share(word)
    return (d if share is None or is_whole(r, word, share) else int(d * min(share, 1.0))), "rope"


def is_whole(r: Reading, word: str, share: float) -> bool:
    """Whether the whole head rotates as transformers' class runs it, though the file says a smaller share."""
    if share >= 1 or r.facts.text.get("model_type") not in WHOLE_HEADS or kind_of(parameters(r, word)) != "default":
        return False
    sentence = "partial_rotary_factor is not read by transformers' class, which rotates whole heads; it is drawn."
    r.contradict("partial_rotary_factor", sentence)
    return r.as_class


LONG = {"full": "full_attention", "sliding": "sliding_attention", "chunked": "chunked_attention",
        "sparse": "indexed_attention"}  # fmt: skip


def gate_of(r: Reading) -> str:
    """The gate on what attention returns."""
    facts = r.facts
    if facts.says("attn_output_gate"):
        return gate_if_said(r)
    if facts.says("use_head_wise_attn_gate"):
        return "headwise" if facts.flag("use_head_wise_attn_gate") else ""
    if facts.has("gating"):
        return "headwise" if facts.raw("gating") in (True, "per-head", "per_head") else "separate"
    return r.family.gate


def gate_if_said(r: Reading) -> str:
    """What attn_output_gate says, unless the class has its gate whatever that says (Qwen3.5, Qwen3-Next)."""
    said = r.facts.flag("attn_output_gate")
    if r.family.gate == "elementwise" and not said:
        r.contradict("gate", "attn_output_gate = false is not read by the class, which has the gate; it was drawn.")
    return r.family.gate or ("elementwise" if said else "")


def attention(r: Reading, index: int, word: str = "full", **changes: Any) -> Attention:
    """Softmax attention of any kind, from the keys."""
    facts = r.facts
    sliding, chunked = word == "sliding", word == "chunked"
    heads, kv, d, dv = heads_of(r, index, sliding)
    rotary, position = rotary_of(r, d, index, LONG.get(word, word))
    values: dict[str, Any] = {
        "num_attention_heads": heads, "num_key_value_heads": kv, "head_dim": d, "v_head_dim": dv,
        "sliding_window": (facts.integer("sliding_window") or 0) if sliding and r.window_hides else 0,
        "attention_chunk_size": (facts.integer("attention_chunk_size") or 0) if chunked else 0,
        "rotary_dim": rotary, "position": position,
        "qk_norm": r.qk_norm, "qk_norm_bias": r.family.qk_norm_bias,
        "bias": r.attention_biases, "gate": gate_of(r), "sinks": sinks_of(r, sliding),
        "scale": scale_of(r, changes.get("head_dim", d), index), "qk_normal": qk_normal(r),
        "qk_norm_after_rope": r.family.qk_norm_after_rope, "clip": facts.number("clip_qkv") or 0.0,
        "softcap": facts.number("attn_logit_softcapping") or 0.0, "gate_act": r.family.gate_act,
        "temperature": temperature_of(r, LONG.get(word, word)),
        "value_scale": facts.number("attention_value_scale") or 1.0,
    }  # fmt: skip
    values |= changes
    if "rope" not in changes and values["position"] == "rope":
        long = LONG.get(word, word)
        values["rope"] = rope_of(r, values["rotary_dim"], long, values["head_dim"], **layer_theta(r, index, long))
    if word == "sparse" and "indexer" not in changes:
        more = {"normal": qk_normal(r), "local_blocks": facts.integer("index_local_blocks") or 0}
        values["indexer"] = indexer_of(r, index, "minimax_m3", values.get("rope"), **more)
    return Attention(**values)


def sinks_of(r: Reading, sliding: bool) -> bool:
    """Learned sinks: implied by the family, or said for windowed and full layers apart (MiMo-V2)."""
    name = "add_swa_attention_sink_bias" if sliding else "add_full_attention_sink_bias"
    return r.facts.flag(name, r.family.sinks)


def latent(r: Reading, index: int, word: str = "full", **changes: Any) -> LatentAttention:
    """MLA, from the keys. `head_dim` is noise here (SHAPES.md): the three sizes count."""
    facts = r.facts
    facts.settle("head_dim")
    facts.settle("num_key_value_heads")
    rope = facts.need("qk_rope_head_dim")
    bias = frozenset("qko") if r.attention_biases & {"q"} else frozenset()
    values: dict[str, Any] = {
        "num_attention_heads": facts.need("num_attention_heads"),
        "q_lora_rank": facts.integer("q_lora_rank") or 0, "kv_lora_rank": facts.need("kv_lora_rank"),
        "qk_nope_head_dim": facts.need("qk_nope_head_dim"), "qk_rope_head_dim": rope,
        "v_head_dim": facts.integer("v_head_dim") or facts.need("qk_nope_head_dim"),
        "rotary_dim": 0 if facts.flag("mla_use_nope") or (r.rotary and not r.rotary[index]) else rope,
        "bias": bias, "gate": "elementwise" if facts.flag("mla_use_output_gate") else "",
        "sinks": r.family.sinks, "temperature": temperature_of(r, LONG.get(word, word)),
        "scale": scale_of(r, facts.need("qk_nope_head_dim") + rope),
        "normal": normal(r)._replace(eps=r.family.latent_norm_eps or normal(r).eps),
    }  # fmt: skip
    values |= changes
    facts.at_least("qk_nope_head_dim", values["qk_nope_head_dim"] + values["qk_rope_head_dim"])
    if "rope" not in values:
        near = facts.flag("rope_interleave", r.family.latent_interleaved)
        values["rope"] = rope_of(r, values["rotary_dim"], LONG.get(word, word), interleaved=near)
    if "indexer" not in values:
        values["indexer"] = indexer_of(r, index, "dsa", values["rope"]) if word != "sliding" else None
    return LatentAttention(**values)


def temperature_of(r: Reading, word: str) -> tuple[float, float, float]:
    """Queries that grow with their position, as rope_parameters or a key of its own say: (beta, step, shift)."""
    said, own = parameters(r, word), r.facts.raw("llama_4_scaling")
    if isinstance(own, Mapping):  # Mistral Large 3; vLLM's _get_llama_4_scaling computes what Ministral 3's class does
        said = {**own, "llama_4_scaling_beta": own.get("beta")}
    beta, step = number(said.get("llama_4_scaling_beta")), number(said.get("original_max_position_embeddings"))
    return (beta, step, 0.0) if beta and step else ()  # type: ignore[return-value]


def unknown(r: Reading, index: int, word: str) -> NotUnderstood:
    """A mixer nobody here knows: a marked box and a sentence."""
    name = word.lstrip("?")
    sentence = f'Mixer "{name}" is not understood yet: its weights are in no count.'
    if sentence not in r.not_understood:
        r.not_understood.append(sentence)
    return NotUnderstood(name)
