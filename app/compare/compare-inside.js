// A merged panel (compare-merge.js) -> one SVG: lanes rise from the input into the operation, its tail on top; or, where
// there is no room for lanes, a list with equal boxes folded. Both models take the same boxes, whichever is shown.
import { equals, fit, fitMatrix, fitOp, LINE, put } from "./compare-boxes.js";
import { fitFlow } from "./compare-flow.js";
import { clauses } from "./compare-merge.js";
import { disc, draw, frame, hatching, length, matrix, runs, shapes, text, wide, wrap } from "./compare-svg.js";

/** @import { Box, Difference, DrawEnv, FittedFlow, MergedItem, MergedLane, MergedMatrix, MergedPanel, PanelJson, Put,
 *   Run } from "../site/types.d.ts" */

const PAD = 16;

// ---------------------------------------------------------------- without room for lanes

/**
 * @param {MergedLane} lane
 * @returns {MergedItem[]}
 */
const inside = (lane) => [...lane.items, ...lane.branches.flatMap(inside)];
/** @param {MergedPanel} panel */
const flat = (panel) => [
  ...panel.flows.flatMap((flow) => [...flow.tail, ...flow.lanes.flatMap(inside)]).filter((one) => one.kind !== "heads"),
  ...panel.groups.flatMap((one) => one.items),
];
/** @param {MergedItem} item */
const called = (item) => (item.kind === "sign" ? "" : /** @type {Box} */ (item.b ?? item.a)[1]);
/**
 * @param {MergedPanel} panel
 * @param {DrawEnv} env
 * @param {number} W
 * @param {Element} g
 * @param {number} y
 * @param {boolean} equal
 */
function listed(panel, env, W, g, y, equal) {
  const room = W - 2 * PAD,
    all = flat(panel),
    shown = all.filter((one) => one.kind !== "sign" && (equal || one.state !== "same")),
    folded = all.filter((one) => !shown.includes(one));
  panel.flows.forEach((flow, i) => {
    const laid = fitOp(flow, panel, env, i === 0).lay(room);
    laid.put(g, PAD, y);
    y += laid.h + 12;
    for (const lane of flow.lanes)
      if (lane.said.length) g.append(draw("g", { "data-n": lane.said.join(" "), class: "i" }));
  });
  for (const item of shown.filter((one) => one.kind === "matrix")) {
    const f = fitMatrix(item, { ...env, label: room - 100 });
    put(g, item, f, PAD + f.w / 2, y + (f.tall - f.h) / 2);
    y += f.tall + 10;
  }
  let x = PAD,
    row = 0;
  for (const item of shown.filter((one) => one.kind !== "matrix")) {
    const f = fit(item, { ...env, label: Math.min(env.label, room - 130) }),
      w = f.w + (f.beside ? 8 + f.beside : 0);
    if (x > PAD && x + w > W - PAD) {
      x = PAD;
      y += row + 10;
      row = 0;
    }
    put(g, item, f, x + f.w / 2, y + (f.tall - f.h) / 2);
    x += w + 10;
    row = Math.max(row, f.tall);
  }
  if (row) y += row + 10;
  const names = [...new Set(folded.map(called).filter(Boolean))];
  if (folded.length) {
    const group = draw("g", { class: "i s-same folded", "data-n": folded.flatMap((one) => one.nodes).join(" ") }),
      lines = names.length ? wrap([{ t: `${names.join(", ")}: equal`, k: "" }], "small", room) : [];
    lines.forEach((line, i) => group.append(text(PAD, y + 12 + LINE * i, line, "small")));
    g.append(group);
    y += lines.length * LINE + 8;
  }
  return y;
}

// ---------------------------------------------------------------- a panel

/**
 * @param {MergedPanel} panel
 * @returns {Run[]}
 */
function says(panel) {
  if (!panel.a || !panel.b) return [{ t: /** @type {PanelJson} */ (panel.a ?? panel.b).says, k: "" }];
  return clauses(panel.a.says, panel.b.says).flatMap(
    ([x, y], i) =>
      /** @type {Run[]} */ ([
        ...(i ? [{ t: " · ", k: "" }] : []),
        ...(x === undefined
          ? [
              { t: "⊕ ", k: "r" },
              { t: y, k: "b" },
            ]
          : y === undefined
            ? [
                { t: "⊖ ", k: "r" },
                { t: x, k: "a" },
              ]
            : x === y
              ? [{ t: x, k: "" }]
              : runs(x, y)),
      ]),
  );
}
/**
 * @param {Element} g
 * @param {MergedPanel} panel
 * @param {number} W
 * @param {{ cost: string, sub: string, rows: Difference[], own: boolean }} options
 */
function head(g, panel, W, { cost, sub, rows, own }) {
  const title = runs(panel.a?.title, panel.b?.title),
    mark = own || (panel.a && panel.b) ? "" : panel.a ? "⊖ only in A: " : "⊕ only in B: ",
    price = cost ? wide(cost, "strong") : 0,
    room = W - 2 * PAD - price - 18 - 22 * rows.length;
  const lines = wrap(mark ? [{ t: mark, k: "" }, ...title] : title, "title", room);
  lines.forEach((line, i) => g.append(text(PAD, 27 + 20 * i, line, "title")));
  rows.forEach((row, i) =>
    g.append(
      disc(row.number, PAD + length(lines[lines.length - 1], "title") + 14 + 22 * i, 22 + 20 * (lines.length - 1)),
    ),
  );
  if (cost) g.append(text(W - PAD, 28, [{ t: cost, k: "" }], "strong", "end"));
  const phone = W < 420,
    note = sub ? wrap([{ t: sub, k: "" }], "small", phone ? W - 2 * PAD : Math.max(price, 170)) : [],
    aside = note.length && !phone ? Math.max(...note.map((line) => length(line, "small"))) + 16 : 0;
  const y = 47 + 20 * (lines.length - 1),
    told = wrap(says(panel), "ink", W - 2 * PAD - aside),
    low = phone ? y + 17 * told.length : y - 1;
  told.forEach((line, i) => g.append(text(PAD, y + 17 * i, line, "ink")));
  note.forEach((line, i) =>
    g.append(text(phone ? PAD : W - PAD, low + LINE * i, line, "small", phone ? "start" : "end")),
  );
  return Math.max(y + 17 * told.length, low + LINE * note.length);
}
/**
 * @param {Element} g
 * @param {MergedPanel} panel
 * @param {number} W
 * @param {number} y
 */
function foot(g, panel, W, y) {
  const chips = panel.chips.flatMap(
    ([x, y2], i) =>
      /** @type {Run[]} */ ([
        ...(i ? [{ t: " · ", k: "" }] : [{ t: "also ", k: "" }]),
        ...(x !== undefined && y2 !== undefined
          ? runs(x, y2)
          : x !== undefined
            ? [{ t: x, k: "a" }]
            : [{ t: y2, k: "b" }]),
      ]),
  );
  const lines = chips.length ? wrap(chips, "small", W - 2 * PAD) : [];
  lines.forEach((line, i) => g.append(text(PAD, y + 10 + LINE * i, line, "small")));
  return y + lines.length * LINE;
}
/**
 * One expert, and what every token visits: their matrices in a row, each above its words.
 * @param {MergedPanel} panel
 * @param {DrawEnv} env
 */
function groups(panel, env) {
  /** @param {MergedMatrix} item */
  const words = (item) => [
    [{ t: called(item), k: item.state === "same" ? "" : "n" }],
    ...wrap(equals(shapes(item), item), "mono", 74),
  ];
  const fitted = panel.groups.map((one) => {
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
  });
  return {
    w: Math.max(0, ...fitted.map((one) => one.w)),
    h: fitted.reduce((sum, one) => sum + one.h, 0),
    /**
     * @param {Element} g
     * @param {number} x
     * @param {number} y
     */
    put: (g, x, y) =>
      fitted.forEach((one) => {
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
        y += one.h;
      }),
  };
}

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
    g.append(
      draw(
        "g",
        { "data-n": panel.nodes.join(" "), class: "i" },
        text(
          PAD,
          y + 14,
          [{ t: /** @type {PanelJson} */ (panel.b ?? panel.a).alarm || "one operation", k: "" }],
          "small",
        ),
      ),
    );
    y += 24;
  }
  /** @type {{ fitted: FittedFlow[], tried: DrawEnv } | null} */
  let laid = null;
  for (const [label, most, gap] of narrow
    ? []
    : [
        [210, 84, 24],
        [100, 60, 24],
        [74, 44, 18],
        [62, 36, 10],
      ]) {
    const tried = { ...env, label, gap, scale: scaleFor(panel, most) },
      fitted = panel.flows.map((flow, i) => fitFlow(flow, panel, tried, i === 0));
    if (fitted.every((one) => one.w <= room)) {
      laid = { fitted, tried };
      break;
    }
  }
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
 * @param {{ fitted: FittedFlow[], tried: DrawEnv }} laid
 * @param {number} room
 * @param {number} y
 */
function flowing(g, panel, { fitted, tried }, room, y) {
  const aside = panel.groups.length ? groups(panel, tried) : null,
    level = aside && fitted[0].w + 28 + aside.w <= room;
  let x = PAD,
    row = 0;
  fitted.forEach((one, i) => {
    const laid = one.lay(i === 0 && level ? room - aside.w - 28 : fitted.length > 1 ? one.w : room);
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
