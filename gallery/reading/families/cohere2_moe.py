"""Command A with experts: Cohere 2's parallel layer; the largest router logits are chosen, then scored; the shared
experts are averaged with them."""

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.families.cohere2 import FAMILY as COHERE2
from cutaway.gallery.reading.families.cohere2 import full as without_position


def prepare(r: Reading) -> None:
    """A key that names an RMS epsilon makes norms RMSNorms; dense first layers have a window rule of their own."""
    facts = r.facts
    if facts.text.get("rope_scaling"):
        r.contradict("rope", "rope_scaling is not read by the class: positions are drawn as rope_parameters say.")
        facts.text = facts.text.without("rope_scaling")
    if facts.text.get("rms_norm_eps") is not None:
        r.family = replace(r.family, norm="RMSNorm")
    first = facts.integer("first_k_dense_replace") or 0
    steps = facts.integer("prefix_dense_window_pattern", 1), facts.integer("sliding_window_pattern", 4)
    if not facts.has("layer_types"):
        r.words = ["sliding" if (i + 1) % (steps[0] or 1) else "full" for i in range(first)]
        r.words += ["sliding" if (i + 1) % (steps[1] or 1) else "full" for i in range(r.depth - first)]


def full(r: Reading, index: int) -> object:
    """No position, but in dense layers whose own pattern is 1."""
    if r.mlp_words[index] == "dense" and r.facts.integer("prefix_dense_window_pattern", 1) == 1:
        return attention(r, index)
    return without_position(r, index)


FAMILY = replace(
    COHERE2,
    source="transformers 5.23.0, models/cohere2_moe",
    windowed=True,
    defaults={**COHERE2.defaults, "shared_expert_combination_strategy": "average", "norm_topk_prob": True},
    prepare=prepare,
    mixers={"full": full},
    rope_interleaved=True,
    topk_first=True,
    nested="",
    zoo="",
)
