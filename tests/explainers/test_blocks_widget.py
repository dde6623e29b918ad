"""The blocks widget's arithmetic, executed in Chromium, against the reference."""

import base64
import json
import os
import struct
from pathlib import Path

import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers.blocks import codec
from tests import bundled

reference = explainers.reference("blocks")
PER_SCHEME = int(os.environ.get("BLOCKS", 2_000))  # blocks of 32 numbers; BLOCKS=12000 goes over more


@pytest.fixture
def widget(page, tmp_path):
    """A page that has the module at window.w and the reference's data at window.data."""
    source = base64.b64encode(bundled.explainer("blocks").encode()).decode()
    page.goto("about:blank")
    page.evaluate(f"import('data:text/javascript;base64,{source}').then((w) => {{ window.w = w; }})")
    page.evaluate("(data) => { window.data = data; }", explainers.data("blocks"))
    return page


def bits(value) -> object:
    """Numbers as their float64 bits, so that -0 is not 0; everything else as it is."""
    if isinstance(value, str) and value.startswith("#"):
        return bits(float(value[1:]))
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {key: bits(v) for key, v in value.items()}
    if isinstance(value, list):
        return [bits(v) for v in value]
    return struct.pack("<d", value)


def leaves(value) -> int:
    """How many numbers and words a result holds."""
    if isinstance(value, dict):
        return sum(map(leaves, value.values()))
    return sum(map(leaves, value)) if isinstance(value, list) else 1


# As one text, which is carried ten times faster than values; numbers that JSON has not come as words.
COMPUTED = """(text) => JSON.stringify(JSON.parse(text).map((state) => w.compute(state, data)), (key, v) => {
  if (typeof v !== "number") return ArrayBuffer.isView(v) ? [...v] : v;
  return Object.is(v, -0) ? "#-0" : Number.isFinite(v) ? v : `#${v}`; })"""


def test_compute_equals_reference(widget, verified):
    """Every number that the page prints, over the shared cases, to the last bit."""
    checked, bad, data, cases = 0, 0, reference.data(), reference.cases()
    theirs = json.loads(widget.evaluate(COMPUTED, json.dumps(cases)))
    for case, actual in zip(cases, theirs, strict=True):
        expected = reference.compute(case, data)
        assert expected.keys() == actual.keys()
        differ = [key for key in expected if bits(expected[key]) != bits(actual[key])]
        assert differ == [], (case, differ)
        checked += leaves(expected)
        bad += len(differ)
    verified("blocks: widget against the reference in shared states", checked, bad, "numpy, ml_dtypes")


def random_blocks(scheme: str, seed: int) -> np.ndarray:
    """Bells, heavy tails, sixty powers of two, exact ties, thresholds of the rules, zeros, tiny and huge numbers."""
    rng = np.random.default_rng(seed)
    whole = reference.rows.PLAYED[scheme].kind == "nf4_nested"  # the others of 16,384 numbers are tried in 128
    n = reference.SIZE[scheme] if whole else min(reference.SIZE[scheme], 256)
    n = 128 if reference.rows.PLAYED[scheme].kind == "fp8" else n
    count = max(10, (PER_SCHEME if n < 256 else PER_SCHEME // 4) * 32 // max(n, 32))
    part = count // 5
    wide = rng.standard_normal((part, n)) * 2.0 ** rng.integers(-40, 10, (part, 1))
    ties = rng.integers(-64, 65, (part, n)) / 8 * 2.0 ** rng.integers(-6, 7, (part, 1))
    tops = rng.uniform(-1, 1, (count - 4 * part, n))
    thresholds = np.array([1, 1.5, 1.75, 1.875, 1.9375, 448 / 256, 480 / 256, 2])
    near = thresholds[rng.integers(0, 8, len(tops))].astype(np.float32)
    for step in (-1, 1):
        pick = rng.random(len(tops)) < 0.3
        near[pick] = np.nextafter(near[pick], np.float32(step * 9))
    tops[:, 1] = near * 2.0 ** rng.integers(0, 9, len(tops))
    x = np.concatenate([rng.standard_normal((part, n)), rng.standard_t(3, (part, n)), wide, ties, tops])
    x[rng.random(x.shape) < 0.02] = 0
    x[rng.random(x.shape) < 0.01] *= -0.0
    x[::97] = 0
    x[1, :4] = [127, np.nextafter(np.float32(0.5), np.float32(0)), 0.5, -0.5]  # just below a half, and halves
    if reference.rows.PLAYED[scheme].stored in ("e8m0", "e4m3", "float32", "bfloat16"):  # FP16 scales end
        x[::89] *= np.float32(2.0**60)
        x[::83] *= np.float32(2.0**-100)
    return x.astype(np.float32)


GOLDEN = json.loads((Path(__file__).parents[1] / "oracle" / "block_vectors.json").read_text())
RECORDED = (np.frombuffer(base64.b64decode(GOLDEN["input"]), np.float32),
            np.frombuffer(base64.b64decode(GOLDEN["wide"]), np.float16).astype(np.float32))  # fmt: skip


def tried(scheme: str, seed: int) -> list[np.ndarray]:
    """Random blocks, and those whose results other libraries recorded."""
    made = random_blocks(scheme, seed)
    return [made, *(x.reshape(-1, made.shape[1]) for x in RECORDED if x.size >= made.shape[1])]


BULK = """([scheme, rule, text, n, amax]) => {
  const raw = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const x = new Float32Array(raw.buffer);
  const row = data.schemes.find((one) => one.name === scheme);
  const codes = new Uint8Array(x.length);
  const values = new Float32Array(x.length);
  const clipped = new Uint8Array(x.length);
  const [scales, stored, second] = [[], [], []];
  for (let b = 0; b * n < x.length; b += 1) {
    const made = w.codec.quantize(row, x.subarray(b * n, b * n + n), rule, amax, data.books);
    codes.set(made.codes, b * n);
    values.set(made.values, b * n);
    clipped.set(made.clipped, b * n);
    scales.push(...made.scales);
    stored.push(...made.scale_codes, ...(made.zeros ?? []));
    second.push(...made.second);
  }
  const out = (array) => {
    const bytes = new Uint8Array(array.buffer);
    let s = "";
    for (let i = 0; i < bytes.length; i += 32768) s += String.fromCharCode(...bytes.subarray(i, i + 32768));
    return btoa(s);
  };
  const kept = [Float32Array.from(scales), Uint32Array.from(stored), Float32Array.from(second)];
  return [codes, values, clipped, ...kept].map(out);
}"""


def test_bulk_equals_reference(widget, verified):
    """Codes, stored scales, zero points, values and clip marks of random and adversarial blocks, bit by bit."""
    blocks = numbers = bad = 0
    for scheme, x in [(name, x) for seed, name in enumerate(reference.SIZE) for x in tried(name, seed)]:
        amax = float(np.abs(x).max())
        for rule in codec.RULES if scheme in codec.MX else ("floor",):
            made = codec.quantize(scheme, x, rule, amax)
            sent = base64.b64encode(x.tobytes()).decode()
            got = [base64.b64decode(part) for part in widget.evaluate(BULK, [scheme, rule, sent, x.shape[1], amax])]
            codes = [made.scale_code] if made.zero is None else [made.scale_code, made.zero]
            stored = np.concatenate([part.astype(np.uint32) for part in codes], axis=1)
            second = np.zeros(0, np.float32) if made.second is None else made.second
            expected = (made.codes, made.values, made.clipped.astype(np.uint8), made.scale, stored, second)
            for mine, theirs in zip(expected, got, strict=True):
                same = np.frombuffer(np.ascontiguousarray(mine).tobytes(), np.uint8) == np.frombuffer(theirs, np.uint8)
                assert same.all(), (scheme, rule, mine.dtype, np.flatnonzero(~same)[:5])
                bad += int((~same).sum())
            blocks += len(x)
            numbers += x.size
    print(f"{numbers:,} numbers")
    verified("blocks: quantization of random and adversarial blocks in Chromium", blocks, bad, "numpy, ml_dtypes")
