/* Words about a block: how its scale came about, how one element became a code, in rows of [what, how]. */
const words = (() => {
  const num = (x, digits = 5) => (Object.is(x, -0) ? "−0" : kit.fmt.sig(x, digits).replace("-", "−").replace("e-", "e−").replace("e+", "e"));
  const hex = (code, bits) => `0x${code.toString(16).toUpperCase().padStart(Math.ceil(bits / 4), "0")}`;
  const signed = (x) => (x > 0 ? `+${num(x, 3)}` : num(x, 3));
  const power = (scale) => kit.fmt.pow2(codec.exponent(scale));
  const FIELDS = { float8_e4m3fn: [1, 4, 3], float8_e5m2: [1, 5, 2], float6_e2m3fn: [1, 2, 3], float6_e3m2fn: [1, 3, 2], float4_e2m1fn: [1, 2, 1] };
  const is_mx = (row) => row.name in codec.MX;
  const format = (row) => codec.FORMATS[codec.MX[row.name] || (row.element === "float4_e2m1fn" ? "e2m1" : "e4m3")];

  const exponent_words = (rule, out, row) => { // the rule, with numbers in it
    const { largest, emax, m } = format(row);
    const k = codec.exponent(out.amax);
    if (rule === "rceil") return `⌈log₂(${num(out.amax)} ÷ ${num(largest)})⌉`;
    if (rule === "ceil") return `⌈log₂ ${num(out.amax)}⌉ − ${emax}`;
    const up = rule === "even" && out.amax >= (2 - 2 ** -(m + 1)) * 2 ** k;
    if (rule === "even") return `${num(out.amax)} ${up ? "≥" : "<"} ${num((2 - 2 ** -(m + 1)) * 2 ** k)}, so ${up ? `${num(k)} + 1` : num(k)} − ${emax}`;
    return `⌊log₂ ${num(out.amax)}⌋ − ${emax} = ${num(k)} − ${emax}`;
  };

  const scale = (state, out, row) => {
    const kept = ["kept as", `${row.stored_words}: ${hex(out.scale_code, out.scale_bytes.length * 8)}`];
    const zero_block = ["largest", "every number is 0"];
    if (is_mx(row)) {
      const how = out.amax === 0 ? zero_block : ["exponent", `${exponent_words(state.rule, out, row)} = ${num(out.scale_code - 127)}`];
      return [["largest |x|", `${num(out.amax)}, element ${out.peak}`], how, ["scale", `${power(out.scale)} = ${num(out.scale)}`], kept, ["reaches", `${num(format(row).largest)} × ${num(out.scale)} = ${num(format(row).largest * out.scale)}`]];
    }
    if (row.name === "nvfp4") {
      const stored = out.scale / out.tensor_scale;
      return [
        ["tensor", `${num(out.tensor_amax)} ÷ (448 × 6) = ${num(out.tensor_scale)}, FP32`],
        ["block", out.amax === 0 ? "every number is 0" : `${num(out.amax)} ÷ 6 ÷ ${num(out.tensor_scale)} = ${num(out.amax / 6 / out.tensor_scale)}`],
        ["kept as", `E4M3 ${num(stored)}: ${hex(out.scale_code, 8)}`],
        ["scale", `${num(stored)} × ${num(out.tensor_scale)} = ${num(out.scale)}`],
        ["reaches", `6 × ${num(out.scale)} = ${num(6 * out.scale)}`],
      ];
    }
    if (row.name.startsWith("fp8_")) {
      const where = out.peak < out.shown ? `, element ${out.peak}` : ", outside this window";
      const ue8m0 = row.stored === "e8m0";
      return [["largest |x|", num(out.amax) + where], ["÷ 448", `${num(out.amax)} ÷ 448 = ${num(out.amax / 448)}`], ["scale", ue8m0 ? `rounded up: ${power(out.scale)} = ${num(out.scale)}` : num(out.scale)], kept];
    }
    if (out.zero !== null) {
      return [["smallest … largest", `${num(Math.min(0, out.low))} … ${num(Math.max(0, out.high))}`], ["÷ 15 steps", `${num(Math.max(0, out.high) - Math.min(0, out.low))} ÷ 15`], ["scale", num(out.scale)], kept, ["zero point", `code ${out.zero} means 0`]];
    }
    const how = { int4_g32: ["÷ 7.5", `${num(out.amax)} ÷ 7.5`], nf4: ["scale", "the largest itself"], q4_0: ["÷ −8", "with its sign, so that it becomes code 0"] }[row.name];
    return [["largest |x|", `${num(out.amax)}, element ${out.peak}`], how, ["scale", num(out.scale)], kept];
  };

  const element = (out, row, i) => {
    const [x, s, q] = [out.values[i], out.scale, out.elements[i]];
    const back = ["comes back", `${num(q)} × ${num(s)} = ${num(out.dequantized[i])}`];
    const miss = ["error", `${out.errors[i] === 0 ? "none" : `${signed(out.errors[i])}${x ? `, ${kit.fmt.percent(Math.abs(out.errors[i] / x))}` : ""}`}${out.clipped.includes(i) ? ", clipped" : ""}`];
    if (out.zero !== null) return [["÷ scale + zero", `${num(x)} ÷ ${num(s)} + ${out.zero} = ${num(x / s + out.zero)}`], ["code", `${out.codes[i]}`], ["comes back", `(${out.codes[i]} − ${out.zero}) × ${num(s)} = ${num(out.dequantized[i])}`], miss];
    if (row.name === "int4_g32") return [["÷ scale + 8", `${num(x)} ÷ ${num(s)} + 8 = ${num(x / s + 8)}`], ["code", `${out.codes[i]}`], ["comes back", `(${out.codes[i]} − 8) × ${num(s)} = ${num(out.dequantized[i])}`], miss];
    if (row.name === "q4_0") return [["÷ scale + 8.5, cut", `${num(x)} ÷ ${num(s)} + 8.5 = ${s ? num(x / s + 8.5) : "8.5"}`], ["code", `${out.codes[i]}`], ["comes back", `(${out.codes[i]} − 8) × ${num(s)} = ${num(out.dequantized[i])}`], miss];
    if (row.name === "nf4") return [["÷ scale", `${num(x)} ÷ ${num(s)} = ${s ? num(x / s) : "0"}`], ["nearest code", `${out.codes[i]}, in the table ${num(q)}`], back, miss];
    return [["÷ scale", `${num(x)} ÷ ${num(s)} = ${num(x / s)}`], ["nearest code", hex(out.codes[i], row.bits)], back, miss];
  };

  const code_bits = (out, row, i) => { // [class, digits] from the sign down
    const digits = out.codes[i].toString(2).padStart(row.bits, "0");
    const [s, e] = FIELDS[row.element] || [0, 0];
    const cut = [["sign", 0, s], ["exponent", s, s + e], ["mantissa", s + e, row.bits]];
    return FIELDS[row.element] ? cut.map(([name, from, to]) => [name, digits.slice(from, to)]) : [["plain", digits]];
  };

  const spoken = (out, i) => `${num(out.values[i])}, comes back as ${num(out.dequantized[i])}, error ${signed(out.errors[i])}${out.clipped.includes(i) ? ", clipped" : ""}`;
  const place = (out, row, i) => {
    const at = out.pieces.flatMap((parts, b) => parts.map(([e, bits], p) => [e, bits, b, p, parts.length]).filter(([e]) => e === i));
    const names = at.map(([, bits, b, p, count]) => (bits === 8 ? `byte ${b}` : `${bits === 4 ? (p === 0 && count > 1 ? "the high nibble" : "the low nibble") : `${bits} bits`} of byte ${b}`));
    return `Element ${i} is ${names.reverse().join(" and ")}.`;
  };
  return { num, hex, signed, power, scale, element, code_bits, spoken, place, is_mx, exponent_words };
})();
