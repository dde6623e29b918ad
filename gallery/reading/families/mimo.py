"""MiMo-7B: Qwen2's layer, plus an MTP layer that shares embedding and head."""

from cutaway.gallery.reading.families.deepseek_v3 import mtp
from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="XiaomiMiMo/MiMo-7B-Base, modeling_mimo.py; published total = ours + layer + 2 h^2 + 3 h",
    windowed=True,
    defaults={"mtp_stores_embeddings": False},
    qkv_bias=True,
    o_bias=False,
    mtp=mtp,
    names=(
        ("eh_proj", "input_proj"),
        ("enorm", "token_layernorm"),
        ("hnorm", "hidden_layernorm"),
        ("shared_head.norm", "final_layernorm"),
    ),
)
