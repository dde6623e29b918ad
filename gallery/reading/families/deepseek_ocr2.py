"""DeepSeek-OCR 2: DeepSeek-V2's experts around plain attention."""

from cutaway.gallery.reading.families.deepseek_v2 import mlp
from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/deepseek_ocr2",
    norm_topk=False,
    mlp=mlp,
    group_masked=0.0,
    nested="model.language_model",
    zoo="deepseek_vl",
)
