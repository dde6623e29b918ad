/* A place on a track -> "At the cursor": what every stage does, what leaves it, whether the pipeline fills or drains. */

import * as lanePaths from "./lane-paths.js";
import * as serves from "./serves.js";
import * as tracks from "./tracks.js";
import * as words from "./words.js";

/** @import { Moment, Op, OpPart, Track, TrainTrack } from "./types.d.ts" */

/** @type {{ [kind: string]: string }} */
const KIND = { F: "forward", B: "backward", I: "backward to its input", W: "gradient of the weights", X: "forward" };
const MOST = 4; // stages that are told one by one

/**
 * @param {TrainTrack} track
 * @param {OpPart} one
 * @param {number} micros left out before
 */
const part = (track, [kind, chunk, micro], micros) => {
  const which = lanePaths.parts(track) > 1 ? `, chunk ${lanePaths.local(track, chunk) + 1}` : "";
  return `the ${KIND[kind]} of micro-batch ${words.int(micro + micros + 1)}${which}`;
};

/**
 * What a stage waits for.
 * @param {TrainTrack} track
 * @param {Op | null} op
 * @param {number} micros
 * @returns {string}
 */
export const wait = (track, op, micros) => {
  const {
    now: { layout: one },
    run,
  } = track;
  if (!op) return "is done";
  const [[kind, chunk, micro]] = tracks.parts(op);
  const from = chunk + (kind === "F" ? -1 : 1);
  if (kind === "W" || from < 0 || from >= one.pp * run.chunks) return "waits";
  return `waits for ${part(track, [kind, from, micro], micros)} on stage ${tracks.home(one, from, micro + micros)}`;
};

/**
 * @param {TrainTrack} track
 * @param {number} stage
 * @param {Moment} moment
 * @returns {string}
 */
export const stage = (track, stage, moment) => {
  const { op, next } = tracks.at(track, stage, moment);
  const who = track.now.layout.pp > 1 ? `stage ${stage}` : "each GPU";
  if (!op) return `${who} ${wait(track, next, moment.micros)}`;
  return `${who} runs ${tracks
    .parts(op)
    .map((one) => part(track, one, moment.micros))
    .join(" with ")}`;
};

/**
 * Stages by what they do, where they are many.
 * @param {TrainTrack} track
 * @param {Moment} moment
 */
const counted = (track, moment) => {
  const doing = track.run.ops.map((_, stage) => tracks.at(track, stage, moment).op?.[0] || "");
  /**
   * @param {string[]} kinds
   * @param {string} word
   */
  const many = (kinds, word) => {
    const n = doing.filter((kind) => kinds.includes(kind)).length;
    return n ? `${n} ${word}` : "";
  };
  const found = [
    many(["F"], "forward"),
    many(["B", "I"], "back"),
    many(["X"], "both ways"),
    many(["W"], "on gradients of weights"),
    many([""], "waiting"),
  ].filter(Boolean);
  return `${doing.length} stages, ${words.and(found)}; ${stage(track, track.now.plan.fullest.stage, moment)}`;
};

/**
 * @param {TrainTrack} track
 * @param {Moment} moment
 */
const state = (track, { t, inside, round }) => {
  const { ops, fold } = track.run;
  if (fold && inside) return `Round ${words.int(round ?? 0)} of ${words.int(fold.rounds)} that are alike.`;
  if (t >= track.run.ops_end) return "The step is done, every stage at the pace of the slowest.";
  /**
   * @param {Op[]} own
   * @param {string} kinds
   */
  const begun = (own, kinds) => own.some((op) => kinds.includes(op[0]) && /** @type {number} */ (op.at(-2)) <= t);
  /** @param {Op[]} own */
  const left = (own) => own.some((op) => "FX".includes(op[0]) && /** @type {number} */ (op.at(-2)) > t);
  if (ops.length > 1 && ops.some((own) => !begun(own, "BIX"))) return "The pipeline is filling: activations grow.";
  return ops.some(left) || ops.length === 1 ? "" : "The pipeline is draining: activations fall.";
};

/**
 * @param {Track} track
 * @param {number} i
 * @returns {string}
 */
export const text = (track, i) => {
  if (!track.run) return serves.text(track, i);
  const moment = track.moment(i);
  const { ops } = track.run;
  if (moment.t >= track.run.ops_end) return state(track, moment);
  const said = ops.length <= MOST ? ops.map((_, k) => stage(track, k, moment)).join("; ") : counted(track, moment);
  const sent = tracks
    .sends(track, moment)
    .map(
      ([kind, from, to, micro]) =>
        `${from} → ${to} (${kind === "F" ? "" : "gradient of "}micro-batch ${words.int(micro + 1)})`,
    );
  const leaves = !sent.length
    ? ""
    : sent.length > MOST
      ? `${sent.length} sends between stages. `
      : `Sent: stage ${sent.join(", ")}. `;
  return `${words.capital(said)}. ${leaves}${state(track, moment)}`.trim();
};

/**
 * One line beside the title.
 * @param {Track | null | undefined} track
 * @returns {string}
 */
export const note = (track) => {
  if (!track) return "";
  const { now, run } = track;
  const { layout: one } = now;
  if (!run)
    return `one ${words.STEP[one.job]}: what ${track.slots.some((slot) => slot.what === "products") ? "is multiplied" : "is read"} and sent, layer by layer, without overlap; with full overlap it takes at least ${words.duration(now.bound.seconds)}`;
  const sizes = `${run.chunks > 1 ? `${run.chunks} chunks × ` : ""}${words.plural(one.micro_batches, "micro-batch", "micro-batches")} on ${words.plural(one.pp, "stage")}`;
  const tones = `pale forward, dark backward${run.chunks > 1 ? ", tone = chunk" : ""}${run.ops[0].some(([kind]) => kind === "W") ? ", edged: gradients of weights" : ""}`;
  return `${sizes}; ${tones}`;
};

/**
 * Run slot by slot all stages go at the pace of the slowest, and gradients have a time of their own.
 * @param {Track} track
 * @returns {string}
 */
export const apart = ({ run, end, now }) =>
  run && Math.abs(end / now.bound.seconds - 1) > 0.005
    ? ` Run slot by slot, every stage as slow as the slowest, micro-batches take ${words.duration(end)}; the step takes at least ${words.duration(now.bound.seconds)}.`
    : "";
