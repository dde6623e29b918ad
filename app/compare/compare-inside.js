// A merged panel (compare-merge.js) -> one SVG: lanes rise from the input into the operation, its tail on top; or, where
// there is no room for lanes, a list with equal boxes folded. Both models take the same boxes, whichever is shown.
import { groups } from "./compare-experts.js";
import { fitFlow } from "./compare-flow.js";
import { flat, listed } from "./compare-panel-list.js";
import { foot, head, PAD } from "./compare-panel-text.js";
import { frame } from "./compare-shapes.js";
import { draw, hatching, text } from "./compare-svg.js";

/** @import { Difference, DrawEnv, FittedFlow, MergedPanel, PanelJson } from "../site/types.d.ts" */

/**
 * @param {MergedPanel} panel
 * @param {number} most pixels that its widest matrix may have
 */
const scaleFor = (panel, most) =>
  Math.min(
    1,
    ...flat(panel)
      .filter((one) => one.kind === "matrix")
      .map((one) => {
        const { w, h } = frame(one);
        return Math.min(most / w, (most * 0.8) / h);
      }),
  );

/** @type {[label: number, most: number, gap: number][]} pixels for words and for the widest matrix, from roomy to tight */
const TIGHTER = [
  [210, 84, 24],
  [100, 60, 24],
  [74, 44, 18],
  [62, 36, 10],
];
/**
 * The flows as roomy as they fit; null where they don't.
 * @param {MergedPanel} panel
 * @param {DrawEnv} env
 * @param {number} room
 * @returns {{ flows: FittedFlow[], tried: DrawEnv } | null}
 */
function fitted(panel, env, room) {
  for (const [label, most, gap] of TIGHTER) {
    const tried = { ...env, label, gap, scale: scaleFor(panel, most) },
      flows = panel.flows.map((flow, i) => fitFlow(flow, panel, tried, i === 0));
    if (flows.every((one) => one.w <= room)) return { flows, tried };
  }
  return null;
}
/**
 * What a panel says that is one operation, without lanes.
 * @param {MergedPanel} panel
 * @param {number} y
 */
const operationLine = (panel, y) =>
  draw(
    "g",
    { "data-n": panel.nodes.join(" "), class: "i" },
    text(PAD, y + 14, [{ t: /** @type {PanelJson} */ (panel.b ?? panel.a).alarm || "one operation", k: "" }], "small"),
  );

let many = 0;
/**
 * {svg, h} of a merged panel at a width; rows are the numbered differences that stand on it.
 * @param {MergedPanel} panel
 * @param {number} W
 * @param {{
 *   rows?: Difference[], cost?: string, sub?: string, own?: boolean, narrow?: boolean, equal?: boolean,
 * }} [options]
 */
export function insideOf(
  panel,
  W,
  { rows = [], cost = "", sub = "", own = false, narrow = false, equal = false } = {},
) {
  const hatch = `hatch-${++many}`,
    g = draw("g", { class: `pn s-${own ? "own" : panel.state}` }),
    room = W - 2 * PAD,
    env = { hatch, label: 210, field: 340, gap: 24, scale: scaleFor(panel, 84) };
  let y = head(g, panel, W, { cost, sub, rows, own }) + 4;
  if (panel.nodes.length) {
    g.append(operationLine(panel, y));
    y += 24;
  }
  const laid = narrow ? null : fitted(panel, env, room);
  if (laid) y = flowing(g, panel, laid, room, y);
  else y = listed(panel, { ...env, field: room - 30, scale: scaleFor(panel, 78) }, W, g, y, equal || !narrow);
  const h = Math.round(foot(g, panel, W, y) + 12);
  g.prepend(draw("rect", { class: "frame", x: 1, y: 1, width: W - 2, height: h - 2, rx: 9 }));
  return {
    svg: draw(
      "svg",
      { class: `cmp-in c-${panel.role || "plain"}${own ? " own" : ""}`, viewBox: `0 0 ${W} ${h}`, width: W, height: h },
      hatching(hatch),
      g,
    ),
    h,
    hatch,
  };
}
/**
 * @param {Element} g
 * @param {MergedPanel} panel
 * @param {{ flows: FittedFlow[], tried: DrawEnv }} laid
 * @param {number} room
 * @param {number} y
 */
function flowing(g, panel, { flows, tried }, room, y) {
  const aside = panel.groups.length ? groups(panel, tried) : null,
    level = aside && flows[0].w + 28 + aside.w <= room;
  let x = PAD,
    row = 0;
  flows.forEach((one, i) => {
    const laid = one.lay(i === 0 && level ? room - aside.w - 28 : flows.length > 1 ? one.w : room);
    if (x > PAD && x + laid.w > PAD + room) {
      x = PAD;
      y += row + 8;
      row = 0;
    }
    laid.put(g, x, y);
    if (i === 0 && level) {
      aside.put(g, x + laid.w + 28, y + Math.max(0, (laid.h - aside.h) / 2));
      row = Math.max(aside.h, 0);
    }
    x += laid.w + 30;
    row = Math.max(row, laid.h);
    if (aside && i === 0) {
      y += row + 8;
      x = PAD;
      row = 0;
    }
  });
  y += row;
  if (aside && !level) {
    aside.put(g, PAD, y);
    y += aside.h;
  }
  return y;
}
