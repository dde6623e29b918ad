// A merged panel where there is no room for lanes: its boxes as a list, equal ones folded.
import { fit, fitMatrix, LINE, put } from "./compare-boxes.js";
import { fitOp } from "./compare-operation.js";
import { PAD } from "./compare-panel-text.js";
import { wrap } from "./compare-runs.js";
import { draw, text } from "./compare-svg.js";

/** @import { Box, DrawEnv, MergedItem, MergedLane, MergedPanel } from "../site/types.d.ts" */

/**
 * @param {MergedLane} lane
 * @returns {MergedItem[]}
 */
const inside = (lane) => [...lane.items, ...lane.branches.flatMap(inside)];
/** @param {MergedPanel} panel */
export const flat = (panel) => [
  ...panel.flows.flatMap((flow) => [...flow.tail, ...flow.lanes.flatMap(inside)]).filter((one) => one.kind !== "heads"),
  ...panel.groups.flatMap((one) => one.items),
];
/** @param {MergedItem} item */
export const called = (item) => (item.kind === "sign" ? "" : /** @type {Box} */ (item.b ?? item.a)[1]);
/**
 * @param {MergedPanel} panel
 * @param {DrawEnv} env
 * @param {number} W
 * @param {Element} g
 * @param {number} y
 * @param {boolean} equal
 */
export function listed(panel, env, W, g, y, equal) {
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
