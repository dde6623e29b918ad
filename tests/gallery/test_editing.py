"""What if it had ...: edits of a spec, what they make, what they refuse, and the sheet that a script works from."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cutaway import gallery
from cutaway.gallery import ConfigError, catalog, edit, parameters, read
from cutaway.gallery import spec as s
from cutaway.gallery.counting import cache_growth
from cutaway.gallery.counting.stored_bytes import stored_bytes
from cutaway.gallery.editing import address
from cutaway.gallery.editing.depth import Pattern, pattern
from cutaway.gallery.editing.form import form
from cutaway.gallery.editing.rules import EditError
from cutaway.gallery.reading.text_part import unwrap
from cutaway.gallery.residuals import RESTACKS
from cutaway.gallery.residuals.stacking import as_it_is
from cutaway.gallery.running.interpreter import Run, check_tokens, forward
from cutaway.gallery.running.state import State

FORWARD = Path(__file__).resolve().parents[1] / "oracle" / "forward"
LLAMA, V3, V4 = "meta-llama/Llama-3.1-70B", "deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-V4-Flash"
GEMMA, NEXT, GPT = "google/gemma-3-27b-it", "Qwen/Qwen3-Next-80B-A3B-Instruct", "openai-community/gpt2-xl"

# Edits, and the same made in the config's own key: two roads to one model.
ROADS = [
    (LLAMA, "layers:40", {"num_hidden_layers": 40}),
    (LLAMA, "kv:16", {"num_key_value_heads": 16}),
    (LLAMA, "heads:32,kv:4", {"num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128}),
    (V3, "layers:100,experts:512,active:4",
     {"num_hidden_layers": 100, "n_routed_experts": 512, "num_experts_per_tok": 4}),
    (V3, "heads:64,q_rank:768,kv_rank:256", {"num_attention_heads": 64, "q_lora_rank": 768, "kv_lora_rank": 256}),
    (V3, "q_rank:0", {"q_lora_rank": None}),
    (NEXT, "key_heads:8,value_heads:64,experts:64", {"linear_num_key_heads": 8, "linear_num_value_heads": 64,
                                                     "num_experts": 64}),
    (NEXT, "layers:52", {"num_hidden_layers": 52}),
    ("Qwen/Qwen3-30B-A3B", "experts:16,active:16", {"num_experts": 16, "num_experts_per_tok": 16}),
    ("mistralai/Mistral-7B-v0.1", "window:0,kv:32", {"sliding_window": None, "num_key_value_heads": 32}),
    ("deepseek-ai/DeepSeek-V2-Lite", "q_rank:1536,heads:32", {"q_lora_rank": 1536, "num_attention_heads": 32}),
]  # fmt: skip


def facts(spec: s.ModelSpec) -> tuple:
    """Everything that is counted of a model."""
    told = parameters(spec)
    kept = cache_growth.growth_sheet(spec)
    return (
        told.total,
        told.active,
        told.by_part,
        told.per_layer,
        cache_growth.cache_bytes(kept, 200_000),
        stored_bytes(spec),
    )


@pytest.mark.parametrize(("slug", "edits", "keys"), ROADS)
def test_an_edited_spec_counts_as_the_edited_config_does(slug, edits, keys):
    """Parameters by part and layer, cache and stored bytes are those of a config that says so itself."""
    config = copy.deepcopy(catalog.load(slug))
    text, _ = unwrap(config)
    text.update(keys)
    assert facts(edit(catalog.spec(slug), edits)) == facts(read(config))


WRONG = [
    (V3, "heads:0", "num_attention_heads is a whole number from 1 to 1,024, not 0."),
    (V3, "heads:1000000000", "num_attention_heads is a whole number from 1 to 1,024, not 1,000,000,000."),
    (V3, "heads:abc", "heads is a whole number, not “abc”."),
    (V3, "heads:-3", "heads is a whole number, not “-3”."),
    (V3, "heads", "Write an edit as heads:64, not “heads”."),
    (V3, "heads:64,heads:32", "heads is given twice: the first counts."),
    (V3, "kv:3", "“kv” cannot be edited; these can: layers, heads, window, q_rank, kv_rank, experts, active."),
    (V3, "experts:60", "num_experts 60 is not a multiple of n_group 8: 56 or 64 would do."),
    (V3, "experts:8", "num_experts is a whole number from 16 to 4,096, not 8."),
    (V3, "active:129", "num_experts_per_tok 129 is too many for num_experts 256: at most 128."),
    (V3, "experts:16,active:9", "num_experts_per_tok 9 is too many for num_experts 16: at most 8."),
    (V3, "layers:1025", "num_hidden_layers is a whole number from 1 to 1,024, not 1,025."),
    ("Qwen/Qwen3-30B-A3B", "experts:4", "num_experts 4 is too few for num_experts_per_tok 8: at least 8."),
    (LLAMA, "kv:7", "num_key_value_heads 7 does not divide num_attention_heads 64: 4 or 8 would do."),
    (LLAMA, "kv:40", "num_key_value_heads 40 does not divide num_attention_heads 64: 32 or 64 would do."),
    (LLAMA, "kv:100", "num_key_value_heads 100 does not divide num_attention_heads 64: 64 would do."),
    (LLAMA, "heads:60", "num_attention_heads 60 is not a multiple of num_key_value_heads 8: 56 or 64 or another "
     "num_key_value_heads would do."),
    (GPT, "heads:20", "num_attention_heads 20 is not a multiple of num_key_value_heads 25: 25 or another "
     "num_key_value_heads would do."),
    (GEMMA, "window:512", "Layers differ in window: edit window@1024 or window@0."),
    ("google/gemma-3n-E4B", "layers:40", "The number of layers stays: layers read keys and values of earlier ones."),
    ("Zyphra/Zamba2-1.2B", "layers:40", "The number of layers stays: layers use the weights of others."),
    ("Zyphra/ZAYA1-8B", "layers:41", "The number of layers stays: routers read what those of earlier layers found."),
    (V4, "window:0", "sliding_window is a whole number from 1 to 1,048,576, not 0."),
    ("deepseek-ai/DeepSeek-V3.2", "q_rank:0", "q_lora_rank is a whole number from 1 to 16,384, not 0."),
    (V4, "heads:12", "num_attention_heads 12 is not a multiple of o_groups 8: 8 or 16 would do."),
    (NEXT, "value_heads:24", "linear_num_value_heads 24 is not a multiple of linear_num_key_heads 16: 16 or 32 or "
     "another linear_num_key_heads would do."),
    ("MiniMaxAI/MiniMax-M3", "kv:2", "“kv” cannot be edited; these can: layers, heads, window, experts, active."),
]  # fmt: skip


@pytest.mark.parametrize(("slug", "edits", "sentence"), WRONG)
def test_what_cannot_be_is_refused_in_a_sentence(slug, edits, sentence):
    """The sentence names the field by the config's own key, and the nearest values that would do."""
    with pytest.raises(EditError) as refused:
        edit(catalog.spec(slug), edits)
    assert str(refused.value) == sentence and isinstance(refused.value, ConfigError)


def test_numbers_are_checked_as_texts_are():
    """A mapping with an unknown field, a truth value or half a layer is refused too; nothing changed is the same."""
    spec = catalog.spec(LLAMA)
    for changes in ({"rank": 3}, {"heads": True}, {"heads": 1.5}, {"heads": "many"}, {"heads": None}, {"heads": ""}):
        with pytest.raises(EditError, match=r"heads is a whole number, not “|“rank” cannot be edited"):
            edit(spec, changes)
    assert edit(spec, {}) is spec is edit(spec, {"heads": 64, "window": 0}) and edit(spec, " , ") is spec


@pytest.mark.parametrize("value", [40, "40", " 40 ", "4_0", np.int64(40), np.uint8(40)])
def test_a_whole_number_of_any_kind_is_one(value):
    """As text, or of numpy."""
    assert edit(catalog.spec(LLAMA), {"layers": value}).num_hidden_layers == 40


@pytest.mark.parametrize("value", [np.float64(40), np.bool_(True), "40.0", "-3", [40]])
def test_what_is_no_whole_number_is_said(value):
    """In a sentence that shows it."""
    with pytest.raises(EditError) as refused:
        edit(catalog.spec(LLAMA), {"layers": value})
    assert str(refused.value) == f"layers is a whole number, not “{value}”."


def test_an_address_says_what_was_edited_and_no_more():
    """Edits are written in the order of the form; what is as it was is left out; = is read as well."""
    told = form(catalog.spec(LLAMA))
    changes, wrong = address.parse_edits(told, "kv=16, layers:40,heads:64,what:1")
    assert changes == {"kv": 16, "layers": 40} and [one.field for one in wrong] == [""]
    assert address.write_edits(told, changes) == "layers:40,kv:16" and address.write_edits(told, {}) == ""


DEPTHS = {
    LLAMA: (0, 1, 0), V3: (3, 1, 0), GEMMA: (0, 6, 0), NEXT: (0, 4, 0),
    "moonshotai/Kimi-Linear-48B-A3B-Instruct": (1, 4, 1), "nvidia/Nemotron-H-56B-Base-8K": (0, 11, 1),
    "LiquidAI/LFM2-1.2B": (7, 2, 0),
}  # fmt: skip


@pytest.mark.parametrize("slug", DEPTHS)
def test_layers_go_on_as_they_began(slug):
    """The first that stand alone stay first, the smallest period repeats, the last stay last, at any depth."""
    spec = catalog.spec(slug)
    found = pattern(spec)
    assert (len(found.first), len(found.period), len(found.last)) == DEPTHS[slug]
    assert [spec.layers[i].mixer for i in found.sources(len(spec.layers))] == [layer.mixer for layer in spec.layers]
    for count in (1, 2, len(spec.layers) - 1, len(spec.layers) + 1, 3 * len(spec.layers)):
        made = edit(spec, {"layers": count})
        assert [layer.index for layer in made.layers] == list(range(count)) and made.num_hidden_layers == count
        assert made.layers[0].mixer == spec.layers[0].mixer


def test_a_shallower_stack_keeps_its_ends():
    """The first and the last layers stay as they are; with nothing between them, the last give way."""
    ends = Pattern((0, 1), (2, 3), (8, 9))
    assert [ends.sources(n) for n in (1, 2, 3, 4, 5, 7)] == [
        [0], [0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 8, 9], [0, 1, 2, 3, 2, 8, 9],
    ]  # fmt: skip


def case(name: str) -> dict:
    """A small config of tests/oracle/forward."""
    return json.loads((FORWARD / f"{name}.json").read_text())["config"]


WHY_FIXED = {
    "gemma3n_text__three_streams": "a table of embeddings has a part for each of them",
    "gemma4_text__k_eq_v": "a table of embeddings has a part for each of them",
    "inkling2_text": "each layer reads the sums of all blocks before it, so that none is a copy of another",
    "qwen4_exp_text__ple": "n-gram tables stand at layers that the config names by number",
    "zamba2": "layers share one transformer block",
    "hrm_text": "layers belong to two stacks that run in turn",
}


@pytest.mark.parametrize("name", WHY_FIXED)
def test_a_stack_that_cannot_grow_says_why(name):
    """The residual scheme itself gives the reason."""
    with pytest.raises(EditError) as refused:
        edit(read(case(name), as_class=True), "layers:3")
    assert str(refused.value) == f"The number of layers stays: {WHY_FIXED[name]}."


def test_gated_streams_without_tables_take_any_depth():
    """Edited to other layers they are what a config that lists those layers gives."""
    config = case("qwen4_exp_text")
    spec = read(config, as_class=True)
    kinds = [config["layer_types"][source] for source in pattern(spec).sources(9)]
    assert facts(edit(spec, "layers:9")) == facts(read({**config, "num_hidden_layers": 9, "layer_types": kinds}, True))


class Odd(s.Plain):
    """A residual scheme that no list knows."""


def test_a_scheme_that_nobody_lists_answers_for_itself(monkeypatch):
    """A new scheme is edited, or refused, as its own file says."""
    spec = replace(catalog.spec(LLAMA), residual=Odd())
    monkeypatch.setitem(RESTACKS, Odd, as_it_is)
    assert len(edit(spec, "layers:3").layers) == 3
    monkeypatch.setitem(RESTACKS, Odd, lambda scheme, sources: Odd(float(len(sources))))
    assert edit(spec, "layers:3").residual.multiplier == 3


def test_what_follows_from_an_edit_follows():
    """Ranks carry their indexers and scales with them, new layers their buffers, MTP layers their number."""
    glm = edit(catalog.spec("deepseek-ai/DeepSeek-V3.2"), "q_rank:512,layers:70")
    mixer = glm.layers[65].mixer
    assert (mixer.q_lora_rank, mixer.indexer.q_rank) == (512, 512)
    assert [layer.index for layer in glm.mtp] == [70] and f"model.layers.{69}." in " ".join(n for n, _ in glm.buffers)
    cat = edit(catalog.spec("meituan-longcat/LongCat-Flash-Chat"), "q_rank:6144,kv_rank:1536").layers[0].mixer.parts[0]
    assert (cat.q_scale, cat.kv_scale) == (1.0, 2.0)
    small = edit(catalog.spec(V3), "experts:64")
    assert {shape for name, shape in small.buffers} == {(64,)}
    flash = edit(catalog.spec("MiniMaxAI/MiniMax-Text-01-hf"), "layers:16")
    assert {one.mixer.layers for one in flash.layers if isinstance(one.mixer, s.LightningAttention)} == {16}
    assert len(flash.residual.mixer) == 16
    diff = edit(read(json.loads((FORWARD / "diffllama.json").read_text())["config"]), "layers:9").layers[8].mixer
    assert diff.differential == pytest.approx(0.8 - 0.6 * np.exp(-2.4))


def test_layers_are_told_apart_by_what_they_see_or_by_their_numbers():
    """Fields of one attribute are named by sight where every value has its own, else by the layers that have it."""
    told = form(catalog.spec("stepfun-ai/Step-3.5-Flash"))
    assert [one.name for one in told.fields if one.id.startswith("heads")] == [
        "num_attention_heads of full layers", "num_attention_heads of sliding layers",
    ]  # fmt: skip
    mixers = [s.Attention(heads, 2, 8, 8, sliding_window=window) for heads, window in ((8, 0), (4, 0), (4, 16))]
    layers = tuple(s.Layer(index, mixer, None, ()) for index, mixer in enumerate(mixers))
    spec = s.ModelSpec("x", "", 8, 8, 3, layers, 4096, False, "bfloat16", None)
    assert [(one.id, one.who) for one in form(spec).fields if one.key == "num_attention_heads"] == [
        ("heads@8", "layer 0"), ("heads@4", "layers 1–2"),
    ]  # fmt: skip


DRAWN = ((V4, "layers:21,heads:32,experts:64"), (GEMMA, "window@0:4096,heads:16,kv:8"), (NEXT, "layers:7,active:1"),
         ("Zyphra/Zamba2-1.2B", "heads:64"), ("nvidia/Nemotron-H-56B-Base-8K", "layers:5,state_heads:128"),
         ("stepfun-ai/Step-3.5-Flash", "heads@96:64,kv:16,window@512:0"),
         ("google/gemma-3n-E4B", "heads:4,kv:1,window@512:64"))  # fmt: skip


@pytest.mark.parametrize(("slug", "edits"), DRAWN)
def test_an_edited_model_is_a_model(slug, edits):
    """It is drawn, listed, weighed and worked out as any other; its weights sum to its parameters."""
    spec = edit(catalog.spec(slug), edits)
    assert gallery.draw(spec).startswith("<svg")
    assert sum(one.size for one in gallery.weights(spec)) == parameters(spec).total
    assert gallery.flops(spec, 4096).total_flops > 0 and gallery.memory(spec, 4096).total_bytes > 0


class Noise(State):
    """Tensors of any model: small random numbers in the shapes that its graphs want."""

    def get(self, name: str, layer: int | None) -> np.ndarray:
        shape = next(one.shape for one in self.own(layer) if one.name == name)
        return 0.1 * np.random.default_rng(len(name)).standard_normal(shape)


RUN = (("llama", "heads:8,kv:2,layers:3"), ("deepseek_v3", "q_rank:0,kv_rank:5,experts:16,layers:3"),
       ("qwen3_next", "layers:6,key_heads:1,value_heads:5"), ("mamba2", "state_heads:6,layers:1"),
       ("qwen4_exp_text", "layers:6"), ("minimax", "layers:6"), ("beam", "layers:5"),
       ("jetmoe", "kv:2,active:1"), ("diffllama", "heads:8,kv:2,layers:4"))  # fmt: skip


@pytest.mark.parametrize(("case", "edits"), RUN)
def test_an_edited_model_runs(case, edits):
    """Its wiring holds: every product finds the shapes it needs, and logits come out."""
    spec = edit(read(json.loads((FORWARD / f"{case}.json").read_text())["config"], as_class=True), edits)
    logits = forward(Run(spec, Noise(spec, {}), check_tokens(spec, [1, 2, 3, 4, 5])))
    assert logits.shape == (5, spec.vocab_size) and np.isfinite(logits).all()
