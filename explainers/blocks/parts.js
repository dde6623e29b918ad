/* Words about a block: its scale, one element, its bytes, what it costs. Twin of words.py. */
import { fmt } from "../kit/numbers.js";
import { codec } from "./codec.js";

export const words = /* @__PURE__ */ (() => {
  const num = (x, digits = 5) => (x === "NaN" ? x : fmt.num(x, digits));
  const plain = (x) => (x === "NaN" ? 0 : x); // to draw with
  const hex = (code, bits) =>
    `0x${code
      .toString(16)
      .toUpperCase()
      .padStart(Math.ceil(bits / 4), "0")}`;
  const signed = (x) => (x > 0 ? `+${num(x, 3)}` : num(x, 3));
  const power = (scale) => (scale === "NaN" ? scale : fmt.pow2(codec.exponent(scale)));
  const is_mx = (row) => codec.is_mx(row.name);

  const exponent_words = (rule, out, row) => {
    // the rule, with numbers in it
    const { largest, emax, mantissa_bits: m } = row.format;
    const k = codec.exponent(out.amax);
    if (rule === "rceil") return `⌈log₂(${num(out.amax)} ÷ ${num(largest)})⌉`;
    if (rule === "ceil") return `⌈log₂ ${num(out.amax)}⌉ − ${emax}`;
    const up = rule === "even" && out.amax >= (2 - 2 ** -(m + 1)) * 2 ** k;
    if (rule === "even")
      return `${num(out.amax)} ${up ? "≥" : "<"} ${num((2 - 2 ** -(m + 1)) * 2 ** k)}, so ${up ? `${num(k)} + 1` : num(k)} − ${emax}`;
    return `⌊log₂ ${num(out.amax)}⌋ − ${emax} = ${num(k)} − ${emax}`;
  };

  const scale = (state, out, row) => {
    const kept = ["kept as", `${row.stored_words}: ${hex(out.scale_code, out.scale_bytes.length * 8)}`];
    if (out.scale === "NaN") return [["largest |x|", `NaN, element ${out.peak}`], ["scale", "NaN"], kept];
    const zero_block = ["largest", "every number is 0"];
    if (is_mx(row)) {
      const how =
        out.amax === 0
          ? zero_block
          : ["exponent", `${exponent_words(state.rule, out, row)} = ${num(out.scale_code - 127)}`];
      return [
        ["largest |x|", `${num(out.amax)}, element ${out.peak}`],
        how,
        ["scale", `${power(out.scale)} = ${num(out.scale)}`],
        kept,
        ["reaches", `${num(row.format.largest)} × ${num(out.scale)} = ${num(row.format.largest * out.scale)}`],
      ];
    }
    if (row.name === "nvfp4") {
      const stored = out.scale / out.tensor_scale;
      return [
        ["tensor", `${num(out.tensor_amax)} ÷ (448 × 6) = ${num(out.tensor_scale)}, FP32`],
        [
          "block",
          out.amax === 0
            ? "every number is 0"
            : `${num(out.amax)} ÷ 6 ÷ ${num(out.tensor_scale)} = ${num(out.amax / 6 / out.tensor_scale)}`,
        ],
        ["kept as", `E4M3 ${num(stored)}: ${hex(out.scale_code, 8)}`],
        ["scale", `${num(stored)} × ${num(out.tensor_scale)} = ${num(out.scale)}`],
        ["reaches", `6 × ${num(out.scale)} = ${num(6 * out.scale)}`],
      ];
    }
    if (row.name.startsWith("fp8_")) {
      const where = out.peak < out.shown ? `, element ${out.peak}` : ", outside this window";
      const ue8m0 = row.stored === "e8m0";
      return [
        ["largest |x|", num(out.amax) + where],
        ["÷ 448", `${num(out.amax)} ÷ 448 = ${num(out.amax / 448)}`],
        ["scale", ue8m0 ? `rounded up: ${power(out.scale)} = ${num(out.scale)}` : num(out.scale)],
        kept,
      ];
    }
    if (out.zero !== null) {
      return [
        ["smallest … largest", `${num(Math.min(0, out.low))} … ${num(Math.max(0, out.high))}`],
        ["÷ 15 steps", `${num(Math.max(0, out.high) - Math.min(0, out.low))} ÷ 15`],
        ["scale", num(out.scale)],
        kept,
        ["zero point", `code ${out.zero} means 0`],
      ];
    }
    const how = {
      int4_g32: ["÷ 7.5", `${num(out.amax)} ÷ 7.5`],
      nf4: ["scale", "the largest itself"],
      q4_0: ["÷ −8", "with its sign, so that it becomes code 0"],
    }[row.name];
    return [["largest |x|", `${num(out.amax)}, element ${out.peak}`], how, ["scale", num(out.scale)], kept];
  };

  const element = (out, row, i) => {
    const [x, s, q, code] = [out.values[i], out.scale, out.elements[i], out.codes[i]];
    if (s === "NaN")
      return [
        ["code", "whatever it is"],
        ["comes back", "NaN, as every number of this block"],
      ];
    const off = x ? `, ${fmt.percent(Math.abs(out.errors[i] / x))}` : "";
    const miss = [
      "error",
      `${out.errors[i] === 0 ? "none" : signed(out.errors[i]) + off}${out.clipped.includes(i) ? ", clipped" : ""}`,
    ];
    const back = (how) => ["comes back", `${how} × ${num(s)} = ${num(out.dequantized[i])}`];
    const by = out.zero ?? { int4_g32: 8, q4_0: 8 }[row.name];
    const first = (name, plus) => [
      name,
      `${num(x)} ÷ ${num(s)}${plus === undefined ? "" : ` + ${plus}`} = ${num(s ? x / s + (plus || 0) : plus || 0)}`,
    ];
    if (by !== undefined) {
      const name = { int4_g32: "÷ scale + 8", q4_0: "÷ scale + 8.5, cut" }[row.name] || "÷ scale + zero";
      return [first(name, row.name === "q4_0" ? 8.5 : by), ["code", String(code)], back(`(${code} − ${by})`), miss];
    }
    return [
      first("÷ scale"),
      ["nearest code", row.name === "nf4" ? `${code}, in the table ${num(q)}` : hex(code, row.bits)],
      back(num(q)),
      miss,
    ];
  };

  const digits_of = (out, row) =>
    out.scale === "NaN" ? "" : out.codes[out.picked].toString(2).padStart(row.bits, "0");
  const code_bits = (out, row) => {
    // [class, digits] from the sign down
    const { digits } = out.said;
    if (!row.format) return [["plain", digits]];
    const m = row.bits - row.format.mantissa_bits;
    return [
      ["sign", 0, 1],
      ["exponent", 1, m],
      ["mantissa", m, row.bits],
    ].map(([name, from, to]) => [name, digits.slice(from, to)]);
  };

  const under = (out, row) => {
    if (out.scale === "NaN") return out.codes.map(() => "");
    if (row.bits !== 4) return out.codes.map((code) => hex(code, 8).slice(2));
    return (out.zero === null ? out.elements : out.codes).map((v) => num(v, 3));
  };
  const spoken = (out, i) =>
    `${num(out.values[i])}, comes back as ${num(out.dequantized[i])}${out.scale === "NaN" ? "" : `, error ${signed(out.errors[i])}`}${out.clipped.includes(i) ? ", clipped" : ""}`;
  const pieces = (out, row, b) => {
    // [element, digits] of a byte, high bits first
    let left = 8;
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
  const place = (out) => {
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

  const over = (per) => (per > 1 ? ` ÷ ${fmt.int(per)}` : "");
  const stored = (row) => row.costs.map(([what, bits, per]) => `${what} ${bits}${over(per)}`).join(" + ");
  const cost = (row) => ({
    bits: row.bits,
    shares: row.costs.map(([, bits, per]) => bits / per),
    terms: row.costs.map(
      ([what, bits, per]) => `${what}: ${bits}${over(per)}${per > 1 ? ` = ${num(bits / per, 3)}` : ""}`,
    ),
    models: `70 B weights: ${fmt.bytes((7e10 * row.bits) / 8)}, in BF16 ${fmt.bytes(1.4e11)}.${row.second ? ` Besides: ${row.second}.` : ""}`,
  });
  const told = (state, out, row, data) => {
    const priced = data.ledger.find((r) => r.name === row.name);
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
