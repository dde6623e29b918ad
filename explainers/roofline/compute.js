/* Twin of reference.py: a model, a device and a load -> least time of each block, what bounds it, where that turns. */
import { upto } from "../kit/arrays.js";
import { fmt } from "../kit/numbers.js";
import { most_says, peaks_says, rule_says, waits_says } from "./says.js";
import { sheet_of } from "./sheet.js";
import { half_of, KV_BITS, moved, row_of, rule_of, spelt, sum, TIMES, WORK, waits } from "./steps.js";

/** @import { Data, State } from "../../.make/data_types/roofline.d.ts" */
/** @import { Row, Sums } from "./steps.js" */
/** @import { Total, Waiting } from "./says.js" */

/**
 * A device: bytes and FLOPs a second, in the form of weights and in 16 bits (`plain`), FLOPs a byte at its ridge.
 * @typedef {{ title: string, bandwidth: number, tb: number, peak: number, plain: number, ridge: number, plain_ridge:
 * number, tflops: number, room: number }} Device
 */

/** @typedef {[key: "gpus" | "job" | "kv", legal: unknown[]][]} Legal */

/** @typedef {{ mixer: Waiting, past: Sums, mlp: Waiting, head: Sums }} Halves */

/** @typedef {ReturnType<typeof compute>} Now */

export const GPUS = [1, 2, 4, 8, 16, 32, 64];

export const [MOST_CONTEXT, MOST_BATCH] = [2 ** 20, 2 ** 14];

/** @type {(keyof Data["devices"][number]["peaks"])[]} */
const ORDER = ["bfloat16", "fp8", "fp4"]; // of products, the slowest first: gallery/planning/devices.py

const DRAWN = 0.003;

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
