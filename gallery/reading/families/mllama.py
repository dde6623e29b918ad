"""Llama 3.2 Vision: some layers read the image through cross-attention, behind two gates; eight more embedding rows."""

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import dense
from cutaway.gallery.spec import Dense


def cross(r: Reading, index: int) -> object:
    """Keys and values come from the image; no rotary position."""
    return attention(
        r, index, cross=True, qk_norm="head", rotary_dim=0, position="nope", out_gate="cross_attn_attn_gate"
    )


def mlp(r: Reading, index: int, word: str) -> Dense:
    """Cross-attention layers have a gate behind each half."""
    return replace(dense(r, index), out_gate="cross_attn_mlp_gate" if r.words[index] == "cross" else "")


def finish(r: Reading, fields: dict) -> dict:
    """The embedding has eight rows more than the head, for image tokens."""
    return {**fields, "embedding_rows": fields["vocab_size"] + 8}


FAMILY = Family(
    source="transformers 5.23.0, models/mllama",
    defaults={"cross_attention_layers": [3, 8, 13, 18, 23, 28, 33, 38]},
    mixers={"cross": cross},
    mlp=mlp,
    finish=finish,
    nested="language_model.model",
    zoo="mllama",
)
