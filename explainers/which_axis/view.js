/* What compute returns -> squares of what a GPU holds by axis, bars of what it sends or takes. */
import { logScale } from "../kit/chart.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { fill, fmt, put } from "../kit/numbers.js";

/** @import { Axis, Now } from "./compute.js" */

/** What a chart compares: bytes sent, or milliseconds. @typedef {"sent" | "ms"} Measure */

const SIDE = 30;
const SEEN = 1e6 * 10 ** 0.02; // bytes: a bar of fewer would be too short
const FORMATS = { sent: "bytes", ms: "fixed 1" };
/** @type {{ [what in Measure]: (step: string) => string }} */
const LABELS = {
  sent: () => "What the busiest GPU sends in a step, by axis, on a log scale.",
  ms: (step) => `Shortest possible time for ${step} in milliseconds, by axis.`,
};

/** @param {number} share @param {string} css @param {boolean} hide */
const square = (share, css, hide) => {
  const high = hide ? 0 : SIDE * Math.min(share, 1);
  return s(
    "svg",
    { viewBox: `0 0 ${SIDE} ${SIDE}`, "aria-hidden": "true" },
    s("rect", { class: "all", width: SIDE, height: SIDE }),
    s("rect", { class: css, y: (SIDE - high).toFixed(2), width: SIDE, height: high.toFixed(2) }),
  );
};

/** One row for each axis. */
export const grid_view = () => {
  const [head, body] = [h("tr"), h("tbody")];
  const el = h("table", { class: "cw-which-axis-grid" }, h("thead", {}, head), body);
  /** @param {string} path @param {string} how @param {Now} now @param {boolean} hide */
  const number = (path, how, now, hide) => {
    const node = h("span");
    if (!hide) put(node, path, how, now);
    return node;
  };
  /** @param {Now} now @param {number} i @param {boolean} hide */
  const cells = (now, i, hide) => {
    const row = now.rows[i];
    if (!row.legal) return [h("td", { class: "why", colspan: now.one.parts.length + 1, text: row.why })];
    const parts = row.parts.map((part, j) =>
      h("td", {}, square(part.share, part.name, hide), number(`rows.${i}.parts.${j}.share`, "percent 1", now, hide)),
    );
    return [
      ...parts,
      h("td", { class: row.fits && !hide ? "fits" : "" }, number(`rows.${i}.total`, "bytes GB 0", now, hide)),
    ];
  };
  /** @param {Now} now @param {Axis | ""} axis @param {boolean} hide */
  const update = (now, axis, hide) => {
    head.replaceChildren(
      ...["axis", ...now.one.parts.map((part) => part.name), "per GPU"].map((text) => h("th", { scope: "col", text })),
    );
    body.replaceChildren(
      ...now.rows.map((row, i) =>
        h(
          "tr",
          { class: row.axis === axis ? "on" : "" },
          h("th", { scope: "row", text: row.name }),
          ...cells(now, i, hide),
        ),
      ),
    );
  };
  return { el, update };
};

/** @param {number} value @param {number} most @param {Measure} what */
const length_of = (value, most, what) => {
  if (!value || !most) return 0;
  if (what === "ms") return (62 * value) / most;
  return logScale([1e6, Math.max(most, 1e7)], [0, 62])(Math.max(value, SEEN));
};

/**
 * Which axes hold more than a GPU has, so that nobody takes their bars for a choice; "" where all fit.
 * @param {Now} now
 */
export const too_large = ({ rows }) => {
  const names = rows.filter((row) => row.legal && !row.fits).map((row) => row.name);
  return names.length ? `Hollow bars mark axes that do not fit on GPUs of {room:bytes GB 0}: ${names.join(", ")}.` : "";
};

/** @param {Measure} what */
export const bars_view = (what) => {
  const el = s("svg", { class: "cw-which-axis-bars", role: "img", width: "100%" });
  const make = () => {
    const [name, bar, number] = [s("text", { x: 0 }), s("rect", { x: "20%", height: 18 }), s("text")];
    return Object.assign(s("g", {}, name, bar, number), { parts: { name, bar, number } });
  };
  /** @param {Now} now @param {Axis} axis @param {boolean} hide */
  const update = (now, axis, hide) => {
    const rows = now.rows.map((row, i) => ({ row, i })).filter(({ row }) => row.legal);
    renderList(el, rows, make, (node, { row, i }, at) => {
      const { name, bar, number } = node.parts;
      const wide = hide ? 0 : length_of(row[what], now.largest[what], what);
      setAttrs(node, { class: [row.axis === axis && "on", !row.fits && "over"].filter(Boolean).join(" ") });
      setAttrs(name, { y: 30 * at + 17, text: row.name });
      setAttrs(bar, { y: 30 * at + 4, width: `${wide.toFixed(2)}%` });
      setAttrs(number, { x: `${(21 + wide).toFixed(2)}%`, y: 30 * at + 17 });
      if (hide) number.replaceChildren();
      else fill(number, `{rows.${i}.${what}:${FORMATS[what]}}${what === "ms" ? " ms" : ""}`, now);
    });
    setAttrs(el, {
      height: 30 * rows.length,
      "aria-label":
        `${LABELS[what](now.step)} ${too_large(now).replace("{room:bytes GB 0}", fmt.bytes(now.room, "GB", 0))}`.trim(),
    });
  };
  return { el, update };
};
