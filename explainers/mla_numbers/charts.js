/* What compute returns -> bytes, FLOPs and times as bars, costs by new tokens, GPUs. Along x everything is a percentage, so
   that one drawing fits every width. */

import { upto } from "../kit/arrays.js";
import { pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill, fmt, printValue, valueAt } from "../kit/numbers.js";
import { classes, said_view } from "./blocks.js";
import { LAST, POINTS } from "./costs.js";

/** @import { Shown } from "./compute.js" */

/** @typedef {[css: string, words: string, path: string, how: string]} Bar */

const [TOP, FLOOR, TALL] = [12, 176, 64];
/** @type {[title: string, rows: Bar[]]} */
export const HELD = [
  "cached per token in one layer, BF16",
  [
    ["small", "one latent and one positional key", "kept.bytes", "bytes B"],
    ["grouped", "eight KV heads (GQA)", "kept.grouped_bytes", "bytes B"],
    ["unpacked", "a key and a value for each head", "kept.unpacked_bytes", "bytes B"],
  ],
];
const WAYS = [
  ["FLOP for one cached token", "flops", "int"],
  ["bytes read for one cached token", "bytes", "int"],
  ["minimum time on {on.title:text}: ns", "ns", "sig 3"],
];
const KINDS = [
  ["unpacked", "unpacked cache", "unpacked"],
  ["small", "absorbed", "absorbed"],
  ["rebuilt", "unpacked at every step", "rebuilt"],
];

/** @param {string} title @param {Bar[]} rows */
export const bars_view = (title, rows) => {
  const name = h("p", { class: "name" });
  const made = rows.map(([css, words, path, how], i) => {
    const [amount, bar] = [
      s("text", { class: "end", x: "100%", y: 34 * i + 13 }),
      s("rect", { x: 0, y: 34 * i + 18, height: 9 }),
    ];
    return {
      css,
      words,
      path,
      how,
      amount,
      bar,
      el: s("g", {}, s("text", { x: 0, y: 34 * i + 13, text: words }), amount, bar),
    };
  });
  const svg = s(
    "svg",
    { class: "bars", width: "100%", height: 34 * rows.length - 4, role: "img" },
    made.map((one) => one.el),
  );
  /** @param {Shown} now */
  const update = (now, hide = "") => {
    fill(name, title, now);
    const most = Math.max(...made.map((one) => valueAt(now, one.path)));
    for (const { css, path, how, amount, bar, el } of made) {
      setAttrs(el, { class: classes(css, css === hide && "hush") });
      fill(amount, `{${path}:${how}}`, now);
      setAttrs(bar, { width: pct(valueAt(now, path) / most) });
    }
    const told = made
      .filter((one) => one.css !== hide)
      .map((one) => `${one.words} ${printValue(valueAt(now, one.path), one.how)}`);
    setAttrs(svg, { "aria-label": `${name.textContent}: ${told.join(", ")}.` });
  };
  return { el: [name, svg], update };
};
/** @param {number} many */
export const ways_view = (many) => {
  const groups = WAYS.map(
    /** @returns {[string, ReturnType<typeof bars_view>]} */ ([title, key, how]) => [
      key,
      bars_view(
        title,
        KINDS.slice(0, many).map(/** @returns {Bar} */ ([css, words, way]) => [css, words, `ways.${way}.${key}`, how]),
      ),
    ],
  );
  return {
    el: h(
      "div",
      { class: "ways" },
      groups.map(([, one]) => one.el),
    ),
    /** @param {Shown} now @param {boolean} [hide] */
    update: (now, hide) => {
      for (const [key, one] of groups) one.update(now, hide && key !== "bytes" ? "small" : "");
    },
  };
};

/** @param {number} fresh */
const along_x = (fresh) => pct(0.02 + (0.95 * fresh) / LAST);
export const grow_view = () => {
  const [name, text] = [h("p", { class: "name" }), s("text", { y: FLOOR - 8 })];
  const lines = /** @type {const} */ (["absorbed", "unpacked"]).map((way) => ({
    way,
    el: s(
      "g",
      { class: way },
      upto(POINTS).map(() => s("line")),
    ),
  }));
  const [cross, here] = [s("line", { y1: TOP, y2: FLOOR }), s("line", { class: "here", y1: TOP, y2: FLOOR })];
  const met = s("g", {}, cross, text);
  const ticks = [0, 128, 256, 384, 512].map((n) =>
    s("text", { x: along_x(n), y: FLOOR + 18, "data-index": true, text: n }),
  );
  const svg = s(
    "svg",
    { class: "grow", width: "100%", height: FLOOR + 40, role: "img" },
    s("line", { class: "axis", x1: "2%", x2: "97%", y1: FLOOR, y2: FLOOR }),
    lines.map((one) => one.el),
    met,
    here,
    ticks,
    s("text", { x: "50%", y: FLOOR + 36, text: "new tokens in the step" }),
  );
  /** @param {Shown} now @param {boolean} [hide] */
  const update = (now, hide) => {
    const { grow } = now;
    const most = Math.max(grow.absorbed[POINTS], grow.unpacked[POINTS]);
    /** @param {number} flops */
    const high = (flops) => (FLOOR - ((FLOOR - TOP) * flops) / most).toFixed(2);
    fill(name, "FLOP of one step in one layer, with a cache of {context:int} tokens", now);
    for (const { way, el } of lines) {
      setAttrs(el, { class: classes(way, hide && way === "unpacked" && "hush") });
      [...el.children].forEach((line, i) =>
        setAttrs(line, {
          x1: along_x(grow.new[i]),
          y1: high(grow[way][i]),
          x2: along_x(grow.new[i + 1]),
          y2: high(grow[way][i + 1]),
        }),
      );
    }
    const inside = grow.crossing > 0 && LAST >= grow.crossing;
    const at = inside ? grow.crossing : LAST;
    setAttrs(met, { class: classes("cross", (hide || !inside) && "hush") });
    setAttrs(cross, { x1: along_x(at), x2: along_x(at) });
    fill(
      setAttrs(text, { class: at > LAST / 2 ? "end" : "start", x: along_x(at), dx: at > LAST / 2 ? -6 : 6 }),
      "{grow.crossing:int} new tokens",
      now,
    );
    setAttrs(here, { x1: along_x(now.fresh), x2: along_x(now.fresh) });
    setAttrs(svg, {
      "aria-label": hide
        ? "Cost of the absorbed way by new tokens."
        : `Both costs by new tokens: ${inside ? `they cross at ${fmt.int(grow.crossing)}` : "they do not cross here"}.`,
    });
  };
  return {
    el: [
      name,
      svg,
      makeLegend([
        { class: "absorbed", label: "absorbed" },
        { class: "unpacked", label: "unpacked" },
      ]),
    ],
    update,
  };
};

/** @param {string} css */
const held_view = (css) => {
  const columns = s("g");
  const svg = s(
    "svg",
    { class: `held ${css}`, width: "100%", height: TALL + 1, role: "img" },
    columns,
    s("line", { x1: 0, x2: "100%", y1: TALL, y2: TALL }),
  );
  /** @param {Shown} now @param {{ each: number, copies: number }} kept @param {number} most */
  const update = ({ gpus: { ranks } }, { each, copies }, most) => {
    const tall = Math.max(2, (TALL * each) / most);
    renderList(
      columns,
      upto(ranks),
      () => s("rect"),
      (node, r) =>
        setAttrs(node, {
          class: r % copies ? "copy" : "own",
          x: pct((r + 0.1) / ranks),
          y: (TALL - tall).toFixed(2),
          width: pct(0.8 / ranks),
          height: tall.toFixed(2),
        }),
    );
    setAttrs(svg, {
      "aria-label": `${ranks} GPUs, ${fmt.bytes(each, "KB")} on each, ${copies > 1 ? `the same on ${copies}` : "no copies"}.`,
    });
  };
  return { el: svg, update };
};
export const gpus_view = () => {
  const groups = [
    ["small", "size.title", "gpus", ", one latent: "],
    ["grouped", "gpus.other.title", "gpus.other", ", {gpus.other.pairs:int} KV heads: "],
  ].map(([css, title, path, what]) => {
    const said = said_view("p", "", [
      `{${title}}${what}`,
      `{${path}.each:bytes KB} on each GPU`,
      `, {${path}.all:bytes KB} in total`,
    ]);
    const held = held_view(css);
    return { path, said, held, el: h("div", {}, said.el, held.el) };
  });
  const legend = makeLegend([
    { class: "own", label: "its own" },
    { class: "copy", label: "a copy of another GPU’s cache" },
  ]);
  /** @param {Shown} now @param {boolean} [hide] */
  const update = (now, hide) => {
    const most = Math.max(now.gpus.each, now.gpus.other.each);
    groups.forEach(({ path, said, held, el }, i) => {
      setAttrs(el, { class: classes("group", hide && !i && "hush") });
      said.update(now);
      held.update(now, valueAt(now, path), most);
    });
  };
  return {
    el: h(
      "div",
      { class: "gpus" },
      groups.map((one) => one.el),
      legend,
    ),
    update,
  };
};
