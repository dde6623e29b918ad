"""A mixer or an MLP -> what its panel shows: its words, the flows of its graph, a picture of who sees whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from cutaway.gallery import spec as s
from cutaway.gallery.drawing.annotations import act
from cutaway.gallery.drawing.dataflow import Flow
from cutaway.gallery.drawing.experts import Experts, coarse
from cutaway.gallery.drawing.graph_to_dataflow import Flows, flows_of
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import wide
from cutaway.gallery.drawing.node_items import Parts, per_layer
from cutaway.gallery.drawing.words import count
from cutaway.gallery.graph import Graph

N, CELL = 10, 4


class Band:
    """A causal square with a band, with chunks, or with a band and a few entries behind it."""

    def __init__(self, role: str, kind: str, words: str) -> None:
        self.role, self.kind, self.words = role, kind, words
        self.w, self.h = N * CELL + 8 + wide(words, "small"), N * CELL

    @classmethod
    def of(cls, m, role: str) -> Band | None:
        """The picture of a mixer that does not see everything, else None."""
        window, chunk = m.sliding_window, getattr(m, "attention_chunk_size", 0)
        if getattr(m, "compress_ratio", 0):
            return cls(role, "entries", f"{window:,} + entries")
        if window:
            return cls(role, "window", f"last {window:,}")
        return cls(role, "chunk", f"chunks of {chunk:,}") if chunk else None

    def sees(self, i: int, j: int) -> bool:
        """Whether token i of the picture sees token j."""
        if j > i:
            return False
        if self.kind == "chunk":
            return i // 5 == j // 5
        return i - j < 3 or (self.kind == "entries" and j % 4 == 3)

    def cells(self, seen: bool) -> str:
        """The cells that a token sees, or those that it does not, as relative moves from the corner."""
        out, at = [], (0, 0)
        for i in range(N):
            for j in range(i + 1):
                if self.sees(i, j) is seen:
                    out.append(f"m{(j - at[1]) * CELL} {(i - at[0]) * CELL}h3v3h-3z")
                    at = (i, j)
        return "".join(out)

    def put(self, m: Marks, right: float, y: float) -> None:
        """Right-aligned at `right`, words to the left of the square."""
        x = right - N * CELL
        m.open(f"rows are tokens, columns what they see: {self.words}")
        m.path("soft " + self.role, f"M{x:g} {y:g}{self.cells(False)}")
        m.path("solid " + self.role, f"M{x:g} {y:g}{self.cells(True)}")
        m.close()
        m.text("small end", x - 8, y + 24, self.words)

    def lines(self) -> list[str]:
        return [f"sees {self.words}"]


# ---------------------------------------------------------------- one panel


@dataclass(slots=True)
class PanelContent:
    """One opened mixer or MLP: words, flows from top to bottom, and what stands beside them."""

    role: str
    title: str
    says: str
    flows: list[Flow] = field(default_factory=list)
    experts: Experts | None = None  # an Experts picture stands in for the flows
    band: Band | None = None  # a small picture of who sees whom
    chips: list[str] = field(default_factory=list)
    alarm: str = ""  # what is not understood
    scale: float = 1.0
    parameters: int = 0
    graph: Graph | None = None  # what the flows are a picture of
    where: str = ""  # what that graph is called: "layer3.mixer"

    def wires(self) -> list[tuple[str, str]]:
        """What the lines of the picture can be: the graph's edges, its output, a tensor that is shown by itself."""
        if self.graph is None:
            return []
        sinks = [(node.tensors["sinks"].name, node.name) for node in self.graph.nodes if "sinks" in node.tensors]
        return [*self.graph.edges(), (self.graph.out, "out"), *sinks]

    def lines(self) -> list[str]:
        """The outline of the panel."""
        out = [self.title, "  " + self.says] if self.says else [self.title]
        if self.alarm:
            out.append("  not understood yet: " + self.alarm)
        if self.band:
            out += ["  " + line for line in self.band.lines()]
        if self.experts:
            out += ["  " + line for line in self.experts.lines()]
        for flow in self.flows:
            out += flow.lines("  ")
        return out + ["  also " + chip for chip in self.chips]


def graph_panel(parts: Parts, role: str, title: str, says: str, band: Band | None = None) -> PanelContent:
    """A panel whose picture is the graph of its mixer or MLP."""
    return PanelContent(role, title, says, flows_of(parts.graph, parts, role), band=band, graph=parts.graph)


# ---------------------------------------------------------------- attention


def attention_role(m: s.Attention | s.LatentAttention) -> str:
    if m.indexer and not m.indexer.shared:  # a layer that reuses a choice looks like its base, as in GLM-5.2's stripes
        return "sparse"
    if m.sliding_window or getattr(m, "attention_chunk_size", 0):
        return "window"
    return "latent" if isinstance(m, s.LatentAttention) else "full"


def _sight(m: s.Attention | s.LatentAttention) -> str:
    if m.sliding_window:
        return f"each token sees the last {m.sliding_window:,}"
    chunk = getattr(m, "attention_chunk_size", 0)
    return f"each token sees its own chunk of {chunk:,}" if chunk else ""


def _attention_says(m: s.Attention, parts: Parts) -> str:
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
    words.append({"nope": "NoPE" if not m.cross else "", "alibi": "ALiBi"}.get(m.position, ""))
    if m.indexer and m.indexer.shared:
        words.append("reads what an earlier layer's indexer chose")
    if m.gate:
        words.append("one gate per head" if m.gate == "headwise" else "a gate on every output")
    return " · ".join(word for word in words if word)


def attention(parts: Parts) -> PanelContent:
    """Q, K, V side by side into the softmax; yellow where decoding keeps keys and values."""
    m: s.Attention = parts.m
    role = attention_role(m)
    return graph_panel(parts, role, attention_name(m), _attention_says(m, parts), Band.of(m, role))


def expert_heads(parts: Parts) -> PanelContent:
    """JetMoE: the chosen experts' queries against keys and values that all of them share."""
    m: s.ExpertHeads = parts.m
    says = f"{per_layer(parts)} · each token asks with the heads of {m.num_experts_per_tok} of {m.num_experts} experts"
    return graph_panel(parts, "full", "Attention with experts of heads", says, None)


def attention_name(m: s.Attention) -> str:
    heads = (
        "Multi-head"
        if m.num_key_value_heads == m.num_attention_heads
        else "Multi-query"
        if m.num_key_value_heads == 1
        else "Grouped-query"
    )
    if m.cross:
        return "Cross-attention to the image encoder"
    if m.differential or m.dynamic_mask:
        return "Differential attention" if m.differential else "Dynamic-mask attention"
    sight = "sliding window" if m.sliding_window else "chunked" if m.attention_chunk_size else ""
    sight = sight or ("block-sparse" if m.indexer and m.indexer.block_size > 1 else "indexed" if m.indexer else "")
    name = f"{heads} attention" + (f", {sight}" if sight else "")
    return f"Gated {name[0].lower()}{name[1:]}" if m.gate else name


# ---------------------------------------------------------------- multi-head latent attention


def latent(parts: Parts) -> PanelContent:
    """MLA: one latent per token is kept, and a small rotated key beside it."""
    m: s.LatentAttention = parts.m
    role, rope = attention_role(m), m.qk_rope_head_dim
    full = m.num_attention_heads * (m.qk_nope_head_dim + rope + m.v_head_dim)
    caches = f"caches {m.kv_lora_rank + rope:,} numbers per token instead of {full:,}" if parts.rules.keeps else ""
    says = [per_layer(parts), caches, _sight(m)]
    if m.kv_source is not None:
        says[1] = f"reads the latent of layer {m.kv_source}"
    if not m.rotary_dim:
        says.append("no rotary position")
    if m.indexer and m.indexer.shared:
        says.append("reads what an earlier layer's indexer chose")
    title = ("Gated m" if m.gate else "M") + "ulti-head latent attention" + (", indexed" if m.indexer else "")
    return graph_panel(parts, role, title, " · ".join(word for word in says if word), Band.of(m, role))


# ---------------------------------------------------------------- one vector as key and value


def compressed(parts: Parts) -> PanelContent:
    """One vector is key and value for all heads: a window of raw ones, and compressed entries for what lies behind."""
    m: s.CompressedAttention = parts.m
    role = compressed_role(m)
    rope = f"RoPE on {m.qk_rope_head_dim} of {m.head_dim}"
    says = [per_layer(parts), "one vector is key and value for all heads", rope]
    if m.compress_ratio:
        says.append(f"one entry per {m.compress_ratio} tokens behind it")
    return graph_panel(parts, role, compressed_name(m), " · ".join(says), Band.of(m, role))


def compressed_role(m: s.CompressedAttention) -> str:
    return "window" if not m.compress_ratio else "sparse" if m.indexer else "latent"


def compressed_name(m: s.CompressedAttention) -> str:
    if not m.compress_ratio:
        return "Attention with K = V, window only"
    return "Compressed sparse attention" if m.indexer else "Heavily compressed attention"


# ---------------------------------------------------------------- keys through convolutions


def convolved(parts: Parts) -> PanelContent:
    """q and k through both convolutions; half of each value one token late."""
    m: s.ConvolvedAttention = parts.m
    sight = m.first_kernel + m.second_kernel - 1
    says = f"{per_layer(parts)} · queries and keys are convolved over the last {sight} tokens"
    return graph_panel(parts, attention_role(m), f"{attention_name(m)}, convolved", says)


def relative(parts: Parts) -> PanelContent:
    """Keys and values through short convolutions; a bias of the token's own for every distance."""
    m: s.RelativeAttention = parts.m
    says = f"{per_layer(parts)} · no rotation: {m.d_rel} profiles over {m.rel_extent:,} distances, mixed by each token"
    return graph_panel(
        parts, attention_role(m), f"{attention_name(m)}, positions as a bias", says, Band.of(m, attention_role(m))
    )


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


def not_understood(parts: Parts) -> PanelContent:
    """A half that the spec cannot express: said, not left out."""
    m: s.NotUnderstood = parts.m
    says = "this half of the layer is drawn as a box, and counted nowhere"
    return PanelContent("plain", "Not understood yet", says, alarm=m.what[:160])


# ---------------------------------------------------------------- MLPs

NAMES = {"SiLU": "SwiGLU", "GELU": "GeGLU", "clamped SiLU": "clamped SwiGLU"}


def dense(parts: Parts) -> PanelContent:
    """gate and up side by side, then down; or up and down."""
    m: s.Dense = parts.m
    f = act("swigluoai" if m.glu == "swigluoai" else m.hidden_act)
    borrowed = m.weights_of is not None
    size = f"width {m.intermediate_size:,}, {m.intermediate_size / parts.h:.2g} × the residual stream"
    says = f"the weights of layer {m.weights_of}" if borrowed else f"{per_layer(parts)} · {size}"
    title = f"Dense MLP, {NAMES.get(f, f + ' gated')}" if m.gated else f"Dense MLP, {f}"
    title += ", shared weights" if borrowed else ""
    return graph_panel(parts, "dense", title, says)


def channel_mix(parts: Parts) -> PanelContent:
    """RWKV: up, relu², down, each token mixed with the one before it."""
    m: s.ChannelMix = parts.m
    return graph_panel(parts, "dense", "Channel mix, ReLU²", f"{per_layer(parts)} · width {m.intermediate_size:,}")


def product_keys(parts: Parts) -> PanelContent:
    """Doge: a dense MLP, and experts of one number each beside it."""
    m: s.ProductKeys = parts.m
    says = f"{per_layer(parts)} · {m.num_experts:,} experts of one number, each token visits {m.num_experts_per_tok}"
    return graph_panel(parts, "moe", "Dense MLP and product-key experts", says)


def moe(parts: Parts) -> PanelContent:
    """Router, cells, one expert, what every token visits."""
    m: s.MoE = parts.m
    each = sum(prod(s) for n, s in parts.own.items() if "{expert}" in n) // max(m.num_experts, 1)
    words = [f"{m.num_experts:,} experts × {count(each)}", f"each token visits {m.num_experts_per_tok}"]
    if m.shared_expert_intermediate_size:
        n = max(m.n_shared_experts, 1)
        words[-1] += f", plus {n} shared" + (" with its own gate" if m.shared_gate else "")
    if m.latent_size:
        words.append(f"in a latent of {m.latent_size:,}")
    if m.zero_expert_num:
        words.append(f"{m.zero_expert_num} more return " + ("their input" if m.zero_returns else "nothing"))
    experts = Experts(parts, each)
    content = PanelContent("moe", "Mixture of experts", " · ".join(words), experts=experts, graph=parts.graph)
    content.flows = [Flows(coarse(parts.graph), parts, "moe", experts).all()[0]]
    return content
