"""Real layer graphs on a mesh: forward and backward equal the whole model's, and the log what formulas say."""

import json

import pytest

from gallery.mesh.splits import SPLITS
from gallery.operations import OPERATIONS
from tests.gallery.sharding import ORACLE, compared

NOT_PROVED = json.loads((ORACLE / "forward_exceptions.json").read_text())["forward"]
TP2, TP4 = {"tp": 2}, {"tp": 4}
# what each is here for: GQA; KV heads copied; one meeting; a full-width norm; a latent; windows, caps and sandwich
# norms; experts; shared experts; sinks and biases; one fused matrix and learned positions; a delta rule; a scan
FEW = [
    ("llama", TP2), ("qwen2", TP4), ("falcon", TP2), ("cohere", TP4), ("olmo2", TP2), ("minimax_m2", TP4),
    ("deepseek_v3", TP2), ("gemma2", TP2), ("mixtral", TP2), ("gpt_oss", TP4), ("gpt2", TP2), ("qwen3_next", TP4),
    ("nemotron_h__nano", TP2),
]  # fmt: skip


@pytest.mark.parametrize(("name", "axes"), FEW)
def test_a_sharded_model_is_the_whole_model(name, axes):
    """Logits, loss and every weight's gradient on every tensor rank."""
    assert compared(name, axes).wrong == 0


@pytest.mark.parametrize("name", ["llama", "qwen3_next", "mixtral"])
def test_sharing_the_rows_too_changes_nothing(name):
    """With sequence parallelism, and with a zig-zag of the sequence over the context axis."""
    assert compared(name, {"dp": 2, "cp": 2, "tp": 2}, True).wrong == 0


def test_every_operation_says_how_it_splits():
    """A row for each, as for its numbers; one that is missing stops the import."""
    assert SPLITS.keys() == OPERATIONS.keys()
