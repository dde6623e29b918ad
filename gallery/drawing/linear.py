"""The words of mixers that keep a fixed state: delta rules, lightning, mLSTM, RWKV."""

from __future__ import annotations

from cutaway.gallery.drawing.inside import drawn
from cutaway.gallery.drawing.parts import Inside, Parts, per_layer
from cutaway.gallery.spec import GatedDeltaNet, KimiDelta, LightningAttention, MatrixLSTM, RwkvMean, RwkvTimeMix


def _fixed(parts: Parts, what: str) -> str:
    return f"{per_layer(parts)} · no growing cache: one {what}"


def gated_delta(parts: Parts) -> Inside:
    """Gated DeltaNet: one decay and one write strength per value head."""
    m: GatedDeltaNet = parts.m
    state = f"{m.linear_key_head_dim} × {m.linear_value_head_dim} state per value head, rewritten by each token"
    return drawn(parts, "linear", "Gated DeltaNet", _fixed(parts, state))


def kimi_delta(parts: Parts) -> Inside:
    """KDA: the delta rule with one decay per key channel."""
    m: KimiDelta = parts.m
    state = f"{m.head_dim} × {m.head_dim} state per head, with a decay per key channel"
    return drawn(parts, "linear", "Kimi delta attention", _fixed(parts, state))


def lightning(parts: Parts) -> Inside:
    """Linear attention with a fixed decay per head."""
    m: LightningAttention = parts.m
    state = f"{m.head_dim} × {m.head_dim} state per head, its decay λ fixed"
    return drawn(parts, "linear", "Lightning attention", _fixed(parts, state))


def matrix_lstm(parts: Parts) -> Inside:
    """xLSTM's mLSTM: a matrix memory with exponential gates."""
    m: MatrixLSTM = parts.m
    return drawn(
        parts, "linear", "mLSTM, a matrix memory", _fixed(parts, f"{m.qk_head_dim} × {m.v_head_dim} matrix per head")
    )


def rwkv(parts: Parts) -> Inside:
    """RWKV-7: a generalised delta rule; decay, learning rate and gate come through low ranks."""
    m: RwkvTimeMix = parts.m
    return drawn(parts, "linear", "RWKV-7 time mix", _fixed(parts, f"{m.head_dim} × {m.head_dim} state per head"))


def rwkv4(parts: Parts) -> Inside:
    """RWKV-4: a fading mean of values per channel; key, value and receptance read the last token too."""
    assert isinstance(parts.m, RwkvMean)
    says = f"{per_layer(parts)} · no growing cache: three numbers per channel"
    return drawn(parts, "linear", "RWKV-4 time mix", says)
