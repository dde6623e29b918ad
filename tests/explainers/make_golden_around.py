"""Torch and transformers -> golden_around.json: the small stack of around-the-block, run by the models' own classes.

    python tests/explainers/make_golden_around.py    (needs torch and transformers 5.23; tests themselves do not)

Llama has norms in front, Granite scales what a half gives, Gemma 2 has norms in front and behind and caps its scores,
Gemma 3 normalises queries and keys. All tokens stand at position 0, so that nothing
rotates. What is kept is the root mean square of the stream after each layer, in float64.
"""

import json
from pathlib import Path

import torch
import transformers
from transformers.models.gemma2.modeling_gemma2 import Gemma2Config, Gemma2Model
from transformers.models.gemma3.modeling_gemma3 import Gemma3TextConfig, Gemma3TextModel
from transformers.models.granite.modeling_granite import GraniteConfig, GraniteModel
from transformers.models.llama.modeling_llama import LlamaConfig, LlamaModel

TOKENS, WIDTH, HEADS, INNER, LAYERS, SEED = 6, 16, 2, 32, 8, 5_340_000
MASK = 0xFFFFFFFF
SIZES = {
    "hidden_size": WIDTH, "intermediate_size": INNER, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
    "num_key_value_heads": HEADS, "head_dim": WIDTH // HEADS, "rms_norm_eps": 1e-6, "vocab_size": 8,
    "attn_implementation": "eager", "pad_token_id": 0,
}  # fmt: skip
GEMMA = {"hidden_activation": "silu", "query_pre_attn_scalar": WIDTH // HEADS, "sliding_window": 64}
PLACES = {"q": 2, "k": 3, "v": 4, "o": 5, "gate": 8, "up": 9, "down": 10}


def mixed(x: int) -> int:
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x = ((x ^ (x >> shift)) * factor) & MASK
    return x ^ (x >> 16)


def drawn(row: int, count: int) -> torch.Tensor:
    """Numbers of a row: sums of four even draws."""
    base, found = mixed(SEED + row + 1), []
    for i in range(count):
        one, other = mixed((base + 2 * i) & MASK), mixed((base + 2 * i + 1) & MASK)
        found.append(((one & 0xFFFF) + (one >> 16) + (other & 0xFFFF) + (other >> 16) - 131_070) / 37_837)
    return torch.tensor(found, dtype=torch.float64)


def matrix(layer: int, name: str, rows: int, columns: int) -> torch.Tensor:
    return drawn(64 * layer + PLACES[name], rows * columns).reshape(rows, columns) / columns**0.5


def filled(model: torch.nn.Module, grown: float) -> torch.nn.Module:
    """The drawn weights in every layer; norms multiply by one."""
    model = model.double().eval()
    with torch.no_grad():
        for name, value in model.named_parameters():
            if "norm" in name:
                value.fill_(0.0 if "gemma" in type(model).__name__.lower() else 1.0)
        for i, layer in enumerate(model.layers):
            for which in "qkvo":
                by = grown if which in "qk" else 1
                getattr(layer.self_attn, f"{which}_proj").weight.copy_(by * matrix(i, which, WIDTH, WIDTH))
            for which in ("gate", "up"):
                getattr(layer.mlp, f"{which}_proj").weight.copy_(matrix(i, which, INNER, WIDTH))
            layer.mlp.down_proj.weight.copy_(matrix(i, "down", WIDTH, INNER))
    return model


def sizes(model: torch.nn.Module, grown: float = 1) -> list[float]:
    """The stream after each layer."""
    x = drawn(1, TOKENS * WIDTH).reshape(1, TOKENS, WIDTH)
    x = x / (x * x).mean(-1, keepdim=True).add(1e-6).sqrt()
    found, still = [], torch.zeros(1, TOKENS, dtype=torch.long)
    for layer in filled(model, grown).layers:
        layer.register_forward_hook(lambda _, __, out: found.append(out[0] if isinstance(out, tuple) else out))
    with torch.no_grad():
        model(inputs_embeds=x, position_ids=still, attention_mask=torch.ones_like(still), use_cache=False)
    return [one.pow(2).mean().sqrt().item() for one in found]


if __name__ == "__main__":
    gemma2 = Gemma2Config(**SIZES, **GEMMA, attn_logit_softcapping=5.0)
    gemma3 = Gemma3TextConfig(**SIZES, **GEMMA)
    made = {
        "transformers": transformers.__version__,
        "torch": torch.__version__.split("+")[0],
        "pre": sizes(LlamaModel(LlamaConfig(**SIZES))),
        "scale": sizes(GraniteModel(GraniteConfig(**SIZES, residual_multiplier=0.22, attention_multiplier=8**-0.5))),
        "sandwich": sizes(Gemma2Model(gemma2), grown=4),
        "qk": sizes(Gemma3TextModel(gemma3), grown=4),
    }
    Path(__file__).with_name("golden_around.json").write_text(json.dumps(made, indent=1) + "\n", "utf-8")
