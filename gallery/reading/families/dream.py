"""Dream: Qwen2's layer, read both ways: masked tokens are filled in, in any order."""

from dataclasses import replace

from cutaway.gallery.reading.families.qwen2 import FAMILY as QWEN2

FAMILY = replace(QWEN2, source="Dream-org/Dream-v0-Base-7B, modeling_dream.py; recalled", bidirectional=True)
