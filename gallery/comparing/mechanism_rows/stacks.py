"""Mechanisms of the whole stack: loops, two speeds, multi-token prediction, logits, direction."""

from __future__ import annotations

from cutaway.gallery.comparing import finding as f
from cutaway.gallery.comparing.mechanism_rows.row import LOOPS, NORMS, Mechanism
from cutaway.gallery.residuals.two_speeds import TwoSpeeds

# fmt: off
ROWS: tuple[Mechanism, ...] = (
    Mechanism("loops", "block", "looped stack", "a stack that runs several times",
              f.model(lambda spec: spec.loops > 1 or spec.course, "stack"),
              "A looped stack", "runs the same {of} layers {s.loops} times.", "arXiv 2510.25741",
              meaning="The whole stack runs several times with the same weights.",
              also=("looped", "loops", "recurrent depth", "universal transformer"), learn=LOOPS),
    Mechanism("two-speeds", "block", "two speeds", "two stacks at two speeds", f.stream(TwoSpeeds),
              "Two stacks at two speeds", "take turns: the low one runs {p.low_cycles} times, then the high one once.",
              "arXiv 2506.21734",
              meaning="A fast stack of layers runs several times for each step of a slow stack.",
              also=("hierarchical reasoning model", "HRM"), learn=LOOPS),
    Mechanism("mtp", "block", "MTP", "multi-token prediction", f.model(lambda spec: spec.mtp, "mtp"),
              "{mtp} multi-token-prediction layer{mtp_s}", "with {mtp_size} parameters, in addition to the {of} "
              "layers.", "arXiv 2412.19437",
              meaning="An extra layer predicts the token after the next one, for training or speculative decoding.",
              also=("MTP", "nextn", "speculative layer"), learn=LOOPS),
    Mechanism("logit-softcap", "block", "capped logits", "soft-capped logits",
              f.model(lambda spec: spec.logits_softcap, "head"),
              "Soft-capped logits", "are computed as {s.logits_softcap:g} · tanh(logit / {s.logits_softcap:g}).",
              "arXiv 2408.00118",
              meaning="Logits pass through a scaled tanh, so that none exceeds a limit.",
              also=("final logit softcapping",), learn=NORMS),
    Mechanism("bidirectional", "block", "bidirectional", "attention in both directions",
              f.model(lambda spec: spec.bidirectional, "stack"), "Attention in both directions",
              "lets every token attend to every other.", "arXiv 1810.04805",
              meaning="Every token attends to every other token, as in encoders and diffusion models, so there is no "
                      "KV cache.",
              also=("diffusion", "encoder")),
)
# fmt: on
