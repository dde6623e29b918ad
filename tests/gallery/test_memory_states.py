"""What tiny hybrids keep after 20 tokens, against the tensors in past_key_values of transformers 5.23.0."""

import json
from pathlib import Path

from cutaway.gallery import memory, read

CASES = Path(__file__).parents[1] / "oracle" / "forward"
# case: numbers measured in (keys and values, convolutions, states in float32, states in the model's dtype)
MEASURED = {
    "zaya": (1280, 192, 0, 16), "zamba": (15360, 4608, 9216, 0), "zamba2": (5120, 4032, 7168, 0),
    "lfm3": (1600, 1792, 0, 0), "inkling_text": (4800, 6272, 0, 0), "inkling2_text": (4800, 6272, 0, 0),
    "nemotron_h__nano": (1920, 1280, 2048, 0), "granitemoehybrid": (1280, 1728, 3072, 0),
    "jamba": (1280, 2560, 5120, 0), "bamba": (1280, 1728, 3072, 0), "mamba2": (0, 1920, 3072, 0),
    "lfm2_moe": (2560, 576, 0, 0),
}  # fmt: skip


def kept(case):
    """(bytes of keys and values, convolutions, states) as we count them."""
    config = json.loads((CASES / f"{case}.json").read_text())["config"]
    by_kind = memory(read(config), 20, convention="transformers").by_kind
    return tuple(by_kind.get(kind, 0) for kind in ("kv", "conv", "state"))


def test_hybrids_keep_what_was_measured(verified):
    """Cache, convolution columns and states of twelve tiny models, number for number."""
    want = {case: (2 * kv, 2 * conv, 4 * states + 2 * own) for case, (kv, conv, states, own) in MEASURED.items()}
    wrong = {case: (kept(case), sizes) for case, sizes in want.items() if kept(case) != sizes}
    verified(
        "recurrent states of tiny hybrid models",
        checked=3 * len(want),
        mismatches=len(wrong),
        against="transformers 5.23.0",
    )
    assert wrong == {}
