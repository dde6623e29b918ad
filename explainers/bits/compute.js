/* A state -> everything the page prints: reference.py again, key for key, string for string. */
export function check(state, data) {
  const f = data.formats[state.format];
  if (!f) return `There is no format “${state.format.slice(0, 40)}”. There is ${Object.keys(data.formats).join(", ")}.`;
  if (state.typed.trim()) return bits.parse(state.typed, f).says || "";
  const last = 2 ** bits.width(f) - 1;
  if (!Number.isInteger(state.code) || state.code < 0 || state.code > last) return `${f.label} has ${bits.width(f)} bits: its codes are 0 to ${kit.fmt.int(last)}.`;
  return "";
}

export function settle(state, given) { // a link that sets a code and types nothing means the code
  return given.includes("code") && !given.includes("typed") ? { ...state, typed: "" } : state;
}

export function compute(state, data) {
  const f = data.formats[state.format];
  const typed = state.typed.trim();
  const read = typed ? bits.parse(typed, f) : { code: state.code };
  const code = read.code ?? bits.nearest(f, read.x);
  const stored = bits.stored(f, code);
  const x = read.x || stored;
  return {
    format: bits.facts(f),
    code,
    hex: bits.hex(f, code),
    fields: bits.fields(f, code),
    groups: bits.groups(bits.fields(f, code)),
    kind: bits.kind(f, code),
    value: bits.say(stored),
    short: bits.sayShort(stored, bits.digits(f), bits.digits(f) + 3),
    hexfloat: stored.kind === "finite" && !bits.minusZero(stored) ? bits.hexfloat(bits.value(stored)) : "",
    formula: bits.formula(f, code),
    scientific: bits.inPowers(stored),
    ...bits.neighbours(f, code),
    typed: bits.measure(f, x, code, typed !== ""),
    bins: bits.bins(f, code),
    bin_words: bits.binWords(bits.bins(f, code), bits.rank(f, code)),
    everywhere: bits.everywhere(x, data.formats),
    ...bits.casts(f, data, x),
    modes: bits.modes(f, data.modes, x),
    codes: bits.codes(f, code),
    ticks: bits.ticks(f),
    last: bits.last(f),
  };
}

bits.q = (f, rank) => Q.of(bits.decode(f, bits.at(f, rank)));

bits.facts = (f) => {
  const [low, high] = bits.ranks(f);
  const one = f.bias * bits.mantissa(f);
  const below = f.specials === "codebook" ? f.values.filter((v) => Math.abs(v) < 1).length : f.specials === "int" ? 1 : f.specials === "fnu" ? one : 2 * one - 1;
  return { label: f.label, words: f.words, line: bits.factLine(f), count: high - low + 1, below_one: below, ends: [low, high].map((rank) => bits.sayShort(bits.stored(f, bits.at(f, rank)))) };
};
bits.factLine = (f) => {
  if (f.specials === "int") return `${bits.width(f)} bits, two's complement; no infinity, no NaN, no -0`;
  if (f.specials === "codebook") return `${bits.width(f)} bits that index a table; no infinity, no NaN, no -0`;
  const codes = { ieee: 2 * (bits.mantissa(f) - 1), fn: 2, fnuz: 1, fnu: 1 }[f.specials] || 0;
  const said = codes ? `${kit.fmt.int(codes)} NaN code${codes === 1 ? "" : "s"}` : "no NaN";
  const infinity = f.specials === "ieee" ? "±infinity" : "no infinity";
  const zero = { fnuz: "no -0", fnu: "no zero" }[f.specials] || "±0";
  return `${f.sign_bits ? "1 sign · " : ""}${f.exponent_bits} exponent · ${f.mantissa_bits} mantissa bits, bias ${f.bias}, ${infinity}, ${said}, ${zero}`;
};

bits.fields = (f, code) => {
  const width = bits.width(f);
  return Array.from({ length: width }, (_, k) => {
    const bit = width - 1 - k;
    const [field, place, of] = bits.placeOf(f, bit);
    const on = Math.floor(code / 2 ** bit) % 2;
    const worth = bits.worth(f, bit);
    const words = field === "sign" ? "sign bit" : `${field} bit ${place - 1} of ${of}, value ${worth}`;
    return { field, bit, on, worth, under: bits.under(f, bit), says: `${words}, ${on ? "on" : "off"}` };
  });
};
bits.under = (f, bit) => {
  const [field, place] = bits.placeOf(f, bit);
  if (bits.width(f) > 9) return place % 4 === 1 ? String(place - 1) : "";
  const worth = bits.worth(f, bit);
  return field === "exponent" ? kit.fmt.pow2(place - 1) : { "1/2": "½", "1/4": "¼", "1/8": "⅛" }[worth] || worth;
};
bits.groups = (fields) => fields.reduce((made, b) => ({ ...made, [b.field]: 2 * (made[b.field] || 0) + b.on }), {});
bits.placeOf = (f, i) => {
  if (f.specials === "int" || f.specials === "codebook") return [f.specials === "int" ? "integer" : "index", i + 1, bits.width(f)];
  if (i < f.mantissa_bits) return ["mantissa", i + 1, f.mantissa_bits];
  if (i < f.mantissa_bits + f.exponent_bits) return ["exponent", i - f.mantissa_bits + 1, f.exponent_bits];
  return ["sign", 1, 1];
};
bits.worth = (f, i) => {
  const [field, place, of] = bits.placeOf(f, i);
  if (field === "sign") return "±";
  if (field === "mantissa") return `1/${kit.fmt.int(2 ** (of - place + 1))}`;
  return field === "integer" && place === of ? `-${2 ** (of - 1)}` : String(2 ** (place - 1));
};
bits.kind = (f, code) => {
  const value = bits.decode(f, code);
  if (!Number.isFinite(value)) return value !== value ? "NaN" : "infinity";
  if (value === 0) return "zero";
  if (f.specials === "int") return "whole number";
  if (f.specials === "codebook") return "table entry";
  return f.specials !== "fnu" && bits.unsigned(f, code) < bits.mantissa(f) ? "subnormal" : "normal";
};
bits.unsigned = (f, code) => (f.sign_bits && code >= bits.sign(f) ? code - bits.sign(f) : code);
bits.formula = (f, code) => {
  const what = bits.kind(f, code);
  const { sup } = kit.fmt;
  if (what === "NaN" || what === "infinity") return bits.specialWords(f, code);
  if (f.specials === "codebook") return `table[${code}] = ${bits.say(bits.stored(f, code))}`;
  if (f.specials === "int") return bits.fields(f, code).filter((b) => b.on).map((b) => b.worth).join(" + ") || "0";
  if (f.specials === "fnu") return `2${sup(code)}⁻${sup(f.bias)}`;
  const magnitude = bits.unsigned(f, code);
  const exponent = Math.floor(magnitude / bits.mantissa(f));
  const lead = `(-1)${sup(code === magnitude ? 0 : 1)} × 2${sup(Math.max(exponent, 1))}⁻${sup(f.bias)}`;
  return `${lead} × (${exponent ? 1 : 0} + ${magnitude % bits.mantissa(f)}/${bits.mantissa(f)})`;
};
bits.specialWords = (f, code) => {
  if (f.specials === "ieee") return `exponent all ones, ${bits.kind(f, code) === "infinity" ? "mantissa zero: infinity" : "mantissa not zero: NaN"}`;
  return { fn: "exponent and mantissa all ones: NaN", fnuz: "the code of -0 is the one NaN" }[f.specials] || "all ones: NaN";
};
bits.inPowers = (x) => {
  if (x.kind !== "finite") return "";
  const sign = x.negative ? "-" : "+";
  if (x.q.n === 0n) return `${sign}0`;
  const e = Q.log2(x.q);
  return `${sign}${bits.short(Q.div(x.q, Q.pow2(e)), 6, 10)} × ${kit.fmt.pow2(e)}`;
};

bits.digits = (f) => (f.exponent_bits ? Math.max(4, Math.ceil(1 + (f.mantissa_bits + 1) * Math.log10(2))) : 4);
bits.inDigits = (f, x, more = 0) => bits.short(x, bits.digits(f) + more, bits.digits(f) + 3 + 2 * more);
bits.neighbours = (f, code) => {
  const rank = bits.rank(f, code);
  const [low, high] = bits.ranks(f);
  if (rank === null) return { up: "", down: "", spacing: "" };
  const past = f.specials === "ieee" ? "inf" : "";
  const step = rank < high ? Q.sub(bits.q(f, rank + 1), bits.q(f, rank)) : Q.sub(bits.q(f, rank), bits.q(f, rank - 1));
  return {
    up: rank < high ? bits.inDigits(f, bits.q(f, rank + 1)) : past,
    down: rank > low ? bits.inDigits(f, bits.q(f, rank - 1)) : past && `-${past}`,
    spacing: bits.short(step),
  };
};
