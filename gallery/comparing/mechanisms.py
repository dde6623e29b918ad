"""A spec -> the set of its mechanisms: words for what it does, each of one part. Sizes are not mechanisms.

One row a mechanism, and nothing else lists them: the question that finds it, what is said of a model that has it (a
template may use {p} (the part that has it), {s} (the spec), {where}, and the words of `values`), what the glossary says
of it, and the explainers that teach it. Who had it before the catalogue did stands in `earlier`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from cutaway.gallery import spec as s
from cutaway.gallery.comparing import finding as f
from cutaway.gallery.comparing.finding import Hit, Question, Seen
from cutaway.gallery.comparing.text.number import number_word, scaled_count
from cutaway.gallery.counting.parameters import parameters
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
    where: str = ""  # said of one of a first pair: where else a like thing is not counted as this


# Explainers that teach several: their folders' names.
MASKS, HEADS, DELTA, PLACE = ("masks",), ("heads",), ("delta-rule", "decoder"), ("position",)
EXPERTS, ROUTERS, LONG = ("experts", "expert-parallel"), ("experts",), ("long-context",)
AROUND = ("around-the-block",)

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
              "Multi-head attention", "{where}: each of {p.num_attention_heads} heads has keys and values of its own.",
              "arXiv 1706.03762",
              meaning="Every query head has a key head and a value head of its own, and all of them are cached.",
              learn=HEADS),
    Mechanism("gqa", "mixer", "GQA", "grouped-query attention", _heads(lambda q, kv: 1 < kv < q),
              "Grouped-query attention", "{where}: {per_kv} query heads share each of {p.num_key_value_heads} key and "
              "value heads.", "arXiv 2305.13245",
              meaning="Several query heads share one key and value head, so the cache is smaller by their number.",
              learn=HEADS),
    Mechanism("mqa", "mixer", "MQA", "multi-query attention", _heads(lambda q, kv: kv == 1 < q),
              "Multi-query attention", "{where}: all {p.num_attention_heads} query heads share one key and value head.",
              "arXiv 1911.02150",
              meaning="All query heads share a single key and value head: the smallest cache of plain attention.",
              learn=HEADS),
    Mechanism("mla", "mixer", "MLA", "latent attention", f.mixer(s.LatentAttention),
              "Multi-head latent attention", "{where}: all heads read keys and values out of one latent of "
              "{p.kv_lora_rank:,} numbers per token.", "arXiv 2405.04434",
              meaning="Keys and values of all heads are read out of one short vector per token, and only that vector "
                      "and a small rotated key are cached.",
              also=("multi-head latent attention",), learn=("mla-numbers", *HEADS)),
    Mechanism("csa", "mixer", "CSA", "compressed sparse attention",
              f.mixer(s.CompressedAttention, lambda p, spec: p.indexer),
              "Compressed sparse attention", "{where}: one entry for every {p.compress_ratio} tokens, and an indexer "
              "that picks {p.indexer.index_topk:,} of them.", "DeepSeek-V4 report",
              meaning="A few tokens become one cached entry, and an indexer picks which entries a query reads.",
              learn=LONG),
    Mechanism("hca", "mixer", "HCA", "heavily compressed attention",
              f.mixer(s.CompressedAttention, lambda p, spec: p.compress_ratio and not p.indexer),
              "Heavily compressed attention",
              "{where}: one entry for every {p.compress_ratio} tokens, all of them read.",
              "DeepSeek-V4 report",
              meaning="Many tokens become one cached entry, so few are left that a query can read all of them.",
              learn=LONG),
    Mechanism("cca", "mixer", "CCA", "convolved attention", f.mixer(s.ConvolvedAttention),
              "Compressed convolutional attention",
              "{where}: queries and keys pass two short convolutions, half of each "
              "value comes from the token before.", "arXiv 2510.04476",
              meaning="Queries and keys pass short convolutions inside a compressed space before they meet.",
              also=("CCA attention",)),
    Mechanism("relative", "mixer", "learned distance bias", "a learned bias for every distance",
              f.mixer(s.RelativeAttention), "A learned bias for every distance",
              "{where}: each token mixes its own from "
              "{p.d_rel} profiles.", "Inkling's modelling code",
              meaning="Every distance between two tokens has a learned number that is added to their score.",
              also=("relative position bias",)),
    Mechanism("expert-heads", "mixer", "expert heads", "query heads that are experts", f.mixer(s.ExpertHeads),
              "Query heads as experts", "{where}: each token asks with {p.num_experts_per_tok} of {p.num_experts}.",
              "arXiv 2404.07413",
              meaning="A router picks which query heads a token asks with, as it would pick experts.",
              also=("mixture of attention heads",)),
    Mechanism("gated-deltanet", "mixer", "Gated DeltaNet", "Gated DeltaNet", f.mixer(s.GatedDeltaNet),
              "Gated DeltaNet", "{where}: each value head rewrites one {p.linear_key_head_dim} × "
              "{p.linear_value_head_dim} state instead of adding keys and values to a cache.", "arXiv 2412.06464",
              meaning="A state of fixed size fades by a gate, and each token corrects what the state answers for its "
                      "key.",
              also=("GDN", "gated delta rule"), learn=DELTA),
    Mechanism("kda", "mixer", "KDA", "Kimi Delta Attention", f.mixer(s.KimiDelta),
              "Kimi Delta Attention", "{where}: the delta rule on a {p.head_dim} × {p.head_dim} state per head, with a "
              "decay of its own for every key channel.", "arXiv 2510.26692",
              meaning="The delta rule with a fading of its own for every key channel, where Gated DeltaNet has one per "
                      "head.",
              learn=DELTA),
    Mechanism("lightning", "mixer", "lightning attention", "lightning attention", f.mixer(s.LightningAttention),
              "Lightning attention", "{where}: a {p.head_dim} × {p.head_dim} state per head that fades by a fixed "
              "factor.",
              "arXiv 2401.04658",
              meaning="Keys and values are summed into a state that fades by a fixed factor: no softmax, no cache.",
              also=("TransNormer",), learn=DELTA),
    Mechanism("mamba1", "mixer", "Mamba-1", "Mamba", f.mixer(s.Mamba1),
              "Mamba", "{where}: a state of {p.state_size} numbers for each of {p.d_inner:,} channels.",
              "arXiv 2312.00752",
              meaning="Each channel keeps a short state that the token itself decides how far to forget and to fill.",
              also=("Mamba 1", "selective state space")),
    Mechanism("mamba2", "mixer", "Mamba-2", "Mamba-2", f.mixer(s.Mamba2),
              "Mamba-2", "{where}: a {p.head_dim} × {p.state_size} state for each of {p.num_heads} heads, with one "
              "decay.",
              "arXiv 2405.21060",
              meaning="A selective state space with one rate of forgetting per head, which makes it a masked matrix "
                      "product.",
              also=("Mamba 2", "SSD", "state space duality"), learn=DELTA),
    Mechanism("mlstm", "mixer", "mLSTM", "the mLSTM", f.mixer(s.MatrixLSTM),
              "mLSTM", "{where}: a {p.qk_head_dim} × {p.v_head_dim} memory per head; an exponential gate takes "
              "in, a sigmoid gate forgets.",
              "arXiv 2405.04517",
              meaning="A matrix memory: an exponential gate takes in, a sigmoid gate forgets.", also=("xLSTM",)),
    Mechanism("rg-lru", "mixer", "RG-LRU", "the RG-LRU", f.mixer(s.RGLRU),
              "RG-LRU", "{where}: one fading number for each of {p.lru_width:,} channels.", "arXiv 2402.19427",
              meaning="One fading number per channel behind gates, as Griffin has it.",
              also=("Griffin", "RecurrentGemma")),
    Mechanism("rwkv4", "mixer", "RWKV-4", "RWKV-4's time mix", f.mixer(s.RwkvMean),
              "RWKV-4's time mix", "{where}: a fading mean of values per channel.", "arXiv 2305.13048",
              meaning="A mean of past values that fades channel by channel.", also=("RWKV",)),
    Mechanism("rwkv7", "mixer", "RWKV-7", "RWKV-7's time mix", f.mixer(s.RwkvTimeMix),
              "RWKV-7's time mix", "{where}: a delta rule on a {p.head_dim} × {p.head_dim} state, with a decay per "
              "channel.",
              "arXiv 2503.14456",
              meaning="A generalised delta rule: the state fades per channel and is corrected along a learned "
                      "direction.",
              also=("RWKV", "Goose")),
    Mechanism("short-conv", "mixer", "short convolution", "short convolutions", f.mixer(s.ShortConv),
              "A gated short convolution", "{where} sees the last {p.conv_L_cache} tokens and nothing older.",
              "Liquid AI's LFM2 report",
              meaning="Each channel is mixed over its last few tokens behind two gates, and nothing older is seen.",
              also=("gated convolution", "LIV")),
    Mechanism("one-matrix", "mixer", "one matrix", "one matrix in place of attention", f.mixer(s.LinearMixer),
              "One matrix in place of attention", "{where}: no token sees another there.", "arXiv 2411.19146",
              meaning="A layer whose attention was replaced by one matrix, so that its tokens do not see each other.",
              also=("linear replacement", "Puzzle")),
    # ------------------------------------------------------------ mixers: how far, which, what else
    Mechanism("window", "mixer", "sliding window", "a sliding window", WINDOW,
              "A sliding window", "{where}: each token sees the last {p.sliding_window:,}.",
              "arXiv 2310.06825",
              meaning="A token sees only so many tokens before it, and the cache of such a layer stops growing.",
              also=("sliding window attention", "SWA", "local attention", "windowed attention"), learn=MASKS),
    Mechanism("window-mix", "mixer", "windows beside full", "windows beside full attention",
              f.all_hold(f.mixer(object, _sees_all), WINDOW),
              "Windows beside full attention",
              "{n} of {of} layers see the last {p.sliding_window:,} tokens, others all.",
              "arXiv 2408.00118",
              meaning="Some layers see a window, others the whole text.",
              also=("interleaved windows", "local and global attention"), learn=(*MASKS, *LONG)),
    Mechanism("chunks", "mixer", "chunked attention", "chunked attention", f.mixer_field("attention_chunk_size"),
              "Chunked attention", "{where}: a token sees its own chunk of {p.attention_chunk_size:,} and nothing "
              "before.",
              "Llama 4's attention_chunk_size",
              meaning="The text is cut into chunks, and a token sees only its own.",
              also=("chunked local attention",), learn=MASKS),
    Mechanism("dsa", "mixer", "DSA indexer", "an indexer that picks tokens (DSA)", _style("dsa"),
              "DeepSeek sparse attention", "{where}: an indexer scores all earlier tokens, attention reads the best "
              "{p.indexer.index_topk:,}.", "arXiv 2512.02556",
              meaning="A small indexer scores all earlier tokens, and attention reads only the best of them.",
              also=("DSA", "DeepSeek sparse attention", "lightning indexer"), learn=LONG),
    Mechanism("shared-indexer", "mixer", "indexer shared between layers", "an indexer that several layers share",
              f.mixer(object, lambda p, spec: (i := getattr(p, "indexer", None)) and i.shared),
              "An indexer shared between layers", "{where}: what an earlier layer picked is read again.",
              "GLM-5.2's indexer_types",
              meaning="A layer reads the tokens that an earlier layer's indexer has picked.", also=("index sharing",),
              learn=LONG),
    Mechanism("block-indexer", "mixer", "block indexer", "an indexer that picks blocks", _style("minimax_m3"),
              "An indexer that picks blocks", "{where}: the best {p.indexer.index_topk} blocks of "
              "{p.indexer.block_size} tokens are read.", "MiniMax-M3's sparse_attention_config",
              meaning="A small indexer scores blocks of tokens, and attention reads the best blocks.",
              also=("block-sparse attention", "block sparse"), learn=LONG),
    Mechanism("pooled-indexer", "mixer", "pooled indexer", "an indexer over pooled keys", _style("means", "pools"),
              "An indexer over pooled keys", "{where}: one index key stands for {p.indexer.block_size} tokens.",
              "Qwen4-Exp's indexer_compress_ratio",
              meaning="An indexer scores means of a few keys, and the best means bring their tokens.",
              also=("pooled index",), learn=LONG),
    Mechanism("sinks", "mixer", "sinks", "attention sinks",
              f.mixer_field("sinks"),
              "Attention sinks", "{where}: one learned logit per head lets it look at nothing.", "gpt-oss model card",
              meaning="A learned logit per head joins the softmax and gives nothing, so that a head may look at "
                      "nothing.",
              also=("attention sinks", "sink logits"), learn=MASKS),
    Mechanism("softcap", "mixer", "soft-caps", "soft-capped scores", f.mixer_field("softcap", s.Attention),
              "Soft-capped scores", "{where}: scores become {p.softcap:g} · tanh(score / {p.softcap:g}).",
              "arXiv 2408.00118",
              meaning="Attention scores are pressed through a tanh so that none grows beyond a limit.",
              also=("logit softcap", "soft-capping"), learn=AROUND),
    Mechanism("output-gate", "mixer", "output gate", "a gate on attention's output",
              f.mixer(s.Attention, lambda p, spec: p.gate in ("elementwise", "separate")),
              "A gate on attention's output", "multiplies every head's output by σ(gate), {gate_from}.",
              "arXiv 2505.06708",
              meaning="What attention returns is multiplied number by number by a gate that the token computes.",
              also=("gated attention",), learn=AROUND),
    Mechanism("headwise-gate", "mixer", "headwise gate", "a gate per attention head",
              f.mixer(s.Attention, lambda p, spec: p.gate == "headwise"),
              "A gate per head", "{where}: one number for each of its heads opens or shuts it.",
              "arXiv 2505.06708",
              meaning="One number per head, computed from the token, opens or shuts what that head returns.",
              also=("gated attention",), learn=AROUND),
    Mechanism("mla-gate", "mixer", "MLA gate", "a gate on latent attention's output",
              f.mixer_field("gate", s.LatentAttention),
              "A gate on latent attention's output", "{where} multiplies what every head returns.",
              "Kimi K3's attn_output_gate",
              meaning="Latent attention whose output passes a gate.", also=("gated MLA",), learn=AROUND),
    Mechanism("query-latent", "mixer", "low-rank queries", "queries out of a latent",
              f.mixer_field("q_lora_rank", (s.LatentAttention, s.Attention)),
              "Queries out of a latent", "of {p.q_lora_rank:,} numbers, {where}.", "arXiv 2405.04434",
              meaning="Queries, too, are made in two steps through a short vector.",
              also=("q_lora_rank", "query compression")),
    Mechanism("k-is-v", "mixer", "K = V", "keys that are also values",
              f.mixer(object, lambda p, spec: getattr(p, "k_eq_v", False) or isinstance(p, s.CompressedAttention)),
              "Keys that are also values", "{where}: {one_for_both}.",
              "Gemma 4's attention_k_eq_v",
              meaning="The values are the keys: one projection less.", also=("shared keys and values",)),
    Mechanism("shared-kv", "mixer", "shared KV", "keys and values shared between layers",
              f.mixer(object, lambda p, spec: getattr(p, "kv_source", None) is not None),
              "Keys and values of an earlier layer", "are read again {where}, so these layers keep nothing.",
              "arXiv 2405.12981",
              meaning="A layer reads the keys and values of an earlier layer and caches none of its own.",
              also=("KV sharing", "shared KV cache", "cross-layer attention", "CLA"), learn=AROUND),
    Mechanism("cross", "mixer", "cross-attention", "cross-attention to images", f.mixer_field("cross"),
              "Cross-attention", "{where}: keys and values come from the image, not from the text.",
              "arXiv 2407.21783",
              meaning="Some layers ask text queries of keys and values that come from an image."),
    Mechanism("temperature", "mixer", "position temperature", "queries that grow with their position",
              f.mixer(object, lambda p, spec: getattr(p, "temperature", ()) or getattr(p, "learned_temperature", False)
                      or getattr(p, "log_scaling", ())),
              "Queries that grow with their position", "{where}: the farther on a token stands, the longer they are.",
              "Llama 4's attn_temperature_tuning",
              meaning="Queries grow slowly with their position, so that attention stays sharp in long texts.",
              also=("attention temperature", "scalable softmax")),
    Mechanism("clip", "mixer", "QKV clipping", "clipped queries, keys and values", f.mixer_field("clip"),
              "Queries, keys and values clipped", "to ±{p.clip:g}, {where}.", "DBRX's clip_qkv",
              meaning="Queries, keys and values are cut off at a limit, which keeps training stable.",
              also=("clip_qkv",)),
    Mechanism("v-norm", "mixer", "value norm", "normalised values", f.mixer_field("v_norm"),
              "Normalised values", "{where}, without a weight.", "Gemma 4's modelling code",
              meaning="Values are normalised before they are summed.", learn=AROUND),
    Mechanism("value-scale", "mixer", "scaled values", "values scaled by a constant",
              f.mixer(object, lambda p, spec: getattr(p, "value_scale", 1.0) != 1.0),
              "Values scaled", "by {p.value_scale:g}, {where}.", "MiMo-V2's attention_value_scale",
              meaning="Values are multiplied by one constant."),
    Mechanism("differential", "mixer", "differential attention", "differential attention",
              f.mixer_field("differential"), "Differential attention",
              "{where}: one half of the heads minus λ times the "
              "other.", "arXiv 2410.05258",
              meaning="Two softmaxes are taken, and one is subtracted from the other, to cancel noise.",
              also=("Diff Transformer",)),
    Mechanism("dynamic-mask", "mixer", "dynamic mask", "a dynamic mask", f.mixer_field("dynamic_mask"),
              "A dynamic mask", "{where}: values alone say which {p.dynamic_mask:,} keys are seen.",
              "arXiv 2412.11834",
              meaning="The values themselves decide which keys are seen, and how strongly.", also=("Doge",)),
    Mechanism("grouped-output", "mixer", "grouped output", "a low-rank way out in groups", f.mixer_field("o_groups"),
              "A low-rank way out in groups", "{where}: heads in {p.o_groups} groups, each down to {p.o_lora_rank:,}.",
              "DeepSeek-V4 report",
              meaning="What the heads return goes back to the stream through small matrices, group by group."),
    Mechanism("lora-shared", "mixer", "shared layers with adapters", "shared layers with adapters of their own",
              f.mixer_field("adapter"), "Adapters on shared layers", "{where}: rank {p.adapter[0]}.",
              "arXiv 2411.15242",
              meaning="Layers use the same weights, each with a small low-rank correction of its own.",
              also=("LoRA",)),
    # ------------------------------------------------------------ MLPs
    Mechanism("swiglu", "mlp", "SwiGLU", "SwiGLU", _act(True, "silu", "swish"),
              "SwiGLU", "{where}: up times SiLU(gate), then down.", "arXiv 2002.05202",
              meaning="One matrix makes a gate, another the values; SiLU of the gate multiplies them.",
              also=("SiLU", "gated MLP")),
    Mechanism("geglu", "mlp", "GEGLU", "GEGLU", _act(True, *GELU), "GEGLU", "{where}: up times GELU(gate), then down.",
              "arXiv 2002.05202",
              meaning="The same as SwiGLU with GELU on the gate.", also=("GeGLU",)),
    Mechanism("gelu", "mlp", "GELU", "a GELU MLP without a gate", _act(False, *GELU),
              "GELU without a gate", "{where}: up, GELU, down.", "arXiv 1606.08415",
              meaning="Up, GELU, down: the MLP of GPT-2, without a gate."),
    Mechanism("relu2", "mlp", "ReLU²", "squared ReLU", f.mlp((s.Dense, s.MoE),
              lambda p, spec: p.hidden_act == "relu2" and not p.gated),
              "Squared ReLU", "{where}: up, ReLU², down, no gate.", "arXiv 2109.08668",
              meaning="The activation is ReLU, squared, without a gate.", also=("squared ReLU", "relu2")),
    Mechanism("xielu", "mlp", "xIELU", "xIELU", f.mlp(s.Dense, lambda p, spec: p.hidden_act == "xielu"),
              "xIELU", "{where}: an activation with two learned numbers, no gate.", "arXiv 2411.13010",
              meaning="An activation whose two branches have learned strengths."),
    Mechanism("situ", "mlp", "SiTU", "SiTU", f.mlp((s.Dense, s.MoE), lambda p, spec: p.hidden_act == "situ"),
              "SiTU", "{where}: gate and up are held in by tanh before they meet.", "Kimi K3's hidden_act",
              meaning="An activation whose gate and values are held in by tanh."),
    Mechanism("swigluoai", "mlp", "clamped SwiGLU", "clamped SwiGLU with up + 1",
              f.mlp((s.Dense, s.MoE), lambda p, spec: p.glu == "swigluoai" or p.hidden_act == "swigluoai"),
              "Clamped SwiGLU", "{where}: (up + 1) · gate · σ(α · gate), both clamped first.", "gpt-oss model card",
              meaning="SwiGLU with a steeper gate, values shifted by one, and both cut off at a limit.",
              also=("gpt-oss SwiGLU",)),
    Mechanism("sparse-gate", "mlp", "sparse activations", "sparse activations", f.mlp_field("sparsity"),
              "Sparse activations", "{where}: all but the largest gates become zero.",
              "Gemma 3n's activation_sparsity_pattern",
              meaning="Only the largest gates of a token stay, the others become zero.",
              also=("activation sparsity",)),
    Mechanism("channel-mix", "mlp", "channel mix", "RWKV's channel mix", f.mlp(s.ChannelMix),
              "Channel mix", "{where}: each token mixed with the one before it.", "arXiv 2305.13048",
              meaning="RWKV's MLP: squared ReLU on a token mixed with the one before it."),
    Mechanism("moe", "mlp", "MoE", "experts", f.mlp(s.MoE),
              "A mixture of experts", "{where}: each token visits {p.num_experts_per_tok} of {p.num_experts:,}.",
              "arXiv 1701.06538",
              meaning="A router sends each token to a few of many MLPs, so that most weights rest.",
              also=("mixture of experts", "routed experts"), learn=EXPERTS),
    Mechanism("shared-expert", "mlp", "shared expert", "a shared expert",
              f.mlp_field("shared_expert_intermediate_size"),
              "A shared expert", "that every token visits, {where}.", "arXiv 2401.06066",
              meaning="Beside the routed experts stands one that every token visits.", also=("shared experts",),
              learn=EXPERTS),
    Mechanism("shared-gate", "mlp", "shared expert's gate", "a gate on the shared expert", f.mlp_field("shared_gate"),
              "A gate on the shared expert",
              "one row of {s.hidden_size:,} numbers decides how much the shared expert says.",
              "Qwen2-MoE's shared_expert_gate",
              meaning="A gate of one number decides how much the shared expert says.", learn=ROUTERS),
    Mechanism("shared-routed", "mlp", "routed shared expert", "shared experts that the router weighs",
              f.mlp_field("shared_routed"), "Shared experts that the router weighs", "{where}.",
              "Inkling's modelling code",
              meaning="The router also weighs the experts that every token visits.", learn=ROUTERS),
    Mechanism("groups", "mlp", "routing groups", "routing in groups",
              f.mlp(s.MoE, lambda p, spec: p.n_group > 1 and p.topk_group < p.n_group),
              "Routing in groups", "{where}: experts stand in {p.n_group} groups, {p.topk_group} of them are kept.",
              "arXiv 2405.04434",
              meaning="Experts stand in groups, and a token may choose only within its best groups.",
              also=("group-limited routing", "node-limited routing"), learn=EXPERTS),
    Mechanism("sigmoid-router", "mlp", "sigmoid router", "a sigmoid router",
              f.mlp(s.MoE, lambda p, spec: p.scoring == "sigmoid"),
              "A sigmoid router", "{where}: each expert's score stands alone, no softmax.", "arXiv 2412.19437",
              meaning="Each expert's score is a sigmoid of its own logit, independent of the others.",
              also=("sigmoid gating",), learn=EXPERTS),
    Mechanism("sqrtsoftplus-router", "mlp", "√softplus router", "a √softplus router",
              f.mlp(s.MoE, lambda p, spec: p.scoring == "sqrtsoftplus"),
              "A √softplus router", "{where}: the root of softplus scores each expert, no softmax.",
              "DeepSeek-V4 report",
              meaning="Each expert's score is the root of a softplus of its logit.", also=("sqrtsoftplus",),
              learn=ROUTERS),
    Mechanism("hash-router", "mlp", "hash routing", "experts chosen by a hash of the token", f.mlp_field("table_rows"),
              "Experts chosen by a hash", "of the token alone, {where}.", "DeepSeek-V4 report",
              meaning="A table says which experts a token visits, whatever surrounds it.", also=("hash layers",),
              learn=ROUTERS),
    Mechanism("router-network", "mlp", "router network", "a router that is a network", f.mlp_field("router_network"),
              "A router that is a small network", "{where}: width {p.router_network}.", "ZAYA1's modelling code",
              meaning="The router is a small network of its own, which remembers the layer before.", learn=ROUTERS),
    Mechanism("sparsemixer", "mlp", "sparsemixer", "the sparsemixer", f.mlp_field("jitter"),
              "Sparsemixer", "scores the chosen experts one after the other.", "arXiv 2310.00811",
              meaning="The chosen experts are weighed one after the other, each among those that come near it.",
              learn=ROUTERS),
    Mechanism("zero-experts", "mlp", "zero experts", "experts without weights", f.mlp_field("zero_expert_num"),
              "Experts without weights", "{where}: {p.zero_expert_num} of no cost beside the others.",
              "arXiv 2509.01322",
              meaning="Some experts have no weights and return their input, so that easy tokens cost less.",
              also=("zero-computation experts", "identity experts"), learn=ROUTERS),
    Mechanism("latent-experts", "mlp", "latent experts", "experts in a latent", f.mlp_field("latent_size"),
              "Experts in a latent", "{where}: they work in {p.latent_size:,} numbers, not {s.hidden_size:,}.",
              "Nemotron 3's moe_latent_size",
              meaning="Tokens are projected into a shorter vector before the experts, and back behind them.",
              also=("latent MoE",), learn=ROUTERS),
    Mechanism("on-input", "mlp", "weighted input", "experts weighed at their input", f.mlp_field("on_input"),
              "Experts weighed at their input", "{where}: the router's weight multiplies what goes in.",
              "Llama 4's modelling code",
              meaning="The router's weight multiplies what goes into an expert, not what comes out.", learn=ROUTERS),
    Mechanism("own-router-input", "mlp", "router's own input", "a router with an input of its own",
              f.mlp_field("router_normal"), "A router with an input of its own",
              "{where}: normalised and scaled apart.",
              "Gemma 4's modelling code",
              meaning="The router reads a copy of the stream that is normalised and scaled for it alone.",
              learn=ROUTERS),
    Mechanism("dense-beside", "mlp", "dense beside MoE", "a dense MLP beside the experts",
              f.all_hold(f.mlp(s.MoE), f.layers(_side_by_side("parallel", "mlp"), "mlp")),
              "A dense MLP beside the experts", "{where}.", "Snowflake Arctic's modelling code",
              meaning="A dense MLP runs beside the experts, and both are added.", also=("dense MoE hybrid",),
              learn=ROUTERS),
    Mechanism("product-keys", "mlp", "product keys", "product-key experts", f.mlp(s.ProductKeys),
              "Product-key experts", "{where}: {p.num_experts:,} of one number each.", "arXiv 2407.04153",
              meaning="Experts of one number each are found by two short lists of keys.",
              also=("PEER", "product key memory"), learn=ROUTERS),
    # ------------------------------------------------------------ norms
    Mechanism("layernorm", "norms", "LayerNorm", "LayerNorm", f.norm(lambda n: n.kind == "LayerNorm"),
              "LayerNorm", "{where}: the mean is taken off as well.", "arXiv 1607.06450",
              meaning="Each vector loses its mean and is divided by its deviation.", also=("layer normalization",),
              learn=AROUND),
    Mechanism("rmsnorm", "norms", "RMSNorm", "RMSNorm", f.norm(lambda n: n.kind == "RMSNorm"),
              "RMSNorm", "{where}: divided by the root mean square, no mean taken off.", "arXiv 1910.07467",
              meaning="Each vector is divided by its root mean square; the mean stays.",
              also=("root mean square norm",), learn=AROUND),
    Mechanism("post-norm", "norms", "post-norm", "norms behind each half",
              f.norm(lambda n: n.position in ("mixer_out", "mlp_out")),
              "Norms behind each half", "{where}: what a half found is normalised before it is added.",
              "arXiv 2408.00118",
              meaning="What a mixer or an MLP found is normalised before it is added to the stream.",
              also=("sandwich norm",), learn=AROUND),
    Mechanism("no-pre-norm", "norms", "no pre-norm", "no norm in front of a half",
              f.all_hold(f.none_of(f.norm(lambda n: n.position in ("mixer_in", "mlp_in", "mixer_after", "mlp_after"))),
                      f.norm(lambda n: n.position in ("mixer_out", "mlp_out"))),
              "No norm in front of a half", "{where}: mixer and MLP read the stream as it is.", "arXiv 2501.00656",
              meaning="Mixer and MLP read the stream without a norm in front of them.", also=("OLMo 2 norm",),
              learn=AROUND),
    Mechanism("stream-norm", "norms", "norm in the stream", "norms in the stream itself",
              f.norm(lambda n: n.position in ("mixer_after", "mlp_after")),
              "Norms in the stream itself", "{where}: after the sum, as in the first transformer.", "arXiv 1706.03762",
              meaning="The stream itself is normalised after each sum, as in the first transformer.",
              also=("post-LN",), learn=AROUND),
    Mechanism("qk-norm", "norms", "QK-norm", "QK-norm per head",
              f.mixer(s.Attention, lambda p, spec: p.qk_norm in ("head", "per_head") and not p.cross),
              "QK-norm", "{where}: queries and keys are normalised head by head.", "arXiv 2010.04245",
              meaning="Queries and keys are normalised head by head before they meet.",
              also=("query-key normalisation", "query-key normalization"), learn=AROUND),
    Mechanism("qk-norm-full", "norms", "QK-norm, all heads", "QK-norm over all heads at once",
              f.mixer(s.Attention, lambda p, spec: p.qk_norm == "full"),
              "QK-norm over all heads at once", "{where}.", "arXiv 2409.02060",
              meaning="Queries and keys are normalised over all heads at once before they meet.", also=("QK-norm",),
              learn=AROUND),
    Mechanism("qk-norm-bare", "norms", "QK-norm, no weight", "QK-norm without weights",
              f.mixer(s.Attention, lambda p, spec: p.qk_norm == "unweighted"),
              "QK-norm without weights", "{where}.", "Llama 4's use_qk_norm",
              meaning="Queries and keys are normalised without learned weights.",
              also=("QK-norm", "L2 norm of queries and keys"), learn=AROUND),
    Mechanism("sub-norm", "norms", "sub-norm", "norms inside the halves", f.any_holds(f.mixer_field("sub_norm"),
              f.mlp_field("sub_norm")), "Norms inside the halves", "{where}: in front of the last matrix.",
              "arXiv 2402.17764",
              meaning="A norm stands inside a half, in front of its last matrix.", also=("sub-LN", "BitNet norm"),
              learn=AROUND),
    Mechanism("state-norms", "norms", "norms inside Mamba", "norms inside Mamba", f.mixer_field("inner_norms"),
              "Norms inside Mamba", "{where}: on Δ, B and C.", "arXiv 2403.19887",
              meaning="What feeds Mamba's state is normalised.", learn=AROUND),
    Mechanism("gated-norm", "norms", "gated norm", "norms with a gate", f.norm(lambda n: n.gate_rank),
              "Norms with a gate", "{where}: a small MLP decides what leaves them.", "A.X K2's modelling code",
              meaning="A small MLP decides how much of a normalised vector goes on.", learn=AROUND),
    # ------------------------------------------------------------ position
    Mechanism("rope", "position", "RoPE", "RoPE", ROPE, "RoPE",
              "{where}: queries and keys are rotated by their position.",
              "arXiv 2104.09864",
              meaning="Pairs of numbers in queries and keys are turned by their position, so that scores see "
                      "distances.",
              also=("rotary", "rotary position embedding"), learn=PLACE),
    Mechanism("partial-rope", "position", "partial RoPE", "RoPE on a part of each head",
              f.mixer(UNDIVIDED, lambda p, spec: p.rope and 0 < p.rope.dims < p.head_dim
                      and p.rope.kind != "proportional"),
              "RoPE on {rotated} of {p.head_dim} dimensions", "the other {rest} know no position.",
              "GPT-J's rotary_dim",
              where=" outside latent attention",
              meaning="Only a part of each head is rotated, the rest knows no position; latent attention, whose keys "
                      "have a rotated part by design, is not counted.",
              also=("partial rotary",), learn=PLACE),
    Mechanism("proportional-rope", "position", "proportional RoPE", "RoPE that stops at a share of the frequencies",
              f.mixer(object, lambda p, spec: (r := getattr(p, "rope", None)) and r.kind == "proportional"),
              "Proportional RoPE", "{where}: only the fast frequencies turn.", "Gemma 4's rope_type proportional",
              meaning="Only the fast frequencies of the rotation turn, the slow ones stand still.", also=("p-RoPE",)),
    Mechanism("nope", "position", "NoPE layers", "layers without position", f.all_hold(ROPE, NOPE),
              "Layers without position", "{n} of {of} layers of attention see no position; others are rotated.",
              "arXiv 2501.18795",
              meaning="Some layers of attention see no position, while others are rotated.",
              also=("NoPE", "no position embedding", "no positional encoding", "RNoPE", "iRoPE"), learn=PLACE),
    Mechanism("no-position", "position", "no position", "attention without position",
              f.all_hold(f.none_of(ROPE, OTHER_POSITION), NOPE),
              "Attention without position", "{where}: queries and keys carry no position.",
              "arXiv 2403.19887",
              meaning="No layer of attention sees a position: the recurrent layers know the order.",
              also=("NoPE", "no positional encoding"), learn=PLACE),
    Mechanism("alibi", "position", "ALiBi", "ALiBi", f.mixer(object, lambda p, spec: getattr(p, "position",
              "") == "alibi"),
              "ALiBi", "{where}: far tokens score less, by a slope per head.", "arXiv 2108.12409",
              meaning="Scores fall with the distance, by a slope per head.", also=("linear biases",)),
    Mechanism("learned-position", "position", "learned positions", "learned positions",
              f.all_hold(f.opening_operation("positions"), f.mixer(object, lambda p, spec: getattr(p, "position",
              "") == "learned")),
              "Learned positions", "one stored vector for each of {context} places is added to the embedding.",
              "GPT-2",
              meaning="Every place in the text has a learned vector that is added to the token's.",
              also=("absolute position embedding",)),
    # ------------------------------------------------------------ biases
    Mechanism("qkv-bias", "bias", "QKV bias", "biases on queries, keys and values",
              f.mixer((s.Attention, s.LatentAttention), lambda p, spec: p.bias & frozenset("qkv")),
              "Biases on queries, keys and values", "{where}.", "Qwen's modelling code",
              meaning="The projections of queries, keys and values add a learned vector.", also=("attention bias",)),
    Mechanism("o-bias", "bias", "output bias", "a bias on attention's output",
              f.mixer((s.Attention, s.LatentAttention), lambda p, spec: "o" in p.bias),
              "A bias on attention's output", "{where}.", "GPT-2",
              meaning="The projection behind attention adds a learned vector."),
    Mechanism("mlp-bias", "bias", "MLP bias", "biases in the MLP",
              f.mlp((s.Dense, s.MoE), lambda p, spec: p.bias), "Biases in the MLP", "{where}.", "GPT-2",
              meaning="The matrices of the MLP add learned vectors."),
    # ------------------------------------------------------------ block
    Mechanism("parallel", "block", "parallel halves", "mixer and MLP side by side",
              f.layers(lambda layer: layer.parallel), "Mixer and MLP side by side",
              "{where}: both read the same input.",
              "GPT-J's modelling code",
              meaning="Attention and MLP read the same input, and both are added at once.",
              also=("parallel block", "parallel attention"), learn=AROUND),
    Mechanism("both-mixers", "block", "both in one layer", "attention and a state space in one layer",
              f.layers(_side_by_side("parallel", "mixer"), "mixer"),
              "Two mixers side by side", "{where}: attention and a state space read the same input.",
              "arXiv 2507.22448",
              meaning="Attention and a state space stand side by side in one layer.", also=("hybrid heads",),
              learn=AROUND),
    Mechanism("double-layer", "block", "two mixers a layer", "two mixers in a layer",
              f.layers(_side_by_side("serial", "mixer"), "mixer"),
              "Two mixers in a layer", "{where}: one after the other.", "arXiv 2509.01322",
              meaning="A layer has two mixers, one after the other.", learn=AROUND),
    Mechanism("shortcut-experts", "block", "shortcut experts", "experts on a shortcut",
              f.stream(Shortcut, node="shortcut_add"), "Experts on a shortcut",
              "{where}: they read what the first MLP reads, and are added behind the second.", "arXiv 2509.01322",
              meaning="Experts read what a layer's first MLP reads, and what they find is added at the layer's end, so "
                      "that they may run beside all that stands between.",
              also=("shortcut-connected MoE", "ScMoE"), learn=AROUND),
    Mechanism("early-experts", "block", "early experts", "experts that need not wait for attention",
              f.stream(EarlyExperts, node="experts_add"), "Experts that need not wait for attention",
              "{where}: they read what enters the layer, and are added at its end.",
              "Snowflake Arctic's modelling code",
              meaning="Experts read what enters a layer, not what attention leaves, and what they find is added at the "
                      "layer's end.",
              learn=AROUND),
    Mechanism("lone-halves", "block", "halves alone", "layers of one half", f.layers(_single_kind),
              "Layers of one half", "{n} of {of} layers have a mixer or an MLP, not both.", "arXiv 2504.03624",
              meaning="A layer is a mixer alone or an MLP alone.", learn=AROUND),
    Mechanism("hyper-connections", "block", "hyper-connections", "hyper-connections",
              f.stream(HyperConnections), "Hyper-connections",
              "carry {p.streams} residual streams; each half reads a "
              "weighed sum and writes to all.", "arXiv 2409.19606",
              meaning="Several residual streams run side by side; each half reads a weighed sum of them and writes to "
                      "all.",
              also=("mHC", "manifold-constrained hyper-connections"), learn=AROUND),
    Mechanism("gated-streams", "block", "gated streams", "gated residual streams", f.stream(GatedStreams),
              "Gated residual streams", "{p.streams} of them, read through a gate per number.",
              "Qwen4-Exp's modelling code",
              meaning="Several residual streams, read through a gate for every number.", learn=AROUND),
    Mechanism("ngrams", "block", "n-gram tables", "tables of n-grams",
              f.any_holds(f.embedding_tables("ngram_embedding"), f.stream(GatedStreams, lambda p: p.ngrams)),
              "Tables of n-grams", "add what the last few tokens look up.",
              "LongCat-Flash-Lite's and Qwen4-Exp's modelling code",
              meaning="The last few tokens look up a vector that is added.", also=("n-gram embedding",), learn=AROUND),
    Mechanism("altup", "block", "AltUp", "AltUp", f.stream(AltUp),
              "AltUp", "carries {p.streams} streams; a layer computes with one and corrects the others.",
              "arXiv 2301.13310",
              meaning="Several streams of which a layer computes one, and corrects the others by what it learned.",
              also=("alternating updates",), learn=AROUND),
    Mechanism("laurel", "block", "LAuReL", "LAuReL", f.extra("laurel", "laurel"),
              "LAuReL", "{where}: a low-rank residual beside the usual one.", "arXiv 2411.07501",
              meaning="A low-rank residual beside the usual one.", learn=AROUND),
    Mechanism("per-layer", "block", "per-layer embeddings", "an embedding per layer",
              f.any_holds(f.stream(PerLayer, lambda p: p.width, "per_layer"),
                       f.stream(AltUp, lambda p: p.per_layer, "per_layer")),
              "An embedding per layer", "{where}: the token is looked up again in a table of the layer's own.",
              "Gemma 3n's modelling code",
              meaning="Every layer looks the token up again in a small table of its own.",
              also=("PLE", "per-layer embedding"), learn=AROUND),
    Mechanism("depth-attention", "block", "attention over depth", "attention over depth", f.stream(DepthAttention),
              "Attention over depth", "each half reads a softmax over the sums of earlier blocks of {p.block} layers.",
              "Inkling 2's modelling code",
              meaning="A half reads a softmax over what earlier blocks of layers left.", learn=AROUND),
    Mechanism("convolved-halves", "block", "convolved halves", "a convolution behind each half",
              f.stream(ConvolvedHalves), "A convolution behind each half", "over the last {p.kernel} tokens.",
              "Inkling's modelling code",
              meaning="A short convolution over the last tokens stands behind each half.", learn=AROUND),
    Mechanism("scaled-stream", "block", "weighed stream", "a stream that is weighed at every sum",
              f.any_holds(f.stream(ScaledStream), f.stream(Weighted)),
              "A stream weighed at every sum", "{where}.", "ZAYA1's modelling code",
              meaning="Stream and addition are weighed by learned numbers at every sum.", learn=AROUND),
    Mechanism("normed-stream", "block", "normed stream", "a stream that passes through its norms",
              f.stream(NormedStream), "A stream that passes through its norms",
              "{where}: what a half reads, normalised, is also what its answer is added to.", "arXiv 2501.08313",
              meaning="A half's answer is added to its normalised input, not to the raw stream.", also=("DeepNorm",),
              learn=AROUND),
    Mechanism("residual-scale", "block", "scaled residuals", "halves scaled before they are added",
              f.stream(s.Plain, lambda p: p.multiplier != 1.0),
              "Halves scaled", "by {p.multiplier:.3g} before they are added.", "arXiv 2404.06395",
              meaning="What a half gives is multiplied by one constant before it is added.",
              also=("residual multiplier", "muP"), learn=AROUND),
    Mechanism("shared-block", "block", "shared block", "a transformer that layers share", f.stream(SharedBlock),
              "A transformer that layers share", "reads stream and embedding side by side.", "arXiv 2411.15242",
              meaning="One transformer block is used again in several places.", also=("Zamba block",), learn=AROUND),
    Mechanism("loops", "block", "looped stack", "a stack that runs several times",
              f.model(lambda spec: spec.loops > 1 or spec.course, "stack"),
              "A looped stack", "the same {of} layers run {s.loops} times.", "arXiv 2510.25741",
              meaning="The whole stack runs several times with the same weights.",
              also=("looped", "loops", "recurrent depth", "universal transformer"), learn=AROUND),
    Mechanism("two-speeds", "block", "two speeds", "two stacks at two speeds", f.stream(TwoSpeeds),
              "Two stacks at two speeds", "the low one runs {p.low_cycles} times, then the high one once.",
              "arXiv 2506.21734",
              meaning="A fast stack runs several times for each step of a slow one.",
              also=("hierarchical reasoning model", "HRM"), learn=AROUND),
    Mechanism("mtp", "block", "MTP", "multi-token prediction", f.model(lambda spec: spec.mtp, "mtp"),
              "{mtp} multi-token-prediction layer{mtp_s}", "{mtp_size}, beside the {of}.", "arXiv 2412.19437",
              meaning="A further layer predicts the token after the next one, in training or to draft ahead.",
              also=("MTP", "nextn", "speculative layer"), learn=AROUND),
    Mechanism("logit-softcap", "block", "capped logits", "soft-capped logits",
              f.model(lambda spec: spec.logits_softcap, "head"),
              "Soft-capped logits", "logits become {s.logits_softcap:g} · tanh(logit / {s.logits_softcap:g}).",
              "arXiv 2408.00118",
              meaning="Logits are pressed through a tanh so that none grows beyond a limit.",
              also=("final logit softcapping",), learn=AROUND),
    Mechanism("bidirectional", "block", "bidirectional", "attention in both directions",
              f.model(lambda spec: spec.bidirectional, "stack"), "Attention in both directions",
              "every token sees every other.", "arXiv 1810.04805",
              meaning="Every token sees every other: an encoder or a diffusion model, without a cache.",
              also=("diffusion", "encoder")),
)
# fmt: on
BY_KEY = {row.key: row for row in MECHANISMS}
BIT = {row.key: 1 << place for place, row in enumerate(MECHANISMS)}


def mechanisms(spec: s.ModelSpec) -> tuple[str, ...]:
    """The keys of what a model has, in the order of the table."""
    seen = Seen(spec)
    return tuple(row.key for row in MECHANISMS if row.find(seen))


def find_mechanism(spec: s.ModelSpec, key: str) -> list[Hit]:
    """Where a model has a mechanism; what most layers have first."""
    return sorted(BY_KEY[key].find(Seen(spec)), key=lambda hit: -len(hit.layers))


def bits(keys: Iterable[str]) -> int:
    """A set of mechanisms as one number."""
    return sum(BIT[key] for key in keys)


# ---------------------------------------------------------------- what is said of one that a model has


GATES = {"elementwise": "a second half of q_proj", "separate": "a matrix of its own"}
K_IS_V = "no v_proj; values are the keys before their norm and rotation, and both are kept"
ONE_VECTOR = "one vector per token is key and value for all heads, its rotation taken back from what they give"


def values(spec: s.ModelSpec, hits: list[Hit]) -> dict[str, Any]:
    """What a template may use."""
    p, of = hits[0].part, len(spec.layers)
    n = len({index for hit in hits for index in hit.layers})
    rope = getattr(p, "rope", None)
    counted = parameters(spec).mtp if spec.mtp else 0
    kv = getattr(p, "num_key_value_heads", 0)
    return {
        "p": p, "s": spec, "n": n, "of": of, "where": "in every layer" if n == of else f"in {n} of {of} layers",
        "per_kv": p.num_attention_heads // kv if kv else 0, "gate_from": GATES.get(getattr(p, "gate", ""), ""),
        "rotated": rope.dims if rope else 0, "rest": getattr(p, "head_dim", 0) - (rope.dims if rope else 0),
        "context": f"{spec.max_position_embeddings or 0:,}", "mtp": number_word(len(spec.mtp)).capitalize(),
        "one_for_both": ONE_VECTOR if isinstance(p, s.CompressedAttention) else K_IS_V,
        "mtp_s": "" if len(spec.mtp) == 1 else "s", "mtp_size": scaled_count(counted),
    }  # fmt: skip


def say_mechanism(spec: s.ModelSpec, key: str) -> tuple[str, str]:
    """(in bold, the rest of the sentence) of a mechanism that the model has."""
    row = BY_KEY[key]
    given = values(spec, find_mechanism(spec, key))
    return row.head.format_map(given), row.says.format_map(given)
