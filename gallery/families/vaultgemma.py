"""VaultGemma: Gemma's layer, every other layer windowed."""

from dataclasses import replace

from .gemma import FAMILY as GEMMA
from .gemma2 import alternate

FAMILY = replace(GEMMA, source="transformers 5.23.0, models/vaultgemma", words=alternate)
