"""Qwen3-VL-MoE and Qwen3-Omni's thinker: Qwen3-MoE, whose class normalises the chosen weights whatever
norm_topk_prob says."""

from dataclasses import replace

from cutaway.gallery.reading.families.qwen3_moe import FAMILY as QWEN3_MOE

FAMILY = replace(QWEN3_MOE, source="transformers 5.23.0, models/qwen3_vl_moe", windowed=False, norm_topk=True)
