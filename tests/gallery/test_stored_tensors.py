"""Tensors that a checkpoint has for one weight, by tool: names, shapes, dtypes, and what each does."""

import pytest

from cutaway.gallery.formats.stored_tensors import expected_tensors


def test_directions_of_scales():
    """weight_scale_inv multiplies; compressed-tensors divides by NVFP4's global scale, ModelOpt multiplies by its."""
    shape, name = (256, 512), "model.layers.0.mlp.up_proj.weight"
    fp8, _ = expected_tensors("fp8", "fp8_128x128", name, shape)
    assert (fp8[1].name, fp8[1].shape, fp8[1].does) == (name + "_scale_inv", (2, 4), "multiplied by")
    theirs = {
        one.name.rpartition(".")[2]: one for one in expected_tensors("compressed-tensors", "nvfp4", name, shape)[0]
    }
    assert theirs["weight_global_scale"].does == "divided by" and theirs["weight_packed"].shape == (256, 256)
    ours = {one.name.rpartition(".")[2]: one for one in expected_tensors("modelopt", "nvfp4", name, shape, 0, True)[0]}
    assert ours["weight_scale_2"].does == "multiplied by" and ours["weight_scale"].shape == (256, 32)
    assert "input_scale" in ours and expected_tensors("nobody", "nvfp4", name, shape) == ([], "")


TENSORS = {  # of 256 x 520: sides that no block divides are rounded up
    ("fp8", "fp8_128x128"): "weight 256x520 F8_E4M3, weight_scale_inv 2x5 F32, activation_scale - F32",
    ("fp8", "fp8_128x128_ue8m0"): "weight 256x520 F8_E4M3, weight_scale_inv 2x5 F8_E8M0, activation_scale - F32",
    ("fp8", "fp8_tensor"): "weight 256x520 F8_E4M3, weight_scale_inv - F32, activation_scale - F32",
    ("fp8", "mxfp4"): "weight 256x260 I8, scale 256x17 F8_E8M0",
    ("mxfp4", "mxfp4"): "_blocks 256x17x16 U8, _scales 256x17 U8",
    ("compressed-tensors", "nvfp4"):
        "weight_packed 256x260 U8, weight_scale 256x33 F8_E4M3, weight_global_scale 1 F32 divides",
    ("compressed-tensors", "mxfp4"): "weight_packed 256x260 U8, weight_scale 256x17 U8",
    ("compressed-tensors", "int4_g32"): "weight_packed 256x65 I32, weight_scale 256x17 BF16, weight_shape 2 I64",
    ("compressed-tensors", "fp8_channel"): "weight 256x520 F8_E4M3, weight_scale 256x1 the, input_scale 1 F32",
    ("compressed-tensors", "fp8_tensor"): "weight 256x520 F8_E4M3, weight_scale 1 the, input_scale 1 F32",
    ("compressed-tensors", "fp8_128x128"): "weight 256x520 F8_E4M3, weight_scale 2x5 the, input_scale 1 F32",
    ("compressed-tensors", "int8_channel"): "weight 256x520 I8, weight_scale 256x1 the, input_scale 1 F32",
    ("modelopt", "nvfp4"): "weight 256x260 U8, weight_scale 256x33 F8_E4M3, weight_scale_2 - F32, input_scale - F32",
    ("modelopt", "mxfp4"): "weight 256x260 U8, weight_scale 256x17 U8, input_scale - F32",
    ("modelopt", "fp8_tensor"): "weight 256x520 F8_E4M3, weight_scale - F32, input_scale - F32",
    ("modelopt", "mxfp8_e4m3"): "weight 256x520 F8_E4M3, weight_scale 256x17 U8, input_scale - F32",
    ("gptq", "int4_gptq"): "qweight 65x256 I32, qzeros 5x32 I32, scales 5x256 F16, g_idx 520 I32",
    ("awq", "int4_awq"): "qweight 520x32 I32, qzeros 5x32 I32, scales 5x256 F16",
    ("bitsandbytes", "nf4"): "weight 66560x1 U8, absmax 2080 F32, quant_map 16 F32",
    ("bitsandbytes", "nf4_dq"):
        "weight 66560x1 U8, absmax 2080 U8, quant_map 16 F32, nested_absmax 9 F32, nested_quant_map 256 F32",
    ("bitsandbytes", "int8_channel"): "weight 256x520 I8, SCB 256 F32",
    ("fbgemm_fp8", "fp8_channel"): "weight 256x520 F8_E4M3, weight_scale 256x1 F32",
}  # fmt: skip
SCALES = ("weight_scale", "weight_scale_inv", "weight_scale_2", "scale", "_scales", "scales", "absmax", "SCB",
          "nested_absmax")  # fmt: skip


def row_of(one) -> str:
    """One tensor as the table has it."""
    end = one.name.removeprefix("a.b").removeprefix(".").removeprefix("weight.")
    sides = "x".join(map(str, one.shape)) or "-"
    return f"{end} {sides} {one.dtype.split(' ')[0]}" + " divides" * one.does.startswith("divided")


@pytest.mark.parametrize(("tool", "row"), TENSORS, ids=" ".join)
def test_tensors_of_a_matrix_by_tool(tool, row):
    """Names, shapes and dtypes are the tool's own; what multiplies are scales, and nothing else does."""
    found, source = expected_tensors(tool, row, "a.b.weight", (256, 520), static=True)
    assert ", ".join(map(row_of, found)) == TENSORS[tool, row] and source
    multiplies = {row_of(one).split(" ")[0] for one in found if one.does.startswith("multiplied")}
    assert multiplies == {row_of(one).split(" ")[0] for one in found} & set(SCALES)


@pytest.mark.parametrize(("tool", "row"), [key for key in TENSORS if key[0] not in ("gptq", "awq", "bitsandbytes")])
def test_stacked_experts_have_their_number_in_front(tool, row):
    """Of every tensor; a scale of a whole tensor is one of each expert."""
    alone, stacked = (
        expected_tensors(tool, row, "a.b.weight", (*lead, 256, 520), static=True)[0] for lead in ((), (8,))
    )
    assert [one.shape for one in stacked] == [(8, *one.shape) for one in alone]


@pytest.mark.parametrize(("tool", "row"), [key for key in TENSORS if "activation" in TENSORS[key] or "input_scale" in
                                           TENSORS[key]])  # fmt: skip
def test_activations_have_a_stored_scale_where_it_is_static(tool, row):
    """Measured beforehand, it is one tensor more; otherwise there is none."""
    (fixed, _), (live, _) = (
        expected_tensors(tool, row, "a.b.weight", (256, 520), static=static) for static in (True, False)
    )
    assert fixed[:-1] == live and fixed[-1].does == "scale of the input activations"


@pytest.mark.parametrize(("tool", "row", "group", "sides"), [
    ("compressed-tensors", "int4_g128", 64, (256, 9)), ("compressed-tensors", "int4_g128", 0, (256, 5)),
    ("modelopt", "nvfp4", 32, (256, 17)), ("fp8", "fp8_128x128", 64, (2, 5)),
    ("compressed-tensors", "fp8_channel", 64, (256, 1)), ("gptq", "int4_gptq", 64, (9, 32)),
])  # fmt: skip
def test_a_group_of_the_config_comes_before_the_rows_own(tool, row, group, sides):
    """Along the input, where scales are by group; blocks with two sides and whole rows stay as they are."""
    assert expected_tensors(tool, row, "a.weight", (256, 520), group)[0][1].shape == sides


def test_deepseek_v4_names_its_scales_in_its_own_files():
    """A name that begins with its layers has `.scale`, without the note on an inverse; any other `_scale_inv`."""
    own, theirs = (expected_tensors("fp8", "fp8_128x128", f"{front}layers.3.up.weight", (256, 512))[0][1]
                   for front in ("", "model."))  # fmt: skip
    assert (own.name, own.note) == ("layers.3.up.scale", "")
    assert theirs.name == "model.layers.3.up.weight_scale_inv" and "inverse" in theirs.note


@pytest.mark.parametrize("asked", [("nobody", "nvfp4", (256, 512)), ("fp8", "no row", (256, 512)),
                                   ("gptq", "uint3 1x128 float16 zero=3 column=32", (256, 512)),
                                   ("fp8", "fp8_tensor", (512,)), ("fp8", "fp8_tensor", ())])  # fmt: skip
def test_what_is_not_known_has_no_tensors(asked):
    """A tool, a row, a vector: nothing is said."""
    tool, row, shape = asked
    assert expected_tensors(tool, row, "a.weight", shape) == ([], "")


def test_a_matrix_of_two_sides_is_enough():
    """Rows and columns, one of them a single number."""
    assert [one.shape for one in expected_tensors("fp8", "fp8_128x128", "a.weight", (1, 1))[0]] == [(1, 1), (1, 1)]
