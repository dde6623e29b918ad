"""Mechanisms of linear layers: which of them have biases."""

from __future__ import annotations

from cutaway.gallery import spec as s
from cutaway.gallery.comparing import finding as f
from cutaway.gallery.comparing.mechanism_rows.row import Mechanism

# fmt: off
ROWS: tuple[Mechanism, ...] = (
    Mechanism("qkv-bias", "bias", "QKV bias", "biases on queries, keys and values",
              f.mixer((s.Attention, s.LatentAttention), lambda p, spec: p.bias & frozenset("qkv")),
              "Biases on queries, keys and values", "{where}.", "Qwen's modelling code",
              meaning="The query, key and value projections have learned biases.", also=("attention bias",)),
    Mechanism("o-bias", "bias", "output bias", "a bias on attention's output",
              f.mixer((s.Attention, s.LatentAttention), lambda p, spec: "o" in p.bias),
              "A bias on attention's output", "{where}.", "GPT-2",
              meaning="The output projection of attention has a learned bias."),
    Mechanism("mlp-bias", "bias", "MLP bias", "biases in the MLP",
              f.mlp((s.Dense, s.MoE), lambda p, spec: p.bias), "Biases in the MLP", "{where}.", "GPT-2",
              meaning="The linear layers of the MLP have learned biases."),
)
# fmt: on
