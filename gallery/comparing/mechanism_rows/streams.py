"""Mechanisms of the residual stream: several streams, what is added to them and how it is weighed."""

from __future__ import annotations

from cutaway.gallery import spec as s
from cutaway.gallery.comparing import finding as f
from cutaway.gallery.comparing.mechanism_rows.row import LOOPS, NORMS, Mechanism
from cutaway.gallery.residuals.altup import AltUp
from cutaway.gallery.residuals.convolved_halves import ConvolvedHalves
from cutaway.gallery.residuals.depth_attention import DepthAttention
from cutaway.gallery.residuals.gated_streams import GatedStreams
from cutaway.gallery.residuals.hyper_connections import HyperConnections
from cutaway.gallery.residuals.normed_stream import NormedStream
from cutaway.gallery.residuals.per_layer import PerLayer
from cutaway.gallery.residuals.scaled_stream import ScaledStream
from cutaway.gallery.residuals.shared_block import SharedBlock
from cutaway.gallery.residuals.weighted import Weighted

# fmt: off
ROWS: tuple[Mechanism, ...] = (
    Mechanism("hyper-connections", "block", "hyper-connections", "hyper-connections",
              f.stream(HyperConnections), "Hyper-connections",
              "carry {p.streams} residual streams; each sublayer reads a weighted sum and writes to all.",
              "arXiv 2409.19606",
              meaning="Several residual streams run in parallel; each sublayer reads a weighted sum of them and "
                      "writes to all.",
              also=("mHC", "manifold-constrained hyper-connections"), learn=LOOPS),
    Mechanism("gated-streams", "block", "gated streams", "gated residual streams", f.stream(GatedStreams),
              "Gated residual streams", "{p.streams} streams, read through an elementwise gate.",
              "Qwen4-Exp's modelling code",
              meaning="Several residual streams run in parallel, and each sublayer reads them through an elementwise "
                      "gate.", learn=LOOPS),
    Mechanism("ngrams", "block", "n-gram tables", "n-gram embeddings",
              f.any_holds(f.embedding_tables("ngram_embedding"), f.stream(GatedStreams, lambda p: p.ngrams)),
              "N-gram embeddings", "add a vector looked up by the last few tokens.",
              "LongCat-Flash-Lite's and Qwen4-Exp's modelling code",
              meaning="A vector looked up for the last few tokens is added to the residual stream.",
              also=("n-gram embedding", "tables of n-grams"), learn=LOOPS),
    Mechanism("altup", "block", "AltUp", "AltUp", f.stream(AltUp),
              "AltUp", "carries {p.streams} streams; a layer computes one and corrects the others.",
              "arXiv 2301.13310",
              meaning="Each layer computes only one of several residual streams, and its result is used to update the "
                      "others.",
              also=("alternating updates",), learn=LOOPS),
    Mechanism("laurel", "block", "LAuReL", "LAuReL", f.extra("laurel", "laurel"),
              "LAuReL", "{where}: a low-rank residual in addition to the usual one.", "arXiv 2411.07501",
              meaning="A learned low-rank projection of the input is added to the residual connection.", learn=LOOPS),
    Mechanism("per-layer", "block", "per-layer embeddings", "per-layer embeddings",
              f.any_holds(f.stream(PerLayer, lambda p: p.width, "per_layer"),
                       f.stream(AltUp, lambda p: p.per_layer, "per_layer")),
              "Per-layer embeddings", "{where}: each layer looks the token up in its own table.",
              "Gemma 3n's modelling code",
              meaning="Every layer looks up the token again in its own small embedding table.",
              also=("PLE", "embedding per layer"), learn=LOOPS),
    Mechanism("depth-attention", "block", "attention over depth", "attention over depth", f.stream(DepthAttention),
              "Attention over depth", "lets each sublayer read a softmax-weighted mean of the sums of earlier blocks "
              "of {p.block} layers.",
              "Inkling 2's modelling code",
              meaning="Each sublayer reads a softmax-weighted mean over the summed outputs of earlier blocks of "
                      "layers.",
              learn=LOOPS),
    Mechanism("convolved-halves", "block", "convolved sublayers", "a convolution after each sublayer",
              f.stream(ConvolvedHalves), "A convolution after each sublayer", "over the last {p.kernel} tokens.",
              "Inkling's modelling code",
              meaning="Each sublayer is followed by a short convolution over the last few tokens.", learn=NORMS),
    Mechanism("scaled-stream", "block", "weighted stream", "a residual stream weighted at every sum",
              f.any_holds(f.stream(ScaledStream), f.stream(Weighted)),
              "A residual stream weighted at every sum", "{where}.", "ZAYA1's modelling code",
              meaning="At every addition, the residual stream, the sublayer's output or both are scaled.",
              learn=NORMS),
    Mechanism("normed-stream", "block", "normed stream", "a residual stream that passes through its norms",
              f.stream(NormedStream), "A residual stream that passes through its norms",
              "{where}: each sublayer's output is added to its normalised input.", "arXiv 2501.08313",
              meaning="A sublayer's output is added to its normalised input instead of the residual stream itself.",
              also=("DeepNorm",),
              learn=NORMS),
    Mechanism("residual-scale", "block", "scaled residuals", "scaled sublayer outputs",
              f.stream(s.Plain, lambda p: p.multiplier != 1.0),
              "Sublayer outputs scaled", "by {p.multiplier:.3g} before they are added to the residual stream.",
              "arXiv 2404.06395",
              meaning="Each sublayer's output is multiplied by a constant before it is added.",
              also=("residual multiplier", "muP"), learn=NORMS),
    Mechanism("shared-block", "block", "shared block", "a transformer block shared between layers",
              f.stream(SharedBlock),
              "A transformer block shared between layers", "reads the stream and the embedding, concatenated.",
              "arXiv 2411.15242",
              meaning="One transformer block is reused at several places in the stack.",
              also=("Zamba block",), learn=LOOPS),
    Mechanism("deepstack", "block", "DeepStack", "DeepStack", f.first_layers(lambda spec: len(spec.deepstack)),
              "DeepStack", "adds features of layers {taps} of the vision tower to the stream after "
              "the first {n} layers, at image tokens.", "arXiv 2406.04334",
              meaning="Features from several layers of the vision tower are added to the residual stream at image "
                      "tokens, after each of the first few layers.",
              also=("deepstack_visual_indexes",), near=False),
)
# fmt: on
