"""A state dict whose tensors have other shapes than the graph is refused, tensor by tensor."""

import json
import re
import sys
from pathlib import Path

import pytest

from cutaway.gallery import read, run

ORACLE = Path(__file__).parents[1] / "oracle"
sys.path.insert(0, str(ORACLE))

from forward import CASES, weights  # noqa: E402


def test_a_tensor_of_another_shape_is_refused():
    """One row more in a matrix: the sentence names the tensor, its shape and the one that was looked for."""
    case = json.loads((CASES / "mamba2.json").read_text())
    tensors = weights(case)
    name = "backbone.layers.1.mixer.in_proj.weight"
    tensors[name] = tensors[name][[0, *range(len(tensors[name]))]]
    said = re.escape(f"{name} has the shape (297, 64); (296, 64) was looked for, as mamba.in_proj.weight.")
    with pytest.raises(ValueError, match=said):
        run(read(case["config"]), tensors, case["tokens"])


def test_a_missing_tensor_is_named():
    """KeyError says the name in the state dict, ours, and the layer."""
    case = json.loads((CASES / "mamba2.json").read_text())
    tensors = weights(case)
    del tensors["backbone.layers.2.mixer.D"]
    with pytest.raises(KeyError, match=re.escape("no backbone.layers.2.mixer.D, looked for as mamba.D of layer 2")):
        run(read(case["config"]), tensors, case["tokens"])


@pytest.mark.parametrize(
    ("tokens", "said"),
    [([], "at least one"), ([1.5], "whole number"), ([[1, 2]], "one sequence"), ([-1], "from -1"),
     ([1, 96], "to 96; 0 to 95")],
    ids=["none", "broken", "nested", "negative", "too large"],
)  # fmt: skip
def test_what_is_no_token_is_refused(tokens, said):
    """Tokens are one sequence of ids within the vocabulary; a negative one does not count from the end."""
    case = json.loads((CASES / "llama.json").read_text())
    with pytest.raises(ValueError, match=said):
        run(read(case["config"]), weights(case), tokens)


def test_a_rotation_without_its_numbers_is_refused_in_a_sentence():
    """llama3 stretching that does not say its old context names the key."""
    case = json.loads((CASES / "llama.json").read_text())
    config = {**case["config"], "rope_scaling": {"rope_type": "llama3", "factor": 8.0}}
    with pytest.raises(ValueError, match="llama3 needs original_max_position_embeddings"):
        run(read(config), weights(case), case["tokens"])
