"""What classes of transformers 5.23.0 demand beside what any model does: read off their validators and constructors.

tests/oracle/designs.py builds random designs of every class, and what it refuses or counts otherwise has a row here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

# hidden_size is a multiple of num_attention_heads, whatever head_dim says (validate_architecture).
HEADS_DIVIDE_HIDDEN = frozenset((
    "arcee", "aria", "cwm", "deepseek_v2", "gemma2", "gemma3_text", "gemma3n_text", "gpt_neox", "hrm_text",
    "hyperclovax", "internlm3", "iquestcoder", "jais2", "llama", "minicpm3", "muse_glimmer_text", "muse_spark_text",
    "vaultgemma",
))  # fmt: skip
MULTIPLIED = "mamba_n_heads × mamba_d_head is mamba_expand × hidden_size"


class Held(NamedTuple):
    """Fields that stay as they are in some classes, and why."""

    model_types: str  # with spaces between
    ids: str
    why: str


HELD = (
    Held("bamba falcon_h1 granitemoehybrid", "hidden state_heads", MULTIPLIED),
    Held("mamba2", "hidden heads head", "num_heads × head_dim is expand × hidden_size"),
    Held("zamba zamba2", "hidden heads kv head state_heads", "sizes of the shared block follow from it"),
    Held("zamba zamba2", "tied", "the class shares its blocks by the same switch"),
    Held("helium", "hidden heads head", "the class has heads of 128, whatever the file leaves out"),
    Held("xlstm", "hidden heads", "the class rounds widths to what kernels take"),
    Held("qwen4_exp_text", "head", "RoPE's part of a head has to fit the indexer's"),
    Held("qwen4_exp_text", "mix", "n-gram embeddings stand at linear layers alone"),
    Held("mistral4", "nope_dim rope_dim", "partial_rotary_factor says the same"),
    Held("qwen4_exp_text", "index_topk", "indexer_compress_ratio divides it"),
    Held("mimo_v2_flash", "heads kv head v_dim", "windowed layers have sizes of their own"),
    Held("hunyuan_v1_moe", "dense_first expert_ffn", "the class does not read it"),
    Held("hunyuan_v1_moe", "ffn", "moe_intermediate_size lists the same for each layer"),
    Held("dbrx mllama_text_model muse_spark_text", "tied", "the class does not tie them"),
    Held("muse_spark_text", "hidden", "the audio encoder gives vectors of this width"),
    Held("muse_spark_text", "heads", "hidden_size is a multiple of it, and stays"),
    Held("zaya", "active", "the class takes one expert per token"),
    Held("glm5_next_text", "dense_first", "mlp_layer_types lists the layers"),
    Held("glm5_next_text", "index_topk", "index_kpool divides it"),
    Held("glm5_next_text", "rope_dim", "the class has no position in its sparse layers"),
    Held("gpt_neo", "layers", "attention_types lists the layers"),
)
LONG_FACTORS = ("long_factor", "short_factor")  # of RoPE: as many as a head has pairs
BY_PAIRS = "RoPE's long_factor lists one number for each pair of a head"


def held_fields(spec_type: str, text: Mapping[str, Any], has_head: bool) -> dict[str, str]:
    """Field -> why it stays in a config of a class."""
    found = {id: one.why for one in HELD if spec_type in one.model_types.split() for id in one.ids.split()}
    rope = text.get("rope_scaling") or text.get("rope_parameters")
    if isinstance(rope, Mapping) and any(name in rope for name in LONG_FACTORS):
        found |= dict.fromkeys(("head", "rope_dim", *(() if has_head else ("hidden", "heads"))), BY_PAIRS)
    return found
