"""Models outside the catalogue, or drawn without the thing -> who had a mechanism before the first catalogued model.

One row a model by date, with what of MECHANISMS it is known to have: not all that it has. A paper's trial models stand
here where the mechanism's own source is another paper; "first here" is said of this gallery alone.
"""

from __future__ import annotations

from datetime import date
from typing import NamedTuple


class Outside(NamedTuple):
    """One row of OUTSIDE."""

    title: str
    when: str  # "2023-09", or "2020" where the month is not known
    keys: tuple[str, ...]  # of MECHANISMS
    source: str
    golden: str = ""  # the case of tests/oracle/forward whose config its reading is held to

    @property
    def words(self) -> str:
        """ "Persimmon 8B, September 2023"."""
        when = f"{date.fromisoformat(self.when + '-01'):%B %Y}" if "-" in self.when else self.when
        return f"{self.title}, {when}"


BIASES = ("qkv-bias", "o-bias", "mlp-bias")
PLAIN = ("mha", "gelu", "layernorm")  # GPT-2's attention, MLP and norm

# fmt: off
OUTSIDE: tuple[Outside, ...] = (
    Outside("Transformer", "2017-06", ("mha", "layernorm", "stream-norm"), "arXiv 1706.03762"),
    Outside("GPT", "2018-06", (*PLAIN, "stream-norm", "learned-position", *BIASES),
            "transformers, modeling_openai.py", "openai-gpt"),
    Outside("Universal Transformer", "2018-07", ("loops",), "arXiv 1807.03819"),
    Outside("Sparse Transformer", "2019-04", ("chunks",),
            "arXiv 1904.10509, section 4.3: in the fixed pattern, a token attends to its own block"),
    Outside("T5", "2019-10", ("rmsnorm", "relative"),
            "arXiv 1910.10683, section 2.1: a layer norm that only rescales, and a learned bias per distance range"),
    Outside("T5 v1.1", "2020", ("geglu",), "arXiv 2002.05202"),
    Outside("Longformer", "2020-04", ("window",), "arXiv 2004.05150"),
    Outside("GPT-3", "2020-05", ("window", "window-mix"),
            "arXiv 2005.14165, section 2.1: alternating dense and locally banded sparse attention"),
    Outside("GShard", "2020-06", ("moe",), "arXiv 2006.16668"),
    Outside("GPT-Neo", "2021-03", (*PLAIN, "window", "window-mix", "learned-position", "o-bias", "mlp-bias"),
            "transformers, configuration_gpt_neo.py: attention_types, window_size", "gpt_neo"),
    Outside("BASE Layers", "2021-03", ("moe", "sigmoid-router"),
            "arXiv 2103.16716: an expert's output is weighted by the sigmoid of its score"),
    Outside("RoFormer", "2021-04", ("rope",), "arXiv 2104.09864"),
    Outside("CogView", "2021-05", ("post-norm",), "arXiv 2105.13290: Sandwich-LN"),
    Outside("GPT-J", "2021-06", (*PLAIN, "rope", "partial-rope", "mlp-bias", "parallel"),
            "github.com/kingoflolz/mesh-transformer-jax", "gptj"),
    Outside("Hash Layers", "2021-06", ("moe", "hash-router"), "arXiv 2106.04426"),
    Outside("Primer", "2021-09", ("relu2",), "arXiv 2109.08668"),
    Outside("Swin Transformer V2", "2021-11", ("layernorm", "post-norm", "no-pre-norm"),
            "arXiv 2111.09883, section 3.2: the norm moves behind attention and MLP, before each sum"),
    Outside("PR-MoE", "2022-01", ("moe", "shared-expert", "dense-beside"),
            "arXiv 2201.05596: each token uses a fixed MLP and one expert"),
    Outside("AlphaCode", "2022-02", ("mqa",), "arXiv 2203.07814"),
    Outside("NoPos 1.3B", "2022-03", ("no-position",), "arXiv 2203.16634"),
    Outside("PaLM", "2022-04", ("mqa", "swiglu", "layernorm", "rope", "parallel"), "arXiv 2204.02311"),
    Outside("Flamingo", "2022-04", ("cross",), "arXiv 2204.14198"),
    Outside("BLOOM", "2022-07", (*PLAIN, "alibi", *BIASES), "arXiv 2211.05100", "bloom"),
    Outside("Mixture of Attention Heads", "2022-10", ("expert-heads",), "arXiv 2210.05144"),
    Outside("Top-k Transformer", "2022-10", ("sparse-gate",),
            "arXiv 2210.06313: all but the largest activations of an MLP are set to zero"),
    Outside("SantaCoder", "2023-01", ("mqa", "gelu", "layernorm", "learned-position", *BIASES), "arXiv 2301.03988",
            "gpt_bigcode"),
    Outside("LLaMA", "2023-02", ("mha", "swiglu", "rmsnorm", "rope"), "arXiv 2302.13971"),
    Outside("ChatGLM 6B", "2023-03", ("normed-stream",), "THUDM/chatglm-6b, modeling_chatglm.py: GLMBlock"),
    Outside("MPT-1B RedPajama", "2023-04", ("mha", "layernorm", "qk-norm-full", "alibi"),
            "huggingface.co/mosaicml/mpt-1b-redpajama-200b: ALiBi, QK LayerNorm"),
    Outside("Quantizable Transformers", "2023-06", ("headwise-gate",),
            "arXiv 2306.12929: gated attention in BERT and OPT"),
    Outside("TransNormerLLM", "2023-07", ("lightning",), "arXiv 2307.14995"),
    Outside("Qwen 7B", "2023-08", ("temperature",),
            "Qwen/Qwen-7B, modeling_qwen.py: beyond seq_length, use_logn_attn multiplies queries by the logarithm of "
            "their position, which is not drawn here"),
    Outside("Persimmon 8B", "2023-09", ("mha", "relu2", "layernorm", "qk-norm", "rope", "partial-rope", *BIASES),
            "transformers, configuration_persimmon.py: qk_layernorm, hidden_act", "persimmon"),
    Outside("Mamba 2.8B", "2023-12", ("mamba1", "rmsnorm", "lone-halves"), "arXiv 2312.00752", "mamba"),
    Outside("MiniCPM 2B", "2024-02", ("swiglu", "residual-scale"), "arXiv 2404.06395"),
    Outside("Nemotron-4 15B", "2024-02", ("gqa", "relu2", "layernorm", "rope"), "arXiv 2402.16819", "nemotron"),
    Outside("Grok-1", "2024-03", ("gqa", "softcap", "moe", "rmsnorm", "post-norm", "rope"),
            "github.com/xai-org/grok-1, model.py"),
    Outside("Qwen1.5-MoE", "2024-03", ("moe", "shared-expert", "shared-gate"), "huggingface.co/Qwen/Qwen1.5-MoE-A2.7B"),
    Outside("Command R+", "2024-04", ("swiglu", "layernorm", "qk-norm", "rope", "parallel"),
            "transformers, configuration_cohere.py: use_qk_norm", "cohere__qknorm"),
    Outside("RecurrentGemma 2B", "2024-04", ("mqa", "rg-lru", "window", "geglu", "rmsnorm", "rope", "logit-softcap"),
            "arXiv 2404.07839; transformers, configuration_recurrent_gemma.py: logits_soft_cap", "recurrent_gemma"),
    Outside("ScMoE", "2024-04", ("moe", "shortcut-experts"), "arXiv 2404.05019"),
    Outside("the 7B of Gloeckle et al.", "2024-04", ("mtp",), "arXiv 2404.19737"),
    Outside("YOCO", "2024-05", ("shared-kv",), "arXiv 2405.05254"),
    Outside("Zamba 7B", "2024-05", ("mamba1", "rmsnorm", "no-position", "double-layer", "lone-halves", "shared-block"),
            "arXiv 2405.16712", "zamba"),
    Outside("Mamba-2 2.7B", "2024-05", ("mamba2", "rmsnorm", "lone-halves"), "arXiv 2405.21060", "mamba2"),
    Outside("DeepStack's LLaVA", "2024-06", ("deepstack",),
            "arXiv 2406.04334: more image tokens are added to the hidden states of the first layers"),
    Outside("Zamba2 2.7B", "2024-07", ("mamba2", "lora-shared", "rmsnorm", "double-layer", "shared-block"),
            "zyphra.com/post/zamba2-small", "zamba2"),
    Outside("MoE++", "2024-10", ("moe", "zero-experts"), "arXiv 2410.07348: zero, copy and constant experts"),
    Outside("p-RoPE's Gemma 2B", "2024-10", ("proportional-rope",), "arXiv 2410.06205"),
    Outside("modded-nanogpt", "2024-10", ("qk-norm-bare",), "github.com/KellerJordan/modded-nanogpt"),
    Outside("Hymba", "2024-11", ("both-mixers",), "arXiv 2411.13676"),
    Outside("Hunyuan-Large", "2024-11", ("moe", "shared-kv"), "arXiv 2411.02265"),
    Outside("Command R7B", "2024-12", ("window", "window-mix", "layernorm", "rope", "nope", "parallel"),
            "huggingface.co/docs/transformers/model_doc/cohere2", "cohere2"),
    Outside("ModernBERT", "2024-12", ("window", "window-mix", "two-bases"),
            "arXiv 2412.13663, section 2.1: a base of 160,000 in layers that attend to all, of 10,000 in the others"),
    Outside("BLT", "2024-12", ("ngrams",), "arXiv 2412.09871: hashed n-grams of bytes"),
    Outside("Forgetting Transformer", "2025-03", ("output-gate",), "arXiv 2503.02130: the Pro block"),
    Outside("ZAYA1 base", "2025-11", ("cca", "router-network", "scaled-stream"), "arXiv 2511.17127", "zaya"),
)
# fmt: on


def had(key: str, day: str) -> Outside | None:
    """The earliest model outside that had a mechanism before a day's month."""
    rows = (row for row in OUTSIDE if row.when < day[: len(row.when)] and key in row.keys)
    return min(rows, key=lambda row: row.when, default=None)
