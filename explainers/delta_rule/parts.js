/* Pictures of a state: a heat-map with its sign drawn, a strip of eight numbers, errors over time. */
import { renderList, s, setAttrs, setText } from "../kit/dom.js";
import { fmt, put } from "../kit/numbers.js";

/** @import { Data, State } from "./compute.js" */
/** @import { Matrix, Pair } from "./writes.js" */
/** @import { Format } from "../kit/numbers.js" */

export const paint = /* @__PURE__ */ (() => {
  /** @param {number} x */
  const num = (x, digits = 3) =>
    fmt
      .sig(Math.abs(x) < 5e-16 ? 0 : x, digits)
      .replace("-", "−")
      .replace("e-", "e−");
  /** @param {Element} node @param {string} path @param {Format} how @param {string} text */
  const bound = (node, path, how, text) => setAttrs(node, { "data-out": path, "data-format": how, text }); // printed, and where it stands in compute
  /** @param {Element} node @param {string} path @param {number} v */
  const percent = (node, path, v) => bound(node, path, "percent 1", fmt.percent(v));
  /** @param {number} size */
  const cell = (size) =>
    s(
      "g",
      {},
      s("rect", { width: size - 1, height: size - 1, rx: 1.5 }),
      s("path", { class: "cw-delta-rule-minus", d: `M${size * 0.3} ${size / 2 - 0.5}h${size * 0.4}` }),
    );
  /** @param {Element} g @param {number} v @param {number} x @param {number} y @param {number} most */
  const shade = (g, v, x, y, most) => {
    const [rect, minus] = g.children;
    const strong = Math.min(1, Math.abs(v) / most);
    setAttrs(g, { transform: `translate(${x} ${y})` });
    setAttrs(rect, {
      class: v < 0 ? "neg" : "pos",
      "fill-opacity": strong.toFixed(3),
      visibility: strong < 0.0005 ? "hidden" : false,
    });
    setAttrs(minus, { visibility: v < 0 && strong > 0.06 ? "visible" : "hidden" });
  };

  const matrix = () => {
    // 8 rows of keys, 8 columns of values
    const [S, LEFT] = [20, 16];
    const frame = s("rect", {
      class: "cw-delta-rule-frame",
      x: LEFT - 2.5,
      y: 0.5,
      width: 8 * S + 4,
      height: 8 * S + 4,
      rx: 4,
    });
    const [cells, names] = [s("g", {}), s("g", { "aria-hidden": "true" })];
    const el = s(
      "svg",
      { viewBox: `0 0 ${LEFT + 8 * S + 3} ${8 * S + 5}`, class: "cw-delta-rule-matrix", role: "img" },
      frame,
      names,
      cells,
    );
    /** @type {(state: Matrix, most: number, label: string, letters: string) => void} */
    const update = (state, most, label, letters) => {
      setAttrs(el, { "aria-label": label });
      renderList(
        names,
        [...letters],
        () => s("text", { "text-anchor": "middle", "data-index": true }),
        (text, letter, i) => {
          setAttrs(text, { x: LEFT / 2 - 2, y: S * i + S * 0.72 + 2 });
          setText(text, letter);
        },
      );
      renderList(
        cells,
        state.flat(),
        () => cell(S),
        (g, v, i) => shade(g, v, LEFT + S * (i % 8), 3 + S * Math.floor(i / 8), most),
      );
    };
    return { el, update };
  };

  const strip = (size = 26) => {
    // eight numbers in a row
    const cells = s("g", {});
    const texts = s("g", { "aria-hidden": "true" });
    const el = s(
      "svg",
      { viewBox: `0 0 ${8 * size} ${size}`, class: "cw-delta-rule-strip", role: "img" },
      cells,
      texts,
    );
    /** @type {(values: number[], most: number, label: string, path: string) => void} */
    const update = (values, most, label, path) => {
      // values: none, or eight; path: where compute has them
      setAttrs(el, { "aria-label": label });
      renderList(
        cells,
        values,
        () => cell(size),
        (g, v, i) => {
          shade(g, v, size * i, 0, most);
          setAttrs(g.children[1], { visibility: "hidden" });
        },
      );
      renderList(
        texts,
        values,
        () => s("text", { "text-anchor": "middle" }),
        (text, v, i) => {
          setAttrs(text, { x: size * (i + 0.5) - 0.5, y: size * 0.64, class: Math.abs(v) / most > 0.6 ? "on" : false });
          bound(text, `${path}.${i}`, "fixed 2", fmt.fixed(v, 2));
        },
      );
    };
    return { el, update };
  };

  /** @param {Data} data */
  const history = (data) => {
    const [H, TOP, BOTTOM, LEFT] = [190, 14, 26, 40];
    const [grid, names] = [s("g", { class: "cw-delta-rule-grid" }), s("g", {})];
    const cursor = s("line", { class: "cw-delta-rule-cursor", y1: TOP, y2: H - BOTTOM });
    const rows = [...data.rules, { name: "attention", label: "Softmax attention" }];
    const lines = rows.map((rule) => s("path", { class: `cw-delta-rule-line r-${rule.name}` }));
    const ends = rows.map((rule) => s("text", { class: `cw-delta-rule-end r-${rule.name}`, text: rule.label }));
    const el = s("svg", { class: "cw-delta-rule-history", role: "img" }, grid, names, cursor, lines, ends);
    /** @type {(histories: { [name: string]: number[] }, axis: number[], pairs: Pair[], t: number, width: number) => void} */
    const update = (histories, axis, pairs, t, width) => {
      const RIGHT = 128;
      const most = axis[2];
      const x = (/** @type {number} */ i) => LEFT + ((width - LEFT - RIGHT) * i) / Math.max(1, pairs.length);
      const y = (/** @type {number} */ v) => H - BOTTOM - ((H - TOP - BOTTOM) * v) / most;
      setAttrs(el, {
        viewBox: `0 0 ${width} ${H}`,
        width,
        height: H,
        "aria-label": `Mean recall error after each write; at step ${Math.floor(t)}: ${rows.map((r) => `${r.label} ${fmt.percent(histories[r.name][Math.floor(t)])}`).join(", ")}`,
      });
      renderList(
        grid,
        axis,
        () => s("g", {}, s("line", {}), s("text", { "text-anchor": "end" })),
        (g, v, i) => {
          setAttrs(g.children[0], { x1: LEFT, x2: width - RIGHT, y1: y(v), y2: y(v) });
          put(setAttrs(g.children[1], { x: LEFT - 6, y: y(v) + 4 }), `axis.${i}`, "percent 0", { axis });
        },
      );
      renderList(
        names,
        pairs,
        () => s("text", { "text-anchor": "middle" }),
        (text, [key], i) => {
          setAttrs(text, { x: x(i + 1), y: H - 8 });
          setText(text, data.letters[key]);
        },
      );
      setAttrs(cursor, { x1: x(t), x2: x(t) });
      let last = -99;
      const order = rows
        .map((rule, i) => [/** @type {number} */ (histories[rule.name].at(-1)), i])
        .sort((a, b) => b[0] - a[0]);
      for (const [end, i] of order) {
        const row = histories[rows[i].name];
        setAttrs(lines[i], { d: row.map((v, k) => `${k ? "L" : "M"}${x(k).toFixed(1)} ${y(v).toFixed(1)}`).join("") });
        last = Math.max(y(end) + 4, last + 14);
        setAttrs(ends[i], { x: width - RIGHT + 8, y: last });
      }
      const over = last - (H - 2);
      if (over > 0) for (const text of ends) setAttrs(text, { y: Number(text.getAttribute("y")) - over });
    };
    return { el, update };
  };
  /** @param {Data} data */
  const fading = (data) => {
    // one column for each write: how much of it an adding rule still holds
    const bars = s("g", {});
    const el = s("svg", { class: "cw-delta-rule-fading", width: "100%", height: 190, role: "img" }, bars);
    const make = () =>
      s("g", {}, s("rect", { class: "all" }), s("rect", { class: "left" }), s("text", { "text-anchor": "middle" }));
    /** @type {(state: State, now: { left: number[] }, pairs: Pair[]) => void} */
    const update = (state, now, pairs) => {
      const n = pairs.length;
      const share = (/** @type {number} */ x) => `${Number(x.toFixed(3))}%`;
      renderList(bars, pairs, make, (g, [key], i) => {
        const high = Math.max(1, 150 * (now.left[i] || 0));
        const x = { x: share((100 * i) / n), width: share(80 / n) };
        setAttrs(g, { class: state.wanted.includes(key) ? "wanted" : false });
        setAttrs(g.children[0], { ...x, y: 0, height: 150 });
        setAttrs(g.children[1], { ...x, y: 150 - high, height: high });
        setAttrs(g.children[2], { x: share((100 * i + 40) / n), y: 172 });
        setText(g.children[2], data.letters[key]);
      });
      setAttrs(el, {
        "aria-label": `How much of each of ${n} writes is left in linear attention: of the first ${fmt.percent(now.left[0] || 0)}, of the last ${fmt.percent(now.left.at(-1) || 0)}`,
      });
    };
    return { el, update };
  };
  return { matrix, strip, history, fading, num, bound, percent };
})();
