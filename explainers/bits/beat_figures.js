/* The figures of the beats: the lab's own drawings, alone. */
import { bitWidth } from "../kit/codes.js";
import { h, renderList, s, setAttrs, setText } from "../kit/dom.js";
import { Q } from "../kit/fractions.js";
import { makeLegend } from "../kit/headings.js";
import { fill, put } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";
import { askedOf } from "./beats.js";
import { row as bitsRow } from "./bit_row.js";
import { binsLine, line } from "./line.js";
import { columns, items } from "./tables.js";
import { asked, CODE } from "./widget.js";

/** @import { Data, State } from "../../.make/data_types/bits.d.ts" */
/** @import { Figure, FigureMaker } from "../kit/beats.js" */
/** @import { BetMode } from "../kit/told.js" */
/** @import { Now } from "./compute.js" */

/** @param {BetMode | ""} bet */
const isOpen = (bet) => bet === "open" || bet === "placed";
const bigNumber = () => {
  const [big, power] = [h("strong", { class: "big" }), h("span", { class: "cw-mono" })];
  return {
    el: h("p", {}, big, " ", power),
    /** @param {Now} now */
    update: (now) => {
      put(big, "short", "text", now);
      put(power, "scientific", "text", now);
    },
  };
};

/* The code in figures: a page that plays leaves it to the lab, so it is to be seen before any script alone. */
const codeWords = () => {
  const el = h("p", { class: "stepper cw-mono cw-muted" });
  return { el, update: (/** @type {Now} */ now) => fill(el, CODE, now) };
};

/** @type {FigureMaker<State, Data, Now>} */
export const cutFigure = (el, { data }) => {
  const number = h("p", { class: "number cw-mono" });
  const [lead, boxes] = [h("span"), h("span", { class: "boxes large" })];
  const [big, row, code] = [
    bigNumber(),
    bitsRow(
      () => {},
      () => {},
    ),
    codeWords(),
  ];
  const comes = h("div", { class: "comes" });
  el.append(
    number,
    h("p", { class: "strip cw-mono" }, lead, " ", boxes),
    makeLegend(["kept", "guard", "sticky"].map((kind) => ({ class: kind, label: kind }))),
    comes,
  );
  /** @type {Figure<State, Now>["update"]} */
  const update = (state, now, { bet }) => {
    fill(number, "{typed.label} = {typed.keeps.line}", now);
    fill(lead, "{typed.keeps.lead}.", now);
    renderList(
      boxes,
      now.typed.keeps.boxes,
      () => h("i"),
      (node, [kind], i) => put(setAttrs(node, { class: kind }), `typed.keeps.boxes.${i}.1`, "text", now),
    );
    if (isOpen(bet)) return void comes.replaceChildren();
    big.update(now);
    row.update(data.formats[state.format], now, true);
    code.update(now);
    if (!comes.children.length) comes.append(big.el, row.el, code.el);
  };
  return { update };
};

/** @type {FigureMaker<State, Data, Now>} */
export const rowFigure = (el, { data, onSet }) => {
  let [code, size] = [0, 0];
  /** @param {number} bit */
  const flip = (bit) => onSet({ typed: "", code: code + (Math.floor(code / 2 ** bit) % 2 ? -1 : 1) * 2 ** bit });
  const [big, row, words] = [
    bigNumber(),
    bitsRow(flip, (by) => onSet({ typed: "", code: (code + by + size) % size })),
    codeWords(),
  ];
  el.append(big.el, row.el, words.el);
  /** @type {Figure<State, Now>["update"]} */
  const update = (state, now, { bet }) => {
    const f = data.formats[state.format];
    [code, size] = [now.code, 2 ** bitWidth(f)];
    big.update(now);
    row.update(f, now, isOpen(bet));
    words.update(now);
  };
  return { update };
};

/** @type {FigureMaker<State, Data, Now>} */
export const valuesFigure = (el, { data }) => {
  const [even, powers] = [line(true), line()];
  const first = h("div", {}, h("p", { class: "cw-note", text: "on a linear scale" }), even.el);
  const second = h("p", { class: "cw-note" });
  el.append(first, second, powers.el);
  /** @type {Figure<State, Now>["update"]} */
  const update = (state, now, { width }) => {
    const f = data.formats[state.format];
    first.hidden = bitWidth(f) > 8;
    if (!first.hidden) even.update(f, now, width);
    setText(second, f.exponent_bits ? "on a logarithmic scale" : "evenly spaced: one scale is enough");
    powers.update(f, now, width);
  };
  return { update };
};

/** @type {FigureMaker<State, Data, Now>} */
export const binsFigure = (el, { data }) => {
  const line = binsLine();
  el.append(line.el);
  /** @type {Figure<State, Now>["update"]} */
  const update = (state, now, { width, bet }) => {
    const f = data.formats[state.format];
    line.el.toggleAttribute("hidden", !now.bins.length);
    if (now.bins.length) line.update(f, now, asked(f, state, now.code), width, isOpen(bet));
  };
  return { update };
};

/** @type {FigureMaker<State, Data, Now>} */
export const endingFigure = (el, { data }) => {
  const all = s("g", { class: "bins" });
  const mark = s("g", { class: "typed" }, s("path"), s("text", { y: 12 }));
  const svg = s("svg", { class: "line", role: "img", height: 78 }, all, mark);
  const casts = makeTable({
    caption: "What each cast returns",
    columns: columns("policies", ["library", "becomes"], { becomes: "returns" }),
  });
  el.append(svg, casts.el);
  /** @type {Figure<State, Now>["update"]} */
  const update = (state, now, { width, bet }) => {
    const { values, next } = now.last;
    const step = next.at - values[3].at;
    const [low, high] = [values[0].at - step / 2, next.at + step / 2];
    /** @param {number} v */
    const x = (v) => 8 + ((Math.min(high, Math.max(low, v)) - low) / (high - low)) * (width - 16);
    setAttrs(svg, {
      viewBox: `0 0 ${width} 78`,
      width,
      "aria-label": `The last values of ${now.format.label}: ${values.map((v) => v.text).join(", ")}; the next would be ${next.text}`,
    });
    renderList(
      all,
      [...values, next],
      () => s("g", {}, s("line", { y1: 30, y2: 50 }), s("text", { y: 68 })),
      (g, one, i) => {
        setAttrs(g, { class: i > 3 ? "none" : "even" });
        setAttrs(/** @type {Element} */ (g.firstChild), { x1: x(one.at), x2: x(one.at) });
        put(
          setAttrs(/** @type {Element} */ (g.lastChild), { x: x(one.at) }),
          i > 3 ? "last.next.text" : `last.values.${i}.text`,
          "text",
          now,
        );
      },
    );
    const f = data.formats[state.format];
    const asked = askedOf(state, f);
    const size = asked.kind === "inf" ? Infinity : Q.odd(asked.q);
    const px = x(asked.negative ? -size : size);
    setAttrs(mark, { visibility: asked.kind === "nan" ? "hidden" : "visible" });
    setAttrs(/** @type {Element} */ (mark.firstChild), { d: `M${px} 50V18M${px - 4} 18h8` });
    put(
      setAttrs(/** @type {Element} */ (mark.lastChild), {
        x: px,
        "text-anchor": px < 60 ? "start" : px > width - 60 ? "end" : "middle",
      }),
      "typed.label",
      "text",
      now,
    );
    casts.el.hidden = isOpen(bet);
    casts.update(isOpen(bet) ? [] : items(now, "policies", (row) => row.differs && "differs"));
  };
  return { update };
};
