/* What the beats of bits ask, say and draw: answers, goals and figures; the page alone loads it. */

import { rank as bitsRank, bitWidth, decode, nearest, parse, Q, stored, value } from "../kit/codes.js";
import { h, renderList, s, setAttrs, setText } from "../kit/dom.js";
import { short } from "../kit/fraction-text.js";
import { makeLegend } from "../kit/headings.js";
import { fill, put } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";
import { compute } from "./compute.js";
import { binsLine, line } from "./line.js";
import { asked, row as bitsRow, CODE, columns, items } from "./widget.js";

/** @import { Data, State } from "../../.make/data_types/bits.d.ts" */
/** @import { Answers, Figure, FigureMaker, Goals } from "../kit/beats.js" */
/** @import { BetMode } from "../kit/told.js" */
/** @import { Now } from "./compute.js" */
/** @import { Format, Real } from "../kit/codes.js" */

/** @param {Format} f @param {number} code */
const numberOf = (f, code) => {
  const v = decode(f, code);
  return Number.isFinite(v) ? v : 0;
};
/** @param {Format} f @param {string} typed @param {number[]} options */
const optionOf = (f, typed, options) => {
  const v = decode(f, nearest(f, /** @type {Real} */ (parse(typed, f).x)));
  return Number.isFinite(v) ? options.indexOf(v) : options.length;
};
/** @param {State} state @param {Data} data */
const worthOf = (state, data) => {
  const f = data.formats[state.format];
  if (!f.exponent_bits) return 0;
  const { code } = compute(state, data);
  const bit = 2 ** (f.mantissa_bits + f.exponent_bits - 1);
  const cleared = Math.floor(code / bit) % 2 ? code - bit : code;
  const off = numberOf(f, cleared);
  return off ? numberOf(f, cleared + bit) / off : 0;
};
/** @param {State} state @param {Data} data @param {"low" | "high"} end */
const intervalOf = (state, data, end) => {
  const now = compute(state, data);
  const rank = bitsRank(data.formats[state.format], now.code);
  const here = now.bins.find((one) => one.rank === rank);
  return here ? (here[end] ?? here.at) : 0;
};
/** @satisfies {Answers<State, Data>} */
export const answers = {
  /** @param {Data} data */
  comes_back: (_, data) => optionOf(data.formats.bfloat16, "257", [256, 257, 258]),
  /** @param {Data} data */
  past_tie: (_, data) => optionOf(data.formats.float8_e4m3fn, "464", [448, 480]),
  /** @param {State} state @param {Data} data */
  stored: (state, data) => numberOf(data.formats[state.format], compute(state, data).code),
  worth: worthOf,
  /** @param {State} state @param {Data} data */
  share: (state, data) => {
    const { below_one, count } = compute(state, data).format;
    return below_one / count;
  },
  /** @param {State} state @param {Data} data */
  bin_from: (state, data) => intervalOf(state, data, "low"),
  /** @param {State} state @param {Data} data */
  bin_to: (state, data) => intervalOf(state, data, "high"),
};

/** @param {string} says */
const not = (says) => ({ reached: false, says });
/** @param {State} state @param {Format} f */
const askedOf = (state, f) =>
  state.typed.trim() ? /** @type {Real} */ (parse(state.typed, f).x) : stored(f, state.code);
/** @param {State} state @param {Data} data */
const third_in_16 = (state, data) => {
  const f = data.formats[state.format];
  const x = askedOf(state, f);
  const third = { n: 1n, d: 3n };
  if (x.kind !== "finite" || Q.cmp(value(x), third) !== 0) return not("Type 1/3, then choose a format.");
  if (bitWidth(f) > 16) return not(`${f.label} has ${bitWidth(f)} bits.`);
  const now = compute(state, data);
  const error = Q.sub(Q.of(numberOf(f, now.code)), third);
  if (Q.cmp({ n: Q.abs(error.n), d: error.d }, { n: 1n, d: 3000n }) >= 0)
    return not(`${f.label} is off by ${now.typed.relative}.`);
  return {
    reached: true,
    says: `Reached with ${f.label}: ${now.typed.relative}. BF16 has as many bits, but spends them on range.`,
  };
};
/** @param {State} state @param {Data} data */
const ten_apart = (state, data) => {
  const x = askedOf(state, data.formats[state.format]);
  if (x.kind !== "finite" || x.q.n === 0n) return not("Type a number that is not zero.");
  const held = Object.values(data.formats)
    .filter((f) => bitWidth(f) === 8 && 7 > f.mantissa_bits && f.sign_bits)
    .map((f) => ({ f, v: decode(f, nearest(f, x)) }))
    .filter((row) => Number.isFinite(row.v));
  if (!held.length) return not("No 8-bit float format can store this number.");
  const low = held.reduce((a, b) => (b.v < a.v ? b : a));
  const high = held.reduce((a, b) => (b.v > a.v ? b : a));
  const far = Q.div(Q.mul({ n: 100n, d: 1n }, Q.sub(Q.of(high.v), Q.of(low.v))), x.q);
  const told = `${low.f.label} stores ${short(Q.of(low.v))}, ${high.f.label} stores ${short(Q.of(high.v))}: a difference of ${short(far, 3)} %.`;
  if (Q.cmp(far, { n: 10n, d: 1n }) <= 0)
    return not(far.n ? told : `All ${held.length} formats that can store this number store ${short(Q.of(low.v))}.`);
  return {
    reached: true,
    says: `Reached: ${told} ${Q.cmp(x.q, Q.of(1)) > 0 ? "Small" : "Large"} numbers give large differences, too.`,
  };
};

/* The lab's own drawings, alone. */
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

/** @type {Goals<State, Data>} */
export const goals = { third_in_16, ten_apart };
