/* Blocks of float32 -> scale, codes, values: codec.py again, by other means. Numbers here are doubles that hold float32
   values; every operation is followed by f32(), which rounds once, exactly as float32 hardware does. */
export const codec = (() => {
  const f32 = Math.fround;
  const view = new DataView(new ArrayBuffer(8));
  const exponent = (x) => { // floor(log2 x) of a positive double
    view.setFloat64(0, x);
    return ((view.getUint32(0) >>> 20) & 0x7ff) - 1023;
  };
  const pow2 = (e) => {
    view.setUint32(0, (e + 1023) << 20);
    view.setUint32(4, 0);
    return view.getFloat64(0);
  };
  const bits32 = (x) => {
    view.setFloat32(0, x);
    return view.getUint32(0);
  };
  const negative = (x) => x < 0 || Object.is(x, -0);
  const even = (x) => { // nearest whole number of a non-negative one, ties to even
    const low = Math.floor(x);
    const rest = x - low;
    return rest > 0.5 || (rest === 0.5 && low % 2 === 1) ? low + 1 : low;
  };
  const rint = (x) => (negative(x) ? -even(-x) : even(x));
  const clip = (x, low, high) => Math.min(Math.max(x, low), high);

  const FORMATS = {
    e4m3: { bits: 8, m: 3, emin: -6, largest: 448, emax: 8 },
    e5m2: { bits: 8, m: 2, emin: -14, largest: 57344, emax: 15 },
    e2m3: { bits: 6, m: 3, emin: 0, largest: 7.5, emax: 2 },
    e3m2: { bits: 6, m: 2, emin: -2, largest: 28, emax: 4 },
    e2m1: { bits: 4, m: 1, emin: 0, largest: 6, emax: 2 },
    float16: { bits: 16, m: 10, emin: -14, largest: 65504 },
    bfloat16: { bits: 16, m: 7, emin: -126, largest: 3.3895313892515355e38 },
  };
  const MX = { mxfp8_e4m3: "e4m3", mxfp8_e5m2: "e5m2", mxfp6_e2m3: "e2m3", mxfp6_e3m2: "e3m2", mxfp4: "e2m1" };

  const round = (y, f) => { // nearest number of a format, ties to even, saturating
    const a = Math.min(Math.abs(y), f.largest);
    const step = pow2(Math.max(a === 0 ? f.emin : exponent(a), f.emin) - f.m);
    const near = even(a / step) * step;
    return negative(y) ? -near : near;
  };
  const code = (v, f) => { // the bits of a number the format has
    const a = Math.abs(v);
    const sign = negative(v) ? 2 ** (f.bits - 1) : 0;
    if (a < pow2(f.emin)) return sign + a / pow2(f.emin - f.m);
    const e = exponent(a);
    return sign + (e - f.emin + 1) * 2 ** f.m + (a / pow2(e) - 1) * 2 ** f.m;
  };

  const amax_of = (x) => {
    let most = 0;
    for (let i = 0; i < x.length; i += 1) most = Math.max(most, Math.abs(x[i]));
    return most;
  };
  const empty = (n) => ({ zero: null, codes: new Uint8Array(n), elements: new Float64Array(n), values: new Float64Array(n), clipped: new Uint8Array(n) });

  const FP4 = [0, 0.5, 1, 1.5, 2, 3, 4, 6];
  const as_gguf = (y) => { // the smaller magnitude at a tie, and no -0
    const size = FP4.findLast((v, i) => i === 0 || Math.abs(y) > (FP4[i - 1] + v) / 2);
    return y < 0 && size ? -size : size;
  };
  const scaled = (x, f, scale, scale_code, limit, nearest = round) => {
    const out = Object.assign(empty(x.length), { scale, scale_code });
    for (let i = 0; i < x.length; i += 1) {
      const y = Number.isNaN(scale) ? 0 : f32(x[i] / scale);
      const near = nearest(y, f);
      out.codes[i] = code(near, f);
      out.elements[i] = near;
      out.values[i] = f32(near * scale);
      out.clipped[i] = Math.abs(y) > limit ? 1 : 0;
    }
    return out;
  };

  const mx_exponent = (f, amax, rule) => {
    const wanted = rule === "rceil" ? f32(amax / f.largest) : amax;
    if (wanted === 0) return -127;
    const e = exponent(wanted);
    const m = wanted / pow2(e);
    const up = { floor: false, ceil: m > 1, rceil: m > 1, even: m >= 2 - pow2(-(f.m + 1)) }[rule];
    return clip(e + (up ? 1 : 0) - (rule === "rceil" ? 0 : f.emax), -127, 127);
  };
  const mx = (x, f, rule, nearest) => {
    const amax = amax_of(x);
    if (Number.isNaN(amax)) return scaled(x, f, NaN, 255, f.largest); // one NaN makes the scale NaN, and so the block
    const e = mx_exponent(f, amax, rule);
    return scaled(x, f, pow2(e), e + 127, f.largest, nearest);
  };

  const tensor_scale = (tensor_amax) => f32(f32(tensor_amax) / 2688);
  const nvfp4 = (x, tensor_amax) => {
    const tensor = tensor_scale(tensor_amax);
    const block = f32(amax_of(x) / f32(6 * tensor)) || 1;
    const stored = round(clip(block, pow2(-9), 448), FORMATS.e4m3);
    return scaled(x, FORMATS.e2m1, f32(stored * tensor), code(stored, FORMATS.e4m3), 6);
  };

  const fp8 = (x, power_of_two) => {
    if (power_of_two) {
      const e = mx_exponent(FORMATS.e4m3, amax_of(x), "rceil");
      return scaled(x, FORMATS.e4m3, pow2(e), e + 127, f32(448.001));
    }
    const scale = f32(amax_of(x) / 448) || pow2(-23);
    return scaled(x, FORMATS.e4m3, scale, bits32(scale), f32(448.001));
  };

  const int4 = (x, scale, scale_code, zero) => {
    const out = Object.assign(empty(x.length), { scale, scale_code, zero: zero + 8 });
    const [low, high] = [f32(-8.001), f32(7.001)];
    for (let i = 0; i < x.length; i += 1) {
      const y = f32(f32(x[i] / scale) + zero);
      const q = rint(clip(y, -8, 7));
      out.codes[i] = q + 8;
      out.elements[i] = q - zero;
      out.values[i] = f32((q - zero) * scale);
      out.clipped[i] = y < low || y > high ? 1 : 0;
    }
    return out;
  };
  const int4_asymmetric = (x) => {
    let [low, high] = [0, 0];
    for (let i = 0; i < x.length; i += 1) { low = Math.min(low, x[i]); high = Math.max(high, x[i]); }
    const step = f32(f32(high - low) / 15);
    const zero = step === 0 ? -8 : rint(clip(f32(-8 - f32(low / step)), -8, 7));
    const stored = round(step, FORMATS.float16) || pow2(-10);
    return int4(x, stored, code(stored, FORMATS.float16), zero);
  };
  const int4_symmetric = (x) => {
    const stored = round(f32(amax_of(x) / 7.5), FORMATS.bfloat16) || pow2(-7);
    return Object.assign(int4(x, stored, code(stored, FORMATS.bfloat16), 0), { zero: null });
  };

  const q4_0 = (x) => {
    let peak = x[0];
    for (let i = 1; i < x.length; i += 1) if (Math.abs(x[i]) > Math.abs(peak)) peak = x[i];
    const d = f32(peak / -8);
    const inverse = d === 0 ? 0 : f32(1 / d);
    const scale = round(d, FORMATS.float16);
    const out = Object.assign(empty(x.length), { scale, scale_code: code(scale, FORMATS.float16) });
    for (let i = 0; i < x.length; i += 1) {
      const y = f32(f32(x[i] * inverse) + 8.5);
      out.codes[i] = Math.min(Math.trunc(y), 15);
      out.elements[i] = out.codes[i] - 8;
      out.values[i] = f32(out.elements[i] * scale);
      out.clipped[i] = y > f32(15.501) ? 1 : 0;
    }
    return out;
  };

  const nf4 = (x, book) => {
    const absmax = amax_of(x);
    const inverse = f32(1 / Math.max(absmax, f32(1e-38)));
    const middles = book.slice(1).map((high, i) => f32(f32(book[i] + high) / 2));
    const out = Object.assign(empty(x.length), { scale: absmax, scale_code: bits32(absmax) });
    for (let i = 0; i < x.length; i += 1) {
      const y = clip(f32(x[i] * inverse), -1, 1);
      let at = 0;
      while (at < 15 && y > middles[at]) at += 1; // a tie keeps the smaller code
      out.codes[i] = at;
      out.elements[i] = book[at];
      out.values[i] = f32(book[at] * absmax);
    }
    return out;
  };

  const quantize = (scheme, x, rule, tensor_amax, book, gguf) => {
    if (MX[scheme]) return mx(x, FORMATS[MX[scheme]], rule, gguf ? as_gguf : round);
    if (scheme === "nvfp4") return nvfp4(x, tensor_amax);
    if (scheme.startsWith("fp8_")) return fp8(x, scheme.endsWith("ue8m0"));
    if (scheme === "int4_gptq" || scheme === "int4_awq") return int4_asymmetric(x);
    return { int4_g32: int4_symmetric, nf4, q4_0 }[scheme](x, book);
  };
  return { quantize, tensor_scale, FORMATS, FP4, MX, RULES: ["floor", "ceil", "rceil", "even"], exponent, pow2 };
})();
