"""What a quantization_config says that no table knows is told to the reader, never counted in silence."""

import pytest

from cutaway.gallery import catalog, read
from cutaway.gallery.command.report import facts_lines
from cutaway.gallery.counting.stored_bytes import stored_bytes
from cutaway.gallery.reading.quantization import normalise

E4M3, E8M0 = "torch.float8_e4m3fn", "torch.uint8"
PLAIN = catalog.load("Qwen/Qwen3-8B")


def grouped(*parts: dict, **more: object) -> dict:
    """A compressed-tensors config with one group for each dict of weights."""
    groups = {f"group_{i}": {"weights": part, "targets": [f"layer{i}"]} for i, part in enumerate(parts)}
    return {"quant_method": "compressed-tensors", "config_groups": groups, **more}


def fp4(size: int | None, scale: str | None) -> dict:
    return {"num_bits": 4, "type": "float", "strategy": "group", "group_size": size, "scale_dtype": scale}


FP4 = [  # (group size, format of the scale, row, is there a sentence)
    (16, E4M3, "nvfp4", False), (16, None, "nvfp4", False), (32, E8M0, "mxfp4", False), (32, None, "mxfp4", False),
    (32, "torch.float8_e8m0fnu", "mxfp4", False),
    (16, E8M0, "mxfp4", True), (32, E4M3, "nvfp4", True), (64, E8M0, "mxfp4", True),
    (16, "torch.bfloat16", "", True), (64, None, "", True), (None, None, "", True),
]  # fmt: skip


@pytest.mark.parametrize(("size", "scale", "row", "said"), FP4)
def test_fp4_is_named_by_its_scale(size, scale, row, said):
    """E4M3 scales on 16 are NVFP4, E8M0 scales on 32 are MXFP4; anything between is said in a sentence."""
    found = normalise(grouped(fp4(size, scale)))
    assert (found.row, len(found.not_understood)) == (row, int(said))
    if row and said:
        assert "neither NVFP4 (E4M3 scales on 16) nor MXFP4 (E8M0 scales on 32)" in found.not_understood[0]
        assert found.block_shape == (1, size)


def test_the_packing_says_mxfp4_where_no_scale_does():
    """mxfp4-pack-quantized with groups of 16 is no NVFP4."""
    found = normalise(grouped(fp4(16, None), format="mxfp4-pack-quantized"))
    assert (found.scale, len(found.not_understood)) == ("float8_e8m0fnu", 1)


STRANGE = [
    {"num_bits": 9, "type": "int", "group_size": 32}, {"num_bits": 4, "type": "int", "strategy": "group"},
    {"num_bits": 8, "type": "float", "strategy": "block", "block_structure": [64, "64"]},
    {"num_bits": 8, "type": "float", "strategy": ["odd"]}, {},
]  # fmt: skip


@pytest.mark.parametrize("part", STRANGE)
def test_weights_that_no_scheme_fits_are_said(part):
    """Their bytes are unknown, and the page says so."""
    spec = read({**PLAIN, "quantization_config": grouped(part)})
    assert stored_bytes(spec) is None
    assert [line.split()[-1] for line in facts_lines(spec) if "weights as stored" in line] == ["unknown"]
    assert ["no scheme known here fits" in sentence for sentence in spec.not_understood] == [True]


@pytest.mark.parametrize(("bits", "shown"), [(0, "0"), (64, "64"), (65, "?"), (-1, "?"), ("four", "?")])
def test_a_strange_width_is_shown_where_it_is_a_small_number(bits, shown):
    """What a config says stands in the sentence only if it is short and plain."""
    spec = read({**PLAIN, "quantization_config": grouped({"num_bits": bits, "type": "odd", "group_size": 48})})
    assert f"fits {shown}-bit odd weights" in spec.not_understood[0]


@pytest.mark.parametrize("raw", [{"quant_method": "brand-new"}, {"quant_method": "gptq", "bits": 7}])
def test_a_method_that_nobody_knows_is_said(raw):
    """Unknown tools and unknown widths are counted in the model's dtype, in a sentence."""
    assert "is no scheme known here" in read({**PLAIN, "quantization_config": raw}).not_understood[0]


def test_an_algorithm_that_nobody_knows_is_said_once():
    """quantized_layers may name the same strange algorithm for thousands of modules."""
    layers = {f"layers.{i}": {"quant_algo": "W2A2"} for i in range(9)}
    found = normalise({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": layers})
    assert ["'W2A2'" in sentence for sentence in found.not_understood] == [True]


def test_a_cache_format_that_nobody_knows_is_said():
    """FP8 is known under every spelling; an odd width is not."""
    assert normalise({**grouped(fp4(16, None)), "kv_cache_quant_algo": "fp8"}).kv_cache == "float8_e4m3fn"
    found = normalise({**grouped(fp4(16, None)), "kv_cache_scheme": {"num_bits": 5, "type": "float"}})
    assert (found.kv_cache, len(found.not_understood)) == ("", 1)


def test_unknown_keys_inside_groups_are_reported_like_others():
    """A key of a group or of its weights that nobody reads is listed with its place, on pages and by the CLI."""
    raw = grouped(fp4(16, None), odd_key=1)
    raw["config_groups"]["group_0"]["weights"]["rotation"] = "hadamard"
    raw["config_groups"]["group_0"]["sparsity"] = 2
    raw["config_groups"]["W8A8"] = ["Linear"]
    spec = read({**PLAIN, "quantization_config": raw})
    places = ("odd_key", "config_groups.group_0.weights.rotation", "config_groups.group_0.sparsity",
              "config_groups.W8A8")  # fmt: skip
    assert set(spec.quantization.unread) == set(places)
    assert {f"quantization_config.{place}" for place in places} <= set(spec.unread)
    assert "quantization_config.config_groups.W8A8" in "\n".join(facts_lines(spec))


def test_a_stated_group_is_the_block_that_is_shown():
    """INT4 in groups of 64 is not shown as blocks of 128."""
    found = normalise(grouped({"num_bits": 4, "type": "int", "strategy": "group", "group_size": 64}))
    assert (found.row, found.block_shape) == ("int4_g128", (1, 64))


def test_weights_only_nvfp4_is_counted_in_four_bits():
    """Nemotron 3.5 Lightning's experts say W4A16_NVFP4; they were taken for bfloat16, 62 GB instead of 19."""
    spec = catalog.spec("nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4")
    assert (round(stored_bytes(spec) / 1e9, 1), spec.not_understood) == (18.9, ())
