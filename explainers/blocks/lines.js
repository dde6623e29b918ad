/* How a block's scale came about, and one element, in lines of [what, how]: twin of lines.py. */
import { fmt } from "../kit/numbers.js";
import { codec } from "./codec.js";
import { hex, num, plain, power, signed } from "./spell.js";

/** @import { Block, State } from "./compute.js" */
/** @import { Elements, Facts, Row } from "./float32.js" */

/** What is said, and how. @typedef {[what: string, how: string]} Line */
/** What is drawn of a block while its words are made. @typedef {Omit<Block, "before">} Out */

/** @param {Row} row */
export const facts_of = (row) => /** @type {Facts} */ (row.facts);
/** @param {Row} row */
const format_of = (row) => /** @type {Elements} */ (row.format);

/** What the numbers of the block share. @param {Out} out @param {Row} row */
const shared = (out, row) =>
  out.subs === 1
    ? `${fmt.int(out.n)} numbers share one scale`
    : `${fmt.int(out.n)} numbers in ${out.subs} sub-blocks, each with a scale${row.kind === "q4_k" ? " and a minimum" : ""}`;

/** The rule, with numbers in it. @param {string} rule @param {number} amax @param {Elements} format */
const exponent_words = (rule, amax, { largest, emax, mantissa_bits: m }) => {
  const k = codec.exponent(amax);
  if (rule === "rceil") return `⌈log₂(${num(amax)} ÷ ${num(largest)})⌉`;
  if (rule === "ceil") return `⌈log₂ ${num(amax)}⌉ − ${emax}`;
  const limit = (2 - 2 ** -(m + 1)) * 2 ** k;
  const up = amax >= limit;
  if (rule === "even")
    return `${num(amax)} ${up ? "≥" : "<"} ${num(limit)}, so ${up ? `${num(k)} + 1` : num(k)} − ${emax}`;
  return `⌊log₂ ${num(amax)}⌋ − ${emax} = ${num(k)} − ${emax}`;
};
/** @param {number} most @param {number} scale @returns {Line} */
export const reaches = (most, scale) => ["reaches", `${num(most)} × ${num(scale)} = ${num(most * scale)}`];
/** The numbers of the picked element's sub-block. @param {Out} out */
const part = (out) => {
  const size = out.n / out.subs;
  return out.values.slice(out.sub * size, (out.sub + 1) * size).map(plain);
};
/** @param {Out} out */
export const largest_of = (out) => Math.max(...part(out).map(Math.abs));

/**
 * Lines of kinds that a single file leaves out, which searched.js adds: of the scale, and of an element before its error.
 * @type {{
 *   scale: { [kind: string]: (out: Out & { scale: number }, row: Row, kept: Line) => Line[] },
 *   element: { [kind: string]: (out: Out, row: Row, i: number) => Line[] },
 * }}
 */
export const more_lines = { scale: {}, element: {} };
/** What the block's largest number becomes: 6, or 4 where that was chosen. @param {Out} out @param {Row} row */
const target_of = ({ second }, row) => {
  const { other } = facts_of(row);
  return other && second[1] < second[0] ? other : format_of(row).largest;
};
/** @param {Out & { scale: number }} out @param {Row} row @param {number} amax @returns {Line[]} */
const nvfp4_scale = (out, row, amax) => {
  const [tensor, target, { largest }] = [out.tensor_scale, target_of(out, row), format_of(row)];
  const stored = out.scale / tensor;
  /** @type {Line[]} */
  const tried = out.second.length
    ? [["mean sq. error", `6: ${num(out.second[0], 3)}, 4: ${num(out.second[1], 3)}`]]
    : [];
  const block = `${num(amax)} ÷ ${num(target)} ÷ ${num(tensor)} = ${num(amax / target / tensor)}`;
  return [
    ["tensor", `${num(out.tensor_amax)} ÷ (${num(facts_of(row).reach / largest)} × 6) = ${num(tensor)}, FP32`],
    ...tried,
    ["block", amax === 0 ? "every number is 0" : block],
    ["stored as", `E4M3 ${num(stored)}: ${hex(out.scale_code, 8)}`],
    ["scale", `${num(stored)} × ${num(tensor)} = ${num(out.scale)}`],
    reaches(largest, out.scale),
  ];
};
/** A grid between the smallest and the largest number. @param {Out} out @param {Row} row @param {Line} kept @returns {Line[]} */
const ends_scale = (out, row, kept) => {
  const ends = row.kind === "between_ends";
  const [low, high] = [Math.min(ends ? 0 : Infinity, plain(out.low)), Math.max(ends ? 0 : -Infinity, plain(out.high))];
  /** @type {{ [kind: string]: Line }} */
  const zero = {
    between_ends: ["zero point", `code ${out.zero} means 0`],
    mlx: ["bias", `${num(out.second[0] ?? 0)}, added`],
    hqq: ["zero point", `${num(out.second[0] ?? 0)}, a float`],
  };
  return [
    ["smallest … largest", `${num(low)} … ${num(high)}`],
    ["÷ 15 steps", `${num(high - low)} ÷ 15`],
    ["scale", num(out.scale)],
    kept,
    zero[row.kind],
  ];
};

/** @param {State} state @param {Out} out @param {Row} row @returns {Line[]} */
const scale_lines = (state, out, row) => {
  /** @type {Line} */
  const kept = ["stored as", `${row.stored_words}: ${hex(out.scale_code, row.scale_bytes * 8)}`];
  if (out.scale === "NaN") return [["largest |x|", `NaN, element ${out.peak}`], ["scale", "NaN"], kept];
  const [amax, now, facts] = [plain(out.amax), out.scale, facts_of(row)];
  const known = { ...out, scale: now };
  const where = out.peak < out.shown ? `, element ${out.peak}` : ", outside this window";
  /** @type {Line} */
  const largest = ["largest |x|", num(amax) + where];
  if (codec.is_mx(row)) {
    const how = `${exponent_words(state.rule, amax, format_of(row))} = ${num(out.scale_code - 127)}`;
    return [
      largest,
      amax === 0 ? ["largest", "every number is 0"] : ["exponent", how],
      ["scale", `${power(now)} = ${num(now)}`],
      kept,
      reaches(format_of(row).largest, now),
    ];
  }
  if (facts.reach) return nvfp4_scale(known, row, amax);
  if (row.kind in more_lines.scale) return more_lines.scale[row.kind](known, row, kept);
  if (row.kind === "fp8") {
    const most = format_of(row).largest;
    return [
      largest,
      [`÷ ${num(most)}`, `${num(amax)} ÷ ${num(most)} = ${num(amax / most)}`],
      ["scale", row.stored === "e8m0" ? `rounded up: ${power(now)} = ${num(now)}` : num(now)],
      kept,
    ];
  }
  if (/^(between_ends|mlx|hqq)$/.test(row.kind)) return ends_scale(out, row, kept);
  /** @type {{ [kind: string]: Line }} */
  const how = {
    around_zero: [`÷ ${num(facts.half ?? 0)}`, `${num(amax)} ÷ ${num(facts.half ?? 0)}`],
    nf4: ["scale", "the largest itself"],
    q4_0: ["÷ −8", "with its sign, so that it becomes code 0"],
    iq4_nl: ["searched", `${2 * facts.tries + 2} scales, the least weighted error`],
  };
  return [largest, how[facts.half ? "around_zero" : row.kind], ["scale", num(now)], kept];
};

/** The tensor's scale under either convention, and what comes of taking one for the other. @param {Out} out @param {Row} row @returns {Line[]} */
const reciprocal = (out, row) => {
  if (!facts_of(row).reach) return [];
  const [t, scale, q] = [out.tensor_scale, plain(out.scale), plain(out.elements[out.picked])];
  const block = scale / t;
  const start = `${num(q)} × ${num(block)}`;
  const back = num(q * scale);
  return [
    ["multiplied", `${start} × ${num(t)} = ${back}. ModelOpt stores weight_scale_2 = ${num(t)}.`],
    ["divided", `${start} ÷ ${num(1 / t)} = ${back}. compressed-tensors stores weight_global_scale = ${num(1 / t)}.`],
    [
      "mixed up",
      `${start} × ${num(1 / t)} = ${num((q * block) / t)}: ${num(1 / t / t)} times too large, as is the whole tensor.`,
    ],
  ];
};

/** The code that means 0, where codes are counted from below. @param {Out} out @param {Row} row @returns {number | null} */
const zero_of = (out, row) => {
  if (row.kind === "hqq") return out.second[0];
  if (row.kind === "around_zero") return facts_of(row).offset || null;
  return row.kind === "q4_0" ? 8 : row.kind === "q6_k" ? 32 : out.zero;
};
/** @param {Out} out @param {Row} row @param {number} i @returns {Line[]} */
const element_lines = (out, row, i) => {
  const [x, q, code, missed] = [plain(out.values[i]), out.elements[i], out.codes[i], out.errors[i]];
  const s = plain(out.scale);
  if (out.scale === "NaN")
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
  if (row.kind in more_lines.element) return [...more_lines.element[row.kind](out, row, i), miss];
  /** @type {(how: string) => Line} */
  const back = (how) => ["dequantized", `${how} × ${num(s)} = ${num(out.dequantized[i])}`];
  const by = zero_of(out, row);
  if (by !== null) {
    const half = row.kind === "q4_0";
    const plus = half ? 8.5 : by;
    const known = out.zero === null && (by === 8 || by === 32);
    const name = half ? "÷ scale + 8.5, cut" : known ? `÷ scale + ${by}` : "÷ scale + zero";
    return [
      [name, `${num(x)} ÷ ${num(s)} + ${num(plus)} = ${num(s ? x / s + plus : plus)}`],
      ["code", String(code)],
      back(`(${code} − ${num(by)})`),
      miss,
    ];
  }
  const nested = row.kind === "nf4_nested";
  const divisor = nested ? largest_of(out) : s;
  const hexed = hex(code, row.bits);
  const found = facts_of(row).offset === 0 || row.format?.unit ? `${hexed}, ${num(q)}` : hexed;
  return [
    [nested ? "÷ largest" : "÷ scale", `${num(x)} ÷ ${num(divisor)} = ${divisor ? num(x / divisor) : "0"}`],
    ["nearest code", row.books.length ? `${code}, in the table ${num(q)}` : found],
    back(num(q)),
    miss,
  ];
};

/** What is said in lines. @typedef {{ shared: string, reciprocal: Line[], scale: Line[], element: Line[] }} Lines */

/** What parts.js asks for lines, where the lab is: the file of a beat goes without. @type {{ told?: typeof lines }} */
export const in_lines = {};
/** @param {State} state @param {Out} out @param {Row} row @returns {Lines} */
export const lines = (state, out, row) => ({
  shared: shared(out, row),
  reciprocal: reciprocal(out, row),
  scale: scale_lines(state, out, row),
  element: element_lines(out, row, out.picked),
});
