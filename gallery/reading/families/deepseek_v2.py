"""DeepSeek-V2: MLA; experts behind a softmax router."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.scales import yarn

FAMILY = Family(
    source="transformers 5.23.0, models/deepseek_v2",
    scale=yarn,
    norm_topk=False,
    nested="language.model",
    zoo="deepseek_vl",
)
