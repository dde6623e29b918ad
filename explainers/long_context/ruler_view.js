/* Spans of tokens on one ruler: what is kept and what is reached, from a window to millions of tokens. */
import { upto } from "../kit/arrays.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { fill, fmt } from "../kit/numbers.js";
import { CELL, TICK, UNITS } from "./ruler.js";

/** @import { Attrs, Kid } from "../kit/dom.js" */
/** @import { Now, Ruled, Shown } from "./compute.js" */
/** @import { Bar, Run } from "./ruler.js" */

export const [ROW, HIGH, STRIP, ZOOM, GAP, FINE, NAMED] = [24, 16, 3, 12, 0.6, 8, 8];
/** @param {number} x */
export const px = (x) => String(Math.round(100 * x) / 100);
/** @param {number} back @param {number} span */
const across = (back, span) => UNITS * (1 - back / span);
/** @param {string} css @param {string} d @param {Attrs} [more] */
export const path_of = (css, d, more) => s("path", { class: css, d, ...more });

/** @param {string} css @param {Run} run @param {number} span @param {number} y */
const stretch = (css, [low, high, cell], span, y) => {
  const [left, right, period] = [px(across(high, span)), px(across(low, span)), (UNITS * cell) / span];
  if (CELL > period) return path_of(css, `M${left} ${px(y)}H${right}v${HIGH}H${left}z`);
  return path_of(`${css} cells${FINE > period ? " fine" : ""}`, `M${right} ${px(y + HIGH / 2)}H${left}`, {
    "stroke-dasharray": `${px(period - GAP)} ${px(GAP)}`,
  });
};
/** @param {Bar} bar @param {number} span @param {number} y */
const ticks_of = ({ cell, ticks }, span, y) => {
  const [period, wide] = [(UNITS * cell) / span, px(Math.max(TICK, (UNITS * cell) / span - GAP))];
  const place = period >= CELL ? px : Math.round;
  return path_of(
    "read",
    ticks
      .map((back) => `M${place(Math.max(0, across(back + cell, span)))} ${px(y)}h${wide}v${HIGH}h-${wide}z`)
      .join(""),
  );
};
/** @param {Ruled} row @param {number} which @param {number} span @param {number} y */
export const bar_marks = (row, which, span, y) => {
  const bar = row.bars[which];
  /** @type {Kid[]} */
  const made = [
    s("rect", { class: "track", y: px(y), width: UNITS, height: HIGH }),
    bar.scored.map((run) => stretch("scored", run, span, y)),
  ];
  made.push(
    s(
      "g",
      { class: bar.scored.length ? "bet-answered" : false },
      bar.read.map((run) => stretch("read", run, span, y)),
      bar.ticks.length ? ticks_of(bar, span, y) : null,
    ),
  );
  made.push(
    bar.kept.map(([low, high]) => {
      const [left, right] = [across(high, span), across(low, span)];
      return s("rect", { class: "kept", x: px(left), y: px(y + HIGH + 2), width: px(right - left), height: STRIP });
    }),
  );
  if (row.key === "state" && which === 2)
    made.push(path_of("kept cells", `M${UNITS} ${px(y + HIGH / 2)}H0`, { "stroke-dasharray": "22 3" }));
  return s("g", { class: row.role }, made);
};

/** @param {Now} now */
export const all_words = ({ spans }) => `{spans.0:int} token${spans[0] > 1 ? "s" : ""}`;
/** @param {Now} now @param {number} which */
const span_words = (now, which) => {
  const { nearer, spans } = now;
  if (!which) return (spans[0] > 1 ? "all " : "") + all_words(now);
  return `the last {spans.${which}:int}${nearer[which - 1] > 1 ? `, magnified {nearer.${which - 1}:num 3} times` : ""}`;
};
/** @param {Ruled[]} rows @param {boolean} [hide] */
const in_words = (rows, hide) => {
  if (hide)
    return `What the newest token reads in a layer, and what is kept: ${rows.map((row) => row.short).join(", ")}.`;
  return `${rows.map((row) => `${row.name}: ${fmt.int(row.read)} of ${fmt.int(row.entries)} read`).join("; ")}.`;
};

/** Some kinds of layers on three bars, each opening a part of the one above. @param {string[]} keys */
export const ruler_view = (keys) => {
  const [high, lone] = [ROW * keys.length, keys.length === 1];
  const flat = { width: "100%", preserveAspectRatio: "none" };
  const three = upto(3).map((which) => {
    const [words, names, wedge] = [h("span"), h("p", { class: "names" }), s("path")];
    const svg = s("svg", { ...flat, height: high, viewBox: `0 0 ${UNITS} ${high}` });
    const zoom =
      which === 2 ? null : s("svg", { ...flat, class: "zoom", height: ZOOM, viewBox: `0 0 ${UNITS} ${ZOOM}` }, wedge);
    return {
      words,
      names,
      wedge,
      svg,
      el: [h("p", { class: "span" }, words, h("span", { text: "now" })), names, h("div", { class: "bars" }, svg, zoom)],
    };
  });
  const el = h(
    "div",
    { class: `cw-long-context-ruler${lone ? " lone" : ""}`, role: "img" },
    three.map((one) => one.el),
  );
  /** @param {Shown} now @param {boolean} [hide] */
  const update = (now, hide) => {
    const rows = keys.map((key) => /** @type {Ruled} */ (now.ruler.find((row) => row.key === key)));
    setAttrs(el, { "aria-label": in_words(rows, hide) });
    three.forEach(({ words, names, wedge, svg }, which) => {
      const span = now.spans[which];
      fill(words, span_words(now, which), now);
      if (!lone)
        renderList(
          names,
          rows,
          () => h("span"),
          (node, row) => setAttrs(node, { text: row.short }),
        );
      svg.replaceChildren(...rows.map((row, i) => bar_marks(row, which, span, ROW * i)));
      if (which === 2) return;
      const left = px(across(now.spans[which + 1], span));
      svg.append(path_of("frame", `M${left} -1H${UNITS}V${high - 2}H${left}z`));
      setAttrs(wedge, { d: `M0 ${ZOOM}L${left} 0H${UNITS}V${ZOOM}z` });
    });
  };
  return { el: [el], update };
};
