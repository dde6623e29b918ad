/* A plan that trains -> a track: places of a cursor on its lanes, and what each stage does there.

Every track has the same names: last (place), seconds(i), index(seconds), page(i, way) -> i, x(i) from 0 to 1, usual. */

import { op_parts } from "../../../explainers/pipeline/simulate.js";
import * as activationMemory from "./activation-memory.js";
import * as runs from "./runs.js";
import * as serves from "./serves.js";
import * as stages from "./stages.js";

/** @import { Layout, Moment, Now, Op, OpPart, Send, Track, TrainTrack } from "./types.d.ts" */

const FOLDED = 0.05; // of a lane's width is the box for rounds that are left out
export const state = { open: false }; // whether the reader unfolded it

/**
 * @param {Now} now
 * @returns {Track | null}
 */
export const of = (now) => (now.layout.job === "train" ? train(now) : serves.of(now));

/**
 * @param {Now} now
 * @returns {TrainTrack | null}
 */
const train = (now) => {
  const run = state.open ? runs.of(now.layout, Infinity) || runs.of(now.layout) : runs.of(now.layout);
  if (!run) return null;
  const { fold, ops_end: end } = run;
  const unit = now.bound.flow / (run.units * now.layout.micro_batches);
  const wide = fold ? FOLDED * end : 0;
  const round = fold ? fold.units : run.units;
  const rounds = fold ? fold.rounds : 0;
  const track = /** @type {TrainTrack} */ ({
    now,
    run,
    unit,
    end: run.end * unit,
    last: end + rounds,
    kept: run.ops.map(kept),
  });
  /* A place -> {t: units as run, micros that were left out before, units of the whole step}. */
  track.moment = (i) => {
    if (!fold || i <= fold.at) return { t: i, micros: 0, units: i, inside: false };
    const many = Math.min(i - fold.at, rounds);
    const t = i < fold.at + rounds ? fold.at : i - rounds;
    return { t, micros: many * fold.micros, units: t + many * fold.units, inside: i < fold.at + rounds, round: many };
  };
  track.seconds = (i) => track.moment(i).units * unit;
  track.index = (seconds) => {
    const units = Math.max(0, Math.min(Math.floor(seconds / unit + 0.1), run.end)); // an address rounds
    if (!fold || units <= fold.at) return units;
    const left = units - fold.at;
    return left < rounds * fold.units ? fold.at + Math.floor(left / fold.units) : units - rounds * (fold.units - 1);
  };
  track.page = (i, way) => track.index((track.moment(i).units + way * round) * unit);
  track.x_of = (t, after) => (t + (after ? wide : 0)) / (end + wide);
  track.x = (i) => {
    if (!fold || i <= fold.at) return track.x_of(i, false);
    return i < fold.at + rounds
      ? (fold.at + (wide * (i - fold.at)) / rounds) / (end + wide)
      : track.x_of(i - rounds, true);
  };
  track.usual = fullest(track, now.plan.fullest.stage);
  return track;
};

/**
 * Chunks of activations that a lane keeps: while each of its ops runs, and after it.
 * @param {Op[]} own
 * @returns {[during: number, after: number][]}
 */
const kept = (own) => {
  let held = 0;
  return own.map(([kind]) => {
    held += "FX".includes(kind) ? 1 : 0;
    const during = held;
    held -= "BWX".includes(kind) ? 1 : 0;
    return [during, held];
  });
};

/**
 * The first place where a stage keeps most.
 * @param {Pick<TrainTrack, "run" | "kept">} track
 * @param {number} stage
 */
const fullest = ({ run, kept }, stage) => {
  const peak = Math.max(...kept[stage].map(([during]) => during));
  return /** @type {number} */ (run.ops[stage][kept[stage].findIndex(([during]) => during === peak)].at(-2));
};

/**
 * What a stage does: {op, next: the op it waits for or comes to, held: chunks}.
 * @param {Pick<TrainTrack, "run" | "kept">} track
 * @param {number} stage
 * @param {Pick<Moment, "t">} moment
 */
export const at = ({ run, kept }, stage, { t }) => {
  const own = run.ops[stage];
  const k = runs.first(own, t + 1) - 1;
  if (k < 0) return { op: null, next: own[0], held: 0 };
  const on = t < /** @type {number} */ (own[k].at(-1));
  return { op: on ? own[k] : null, next: own[k + 1] || null, held: kept[stage][k][on ? 0 : 1] };
};
/**
 * @param {Pick<TrainTrack, "kept">} track
 * @param {number} stage
 * @returns {number}
 */
export const peak = ({ kept }, stage) => Math.max(...kept[stage].map(([during]) => during));

/**
 * The op's parts: a pair is a forward and a backward.
 * @param {Op} op
 * @returns {OpPart[]}
 */
export const parts = (op) => op_parts(op);

/**
 * What has just been made and goes to another stage: [[kind, from, to, micro-batch], ...].
 * @param {Pick<TrainTrack, "run" | "now">} track
 * @param {Pick<Moment, "t" | "micros">} moment
 * @returns {Send[]}
 */
export const sends = ({ run, now }, { t, micros }) => {
  const { layout: one } = now;
  const all = one.pp * run.chunks;
  return run.ops.flatMap((own, from) => {
    const k = runs.first(own, t) - 1;
    if (k < 0 || /** @type {number} */ (own[k].at(-1)) !== t) return [];
    return parts(own[k])
      .filter(([kind]) => kind !== "W")
      .map(([kind, chunk, micro]) => /** @type {OpPart} */ ([kind, chunk + (kind === "F" ? 1 : -1), micro + micros]))
      .filter(([, chunk]) => chunk >= 0 && chunk < all)
      .map(([kind, chunk, micro]) => /** @type {Send} */ ([kind, from, home(one, chunk, micro), micro]))
      .filter(([, , to]) => to !== from);
  });
};

/**
 * Bytes that a stage keeps for the way back where it keeps so many chunks.
 * @param {Pick<TrainTrack, "run" | "now">} track
 * @param {number} stage
 * @param {number} held
 * @returns {number}
 */
export const saved = ({ now, run }, stage, held) => {
  const { sheet, layout: one, plan } = now;
  return held
    ? Math.min(
        activationMemory.activation_bytes(
          sheet,
          one,
          stage,
          stages.count_on_stage(sheet, one, stage, plan.ranks[stage].layers),
          held / (run.chunks * one.copies),
        ),
        plan.ranks[stage].activations_bytes,
      )
    : 0;
};

/**
 * The stage on which a micro-batch meets a chunk: where both ends have one, half of them enter at either.
 * @param {Layout} one
 * @param {number} chunk
 * @param {number} micro
 * @returns {number}
 */
export const home = (one, chunk, micro) => {
  const all = stages.places(chunk, one);
  return all[all.length > 1 && micro >= one.micro_batches / 2 ? 1 : 0];
};

/**
 * Layers of a chunk.
 * @param {Pick<TrainTrack, "run" | "now">} track
 * @param {number} chunk
 * @returns {number[]}
 */
export const layers = ({ now, run }, chunk) => {
  const { sheet, layout: one } = now;
  if (one.pp === 1) return [0, sheet.layers.length];
  return (one.split ? stages.layers_of_layout(one.split) : stages.chunks(sheet.layers.length, one.pp * run.chunks))[
    chunk
  ];
};
