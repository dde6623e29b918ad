"""Every catalogued config against what transformers 5.23.0 creates on meta tensors (or a hand formula where it cannot).

tests/oracle/parameters.json was made from those measurements; tests/oracle/exceptions.json lists what is wrong in them.
"""

import json
from pathlib import Path

import pytest

from cutaway.gallery import catalog, parameters, weights
from cutaway.gallery.counting.modelling import to_modelling
from cutaway.gallery.counting.weights import buffers, mtp
from cutaway.gallery.reading.quantization import list_stored

ORACLE = Path(__file__).parents[1] / "oracle"
FILE = json.loads((ORACLE / "parameters.json").read_text())
MODELS, KINDS = FILE["models"], FILE["kinds"]
EXCEPT = json.loads((ORACLE / "exceptions.json").read_text())
AGAINST = "transformers 5.23.0 on meta tensors, and hand formulas"


def spec_of(slug):
    return catalog.spec(slug)


def numbers(text):
    """ "0-2,5" -> 0, 1, 2, 5."""
    out = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        out.extend(range(int(first), int(last or first) + 1))
    return out


def shaped(kind):
    """{name: "4096x1024"} -> {name: (4096, 1024)}."""
    return {name: tuple(int(size) for size in text.split("x")) for name, text in kind.items()}


def report(verified, what, wrong, checked):
    print(f"{checked - len(wrong)} of {checked} configs exact: {what}")
    verified(what, checked=checked, mismatches=len(wrong), against=AGAINST)
    assert wrong == []


def test_every_total_equals_the_measured_one(verified):
    """The language model's parameters, tied weights once, are equal for every config that has a measured total."""
    rows = {slug: row for slug, row in MODELS.items() if row["total"] is not None}
    wrong = []
    for slug, row in rows.items():
        found = parameters(spec_of(slug)).total
        known = EXCEPT["totals"].get(slug, {"oracle": row["total"], "ours": row["total"]})
        if (row["total"], found) != (known["oracle"], known["ours"]):
            wrong.append((slug, row["total"], found))
    report(verified, "total parameters", wrong, len(rows))


def test_every_active_count_equals_the_measured_one(verified):
    """With whole tables, as the measurement counts: embeddings once, experts that a token does not visit left out."""
    rows = {slug: row for slug, row in MODELS.items() if row["active"] is not None}
    wrong = []
    for slug, row in rows.items():
        found = parameters(spec_of(slug)).touched
        known = EXCEPT["active"].get(slug, {"oracle": row["active"], "ours": row["active"]})
        if (row["active"], found) != (known["oracle"], known["ours"]):
            wrong.append((slug, row["active"], found))
    report(verified, "active parameters", wrong, len(rows))


def test_active_leaves_the_input_embedding_out(verified):
    """Measured active ones less the measured embedding, unless it is the head too; other tables aside."""
    wrong, checked = [], 0
    for slug, row in MODELS.items():
        counted = parameters(spec_of(slug))
        if row["active"] is None or "embedding" not in row or slug in EXCEPT["active"]:
            continue
        outside = 0 if row["tied"] else row["embedding"]
        if counted.looked_up in (0, row["embedding"]):
            checked += 1
            if counted.active != row["active"] - outside:
                wrong.append((slug, row["active"] - outside, counted.active))
    assert checked > 130
    report(verified, "active parameters, without tables that are looked up", wrong, checked)


def layer_differences(slug, row):
    """The first layer of each kind whose tensors are not the measured ones, through the one documented table."""
    ours = to_modelling(spec_of(slug))
    known = EXCEPT["tensors"].get(slug)
    for indices, kind in row["layers"]:
        expected = shaped(KINDS[kind])
        if known:
            assert shaped(known["oracle"]).items() <= expected.items(), "the exception describes the measurement"
            expected = {name: shape for name, shape in expected.items() if name not in known["oracle"]}
            expected |= shaped(known["ours"])
        for index in numbers(indices):
            if ours[index] != expected:
                return (slug, index, set(ours[index].items()) ^ set(expected.items()))
    return None


def test_every_layer_has_the_measured_tensors(verified):
    """Names and shapes of every layer's tensors are those of the modelling code, through gallery.modelling."""
    rows = {s: row for s, row in MODELS.items() if row.get("layers") and s not in EXCEPT["shared_weights"]}
    wrong = [found for slug, row in rows.items() if (found := layer_differences(slug, row))]
    report(verified, "tensors of every layer, by name and shape", wrong, len(rows))


@pytest.mark.parametrize("slug", sorted(EXCEPT["shared_weights"]))
def test_a_shared_block_is_listed_once(slug):
    """Layers that share weights: none of ours is unknown to the modelling code, and each of its is somewhere."""
    ours = to_modelling(spec_of(slug))
    measured = {index: shaped(KINDS[kind]) for indices, kind in MODELS[slug]["layers"] for index in numbers(indices)}
    assert all(ours[index].items() <= measured[index].items() for index in measured)
    everything = {name: shape for layer in ours for name, shape in layer.items()}
    assert everything.items() >= {name: shape for layer in measured.values() for name, shape in layer.items()}.items()


def test_embedding_and_head_are_the_measured_ones():
    """Whether the head is tied, and how large the embedding is."""
    wrong = []
    for slug, row in MODELS.items():
        if "tied" in row:
            spec = spec_of(slug)
            rows = spec.embedding_rows or spec.vocab_size
            if (row["tied"], row["embedding"]) != (spec.tie_word_embeddings, rows * spec.hidden_size):
                wrong.append(slug)
    assert sorted(slug for slug in EXCEPT["totals"] if spec_of(slug).has_head) == sorted(wrong)


def test_the_list_of_weights_is_the_single_truth():
    """What parameters() counts is the sum over weights(), in total, by part and by layer, for every config."""
    for slug in MODELS:
        spec = spec_of(slug)
        counted, listed = parameters(spec), weights(spec)
        assert counted.total == sum(weight.size for weight in listed), slug
        for part, size in counted.by_part.items():
            assert size == sum(weight.size for weight in listed if weight.part == part), (slug, part)
        by_layer = [0] * spec.num_hidden_layers
        for weight in listed:
            if weight.layer is not None:
                by_layer[weight.layer] += weight.size
        assert by_layer == counted.per_layer, slug


def test_no_two_weights_have_the_same_name():
    """A checkpoint is a dict."""
    for slug in MODELS:
        spec = spec_of(slug)
        names = [weight.name for weight in weights(spec) + mtp(spec)]
        assert len(names) == len(set(names)), slug


def test_towers_are_the_measured_ones(verified):
    """What stands beside the language model, where the config gives enough to count it."""
    silent = {"meta-llama/Llama-4-Scout-17B-16E-Instruct", "stepfun-ai/Step-3.7-Flash", "stepfun-ai/Step-3.7-Flash-FP8"}
    rows = {slug: row["towers"] for slug, row in MODELS.items() if row.get("towers") and slug not in silent}
    wrong = [slug for slug, size in rows.items() if parameters(spec_of(slug)).towers != size]
    assert all(spec_of(slug).towers == () for slug in silent), "their files have no vision_config"
    report(verified, "parameters of vision and audio encoders", wrong, len(rows))


def scales(spec):
    """Scale numbers stored beside quantized weights, the MTP layers' too; only in schemes that do not pack weights."""
    if not spec.quantization or not spec.quantization.row.startswith("fp8") or spec.quantization.overrides:
        return 0
    return sum(item.scales for item in list_stored(spec)) + sum(item.scales for item in list_stored(spec, mtp(spec)))


def beside(spec):
    """Everything a published checkpoint holds beside the language model's weights and the towers."""
    extra = sum(layer.mlp.num_experts for layer in spec.mtp if buffers(spec) and hasattr(layer.mlp, "num_experts"))
    return (parameters(spec).mtp, sum(weight.size for weight in buffers(spec)), extra, scales(spec))


REASONS = ("exact: ", "quantization scale", "larger by MTP", "exact match once persistent")
# Published totals that ours does not explain to the last number, and why.
OPEN = {
    "XiaomiMiMo/MiMo-V2-Flash": "ships MTP weights that neither config nor modelling code describes",
    "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-FP8": "the published figure leaves the router's buffers out",
    "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16": "the published figure leaves the router's buffers out",
    "stepfun-ai/Step-3.7-Flash-FP8": "its scales are those of the experts alone: the trimmed file lost what stays",
    "Qwen/Qwen3-Next-80B-A3B-Instruct-FP8": "no quantization_config here, scales in the published weights",
    "MiniMaxAI/MiniMax-M2.7": "published as FP8 without counting scales",
    "MiniMaxAI/MiniMax-M2": "published as FP8 without counting scales",
    "deepseek-ai/DeepSeek-R1": "the published figure leaves the scales out",
    "deepseek-ai/DeepSeek-V3.2": "the published figure leaves the scales out",
    "google/gemma-4-31B-it": "two buffers of the vision tower, 1,152 numbers each",
    "moonshotai/Kimi-K2-Instruct": "leaves the scales out; 3,416 numbers more than its buffers",
    "zai-org/GLM-5.2-FP8": "the published figure leaves the scales out",
    "Qwen/Qwen3.8-2.4T-A95B-FP8": "the published figure leaves the scales out",
    "poolside/Laguna-XS.2-FP8": "80 scales of the KV cache; the published figure leaves the weights' scales out",
}


def test_published_totals_are_explained_to_the_last_number(verified):
    """Published safetensors totals = ours + towers + MTP layers + buffers + FP8 scales: a second, independent route."""
    rows = {
        s: r for s, r in MODELS.items() if (r.get("why") or "").startswith(REASONS) and "published_minus_total" in r
    }
    wrong = {slug for slug, row in rows.items() if sum(beside(spec_of(slug))) != row["published_minus_total"]}
    print(f"{len(rows) - len(wrong)} of {len(rows)} published totals explained")
    verified("published parameter totals, with MTP, buffers and scales", checked=len(rows) - len(OPEN),
             mismatches=len(wrong - set(OPEN)), against="totals from published safetensors files")  # fmt: skip
    assert sorted(OPEN) == sorted(wrong)


def test_mtp_and_buffers_are_in_no_total():
    """DeepSeek-V3's MTP layer, with two embedding copies, is 13.46 B apart from the 671 B."""
    spec = spec_of("deepseek-ai/DeepSeek-V3")
    assert parameters(spec).total == 671_026_404_352
    assert 13_463_426_048 == parameters(spec).mtp == sum(weight.size for weight in mtp(spec))
    assert sum(weight.size for weight in buffers(spec)) == 14_848


def test_configs_without_a_measured_total_still_read():
    """Eight configs have no measured total: they read, their weights are plausible, and doubts are said aloud."""
    billions = {
        "MiniMaxAI/MiniMax-M3": (426.2, 426.2), "moonshotai/Kimi-K3": (2700, 2900),
        "sgl-project/DeepSeek-V4-Flash-FP8": (284.3, 284.4), "sgl-project/DeepSeek-V4-Pro-FP8": (1572.9, 1573.1),
        "microsoft/Phi-3-vision-128k-instruct": (3.8, 3.9), "microsoft/Phi-3-small-8k-instruct": (7.3, 7.5),
        "tencent/Hunyuan-A13B-Instruct-vendor-github": (80.3, 80.5), "fla-hub/rwkv7-2.9B-world": (2.9, 3.0),
    }  # fmt: skip
    assert sorted(billions) == sorted(slug for slug, row in MODELS.items() if row["total"] is None)
    for slug, (low, high) in billions.items():
        assert low <= round(parameters(spec_of(slug)).total / 1e9, 1) <= high, slug
