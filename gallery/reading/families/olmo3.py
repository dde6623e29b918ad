"""OLMo 3: OLMo 2's layer; three windowed layers to one full, whose rotation alone is stretched."""

from dataclasses import replace

from cutaway.gallery.reading.families.olmo2 import FAMILY as OLMO2
from cutaway.gallery.reading.reading import Reading


def prepare(r: Reading) -> None:
    """Olmo3Config gives rope_theta to full layers alone: it takes the key out before it comes to windowed ones."""
    text, own = r.facts.text, 500_000.0
    said = r.facts.number("rope_theta")
    if said and said != own and not text.get("rope_parameters"):
        r.contradict(
            "rope_theta", f"transformers' class gives windowed layers the base {own:g} regardless of rope_theta."
        )
        if r.as_class:
            r.facts.overrule("local_rope_theta", own)


FAMILY = replace(
    OLMO2,
    source="transformers 5.23.0, models/olmo3",
    windowed=True,
    prepare=prepare,
    defaults={"sliding_window_pattern": 4},
    stretched=("full_attention",),
)
