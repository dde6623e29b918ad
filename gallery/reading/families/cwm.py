"""CWM: Llama with windows, every fourth layer from the first without."""

from dataclasses import replace

from cutaway.gallery.reading.families.llama import FAMILY as LLAMA
from cutaway.gallery.reading.layer_words import fourth_words

FAMILY = replace(LLAMA, source="transformers 5.23.0, models/cwm", windowed=True, words=fourth_words)
