/* Words about a block: its scale, one element, its bytes, what it costs. Twin of words.py. */
import { fmt } from "../kit/numbers.js";
import { codec } from "./codec.js";

/** @import { Data } from "../../.make/data_types/blocks.d.ts" */
/** @import { Elements, Row } from "./codec.js" */
/** @import { Block, Now, Real, State } from "./compute.js" */

/** What a scheme costs. @typedef {Data["ledger"][number]} Priced */
/** What is said, and how. @typedef {[what: string, how: string]} Line */

/**
 * The words about a block.
 * @typedef {{
 *   said: {
 *     now: string, scale: Line[], element: Line[], under: string[], digits: string, bytes: string[], scale_bytes: string[],
 *     place: string, order: string, note: string,
 *   },
 *   cost: { bits: number, shares: number[], terms: string[], models: string },
 *   ledger: [bits: number, stored: string, second: string, source: string][],
 * }} Told
 */

export const words = /* @__PURE__ */ (() => {
  /** @param {Real} x @param {number} [digits] */
  const num = (x, digits = 5) => (x === "NaN" ? x : fmt.num(x, digits));
  /** @param {Real} x */
  const plain = (x) => (x === "NaN" ? 0 : x); // to draw with
  /** @param {number} code @param {number} bits */
  const hex = (code, bits) =>
    `0x${code
      .toString(16)
      .toUpperCase()
      .padStart(Math.ceil(bits / 4), "0")}`;
  /** @param {Real} x */
  const signed = (x) => (plain(x) > 0 ? `+${num(x, 3)}` : num(x, 3));
  /** @param {Real} scale */
  const power = (scale) => (scale === "NaN" ? scale : fmt.pow2(codec.exponent(scale)));
  /** @param {{ name: string }} row */
  const is_mx = (row) => codec.is_mx(row.name);

  /** @param {string} rule @param {number} amax @param {Elements} format */
  const exponent_words = (rule, amax, { largest, emax, mantissa_bits: m }) => {
    // the rule, with numbers in it
    const k = codec.exponent(amax);
    if (rule === "rceil") return `⌈log₂(${num(amax)} ÷ ${num(largest)})⌉`;
    if (rule === "ceil") return `⌈log₂ ${num(amax)}⌉ − ${emax}`;
    const up = rule === "even" && amax >= (2 - 2 ** -(m + 1)) * 2 ** k;
    if (rule === "even")
      return `${num(amax)} ${up ? "≥" : "<"} ${num((2 - 2 ** -(m + 1)) * 2 ** k)}, so ${up ? `${num(k)} + 1` : num(k)} − ${emax}`;
    return `⌊log₂ ${num(amax)}⌋ − ${emax} = ${num(k)} − ${emax}`;
  };

  /** @param {State} state @param {Block} out @param {Row} row @returns {Line[]} */
  const scale = (state, out, row) => {
    /** @type {Line} */
    const kept = ["stored as", `${row.stored_words}: ${hex(out.scale_code, out.scale_bytes.length * 8)}`];
    if (out.scale === "NaN") return [["largest |x|", `NaN, element ${out.peak}`], ["scale", "NaN"], kept];
    const [amax, low, high] = [out.amax, out.low, out.high].map(plain);
    if (is_mx(row)) {
      const format = /** @type {Elements} */ (row.format);
      /** @type {Line} */
      const how =
        amax === 0
          ? ["largest", "every number is 0"]
          : ["exponent", `${exponent_words(state.rule, amax, format)} = ${num(out.scale_code - 127)}`];
      return [
        ["largest |x|", `${num(amax)}, element ${out.peak}`],
        how,
        ["scale", `${power(out.scale)} = ${num(out.scale)}`],
        kept,
        ["reaches", `${num(format.largest)} × ${num(out.scale)} = ${num(format.largest * out.scale)}`],
      ];
    }
    if (row.name === "nvfp4") {
      const stored = out.scale / out.tensor_scale;
      return [
        ["tensor", `${num(out.tensor_amax)} ÷ (448 × 6) = ${num(out.tensor_scale)}, FP32`],
        [
          "block",
          amax === 0
            ? "every number is 0"
            : `${num(amax)} ÷ 6 ÷ ${num(out.tensor_scale)} = ${num(amax / 6 / out.tensor_scale)}`,
        ],
        ["stored as", `E4M3 ${num(stored)}: ${hex(out.scale_code, 8)}`],
        ["scale", `${num(stored)} × ${num(out.tensor_scale)} = ${num(out.scale)}`],
        ["reaches", `6 × ${num(out.scale)} = ${num(6 * out.scale)}`],
      ];
    }
    if (row.name.startsWith("fp8_")) {
      const where = out.peak < out.shown ? `, element ${out.peak}` : ", outside this window";
      const ue8m0 = row.stored === "e8m0";
      return [
        ["largest |x|", num(amax) + where],
        ["÷ 448", `${num(amax)} ÷ 448 = ${num(amax / 448)}`],
        ["scale", ue8m0 ? `rounded up: ${power(out.scale)} = ${num(out.scale)}` : num(out.scale)],
        kept,
      ];
    }
    if (out.zero !== null) {
      return [
        ["smallest … largest", `${num(Math.min(0, low))} … ${num(Math.max(0, high))}`],
        ["÷ 15 steps", `${num(Math.max(0, high) - Math.min(0, low))} ÷ 15`],
        ["scale", num(out.scale)],
        kept,
        ["zero point", `code ${out.zero} means 0`],
      ];
    }
    /** @type {{ [scheme: string]: Line }} */
    const how = {
      int4_g32: ["÷ 7.5", `${num(amax)} ÷ 7.5`],
      nf4: ["scale", "the largest itself"],
      q4_0: ["÷ −8", "with its sign, so that it becomes code 0"],
    };
    return [["largest |x|", `${num(amax)}, element ${out.peak}`], how[row.name], ["scale", num(out.scale)], kept];
  };

  /** @param {Block} out @param {Row} row @param {number} i @returns {Line[]} */
  const element = (out, row, i) => {
    const [x, q, code, missed] = [plain(out.values[i]), out.elements[i], out.codes[i], out.errors[i]];
    const s = out.scale;
    if (s === "NaN")
      return [
        ["code", "any"],
        ["dequantized", "NaN, like every number of this block"],
      ];
    const off = x ? `, ${fmt.percent(Math.abs(plain(missed) / x))}` : "";
    /** @type {Line} */
    const miss = [
      "error",
      `${missed === 0 ? "none" : signed(missed) + off}${out.clipped.includes(i) ? ", clipped" : ""}`,
    ];
    /** @type {(how: string) => Line} */
    const back = (how) => ["dequantized", `${how} × ${num(s)} = ${num(out.dequantized[i])}`];
    const by = out.zero ?? (/^(int4_g32|q4_0)$/.test(row.name) ? 8 : null);
    /** @type {(name: string, plus?: number) => Line} */
    const first = (name, plus) => [
      name,
      `${num(x)} ÷ ${num(s)}${plus === undefined ? "" : ` + ${plus}`} = ${num(s ? x / s + (plus || 0) : plus || 0)}`,
    ];
    if (by !== null) {
      /** @type {{ [scheme: string]: string }} */
      const names = { int4_g32: "÷ scale + 8", q4_0: "÷ scale + 8.5, cut" };
      const name = names[row.name] || "÷ scale + zero";
      return [first(name, row.name === "q4_0" ? 8.5 : by), ["code", String(code)], back(`(${code} − ${by})`), miss];
    }
    return [
      first("÷ scale"),
      ["nearest code", row.name === "nf4" ? `${code}, in the table ${num(q)}` : hex(code, row.bits)],
      back(num(q)),
      miss,
    ];
  };

  /** @param {Block} out @param {Row} row */
  const digits_of = (out, row) =>
    out.scale === "NaN" ? "" : out.codes[out.picked].toString(2).padStart(row.bits, "0");
  /** @param {Now} out @param {Row} row @returns {[css: string, digits: string][]} */
  const code_bits = (out, row) => {
    // [class, digits] from the sign down
    const { digits } = out.said;
    if (!row.format) return [["plain", digits]];
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
    return (out.zero === null ? out.elements : out.codes).map((v) => num(v, 3));
  };
  /** @param {Omit<Block, "before">} out @param {number} i */
  const spoken = (out, i) =>
    `${num(out.values[i])}, dequantized to ${num(out.dequantized[i])}${out.scale === "NaN" ? "" : `, error ${signed(out.errors[i])}`}${out.clipped.includes(i) ? ", clipped" : ""}`;
  /** @param {Block} out @param {Row} row @param {number} b @returns {[element: number, digits: string][]} */
  const pieces = (out, row, b) => {
    // [element, digits] of a byte, high bits first
    let left = 8;
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
    return out.packing === "columns" ? [[-1, "·"], ...parts] : parts;
  };
  /** @param {Block} out */
  const place = (out) => {
    /** @type {string[]} */
    const names = [];
    out.pieces.forEach((parts, b) =>
      parts.forEach(([who, bits], p) => {
        const nibble = p === 0 && parts.length > 1 ? "the high nibble" : "the low nibble";
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
  const told = (state, out, row, data) => {
    const priced = /** @type {Priced} */ (data.ledger.find((r) => r.name === row.name));
    const said = {
      now: `${is_mx(row) && out.scale !== "NaN" ? `${power(out.scale)} = ` : ""}${num(out.scale)}`,
      scale: scale(state, out, row),
      element: element(out, row, out.picked),
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
  return { num, plain, hex, power, told, code_bits, spoken, pieces, is_mx };
})();
