"""GGUF metadata ("llama.block_count", ...) -> the config that transformers would have, or one sentence on why not.

Names of keys: gguf 0.19.0, constants.py; what they are called in a config: transformers 5.24.0, integrations/ggml.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from cutaway.gallery.reading.text_part import short
from cutaway.gallery.spec import ConfigError

ARCHITECTURE, TOKENS, FILE_TYPE = "general.architecture", "tokenizer.ggml.tokens", "general.file_type"
KEYS = {  # behind the architecture's name -> in a config
    "block_count": "num_hidden_layers", "embedding_length": "hidden_size", "feed_forward_length": "intermediate_size",
    "context_length": "max_position_embeddings", "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads", "attention.layer_norm_rms_epsilon": "rms_norm_eps",
    "rope.freq_base": "rope_theta", "vocab_size": "vocab_size",
}  # fmt: skip
HEADS = {"attention.key_length": "head_dim"}
WINDOW = {"attention.sliding_window": "sliding_window"}
CAPS = {"attn_logit_softcapping": "attn_logit_softcapping", "final_logit_softcapping": "final_logit_softcapping"}
EXPERTS = {"expert_count": "num_experts", "expert_used_count": "num_experts_per_tok",
           "expert_feed_forward_length": "moe_intermediate_size"}  # fmt: skip
SHARED = {"expert_shared_feed_forward_length": "shared_expert_intermediate_size"}
DEEPSEEK = {
    "attention.q_lora_rank": "q_lora_rank", "attention.kv_lora_rank": "kv_lora_rank",
    "rope.dimension_count": "qk_rope_head_dim", "leading_dense_block_count": "first_k_dense_replace",
    "expert_count": "n_routed_experts", "expert_used_count": "num_experts_per_tok",
    "expert_shared_count": "n_shared_experts", "expert_feed_forward_length": "moe_intermediate_size",
    "expert_weights_scale": "routed_scaling_factor", "expert_weights_norm": "norm_topk_prob",
    "expert_group_count": "n_group", "expert_group_used_count": "topk_group",
    "nextn_predict_layers": "num_nextn_predict_layers",
}  # fmt: skip


class Known(NamedTuple):
    """An architecture that is read."""

    model_type: str
    architecture: str
    keys: Mapping[str, str] = {}
    more: Mapping[str, Any] = {}  # what the metadata leave out


KNOWN = {
    "llama": Known("llama", "LlamaForCausalLM", HEADS),
    "qwen2": Known("qwen2", "Qwen2ForCausalLM"),
    "qwen3": Known("qwen3", "Qwen3ForCausalLM", HEADS),
    "qwen2moe": Known("qwen2_moe", "Qwen2MoeForCausalLM", {**EXPERTS, **SHARED}),
    "qwen3moe": Known("qwen3_moe", "Qwen3MoeForCausalLM", {**HEADS, **EXPERTS}, {"norm_topk_prob": True}),
    "gemma": Known("gemma", "GemmaForCausalLM", HEADS),
    "gemma2": Known("gemma2", "Gemma2ForCausalLM", {**HEADS, **WINDOW, **CAPS}),
    "gemma3": Known("gemma3_text", "Gemma3ForCausalLM", {**HEADS, **WINDOW}),
    "deepseek2": Known("deepseek_v2", "DeepseekV2ForCausalLM", DEEPSEEK),
}
SAID_TWICE = ("rope.dimension_count", "attention.key_length", "attention.value_length", "attention.key_length_mla",
              "attention.value_length_mla", "expert_gating_func")  # fmt: skip
DTYPES = {0: "float32", 1: "float16", 32: "bfloat16"}  # general.file_type of files that are not quantized
SIGMOID = 2  # expert_gating_func of DeepSeek-V3


def metadata_of(config: object) -> Mapping[str, Any]:
    """The metadata of a GGUF file, flat or as `gguf-dump --json` writes them; {} where a config is something else."""
    if not isinstance(config, Mapping):
        return {}
    inner = config.get("metadata")
    found = inner if isinstance(inner, Mapping) else config
    if not any(key == ARCHITECTURE or str(key).endswith(".block_count") for key in found):
        return {}
    return {str(key): one["value"] if isinstance(one, Mapping) and "value" in one else one
            for key, one in found.items()}  # fmt: skip


def from_gguf(config: Any) -> Any:
    """The config that GGUF metadata stand for; anything else as it is. ConfigError where the metadata do not say it."""
    told = metadata_of(config)
    if not told:
        return config
    name = told.get(ARCHITECTURE) or next(key for key in told if key.endswith(".block_count")).split(".")[0]
    known = KNOWN.get(name) if isinstance(name, str) else None
    if known is None:
        raise ConfigError(
            f"This is the metadata of a GGUF file, whose architecture {short(name, 40)} is not read here; those of "
            f"{', '.join(KNOWN)} are. Pass the config.json of the model it was made from."
        )
    return {**as_config(told, name, known), **how_stored(told)}


def as_config(told: Mapping[str, Any], name: str, known: Known) -> dict[str, Any]:
    """The keys of a config, by name."""
    names = {**KEYS, **known.keys}
    own = {ours: told[f"{name}.{key}"] for key, ours in names.items() if f"{name}.{key}" in told}
    if isinstance(tokens := told.get(TOKENS), list):
        own.setdefault("vocab_size", len(tokens))
    if "vocab_size" not in own:
        raise ConfigError(
            f"This is the metadata of a GGUF file that lacks both {name}.vocab_size and the list {TOKENS}, so the size "
            "of the vocabulary is unknown. Add one of them, or pass the config.json of the model it was made from."
        )
    left = {key: value for key, value in told.items() if key.startswith(f"{name}.")
            and key.removeprefix(f"{name}.") not in (*names, *SAID_TWICE)}  # fmt: skip
    made = {"model_type": known.model_type, "architectures": [known.architecture], **known.more, **own, **left}
    return deepseek(made, told, name) if name == "deepseek2" else made


def deepseek(made: dict[str, Any], told: Mapping[str, Any], name: str) -> dict[str, Any]:
    """DeepSeek's heads, of which newer files give the unpacked sizes under keys of their own, and its router."""
    sides = {word: told.get(f"{name}.attention.{word}_length_mla", told.get(f"{name}.attention.{word}_length"))
             for word in ("key", "value")}  # fmt: skip
    rope = made.get("qk_rope_head_dim")
    if isinstance(sides["key"], int) and isinstance(rope, int):
        made["qk_nope_head_dim"] = sides["key"] - rope
    if sides["value"] is not None:
        made["v_head_dim"] = sides["value"]
    made["num_key_value_heads"] = made.get("num_attention_heads")  # one latent is written as one head
    made.setdefault("q_lora_rank", None)  # a file without it has whole queries
    if told.get(f"{name}.expert_gating_func") == SIGMOID:
        third = {"model_type": "deepseek_v3", "architectures": ["DeepseekV3ForCausalLM"]}
        made = {**made, **third, "scoring_func": "sigmoid", "topk_method": "noaux_tc"}
    return made


def how_stored(told: Mapping[str, Any]) -> dict[str, Any]:
    """The format of the weights; a quantized file has another one for nearly each tensor, which only its list tells."""
    kind = told.get(FILE_TYPE)
    dtype = DTYPES.get(kind) if isinstance(kind, int) else None
    return {"torch_dtype": dtype} if dtype == "float32" else {
        "torch_dtype": dtype or "float16", "quantization_config": {"quant_method": "gguf", "file_type": kind},
    }  # fmt: skip
