/* Levels -> a picture that an <img> can show: a PNG with a palette, as a data address. No canvas: the same picture stands in
   the page before any script, and is printed. A colour of an error is laid over the paper, so it serves light and dark. */

/** @typedef {number[]} Colour red, green, blue, alpha */

/** Of an error: the more, the redder. */
const ERROR = [
  [244, 150, 90, 0],
  [240, 134, 78, 110],
  [228, 92, 60, 180],
  [206, 44, 44, 225],
  [160, 10, 30, 255],
];
const GRAY = [
  [0, 0, 0, 255],
  [255, 255, 255, 255],
];

/** The colour at a share from 0 to 1. @param {Colour[]} stops @param {number} share @returns {Colour} */
const blend = (stops, share) => {
  const place = share * (stops.length - 1);
  const at = Math.min(Math.floor(place), stops.length - 2);
  return stops[at].map((v, i) => Math.round(v + (stops[at + 1][i] - v) * (place - at)));
};

/** The table of CRC-32. */
const TABLE = /* @__PURE__ */ Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});
/** @param {Uint8Array} bytes */
const crc32 = (bytes) => {
  let c = 0xffffffff;
  for (let i = 0; i < bytes.length; i += 1) c = TABLE[(c ^ bytes[i]) & 0xff] ^ (c >>> 8);
  return ~c >>> 0;
};

/** A number as four bytes. @param {number} n */
const word = (n) => [n >>> 24, (n >>> 16) & 0xff, (n >>> 8) & 0xff, n & 0xff];

/** A chunk of a PNG. @param {string} name @param {ArrayLike<number>} body */
const chunk = (name, body) => {
  const bytes = new Uint8Array(body.length + 12);
  bytes.set(word(body.length));
  bytes.set(
    [...name].map((letter) => letter.charCodeAt(0)),
    4,
  );
  bytes.set(body, 8);
  bytes.set(word(crc32(bytes.subarray(4, body.length + 8))), body.length + 8);
  return bytes;
};

const MOST = 65535; // bytes of a stored block
/** Bytes as a zlib stream that compresses nothing. @param {Uint8Array} bytes */
const stored = (bytes) => {
  const blocks = Math.ceil(bytes.length / MOST);
  const out = new Uint8Array(bytes.length + 5 * blocks + 6);
  out.set([0x78, 0x01]);
  for (let i = 0; i < blocks; i += 1) {
    const part = bytes.subarray(i * MOST, (i + 1) * MOST);
    const [low, high] = [part.length & 0xff, part.length >>> 8];
    out.set([i === blocks - 1 ? 1 : 0, low, high, ~low & 0xff, ~high & 0xff], 2 + i * (MOST + 5));
    out.set(part, 7 + i * (MOST + 5));
  }
  let [a, b] = [1, 0];
  for (let i = 0; i < bytes.length; i += 1) {
    a = (a + bytes[i]) % 65521;
    b = (b + a) % 65521;
  }
  out.set(word(((b << 16) | a) >>> 0), out.length - 4);
  return out;
};

/** @param {Uint8Array[]} parts */
const base64 = (parts) => {
  let text = "";
  for (const bytes of parts)
    for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
};

/**
 * A picture of rows of bytes, in which a pixel takes 4 or 8 bits.
 * @param {Uint8Array} rows @param {number} stride bytes of a row @param {4 | 8} bits @param {Colour[]} stops
 */
const png = (rows, stride, bits, stops) => {
  const high = rows.length / stride;
  const filtered = new Uint8Array(high * (stride + 1)); // before each row a 0: nothing is predicted
  for (let y = 0; y < high; y += 1) filtered.set(rows.subarray(y * stride, (y + 1) * stride), y * (stride + 1) + 1);
  const count = 2 ** bits;
  const colours = Array.from({ length: count }, (_, i) => blend(stops, i / (count - 1)));
  const parts = [
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10),
    chunk("IHDR", [...word((stride * 8) / bits), ...word(high), bits, 3, 0, 0, 0]),
    chunk(
      "PLTE",
      colours.flatMap((colour) => colour.slice(0, 3)),
    ),
    chunk(
      "tRNS",
      colours.map((colour) => colour[3]),
    ),
    chunk("IDAT", stored(filtered)),
    chunk("IEND", []),
  ];
  return `data:image/png;base64,${base64(parts)}`;
};

/** Levels of 0 to 255, row by row. @param {Uint8Array} levels @param {number} width @param {boolean} [gray] */
export const picture_of = (levels, width, gray) => png(levels, width, 8, gray ? GRAY : ERROR);

/** Levels of 0 to 7 that measure.py has packed, two to a byte. @param {string} packed @param {number} width */
export const packed_picture = (packed, width) =>
  png(
    Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0) * 2),
    width / 2,
    4,
    ERROR,
  );

/** The colours of the scale, from left to right. @param {boolean} gray */
export const colour_scale = (gray) =>
  picture_of(
    Uint8Array.from({ length: 64 }, (_, i) => i * 4),
    64,
    gray,
  );
