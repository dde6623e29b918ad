"""MiniCPM3: MLA with a dense MLP."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading
from cutaway.gallery.reading.scales import yarn


def prepare(r: Reading) -> None:
    """MiniCPM3Config: values are hidden_size over heads wide where no key says so, as in the published file."""
    r.facts.assume("v_head_dim", r.hidden_size // r.facts.need("num_attention_heads"))


FAMILY = Family(
    source="transformers 5.23.0, models/minicpm3",
    defaults={"embedding_multiplier": 12, "scale_depth": 1.4, "dim_model_base": 256},
    prepare=prepare,
    scale=yarn,
    latent_interleaved=False,
)
