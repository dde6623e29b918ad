"""FlexOlmo: OLMo 2's layer around experts."""

from dataclasses import replace

from cutaway.gallery.reading.families.olmo2 import FAMILY as OLMO2

FAMILY = replace(OLMO2, source="transformers 5.23.0, models/flex_olmo")
