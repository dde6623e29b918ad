"""A spec's parts -> the few words a card, a fact sheet or a facet says about them. One row per mixer class."""

from __future__ import annotations

import re
from collections import Counter
from math import gcd

from cutaway.gallery import spec as s

# facet key, role (a colour token), the words of the facet
MIXER_FACETS = (
    ("gqa", "full", "GQA / MHA"),
    ("window", "window", "Sliding window"),
    ("mla", "latent", "MLA"),
    ("delta", "linear", "Delta rule"),
    ("sparse", "sparse", "Sparse, indexed"),
    ("mamba", "ssm", "Mamba"),
    ("linear", "linear", "Other recurrences"),
    ("conv", "linear", "Short convolution"),
)


def halves(half: object | None) -> tuple[object, ...]:
    """A mixer or MLP as its parts: one, several where they are combined, none where the layer has none."""
    if half is None:
        return ()
    return tuple(half.parts) if isinstance(half, s.Combined) else (half,)


def mixer_facets(mixer: object) -> set[str]:
    """Facet keys of one mixer."""
    match mixer:
        case s.Attention():
            keys = {"window"} if mixer.sliding_window or mixer.attention_chunk_size else {"gqa"}
            return keys | ({"sparse"} if mixer.indexer else set())
        case s.LatentAttention():
            return {"mla"} | ({"sparse"} if mixer.indexer else set()) | ({"window"} if mixer.sliding_window else set())
        case s.CompressedAttention():
            return {"window"} | ({"sparse"} if mixer.compress_ratio else set())
        case s.GatedDeltaNet() | s.KimiDelta():
            return {"delta"}
        case s.Mamba1() | s.Mamba2():
            return {"mamba"}
        case s.ExpertHeads():
            return {"window" if mixer.sliding_window else "gqa"}
        case s.LightningAttention() | s.MatrixLSTM() | s.RwkvTimeMix() | s.RwkvMean() | s.RGLRU():
            return {"linear"}
        case s.ShortConv():
            return {"conv"}
    return set()


def sort_of(mixer: object | None) -> str:
    """The sort of a mixer in one word, for counts like 36 + 12."""
    match mixer:
        case None:
            return "no mixer"
        case s.GatedDeltaNet() | s.KimiDelta():
            return "delta"
        case s.Mamba1() | s.Mamba2():
            return "Mamba"
        case s.Attention() | s.LatentAttention() | s.CompressedAttention() | s.ExpertHeads():
            return "window" if windowed(mixer) else "attention"
        case s.Combined():
            return "two-mixer"
        case s.ShortConv():
            return "convolution"
    return "recurrent"


def windowed(mixer: object | None) -> bool:
    """True where a mixer sees only the last tokens, or its own chunk."""
    if isinstance(mixer, s.CompressedAttention):
        return not mixer.compress_ratio
    return bool(getattr(mixer, "sliding_window", 0) or getattr(mixer, "attention_chunk_size", 0))


def without_position(mixer: object) -> bool:
    """True where attention sees no position at all: NoPE, in a latent too (Kimi Linear)."""
    if isinstance(mixer, s.LatentAttention):
        return not mixer.rotary_dim
    return isinstance(mixer, s.Attention) and mixer.position == "nope"


def heads(mixer: s.Attention) -> str:
    """MHA, MQA or GQA with its ratio."""
    if mixer.num_key_value_heads == mixer.num_attention_heads:
        return f"MHA {mixer.num_attention_heads}"
    kind = "MQA" if mixer.num_key_value_heads == 1 else "GQA"
    return f"{kind} {mixer.num_attention_heads}:{mixer.num_key_value_heads}"


def mixer_words(mixer: object | None) -> str:
    """A mixer in two or three words: "GQA 32:8", "window 1,024", "MLA"."""
    match mixer:
        case None:
            return "no mixer"
        case s.Attention(cross=True):
            return f"cross-attention {heads(mixer)}"
        case s.Attention():
            if mixer.indexer:
                return f"sparse {heads(mixer)}"
            if mixer.sliding_window:
                return f"window {mixer.sliding_window:,}"
            if mixer.attention_chunk_size:
                return f"chunks of {mixer.attention_chunk_size:,}"
            return heads(mixer) + (" NoPE" if mixer.position == "nope" else "")
        case s.LatentAttention():
            shared = " + shared indexer" if mixer.indexer and mixer.indexer.shared else " + indexer"
            return "MLA" + (shared if mixer.indexer else "")
        case s.CompressedAttention():
            if not mixer.compress_ratio:
                return f"window {mixer.sliding_window:,}"
            return "CSA" if mixer.overlap else "HCA"
        case s.ExpertHeads():
            return f"{mixer.num_experts_per_tok} of {mixer.num_experts} head experts"
        case s.Mamba1():
            return "Mamba-1"
        case s.Mamba2():
            return "Mamba-2"
        case s.Combined():
            return " + ".join(mixer_words(part) for part in mixer.parts)
        case s.NotUnderstood():
            return "not understood yet"
    return NAMES[type(mixer)]


NAMES = {
    s.GatedDeltaNet: "Gated DeltaNet",
    s.KimiDelta: "KDA",
    s.LightningAttention: "lightning attention",
    s.ShortConv: "short convolution",
    s.MatrixLSTM: "mLSTM",
    s.RwkvMean: "RWKV-4",
    s.RwkvTimeMix: "RWKV-7",
    s.RGLRU: "RG-LRU",
    s.LinearMixer: "one matrix",
}


def mlp_words(mlp: object | None) -> str:
    """An MLP in two or three words: "MoE 256+1", "dense 14,336"."""
    match mlp:
        case None:
            return "no MLP"
        case s.MoE():
            shared = f"+{mlp.n_shared_experts}" if mlp.n_shared_experts else ""
            return f"MoE {mlp.num_experts}{shared}" + (" by hash" if mlp.table_rows else "")
        case s.Dense():
            return f"dense {mlp.intermediate_size:,}"
        case s.Combined():
            return " + ".join(mlp_words(part) for part in mlp.parts)
        case s.NotUnderstood():
            return "not understood yet"
        case s.ProductKeys():
            return f"product keys, {mlp.num_experts_per_tok} of {mlp.num_experts:,}"
        case s.ChannelMix():
            return f"channel mix {mlp.intermediate_size:,}"
        case s.LinearMixer():
            return "one matrix"
    return type(mlp).__name__


def ratio(many: int, few: int) -> str:
    """36 and 12 -> "3:1"; counts without a small common ratio give ""."""
    step = gcd(many, few)
    return f"{many // step}:{few // step}" if few // step <= 2 and many // step <= 31 else ""


def mixers_line(spec: s.ModelSpec) -> str:
    """What mixes tokens in this model: "GQA 32:8", "Gated DeltaNet 3:1", "KDA 3:1 MLA", "CSA / HCA"."""
    counts = Counter(brief(layer.mixer) for layer in spec.layers if layer.mixer is not None)
    if "MLA + shared indexers" in counts:
        counts["MLA + shared indexers"] += counts.pop("MLA + indexer", 0)
    common = [word for word, _ in counts.most_common()]
    if len(common) < 2:
        return common[0] if common else "no mixer"
    if len(common) > 2:
        return " / ".join(common[:3]) + (" …" if len(common) > 3 else "")
    (first, many), (second, few) = counts.most_common()
    plain = re.match(r"(GQA|MHA|MQA) ", second) is not None
    between = ratio(many, few)
    if not between:
        return f"{first} / {'attention' if plain else second}"
    return f"{first} {between}" + ("" if plain else f" {second}")


def brief(mixer: object) -> str:
    """`mixer_words` without what a card has no room for."""
    if isinstance(mixer, s.LatentAttention) and mixer.indexer:
        return "MLA + shared indexers" if mixer.indexer.shared else "MLA + indexer"
    if isinstance(mixer, s.Attention):
        return f"sparse {heads(mixer)[:3]}" if mixer.indexer else mixer_words(mixer).removesuffix(" NoPE")
    return mixer_words(mixer)


def mlps_line(spec: s.ModelSpec) -> str:
    """What stands in the other half, the commonest: "MoE 256+1" or "dense"."""
    counts = Counter(mlp_words(layer.mlp) for layer in spec.layers if layer.mlp is not None)
    if not counts:
        return "no MLP"
    parts = counts.most_common(1)[0][0].split(" + ")
    return " + ".join(dict.fromkeys("dense" if part.startswith("dense") else part for part in parts))


def card_line(spec: s.ModelSpec) -> str:
    """The one line of a card."""
    line = f"{mixers_line(spec)} · {mlps_line(spec)}"
    return line[0].upper() + line[1:]
