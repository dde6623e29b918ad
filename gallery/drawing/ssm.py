"""The insides of state spaces and of what needs no cache at all: Mamba, short convolutions, a single matrix."""

from __future__ import annotations

from gallery.drawing.flow import Lane
from gallery.drawing.items import Pill
from gallery.drawing.mlps import ACTS
from gallery.drawing.operation import Op
from gallery.drawing.parts import Inside, Parts, conv_pill, flow_of, per_layer, state_of
from gallery.spec import RGLRU, LinearMixer, Mamba1, Mamba2, NotUnderstood, ShortConv


def mamba2(parts: Parts) -> Inside:
    """Mamba-2: one decay per head; x, B and C pass a short convolution."""
    m: Mamba2 = parts.m
    r, n, p, g, s = "ssm", m.num_heads, m.head_dim, m.n_groups, m.state_size
    conv = [conv_pill(parts, m.conv_kernel, "SiLU", "conv1d") for _ in range(3)]
    rows = (("x", n * p, f"{n} × {p}"), ("B", g * s, f"{g} × {s}"), ("C", g * s, f"{g} × {s}"))
    lanes = [
        Lane([parts.slice(r, "in_proj", name, width, note), pill])
        for (name, width, note), pill in zip(rows, conv, strict=True)
    ]
    lanes.append(Lane([parts.slice(r, "in_proj", "dt", n), parts.pill("Δ = softplus", "dt_bias")]))
    lanes.append(Lane([parts.slice(r, "in_proj", "z", n * p, f"{n} × {p}")], to="gate", beside="SiLU(z)"))
    op = Op(r, ["h ← exp(Δ A) h + Δ B ⊗ x", "y = C·h + D x"], state_of(parts, "state h", f"{n} × {p} × {s} FP32"))
    tail = ["times", *([parts.pill("RMSNorm", "mamba.norm")] if m.gated_norm else []), parts.matrix(r, "out_proj")]
    says = f"{per_layer(parts)} · no growing cache: one {p} × {s} state per head"
    return Inside(r, "Mamba-2", says, flow_of(parts, lanes, op, tail))


def mamba1(parts: Parts) -> Inside:
    """Mamba-1: a diagonal state per channel; dt, B and C are read off the convolved x."""
    m: Mamba1 = parts.m
    r, d, s = "ssm", m.d_inner, m.state_size
    norms = [parts.pill("norm", f"{w}_layernorm") for w in ("dt", "b", "c")] if m.inner_norms else [None] * 3
    dt = [*([norms[0]] if norms[0] else []), parts.matrix(r, "dt_proj"), Pill("Δ = softplus")]
    chosen = [Lane(dt), Lane([norms[1] or Pill(f"B {s}")]), Lane([norms[2] or Pill(f"C {s}")])]
    x = Lane(
        [parts.slice(r, "in_proj", "x", d), conv_pill(parts, m.conv_kernel, "SiLU", "conv1d")],
        [Lane([]), Lane([parts.matrix(r, "x_proj", f"= {m.dt_rank} + 2 × {s}")], chosen)],
    )
    z = Lane([parts.slice(r, "in_proj", "z", d)], to="gate", beside="SiLU(z)")
    op = Op(r, ["h ← exp(Δ A) h + Δ B x", "y = C·h + D x"], state_of(parts, "state h", f"{d:,} × {s} FP32"))
    says = f"{per_layer(parts)} · no growing cache: {s} numbers per channel"
    return Inside(r, "Mamba", says, flow_of(parts, [x, z], op, ["times", parts.matrix(r, "out_proj")]))


def short_conv(parts: Parts) -> Inside:
    """LFM2: a gated convolution over the last few tokens."""
    m: ShortConv = parts.m
    r, d, k = "linear", m.conv_dim, m.conv_L_cache
    lanes = [Lane([parts.slice(r, "in_proj", name, d)]) for name in ("B", "x")]
    lanes.append(Lane([parts.slice(r, "in_proj", "C", d)], to="gate"))
    parts.shown("conv.conv.weight")
    op = Op(
        r,
        [f"convolution over {k} tokens", f"of B × x, weight {d:,} × 1 × {k}"],
        state_of(parts, "last tokens", f"{d:,} × {k}", "conv"),
    )
    says = f"{per_layer(parts)} · no growing cache: the last {k} columns"
    return Inside(r, "Gated short convolution", says, flow_of(parts, lanes, op, ["times", parts.matrix(r, "out_proj")]))


def rg_lru(parts: Parts) -> Inside:
    """RecurrentGemma: one number per channel, two gates with a matrix per head."""
    m: RGLRU = parts.m
    r, n, d = "linear", m.lru_width, m.lru_width // m.num_heads
    gates = [
        parts.pill(f"{word} = σ, {m.num_heads} matrices {d} × {d}", f"{name}_gate_weight", f"{name}_gate_bias")
        for word, name in (("i", "input"), ("r", "recurrent"))
    ]
    x = Lane(
        [parts.matrix(r, "linear_x"), conv_pill(parts, m.conv_kernel, "", "conv_1d")],
        [Lane([]), *(Lane([gate]) for gate in gates)],
    )
    y = Lane([parts.matrix(r, "linear_y")], to="gate", beside=ACTS.get(m.hidden_act, m.hidden_act))
    parts.shown("recurrent_param")
    op = Op(r, ["h ← a h + √(1 − a²) (i × x)", "a = exp(−8 r softplus(λ))"], state_of(parts, "state h", f"{n:,} FP32"))
    says = f"{per_layer(parts)} · no growing cache: one number per channel"
    return Inside(
        r, "RG-LRU, a gated recurrence", says, flow_of(parts, [x, y], op, ["times", parts.matrix(r, "linear_out")])
    )


def linear_mixer(parts: Parts) -> Inside:
    """One square matrix where others have attention."""
    m: LinearMixer = parts.m
    assert isinstance(m, LinearMixer)
    lanes = [Lane([parts.matrix("dense", "linear_attn")])]
    says = f"{per_layer(parts)} · stands in for attention, mixes no tokens"
    return Inside("dense", "A single matrix", says, flow_of(parts, lanes, Op("dense", ["y = W x, token by token"]), []))


def not_understood(parts: Parts) -> Inside:
    """A half that the spec cannot express: said, not left out."""
    m: NotUnderstood = parts.m
    return Inside(
        "plain",
        "Not understood yet",
        "this half of the layer is drawn as a box, and counted nowhere",
        alarm=m.what[:160],
    )
