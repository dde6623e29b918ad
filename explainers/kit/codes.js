/* Codes <-> numbers in the browser: exact.py and text.py again, doubles where they are exact, BigInt where they are not.
   Every value of every format is a double. A typed number is a fraction of two BigInts; to be rounded it becomes a double
   whose last bit remembers whether anything was cut off (round to odd), and 53 bits are enough for that to decide every
   tie of a format with at most 24. */
import { roundEven } from "./arrays.js";

/** @import { Data } from "../../.make/data_types/bits.d.ts" */

/**
 * A format: its fields in bits, its bias, its special values, its table if it is one.
 * @typedef {Data["formats"][string]} Format
 */
/** A fraction: d is above 0, n has the sign. @typedef {{ n: bigint, d: bigint }} Fraction */
/**
 * A number as the page has it: q is its size.
 * @typedef {{ kind: "nan" | "inf" | "finite", negative: boolean, q: Fraction }} Real
 */
/**
 * What a text says: a number, and the code if bits were typed; or why it says nothing.
 * @typedef {{ x?: Real, code?: number, says?: string }} Read
 */

export const POW2 = (() => {
  const table = new Float64Array(2200);
  for (let e = -1074; e < 1024; e += 1) table[e + 1100] = e < -1022 ? 2 ** -1022 * 2 ** (e + 1022) : 2 ** e;
  /** @param {number} e */
  return (e) => (e > 1023 ? Infinity : e < -1074 ? 0 : table[e + 1100]);
})();
export const log2 = (() => {
  const view = new DataView(new ArrayBuffer(8));
  /** @param {number} x */
  const top = (x) => {
    view.setFloat64(0, x);
    return ((view.getUint32(0) >>> 20) & 0x7ff) - 1023;
  };
  /** @param {number} x */
  return (x) => (x >= 2 ** -1022 ? top(x) : top(x * 2 ** 60) - 60); // floor(log2 x) of a positive double
})();

/** @param {Format} f */
export const mantissa = (f) => 2 ** f.mantissa_bits;
/** @param {Format} f */
export const bitWidth = (f) => f.sign_bits + f.exponent_bits + f.mantissa_bits;
/** @param {Format} f */
export const signOf = (f) => (f.sign_bits ? 2 ** (bitWidth(f) - 1) : 0);
/** @param {Format} f */
export const bareExponent = (f) => f.specials === "fnu" && !f.mantissa_bits; // powers of two and nothing else (E8M0)
/** @param {Format} f */
export const largestOf = (f) => {
  const ones = 2 ** (f.exponent_bits + f.mantissa_bits) - 1;
  return { ieee: ones - mantissa(f), fn: ones - 1, fnu: ones - 1, int: mantissa(f) - 1 }[f.specials] ?? ones;
};
/** @param {Format} f @param {boolean} [negative] @returns {number} */
export const nan = (f, negative) => {
  const sign = negative ? signOf(f) : 0;
  const top = largestOf(f) + 1;
  /** @type {{ [specials: string]: number }} */
  const codes = {
    ieee: sign + top + Math.floor(mantissa(f) / 2),
    fn: sign + top,
    fnu: top,
    fnuz: signOf(f),
    finite: negative ? 0 : signOf(f),
    codebook: 7,
  };
  return codes[f.specials] ?? 0;
};

/* What a code means, as a double: -0, infinities and NaN included. */
/** @param {Format} f @param {number} code */
export const decode = (f, code) => {
  if (f.specials === "codebook") return f.values[code];
  if (f.specials === "int") return f.sign_bits && code >= signOf(f) ? code - 2 ** bitWidth(f) : code;
  if (bareExponent(f)) return code > largestOf(f) ? NaN : POW2(code - f.bias);
  const sign = signOf(f);
  const negative = f.sign_bits > 0 && code >= sign;
  const magnitude = negative ? code - sign : code;
  if (f.specials === "fnuz" && code === sign) return NaN;
  if (magnitude > largestOf(f))
    return f.specials === "ieee" && magnitude === largestOf(f) + 1 ? (negative ? -Infinity : Infinity) : NaN;
  const exponent = Math.floor(magnitude / mantissa(f));
  const significand = magnitude - exponent * mantissa(f) + (exponent ? mantissa(f) : 0);
  const value = significand * POW2(Math.max(exponent, 1) - f.bias - f.mantissa_bits);
  return negative ? -value : value;
};

/* The code nearest to a double: ties to even (E8M0: up; NF4: to the lower entry), overflow by the row's rule. */
/** @param {Format} f @param {number} x */
export const encode = (f, x, nanNegative = false) => {
  if (Number.isNaN(x)) return nan(f, nanNegative);
  if (f.specials === "codebook") return entry(f, x);
  if (f.specials === "int") return whole(f, x);
  if (bareExponent(f)) return scale(f, x);
  const negative = x < 0 || Object.is(x, -0);
  const max = largestOf(f);
  const magnitude = Math.abs(x) === Infinity ? max + 1 : steps(f, Math.abs(x));
  const sign = negative ? signOf(f) : 0;
  if (negative && !f.sign_bits && magnitude) return f.overflow === "saturate" ? 0 : nan(f);
  if (magnitude > max)
    return f.overflow === "saturate" ? sign + max : f.overflow === "inf" ? sign + max + 1 : nan(f, negative);
  return f.specials === "fnuz" && magnitude === 0 ? 0 : sign + magnitude;
};
/** @param {number} q */
export const even = (q) => roundEven(Math.floor(q), q - Math.floor(q), 1);
/** @param {Format} f @param {number} x */
export const steps = (f, x) => {
  // counted as if the exponent had no end; a carry into the next exponent is just one more step
  if (x === 0) return 0;
  const exponent = Math.max(log2(x), 1 - f.bias);
  const step = exponent - f.mantissa_bits;
  const q = step < -1022 ? x * 2 ** 1000 * POW2(-step - 1000) : x * POW2(-step); // a power of two: exact
  return (exponent + f.bias - 1) * mantissa(f) + even(q);
};
/** @param {Format} f @param {number} x */
export const whole = (f, x) => {
  const high = mantissa(f) - 1;
  const low = f.sign_bits ? -high - 1 : 0;
  const value = Math.min(high, Math.max(low, Math.abs(x) === Infinity ? x : even(x)));
  return value < 0 ? value + 2 ** bitWidth(f) : value + 0;
};
/** @param {Format} f @param {number} x */
export const scale = (f, x) => {
  if (!(x > 0) || x === Infinity) return nan(f);
  const exponent = log2(x);
  const up = exponent < -1000 ? 0 : x * POW2(-exponent) >= 1.5 ? 1 : 0;
  return Math.min(nan(f), Math.max(0, exponent + up + f.bias));
};
/** @param {Format} f @param {number} x */
export const entry = (f, x) => {
  let code = 0;
  while (code < 15 && x > (f.values[code] + f.values[code + 1]) / 2) code += 1; // a sum of two float32 is exact here
  return code;
};

/* ---------------------------------------------------------------- the line of values */
/** @param {Format} f @param {number} code */
export const rank = (f, code) => {
  const value = decode(f, code);
  if (!Number.isFinite(value)) return null;
  if (f.specials === "int") return value;
  if (!f.sign_bits) return code;
  return code >= signOf(f) ? signOf(f) - code + 0 : code;
};
/** @param {Format} f */
export const ranks = (f) => {
  const high = f.specials === "codebook" ? 15 : largestOf(f);
  return [!f.sign_bits ? 0 : f.specials === "int" ? -high - 1 : -high, high];
};
/** @param {Format} f @param {number} rank */
export const at = (f, rank) => (rank >= 0 ? rank : f.specials === "int" ? rank + 2 ** bitWidth(f) : signOf(f) - rank);

/* ---------------------------------------------------------------- fractions: {n, d}, d > 0, n with the sign */
export const Q = {
  /** @param {bigint} n */
  abs: (n) => (n < 0n ? -n : n),
  /** @param {bigint} a @param {bigint} b */
  gcd: (a, b) => {
    while (b) [a, b] = [b, a % b];
    return a;
  },
  /** @param {bigint} n @param {bigint} d @returns {Fraction} */
  make: (n, d) => {
    const g = Q.gcd(Q.abs(n), d) || 1n;
    return { n: n / g, d: d / g };
  },
  /** @param {Fraction} a @param {Fraction} b @returns {Fraction} */
  add: (a, b) => Q.make(a.n * b.d + b.n * a.d, a.d * b.d),
  /** @param {Fraction} a @param {Fraction} b @returns {Fraction} */
  sub: (a, b) => Q.make(a.n * b.d - b.n * a.d, a.d * b.d),
  /** @param {Fraction} a @param {Fraction} b @returns {Fraction} */
  mul: (a, b) => Q.make(a.n * b.n, a.d * b.d),
  /** @param {Fraction} a @param {Fraction} b @returns {Fraction} */
  div: (a, b) => (b.n < 0n ? Q.make(-a.n * b.d, -a.d * b.n) : Q.make(a.n * b.d, a.d * b.n)),
  /** @param {Fraction} a @param {Fraction} b */
  cmp: (a, b) => {
    const l = a.n * b.d;
    const r = b.n * a.d;
    return l > r ? 1 : l === r ? 0 : -1;
  },
  /** @param {number} e @returns {Fraction} */
  pow2: (e) => (e >= 0 ? { n: 1n << BigInt(e), d: 1n } : { n: 1n, d: 1n << BigInt(-e) }),
  /** @param {bigint} n */
  size: (n) => n.toString(2).length,
  /** @param {Fraction} x @returns {number} */
  log2: (x) => {
    const e = Q.size(x.n) - Q.size(x.d);
    return Q.cmp(x, Q.pow2(e)) >= 0 ? e : e - 1;
  },
  /** @param {number} x @returns {Fraction} */
  of: (x) => {
    // a finite double, exactly
    if (x === 0) return { n: 0n, d: 1n };
    const e = log2(Math.abs(x)) - 52;
    const whole = e < -1022 ? x * 2 ** 1000 * POW2(-e - 1000) : x * POW2(-e);
    return Q.mul({ n: BigInt(whole), d: 1n }, Q.pow2(e));
  },
  /** @param {Fraction} x @returns {number} */
  double: (x) => {
    // the nearest double, ties to even, subnormals and infinities as IEEE 754 has them
    if (x.n === 0n) return 0;
    const a = Q.abs(x.n);
    const e = Math.max(Q.log2({ n: a, d: x.d }), -1022) - 52;
    if (e > 971) return x.n < 0n ? -Infinity : Infinity;
    const up = e < 0 ? a << BigInt(-e) : a;
    const down = e > 0 ? x.d << BigInt(e) : x.d;
    return (x.n < 0n ? -1 : 1) * Number(roundEven(up / down, up % down, down)) * POW2(e);
  },
  /** @param {Fraction} x @returns {number} */
  odd: (x) => {
    // the double toward zero, its last bit set if anything was cut: decides every tie of <= 24 bits
    if (x.n === 0n) return 0;
    const a = { n: Q.abs(x.n), d: x.d };
    const sign = x.n < 0n ? -1 : 1;
    const e = Q.log2(a) - 52;
    if (e > 900) return sign * Number.MAX_VALUE;
    if (e < -900) return sign * 2 ** -950;
    const up = e < 0 ? a.n << BigInt(-e) : a.n;
    const down = e > 0 ? a.d << BigInt(e) : a.d;
    const whole = up / down;
    return sign * Number(up % down ? whole | 1n : whole) * POW2(e);
  },
};

/* A number as the page has it: {kind, negative, q}, q its size as a fraction. */
/** @param {number} x @returns {Real} */
export const number = (x) => ({
  kind: Number.isNaN(x) ? "nan" : Math.abs(x) === Infinity ? "inf" : "finite",
  negative: x < 0 || Object.is(x, -0),
  q: Number.isFinite(x) ? Q.of(Math.abs(x)) : Q.of(0),
});
/** @param {Format} f @param {number} code @returns {Real} */
export const stored = (f, code) => ({
  ...number(decode(f, code)),
  ...(Number.isNaN(decode(f, code))
    ? { negative: f.sign_bits > 0 && ["ieee", "fn"].includes(f.specials) && code >= signOf(f) }
    : {}),
});
/** @param {Real} x */
export const value = (x) => (x.negative ? { n: -x.q.n, d: x.q.d } : x.q);
/** @param {Format} f @param {Real} x */
export const nearest = (f, x) => {
  if (x.kind === "nan") return nan(f, x.negative);
  const size = x.kind === "inf" ? Infinity : Q.odd(x.q);
  return encode(f, x.negative ? -size : size);
};
/** The value of a rank. @param {Format} f @param {number} rank */
export const q = (f, rank) => Q.of(decode(f, at(f, rank)));
/** The distance of the two neighbours that a number lies between. @param {Format} f @param {Real} x */
export const gap = (f, x) => {
  const [low, high] = ranks(f);
  let place = rank(f, nearest(f, x)) ?? (x.negative && f.sign_bits ? low : high);
  const side = Q.cmp(value(x), q(f, place));
  place = side > 0 || (side === 0 && place < high) ? Math.min(place, high - 1) : Math.max(place - 1, low);
  return Q.sub(q(f, place + 1), q(f, place));
};

/* ---------------------------------------------------------------- text -> number */
export const HOW =
  "Type a decimal (0.1), a fraction (1/3), a hexfloat (0x1.8p3), bits as hex or binary (0x5D, 0b1011101), inf or nan.";
/** @param {string} text @param {Format} f @returns {Read} */
export const parse = (text, f) => {
  // {x, code} or {says}
  const t = text.trim().replaceAll("−", "-").replaceAll("_", "").toLowerCase();
  const special = /^([+-]?)(inf|infinity|∞|nan)$/.exec(t);
  if (special) return { x: { kind: special[2] === "nan" ? "nan" : "inf", negative: special[1] === "-", q: Q.of(0) } };
  if (t.length > 400) return { says: "That is longer than 400 characters." };
  if (/^(0x[0-9a-f]+|0b[01]+)$/.test(t)) {
    const code = BigInt(t);
    const width = bitWidth(f);
    if (code >> BigInt(width))
      return { says: `${f.label} has ${width} bits: from 0x0 to 0x${(2 ** width - 1).toString(16).toUpperCase()}.` };
    return { x: stored(f, Number(code)), code: Number(code) };
  }
  try {
    const value = rational(t);
    return { x: { kind: "finite", negative: t.startsWith("-"), q: { n: Q.abs(value.n), d: value.d } } };
  } catch (error) {
    if (typeof error === "string") return { says: error };
    throw error;
  }
};
/** @param {string} t @returns {Fraction} */
export const rational = (t) => {
  const decimal = "(?:\\d{1,3}(?:,\\d{3})+|\\d+)?(?:\\.\\d*)?";
  /** @param {string} pattern */
  const match = (pattern) => new RegExp(`^(?:${pattern})$`).exec(t);
  /** @param {bigint} base @param {number} e @returns {Fraction} */
  const power = (base, e) => {
    if (Math.abs(e) > 3000) throw "An exponent past ±3,000 is beyond every format.";
    return e >= 0 ? { n: base ** BigInt(e), d: 1n } : { n: 1n, d: base ** BigInt(-e) };
  };
  /** @param {string} digits @param {number} e */
  const scaled = (digits, e) => {
    const [whole, part = ""] = digits.replaceAll(",", "").split(".");
    return Q.mul({ n: BigInt(whole + part || "0"), d: 1n }, power(10n, e - part.length));
  };
  /** @param {string} sign @param {Fraction} v @returns {Fraction} */
  const signed = (sign, v) => (sign === "-" ? { n: -v.n, d: v.d } : v);
  const plain = match(`([+-]?)(${decimal})(?:e([+-]?\\d+))?`);
  if (plain && /\d/.test(plain[2])) return signed(plain[1], scaled(plain[2], Number(plain[3] || 0)));
  const hex = match("([+-]?)0x([0-9a-f]*)(?:\\.([0-9a-f]*))?p([+-]?\\d+)");
  if (hex && (hex[2] || hex[3])) {
    const part = hex[3] || "";
    return signed(
      hex[1],
      Q.mul({ n: BigInt(`0x${hex[2]}${part}`), d: 1n }, power(2n, Number(hex[4]) - 4 * part.length)),
    );
  }
  const two = match("([+-]?)2\\^([+-]?\\d+)");
  if (two) return signed(two[1], power(2n, Number(two[2])));
  const ratio = match(`([+-]?)(${decimal})\\s*/\\s*(${decimal})`);
  if (ratio && /\d/.test(ratio[2]) && /\d/.test(ratio[3])) {
    const below = scaled(ratio[3], 0);
    if (below.n === 0n) throw "The denominator of a fraction cannot be 0.";
    return signed(ratio[1], Q.div(scaled(ratio[2], 0), below));
  }
  throw HOW;
};
