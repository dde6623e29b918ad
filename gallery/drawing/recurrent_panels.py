"""A mixer without attention -> its panel: linear attention, delta rules, state spaces, convolutions, one matrix."""

from __future__ import annotations

from cutaway.gallery import spec as s
from cutaway.gallery.drawing.node_items import Parts, per_layer
from cutaway.gallery.drawing.panel_content import PanelContent, graph_panel

# ---------------------------------------------------------------- fixed states


def _state_words(parts: Parts, what: str) -> str:
    return f"{per_layer(parts)} · no growing cache: one {what}"


def gated_delta(parts: Parts) -> PanelContent:
    """Gated DeltaNet: one decay and one write strength per value head."""
    m: s.GatedDeltaNet = parts.m
    state = f"{m.linear_key_head_dim} × {m.linear_value_head_dim} state per value head, rewritten by each token"
    return graph_panel(parts, "linear", "Gated DeltaNet", _state_words(parts, state))


def kimi_delta(parts: Parts) -> PanelContent:
    """KDA: the delta rule with one decay per key channel."""
    m: s.KimiDelta = parts.m
    state = f"{m.head_dim} × {m.head_dim} state per head, with a decay per key channel"
    return graph_panel(parts, "linear", "Kimi delta attention", _state_words(parts, state))


def lightning(parts: Parts) -> PanelContent:
    """Linear attention with a fixed decay per head."""
    m: s.LightningAttention = parts.m
    state = f"{m.head_dim} × {m.head_dim} state per head, its decay λ fixed"
    return graph_panel(parts, "linear", "Lightning attention", _state_words(parts, state))


def matrix_lstm(parts: Parts) -> PanelContent:
    """xLSTM's mLSTM: a matrix memory with exponential gates."""
    m: s.MatrixLSTM = parts.m
    return graph_panel(
        parts,
        "linear",
        "mLSTM, a matrix memory",
        _state_words(parts, f"{m.qk_head_dim} × {m.v_head_dim} matrix per head"),
    )


def rwkv(parts: Parts) -> PanelContent:
    """RWKV-7: a generalised delta rule; decay, learning rate and gate come through low ranks."""
    m: s.RwkvTimeMix = parts.m
    return graph_panel(
        parts, "linear", "RWKV-7 time mix", _state_words(parts, f"{m.head_dim} × {m.head_dim} state per head")
    )


def rwkv4(parts: Parts) -> PanelContent:
    """RWKV-4: a decaying mean of values per channel; key, value and receptance read the last token too."""
    assert isinstance(parts.m, s.RwkvMean)
    says = f"{per_layer(parts)} · no growing cache: three numbers per channel"
    return graph_panel(parts, "linear", "RWKV-4 time mix", says)


# ---------------------------------------------------------------- state spaces, convolutions, a single matrix


def mamba2(parts: Parts) -> PanelContent:
    """Mamba-2: one decay per head; x, B and C pass a short convolution."""
    m: s.Mamba2 = parts.m
    state = f"no growing cache: one {m.head_dim} × {m.state_size} state per head"
    return graph_panel(parts, "ssm", "Mamba-2", f"{per_layer(parts)} · {state}")


def mamba1(parts: Parts) -> PanelContent:
    """Mamba-1: a diagonal state per channel; dt, B and C are read off the convolved x."""
    m: s.Mamba1 = parts.m
    return graph_panel(
        parts, "ssm", "Mamba", f"{per_layer(parts)} · no growing cache: {m.state_size} numbers per channel"
    )


def short_conv(parts: Parts) -> PanelContent:
    """LFM2: a gated convolution over the last few tokens."""
    m: s.ShortConv = parts.m
    says = f"{per_layer(parts)} · no recurrence, no growing cache: the last {m.conv_L_cache} columns"
    return graph_panel(parts, "linear", "Gated short convolution", says)


def rg_lru(parts: Parts) -> PanelContent:
    """RecurrentGemma: one number per channel, two gates with a matrix per head."""
    assert isinstance(parts.m, s.RGLRU)
    says = f"{per_layer(parts)} · no growing cache: one number per channel"
    return graph_panel(parts, "linear", "RG-LRU, a gated recurrence", says)


def linear_mixer(parts: Parts) -> PanelContent:
    """One square matrix where others have attention."""
    assert isinstance(parts.m, s.LinearMixer)
    says = f"{per_layer(parts)} · stands in for attention, mixes no tokens"
    return graph_panel(parts, "dense", "A single matrix", says)
