/* Rings of ranks between matrices: an arc from each rank to the next, and dots that turn while the step is under way. */
import { renderList, s, setAttrs } from "../kit/dom.js";
import { range } from "./arithmetic.js";

/** A ring and its corner. @typedef {{ x: number, y: number, step: number, text: string }} PlacedRing */

/** Pixels as they are written. @param {number} px */
export const rounded = (px) => Number(px.toFixed(2));

/** The point at a part f of a ring. @param {PlacedRing} ring @param {number} f */
const around = (ring, f) => {
  const turn = f * 2 * Math.PI - Math.PI / 2;
  return [ring.x + 56 + 42 * Math.cos(turn), ring.y + 42 * Math.sin(turn)];
};

/** The arc between a rank and the next, with gaps for both. @param {PlacedRing} ring @param {number} r @param {number} t @param {number} radius of a rank */
const arc = (ring, r, t, radius) => {
  const gap = (radius + 5) / 42 / 2 / Math.PI;
  const [a, b] = [around(ring, r / t + gap), around(ring, (r + 1) / t - gap)].map((point) =>
    point.map(rounded).join(" "),
  );
  return t === 1 ? "" : `M${a}A42 42 0 0 1 ${b}`;
};

const make_node = () =>
  s(
    "g",
    {},
    s("g", { class: "cw-tensor-parallel-arcs" }),
    s("g"),
    s("g", { class: "cw-tensor-parallel-dots" }),
    s("text", { "text-anchor": "middle" }),
    s("text", { "text-anchor": "middle" }),
  );

/** @param {Element} node @param {PlacedRing} ring @param {number} t */
const draw_ring = (node, ring, t) => {
  const radius = t > 8 ? 7 : t > 5 ? 10 : 12;
  const [arcs, nodes, moving, ...words] = node.children;
  setAttrs(node, { "data-step": ring.step });
  renderList(
    arcs,
    range(t),
    () => s("path"),
    (path, r) => setAttrs(path, { d: arc(ring, r, t, radius) }),
  );
  renderList(
    nodes,
    range(t),
    () => s("g", {}, s("circle"), s("text", { "text-anchor": "middle", dy: "0.36em", "data-index": "" })),
    (g, r) => {
      const [x, y] = around(ring, r / t);
      setAttrs(g, { transform: `translate(${rounded(x)} ${rounded(y)})` });
      setAttrs(g.children[0], { r: radius, class: `cw-rank cw-rank${r}`, "data-rank": r });
      setAttrs(g.children[1], {
        text: r,
        class: `cw-tensor-parallel-${r > 7 ? "dark" : "light"}${t > 8 ? " cw-tensor-parallel-small" : ""}`,
      });
    },
  );
  renderList(
    moving,
    range(t),
    () => s("circle", { r: 3.5 }),
    (dot, r) => setAttrs(dot, { class: `cw-rank cw-rank${r}` }),
  );
  const [first, second] =
    t === 1 ? ["nothing", "to send"] : ring.text.split("-").map((part, i) => (i ? part : `${part}-`));
  words.forEach((word, i) =>
    setAttrs(word, { x: rounded(ring.x + 56), y: rounded(ring.y - 2 + 14 * i), text: i ? second : first }),
  );
};

/** All rings of a layer: `draw` places them, `turn` moves the dots of the one whose step is under way. */
export const make_rings = () => {
  const el = s("g", { class: "cw-tensor-parallel-rings" });
  /** @type {{ ring: PlacedRing, node: Element }[]} */
  let dots = [];
  return {
    el,
    /** @param {PlacedRing[]} found @param {number} t ranks */
    draw: (found, t) => {
      renderList(el, found, make_node, (node, ring) => draw_ring(node, ring, t));
      dots = found.map((ring, i) => ({ ring, node: el.children[i].children[2] }));
    },
    /** @param {number} t steps @param {number} tp */
    turn: (t, tp) => {
      const now = Math.floor(t);
      for (const { ring, node } of dots) {
        const f = ring.step === now && tp > 1 ? t - now : 0;
        setAttrs(node, { visibility: f > 0 ? "visible" : "hidden" });
        if (f > 0)
          [...node.children].forEach((dot, r) => {
            const [x, y] = around(ring, (r + f * (tp - 1)) / tp);
            setAttrs(dot, { transform: `translate(${rounded(x)} ${rounded(y)})` });
          });
      }
    },
  };
};
