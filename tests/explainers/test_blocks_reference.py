"""What the blocks page says about its numbers: packing, samples, claims in the words, refusals."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers.blocks import codec
from tests.explainers import expected

reference = explainers.reference("blocks")
GOLDEN = json.loads((Path(__file__).parents[1] / "oracle" / "block_vectors.json").read_text())


def golden(tool: str, scheme: str, key: str) -> np.ndarray:
    """The bytes a tool recorded."""
    row = next(r for r in GOLDEN["rows"] if (r["tool"], r["scheme"]) == (tool, scheme))
    return np.frombuffer(base64.b64decode(row[key]), np.uint8)


def test_gguf_bytes():
    """The bytes shown for Q4_0, scale first, are the 18 that gguf writes."""
    raw = golden("gguf", "q4_0", "bytes").reshape(-1, 18)
    for block in raw:
        codes = [*(block[2:] & 15).tolist(), *(block[2:] >> 4).tolist()]
        shown = reference.pack_elements("q4_0", "halves", codes)["bytes"]
        assert block[2:].tolist() == shown
        made = codec.quantize("q4_0", np.zeros((1, 32)))._replace(scale_code=block[:2].view("<u2")[None])
        assert block[:2].tolist() == reference.scale_bytes("q4_0", made, 0)


@pytest.mark.parametrize("scheme", list(reference.SIZE))
def test_every_bit_of_every_code_is_in_the_bytes(scheme):
    """Reading the pieces back, from the high bits of each byte down, gives the codes; no bit is used twice."""
    bits = explainers.data("blocks")["schemes"][list(reference.SIZE).index(scheme)]["bits"]
    codes = np.random.default_rng(3).integers(0, 2**bits, reference.SHOWN[scheme]).tolist()
    for packing in ("stream", "halves"):
        made = reference.pack_elements(scheme, packing, codes)
        found, filled = [0] * len(codes), [0] * len(codes)
        for byte, pieces in zip(made["bytes"], made["pieces"], strict=True):
            low = 4 if made["packing"] == "paired" else 0  # below it a nibble of another group
            for i, taken in reversed(pieces):
                found[i] |= (byte >> low & (2**taken - 1)) << filled[i]
                filled[i] += taken
                low += taken
            assert low <= 8
        assert codes == found


def test_fp6_bytes_are_little_endian_groups_of_four():
    """Four codes a, b, c, d make the word a | b << 6 | c << 12 | d << 18, low byte first (compressed-tensors)."""
    codes = [0x21, 0x3F, 0x02, 0x15] * 8
    word = 0x21 | 0x3F << 6 | 0x02 << 12 | 0x15 << 18
    assert [word & 255, word >> 8 & 255, word >> 16] * 8 == reference.pack_elements("mxfp6_e2m3", "stream", codes)[
        "bytes"
    ]


def test_the_words_about_the_rules_hold():
    """On bell-shaped blocks even has the least error for MXFP4, floor and rceil are alike;
    for MXFP8 E4M3 rceil has, which never clips."""
    survey = reference.survey()
    least = {s: min(survey[s]["bell"], key=lambda rule: survey[s]["bell"][rule][1]) for s in survey}
    assert least["mxfp4"] == "even"
    assert survey["mxfp8_e4m3"]["bell"]["rceil"][1] == min(v[1] for v in survey["mxfp8_e4m3"]["bell"].values())
    floor, rceil, even = (survey["mxfp4"]["bell"][rule][1] for rule in ("floor", "rceil", "even"))
    assert even < 0.97 * min(floor, rceil)
    assert 0.97 < floor / rceil < 1.03  # alike: a true Gaussian has them the other way round
    x = np.random.default_rng(0).standard_normal((20_000, 32)).astype(np.float32)
    true = {rule: np.mean((codec.quantize("mxfp4", x, rule).values.astype(float) - x) ** 2) for rule in codec.RULES}
    assert true["even"] < 0.97 * true["floor"] < true["floor"] < true["rceil"] < 1.03 * true["floor"]
    assert 0.35 < survey["mxfp4"]["heavy"]["floor"][0] < 0.42
    assert {cell[rule][0] for kinds in survey.values() for cell in kinds.values() for rule in ("ceil", "rceil")} == {
        0.0
    }


def seen(**changes) -> dict:
    return reference.compute({**reference.STATE, **changes}, reference.data())


def test_gguf_order_shows_gguf_codes():
    """Chosen GGUF, no byte holds a -0 and a tie goes down; in torchao's order both stay as they were."""
    edits = {"0": 0.375, "1": -0.01, "2": 4.0}  # at scale 1/2 a tie, and what becomes -0
    theirs, ours = (seen(packing=packing, edits=edits) for packing in ("halves", "stream"))
    assert [theirs[key][:2] for key in ("codes", "dequantized")] != [ours[key][:2] for key in ("codes", "dequantized")]
    assert 8 in ours["codes"]
    assert 8 not in theirs["codes"]
    assert theirs["lab"][0]["mse"] == theirs["mse"]


def test_damage_is_told_relative_to_each_number():
    """At x 32 the mean relative error and the zeros stand beside those of the block before anything was changed."""
    still, out = seen(), seen(outlier=32.0)
    assert (still["before"], still["zeros"]) == ({"dequantized": [], "zeros": 6, "off": still["off"]}, 6)
    assert (out["zeros"], out["before"]["zeros"], out["before"]["off"]) == (25, 6, still["off"])
    assert out["before"]["dequantized"] == still["dequantized"]
    assert out["off"] == pytest.approx(np.mean([abs(e / v) for e, v in zip(out["errors"], out["values"], strict=True)]))
    assert out["off"] > 0.85


def test_a_nan_takes_the_whole_block():
    """Under MX the scale is 0xFF and every number comes back NaN; where it was not measured it is refused."""
    out = seen(edits={"3": "NaN"})
    assert (out["scale"], out["scale_code"], out["mse"], out["off"], out["zeros"]) == ("NaN", 255, "NaN", "NaN", 0)
    assert set(out["dequantized"]) == {"NaN"}
    assert [row["best"] for row in out["lab"]] == [""] * 4
    assert "only for the MX schemes" in reference.check({**reference.STATE, "scheme": "nf4", "edits": {"3": "NaN"}})


def test_the_least_error_is_one_card_or_says_with_whom():
    """ "least error" stands on one card; where several share it, each names the others."""
    assert [row["best"] for row in seen()["lab"]] == ["least error", "", "", ""]
    shared = [row["best"] for row in seen(edits={"24": 3.0})["lab"]]
    assert shared == ["least, like rceil, even", "", "least, like floor, even", "least, like floor, rceil"]


def test_the_smallest_scales_of_nvfp4_are_told():
    """The note says where torchao's smallest block scale differs from ModelOpt's, which is the one played here."""
    assert (
        "The smallest block scale is 2⁻⁹ in ModelOpt and here, 2⁻⁶ in torchao" in seen(scheme="nvfp4")["said"]["note"]
    )
    zeros = {str(i): 0.0 for i in range(16)}
    assert seen(scheme="nvfp4", edits=zeros)["scale_code"] == 0x38  # 1, as ModelOpt stores it
    assert seen(scheme="nvfp4", edits={**zeros, "3": 1e-9})["scale_code"] == 1  # 2^-9


def test_awq_bytes_show_the_nibble_of_their_column():
    """Each byte of an AWQ group is another column's nibble, unknown, and the code of column 0."""
    out = seen(scheme="int4_awq")
    assert out["said"]["bytes"] == [f"·{code:X}" for code in out["codes"]]


def test_the_bell_is_a_bell():
    """A long sample has mean 0, deviation 1 and a kurtosis near 3; the other has heavier tails."""
    bell, heavy = (reference.sample(kind, 5, 100_000) for kind in ("bell", "heavy"))
    assert bell.mean() == pytest.approx(0, abs=0.02)
    assert bell.std() == pytest.approx(1, abs=0.02)
    assert 2.6 < np.mean(bell**4) / np.mean(bell**2) ** 2 < 3.1
    assert np.abs(heavy).max() > 3 * np.abs(bell).max()


def test_the_first_block_tells_the_story():
    """What the page opens with: floor clips the largest number, the other three rules do not, and floor still wins."""
    out = reference.compute(reference.STATE, reference.data())
    assert [r["clipped_count"] for r in out["lab"]] == [1, 0, 0, 0]
    assert min(out["lab"], key=lambda r: r["mse"])["rule"] == "floor"


def test_the_words_of_the_beats_hold():
    """What the beats say without a number of compute's in it is true of the block they stand beside."""
    four, eight, pulled = (seen(outlier=times) for times in (4.0, 8.0, 32.0))
    assert (four["scale"], four["peak"], four["dequantized"][6:]) == (0.5, 24, seen()["dequantized"][6:])
    assert (eight["scale"], eight["peak"]) == (1.0, 5)
    assert (pulled["dequantized"][5], pulled["values"][5]) == (-24.0, -24.0)
    assert not any(value == 0 for value in seen()["values"])
    rules = {row["rule"]: row for row in seen()["lab"]}
    assert (rules["floor"]["clipped"], rules["rceil"]["clipped"], rules["even"]["clipped"]) == ([24], [], [])
    assert rules["rceil"]["scale"] == 2 * rules["floor"]["scale"]
    shares = [seen(scheme=name)["cost"]["shares"][1] for name in ("mxfp4", "nvfp4", "fp8_128x128")]
    assert (shares[1], shares[2] < 0.01) == (2 * shares[0], True)


def test_the_answers_of_the_beats():
    """The bets' answers by a second route, straight from the definition of the codes."""
    sizes = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    middles = (sizes[1:] + sizes[:-1]) / 2

    def lost(x: np.ndarray, scale: float) -> int:
        return int((np.abs(x / scale) <= middles[0]).sum())

    x = np.array(seen()["values"])
    pulled = np.where(np.arange(32) == 5, 32 * x, x)
    power = 2.0 ** (np.floor(np.log2(np.abs(x).max())) - 2), 2.0 ** (np.floor(np.log2(np.abs(pulled).max())) - 2)
    assert (lost(x, power[0]), lost(pulled, power[1])) == (6, 25)
    tensor = np.abs(pulled).max() / 2688
    blocks = [pulled[:16], pulled[16:]]
    scales = [float(np.float32(np.abs(b).max() / 6 / tensor).astype(codec.E4M3)) * tensor for b in blocks]
    assert [lost(b, s) for b, s in zip(blocks, scales, strict=True)] == [12, 3]
    beats = expected.answers("blocks")
    state = {**reference.STATE, "scheme": "nvfp4", "outlier": 32.0}
    assert (seen(scheme="nvfp4", outlier=32.0)["zeros"], beats["next_zeros"](state, reference.data())) == (12, 3)
    assert beats["least_rule"](reference.STATE, reference.data()) == 0


def test_cases_are_legal():
    """Every shared case passes the check it shares."""
    assert {reference.check(case) for case in reference.cases()} == {""}


def test_torchao_is_named_with_the_rule_that_its_configs_take():
    """torchao 0.18.0: MXDynamicActivationMXWeightConfig.scaling_mode is RCEIL; to_mx alone falls back to FLOOR."""
    from cutaway.explainers.blocks.rows import RULES

    named = {rule["name"]: rule["who"] for rule in RULES}
    assert "torchao’s configs" in named["rceil"]
    assert "torchao’s to_mx by default" in named["floor"]
    assert not any("torchao’s default" in who for who in named.values())


@pytest.mark.parametrize(("many", "legal"), [(0, False), (1, True), (256, True), (257, False)])
def test_numbers_of_ones_own_are_one_to_256(many, legal):
    """As many as the sentence says are taken; where another sample is chosen, there may be none."""
    own = {**reference.STATE, "own": [1.5] * many}
    said = "Your own numbers are 1 to 256 numbers from -10,000 to 10,000."
    assert reference.check({**own, "sample": "own"}) == ("" if legal else said)
    assert reference.check(own) == ("" if many <= 256 else said)
