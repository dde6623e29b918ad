"""A model, a sequence and a layout -> FLOPs: of a training token as Megatron-LM counts them, and of each stage.

Going back costs twice what going forth does; where everything is recomputed, going forth is done twice.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod

from gallery.counting.flops import flops, layer_work
from gallery.planning.layout import Layout
from gallery.planning.stages import stages
from gallery.spec import ModelSpec
from gallery.wiring import layer_graph

FORTH_AND_BACK = 3


def mtp_flops(spec: ModelSpec, tokens: int, head: int) -> int:
    """Going forth through the layers that predict further tokens: each, what joins it to the stream, and the head."""
    total = 0
    for place, layer in enumerate(spec.mtp):
        total += layer_work(None, layer_graph(spec, layer), tokens, True).flops + head
        joined = spec.mtp_extras[place].tensors if place < len(spec.mtp_extras) else ()
        matrices = [shape for name, shape in joined if len(shape) == 2 and "embed" not in name and "head" not in name]
        total += 2 * tokens * sum(prod(shape) for shape in matrices)
    return total


def training_flops(spec: ModelSpec, sequence: int, mtp: bool = True) -> Fraction:
    """FLOPs of one training token, forth and back, attention counted causally; nothing recomputed."""
    found = flops(spec, sequence, prefill=True)
    total = found.total_flops + (mtp_flops(spec, sequence, found.layers[-1].flops) if mtp else 0)
    return Fraction(FORTH_AND_BACK * total, sequence)


def stage_flops(spec: ModelSpec, layout: Layout, head: bool = True) -> list[Fraction]:
    """Going forth: FLOPs of one rank of each stage for one sequence, or (decode) for the next token of one.

    Prefill needs the head for the last token of a prompt alone.
    """
    decode = layout.job == "decode"
    found = flops(spec, layout.context if decode else layout.sequence, prefill=not decode)
    each = [sum(found.layers[layer].flops for layer in own) for own in stages(len(spec.layers), layout)]
    if head:
        each[-1] += found.layers[-1].flops // (layout.sequence if layout.job == "prefill" else 1)
    return [Fraction(one, layout.tp * layout.cp) for one in each]
