"""DiffLlama: Llama's layer with differential attention."""

import math

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.family import Family


def full(r: Reading, index: int) -> object:
    """λ starts at 0.8 − 0.6 · exp(−0.3 · layer)."""
    r.facts.settle("lambda_std_dev")
    return attention(r, index, differential=0.8 - 0.6 * math.exp(-0.3 * index))


FAMILY = Family(
    source="transformers 5.23.0, models/diffllama",
    spellings={"lambda_std_dev": "lambda_std_dev"},
    mixers={"full": full},
)
