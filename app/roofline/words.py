"""A work sheet -> in which formats a model's matrix products run, in a sentence."""

from __future__ import annotations

from cutaway.gallery.counting.blocks import Sheet
from cutaway.gallery.counting.products import ORDER, PLAIN
from cutaway.gallery.joined import join_words

FORMS = {PLAIN: "16 bits", "fp8": "FP8", "fp4": "FP4"}


def forms_say(told: Sheet) -> str:
    """In which formats products with weights run, where they are quantized, and why a plan may differ."""
    if told["alone"]:
        more = f" The fastest engines use {FORMS[told['fastest']]}, which plans assume."
        return f"Matmuls run in 16 bits, because only the weights are {told['alone']}." + more * (
            told["fastest"] != PLAIN
        )
    found: dict[str, list[str]] = {}
    for one in told["blocks"]:
        if one["token"]:
            found.setdefault(one["runs"], []).append(one["name"])
    if set(found) <= {PLAIN}:
        return ""
    parts = [FORMS[form] + (f" ({', '.join(dict.fromkeys(found[form]))})" if len(found) > 1 else "")
             for form in reversed(ORDER) if form in found]  # fmt: skip
    return f"Matmuls with weights run in {join_words(parts)}, if the GPU supports it."
