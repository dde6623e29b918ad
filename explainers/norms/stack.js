/* Twin of stack.py: a small stack of blocks, run. A value is an array of tokens, each an array of numbers. */
import { upto } from "../kit/arrays.js";
import {
  ALPHA,
  HEADS,
  INNER,
  keys_of,
  mixer,
  mlp,
  norm,
  OWN,
  over,
  own_of,
  SEED,
  size,
  TOKENS,
  tokens,
  WIDTH,
} from "./layer.js";
import { four, mix, normal, remembered, shares, sum } from "./mixing.js";

/** @import { State } from "./compute.js" */

/** Of each token its numbers. @typedef {number[][]} Rows */
/** What a layer's tokens leave for later ones, by head. @typedef {[keys: Rows[], values: Rows[]]} Entry */
/**
 * Streams, and how much of the embedding still goes straight through each.
 * @typedef {{ x: Rows[], straight: Rows }} Stream
 */
/**
 * A layer that ran: root mean squares of the stream and of what was added, and the largest score.
 * @typedef {{
 *   at: number, layer: number, enter: number, mixer: number, middle: number, mlp: number, own: number, top: number,
 *   leave: number,
 * }} Ran
 */

/** A stack as far as it was run. @typedef {ReturnType<typeof walk_of>} Walk */

/**
 * What a layer's halves read and are added to.
 * @param {State} state
 * @returns {Stream}
 */
const begin = (state) => {
  const drawn = normal(SEED + 1, TOKENS * WIDTH);
  const first = norm(tokens.map((t) => drawn.slice(t * WIDTH, (t + 1) * WIDTH)));
  return { x: upto(state.streams).map(() => first), straight: upto(state.streams).map(() => tokens.map(() => 1)) };
};
/** @param {State} state @param {number} place */
const shares_at = ({ streams }, place) => (streams === 1 ? [[1], [1]] : shares(place));
/**
 * Most stacks have one stream: nothing to weigh.
 * @template T
 * @param {T[]} all
 * @returns {T | false}
 */
const alone = (all) => all.length === 1 && all[0];
/** @param {Rows[]} all @param {number[]} by */
const weighed = (all, by) =>
  (by[0] === 1 && alone(all)) || tokens.map((t) => upto(WIDTH).map((i) => sum(all.map((x, n) => by[n] * x[t][i]))));
/** @param {State} state @param {Stream} now @param {number} place */
const read = (state, { x }, place) => {
  const given = weighed(x, shares_at(state, place)[0]);
  return ["pre", "sandwich", "normed"].includes(state.norm) ? norm(given) : given;
};
const BEHIND = ["sandwich", "behind"];
/** @param {Stream} now @param {number} by */
const through = (now, by) => {
  now.straight = now.straight.map((row, n) => row.map((v, t) => v * over(now.x[n][t]) * by));
};
/**
 * The streams mixed, the halves’ answers on top.
 * @param {State} state
 * @param {Stream} now
 * @param {number} place
 * @param {Rows[]} answers
 * @returns {number[]} how large each was
 */
const add = (state, now, place, answers) => {
  const { norm: kind, scale, streams, rounds } = state;
  const given = answers.map((one) => (BEHIND.includes(kind) ? norm(one) : one).map((row) => row.map((v) => v * scale)));
  if (kind === "normed") {
    through(now, ALPHA);
    now.x = now.x.map((one) => norm(one).map((row) => row.map((v) => v * ALPHA)));
  }
  if (streams > 1) {
    const by = mix(place, rounds);
    const before = now.straight;
    now.x = four.map((k) =>
      weighed(
        now.x,
        by.map((row) => row[k]),
      ),
    );
    now.straight = four.map((k) => tokens.map((t) => sum(before.map((row, j) => by[j][k] * row[t]))));
  }
  const back = shares_at(state, place)[1];
  const whole = alone(given) || weighed(given, [1, 1]);
  now.x = now.x.map((one, n) => one.map((row, t) => row.map((v, i) => v + back[n] * whole[t][i])));
  if (kind === "post") {
    through(now, 1);
    now.x = now.x.map(norm);
  }
  return given.map(size);
};

/** @param {State} state @param {Stream} now @param {number} layer @param {number} at @param {Entry[]} cache */
const one_layer = (state, now, layer, at, cache) => {
  const x = read(state, now, 2 * at);
  const entry = layer >= state.layers - state.borrow ? cache[cache.length - 1] : keys_of(state, layer, x);
  cache.push(entry);
  const [mixed, top] = mixer(state, layer, x, entry);
  let [first, middle, second, third] = [0, size(now.x.flat()), 0, 0];
  if (state.parallel) [first, second] = add(state, now, 2 * at, [mixed, mlp(layer, x)]);
  else {
    [first] = add(state, now, 2 * at, [mixed]);
    middle = size(now.x.flat());
    [second] = add(state, now, 2 * at + 1, [mlp(layer, read(state, now, 2 * at + 1))]);
  }
  if (state.own) {
    const added = own_of(
      layer,
      weighed(
        now.x,
        now.x.map(() => 1 / state.streams),
      ),
    ).map((row) => row.map((v) => v * state.scale));
    now.x = now.x.map((one) => one.map((row, t) => row.map((v, i) => v + added[t][i])));
    third = size(added);
  }
  return { mixer: first, middle, mlp: second, own: third, top };
};
/** @type {(keyof State)[]} */
const RUNS_BY = [
  "norm",
  "scale",
  "layers",
  "qk",
  "grown",
  "cap",
  "gate",
  "parallel",
  "loops",
  "borrow",
  "own",
  "streams",
  "rounds",
];
/** @param {State} state @param {Stream} stream */
const heard_in = ({ streams }, { x, straight }) => {
  const mean = weighed(
    x,
    x.map(() => 1 / streams),
  );
  return sum(tokens.map((t) => Math.abs(sum(straight.map((row) => row[t])) / streams) * over(mean[t]))) / TOKENS;
};
const walk_of = /* @__PURE__ */ remembered((/** @type {State[keyof State][]} */ ...values) => {
  const state = /** @type {State} */ (Object.fromEntries(RUNS_BY.map((key, i) => [key, values[i]])));
  const now = begin(state);
  return {
    state,
    now,
    cache: /** @type {Entry[]} */ ([]),
    sizes: [size(now.x.flat())],
    heard: /** @type {number[]} */ ([]),
    rows: /** @type {Ran[]} */ ([]),
  };
}, 24);
/** @param {Walk} walk */
const step_on = (walk) => {
  const { state, now, sizes, rows } = walk;
  const at = rows.length;
  const layer = at % state.layers;
  if (layer === 0) walk.cache = [];
  const found = one_layer(state, now, layer, at, walk.cache);
  now.x = now.x.map((one) => one.map((row) => row.map((v) => Math.floor(v * 2 ** 20 + 0.5) / 2 ** 20)));
  sizes.push(size(now.x.flat()));
  walk.heard.push(heard_in(state, now));
  rows.push({ at, layer, enter: sizes[at], ...found, leave: sizes[at + 1] });
};
/**
 * Where layers neither borrow nor run again, a stack of few is the beginning of one of many: both are one walk.
 * @param {State} state
 */
const run_all = (state) => {
  const passes = state.layers * state.loops;
  const plain = state.loops === 1 && state.borrow === 0;
  const walk = walk_of(...RUNS_BY.map((key) => (plain && key === "layers" ? Infinity : state[key])));
  while (passes > walk.rows.length) step_on(walk);
  const rows = walk.rows.slice(0, passes);
  return {
    sizes: walk.sizes.slice(0, passes + 1),
    size: walk.sizes[passes],
    heard: walk.heard[passes - 1],
    top: Math.max(...rows.map((row) => row.top)),
    rows,
  };
};
/** @param {State} state @param {number} layer */
export const layer_of = (state, layer) => {
  const { rows } = run_all(state);
  return rows[Math.min(layer, rows.length - 1)];
};
/** @param {State} state */
export const run = (state) => {
  const { rows, ...made } = run_all(state);
  return { ...made, here: layer_of(state, state.layer) };
};

/** @param {Pick<State, "layers" | "loops" | "borrow" | "gate" | "own" | "parallel" | "norm">} state */
export const cost_of = ({ layers, loops, borrow, gate, own, parallel, norm }) => {
  const [square, passes] = [WIDTH * WIDTH, layers * loops];
  const each =
    4 * square +
    { none: 0, heads: HEADS * WIDTH, numbers: square }[gate] +
    3 * WIDTH * INNER +
    (own ? 2 * WIDTH * OWN : 0);
  return {
    passes,
    weights: layers * each - borrow * 2 * square,
    kept: (layers - borrow) * loops * 2 * WIDTH,
    meetings: passes * (parallel && !BEHIND.includes(norm) ? 1 : 2),
    table: own ? layers * OWN : 0,
  };
};
