/* Two views of one step: the ranks in a circle with what travels between them, and every rank's slots as a column. */

import { modulo, upto } from "../kit/arrays.js";
import { renderList, s, setAttrs } from "../kit/dom.js";
import { fill, put as kitPut } from "../kit/numbers.js";
import { progress } from "./compute.js";

/** @import { State } from "../../.make/data_types/collectives.d.ts" */
/** @import { Now, Shown } from "./compute.js" */

/** Where ranks and slots stand. @typedef {ReturnType<typeof layout>} Layout */
/** x, y, width, height. @typedef {[number, number, number, number]} Box */
/** What is drawn in a rank's colour, by rank. @typedef {{ [rank: string]: string }} Painted */
/** The rank that a chunk must go to, the number that says whose it is, and its slot. @typedef {[to: number, value: number, box: Box]} Address */
/** Chunks that fly together: from a rank to another, so many rows down. @typedef {{ src: number, dst: number, down: number, painted: Painted, texts: Address[] }} Packet */
/** The way from a rank to another: as a path, its point at a share, and how its end is turned. @typedef {{ d: string, at: (share: number) => number[], turn: number }} Way */

const ADDS = ["all-reduce", "reduce-scatter"];
/** @param {number | string} r */
const tone = (r) => `cw-rank cw-rank${r}`;

/* At most `high` pixels: ring beside slots, or above them where it is narrow. */
/** @param {number} width @param {number} n @param {number} high */
const layout = (width, n, high) => {
  const wide = width >= 640;
  const ring = wide ? Math.min(300, width * 0.32) : Math.min(250, width, 0.4 * high);
  const grid_x = wide ? ring + 72 : 30;
  const grid_w = width - grid_x;
  const column = Math.min(grid_w / n, 144);
  const room = wide ? Math.min(high, 374) - 74 : high - ring - 74;
  const row = Math.max(14, Math.min(46, Math.floor(room / n)));
  const grid_y = wide ? 44 : ring + 44;
  const height = Math.max(wide ? ring : 0, grid_y + n * row + 30);
  const cx = wide ? ring / 2 : width / 2;
  const cy = wide ? Math.max(ring / 2, (grid_y + n * row) / 2) : ring / 2;
  return { wide, grid_x, grid_y, column, row, height, width, n, cx, cy, radius: ring / 2 - 24, node: n > 10 ? 12 : 16 };
};

/** @param {Layout} g @param {number} rank @param {number} slot @returns {Box} */
const cell_rect = (g, rank, slot) => {
  const pad = Math.max(1.5, Math.min(4, g.column / 10));
  return [g.grid_x + rank * g.column + pad, g.grid_y + slot * g.row + 1.5, g.column - 2 * pad, g.row - 3];
};
/** @param {number} x @param {number} y @param {number} w @param {number} h */
const stripe = (x, y, w, h) => `M${pair(x, y)}h${w.toFixed(2)}v${h.toFixed(2)}h${(-w).toFixed(2)}z`;

/**
 * How many tiles a slot has side by side, one for each rank; in several rows rather than as slivers.
 * @param {number} n
 * @param {number} w
 */
const across = (n, w) => {
  let many = n;
  while (many > 4 && 6 * many > w) many = Math.ceil(many / 2);
  return many;
};

/**
 * A slot's numbers -> {colour: path}: the binary digits of its first number say whose numbers are summed in it.
 * @param {Painted} into
 * @param {Layout} g
 * @param {string} op
 * @param {number} value
 * @param {Box} box
 */
const paint = (into, g, op, value, [x, y, w, h]) => {
  if (!value) return;
  const whose = upto(g.n).filter((r) => Math.floor(value / 2 ** r) % 2);
  const many = ADDS.includes(op) ? across(g.n, w) : 1;
  const [tw, th] = ADDS.includes(op) ? [w / many, h / Math.ceil(g.n / many)] : [w, h];
  for (const r of whose) {
    const [i, j] = ADDS.includes(op) ? [r % many, Math.floor(r / many)] : [0, 0];
    into[r] = (into[r] || "") + stripe(x + i * tw, y + j * th, tw, th);
  }
};

/**
 * Two numbers as a drawing needs them.
 * @param {number} x
 * @param {number} y
 */
const pair = (x, y) => `${x.toFixed(2)} ${y.toFixed(2)}`;

/** @param {Layout} g @param {number} rank */
const spot = (g, rank) => {
  const turn = (rank / g.n) * 2 * Math.PI - Math.PI / 2;
  return [g.cx + g.radius * Math.cos(turn), g.cy + g.radius * Math.sin(turn), turn];
};

/**
 * The way from one rank to another: along the circle to a neighbour, else a chord bent a little to its right.
 * @param {Layout} g
 * @param {number} src
 * @param {number} dst
 * @returns {Way}
 */
const way = (g, src, dst) => {
  const gap = (g.node + 7) / g.radius;
  const n = g.n;
  if (modulo(dst - src, n) === 1 && n > 2) {
    const from = spot(g, src)[2] + gap;
    const to = from + (2 * Math.PI) / n - 2 * gap;
    /** @param {number} f */
    const at = (f) => [
      g.cx + g.radius * Math.cos(from + (to - from) * f),
      g.cy + g.radius * Math.sin(from + (to - from) * f),
    ];
    const [a, b] = [at(0), at(1)];
    return {
      d: `M${pair(a[0], a[1])}A${g.radius} ${g.radius} 0 0 1 ${pair(b[0], b[1])}`,
      at,
      turn: (to * 180) / Math.PI + 90,
    };
  }
  const [[ax, ay], [bx, by]] = [spot(g, src), spot(g, dst)];
  const long = Math.hypot(bx - ax, by - ay);
  const [ux, uy] = [(bx - ax) / long, (by - ay) / long];
  const cut = g.node + 6;
  const [px, py, qx, qy] = [ax + ux * cut, ay + uy * cut, bx - ux * cut, by - uy * cut];
  const bend = Math.min(14, long / 8);
  const [mx, my] = [(px + qx) / 2 - uy * bend, (py + qy) / 2 + ux * bend];
  /** @param {number} f */
  const at = (f) => [
    (1 - f) ** 2 * px + 2 * f * (1 - f) * mx + f * f * qx,
    (1 - f) ** 2 * py + 2 * f * (1 - f) * my + f * f * qy,
  ];
  return {
    d: `M${pair(px, py)}Q${pair(mx, my)} ${pair(qx, qy)}`,
    at,
    turn: (Math.atan2(qy - my, qx - mx) * 180) / Math.PI,
  };
};

/**
 * Several nodes: a band round the ranks of each, and a box round their columns.
 * @param {Element} parent
 * @param {Layout} g
 * @param {number} per_node
 */
const node_boxes = (parent, g, per_node) => {
  const firsts = g.n > per_node ? upto(Math.ceil(g.n / per_node)).map((node) => node * per_node) : [];
  renderList(
    parent,
    firsts,
    () => s("g", {}, s("path"), s("rect", { rx: 6 }), s("text", { "text-anchor": "middle", "data-index": "" })),
    (node, first, i) => {
      const last = Math.min(first + per_node, g.n) - 1;
      const [[ax, ay], [bx, by]] = [spot(g, first), spot(g, last)];
      const around =
        last > first ? `A${g.radius} ${g.radius} 0 ${(last - first) * 2 > g.n ? 1 : 0} 1 ${bx} ${by}` : "h0.01";
      const [x, right] = [g.grid_x + first * g.column, g.grid_x + (last + 1) * g.column];
      setAttrs(node.children[0], { d: `M${ax} ${ay}${around}`, "stroke-width": 2 * g.node + 12 });
      setAttrs(node.children[1], { x: x + 1, y: g.grid_y - 37, width: right - x - 2, height: g.n * g.row + 61 });
      setAttrs(node.children[2], {
        x: (x + right) / 2,
        y: g.grid_y + g.n * g.row + 38,
        text: right - x > 44 ? `node ${i}` : i,
      });
    },
  );
};

/**
 * The drawing of a run, at most `high` pixels high.
 * @param {number} high
 */
export const run_view = (high) => {
  /** @param {string} name */
  const layer = (name) => s("g", { class: `cw-collectives-${name}` });
  const [boxes, ways, heads, nodes, word, columns, rows, cellbox, held, goals, flying, dots] = [
    "boxes",
    "ways",
    "heads",
    "nodes",
    "word",
    "columns",
    "rows",
    "cells",
    "held",
    "goals",
    "flying",
    "dots",
  ].map(layer);
  const svg = s(
    "svg",
    { role: "img", class: "cw-collectives-svg" },
    boxes,
    cellbox,
    columns,
    rows,
    held,
    goals,
    flying,
    ways,
    heads,
    nodes,
    dots,
    word,
  );
  const caption = [
    s("text", { "text-anchor": "middle", class: "cw-collectives-op" }),
    s("text", { "text-anchor": "middle", class: "cw-collectives-small" }),
  ];
  word.append(...caption);
  /** @type {Layout} */
  let g;
  let seen = "";
  /** What is printed of the step that is drawn. @type {Shown} */
  let told;
  /** @type {Packet[]} */
  let moving = [];
  /** @type {(Way & { src: number, leaves: boolean })[]} */
  let arrows = [];

  /** @param {State} state @param {number} width */
  const fixed = (state, width) => {
    g = layout(width, state.ranks, high);
    if (g.n > state.per_node) g.height += 14; // the nodes' names
    setAttrs(svg, { width, height: g.height, viewBox: `0 0 ${width} ${g.height}` });
    const ranks = upto(g.n);
    node_boxes(boxes, g, state.per_node);
    renderList(
      nodes,
      ranks,
      (r) => s("g", {}, s("circle"), s("text", { "text-anchor": "middle", dy: "0.36em" })),
      (node, r) => {
        const [x, y] = spot(g, r);
        setAttrs(node, { transform: `translate(${pair(x, y)})` });
        setAttrs(node.children[0], { r: g.node, class: tone(r) });
        setAttrs(node.children[1], {
          text: r,
          "data-index": true,
          class: r > 7 ? "cw-collectives-dark" : "cw-collectives-light",
        });
      },
    );
    renderList(
      columns,
      ranks,
      () =>
        s(
          "g",
          {},
          s("circle"),
          s("text", { "text-anchor": "middle", dy: "0.36em" }),
          s("text", { "text-anchor": "middle", class: "cw-collectives-count" }),
        ),
      (node, r) => {
        const x = g.grid_x + (r + 0.5) * g.column;
        const small = Math.min(11, g.column / 2 - 1);
        setAttrs(node.children[0], { cx: x, cy: g.grid_y - 22, r: small, class: tone(r) });
        setAttrs(node.children[1], {
          x,
          y: g.grid_y - 22,
          text: r,
          "data-index": true,
          class: r > 7 ? "cw-collectives-dark" : "cw-collectives-light",
        });
        setAttrs(node.children[2], { x, y: g.grid_y + g.n * g.row + 18 });
      },
    );
    renderList(
      rows,
      ranks,
      () => s("text", { "text-anchor": "end", dy: "0.36em" }),
      (node, c) =>
        setAttrs(node, {
          x: g.grid_x - 4,
          y: g.grid_y + (c + 0.5) * g.row,
          "data-index": true,
          text: g.wide && 9 > g.n ? `chunk ${c}` : c,
        }),
    );
    renderList(
      cellbox,
      ranks.flatMap((r) => ranks.map((s) => [r, s])),
      () => s("rect", { rx: 2 }),
      (node, [r, s]) => {
        const [x, y, w, h] = cell_rect(g, r, s);
        setAttrs(node, { x, y, width: w, height: h });
      },
    );
  };

  /** @param {Element} parent @param {Address[]} found */
  const address = (parent, found) =>
    renderList(
      parent,
      found,
      () => s("text", { "text-anchor": "middle", dy: "0.36em" }),
      (node, [to, value, [x, y, w, h]]) =>
        setAttrs(node, {
          x: x + w / 2,
          y: y + h / 2,
          text: `→${to}`,
          "data-index": true,
          class: value > 255 ? "cw-collectives-dark" : "cw-collectives-light",
        }),
    );
  /** @param {Element} parent @param {Painted} painted */
  const paths = (parent, painted) =>
    renderList(
      parent,
      Object.entries(painted),
      () => s("path"),
      (node, [r, d]) => setAttrs(node, { d, class: tone(r) }),
    );

  /**
   * The state before step k + 1, and the packets of that step where they start.
   * @param {State} state
   * @param {Now} out
   * @param {number} k
   */
  const scene = (state, out, k) => {
    const frame = out.frames[k];
    const log = out.log.filter((row) => row[0] === k + 1);
    const gone = new Set(out.frees[k] ? log.map(([, src, , chunk]) => src * g.n + chunk) : []);
    /** @type {Painted} */
    const painted = {};
    /** @type {Address[]} */
    const labels = [];
    /* A slot; in an all-to-all its chunk carries its address, the rank it is for. */
    /** @param {Painted} into @param {Address[]} texts @param {number[]} rank @param {number} r @param {number} s */
    const put = (into, texts, rank, r, s) => {
      const rect = cell_rect(g, r, s);
      const [value, own] = rank.slice(2 * s);
      paint(into, g, state.op, value, rect);
      if (state.op === "all-to-all" && value && rect[3] >= 11 && rect[2] >= 18)
        texts.push([(own - 1) % 16, value, rect]);
    };
    frame.forEach((rank, r) =>
      upto(g.n).forEach((s) => {
        if (!gone.has(r * g.n + s)) put(painted, labels, rank, r, s);
      }),
    );
    paths(held, painted);
    address(goals, labels);
    /** @type {Map<string, Packet>} */
    const packets = new Map();
    const direct = state.op === "all-reduce" && state.algorithm === "direct";
    for (const [, src, dst, chunk, into] of log) {
      const key = [src, dst, into - chunk].join();
      const packet = packets.get(key) ?? { src, dst, down: into - chunk, painted: {}, texts: [] };
      packets.set(key, packet);
      put(packet.painted, packet.texts, (direct ? out.frames[0] : frame)[src], src, chunk);
    }
    moving = [...packets.values()];
    renderList(
      flying,
      moving,
      () => s("g", {}, s("g"), s("g")),
      (node, packet) => {
        paths(node.children[0], packet.painted);
        address(node.children[1], packet.texts);
      },
    );
    const pairs = [...new Set(log.map(([, src, dst]) => src * g.n + dst))].map((x) => [Math.floor(x / g.n), x % g.n]);
    arrows = pairs.map(([src, dst]) => ({
      src,
      leaves: Math.floor(src / state.per_node) !== Math.floor(dst / state.per_node),
      ...way(g, src, dst),
    }));
    renderList(
      ways,
      arrows,
      () => s("path"),
      (node, a) => setAttrs(node, { d: a.d, class: a.leaves ? "outside" : false }),
    );
    renderList(
      heads,
      arrows,
      () => s("path", { d: "M-8 -4.5L1 0L-8 4.5z" }),
      (node, a) => {
        const [x, y] = a.at(1);
        setAttrs(node, { transform: `translate(${pair(x, y)}) rotate(${a.turn.toFixed(2)})` });
      },
    );
    renderList(
      dots,
      arrows,
      () => s("circle", { r: 5 }),
      (node, a) => setAttrs(node, { class: tone(a.src) }),
    );
    told = { ...state, ...out, at: progress({ run: out, start: out.frames[0] }, state, k) };
    [...columns.children].forEach((node, r) => kitPut(node.children[2], `at.sent.${r}`, "int", told));
    setAttrs(caption[0], { x: g.cx, y: g.cy - 2, text: state.op });
    setAttrs(fill(caption[1], "{at.words:text} done", told), { x: g.cx, y: g.cy + 16 });
  };

  /**
   * Draws the moment t and returns what may be printed of it; `hush` leaves out how many steps there are.
   * @param {State} state
   * @param {Now} out
   * @param {number} width
   * @param {number} t
   * @param {boolean} [hush]
   */
  const draw = (state, out, width, t, hush = false) => {
    const still = [state.op, state.algorithm, state.ranks, state.root, state.per_node, width].join();
    if (!seen.startsWith(`${still}|`)) fixed(state, width);
    const k = Math.min(Math.floor(t), out.frames.length - 1);
    const f = Math.min(t - k, 1);
    const now = `${still}|${k}`;
    if (now !== seen) scene(state, out, k);
    seen = now;
    const ease = f * f * (3 - 2 * f);
    moving.forEach((p, i) =>
      setAttrs(flying.children[i], {
        transform: `translate(${pair((p.dst - p.src) * g.column * ease, p.down * g.row * ease)})`,
      }),
    );
    arrows.forEach((a, i) => {
      const [x, y] = a.at(ease);
      setAttrs(dots.children[i], { transform: `translate(${pair(x, y)})` });
    });
    setAttrs(dots, { visibility: f > 0 ? "visible" : "hidden" });
    caption[1].style.display = hush ? "none" : "";
    return told;
  };

  /** The rank and slot at a point. @param {number} x @param {number} y */
  const find = (x, y) => {
    const [rank, slot] = [Math.floor((x - g.grid_x) / g.column), Math.floor((y - g.grid_y) / g.row)];
    return rank >= 0 && slot >= 0 && upto(g.n).includes(rank) && upto(g.n).includes(slot) ? [rank, slot] : null;
  };
  return { svg, draw, find };
};
