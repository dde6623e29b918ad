"""Baichuan: Llama's layer with one fused projection."""

from gallery.reading.family import Family

FAMILY = Family(
    source="baichuan-inc/Baichuan2-7B-Chat, modeling_baichuan.py",
    names=(("self_attn.q_proj + self_attn.k_proj + self_attn.v_proj", "self_attn.W_pack"),),
)
