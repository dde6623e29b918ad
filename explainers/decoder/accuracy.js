/* Right answers: by tokens since the value was last seen, and by keys to remember. */
import { firstChild, h as kitH, renderList, s, setAttrs } from "../kit/dom.js";
import { put } from "../kit/numbers.js";
import { row_of } from "./mixers.js";

/** @import { State } from "../../.make/data_types/decoder.d.ts" */
/** @import { Data, Now } from "./compute.js" */

const [TOP, HIGH, LAST] = [16, 150, 71]; // of the chart

/** @param {Data} data */
export const chart_view = (data) => {
  /** @param {number} share */
  const y = (share) => TOP + HIGH * (1 - share);
  /** @param {number} back */
  const x = (back) => `${(8 + (90 * (back - 2)) / (LAST - 2)).toFixed(3)}%`;
  const grid = [0, 0.5, 1].map((share) => [
    s("line", { x1: "8%", x2: "100%", y1: y(share), y2: y(share) }),
    s("text", { x: 0, y: y(share) + 4, "data-index": true, text: `${100 * share} %` }),
  ]);
  const ticks = [2, 23, 47, 71].map((back) =>
    s("text", { x: x(back), y: TOP + HIGH + 20, "text-anchor": "middle", "data-index": true, text: back }),
  );
  const [full, own] = [s("g"), s("g")];
  const svg = s(
    "svg",
    { class: "cw-decoder-chart", role: "img", width: "100%", height: TOP + HIGH + 28 },
    s("g", { class: "grid" }, grid, ticks),
    full,
    own,
  );
  const note = kitH("p", {
    class: "cw-note",
    text: "tokens since the value was last seen; rings: full attention, discs: this mixer",
  });
  /** @param {Element} g @param {number[]} said @param {string} css @param {number} limit */
  const dots = (g, said, css, limit) =>
    renderList(
      g,
      said.slice(0, (limit + 1) / 3),
      () => s("circle", { r: 4 }),
      (node, share, i) => setAttrs(node, { class: css, cx: x(3 * i + 2), cy: y(share).toFixed(2) }),
    );
  /** @param {State} state @param {boolean} hide */
  const update = (state, hide) => {
    const one = row_of(state.m, data);
    dots(full, data.mixers[0].said, "full", LAST);
    dots(own, one.said, `${one.role} own`, hide ? 23 : LAST);
    setAttrs(svg, {
      "aria-label": `Right answers of ${one.title} and of full attention, by tokens since the value was last seen.`,
    });
  };
  return { el: [svg, note], update };
};

/** @param {Data} data */
export const heat_view = (data) => {
  const body = kitH("tbody");
  /** @param {number[]} range */
  const ends = ([a, b]) => `${a}–${b}`;
  const el = kitH(
    "table",
    { class: "cw-decoder-heat" },
    kitH("caption", { text: "Right answers in percent, by keys to remember and tokens since the write." }),
    kitH(
      "thead",
      {},
      kitH(
        "tr",
        {},
        kitH("td"),
        data.far.map((one) => kitH("th", { scope: "col", "data-index": true, text: ends(one) })),
      ),
    ),
    body,
  );
  /** @param {unknown} _ @param {number} i */
  const make = (_, i) =>
    kitH(
      "tr",
      {},
      kitH("th", { scope: "row", "data-index": true, text: `${ends(data.live[i])} keys` }),
      data.far.map(() => kitH("td", {}, kitH("span"))),
    );
  /** @param {Now} now */
  const update = (now, few = false) =>
    renderList(body, now.heat, make, (tr, row, i) =>
      row.forEach((value, j) => {
        const td = tr.children[j + 1];
        const shown = value >= 0 && !(few && i > 1);
        setAttrs(td, {
          class: i === now.here.crowd && j === now.here.far ? "here" : false,
          "data-warm": shown ? Math.round(value / 10) : -1,
        });
        if (shown) put(firstChild(td), `heat.${i}.${j}`, "int", now);
        else setAttrs(firstChild(td), { text: "", "data-out": false, "data-format": false });
      }),
    );
  return { el, update };
};
