"""The bits JavaScript in Chromium: every code, a million floats per format, and typed decimals, against Python."""

from __future__ import annotations

import functools
import http.server
import random
import re
import threading
from fractions import Fraction

import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers.bits import casts, text
from cutaway.gallery.formats.scalar import FORMATS
from tests import bundled
from tests.explainers import bits_oracle as oracle
from tests.explainers import cast_values
from tests.tally import Tally

COUNT = 1_000_000
AGAINST = "numpy and ml_dtypes on the same inputs"
MODULES = """export * from "./kit/codes.js";
export * from "./kit/fractions.js";
export * from "./kit/reals.js";
export * from "./kit/typed-numbers.js";
export * from "./kit/casts.js";
export * from "./kit/fraction-text.js";
"""
LOAD = """async (base) => {
  const text = await (await fetch(base + "/module")).text();
  const data = await (await fetch(base + "/data")).json();
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const bits = await import(url);
  window.rows = data.formats;
  window.data = data;
  window.bits = bits;
  window.Q = bits.Q;
}"""
ENCODE = """async ([base, name, kind]) => {
  const fetched = (what) => fetch(`${base}/${what}`).then((r) => r.arrayBuffer());
  const x = new (kind === 32 ? Float32Array : Float64Array)(await fetched("in"));
  const codes = new Uint32Array(await fetched("out"));
  let [wrong, first] = [0, ""];
  for (let i = 0; i < x.length; i += 1) {
    const mine = bits.encode(rows[name], x[i]);
    if (mine !== codes[i]) { wrong += 1; first ||= `${x[i]} became ${mine}, not ${codes[i]}`; }
  }
  return [x.length, wrong, first];
}"""
DECODE = """async ([base, name]) => {
  const fetched = (what) => fetch(`${base}/${what}`).then((r) => r.arrayBuffer());
  const [codes, x] = [new Uint32Array(await fetched("in")), new Float64Array(await fetched("out"))];
  let [wrong, first] = [0, ""];
  codes.forEach((code, i) => {
    const mine = bits.decode(rows[name], code);
    if (!Object.is(mine, x[i])) { wrong += 1; first ||= `${code} means ${mine}, not ${x[i]}`; }
  });
  return [codes.length, wrong, first];
}"""


@pytest.fixture(scope="module")
def lab(browser):
    """A page with the module loaded, and a dict whose bytes it can fetch."""
    import json

    served: dict[str, bytes] = {
        "module": bundled.bundled(MODULES).encode(),
        "data": json.dumps(explainers.data("bits")).encode(),
        "": b"<!doctype html>",
    }

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = served[self.path.strip("/")]
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    page = browser.new_page()
    page.goto(base)
    page.evaluate(LOAD, base)
    yield page, base, served
    page.close()
    server.shutdown()


def ask(lab, script, *args, given: np.ndarray, expected: np.ndarray):
    """Run a script over two arrays: (checked, wrong, the first difference)."""
    page, base, served = lab
    served["in"], served["out"] = given.tobytes(), expected.tobytes()
    return page.evaluate(script, [base, *args])


def test_every_code_means_the_same_in_javascript(lab, verified):
    """Every code of every format up to TF32's 19 bits, and 200,000 of FP32, decodes to the same double, -0 included."""
    checked = wrong = 0
    said = []
    for name, row in FORMATS.items():
        codes = np.arange(1 << row.bits) if row.bits < 32 else np.random.default_rng(1).integers(0, 1 << 32, 200_000)
        expected = oracle.decoded(name, codes.astype(np.uint32))
        count, bad, first = ask(lab, DECODE, name, given=codes.astype(np.uint32), expected=expected)
        checked, wrong = checked + count, wrong + bad
        said += [f"{name}: {first}"] if bad else []
    assert said == []
    verified("formats in JavaScript: decode every code", checked, wrong, AGAINST)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "float32"])
def test_a_million_floats_round_the_same_in_javascript(name, lab, verified):
    """Random bits, the format's midpoints and their neighbours, its ends and its specials become the same codes."""
    x = oracle.float32_inputs(name, COUNT, np.random.default_rng(20251120))
    count, wrong, first = ask(lab, ENCODE, name, 32, given=x, expected=oracle.encoded(name, x))
    assert first == ""
    verified(f"formats in JavaScript: round floats to {FORMATS[name].label}", count, wrong, AGAINST)


def test_a_million_doubles_round_to_float32_in_javascript(lab, verified):
    """Doubles of random bits, and midpoints of float32 pairs with their neighbours, become numpy's float32."""
    rng = np.random.default_rng(20251120)
    base = rng.integers(0, 0x7F7FFFFF, COUNT // 4, dtype=np.uint32)
    middle = (base.view(np.float32).astype(np.float64) + (base + 1).view(np.float32).astype(np.float64)) / 2
    sides = [middle, np.nextafter(middle, np.inf), -np.nextafter(middle, 0), np.array([np.nan, np.inf, -np.inf, -0.0])]
    x = np.concatenate([*sides, rng.integers(0, 2**64, COUNT // 4, dtype=np.uint64).view(np.float64)])
    with np.errstate(all="ignore"):
        codes = x.astype(np.float32).view(np.uint32)
    codes = np.where(np.isnan(x), 0x7FC00000, codes).astype(np.uint32)
    count, wrong, first = ask(lab, ENCODE, "float32", 64, given=x, expected=codes)
    assert first == ""
    verified("formats in JavaScript: round floats to FP32", count, wrong, "numpy's conversion from float64 to float32")


def test_doubles_beside_a_tie_round_once_in_javascript(lab, verified):
    """A double one bit beside a midpoint goes to the nearer value: no detour through float32."""
    checked = wrong = 0
    for name in [name for name, row in FORMATS.items() if row.bits <= 16]:
        rng = np.random.default_rng(5)
        low, high = oracle.exact.ranks(FORMATS[name])
        place = rng.integers(low, high, 20_000)
        pair = oracle.decoded(name, oracle.codes_at(name, np.concatenate([place, place + 1]))).reshape(2, -1)
        middle = pair.sum(axis=0) / 2
        x = np.concatenate([middle, np.nextafter(middle, np.inf), np.nextafter(middle, -np.inf)])
        count, bad, first = ask(lab, ENCODE, name, 64, given=x, expected=oracle.nearest_float64(name, x))
        assert first == "", name
        checked, wrong = checked + count, wrong + bad
    verified("formats in JavaScript: rounding of doubles close to a tie", checked, wrong, "exact midpoints in float64")


def test_typed_text_becomes_the_same_code_in_javascript(lab, verified):
    """Decimals a hair beside a tie, fractions and hexfloats read from text round as Python's fractions do."""
    page, _, _ = lab
    rng = random.Random(11)
    asked, expected = [], []
    for name, row in FORMATS.items():
        low, high = oracle.exact.ranks(row)
        for i in range(150):
            place = rng.randrange(low, high)
            pair = [oracle.exact.decode(row, oracle.exact.at_rank(row, p)).value for p in (place, place + 1)]
            x = sum(pair) / 2 + (pair[1] - pair[0]) * Fraction(rng.choice([-1, 0, 1]), 10 ** rng.randrange(13, 30))
            ratio = f"{x.numerator}/{x.denominator}"
            typed = ratio if len(ratio) < 400 and i % 2 else decimal(x)
            asked.append([name, typed])
            expected.append(oracle.exact.encode(row, oracle.exact.parse(typed, row)[0]))
    codes = page.evaluate(
        "(asked) => asked.map(([name, t]) => bits.nearest(rows[name], bits.parse(t, rows[name]).x))", asked
    )
    wrong = [pair for pair, mine, theirs in zip(asked, codes, expected, strict=True) if mine != theirs]
    verified(
        "formats in JavaScript: parsing and rounding of typed numbers", len(asked), len(wrong), "fractions.Fraction"
    )


CASTS = """(asked) => asked.map(([name, typed]) => {
  const f = data.formats[name];
  const x = bits.parse(typed, f).x;
  return bits.casts(f, data, x).policies.map((row) => [row.library, row.path, row.becomes]);
})"""


def texts_of_casts(name: str, rng: random.Random) -> list[str]:
    """Doubles where one rounding and two part, as hexfloats; and beside them, nearer than a double can be."""
    x = cast_values.adversarial(name, 300, np.random.default_rng(26))
    shown = [float(one).hex() if np.isfinite(one) else str(one) for one in x]
    whole = [one for one in x if np.isfinite(one) and 1e-30 < abs(one) < 1e30]
    hairs = [Fraction(float(one)) * (1 + Fraction(rng.choice([-1, 1]), 10**30)) for one in rng.sample(whole, 40)]
    ratios = [f"{one.numerator}/{one.denominator}" for one in hairs]
    return [*shown, *(one for one in ratios if len(one) <= 400), "-nan", "1e-400", "-1e400", "1/3"]


def test_every_cast_makes_the_same_in_javascript(lab, verified):
    """Every row of the table of casts, its path and its answer, over texts beside ties and past every end."""
    page, rng = lab[0], random.Random(26)
    asked = [[name, typed] for name in FORMATS for typed in texts_of_casts(name, rng)]
    rows = explainers.data("bits")["policies"]
    found, tally = page.evaluate(CASTS, asked), Tally()
    for (name, typed), made in zip(asked, found, strict=True):
        x = oracle.exact.number_of(typed, FORMATS[name])
        mine = casts.casts(FORMATS[name], [row for row in rows if row[0] == name], x)["policies"]
        for row, theirs in zip(mine, made, strict=True):
            tally.same([row["library"], row["path"], row["becomes"]], theirs, name, typed)
    assert tally.checked > 10_000
    verified("bits in JavaScript: casts of any number", tally, against="explainers.bits.casts")


def test_fractions_become_doubles_as_python_divides(lab, verified):
    """Q.double of fractions of every size, ties and subnormals among them, is n / d of Python's whole numbers."""
    page, rng = lab[0], random.Random(5)
    pairs = [
        (rng.getrandbits(rng.randrange(1, 1200)), rng.getrandbits(rng.randrange(1, 1200)) + 1) for _ in range(4000)
    ]
    ties = [(2 * rng.getrandbits(52) + 2**53 + 1, rng.choice([2, 2**60, 2**1080])) for _ in range(1000)]
    small = [(rng.getrandbits(9), 2 ** rng.randrange(1070, 1086)) for _ in range(1000)]
    edges = [(2**1024 - 2**970, 1), (2**1024 - 2**970 - 1, 1), (2**1024, 1), (2**5000, 3), (1, 2**5000), (0, 1)]
    asked = [*pairs, *ties, *small, *edges]
    script = (
        "(asked) => asked.map(([n, d]) => { const x = Q.double({ n: BigInt(n), d: BigInt(d) }); return String(x); })"
    )
    found = [float(one) for one in page.evaluate(script, [[f"{n:#x}", f"{d:#x}"] for n, d in asked])]
    tally = Tally()
    for (n, d), mine in zip(asked, found, strict=True):
        tally.same(mine, divided(n, d), n, d)
    verified("bits in JavaScript: fractions to FP64", tally, against="int / int of Python")


def divided(n: int, d: int) -> float:
    try:
        return n / d
    except OverflowError:
        return float("inf")


NUMBERS = ("300", "0.0005", "27.3", "1", "1.0625", "1e9", "-1000", "57344", "1/3", "0.333", "1e-7", "0", "nan")


def test_a_third_is_stored_where_the_reference_stores_it(of_beats):
    """Over every format and number: 1/3 it is, in 16 bits, less than a thousandth off, by the reference's value."""
    made = explainers.reference("bits")
    states = [{**made.STATE, "format": name, "typed": typed} for name in FORMATS for typed in NUMBERS]
    third, reached = Fraction(1, 3), []
    for state in states:
        row = FORMATS[state["format"]]
        code = oracle.exact.encode(row, oracle.exact.number_of("1/3", row))
        off = abs(oracle.exact.decode(row, code).value - third)
        reached.append(state["typed"] == "1/3" and row.bits <= 16 and off < third / 1000)
    assert [one["reached"] for one in of_beats("bits", "goals", "third_in_16", states)] == reached
    assert sum(reached) == 1


def test_the_8_bit_floats_furthest_apart_are_the_references(of_beats):
    """A sentence names the least and the greatest that a signed 8-bit float makes of a number, and how far apart."""
    made, eights = explainers.reference("bits"), [f for f in FORMATS.values() if f.bits == 8 and f.exponent_bits]
    states = [{**made.STATE, "typed": typed} for typed in NUMBERS]
    for state, goal in zip(states, of_beats("bits", "goals", "ten_apart", states), strict=True):
        x = oracle.exact.number_of(state["typed"], FORMATS["float8_e4m3fn"])
        stored = [oracle.exact.decode(f, oracle.exact.encode(f, x)) for f in eights if f.sign_bits]
        held = sorted(one.value for one in stored if one.kind == "finite")
        if x.kind != "finite" or not x.magnitude or not held or held[0] == held[-1]:
            assert not goal["reached"], state["typed"]
            continue
        far = 100 * (held[-1] - held[0]) / x.magnitude
        assert goal["reached"] == (far > 10), state["typed"]
        assert re.findall(r" stores ([^ ,:]+)", goal["says"]) == [text.short(held[0]), text.short(held[-1])]
        assert f": a difference of {text.short(far, 3)} %." in goal["says"]


def decimal(x: Fraction) -> str:
    """210 places of a fraction: more than any tie needs."""
    scaled = abs(x.numerator) * 10**210 // x.denominator
    return f"{'-' if x < 0 else ''}{scaled // 10**210}.{scaled % 10**210:0210d}"
