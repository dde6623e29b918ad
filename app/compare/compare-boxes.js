// One merged box -> its size, the words beside it and how it is drawn: matrices to scale, steps, caches.
import { length, plus, runs, wrap } from "./compare-runs.js";
import { frame, matrix, shapes } from "./compare-shapes.js";
import { draw, text } from "./compare-svg.js";

/** @import { DrawEnv, FittedBox, MatrixBox, MergedItem, MergedMatrix, MergedState, MergedText, Put, Run } from "../site/types.d.ts" */

export const STEP = 16,
  LINE = 14;
/**
 * @param {Run[]} list
 * @param {{ state?: MergedState | "" }} item
 * @returns {Run[]}
 */
export const equals = (list, item) => (item.state === "same" ? plus(list, " =", "q") : list);
/**
 * @param {MergedItem} item
 * @param {1 | 3} i
 */
const both = (item, i) =>
  runs(/** @type {string | undefined} */ (item.a?.[i]), /** @type {string | undefined} */ (item.b?.[i]));

// ---------------------------------------------------------------- boxes

/**
 * {w, h, tall, lines beside it, put(g, x of its middle, y of its top)} of one box.
 * @param {MergedItem} item
 * @param {DrawEnv} env
 * @returns {FittedBox}
 */
export function fit(item, env) {
  if (item.kind === "matrix") return fitMatrix(item, env);
  if (item.kind === "sign")
    return {
      w: 18,
      h: 18,
      tall: 18,
      beside: 0,
      put: (g, x, y) =>
        g.append(
          draw("circle", { class: "sum", cx: x, cy: y + 9, r: 9 }),
          draw("path", {
            class: "sumline",
            d: (item.b ?? item.a)?.[1] === "times" ? `M${x - 4} ${y + 5}l8 8m0 -8l-8 8` : `M${x} ${y + 4}v10m-5 -5h10`,
          }),
        ),
    };
  if (item.kind === "box") return fitBox(item, env);
  const kept = item.kind === "kept",
    lines = wrap(equals(both(item, 1), kept ? {} : item), "small", env.label + 30),
    say = kept
      ? [equals([{ t: "cached", k: "" }], item), ...wrap(both(item, 3), "small", env.label)].filter((line) =>
          length(line, "small"),
        )
      : [];
  const w = Math.max(...lines.map((line) => length(line, "small"))) + 16,
    h = lines.length * LINE + (kept ? 12 : 7);
  return stand(w, h, say, "small", (g, x, y) => {
    g.append(
      draw("rect", {
        class: kept ? "keep" : item.kind === "tag" ? "tag" : "pill",
        x: x - w / 2,
        y,
        width: w,
        height: h,
        rx: item.kind === "tag" ? h / 2 : 4,
      }),
    );
    lines.forEach((line, i) =>
      g.append(text(x, y + h / 2 + 4 + LINE * (i - (lines.length - 1) / 2), line, "small", "middle")),
    );
  });
}
/**
 * @param {number} w
 * @param {number} h
 * @param {Run[][]} lines
 * @param {string} style
 * @param {Put} put
 * @returns {FittedBox}
 */
function stand(w, h, lines, style, put) {
  const beside = Math.max(0, ...lines.map((line) => length(line, style))),
    tall = Math.max(h, lines.length * LINE);
  return {
    w,
    h,
    tall,
    beside,
    put: (g, x, y) => {
      put(g, x, y);
      lines.forEach((line, i) =>
        g.append(
          text(
            x + w / 2 + 8,
            y + h / 2 + 4 + LINE * (i - (lines.length - 1) / 2),
            line,
            i || style !== "mono" ? style : "mono",
            "start",
          ),
        ),
      );
    },
  };
}
/**
 * @param {MergedMatrix} item
 * @param {DrawEnv} env
 * @returns {FittedBox}
 */
export function fitMatrix(item, env) {
  const { w, h } = frame(item),
    W = Math.max(w * env.scale, 5),
    H = Math.max(h * env.scale, 5);
  const lines = [
    [{ t: /** @type {MatrixBox} */ (item.b ?? item.a)[1], k: item.state === "same" ? "" : "n" }],
    ...wrap(equals(shapes(item), item), "mono", env.label),
  ];
  return stand(W, H, lines, "mono", (g, x, y) =>
    g.append(matrix(item, Math.round(x - W / 2), Math.round(y), env.scale, env.hatch)),
  );
}
/**
 * @param {MergedText} item
 * @param {DrawEnv} env
 */
function fitBox(item, env) {
  const rows = Array.from({ length: Math.max(item.a?.[3].length ?? 0, item.b?.[3].length ?? 0) }, (_, i) =>
    runs(item.a ? (item.a[3][i] ?? "") : undefined, item.b ? (item.b[3][i] ?? "") : undefined),
  );
  const names = wrap(equals(both(item, 1), item), "name", env.label + 50),
    lines = rows.flatMap((row) => wrap(row, "small", env.label + 50)),
    low = 18 * names.length;
  const w = Math.max(...names.map((line) => length(line, "name")), ...lines.map((line) => length(line, "small"))) + 20,
    h = low + 8 + lines.length * LINE;
  return stand(w, h, [], "small", (g, x, y) => {
    g.append(draw("rect", { class: "bx", x: x - w / 2, y, width: w, height: h, rx: 6 }));
    names.forEach((line, i) => g.append(text(x, y + 17 + 18 * i, line, "name", "middle")));
    lines.forEach((line, i) => g.append(text(x, y + low + 15 + LINE * i, line, "small", "middle")));
  });
}
/**
 * @param {Element} g
 * @param {MergedItem} item
 * @param {{ put: Put }} fitted
 * @param {number} x
 * @param {number} y
 */
export function put(g, item, fitted, x, y) {
  const group = draw("g", {
    class: `i s-${item.state}`,
    "data-n": item.nodes.join(" "),
    "data-k": item.kind,
    "data-a": item.kind === "matrix" && item.a ? `${item.a[3]} ${item.a[4]}` : "",
    "data-b": item.kind === "matrix" && item.b ? `${item.b[3]} ${item.b[4]}` : "",
  });
  fitted.put(group, Math.round(x), Math.round(y));
  g.append(group);
}
