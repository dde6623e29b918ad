"""Whether transformers builds a design: its model type is one of which every random design was built to our total.

built.json is written by tests/oracle/designs.py, which builds them; a test holds it to the designs that are kept.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

from cutaway.gallery.designing.design import Design

FILE = Path(__file__).with_name("built.json")


class Built(NamedTuple):
    """What is known of a design."""

    holds: bool
    sentence: str


@cache
def kept_results() -> dict:
    return json.loads(FILE.read_text("utf-8"))


def built(made: Design) -> Built:
    """Whether a design's class is known to build what the form allows, in a sentence."""
    version, many = kept_results()["transformers"], kept_results()["designs"].get(made.form.class_type, 0)
    name = made.spec.architecture or made.spec.model_type or "this class"
    if not many:
        return Built(False, f"Not checked in transformers {version}: no design of {name} was built.")
    kept = f"{many} random designs" if many > 1 else "one random design"
    return Built(True, f"builds in transformers {version}: {name} ({kept} of this class built to the printed total)")
