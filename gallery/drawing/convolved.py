"""The insides of attention on convolved queries and keys."""

from __future__ import annotations

from gallery.drawing.attention import _cells, attention_name, attention_role, softmax
from gallery.drawing.flow import Flow, Lane
from gallery.drawing.items import Pill
from gallery.drawing.operation import Op
from gallery.drawing.parts import Inside, Parts, conv_pill, kept_box, per_layer
from gallery.spec import ConvolvedAttention


def convolved(parts: Parts) -> Inside:
    """q and k through both convolutions; half of each value one token late."""
    m: ConvolvedAttention = parts.m
    role, heads, kv, d = attention_role(m), m.num_attention_heads, m.num_key_value_heads, m.head_dim
    first = conv_pill(parts, m.first_kernel, "", "conv_qk_depthwise")
    second = conv_pill(parts, m.second_kernel, "in heads", "conv_qk_grouped")
    k_box = kept_box(f"k {kv} × {d}", [], kv, keeps=parts.rules.keeps)
    v_box = kept_box(f"v {kv} × {d}", parts.kept("kv"), kv, keeps=parts.rules.keeps)
    again = [conv_pill(parts, m.first_kernel, ""), conv_pill(parts, m.second_kernel, "in heads")]
    unit = "+ mean, unit length, RoPE"
    lanes = [
        Lane([parts.matrix(role, "q_proj"), first, second, Pill(unit), _cells(m, role)]),
        Lane([parts.matrix(role, "k_proj"), *again, parts.pill(unit, "qk_norm.temp"), k_box]),
        Lane([parts.matrix(role, "v_proj_current"), v_box]),
        Lane([parts.matrix(role, "v_proj_delayed"), Pill("one token late")]),
    ]
    sight = m.first_kernel + m.second_kernel - 1
    says = f"{per_layer(parts)} · queries and keys are convolved over the last {sight} tokens"
    out = [parts.matrix(role, "o_proj", f"{heads} × {d} in")]
    flow = Flow(f"x {parts.h:,}", lanes, Op(role, [softmax(m.scale, d)]), out)
    return Inside(role, f"{attention_name(m)}, convolved", says, [flow])
