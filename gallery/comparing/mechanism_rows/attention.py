"""Mechanisms of attention besides its kind: how far it sees, which tokens it picks, what it scales, gates, shares."""

from __future__ import annotations

from cutaway.gallery import spec as s
from cutaway.gallery.comparing import finding as f
from cutaway.gallery.comparing.finding import Question
from cutaway.gallery.comparing.mechanism_rows.questions import sees_all, sees_window
from cutaway.gallery.comparing.mechanism_rows.row import LONG, LOOPS, MASKS, NORMS, SPARSE, Mechanism


def _style(*styles: str) -> Question:
    return f.mixer(object, lambda p, spec: (i := getattr(p, "indexer", None)) and i.style in styles and not i.shared)


WINDOW = f.mixer(object, sees_window)


# fmt: off
ROWS: tuple[Mechanism, ...] = (
    Mechanism("window", "mixer", "sliding window", "a sliding window", WINDOW,
              "A sliding window", "{where}: each token attends to the last {p.sliding_window:,} tokens.",
              "arXiv 2310.06825",
              meaning="A token attends only to a fixed number of earlier tokens, so the cache of such a layer stops "
                      "growing.",
              also=("sliding window attention", "SWA", "local attention", "windowed attention"), learn=MASKS),
    Mechanism("window-mix", "mixer", "local + global", "local (sliding) and global attention layers",
              f.all_hold(f.mixer(object, sees_all), WINDOW),
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
)
# fmt: on
