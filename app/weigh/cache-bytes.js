// A growth sheet and what is chosen -> bytes, which gallery/counting/cache_growth.py counts as well, and words.

/** @import { CacheFormat, CacheRow, GrowthSheet, WeighState, WeighedModel } from "../site/types.d.ts" */

/** @typedef {Pick<WeighState, "ctx" | "batch" | "kv">} CacheState */
/** @typedef {Pick<WeighState, "gpu" | "gpus">} DeviceState */

const [KIND, NUMBERS, BITS, EVERY, CAP, FIXED, PACKED] = /** @type {const} */ ([0, 1, 2, 3, 4, 5, 6]);
/** @type {{ [dtype: string]: number }} */
const WIDTHS = { bfloat16: 16, float8_e4m3fn: 8, float4_e2m1fn: 4 };
export const DTYPES = {
  bf16: "bfloat16",
  fp8: "float8_e4m3fn",
  fp4: "float4_e2m1fn",
  packed: "fp8_ds_mla",
  v4: "fp8_bf16rope_fp4index",
};
/** @type {{ [kind: string]: string }} */
const KINDS = {
  kv: "keys and values",
  compressed: "compressed entries",
  index: "indexer keys",
  state: "recurrent state",
  conv: "convolution state",
};
export const STEPS = 8,
  LONGEST = 2 ** 20;
export const CONTEXTS = Array.from(
  { length: 81 },
  (_, at) => (2 ** (10 + Math.floor(at / STEPS)) * (STEPS + (at % STEPS))) / STEPS,
);

// ---------------------------------------------------------------- numbers

/** @param {string} digits */
const grouped = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
/**
 * @param {number} n
 * @returns {string}
 */
export const int = (n) => grouped(String(Math.round(n)));
/**
 * @param {number} x
 * @param {number} digits
 * @returns {string}
 */
export function fixed(x, digits) {
  const [whole, part] = x.toFixed(digits).split(".");
  return grouped(whole) + (part ? `.${part}` : "");
}
/** @type {[size: number, unit: string][]} */
const UNITS = [
  [1e15, "PB"],
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "KB"],
];
/**
 * @param {number} n
 * @param {number} [digits]
 * @returns {string}
 */
export function inBytes(n, digits = 1) {
  const found = UNITS.find(([size]) => n >= size);
  return found ? `${fixed(n / found[0], digits)} ${found[1]}` : `${Number.isInteger(n) ? int(n) : fixed(n, 0)} B`;
}

/**
 * What a packed layout is: gallery.counting.kv_cache.STORAGES.
 * @type {{ [format: string]: string }}
 */
const STORED = {
  packed:
    "MLA: latent in FP8 with one FP32 scale per 128, rotated part in BF16 (656 bytes for 512 + 64); V4 entries 448 FP8 + 64 BF16 + 8 bytes of scales (584); indexer keys FP8 with one FP32 scale; other keys and values FP8 (vLLM, FlashMLA).",
  v4: "the DeepSeek-V4 report's figures: FP8, the rotated part in BF16, indexer keys in FP4, no scales counted (DeepSeek-V4 report).",
};

// ---------------------------------------------------------------- bytes

/**
 * @param {CacheRow} row
 * @param {string} dtype
 * @returns {number}
 */
const bitsOf = (row, dtype) => row[PACKED][dtype] ?? row[BITS] + row[NUMBERS] * (WIDTHS[dtype] ?? 0);
/**
 * @param {CacheRow} row
 * @param {number} context tokens
 * @returns {number}
 */
const entries = (row, context) =>
  row[FIXED]
    ? 1
    : row[CAP] === null
      ? Math.floor(context / row[EVERY])
      : Math.min(Math.floor(context / row[EVERY]), row[CAP]);
/**
 * @param {CacheRow} row
 * @returns {boolean}
 */
export const grows = (row) => !row[FIXED] && row[CAP] === null;
/**
 * @param {CacheRow} row
 * @param {number} loops
 * @param {number} context
 * @param {string} dtype
 * @returns {number}
 */
export const rowBytes = (row, loops, context, dtype) =>
  Math.ceil((bitsOf(row, dtype) * entries(row, context) * loops) / 8);

/**
 * [what grows, what does not] of one layer of a kind.
 * @param {GrowthSheet} sheet
 * @param {number} kind
 * @param {number} context
 * @param {string} dtype
 * @returns {number[]}
 */
export function layerBytes(sheet, kind, context, dtype) {
  const found = [0, 0];
  for (const row of sheet.kinds[kind][1]) found[grows(row) ? 0 : 1] += rowBytes(row, sheet.loops, context, dtype);
  return found;
}
/**
 * @param {GrowthSheet} sheet
 * @param {number} context
 * @param {string} dtype
 * @param {number} [batch]
 * @returns {number}
 */
export function keptBytes(sheet, context, dtype, batch = 1) {
  let total = 0;
  for (const [count, kept] of sheet.kinds)
    for (const row of kept) total += count * rowBytes(row, sheet.loops, context, dtype);
  return batch * total;
}
/**
 * @param {GrowthSheet} sheet
 * @param {number} context
 * @param {string} dtype
 * @param {number} [batch]
 */
export function byKind(sheet, context, dtype, batch = 1) {
  /** @type {{ [kind: string]: number }} */
  const found = {};
  for (const [count, kept] of sheet.kinds)
    for (const row of kept)
      found[row[KIND]] = (found[row[KIND]] || 0) + batch * count * rowBytes(row, sheet.loops, context, dtype);
  return found;
}
/** @param {string} dtype */
const usualBits = (dtype) => WIDTHS[dtype] ?? 8;
/**
 * @param {GrowthSheet} sheet
 * @param {number} context
 * @param {string} dtype
 * @param {number} [batch]
 * @returns {number}
 */
export function usualBytes(sheet, context, dtype, batch = 1) {
  if (!sheet.usual) return 0;
  const [layers, heads, headDim] = sheet.usual;
  return Math.ceil((2 * layers * heads * headDim * usualBits(dtype) * context * batch) / 8);
}

/**
 * The contexts from which on the other of two models keeps more.
 * @param {GrowthSheet} a
 * @param {GrowthSheet} b
 * @param {string} dtype
 * @returns {number[]}
 */
export function crossings(a, b, dtype) {
  /** @param {number} context */
  const more = (context) => Math.sign(keptBytes(a, context, dtype) - keptBytes(b, context, dtype));
  const found = [];
  let [before, low] = [more(CONTEXTS[0]), CONTEXTS[0]];
  for (const context of CONTEXTS.slice(1)) {
    const now = more(context);
    if (now && before && now !== before) found.push(between(more, low, context, now));
    if (now) [before, low] = [now, context];
  }
  return found;
}
/**
 * @param {(context: number) => number} more
 * @param {number} low
 * @param {number} high
 * @param {number} now
 */
function between(more, low, high, now) {
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (more(middle) === now) high = middle;
    else low = middle;
  }
  return high;
}

// ---------------------------------------------------------------- words

/**
 * @param {Pick<WeighState, "ctx" | "batch">} state
 * @returns {string}
 */
export const title = ({ ctx, batch }) =>
  `Cache at ${int(ctx)} token${ctx === 1 ? "" : "s"}${batch > 1 ? ` × ${int(batch)} sequences` : ""}`;
/**
 * @param {GrowthSheet} sheet
 * @param {CacheState} state
 */
function made(sheet, { ctx, batch, kv }) {
  const kinds = byKind(sheet, ctx, DTYPES[kv], batch);
  return Object.entries(KINDS)
    .filter(([kind]) => kinds[kind])
    .map(([kind, word]) => `${inBytes(kinds[kind])} of ${word}`)
    .join(" + ");
}
/**
 * @param {GrowthSheet} sheet
 * @param {Pick<WeighState, "batch" | "kv">} state
 */
function slope(sheet, { batch, kv }) {
  let total = 0;
  for (const [count, kept] of sheet.kinds)
    for (const row of kept) if (grows(row)) total += (count * bitsOf(row, DTYPES[kv]) * sheet.loops) / row[EVERY];
  return (batch * total) / 8;
}
/**
 * @param {GrowthSheet} sheet
 * @param {CacheState} state
 */
function growing(sheet, state) {
  const each = slope(sheet, state);
  const still =
    state.batch *
    sheet.kinds.reduce(
      (sum, [count], kind) => sum + count * layerBytes(sheet, kind, state.ctx, DTYPES[state.kv])[1],
      0,
    );
  const first = each
    ? `Each further token${state.batch > 1 ? " of every sequence" : ""} adds ${inBytes(each)}`
    : "No part of the cache grows without limit";
  return first + (still ? `; windows and states take ${inBytes(still)} and stop growing.` : ".");
}
/**
 * @param {GrowthSheet} sheet
 * @param {CacheState} state
 */
const beyond = ({ longest }, { ctx }) =>
  longest && ctx > longest ? `longer than the config’s context of ${int(longest)} tokens` : "";
/**
 * @param {GrowthSheet} sheet
 * @param {CacheState} state
 */
function usual(sheet, { ctx, batch, kv }) {
  if (!sheet.usual) return "Layers × 2 × KV heads × head_dim × bytes does not apply: this config has no KV heads.";
  const [layers, heads, headDim] = sheet.usual,
    dtype = DTYPES[kv];
  const [gives, ours] = [usualBytes(sheet, ctx, dtype, batch), keptBytes(sheet, ctx, dtype, batch)];
  const each = { 16: "2 bytes", 8: "1 byte", 4: "½ byte" }[usualBits(dtype)];
  const sum = `${int(layers)} layers × 2 × ${int(heads)} KV heads × ${int(headDim)} × ${each} × ${int(ctx)}${batch > 1 ? ` × ${int(batch)}` : ""}`;
  const factor =
    gives === ours ? "the real size" : ours ? `${fixed(gives / ours, 1)} × the real size` : "but there is no cache";
  return `${sum} = ${inBytes(gives)}, ${factor}.`;
}
/**
 * As an address of /plan/ names them: in the largest equal nodes that there are of this device.
 * @param {WeighedModel} model
 * @param {DeviceState} state
 */
function nodes({ devices }, { gpu, gpus }) {
  let [, each] = devices[gpu];
  while (gpus % each) each -= 1;
  return `${gpu}:${gpus / each}x${each}`;
}
/**
 * @param {GrowthSheet} sheet
 * @param {WeighedModel} model
 * @param {CacheState & DeviceState} state
 */
function room(sheet, { weights, devices, stored = "weights as stored" }, { ctx, batch, kv, gpu, gpus }) {
  const held = gpus * devices[gpu][0],
    each = keptBytes(sheet, ctx, DTYPES[kv]),
    kept = batch * each,
    left = held - weights - kept;
  const fit = each ? Math.floor(Math.max(held - weights, 0) / each) : 0;
  const start = `${int(gpus)} × ${gpu.replaceAll("_", " ").toUpperCase()} have ${inBytes(held)} of memory. The ${stored} take ${inBytes(weights)} and this cache ${inBytes(kept)}`;
  const many = each ? ` ${int(fit)} sequence${fit === 1 ? "" : "s"} of this length fit${fit === 1 ? "s" : ""}.` : "";
  return start + (left < 0 ? `: ${inBytes(-left)} too much.` : `, which leaves ${inBytes(left)}.`) + many;
}
/**
 * @param {GrowthSheet} own
 * @param {GrowthSheet} other
 * @param {Pick<WeighState, "kv">} state
 * @returns {string}
 */
export function crossing(own, other, { kv }) {
  const dtype = DTYPES[kv],
    found = crossings(other, own, dtype);
  const more = keptBytes(other, LONGEST, dtype) - keptBytes(own, LONGEST, dtype);
  const word = more > 0 ? "larger" : more < 0 ? "smaller" : "the same";
  if (!found.length) return `${word} at every length`;
  const first = found.slice(0, -1).map(int).join(" and ");
  return `${word} from ${int(found[found.length - 1])} tokens on${first && `; the curves also cross at ${first}`}`;
}
/**
 * @param {GrowthSheet} own
 * @param {GrowthSheet} other
 * @param {CacheState} state
 * @returns {string[]}
 */
export function beside(own, other, state) {
  const [theirs, ours] = [other, own].map((sheet) => keptBytes(sheet, state.ctx, DTYPES[state.kv], state.batch));
  return [inBytes(theirs), ours ? `${fixed(theirs / ours, 2)} ×` : ""];
}

/**
 * The next of 1, 2, 5, 10, 20, 50 ... that is no less.
 * @param {number} most
 * @returns {number}
 */
export function ceiling(most) {
  let size = 1;
  while (size * 10 < most) size *= 10;
  return size * /** @type {number} */ ([1, 2, 5, 10].find((step) => size * step >= most));
}

/**
 * Of each kind of layers [what grows, what does not] of all sequences, and the bytes at the strip's upper edge.
 * @param {GrowthSheet} sheet
 * @param {CacheState} state
 */
export function stripBytes(sheet, { ctx, batch, kv }) {
  const high = sheet.kinds.map((_, kind) => layerBytes(sheet, kind, ctx, DTYPES[kv]).map((size) => size * batch));
  return { high, top: ceiling(Math.max(1, ...high.map(([growing, still]) => growing + still))) };
}

/**
 * Every sentence by its place on the page.
 * @param {GrowthSheet} sheet
 * @param {WeighedModel} model
 * @param {CacheState & DeviceState} state
 */
export const toldAll = (sheet, model, state) => ({
  title: title(state),
  total: inBytes(keptBytes(sheet, state.ctx, DTYPES[state.kv], state.batch)),
  made: made(sheet, state),
  grows: growing(sheet, state),
  beyond: beyond(sheet, state),
  usual: usual(sheet, state),
  stored: STORED[state.kv] ?? "",
  room: room(sheet, model, state),
  on: nodes(model, state),
});
