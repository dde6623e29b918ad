// A growth sheet and what is chosen -> the sentences on the cache, each by its place on the page.
import {
  byKind,
  crossings,
  DTYPES,
  fixed,
  inBytes,
  int,
  keptBytes,
  LONGEST,
  layerBytes,
  slope,
  usualBits,
  usualBytes,
} from "./cache-bytes.js";

/** @import { GrowthSheet, WeighState, WeighedModel } from "../site/types.d.ts" */
/** @import { CacheState, DeviceState } from "./cache-bytes.js" */

/** @type {{ [kind: string]: string }} */
const KINDS = {
  kv: "keys and values",
  compressed: "compressed entries",
  index: "indexer keys",
  state: "recurrent state",
  conv: "convolution state",
};

/**
 * What a packed layout is: gallery.counting.kv_cache.STORAGES.
 * @type {{ [format: string]: string }}
 */
const STORED = {
  packed:
    "MLA: latent in FP8 with one FP32 scale per 128, rotated part in BF16 (656 bytes for 512 + 64); V4 entries 448 FP8 + 64 BF16 + 8 bytes of scales (584); indexer keys FP8 with one FP32 scale; other keys and values FP8 (vLLM, FlashMLA).",
  v4: "the DeepSeek-V4 report's figures: FP8, the rotated part in BF16, indexer keys in FP4, no scales counted (DeepSeek-V4 report).",
};

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
 * @param {CacheState} state
 */
export function growing(sheet, state) {
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
