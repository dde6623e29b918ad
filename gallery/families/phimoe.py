"""Phi-3.5-MoE: Mixtral's experts, LayerNorm with biases, biases on attention and head where keys say so."""

from ..family import Family
from .mixtral import MIXTRAL_NAMES

FAMILY = Family(source="transformers 5.23.0, models/phimoe", norm="LayerNorm", norm_bias=True, names=MIXTRAL_NAMES)
