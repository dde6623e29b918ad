/* What compute returns -> heads dealt out instead of tokens, bytes against ranks, and a cache while decoding. */
import { upto } from "../kit/arrays.js";
import { grow, h, renderList, s, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill, put } from "../kit/numbers.js";
import { CURVE } from "./compute.js";
import { chips, cw, pct, row_of, tone } from "./rank_chips.js";

/** @import { Now, Shown } from "./compute.js" */

const [CHART, TOP, FOOT] = [266, 14, 46];

/* ---------------------------------------------------------------- Ulysses */
/** @param {boolean} turned */
const grid_view = (turned) => {
  const [cells, lines] = [s("g"), s("path", { class: "lines" })];
  const label = turned
    ? "After: each rank has some heads of all tokens."
    : "Before: each rank has all heads of some tokens.";
  const svg = s(
    "svg",
    { class: cw("grid"), role: "img", "aria-label": label, preserveAspectRatio: "none" },
    cells,
    lines,
  );
  /** @param {Now} now @param {number} columns */
  const update = ({ owner, table }, columns) => {
    const [tokens, ranks] = [owner.length, table.length];
    const paths = new Array(ranks).fill("");
    if (turned)
      for (const column of upto(columns))
        paths[Math.floor((column * ranks) / columns)] += `M${column} 0h1v${tokens}h-1z`;
    else
      owner.forEach((rank, token) => {
        paths[rank] += `M0 ${token}h${columns}v1h-${columns}z`;
      });
    setAttrs(svg, { viewBox: `0 0 ${columns} ${tokens}` });
    renderList(
      cells,
      paths,
      () => s("path"),
      (node, d, rank) => setAttrs(node, { class: tone(rank), d }),
    );
    setAttrs(lines, {
      d: upto(columns)
        .slice(1)
        .map((column) => `M${column} 0v${tokens}`)
        .join(""),
    });
  };
  return { svg, update };
};

/** @param {string} path @param {number} n */
export const kv_heads = (path, n) => `{${path}:int} KV head${n === 1 ? "" : "s"}`;
export const swap_view = () => {
  const rows = upto(2).map(() => ({ name: h("p"), before: grid_view(false), after: grid_view(true), box: h("div") }));
  const box = h(
    "div",
    { class: cw("swap") },
    h("b", { text: "some tokens, all heads" }),
    h("b", { text: "all tokens, some heads" }),
    rows.map((row) => [
      row.name,
      row.before.svg,
      h("i", { "aria-hidden": "true" }),
      grow(row.box, {}, [row.after.svg]),
    ]),
  );
  const said = h("p", { class: cw("said") });
  /** @param {Shown} now */
  const update = (now) => {
    const [ranks, kv, possible] = [now.table.length, Math.min(now.here.kv, 32), now.ways.ulysses.sent > 0];
    rows.forEach((row, i) => {
      fill(row.name, i ? kv_heads("here.kv", now.here.kv) : "{here.heads:int} query heads", now);
      row.before.update(now, i ? kv : ranks);
      row.after.update(now, i ? Math.max(kv, ranks) : ranks);
      row.after.svg.style.display = possible ? "" : "none";
    });
    fill(
      said,
      possible
        ? `Each rank has {swap.heads:int} query heads and ${kv_heads("swap.kv", now.swap.kv)}; each KV head is on {swap.copies:int} rank${now.swap.copies === 1 ? "" : "s"}.`
        : `{cp:int} ranks cannot split {here.heads:int} query heads and ${kv_heads("here.kv", now.here.kv)} evenly; {swap.fits:int} can.`,
      now,
    );
  };
  return { el: [box, said], update };
};

/* ---------------------------------------------------------------- bytes against ranks */
/** @param {number} value */
const nice = (value) => {
  const power = 10 ** (String(Math.floor(value)).length - 1);
  return /** @type {number} */ ([1, 2, 5, 10].map((n) => n * power).find((n) => n >= value));
};
/** @param {number} value */
const megabytes = (value) => (value >= 1e9 ? `${value / 1e9} GB` : value ? `${value / 1e6} MB` : "0");

/**
 * Lines across at quarters of the top, and their bytes.
 * @param {Element} grid
 * @param {number} top
 * @param {(value: number) => number} y
 */
const draw_scale = (grid, top, y) =>
  renderList(
    grid,
    upto(5).map((n) => (top * n) / 4),
    () =>
      s(
        "g",
        {},
        s("line", { x1: "16%", x2: "92%" }),
        s("text", { x: "14%", "text-anchor": "end", "data-index": true }),
      ),
    (node, value) => {
      setAttrs(node.children[0], { y1: y(value), y2: y(value) });
      setAttrs(node.children[1], { y: y(value) + 4, text: megabytes(value) });
    },
  );

export const chart_view = () => {
  const [grid, axis] = [s("g", { class: "grid" }), s("g")];
  const lines = /** @type {const} */ (["ring", "ulysses"]).map((name) => ({ name, joins: s("g"), dots: s("g") }));
  const svg = s(
    "svg",
    {
      class: cw("chart"),
      role: "img",
      width: "100%",
      height: CHART,
      "aria-label": "Bytes that each rank sends in a layer, by number of ranks, on the ring and with Ulysses.",
    },
    grid,
    axis,
    lines.map((one) => s("g", { class: one.name }, one.joins, one.dots)),
    s("text", { x: "54%", y: CHART - 6, "text-anchor": "middle", text: "context-parallel ranks" }),
  );
  const legend = makeLegend([
    { class: "ring", label: "ring, and all-gather" },
    { class: "ulysses", label: "Ulysses" },
  ]);
  /** @param {Now} now @param {number} ranks @param {boolean} ends */
  const update = ({ curve }, ranks, ends) => {
    const top = nice(Math.max(...curve.ring, ...curve.ulysses));
    /** @param {number} value */
    const y = (value) => TOP + (CHART - TOP - FOOT) * (1 - value / top);
    /** @param {number} i */
    const x = (i) => pct(16 + i * 15.2);
    draw_scale(grid, top, y);
    renderList(
      axis,
      CURVE,
      () => s("text", { y: CHART - FOOT + 18, "text-anchor": "middle", "data-index": true }),
      (node, n, i) => setAttrs(node, { class: n === ranks && !ends ? "here" : false, x: x(i), text: n }),
    );
    for (const { name, joins, dots } of lines) {
      const all = curve[name].map((value, i) => ({ x: x(i), y: y(value), value })).filter(({ value }) => value);
      const at = ends ? [all[0], /** @type {(typeof all)[number]} */ (all.at(-1))] : all;
      renderList(
        joins,
        ends ? [] : at.slice(1),
        () => s("line"),
        (node, one, i) => setAttrs(node, { x1: at[i].x, y1: at[i].y, x2: one.x, y2: one.y }),
      );
      renderList(
        dots,
        at,
        () => s("circle", { r: 4.5 }),
        (node, one) => setAttrs(node, { cx: one.x, cy: one.y }),
      );
    }
  };
  return { el: [svg, legend], update };
};

/* ---------------------------------------------------------------- decoding */
/** @param {string} title */
export const strips_view = (title) => {
  const [ranks, rows] = [chips(), s("g")];
  const titles = [
    s("text", { x: "11%", y: 11, text: title }),
    s("text", { x: "100%", y: 11, "text-anchor": "end", text: "share of the result" }),
  ];
  const svg = s(
    "svg",
    { class: cw("strips"), role: "img", width: "100%" },
    s("g", { class: "heads" }, titles),
    ranks.el,
    rows,
  );
  const make = () =>
    s(
      "g",
      {},
      s("svg", { x: "11%", preserveAspectRatio: "none" }, s("path", { class: "track" }), s("path")),
      s("rect", { x: "68%" }),
      s("text", { x: "100%", "text-anchor": "end" }),
    );
  /** @param {number[]} owner @param {(whose: number) => boolean} wanted */
  const boxes = (owner, wanted) => owner.map((whose, p) => (wanted(whose) ? `M${p} 0h0.9v1h-0.9z` : "")).join("");
  /** @param {Now} now @param {number[]} owner @param {number[] | null} weight */
  const update = (now, owner, weight) => {
    const n = now.table.length;
    const high = row_of(n);
    ranks.update(n, 18);
    titles[1].style.display = weight ? "" : "none";
    renderList(rows, upto(n), make, (node, rank) => {
      const y = 18 + rank * high;
      const [strip, bar, said] = node.children;
      setAttrs(strip, { y, width: weight ? "54%" : "88%", height: high - 4, viewBox: `0 0 ${owner.length} 1` });
      setAttrs(strip.children[0], { d: boxes(owner, (whose) => whose !== rank) });
      setAttrs(strip.children[1], { class: tone(rank), d: boxes(owner, (whose) => whose === rank) });
      setAttrs(bar, {
        class: tone(rank),
        y,
        height: high - 4,
        width: pct(weight ? (weight[rank] / Math.max(...weight)) * 18 : 0),
      });
      setAttrs(said, { y: y + high / 2 + 2 });
      if (weight) put(said, `decode.weight.${rank}`, "percent 1", now);
      else setAttrs(said, { "data-out": false, text: "" });
    });
    setAttrs(svg, {
      height: 20 + n * high,
      "aria-label": `Which of ${owner.length} positions each of ${n} ranks stores.`,
    });
  };
  return { svg, update };
};

/* Position p on rank p mod c. */
export const cache_view = () => {
  const strips = strips_view("positions of the cache");
  return {
    svg: strips.svg,
    /** @param {Now} now @param {boolean} hide */
    update: (now, hide) =>
      strips.update(
        now,
        now.owner.map((_, p) => p % now.table.length),
        hide ? null : now.decode.weight,
      ),
  };
};
