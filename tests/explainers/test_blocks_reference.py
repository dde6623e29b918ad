"""What the blocks page says about its numbers: packing, samples, claims in the words, refusals."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest

import explainers

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
        shown = reference.packed("q4_0", "halves", codes)["bytes"]
        assert block[2:].tolist() == shown
        assert block[:2].tolist() == reference.scale_bytes("q4_0", int(block[:2].view("<u2")[0]))


@pytest.mark.parametrize("scheme", list(reference.SIZE))
def test_every_bit_of_every_code_is_in_the_bytes(scheme):
    """Reading the pieces back, from the high bits of each byte down, gives the codes; no bit is used twice."""
    bits = explainers.data("blocks")["schemes"][list(reference.SIZE).index(scheme)]["bits"]
    codes = np.random.default_rng(3).integers(0, 2**bits, reference.SHOWN[scheme]).tolist()
    for packing in ("stream", "halves"):
        made = reference.packed(scheme, packing, codes)
        found, filled = [0] * len(codes), [0] * len(codes)
        for byte, pieces in zip(made["bytes"], made["pieces"], strict=True):
            low = 0
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
    assert [word & 255, word >> 8 & 255, word >> 16] * 8 == reference.packed("mxfp6_e2m3", "stream", codes)["bytes"]


def test_the_words_about_the_rules_hold():
    """On bell-shaped blocks even has the least error for MXFP4 and rceil for MXFP8 E4M3; floor clips, rceil never."""
    survey = reference.survey()
    least = {s: min(survey[s]["bell"], key=lambda rule: survey[s]["bell"][rule][1]) for s in survey}
    assert least["mxfp4"] == "even"
    assert survey["mxfp8_e4m3"]["bell"]["rceil"][1] == min(v[1] for v in survey["mxfp8_e4m3"]["bell"].values())
    assert 0.35 < survey["mxfp4"]["heavy"]["floor"][0] < 0.42
    assert {cell[rule][0] for kinds in survey.values() for cell in kinds.values() for rule in ("ceil", "rceil")} == {
        0.0
    }


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


def test_cases_are_legal():
    """Every shared case passes the check it shares."""
    assert {reference.check(case) for case in reference.cases()} == {""}
