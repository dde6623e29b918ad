/* A track -> its lanes: slots as paths, a cursor's line, names on the left, what a stage keeps on the right. */

import { h, s, setAttrs, setText } from "../../../explainers/kit/dom.js";
import { serve, train, WIDE } from "./lane-paths.js";
import * as runs from "./runs.js";
import * as tracks from "./tracks.js";
import * as words from "./words.js";

/** @import { Fold, Picked, ServeTrack, Track, TrainTrack } from "./types.d.ts" */

/**
 * The stages, as many as have room for their number.
 * @param {number} many
 * @param {number} pitch
 * @param {string} title
 */
const names = (many, pitch, title) => {
  const every = Math.ceil(12 / pitch);
  /** @param {number} stage */
  const name = (stage) =>
    many === 1
      ? title || "GPU"
      : stage % every && stage < many - 1
        ? ""
        : [h("span", { class: "lane-word", text: "stage " }), String(stage)];
  const lanes = Array.from({ length: many }, (_, stage) => h("span", { style: { height: `${pitch}px` } }, name(stage)));
  return h("div", { class: "lane-names" }, lanes);
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
  const beside = run
    ? [h("span", { class: "lane-side", text: "chunks in flight" }), sides.map((one) => one.node)]
    : [h("b", { text: words.duration(track.end) }), h("span", { text: "without overlap" })];
  const node = h(
    "div",
    { class: `track${many > 1 ? "" : " track-one"}` },
    title && many > 1 ? h("p", { class: "track-title", text: title }) : null,
    names(many, pitch, title),
    h("div", { class: "lane-all" }, h("div", { style: { width: `${100 * share}%` } }, field)),
    h("div", { class: "lane-sides" }, beside),
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
