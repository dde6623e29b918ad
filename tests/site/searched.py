"""What readers type into the search, and what it is to find: tables of test_search.py; which models have an idea."""

from __future__ import annotations

from functools import cache

from cutaway.app.model import ideas
from tests.one_site import SITE


@cache
def ideas_of() -> dict[str, set[str]]:
    """The ideas of each model, by its slug."""
    return {view.slug: set(ideas.keys(view)) for view in SITE.views}


@cache
def having(names: str) -> frozenset[str]:
    """Slugs of models that have one of these ideas."""
    return frozenset(slug for slug, has in ideas_of().items() if has & set(names.split()))


TYPED = {  # what a reader types: (the ideas it names, explainers that teach them)
    "DSA": ("dsa", ["sparse", "long-context"]),
    "sparse": ("sparse", ["sparse", "long-context"]),
    "sinks": ("sinks", ["masks"]),
    "MTP": ("mtp", ["loops"]),
    "NoPE": ("nope no-position", ["position"]),
    "QK-norm": ("qk-norm qk-norm-full qk-norm-bare", ["norms"]),
    "qknorm": ("qk-norm qk-norm-full qk-norm-bare", ["norms"]),
    "sliding window": ("window", ["masks"]),
    "slidingwindow": ("window", ["masks"]),
    "sliding-window attention": ("window", ["masks"]),
    "MLA": ("mla", ["mla-numbers", "heads"]),
    "latent attention": ("mla", ["mla-numbers", "heads"]),
    "MoE": ("moe", ["experts", "expert-parallel"]),
    "mixture of experts": ("moe", ["experts", "expert-parallel"]),
    "hyper-connections": ("hyper-connections", ["loops"]),
    "hyperconnections": ("hyper-connections", ["loops"]),
    "looped": ("loops", ["loops"]),
    "KDA": ("kda", ["delta-rule", "linear-family", "decoder"]),
    "DeltaNet": ("delta", ["delta-rule", "linear-family", "decoder"]),
    "gated deltanet": ("gated-deltanet", ["delta-rule", "decoder"]),
    "multi query": ("mqa", ["heads"]),
    "multi-token prediction": ("mtp", ["loops"]),
    "mxfp4": ("mxfp4", ["blocks"]),
    "attention sink": ("sinks", ["masks"]),
}


ODD = {  # typed: what must come first, and what must not come at all
    "kimi": ("moonshotai/", "fireworks/Ember-1"),
    "deepseek": ("deepseek-ai/", "zai-org/GLM-5"),
    "google sliding window": ("google/", "openai/gpt-oss-20b"),
    "kimi linear": ("moonshotai/Kimi-Linear", "moonshotai/Kimi-K2"),
    "qwen moe": ("Qwen/", "Qwen/Qwen3-32B"),
    "gpt oss 20b": ("openai/gpt-oss-20b", "openai-community/gpt2-xl"),
    "gptoss": ("openai/gpt-oss", "openai-community/gpt2-xl"),
    "hf.co/openai/gpt-oss-20b": ("openai/gpt-oss-20b", "openai/gpt-oss-120b"),
    "https://huggingface.co/Qwen/Qwen3-32B?x#y": ("Qwen/Qwen3-32B", "Qwen/Qwen3-8B"),
}


MISSPELT = {
    "sparce": "sparse",
    "slidng window": "sliding window",
    "deltanett": "deltanet",
    "hyper-conections": "hyper connections",
    "hyperconections": "hyperconnections",
    "lopoed": "looped",
    "mistrla": "mistral",
    "quantied": "quantized",
    "sparce mla atention": "sparse mla attention",
}
KEPT = ["mtq", "dsx", "kimy", "qwen9", "zzzzz", "moee", "sparxxe", "", " ", "-", ".", "\U0001f600", "zz/yy/xx"]
ENDLESS = ["x" * 5000, "zz " * 300, "a " * 20 + "zzzzz"]  # the first twenty words are read


ORDERED = {  # a superlative -> the idea that is asked for, what it goes by, and whether the largest comes first
    "smallest MLA": ("mla", lambda view: view.parameters.total, False),
    "largest MoE": ("moe", lambda view: view.parameters.total, True),
    "which model has the longest context": ("", lambda view: view.spec.max_position_embeddings, True),
    "longest context MoE": ("moe", lambda view: view.spec.max_position_embeddings, True),
    "fewest active parameters mla": ("mla", lambda view: view.parameters.active, False),
    "smallest cache mla": ("mla", lambda view: view.per_token_bytes, False),
    "newest sliding window": ("window", lambda view: view.row.date, True),
}


def windows(view) -> set[int]:
    return {getattr(layer.mixer, "sliding_window", None) or 0 for layer in view.spec.layers}


def expert_counts(view) -> set[int]:
    halves = [half for layer in view.spec.layers for half in getattr(layer.mlp, "parts", (layer.mlp,))]
    return {getattr(half, "num_experts", 0) for half in halves}


NUMBERED = {  # a number beside its noun -> which models have it
    "128 window": lambda view: 128 in windows(view),
    "sliding window of 4,096": lambda view: 4096 in windows(view),
    "1k window": lambda view: 1024 in windows(view),
    "512-token window": lambda view: 512 in windows(view),
    "64 experts": lambda view: 64 in expert_counts(view),
    "256 experts MLA": lambda view: 256 in expert_counts(view) and "mla" in ideas_of()[view.slug],
    "128k context openai": lambda view: view.row.company == "OpenAI" and view.spec.max_position_embeddings == 131_072,
}


COMBINED = {  # a company, a licence, a year, an idea, in any order -> (company, licence, year, idea), "" for any
    "apache moe 2025": ("", "l-apache", "2025", "moe"),
    "2025 alibaba apache": ("Alibaba Cloud", "l-apache", "2025", ""),
    "MIT DeepSeek MLA": ("DeepSeek", "l-mit", "", "mla"),
    "sliding window google 2024": ("Google", "", "2024", "window"),
}


TERMS = {  # explainer: terms of the field, as people type them
    "heads": "GQA; grouped-query attention; Grouped Query Attention; MQA; multi-head attention; KV; what is GQA",
    "mla-numbers": "MLA; multi-head latent attention; what is MLA?",
    "masks": "sliding window; sliding window attention; causal mask; attention sinks",
    "flash": "FlashAttention; flash attention; flash-attention; online softmax",
    "long-context": "long context; context window; million tokens",
    "sparse": "sparse attention; DSA; NSA; MoBA; lightning indexer; CSA; HCA; block-sparse attention",
    "delta-rule": "delta rule; linear attention; DeltaNet; gated DeltaNet; KDA",
    "linear-family": "RetNet; GLA; gated linear attention; mLSTM; RWKV-7; lightning attention",
    "position": "RoPE; rotary embedding; YaRN; rope_theta; NoPE; ALiBi",
    "norms": "RMSNorm; QK-norm; residual stream",
    "loops": "MTP; multi-token prediction; hyper-connections",
    "decoder": "state space models; Mamba; attention",
    "experts": "MoE; mixture of experts; load balancing; router; top-k routing; capacity factor",
    "expert-parallel": "expert parallelism; expert parallel; all-to-all; DeepEP",
    "speculative": "speculative decoding; speculative sampling; draft model; EAGLE; Medusa; prompt lookup",
    "roofline": "roofline; arithmetic intensity; memory bound; how does prefill work",
    "bits": "FP8; ＦＰ８; E4M3; E4M3FN; bfloat16; BF16; subnormals",
    "rounding": "stochastic rounding; Kahan summation; double rounding",
    "matrix": "quantization error; SQNR; Hadamard rotation; QuaRot; outlier channel",
    "blocks": "MXFP4; NVFP4; quantization; microscaling",
    "activations": "SmoothQuant; AWQ; GPTQ; activation quantization; W4A4; W8A8",
    "collectives": "all-reduce; allreduce; all gather; reduce-scatter; NCCL",
    "data-parallel": "FSDP; ZeRO; ZeRO-3; data parallelism",
    "tensor-parallel": "tensor parallelism; tensor parallel; Megatron",
    "pipeline": "pipeline parallelism; 1F1B; GPipe; pipeline bubble; zero bubble",
    "context-parallel": "ring attention; Ulysses; context parallelism",
    "which-axis": "3D parallelism; parallelism",
}
