/* A text <-> its tokens: byte-pair encoding by the merges of merges.txt. Twin of tokens.py. */

/**
 * The bytes of each token, and the token that two merge into: `pairs` by 4096 · left + right, `halves` the way back.
 * @typedef {{
 *   pieces: number[][], pairs: Map<number, number>, halves: Map<number, [number, number]>, words: Map<string, number[]>,
 * }} Tokens
 */

export const FIRST = 256; // <s>, before every text
const WORD = / ?[A-Za-z]+| ?[0-9]+| ?[^A-Za-z0-9 \n\r\t]+|[ \n\r\t]+(?![^ \n\r\t])|[ \n\r\t]/g;
const NONE = Infinity;

/** The sign that stands for each byte in merges.txt, as in GPT-2's files: itself, or one from 256 on. */
const byteOf = () => {
  /** @type {Map<string, number>} */
  const found = new Map();
  let next = 256;
  for (let byte = 0; 256 > byte; byte++) {
    const plain = (byte > 32 && 127 > byte) || (byte > 160 && byte !== 173);
    found.set(String.fromCharCode(plain ? byte : next++), byte);
  }
  return found;
};

/** @param {string} merges the text of merges.txt @returns {Tokens} */
export const readTokens = (merges) => {
  const bytes = byteOf();
  const pieces = [...Array(256).keys()].map((byte) => [byte]);
  /** @type {Map<string, number>} */
  const known = new Map(pieces.map(([byte]) => [String(byte), byte]));
  /** @type {Map<number, number>} */
  const pairs = new Map();
  /** @type {Map<number, [number, number]>} */
  const halvesOf = new Map();
  pieces.push([]);
  for (const line of merges.trim().split("\n")) {
    const halves = line.split(" ").map((half) => [...half].map((sign) => /** @type {number} */ (bytes.get(sign))));
    const [left, right] = halves.map((half) => /** @type {number} */ (known.get(half.join())));
    known.set(halves.flat().join(), pieces.length);
    pairs.set(4096 * left + right, pieces.length);
    halvesOf.set(pieces.length, [left, right]);
    pieces.push(halves.flat());
  }
  return { pieces, pairs, halves: halvesOf, words: new Map() };
};

/** The tokens of one word: the pair that was merged first is joined first. @param {Tokens} tokens @param {string} word */
const encodeWord = ({ pairs }, word) => {
  /** @param {number} a @param {number} b */
  const merged = (a, b) => pairs.get(4096 * a + b) ?? NONE;
  let made = [...new TextEncoder().encode(word)];
  while (made.length > 1) {
    const best = made.reduce((least, b, i) => (i ? Math.min(least, merged(made[i - 1], b)) : least), NONE);
    if (best === NONE) break;
    /** @type {number[]} */
    const joined = [];
    for (const token of made) {
      const last = joined.length - 1;
      if (last >= 0 && merged(joined[last], token) === best) joined[last] = best;
      else joined.push(token);
    }
    made = joined;
  }
  return made;
};

/** The tokens of a text, without the first one. @param {Tokens} tokens @param {string} text @returns {number[]} */
export const encode = (tokens, text) =>
  (text.match(WORD) || []).flatMap((word) => {
    let found = tokens.words.get(word);
    if (!found) tokens.words.set(word, (found = encodeWord(tokens, word)));
    return found;
  });

/** The text of some tokens; bytes that are no UTF-8 become �. @param {Tokens} tokens @param {number[]} ids */
export const decode = (tokens, ids) =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(ids.flatMap((id) => tokens.pieces[id])));

/**
 * A token as a page prints it: · for a space, ⏎ for a new line, <0xE2> for a byte that is no letter alone.
 * @param {Tokens} tokens
 * @param {number} id
 */
export const nameOf = ({ pieces }, id) => {
  if (id === FIRST) return "<s>";
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(pieces[id]));
    if (/^[^\p{Cc}]+$/u.test(text)) return text.replaceAll(" ", "·");
    if (/^\n+$/.test(text)) return "⏎".repeat(text.length);
  } catch {} // a part of a character
  return pieces[id].map((byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`).join("");
};

/**
 * One merge: its number in merges.txt, from 1, the tokens that it joins, and the bytes of the token it is a part of:
 * `start` to `middle` and to `end`.
 * @typedef {{
 *   number: number, name: string, left: string, right: string, start: number, middle: number, end: number,
 * }} Merge
 */

/**
 * A token's bytes as they are printed, and the merges that join them, in their order.
 * @param {Tokens} tokens
 * @param {number} id
 */
export const piecesOf = (tokens, id) => {
  const { pieces, halves } = tokens;
  /** @type {Merge[]} */
  const merges = [];
  /** @param {number} token @param {number} start */
  const walk = (token, start) => {
    const pair = halves.get(token);
    if (!pair) return;
    const middle = start + pieces[pair[0]].length;
    walk(pair[0], start);
    walk(pair[1], middle);
    const [name, left, right] = [token, ...pair].map((one) => nameOf(tokens, one));
    merges.push({ number: token - FIRST, name, left, right, start, middle, end: start + pieces[token].length });
  };
  walk(id, 0);
  merges.sort((a, b) => a.number - b.number || a.start - b.start);
  return { bytes: pieces[id].map((byte) => nameOf(tokens, byte)), merges };
};
