"""No count in a config costs more than a second, 200 MB or 2 MB of SVG: it is drawn or refused in one sentence."""

import json
from dataclasses import replace

import numpy
import pytest

from cutaway.gallery import ConfigError, catalog, draw, graph, read, run, weights
from cutaway.gallery.counting import weights as tensors
from cutaway.gallery.counting.module_patterns import steps
from cutaway.gallery.drawing import marks_svg, svg
from tests.gallery.bombs import FORWARD, bomb, cases, configs, families, inside, paths
from tests.gallery.verdict import judge

STRIDE = 2_003  # a prime: over the chunks every value meets every kind of key; `make fuzz` turns them all


def faults(chosen) -> list:
    """What is wrong with the one-key bombs that are chosen."""
    found = ((name, path, str(value)[:20], bomb(configs()[name], path, value)) for name, path, value in chosen)
    judged = [(*about, judge(config).fault()) for *about, config in found if config is not None]
    return [one for one in judged if one[-1]]


def turned(name: str, **keys: object) -> dict:
    """A tiny model of the golden forwards with some keys set."""
    config = configs()[name]
    for key, value in keys.items():
        config = bomb(config, (*inside(config), key), value)
    return config


@pytest.mark.whole
def test_one_key_set_to_a_thousand_or_a_thousand_million_is_drawn_or_refused():
    """A sample of the one-key scan: time, memory and size of the drawing stay small."""
    assert faults(cases(list(families().values()), STRIDE)) == []


@pytest.mark.whole
def test_further_keys_are_drawn_or_refused():
    """One more sample; `make fuzz` goes over all."""
    assert faults(cases(list(families().values()), STRIDE, 499)) == []


def test_the_scan_turns_every_kind_of_key():
    """Nested keys, entries of lists, and keys that a family asks for without writing them."""
    found = set(paths(configs()["gemma3n_text"]))
    assert len(families()) > 150
    assert {("altup_num_inputs",), ("layer_rope_theta",), ("sliding_window",)} <= found


QUANTIZED = {"quant_method": "fp8", "weight_block_size": [128, 128]}


def patterned(*patterns: str, depth: int = 32) -> dict:
    """A model whose quantizer names modules by these patterns."""
    return {
        **turned("llama", num_hidden_layers=depth),
        "quantization_config": {**QUANTIZED, "modules_to_not_convert": list(patterns)},
    }


def grouped(*targets: str) -> dict:
    """The same where a group of the quantizer names its targets."""
    most = {"targets": ["Linear"], "weights": {"num_bits": 4, "type": "int", "group_size": 32}}
    rest = {"targets": list(targets), "weights": {"num_bits": 8, "type": "float"}}
    said = {"quant_method": "compressed-tensors", "config_groups": {"a": most, "b": rest}}
    return {**turned("llama"), "quantization_config": said}


BOMBS = {  # what once took seconds or gigabytes, or would without its bound -> words of the sentence
    "streams": (lambda: turned("gemma3n_text", altup_num_inputs=10**6), "altup_num_inputs is 1000000"),
    "passes": (lambda: turned("ByteDance/Ouro-2.6B", loops=10**6), "loops is 1000000"),
    "cycles": (lambda: turned("hrm_text", H_cycles=10**6), "H_cycles is 1000000"),
    "heads of n-grams": (lambda: turned("qwen4_exp_text__ple", heads_per_ngram=10**6), "heads_per_ngram is 1000000"),
    "no n-grams": (lambda: turned("qwen4_exp_text__ple", ngram_size=0), "ngram_size from 2 on"),
    "layers with n-grams": (
        lambda: turned("qwen4_exp_text__ple", ple_layer_ids=list(range(1, 999))),
        "at most 128 heads",
    ),
    "optional letters": (lambda: patterned(r"re:" + r"[\w.]?" * 30 + "Z"), "names modules by patterns"),
    "counted letters": (lambda: patterned(r"re:" + r"[\w.]{0,60}" * 6 + "Z"), "names modules by patterns"),
    "four stars": (lambda: patterned(r"re:.*\w.*\w.*\w.*Z", depth=1_000), "names modules by patterns"),
    "many expressions": (lambda: patterned(*(f"re:.*a{i}b" for i in range(50_000))), "50,000 entries"),
    "many for one layer": (lambda: patterned(*(f"re:.*a{i}b" for i in range(50_000)), depth=1), "50,000 entries"),
    "groups": (lambda: grouped(*(f"re:.*a{i}b" for i in range(50_000))), "50,000 entries"),
    "many wildcards": (lambda: patterned(*(f"*x{i}*y" for i in range(50_000))), "50,000 entries"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_count_that_makes_marks_tensors_or_loops_is_refused(name):
    """In a sentence that names the key, and at once."""
    make, words = BOMBS[name]
    verdict = judge(make())
    assert (verdict.kind, verdict.fault()) == ("refused", None)
    assert words in verdict.text


def test_plain_names_of_modules_cost_nothing():
    """Fifty thousand of them are looked up, not matched."""
    verdict = judge(patterned(*(f"model.layers.{i}.mlp.up_proj" for i in range(50_000)), depth=1_000))
    assert (verdict.kind, verdict.fault()) == ("drawn", None)


def test_the_work_of_patterns_is_bounded_from_above():
    """Stars at the end cost nothing, other repeats the ways to lay them, choices multiply."""
    rows = {"re:a": 101, "a*": 101, "*a*": 150, "re:.*a.*": 150, "re:.*a.*b": 1_325, "re:(a|b)(c|d|e)": 106, "a.b": 0,
            "re:(?:a|b)c?": 104, "re:a{2}": 150, "re:a+b": 150}  # fmt: skip
    assert {pattern: steps((pattern,)) for pattern in rows} == rows
    assert steps(tuple(rows)) == sum(rows.values())


# ---------------------------------------------------------------- bounds that stand whatever a family forgets


def test_a_graph_has_a_bound():
    """A family that makes a node of every count is stopped."""
    wires = graph.Wires()
    with pytest.raises(ConfigError, match=r"more than 5,000 operations \(n5000 and on\)"):
        for number in range(10**6):
            wires.add(f"n{number}", "add", "x")
    assert len(wires.nodes) == graph.MOST_NODES


def test_a_list_of_weights_has_a_bound(monkeypatch):
    """So many tensors are listed, and not one more."""
    spec = catalog.spec("Qwen/Qwen3-8B")
    monkeypatch.setattr(tensors, "MOST_TENSORS", len(weights(spec)))
    assert weights(spec)
    with pytest.raises(ConfigError, match=r"would have 410 tensors; at most 399 are listed"):
        weights(replace(spec, layers=(*spec.layers, spec.layers[-1]), num_hidden_layers=37))


def test_a_drawing_has_a_bound(monkeypatch):
    """So many marks are drawn, and not one more."""
    spec = catalog.spec("Qwen/Qwen3-8B")
    monkeypatch.setattr(marks_svg, "MOST_MARKS", 100)
    with pytest.raises(ConfigError, match=r"marks; at most 100 are drawn"):
        draw(spec)
    with pytest.raises(ConfigError, match="are drawn"):
        svg.figure_html(spec)


@pytest.mark.parametrize(("experts", "cells", "words"), [(4_096, 4_096, ""), (4_097, 2_049, "a cell: 2 experts"),
                                                         (100_000, 4_000, "a cell: 25 experts")])  # fmt: skip
def test_a_field_of_experts_folds(experts, cells, words):
    """Up to 4,096 cells; beyond them a cell stands for several experts, and says so."""
    name = families()["qwen3_moe"]
    config = turned(name, num_experts=experts, num_experts_per_tok=experts // 2)
    drawing = draw(read(config))
    paths_of_cells = [one.split('"')[0] for one in drawing.split(' d="') if one.count("z") > 1_000]
    assert max(one.count("z") for one in paths_of_cells) == cells
    assert ("a cell:" in drawing, words in drawing) == (bool(words), True)
    assert min(one.count("z") for one in paths_of_cells) == -(-(experts // 2) // -(-experts // 4_096))
    assert judge(turned(name, num_experts=experts, num_experts_per_tok=experts)).fault() is None


@pytest.mark.parametrize(("kinds", "kind"), [(500, "drawn"), (501, "refused")])
def test_so_many_kinds_of_layers_are_read(kinds, kind):
    """One more, and the sentence says how many there are."""
    config = turned(
        "llama", num_hidden_layers=1_000, intermediate_size=[*range(64, 64 + kinds), *[64] * (1_000 - kinds)]
    )
    verdict = judge(config)
    assert (verdict.kind, verdict.fault()) == (kind, None)
    assert kind == "drawn" or "num_hidden_layers is 1000 and 501 layers differ" in verdict.text


def test_the_last_head_of_an_ngram_that_is_looked_for():
    """128 in all, whatever the number of layers and lengths they are for."""
    found = [judge(turned("qwen4_exp_text__ple", ple_layer_ids=[1, 2], heads_per_ngram=heads, ngram_size=5)).kind
             for heads in (16, 17)]  # fmt: skip
    assert found == ["drawn", "refused"]
    alone = [turned("qwen4_exp_text__ple", heads_per_ngram=1, ngram_size=2), turned("qwen4_exp_text", ngram_size=0)]
    assert [judge(config).kind for config in alone] == ["drawn", "drawn"], (
        "one head is enough, none where no layer looks"
    )


@pytest.mark.parametrize(("depth", "kind"), [(100, "drawn"), (1_000, "refused")])
def test_patterns_are_weighed_with_the_layers_that_they_meet(depth, kind):
    """What a hundred layers bear, a thousand do not."""
    assert judge(patterned(r"re:.*\w.*\w.*Z", r"re:.*\w.*\w.*Y", depth=depth)).kind == kind


def test_groups_of_experts_are_rows_of_the_field():
    """Where every cell is one expert."""
    drawing = draw(read(turned("deepseek-ai/DeepSeek-V3", n_routed_experts=96, n_group=4, topk_group=2)))
    cells = max(drawing.split(' d="'), key=lambda path: path.split('"')[0].count("z")).split('"')[0]
    assert [row.count("z") for row in cells.split("M")[1:]] == [24] * 4


def test_a_shared_block_is_held_by_the_first_layer_that_runs_it():
    """Two blocks in turn."""
    words = ["hybrid"] * 5
    config = turned(families()["zamba2"], num_mem_blocks=2, num_hidden_layers=5, layers_block_type=words,
                    hybrid_layer_ids=[0, 1, 2, 3, 4])  # fmt: skip
    assert [layer.mixer.parts[0].weights_of for layer in read(config).layers] == [None, None, 0, 1, 0]


@pytest.mark.parametrize("name", ["warp", "x" * 99])
def test_an_activation_nobody_knows_is_said_when_a_model_is_run(name):
    """With those that are known; drawing and counting do without it."""
    case = json.loads((FORWARD / "llama.json").read_text())
    config = {**case["config"], "hidden_act": name}
    spec = read(config)
    tensors = {word: numpy.zeros(shape) for word, shape in case["names"].items()}
    with pytest.raises(ConfigError, match=rf"activation '{name[:38]}.*known are silu, .*relu2"):
        run(spec, tensors, [1, 2])
