/* numpy's default_rng(seed) and its standard_normal: PCG64 (XSL-RR, seeded through SeedSequence) and the ziggurat of 256
   strips, so that a seed means the same numbers here and in Python. 128 bits are four limbs of 32, the lowest first. */

const MULTIPLIER = [0x9fccf645, 0x4385df64, 0x1fc65da4, 0x2360ed05];
const TWO32 = 2 ** 32;

/** The seed's hash: eight words of SeedSequence(seed).generate_state. @param {number} seed below 2^32 */
const seed_words = (seed) => {
  let hash = 0x43b0d7e5;
  /** @param {number} value */
  const stir = (value) => {
    const first = value ^ hash;
    hash = Math.imul(hash, 0x931e8875);
    const out = Math.imul(first, hash);
    return out ^ (out >>> 16);
  };
  const pool = [seed, 0, 0, 0].map(stir);
  for (let from = 0; from < 4; from += 1)
    for (let to = 0; to < 4; to += 1) {
      if (from === to) continue;
      const mixed = Math.imul(0xca01f9dd, pool[to]) - Math.imul(0x4973f715, stir(pool[from]));
      pool[to] = mixed ^ ((mixed | 0) >>> 16);
    }
  hash = 0x8b51f9dd;
  return Array.from({ length: 8 }, (_, i) => {
    const first = pool[i % 4] ^ hash;
    hash = Math.imul(hash, 0x58f38ded);
    const out = Math.imul(first, hash);
    return (out ^ (out >>> 16)) >>> 0;
  });
};

/** The high 32 bits of a product of two words: a * b is off by less than 2^11, which rounding takes away. @param {number} a @param {number} b */
const high = (a, b) => Math.round((a * b - (Math.imul(a, b) >>> 0)) / TWO32);

/**
 * A generator: its state and its stream, four limbs each.
 * @typedef {{ state: Uint32Array, stream: Uint32Array }} Pcg64
 */

/** @param {number} seed @returns {Pcg64} */
export const pcg64 = (seed) => {
  const words = seed_words(seed);
  const [a, b, c, d] = [words[6], words[7], words[4], words[5]];
  // the stream: the last four words, shifted by one bit, and odd
  const stream = Uint32Array.of((a << 1) | 1, (b << 1) | (a >>> 31), (c << 1) | (b >>> 31), (d << 1) | (c >>> 31));
  const rng = { state: new Uint32Array(4), stream };
  draw(rng, () => true);
  rng.state.set(plus([...rng.state], [words[2], words[3], words[0], words[1]]));
  draw(rng, () => true);
  return rng;
};

/**
 * Draws 64 bits, as two words, again and again until `take` has had enough. The limbs are local, which is what makes it fast.
 * @param {Pcg64} rng @param {(low: number, high: number) => boolean} take true stops
 */
const draw = ({ state, stream }, take) => {
  const [m0, m1, m2, m3] = MULTIPLIER;
  const [c0, c1, c2, c3] = stream;
  let [s0, s1, s2, s3] = state;
  let enough = false;
  while (!enough) {
    const r0 = (Math.imul(s0, m0) >>> 0) + c0;
    const r1 = high(s0, m0) + (Math.imul(s0, m1) >>> 0) + (Math.imul(s1, m0) >>> 0) + c1 + (r0 >= TWO32 ? 1 : 0);
    const r2 =
      high(s0, m1) +
      high(s1, m0) +
      (Math.imul(s0, m2) >>> 0) +
      (Math.imul(s1, m1) >>> 0) +
      (Math.imul(s2, m0) >>> 0) +
      c2 +
      Math.floor(r1 / TWO32);
    const r3 = high(s0, m2) + high(s1, m1) + high(s2, m0) + c3 + Math.floor(r2 / TWO32);
    const top = Math.imul(s0, m3) + Math.imul(s1, m2) + Math.imul(s2, m1) + Math.imul(s3, m0);
    s0 = r0 >>> 0;
    s1 = r1 >>> 0;
    s2 = r2 >>> 0;
    s3 = (top + r3) >>> 0;
    // both halves of the state, exclusive-or, turned by its top six bits
    const by = (s3 >>> 26) & 31;
    const first = s3 >>> 31 ? s1 ^ s3 : s0 ^ s2;
    const other = s3 >>> 31 ? s0 ^ s2 : s1 ^ s3;
    const low = by ? (first >>> by) | (other << (32 - by)) : first;
    const over = by ? (other >>> by) | (first << (32 - by)) : other;
    enough = take(low >>> 0, over >>> 0);
  }
  state[0] = s0;
  state[1] = s1;
  state[2] = s2;
  state[3] = s3;
};

/** The sum of two numbers of 128 bits. @param {number[]} a @param {number[]} b */
const plus = (a, b) => {
  let carry = 0;
  return a.map((limb, i) => {
    const sum = limb + b[i] + carry;
    carry = sum >= TWO32 ? 1 : 0;
    return sum >>> 0;
  });
};

const [EDGE, AREA] = [3.654152885361009, 0.004928673233974657]; // where the tail begins; of a strip
const MANTISSA = 2 ** 52;

/** The ziggurat: below `ki` a number is inside its strip; `wi` is the strip's width, `fi` its height. */
const strips = /* @__PURE__ */ (() => {
  const [ki, wi, fi] = [0, 1, 2].map(() => new Float64Array(256));
  let edge = EDGE;
  fi[255] = Math.exp(-0.5 * edge * edge);
  wi[255] = edge / MANTISSA;
  ki[0] = ((edge * fi[255]) / AREA) * MANTISSA;
  wi[0] = AREA / fi[255] / MANTISSA;
  fi[0] = 1;
  for (let i = 254; i > 0; i -= 1) {
    const x = Math.sqrt(-2 * Math.log(AREA / edge + fi[i + 1]));
    ki[i + 1] = (x / edge) * MANTISSA;
    wi[i] = x / MANTISSA;
    fi[i] = Math.exp(-0.5 * x * x);
    edge = x;
  }
  return { ki, wi, fi };
})();

/** @param {Pcg64} rng */
const uniform = (rng) => {
  let found = 0;
  draw(rng, (low, over) => {
    found = ((low >>> 11) + over * 2 ** 21) / 2 ** 53;
    return true;
  });
  return found;
};

/**
 * Fills an array with normal numbers. What lies at a strip's border draws again, so that drawing stops there.
 * @param {Pcg64} rng @param {Float64Array} into
 */
export const standard_normal = (rng, into) => {
  const { ki, wi, fi } = strips;
  let [n, strip, whole, x] = [0, 0, 0, 0];
  const inside = (/** @type {number} */ low, /** @type {number} */ over) => {
    strip = low & 0xff;
    whole = (low >>> 9) + (over & 0x1fffffff) * 2 ** 23;
    x = low & 0x100 ? -whole * wi[strip] : whole * wi[strip];
    if (whole >= ki[strip]) return true;
    into[n] = x;
    n += 1;
    return n === into.length;
  };
  while (n < into.length) {
    draw(rng, inside);
    if (whole < ki[strip]) continue;
    if (strip === 0) into[n++] = tail(rng, (Math.floor(whole / 256) & 1) === 1);
    else if ((fi[strip - 1] - fi[strip]) * uniform(rng) + fi[strip] < Math.exp(-0.5 * x * x)) into[n++] = x;
  }
  return into;
};

/** A number beyond the last strip. @param {Pcg64} rng @param {boolean} negative */
const tail = (rng, negative) => {
  for (;;) {
    const beyond = -Math.log1p(-uniform(rng)) / EDGE;
    const height = -Math.log1p(-uniform(rng));
    if (height + height > beyond * beyond) return negative ? -(EDGE + beyond) : EDGE + beyond;
  }
};

/** `count` signs, 1 or -1, as choice([-1, 1]) draws them: the top bit of each 32. @param {number} seed @param {number} count */
export const signs = (seed, count) => {
  const found = new Int8Array(count);
  let at = 0;
  draw(pcg64(seed), (low, over) => {
    found[at] = low >>> 31 ? 1 : -1;
    if (at + 1 < count) found[at + 1] = over >>> 31 ? 1 : -1;
    at += 2;
    return at >= count;
  });
  return found;
};
