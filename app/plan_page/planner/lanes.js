/* A track -> its lanes: slots as paths, a cursor's line, names on the left, what a stage keeps on the right. */

import { h, s, setAttrs, setText } from "../../../explainers/kit/dom.js";
import * as runs from "./runs.js";
import * as topology from "./topology.js";
import * as tracks from "./tracks.js";
import * as words from "./words.js";

/** @import { Fold, Now, Op, Picked, PlacedSlot, ServeTrack, Track, TrainTrack } from "./types.d.ts" */

const WIDE = 1000;
const TONES = 4;
/** @param {number} value */
const tenth = (value) => Math.round(value * 10) / 10;

/* Rectangles by class: {class: path}. What is narrower than a pixel joins its neighbour of the same class. */
const paths = () => {
  /** @typedef {{ x: number, y: number, w: number, h: number }} Rect */
  /** @type {Map<string, Rect[]>} */
  const found = new Map();
  /** @type {Map<string, Rect>} */
  const last = new Map();
  /**
   * @param {string} cls
   * @param {number} x
   * @param {number} y
   * @param {number} w
   * @param {number} h
   */
  const add = (cls, x, y, w, h) => {
    const before = last.get(`${cls} ${y}`);
    if (before && w < 1.2 && Math.abs(before.x + before.w - x) < 1e-6) {
      before.w += w;
      return;
    }
    const rect = { x, y, w, h };
    last.set(`${cls} ${y}`, rect);
    if (!found.has(cls)) found.set(cls, []);
    found.get(cls)?.push(rect);
  };
  const draw = () =>
    [...found].map(([cls, all]) =>
      s("path", {
        class: cls,
        d: all
          .map(({ x, y, w, h }) => {
            const gap = w > 5 ? 0.9 : w > 1.2 ? 0.18 * w : 0;
            return `M${tenth(x)} ${y}h${tenth(w - gap)}v${h}h${-tenth(w - gap)}z`;
          })
          .join(""),
      }),
    );
  return { add, draw };
};

/**
 * Where a chunk of the model stands among those of its stage.
 * @param {TrainTrack} track
 * @param {number} chunk
 * @returns {number}
 */
export const local = ({ now: { layout: one }, run }, chunk) =>
  one.copies > 1 ? Number(chunk >= one.pp / 2) : Math.floor(chunk / one.pp) % run.chunks;
/**
 * @param {TrainTrack} track
 * @returns {number}
 */
export const parts = ({ now, run }) => run.chunks * now.layout.copies;
/**
 * @param {TrainTrack} track
 * @param {number} chunk
 */
const tone = (track, chunk) => Math.floor((TONES * local(track, chunk)) / parts(track));

/**
 * @param {TrainTrack} track
 * @param {Picked | null} picked
 */
const train = (track, picked) => {
  const { run, now } = track;
  const [pitch, made] = [topology.pitch(run.ops.length), paths()];
  const high = pitch - (pitch > 12 ? 4 : 1);
  const lit = picked?.layer !== null && picked ? picked : null;
  /** @param {number} chunk */
  const mine = (chunk) => {
    const [first, end] = tracks.layers(track, chunk);
    return lit !== null && lit.layer !== null && lit.layer >= first && lit.layer < end;
  };
  /**
   * @param {Op} op
   * @param {number} stage
   * @param {number} from
   * @param {number} to
   * @param {boolean} after
   */
  const one = (op, stage, from, to, after) => {
    const [a, b] = [track.x_of(from, after), track.x_of(to, after)].map((x) => x * WIDE);
    const parts = tracks.parts(op);
    parts.forEach(([kind, chunk], i) => {
      const cls =
        lit && lit.stage === stage && mine(chunk)
          ? `fill-${lit.axis} ln-my${kind}`
          : `ln-${kind}${kind === "W" ? "" : tone(track, chunk)}`;
      made.add(cls, a, stage * pitch + (i * high) / 2, b - a, high / parts.length);
    });
  };
  run.ops.forEach((own, stage) =>
    own.forEach((op) => {
      const [from, to] = /** @type {number[]} */ (op.slice(-2));
      const at = run.fold ? run.fold.at : Infinity;
      if (from < at) one(op, stage, from, Math.min(to, at), false);
      if (to > at) one(op, stage, Math.max(from, at), to, true);
    }),
  );
  return { height: run.ops.length * pitch - (pitch - high), pitch, paths: made.draw(), many: now.layout.pp };
};

/**
 * The class of a slot of a step that serves.
 * @param {PlacedSlot} slot
 * @returns {string}
 */
export const slotClass = (slot) => (slot.axis ? `fill-${words.role(slot.axis)}` : `ph-${slot.what}`);

/** @param {ServeTrack} track */
const serve = (track) => {
  const { slots, end, now } = track;
  const [pitch, made] = [topology.pitch(now.layout.pp), paths()];
  const high = pitch - (pitch > 12 ? 4 : 1);
  for (const slot of slots)
    made.add(slotClass(slot), (slot.from / end) * WIDE, slot.stage * pitch, (slot.seconds / end) * WIDE, high);
  return { height: now.layout.pp * pitch - (pitch - high), pitch, paths: made.draw(), many: now.layout.pp };
};

/**
 * One track as HTML: {node, update(i)}; `share`: of the longest track's time.
 * @param {Track} track
 * @param {Picked | null} picked
 * @param {number} share
 * @param {string} title
 * @param {() => void} unfold
 */
export const draw = (track, picked, share, title, unfold) => {
  const { now, run } = track;
  const { height, pitch, paths, many } = run ? train(track, picked) : serve(track);
  const every = Math.ceil(12 / pitch);
  /** @param {number} stage */
  const name = (stage) =>
    title && many === 1
      ? title
      : many === 1
        ? "GPU"
        : stage % every && stage < many - 1
          ? ""
          : [h("span", { class: "lane-word", text: "stage " }), String(stage)];
  const names = h(
    "div",
    { class: "lane-names" },
    paths && Array.from({ length: many }, (_, stage) => h("span", { style: { height: `${pitch}px` } }, name(stage))),
  );
  const line = h("i", { class: "lane-cursor" });
  const flag = h("output", { class: "lane-flag" });
  const svg = s(
    "svg",
    { viewBox: `0 0 ${WIDE} ${height}`, preserveAspectRatio: "none", width: "100%", height, "aria-hidden": "true" },
    paths,
  );
  const ends = [
    h("span", { class: "lane-end", text: "0" }),
    h("span", { class: "lane-end lane-last", text: words.duration(track.end) }),
  ];
  const field = h(
    "div",
    { class: "lane-field", style: { height: `${height}px` } },
    svg,
    run?.fold ? fold(track, unfold) : null,
    run ? null : least(track),
    ends,
    line,
    flag,
  );
  const sides = run ? Array.from({ length: many }, (_, stage) => side(track, stage, pitch)) : [];
  const aside = h(
    "div",
    { class: "lane-sides" },
    run
      ? [h("span", { class: "lane-side", text: "chunks in flight" }), sides.map((one) => one.node)]
      : [h("b", { text: words.duration(track.end) }), h("span", { text: "without overlap" })],
  );
  const node = h(
    "div",
    { class: `track${many > 1 ? "" : " track-one"}` },
    title && many > 1 ? h("p", { class: "track-title", text: title }) : null,
    names,
    h("div", { class: "lane-all" }, h("div", { style: { width: `${100 * share}%` } }, field)),
    aside,
  );
  /** @param {number} i */
  const update = (i) => {
    const x = 100 * track.x(i);
    setAttrs(line, { style: { left: `${x}%` } });
    setAttrs(ends[0], { class: `lane-end${x < 4 ? " lane-under" : ""}` });
    setAttrs(ends[1], { class: `lane-end lane-last${x > 72 ? " lane-under" : ""}` });
    setAttrs(flag, {
      text: words.duration(track.seconds(i)),
      class: `lane-flag${x > 80 ? " lane-left" : ""}`,
      style: { left: `${x}%` },
    });
    if (run) {
      const moment = track.moment(i);
      sides.forEach((one, stage) => one.update(tracks.at(track, stage, moment).held));
    }
  };
  return { node, field, update, now };
};

/**
 * Chunks that a stage keeps now, of the most it ever does.
 * @param {TrainTrack} track
 * @param {number} stage
 * @param {number} pitch px
 */
const side = (track, stage, pitch) => {
  const peak = tracks.peak(track, stage);
  const [bar, text] = [h("i"), h("span")];
  const node = h(
    "p",
    { style: { height: `${pitch}px` } },
    h("span", { class: "lane-bar" }, bar),
    pitch > 12 ? text : null,
  );
  return {
    node,
    /** @param {number} held */
    update: (held) => {
      setAttrs(bar, { style: { width: `${(100 * held) / peak}%` } });
      setText(text, `${held} of ${peak}`);
    },
  };
};

/**
 * @param {TrainTrack} track
 * @param {() => void} unfold
 */
const fold = (track, unfold) => {
  const fold = /** @type {Fold} */ (track.run.fold);
  const text = `${words.int(fold.rounds)} rounds alike`;
  const may = 2 * track.now.layout.pp * track.run.chunks * track.now.layout.micro_batches <= runs.MOST_OPS;
  const place = {
    left: `${100 * track.x_of(fold.at, false)}%`,
    width: `${100 * (track.x_of(fold.at, true) - track.x_of(fold.at, false))}%`,
  };
  return h(
    may ? "button" : "span",
    {
      type: may ? "button" : false,
      class: "lane-fold",
      style: place,
      "aria-label": may ? `${text}: unfold` : false,
      on: may ? { click: unfold } : {},
    },
    h("span", { text }),
  );
};

/**
 * Where the step ends if everything hides behind the slowest.
 * @param {ServeTrack} track
 */
const least = ({ now, end }) => {
  const x = (100 * now.bound.seconds) / end;
  return x > 97
    ? null
    : h("i", { class: "lane-least", title: `at least ${words.duration(now.bound.seconds)}`, style: { left: `${x}%` } });
};
