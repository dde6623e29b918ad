"""The tensor-parallel page against two other routes: real graphs on gallery.mesh, and the planner's holdings."""

from __future__ import annotations

from functools import partial

import pytest

from cutaway import explainers
from cutaway.gallery import catalog
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.planner_model import make_planner_model
from cutaway.gallery.planning.rank_memory import list_rank_memory
from cutaway.gallery.spec import MoE
from tests.gallery.sharding import CASES, TOKENS, case_of, on_mesh

reference = explainers.reference("tensor-parallel")
DATA = partial(explainers.data, "tensor-parallel")
shapes, words = reference.shapes, reference.words
FEW = ("llama", "falcon", "olmo2", "minimax_m2", "deepseek_v3", "deepseek_v2", "afmoe")
NOT_HERE = {
    "mllama_text_model": "layers that see images are left out of a run without images",
    "granitemoehybrid": "its tiny case has Mamba layers",
}
NUMBER = 8  # bytes of a float64, where the page counts 2


def model_of(name: str) -> dict:
    """The row of a tiny model."""
    return shapes.expand_row([name, name, *shapes.row_of(case_of(name)[0])])


def wrong(name: str, t: int) -> list[str]:
    """What of a tiny model on t ranks differs: bytes sent in all layers, numbers that the first rank holds."""
    model, run = model_of(name), on_mesh(name, {"tp": t}, gradients=False)
    run.logits()
    layers = [move.bytes for move in run.net.log if move.axis == "tp" and move.tensor.startswith("layer")]
    made = reference.sharded.Run(reference.form_of(model), t, False)
    sent = words.sent(reference.meetings_of(model, made, TOKENS), model["meets"])["pass"]
    held = reference.memory_of(model, t, False, 1)
    mlps = [layer.mlp for layer in run.spec.layers]
    buffers = {moe.selection_bias for moe in mlps if isinstance(moe, MoE) and not moe.selection_bias_trained}
    buffers |= {"layer_scalar"}  # Gemma 4's, which its class keeps as a buffer too
    numbers = sum(size for (_, tensor), size in run.weights.sizes(0).items() if tensor not in buffers)
    pairs = {
        "counted": (sum(layers) / t, sent["counted"] * NUMBER / 2),
        "formula": (sum(layers) / t, sent["formula"] * NUMBER / 2),
        "held": (numbers, (held["cut"] + held["kv"] + held["whole"]) / 2),
    }
    return [f"{name} on {t}: {what} {a} {b}" for what, (a, b) in pairs.items() if a != b]


@pytest.mark.parametrize("name", FEW)
def test_a_layer_is_what_the_mesh_runs(name):
    """Bytes of a pass and numbers held: the page's row of a tiny model against its real graphs on two ranks."""
    assert wrong(name, 2) == []


@pytest.mark.whole
def test_every_family_that_is_listed_is_what_the_mesh_runs(verified):
    """All model types of the page that have a tiny case, on two and four ranks."""
    types = {catalog.spec(row[0]).model_type for row in DATA()["models"]}
    names = sorted(name for name in types - NOT_HERE.keys() if (CASES / f"{name}.json").is_file())
    assert len(names) > 40
    runs = [(name, t) for name in names for t in (2, 4) if t in reference.legal(model_of(name))]
    found = [error for name, t in runs for error in wrong(name, t)]
    against = "tiny models run on gallery.mesh: bytes sent and values stored"
    verified("tensor-parallel: sharded runs of each model family", 3 * len(runs), len(found), against)
    assert found == []


def planned(made: dict, t: int, context: int) -> tuple[int, int]:
    """(numbers that one of t ranks holds, bytes of one sequence's cache), as the planner says."""
    device = next(iter(DEVICES.values()))
    training = list_rank_memory(made, Layout(device, 1, t, tp=t, etp=t, job="train"))
    serving = list_rank_memory(made, Layout(device, 1, t, tp=t, etp=t, job="decode", context=context))
    return training[0].numbers, serving[0].sequence_cache_bytes


@pytest.mark.parametrize("every", [12, pytest.param(1, marks=pytest.mark.whole)])
def test_what_a_rank_holds_is_the_planners(every, verified):
    """Every model on every number of ranks that is legal, to the rounding up of each share."""
    checked, found = 0, []
    for row in [
        *DATA()["models"][::every],
        *(row for row in DATA()["models"] if "DeepSeek-V3" in row[0] or "MiniMax-M" in row[0]),
    ]:
        model, made = shapes.expand_row(row), make_planner_model(catalog.spec(row[0]))
        for t in reference.legal(model):
            mine = reference.memory_of(model, t, False, 8192)
            numbers, cache = planned(made, t, 8192)
            checked += 2
            if abs(numbers - (mine["cut"] + mine["kv"] + mine["whole"]) / 2) > 8 * len(made["rules"]):
                found.append((row[0], t, "weights"))
            if abs(cache - mine["cache"]) > 8 * len(made["rules"]):
                found.append((row[0], t, "cache"))
    if every == 1:
        verified("tensor-parallel: memory per rank", checked, len(found), "the memory model of gallery.planning")
    assert found == []


def test_the_models_asked_for_are_listed():
    """DeepSeek-V3, OLMo 2, MiniMax-M2 and models of mixed widths; not one whose layer is of another kind."""
    slugs = {row[0] for row in DATA()["models"]}
    assert {"deepseek-ai/DeepSeek-V3", "allenai/OLMo-2-1124-7B-Instruct", "MiniMaxAI/MiniMax-M2"} <= slugs
    assert {"nvidia/Llama-3_3-Nemotron-Super-49B-v1", "stepfun-ai/Step-3.5-Flash", "moonshotai/Kimi-K2.6"} <= slugs
    assert not slugs & {"google/gemma-3n-E4B", "Zyphra/ZAYA1-8B", "Qwen/Qwen3-Next-80B-A3B-Instruct"}
    assert len(slugs) >= 110


def test_rows_carry_nothing_that_follows():
    """A row and its expansion: what is usual is left out, and comes back."""
    llama = next(row for row in DATA()["models"] if row[0] == "meta-llama/Llama-3.1-70B")
    assert llama[9:13] == [2 * 128256, 0, 0, 0]
    model = shapes.expand_row(llama)
    assert (model["kv"], model["grows"]) == ([[2 * 80 * 8192 * 1024, 8]], [[4 * 80 * 1024, 0, 8]])
    v3 = shapes.expand_row(next(row for row in DATA()["models"] if row[0] == "deepseek-ai/DeepSeek-V3"))
    assert (v3["title"], v3["kv"], v3["grows"]) == ("DeepSeek V3", [], [[61 * 2 * 576, 0, 0]])
