"""What a copy of a config at hand lacks or has wrong, and the public source that has it: one row a model.

`build/snapshots.py` lays a row over the copy before it writes the snapshot, whose head then says so. A value of another
place is transcribed, so a mended snapshot is called reconstructed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ConfigPatch:
    """Keys laid over a copy, by path; `copy` says what that is, where it is more than incomplete."""

    slug: str
    source: str  # where the values stand
    values: Mapping[str, Any] = field(default_factory=dict)
    without: tuple[str, ...] = ()  # keys of the copy, by path, that are not this model's or only its class's default
    lent: Mapping[str, str] = field(default_factory=dict)  # key -> the slug whose copy holds what is this model's
    copy: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        return (*self.values, *self.lent)

    def words(self, how: str) -> str:
        """How the copy was come by, and what was laid over it."""
        taken = f"; {', '.join(self.keys)} taken from {self.source}" if self.keys else ""
        return (self.copy or how) + taken


STEP = 12  # times one global layer and three windows; the lists run over the prediction layers too
STEP_LISTS: dict[str, Any] = {
    "rope_theta": [5_000_000.0, 10_000.0, 10_000.0, 10_000.0] * STEP,
    "partial_rotary_factors": [0.5, 1.0, 1.0, 1.0] * STEP,
    "rope_scaling": {
        "rope_type": "llama3",
        "factor": 2.0,
        "original_max_position_embeddings": 131_072,
        "low_freq_factor": 1.0,
        "high_freq_factor": 32.0,
    },
    "yarn_only_types": ["full_attention"],
    "swiglu_limits": [0.0] * 43 + [7.0, 7.0] + [0.0] * 3,
    "swiglu_limits_shared": [0.0] * 44 + [16.0] + [0.0] * 3,
}
STEP_SOURCE = (
    "a test of the file's values, yevvonlim/Megatron-Bridge at 202306025842, "
    "tests/unit_tests/models/step3p5/test_step3p5_bridge.py, with the lists continued in their cycle of four"
)
STEP_37 = STEP_LISTS | {
    "attention_other_setting": {"num_attention_heads": 96, "num_attention_groups": 8, "head_dim": 128},
    "swiglu_limits_shared": [0.0] * 43 + [16.0, 16.0] + [0.0] * 3,
}
STEP_37_SOURCE = (  # 96 heads give the published total too: tests/gallery/test_oracle.py
    f"Step 3.5's text stack, which it shares: {STEP_SOURCE}; the 96 heads of its windowed layers from "
    f"NVIDIA/TensorRT-LLM, pull request 14759, and its shared limits from transformers 5.23.0, "
    f"models/step3p7/modeling_step3p7.py (16 in layers 43 and 44)"
)
SUPER = "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-"

PATCHES = (
    ConfigPatch(
        "zai-org/glm-4-9b-chat",
        "a log of loading THUDM/glm-4-9b-chat at f6e0743b285d, which prints the config",
        {"seq_length": 131_072, "rope_ratio": 500},
        copy="combined: our copy is the base model's (its _name_or_path is THUDM/glm-4-9b)",
    ),
    ConfigPatch(
        "JetBrains/Mellum2-12B-A2.5B-Base",
        "Performant-Labs/FreeToken-Intel at c02c2ee051cc, python/freetoken/models/mellum/__init__.py, which read the "
        "file (three windows, then a global layer), and pierre427/mlx2 at 632dab527927, "
        "src/mlx2/adapters/mellum21.py, which has the RoPE of Mellum 2.1",
        {
            "layer_types": (["sliding_attention"] * 3 + ["full_attention"]) * 7,
            "rope_parameters": {
                "full_attention": {
                    "rope_type": "yarn",
                    "rope_theta": 500_000.0,
                    "factor": 16.0,
                    "original_max_position_embeddings": 8192,
                    "beta_fast": 32.0,
                    "beta_slow": 1.0,
                    "attention_factor": 1.2772588722239782,
                },
                "sliding_attention": {"rope_type": "default", "rope_theta": 500_000.0},
            },
        },
    ),
    ConfigPatch(
        f"{SUPER}BF16",
        "the FP8 repository, by the formats it names",
        without=("quantization_config",),
        copy="combined: a copy from another public repository, without its quantization_config, which belongs to the "
        "FP8 repository",
    ),
    ConfigPatch(
        f"{SUPER}FP8",
        "levynoam/inference_roofline_tool at 05fc3b5e9214, models/Nemotron-3-Super-120B.json, which keeps it under "
        "the BF16 repository's name",
        lent={"quantization_config": f"{SUPER}BF16"},
        copy="combined: a copy from another public repository, which cut the list of modules that stay in 16 bits",
    ),
    ConfigPatch(
        "ibm-granite/granite-4.1-30b",
        "chrishayuk/larql at a5115011790e, crates/larql-models/tests/test_architectures.rs",
        {
            "attention_multiplier": 0.0078125,
            "embedding_multiplier": 12.0,
            "logits_scaling": 16.0,
            "residual_multiplier": 0.175,
            "rms_norm_eps": 1e-05,
            "rope_theta": 50_000_000.0,
        },
    ),
    ConfigPatch("stepfun-ai/Step-3.5-Flash", STEP_SOURCE, STEP_LISTS),
    ConfigPatch("stepfun-ai/Step-3.7-Flash", STEP_37_SOURCE, STEP_37),
    ConfigPatch("stepfun-ai/Step-3.7-Flash-FP8", STEP_37_SOURCE, STEP_37),
    ConfigPatch(
        "meta-llama/Llama-4-Maverick-17B-128E-Instruct",
        "the copy in ai-dynamo/aiconfigurator at 64c5ddb697dd under the Instruct model's name; the copy of its FP8 "
        "version in sgl-project/ome at 2f5da6dd1c71, pkg/hfutil/modelconfig/testdata/llama4.json, has the same value",
        {"text_config.max_position_embeddings": 1_048_576},
        copy="combined: a copy from another public repository, with the base model's context of 262,144",
    ),
    ConfigPatch(
        "zai-org/GLM-4.7-Flash",
        "a public test of serving this model with SGLang and KTransformers",
        {"rope_theta": 1_000_000, "num_nextn_predict_layers": 1, "dtype": "bfloat16"},
        without=("rope_parameters",),
    ),
    ConfigPatch(
        "CohereLabs/c4ai-command-r-v01",
        "a public test of loading Command R, which lists the file's values",
        {"rope_theta": 8_000_000.0, "logit_scale": 0.0625, "layer_norm_eps": 1e-05},
    ),
    ConfigPatch(
        "MiniMaxAI/MiniMax-Text-01-hf",
        "the file of MiniMax-M1, which was trained from this model, and transformers' config of this stack "
        "(models/minimax_vl_01)",
        {
            "rotary_dim": 64,
            "full_attn_alpha_factor": 3.5565588200778455,
            "full_attn_beta_factor": 1.0,
            "linear_attn_alpha_factor": 3.5565588200778455,
            "linear_attn_beta_factor": 1.0,
            "mlp_alpha_factor": 3.5565588200778455,
            "mlp_beta_factor": 1.0,
        },
        without=("max_position_embeddings",),
    ),
    *(
        ConfigPatch(slug, "no source: the class's own default", without=(path,))
        for slug, path in (
            ("mistralai/Mistral-Small-4-119B-2603", "text_config.max_position_embeddings"),
            ("tencent/Hy3-preview", "max_position_embeddings"),
            ("sarvamai/sarvam-105b", "max_position_embeddings"),
        )
    ),
    ConfigPatch(
        "xai-org/grok-2",
        "a test of sgl-project/sglang-jax and other public code, which print the file's values",
        {
            "attn_logit_softcapping": 30.0,
            "attn_temperature_len": 1024,
            "embedding_multiplier_scale": 90.50966799187809,
            "final_logit_softcapping": 50,
            "original_max_position_embeddings": 8192,
            "output_multiplier_scale": 0.5,
            "rms_norm_eps": 1e-05,
            "rope_theta": 208_533_496,
            "rope_type": "original",
            "router_logit_softcapping": 30.0,
            "scaling_factor": 16.0,
            "torch_dtype": "bfloat16",
        },
    ),
    ConfigPatch(
        "Qwen/Qwen3-Embedding-8B",
        "the size of the checkpoint: its 7.57 billion numbers are this stack without a head",
        {"architectures": ["Qwen3Model"]},
        copy="a copy from another public repository, whose class, Qwen3ForCausalLM, would have a head",
    ),
    ConfigPatch(
        "openai-community/gpt2-xl",
        "its checkpoint on the Hub, which has 6.43 GB of 32-bit floats including the stored masks",
        {"dtype": "float32"},
    ),
    ConfigPatch(
        "sgl-project/DeepSeek-V4-Pro-FP8",
        "deepseek-ai/DeepSeek-V4-Pro, whose weights this copy has",
        lent=dict.fromkeys(("routed_scaling_factor", "swiglu_limit", "rope_theta"), "deepseek-ai/DeepSeek-V4-Pro"),
        copy="combined: a copy from another public repository, which lacks keys",
    ),
    ConfigPatch(
        "sgl-project/DeepSeek-V4-Flash-FP8",
        "deepseek-ai/DeepSeek-V4-Flash, whose weights this copy has",
        lent=dict.fromkeys(("routed_scaling_factor", "swiglu_limit", "rope_theta"), "deepseek-ai/DeepSeek-V4-Flash"),
        copy="combined: a copy from another public repository, which lacks keys",
    ),
    ConfigPatch(
        "Nanbeige/Nanbeige4.1-3B",
        "the config.json of mlx-community/Nanbeige4.1-3B-heretic-4bit, which is derived from this model",
        {"rope_theta": 70_000_000},
    ),
)
BY_SLUG = {mend.slug: mend for mend in PATCHES}


def patch_config(slug: str, config: Mapping, copy_of: Callable[[str], Mapping]) -> dict:
    """A copy with what it lacks laid over it; `copy_of` gives another model's copy."""
    mend = BY_SLUG.get(slug)
    if mend is None:
        return dict(config)
    kept = dict(config)
    for path in mend.without:
        kept = drop_path(kept, path.split("."))
    lent = {key: copy_of(other)[key] for key, other in mend.lent.items()}
    for key, value in {**mend.values, **lent}.items():
        kept = set_path(kept, key.split("."), value)
    return kept


def drop_path(config: Mapping, path: list[str]) -> dict:
    """A config without what stands at the end of a path of keys."""
    head, *rest = path
    kept = {key: value for key, value in config.items() if key != head}
    return {**kept, head: drop_path(config[head], rest)} if rest and head in config else kept


def set_path(config: Mapping, path: list[str], value: object) -> dict:
    """A config with a value at the end of a path of keys."""
    head, *rest = path
    return {**config, head: set_path(config.get(head, {}), rest, value) if rest else value}
