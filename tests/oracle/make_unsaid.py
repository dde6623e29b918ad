"""Once: what configuration classes of transformers assume for keys left out -> tests/oracle/unsaid.json.

For every model type of tests/oracle/forward and every key that its class has a plain default for:
no lists, no sizes (a file states those), none of what only training or generation reads. In a virtual environment
outside this repository:

    pip install transformers==5.23.0
    python tests/oracle/make_unsaid.py
"""

import json
from pathlib import Path

from transformers.models.auto.configuration_auto import CONFIG_MAPPING

HERE = Path(__file__).parent
LEFT = {
    "hidden_size", "intermediate_size", "max_position_embeddings", "num_attention_heads", "num_hidden_layers",
    "vocab_size", "n_layer", "n_head", "n_embd", "n_positions", "n_ctx", "dff", "dim_ff", "num_layers", "num_heads",
    "d_model", "max_seq_len", "ffn_dim", "moe_intermediate_size", "shared_expert_intermediate_size", "n_layers",
    "n_heads", "rope_theta", "rotary_dim", "attention_heads", "dim_head", "ffn_hidden_size",
    "shared_intermediate_size", "bos_token_id", "eos_token_id", "pad_token_id", "initializer_range",
    "attention_dropout", "hidden_dropout", "use_cache", "output_router_logits", "router_aux_loss_coef",
    "residual_dropout", "embedding_dropout", "resid_pdrop", "embd_pdrop", "attn_pdrop", "model_type",
    "architectures", "transformers_version", "torch_dtype", "dtype",
}  # fmt: skip


def plain_defaults(model_type: str, said: dict) -> dict[str, object]:
    """The class's own value of each key that it states outright, and does not work out from others."""
    fields = getattr(CONFIG_MAPPING[model_type], "__dataclass_fields__", {})
    found = {key: field.default for key, field in fields.items() if key not in LEFT}
    plain = {key: one for key, one in found.items() if isinstance(one, bool | int | float | str)}
    return plain | {key: None for key in said if key in found and found[key] is None}


def main() -> None:
    rows: dict[str, dict] = {}
    for path in sorted((HERE / "forward").glob("*.json")):
        case = json.loads(path.read_text())
        if case["model_type"] in CONFIG_MAPPING and case["model_type"] not in rows:
            rows[case["model_type"]] = plain_defaults(case["model_type"], case["config"])
    lines = (f"{json.dumps(name)}: {json.dumps(row, sort_keys=True)}" for name, row in sorted(rows.items()))
    (HERE / "unsaid.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
