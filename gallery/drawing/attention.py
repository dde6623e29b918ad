"""The insides of softmax mixers: heads of their own, one latent for all, or one compressed vector."""

from __future__ import annotations

from math import isqrt

from gallery.drawing.band import Band
from gallery.drawing.flow import Flow, Lane
from gallery.drawing.indexers import indexed
from gallery.drawing.items import Heads, Item, Pill, Tag
from gallery.drawing.operation import Op
from gallery.drawing.parts import Inside, Parts, kept_box, per_layer
from gallery.spec import Attention, LatentAttention


def attention_role(m: Attention | LatentAttention) -> str:
    if m.indexer and not m.indexer.shared:  # a layer that reuses a choice looks like its base, as in GLM-5.2's stripes
        return "sparse"
    if m.sliding_window or getattr(m, "attention_chunk_size", 0):
        return "window"
    return "latent" if isinstance(m, LatentAttention) else "full"


def _position(m: Attention, norm: str) -> str:
    """The words of the small step on queries and keys: norm and rotation."""
    return ", ".join(word for word in (norm, "RoPE" if m.rotary_dim else "") if word)


def _steps(parts: Parts, m: Attention, which: str) -> list[Pill]:
    norm = {"": "", "unweighted": "norm"}.get(m.qk_norm, "LayerNorm" if m.qk_norm_bias else "RMSNorm")
    words = _position(m, norm)
    return [parts.pill(words, *([f"{which}_norm"] if m.qk_norm else []))] if words else []


def _sight(m: Attention | LatentAttention) -> str:
    if m.sliding_window:
        return f"each token sees the last {m.sliding_window:,}"
    chunk = getattr(m, "attention_chunk_size", 0)
    return f"each token sees its own chunk of {chunk:,}" if chunk else ""


def _attention_says(m: Attention, parts: Parts) -> str:
    share = m.num_attention_heads // max(m.num_key_value_heads, 1)
    words = [per_layer(parts) if m.weights_of is None else "its weights stand under the picture"]
    if m.kv_source is None and share > 1:
        words.append(
            f"{share} query heads share each KV head"
            if m.num_key_value_heads > 1
            else "all query heads share one KV head"
        )
    words.append(_sight(m))
    if 0 < m.rotary_dim < m.head_dim:
        words.append(f"RoPE on {m.rotary_dim} of {m.head_dim} dimensions")
    words.append({"nope": "no position" if not m.cross else "", "alibi": "ALiBi", "learned": ""}.get(m.position, ""))
    if m.indexer and m.indexer.shared:
        words.append("reads what an earlier layer's indexer chose")
    if m.gate:
        words.append("one gate per head" if m.gate == "headwise" else "a gate on every output")
    return " · ".join(word for word in words if word)


def attention(parts: Parts) -> Inside:
    """Q, K, V side by side into the softmax; yellow where decoding keeps keys and values."""
    m: Attention = parts.m
    role, heads = attention_role(m), m.num_attention_heads
    if m.weights_of is not None:
        return _borrowed(parts, m, role)
    lanes = [_queries(parts, m, role), *_keys_values(parts, m, role)]
    if m.sinks:
        parts.shown("sinks")
        lanes.append(Lane([Tag(f"sinks {heads}", role)], loose=True))
    flows = indexed(parts, m.indexer, lanes)
    gate = _gate(parts, m, role)
    tail: list[Item | str] = [
        *(["times"] if gate else []),
        parts.matrix(role, "o_proj", f"{heads} × {m.v_head_dim} in"),
    ]
    source = f"x {m.input_size or parts.h:,}"
    flow = Flow(source, [*lanes, *gate], Op(role, [softmax(m.scale, m.head_dim)]), tail)
    return Inside(role, attention_name(m), _attention_says(m, parts), [flow, *flows], band=Band.of(m, role))


def _borrowed(parts: Parts, m: Attention, role: str) -> Inside:
    """Attention whose matrices stand elsewhere (in another layer, or beside the mixer): heads and cache only."""
    kv, kept = m.num_key_value_heads, parts.kept("kv")
    boxes = (
        kept_box(f"k {kv} × {m.head_dim}", [], kv, keeps=parts.rules.keeps),
        kept_box(f"v {kv} × {m.v_head_dim}", kept, kv, keeps=parts.rules.keeps),
    )
    lanes = [Lane([_cells(m, role)], loose=True), *(Lane([box], loose=True) for box in boxes)]
    return Inside(
        role,
        attention_name(m),
        _attention_says(m, parts),
        [Flow("", lanes, Op(role, [softmax(m.scale, m.head_dim)]), [])],
    )


def attention_name(m: Attention) -> str:
    heads = (
        "Multi-head"
        if m.num_key_value_heads == m.num_attention_heads
        else "Multi-query"
        if m.num_key_value_heads == 1
        else "Grouped-query"
    )
    if m.cross:
        return "Cross-attention to another tower"
    sight = "sliding window" if m.sliding_window else "chunked" if m.attention_chunk_size else ""
    sight = sight or ("block-sparse" if m.indexer and m.indexer.block_size > 1 else "indexed" if m.indexer else "")
    name = f"{heads} attention" + (f", {sight}" if sight else "")
    return f"Gated {name[0].lower()}{name[1:]}" if m.gate else name


def softmax(scale: float | None, size: int, dot: str = "q·k", values: str = "v") -> str:
    """The operation in words; `size` numbers meet in each q·k, and its root divides unless the scale says else."""
    if scale is None:
        return f"softmax(scale · {dot}) · {values}"
    if not scale:
        return f"softmax({dot} / √{size}) · {values}"
    under = 1 / scale**2  # q·k is divided by its root
    if not 1 <= round(under) < 10**7 or abs(under - round(under)) > 1e-6 * under:
        return f"softmax({scale * size**0.5:.3g} · {dot} / √{size}) · {values}"
    root = isqrt(round(under))
    by = f" / √{round(under)}" if root * root != round(under) else f" / {root}" if root > 1 else ""
    return f"softmax({dot}{by}) · {values}"


def _cells(m: Attention, role: str) -> Heads:
    heads = m.num_attention_heads
    return Heads(role, heads, heads // max(m.num_key_value_heads, 1), f"{heads} heads × {m.head_dim}")


def _queries(parts: Parts, m: Attention, role: str) -> Lane:
    heads, cells = m.num_attention_heads, _cells(m, role)
    if m.gate == "elementwise":
        first = parts.slice(role, "q_proj", "q_proj", heads * m.head_dim, "half of its rows")
    elif m.q_lora_rank:
        low, norm = parts.matrix(role, "q_a_proj"), parts.pill("RMSNorm", "q_a_layernorm")
        return Lane([low, norm, parts.matrix(role, "q_b_proj"), *_steps(parts, m, "q"), cells])
    else:
        first = parts.matrix(role, "q_proj")
    return Lane([first, *_steps(parts, m, "q"), cells])


def _keys_values(parts: Parts, m: Attention, role: str) -> list[Lane]:
    if m.kv_source is not None:
        return [Lane([Tag(f"K and V of layer {m.kv_source}", role)], loose=True)]
    kv, kept = m.num_key_value_heads, parts.kept("kv")
    if m.cross:
        fed = [
            Lane(
                [Tag("from the other tower", high=False), parts.matrix(role, f"{w}_proj"), *_cross_steps(parts, m, w)],
                loose=True,
            )
            for w in "kv"
        ]
        return fed
    k_box = kept_box(f"k {kv} × {m.head_dim}", [], kv, keeps=parts.rules.keeps)
    v_box = kept_box(f"v {kv} × {m.v_head_dim}", kept, kv, keeps=parts.rules.keeps)
    steps = _steps(parts, m, "k")
    if m.k_eq_v:
        whole = parts.matrix(role, "k_proj", "values too")
        return [Lane([whole], [Lane([*steps, k_box]), Lane([Pill("norm, no weight"), v_box])])]
    return [Lane([parts.matrix(role, "k_proj"), *steps, k_box]), Lane([parts.matrix(role, "v_proj"), v_box])]


def _cross_steps(parts: Parts, m: Attention, which: str) -> list[Pill]:
    return _steps(parts, m, "k") if which == "k" else []


def _gate(parts: Parts, m: Attention, role: str) -> list[Lane]:
    if m.gate == "elementwise":
        half = parts.slice(role, "q_proj", "gate", m.num_attention_heads * m.head_dim, "the other half")
        return [Lane([half], to="gate", beside="σ")]
    if m.gate:
        return [Lane([parts.matrix(role, "g_proj" if m.gate == "headwise" else "gate_proj")], to="gate", beside="σ")]
    return []


# ---------------------------------------------------------------- multi-head latent attention


def latent(parts: Parts) -> Inside:
    """MLA: one latent per token is kept, and a small rotated key beside it."""
    m: LatentAttention = parts.m
    role, heads = attention_role(m), m.num_attention_heads
    nope, rope = m.qk_nope_head_dim, m.qk_rope_head_dim
    lanes = [_latent_queries(parts, m, role)]
    if m.kv_source is None:
        lanes.append(_latent_keys(parts, m, role))
    else:
        up = parts.matrix(role, "kv_b_proj", f"{heads} × ({nope} + {m.v_head_dim})")
        lanes.append(Lane([Tag(f"latent of layer {m.kv_source}", role, high=False), up], loose=True))
    flows = indexed(parts, m.indexer, lanes)
    gate = [Lane([parts.matrix(role, "g_proj")], to="gate", beside="σ")] if m.gate else []
    tail: list[Item | str] = [
        *(["times"] if gate else []),
        parts.matrix(role, "o_proj", f"{heads} × {m.v_head_dim} in"),
    ]
    full = heads * (nope + rope + m.v_head_dim)
    caches = f"caches {m.kv_lora_rank + rope:,} numbers per token instead of {full:,}" if parts.rules.keeps else ""
    says = [per_layer(parts), caches, _sight(m)]
    if m.kv_source is not None:
        says[1] = f"reads the latent of layer {m.kv_source}"
    if not m.rotary_dim:
        says.append("no rotary position")
    if m.indexer and m.indexer.shared:
        says.append("reads what an earlier layer's indexer chose")
    flow = Flow(f"x {parts.h:,}", [*lanes, *gate], Op(role, [softmax(m.scale, nope + rope)]), tail)
    title = ("Gated m" if m.gate else "M") + "ulti-head latent attention" + (", indexed" if m.indexer else "")
    return Inside(role, title, " · ".join(w for w in says if w), [flow, *flows], band=Band.of(m, role))


def _latent_queries(parts: Parts, m: LatentAttention, role: str) -> Lane:
    heads, d = m.num_attention_heads, m.qk_nope_head_dim + m.qk_rope_head_dim
    steps = [Pill(f"RoPE on {m.rotary_dim} of {d}")] if m.rotary_dim else []
    note = f"= {heads} × ({m.qk_nope_head_dim} + {m.qk_rope_head_dim})"
    if not m.q_lora_rank:
        return Lane([parts.matrix(role, "q_proj", note), *steps])
    down = parts.matrix(role, "q_a_proj")
    return Lane([down, parts.pill("RMSNorm", "q_a_layernorm"), parts.matrix(role, "q_b_proj", note), *steps])


def _latent_keys(parts: Parts, m: LatentAttention, role: str) -> Lane:
    kept = parts.kept("kv")
    down = parts.matrix(role, "kv_a_proj_with_mqa", f"= {m.kv_lora_rank} + {m.qk_rope_head_dim}", label="kv_a_proj")
    up = parts.matrix(role, "kv_b_proj", f"= {m.num_attention_heads} × ({m.qk_nope_head_dim} + {m.v_head_dim})")
    latent_box = kept_box(f"latent c {m.kv_lora_rank}", [], low=True, least=120, keeps=parts.rules.keeps)
    key_box = kept_box(f"k {m.qk_rope_head_dim}", kept, low=True, keeps=parts.rules.keeps)
    rope = Pill("RoPE") if m.rotary_dim else Pill("no RoPE")
    return Lane([down], [Lane([parts.pill("RMSNorm", "kv_a_layernorm"), latent_box, up]), Lane([rope, key_box])])
