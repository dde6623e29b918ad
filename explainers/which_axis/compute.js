/* Twin of reference.py: a model, a job and so many GPUs on one axis -> what each holds, sends and takes. */
/** @import { Data as Sent, State as Given } from "../../.make/data_types/which-axis.d.ts" */

/** @typedef {"train" | "decode"} Job */
/** What a model is split along. @typedef {keyof Sent["words"]} Axis */
/** A state that check lets pass. @typedef {Omit<Given, "job" | "axis"> & { job: Job, axis: Axis }} State */
/** @typedef {Omit<Sent, "axes"> & { axes: Axis[] }} Data */

/**
 * A plan: its degrees in words, the bytes of each part on the fullest GPU and of all of them, the bytes that the
 * busiest GPU sends and those of them that leave its node, milliseconds.
 * @typedef {[detail: string, held: number[], all: number, sent: number, away: number, ms: number]} Plan
 */

/**
 * What a GPU holds of one part of everything, its share of the whole.
 * @typedef {{ name: string, bytes: number, share: number }} Part
 */

/**
 * A plan by name, or why there is none. `weights_share` is the share of all weights, experts too.
 * @typedef {{
 *   legal: boolean, why: string, detail: string, parts: Part[], total: number, sent: number, away: number, ms: number,
 *   weights_share: number,
 * }} Cell
 */

/**
 * A cell of an axis, and its share of what one GPU would hold.
 * @typedef {Cell & { axis: Axis, name: string, fits: boolean, share: number }} Row
 */
/** @typedef {ReturnType<typeof compute>} Now */

/** @param {State} state @param {Data} data */
const model_of = (state, data) => data.models.find((row) => row.slug === state.model);
/** @param {number[]} list */
const total = (list) => list.reduce((sum, x) => sum + x, 0);
const ALL_WEIGHTS = ["weights", "experts"];
const STEPS = { train: "a whole step", decode: "the next token" };

/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  if (!model_of(state, data)) return `No model here is called “${state.model}”; choose one from the list.`;
  if (!Object.hasOwn(data.parts, state.job)) return "A job is train or decode.";
  if (!data.gpus.includes(state.gpus)) return `The numbers of GPUs here are ${data.gpus.join(", ")}.`;
  return data.axes.includes(state.axis) ? "" : `An axis is one of ${data.axes.join(", ")}.`;
}

/** @param {Plan | string} found @param {number[]} whole @param {string[]} names @returns {Cell} */
const cell = (found, whole, names) => {
  if (typeof found === "string")
    return { legal: false, why: found, detail: "", parts: [], total: 0, sent: 0, away: 0, ms: 0, weights_share: 0 };
  const [detail, held, all, sent, away, ms] = found;
  const parts = names
    .map((name, i) => ({ name, bytes: held[i], share: held[i] / whole[i] }))
    .filter((_, i) => whole[i]);
  /** @param {number[]} sizes */
  const weights = (sizes) => total(sizes.filter((_, i) => ALL_WEIGHTS.includes(names[i])));
  return {
    legal: true,
    why: "",
    detail,
    parts,
    total: all,
    sent,
    away,
    ms,
    weights_share: weights(held) / weights(whole),
  };
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const model = /** @type {Data["models"][number]} */ (model_of(state, data));
  const [names, whole] = [data.parts[state.job], model.one[state.job]];
  const cells = model.plans[state.job][state.gpus];
  const rows = data.axes.map((axis, i) => {
    /** @type {Omit<Row, "fits" | "share">} */
    const row = { axis, name: data.words[axis].name, ...cell(cells[i], whole, names) };
    return { ...row, fits: row.legal && data.room >= row.total, share: row.total / total(whole) };
  });
  /** @param {"total" | "sent" | "ms"} what */
  const largest = (what) => Math.max(...rows.map((row) => row[what]));
  return {
    title: model.title,
    one: cell(["", whole, total(whole), 0, 0, 0], whole, names),
    rows,
    here: rows[data.axes.indexOf(state.axis)],
    told: data.words[state.axis][state.job],
    step: STEPS[state.job],
    room: data.room,
    readers: data.readers,
    batch: data.batch,
    tokens: data.tokens[state.job],
    largest: { total: largest("total"), sent: largest("sent"), ms: largest("ms") },
  };
}
