"""gpt-oss: sinks, biases everywhere, alternating windows, experts stacked, transposed, gate and up fused."""

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import moe


def alternate(facts: Facts, depth: int) -> list[str]:
    """Where layer_types is missing, even layers are windowed."""
    return ["full" if index % 2 else "sliding" for index in range(depth)]


def experts(r: Reading, index: int, word: str) -> object:
    """Biases on experts and router; (up + 1) · gate · σ(alpha · gate), both clamped."""
    alpha = r.facts.number("swiglu_alpha", 1.702)
    return moe(r, index, bias=True, router_bias=True, glu="swigluoai", alpha=alpha)


def names(r: Reading) -> tuple[tuple[str, str], ...]:
    """Rows of gate and up alternate in one matrix."""
    rows = f"I{r.facts.per_layer('intermediate_size', 0)}"
    gate, up = (f"mlp.experts.{{expert}}.{word}_proj" for word in ("gate", "up"))
    return (
        ("mlp.gate", "mlp.router"),
        (f"{gate}.weight + {up}.weight", f"T{rows} mlp.experts.gate_up_proj"),
        ("mlp.experts.{expert}.down_proj.weight", "T mlp.experts.down_proj"),
        (f"{gate}.bias + {up}.bias", f"{rows} mlp.experts.gate_up_proj_bias"),
        ("mlp.experts.{expert}.down_proj.bias", "mlp.experts.down_proj_bias"),
    )


FAMILY = Family(
    source="transformers 5.23.0, models/gpt_oss",
    windowed=True,
    defaults={"attention_bias": True},
    sinks=True,
    words=alternate,
    mlp=experts,
    topk_first=True,
    names=names,
)
