/* arrays.js: hashes, rounding to even, values worked out when they are asked for. */
import assert from "node:assert/strict";
import test from "node:test";
import { hash32, lazy, modulo, roundEven, upto } from "../../explainers/kit/arrays.js";

/* n/d rounded as it is defined: the nearer whole number, of two equally near the even one. */
const byDistance = (n, d) => {
  const down = (n - (((n % d) + d) % d)) / d;
  const [below, above] = [n - down * d, (down + 1n) * d - n];
  if (below !== above) return below > above ? down + 1n : down;
  return down % 2n === 0n ? down : down + 1n;
};

const rounded = (n, d) => {
  const down = Math.floor(n / d);
  return roundEven(down, n - down * d, d);
};

test("a hash is the one that explainers/hash32.py makes, of the lowest 32 bits", () => {
  const known = [
    [0, 0],
    [1, 1753845952],
    [2, 3507691905],
    [12345, 2435775735],
    [2 ** 32 - 1, 1734902346],
    [-1, 1734902346],
    [7, 2492178918],
    [2 ** 32 + 7, 2492178918],
  ];
  for (const [value, hash] of known) assert.equal(hash32(value), hash, `hash32(${value})`);
});

test("hashes of neighbours spread evenly over sixteen bins", () => {
  const bins = upto(16).map(() => 0);
  for (const i of upto(16_000)) bins[hash32(i) >>> 28] += 1;
  assert.ok(
    bins.every((count) => Math.abs(count - 1000) < 120),
    bins.join(" "),
  );
});

test("halves go to the even neighbour", () => {
  const halves = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5];
  assert.deepEqual(
    halves.map((x) => rounded(2 * x, 2)),
    [-2, -2, 0, 0, 2, 2, 4],
  );
});

test("what is not a half goes to the nearer neighbour", () => {
  assert.deepEqual([rounded(7, 3), rounded(8, 3), rounded(-7, 3), rounded(-8, 3), rounded(9, 3)], [2, 3, -2, -3, 3]);
});

test("numbers and BigInts round as BigInt arithmetic says, for every n/d up to 120/12", () => {
  for (let d = 1; d <= 12; d += 1)
    for (let n = -120; n <= 120; n += 1) {
      const expected = byDistance(BigInt(n), BigInt(d));
      const down = Math.floor(n / d);
      assert.equal(BigInt(rounded(n, d)), expected, `${n}/${d}`);
      assert.equal(roundEven(BigInt(down), BigInt(n - down * d), BigInt(d)), expected, `${n}n/${d}n`);
    }
});

test("BigInts beyond 2^53 keep their last digit", () => {
  const even = 2n ** 80n;
  assert.equal(roundEven(even, 1n, 2n), even);
  assert.equal(roundEven(even + 1n, 1n, 2n), even + 2n);
  assert.equal(roundEven(even, 3n, 5n), even + 1n);
});

test("a lazy value is worked out when it is asked for, once", () => {
  const asked = [];
  const made = lazy({ n: 3 }, { square: () => asked.push("square") && 9, cube: () => asked.push("cube") && 27 });
  assert.deepEqual(asked, []);
  assert.equal(made.square, 9);
  assert.equal(made.square, 9);
  assert.deepEqual(asked, ["square"]);
  assert.deepEqual({ ...made }, { n: 3, square: 9, cube: 27 });
  assert.deepEqual(asked, ["square", "cube"]);
});

test("lazy adds to the object that it is given", () => {
  const known = { n: 1 };
  assert.equal(lazy(known, { twice: () => 2 }), known);
  assert.deepEqual(Object.keys(known), ["n", "twice"]);
});

test("whole numbers up to n, and what is left of a division", () => {
  assert.deepEqual(upto(4), [0, 1, 2, 3]);
  assert.deepEqual(upto(0), []);
  assert.deepEqual(
    [-5, -4, -1, 0, 1, 4, 7].map((a) => modulo(a, 4)),
    [3, 0, 3, 0, 1, 0, 3],
  );
});
