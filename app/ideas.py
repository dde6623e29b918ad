"""What readers call the ideas inside models: one row an idea, each a question to a read model.

The search finds a model by them, and the explainers that teach them; adding an idea is adding a row. A row's words are
compared without case and punctuation (static/js/find.js), so "QK-norm" is also "qk norm" and "qknorm".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from app.facets import FACETS, any_part, parts
from app.view import ModelView
from app.words import windowed
from gallery import spec as s


class Idea(NamedTuple):
    """One idea: `words` are its names, the usual one first; `learn` the explainers that teach it."""

    key: str
    words: tuple[str, ...]
    holds: Callable[[ModelView], bool]
    source: str
    learn: tuple[str, ...] = ()


def _facet(key: str) -> Callable[[ModelView], bool]:
    """The gallery's own question, where it has a box for the idea."""
    return next(facet.holds for facet in FACETS if facet.key == key)


def _mixer(kind: type | tuple[type, ...], test: Callable = lambda part: True) -> Callable[[ModelView], bool]:
    return any_part("mixer", kind, test)


def _has(field: str, half: str = "mixer") -> Callable[[ModelView], bool]:
    """Some mixer, or some MLP, has this field and it is not nothing."""
    return any_part(half, object, lambda part: bool(getattr(part, field, 0)))


def _query_heads(test: Callable[[int, int], bool]) -> Callable[[ModelView], bool]:
    """A question to num_attention_heads and num_key_value_heads of plain attention."""
    return _mixer(s.Attention, lambda part: test(part.num_attention_heads, part.num_key_value_heads))


def _rope(kind: str) -> Callable[[ModelView], bool]:
    return any_part("mixer", object, lambda part: getattr(getattr(part, "rope", None), "kind", "") == kind)


def _extra(kind: str) -> Callable[[ModelView], bool]:
    """Something beside mixer and MLP, in the model or in a layer."""
    return lambda view: any(
        one.kind == kind for one in (*view.spec.extras, *(e for layer in view.spec.layers for e in layer.extras))
    )


def _norm(position: str) -> Callable[[ModelView], bool]:
    return lambda view: any(norm.position == position for kind in view.kinds for norm in kind.layer.norms)


def _stored(*schemes: str) -> Callable[[ModelView], bool]:
    """Weights are stored by a block scheme whose key starts so, all of them or some."""

    def holds(view: ModelView) -> bool:
        kept = view.spec.quantization
        rows = [kept.row, *(row for _, row in kept.overrides)] if kept else []
        return any(row.startswith(schemes) for row in rows)

    return holds


def _hybrid(view: ModelView) -> bool:
    """Some layers keep a cache that grows with every token, some a state that does not."""
    recurrent = {isinstance(part, RECURRENT) for part in parts(view, "mixer") if not isinstance(part, s.ShortConv)}
    return recurrent == {True, False}


LINEAR = (s.GatedDeltaNet, s.KimiDelta, s.LightningAttention)
RECURRENT = (*LINEAR, s.Mamba1, s.Mamba2, s.MatrixLSTM, s.RGLRU, s.RwkvMean, s.RwkvTimeMix)
MASKS, HEADS, DELTA, BLOCKS, BITS = ("masks",), ("heads",), ("delta-rule",), ("blocks",), ("bits",)

IDEAS = (
    # ---------------------------------------------------------------- attention
    Idea("gqa", ("GQA", "grouped-query attention"), _query_heads(lambda q, kv: 1 < kv < q), "arXiv 2305.13245", HEADS),
    Idea("mqa", ("MQA", "multi-query attention"), _query_heads(lambda q, kv: kv == 1 < q), "arXiv 1911.02150", HEADS),
    Idea("mha", ("MHA", "multi-head attention"), _query_heads(lambda q, kv: q == kv > 1), "arXiv 1706.03762", HEADS),
    Idea("mla", ("MLA", "multi-head latent attention"), _facet("mla"), "arXiv 2405.04434, DeepSeek-V2", HEADS),
    Idea(
        "window",
        ("sliding window attention", "SWA", "local attention", "windowed attention"),
        _mixer(object, windowed),
        "arXiv 2310.06825, Mistral 7B; arXiv 2004.05150, Longformer",
        MASKS,
    ),
    Idea("chunks", ("chunked attention",), _has("attention_chunk_size"), "Llama 4's attention_chunk_size", MASKS),
    Idea(
        "sparse",
        ("sparse attention", "indexer", "indexed attention", "top-k attention"),
        _facet("sparse"),
        "arXiv 2512.02556, DeepSeek-V3.2",
    ),
    Idea(
        "dsa",
        ("DSA", "DeepSeek sparse attention", "lightning indexer"),
        any_part("mixer", object, lambda part: getattr(getattr(part, "indexer", None), "style", "") == "dsa"),
        "arXiv 2512.02556, DeepSeek-V3.2",
    ),
    Idea("csa", ("CSA", "compressed sparse attention"), _has("overlap"), "DeepSeek-V4's compress_ratios, 4"),
    Idea(
        "hca",
        ("HCA", "heavily compressed attention"),
        _mixer(s.CompressedAttention, lambda part: part.compress_ratio and not part.overlap),
        "DeepSeek-V4's compress_ratios, 128",
    ),
    Idea("sinks", ("attention sinks", "sink logits"), _facet("sinks"), "arXiv 2309.17453; gpt-oss model card", MASKS),
    Idea(
        "gate",
        ("gated attention", "output gate"),
        _mixer((s.Attention, s.LatentAttention), lambda part: part.gate),
        "arXiv 2505.06708",
    ),
    Idea(
        "qk-norm",
        ("QK-norm", "query-key normalisation", "query-key normalization"),
        _facet("qk-norm"),
        "arXiv 2010.04245",
    ),
    Idea(
        "softcap",
        ("soft-capping", "logit softcap"),
        lambda view: bool(view.spec.logits_softcap) or _has("softcap")(view),
        "arXiv 2408.00118, Gemma 2",
    ),
    Idea(
        "kv-sharing",
        ("shared KV cache", "KV sharing", "cross-layer attention"),
        any_part("mixer", object, lambda part: getattr(part, "kv_source", None) is not None),
        "arXiv 2405.12981",
    ),
    Idea("cross", ("cross-attention",), _has("cross"), "arXiv 2204.14198, Flamingo"),
    # ---------------------------------------------------------------- position
    Idea(
        "nope",
        ("NoPE", "no position embedding", "no positional encoding"),
        _facet("nope"),
        "arXiv 2305.19466",
        ("position",),
    ),
    Idea("yarn", ("YaRN",), _rope("yarn"), "arXiv 2309.00071", ("position",)),
    Idea("longrope", ("LongRoPE",), _rope("longrope"), "arXiv 2402.13753"),
    Idea(
        "partial-rope",
        ("partial RoPE", "partial rotary"),
        _mixer(s.Attention, lambda part: 0 < part.rotary_dim < part.head_dim),
        "the config key partial_rotary_factor",
        ("position",),
    ),
    Idea(
        "alibi",
        ("ALiBi", "linear biases"),
        _mixer(s.Attention, lambda part: part.position == "alibi"),
        "arXiv 2108.12409",
    ),
    # ---------------------------------------------------------------- states instead of a cache
    Idea("delta", ("delta rule", "DeltaNet"), _facet("delta"), "arXiv 2406.06484, DeltaNet", DELTA),
    Idea("gdn", ("Gated DeltaNet", "GDN", "gated delta rule"), _mixer(s.GatedDeltaNet), "arXiv 2412.06464", DELTA),
    Idea("kda", ("KDA", "Kimi Delta Attention"), _mixer(s.KimiDelta), "arXiv 2510.26692, Kimi Linear", DELTA),
    Idea("linear", ("linear attention",), _mixer(LINEAR), "arXiv 2006.16236", DELTA),
    Idea("lightning", ("lightning attention",), _mixer(s.LightningAttention), "arXiv 2401.04658", DELTA),
    Idea(
        "mamba",
        ("Mamba", "SSM", "state space model", "selective state space"),
        _facet("mamba"),
        "arXiv 2312.00752",
        DELTA,
    ),
    Idea("mamba-1", ("Mamba-1",), _mixer(s.Mamba1), "arXiv 2312.00752"),
    Idea("mamba-2", ("Mamba-2", "SSD", "state space duality"), _mixer(s.Mamba2), "arXiv 2405.21060", DELTA),
    Idea("recurrent", ("recurrent", "recurrence", "RNN", "fixed state"), _mixer(RECURRENT), "arXiv 2006.16236", DELTA),
    Idea("hybrid", ("hybrid",), _hybrid, "arXiv 2403.19887, Jamba"),
    Idea("rwkv", ("RWKV",), _mixer((s.RwkvMean, s.RwkvTimeMix)), "arXiv 2305.13048; arXiv 2503.14456"),
    Idea("xlstm", ("xLSTM", "mLSTM"), _mixer(s.MatrixLSTM), "arXiv 2405.04517"),
    Idea("conv", ("short convolution", "gated convolution"), _mixer(s.ShortConv), "LFM2's layer_types, conv"),
    # ---------------------------------------------------------------- the other half
    Idea("moe", ("MoE", "mixture of experts", "routed experts"), _facet("moe"), "arXiv 1701.06538"),
    Idea("dense", ("dense",), _facet("dense"), "arXiv 1701.06538"),
    Idea("shared", ("shared expert", "shared experts"), _facet("shared"), "arXiv 2401.06066, DeepSeekMoE"),
    Idea(
        "zero",
        ("zero experts", "zero-computation experts"),
        _has("zero_expert_num", "mlp"),
        "arXiv 2509.01322, LongCat-Flash",
    ),
    Idea("hash", ("hash routing", "hash layers"), _has("table_rows", "mlp"), "arXiv 2106.04426"),
    Idea("latent-moe", ("latent MoE", "latent experts"), _has("latent_size", "mlp"), "Nemotron 3's moe_latent_size"),
    Idea(
        "loss-free",
        ("loss-free balancing", "auxiliary-loss-free", "score correction bias"),
        _has("selection_bias", "mlp"),
        "arXiv 2408.15664",
    ),
    # ---------------------------------------------------------------- around the layers
    Idea("mtp", ("MTP", "multi-token prediction", "nextn"), _facet("mtp"), "arXiv 2404.19737"),
    Idea(
        "hyper",
        ("hyper-connections", "mHC", "manifold-constrained hyper-connections"),
        lambda view: view.spec.hyper_connections is not None,
        "arXiv 2409.19606; arXiv 2512.24880",
    ),
    Idea(
        "looped",
        ("looped", "loops", "recurrent depth", "universal transformer"),
        lambda view: view.spec.loops > 1,
        "arXiv 2510.25741, Ouro; arXiv 1807.03819",
    ),
    Idea(
        "parallel",
        ("parallel block", "parallel attention"),
        lambda view: any(kind.layer.parallel for kind in view.kinds),
        "arXiv 2204.02311, PaLM",
    ),
    Idea("sandwich", ("sandwich norm", "post-norm"), _norm("mixer_out"), "arXiv 2408.00118, Gemma 2"),
    Idea(
        "ple", ("per-layer embeddings", "PLE"), _extra("per_layer_embedding"), "Gemma 3n's hidden_size_per_layer_input"
    ),
    Idea("altup", ("AltUp", "alternating updates"), _extra("altup"), "arXiv 2301.13310"),
    Idea("laurel", ("LAuReL",), _extra("laurel"), "arXiv 2411.07501"),
    Idea("tied", ("tied embeddings", "weight tying"), lambda view: view.spec.tie_word_embeddings, "arXiv 1608.05859"),
    Idea(
        "towers", ("multimodal", "vision", "images", "vision tower"), _facet("towers"), "the config key vision_config"
    ),
    # ---------------------------------------------------------------- how weights are stored
    Idea(
        "quantized",
        ("quantized", "quantised", "quantization"),
        _facet("quantized"),
        "the config key quantization_config",
        BLOCKS,
    ),
    Idea("fp8", ("FP8", "E4M3", "float8"), _stored("fp8"), "arXiv 2209.05433", (*BITS, *BLOCKS)),
    Idea("mxfp4", ("MXFP4", "FP4", "microscaling"), _stored("mxfp4"), "arXiv 2310.10537, OCP MX", BLOCKS),
    Idea("nvfp4", ("NVFP4", "FP4"), _stored("nvfp4"), "arXiv 2509.25149", BLOCKS),
    Idea("int4", ("INT4", "4-bit integers"), _stored("int4"), "arXiv 2210.17323, GPTQ; arXiv 2306.00978, AWQ", BLOCKS),
)


def keys(view: ModelView) -> list[str]:
    """The ideas that a read model has."""
    return [idea.key for idea in IDEAS if idea.holds(view)] if view.spec else []


def taught(name: str) -> Iterator[str]:
    """The ideas that an explainer teaches."""
    return (idea.key for idea in IDEAS if name in idea.learn)
