"""DeepSeek-V2: MLA; experts behind a softmax router."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import dense, mlp_bias, moe
from cutaway.gallery.reading.reading import Reading
from cutaway.gallery.reading.scales import yarn


def mlp(r: Reading, index: int, word: str) -> object:
    """mlp_bias is for dense MLPs and the shared experts; the routed ones have none."""
    if word == "moe":
        return moe(r, index, shared_bias=mlp_bias(r))
    return dense(r, index) if word == "dense" else None


FAMILY = Family(
    source="transformers 5.23.0, models/deepseek_v2",
    scale=yarn,
    unread={"moe_layer_freq": 1},
    run_as={"scoring_func": "softmax"},
    mlp=mlp,
    norm_topk=False,
    nested="language.model",
    zoo="deepseek_vl",
)
