"""A config and its spec -> what pages print of it and no key of it says: the class's defaults stand there.

A file of the Hub leaves out what it means to leave out. A copy that was trimmed or put together leaves out more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cutaway.gallery.reading import families
from cutaway.gallery.reading.keys import SPELLINGS
from cutaway.gallery.reading.read import PLAIN, defaults_for
from cutaway.gallery.reading.text_part import unwrap
from cutaway.gallery.spec import ModelSpec
from cutaway.gallery.sublayers import parts_of

# What a page prints of a model, a class has a default for, and a published file of it often says.
PRINTED = ("rope_theta", "rope_parameters", "attention_multiplier", "embedding_multiplier", "residual_multiplier",
           "logits_scaling", "logit_scale", "routed_scaling_factor", "query_pre_attn_scalar")  # fmt: skip
STRETCHES = ("rope_scaling", "rope_parameters")
BASES = {"rope_theta", "rope_ratio", "layer_rope_theta", "compress_rope_theta"}  # each says the base of a rotation


def stated_keys(config: Mapping, own: Mapping[str, str]) -> Iterator[str]:
    """The canonical names of all keys that say something, at whatever depth."""
    for key, value in config.items():
        if isinstance(value, Mapping):
            yield "rope_parameters" if key in STRETCHES else ""
            yield from stated_keys(value, own)
        elif value is not None:
            yield own.get(key) or SPELLINGS.get(key, ("",))[0]


def bases(spec: ModelSpec) -> list[float]:
    """The bases that the layers' rotations are drawn with."""
    ropes = (getattr(part, "rope", None) for layer in spec.layers for part in parts_of(layer.mixer))
    return sorted({rope.theta for rope in ropes if rope})


def assumed_keys(config: Mapping, spec: ModelSpec) -> tuple[str, ...]:
    """Of the printed keys, those that come from no key of this config but from the class."""
    text, top = unwrap(config)
    family = families.load(spec.family) if spec.family else PLAIN
    written = set(stated_keys(config, family.spellings))
    defaults = defaults_for(text, top, spec.family, family)
    rotates = bool(bases(spec)) and not written & BASES
    return tuple(
        name for name in PRINTED if name not in written and (rotates if name == "rope_theta" else name in defaults)
    )
