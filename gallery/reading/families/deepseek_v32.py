"""DeepSeek-V3.2: V3 with an indexer in every layer."""

from dataclasses import replace

from cutaway.gallery.reading.families.deepseek_v3 import FAMILY as V3

FAMILY = replace(V3, source="transformers 5.23.0, models/deepseek_v32")
