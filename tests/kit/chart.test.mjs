/* chart.js: where values stand on scales, which ticks there are, and labels that keep apart. */
import assert from "node:assert/strict";
import test from "node:test";
import {
  decades,
  decadesAround,
  inTwos,
  linearScale,
  linePath,
  logScale,
  pct,
  spreadLabels,
} from "../../explainers/kit/chart.js";

test("a linear scale goes on beyond its ends, or is clamped to them", () => {
  const [free, held] = [false, true].map((clamped) => linearScale([10, 20], [0, 100], clamped));
  assert.deepEqual([5, 10, 12.5, 20, 30].map(free), [-50, 0, 25, 100, 200]);
  assert.deepEqual([5, 10, 12.5, 20, 30].map(held), [0, 0, 25, 100, 100]);
  assert.deepEqual([10, 15, 20].map(linearScale([10, 20], [200, 100])), [200, 150, 100]);
});

test("on a log scale powers are equally far apart, and nothing stands below its low end", () => {
  const [free, held] = [false, true].map((clamped) => logScale([1, 1e4], [228, 28], clamped));
  assert.deepEqual([-5, 0, 0.1, 1, 10, 100, 1e4, 1e5].map(free), [228, 228, 228, 228, 178, 128, 28, -22]);
  assert.deepEqual([0, 1, 1e4, 1e5].map(held), [228, 228, 28, 28]);
  const octaves = logScale([0.5, 128], [0, 8]);
  for (let power = -1; power <= 7; power += 1) assert.ok(Math.abs(octaves(2 ** power) - power - 1) < 1e-12);
});

test("decades are exact, their ends among them, with the digits that are asked for", () => {
  assert.deepEqual(decades([0.1, 1000]), [0.1, 1, 10, 100, 1000]);
  assert.deepEqual(decades([2, 50], [1, 3]), [3, 10, 30]);
  assert.deepEqual(decades([1.1, 9.9]), []);
  assert.deepEqual(decades([1e-7, 1e-6], [1, 5]), [1e-7, 5e-7, 1e-6]);
});

test("values lie between powers of ten, at least one decade apart", () => {
  assert.deepEqual(decadesAround([20, 4000]), [10, 10_000]);
  assert.deepEqual(decadesAround([1000]), [1000, 10_000]);
  assert.deepEqual(decadesAround([0.02, 1]), [0.01, 1]);
});

test("powers of two in words, as contexts are told", () => {
  assert.deepEqual([10, 13, 16, 19, 20, 23].map(inTwos), ["1k", "8k", "64k", "512k", "1M", "8M"]);
});

test("labels move down from one another, and all up from below the foot", () => {
  assert.deepEqual(spreadLabels([], 15, 100), []);
  assert.deepEqual(spreadLabels([10, 40], 15), [10, 40]);
  assert.deepEqual(spreadLabels([10, 12, 26, 90], 15), [10, 25, 40, 90]);
  assert.deepEqual(spreadLabels([80, 90, 98], 15, 100), [70, 85, 100]);
});

test("a line's path, and a share as an attribute", () => {
  assert.equal(
    linePath([
      [0, 1.5],
      ["2.0", 3],
    ]),
    "M0 1.5L2.0 3",
  );
  assert.deepEqual([0, 0.125, 1 / 3, 1].map(pct), ["0%", "12.5%", "33.333%", "100%"]);
});
