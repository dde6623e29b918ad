"""The insides of mixers that keep a fixed state: delta rules, state spaces, lightning, short convolutions, mLSTM, RWKV."""

from __future__ import annotations

from gallery.spec import (
    GatedDeltaNet,
    KimiDelta,
    LightningAttention,
    LinearMixer,
    Mamba1,
    Mamba2,
    MatrixLSTM,
    NotUnderstood,
    RwkvTimeMix,
    ShortConv,
)

from .flow import Flow, Lane
from .items import Op, Pill, State
from .parts import Inside, Parts, per_layer
from .words import size


def _state(parts: Parts, name: str, numbers: str, kind: str = "state") -> State:
    """The fixed state with its size in bytes."""
    bits = sum(k.bits for k in parts.kept(kind))
    return State(name, f"{numbers} = {size(bits / 8)}")


def _conv(parts: Parts, columns: int, words: str, *ends: str) -> Pill:
    return parts.pill(f"conv {columns}, {words}" if words else f"conv {columns}", *ends, columns=columns)


def _flow(parts: Parts, lanes: list[Lane], op: Op, tail: list) -> list[Flow]:
    return [Flow(f"x {parts.h:,}", lanes, op, tail)]


DELTA = "S ← α S + β k ⊗ (v − k·αS)"


def gated_delta(parts: Parts) -> Inside:
    """Gated DeltaNet: one decay and one write strength per value head."""
    m: GatedDeltaNet = parts.m
    r, n, kn = "linear", m.linear_num_value_heads, m.linear_num_key_heads
    dk, dv, kernel = m.linear_key_head_dim, m.linear_value_head_dim, m.linear_conv_kernel_dim
    big, small = ("in_proj_qkvz", "in_proj_ba") if m.fused else ("in_proj_qkv", "")
    conv = [_conv(parts, kernel, "SiLU", "conv1d") for _ in "qkv"]
    lanes = [
        Lane([parts.slice(r, big, "q", kn * dk, f"{kn} × {dk}"), conv[0], Pill("L2 norm")]),
        Lane([parts.slice(r, big, "k", kn * dk, f"{kn} × {dk}"), conv[1], Pill("L2 norm")]),
        Lane([parts.slice(r, big, "v", n * dv, f"{n} × {dv}"), conv[2]]),
        Lane(
            [
                parts.slice(r, small, "b", n) if small else parts.matrix(r, "in_proj_b", label="b", brief=f"→ {n}"),
                Pill("β = 2σ" if m.allow_neg_eigval else "β = σ"),
            ]
        ),
        Lane(
            [
                parts.slice(r, small, "a", n) if small else parts.matrix(r, "in_proj_a", label="a", brief=f"→ {n}"),
                parts.pill("α decay", "A_log", "dt_bias"),
            ]
        ),
    ]
    z = (
        parts.slice(r, big, "z", n * dv, f"{n} × {dv}")
        if small
        else parts.matrix(r, "in_proj_z", label="z", brief=f"→ {n} × {dv}")
    )
    lanes.append(Lane([z], to="gate", beside="SiLU(z)"))
    op = Op(r, [DELTA, "o = q·S"], _state(parts, "state S", f"{n} × {dk} × {dv} FP32"))
    says = f"{per_layer(parts)} · no growing cache: one {dk} × {dv} state per value head, rewritten by each token"
    return Inside(
        r,
        "Gated DeltaNet",
        says,
        _flow(parts, lanes, op, [parts.pill("RMSNorm", "norm"), "times", parts.matrix(r, "out_proj")]),
    )


def kimi_delta(parts: Parts) -> Inside:
    """KDA: the delta rule with one decay per key channel."""
    m: KimiDelta = parts.m
    r, n, d, kernel = "linear", m.num_heads, m.head_dim, m.short_conv_kernel_size
    lanes = []
    for word in "qkv":
        items = [
            parts.matrix(r, f"{word}_proj", f"= {n} × {d}", brief=f"→ {n} × {d}"),
            _conv(parts, kernel, "SiLU", f"{word}_conv1d"),
        ]
        lanes.append(Lane(items + ([] if word == "v" else [Pill("L2 norm")])))
    lanes.append(Lane([parts.matrix(r, "b_proj", brief=f"→ {n}"), Pill("β = σ")]))
    lanes.append(
        Lane(
            [parts.matrix(r, "f_a_proj"), parts.matrix(r, "f_b_proj"), parts.pill("α per channel", "A_log", "dt_bias")]
        )
    )
    gate = (
        [parts.matrix(r, "g_proj", brief=f"→ {n} × {d}")]
        if m.full_rank_gate
        else [parts.matrix(r, "g_a_proj"), parts.matrix(r, "g_b_proj")]
    )
    lanes.append(Lane(gate, to="gate", beside="σ"))
    op = Op(r, ["S ← Diag(α) S + β k ⊗ (v − k·Diag(α)S)", "o = q·S"], _state(parts, "state S", f"{n} × {d} × {d} FP32"))
    says = f"{per_layer(parts)} · no growing cache: one {d} × {d} state per head, with a decay per key channel"
    tail = [parts.pill("RMSNorm", "o_norm"), "times", parts.matrix(r, "o_proj")]
    return Inside(r, "Kimi delta attention", says, _flow(parts, lanes, op, tail))


def mamba2(parts: Parts) -> Inside:
    """Mamba-2: one decay per head; x, B and C pass a short convolution."""
    m: Mamba2 = parts.m
    r, n, p, g, s = "ssm", m.num_heads, m.head_dim, m.n_groups, m.state_size
    conv = [_conv(parts, m.conv_kernel, "SiLU", "conv1d") for _ in range(3)]
    rows = (("x", n * p, f"{n} × {p}"), ("B", g * s, f"{g} × {s}"), ("C", g * s, f"{g} × {s}"))
    lanes = [
        Lane([parts.slice(r, "in_proj", name, width, note), pill])
        for (name, width, note), pill in zip(rows, conv, strict=True)
    ]
    lanes.append(Lane([parts.slice(r, "in_proj", "dt", n), parts.pill("Δ = softplus", "dt_bias")]))
    lanes.append(Lane([parts.slice(r, "in_proj", "z", n * p, f"{n} × {p}")], to="gate", beside="SiLU(z)"))
    op = Op(r, ["h ← exp(Δ A) h + Δ B ⊗ x", "y = C·h + D x"], _state(parts, "state h", f"{n} × {p} × {s} FP32"))
    tail = ["times", *([parts.pill("RMSNorm", "mamba.norm")] if m.gated_norm else []), parts.matrix(r, "out_proj")]
    says = f"{per_layer(parts)} · no growing cache: one {p} × {s} state per head"
    return Inside(r, "Mamba-2", says, _flow(parts, lanes, op, tail))


def mamba1(parts: Parts) -> Inside:
    """Mamba-1: a diagonal state per channel; dt, B and C are read off the convolved x."""
    m: Mamba1 = parts.m
    r, d, s = "ssm", m.d_inner, m.state_size
    norms = [parts.pill("RMSNorm", f"{w}_layernorm") for w in ("dt", "b", "c")] if m.inner_norms else [None] * 3
    dt = [*([norms[0]] if norms[0] else []), parts.matrix(r, "dt_proj"), Pill("Δ = softplus")]
    chosen = [Lane(dt), Lane([norms[1] or Pill(f"B {s}")]), Lane([norms[2] or Pill(f"C {s}")])]
    x = Lane(
        [parts.slice(r, "in_proj", "x", d), _conv(parts, m.conv_kernel, "SiLU", "conv1d")],
        [Lane([]), Lane([parts.matrix(r, "x_proj", f"= {m.dt_rank} + 2 × {s}")], chosen)],
    )
    z = Lane([parts.slice(r, "in_proj", "z", d)], to="gate", beside="SiLU(z)")
    op = Op(r, ["h ← exp(Δ A) h + Δ B x", "y = C·h + D x"], _state(parts, "state h", f"{d:,} × {s} FP32"))
    says = f"{per_layer(parts)} · no growing cache: {s} numbers per channel"
    return Inside(r, "Mamba", says, _flow(parts, [x, z], op, ["times", parts.matrix(r, "out_proj")]))


def lightning(parts: Parts) -> Inside:
    """Linear attention with a fixed decay per head."""
    m: LightningAttention = parts.m
    r, n, d = "linear", m.num_heads, m.head_dim
    lanes = []
    for word in "qkv":
        norm = [parts.pill("RMSNorm", f"{word}_norm")] if m.qk_norm and word != "v" else []
        lanes.append(Lane([parts.slice(r, "qkv_proj", word, n * d, f"{n} × {d}"), Pill("SiLU"), *norm]))
    lanes.append(Lane([parts.matrix(r, "output_gate", label="gate", brief=f"→ {n} × {d}")], to="gate", beside="σ"))
    op = Op(r, ["S ← λ S + k ⊗ v", "o = q·S"], _state(parts, "state S", f"{n} × {d} × {d}"))
    says = f"{per_layer(parts)} · no growing cache: one {d} × {d} state per head, its decay λ fixed"
    tail = [parts.pill("RMSNorm", "self_attn.norm"), "times", parts.matrix(r, "out_proj")]
    return Inside(r, "Lightning attention", says, _flow(parts, lanes, op, tail))


def short_conv(parts: Parts) -> Inside:
    """LFM2: a gated convolution over the last few tokens."""
    m: ShortConv = parts.m
    r, d, k = "linear", m.conv_dim, m.conv_L_cache
    lanes = [Lane([parts.slice(r, "in_proj", name, d)]) for name in ("B", "x")]
    lanes.append(Lane([parts.slice(r, "in_proj", "C", d)], to="gate"))
    parts.left.pop(parts.find("conv.conv.weight"), None)
    op = Op(
        r,
        [f"convolution over {k} tokens", f"of B × x, weight {d:,} × 1 × {k}"],
        _state(parts, "last tokens", f"{d:,} × {k}", "conv"),
    )
    says = f"{per_layer(parts)} · no growing cache: the last {k} columns"
    return Inside(r, "Gated short convolution", says, _flow(parts, lanes, op, ["times", parts.matrix(r, "out_proj")]))


def matrix_lstm(parts: Parts) -> Inside:
    """xLSTM's mLSTM: a matrix memory with exponential gates."""
    m: MatrixLSTM = parts.m
    r, n, dk, dv = "linear", m.num_heads, m.qk_head_dim, m.v_head_dim
    lanes = [Lane([parts.matrix(r, f"mlstm_layer.{w}", brief=f"→ {n} × {dv if w == 'v' else dk}")]) for w in "qkv"]
    lanes += [
        Lane([parts.matrix(r, f"{w}gate_preact", label=f"{w} gate", brief=f"→ {n}"), Pill("exp" if w == "i" else "σ")])
        for w in "if"
    ]
    lanes.append(Lane([parts.matrix(r, "ogate_preact", label="o gate", brief=f"→ {n} × {dv}")], to="gate", beside="σ"))
    op = Op(
        r,
        ["C ← f C + i v ⊗ k", "h = C·q / max(|n·q|, 1)"],
        _state(parts, "memory C, n", f"{n} × ({dk} × {dv} + {dk} + 1) FP32"),
    )
    says = f"{per_layer(parts)} · no growing cache: one {dk} × {dv} matrix per head"
    tail = [parts.pill("norm per head", "multihead_norm"), "times", parts.matrix(r, "out_proj")]
    return Inside(r, "mLSTM, a matrix memory", says, _flow(parts, lanes, op, tail))


def rwkv(parts: Parts) -> Inside:
    """RWKV-7: a generalised delta rule; decay, learning rate and gate come through low ranks."""
    m: RwkvTimeMix = parts.m
    r, n, d = "linear", m.num_heads, m.head_dim
    lanes = [Lane([parts.matrix(r, f"{w}_proj", brief=f"→ {n} × {d}")]) for w in "rkv"]
    ranks = (
        ("w", m.decay_low_rank_dim, "decay w"),
        ("a", m.a_low_rank_dim, "rate a"),
        ("v", m.v_low_rank_dim, "first v"),
    )
    for word, rank, name in ranks:
        if rank:
            down = parts.matrix(r, f"{word}_lora.lora.0", label=f"{word}_lora.0")
            lanes.append(Lane([down, parts.matrix(r, f"{word}_lora.lora.2", label=f"{word}_lora.2"), Pill(name)]))
    gate = [parts.matrix(r, f"g_lora.lora.{i}", label=f"g_lora.{i}") for i in (0, 2)]
    lanes.append(Lane(gate, to="gate"))
    op = Op(r, ["S ← S (diag(w) − k̂ ⊗ (a k̂)) + v ⊗ k", "o = S·r"], _state(parts, "state S", f"{n} × {d} × {d} FP32"))
    says = f"{per_layer(parts)} · no growing cache: one {d} × {d} state per head"
    tail = [parts.pill("GroupNorm", "g_norm"), "times", parts.matrix(r, "o_proj")]
    return Inside(r, "RWKV-7 time mix", says, _flow(parts, lanes, op, tail))


def linear_mixer(parts: Parts) -> Inside:
    """One square matrix where others have attention."""
    m: LinearMixer = parts.m
    assert isinstance(m, LinearMixer)
    lanes = [Lane([parts.matrix("dense", "linear_attn")])]
    says = f"{per_layer(parts)} · stands in for attention, mixes no tokens"
    return Inside("dense", "A single matrix", says, _flow(parts, lanes, Op("dense", ["y = W x, token by token"]), []))


def not_understood(parts: Parts) -> Inside:
    """A half that the spec cannot express: said, not left out."""
    m: NotUnderstood = parts.m
    return Inside(
        "plain",
        "Not understood yet",
        "this half of the layer is drawn as a box, and counted nowhere",
        alarm=m.what[:160],
    )
