"""explainers/heads: bytes, weights and FLOPs of keys and values, against the gallery and known models."""

import json
import math
import re
from pathlib import Path

import pytest

from cutaway import explainers
from cutaway.gallery import catalog, weights
from cutaway.gallery.counting.memory import memory
from cutaway.gallery.sublayers import parts_of

HERE = Path(__file__).parent
GOLDEN = json.loads((HERE / "golden_attention.json").read_text())
heads = explainers.reference("heads")
data = explainers.data("heads")


def at(**state) -> dict:
    """What the page prints in a state."""
    return heads.compute({**heads.STATE, **state}, data)


def test_bytes_equal_gallery_memory_for_every_model(verified):
    """At its own stop every model keeps what gallery.memory says, at four contexts."""
    checked = wrong = 0
    for row in data["models"]:
        spec = catalog.spec(row[0])
        for context in (1_000, 8_192, 131_072, 1_048_576):
            checked += 1
            wrong += (
                memory(spec, context).total_bytes != at(model=row[0], context=context, head=0, tp=1)["in_all_bytes"]
            )
    verified("heads: cache size of catalogued models", checked, wrong, "gallery.memory")


def attention_of(spec, shape: dict):
    """(layer, mixer) where the model has this shape first."""
    for layer in spec.layers:
        for mixer in parts_of(layer.mixer):
            own = isinstance(mixer, heads.models.s.Attention | heads.models.s.LatentAttention)
            keeps = own and mixer.kv_source is None and not getattr(mixer, "cross", False)
            if keeps and list(heads.models.shape(mixer)) == list(shape.values())[:-1]:
                return layer
    raise AssertionError("no layer has this shape")


NAMED = re.compile(r"\.(k_proj|v_proj\w*|kv_a_proj_with_mqa|kv_a_layernorm|kv_b_proj)\b")
FUSED = re.compile(r"(qkv_proj|query_key_value|W_pack|Wqkv|wqkv|c_attn)\b")


def weights_of_keys(spec, layer, shape: dict) -> int:
    """Numbers in the checkpoint's tensors that make keys and values, one attention's share of a layer."""
    tensors = [w for w in weights(spec) if w.layer == layer.index]
    named = sum(math.prod(w.shape) for w in tensors if NAMED.search(w.name))
    if named:
        owners = {
            w.name.split(".kv_a")[0].split(".k_proj")[0] for w in tensors if re.search(r"(kv_a_proj|\bk_proj)", w.name)
        }
        return named // len({o for o in owners if NAMED.search(o) is None})
    query = shape["heads"] * shape["k"]
    whole = query + shape["kv"] * (shape["k"] + shape["v"])  # the fused side of the matrix, whichever it is
    fused = [w for w in tensors if FUSED.search(w.name)]
    assert all(whole in w.shape for w in fused)
    return sum(math.prod(w.shape) // whole * (whole - query) for w in fused)


def test_weights_of_keys_and_values_equal_the_checkpoint(verified):
    """k and v (or the latent's way down and up) hold what the tensors of gallery.weights hold, for every shape."""
    checked, wrong = 0, []
    for row in data["models"]:
        spec, model = catalog.spec(row[0]), heads.find({"model": row[0]}, data)
        for i, shape in enumerate(model["shapes"]):
            layer = attention_of(spec, shape)
            got = at(model=row[0], shape=i, head=0, tp=1)["weights"]
            checked += 1
            if got != weights_of_keys(spec, layer, shape):
                wrong.append((row[0], i, got, weights_of_keys(spec, layer, shape)))
    print(wrong)
    verified("heads: sizes of key and value projections", checked, len(wrong), "gallery.weights")


PER_TOKEN = [  # ../shared/oracle/kv_table.md: models whose whole cache grows, with the bytes measured or derived there
    ("meta-llama/Llama-3.1-8B", 131_072),
    ("meta-llama/Llama-3.1-70B", 327_680),
    ("deepseek-ai/DeepSeek-V3", 70_272),
    ("MiniMaxAI/MiniMax-M2.5", 253_952),
]


@pytest.mark.parametrize(("slug", "expected"), PER_TOKEN)
def test_known_bytes_per_token(slug, expected):
    """Cache bytes per token of models that others have measured."""
    assert expected == at(model=slug)["bytes_per_token"]


def test_hypothetical_stops_say_how_they_are_computed():
    """Every stop but the model's own begins with "Hypothetical" and names the numbers it stands on."""
    llama = at(kv=0)
    assert llama["bytes_per_token"] == 80 * 2 * (4 * 128 + 128 // 2)
    assert "4 × 128 = 512" in llama["words"]["made"]
    deep = at(model="deepseek-ai/DeepSeek-V3", kv=128)
    assert deep["bytes_per_token"] == 61 * 2 * 128 * (128 + 128)
    assert deep["words"]["made"].startswith("Hypothetical:")
    assert at()["words"]["made"] == "This is how Llama 3.1 70B is built."


def test_flops_of_deepseek_v3():
    """Absorbed costs 278,528 FLOPs per cached token, expanded 81,920 (6.2 of the facts, run against transformers)."""
    ways = {way["way"]: way for way in at(model="deepseek-ai/DeepSeek-V3")["mla"]["ways"]}
    assert ways["absorbed"]["flops"] == 278_528
    assert ways["expanded, cached"]["flops"] == 81_920
    assert ways["expanded, rebuilt each step"]["flops"] == 81_920 + 2 * 512 * 128 * 256
