/* What the page and notebooks play, and a single file does not: kinds of schemes and their lines are added here, so that an
   embedded lab or beat need not carry them. */
import { extras } from "./block_inputs.js";
import { codec } from "./codec.js";
import { bits32, code } from "./float32.js";
import { four_over_six } from "./four_over_six.js";
import { q8_0 } from "./grids.js";
import { dynamic8, hqq, mlx, nf4_nested } from "./grids_more.js";
import { facts_of, in_lines, largest_of, lines, more_lines, reaches } from "./lines.js";
import { own_numbers } from "./own.js";
import { more_runs, more_stored } from "./packing.js";
import { q4_k } from "./q4_k.js";
import { hex, num, plain } from "./spell.js";
import { iq4_nl, q6_k, ue4m3 } from "./super_blocks.js";

/** @import { Format, Made, Row } from "./float32.js" */
/** @import { Line, Out } from "./lines.js" */

/** @param {Out} out @returns {Line} */
const place_of = (out) => ["sub-block", `${out.sub + 1} of ${out.subs}, ${out.n / out.subs} numbers`];

/** Kinds whose blocks are several sub-blocks. @type {typeof more_lines["scale"]} */
const sub_blocks = {
  q4_k: (out, row) => {
    const [d, dmin] = out.second;
    const [zero, code] = [out.zero ?? 0, out.scale_code];
    const low = dmin * zero;
    return [
      place_of(out),
      ["scale", `${code} × d = ${code} × ${num(d)} = ${num(out.scale)}`],
      ["minimum", `${zero} × dmin = ${zero} × ${num(dmin)} = ${num(low)}, subtracted`],
      ["stored as", "6 bits each; d and dmin in FP16"],
      ["reaches", `${num(low ? -low : 0)} … ${num(facts_of(row).top * out.scale - low)}`],
    ];
  },
  q6_k: (out, row, kept) => {
    const whole = out.scale_code - (out.scale_code > 127 ? 256 : 0);
    const { half } = facts_of(row);
    const ends = [-half * out.scale, (half - 1) * out.scale].sort((a, b) => a - b);
    return [
      place_of(out),
      ["scale", `${num(whole)} × d = ${num(whole)} × ${num(out.second[0])} = ${num(out.scale)}`],
      kept,
      ["reaches", `${num(ends[0])} … ${num(ends[1])}`],
    ];
  },
  ue4m3: (out, row) => {
    const [most, { target }] = [largest_of(out), facts_of(row)];
    return [
      place_of(out),
      ["largest |x|", num(most)],
      [`÷ ${target}`, `${num(most)} ÷ ${target} = ${num(most / target)}`],
      ["stored as", `UE4M3 ${num(out.scale)}: ${hex(out.scale_code, 8)}`],
      reaches(target, out.scale),
    ];
  },
  nf4_nested: (out) => {
    const [mean, most] = out.second;
    const [absmax, entry] = [largest_of(out), dynamic8()[out.scale_code]];
    const less = absmax - mean;
    return [
      ["largest |x|", num(absmax)],
      [`− mean of ${out.subs}`, `${num(absmax)} − ${num(mean)} = ${num(less)}`],
      ["÷ largest of them", `${num(less)} ÷ ${num(most)} = ${num(most ? less / most : 0)}`],
      ["stored as", `index ${out.scale_code}, in the table ${num(entry)}`],
      ["scale", `${num(entry)} × ${num(most)} + ${num(mean)} = ${num(out.scale)}`],
    ];
  },
};
/** An element under a minimum that is subtracted, or a bias that is added. @param {Out} out @param {Row} row @param {number} i @returns {Line[]} */
const shifted = (out, row, i) => {
  const [x, code, s] = [plain(out.values[i]), out.codes[i], plain(out.scale)];
  const low = row.kind === "q4_k" ? out.second[1] * (out.zero ?? 0) : -out.second[0];
  const [sign, other] = low >= 0 ? ["+", "−"] : ["−", "+"];
  const size = num(Math.abs(low));
  return [
    [
      row.kind === "q4_k" ? "+ minimum, ÷ scale" : "− bias, ÷ scale",
      `(${num(x)} ${sign} ${size}) ÷ ${num(s)} = ${num(s ? (x + low) / s : 0)}`,
    ],
    ["code", String(code)],
    ["dequantized", `${code} × ${num(s)} ${other} ${size} = ${num(out.dequantized[i])}`],
  ];
};
/** Eight scales and eight minimums of 6 bits in twelve bytes. @param {number[]} scales @param {number[]} lows */
const six_bits = (scales, lows) => [
  ...[scales, lows].flatMap((six) => [0, 1, 2, 3].map((j) => six[j] | ((six[j + 4] >> 4) << 6))),
  ...[4, 5, 6, 7].map((j) => (scales[j] & 15) | ((lows[j] & 15) << 4)),
];
/** FP16 codes of what stands above the scales. @param {Made} made @param {Row} row */
const halves = ({ second }, row) => second.map((v) => [code(v, /** @type {Format} */ (row.scale_format)), 2]);
/** @type {(made: Made, row: Row) => number[][]} */
const with_offset = ({ scale_codes, second }, row) => [
  [scale_codes[0], row.scale_bytes],
  [bits32(second[0]), row.scale_bytes],
];
/** @type {typeof more_stored} */
const stored = {
  q4_k: (made, row) => [...halves(made, row), ...six_bits(made.scale_codes, made.zeros ?? []).map((byte) => [byte, 1])],
  q6_k: (made, row) => [...made.scale_codes.map((one) => [one, 1]), ...halves(made, row)],
  ue4m3: ({ scale_codes }, row) => scale_codes.map((one) => [one, row.scale_bytes]),
  mlx: with_offset,
  hqq: with_offset,
};
/** @type {typeof more_runs} */
const placed = {
  low_high: (i) => [
    [8 * (i % 64) + 4 * Math.floor(i / 64), 4],
    [8 * (64 + (i % 32)) + 2 * Math.floor(i / 32), 2],
  ],
};

/** Adds them, once. */
export const add_searched = () => {
  in_lines.told = lines;
  Object.assign(codec.kinds, { four_over_six, mlx, hqq, nf4_nested, q8_0, q4_k, q6_k, iq4_nl, ue4m3 });
  Object.assign(more_runs, placed);
  Object.assign(more_stored, stored);
  Object.assign(extras, { own_numbers });
  Object.assign(more_lines.scale, sub_blocks);
  Object.assign(more_lines.element, { q4_k: shifted, mlx: shifted });
};
