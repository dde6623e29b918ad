// The matrices of one expert, and of what every token visits, in a row each beside the flows of a merged panel.
import { equals, LINE, put } from "./compare-boxes.js";
import { called } from "./compare-panel-list.js";
import { length, runs, wrap } from "./compare-runs.js";
import { frame, matrix, shapes } from "./compare-shapes.js";
import { text } from "./compare-svg.js";

/** @import { DrawEnv, MergedMatrix, MergedPanel } from "../site/types.d.ts" */

/**
 * The words under a matrix: its name, its shape.
 * @param {MergedMatrix} item
 */
const words = (item) => [
  [{ t: called(item), k: item.state === "same" ? "" : "n" }],
  ...wrap(equals(shapes(item), item), "mono", 74),
];
/**
 * A group's matrices in a row under its heading: their sizes, and the sizes of the whole.
 * @param {MergedPanel["groups"][number]} one
 * @param {DrawEnv} env
 */
function fitGroup(one, env) {
  const items = one.items.map((item) => {
    const { w, h } = frame(item),
      lines = words(item),
      W = Math.max(w * env.scale, 5),
      H = Math.max(h * env.scale, 5);
    return { item, W, H, lines, w: Math.max(W, ...lines.map((line) => length(line, "mono"))) };
  });
  const w = items.reduce((sum, each) => sum + each.w + 18, -18),
    high = Math.max(0, ...items.map((each) => each.H)),
    heading = wrap(
      equals(runs(one.heading[0], one.heading[1]), { state: one.heading[0] === one.heading[1] ? "same" : "" }),
      "small",
      Math.max(w, 190),
    );
  return {
    items,
    w: Math.max(w, ...heading.map((line) => length(line, "small"))),
    high,
    heading,
    h: heading.length * LINE + 8 + high + 6 + Math.max(0, ...items.map((each) => each.lines.length)) * LINE + 14,
  };
}
/**
 * @param {Element} g
 * @param {ReturnType<typeof fitGroup>} one
 * @param {number} x
 * @param {number} y
 * @param {DrawEnv} env
 */
function putGroup(g, one, x, y, env) {
  one.heading.forEach((line, k) => g.append(text(x, y + 12 + LINE * k, line, "small")));
  const floor = y + one.heading.length * LINE + 8 + one.high;
  let at = x;
  for (const { item, W, H, w, lines } of one.items) {
    put(
      g,
      item,
      {
        put: (group) => {
          group.append(matrix(item, Math.round(at), Math.round(floor - H), env.scale, env.hatch));
          lines.forEach((line, i) => group.append(text(at, floor + 16 + LINE * i, line, "mono")));
        },
      },
      at + W / 2,
      floor - H,
    );
    at += w + 18;
  }
}
/**
 * One expert, and what every token visits: their matrices in a row, each above its words.
 * @param {MergedPanel} panel
 * @param {DrawEnv} env
 */
export function groups(panel, env) {
  const fitted = panel.groups.map((one) => fitGroup(one, env));
  return {
    w: Math.max(0, ...fitted.map((one) => one.w)),
    h: fitted.reduce((sum, one) => sum + one.h, 0),
    /**
     * @param {Element} g
     * @param {number} x
     * @param {number} y
     */
    put: (g, x, y) => {
      for (const one of fitted) {
        putGroup(g, one, x, y, env);
        y += one.h;
      }
    },
  };
}
