/* The plan of a first visit -> what stands on /plan/ before, or without, any script, drawn by the modules that draw it later.
   build/render.mjs runs this; no page does. app/plan_page/page.py puts it into the page. */

import { s } from "../../../explainers/kit/dom.js";
import * as atCursor from "./at-cursor.js";
import { communicatorsNote, communicatorsTable } from "./communicators-table.js";
import * as inputLines from "./input-lines.js";
import * as lanePaths from "./lane-paths.js";
import * as lanes from "./lanes.js";
import { memoryTable } from "./memory-table.js";
import * as notes from "./notes.js";
import * as nowOf from "./now.js";
import * as sentences from "./sentences.js";
import * as serves from "./serves.js";
import { shardsTable } from "./shards-table.js";
import * as tables from "./tables.js";
import { timeNote, timeTable } from "./time-table.js";
import * as topology from "./topology.js";
import * as topologyText from "./topology-text.js";
import * as vdom from "./vdom.js";
import * as words from "./words.js";

/** @import { Now, PlacedSlot, PlanData, ServeTrack } from "./types.d.ts" */

const [LAYER, UNITS] = ["plan-layer", "userSpaceOnUse"];
/** What the styles of a live page place; the page's policy lets no style attribute in. */
const PLACED = ".lane-cursor, .lane-flag, .lane-least";

/**
 * Nodes as HTML that needs no script: a button is the number or the name that it says; `digits`: of an attribute.
 * @param {readonly (Node | null)[]} nodes
 * @param {number} [digits]
 */
const plain = (nodes, digits = 2) => {
  const box = document.createElement("div");
  box.append(...nodes.filter((node) => node !== null));
  for (const placed of box.querySelectorAll(PLACED)) placed.remove();
  for (const styled of box.querySelectorAll("[style]")) styled.removeAttribute("style");
  for (const button of box.querySelectorAll("button")) button.replaceWith(`${button.textContent}`);
  return box.innerHTML.replace(/="(\d+\.\d{3,})(?=%?")/g, (_, number) => `="${Number(Number(number).toFixed(digits))}`);
};

/** @param {Now} now */
const drawing = (now) => {
  const box = document.createElement("div");
  vdom.into(box, topology.draw(now, null));
  return [...box.childNodes];
};

/**
 * Rectangles of slots, one after the other.
 * @param {PlacedSlot[]} slots
 * @param {(seconds: number) => number} x
 * @param {number} height
 */
const rects = (slots, x, height) =>
  slots.map((slot) =>
    s("rect", { class: lanePaths.slotClass(slot), x: x(slot.from), width: x(slot.to) - x(slot.from), height }),
  );

/**
 * The lane of one stage whose layers are alike: one of them, again and again. The paths of all are too much for a first
 * visit.
 * @param {ServeTrack} track
 */
const lane = (track) => {
  const { node } = lanes.draw(track, null, 1, "", () => {});
  const svg = /** @type {SVGElement} */ (node.querySelector("svg"));
  const [, , wide, height] = `${svg.getAttribute("viewBox")}`.split(" ").map(Number);
  /** @param {number} seconds */
  const x = (seconds) => (seconds / track.end) * wide;
  const layers = track.slots.filter(({ layer }) => layer >= 0 && layer < track.now.sheet.layers.length);
  const once = layers.filter(({ layer }) => layer === 0);
  const [from, to] = [layers[0].from, layers[layers.length - 1].to];
  const width = x(once[once.length - 1].to - from);
  svg.replaceChildren(
    s("defs", {}, s("pattern", { id: LAYER, x: x(from), width, height, patternUnits: UNITS }, rects(once, x, height))),
    s("rect", { x: x(from), width: x(to - from), height, fill: `url(#${LAYER})` }),
    ...rects(
      track.slots.filter(({ layer }) => !layers.some((one) => one.layer === layer)),
      x,
      height,
    ),
  );
  return node;
};

/**
 * Words and HTML by their places on the page.
 * @param {{ data: PlanData }} asked
 */
export const render = ({ data }) => {
  const { first } = data;
  const now = nowOf.of({ ...data.chosen, ...data.visit }, first, data, "tp");
  const track = serves.of(now);
  if (now.trouble || !track) throw new Error(now.trouble?.why ?? "a first visit's plan is timed");
  /** @param {string} place @param {{ [name: string]: string }} told */
  const named = (place, told) => Object.entries(told).map(([name, text]) => [`${place}-${name}`, text]);
  return {
    fits: now.plan.fits,
    told: {
      ...Object.fromEntries([...named("line", inputLines.lines(now)), ...named("fold", inputLines.folded(now))]),
      title: now.title,
      gpus: `= ${words.int(now.layout.gpus)}`,
      dp: `= ${inputLines.dp(now.layout)}`,
      sub: inputLines.sub(now),
      verdict: sentences.headline(now),
      because: sentences.because(now),
      alt: topologyText.alt(now, null),
      "lives-note": topologyText.note(now),
      "runs-note": atCursor.note(track),
      "costs-note": timeNote(now),
      "talks-note": communicatorsNote(now, null),
    },
    drawn: {
      notes: plain(tables.said(notes.list(now))),
      labels: plain(tables.said(notes.labels(now))),
      drawing: plain(drawing(now)),
      legend: plain(topologyText.legend(now)),
      lanes: plain([lane(track)], 3),
      holds: plain(memoryTable(now, null)),
      costs: plain(timeTable(now)),
      owns: plain(shardsTable(now, null, () => {})),
      talks: plain(communicatorsTable(now, null)),
    },
  };
};
