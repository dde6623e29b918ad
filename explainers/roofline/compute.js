/* Twin of reference.py and steps.py: a model, a device and a load -> least time of each block, what bounds it, where that turns. */
import { fmt } from "../kit/numbers.js";

/** @import { Data, State } from "../../.make/data_types/roofline.d.ts" */

/**
 * What a block is part of: a mixer's matrices, what it reads of the past, an MLP, the head.
 * @typedef {"mixer" | "past" | "mlp" | "head"} Half
 */
/**
 * A product over the past: FLOPs for each entry, one entry in so many tokens, at most so many, and when.
 * @typedef {[each: number, every: number, cap: number | null, when: string]} Reading
 */
/**
 * Experts: bytes of all, how many there are, how many a token visits.
 * @typedef {[size: number, many: number, visits: number]} Experts
 */

/**
 * What a block keeps: numbers and further bits of an entry, one entry in so many tokens, at most so many, whether it is
 * one for all, the most entries that a decoding step reads, in how many layers.
 * @typedef {[
 *   numbers: number, bits: number, every: number, cap: number | null, fixed: number, most: number | null,
 *   layers: number,
 * ]} Keeping
 */

/**
 * A block of a model: `runs` is the form of its products (ORDER), `token` FLOPs for one token, `weights` bytes.
 * @typedef {{
 *   name: string, half: Half, role: string, runs: number, count: number, token: number, reads: Reading[],
 *   weights: number, experts: Experts[], keeps: Keeping[],
 * }} Block
 */

/**
 * The columns of a block in Data.
 * @typedef {[name: string, half: Half, role: string, runs: number, count: number, token: number, reads: Reading[],
 * weights: number, experts: Experts[], keeps: Keeping[]]} Columns
 */
/**
 * A model as it is sent.
 * @typedef {[title: string, loops: number, alone: string, held: number, rows: Columns[]]} Model
 */
/**
 * A model: `alone` is the form of weights alone, `held` the bytes of all weights.
 * @typedef {{ title: string, loops: number, alone: string, held: number, blocks: Block[] }} Sheet
 */
/**
 * A device: bytes and FLOPs a second, in the form of weights and in 16 bits (`plain`), FLOPs a byte at its ridge.
 * @typedef {{ title: string, bandwidth: number, tb: number, peak: number, plain: number, ridge: number, plain_ridge:
 * number, tflops: number, room: number }} Device
 */
/** @typedef {[key: "gpus" | "job" | "kv", legal: unknown[]][]} Legal */
/** @typedef {{ mixer: Waiting, past: Sums, mlp: Waiting, head: Sums }} Halves */
/**
 * What all GPUs do in a second: products by form, and bytes.
 * @typedef {{ forms: number[], peaks: number[], bytes: number }} Rates
 */
/** A unit and its size, largest first. @typedef {[size: number, unit: string]} Unit */
/** A block of a step in numbers. @typedef {ReturnType<typeof row_of> & { share: number }} Row */
/** All blocks of a half. @typedef {ReturnType<typeof half_of>} Sums */
/** Those that wait for their weights up to so many sequences. @typedef {Sums & { waits: number }} Waiting */
/**
 * Sums over all blocks.
 * @typedef {{ [Key in "flops" | "weights" | "cache" | "bytes" | "ms" | "flops_ms" | "bytes_ms" | "weights_ms" |
 * "rate"]: number } & { work: string, time: string }} Total
 */
/** @typedef {ReturnType<typeof compute>} Now */

export const GPUS = [1, 2, 4, 8, 16, 32, 64];
export const [MOST_CONTEXT, MOST_BATCH, LAST_BATCH, LAST_CONTEXT] = [2 ** 20, 2 ** 14, 2 ** 24, 2 ** 27];
/** @type {{ [kv: string]: number }} */
const KV_BITS = { bf16: 16, fp8: 8 };
/** @type {Unit[]} */
const TIMES = [
  [1e3, "s"],
  [1, "ms"],
  [1e-3, "µs"],
  [1e-6, "ns"],
];
/** @type {Unit[]} */
const WORK = [
  [1e18, "EFLOP"],
  [1e15, "PFLOP"],
  [1e12, "TFLOP"],
  [1e9, "GFLOP"],
  [1e6, "MFLOP"],
  [1, "FLOP"],
];
/** @type {(keyof Data["devices"][number]["peaks"])[]} */
const ORDER = ["bfloat16", "fp8", "fp4"]; // of products, the slowest first: gallery/planning/devices.py
const FORMS = ["16 bits", "FP8", "FP4"];
const BINDS = { arithmetic: "arithmetic", weights: "reading weights", cache: "reading its cache", "": "nothing" };
/** @type {{ [half: string]: string }} */
const LABELS = { mixer: ": projections", past: ": cache" };
/** @type {Model} */
const EMPTY = ["", 1, "", 0, []];
/** @type {{ [slug: string]: Model }} */
export const fetched = {}; // slug -> model, for all who share this module
const DRAWN = 0.003;
/** @param {number} n @returns {number[]} */
export const upto = (n) => Array.from({ length: n }, (_, i) => i);
/** @param {number[]} list */
const sum = (list) => list.reduce((a, b) => a + b, 0);

/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  if (!data.names.some(([slug]) => slug === state.model))
    return `No model here is called “${state.model}”; choose one from the list.`;
  const devices = data.devices.map((one) => one.key);
  if (!devices.includes(state.gpu)) return `A device is one of ${devices.join(", ")}.`;
  for (const [key, legal] of /** @type {Legal} */ (
    Object.entries({ gpus: GPUS, job: ["decode", "prefill"], kv: Object.keys(KV_BITS) })
  )) {
    if (!legal.includes(state[key])) return `${key} is one of ${legal.join(", ")}.`;
  }
  for (const [key, most] of /** @type {[key: "context" | "batch", most: number][]} */ ([
    ["context", MOST_CONTEXT],
    ["batch", MOST_BATCH],
  ])) {
    const n = state[key];
    if (!Number.isInteger(n) || 1 > n || n > most) return `${key} is a whole number from 1 to ${fmt.int(most)}.`;
  }
  return "";
}

/**
 * A model's numbers, once they are here: in the page, sent along (a notebook), or fetched by the page.
 * @param {string} slug
 * @param {Data} data
 * @returns {Model | undefined}
 */
export const model_of = (slug, data) => {
  if (!fetched[slug] && data.apart?.[slug])
    fetched[slug] = JSON.parse(
      new TextDecoder().decode(Uint8Array.from(atob(data.apart[slug]), (c) => c.charCodeAt(0))),
    );
  return /** @type {{ [slug: string]: Model }} */ (data.models)[slug] || fetched[slug];
};
/** @param {string} slug @param {Data} data @returns {Sheet} */
const sheet_of = (slug, data) => {
  const [title, loops, alone, held, rows] = model_of(slug, data) || EMPTY;
  const blocks = rows.map(([name, half, role, runs, count, token, reads, weights, experts, keeps]) => ({
    name,
    half,
    role,
    runs,
    count,
    token,
    reads,
    weights,
    experts,
    keeps,
  }));
  return {
    title: title || /** @type {string[]} */ (data.names.find((one) => one[0] === slug))[1],
    loops,
    alone,
    held,
    blocks,
  };
};

/** @param {number} value @param {Unit[]} steps */
const spelt = (value, steps) => {
  const [size, unit] = /** @type {Unit} */ (steps.find(([one]) => value >= one) || steps.at(-1));
  const digits = !value ? 0 : 10 > value / size ? 2 : 1000 > value / size ? 1 : 0;
  return `${fmt.fixed(value / size, digits)} ${unit}`;
};

/* ------------------------------------------------------------ work and bytes */
/** @param {number} context @param {number} every @param {number | null} cap */
const entries_at = (context, every, cap) => {
  const found = Math.floor(context / every);
  return cap === null ? found : Math.min(found, cap);
};
/** @param {number} tokens @param {number} every @param {number | null} cap */
const entries_over = (tokens, every, cap) => {
  const limit = cap === null ? tokens : Math.min(tokens, cap * every + every - 1);
  const [full, rest] = [Math.floor(limit / every), limit % every];
  return (every * full * (full - 1)) / 2 + full * (rest + 1) + (tokens - limit) * (cap || 0);
};
/** @param {Sheet} sheet @param {Block} block @param {number} context @param {number} batch @param {boolean} prefill */
const flops_of = ({ loops }, block, context, batch, prefill) => {
  let total = block.token * (prefill ? context : 1);
  for (const [each, every, cap, when] of block.reads) {
    if (when === "" || when === (prefill ? "prefill" : "decode"))
      total += each * (prefill ? entries_over : entries_at)(context, every, cap);
  }
  return total * batch * (block.half === "head" ? 1 : loops);
};
/** @param {number} n @param {number} by */
const up = (n, by) => (n - (n % by)) / by + (n % by ? 1 : 0);
/** @param {Block} block @param {number} tokens */
const weights_of = (block, tokens) =>
  block.weights + sum(block.experts.map(([size, many, visits]) => up(size * Math.min(visits * tokens, many), many)));
/**
 * @param {Sheet} sheet
 * @param {Block} block
 * @param {number} context
 * @param {string} kv
 * @param {number} batch
 * @param {boolean} prefill
 */
const cache_of = ({ loops }, block, context, kv, batch, prefill) =>
  batch *
  sum(
    block.keeps.map(([numbers, bits, every, cap, fixed, most, layers]) => {
      const seen = prefill || most === null ? context : Math.min(context, most * every);
      return layers * up((bits + numbers * KV_BITS[kv]) * (fixed ? 1 : entries_at(seen, every, cap)) * loops, 8);
    }),
  );
/**
 * @param {Sheet} told
 * @param {Block} block
 * @param {State} load
 * @param {boolean} prefill
 * @returns {[weights: number, cache: number]}
 */
const moved = (told, block, { context, batch, kv }, prefill) => [
  weights_of(block, batch * (prefill ? context : 1)),
  cache_of(told, block, context, kv, batch, prefill),
];

/** @param {Sheet} told @param {Block} block @param {State} state @param {Rates} rates */
const row_of = (told, block, state, rates) => {
  const prefill = state.job === "prefill";
  const [form, rate] = [rates.forms[block.runs], rates.peaks[block.runs]];
  const flops = flops_of(told, block, state.context, state.batch, prefill && block.half !== "head");
  const [weights, cache] = moved(told, block, state, prefill);
  const bytes = weights + cache;
  const [flops_ms, bytes_ms] = [(1e3 * flops) / rate, (1e3 * bytes) / rates.bytes];
  const ms = Math.max(flops_ms, bytes_ms);
  const binds = !ms ? "" : flops_ms > bytes_ms ? "arithmetic" : weights >= cache ? "weights" : "cache";
  return {
    label: block.name + (LABELS[block.half] || ""),
    half: block.half,
    role: block.role,
    form: FORMS[form],
    peak: rate / state.gpus,
    count: block.count,
    work: spelt(flops, WORK),
    flops,
    weights,
    cache,
    bytes,
    intensity: bytes ? flops / bytes : 0,
    tflops: ms ? flops / ms / 1e9 / state.gpus : 0,
    flops_ms,
    bytes_ms,
    ms,
    time: spelt(ms, TIMES),
    binds: BINDS[binds],
  };
};

/** @param {Row[]} rows @param {Half} name @param {number} gpus @param {Rates} rates */
const half_of = (rows, name, gpus, rates) => {
  const mine = rows.filter((one) => one.half === name);
  const [flops, bytes, ms, counting] = /** @type {const} */ (["flops", "bytes", "ms", "flops_ms"]).map((key) =>
    sum(mine.map((one) => one[key])),
  );
  return {
    flops,
    bytes,
    ms,
    time: spelt(ms, TIMES),
    intensity: bytes ? flops / bytes : 0,
    tflops: ms ? flops / ms / 1e9 / gpus : 0,
    ridge: counting ? (1e3 * flops) / counting / rates.bytes : 0,
  };
};

/* ------------------------------------------------------------ where one passes another */
/** @param {(n: number) => boolean} holds @param {number} high */
const last_of = (holds, high) => {
  if (!holds(1) || holds(high)) return holds(1) ? -1 : 0;
  let [low, top] = [1, high];
  while (top - low > 1) {
    const middle = Math.floor((low + top) / 2);
    if (holds(middle)) low = middle;
    else top = middle;
  }
  return low;
};
/** @param {Sheet} told @param {Half} name @param {Rates} rates */
const waits = (told, name, rates) => {
  const mine = told.blocks.filter((one) => one.half === name);
  const token = sum(mine.map((one) => flops_of(told, one, 1, 1, false) / rates.peaks[one.runs]));
  return last_of((batch) => sum(mine.map((one) => weights_of(one, batch))) >= token * batch * rates.bytes, LAST_BATCH);
};
/** @param {Sheet} told @param {State} state */
const rule_of = (told, state) => {
  /** @param {number} context @param {number} batch */
  const more = (context, batch) => {
    const both = told.blocks.map((one) => moved(told, one, { ...state, context, batch }, false));
    return sum(both.map(([weights]) => weights)) >= sum(both.map(([, cache]) => cache));
  };
  const batch = last_of((batch) => more(state.context, batch), LAST_BATCH);
  return {
    tokens: last_of((context) => more(context, state.batch), LAST_CONTEXT),
    sequences: batch >= 0 ? batch + 1 : -1,
  };
};

/* ------------------------------------------------------------ sentences */
/** @param {number} n @param {string} word */
const counted = (n, word) => `${fmt.int(n)} ${word}${n === 1 ? "" : "s"}`;
/** @param {Row} row */
const named = ({ half, role, label }) =>
  half === "mlp" ? `${role === "moe" ? "experts" : "MLPs"} (${label})` : label.replace(": ", " ");
/** @param {{ total: Total, rows: Row[], most: number }} found */
const most_says = ({ total, rows, most }) =>
  total.ms
    ? `${fmt.percent(rows[most].share, 0)} of the time goes to the ${named(rows[most])}; the limit is ${rows[most].binds}.`
    : "Nothing is done.";
/** @param {{ rows: Row[], mixer: Waiting, mlp: Waiting }} found */
const waits_says = ({ rows, mixer, mlp }) => {
  const what = rows.some((one) => one.role === "moe") ? "experts" : "MLPs";
  const told = /** @type {[one: Waiting, name: string][]} */ ([
    [mixer, "mixer projections"],
    [mlp, what],
  ])
    .filter(([one]) => one.waits > 0)
    .map(([one, name]) => `${name} up to ${counted(one.waits, "sequence")}`);
  return told.length ? `While decoding, reading weights is the limit for ${told.join(" and for ")}.` : "";
};
/** @param {{ rows: Row[] }} found @param {string} alone */
const peaks_says = ({ rows }, alone) => {
  const worth = rows.filter((row) => row.flops && row.half !== "past");
  const told = FORMS.map((form) => worth.filter((row) => row.form === form))
    .reverse()
    .filter((mine) => mine.length)
    .map(
      (mine, i) =>
        `in ${mine[0].form}, at ${fmt.fixed(mine[0].peak / 1e12, 0)} TFLOP/s ${i ? `(${[...new Set(mine.map((row) => row.label))].join(", ")})` : "per GPU"}`,
    );
  return `Matrix products with weights run ${told.join("; ")}${alone && `; only the weights are ${alone}`}.`;
};
/** @param {State} state @param {{ rule: ReturnType<typeof rule_of> }} found */
const rule_says = ({ batch, context }, { rule }) => {
  const many = `the cache of ${counted(batch, "sequence")}`;
  const first =
    0 > rule.tokens
      ? `The${many.slice(3)} never outgrows the weights that a step reads`
      : rule.tokens
        ? `Up to ${counted(rule.tokens, "token")}, ${many} is smaller than the weights that a step reads`
        : `The${many.slice(3)} is larger than the weights that a step reads at any length`;
  return `${first}; at ${counted(context, "token")} ${0 > rule.sequences ? "no batch size makes it larger" : `the cache of ${counted(rule.sequences, "sequence")} exceeds them`}.`;
};

/* ------------------------------------------------------------ everything */
/**
 * @param {State} state
 * @param {number} top the fastest form that is used
 * @param {Data} data
 * @returns {[forms: number[], peaks: number[], device: Device]}
 */
const device_of = (state, top, data) => {
  const {
    title,
    bandwidth,
    memory,
    peaks: of,
  } = /** @type {Data["devices"][number]} */ (data.devices.find((one) => one.key === state.gpu));
  const forms = ORDER.map((_, form) =>
    upto(form + 1).reduce((best, i) => ((of[ORDER[i]] || 0) > /** @type {number} */ (of[ORDER[best]]) ? i : best), 0),
  ); // in whose peaks they run: their own, or a wider one's
  const peaks = /** @type {number[]} */ (forms.map((form) => of[ORDER[form]]));
  const [peak, plain] = [peaks[top], peaks[0]];
  return [
    forms,
    peaks,
    {
      title,
      bandwidth,
      tb: bandwidth / 1e12,
      peak,
      plain,
      ridge: peak / bandwidth,
      plain_ridge: plain / bandwidth,
      tflops: peak / 1e12,
      room: state.gpus * Math.floor(memory * data.used),
    },
  ];
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const told = sheet_of(state.model, data);
  const [forms, peaks, device] = device_of(
    state,
    Math.max(0, ...told.blocks.filter((one) => one.token).map((one) => one.runs)),
    data,
  );
  const rates = { forms, peaks: peaks.map((one) => state.gpus * one), bytes: state.gpus * device.bandwidth };
  const rows = /** @type {Row[]} */ (told.blocks.map((one) => row_of(told, one, state, rates))); // their share: below
  const total = /** @type {Total} */ (
    /** @type {object} */ (
      Object.fromEntries(
        /** @type {const} */ (["flops", "weights", "cache", "bytes", "ms", "flops_ms", "bytes_ms"]).map((key) => [
          key,
          sum(rows.map((one) => one[key])),
        ]),
      )
    )
  );
  const made = state.batch * (state.job === "prefill" ? state.context : 1);
  Object.assign(total, {
    work: spelt(total.flops, WORK),
    time: spelt(total.ms, TIMES),
    weights_ms: (1e3 * total.weights) / rates.bytes,
    rate: total.ms ? (1e3 * made) / total.ms : 0,
  });
  for (const one of rows) one.share = total.ms ? one.ms / total.ms : 0;
  const halves = /** @type {Halves} */ (
    Object.fromEntries(
      /** @type {const} */ (["mixer", "past", "mlp", "head"]).map((name) => [
        name,
        half_of(rows, name, state.gpus, rates),
      ]),
    )
  );
  for (const name of /** @type {const} */ (["mixer", "mlp"])) halves[name].waits = waits(told, name, rates);
  const cache = sum(told.blocks.map((one) => moved(told, one, state, false)[1]));
  const held = told.held + cache;
  const found = {
    title: told.title,
    device,
    rows,
    drawn: upto(rows.length).filter((i) => rows[i].share >= DRAWN),
    total,
    past_share: total.ms ? halves.past.ms / total.ms : 0,
    ...halves,
    most: rows.reduce((best, one, i) => (one.ms > rows[best].ms ? i : best), 0),
    rule: rule_of(told, state),
    room: { weights: told.held, cache, held, room: device.room, fits: device.room >= held },
  };
  return {
    ...found,
    most_says: most_says(found),
    fits_says: found.room.fits ? "they fit" : "they do not fit",
    peaks_says: peaks_says(found, told.alone),
    waits_says: waits_says(found),
    rule_says: rule_says(state, found),
  };
}
