"""The matrix page's numbers: the picture's, an independent script's, those of its own files, and JavaScript's."""

from __future__ import annotations

import base64
import json
import struct
from functools import cache

import ml_dtypes
import numpy as np
import pytest
from pytest import approx

from cutaway import explainers
from cutaway.explainers.matrix import measure, rows, weights
from tests import bundled
from tests.explainers import matrix_alone as alone

reference, data = explainers.reference("matrix"), explainers.data("matrix")

# The design's picture, seed 20: weights, rotated first, and what comes out of 256 inputs, the loud one thirty-fold.
PICTURE = {
    "fp4_tensor": (1.38, 9.47, 14.97), "fp4_row": (12.10, 18.28, 29.96), "fp4_128": (10.40, 15.27, 18.65),
    "fp4_32": (19.72, 19.85, 37.27), "mxfp4_floor": (17.86, 18.82, 17.44), "mxfp4_rceil": (17.50, 18.75, 19.38),
    "mxfp4_even": (18.04, 19.07, 19.39), "nvfp4": (20.60, 20.35, 30.54), "nvfp4_46": (21.20, 21.19, 31.01),
    "int4_g128": (15.17, 19.09, 23.32), "nf4": (19.34, 20.72, 37.10), "q4_0": (19.39, 21.63, 37.71),
    "q4_k": (21.88, 23.18, 39.53), "fp8_tensor": (31.50, 31.54, 31.34), "fp8_128": (31.56, 31.53, 31.73),
    "q8_0": (43.31, 45.75, 61.53),
}  # fmt: skip


@cache
def matrix() -> tuple[np.ndarray, np.ndarray]:
    return alone.drawn()


def values_of(name: str, x: np.ndarray) -> np.ndarray:
    """What comes back by the script; of Q4_K, which is ggml's own search, by the quantizer that equals ggml."""
    made = alone.SCHEMES.get(name)
    return made(x) if made else weights.store(rows.COSTED[name], x.astype(np.float32)).values.astype(float)


@pytest.mark.whole
def test_the_numbers_are_the_pictures_and_an_independent_scripts(verified):
    """Sixteen rows of the picture, from its seed by a script without our code, to 0.05 dB; and so the page's own."""
    w, inputs = matrix()
    loud = inputs.copy()
    loud[300] *= 30
    signal, heard = w @ inputs, w @ loud
    page = {row["name"]: row for row in reference.compute({**reference.STATE, "loud": 30}, data)["rows"]}
    ends = np.ones(1024)
    ends[300] = 30
    off = []
    for name, (plain, rotated, out) in PICTURE.items():
        error = values_of(name, w) - w
        mixed = alone.turned(w)
        turned = alone.turned(values_of(name, mixed) - mixed, back=True)
        mine = alone.decibels(w, error), alone.decibels(w, turned), alone.decibels(heard, error @ loud)
        off += [abs(a - b) for a, b in zip(mine, (plain, rotated, out), strict=True)]
        off += [abs(page[name]["weights"] - mine[0]), abs(page[name]["rotated"] - mine[1])]
        off += [abs(page[name]["out"] - alone.decibels(w * ends, error * ends))]
    assert signal.shape == heard.shape == (1024, 256)
    assert max(off) < 0.05, off
    verified("matrix: decibels of the design's picture", len(off), sum(one >= 0.05 for one in off), "numpy, ml_dtypes")


@pytest.mark.whole
def test_a_part_of_the_results_is_measured_again():
    """Of another seed and of the drawing, a few schemes are what results.json holds; so is a map."""
    for source, names in (("23", ("nvfp4", "int4_g128")), ("picture", ("q4_k", "iq4_nl", "mxfp6"))):
        given = measure.weights_of(source)
        assert data["sources"][source]["signal"] == measure.energy(given.plain, given.loud)
        assert {name: measure.measured(name, given) for name in names} == {
            name: data["sources"][source][name] for name in names
        }
    for name, turned in (("mxfp4_floor", True), ("fp4_tensor", False)):  # the second has cells beyond the scale's end
        error = weights.errors(name, weights.matrix(20).plain, turned)[0]
        assert data["maps"][name][turned] == measure.small_map(error)


def test_every_moral_holds_on_all_six_matrices():
    """For each seed: NVFP4 loses by a rotation, FP8 gains nothing from tiles, MXFP4 little from a ceiling."""
    for seed in reference.SEEDS:
        quiet, loud = (reference.compute({**reference.STATE, "seed": seed, "loud": times}, data) for times in (1, 30))
        assert (
            quiet["turns"]["nvfp4"]["here"] < 0 < min(quiet["turns"][name]["here"] for name in ("mxfp4_floor", "q4_k"))
        )
        assert abs(quiet["gaps"]["fp8"]["here"]) < 0.3
        assert loud["gaps"]["rceil"]["here"] < 2.2 < 20 < loud["gaps"]["fp32"]["here"]
        assert loud["gaps"]["q4_k"]["here"] > 22


def test_loudness_one_is_the_error_of_the_weights():
    """Where all inputs are equally large, what comes out errs as the weights do."""
    now = reference.compute(reference.STATE, data)
    assert [row["weights"] for row in now["rows"]] == [row["out"] for row in now["rows"]]


# ---------------------------------------------------------------- JavaScript


def digest(array: np.ndarray) -> list[int]:
    """Two weighted sums of the bits of float32 numbers, modulo 2^32."""
    words = np.ascontiguousarray(array, np.float32).reshape(-1).view(np.uint32)
    i = np.arange(len(words), dtype=np.uint32)
    with np.errstate(over="ignore"):
        first = (words * (i * np.uint32(2) + np.uint32(1))).sum(dtype=np.uint32)
        other = ((words ^ words >> 15) * (i * np.uint32(0x9E3779B1) | np.uint32(1))).sum(dtype=np.uint32)
    return [int(first), int(other)]


SUMS = """const sums = (a) => {
  const words = new Uint32Array(a.buffer, a.byteOffset, a.length);
  let [first, other] = [0, 0];
  for (let i = 0; i < words.length; i += 1) {
    first = (first + Math.imul(words[i], 2 * i + 1)) >>> 0;
    other = (other + Math.imul(words[i] ^ (words[i] >>> 15), Math.imul(i, 0x9e3779b1) | 1)) >>> 0;
  }
  return [first, other]; };"""
MATRICES = f"""([seeds, data]) => {{ {SUMS}
  const found = {{}};
  for (const seed of seeds) found[seed] = sums(loaded.matrix_of(seed, data.made).plain);
  found.picture = sums(loaded.drawing_of(data.made).plain);
  return found; }}"""
STORED = f"""([side, data]) => {{ {SUMS}
  const matrix = {{ ...loaded.matrix_of(20, data.made), rows: side }};
  matrix.plain = matrix.plain.slice(0, side * 1024);
  const found = [];
  for (const scheme of data.schemes) for (const turned of [false, true]) {{
    const work = loaded.store(matrix, scheme, data, turned);
    let step = work.next();
    while (!step.done) step = work.next();
    const {{ total }} = loaded.sums_of(matrix, step.value, turned, data);
    found.push([scheme.name, turned, sums(step.value.values), sums(step.value.scale), total]);
  }}
  return found; }}"""


def test_a_seed_means_the_same_matrix_in_the_browser(blank, verified):
    """Six matrices of a million weights and the drawing: every float32 is numpy's."""
    page = blank(bundled.explainer("matrix"))
    theirs = page.evaluate(MATRICES, [list(reference.SEEDS), data])
    mine = {str(seed): digest(weights.matrix(seed).plain) for seed in reference.SEEDS}
    mine["picture"] = digest(weights.picture().plain)
    wrong = [name for name, one in mine.items() if theirs.get(name) != one]
    verified("matrix: weights made in the browser", 6 * 2**20 + 2**16, len(wrong), "numpy.random.default_rng")
    assert set(mine) == set(theirs)


def test_every_scheme_stores_the_same_numbers_in_the_browser(blank, verified):
    """128 rows of the matrix under all schemes, plain and rotated: the values, scales and sums of Python."""
    side = 128
    page = blank(bundled.explainer("matrix"))
    plain = weights.matrix(20).plain[:side]
    wrong = []
    for name, turned, values, scale, total in page.evaluate(STORED, [side, data]):
        given = weights.rotated(plain) if turned else plain
        made = weights.store(rows.COSTED[name], given)
        wrong += [(name, turned)] if [values, scale] != [digest(made.values), digest(made.scale)] else []
        error, zeros, _ = weights.errors(name, plain, turned)
        mine = [(error**2).sum(), (error[:, weights.OUTLIER] ** 2).sum(), zeros.mean()]
        assert total == approx(mine, rel=1e-9), name
    assert wrong == []
    verified("matrix: weights quantized in the browser", 40 * side * 1024, len(wrong), "the Python reference")


# ---------------------------------------------------------------- files


def safetensors(tensors: dict[str, dict], body: bytes = b"", length: int | None = None) -> bytes:
    """A file of a header and a body."""
    header = json.dumps(tensors).encode()
    return struct.pack("<Q", len(header) if length is None else length) + header + body


def tensor(dtype: str, shape: list, size: int, at: int = 0) -> dict:
    return {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}


def npy(array: np.ndarray) -> bytes:
    from io import BytesIO

    out = BytesIO()
    np.save(out, array)
    return out.getvalue()


READ = """async (files) => {
  const read = async ([name, text]) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const file = new File([bytes], name);
    try {
      const [first] = await loaded.tensors_of(file);
      const { rows, columns, loud, plain } = await loaded.slice_of(file, first);
      return { rows, columns, loud, plain: Array.from(plain) };
    } catch (wrong) { return wrong instanceof loaded.FileError ? wrong.message : `crash: ${wrong.stack}`; }
  };
  return JSON.stringify(await Promise.all(files.map(read))); }"""


def read_files(blank, files: list[tuple[str, bytes]]) -> list:
    given = [(name, base64.b64encode(body).decode()) for name, body in files]
    return json.loads(blank(bundled.explainer("matrix")).evaluate(READ, given))


def test_tensors_of_every_dtype_are_read(blank):
    """F32, F16, BF16, F8_E4M3 and F64 of a safetensors file, and of .npy: numpy's numbers, from the corner on."""
    rng = np.random.default_rng(5)
    x = (rng.standard_normal((3, 600)) * 0.1).astype(np.float32)
    x[1, 70] = 5
    kinds = {"F32": np.float32, "F16": np.float16, "BF16": ml_dtypes.bfloat16, "F8_E4M3": ml_dtypes.float8_e4m3fn}
    kinds["F64"] = np.float64
    files = []
    for dtype, kind in kinds.items():
        body = x.astype(kind).tobytes()
        files.append((f"{dtype}.safetensors", safetensors({"w": tensor(dtype, [3, 600], len(body))}, body)))
    files += [(f"{kind.__name__}.npy", npy(x.astype(kind))) for kind in (np.float32, np.float16, np.float64)]
    wide = (rng.standard_normal((2, 9000)) * 0.1).astype(np.float32)
    files.append(("wide.npy", npy(wide)))
    found = read_files(blank, files)
    for kind, one in zip([*kinds.values(), np.float32, np.float16, np.float64], found[:-1], strict=True):
        assert (one["rows"], one["columns"], one["loud"]) == (3, 512, 70)
        assert one["plain"] == x[:, :512].astype(kind).astype(np.float32).reshape(-1).tolist()
    assert (found[-1]["rows"], found[-1]["columns"]) == (2, 1024)
    assert found[-1]["plain"] == wide[:, :1024].reshape(-1).tolist()


ONE = np.ones((2, 256), np.float32)


def lies(given: object, body: bytes = ONE.tobytes()) -> bytes:
    """A file whose one tensor is said to be `given`."""
    return safetensors({"w": given}, body)  # type: ignore[dict-item]


def refused(blank, cases: list[tuple[bytes, str]]) -> list:
    """The files whose sentence lacks the words that are expected."""
    found = read_files(blank, [(f"{i}<b>.safetensors", body) for i, (body, _) in enumerate(cases)])
    return [
        (i, words, got) for i, ((_, words), got) in enumerate(zip(cases, found, strict=True)) if words not in str(got)
    ]


def test_a_file_of_no_weights_gets_a_sentence(blank):
    """What has no header, or none of tensors: one sentence each, no crash."""
    cases = [
        (b"", "holds 0 bytes"),
        (b"short", "holds 5 bytes"),
        (b"PK\x03\x04" + bytes(60), "not the length of a header"),
        (struct.pack("<Q", 2**62) + bytes(60), "not the length of a header"),
        (struct.pack("<Q", 50) + b"{" + bytes(60), "not JSON"),
        (struct.pack("<Q", 4) + b"\xff\xfe\xfd\xfc" + bytes(60), "not JSON"),
        (struct.pack("<Q", 2) + b"[]" + bytes(60), "not an object"),
        (struct.pack("<Q", 4) + b"null" + bytes(60), "not an object"),
        (safetensors({"__metadata__": {}}), "holds no tensors"),
    ]
    assert refused(blank, cases) == []


def test_a_hostile_file_gets_a_sentence(blank):
    """What lies about its sizes, or holds what no scheme stores: one sentence each, no crash."""
    bad = ONE.copy()
    bad[1, 3] = np.nan
    size = ONE.nbytes
    cases = [
        (lies(None), "no shape or no offsets"),
        (lies({"dtype": "F32", "shape": "2x256", "data_offsets": [0, size]}), "no shape or no offsets"),
        (lies({"dtype": "F32", "shape": [2, -256], "data_offsets": [0, size]}), "no shape or no offsets"),
        (lies({"dtype": "F32", "shape": [2, 1e300], "data_offsets": [0, size]}), "no shape or no offsets"),
        (lies(tensor("I64", [2, 256], size)), "is I64; F32"),
        (lies(tensor("toString", [2, 256], size)), "is toString; F32"),
        (lies(tensor("F32", [512], size)), "has 1 dimensions"),
        (lies(tensor("F32", [4, 128], size)), "at least 256 columns"),
        (lies(tensor("F32", [0, 256], 0)), "at least 256 columns"),
        (lies(tensor("F32", [2, 256], size - 4)), "do not fit its shape"),
        (lies(tensor("F32", [2, 256], size, at=8)), "beyond the end of the file"),
        (lies(tensor("F32", [2, 256], size), bad.tobytes()), "NaN or an infinity at row 1, column 3"),
        (lies(tensor("F32", [2, 256], size), bytes(size)), "all zeros"),
        (npy(np.ones((2, 256), np.int32)), "holds <i4"),
        (npy(np.asfortranarray(np.ones((2, 256), np.float32))), "column by column"),
        (npy(np.ones((2, 3, 256), np.float32)), "has 3 dimensions"),
        (npy(ONE)[:-40], "beyond the end"),
        (b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**31) + bytes(20), "longer than the file"),
    ]
    assert refused(blank, cases) == []


OF_NUMPY = "{{'descr': '<f4', 'fortran_order': False, 'shape': {}}}"


def with_one(value: float) -> bytes:
    """2 x 256 doubles of which one is `value`."""
    made = np.ones((2, 256))
    made[1, 3] = value
    return made.tobytes()


def numpy_file(text: str, version: bytes = b"\x01\x00") -> bytes:
    """A .npy file of 512 ones whose header is this text."""
    return b"\x93NUMPY" + version + struct.pack("<H", len(text)) + text.encode() + ONE.tobytes()


def test_a_header_of_strange_values_gets_a_sentence(blank):
    """Types that are no words, three offsets, products above 2^53, and .npy headers that numpy never writes."""
    place = {"shape": [2, 256], "data_offsets": [0, 2048]}
    cases = [
        (lies({"dtype": {"toString": 1}, **place}), "is of no known type"),
        (lies({"dtype": ["F32"], **place}), "is of no known type"),
        (lies({"dtype": "F32", **place, "data_offsets": [0, 2048, 4096]}), "do not fit its shape"),
        (lies({"dtype": "F32", **place, "data_offsets": [2048, 0]}), "do not fit its shape"),
        (lies({"dtype": "F32", **place, "data_offsets": [-2048, 0]}), "no shape or no offsets"),
        (lies({"dtype": "F32", "shape": [2**40, 2**40], "data_offsets": [0, 2**52]}), "do not fit its shape"),
        (numpy_file("{'descr' :'<f4','fortran_order' :True,'shape' :(2,256)}"), "column by column"),
        (numpy_file("{'descr': 'constructor', 'fortran_order': False, 'shape': (2, 256)}"), "holds constructor"),
        (npy(ONE.astype(">f4")), "holds >f4"),
        (npy(np.float32(1)), "has 0 dimensions"),
        (numpy_file(OF_NUMPY.format("(9007199254740992, 256)")), "9007199254740992 × 256 numbers: no file is so large"),
        (numpy_file(OF_NUMPY.format("(" + "9" * 400 + ", 256)")), "numbers: no file is so large"),
        (numpy_file(OF_NUMPY.format("(0, 256)")), "at least 256 columns"),
        (numpy_file(OF_NUMPY.format("(2, 256)"), b"\x00\x00"), "of version 0.0; versions 1.0, 2.0 and 3.0"),
        (numpy_file(OF_NUMPY.format("(2, 256)"), b"\x01\x01"), "of version 1.1; versions"),
        (numpy_file(OF_NUMPY.format("(2, 256)"), b"\x04\x00"), "of version 4.0; versions"),
        (lies(tensor("F64", [2, 256], 4096), with_one(1e300)), "has 1e+300 at row 1, column 3, too large for float32"),
        (lies(tensor("F64", [2, 256], 4096), with_one(-3.5e38)), "has -3.5e+38 at row 1, column 3, too large"),
        (lies(tensor("F64", [2, 256], 4096), with_one(np.inf)), "NaN or an infinity at row 1, column 3"),
    ]
    assert refused(blank, cases) == []
