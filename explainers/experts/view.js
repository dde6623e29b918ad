/* What compute returns -> the wall of experts, eight experts in cells, a route, the lab's numbers. */

import { upto } from "../kit/arrays.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill, put } from "../kit/numbers.js";
import { makeResults } from "../kit/table.js";

/** @import { Shown } from "./compute.js" */

/** What is added to the stream: an expert by its weight. @typedef {[css: string, text: string, weight: number]} Part */

const [WALL_HIGH, BAR, FINE] = [200, 34, 160];
/** @param {number} x */
export const percent_of = (x) => `${Number(x.toFixed(3))}%`;
/** @param {number} x */
export const tenth = (x) => String(Number(x.toFixed(1)));
/** @param {readonly (readonly [css: string, label: string, ...rest: boolean[]])[]} all */
export const named = (all) => makeLegend(all.map(([css, label]) => ({ class: css, label })));

export const wall_view = () => {
  const head = h("p", { class: "cw-experts-head" });
  const [back, lit, grid] = [s("rect"), s("path", { class: "lit" }), s("path", { class: "grid" })];
  const svg = s(
    "svg",
    { class: "cw-experts-wall", role: "img", width: "100%", height: WALL_HIGH, preserveAspectRatio: "none" },
    back,
    lit,
    grid,
  );
  /** @param {Shown} now */
  const update = (now) => {
    const { title, layers, experts, met, all } = now.of;
    fill(head, "{of.layers:int} layers × {of.experts:int} experts; this token uses {of.k:int} in each", now);
    setAttrs(svg, {
      viewBox: `0 0 ${experts} ${layers}`,
      "aria-label": `${title}: ${met} of ${all} experts are chosen for one token.`,
    });
    setAttrs(back, { width: experts, height: layers });
    setAttrs(lit, { d: now.wall.map((row, i) => row.map((e) => `M${e} ${layers - 1 - i}h1v1h-1z`).join("")).join("") });
    const across =
      experts > FINE
        ? ""
        : upto(experts - 1)
            .map((e) => `M${e + 1} 0V${layers}`)
            .join("");
    setAttrs(grid, {
      d:
        across +
        upto(layers - 1)
          .map((i) => `M0 ${i + 1}H${experts}`)
          .join(""),
    });
  };
  return {
    el: [
      head,
      svg,
      named([
        ["lit", "chosen for this token"],
        ["rest", "not chosen"],
        ["every", "not drawn: parameters used by every token"],
      ]),
    ],
    update,
  };
};

const ROWS = [
  ["logit", "logits", "signed 1", "plain"],
  ["score", "scores", "signed 3", "soft"],
  ["selection bias", "biases", "signed 2", "plain"],
  ["score + bias", "ranked", "signed 3", "soft sum"],
  ["weight", "weights", "fixed 3", "weight"],
];
export const eight_view = () => {
  const heads = upto(8).map((i) => h("th", { scope: "col", text: i }));
  const cells = ROWS.map(() => upto(8).map(() => h("td")));
  const rows = ROWS.map(([label], r) => h("tr", {}, h("th", { scope: "row", text: label }), cells[r]));
  const table = h(
    "table",
    { class: "cw-experts-eight" },
    h("caption", { text: "Eight experts and one token, from logit to weight" }),
    h("thead", {}, h("tr", {}, h("th", { scope: "col", text: "expert" }), heads)),
    h("tbody", {}, rows),
  );
  const name = h("p", { text: "added to the residual stream" });
  const mix = s("svg", {
    role: "img",
    "aria-label": "What is added to the residual stream: the shared expert, and the chosen experts by their weights.",
    width: "100%",
    height: BAR,
  });
  /** @param {Shown} now @param {boolean} [hide] */
  const update = (now, hide) => {
    const { chosen: met, weights, whole: total } = now.eight;
    heads.forEach((th, i) => setAttrs(th, { class: met.includes(i) ? "on" : false }));
    ROWS.forEach(([, path, how, css], r) =>
      cells[r].forEach((td, i) => {
        const on = met.includes(i) && css !== "plain" && css !== "soft";
        setAttrs(td, { class: on ? `${css} on` : css });
        if (path === "weights" && !on) setAttrs(td, { text: "", "data-out": false, "data-format": false });
        else put(td, `eight.${path}.${i}`, how, now);
      }),
    );
    setAttrs(rows[4], { class: hide ? "hide" : false });
    setAttrs(name, { class: `cw-experts-name${hide ? " hide" : ""}` });
    setAttrs(mix, { class: `cw-experts-mix${hide ? " hide" : ""}` });
    let x = 0;
    const parts = [
      /** @type {Part} */ (["shared", "shared", 1]),
      ...met.map(/** @returns {Part} */ (i) => ["routed", `e${i}`, weights[i]]),
    ].map(([css, text, weight]) => {
      const wide = (100 * weight) / total;
      x += wide;
      return { css, text, wide, from: x - wide };
    });
    renderList(
      mix,
      parts,
      () => s("g", {}, s("rect", { y: 0, height: BAR }), s("text", { y: 22 })),
      (g, { css, text, wide, from }) => {
        setAttrs(g.children[0], { class: css, x: percent_of(from), width: percent_of(wide - 0.4) });
        setAttrs(g.children[1], { class: css, x: percent_of(from + wide / 2), text });
      },
    );
  };
  return { el: [table, name, mix], update };
};

export const route_view = () => {
  /** @param {string} words */
  const four = (words) => h("p", {}, h("b", {}, h("span", { "data-index": true, text: "4 B" })), words);
  const [head, ids] = [
    h("p", { class: "cw-experts-head" }),
    h("p", { class: "cw-experts-ids", role: "img", "data-index": true }),
  ];
  /** @param {Shown} now */
  const update = (now) => {
    fill(head, "its route: {of.layers:int} layers × {of.k:int} numbers", now);
    setAttrs(ids, {
      text: now.wall.map((row) => row.join(" ")).join(" "),
      "aria-label": `Ids of ${now.route.ids} experts; the first ${now.of.k} are those of layer 0.`,
    });
  };
  return {
    el: [h("div", { class: "cw-experts-two" }, four("its id"), four("its log-probability")), head, ids],
    update,
  };
};

/** @type {[label: string, template: string][]} */
const RESULTS = [
  ["busiest expert’s load, relative to average", "{load.ratio:fixed 3} ×"],
  ["nodes per token, on average", "{mean.nodes:fixed 2}"],
  ["busiest expert’s load without the bias", "{load.ratio_before:fixed 3} ×"],
  ["most nodes for any token", "{mean.most:int}"],
  ["choices dropped", "{load.lost_share:percent 1}"],
  ["bytes sent per token and layer", "{mean.bytes:bytes KB 1}"],
  ["experts under half the average load", "{load.idle:int}"],
  ["bytes if sent once per expert", "{mean.each:bytes KB 1}"],
];
export const results_view = () => makeResults("cw-experts-results", RESULTS);
