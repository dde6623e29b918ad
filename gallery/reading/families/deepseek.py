"""DeepSeek v1 (DeepSeekMoE 16B): Llama's attention, experts beside two shared ones, a softmax router."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(source="deepseek-ai/deepseek-moe-16b-base, modeling_deepseek.py; recalled; its published total")
