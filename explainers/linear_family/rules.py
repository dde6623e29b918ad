"""Ten rules as rows of one recurrence: what each does to the old state, what it writes, how it reads.

The state S is d_k x d_v, a token has a key k, a value v and a query q. Every rule is

    S <- Diag(alpha) S - (erase * k) (k' S) + (write * k) v',   o = S' q,

with three vectors over the channels of the key. Rules differ in where these come from; in the erased term, S is decayed
already (`erase` "decayed") or not ("old"). mLSTM also decays and sums a vector n and divides by max(|n'q|, 1); Mamba-2
adds D v to what it reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Rule(NamedTuple):
    """A row. `gate` says what alpha is: none, fixed per head, a number per head and token, or one per channel."""

    name: str
    label: str
    gate: str  # "none" | "fixed" | "head" | "channel"
    erase: str  # "" | "decayed" | "old"
    formula: str  # LaTeX
    step: str  # the same with \text{...} where a number of this token stands
    source: str
    mixers: tuple[str, ...] = ()  # records of the catalogue that follow the rule


PAIR, OLD = r"k_t v_t^\top", "S_{t-1}"


def adding(decay: str, write: str = "") -> str:
    """The formula of a rule that adds."""
    return f"S_t = {decay}{OLD} + {write}{PAIR}"


def erasing(decay: str) -> str:
    """The formula of a delta rule."""
    return rf"S_t = (I - \beta_t k_t k_t^\top)\,{decay}{OLD} + \beta_t {PAIR}"


def added(decay: str, write: str = "", what: str = "S", pair: str = r"k v^\top") -> str:
    """The step of a rule that adds, with this token's numbers."""
    return rf"{what} \leftarrow {decay}{what} + {write}{pair}"


def erased(decay: str) -> str:
    """The step of a delta rule."""
    return rf"S \leftarrow (I - {BETA}k k^\top)\,{decay}S + {BETA}k v^\top"


ALPHA, WRITE, BETA, ALPHAS = r"\text{alpha}\,", r"\text{write}\,", r"\text{beta}\,", r"\text{Diag}(\text{alphas})\,"
DIAG = r"\text{Diag}(\alpha_t)\,"
MAMBA = adding(r"e^{\Delta_t A}", r"\Delta_t ") + r",\quad o_t = S_t^\top q_t + D v_t"
NORMALISED = r"n_t = f_t n_{t-1} + i_t k_t,\quad o_t = \frac{S_t^\top q_t}{\max(|n_t^\top q_t|, 1)}"
MLSTM = adding("f_t ", "i_t ") + r",\quad " + NORMALISED
MLSTM_STEP = added(ALPHA, WRITE) + r",\quad " + added(ALPHA, WRITE, "n", "k")
RWKV = rf"S_t = (\text{{Diag}}(w_t) - (a_t \odot k_t) k_t^\top)\,{OLD} + (a_t \odot k_t) v_t^\top"
RWKV_STEP = r"S \leftarrow (\text{Diag}(\text{alphas}) - (\text{beta}\,k) k^\top)\,S + (\text{beta}\,k) v^\top"
DELTA = "Schlag et al., arXiv 2102.11174; Yang et al., arXiv 2406.06484"
LIGHTNING = "Qin et al., arXiv 2401.04658; MiniMax-01, arXiv 2501.08313"
RULES: tuple[Rule, ...] = (
    Rule("linear", "Linear attention", "none", "", adding(""), added(""),
         "Katharopoulos et al., arXiv 2006.16236, without feature map and denominator"),
    Rule("retnet", "RetNet", "fixed", "", adding(r"\gamma "), added(ALPHA), "Sun et al., arXiv 2307.08621"),
    Rule("lightning", "Lightning Attention", "fixed", "", adding("e^{-s}"), added(ALPHA), LIGHTNING,
         ("LightningAttention",)),
    Rule("mamba2", "Mamba-2", "head", "", MAMBA, added(ALPHA, WRITE), "Dao and Gu, arXiv 2405.21060", ("Mamba2",)),
    Rule("mlstm", "mLSTM", "head", "", MLSTM, MLSTM_STEP, "Beck et al., arXiv 2405.04517", ("MatrixLSTM",)),
    Rule("gla", "GLA", "channel", "", adding(DIAG), added(ALPHAS), "Yang et al., arXiv 2312.06635"),
    Rule("deltanet", "DeltaNet", "none", "decayed", erasing(""), erased(""), DELTA),
    Rule("gdn", "Gated DeltaNet", "head", "decayed", erasing(r"\alpha_t "), erased(ALPHA),
         "Yang et al., arXiv 2412.06464", ("GatedDeltaNet",)),
    Rule("kda", "KDA", "channel", "decayed", erasing(DIAG), erased(ALPHAS), "Kimi Linear, arXiv 2510.26692",
         ("KimiDelta",)),
    Rule("rwkv7", "RWKV-7", "channel", "old", RWKV, RWKV_STEP, "Peng et al., arXiv 2503.14456", ("RwkvTimeMix",)),
)  # fmt: skip
PLACES = {rule.name: place for place, rule in enumerate(RULES)}
SKIP = 1.0  # Mamba-2's D, as it is initialised


class Gate(NamedTuple):
    """Of one token, over the channels of the key."""

    alpha: np.ndarray
    erase: np.ndarray
    write: np.ndarray


def advance(rule: Rule, state, norm, k, v, gate: Gate) -> tuple[np.ndarray, np.ndarray]:
    """(S, n) after one token, of any number of sequences: k and v are [..., d], S is [..., d_k, d_v], n [..., d_k]."""
    faded = gate.alpha[:, None] * state
    seen = faded if rule.erase == "decayed" else state
    read = np.einsum("...kv,...k->...v", seen, k)
    kept = faded - (gate.erase * k)[..., :, None] * read[..., None, :]
    written = gate.write * k
    return kept + written[..., :, None] * v[..., None, :], gate.alpha * norm + written


def read(rule: Rule, state, norm, q) -> np.ndarray:
    """What queries [..., d_k] retrieve from one state each."""
    out = np.einsum("...kv,...k->...v", state, q)
    if rule.name != "mlstm":
        return out
    size = np.maximum(np.abs(np.einsum("...k,...k->...", norm, q)), 1)
    return out / size[..., None]


def run(rule: Rule, q, k, v, gates: Sequence[Gate]) -> tuple[list, np.ndarray]:
    """Token by token, [..., tokens, d] each: ((S, n) before the first token and after each; what each token reads)."""
    state, norm = np.zeros((*k.shape[:-2], k.shape[-1], v.shape[-1])), np.zeros((*k.shape[:-2], k.shape[-1]))
    kept, outputs = [(state, norm)], np.zeros(v.shape)
    for t, gate in enumerate(gates):
        state, norm = advance(rule, state, norm, k[..., t, :], v[..., t, :], gate)
        kept.append((state, norm))
        outputs[..., t, :] = read(rule, state, norm, q[..., t, :]) + SKIP * (rule.name == "mamba2") * v[..., t, :]
    return kept, outputs
