/* Twin of beats.py: answers, goals and figures of the beats; the page alone loads it. */
const numberOf = (f, code) => { const v = bits.decode(f, code); return Number.isFinite(v) ? v : 0; };
const optionOf = (f, typed, options) => {
  const v = bits.decode(f, bits.nearest(f, bits.parse(typed, f).x));
  return Number.isFinite(v) ? options.indexOf(v) : options.length;
};
const worthOf = (state, data) => {
  const f = data.formats[state.format];
  if (!f.exponent_bits) return 0;
  const { code } = compute(state, data);
  const bit = 2 ** (f.mantissa_bits + f.exponent_bits - 1);
  const cleared = Math.floor(code / bit) % 2 ? code - bit : code;
  const off = numberOf(f, cleared);
  return off ? numberOf(f, cleared + bit) / off : 0;
};
const intervalOf = (state, data, end) => {
  const now = compute(state, data);
  const rank = bits.rank(data.formats[state.format], now.code);
  const here = now.bins.find((one) => one.rank === rank);
  return here ? here[end] ?? here.at : 0;
};
const answers = {
  comes_back: (_, data) => optionOf(data.formats.bfloat16, "257", [256, 257, 258]),
  past_tie: (_, data) => optionOf(data.formats.float8_e4m3fn, "464", [448, 480]),
  stored: (state, data) => numberOf(data.formats[state.format], compute(state, data).code),
  worth: worthOf,
  share: (state, data) => { const { below_one, count } = compute(state, data).format; return below_one / count; },
  bin_from: (state, data) => intervalOf(state, data, "low"),
  bin_to: (state, data) => intervalOf(state, data, "high"),
};

const not = (says) => ({ reached: false, says });
const askedOf = (state, f) => (state.typed.trim() ? bits.parse(state.typed, f).x : bits.stored(f, state.code));
const third_in_16 = (state, data) => {
  const f = data.formats[state.format];
  const x = askedOf(state, f);
  const third = { n: 1n, d: 3n };
  if (x.kind !== "finite" || Q.cmp(bits.value(x), third) !== 0) return not("Ask for 1/3, then choose a format.");
  if (bits.width(f) > 16) return not(`${f.label} has ${bits.width(f)} bits.`);
  const now = compute(state, data);
  const error = Q.sub(Q.of(numberOf(f, now.code)), third);
  if (Q.cmp({ n: Q.abs(error.n), d: error.d }, { n: 1n, d: 3000n }) >= 0) return not(`${f.label} misses by ${now.typed.relative}.`);
  return { reached: true, says: `Reached with ${f.label}: ${now.typed.relative}. BF16 has as many bits, and spends them on range.` };
};
const ten_apart = (state, data) => {
  const x = askedOf(state, data.formats[state.format]);
  if (x.kind !== "finite" || x.q.n === 0n) return not("Ask for a number that is not zero.");
  const held = Object.values(data.formats).filter((f) => bits.width(f) === 8 && 7 > f.mantissa_bits && f.sign_bits)
    .map((f) => ({ f, v: bits.decode(f, bits.nearest(f, x)) })).filter((row) => Number.isFinite(row.v));
  if (!held.length) return not("No 8-bit float holds it.");
  const low = held.reduce((a, b) => (b.v < a.v ? b : a));
  const high = held.reduce((a, b) => (b.v > a.v ? b : a));
  const far = Q.div(Q.mul({ n: 100n, d: 1n }, Q.sub(Q.of(high.v), Q.of(low.v))), x.q);
  const told = `${low.f.label} holds ${bits.short(Q.of(low.v))}, ${high.f.label} holds ${bits.short(Q.of(high.v))}: ${bits.short(far, 3)} % apart.`;
  if (Q.cmp(far, { n: 10n, d: 1n }) <= 0) return not(far.n ? told : `All ${held.length} that hold it hold ${bits.short(Q.of(low.v))}.`);
  return { reached: true, says: `Reached: ${told} ${Q.cmp(x.q, Q.of(1)) > 0 ? "Small" : "Large"} numbers do it too.` };
};

/* The lab's own drawings, alone. */
const isOpen = (bet) => bet === "open" || bet === "placed";
const bigNumber = () => {
  const [big, power] = [kit.h("strong", { class: "big" }), kit.h("span", { class: "cw-mono" })];
  return { el: kit.h("p", {}, big, " ", power), update: (now) => { kit.put(big, "short", "text", now); kit.put(power, "scientific", "text", now); } };
};

const cutFigure = (el, { data }) => {
  const number = kit.h("p", { class: "number cw-mono" });
  const [lead, boxes] = [kit.h("span"), kit.h("span", { class: "boxes large" })];
  const [big, row] = [bigNumber(), bits.row(() => {}, () => {})];
  const comes = kit.h("div", { class: "comes" });
  el.append(number, kit.h("p", { class: "strip cw-mono" }, lead, " ", boxes), kit.legend(["kept", "guard", "sticky"].map((kind) => ({ class: kind, label: kind }))), comes);
  const update = (state, now, { bet }) => {
    kit.fill(number, "{typed.label} = {typed.keeps.line}", now);
    kit.fill(lead, "{typed.keeps.lead}.", now);
    kit.list(boxes, now.typed.keeps.boxes, () => kit.h("i"), (node, [kind], i) => kit.put(kit.set(node, { class: kind }), `typed.keeps.boxes.${i}.1`, "text", now));
    if (isOpen(bet)) return void comes.replaceChildren();
    big.update(now);
    row.update(data.formats[state.format], now, true);
    if (!comes.children.length) comes.append(big.el, row.el);
  };
  return { update };
};

const rowFigure = (el, { data, onSet }) => {
  let [code, size] = [0, 0];
  const flip = (bit) => onSet({ typed: "", code: code + (Math.floor(code / 2 ** bit) % 2 ? -1 : 1) * 2 ** bit });
  const [big, row] = [bigNumber(), bits.row(flip, (by) => onSet({ typed: "", code: (code + by + size) % size }))];
  el.append(big.el, row.el);
  const update = (state, now, { bet }) => {
    const f = data.formats[state.format];
    [code, size] = [now.code, 2 ** bits.width(f)];
    big.update(now);
    row.update(f, now, isOpen(bet));
  };
  return { update };
};

const valuesFigure = (el, { data }) => {
  const [even, powers] = [bits.line(true), bits.line()];
  const first = kit.h("div", {}, kit.h("p", { class: "cw-note", text: "on an even scale" }), even.el);
  const second = kit.h("p", { class: "cw-note" });
  el.append(first, second, powers.el);
  const update = (state, now, { width }) => {
    const f = data.formats[state.format];
    first.hidden = bits.width(f) > 8;
    if (!first.hidden) even.update(f, now, width);
    kit.text(second, f.exponent_bits ? "with powers of two equally far apart" : "it has no powers of two: both scales are the same");
    powers.update(f, now, width);
  };
  return { update };
};

const binsFigure = (el, { data }) => {
  const line = bits.binsLine();
  el.append(line.el);
  const update = (state, now, { width, bet }) => {
    const f = data.formats[state.format];
    line.el.toggleAttribute("hidden", !now.bins.length);
    if (now.bins.length) line.update(f, now, bits.asked(f, state, now.code), width, isOpen(bet));
  };
  return { update };
};

const endingFigure = (el, { data }) => {
  const all = kit.s("g", { class: "bins" });
  const mark = kit.s("g", { class: "typed" }, kit.s("path"), kit.s("text", { y: 12 }));
  const svg = kit.s("svg", { class: "line", role: "img", height: 78 }, all, mark);
  const casts = kit.table({ caption: "What each cast makes of it", columns: bits.columns("policies", ["library", "becomes"], { becomes: "makes of it" }) });
  el.append(svg, casts.el);
  const update = (state, now, { width, bet }) => {
    const { values, next } = now.last;
    const step = next.at - values[3].at;
    const [low, high] = [values[0].at - step / 2, next.at + step / 2];
    const x = (v) => 8 + ((Math.min(high, Math.max(low, v)) - low) / (high - low)) * (width - 16);
    kit.set(svg, { viewBox: `0 0 ${width} 78`, width, "aria-label": `The last values of ${now.format.label}: ${values.map((v) => v.text).join(", ")}; the next would be ${next.text}` });
    kit.list(all, [...values, next], () => kit.s("g", {}, kit.s("line", { y1: 30, y2: 50 }), kit.s("text", { y: 68 })), (g, one, i) => {
      kit.set(g, { class: i > 3 ? "none" : "even" });
      kit.set(g.firstChild, { x1: x(one.at), x2: x(one.at) });
      kit.put(kit.set(g.lastChild, { x: x(one.at) }), i > 3 ? "last.next.text" : `last.values.${i}.text`, "text", now);
    });
    const f = data.formats[state.format];
    const asked = askedOf(state, f);
    const size = asked.kind === "inf" ? Infinity : Q.odd(asked.q);
    const px = x(asked.negative ? -size : size);
    kit.set(mark, { visibility: asked.kind === "nan" ? "hidden" : "visible" });
    kit.set(mark.firstChild, { d: `M${px} 50V18M${px - 4} 18h8` });
    kit.put(kit.set(mark.lastChild, { x: px, "text-anchor": px < 60 ? "start" : px > width - 60 ? "end" : "middle" }), "typed.label", "text", now);
    casts.el.hidden = isOpen(bet);
    casts.update(isOpen(bet) ? [] : bits.items(now, "policies", (row) => row.differs && "differs"));
  };
  return { update };
};

export const beats = {
  answers,
  goals: { third_in_16, ten_apart },
  figures: { cut: cutFigure, row: rowFigure, values: valuesFigure, bins: binsFigure, ending: endingFigure },
};
