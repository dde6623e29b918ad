"""Real layer graphs on a mesh: forward and backward equal the whole model's, and the log what formulas say."""

import json
import subprocess
import sys

import numpy as np
import pytest

from cutaway.gallery.mesh.partition_rules import PARTITION_RULES
from cutaway.gallery.operations import OPERATIONS
from tests.gallery.sharding import CASES, ORACLE, bytes_wrong, compared, on_mesh

NOT_PROVED = json.loads((ORACLE / "forward_exceptions.json").read_text())["forward"]
TP2, TP4 = {"tp": 2}, {"tp": 4}
# what each is here for: GQA; KV heads copied; one meeting; a full-width norm; a latent; windows, caps and sandwich
# norms; experts; shared experts; sinks and biases; one fused matrix and learned positions; a delta rule; a scan
FEW = [("llama", TP4), ("minimax", TP2), ("deepseek_v3", TP2), ("gpt_oss", TP2), ("qwen3_next", TP4)]
FEW += [pytest.param(name, TP2, marks=pytest.mark.whole) for name in ("falcon", "olmo2", "gemma2", "nemotron_h__nano")]
MESHES = [
    (TP2, False, None),
    (TP4, False, None),
    (TP4, True, None),
    ({"dp": 2, "cp": 2, "tp": 2}, True, None),
    ({"pp": 2, "tp": 2}, True, None),
    ({"cp": 4}, False, None),
]
EXPERTS = [
    ({"dp": 4}, False, {"edp": 2, "ep": 2, "etp": 1}),
    ({"dp": 2, "tp": 2}, True, {"edp": 1, "ep": 2, "etp": 2}),
    ({"pp": 2, "cp": 2, "tp": 2}, True, {"edp": 2, "ep": 2, "etp": 1}),
]
OF_EXPERTS = ("aria_text", "dbrx", "granitemoe", "longcat_flash", "nemotron_h__super", "phimoe", "qwen2_moe")


@pytest.mark.parametrize(("name", "axes"), FEW)
def test_a_sharded_model_is_the_whole_model(name, axes):
    """Logits, loss and every weight's gradient on every tensor rank."""
    assert compared(name, axes).wrong == 0


@pytest.mark.parametrize("name", ["qwen3_next", pytest.param("mixtral", marks=pytest.mark.whole)])
def test_sharing_the_rows_too_changes_nothing(name):
    """With sequence parallelism, and with a zig-zag of the sequence over the context axis."""
    assert compared(name, {"dp": 2, "cp": 2, "tp": 2}, True).wrong == 0


@pytest.mark.parametrize(
    ("name", "axes", "experts"),
    [
        ("mixtral", {"dp": 2}, {"edp": 1, "ep": 2, "etp": 1}),
        pytest.param("deepseek_v3", {"dp": 2, "tp": 2}, {"edp": 2, "ep": 2, "etp": 1}, marks=pytest.mark.whole),
        ("gpt_oss", {"cp": 2, "tp": 2}, {"edp": 1, "ep": 2, "etp": 2}),
    ],
)
def test_experts_dealt_over_other_tokens_ranks_are_the_same_experts(name, axes, experts):
    """Tokens go to their experts and back: logits, loss and gradients are the whole model's."""
    assert compared(name, axes, "tp" in axes, experts).wrong == 0


@pytest.mark.parametrize("name", ["gemma3n_text", "gpt2"])
def test_stages_of_a_pipeline_are_the_whole_model(name):
    """The stream goes from stage to stage and its gradient back, also what later layers read of earlier ones."""
    assert compared(name, {"pp": 2, "tp": 2}).wrong == 0


def test_every_operation_says_how_it_splits():
    """A row for each, as for its numbers; one that is missing stops the import."""
    assert PARTITION_RULES.keys() == OPERATIONS.keys()
    code = (
        "from cutaway.gallery import operations\n"
        "operations.OPERATIONS['forgotten'] = operations.Operation('nothing')\n"
        "import cutaway.gallery.mesh.partition_rules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ORACLE.parents[1], capture_output=True, text=True)
    assert "operations and their splits differ: ['forgotten']" in done.stderr


@pytest.mark.parametrize(
    ("name", "axes", "experts"),
    [("llama", {"tp": 2, "dp": 2}, None), ("mixtral", {"dp": 2}, {"edp": 1, "ep": 2, "etp": 1})],
)
def test_without_gradients_the_same_is_computed_and_nothing_recorded(name, axes, experts):
    """Who asks for the forward pass alone gets plain arrays: the same logits, the same moves, an empty tape."""
    taped, plain = (on_mesh(name, axes, experts=experts, gradients=asked) for asked in (True, False))
    wanted, found = taped.logits().parts, plain.logits().parts
    assert all(np.array_equal(wanted[rank].data, found[rank]) for rank in taped.mesh.ranks)
    assert {type(part) for part in found.values()} == {np.ndarray}
    assert plain.net.log == taped.net.log != []
    assert plain.tape.rows == [] != taped.tape.rows


@pytest.mark.whole
def test_every_twentieth_model_on_some_mesh_is_the_whole_model(verified):
    """Families in turn over meshes in turn: every number of every rank, and every collective's bytes."""
    names = [path.stem for path in sorted(CASES.glob("*.json")) if path.stem not in NOT_PROVED]
    plain = [name for name in names if "__" not in name][::20]
    grid = [(name, *MESHES[i % len(MESHES)]) for i, name in enumerate(plain)]
    grid += [(name, *EXPERTS[i % len(EXPERTS)]) for i, name in enumerate(OF_EXPERTS)]
    done = {name: compared(name, axes, sp, experts) for name, axes, sp, experts in grid}
    numbers, wrong = sum(one.checked for one in done.values()), sum(one.wrong for one in done.values())
    runs = [one.run for one in done.values()]
    calls, unlike = sum(len(run.net.calls) for run in runs), sum(map(bytes_wrong, runs))
    many = f"{len(grid)} families over {len(MESHES) + len(EXPERTS)} meshes"
    verified("mesh: values of sharded runs, forward and backward", numbers, wrong, f"an unsharded run; {many}")
    verified("mesh: bytes sent by collectives", calls, unlike, "the formulas of nccl-tests")
    assert (wrong, unlike) == (0, 0), {name: one.wrong for name, one in done.items() if one.wrong}
