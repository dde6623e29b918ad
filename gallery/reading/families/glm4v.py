"""GLM-4.1V and GLM-4.6V: GLM-4-0414's layer with biases on q, k and v that no key mentions."""

from dataclasses import replace

from cutaway.gallery.reading.families.glm4 import FAMILY as GLM4

FAMILY = replace(GLM4, source="transformers 5.23.0, models/glm4v", defaults={}, qkv_bias=True)
