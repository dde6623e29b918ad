"""GLM-OCR: GLM-4-0414's layer without biases, whole heads rotated."""

from dataclasses import replace

from cutaway.gallery.reading.families.glm4 import FAMILY as GLM4

FAMILY = replace(GLM4, source="transformers 5.23.0, models/glm_ocr", defaults={}, qkv_bias=False)
