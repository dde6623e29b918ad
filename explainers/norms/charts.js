/* Scores as dots, the soft ceiling, and who does what. */

import { upto } from "../kit/arrays.js";
import { linearScale, linePath, logScale } from "../kit/chart.js";
import { h, s as kitS, setAttrs } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { capped } from "./layer.js";
import { fine, hushed, name_of } from "./view.js";

/** @import { Shown } from "./compute.js" */

const SCALE = ["0.01", "0.1", "1", "10", "100", "1,000", "10,000"];
const DOTS = 46;
/** Where a score stands, of 1000. */
const along = /* @__PURE__ */ logScale([0.01, 1e4], [0, 1000], true);
/**
 * A picture as wide as the page, whatever its units.
 * @param {string} css
 * @param {number} high
 * @param {string} label
 * @param {...(SVGElement | null)} kids
 */
export const stretched = (css, high, label, ...kids) =>
  kitS(
    "svg",
    { class: css, width: "100%", height: high, preserveAspectRatio: "none", role: "img", "aria-label": label },
    kids,
  );
/**
 * One dot for each score, by its size: points of a stretched path with round ends.
 * @param {"plain" | "normed"} which
 */
const dots_view = (which) => {
  const [edge, dots] = ["bound", "all"].map((css) => kitS("path", { class: css }));
  const bounded = which === "normed";
  const svg = stretched("", DOTS, "Scores by size, on a log scale.", bounded ? edge : null, dots);
  setAttrs(svg, { viewBox: `0 0 1000 ${DOTS}` });
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    hushed(svg, `ab-dots ${which}`, hide);
    setAttrs(edge, { d: `M${along(now.scores.bound).toFixed(0)} 0V${DOTS}` });
    setAttrs(dots, {
      d: now.scores[which].all.map((one, i) => `M${along(one).toFixed(0)} ${23 + (((i * 7) % 9) - 4) * 3}h0`).join(""),
    });
  };
  return { svg, update };
};
export const scores_view = () => {
  const [plain, normed, first, last] = [dots_view("plain"), dots_view("normed"), name_of(), name_of()];
  const scale = kitS(
    "svg",
    { class: "ab-scale", width: "100%", height: 16, "aria-hidden": "true" },
    SCALE.map((text, i) => kitS("text", { x: `${fine((100 * i) / 6)}%`, y: 12, "data-index": true, text })),
  );
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    fill(
      first,
      "scaled by {grown:num 3}: largest score {scores.plain.top:fixed 1}; a query’s top key gets {scores.plain.peak:percent 0} on average",
      now,
    );
    fill(
      last,
      "with QK-norm: largest score {scores.normed.top:fixed 1}; a query’s top key gets {scores.normed.peak:percent 0} on average",
      now,
    );
    hushed(last, "ab-name", hide);
    plain.update(now, false);
    normed.update(now, hide);
  };
  return { el: [first, plain.svg, last, normed.svg, scale], update };
};

const [FOOT, ROOF, SIDE, ACROSS, HEIGHT] = [196, 16, 34, 340, 200];
const across = /* @__PURE__ */ linearScale([0, HEIGHT], [SIDE, ACROSS]);
const up = /* @__PURE__ */ linearScale([0, HEIGHT], [FOOT, ROOF], true);
/** @param {number} score @param {number} out */
const spot = (score, out) => [fine(across(score)), fine(up(out))];
export const ceiling_view = () => {
  const [lid, cap, curve, less, more, name] = [
    kitS("path", { class: "cap" }),
    kitS("text", { class: "cap", x: SIDE + 4 }),
    kitS("path", { class: "curve" }),
    kitS("circle", { class: "less", r: 6 }),
    kitS("circle", { class: "more", r: 6 }),
    name_of(),
  ];
  /** @param {SVGElement} node @param {number} score @param {number} out */
  const put = (node, score, out) => {
    const [cx, cy] = spot(score, out);
    setAttrs(node, { cx, cy });
  };
  const ticks = [
    ...[0, 50, 100, 150, 200].map((s) =>
      kitS("text", { class: "x", x: fine(across(s)), y: FOOT + 16, "data-index": true, text: s }),
    ),
    ...[50, 100, 150].map((s) =>
      kitS("text", { class: "y", x: SIDE - 6, y: fine(up(s) + 4), "data-index": true, text: s }),
    ),
  ];
  const [after, over_it] = [kitS("g", {}, curve, less, more), kitS("g", {}, lid, cap)];
  const svg = kitS(
    "svg",
    {
      class: "ab-ceiling",
      viewBox: "0 0 352 220",
      role: "img",
      "aria-label": "A score after the cap, by the score before it.",
    },
    kitS("path", { class: "base", d: `M${SIDE} ${ROOF}V${FOOT}H${ACROSS}` }),
    kitS("path", { class: "free", d: linePath([spot(0, 0), spot(HEIGHT, HEIGHT)]) }),
    over_it,
    ticks,
    after,
  );
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    const { score, out, less: below, less_out } = now.ceiling;
    const lidded = now.cap > 0 && HEIGHT >= now.cap;
    const top = up(now.cap);
    over_it.replaceChildren(...(lidded ? [lid, cap] : []));
    setAttrs(lid, { d: `M${SIDE} ${fine(top)}H${ACROSS}` });
    fill(setAttrs(cap, { y: fine(top - 5) }), "cap {cap:num 3}", now);
    setAttrs(curve, { d: linePath(upto(51).map((i) => spot(4 * i, capped(4 * i, now.cap)))) });
    put(less, below, less_out);
    put(more, score, out);
    after.replaceChildren(...(hide ? [] : [curve, less, more]));
    fill(
      name,
      "{ceiling.score:num 4} becomes {ceiling.out:fixed 1}; {ceiling.less:num 4} becomes {ceiling.less_out:fixed 1}: a difference of {ceiling.apart:num 4} shrinks to {ceiling.left:fixed 1}",
      now,
    );
    hushed(name, "ab-name", hide);
  };
  return { el: [svg, name], update };
};

/** @param {[key: keyof Shown["who"], words: string][]} rows */
export const who_view = (rows) => {
  const lines = rows.map(() => h("li"));
  /** @param {Shown} now */
  const update = (now) => {
    for (const [i, [key, words]] of rows.entries()) {
      const some = now.who[key].count ? `. {who.${key}.some:text}` : "";
      fill(
        lines[i],
        `${words}: {who.${key}.count:int} ${now.who[key].count === 1 ? "model" : "models"} on this site${some}`,
        now,
      );
    }
  };
  return { el: h("ul", { class: "ab-who" }, lines), update };
};
