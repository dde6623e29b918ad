/* Twin of reference.py: a rotation, a base and a stretching -> wavelengths, dials, a score. */
import { upto } from "../kit/arrays.js";

/** @import { Data, State } from "../../.make/data_types/position.d.ts" */

/**
 * What a config says of a stretching: each kind has the fields that it needs.
 * @typedef {{
 *   factor: number, original_max_position_embeddings: number, low_freq_factor: number, high_freq_factor: number,
 *   beta_fast: number, beta_slow: number, truncate?: boolean, whole?: number,
 * }} Scaling
 */

/**
 * A row of data.models.
 * @typedef {[
 *   slug: string, title: string, head: number, dims: number, theta: number, kind: string, context: number,
 *   scaling?: Scaling,
 * ]} Row
 */

/**
 * A model: the numbers of a head and, of these, those that turn; the tokens of its config.
 * @typedef {{
 *   slug: string, title: string, head: number, dims: number, theta: number, kind: string, context: number,
 *   scaling: Scaling,
 * }} Model
 */

/** @typedef {{ theta: number, kind: string, said: Scaling }} Rope */

/**
 * What is told of a rotation: counts of pairs, tokens for one turn; `original` is 0 where a config names none.
 * @typedef {{
 *   factor: number, title: string, head: number, dims: number, share: number, pairs: number, theta: number,
 *   trained: number, original: number, kind: string, unfinished: number, kept: number, slowed: number,
 *   between: number, fastest: number, slowest: number, slowest_plain: number,
 * }} Told
 */

/**
 * Tokens for one turn of each pair, stretched and not.
 * @typedef {{ waves: number[], plain: number[], rope: Told }} Turns
 */

/** @typedef {ReturnType<typeof compute>} Now */

const STRETCHES = ["own", "none", "linear", "llama3", "yarn"];
export const [FURTHEST, PAIRS, DIALS] = [255, 64, 4];
const COLUMNS = ["slug", "title", "head", "dims", "theta", "kind", "context", "scaling"];
/** @param {string} slug @param {Data} data @returns {Model | undefined} */
export const find = (slug, data) => {
  const one = data.models.find((row) => row[0] === slug);
  return (
    one && /** @type {Model} */ ({ scaling: {}, ...Object.fromEntries(one.map((value, i) => [COLUMNS[i], value])) })
  );
};
/** @param {number} x */
const clip = (x) => Math.min(Math.max(x, 0), 1);
/** @param {number} v @param {number} high */
const whole = (v, high) => Number.isInteger(v) && v >= 0 && high >= v;

/** @param {State} state @param {Data} data */
export function check(state, data) {
  if (!find(state.model, data)) return `No model here is called “${state.model}”; choose one from the list.`;
  if (!data.bases.includes(state.theta)) return "The base is one of those in the list; 0 stands for the model's own.";
  if (!STRETCHES.includes(state.stretch)) return `The scaling is one of ${STRETCHES.join(", ")}.`;
  for (const key of /** @type {const} */ (["query", "key"]))
    if (!whole(state[key], FURTHEST)) return `The ${key} is at a token from 0 to ${FURTHEST}.`;
  return whole(state.pair, PAIRS - 1) ? "" : `A pair is a whole number from 0 to ${PAIRS - 1}.`;
}

/** @param {Model} row */
const trained = (row) => row.scaling.original_max_position_embeddings || row.context; // trained on, or of its config
/** @param {State} state @param {Model} row @param {Data} data @returns {Rope} */
const rope_of = (state, row, data) => {
  const theta = state.theta || row.theta;
  if (state.stretch === "own") return { theta, kind: row.kind, said: row.scaling };
  if (state.stretch === "none") return { theta, kind: "default", said: /** @type {Scaling} */ ({}) };
  return {
    theta,
    kind: state.stretch,
    said: /** @type {Scaling} */ ({
      ...data.borrowed[/** @type {keyof Data["borrowed"]} */ (state.stretch)],
      original_max_position_embeddings: trained(row),
    }),
  };
};

/** @typedef {(base: number[], rope: Rope) => number[]} Stretching */

/** @type {{ [kind: string]: Stretching } & { linear: (base: number[], rope: Pick<Rope, "said">) => number[] }} */
const stretched = {
  default: (base) => base,
  linear: (base, { said }) => base.map((f) => f / said.factor),
  proportional: (base, { said }) => stretched.linear(base, { said }),
  llama3: (base, { said }) =>
    base.map((f) => {
      const turns = (said.original_max_position_embeddings * f) / (2 * Math.PI);
      const ramp = clip((turns - said.low_freq_factor) / (said.high_freq_factor - said.low_freq_factor));
      return ((1 - ramp) * f) / said.factor + ramp * f;
    }),
  yarn: (base, { said, theta }) => {
    const dims = 2 * base.length;
    /** @param {number} turns */
    const pair = (turns) =>
      (dims * Math.log(said.original_max_position_embeddings / (turns * 2 * Math.PI))) / (2 * Math.log(theta));
    let [low, high] = [pair(said.beta_fast), pair(said.beta_slow)];
    if (said.truncate !== false) [low, high] = [Math.floor(low), Math.ceil(high)];
    [low, high] = [Math.max(low, 0), Math.min(high, dims - 1)];
    return base.map((f, i) => {
      const ramp = clip((i - low) / (high - low || 0.001));
      return (f / said.factor) * ramp + f * (1 - ramp);
    });
  },
};

/** @param {number} query @param {number} key @param {number[]} each @param {Model} row */
const score = (query, key, each, row) => {
  const turning = each.reduce(
    (sum, f) => sum + Math.cos(query * f) * Math.cos(key * f) + Math.sin(query * f) * Math.sin(key * f),
    0,
  );
  return (turning + (row.head - row.dims) / 2) / (row.head / 2);
};

const FAR = 1000;
/** Eight distances an octave, up to 131,072 tokens. */
export const DISTANCES = [...new Set(upto(8 * 17 + 1).map((i) => Math.round(2 ** (i / 8))))];
/**
 * What a random query scores with a key of its own numbers: mean and standard deviation at a distance.
 * @param {number} distance
 * @param {number[]} each
 * @param {Model} row
 */
const at_distance = (distance, each, row) => {
  const [pairs, still] = [row.head / 2, (row.head - row.dims) / 2];
  const turning = each.map((f) => Math.cos(distance * f));
  /** @param {number[]} all */
  const mean_of = (all) => (all.reduce((sum, c) => sum + c, 0) + still) / pairs;
  const mean = mean_of(turning);
  const left = mean_of(turning.map((c) => c * c)) - mean * mean;
  return { mean, spread: Math.sqrt(Math.max(left, 0) / (pairs + 1)) };
};

/**
 * Left alone, slowed by the whole factor, or in between.
 * @param {Turns} now
 * @param {number} i
 */
export const kind_of = (now, i) => {
  const times = now.waves[i] / now.plain[i];
  if (1 + 1e-9 > times) return "kept";
  return times > now.rope.factor * (1 - 1e-9) ? "slowed" : "between";
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const row = /** @type {Model} */ (find(state.model, data));
  const rope = rope_of(state, row, data);
  const pairs = row.dims / 2;
  const dims = row.scaling.whole || row.dims; // that set the paces; the first pairs alone may turn
  const base = upto(dims / 2).map((i) => 1 / rope.theta ** ((2 * i) / dims));
  const each = (stretched[rope.kind] || stretched.default)(base, rope).slice(0, pairs);
  const [waves, plain] = [each, base].map((all) => all.slice(0, pairs).map((f) => (2 * Math.PI) / f));
  const factor = rope.said.factor || 1;
  /** @type {Turns} */
  const now = { waves, plain, rope: /** @type {Told} */ ({ factor }) };
  /** @param {string} kind */
  const count = (kind) => upto(pairs).filter((i) => kind_of(now, i) === kind).length;
  const pair = Math.min(state.pair, Math.max(pairs - 1, 0));
  /** @param {number} i */
  const dial = (i) => {
    const degrees = (each[i] * 180) / Math.PI;
    return {
      pair: i,
      query: (state.query * degrees) % 360,
      key: (state.key * degrees) % 360,
      between: Math.abs(state.query - state.key) * degrees,
    };
  };
  Object.assign(now.rope, {
    title: row.title,
    head: row.head,
    dims: row.dims,
    share: row.dims / row.head,
    pairs,
    theta: rope.theta,
    trained: trained(row),
    original: row.scaling.original_max_position_embeddings || 0,
    kind: data.names[/** @type {keyof Data["names"]} */ (rope.kind)],
    unfinished: plain.filter((w) => w > trained(row)).length,
    kept: count("kept"),
    slowed: count("slowed"),
    between: count("between"),
    fastest: waves[0] || 0,
    slowest: waves.at(-1) || 0,
    slowest_plain: plain.at(-1) || 0,
  });
  const far = at_distance(FAR, each, row);
  const along = DISTANCES.map((distance) => at_distance(distance, each, row));
  return {
    ...now,
    far: { tokens: FAR, mean: far.mean, twice: 2 * far.spread },
    distances: { mean: along.map((one) => one.mean), spread: along.map((one) => one.spread) },
    dials: upto(pairs ? DIALS : 0).map((i) => dial(Math.floor((i * pairs) / (2 * DIALS)))),
    here: { pair, wave: waves[pair] || 0, plain: plain[pair] || 0, times: pairs ? waves[pair] / plain[pair] : 1 },
    offset: Math.abs(state.query - state.key),
    score: score(state.query, state.key, each, row),
  };
}
