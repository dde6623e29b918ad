"""How weights are stored: what the drawing is painted by, what a checkpoint holds, quantization_config in words."""

from __future__ import annotations

import re
from math import prod

import pytest

from cutaway.app.model import figures
from cutaway.app.model.view import SpecView
from cutaway.app.model_page import precision
from cutaway.gallery import catalog, read
from cutaway.gallery.formats.stored_tensors import LAYOUTS, MULTIPLIES, expected_tensors
from tests.one_site import SITE

QUANTIZED = [view.slug for view in SITE.views if view.spec and view.spec.quantization]
V3, OSS, LLAMA = "deepseek-ai/DeepSeek-V3", "openai/gpt-oss-120b", "meta-llama/Llama-3.1-405B-Instruct-FP8"


def paint(slug: str) -> str:
    view = SITE.view(slug)
    return str(precision.painted(figures.inline(view), view))


def codes(figure: str) -> dict[str, set[str]]:
    """Title of a painted matrix -> its codes."""
    found: dict[str, set[str]] = {}
    for tag, title in re.findall(r"<g((?: [^>]*)?)><title>([^<]*→[^<]*)</title>", figure):
        code = re.search(r'data-q="(\w+)"', tag)
        found.setdefault(title.split(":")[0].split(" ")[0], set()).add(code[1] if code else "")
    return found


def test_painting_changes_nothing_but_adds_a_code():
    """Without its codes the drawing is the plain one, for every quantized model; unquantized ones get none."""
    for slug in QUANTIZED[::12]:
        assert re.sub(r' data-q="\w+"', "", paint(slug)) == figures.inline(SITE.view(slug))
    assert "data-q" not in paint("Qwen/Qwen3-32B")


def test_each_matrix_wears_the_format_that_its_table_says():
    """Of DeepSeek-V3 all matrices but head, embedding and router are FP8; of gpt-oss the experts alone are FP4."""
    v3 = codes(paint(V3))
    inside = {name: code for name, code in v3.items() if "." in name}
    assert len(inside) > 8 and all(code == {"f8"} for code in inside.values())
    assert re.search(r'data-n="gate score [^"]*" data-q="16"|data-n="gate[^"]*" data-q="16"', paint(V3))
    oss = codes(paint(OSS))
    experts = {name for name in oss if "experts" in name}
    assert experts and all(oss[name] == {"f4"} for name in experts)
    assert all(oss[name] == {"16"} for name in oss if "self_attn" in name)


def test_a_drawn_part_is_painted_as_most_of_its_layers_store_it():
    """Llama 405B leaves its first and last layer in BF16, and is drawn from the first."""
    llama = codes(paint(LLAMA))
    assert all(llama[name] == {"f8"} for name in llama if "mlp" in name)
    assert all(llama[name] == {"16"} for name in llama if "self_attn" in name)


def test_nearly_every_drawn_matrix_of_every_quantized_model_has_a_code(verified):
    """No matrix inside an opened mixer or MLP is left without, and none has a code that its legend lacks."""
    checked, wrong = 0, []
    for slug in QUANTIZED[::6]:
        figure, known = paint(slug), {row.code for row in precision.legend(SITE.view(slug))} | {"mix"}
        for name, found in codes(figure).items():
            if "." in name:
                checked += 1
                wrong += [] if found <= known else [(slug, name, found)]
    assert wrong == []
    verified("matrices coloured by how they are stored", checked, len(wrong), "the tables of weights")


def test_the_legend_holds_all_bytes():
    """Its rows add up to the weights as stored, each with its own width."""
    for slug in (V3, OSS, "deepseek-ai/DeepSeek-V4-Flash"):
        view, rows = SITE.view(slug), precision.legend(SITE.view(slug))
        assert sum(row.bytes for row in rows) == view.stored_bytes
        assert sum(row.tensors for row in rows) == len(view.weights)
    assert [(row.code, row.words) for row in rows] == [("f4", "MXFP4"), ("f8", "FP8 128x128, UE8M0"), ("16", "BF16")]


# ---------------------------------------------------------------- what a checkpoint holds


def scales(slug: str):
    """(weight, its stored row, its tensors) of the first weight of each row."""
    view = SITE.view(slug)
    by_name = {one.name: (one, weight) for one, weight in zip(view.stored, view.weights, strict=True)}
    for found in precision.checkpoint(view):
        yield (*by_name[found.weight], found)


@pytest.mark.parametrize("slug", QUANTIZED[::4])
def test_the_scales_of_a_checkpoint_are_as_many_as_are_counted(slug):
    """Shapes of scale tensors hold the number of scales by which bytes are counted."""
    for kept, _, found in scales(slug):
        for name, shape, _, does, _ in found.rows:
            if does == MULTIPLIES and not name.endswith(("_2", "nested_absmax")):
                sides = [] if shape == "one number" else shape.replace(",", "").split(" × ")
                assert prod(map(int, sides)) == kept.scales, (slug, name, shape)


def test_a_group_that_the_config_states_makes_its_own_scales():
    """Groups of 64 in place of the row's 128; a matrix that lies on its side has as many codes as numbers."""
    found, _ = expected_tensors("compressed-tensors", "int4_g128", "a.weight", (256, 512), 64)
    assert found[1].shape == (256, 8)
    config = dict(catalog.load("Qwen/Qwen3-8B-AWQ"))
    config["quantization_config"] = {**config["quantization_config"], "group_size": 64}
    (one,) = precision.checkpoint(SpecView(read(config), "x", config))
    assert [shape for _, shape, *_ in one.rows][1:] == ["64 × 512", "64 × 4,096"]
    view = SITE.view("RedHatAI/Llama-4-Scout-17B-16E-Instruct-FP8-dynamic")
    by_name = {weight.name: weight for weight in view.weights}
    for one in precision.checkpoint(view):
        sides = [int(side) for side in one.rows[0][1].replace(",", "").split(" × ")]
        assert prod(sides) == prod(by_name[one.weight].shape)


def test_every_tool_in_the_catalogue_has_its_names():
    """No quantized model of the catalogue is left with a sentence that names are not known."""
    assert {SITE.view(slug).spec.quantization.method for slug in QUANTIZED} <= set(LAYOUTS)
    assert all(found.rows for slug in QUANTIZED[::5] for found in precision.checkpoint(SITE.view(slug)))


# ---------------------------------------------------------------- in plain English


def test_every_key_of_the_catalogue_is_known():
    """Each key of each catalogued quantization_config has a sentence, and its value is shown."""
    unknown = {}
    for slug in QUANTIZED:
        for one in precision.meanings(SITE.view(slug)):
            assert one.words and one.value
            if not one.known:
                unknown.setdefault(one.key, slug)
    assert unknown == {}


def test_a_pasted_config_with_its_scheme_in_text_config_is_found():
    """The language model's own quantization_config comes before the whole model's."""
    config = dict(catalog.load(V3))
    own = {**config.pop("quantization_config"), "twist": 1}
    view = SpecView(read({**config, "quantization_config": own}), "x", {"text_config": {"quantization_config": own}})
    assert "twist" in {one.key for one in precision.meanings(view)}
