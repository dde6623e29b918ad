/* The op that is asked: the gap it waits in, the result it waits for, and the messages it sends or gets. */
import { s, setAttrs } from "../kit/dom.js";
import { arrow_head, hop_line, px } from "./geometry.js";

/** @import { Now } from "./compute.js" */
/** @import { Geometry } from "./geometry.js" */
/** @import { Span } from "./simulate.js" */

export const explanation_view = () => {
  const [gap, source, focus] = ["gap", "source", "focus"].map((name) =>
    s("rect", { class: `cw-pipeline-${name}`, rx: 3 }),
  );
  const [arrow, head, links, heads] = ["arrow", "head", "links", "heads"].map((name) =>
    s("path", { class: `cw-pipeline-${name}` }),
  );
  setAttrs(head, { d: "M-5 -8L0 0L5 -8z" });
  /** @param {Now} out @param {number} rank @param {number} op @param {Geometry} g */
  const update = (out, rank, op, g) => {
    const [w, f] = [out.why, g.main];
    const y_of = (/** @type {number} */ r) => f.top + r * f.pitch;
    const within = (/** @type {number} */ from, /** @type {number} */ to) => to > f.from && f.to > from;
    const show = (/** @type {Element[]} */ nodes, /** @type {unknown} */ seen) =>
      nodes.forEach((node) => setAttrs(node, { visibility: seen ? "visible" : "hidden" }));
    /** @type {(node: Element, r: number, span: Span, by: number) => Element} */
    const around = (node, r, [from, to], by) =>
      setAttrs(node, {
        x: px(f, from) - by,
        y: y_of(r) - Math.abs(by),
        width: Math.max(px(f, to) - px(f, from) + 2 * by, 1),
        height: f.lane + 2 * Math.abs(by),
      });
    const own = rank in out.ops && op in out.ops[rank] ? /** @type {Span} */ (out.ops[rank][op].slice(-2)) : null;
    const waits = w && w.rank >= 0 && w.to > f.from && f.to >= w.to;
    show([gap, source, arrow, head], waits);
    show([focus], own && within(...own));
    if (own) around(focus, rank, own, 0);
    const seen = out.links
      .filter(([, , , to, k, sent, there]) => !(waits && to === rank && k === op) && there >= f.from && f.to >= sent)
      .map((m) => hop_line(f, m));
    setAttrs(links, { d: seen.map(([a, b, c, d]) => `M${a} ${b}L${c} ${d}`).join("") });
    setAttrs(heads, { d: seen.map(arrow_head).join("") });
    if (!waits) return;
    const x = (/** @type {number} */ t) => px(f, t);
    setAttrs(gap, {
      x: x(w.from) + 1,
      y: y_of(rank) + 1,
      width: Math.max(x(w.to) - x(w.from) - 2, 1),
      height: f.lane - 2,
    });
    const [start, end] = /** @type {Span} */ (out.ops[w.rank][w.index].slice(-2));
    setAttrs(source, { x: x(start), y: y_of(w.rank) - 1, width: x(end) - x(start), height: f.lane + 2 });
    const [x1, x2] = [x(end), x(w.to)];
    const down = w.rank < rank;
    const y1 = w.rank === rank ? y_of(rank) + f.lane / 2 : y_of(w.rank) + (down ? f.lane : 0);
    const y2 = y_of(rank) + (down ? 3 : f.lane - 3);
    setAttrs(arrow, { d: w.rank === rank ? `M${x1} ${y1}` : `M${x1} ${y1}L${x2} ${y2 + (down ? -6 : 6)}` });
    const turn = w.rank === rank ? -90 : (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI - 90;
    setAttrs(head, { transform: `translate(${x2} ${y2}) rotate(${turn})` });
  };
  return { nodes: [gap, source, focus, links, heads, arrow, head], update };
};
