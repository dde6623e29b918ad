/* One cursor for lanes, links and stacks: a slider, play and step, the lanes under a finger; the address keeps its second. */

import { h, setAttrs, setText } from "../../../explainers/kit/dom.js";
import * as atCursor from "./at-cursor.js";
import * as elements from "./elements.js";
import { drag } from "./lane-drag.js";
import * as lanes from "./lanes.js";
import * as overlay from "./overlay.js";
import * as pin from "./pin.js";
import * as runs from "./runs.js";
import * as session from "./session.js";
import * as tracks from "./tracks.js";
import * as words from "./words.js";

/** @import { Now, Track } from "./types.d.ts" */

/**
 * The place, the tracks that it stands on, their lanes and what of the drawing follows; two timers.
 * @type {{
 *   i: number, shown: ReturnType<typeof lanes.draw>[], tracks: Track[], parts: ReturnType<typeof overlay.parts>[],
 *   later: ReturnType<typeof setTimeout> | number, ticket: number,
 * }}
 */
const state = { i: 0, shown: [], tracks: [], parts: [], later: 0, ticket: 0 };

/**
 * @param {string} name
 * @param {string} text
 * @param {() => void} click
 */
const button = (name, text, click) =>
  h("button", { type: "button", class: "button", "aria-label": name, text, on: { click } });
const range = h("input", { type: "range", class: "lane-range", min: "0", step: "1", "aria-label": "time of the step" });
const play = button("Play", "▶", () => {
  if (!state.ticket) return run();
  stop();
  return commit();
});
const time = h("output", { class: "lane-time" });
const back = button("Step back", "|◀", () => go(state.i - 1));
const forward = button("Step forward", "▶|", () => go(state.i + 1));
const row = h(
  "div",
  { class: "lane-transport", role: "group", "aria-label": "cursor" },
  back,
  play,
  forward,
  range,
  time,
);

export const start = () => {
  range.addEventListener("input", () => go(Number(range.value)));
  range.addEventListener("keydown", keys);
};

/** @param {KeyboardEvent} event */
const keys = (event) => {
  const [track] = state.tracks;
  const to = {
    ArrowLeft: () => state.i - 1,
    ArrowDown: () => state.i - 1,
    ArrowRight: () => state.i + 1,
    ArrowUp: () => state.i + 1,
    PageUp: () => track.page(state.i, 1),
    PageDown: () => track.page(state.i, -1),
    Home: () => 0,
    End: () => track.last,
  }[event.key];
  if (event.key === " ") play.click();
  else if (to) go(to());
  else return;
  event.preventDefault();
};

/** @param {Now} now */
const nothing = (now) => {
  const text = now.plan.timed
    ? "More slots than are run here: fewer micro-batches, or a schedule with rounds, are drawn."
    : "No sequence fits, so nothing runs.";
  elements.put("lanes", h("p", { class: "muted", text }));
  setText(elements.at("cursor"), "");
};

const fold = () => {
  const click = () => {
    tracks.state.open = false;
    show(session.state.good);
  };
  return h("button", { type: "button", class: "link", on: { click } }, "fold rounds that are alike");
};

/**
 * A legal plan is drawn: lanes for it, the cursor where it was.
 * @param {Now} now
 * @returns {void | HTMLElement}
 */
export const show = (now) => {
  stop();
  clearTimeout(state.later); // a place in a plan that is gone
  overlay.off(elements.at("drawing"));
  const given = [now, pin.show(now)].filter(Boolean);
  const all = given.map(tracks.of);
  const [track] = all;
  state.tracks = track ? all.filter(Boolean) : [];
  setText(elements.at("runs-note"), atCursor.note(track));
  if (!track) return nothing(now);
  const most = Math.max(...state.tracks.map((one) => one.end));
  const unfold = () => {
    tracks.state.open = true;
    show(session.state.good);
    range.focus();
  };
  state.shown = state.tracks.map((one, k) =>
    lanes.draw(
      one,
      k ? null : session.state.picked,
      one.end / most,
      state.tracks.length > 1 ? (k ? "pinned" : "yours") : "",
      unfold,
    ),
  );
  const again = tracks.state.open && track.run && !track.run.fold && runs.of(now.layout)?.fold ? fold() : null;
  setAttrs(range, { max: track.last });
  elements.put(
    "lanes",
    state.shown.map(({ node }) => node),
    row,
    again,
  );
  for (const [k, { field }] of state.shown.entries())
    drag(field, state.tracks[k], (seconds, i) => go(k ? track.index(seconds) : i));
  const panels = [...elements.at("drawing").querySelectorAll(".pin-panel")];
  state.parts = state.tracks.map((one) =>
    overlay.parts(panels[given.indexOf(one.now)] || elements.at("drawing"), Boolean(one.run)),
  );
  const asked = Number(now.chosen.t);
  return put(now.chosen.t && asked >= 0 ? track.index(asked) : track.usual);
};

/**
 * The cursor stands at a place; nothing else changes.
 * @param {number} i
 */
const put = (i) => {
  const [track] = state.tracks;
  state.i = Math.max(0, Math.min(i, track.last));
  const at = track.seconds(state.i);
  const at_each = state.tracks.map((one, k) => (k ? one.index(at) : state.i));
  const [mine, theirs] = state.tracks.map((one, k) => atCursor.text(one, at_each[k]));
  const text = theirs ? `${mine} Pinned: ${theirs}` : mine;
  state.shown.forEach(({ update }, k) => update(at_each[k]));
  setAttrs(range, {
    value: String(state.i),
    "aria-valuetext": text,
    style: { "--at": `${(100 * state.i) / track.last}%` },
  });
  setText(time, `${words.duration(at)} of ${words.duration(track.end)}`);
  elements.put("cursor", h("b", { text: "At the cursor: " }), `${text}${atCursor.apart(track)}`);
  state.tracks.forEach((one, k) => overlay.move(one, at_each[k], state.parts[k]));
};

/**
 * Bytes of activations that a stage keeps at the cursor.
 * @param {number} stage
 * @returns {number | null}
 */
export const saved = (stage) => {
  const [track] = state.tracks;
  return track?.run ? tracks.saved(track, stage, tracks.at(track, stage, track.moment(state.i)).held) : null;
};

/**
 * The reader moved it: the address follows when they pause.
 * @param {number} i
 */
const go = (i) => {
  stop();
  put(i);
  clearTimeout(state.later);
  state.later = setTimeout(commit, 250);
};
const commit = () => {
  const t = String(Number(state.tracks[0].seconds(state.i).toPrecision(6)));
  const { chosen, now, good } = session.state;
  session.state.chosen = { ...chosen, t };
  good.chosen = { ...good.chosen, t };
  good.address = session.addressOf(good);
  if (now === good) history.replaceState(null, "", good.address);
};

const SECONDS = 15; // a step is played in so many at most
const run = () => {
  const [track] = state.tracks;
  const rate = Math.max(4, track.last / SECONDS);
  if (state.i >= track.last) put(0);
  setAttrs(play, { "aria-label": "Pause", text: "❚❚" });
  const from = state.i;
  let zero = 0;
  /** @param {number} time */
  const frame = (time) => {
    zero = zero || time;
    const i = Math.min(track.last, from + Math.floor(((time - zero) / 1000) * rate));
    if (i !== state.i) put(i);
    if (i >= track.last) {
      stop();
      commit();
      return;
    }
    state.ticket = requestAnimationFrame(frame);
  };
  state.ticket = requestAnimationFrame(frame);
};
const stop = () => {
  if (!state.ticket) return;
  cancelAnimationFrame(state.ticket);
  state.ticket = 0;
  setAttrs(play, { "aria-label": "Play", text: "▶" });
};
