"""gpt-oss: sinks, biases everywhere, alternating windows, experts stacked, transposed, gate and up fused."""

from gallery.reading.attention import Reading
from gallery.reading.facts import Facts
from gallery.reading.family import Family
from gallery.reading.mlps import moe


def alternate(facts: Facts, depth: int) -> list[str]:
    """Where layer_types is missing, even layers are windowed."""
    return ["full" if index % 2 else "sliding" for index in range(depth)]


def experts(r: Reading, index: int, word: str) -> object:
    """Biases on experts and router."""
    return moe(r, index, bias=True, router_bias=True)


FAMILY = Family(
    source="transformers 5.23.0, models/gpt_oss",
    defaults={"attention_bias": True},
    sinks=True,
    words=alternate,
    mlp=experts,
    names=(
        ("mlp.gate", "mlp.router"),
        ("mlp.experts.{expert}.gate_proj.weight + mlp.experts.{expert}.up_proj.weight", "T mlp.experts.gate_up_proj"),
        ("mlp.experts.{expert}.down_proj.weight", "T mlp.experts.down_proj"),
        ("mlp.experts.{expert}.gate_proj.bias + mlp.experts.{expert}.up_proj.bias", "mlp.experts.gate_up_proj_bias"),
        ("mlp.experts.{expert}.down_proj.bias", "mlp.experts.down_proj_bias"),
    ),
)
