// One merged box -> its size, the words beside it and how it is drawn: matrices to scale, steps, caches, operations.
import { cells, draw, frame, length, matrix, plus, runs, shapes, text, wide, wrap } from "./compare-svg.js";

/** @import { Both, DrawEnv, FieldBox, FittedBox, FittedOp, MatrixBox, MergedField, MergedFlow, MergedItem, MergedMatrix,
 *   MergedPanel, MergedSign, MergedState, MergedText, OpBox, Put, Run } from "../site/types.d.ts" */

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

// ---------------------------------------------------------------- the operation

/** @param {number} more */
const sign = (more) => (more > 0 ? "⊕ " : "⊖ ") + Math.abs(more).toLocaleString("en-US");
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
    /** @type {(row: OpBox | undefined) => string[]} */
    pick = (row) => (row ? [...row[1], ...(row[3] ? [`keeps ${row[3]}`] : [])] : []);
  const one = pick(op.a),
    two = pick(op.b),
    told = Array.from({ length: Math.max(one.length, two.length) }, (_, i) =>
      runs(op.a ? (one[i] ?? "") : undefined, op.b ? (two[i] ?? "") : undefined),
    );
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
          if (many > 1) {
            const fold = Math.ceil(many / 512),
              step = Math.min((w - 20) / Math.ceil(many / fold), 12);
            group.append(
              cells(
                Math.ceil(heads[0] / fold),
                Math.ceil(heads[1] / fold),
                x + 10,
                y + h - 22,
                { rows: 1, step, wide: Math.max(step - 1, step * 0.7), high: 13 },
                env.hatch,
              ),
            );
          }
          g.append(group);
        },
      };
    },
  };
}
/**
 * @param {MergedField} op
 * @param {DrawEnv} env
 * @returns {FittedOp}
 */
function fitField(op, env) {
  const [na, nb] = [op.a?.[3] ?? 0, op.b?.[3] ?? 0],
    most = Math.max(na, nb),
    fold = Math.max(1, Math.ceil(most / 2048)),
    n = Math.ceil(most / fold);
  const rows = n <= 8 ? 1 : n <= 32 ? 4 : n <= 128 ? 8 : n <= 1024 ? 16 : 32,
    columns = Math.ceil(n / rows),
    step = Math.max(3, Math.min(rows === 1 ? 22 : 12, Math.floor(env.field / columns)));
  const groups = op.a && op.b ? runs(grouped(op.a), grouped(op.b)) : [{ t: grouped(op.a ?? op.b), k: "" }],
    cut = grouped(op.a ?? op.b) || grouped(op.b ?? op.a);
  const zero = runs(op.a && zeros(op.a), op.b && zeros(op.b)),
    lines = [
      cut ? groups : [],
      [{ t: fold > 1 ? `a cell: ${fold} experts` : "", k: "" }],
      zero,
      runs(op.a?.[1].join(", "), op.b?.[1].join(", ")),
    ]
      .filter((list) => list.some((run) => run.t))
      .flatMap((list) => wrap(list, "small", Math.max(columns * step, 150)));
  const w = Math.max(columns * step, ...lines.map((line) => length(line, "small"))) + 20,
    more = op.a && op.b ? nb - na : 0,
    h = rows * step + 16 + lines.length * LINE + (more ? 16 : 0);
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
            { rows, step, wide: step - Math.max(1, step / 6), high: step - Math.max(1, step / 6) },
            env.hatch,
          ),
        );
        for (const [row, cls] of /** @type {[FieldBox | undefined, "a" | "b"][]} */ ([
          [op.a, "a"],
          [op.b, "b"],
        ]))
          if (
            row &&
            row[5] > 1 &&
            row[3] % row[5] === 0 &&
            (row[3] / row[5]) % rows === 0 &&
            fold === 1 &&
            (cls === "b" || grouped(op.a) !== (op.b && grouped(op.b)))
          ) {
            let d = "";
            for (let i = 1; i < row[5]; i++)
              d += `M${left + (((row[3] / row[5]) * i) / rows) * step - 1} ${top}v${rows * step}`;
            group.append(draw("path", { class: `split split-${cls}`, d }));
          }
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
