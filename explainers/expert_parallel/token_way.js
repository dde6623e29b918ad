/* Where nodes, GPUs and experts stand, and the way of one token between them: bars, wires, and what moves along them. */
import { upto } from "../kit/arrays.js";
import { below } from "./percent_lines.js";

/** @import { Now } from "./compute.js" */
/** @import { Line } from "./percent_lines.js" */

/** Corners [x in percent, y in pixels] of the way that something takes. @typedef {number[][]} Way */

export const [ROW, TOP, HIGH, BUS, WIRE, SIDE, OTHER] = [84, 18, 40, 66, 75, 45, 55];

/** @param {number} node @param {number} nodes */
export const place_of = (node, nodes) => {
  if (nodes === 1) return [0, 100, 0];
  const rows = nodes / 2;
  return [below(node, rows) ? 0 : OTHER, SIDE, (node % rows) * ROW];
};
/** @param {number} gpu @param {number} nodes */
export const centre = (gpu, nodes) => {
  const [x, wide, y] = place_of(Math.floor(gpu / 8), nodes);
  return [x + (wide * ((gpu % 8) + 0.5)) / 8, y];
};
/** @param {Now} now @param {number} node @param {number} step */
export const bars_of = (now, node, step) => {
  const { per_gpu: per, here } = now;
  const found = { box: "", goal: "", bar: "", out: "", picked: "" };
  const size = now.experts / Math.max(here.marks.length, 1);
  const wide = 860 / per;
  for (const gpu of upto(8)) {
    found[step >= 3 && here.gpus.includes(node * 8 + gpu) ? "goal" : "box"] +=
      `M${1000 * gpu + 30} 0h940v${HIGH}h-940z`;
    for (const j of upto(per)) {
      const slot = (node * 8 + gpu) * per + j;
      const expert = now.slots[slot];
      const high = 3 + (33 * (here.scores[expert] - here.low)) / (here.high - here.low);
      const stays = !here.marks.length || !step || here.kept.includes(Math.floor(expert / size));
      const kind = step >= 2 && here.goals.includes(slot) ? "picked" : stays ? "bar" : "out";
      found[kind] +=
        `M${Math.round(1000 * gpu + 70 + wide * (j + 0.1))} ${HIGH}v-${Math.round(high)}h${Math.round(wide * 0.8)}V${HIGH}z`;
    }
  }
  return found;
};
/** @param {Pick<Now, "here">} now @param {number} nodes */
const net_ends = ({ here }, nodes) => [here.node, ...here.away].map((node) => centre(8 * node + (here.gpu % 8), nodes));
/** @param {Now} now @param {number} nodes @param {number} step */
export const wires_of = (now, nodes, step) => {
  const { here } = now;
  /** @type {Line[]} */
  const made = [];
  if (step >= 3 && here.away.length) {
    const on = step === 3 || step === 6 ? "net on" : "net";
    const ends = net_ends(now, nodes);
    for (const [x, y] of ends) made.push([on, x, y + TOP + HIGH, x, y + WIRE], [on, x, y + WIRE, 50, y + WIRE]);
    const heights = ends.map(([, y]) => y + WIRE);
    made.push([on, 50, Math.min(...heights), 50, Math.max(...heights)]);
  }
  if (step >= 4) {
    const on = step === 4 || step === 5 ? "nvl on" : "nvl";
    for (const node of here.nodes) {
      const goals = here.inside.filter((gpu) => Math.floor(gpu / 8) === node);
      if (!goals.length) continue;
      const at = [8 * node + (here.gpu % 8), ...goals].map((gpu) => centre(gpu, nodes));
      for (const [x, y] of at) made.push([on, x, y + TOP + HIGH, x, y + BUS]);
      const xs = at.map(([x]) => x);
      made.push([on, Math.min(...xs), at[0][1] + BUS, Math.max(...xs), at[0][1] + BUS]);
    }
  }
  return made;
};

/**
 * The ways of what moves in a step; back is the same way from its end.
 * @param {Now} now
 * @param {number} nodes
 * @param {number} step
 * @returns {Way[]}
 */
export const ways_of = (now, nodes, step) => {
  const { here } = now;
  const foot = TOP + HIGH;
  if (step === 3 || step === 6) {
    const [[x, y], ...ends] = net_ends(now, nodes);
    const ways = ends.map(([a, b]) => [
      [x, y + foot],
      [x, y + WIRE],
      [50, y + WIRE],
      [50, b + WIRE],
      [a, b + WIRE],
      [a, b + foot],
    ]);
    return step === 3 ? ways : ways.map((way) => way.reverse());
  }
  if (step !== 4 && step !== 5) return [];
  const ways = here.inside.map((gpu) => {
    const [[x, y], [a]] = [8 * Math.floor(gpu / 8) + (here.gpu % 8), gpu].map((one) => centre(one, nodes));
    return [
      [x, y + foot],
      [x, y + BUS],
      [a, y + BUS],
      [a, y + foot],
    ];
  });
  return step === 4 ? ways : ways.map((way) => way.reverse());
};
/** @param {Way} way @param {number} f @returns {number[]} */
export const along = (way, f) => {
  const at = f * (way.length - 1);
  const i = Math.min(Math.floor(at), way.length - 2);
  return [0, 1].map((k) => way[i][k] + (at - i) * (way[i + 1][k] - way[i][k]));
};
