"""quantization_config in words: what each key says, what is not known, what a strange value does."""

import pytest

from cutaway.gallery.reading.quantization import SILENT
from cutaway.gallery.reading.quantization_words import SAYS, decode_keys, short_value


def test_an_unknown_key_is_named_and_nothing_is_concluded():
    """A config of tomorrow: what is new is said to be new; strange values do no harm."""
    raw = {"quant_method": "fp9", "weight_block_size": 7, "twist": {"a": 1}, "ignore": None, "config_groups": {"g": {}},
           "bits": ["x"] * 900, "fmt": {}, "activation_scheme": 3, "exllama_config": {"version": 1}}  # fmt: skip
    found = {one.key: one for one in decode_keys(raw, SILENT)}
    assert list(found) == list(raw)
    assert not found["twist"].known and "does not know" in found["twist"].words
    assert found["quant_method"].words == "a tool that Cutaway does not know"
    assert (found["twist"].value, found["config_groups"].value) == ("1 entry", "1 entry")
    assert (
        short_value({"a": 1, "b": 2}) == "2 entries"
        and short_value([1] * 5) == "5 entries"
        and short_value([128, 128]) == "[128, 128]"
    )
    assert found["exllama_config"].known and len(found["bits"].words) < 500
    assert decode_keys(None, SILENT) == decode_keys([1], SILENT) == []


CACHE = "the storage format of the KV cache; its scales: "
SENTENCES = [  # key, value, what it begins with
    ("weight_block_size", (128, 128), "each block of 128 × 128 elements of a matrix shares one scale"),
    ("weight_block_size", 32, "each block of 32 elements of a matrix shares one scale"),
    ("activation_scheme", "static", "activation scales are static: calibrated beforehand and stored"),
    ("activation_scheme", "dynamic", "activation scales are dynamic: computed at run time from the largest value"),
    ("ignore", ("lm_head",), "1 pattern of modules that are not quantized"),
    ("ignore", ["lm_head"] * 1200, "1,200 patterns of modules that are not quantized"),
    ("ignore", [], "no module is left out"),
    ("ignore", "lm_head", "no module is left out"),
    ("group_size", 64, "64 elements along the input dimension share one scale"),
    ("scale_fmt", "ue8m0", "scales are rounded up to powers of two"),
    ("scale_fmt", "fp32", "how scales are stored"),
    ("fmt", "E4M3", "E4M3: four exponent and three mantissa bits"),
    ("sym", True, "symmetric around zero: no zero points"),
    ("sym", False, "each group stores its own zero point"),
    ("zero_point", True, "each group stores its own zero point"),
    ("bits", 4, "weights have 4 bits"),
    ("w_bit", 4, "weights have 4 bits"),
    ("quant_algo", "NVFP4", "NVFP4: an FP8 scale per 16 elements, an FP32 scale per tensor"),
    ("quant_algo", "of tomorrow", "the scheme of the weights"),
    ("load_in_4bit", False, "not 4-bit"),
    ("moe_quant_algo", "x", "the scheme of the experts"),
    ("kv_cache_scheme", {"num_bits": 8, "type": "float", "dynamic": False}, CACHE + "a k_scale and a v_scale per layer "
     "where stored, not counted here"),
    ("kv_cache_scheme", {"num_bits": 8, "type": "float", "dynamic": True}, CACHE + "computed at run time"),
    ("kv_cache_quant_algo", "FP8", CACHE + "a k_scale and a v_scale per layer where stored, not counted here"),
    ("kv_cache_quant_algo", None, "the KV cache is not quantized"),
    ("config_groups", {}, "no group of modules"),
    ("config_groups", [1], "no group of modules"),
    ("config_groups", {"g": {}}, "modules: weights not quantized"),
    ("config_groups", {"g": {"targets": ["Linear", "a", "b", "c"],
                             "weights": {"num_bits": 4, "type": "int", "group_size": 32, "strategy": "group"}}},
     "Linear, a, b: weights in 4 bits (integer), one scale per 32 elements along the input"),
    ("config_groups", {"g": {"targets": ("x" * 50,), "weights": {"num_bits": 8, "type": "float", "group_size": None,
                                                                "strategy": "channel"}}, "h": 3, "i": {"weights": 1}},
     "x" * 40 + ": weights in 8 bits (floating point), one scale per row; modules: weights not quantized"),
    ("config_groups",
     {"g": {"weights": {"num_bits": True, "group_size": {"a": 1}, "type": ["int"], "strategy": "block"}}},
     "modules: weights, width not known, one scale per block"),
    ("config_groups", {str(n): {"weights": {"strategy": "tensor"}} for n in range(9)},
     "; ".join(["modules: weights, width not known, one scale per tensor"] * 8)[:400]),
]  # fmt: skip


@pytest.mark.parametrize(("key", "value", "words"), SENTENCES)
def test_a_key_in_a_sentence(key, value, words):
    """The sentence says what follows from the value."""
    (one,) = decode_keys({key: value}, SILENT)
    assert one.known and one.words.startswith(words) and (one.words == words or key == "config_groups")


@pytest.mark.parametrize(("value", "text"), [
    ({"a": 1}, "1 entry"), ({}, "0 entries"), ({"a": 1, "b": 2}, "2 entries"), ([128, 128], "[128, 128]"),
    ([1] * 4, "[1, 1, 1, 1]"), ([1] * 5, "5 entries"), ([1.5], "1 entries"), (["a"] * 1200, "1,200 entries"),
    ("plain", "'plain'"), (None, "None"), (True, "True"),
])  # fmt: skip
def test_a_value_fits_a_line(value, text):
    """Short ones as they are, long ones by how many there are."""
    assert short_value(value) == text


def test_so_many_keys_are_told_and_each_is_cut_short():
    """Sixty keys of sixty letters, four hundred letters a sentence."""
    found = decode_keys({f"{n:02}" + "k" * 70: 1 for n in range(61)}, SILENT)
    assert (len(found), {len(one.key) for one in found}) == (60, {60})
    (one,) = decode_keys({"config_groups": {str(n): {"targets": ["x" * 40] * 3} for n in range(8)}}, SILENT)
    assert len(one.words) == 400


def test_a_key_that_changes_nothing_says_so():
    """What reading passes over is known, and of no weight; of other keys nothing is concluded."""
    silent, new = decode_keys({"a": 1, "b": 2}, {"a"})
    assert (silent.known, silent.words) == (True, "this key does not affect how weights are stored")
    assert (new.known, new.words) == (False, "a key that Cutaway does not know or use")


def test_what_is_said_is_what_reading_knows():
    """Every key with a sentence is one that reading takes or passes over."""
    assert set(SAYS) <= SILENT
