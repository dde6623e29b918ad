/* A width and a number of ranks -> where ranks and slots stand, the colours in a slot, and the way from one rank to another. */
import { modulo, upto } from "../kit/arrays.js";

/** Where ranks and slots stand. @typedef {ReturnType<typeof layout>} Layout */

/** x, y, width, height. @typedef {[number, number, number, number]} Box */

/** What is drawn in a rank's colour, by rank. @typedef {{ [rank: string]: string }} Painted */

/** The way from a rank to another: as a path, its point at a share, and how its end is turned. @typedef {{ d: string, at: (share: number) => number[], turn: number }} Way */

const ADDS = ["all-reduce", "reduce-scatter"];

/* At most `high` pixels: ring beside slots, or above them where it is narrow. */
/** @param {number} width @param {number} n @param {number} high */
export const layout = (width, n, high) => {
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
export const cell_rect = (g, rank, slot) => {
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
export const paint = (into, g, op, value, [x, y, w, h]) => {
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
export const pair = (x, y) => `${x.toFixed(2)} ${y.toFixed(2)}`;

/** @param {Layout} g @param {number} rank */
export const spot = (g, rank) => {
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
export const way = (g, src, dst) => {
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
