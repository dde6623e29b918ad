/* What rounding did: the error, the bits kept, the reason, the bins, the other formats. The second half of compute. */

import { bareExponent, rank as bitsRank, bitWidth, ranks } from "../kit/codes.js";
import { digits, hex, inDigits, say, sayShort, short, signed } from "../kit/fraction-text.js";
import { Q } from "../kit/fractions.js";
import { fmt } from "../kit/numbers.js";
import { stored as bitsStored, value as bitsValue, gap, nearest, q } from "../kit/reals.js";

/** @import { Data } from "../../.make/data_types/bits.d.ts" */
/** @import { Format } from "../kit/codes.js" */
/** @import { Fraction } from "../kit/fractions.js" */
/** @import { Real } from "../kit/reals.js" */

/** What rounds to a value. @typedef {ReturnType<typeof oneBin>} Bin */

/** @param {Fraction} error @param {Real} x */
export const percent = (error, x) => `${signed(Q.div(Q.mul({ n: 100n, d: 1n }, error), bitsValue(x)))} %`;

/** @param {Format} f @param {Real} x @param {number} code @param {boolean} typed */
export const measure = (f, x, code, typed) => {
  const stored = bitsStored(f, code);
  /**
   * @type {{ [Key in "label" | "exact" | "stored" | "error" | "error_ulp" | "relative"]: string } & { why?: string,
   * keeps: ReturnType<typeof keeps> }}
   */
  const made = {
    label: sayShort(x),
    exact: say(x),
    stored: say(stored),
    error: "",
    error_ulp: "",
    relative: "",
    keeps: keeps(f, x),
  };
  if (x.kind === "finite" && stored.kind === "finite") {
    const error = Q.sub(bitsValue(stored), bitsValue(x));
    made.error = signed(error);
    made.error_ulp = error.n ? signed(Q.div(error, gap(f, x))) : "0";
    made.relative = x.q.n ? percent(error, x) : "";
  }
  made.why = typed ? why(f, x, code) : "This code is the number itself.";
  return made;
};

/** @param {Format} f @param {Real} x */
export const keeps = (f, x) => {
  if (x.kind !== "finite" || x.q.n === 0n || f.specials === "codebook")
    return { exponent: null, lead: "", kept: "", guard: "", rest: "", more: false, sticky: 0, line: "", boxes: [] };
  const exponent = f.exponent_bits ? Math.max(Q.log2(x.q), bareExponent(f) ? -f.bias : 1 - f.bias) : 0;
  const width = f.exponent_bits ? f.mantissa_bits : 0;
  const { n, d } = Q.div(x.q, Q.pow2(exponent - width));
  const whole = (n / d).toString(2).padStart(1 + width, "0");
  let part = n % d;
  const next = () => {
    part *= 2n;
    const bit = part >= d;
    if (bit) part -= d;
    return bit ? "1" : "0";
  };
  const guard = next();
  let rest = "";
  while (rest.length < 8) rest += next();
  const sticky = part || rest.includes("1") ? 1 : 0;
  const cut = f.exponent_bits ? whole.length - width : 0;
  const k = {
    exponent,
    lead: whole.slice(0, cut),
    kept: whole.slice(cut),
    guard,
    rest: part ? rest : rest.replace(/0+$/, ""),
    more: part !== 0n,
    sticky,
  };
  const cutOff = `${k.guard}${k.rest}${k.more ? "…" : ""}₂`;
  const boxes = Object.entries({ kept: k.kept, guard: k.guard, sticky: k.rest }).flatMap(([name, some]) =>
    [...some].map((bit) => [name, bit]),
  );
  return {
    ...k,
    line: k.lead ? `${k.lead}.${k.kept}${cutOff} × ${fmt.pow2(exponent)}` : `${k.kept}.${cutOff}`,
    boxes: boxes.slice(-34),
  };
};

/** @param {Format} f @param {Real} x @param {number} code */
export const why = (f, x, code) => {
  const stored = bitsStored(f, code);
  if (x.kind !== "finite") return whySpecial(f, x, stored);
  if (stored.kind === "finite" && Q.cmp(bitsValue(x), bitsValue(stored)) === 0 && !(x.negative && !stored.negative)) {
    return f.exponent_bits ? "Exact: all bits that are cut off are 0." : "Exact: no bit is lost.";
  }
  if (bareExponent(f) && (x.negative || x.q.n === 0n))
    return "E8M0 has no zero and no sign: anything not above zero is NaN.";
  if (x.q.n === 0n) return `${f.label} has no -0: it becomes 0.`;
  return whyPast(f, x, stored) || whyRounded(f, x, code);
};
/** @param {Format} f @param {Real} x @param {Real} stored */
export const whySpecial = (f, x, stored) => {
  if (x.kind === stored.kind) return `${f.label} has a code for ${x.kind === "nan" ? "NaN" : "infinity"}.`;
  if (x.kind === "inf") return `${f.label} has no infinity: it becomes ${say(stored)}.`;
  const rule = { finite: "ml_dtypes stores the zero of the other sign", int: "ml_dtypes stores 0" }[f.specials];
  return `${f.label} has no NaN: ${rule || "nothing defines what it becomes; 0 is shown"}.`;
};
/** @param {Format} f @param {Real} x @param {Real} stored */
export const whyPast = (f, x, stored) => {
  const [bottom, top] = ranks(f).map((rank) => q(f, rank));
  const value = bitsValue(x);
  const over = Q.cmp(value, top) > 0;
  if (!over && Q.cmp(value, bottom) >= 0) return "";
  if (bareExponent(f) && !over) return `Below the smallest scale: it becomes ${fmt.pow2(-f.bias)}.`;
  const end = short(over ? top : bottom);
  if (stored.kind === "finite" && f.overflow !== "saturate")
    return `Past ${end}, but by no more than half a step: it rounds to that.`;
  const becomes = { saturate: "saturates", inf: "becomes infinity", nan: "becomes NaN" }[f.overflow];
  return `Past the last number ${end}: ${f.label} ${becomes}.`;
};
/** @param {Format} f @param {Real} x @param {number} code */
export const whyRounded = (f, x, code) => {
  if (f.specials === "codebook") return `The nearest of 16 entries; entry ${code} is ${sayShort(bitsStored(f, code))}.`;
  const { guard, sticky, lead, kept } = keeps(f, x);
  if (guard === "0") return "Guard 0: less than half a step is left over, so the kept bits stay.";
  if (sticky) return "Guard 1 and a 1 after it: more than half a step is left over, so the kept bits go up by one.";
  if (bareExponent(f)) return "Guard 1, then only zeros: exactly half. ml_dtypes rounds E8M0 ties up.";
  return `Guard 1, then only zeros: exactly half. The kept bits are ${(lead + kept).endsWith("1") ? "odd, so they go up to even" : "even, so they stay"}.`;
};

/** @param {Format} f @param {number} code */
export const bins = (f, code) => {
  const rank = bitsRank(f, code);
  if (rank === null) return [];
  const [low, high] = ranks(f);
  const first = Math.min(Math.max(low, rank - 3), Math.max(low, high - 6));
  return Array.from({ length: Math.min(high, first + 6) - first + 1 }, (_, i) => oneBin(f, first + i));
};
/** @param {Format} f @param {number} p */
export const oneBin = (f, p) => {
  const [low, high] = ranks(f);
  const value = q(f, p);
  const half = { n: 1n, d: 2n };
  /** @param {number} a */
  const middle = (a) => Q.mul(Q.add(q(f, a), value), half);
  /** @param {number} a */
  const beyond = (a) => Q.add(value, Q.mul(Q.sub(value, q(f, a)), half));
  let under = p > low ? middle(p - 1) : null;
  let over = p < high ? middle(p + 1) : null;
  if (f.overflow !== "saturate" && !bareExponent(f)) {
    if (p === low) under = beyond(p + 1);
    if (p === high) over = beyond(p - 1);
  }
  if (bareExponent(f) && p === high) over = Q.mul(value, { n: 3n, d: 2n });
  /** @param {Fraction | null} x */
  const say = (x) => (x ? inDigits(f, x, 1) : "");
  /** @param {Fraction | null} x */
  const number = (x) => (x ? Q.odd(x) : null);
  return {
    rank: p,
    value: inDigits(f, value),
    at: Q.odd(value),
    from: say(under),
    to: say(over),
    low: number(under),
    high: number(over),
    ends: bareExponent(f) ? [true, false] : f.specials === "codebook" ? [false, true] : [p % 2 === 0, p % 2 === 0],
  };
};

/** @param {Real} x @param {Data["formats"]} formats */
export const everywhere = (x, formats) => {
  const rows = Object.values(formats).map((f, i) => ({ i, ...everywhereRow(f, x) }));
  rows.sort((a, b) => (a.size && b.size ? Q.cmp(a.size, b.size) || a.i - b.i : a.size ? -1 : b.size ? 1 : a.i - b.i));
  return rows.map((row) => row.printed);
};
/** @param {Format} f @param {Real} x */
export const everywhereRow = (f, x) => {
  const code = nearest(f, x);
  const stored = bitsStored(f, code);
  const printed = {
    format: f.name,
    label: f.label,
    bits: bitWidth(f),
    code: hex(f, code),
    stored: sayShort(stored, Math.max(6, digits(f)), Math.max(9, digits(f) + 3)),
    error: "",
    relative: "",
  };
  if (x.kind !== "finite" || stored.kind !== "finite") {
    const same = x.kind === stored.kind;
    return { size: same ? Q.of(0) : null, printed: { ...printed, error: same ? "exact" : "" } };
  }
  const error = Q.sub(bitsValue(stored), bitsValue(x));
  printed.error = error.n ? signed(error) : "exact";
  printed.relative = error.n && x.q.n ? percent(error, x) : "";
  return { size: { n: Q.abs(error.n), d: error.d }, printed };
};
/** @param {Bin[]} all @param {number | null} rank */
export const binWords = (all, rank) => {
  const b = all.find((one) => one.rank === rank);
  if (!b) return "This code is not a number, so no number rounds to it.";
  const [lower, upper] = b.ends;
  const ends =
    lower && upper
      ? "both ends included"
      : lower
        ? "the lower end included"
        : upper
          ? "the upper end included"
          : "neither end included";
  if (b.from === "") return `Everything up to ${b.to} becomes ${b.value}.`;
  if (b.to === "") return `Everything from ${b.from} on becomes ${b.value}.`;
  return `Everything from ${b.from} to ${b.to} becomes ${b.value}, ${ends}.`;
};
