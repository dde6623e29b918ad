"""Mechanisms of MLPs: activations and gates."""

from __future__ import annotations

from cutaway.gallery import spec as s
from cutaway.gallery.comparing import finding as f
from cutaway.gallery.comparing.finding import Question
from cutaway.gallery.comparing.mechanism_rows.row import Mechanism

GELU = ("gelu", "gelu_new", "gelu_pytorch_tanh", "gelu_fast", "quick_gelu")


def _act(gated: bool, *names: str) -> Question:
    return f.mlp((s.Dense, s.MoE), lambda p, spec: p.gated is gated and p.hidden_act in names and p.glu == "glu")


# fmt: off
ROWS: tuple[Mechanism, ...] = (
    Mechanism("swiglu", "mlp", "SwiGLU", "SwiGLU", _act(True, "silu", "swish"),
              "SwiGLU", "{where}: SiLU(gate) × up, then the down projection.", "arXiv 2002.05202",
              meaning="One matrix computes a gate and another computes values, which are multiplied by SiLU of the "
                      "gate.",
              also=("SiLU-gated MLP", "gated MLP with SiLU")),
    Mechanism("geglu", "mlp", "GEGLU", "GEGLU", _act(True, *GELU), "GEGLU", "{where}: GELU(gate) × up, then the down "
              "projection.",
              "arXiv 2002.05202",
              meaning="Like SwiGLU, with GELU instead of SiLU on the gate.", also=("GeGLU",)),
    Mechanism("gelu", "mlp", "GELU", "a GELU MLP without a gate", _act(False, *GELU),
              "GELU without a gate", "{where}: up projection, GELU, down projection.", "arXiv 1606.08415",
              meaning="A plain MLP with a GELU activation and no gate, as in GPT-2."),
    Mechanism("relu2", "mlp", "ReLU²", "squared ReLU", f.mlp((s.Dense, s.MoE),
              lambda p, spec: p.hidden_act == "relu2" and not p.gated),
              "Squared ReLU", "{where}: up projection, ReLU², down projection, without a gate.", "arXiv 2109.08668",
              meaning="An MLP without a gate, whose activation is the square of ReLU.", also=("squared ReLU", "relu2")),
    Mechanism("xielu", "mlp", "xIELU", "xIELU", f.mlp(s.Dense, lambda p, spec: p.hidden_act == "xielu"),
              "xIELU", "{where}: an activation with two learned parameters, without a gate.", "arXiv 2411.13010",
              meaning="An activation with one learned coefficient for positive inputs and one for negative inputs."),
    Mechanism("situ", "mlp", "SiTU", "SiTU", f.mlp((s.Dense, s.MoE), lambda p, spec: p.hidden_act == "situ"),
              "SiTU", "{where}: gate and up are bounded by tanh before they are multiplied.",
              "hidden_act in Kimi K3's config",
              meaning="A gated activation in which tanh bounds both the gate and the values."),
    Mechanism("swigluoai", "mlp", "clamped SwiGLU", "clamped SwiGLU with up + 1",
              f.mlp((s.Dense, s.MoE), lambda p, spec: p.glu == "swigluoai" or p.hidden_act == "swigluoai"),
              "Clamped SwiGLU", "{where}: (up + 1) · gate · σ(α · gate), with up and gate clamped first.",
              "the gpt-oss model card",
              meaning="SwiGLU with a steeper gate and values shifted by one; the gate and the values are clamped "
                      "first.",
              also=("gpt-oss SwiGLU",)),
    Mechanism("sparse-gate", "mlp", "sparse activations", "sparse activations", f.mlp_field("sparsity"),
              "Sparse activations", "{where}: all but the largest gate values are set to zero.",
              "activation_sparsity_pattern in Gemma 3n's config",
              meaning="Only the largest gate values of a token are kept; the others become zero.",
              also=("activation sparsity",)),
    Mechanism("channel-mix", "mlp", "channel mix", "RWKV's channel mix", f.mlp(s.ChannelMix),
              "Channel mix", "{where}: each token is mixed with the previous one.", "arXiv 2305.13048",
              meaning="The MLP of RWKV, which mixes each token with the one before it and applies squared ReLU."),
)
# fmt: on
