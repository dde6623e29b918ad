"""DeepSeek-OCR 2: DeepSeek-V2's experts around plain attention."""

from cutaway.gallery.reading.families.deepseek_v2 import mlp
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading


def prepare(r: Reading) -> None:
    """A head is as wide as hidden_size over the heads, whatever head_dim says."""
    sentence = r.facts.overrule("head_dim", r.hidden_size // (r.facts.integer("num_attention_heads") or 1))
    if sentence:
        r.contradict("head_dim", sentence)


FAMILY = Family(
    source="transformers 5.23.0, models/deepseek_ocr2",
    prepare=prepare,
    norm_topk=False,
    mlp=mlp,
    group_masked=0.0,
    nested="model.language_model",
    zoo="deepseek_vl",
)
