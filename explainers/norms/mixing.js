/* Draws, as experts/draw.py makes them, and the twin of mixing.py: how four streams mix. */
import { hash32, upto } from "../kit/arrays.js";

/** @import { State } from "./compute.js" */

/** A 4 × 4 matrix, [from][to]. @typedef {number[][]} Mix */

/** @param {number[]} all */
export const sum = (all) => all.reduce((a, b) => a + b, 0);
const [UNIT, MIDDLE] = [37837, 131070];
/** @param {number} row @param {number} columns */
export const normal = (row, columns) => {
  const base = hash32(row + 1);
  /** @type {number[]} */
  const made = [];
  for (let j = 0; j !== columns; j += 1) {
    // a hundred thousand for 40 layers: plain code, plain arrays
    const one = hash32(base + 2 * j);
    const other = hash32(base + 2 * j + 1);
    made.push(((one & 0xffff) + (one >>> 16) + (other & 0xffff) + (other >>> 16) - MIDDLE) / UNIT);
  }
  return made;
};
/**
 * A function that remembers what it gave for the same arguments.
 * @template {unknown[]} Asked
 * @template Made
 * @param {(...asked: Asked) => Made} fn
 * @returns {(...asked: Asked) => Made}
 */
export const remembered = (fn, most = 4096) => {
  /** @type {Map<string, Made>} */
  const known = new Map();
  return (...asked) => {
    const key = asked.join(" ");
    if (!known.has(key)) {
      if (known.size === most) known.clear();
      known.set(key, fn(...asked));
    }
    return /** @type {Made} */ (known.get(key));
  };
};

export const [STREAMS, EPS, SPREAD, SHARP, FIRST] = [4, 1e-6, 0.1, 3, 1000000];
export const four = /* @__PURE__ */ upto(STREAMS);
/** The identity and a small draw. */
const raw = /* @__PURE__ */ remembered((/** @type {number} */ place) => {
  const drawn = normal(FIRST + place, STREAMS * STREAMS);
  return four.map((i) => four.map((j) => (i === j ? 1 : 0) + SPREAD * drawn[i * STREAMS + j]));
});
export const shares = /* @__PURE__ */ remembered((/** @type {number} */ place) => {
  const drawn = normal(2 * FIRST + place, 2 * STREAMS);
  return [
    four.map((i) => 1 / (1 + Math.exp(-drawn[i])) + EPS),
    four.map((i) => 2 / (1 + Math.exp(-drawn[i + STREAMS]))),
  ];
});
/** @param {Mix} made */
const by_rows = (made) =>
  made.map((row) => {
    const all = sum(row) + EPS;
    return row.map((v) => v / all);
  });
/** @param {Mix} made */
const by_columns = (made) => {
  const all = four.map((j) => sum(made.map((row) => row[j])) + EPS);
  return made.map((row) => row.map((v, j) => v / all[j]));
};
/** @param {Mix} logits @param {number} rounds */
const sinkhorn = (logits, rounds) => {
  let made = logits.map((row) => {
    const powers = row.map((v) => Math.exp(v - Math.max(...row)));
    return powers.map((v) => v / sum(powers) + EPS);
  });
  made = by_columns(made);
  for (let i = 1; i !== rounds; i += 1) made = by_columns(by_rows(made));
  return made;
};
export const mix = /* @__PURE__ */ remembered((/** @type {number} */ place, /** @type {number} */ rounds) =>
  rounds
    ? sinkhorn(
        raw(place).map((row) => row.map((v) => SHARP * v)),
        rounds,
      )
    : raw(place),
);
/** @param {Mix} made */
const sums = (made) => [
  four.map((j) => sum(made.map((row) => Math.abs(row[j])))),
  made.map((row) => sum(row.map(Math.abs))),
];
const chain = /* @__PURE__ */ remembered((/** @type {number} */ places, /** @type {number} */ rounds) => {
  /** @type {Mix} */
  let made = four.map((i) => four.map((j) => (i === j ? 1 : 0)));
  const gains = [1];
  for (const place of upto(places)) {
    const next = mix(place, rounds);
    made = made.map((row) => four.map((j) => sum(row.map((v, i) => v * next[i][j]))));
    gains.push(Math.max(...sums(made).flat()));
  }
  return { gains, made };
}, 64);
/** @param {Pick<State, "layers" | "rounds">} state */
export const mixing_of = ({ layers, rounds }) => {
  const places = 2 * layers;
  const [{ gains, made: all }, { gains: free }, one] = [chain(places, rounds), chain(places, 0), mix(0, rounds)];
  const signed = [four.map((j) => sum(one.map((row) => row[j]))), one.map(sum)].flat();
  return {
    places,
    rounds,
    gains,
    free,
    all,
    one,
    gain: gains[places],
    free_gain: free[places],
    off: Math.max(...signed.map((v) => Math.abs(v - 1))),
  };
};
