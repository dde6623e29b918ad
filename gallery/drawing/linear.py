"""The insides of mixers that keep a fixed state: delta rules, lightning, mLSTM, RWKV."""

from __future__ import annotations

from gallery.drawing.flow import Lane
from gallery.drawing.items import Pill
from gallery.drawing.operation import Op
from gallery.drawing.parts import Inside, Parts, conv_pill, flow_of, per_layer, state_of
from gallery.spec import GatedDeltaNet, KimiDelta, LightningAttention, MatrixLSTM, RwkvMean, RwkvTimeMix

DELTA = "S ← α S + β k ⊗ (v − k·αS)"


def gated_delta(parts: Parts) -> Inside:
    """Gated DeltaNet: one decay and one write strength per value head."""
    m: GatedDeltaNet = parts.m
    r, n, kn = "linear", m.linear_num_value_heads, m.linear_num_key_heads
    dk, dv, kernel = m.linear_key_head_dim, m.linear_value_head_dim, m.linear_conv_kernel_dim
    big, small = ("in_proj_qkvz", "in_proj_ba") if m.fused else ("in_proj_qkv", "")
    conv = [conv_pill(parts, kernel, "SiLU", "conv1d") for _ in "qkv"]
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
    op = Op(r, [DELTA, "o = q·S"], state_of(parts, "state S", f"{n} × {dk} × {dv} FP32"))
    says = f"{per_layer(parts)} · no growing cache: one {dk} × {dv} state per value head, rewritten by each token"
    return Inside(
        r,
        "Gated DeltaNet",
        says,
        flow_of(parts, lanes, op, [parts.pill("RMSNorm", "norm"), "times", parts.matrix(r, "out_proj")]),
    )


def kimi_delta(parts: Parts) -> Inside:
    """KDA: the delta rule with one decay per key channel."""
    m: KimiDelta = parts.m
    r, n, d, kernel = "linear", m.num_heads, m.head_dim, m.short_conv_kernel_size
    lanes = []
    for word in "qkv":
        items = [
            parts.matrix(r, f"{word}_proj", f"= {n} × {d}", brief=f"→ {n} × {d}"),
            conv_pill(parts, kernel, "SiLU", f"{word}_conv1d"),
        ]
        lanes.append(Lane(items + ([] if word == "v" else [Pill("L2 norm")])))
    lanes.append(Lane([parts.matrix(r, "b_proj", brief=f"→ {n}"), Pill("β = σ")]))
    decay = (
        [parts.matrix(r, "f_proj", brief=f"→ {n} × {d}")]
        if m.full_rank_decay
        else [parts.matrix(r, "f_a_proj"), parts.matrix(r, "f_b_proj")]
    )
    lanes.append(Lane([*decay, parts.pill("α per channel", "A_log", "dt_bias")]))
    gate = (
        [parts.matrix(r, "g_proj", brief=f"→ {n} × {d}")]
        if m.full_rank_gate
        else [parts.matrix(r, "g_a_proj"), parts.matrix(r, "g_b_proj")]
    )
    lanes.append(Lane(gate, to="gate", beside="σ"))
    op = Op(
        r, ["S ← Diag(α) S + β k ⊗ (v − k·Diag(α)S)", "o = q·S"], state_of(parts, "state S", f"{n} × {d} × {d} FP32")
    )
    says = f"{per_layer(parts)} · no growing cache: one {d} × {d} state per head, with a decay per key channel"
    tail = [parts.pill("RMSNorm", "o_norm"), "times", parts.matrix(r, "o_proj")]
    return Inside(r, "Kimi delta attention", says, flow_of(parts, lanes, op, tail))


def lightning(parts: Parts) -> Inside:
    """Linear attention with a fixed decay per head."""
    m: LightningAttention = parts.m
    r, n, d = "linear", m.num_heads, m.head_dim
    lanes = []
    for word in "qkv":
        norm = [parts.pill("RMSNorm", f"{word}_norm")] if m.qk_norm and word != "v" else []
        lanes.append(Lane([parts.slice(r, "qkv_proj", word, n * d, f"{n} × {d}"), Pill("SiLU"), *norm]))
    lanes.append(Lane([parts.matrix(r, "output_gate", label="gate", brief=f"→ {n} × {d}")], to="gate", beside="σ"))
    op = Op(r, ["S ← λ S + k ⊗ v", "o = q·S"], state_of(parts, "state S", f"{n} × {d} × {d}"))
    says = f"{per_layer(parts)} · no growing cache: one {d} × {d} state per head, its decay λ fixed"
    tail = [parts.pill("RMSNorm", "self_attn.norm"), "times", parts.matrix(r, "out_proj")]
    return Inside(r, "Lightning attention", says, flow_of(parts, lanes, op, tail))


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
        state_of(parts, "memory C, n", f"{n} × {dk} × {dv} + n FP32"),
    )
    says = f"{per_layer(parts)} · no growing cache: one {dk} × {dv} matrix per head"
    tail = [parts.pill("norm per head", "multihead_norm"), "times", parts.matrix(r, "out_proj")]
    return Inside(r, "mLSTM, a matrix memory", says, flow_of(parts, lanes, op, tail))


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
    op = Op(r, ["S ← S (diag(w) − κ ⊗ (a κ)) + v ⊗ k", "o = S·r"], state_of(parts, "state S", f"{n} × {d} × {d} FP32"))
    says = f"{per_layer(parts)} · no growing cache: one {d} × {d} state per head"
    tail = [parts.pill("GroupNorm", "g_norm"), "times", parts.matrix(r, "o_proj")]
    return Inside(r, "RWKV-7 time mix", says, flow_of(parts, lanes, op, tail))


def rwkv4(parts: Parts) -> Inside:
    """RWKV-4: a fading mean of values per channel; key, value and receptance read the last token too."""
    m: RwkvMean = parts.m
    r, width = "linear", m.attention_hidden_size
    lanes = [
        Lane([parts.pill("+ last token", f"time_mix_{w}"), parts.matrix(r, f"attention.{w}")], to=to, beside=beside)
        for w, to, beside in (("key", "op", ""), ("value", "op", ""), ("receptance", "gate", "σ"))
    ]
    says = f"{per_layer(parts)} · no growing cache: three numbers per channel"
    lines = ["mean of v weighed by exp(k)", "older weights fade by exp(−w)"]
    op = Op(r, lines, state_of(parts, "state", f"3 × {width:,} FP32"))
    tail = [parts.pill("decay, first", "time_decay", "time_first"), "times", parts.matrix(r, "attention.output")]
    return Inside(r, "RWKV-4 time mix", says, flow_of(parts, lanes, op, tail))
