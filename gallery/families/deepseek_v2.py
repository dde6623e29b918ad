"""DeepSeek-V2: MLA; experts behind a softmax router."""

from ..family import Family

FAMILY = Family(source="transformers 5.23.0, models/deepseek_v2", nested="language.model", zoo="deepseek_vl")
