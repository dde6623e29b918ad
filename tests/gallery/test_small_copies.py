"""Small copies of models: which there are, that they are wired as the model is, and what a cut does."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

from cutaway.gallery import ConfigError, catalog, read
from cutaway.gallery.drawing.layer_kinds import census
from cutaway.gallery.running.cuts import Cut, with_cuts
from cutaway.gallery.running.interpreter import Run, forward
from cutaway.gallery.running.named import NamedWeights
from cutaway.gallery.running.proofs import layer_signature
from cutaway.gallery.running.small import MOST_NUMBERS, TooLarge, small_copy
from cutaway.gallery.wiring import course, layer_graph
from tests.oracle.forward import CASES, LIMIT, difference, weights

# Kimi K3 and Ember use an activation that no report writes down; the tables of Flash Next hash into primes.
NOT_RUN = {"moonshotai/Kimi-K3", "fireworks/Ember-1", "Qwen/Qwen3.8-Flash-Next"}
LLAMA = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "intermediate_size": 14336}
LLAMA |= {"num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128_256}
# MLA, gated delta, windows with sinks, Mamba-2, a parallel block, an indexer, RWKV, one expert a row.
PLAIN = ("deepseek_v3", "qwen3_next", "gpt_oss", "mamba2", "cohere", "glm_moe_dsa", "rwkv", "doge__moe")


def ran(spec):
    """(logits, every value by name) of a copy with its named weights."""
    values = {}
    tokens = np.array([3, 1, 4, 1, 5, 9, 2, 6]) % spec.vocab_size
    return forward(Run(spec, NamedWeights(spec), tokens, watch=values.__setitem__)), values


def check_copies(rows) -> tuple[int, int]:
    """(models checked, those without a small copy that runs with the same wiring)."""
    rows, wrong = list(rows), []
    for row in rows:
        spec = catalog.spec(row.slug)
        if row.slug in NOT_RUN:
            with pytest.raises(ConfigError):
                ran(small_copy(spec))
            continue
        copy = small_copy(spec)
        run = {index for stage in course(copy) for index in stage.layers}
        made = {index: list(layer_signature(copy, copy.layers[index])) for index in run}
        alike = all(signature == list(layer_signature(spec, spec.layers[index])) for index, signature in made.items())
        kinds = {tuple(layer_signature(spec, layer)) for layer, _ in census(spec)}
        if not (alike and kinds <= set(map(tuple, made.values())) and np.isfinite(ran(copy)[0]).all()):
            wrong.append(row.slug)
    assert wrong == []
    return len(rows), len(wrong)


@pytest.mark.whole
def test_models_have_a_copy_that_runs(verified):
    """Every sixth catalogued model, and the three without a copy: each kind of layer is there, with the same wiring."""
    rows = list(catalog.drawable_rows())
    checked, wrong = check_copies([*rows[::6], *(row for row in rows if row.slug in NOT_RUN)])
    verified("small copies wired as their models", checked, wrong, against="signatures of their graphs")


def test_a_copy_stays_small_whatever_a_config_says():
    """However large the counts of a config, its copy is small or refused with a sentence."""
    for key in ("hidden_size", "intermediate_size", "num_attention_heads", "num_hidden_layers", "vocab_size"):
        try:
            copy = small_copy(read(LLAMA | {key: 65_536, "head_dim": 128}))
        except ConfigError:
            continue
        made = NamedWeights(copy)
        forward(Run(copy, made, np.array([1, 2, 3])))
        assert sum(one.size for one in made.made.values()) <= MOST_NUMBERS
    with pytest.raises(TooLarge):
        small_copy(catalog.spec("Qwen/Qwen3.8-Flash-Next"))


def test_a_cut_is_what_it_says():
    """With mixer and MLP cut off, the stream is the embedding; without its norm, a layer reads the stream itself."""
    copy = small_copy(read(LLAMA))
    (index,) = {index for stage in course(copy) for index in stage.layers}
    logits, values = ran(copy)
    embedding = values["model:embed"]
    halves = [Cut(index, "mixer_add", "mixer.o_proj"), Cut(index, "mlp_add", "mlp.down_proj")]
    alone, cut = ran(with_cuts(copy, halves))
    assert np.array_equal(cut[f"layer{index}"], embedding)
    table, scale = (NamedWeights(copy).get(name, None) for name in ("lm_head.weight", "model.norm.weight"))
    normed = embedding / np.sqrt((embedding**2).mean(-1, keepdims=True) + copy.final_norm.eps)
    assert np.allclose(alone, normed * scale @ table.T, rtol=1e-12)
    bare, _ = ran(with_cuts(copy, [*halves, Cut(None, "final_norm")]))
    assert np.allclose(bare, embedding @ table.T, rtol=1e-12)
    unnormed, cut = ran(with_cuts(copy, [Cut(index, "mixer_in_norm")]))
    own = NamedWeights(copy).get("self_attn.v_proj.weight", index)
    assert np.allclose(cut[f"layer{index}:mixer.v_proj"].reshape(8, -1), embedding @ own.T, rtol=1e-12)
    assert not np.allclose(unnormed, logits)
    assert layer_graph(copy, copy.layers[index]) == layer_graph(small_copy(read(LLAMA)), copy.layers[index])


def test_a_wire_that_is_cut_twice_is_cut():
    """A trunk and one of its branches share a wire."""
    copy = small_copy(read(LLAMA))
    cuts = [Cut(0, "mixer.q_proj", "mixer_in_norm"), Cut(0, "mlp_in_norm")]
    once, twice = (ran(with_cuts(copy, cuts * times))[0] for times in (1, 2))
    assert np.array_equal(once, twice)


@pytest.mark.parametrize("cut", [Cut(0, "nobody"), Cut(0, "mixer_add", "nobody"), Cut(99, "x"), Cut(None, "head")])
def test_a_cut_of_nothing_is_a_sentence(cut):
    """A wire, norm or layer that does not exist is a ConfigError."""
    with pytest.raises(ConfigError, match=r"There is no|Outside the layers"):
        with_cuts(small_copy(read(LLAMA)), [cut])


# ---------------------------------------------------------------- numpy's functions in plain Python

CHILD = """
import pickle, sys
from cutaway.app.your_model import plain_numpy as np
sys.modules["numpy"] = np
from cutaway.gallery import read, run
made = {}
for name, (config, weights, tokens) in pickle.load(sys.stdin.buffer).items():
    stored = {key: np.ndarray(values, shape, int if kind == "i" else float)
              for key, (values, shape, kind) in weights.items()}
    logits = run(read(config, as_class=True), stored, tokens)
    made[name] = logits.values, logits.shape
sys.stdout.buffer.write(pickle.dumps(made))
"""


def plain_differences(names) -> dict[str, float]:
    """By how much logits computed without numpy differ from the modelling code's, in their deviations."""
    cases = {name: json.loads((CASES / f"{name}.json").read_text("utf-8")) for name in names}
    given = {
        name: (case["config"], {key: (one.ravel().tolist(), one.shape, one.dtype.kind)
                                for key, one in weights(case).items()}, case["tokens"])
        for name, case in cases.items()
    }  # fmt: skip
    ran = subprocess.run([sys.executable, "-c", CHILD], input=pickle.dumps(given), capture_output=True, check=True)
    return {
        name: difference(cases[name], np.array(values).reshape(shape))
        for name, (values, shape) in pickle.loads(ran.stdout).items()
    }


@pytest.mark.whole
def test_golden_logits_come_out_without_numpy(verified):
    """The interpreter on plain Python's arrays gives the modelling code's logits, as it does on numpy's."""
    found = plain_differences(PLAIN)
    wrong = {name: gap for name, gap in found.items() if gap > LIMIT}
    verified("golden logits without numpy", len(found), len(wrong), "transformers 5.23.0 in float64")
    assert wrong == {}
