"""The words of mixers that keep no growing cache beside a softmax: state spaces, short convolutions, one matrix."""

from __future__ import annotations

from cutaway.gallery.drawing.inside import drawn
from cutaway.gallery.drawing.parts import Inside, Parts, per_layer
from cutaway.gallery.spec import RGLRU, LinearMixer, Mamba1, Mamba2, NotUnderstood, ShortConv


def mamba2(parts: Parts) -> Inside:
    """Mamba-2: one decay per head; x, B and C pass a short convolution."""
    m: Mamba2 = parts.m
    state = f"no growing cache: one {m.head_dim} × {m.state_size} state per head"
    return drawn(parts, "ssm", "Mamba-2", f"{per_layer(parts)} · {state}")


def mamba1(parts: Parts) -> Inside:
    """Mamba-1: a diagonal state per channel; dt, B and C are read off the convolved x."""
    m: Mamba1 = parts.m
    return drawn(parts, "ssm", "Mamba", f"{per_layer(parts)} · no growing cache: {m.state_size} numbers per channel")


def short_conv(parts: Parts) -> Inside:
    """LFM2: a gated convolution over the last few tokens."""
    m: ShortConv = parts.m
    says = f"{per_layer(parts)} · no recurrence, no growing cache: the last {m.conv_L_cache} columns"
    return drawn(parts, "linear", "Gated short convolution", says)


def rg_lru(parts: Parts) -> Inside:
    """RecurrentGemma: one number per channel, two gates with a matrix per head."""
    assert isinstance(parts.m, RGLRU)
    says = f"{per_layer(parts)} · no growing cache: one number per channel"
    return drawn(parts, "linear", "RG-LRU, a gated recurrence", says)


def linear_mixer(parts: Parts) -> Inside:
    """One square matrix where others have attention."""
    assert isinstance(parts.m, LinearMixer)
    says = f"{per_layer(parts)} · stands in for attention, mixes no tokens"
    return drawn(parts, "dense", "A single matrix", says)


def not_understood(parts: Parts) -> Inside:
    """A half that the spec cannot express: said, not left out."""
    m: NotUnderstood = parts.m
    says = "this half of the layer is drawn as a box, and counted nowhere"
    return Inside("plain", "Not understood yet", says, alarm=m.what[:160])
