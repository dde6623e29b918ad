"""HRM: two stacks of layers that run at two speeds, gated attention, norms without weights."""

from cutaway.gallery.reading.attention import attention
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading, normal
from cutaway.gallery.residuals.two_speeds import TwoSpeeds, course
from cutaway.gallery.spec import Attention


def stack(r: Reading) -> int:
    """Layers of one stack; num_hidden_layers counts every pass where both are said."""
    said = r.facts.integer("num_layers_per_stack") if r.facts.has("num_layers_per_stack") else None
    return said or r.facts.need("num_hidden_layers")


def full(r: Reading, index: int) -> Attention:
    """The gate has a bias where the projections have one."""
    biases = r.attention_biases
    return attention(r, index, bias=biases | {"g"} if "q" in biases else biases)


def prepare(r: Reading) -> None:
    """Two stacks; num_hidden_layers may count the passes of both."""
    r.depth = 2 * stack(r)
    r.facts.settle("num_key_value_heads")


def finish(r: Reading, fields: dict) -> dict:
    """Low layers come first. `loops` is how often a layer runs on the mean of both stacks, which are alike."""
    facts, size = r.facts, stack(r)
    speeds = TwoSpeeds(facts.need("H_cycles", 2), facts.need("L_cycles", 3), size, normal(r))
    said = facts.number("embedding_multiplier") if facts.has("embedding_multiplier") else None  # worked out if left out
    width = facts.text.get("initializer_range") or 0.02
    return {
        **fields, "residual": speeds, "course": course(speeds),
        "loops": -(-speeds.high_cycles * (speeds.low_cycles + 1) // 2),
        "embedding_multiplier": said or 1 / (width if isinstance(width, float) and width > 0 else 0.02),
        "places": tuple(f"model.{word}_module.layers.{i}" for word in "LH" for i in range(size)),
    }  # fmt: skip


FAMILY = Family(
    source="transformers 5.23.0, models/hrm_text",
    norm_weight=False,
    final_norm="",
    gate="separate",
    mixers={"full": full},
    prepare=prepare,
    finish=finish,
)
