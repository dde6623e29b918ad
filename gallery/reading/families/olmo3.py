"""OLMo 3: OLMo 2's layer; three windowed layers to one full, whose rotation alone is stretched."""

from dataclasses import replace

from cutaway.gallery.reading.families.olmo2 import FAMILY as OLMO2

FAMILY = replace(
    OLMO2,
    source="transformers 5.23.0, models/olmo3",
    windowed=True,
    defaults={"sliding_window_pattern": 4},
    stretched=("full_attention",),
)
