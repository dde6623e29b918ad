"""Step 3.7: Step 3.5's layer; the router's bias is a buffer here."""

from dataclasses import replace

from cutaway.gallery.reading.families.step3p5 import FAMILY as STEP3P5

FAMILY = replace(
    STEP3P5,
    source="transformers 5.23.0, models/step3p7",
    windowed=True,
    nested="",
    router_trained=False,
)
