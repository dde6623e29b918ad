/* What the lab plays and no beat does: its kinds of schemes and their lines are added here, so that a beat that is embedded
   need not carry them. */
import { codec } from "./codec.js";
import { dynamic8, hqq, mlx, nf4_nested } from "./grids_more.js";
import { facts_of, largest_of, more_lines, reaches } from "./lines.js";
import { hex, num, plain } from "./spell.js";
import { iq4_nl, q4_k, q6_k, ue4m3 } from "./super_blocks.js";

/** @import { Row } from "./float32.js" */
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
/** Adds them, once. */
export const add_searched = () => {
  Object.assign(codec.kinds, { mlx, hqq, nf4_nested, q4_k, q6_k, iq4_nl, ue4m3 });
  Object.assign(more_lines.scale, sub_blocks);
  Object.assign(more_lines.element, { q4_k: shifted, mlx: shifted });
};
