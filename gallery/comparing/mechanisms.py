"""A spec -> the set of its mechanisms: words for what it does, each of one part. Sizes are not mechanisms.

One row a mechanism, and nothing else lists them: the question that finds it, what is said of a model that has it (a
template may use {p} (the part that has it), {s} (the spec), {where} and all else that text/mechanism.py fills in), what
the glossary says of it, and the explainers that teach it. Who had it before the catalogue did stands in `earlier`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from cutaway.gallery import spec as s
from cutaway.gallery.cached import cached_for_spec
from cutaway.gallery.comparing import finding as f
from cutaway.gallery.comparing.finding import Hit, Question, seen_in
from cutaway.gallery.residuals.altup import AltUp
from cutaway.gallery.residuals.convolved_halves import ConvolvedHalves
from cutaway.gallery.residuals.depth_attention import DepthAttention
from cutaway.gallery.residuals.early_experts import EarlyExperts
from cutaway.gallery.residuals.gated_streams import GatedStreams
from cutaway.gallery.residuals.hyper_connections import HyperConnections
from cutaway.gallery.residuals.normed_stream import NormedStream
from cutaway.gallery.residuals.per_layer import PerLayer
from cutaway.gallery.residuals.scaled_stream import ScaledStream
from cutaway.gallery.residuals.shared_block import SharedBlock
from cutaway.gallery.residuals.shortcut import Shortcut
from cutaway.gallery.residuals.two_speeds import TwoSpeeds
from cutaway.gallery.residuals.weighted import Weighted

PARTS = ("mixer", "mlp", "norms", "position", "bias", "block")


class Mechanism(NamedTuple):
    """One row of MECHANISMS."""

    key: str  # stands in addresses and in data
    part: str  # of PARTS
    short: str  # on a label: "output gate"
    word: str  # in a sentence: "a gate on attention's output"
    find: Question
    head: str  # in bold: "RoPE on {p.rotary_dim} of {p.head_dim} dimensions"
    says: str  # the rest of the sentence
    source: str  # where the word is from
    meaning: str  # one plain sentence, true of every model that has it: sizes and places stand on the models' own pages
    also: tuple[str, ...] = ()  # further names that readers type
    learn: tuple[str, ...] = ()  # folders of the explainers that teach it
    near: bool = True  # whether it counts in how near two models are; what images alone see, and a base, do not
    many: str = ""  # `word` for a model that has several of them: "{several} shared experts"


# Explainers that teach several: their folders' names.
MASKS, HEADS, DELTA, PLACE = ("masks",), ("heads",), ("delta-rule", "decoder"), ("position",)
FAMILY = ("linear-family",)
EXPERTS, ROUTERS, LONG = ("experts", "expert-parallel"), ("experts",), ("long-context",)
SPARSE = ("sparse", *LONG)
NORMS, LOOPS = ("norms",), ("loops",)

GELU = ("gelu", "gelu_new", "gelu_pytorch_tanh", "gelu_fast", "quick_gelu")


def _heads(test) -> Question:
    return f.mixer(s.Attention, lambda p, spec: not p.cross and test(p.num_attention_heads, p.num_key_value_heads))


def _act(gated: bool, *names: str) -> Question:
    return f.mlp((s.Dense, s.MoE), lambda p, spec: p.gated is gated and p.hidden_act in names and p.glu == "glu")


def sees_window(p: Any, spec: s.ModelSpec) -> bool:
    """Whether a mixer's window is shorter than the text the model was made for (Phi-3 128k's is not)."""
    window = getattr(p, "sliding_window", 0)
    return bool(window) and window < (spec.max_position_embeddings or window + 1)


def _softmax(p: Any) -> bool:
    return isinstance(p, s.Attention | s.LatentAttention | s.CompressedAttention | s.ExpertHeads) and not getattr(
        p, "cross", False
    )


def _sees_all(p: Any, spec: s.ModelSpec) -> bool:
    return _softmax(p) and not sees_window(p, spec) and not getattr(p, "attention_chunk_size", 0)


def _has_rope(p: Any) -> bool:
    return bool(getattr(p, "rope", None))


def _placeless(p: Any, spec: s.ModelSpec) -> bool:
    """Attention that sees no position at all."""
    return _softmax(p) and not _has_rope(p) and getattr(p, "position", "nope") in ("nope", "rope")


def _style(*styles: str) -> Question:
    return f.mixer(object, lambda p, spec: (i := getattr(p, "indexer", None)) and i.style in styles and not i.shared)


def _single_kind(layer: s.Layer) -> bool:
    return layer.mixer is None or layer.mlp is None


def _side_by_side(how: str, half: str):
    return lambda layer: isinstance(getattr(layer, half), s.Combined) and getattr(layer, half).how == how


WINDOW = f.mixer(object, sees_window)
ROPE = f.mixer(object, lambda p, spec: _has_rope(p))
NOPE = f.mixer(object, _placeless)
BESIDE_ROPE = ("alibi", "learned", "waves", "relative")
OTHER_POSITION = f.mixer(object, lambda p, spec: getattr(p, "position", "") in BESIDE_ROPE)
UNDIVIDED = (s.Attention, s.ConvolvedAttention, s.LightningAttention)  # a latent's rotated part is a design of its own

# fmt: off
MECHANISMS: tuple[Mechanism, ...] = (
    # ------------------------------------------------------------ mixers: who reads whom
    Mechanism("mha", "mixer", "MHA", "multi-head attention", _heads(lambda q, kv: q == kv),
              "Multi-head attention", "{where}: each of the {p.num_attention_heads} heads has its own keys and values.",
              "arXiv 1706.03762",
              meaning="Every query head has its own key head and value head, and all of them are cached.",
              learn=HEADS),
    Mechanism("gqa", "mixer", "GQA", "grouped-query attention", _heads(lambda q, kv: 1 < kv < q),
              "Grouped-query attention", "{where}: {per_kv} query heads share each of the {p.num_key_value_heads} "
              "key/value heads.", "arXiv 2305.13245",
              meaning="Several query heads share each key and value head, which makes the KV cache that many times "
                      "smaller.",
              learn=HEADS),
    Mechanism("mqa", "mixer", "MQA", "multi-query attention", _heads(lambda q, kv: kv == 1 < q),
              "Multi-query attention", "{where}: all {p.num_attention_heads} query heads share one key/value head.",
              "arXiv 1911.02150",
              meaning="All query heads share a single key and value head, which gives the smallest cache of plain "
                      "attention.",
              learn=HEADS),
    Mechanism("mla", "mixer", "MLA", "latent attention", f.mixer(s.LatentAttention),
              "Multi-head latent attention", "{where}: keys and values of all heads are projected from one latent of "
              "{p.kv_lora_rank:,} numbers per token.", "arXiv 2405.04434",
              meaning="Keys and values of all heads are projected from one short vector per token, and only this "
                      "vector and a small rotated key are cached.",
              also=("multi-head latent attention",), learn=("mla-numbers", *HEADS)),
    Mechanism("csa", "mixer", "CSA", "compressed sparse attention",
              f.mixer(s.CompressedAttention, lambda p, spec: p.indexer),
              "Compressed sparse attention", "{where}: one cache entry per {p.compress_ratio} tokens, and an "
              "indexer that picks {p.indexer.index_topk:,} entries.", "the DeepSeek-V4 report",
              meaning="Every few tokens are compressed into one cached entry, and an indexer picks the entries that a "
                      "query attends to.",
              learn=SPARSE),
    Mechanism("hca", "mixer", "HCA", "heavily compressed attention",
              f.mixer(s.CompressedAttention, lambda p, spec: p.compress_ratio and not p.indexer),
              "Heavily compressed attention",
              "{where}: one cache entry per {p.compress_ratio} tokens; a query attends to all entries.",
              "the DeepSeek-V4 report",
              meaning="Many tokens are compressed into each cached entry, so that a query can attend to all the "
                      "entries.",
              learn=SPARSE),
    Mechanism("cca", "mixer", "CCA", "compressed convolutional attention", f.mixer(s.ConvolvedAttention),
              "Compressed convolutional attention",
              "{where}: queries and keys pass through two short convolutions; half of each value comes from the "
              "previous token.", "arXiv 2510.04476",
              meaning="Queries and keys are compressed and pass through short convolutions before attention scores "
                      "them.",
              also=("CCA attention", "convolved attention")),
    Mechanism("relative", "mixer", "relative position bias", "a learned relative position bias",
              f.mixer(s.RelativeAttention), "A learned relative position bias",
              "{where}: each token mixes its own bias from {p.d_rel} profiles.", "Inkling's modelling code",
              meaning="A learned bias that depends on the distance between two tokens is added to their attention "
                      "score.",
              also=("learned distance bias",)),
    Mechanism("expert-heads", "mixer", "expert heads", "mixture of attention heads", f.mixer(s.ExpertHeads),
              "Mixture of attention heads", "{where}: each token uses {p.num_experts_per_tok} of {p.num_experts} "
              "query heads.",
              "arXiv 2404.07413",
              meaning="A router picks the query heads that each token uses, as an MoE router picks experts.",
              also=("query heads as experts",)),
    Mechanism("gated-deltanet", "mixer", "Gated DeltaNet", "Gated DeltaNet", f.mixer(s.GatedDeltaNet),
              "Gated DeltaNet", "{where}: each value head updates one {p.linear_key_head_dim} × "
              "{p.linear_value_head_dim} state instead of adding keys and values to a cache.", "arXiv 2412.06464",
              meaning="A state of fixed size decays by a gate, and each token corrects the value that the state "
                      "returns for its key.",
              also=("GDN", "gated delta rule"), learn=DELTA),
    Mechanism("kda", "mixer", "KDA", "Kimi Delta Attention", f.mixer(s.KimiDelta),
              "Kimi Delta Attention", "{where}: the delta rule on a {p.head_dim} × {p.head_dim} state per head, with "
              "a separate decay for every key channel.", "arXiv 2510.26692",
              meaning="The delta rule with a separate decay for every key channel, where Gated DeltaNet has one per "
                      "head.",
              learn=DELTA),
    Mechanism("lightning", "mixer", "lightning attention", "lightning attention", f.mixer(s.LightningAttention),
              "Lightning attention", "{where}: a {p.head_dim} × {p.head_dim} state per head that decays by a fixed "
              "factor.",
              "arXiv 2401.04658",
              meaning="Keys and values are summed into a state that decays by a fixed factor; there is no softmax and "
                      "no growing cache.",
              also=("TransNormer",), learn=(*FAMILY, *DELTA)),
    Mechanism("mamba1", "mixer", "Mamba-1", "Mamba", f.mixer(s.Mamba1),
              "Mamba", "{where}: a state of {p.state_size} numbers for each of {p.d_inner:,} channels.",
              "arXiv 2312.00752",
              meaning="Each channel has a small state, and each token decides how much of it to forget and how much to "
                      "add.",
              also=("Mamba 1", "selective state space")),
    Mechanism("mamba2", "mixer", "Mamba-2", "Mamba-2", f.mixer(s.Mamba2),
              "Mamba-2", "{where}: each of the {p.num_heads} heads has a {p.head_dim} × {p.state_size} state and one "
              "decay.",
              "arXiv 2405.21060",
              meaning="A selective state space model with one decay per head, so that it can be computed as a masked "
                      "matrix product.",
              also=("Mamba 2", "SSD", "state space duality"), learn=DELTA),
    Mechanism("mlstm", "mixer", "mLSTM", "the mLSTM", f.mixer(s.MatrixLSTM),
              "mLSTM", "{where}: a {p.qk_head_dim} × {p.v_head_dim} memory per head, with an exponential input gate "
              "and a sigmoid forget gate.",
              "arXiv 2405.04517",
              meaning="An LSTM whose memory is a matrix, with an exponential input gate and a sigmoid forget gate.",
              also=("xLSTM",), learn=FAMILY),
    Mechanism("rg-lru", "mixer", "RG-LRU", "the RG-LRU", f.mixer(s.RGLRU),
              "RG-LRU", "{where}: one decaying number for each of {p.lru_width:,} channels.", "arXiv 2402.19427",
              meaning="The gated linear recurrence of Griffin, with one decaying number per channel.",
              also=("Griffin", "RecurrentGemma")),
    Mechanism("rwkv4", "mixer", "RWKV-4", "RWKV-4's time mix", f.mixer(s.RwkvMean),
              "RWKV-4's time mix", "{where}: a decaying mean of values per channel.", "arXiv 2305.13048",
              meaning="A weighted average of past values, with a decay rate per channel.", also=("RWKV",)),
    Mechanism("rwkv7", "mixer", "RWKV-7", "RWKV-7's time mix", f.mixer(s.RwkvTimeMix),
              "RWKV-7's time mix", "{where}: a delta rule on a {p.head_dim} × {p.head_dim} state, with a decay per "
              "channel.",
              "arXiv 2503.14456",
              meaning="A generalised delta rule: the state decays per channel and is corrected along a learned "
                      "direction.",
              also=("RWKV", "Goose"), learn=FAMILY),
    Mechanism("short-conv", "mixer", "short convolution", "short convolutions", f.mixer(s.ShortConv),
              "A gated short convolution", "{where} sees only the last {p.conv_L_cache} tokens.",
              "Liquid AI's LFM2 report",
              meaning="A short convolution with two gates: each channel mixes only the last few tokens.",
              also=("gated convolution", "LIV")),
    Mechanism("one-matrix", "mixer", "linear replacement", "a linear layer in place of attention",
              f.mixer(s.LinearMixer),
              "A linear layer in place of attention", "{where}: tokens do not see each other in these layers.",
              "arXiv 2411.19146",
              meaning="Attention is replaced by a single linear layer, so that tokens do not see each other in this "
                      "layer.",
              also=("one matrix", "Puzzle")),
    # ------------------------------------------------------------ mixers: how far, which, what else
    Mechanism("window", "mixer", "sliding window", "a sliding window", WINDOW,
              "A sliding window", "{where}: each token attends to the last {p.sliding_window:,} tokens.",
              "arXiv 2310.06825",
              meaning="A token attends only to a fixed number of earlier tokens, so the cache of such a layer stops "
                      "growing.",
              also=("sliding window attention", "SWA", "local attention", "windowed attention"), learn=MASKS),
    Mechanism("window-mix", "mixer", "local + global", "local (sliding) and global attention layers",
              f.all_hold(f.mixer(object, _sees_all), WINDOW),
              "Local and global attention layers",
              "{n} of {of} layers attend to the last {p.sliding_window:,} tokens, the others to all.",
              "arXiv 2408.00118",
              meaning="Some layers attend to a sliding window, others to the whole text.",
              also=("interleaved windows", "local and global attention", "windows beside full attention"),
              learn=(*MASKS, *LONG)),
    Mechanism("chunks", "mixer", "chunked attention", "chunked attention", f.mixer_field("attention_chunk_size"),
              "Chunked attention", "{where}: a token attends only within its own chunk of {p.attention_chunk_size:,} "
              "tokens.",
              "attention_chunk_size in Llama 4's config",
              meaning="The text is cut into chunks, and a token attends only to earlier tokens of its own chunk.",
              also=("chunked local attention",), learn=MASKS),
    Mechanism("dsa", "mixer", "DSA indexer", "DeepSeek sparse attention (DSA)", _style("dsa"),
              "DeepSeek sparse attention", "{where}: an indexer scores all earlier tokens, and attention uses the "
              "{p.indexer.index_topk:,} best.", "arXiv 2512.02556",
              meaning="A small indexer scores all earlier tokens, and attention uses only those with the highest "
                      "scores.",
              also=("DSA", "DeepSeek sparse attention", "lightning indexer", "indexer that picks tokens"),
              learn=SPARSE),
    Mechanism("shared-indexer", "mixer", "indexer shared between layers", "an indexer that several layers share",
              f.mixer(object, lambda p, spec: (i := getattr(p, "indexer", None)) and i.shared),
              "An indexer shared between layers", "{where}: these attend to the tokens that an earlier layer's "
              "indexer picked.",
              "indexer_types in GLM-5.2's config",
              meaning="A layer attends to the tokens that an earlier layer's indexer has picked.",
              also=("index sharing",),
              learn=SPARSE),
    Mechanism("block-indexer", "mixer", "block indexer", "an indexer that picks blocks", _style("minimax_m3"),
              "An indexer that picks blocks", "{where}: attention uses the {p.indexer.index_topk} best blocks of "
              "{p.indexer.block_size} tokens.", "sparse_attention_config in MiniMax-M3's config",
              meaning="A small indexer scores blocks of tokens, and attention uses only the blocks with the highest "
                      "scores.",
              also=("block-sparse attention", "block sparse"), learn=SPARSE),
    Mechanism("pooled-indexer", "mixer", "pooled indexer", "an indexer over pooled keys", _style("means", "pools"),
              "An indexer over pooled keys", "{where}: each index key stands for {p.indexer.block_size} tokens.",
              "indexer_compress_ratio in Qwen4-Exp's config",
              meaning="An indexer scores pooled keys, each the mean of several tokens' keys, and attention reads only "
                      "the tokens of the highest-scoring keys.",
              also=("pooled index",), learn=SPARSE),
    Mechanism("sinks", "mixer", "sinks", "attention sinks",
              f.mixer_field("sinks"),
              "Attention sinks", "{where}: a learned logit per head lets that head attend to nothing.",
              "the gpt-oss model card",
              meaning="A learned logit per head is added to the softmax without a value, so that a head can attend to "
                      "nothing.",
              also=("attention sinks", "sink logits"), learn=MASKS),
    Mechanism("softcap", "mixer", "soft-caps", "soft-capped scores", f.mixer_field("softcap", s.Attention),
              "Soft-capped scores", "{where}: scores become {p.softcap:g} · tanh(score / {p.softcap:g}).",
              "arXiv 2408.00118",
              meaning="Attention scores pass through a scaled tanh, so that none exceeds a limit.",
              also=("logit softcap", "soft-capping"), learn=NORMS),
    Mechanism("output-gate", "mixer", "output gate", "a gate on attention's output",
              f.mixer(s.Attention, lambda p, spec: p.gate in ("elementwise", "separate")),
              "A gate on attention's output", "multiplies every head's output by σ(gate), {gate_from}.",
              "arXiv 2505.06708",
              meaning="Attention's output is multiplied elementwise by a gate that is computed from the token.",
              also=("gated attention",), learn=NORMS),
    Mechanism("headwise-gate", "mixer", "headwise gate", "a gate per attention head",
              f.mixer(s.Attention, lambda p, spec: p.gate == "headwise"),
              "A gate per head", "{where}: one number per head scales that head's output.",
              "arXiv 2505.06708",
              meaning="One number per head, computed from the token, scales that head's output.",
              also=("gated attention",), learn=NORMS),
    Mechanism("mla-gate", "mixer", "MLA gate", "a gate on latent attention's output",
              f.mixer_field("gate", s.LatentAttention),
              "A gate on latent attention's output", "multiplies every head's output {where}.",
              "attn_output_gate in Kimi K3's config",
              meaning="The output of latent attention is multiplied by a gate.", also=("gated MLA",), learn=NORMS),
    Mechanism("query-latent", "mixer", "low-rank queries", "low-rank queries",
              f.mixer_field("q_lora_rank", (s.LatentAttention, s.Attention)),
              "Low-rank queries", "{where}: queries are projected through a latent of {p.q_lora_rank:,} numbers.",
              "arXiv 2405.04434",
              meaning="Queries are also projected down to a short vector and up again.",
              also=("q_lora_rank", "query compression", "query latent")),
    Mechanism("k-is-v", "mixer", "K = V", "keys that are also values",
              f.mixer(object, lambda p, spec: getattr(p, "k_eq_v", False) or isinstance(p, s.CompressedAttention)),
              "Shared keys and values (K = V)", "{where}: {one_for_both}.",
              "attention_k_eq_v in Gemma 4's config",
              meaning="The keys also serve as values, which saves one projection.", also=("shared keys and values",)),
    Mechanism("shared-kv", "mixer", "shared KV", "keys and values shared between layers",
              f.mixer(object, lambda p, spec: getattr(p, "kv_source", None) is not None),
              "Keys and values of an earlier layer", "are reused {where}, and these layers cache none of their own.",
              "arXiv 2405.12981",
              meaning="A layer uses the keys and values of an earlier layer and caches none of its own.",
              also=("KV sharing", "shared KV cache", "cross-layer attention", "CLA"), learn=LOOPS),
    Mechanism("cross", "mixer", "cross-attention", "cross-attention to images", f.mixer_field("cross"),
              "Cross-attention", "{where}: keys and values come from the image, not from the text.",
              "arXiv 2407.21783",
              meaning="In some layers, text queries attend to keys and values that come from an image."),
    Mechanism("temperature", "mixer", "attention temperature", "attention temperature that grows with position",
              f.mixer(object, lambda p, spec: getattr(p, "temperature", ()) or getattr(p, "learned_temperature", False)
                      or getattr(p, "log_scaling", ())),
              "Attention temperature that grows with position", "{where}: queries are scaled up more at later "
              "positions.",
              "attn_temperature_tuning in Llama 4's config",
              meaning="Queries are scaled up slowly with their position, so that attention stays sharp in long texts.",
              also=("position temperature", "scalable softmax")),
    Mechanism("clip", "mixer", "QKV clipping", "clipped queries, keys and values", f.mixer_field("clip"),
              "Queries, keys and values clipped", "to ±{p.clip:g} {where}.", "clip_qkv in DBRX's config",
              meaning="Queries, keys and values are clamped to a limit, which keeps training stable.",
              also=("clip_qkv",)),
    Mechanism("v-norm", "mixer", "value norm", "normalised values", f.mixer_field("v_norm"),
              "Normalised values", "{where}, without learned weights.", "Gemma 4's modelling code",
              meaning="The value vectors are normalised before attention sums them.", learn=NORMS),
    Mechanism("value-scale", "mixer", "scaled values", "values scaled by a constant",
              f.mixer(object, lambda p, spec: getattr(p, "value_scale", 1.0) != 1.0),
              "Values scaled", "by {p.value_scale:g} {where}.", "attention_value_scale in MiMo-V2's config",
              meaning="The value vectors are multiplied by a constant."),
    Mechanism("differential", "mixer", "differential attention", "differential attention",
              f.mixer_field("differential"), "Differential attention",
              "{where}: the output of one group of heads minus λ times the output of another.", "arXiv 2410.05258",
              meaning="Two softmax attention maps are computed, and one is subtracted from the other, to cancel noise.",
              also=("Diff Transformer",)),
    Mechanism("dynamic-mask", "mixer", "dynamic mask", "a dynamic mask", f.mixer_field("dynamic_mask"),
              "A dynamic mask", "{where}: the values decide which {p.dynamic_mask:,} keys are seen.",
              "arXiv 2412.11834",
              meaning="A mask computed from the values decides which keys a query attends to, and how strongly.",
              also=("Doge",)),
    Mechanism("grouped-output", "mixer", "grouped output", "a grouped low-rank output projection",
              f.mixer_field("o_groups"),
              "A grouped low-rank output projection", "{where}: each of the {p.o_groups} groups of heads is "
              "projected down to {p.o_lora_rank:,} numbers.",
              "the DeepSeek-V4 report",
              meaning="The heads' outputs are projected down in groups, by one low-rank matrix per group, and then up "
                      "to the residual stream.",
              also=("low-rank output projection",)),
    Mechanism("lora-shared", "mixer", "shared layers with adapters", "shared layers with LoRA adapters",
              f.mixer_field("adapter"), "LoRA adapters on shared layers", "{where}, with rank {p.adapter[0]}.",
              "arXiv 2411.15242",
              meaning="Several layers share the same weights, and each adds its own low-rank adapter.",
              also=("LoRA",)),
    # ------------------------------------------------------------ MLPs
    Mechanism("swiglu", "mlp", "SwiGLU", "SwiGLU", _act(True, "silu", "swish"),
              "SwiGLU", "{where}: SiLU(gate) × up, then the down projection.", "arXiv 2002.05202",
              meaning="One matrix computes a gate and another computes values, which are multiplied by SiLU of the "
                      "gate.",
              also=("SiLU-gated MLP", "gated MLP with SiLU")),
    Mechanism("geglu", "mlp", "GEGLU", "GEGLU", _act(True, *GELU), "GEGLU", "{where}: GELU(gate) × up, then the down "
              "projection.",
              "arXiv 2002.05202",
              meaning="Like SwiGLU, with GELU instead of SiLU on the gate.", also=("GeGLU",)),
    Mechanism("gelu", "mlp", "GELU", "a GELU MLP without a gate", _act(False, *GELU),
              "GELU without a gate", "{where}: up projection, GELU, down projection.", "arXiv 1606.08415",
              meaning="A plain MLP with a GELU activation and no gate, as in GPT-2."),
    Mechanism("relu2", "mlp", "ReLU²", "squared ReLU", f.mlp((s.Dense, s.MoE),
              lambda p, spec: p.hidden_act == "relu2" and not p.gated),
              "Squared ReLU", "{where}: up projection, ReLU², down projection, without a gate.", "arXiv 2109.08668",
              meaning="An MLP without a gate, whose activation is the square of ReLU.", also=("squared ReLU", "relu2")),
    Mechanism("xielu", "mlp", "xIELU", "xIELU", f.mlp(s.Dense, lambda p, spec: p.hidden_act == "xielu"),
              "xIELU", "{where}: an activation with two learned parameters, without a gate.", "arXiv 2411.13010",
              meaning="An activation with one learned coefficient for positive inputs and one for negative inputs."),
    Mechanism("situ", "mlp", "SiTU", "SiTU", f.mlp((s.Dense, s.MoE), lambda p, spec: p.hidden_act == "situ"),
              "SiTU", "{where}: gate and up are bounded by tanh before they are multiplied.",
              "hidden_act in Kimi K3's config",
              meaning="A gated activation in which tanh bounds both the gate and the values."),
    Mechanism("swigluoai", "mlp", "clamped SwiGLU", "clamped SwiGLU with up + 1",
              f.mlp((s.Dense, s.MoE), lambda p, spec: p.glu == "swigluoai" or p.hidden_act == "swigluoai"),
              "Clamped SwiGLU", "{where}: (up + 1) · gate · σ(α · gate), with up and gate clamped first.",
              "the gpt-oss model card",
              meaning="SwiGLU with a steeper gate and values shifted by one; the gate and the values are clamped "
                      "first.",
              also=("gpt-oss SwiGLU",)),
    Mechanism("sparse-gate", "mlp", "sparse activations", "sparse activations", f.mlp_field("sparsity"),
              "Sparse activations", "{where}: all but the largest gate values are set to zero.",
              "activation_sparsity_pattern in Gemma 3n's config",
              meaning="Only the largest gate values of a token are kept; the others become zero.",
              also=("activation sparsity",)),
    Mechanism("channel-mix", "mlp", "channel mix", "RWKV's channel mix", f.mlp(s.ChannelMix),
              "Channel mix", "{where}: each token is mixed with the previous one.", "arXiv 2305.13048",
              meaning="The MLP of RWKV, which mixes each token with the one before it and applies squared ReLU."),
    Mechanism("moe", "mlp", "MoE", "experts", f.mlp(s.MoE),
              "A mixture of experts", "{where}: each token is routed to {p.num_experts_per_tok} of {p.num_experts:,} "
              "experts.",
              "arXiv 1701.06538",
              meaning="A router sends each token to a few of many MLPs, so that most weights are not used for that "
                      "token.",
              also=("mixture of experts", "routed experts"), learn=EXPERTS),
    Mechanism("shared-expert", "mlp", "shared expert", "a shared expert",
              f.mlp_field("shared_expert_intermediate_size"),
              "{shared}", "{where}: every token uses {it}.", "arXiv 2401.06066",
              meaning="In addition to the routed experts, there is an expert, or several, that every token uses.",
              also=("shared experts",), learn=EXPERTS, many="{several} shared experts"),
    Mechanism("shared-gate", "mlp", "shared expert's gate", "a gate on the shared expert", f.mlp_field("shared_gate"),
              "A gate on the shared expert",
              "scales the output of that expert; a vector of {s.hidden_size:,} weights computes it.",
              "Qwen2-MoE's shared_expert_gate",
              meaning="A gate, one number per token, scales the shared expert's output.", learn=ROUTERS),
    Mechanism("shared-routed", "mlp", "routed shared expert", "shared experts weighted by the router",
              f.mlp_field("shared_routed"), "Shared experts weighted by the router", "{where}.",
              "Inkling's modelling code",
              meaning="The router also computes the weights of the shared experts, which every token uses.",
              learn=ROUTERS),
    Mechanism("groups", "mlp", "routing groups", "group-limited routing",
              f.mlp(s.MoE, lambda p, spec: p.n_group > 1 and p.topk_group < p.n_group),
              "Group-limited routing", "{where}: the router keeps {p.topk_group} of {p.n_group} groups of experts, "
              "then picks experts from them.",
              "arXiv 2405.04434",
              meaning="Experts are divided into groups, and a token uses only experts from its best groups.",
              also=("routing in groups", "node-limited routing"), learn=EXPERTS),
    Mechanism("sigmoid-router", "mlp", "sigmoid router", "a sigmoid router",
              f.mlp(s.MoE, lambda p, spec: p.scoring == "sigmoid"),
              "A sigmoid router", "{where}: each expert is scored independently, without a softmax.",
              "arXiv 2412.19437",
              meaning="Each expert's score is a sigmoid of its own logit, independent of the others.",
              also=("sigmoid gating",), learn=EXPERTS),
    Mechanism("selection-bias", "mlp", "selection bias", "a selection bias without auxiliary loss",
              f.mlp_field("selection_bias", s.MoE),
              "A bias for choosing experts", "{where}: it balances the load without an auxiliary loss; the weights of "
              "the chosen experts come from the scores without it.", "arXiv 2408.15664",
              meaning="A bias per expert, moved during training instead of an auxiliary loss, decides with the score "
                      "which experts are chosen, but does not weigh their outputs.",
              also=("auxiliary-loss-free load balancing", "aux-loss-free", "e_score_correction_bias",
              "loss-free balancing"), learn=ROUTERS),
    Mechanism("sqrtsoftplus-router", "mlp", "√softplus router", "a √softplus router",
              f.mlp(s.MoE, lambda p, spec: p.scoring == "sqrtsoftplus"),
              "A √softplus router", "{where}: each expert's score is the square root of a softplus.",
              "the DeepSeek-V4 report",
              meaning="Each expert's score is the square root of a softplus of its logit.", also=("sqrtsoftplus",),
              learn=ROUTERS),
    Mechanism("hash-router", "mlp", "hash routing", "experts chosen by a hash of the token", f.mlp_field("table_rows"),
              "Experts chosen by a hash", "of the token {where}, whatever the context.", "the DeepSeek-V4 report",
              meaning="A table maps each token's ID to its experts, whatever the context.", also=("hash layers",),
              learn=ROUTERS),
    Mechanism("router-network", "mlp", "router network", "a router that is a network", f.mlp_field("router_network"),
              "A router that is a small network", "{where}, of width {p.router_network}.", "ZAYA1's modelling code",
              meaning="The router is a small network that also reads the router state of the previous layer.",
              learn=ROUTERS),
    Mechanism("sparsemixer", "mlp", "sparsemixer", "the sparsemixer", f.mlp_field("jitter"),
              "Sparsemixer", "scores the chosen experts one after another.", "arXiv 2310.00811",
              meaning="The chosen experts are weighted one after the other, each against only the experts with similar "
                      "scores.",
              learn=ROUTERS),
    Mechanism("zero-experts", "mlp", "zero experts", "zero-computation experts", f.mlp_field("zero_expert_num"),
              "Zero-computation experts", "{where}: {p.zero_expert_num} experts without weights, in addition to the "
              "others.",
              "arXiv 2509.01322",
              meaning="Some experts have no weights and return their input, so that easy tokens cost less.",
              also=("experts without weights", "identity experts"), learn=ROUTERS),
    Mechanism("latent-experts", "mlp", "latent MoE", "latent MoE", f.mlp_field("latent_size"),
              "Latent MoE", "{where}: experts work at a width of {p.latent_size:,}, not {s.hidden_size:,}.",
              "moe_latent_size in Nemotron 3's config",
              meaning="Tokens are projected down to a shorter vector before the experts and back up after them.",
              also=("latent experts", "experts in a latent"), learn=ROUTERS),
    Mechanism("on-input", "mlp", "weighted input", "experts weighted at their input", f.mlp_field("on_input"),
              "Experts weighted at their input", "{where}: the router's weight multiplies the input of the expert.",
              "Llama 4's modelling code",
              meaning="The router's weight multiplies an expert's input instead of its output.", learn=ROUTERS),
    Mechanism("own-router-input", "mlp", "router's own input", "a router with an input of its own",
              f.mlp_field("router_normal"), "A router with an input of its own",
              "{where}: it has its own norm and scale.",
              "Gemma 4's modelling code",
              meaning="The router reads the residual stream through its own norm and scale.",
              learn=ROUTERS),
    Mechanism("dense-beside", "mlp", "dense + MoE", "a dense MLP in parallel with the experts",
              f.all_hold(f.mlp(s.MoE), f.layers(_side_by_side("parallel", "mlp"), "mlp")),
              "A dense MLP in parallel with the experts", "{where}.", "Snowflake Arctic's modelling code",
              meaning="A dense MLP runs in parallel with the experts, and the two outputs are added.",
              also=("dense MoE hybrid", "dense beside MoE"),
              learn=ROUTERS),
    Mechanism("product-keys", "mlp", "product keys", "product-key experts", f.mlp(s.ProductKeys),
              "Product-key experts", "{where}: {p.num_experts:,} experts of one neuron each.", "arXiv 2407.04153",
              meaning="Each expert is a single neuron, and a token finds its experts by scoring two short lists of "
                      "keys.",
              also=("PEER", "product key memory"), learn=ROUTERS),
    # ------------------------------------------------------------ norms
    Mechanism("layernorm", "norms", "LayerNorm", "LayerNorm", f.norm(lambda n: n.kind == "LayerNorm"),
              "LayerNorm", "{where}: the mean is subtracted before scaling.", "arXiv 1607.06450",
              meaning="The mean is subtracted from each vector, which is then divided by its standard deviation.",
              also=("layer normalization",),
              learn=NORMS),
    Mechanism("rmsnorm", "norms", "RMSNorm", "RMSNorm", f.norm(lambda n: n.kind == "RMSNorm"),
              "RMSNorm", "{where}: vectors are divided by their root mean square, without subtracting the mean.",
              "arXiv 1910.07467",
              meaning="Each vector is divided by its root mean square; the mean is not subtracted.",
              also=("root mean square norm",), learn=NORMS),
    Mechanism("post-norm", "norms", "post-norm", "post-norm",
              f.norm(lambda n: n.position in ("mixer_out", "mlp_out")),
              "Post-norm", "{where}: the output of attention or MLP is normalised before it is added.",
              "arXiv 2408.00118",
              meaning="The output of attention or MLP is normalised before it is added to the stream.",
              also=("sandwich norm",), learn=NORMS),
    Mechanism("no-pre-norm", "norms", "post-norm only", "post-norm only",
              f.all_hold(f.none_of(f.norm(lambda n: n.position in ("mixer_in", "mlp_in", "mixer_after", "mlp_after"))),
                      f.norm(lambda n: n.position in ("mixer_out", "mlp_out"))),
              "Post-norm only", "{where}: no norm before attention or MLP.", "arXiv 2501.00656",
              meaning="There is no norm before attention or MLP; only their outputs are normalised.",
              also=("no pre-norm", "OLMo 2 norm"), learn=NORMS),
    Mechanism("stream-norm", "norms", "post-LN", "norms on the residual stream (post-LN)",
              f.norm(lambda n: n.position in ("mixer_after", "mlp_after")),
              "Norms on the residual stream (post-LN)", "{where}: after each sum, as in the original transformer.",
              "arXiv 1706.03762",
              meaning="The residual stream itself is normalised after each sum, as in the original transformer.",
              also=("norm in the stream",), learn=NORMS),
    Mechanism("qk-norm", "norms", "QK-norm", "QK-norm per head",
              f.mixer(s.Attention, lambda p, spec: p.qk_norm in ("head", "per_head") and not p.cross),
              "QK-norm", "{where}: queries and keys are normalised head by head.", "arXiv 2010.04245",
              meaning="Queries and keys are normalised separately in each head before their dot product.",
              also=("query-key normalisation", "query-key normalization"), learn=NORMS),
    Mechanism("qk-norm-full", "norms", "QK-norm, all heads", "QK-norm across the whole projection",
              f.mixer(s.Attention, lambda p, spec: p.qk_norm == "full"),
              "QK-norm across the whole projection", "{where}.", "arXiv 2409.02060",
              meaning="Queries and keys are normalised across all heads together before their dot product.",
              also=("QK-norm",),
              learn=NORMS),
    Mechanism("qk-norm-bare", "norms", "QK-norm, no weight", "QK-norm without weights",
              f.mixer(s.Attention, lambda p, spec: p.qk_norm == "unweighted"),
              "QK-norm without weights", "{where}.", "use_qk_norm in Llama 4's config",
              meaning="Queries and keys are normalised without learned weights.",
              also=("QK-norm", "L2 norm of queries and keys"), learn=NORMS),
    Mechanism("sub-norm", "norms", "sub-norm", "norms inside attention and MLP", f.any_holds(f.mixer_field("sub_norm"),
              f.mlp_field("sub_norm")), "Norms inside attention and MLP", "{where}: before the last matrix.",
              "arXiv 2402.17764",
              meaning="Attention and MLP each have an internal norm, just before their last matrix.",
              also=("sub-LN", "BitNet norm"),
              learn=NORMS),
    Mechanism("state-norms", "norms", "norms inside Mamba", "norms inside Mamba", f.mixer_field("inner_norms"),
              "Norms inside Mamba", "{where}: on Δ, B and C.", "arXiv 2403.19887",
              meaning="The parameters Δ, B and C of Mamba are normalised.", learn=NORMS),
    Mechanism("gated-norm", "norms", "gated norm", "norms with a gate", f.norm(lambda n: n.gate_rank),
              "Norms with a gate", "{where}: a small MLP gates their output.", "A.X K2's modelling code",
              meaning="A small MLP computes a gate from the normalised vector and multiplies the vector by it.",
              learn=NORMS),
    # ------------------------------------------------------------ position
    Mechanism("rope", "position", "RoPE", "RoPE", ROPE, "RoPE",
              "{where}: queries and keys are rotated by their position.",
              "arXiv 2104.09864",
              meaning="Pairs of numbers in queries and keys are rotated by angles that grow with position, so that "
                      "scores depend on relative distance.",
              also=("rotary", "rotary position embedding"), learn=PLACE),
    Mechanism("partial-rope", "position", "partial RoPE", "partial RoPE",
              f.mixer(UNDIVIDED, lambda p, spec: p.rope and 0 < p.rope.dims < p.head_dim
                      and p.rope.kind != "proportional"),
              "RoPE on {rotated} of {p.head_dim} dimensions", "leaves the other {rest} unrotated.",
              "rotary_dim in GPT-J's config",
              meaning="RoPE rotates only a part of each head's dimensions; latent attention, whose keys have a rotated "
                      "part by design, is not counted.",
              also=("partial rotary", "RoPE on a part of each head"), learn=PLACE),
    Mechanism("proportional-rope", "position", "proportional RoPE", "proportional RoPE",
              f.mixer(object, lambda p, spec: (r := getattr(p, "rope", None)) and r.kind == "proportional"),
              "Proportional RoPE", "{where}: only the fast frequencies rotate.",
              "rope_type proportional in Gemma 4's config",
              meaning="RoPE rotates only the dimensions with high frequencies; the others are not rotated.",
              also=("p-RoPE",)),
    Mechanism("two-bases", "position", "two RoPE bases", "a second RoPE base",
              f.with_other(
                  f.mixer(object, lambda p, spec: _has_rope(p) and sees_window(p, spec)),
                  f.mixer(object, lambda p, spec: _has_rope(p) and _sees_all(p, spec)), lambda p: p.rope.theta,
              ),
              "Two RoPE bases", "differ by reach: {bases}.", "arXiv 2412.13663",
              meaning="Attention with a sliding window has one RoPE base, and attention to the whole text another, "
                      "usually a much larger one.",
              also=("local RoPE base", "rope_local_base_freq", "separate RoPE base", "dual RoPE"), learn=PLACE,
              near=False),
    Mechanism("m-rope", "position", "M-RoPE", "M-RoPE",
              f.all_hold(f.model(lambda spec: spec.mrope and spec.towers, "stack"), ROPE),
              "M-RoPE", "{where}: an image token's time, row and column rotate {sections} pairs of each head.",
              "arXiv 2409.12191",
              meaning="The pairs that RoPE rotates are divided among the time, the row and the column of an image "
                      "token; for text, all three are the position.",
              also=("multimodal RoPE", "multimodal rotary position embedding", "interleaved MRoPE", "mrope_section"),
              learn=PLACE, near=False),
    Mechanism("nope", "position", "NoPE layers", "NoPE layers", f.all_hold(ROPE, NOPE),
              "NoPE layers", "{n} of {of} layers have attention without position encoding; the others use RoPE.",
              "arXiv 2501.18795",
              meaning="Some attention layers have no position encoding, while others use RoPE.",
              also=("NoPE", "no position embedding", "no positional encoding", "layers without position", "RNoPE",
              "iRoPE"), learn=PLACE),
    Mechanism("no-position", "position", "NoPE", "no position encoding",
              f.all_hold(f.none_of(ROPE, OTHER_POSITION), NOPE),
              "No position encoding", "{where}: queries and keys are not rotated.",
              "arXiv 2403.19887",
              meaning="No attention layer has a position encoding; the recurrent layers track the order of tokens.",
              also=("NoPE", "no positional encoding", "attention without position"), learn=PLACE),
    Mechanism("alibi", "position", "ALiBi", "ALiBi", f.mixer(object, lambda p, spec: getattr(p, "position",
              "") == "alibi"),
              "ALiBi", "{where}: scores fall linearly with distance, with a slope per head.", "arXiv 2108.12409",
              meaning="Attention scores fall linearly with distance, with a fixed slope per head.",
              also=("linear biases",)),
    Mechanism("learned-position", "position", "learned positions", "learned position embeddings",
              f.all_hold(f.opening_operation("positions"), f.mixer(object, lambda p, spec: getattr(p, "position",
              "") == "learned")),
              "Learned position embeddings", "add a stored vector for each of {context} positions to the token "
              "embedding.",
              "GPT-2",
              meaning="Every position has a learned vector that is added to the token's embedding.",
              also=("absolute position embedding",)),
    # ------------------------------------------------------------ biases
    Mechanism("qkv-bias", "bias", "QKV bias", "biases on queries, keys and values",
              f.mixer((s.Attention, s.LatentAttention), lambda p, spec: p.bias & frozenset("qkv")),
              "Biases on queries, keys and values", "{where}.", "Qwen's modelling code",
              meaning="The query, key and value projections have learned biases.", also=("attention bias",)),
    Mechanism("o-bias", "bias", "output bias", "a bias on attention's output",
              f.mixer((s.Attention, s.LatentAttention), lambda p, spec: "o" in p.bias),
              "A bias on attention's output", "{where}.", "GPT-2",
              meaning="The output projection of attention has a learned bias."),
    Mechanism("mlp-bias", "bias", "MLP bias", "biases in the MLP",
              f.mlp((s.Dense, s.MoE), lambda p, spec: p.bias), "Biases in the MLP", "{where}.", "GPT-2",
              meaning="The linear layers of the MLP have learned biases."),
    # ------------------------------------------------------------ block
    Mechanism("parallel", "block", "parallel block", "attention and MLP in parallel",
              f.layers(lambda layer: layer.parallel), "Attention and MLP in parallel",
              "{where}: both read the same input.",
              "GPT-J's modelling code",
              meaning="Attention and MLP read the same input, and both outputs are added to the residual stream "
                      "together.",
              also=("parallel attention", "mixer and MLP side by side"), learn=NORMS),
    Mechanism("both-mixers", "block", "parallel mixers", "attention and a state space model in parallel",
              f.layers(_side_by_side("parallel", "mixer"), "mixer"),
              "Two mixers in parallel", "{where}: attention and a state space model read the same input.",
              "arXiv 2507.22448",
              meaning="Attention and a state space model run in parallel in one layer.",
              also=("hybrid heads", "two mixers side by side"), learn=LOOPS),
    Mechanism("double-layer", "block", "two mixers a layer", "two mixers in a layer",
              f.layers(_side_by_side("serial", "mixer"), "mixer"),
              "Two mixers in a layer", "run one after the other {where}.", "arXiv 2509.01322",
              meaning="A layer has two mixers, one after the other.", learn=LOOPS),
    Mechanism("shortcut-experts", "block", "shortcut experts", "shortcut-connected experts",
              f.stream(Shortcut, node="shortcut_add"), "Shortcut-connected experts",
              "{where}: they read the input of the first MLP, and their output is added after the second MLP.",
              "arXiv 2509.01322",
              meaning="Experts read the input of a layer's first MLP, and their output is added at the end of the "
                      "layer, so that they can run in parallel with everything in between.",
              also=("experts on a shortcut", "shortcut-connected MoE", "ScMoE"), learn=LOOPS),
    Mechanism("early-experts", "block", "early experts", "experts in parallel with attention",
              f.stream(EarlyExperts, node="experts_add"), "Experts in parallel with attention",
              "{where}: they read the layer's input, and their output is added at the end of the layer.",
              "Snowflake Arctic's modelling code",
              meaning="Experts read a layer's input instead of attention's output, and their output is added at the "
                      "end of the layer.", also=("experts that need not wait for attention",),
              learn=LOOPS),
    Mechanism("lone-halves", "block", "single-mixer layers", "single-mixer layers", f.layers(_single_kind),
              "Single-mixer layers", "{n} of {of} layers have only one of attention, Mamba and MLP.",
              "arXiv 2504.03624",
              meaning="A layer has a single sublayer: attention, Mamba or an MLP (dense or MoE).", learn=LOOPS),
    Mechanism("hyper-connections", "block", "hyper-connections", "hyper-connections",
              f.stream(HyperConnections), "Hyper-connections",
              "carry {p.streams} residual streams; each sublayer reads a weighted sum and writes to all.",
              "arXiv 2409.19606",
              meaning="Several residual streams run in parallel; each sublayer reads a weighted sum of them and "
                      "writes to all.",
              also=("mHC", "manifold-constrained hyper-connections"), learn=LOOPS),
    Mechanism("gated-streams", "block", "gated streams", "gated residual streams", f.stream(GatedStreams),
              "Gated residual streams", "{p.streams} streams, read through an elementwise gate.",
              "Qwen4-Exp's modelling code",
              meaning="Several residual streams run in parallel, and each sublayer reads them through an elementwise "
                      "gate.", learn=LOOPS),
    Mechanism("ngrams", "block", "n-gram tables", "n-gram embeddings",
              f.any_holds(f.embedding_tables("ngram_embedding"), f.stream(GatedStreams, lambda p: p.ngrams)),
              "N-gram embeddings", "add a vector looked up by the last few tokens.",
              "LongCat-Flash-Lite's and Qwen4-Exp's modelling code",
              meaning="A vector looked up for the last few tokens is added to the residual stream.",
              also=("n-gram embedding", "tables of n-grams"), learn=LOOPS),
    Mechanism("altup", "block", "AltUp", "AltUp", f.stream(AltUp),
              "AltUp", "carries {p.streams} streams; a layer computes one and corrects the others.",
              "arXiv 2301.13310",
              meaning="Each layer computes only one of several residual streams, and its result is used to update the "
                      "others.",
              also=("alternating updates",), learn=LOOPS),
    Mechanism("laurel", "block", "LAuReL", "LAuReL", f.extra("laurel", "laurel"),
              "LAuReL", "{where}: a low-rank residual in addition to the usual one.", "arXiv 2411.07501",
              meaning="A learned low-rank projection of the input is added to the residual connection.", learn=LOOPS),
    Mechanism("per-layer", "block", "per-layer embeddings", "per-layer embeddings",
              f.any_holds(f.stream(PerLayer, lambda p: p.width, "per_layer"),
                       f.stream(AltUp, lambda p: p.per_layer, "per_layer")),
              "Per-layer embeddings", "{where}: each layer looks the token up in its own table.",
              "Gemma 3n's modelling code",
              meaning="Every layer looks up the token again in its own small embedding table.",
              also=("PLE", "embedding per layer"), learn=LOOPS),
    Mechanism("depth-attention", "block", "attention over depth", "attention over depth", f.stream(DepthAttention),
              "Attention over depth", "lets each sublayer read a softmax-weighted mean of the sums of earlier blocks "
              "of {p.block} layers.",
              "Inkling 2's modelling code",
              meaning="Each sublayer reads a softmax-weighted mean over the summed outputs of earlier blocks of "
                      "layers.",
              learn=LOOPS),
    Mechanism("convolved-halves", "block", "convolved sublayers", "a convolution after each sublayer",
              f.stream(ConvolvedHalves), "A convolution after each sublayer", "over the last {p.kernel} tokens.",
              "Inkling's modelling code",
              meaning="Each sublayer is followed by a short convolution over the last few tokens.", learn=NORMS),
    Mechanism("scaled-stream", "block", "weighted stream", "a residual stream weighted at every sum",
              f.any_holds(f.stream(ScaledStream), f.stream(Weighted)),
              "A residual stream weighted at every sum", "{where}.", "ZAYA1's modelling code",
              meaning="At every addition, the residual stream, the sublayer's output or both are scaled.",
              learn=NORMS),
    Mechanism("normed-stream", "block", "normed stream", "a residual stream that passes through its norms",
              f.stream(NormedStream), "A residual stream that passes through its norms",
              "{where}: each sublayer's output is added to its normalised input.", "arXiv 2501.08313",
              meaning="A sublayer's output is added to its normalised input instead of the residual stream itself.",
              also=("DeepNorm",),
              learn=NORMS),
    Mechanism("residual-scale", "block", "scaled residuals", "scaled sublayer outputs",
              f.stream(s.Plain, lambda p: p.multiplier != 1.0),
              "Sublayer outputs scaled", "by {p.multiplier:.3g} before they are added to the residual stream.",
              "arXiv 2404.06395",
              meaning="Each sublayer's output is multiplied by a constant before it is added.",
              also=("residual multiplier", "muP"), learn=NORMS),
    Mechanism("shared-block", "block", "shared block", "a transformer block shared between layers",
              f.stream(SharedBlock),
              "A transformer block shared between layers", "reads the stream and the embedding, concatenated.",
              "arXiv 2411.15242",
              meaning="One transformer block is reused at several places in the stack.",
              also=("Zamba block",), learn=LOOPS),
    Mechanism("deepstack", "block", "DeepStack", "DeepStack", f.first_layers(lambda spec: len(spec.deepstack)),
              "DeepStack", "adds features of layers {taps} of the vision tower to the stream after "
              "the first {n} layers, at image tokens.", "arXiv 2406.04334",
              meaning="Features from several layers of the vision tower are added to the residual stream at image "
                      "tokens, after each of the first few layers.",
              also=("deepstack_visual_indexes",), near=False),
    Mechanism("loops", "block", "looped stack", "a stack that runs several times",
              f.model(lambda spec: spec.loops > 1 or spec.course, "stack"),
              "A looped stack", "runs the same {of} layers {s.loops} times.", "arXiv 2510.25741",
              meaning="The whole stack runs several times with the same weights.",
              also=("looped", "loops", "recurrent depth", "universal transformer"), learn=LOOPS),
    Mechanism("two-speeds", "block", "two speeds", "two stacks at two speeds", f.stream(TwoSpeeds),
              "Two stacks at two speeds", "take turns: the low one runs {p.low_cycles} times, then the high one once.",
              "arXiv 2506.21734",
              meaning="A fast stack of layers runs several times for each step of a slow stack.",
              also=("hierarchical reasoning model", "HRM"), learn=LOOPS),
    Mechanism("mtp", "block", "MTP", "multi-token prediction", f.model(lambda spec: spec.mtp, "mtp"),
              "{mtp} multi-token-prediction layer{mtp_s}", "with {mtp_size} parameters, in addition to the {of} "
              "layers.", "arXiv 2412.19437",
              meaning="An extra layer predicts the token after the next one, for training or speculative decoding.",
              also=("MTP", "nextn", "speculative layer"), learn=LOOPS),
    Mechanism("logit-softcap", "block", "capped logits", "soft-capped logits",
              f.model(lambda spec: spec.logits_softcap, "head"),
              "Soft-capped logits", "are computed as {s.logits_softcap:g} · tanh(logit / {s.logits_softcap:g}).",
              "arXiv 2408.00118",
              meaning="Logits pass through a scaled tanh, so that none exceeds a limit.",
              also=("final logit softcapping",), learn=NORMS),
    Mechanism("bidirectional", "block", "bidirectional", "attention in both directions",
              f.model(lambda spec: spec.bidirectional, "stack"), "Attention in both directions",
              "lets every token attend to every other.", "arXiv 1810.04805",
              meaning="Every token attends to every other token, as in encoders and diffusion models, so there is no "
                      "KV cache.",
              also=("diffusion", "encoder")),
)
# fmt: on
BY_KEY = {row.key: row for row in MECHANISMS}
BIT = {row.key: 1 << place for place, row in enumerate(MECHANISMS)}


@cached_for_spec
def mechanisms(spec: s.ModelSpec) -> tuple[str, ...]:
    """The keys of what a model has, in the order of the table."""
    seen = seen_in(spec)
    return tuple(row.key for row in MECHANISMS if row.find(seen))


def find_mechanism(spec: s.ModelSpec, key: str) -> list[Hit]:
    """Where a model has a mechanism; what most layers have first."""
    return sorted(BY_KEY[key].find(seen_in(spec)), key=lambda hit: -len(hit.layers))


def bits(keys: Iterable[str]) -> int:
    """A set of mechanisms as one number."""
    return sum(BIT[key] for key in keys)
