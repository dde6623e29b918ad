"""Methods of quantization and rounding: words that readers look up, though no config says which model had them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cutaway import explainers
from cutaway.app.model.idea_words import Said, said
from cutaway.app.model.ideas import Idea


class Taught(NamedTuple):
    """A method in the words of a language."""

    said: Said
    learn: list[tuple[str, str]]  # (title, path) of explainers


def _method(key: str, words: tuple[str, ...], says: str, source: str, learn: str) -> Idea:
    """A row that is found in no model."""
    return Idea(key, "method", words, lambda view: False, says, source, (learn,))


METHODS = (
    _method(
        "gptq", ("GPTQ", "error-compensated rounding"),
        "Weights are rounded one input after the other; after each, the weights still to be rounded are adjusted so"
        " that the layer’s outputs stay as close as they can.",
        "arXiv 2210.17323, algorithm 1", "activations",
    ),
    _method(
        "awq", ("AWQ", "activation-aware weight quantization"),
        "Weights of input channels with large activations are multiplied by a factor before they are rounded, and those"
        " inputs divided by it, so they lose less. Only weights are quantized.",
        "arXiv 2306.00978", "activations",
    ),
    _method(
        "smoothquant", ("SmoothQuant", "outlier migration"),
        "Each input channel is divided by a factor and its weights are multiplied by it, which moves outliers from"
        " inputs to weights, where they are easier to quantize.",
        "arXiv 2211.10438, equation 4", "activations",
    ),
    _method(
        "error-feedback", ("error feedback", "error compensation"),
        "What rounding one number lost is corrected in numbers that are rounded later, so that errors cancel instead of"
        " adding up.",
        "arXiv 2210.17323, GPTQ", "activations",
    ),
    _method(
        "hadamard", ("Hadamard rotation", "QuaRot", "incoherence processing"),
        "Weights are multiplied by an orthogonal matrix before they are quantized, which spreads an outlier over many"
        " of them; undone in the inputs, it changes no output.",
        "arXiv 2402.04396, QuIP#; arXiv 2404.00456, QuaRot", "matrix",
    ),
    _method(
        "rounding-mode", ("rounding mode", "ties to even", "round half to even", "RNE"),
        "Which neighbour a number becomes that a format does not have: the nearest one, at a tie the even one (the"
        " default of IEEE 754), or the one toward zero, above or below.",
        "IEEE 754-2019, section 4.3", "rounding",
    ),
    _method(
        "stochastic-rounding", ("stochastic rounding",),
        "A number becomes one of its two neighbours at random, the nearer one more often, so that sums of rounded"
        " numbers are right on average.",
        "arXiv 1502.02551", "rounding",
    ),
)  # fmt: skip


def methods(code: str = "") -> Iterator[Taught]:
    """Every row, with the explainers that show it."""
    for idea in METHODS:
        titles = [(explainers.in_language(name, code).title, f"/learn/{name}/") for name in idea.learn]
        yield Taught(said(idea, code), titles)
