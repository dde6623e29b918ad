/* What compute returns -> the zoom ruler, the layers in a row, the lab's numbers and its table of kinds. */

import { upto } from "../kit/arrays.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { fill, fmt } from "../kit/numbers.js";
import { makeResults } from "../kit/table.js";
import { LETTERS } from "./counting.js";
import { CELL, TICK, UNITS } from "./ruler.js";

/** @import { Attrs, Kid } from "../kit/dom.js" */
/** @import { Layer, Now, Ruled, Shown } from "./compute.js" */
/** @import { Bar, Run } from "./ruler.js" */

/** What paths draw, by their class. @typedef {{ [css: string]: string }} Paths */

const [ROW, HIGH, STRIP, ZOOM, GAP, FINE, NAMED] = [24, 16, 3, 12, 0.6, 8, 8];
/** @param {number} x */
export const px = (x) => String(Math.round(100 * x) / 100);
/** @param {number} back @param {number} span */
const across = (back, span) => UNITS * (1 - back / span);
/** @param {string} css @param {string} d @param {Attrs} [more] */
const path_of = (css, d, more) => s("path", { class: css, d, ...more });

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
const bar_marks = (row, which, span, y) => {
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
const all_words = ({ spans }) => `{spans.0:int} token${spans[0] > 1 ? "s" : ""}`;
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

/* ------------------------------------------------------------ the layers in a row */
/** @param {Now} now */
const each_layer = (now) => [...now.stack].map((letter) => now.kinds[LETTERS.indexOf(letter)]);
/** @param {Element} svg @param {Paths} paths @param {number} wide @param {number} high */
const marked = (svg, paths, wide, high) => {
  setAttrs(svg, { viewBox: `0 0 ${10 * wide} ${high}` });
  svg.replaceChildren(...Object.entries(paths).map(([css, d]) => path_of(css, d)));
};
/** @param {Paths} paths @param {string} css @param {string} d */
const add_to = (paths, css, d) => {
  paths[css] = (paths[css] || "") + d;
};
/** @param {Element} ul @param {string[][]} items @param {Now} now */
const named_in = (ul, items, now) =>
  renderList(
    ul,
    items,
    () => h("li", {}, h("i", { "aria-hidden": "true" }), h("span")),
    (li, [css, words]) => {
      setAttrs(/** @type {Element} */ (li.firstChild), { class: css });
      fill(/** @type {Element} */ (li.lastChild), words, now);
    },
  );
/**
 * @param {string} label
 * @param {number} height
 * @param {string} title
 * @param {(svg: Element, now: Now, layers: Layer[]) => string[][]} draw
 */
const layers_view = (label, height, title, draw) => {
  const [head, ul] = [h("p", { class: "cw-long-context-title" }), h("ul", { class: "cw-legend" })];
  const svg = s("svg", {
    class: "cw-long-context-strip",
    role: "img",
    "aria-label": label,
    width: "100%",
    height,
    preserveAspectRatio: "none",
  });
  /** @param {Shown} now */
  const update = (now) => {
    fill(head, title, now);
    named_in(ul, draw(svg, now, each_layer(now)), now);
  };
  return { el: [head, svg, ul], update };
};

export const strip_view = () =>
  layers_view(
    "The layers in order, each as high as what it keeps.",
    120,
    "bytes kept by each of the {of.layers:int} layers of {of.title}, from the first layer on the left",
    (svg, now, layers) => {
      const [most, paths] = [layers.reduce((a, kind) => Math.max(a, kind.keeps), 0) || 1, { kept: "" }];
      layers.forEach(({ keeps, role }, i) => {
        if (keeps) paths.kept += `M${10 * i + 1} 78v-${px(Math.max(2, (76 * keeps) / most))}h8V78z`;
        add_to(paths, role, `M${10 * i + 1} 84h8v14h-8z`);
      });
      marked(svg, paths, layers.length, 100);
      const named = now.kinds
        .slice(0, NAMED)
        .map(({ role }, i) => [role, `{kinds.${i}.count:int} × {kinds.${i}.name}: {kinds.${i}.keeps:bytes} each`]);
      const more = now.kinds.length - NAMED;
      return more > 0 ? [...named, ["dense", `and ${more} further kinds`]] : named;
    },
  );

export const mixed_view = () =>
  layers_view(
    "Layers with states and layers with caches, in order.",
    76,
    "{mix.layers:int} layers of {mix.title}, in order",
    (svg, now, layers) => {
      /** @type {Paths} */
      const paths = {};
      layers.forEach(({ keeps, role, slope }, i) => {
        const tall = keeps ? 34 : 14;
        add_to(paths, role, `M${10 * i + 1} ${36 - tall}h8v${tall}h-8z`);
        if (keeps) add_to(paths, slope ? "kept" : "fixed", `M${10 * i + 1} 42h8v${slope ? 30 : 12}h-8z`);
      });
      marked(svg, paths, layers.length, 74);
      /** @param {(kind: Layer) => unknown} wanted @param {string} other */
      const role_of = (wanted, other) => (layers.find(wanted) || { role: other }).role;
      return [
        [role_of((kind) => kind.keeps && !kind.slope, "dense"), "{mix.states:int} states of fixed size"],
        [role_of((kind) => kind.slope, "full"), "{mix.caches:int} caches that grow"],
        ["dense", "{mix.rest:int} layers that store nothing"],
      ];
    },
  );

/* ------------------------------------------------------------ the lab */
/** @type {[label: string, template: string][]} */
const RESULTS = [
  ["kept in total", "{of.kept:bytes}"],
  ["read for one new token", "{of.reads:bytes}"],
  ["read, indexer keys only", "{of.index:bytes}"],
  ["arithmetic, weights", "{of.weights_gflop:fixed 1} GFLOP"],
  ["arithmetic, states", "{of.states_gflop:fixed 1} GFLOP"],
  ["arithmetic, indexers", "{of.index_gflop:fixed 1} GFLOP"],
  ["arithmetic, attention scores and values", "{of.read_gflop:fixed 1} GFLOP"],
  ["attention’s share of the arithmetic", "{of.past_share:percent 1}"],
];
export const results_view = () => {
  const results = makeResults("cw-long-context-results", RESULTS);
  const [big, formula, note] = [
    h("p", { class: "cw-long-context-big" }),
    h("p", { class: "cw-long-context-formula" }),
    h("p", { class: "cw-note" }),
  ];
  /** @param {Shown} now */
  const update = (now) => {
    const { longest } = now.of;
    fill(big, "{of.slope} bytes per token", now);
    fill(formula, "{of.formula}", now);
    results.update(now);
    const ends =
      longest && now.spans[0] > longest ? " The context length in its config is {of.longest:int} tokens." : "";
    fill(note, `{of.read_share:percent 1} of the bytes kept are read for each new token.${ends}`, now);
  };
  return { el: [big, formula, results.el, note], update };
};

/** @param {unknown[]} rows */
export const kinds_view = (rows) => {
  const high = HIGH + 2 + STRIP;
  /** @param {number} which Of three bars the whole past alone stands there before a script. */
  const omitted = (which) => ({ "data-omit": which > 0 });
  const heads = upto(3).map((which) => h("th", { scope: "col", ...omitted(which) }));
  const made = rows.map((_, r) => {
    const bars = upto(3).map(() =>
      s("svg", {
        width: "100%",
        height: high,
        viewBox: `0 0 ${UNITS} ${high}`,
        preserveAspectRatio: "none",
        "aria-hidden": "true",
      }),
    );
    const [name, title] = [h("b"), h("small")];
    const sizes = ["reads", "keeps"].map((key) => h("td", { class: `size ${key}` }));
    return {
      bars,
      name,
      title,
      sizes,
      r,
      tr: h(
        "tr",
        {},
        h("th", { scope: "row" }, name, title),
        bars.map((svg, which) => h("td", omitted(which), svg)),
        sizes,
      ),
    };
  });
  /** @param {string} text @param {string} [css] */
  const column = (text, css) => h("th", { scope: "col", class: css || false, text });
  const table = h(
    "table",
    { class: "cw-long-context-kinds" },
    h("caption", {
      text: "Kinds of layers side by side, with the bytes that one layer keeps and reads for the newest token",
    }),
    h("thead", {}, h("tr", {}, column("kind of layer"), heads, column("reads", "size"), column("keeps", "size"))),
    h(
      "tbody",
      {},
      made.map((one) => one.tr),
    ),
  );
  /** @param {Shown} now */
  const update = (now) => {
    [all_words(now), "the last {spans.1:int}", "the last {spans.2:int}"].forEach((words, i) =>
      fill(heads[i], words, now),
    );
    /** @param {{ role: string, name: string }} kind */
    const first = ({ role, name }) => role + name.split(" ")[0];
    const own = now.kinds.map(first);
    for (const { bars, name, title, sizes, r, tr } of made) {
      const row = now.ruler[r];
      setAttrs(tr, { class: own.includes(first(row)) ? "own" : false });
      fill(name, `{ruler.${r}.name}`, now);
      fill(title, `{ruler.${r}.title}`, now);
      bars.forEach((svg, which) => svg.replaceChildren(bar_marks(row, which, now.spans[which], 0)));
      ["reads", "keeps"].forEach((key, i) => fill(sizes[i], `{ruler.${r}.${key}:bytes}`, now));
    }
  };
  return { el: [table], update };
};
