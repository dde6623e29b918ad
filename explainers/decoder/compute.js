/* Twin of reference.py: a mixer and a stream -> what the decoder answers, where it looks, what it keeps. */
import { live_of } from "./live.js";
import { kept_of, MANY, meets_of, row_of } from "./mixers.js";
import { here_of, stream_of } from "./stream.js";

/** @import { Data as Sent, State } from "../../.make/data_types/decoder.d.ts" */
/** @import { Live } from "./live.js" */
/** @import { Mixer } from "./mixers.js" */

/**
 * @typedef {Omit<Sent, "mixers" | "told"> & { mixers: Mixer[], told: { [mixer: string]: Live } }} Data
 */

/** @typedef {ReturnType<typeof compute>} Now */
/**
 * What pictures are drawn from: a state, and over it what compute returns.
 * @typedef {Omit<State, keyof Now> & Now} Shown
 */

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const stream = stream_of(state.x);
  const one = row_of(state.m, data);
  const place = here_of(stream, state.u, data);
  const tokens = place.token + 1;
  const [right, asked] = Math.min(place.crowd, place.far) >= 0 ? one.cells[place.crowd][place.far] : [0, 0];
  const all = state.feed === "prefill";
  return {
    stream,
    tokens,
    here: { ...place, right, asked, share: right / Math.max(asked, 1) },
    model: {
      title: one.title,
      numbers: one.numbers,
      stays: one.stays,
      others: one.others,
      trained: one.trained,
      file: one.bytes,
      ...one.right,
    },
    kept: { ...kept_of(one, tokens), ...one.keeps },
    full: kept_of(data.mixers[0], tokens),
    meets: meets_of(one, data),
    fed: { steps: all ? 1 : tokens, rows: all ? tokens : 1 },
    heat: one.cells.map((row) => row.map(([r, n]) => (n ? (100 * r) / n : -1))),
    every: data.mixers
      .filter((row) => row.resets === one.resets)
      .map((row) => ({ title: row.title, all: row.right.all, bytes: kept_of(row, MANY).bytes })),
    thrice: Object.fromEntries(
      Object.entries(data.thrice).map(([name, row]) => [name, { low: Math.min(...row), high: Math.max(...row) }]),
    ),
    live: live_of(state, stream, data),
  };
}
