"""Mechanisms of a layer: its mixers and MLPs in parallel, several to a layer, one alone."""

from __future__ import annotations

from cutaway.gallery import spec as s
from cutaway.gallery.comparing import finding as f
from cutaway.gallery.comparing.mechanism_rows.questions import side_by_side
from cutaway.gallery.comparing.mechanism_rows.row import LOOPS, NORMS, Mechanism
from cutaway.gallery.residuals.early_experts import EarlyExperts
from cutaway.gallery.residuals.shortcut import Shortcut


def _single_kind(layer: s.Layer) -> bool:
    return layer.mixer is None or layer.mlp is None


# fmt: off
ROWS: tuple[Mechanism, ...] = (
    Mechanism("parallel", "block", "parallel block", "attention and MLP in parallel",
              f.layers(lambda layer: layer.parallel), "Attention and MLP in parallel",
              "{where}: both read the same input.",
              "GPT-J's modelling code",
              meaning="Attention and MLP read the same input, and both outputs are added to the residual stream "
                      "together.",
              also=("parallel attention", "mixer and MLP side by side"), learn=NORMS),
    Mechanism("both-mixers", "block", "parallel mixers", "attention and a state space model in parallel",
              f.layers(side_by_side("parallel", "mixer"), "mixer"),
              "Two mixers in parallel", "{where}: attention and a state space model read the same input.",
              "arXiv 2507.22448",
              meaning="Attention and a state space model run in parallel in one layer.",
              also=("hybrid heads", "two mixers side by side"), learn=LOOPS),
    Mechanism("double-layer", "block", "two mixers a layer", "two mixers in a layer",
              f.layers(side_by_side("serial", "mixer"), "mixer"),
              "Two mixers in a layer", "run one after the other {where}.", "arXiv 2509.01322",
              meaning="A layer has two mixers, one after the other.", learn=LOOPS),
    Mechanism("shortcut-experts", "block", "shortcut experts", "shortcut-connected experts",
              f.stream(Shortcut, node="shortcut_add"), "Shortcut-connected experts",
              "{where}: they read the input of the first MLP, and their output is added after the second MLP.",
              "arXiv 2509.01322",
              meaning="Experts read the input of a layer's first MLP, and their output is added at the end of the "
                      "layer, so that they can run in parallel with everything in between.",
              also=("experts on a shortcut", "shortcut-connected MoE", "ScMoE"), learn=LOOPS),
    Mechanism("early-experts", "block", "early experts", "experts in parallel with attention",
              f.stream(EarlyExperts, node="experts_add"), "Experts in parallel with attention",
              "{where}: they read the layer's input, and their output is added at the end of the layer.",
              "Snowflake Arctic's modelling code",
              meaning="Experts read a layer's input instead of attention's output, and their output is added at the "
                      "end of the layer.", also=("experts that need not wait for attention",),
              learn=LOOPS),
    Mechanism("lone-halves", "block", "single-mixer layers", "single-mixer layers", f.layers(_single_kind),
              "Single-mixer layers", "{n} of {of} layers have only one of attention, Mamba and MLP.",
              "arXiv 2504.03624",
              meaning="A layer has a single sublayer: attention, Mamba or an MLP (dense or MoE).", learn=LOOPS),
)
# fmt: on
