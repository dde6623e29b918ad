"""InternLM (the first): Llama's layer with biases on all four projections of attention."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(source="internlm/internlm-7b, modeling_internlm.py; recalled", mlp_bias=False)
