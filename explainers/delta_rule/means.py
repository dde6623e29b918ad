"""What many random tapes give on average: measured once (python explainers/delta_rule/means.py); kept.

Keys of length 1 in any direction, one after another into 8 x 8 numbers. The mean over the 300 tapes of seeds 1 to 300
of how far off the keys are read. A test measures a sample again.
"""

from __future__ import annotations

from functools import cache

import numpy as np

TAPES = 300
GENTLE = 0.4  # of the tenths the β that leaves all of 24 keys least off
SIGNS = np.array([[1.0 if bits >> (7 - j) & 1 else -1.0 for j in range(8)] for bits in range(256)])


@cache
def draw_tapes() -> tuple[np.ndarray, np.ndarray]:
    """(keys, values) of all tapes: tape, write, number."""
    from cutaway.explainers.delta_rule import tapes

    made = [tapes.random_tape(seed) for seed in range(1, TAPES + 1)]
    return np.array([keys for keys, _ in made]), np.array([SIGNS[bits] for _, bits in made])


def read_error(states: np.ndarray, first: int, end: int) -> float:
    """How far off keys `first` to before `end` are read, on average."""
    keys, values = draw_tapes()
    reads = np.einsum("sij,ski->skj", states, keys[:, first:end])
    return float(np.linalg.norm(reads - values[:, first:end], axis=2).mean()) / 8**0.5


def write_states(delta: bool, alpha: float, n: int, beta: float = 1.0) -> np.ndarray:
    """The states after n writes; `beta`: how much of the difference a delta rule writes."""
    keys, values = draw_tapes()
    states = np.zeros((TAPES, 8, 8))
    for t in range(n):
        states = alpha * states
        new = beta * (values[:, t] - np.einsum("sij,si->sj", states, keys[:, t])) if delta else values[:, t]
        states = states + keys[:, t][:, :, None] * new[:, None, :]
    return states


def solve_least_squares(n: int) -> np.ndarray:
    """The matrices that read n pairs least wrong in the sum of squares: more than any rule that writes can do."""
    keys, values = draw_tapes()
    return np.array([np.linalg.lstsq(k[:n], v[:n], rcond=None)[0] for k, v in zip(keys, values, strict=True)])


def attend(n: int, first: int, sharp: float = 16) -> float:
    """Softmax attention over all n pairs."""
    keys, values = draw_tapes()
    weights = np.exp(sharp * keys[:, first:n] @ keys[:, :n].transpose(0, 2, 1))
    reads = weights / weights.sum(axis=2, keepdims=True) @ values[:, :n]
    return float(np.linalg.norm(reads - values[:, first:n], axis=2).mean()) / 8**0.5


def fits(rule: str, n: int) -> float:
    """n keys written without decay, all of them read."""
    return round(attend(n, 0) if rule == "attention" else read_error(write_states(rule == "delta", 1, n), 0, n), 4)


def read_last_four(rule: str, percent: int) -> float:
    """24 keys written, each after a decay of so many percent; the last four read."""
    return round(read_error(write_states(rule == "gated", percent / 100, 24), 20, 24), 4)


def measure() -> dict:
    """The whole table."""
    return {
        "fits": {rule: [fits(rule, n) for n in range(1, 25)] for rule in ("linear", "delta", "attention")},
        "last_four": {rule: [read_last_four(rule, p) for p in range(101)] for rule in ("decay", "gated")},
        "attention_last_four": round(attend(24, 20), 4),
        "gentle": {"beta": GENTLE, "off": round(read_error(write_states(True, 1, 24, GENTLE), 0, 24), 4)},
        "solved": round(read_error(solve_least_squares(24), 0, 24), 4),
        "tapes": TAPES,
    }


MEANS: dict = {
    "fits": {
        "linear": [
            0.0, 0.2863, 0.4402, 0.5676, 0.6657, 0.7411, 0.8189, 0.8956, 0.958, 1.0095, 1.0624, 1.1106, 1.1633,
            1.2137, 1.2602, 1.3056, 1.3474, 1.3942, 1.4334, 1.4794, 1.5203, 1.5528, 1.5921, 1.6308,
        ],
        "delta": [
            0.0, 0.1576, 0.2719, 0.3781, 0.4535, 0.5221, 0.5836, 0.6407, 0.6866, 0.7277, 0.7663, 0.8014, 0.8348,
            0.8658, 0.8956, 0.9232, 0.946, 0.9637, 0.9815, 1.0021, 1.0204, 1.0349, 1.0499, 1.0649,
        ],
        "attention": [
            0.0, 0.0015, 0.0027, 0.0042, 0.0052, 0.0064, 0.0067, 0.008, 0.009, 0.0099, 0.0113, 0.0123, 0.0137,
            0.0146, 0.0156, 0.0165, 0.0174, 0.0184, 0.0191, 0.0197, 0.0207, 0.0215, 0.0226, 0.0239,
        ],
    },
    "last_four": {
        "decay": [
            0.785, 0.7834, 0.7817, 0.78, 0.7782, 0.7764, 0.7745, 0.7726, 0.7706, 0.7686, 0.7666, 0.7645, 0.7623,
            0.7601, 0.7579, 0.7556, 0.7533, 0.7509, 0.7484, 0.7459, 0.7433, 0.7407, 0.7381, 0.7353, 0.7325,
            0.7297, 0.7268, 0.7239, 0.7209, 0.7178, 0.7147, 0.7115, 0.7082, 0.705, 0.7016, 0.6982, 0.6947,
            0.6912, 0.6877, 0.684, 0.6804, 0.6766, 0.6729, 0.6691, 0.6652, 0.6613, 0.6574, 0.6534, 0.6494,
            0.6454, 0.6413, 0.6373, 0.6332, 0.6291, 0.6251, 0.621, 0.6169, 0.6129, 0.609, 0.605, 0.6012, 0.5974,
            0.5937, 0.5902, 0.5867, 0.5835, 0.5804, 0.5775, 0.5748, 0.5725, 0.5704, 0.5687, 0.5674, 0.5666,
            0.5663, 0.5666, 0.5676, 0.5693, 0.5719, 0.5754, 0.5801, 0.586, 0.5934, 0.6025, 0.6135, 0.6266,
            0.6424, 0.6611, 0.6832, 0.7094, 0.7404, 0.7771, 0.8206, 0.8721, 0.9334, 1.0063, 1.0934, 1.1975,
            1.3222, 1.4717, 1.6513,
        ],
        "gated": [
            0.785, 0.7829, 0.7808, 0.7786, 0.7764, 0.7742, 0.7719, 0.7696, 0.7673, 0.7649, 0.7625, 0.76, 0.7575,
            0.755, 0.7524, 0.7498, 0.7471, 0.7444, 0.7416, 0.7388, 0.736, 0.7331, 0.7301, 0.7271, 0.7241, 0.721,
            0.7178, 0.7146, 0.7114, 0.708, 0.7047, 0.7013, 0.6978, 0.6943, 0.6907, 0.687, 0.6833, 0.6795,
            0.6757, 0.6718, 0.6679, 0.6639, 0.6598, 0.6557, 0.6515, 0.6473, 0.643, 0.6386, 0.6342, 0.6297,
            0.6251, 0.6205, 0.6158, 0.6111, 0.6063, 0.6014, 0.5965, 0.5915, 0.5865, 0.5814, 0.5762, 0.571,
            0.5657, 0.5604, 0.5551, 0.5496, 0.5442, 0.5387, 0.5331, 0.5276, 0.5219, 0.5163, 0.5107, 0.505,
            0.4993, 0.4936, 0.4879, 0.4823, 0.4766, 0.471, 0.4655, 0.46, 0.4546, 0.4493, 0.4442, 0.4392, 0.4344,
            0.4298, 0.4255, 0.4216, 0.418, 0.4149, 0.4124, 0.4105, 0.4095, 0.4094, 0.4104, 0.4128, 0.4169,
            0.4229, 0.4314,
        ],
    },
    "attention_last_four": 0.0248,
    "gentle": {"beta": 0.4, "off": 0.8543},
    "solved": 0.8012,
    "tapes": TAPES,
}  # fmt: skip

if __name__ == "__main__":
    print(measure())
