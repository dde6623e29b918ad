"""From facts to a mixer's scale: the number that q·k is multiplied by before the softmax.

0 stands for 1 / √(size of q·k), what nearly every modelling code does; None for "not known from config and family".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cutaway.gallery.reading.reading import Reading

PLAIN = 0.0


def scale_of(r: Reading, size: int, index: int = 0) -> float | None:
    """The scale of attention in one layer, whose queries and keys have `size` numbers per head."""
    said = r.family.scale(r, size) if r.family.scale else stated_scale(r)
    if r.facts.flag("scale_attn_by_inverse_layer_idx") and said is not None and index:
        said = (said or size**-0.5) / (index + 1)
    if said and not 1e-6 <= said <= 1e6:  # no model's: a broken file
        return None
    if said and math.isclose(said * math.sqrt(size), 1.0, rel_tol=1e-6):
        return PLAIN
    return said


def stated_scale(r: Reading) -> float | None:
    """What keys say: Gemma 2 and 3 divide by the root of one, Granite multiplies by another, GPT-2 may not scale."""
    facts = r.facts
    under, by = facts.number("query_pre_attn_scalar"), facts.number("attention_multiplier")
    scaled = facts.flag("scale_attn_weights", True)
    if not r.family.source:  # a family nobody here has read
        return None
    if under:
        return under**-0.5
    return by or (PLAIN if scaled else 1.0)


def unit_scale(r: Reading, size: int) -> float:
    """Families whose code says scaling = 1.0."""
    return 1.0


def by_width(r: Reading, size: int) -> float:
    """muP: Phi-3-small divides by head_dim, not by its root."""
    by = r.facts.number("mup_attn_multiplier", 1.0)
    return (by or 1.0) / size if r.facts.flag("mup_use_scaling", True) else PLAIN


def granite_scale(r: Reading, size: int) -> float | None:
    """Granite: what attention_multiplier says; the class assumes 1.0, which no published model uses."""
    return r.facts.number("attention_multiplier") or None


def half_root(r: Reading, size: int) -> float:
    """Zamba2, whose heads are twice as wide because they read stream and embedding: (head_dim / 2) ** -0.5."""
    return (size / 2) ** -0.5


def believable(value: object) -> float:
    """A number as rope_scaling has them; 0 for anything else."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e6
    return value if known else 0.0  # type: ignore[return-value]


def yarn(r: Reading, size: int) -> float | None:
    """DeepSeek V2 and V3: stretching the context by YaRN multiplies the scale by mscale², if mscale_all_dim is set."""
    ropes = r.facts.text.get("rope_scaling") or r.facts.text.get("rope_parameters")
    ropes = ropes or r.facts.defaults.get("rope_parameters")
    if not isinstance(ropes, Mapping):
        return PLAIN
    share, factor = (believable(ropes.get(name)) for name in ("mscale_all_dim", "factor"))
    if not share or not factor:
        return PLAIN
    stretch = 0.1 * share * math.log(max(factor, 1.0)) + 1
    return stretch**2 / math.sqrt(size)


GROWTH = ("apply_yarn_scaling", "apply_scale")  # vLLM's older word for it, and that of params.json


def yarn_if_applied(r: Reading, size: int) -> float | None:
    """Mistral's own format: the same, unless the file says "no magnitude correction"."""
    ropes = r.facts.text.get("rope_scaling") or r.facts.text.get("rope_parameters")
    said = ropes if isinstance(ropes, Mapping) else {}
    if said.get("attention_factor") == 1 or any(said.get(name) is False for name in GROWTH):
        return PLAIN
    return yarn(r, size)
