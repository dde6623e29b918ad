// The merged operation of a flow -> its size and how it is drawn: a strip of heads, or experts as a field of cells.
import { LINE } from "./compare-boxes.js";
import { length, runs, wide, wrap } from "./compare-runs.js";
import { cells } from "./compare-shapes.js";
import { draw, text } from "./compare-svg.js";

/** @import { DrawEnv, FieldBox, FittedOp, MergedField, MergedFlow, MergedPanel, OpBox } from "../site/types.d.ts" */

/** @param {number} more */
const sign = (more) => (more > 0 ? "⊕ " : "⊖ ") + Math.abs(more).toLocaleString("en-US");
/**
 * The words of an operation: A's and B's line by line.
 * @param {{ a?: OpBox, b?: OpBox }} op
 */
function operationWords(op) {
  /** @type {(row: OpBox | undefined) => string[]} */
  const pick = (row) => (row ? [...row[1], ...(row[3] ? [`keeps ${row[3]}`] : [])] : []);
  const one = pick(op.a),
    two = pick(op.b);
  return Array.from({ length: Math.max(one.length, two.length) }, (_, i) =>
    runs(op.a ? (one[i] ?? "") : undefined, op.b ? (two[i] ?? "") : undefined),
  );
}
/**
 * The heads of A and of B as one strip of cells; a cell stands for several where there are more than 512.
 * @param {number[]} heads
 * @param {number} x
 * @param {number} y
 * @param {number} room
 * @param {string} hatch
 */
function headStrip(heads, x, y, room, hatch) {
  const many = Math.max(...heads),
    fold = Math.ceil(many / 512),
    step = Math.min(room / Math.ceil(many / fold), 12);
  return cells(
    Math.ceil(heads[0] / fold),
    Math.ceil(heads[1] / fold),
    x,
    y,
    { rows: 1, step, wide: Math.max(step - 1, step * 0.7), high: 13 },
    hatch,
  );
}
/**
 * The heads as a strip of cells under the words; the experts as a field of them.
 * @param {MergedFlow} flow
 * @param {MergedPanel} panel
 * @param {DrawEnv} env
 * @param {boolean} first
 * @returns {FittedOp}
 */
export function fitOp(flow, panel, env, first) {
  const { op } = flow;
  if (op.kind === "field") return fitField(op, env);
  const heads = first ? [panel.a?.heads ?? 0, panel.b?.heads ?? 0] : [0, 0],
    many = Math.max(...heads),
    told = operationWords(op);
  const least = Math.max(150, Math.min(300, ...[Math.max(...told.map((list) => length(list, "name"))) + 24]));
  const more = op.a && op.b ? heads[1] - heads[0] : 0,
    words = many > 1 ? [...runs(`${heads[0]} heads`, `${heads[1]} heads`)] : [];
  const own = many > 1 ? (op.a && op.b ? words : [{ t: `${many} heads`, k: "" }]) : [];
  return {
    least,
    lay: (w) => {
      const lines = [...told, ...(own.length ? [own] : [])].flatMap((list) => wrap(list, "name", w - 20)),
        h = lines.length * 18 + 12 + (many > 1 ? 18 : 0);
      return {
        h,
        put: (g, x, y) => {
          const group = draw("g", {
            class: `i s-${more && op.state === "same" ? "differs" : op.state}`,
            "data-n": op.nodes.join(" "),
            "data-k": "op",
          });
          group.append(draw("rect", { class: "bx", x, y, width: w, height: h, rx: 6 }));
          lines.forEach((line, i) => group.append(text(x + 10, y + 18 + 18 * i, line, "name")));
          if (more && length(lines[0], "name") + wide(`${sign(more)} heads`, "bold") + 36 < w)
            group.append(text(x + w - 10, y + 18, [{ t: `${sign(more)} heads`, k: "c" }], "bold", "end"));
          if (many > 1) group.append(headStrip(heads, x + 10, y + h - 22, w - 20, env.hatch));
          g.append(group);
        },
      };
    },
  };
}
/**
 * Cells of a field of experts: how many a cell stands for, rows, columns, pixels from cell to cell.
 * @param {number} most
 * @param {number} room
 */
function fieldSizes(most, room) {
  const fold = Math.max(1, Math.ceil(most / 2048)),
    n = Math.ceil(most / fold),
    rows = n <= 8 ? 1 : n <= 32 ? 4 : n <= 128 ? 8 : n <= 1024 ? 16 : 32,
    columns = Math.ceil(n / rows),
    step = Math.max(3, Math.min(rows === 1 ? 22 : 12, Math.floor(room / columns)));
  return { fold, rows, columns, step };
}
/**
 * The words under a field of experts, in lines.
 * @param {MergedField} op
 * @param {number} fold
 * @param {number} room
 */
function fieldWords(op, fold, room) {
  const groups = op.a && op.b ? runs(grouped(op.a), grouped(op.b)) : [{ t: grouped(op.a ?? op.b), k: "" }],
    cut = grouped(op.a ?? op.b) || grouped(op.b ?? op.a),
    zero = runs(op.a && zeros(op.a), op.b && zeros(op.b));
  return [
    cut ? groups : [],
    [{ t: fold > 1 ? `a cell: ${fold} experts` : "", k: "" }],
    zero,
    runs(op.a?.[1].join(", "), op.b?.[1].join(", ")),
  ]
    .filter((list) => list.some((run) => run.t))
    .flatMap((list) => wrap(list, "small", room));
}
/**
 * Where whole columns of cells are a group of experts: the lines between the groups, A's only where B's are others.
 * @param {MergedField} op
 * @param {ReturnType<typeof fieldSizes>} sizes
 * @param {number} left
 * @param {number} top
 */
function groupLines(op, { fold, rows, step }, left, top) {
  /** @type {[FieldBox | undefined, "a" | "b"][]} */
  const sides = [
    [op.a, "a"],
    [op.b, "b"],
  ];
  return sides.flatMap(([row, cls]) => {
    if (
      !row ||
      row[5] <= 1 ||
      row[3] % row[5] !== 0 ||
      (row[3] / row[5]) % rows !== 0 ||
      fold !== 1 ||
      (cls === "a" && grouped(op.a) === (op.b && grouped(op.b)))
    )
      return [];
    let d = "";
    for (let i = 1; i < row[5]; i++)
      d += `M${left + (((row[3] / row[5]) * i) / rows) * step - 1} ${top}v${rows * step}`;
    return [draw("path", { class: `split split-${cls}`, d })];
  });
}
/**
 * @param {MergedField} op
 * @param {DrawEnv} env
 * @returns {FittedOp}
 */
function fitField(op, env) {
  const [na, nb] = [op.a?.[3] ?? 0, op.b?.[3] ?? 0],
    most = Math.max(na, nb),
    sizes = fieldSizes(most, env.field),
    { fold, rows, columns, step } = sizes,
    lines = fieldWords(op, fold, Math.max(columns * step, 150));
  const w = Math.max(columns * step, ...lines.map((line) => length(line, "small"))) + 20,
    more = op.a && op.b ? nb - na : 0,
    h = rows * step + 16 + lines.length * LINE + (more ? 16 : 0),
    cell = step - Math.max(1, step / 6);
  return {
    least: w,
    lay: (room) => ({
      h,
      put: (g, x, y) => {
        const group = draw("g", {
            class: `i s-${op.state}`,
            "data-n": op.nodes.join(" "),
            "data-k": "field",
            "data-a": op.a ? na : "",
            "data-b": op.b ? nb : "",
          }),
          left = Math.round(x + (room - columns * step) / 2),
          top = y + 8 + (more ? 16 : 0);
        group.append(draw("rect", { class: "bx", x, y, width: room, height: h, rx: 6 }));
        if (more) {
          const t = `${sign(more)} experts`,
            at = left + (Math.min(na, nb) / most) * columns * step;
          group.append(text(Math.min(at, x + room - 8 - wide(t, "bold")), y + 17, [{ t, k: "c" }], "bold"));
        }
        group.append(
          cells(
            Math.ceil(na / fold),
            Math.ceil(nb / fold),
            left,
            top,
            { rows, step, wide: cell, high: cell },
            env.hatch,
          ),
          ...groupLines(op, sizes, left, top),
        );
        lines.forEach((line, i) =>
          group.append(text(x + room / 2, top + rows * step + 12 + LINE * i, line, "small", "middle")),
        );
        g.append(group);
      },
    }),
  };
}
/** @param {FieldBox | undefined} row */
const grouped = (row) => (row && row[5] > 1 ? `${row[5]} groups, ${row[6]} kept` : "");
/** @param {FieldBox} row */
const zeros = (row) => (row[7] ? `${row[7]} zero experts: no weights` : "");
