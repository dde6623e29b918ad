"""What the pages say of a model's wiring: proved only where its family, and every part like its own, was run."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cutaway.gallery import catalog, read
from cutaway.gallery.mixers.attention import graph
from cutaway.gallery.records import Normal
from cutaway.gallery.running.proofs import PROOFS, THE_CLASS, layer_signature, proof, signature
from cutaway.gallery.spec import Attention
from tests.oracle.forward import CASES

UNPROVED = {  # catalogued models of a family with golden cases that no case covers, and why
    "moonshotai/Kimi-K3": "its activation and its residuals over blocks of layers are in no native class",
    "fireworks/Ember-1": "Kimi K3's layers",
    "meituan-longcat/LongCat-Flash-Lite": "its tables of n-grams and stretched positions are in no native class",
    "meta-llama/Llama-3.2-11B-Vision-Instruct": "its cross-attention reads an image, and no case has one",
    "meta-llama/Llama-3.2-90B-Vision-Instruct": "the same",
    "stepfun-ai/Step-3.5-Flash": "no case of its family stretches half a gated head as Llama 3 does",
    "meta-models/Muse-Glimmer-30B": "what its wrapper does to logits was run at the published values alone",
    "Qwen/Qwen3-Embedding-8B": "it has no head, so that no case has logits of it",
    "adept/persimmon-8b-base": "its case leaves the RoPE base at the class's own 25,000",
    "mistralai/Mistral-Large-4-1T-A52B": "no case of its family sets the cap of the logits and the epsilon",
    "meta-models/Muse-Spark-Open-816B-A42B": "what its wrapper does to logits was run at other values alone",
    "LGAI-EXAONE/EXAONE-4.0-32B": "no case of its family stretches RoPE as Llama 3 does",
    "rednote-hilab/dots.llm1.base": "its case leaves the RoPE base at the class's own 10,000",
    "ByteDance-Seed/Seed-OSS-36B-Base": "the same",
}


def test_every_catalogued_family_with_a_case_is_proved():
    """Only the models listed above, each with its reason, are of a family that was run and are not proved."""
    specs = {row.slug: catalog.spec(row.slug) for row in catalog.drawable_rows()}
    found = {slug for slug, spec in specs.items() if proof(spec).cases and not proof(spec).proved}
    assert set(UNPROVED) == found


SAID = [
    ("meta-llama/Llama-3.1-70B", "proved: logits equal those of the modelling code"),
    ("google/gemma-3-27b-it", "proved: logits equal those of the modelling code"),
    ("meta-llama/Llama-3.2-90B-Vision-Instruct",
     "proved except in every 5th layer, from 3: these layers read an image, and no images were run"),
    ("databricks/dbrx-instruct",
     "proved except where transformers' class differs from the drawing: logits are equal otherwise"),
    ("XiaomiMiMo/MiMo-V2-Flash",
     "proved except where transformers' class differs from the drawing: logits are equal otherwise"),
    ("XiaomiMiMo/MiMo-V2.5-Pro", "proved with MiMoV2FlashForCausalLM: logits are equal except where "
     "transformers' class differs from the drawing; the model's own class was not run"),
    ("xverse/XVERSE-7B", "proved with LlamaForCausalLM: logits are equal; the model's own class was not run"),
    ("MiniMaxAI/MiniMax-M1-80k", "proved with MiniMaxForCausalLM: logits are equal; the model's own class was not run"),
    ("microsoft/Phi-3-vision-128k-instruct",
     "proved with Phi3ForCausalLM: logits are equal; the model's own class was not run"),
]  # fmt: skip


@pytest.mark.parametrize(("slug", "words"), SAID)
def test_equal_logits_are_claimed_for_what_ran(slug, words):
    """Layers that no case ran, what a class does otherwise, and a class that is not the model's are said."""
    assert proof(catalog.spec(slug)).words == f"wiring {words}"


def test_a_layer_that_no_case_ran_is_not_signed():
    """Llama 3.2 Vision's case has tokens alone, so that no signature of its cross-attention is kept."""
    spec = catalog.spec("meta-llama/Llama-3.2-11B-Vision-Instruct")
    kept = set(json.loads(PROOFS.read_text(encoding="utf-8"))["signatures"])
    signed = [layer.index for layer in spec.layers if set(layer_signature(spec, layer)) <= kept]
    assert [one.index for one in spec.layers if one.index not in signed] == [3, 8, 13, 18, 23, 28, 33, 38]


def test_what_a_class_does_otherwise_names_it():
    """What as_class changes is a contradiction of these words, by which a page knows that logits are not its own."""
    changed = set()
    for path in Path(CASES).glob("*.json"):
        config = json.loads(path.read_text(encoding="utf-8"))["config"]
        ours, theirs = (read(config, as_class=flag).layers for flag in (False, True))
        if [(one.mixer, one.mlp) for one in ours] != [(one.mixer, one.mlp) for one in theirs]:
            changed.add(path.stem)
            assert any(THE_CLASS in said for said in read(config).contradictions), path.stem
    assert {"dbrx", "mimo_v2_flash", "doge__moe"} <= changed


@pytest.mark.parametrize(
    "change",
    [{"qk_norm": "head"}, {"gate": "headwise"}, {"softcap": 30.0}, {"sinks": True}, {"clip": 8.0},
     {"qk_normal": Normal(plus_one=True), "qk_norm": "head"}],
    ids=["norm", "gate", "cap", "sinks", "clip", "one more"],
)  # fmt: skip
def test_a_signature_sees_every_switch(change):
    """A norm, a gate, a cap or a sink more is another wiring; another width is not."""
    plain = Attention(8, 2, 16, 16)
    assert signature(graph(plain, 64)) != signature(graph(replace(plain, **change), 64))
    assert signature(graph(plain, 64)) == signature(graph(Attention(32, 4, 64, 64), 4096))


def test_a_model_read_from_keys_alone_is_not_proved():
    """A model_type nobody knows says so, although it is wired like Llama."""
    config = json.loads((Path(CASES) / "llama.json").read_text(encoding="utf-8"))["config"]
    stranger = {**config, "model_type": "stranger", "architectures": ["StrangerForCausalLM"]}
    assert (proof(read(config)).proved, proof(read(config)).words) == (
        True,
        "wiring proved: logits equal those of the modelling code",
    )
    assert (proof(read(stranger)).proved, proof(read(stranger)).words) == (
        False,
        "wiring read only from config keys, not proved",
    )
