"""What torch counts of transformers' own modelling code, on tensors without numbers -> golden_roofline.json.

    python tests/explainers/make_golden_roofline.py      # with torch and transformers, whole models, 1 min

FLOPs of the products with weights and of attention's two products, for one new token and for a prompt of which the
last token alone meets the head; bytes of weights that a token reads, and of the cache, as the tensors have them.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
import transformers
from torch.utils.flop_counter import FlopCounterMode

from cutaway.gallery import catalog

SLUGS = ("meta-llama/Llama-3.1-8B", "Qwen/Qwen3-8B", "mistralai/Mistral-7B-v0.1", "microsoft/phi-4")
TOKENS = 1024
PRODUCTS = ("aten.mm", "aten.addmm", "aten.linear")


def model_of(slug: str) -> torch.nn.Module:
    """The whole model, its tensors without numbers."""
    row = catalog.load(slug)
    given = {key: value for key, value in row.items() if key not in ("architectures", "torch_dtype", "dtype")}
    config = transformers.AutoConfig.for_model(**given)
    config._attn_implementation = "eager"
    with torch.device("meta"):
        return transformers.AutoModelForCausalLM.from_config(config).to(torch.bfloat16).eval()


def counted(model: torch.nn.Module, tokens: int, cache: object = None) -> tuple[dict[str, int], object]:
    """(FLOPs by sort, what it keeps) of a pass."""
    ids = torch.zeros((1, tokens), dtype=torch.long, device="meta")
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        out = model(input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=1)
    found = {"weights": 0, "past": 0}
    for op, flops in counter.get_flop_counts()["Global"].items():
        found["weights" if str(op).removesuffix(".default") in PRODUCTS else "past"] += flops
    return found, out.past_key_values


def row(slug: str) -> dict:
    model = model_of(slug)
    _, cache = counted(model, TOKENS - 1)
    kept = sum(t.nbytes for layer in cache.layers for t in (layer.keys, layer.values)) * TOKENS // (TOKENS - 1)
    decode, _ = counted(model, 1, cache)
    prefill, _ = counted(model, TOKENS)
    table = model.get_input_embeddings().weight
    tied = model.get_output_embeddings().weight is table
    weights = sum(p.nbytes for p in model.parameters()) - (0 if tied else table.nbytes)
    return {"decode": decode, "prefill": prefill, "weights": weights, "cache": kept}


if __name__ == "__main__":
    made = {"torch": torch.__version__, "transformers": transformers.__version__, "tokens": TOKENS}
    made["models"] = {slug: row(slug) for slug in SLUGS}
    path = Path(__file__).with_name("golden_roofline.json")
    path.write_text(json.dumps(made, indent=1) + "\n", "utf-8")
