/* Words about a block: its scale, one element, its bytes, what it costs. Twin of words.py. */
import { fmt } from "../kit/numbers.js";
import { codec } from "./codec.js";
import { in_lines } from "./lines.js";
import { hex, num, power, signed } from "./spell.js";

/** @import { Data } from "../../.make/data_types/blocks.d.ts" */
/** @import { Block, Now, State } from "./compute.js" */
/** @import { Row } from "./float32.js" */
/** @import { Lines } from "./lines.js" */

/** What a scheme costs. @typedef {Data["ledger"][number]} Priced */

/**
 * The words about a block.
 * @typedef {{
 *   said: Lines & {
 *     now: string, under: string[], digits: string, bytes: string[], scale_bytes: string[], place: string, order: string,
 *     note: string,
 *   },
 *   cost: { bits: number, shares: number[], terms: string[], models: string },
 *   ledger: [bits: number, stored: string, second: string, source: string][],
 * }} Told
 */

/** Whether codes, not elements, stand under the columns. @param {Row} row */
export const counted = (row) => /^(between_ends|q4_k|mlx|hqq)$/.test(row.kind);
/** @param {Block} out @param {Row} row */
const digits_of = (out, row) => (out.scale === "NaN" ? "" : out.codes[out.picked].toString(2).padStart(row.bits, "0"));
/** @param {Now} out @param {Row} row @returns {[css: string, digits: string][]} */
export const code_bits = (out, row) => {
  // [class, digits] from the sign down
  const { digits } = out.said;
  if (!row.format || row.format.unit) return [["plain", digits]];
  const m = row.bits - row.format.mantissa_bits;
  return [
    ["sign", digits.slice(0, 1)],
    ["exponent", digits.slice(1, m)],
    ["mantissa", digits.slice(m)],
  ];
};

/** @param {Block} out @param {Row} row */
const under = (out, row) => {
  if (out.scale === "NaN") return out.codes.map(() => "");
  if (row.bits !== 4) return out.codes.map((code) => hex(code, 8).slice(2));
  return (counted(row) ? out.codes : out.elements).map((v) => num(v, 3));
};
/** @param {Omit<Block, "before">} out @param {number} i */
export const spoken = (out, i) =>
  `${num(out.values[i])}, dequantized to ${num(out.dequantized[i])}${out.scale === "NaN" ? "" : `, error ${signed(out.errors[i])}`}${out.clipped.includes(i) ? ", clipped" : ""}`;
/** @param {Block} out @param {Row} row @param {number} b @returns {[element: number, digits: string][]} */
export const pieces = (out, row, b) => {
  // [element, digits] of a byte, high bits first
  let left = 8;
  const high = out.packing === "paired"; // its other nibble is of another group
  /** @type {[number, string][]} */
  const parts = out.pieces[b].map(([i, bits]) => {
    left -= bits;
    const piece = (out.bytes[b] >> (out.packing === "columns" ? 0 : left)) & (2 ** bits - 1);
    return [
      i,
      row.bits % 4 === 0
        ? piece
            .toString(16)
            .toUpperCase()
            .padStart(bits / 4, "0")
        : piece.toString(2).padStart(bits, "0"),
    ];
  });
  return out.packing === "columns" ? [[-1, "·"], ...parts] : high ? [...parts, [-1, "·"]] : parts;
};
/** @param {Block} out */
const place = (out) => {
  /** @type {string[]} */
  const names = [];
  out.pieces.forEach((parts, b) =>
    parts.forEach(([who, bits], p) => {
      const nibble = (p === 0 && parts.length > 1) || out.packing === "paired" ? "the high nibble" : "the low nibble";
      if (who === out.picked)
        names.push(bits === 8 ? `byte ${b}` : `${bits === 4 ? nibble : `${bits} bits`} of byte ${b}`);
    }),
  );
  return `Element ${out.picked} is ${names.reverse().join(" and ")}.`;
};

/** @param {number} per */
const over = (per) => (per > 1 ? ` ÷ ${fmt.int(per)}` : "");
/** @param {Priced} row */
const stored = (row) => row.costs.map(([what, bits, per]) => `${what} ${bits}${over(per)}`).join(" + ");
/** @param {Priced} row */
const cost = (row) => ({
  bits: row.bits,
  shares: row.costs.map(([, bits, per]) => bits / per),
  terms: row.costs.map(
    ([what, bits, per]) => `${what}: ${bits}${over(per)}${per > 1 ? ` = ${num(bits / per, 3)}` : ""}`,
  ),
  models: `70 B weights take ${fmt.bytes((7e10 * row.bits) / 8)}; in BF16, ${fmt.bytes(1.4e11)}.${row.second ? ` Plus: ${row.second}.` : ""}`,
});
/** @param {State} state @param {Block} out @param {Row} row @param {Data} data @returns {Told} */
export const told = (state, out, row, data) => {
  const priced = /** @type {Priced} */ (data.ledger.find((r) => r.name === row.name));
  const said = {
    .../** @type {Lines} */ (in_lines.told?.(state, out, row)),
    now: `${codec.is_mx(row) && out.scale !== "NaN" ? `${power(out.scale)} = ` : ""}${num(out.scale)}`,
    under: under(out, row),
    digits: digits_of(out, row),
    bytes: out.bytes.map((_, b) =>
      pieces(out, row, b)
        .map(([, text]) => text)
        .join(""),
    ),
    scale_bytes: out.scale_bytes.map((byte) => hex(byte, 8).slice(2)),
    place: place(out),
    order: data.packings[out.packing],
    note: `${row.note}${row.note ? " " : ""}Source: ${priced.source}.`,
  };
  return { said, cost: cost(priced), ledger: data.ledger.map((r) => [r.bits, stored(r), r.second, r.source]) };
};
