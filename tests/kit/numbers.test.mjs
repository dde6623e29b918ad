/* numbers.js: what a number looks like, formats written as words, templates and paths. */
import assert from "node:assert/strict";
import test from "node:test";
import { lazy } from "../../explainers/kit/arrays.js";
import { fmt, printValue, templateParts, valueAt, withState } from "../../explainers/kit/numbers.js";

/* Calls and what they print: [[name, ...arguments], text]. */
const same = (...rows) => {
  for (const [[name, ...args], text] of rows) assert.equal(fmt[name](...args), text, `${name}(${args})`);
};

/* A number's binary value in decimal, rounded half away from zero by BigInt arithmetic. */
const exactly = (x, digits) => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(x));
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n) || 1;
  const mantissa = (bits & (2n ** 52n - 1n)) | (bits >> 52n ? 2n ** 52n : 0n);
  const power = exponent - 1075;
  const [top, below] = power >= 0 ? [mantissa << BigInt(power), 1n] : [mantissa, 1n << BigInt(-power)];
  const scaled = (2n * top * 10n ** BigInt(digits) + below) / (2n * below);
  const text = String(scaled).padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  return `${x < 0 ? "-" : ""}${whole}${digits ? `.${text.slice(-digits)}` : ""}`;
};

test("thousands are grouped with commas, in whole numbers and BigInts", () => {
  same(
    [["int", 0], "0"],
    [["int", 999], "999"],
    [["int", 1000], "1,000"],
    [["int", 7168], "7,168"],
    [["int", -7168], "-7,168"],
    [["int", 1234567.5], "1,234,568"],
    [["int", 2n ** 70n], "1,180,591,620,717,411,303,424"],
    [["group", "123456"], "123,456"],
  );
});

test("a fixed number of digits groups the whole part alone", () => {
  same(
    [["fixed", 1234.567, 2], "1,234.57"],
    [["fixed", 0.1234567, 6], "0.123457"],
    [["fixed", 999.995, 2], "1,000.00"],
    [["fixed", 12, 0], "12"],
    [["fixed", 1.005, 2], "1.00"], // 1.005 is a little less in binary
    [["fixed", 2.5, 0], "3"],
    [["fixed", -2.5, 0], "-3"],
  );
});

test("fixed digits are those of the binary value, ties away from zero", () => {
  const numbers = [0.125, 0.375, 2.675, 1.45, 8.345, 1e-7, 123.456, 0.5, 1.5, 5e-324, 99.995, 1 / 3];
  for (const x of [...numbers, ...numbers.map((n) => -n)])
    for (const digits of [0, 1, 2, 3, 9]) assert.equal(fmt.fixed(x, digits), exactly(x, digits), `${x}, ${digits}`);
});

test("a count is whole below a million, then in M, B and T", () => {
  same(
    [["count", 999_999], "999,999"],
    [["count", 1e6], "1.00 M"],
    [["count", 671_026_419_200], "671.03 B"],
    [["count", 671_026_419_200, 0], "671 B"],
    [["count", 1.5e13, 1], "15.0 T"],
    [["count", -7.61e9], "-7.61 B"],
  );
});

test("KB are 1,000 bytes, KiB are 1,024", () => {
  same(
    [["bytes", 0], "0 B"],
    [["bytes", 999], "999 B"],
    [["bytes", 1000], "1.0 KB"],
    [["bytes", 327_680], "327.7 KB"],
    [["bytes", 85.9e9], "85.9 GB"],
    [["bytes", 2.5e15], "2.5 PB"],
    [["bytes", 999_950], "1,000.0 KB"], // the unit is chosen before rounding
    [["kib", 1023], "1,023 B"],
    [["kib", 1024], "1.0 KiB"],
    [["kib", 18_432], "18.0 KiB"],
    [["kib", 3 * 2 ** 40], "3.0 TiB"],
  );
});

test("bytes in a unit that is named stay in it", () => {
  same(
    [["bytes", 327_680, "KB"], "327.7 KB"],
    [["bytes", 327_680, "MB", 2], "0.33 MB"],
    [["bytes", 1_234_567, "B", 1], "1,234,567 B"],
    [["bytes", 36.9e12, "GB", 0], "36,900 GB"],
    [["kib", 2 ** 20, "KiB", 0], "1,024 KiB"],
  );
  assert.throws(() => fmt.bytes(1, "parsecs"));
});

test("shares, ratios and powers of two", () => {
  same(
    [["percent", 0.0256, 2], "2.56 %"],
    [["percent", 1], "100.0 %"],
    [["percent", 12.5, 0], "1,250 %"],
    [["times", 8], "8 ×"],
    [["times", 1.25, 2], "1.25 ×"],
    [["sup", -120], "⁻¹²⁰"],
    [["sup", 9876543210], "⁹⁸⁷⁶⁵⁴³²¹⁰"],
    [["pow2", -6], "2⁻⁶"],
    [["pow2", 15], "2¹⁵"],
  );
});

test("significant digits leave no zeros behind", () => {
  same(
    [["sig", 0.123456, 3], "0.123"],
    [["sig", 1.5, 4], "1.5"],
    [["sig", 123_456, 2], "120000"],
    [["num", 0.1 + 0.2, 3], "0.3"],
    [["num", 448], "448"],
  );
});

test("num writes true minuses, -0 and exponents", () => {
  same(
    [["num", -1.5e-7, 3], "−1.5e−7"],
    [["num", 1e21, 3], "1e21"],
    [["num", -1.2345678], "−1.2346"],
    [["num", -0], "−0"],
    [["num", 0], "0"],
    [["num", NaN], "NaN"],
    [["num", -Infinity], "−Infinity"],
  );
});

test("a signed number never prints as minus zero", () => {
  same(
    [["signed", -0.04, 1], "0.0"],
    [["signed", -0.05, 1], "−0.1"],
    [["signed", -0.25, 1], "−0.3"],
    [["signed", 0.25, 1], "0.3"],
    [["signed", -1234.5, 0], "−1,235"],
    [["signed", -0, 2], "0.00"],
  );
});

test("a format is a function's name and its arguments", () => {
  const rows = [
    [327_680, "bytes KB 1", "327.7 KB"],
    [327_680, "bytes", "327.7 KB"],
    [0.5, "percent 0", "50 %"],
    [[0.5, -0.25], "each signed 2", "0.50  −0.25"],
    [[], "each int", ""],
    [7168, undefined, "7168"],
    [7168, "text", "7168"],
    [true, "text", "true"],
    ["NaN", "int", "NaN"],
    ["none of its 32", "percent 2", "none of its 32"],
  ];
  for (const [value, how, text] of rows) assert.equal(printValue(value, how), text, `${value} as ${how}`);
});

test("a template is words and values; what is no path stays words", () => {
  assert.deepEqual(templateParts("latent c {mla.rank:int}"), ["latent c ", { path: "mla.rank", how: "int" }]);
  assert.deepEqual(templateParts("{x}{stops.3.bytes:bytes KB 1}."), [
    { path: "x", how: "text" },
    { path: "stops.3.bytes", how: "bytes KB 1" },
    ".",
  ]);
  assert.deepEqual(templateParts("{two words} {} {a:}"), ["{two words} {} {a:}"]);
  assert.deepEqual(templateParts(""), []);
});

test("a path reaches into objects and lists", () => {
  const now = { stops: [{ bytes: 5 }, { bytes: 7 }] };
  assert.equal(valueAt(now, "stops.1.bytes"), 7);
  assert.equal(valueAt(now, "stops.length"), 2);
  assert.throws(() => valueAt(now, "stops.2.bytes"));
});

test("a state joined with what is computed of it stays lazy, and the computed value wins", () => {
  let ran = 0;
  const now = lazy({ tp: "computed" }, { slow: () => (ran += 1) });
  const both = withState({ tp: 8, model: "x" }, now);
  assert.deepEqual([both.tp, both.model, ran], ["computed", "x", 0]);
  assert.deepEqual([both.slow, both.slow, ran], [1, 1, 1]);
});
