"""Baichuan: Llama's layer with one fused projection."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading

NORMED = 125_696  # Baichuan 2's vocabulary
SENTENCE = "Each row of the output head is divided by its norm (NormHead), which is not drawn."


def prepare(r: Reading) -> None:
    """13B has ALiBi, 7B rotates; Baichuan 2 normalises its head."""
    if r.facts.integer("vocab_size") == NORMED:
        r.not_understood.append(SENTENCE)
    if r.hidden_size != 4096:
        r.facts.defaults["alibi"] = True


FAMILY = Family(
    prepare=prepare,
    source="baichuan-inc/Baichuan2-7B-Chat, modeling_baichuan.py",
    names=(("self_attn.q_proj + self_attn.k_proj + self_attn.v_proj", "self_attn.W_pack"),),
)
