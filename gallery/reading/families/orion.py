"""Orion: Llama's layer with LayerNorm."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(source="OrionStarAI/Orion-14B-Base, modeling_orion.py; recalled", norm="LayerNorm", norm_bias=True)
