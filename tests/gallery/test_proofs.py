"""What the pages say of a model's wiring: proved only where its family, and every part like its own, was run."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gallery import catalog, read
from gallery.catalog.proofs import proof, signature
from gallery.mixers.attention import graph
from gallery.records import Normal
from gallery.spec import Attention
from tests.oracle.forward import CASES

UNPROVED = {  # catalogued models of a family with golden cases that no case covers, and why
    "moonshotai/Kimi-K3": "its activation and its residuals over blocks of layers are in no native class",
    "fireworks/Ember-1": "Kimi K3's layers",
    "mistralai/Mistral-Large-3-675B-Instruct-2512": "a softmax router in DeepSeek V3's layers: in no native class",
    "meituan-longcat/LongCat-Flash-Lite": "its tables of n-grams and stretched positions are in no native class",
}


def test_every_catalogued_family_with_a_case_is_proved():
    """Only the models listed above, each with its reason, are of a family that was run and are not proved."""
    specs = {row.slug: catalog.spec(row.slug) for row in catalog.drawn()}
    found = {slug for slug, spec in specs.items() if proof(spec).cases and not proof(spec).proved}
    assert set(UNPROVED) == found


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
    assert (proof(read(config)).proved, proof(read(config)).words) == (True, "wiring proved: logits equal")
    assert (proof(read(stranger)).proved, proof(read(stranger)).words) == (
        False,
        "wiring read from keys alone, not proved",
    )
