"""Mistral Small 4: DeepSeek-V3's layer, queries that grow with their position, a softmax router without a bias."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading
from cutaway.gallery.reading.scales import yarn

ROPE = {"rope_type": "yarn", "rope_theta": 10_000.0, "factor": 128.0, "original_max_position_embeddings": 8192,
        "beta_fast": 32.0, "beta_slow": 1.0, "mscale_all_dim": 1.0, "mscale": 1.0,
        "llama_4_scaling_beta": 0.1}  # fmt: skip


def prepare(r: Reading) -> None:
    """SGLang's test of this model's numbers (compute_mla_mscale_scaling) and vLLM's configs/mistral.py."""
    growth = yarn(r, 1)
    if growth:
        r.notes.append(
            f"q·k is multiplied by {growth:.2f} for YaRN, as transformers' class does; vLLM and SGLang leave that out "
            "where Mistral's own params.json says apply_scale: false."
        )


FAMILY = Family(
    source="transformers 5.23.0, models/mistral4",
    defaults={"rope_parameters": ROPE},
    mlp_bias=False,
    prepare=prepare,
    scale=yarn,
    group_score="top2",
    group_masked=0.0,
    norm_topk_eps=1e-20,
    nested="language_model.model",
)
