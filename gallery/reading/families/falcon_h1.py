"""Falcon-H1: every layer runs attention and Mamba-2 side by side, a multiplier at every joint."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.families.bamba import HYBRID_NAMES
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import dense
from cutaway.gallery.reading.recurrent import mamba2
from cutaway.gallery.spec import Combined, Dense


def read_multipliers(r: Reading, name: str, count: int) -> tuple[float, ...]:
    """A list of so many multipliers; without one, all are 1."""
    said = r.facts.items(name) or [1.0] * count
    if len(said) != count or not all(isinstance(v, int | float) and abs(v) < 1e6 for v in said):
        r.facts.refuse(name, said, f"a list of {count} numbers")
    return tuple(float(v) for v in said)


def multiplier(r: Reading, name: str) -> float:
    """One multiplier; 1 where none is said."""
    said = r.facts.number(name, 1.0)
    return 1.0 if said is None else said


def both(r: Reading, index: int) -> Combined:
    """One input, two mixers, one sum."""
    facts = r.facts
    ssm = replace(
        mamba2(r, index), gated_norm=facts.flag("mamba_rms_norm"), out_bias=facts.flag("projectors_bias"),
        norm_before_gate=facts.flag("mamba_norm_before_gate", True), in_multiplier=multiplier(r, "ssm_in_multiplier"),
        out_multiplier=multiplier(r, "ssm_out_multiplier"), multipliers=read_multipliers(r, "ssm_multipliers", 5),
    )  # fmt: skip
    words = ("in_multiplier", "attention_in_multiplier"), ("out_multiplier", "attention_out_multiplier")
    scales: dict[str, Any] = {
        ours: multiplier(r, theirs) for ours, theirs in (*words, ("key_multiplier", "key_multiplier"))
    }
    return Combined((attention(r, index, **scales), ssm), "parallel")


def mlp(r: Reading, index: int, word: str) -> Dense:
    """The gate is multiplied before its activation, the whole after."""
    gate, out = read_multipliers(r, "mlp_multipliers", 2)
    return replace(dense(r, index), gate_multiplier=gate, out_multiplier=out)


FAMILY = Family(
    source="transformers 5.23.0, models/falcon_h1",
    defaults={"norm_eps": 1e-5},
    final_norm="final_layernorm",
    every_layer="hybrid",
    words=lambda facts, depth: ["hybrid"] * depth,
    mixers={"hybrid": both},
    mlp=mlp,
    names=HYBRID_NAMES,
)
