/* A .safetensors or .npy file of the reader's -> the tensors in it, and a slice of one as a matrix. Only the bytes that are
   needed are read (File.slice); nothing leaves the browser. A file is hostile: whatever is wrong with it is a sentence. */

/** @typedef {{ name: string, dtype: string, rows: number, columns: number, at: number }} Tensor at: its first byte */
/** @typedef {{ slice(from: number, to: number): { arrayBuffer(): Promise<ArrayBuffer> }, size: number, name: string }} Bytes a File, or what is like one */

export class FileError extends Error {}

export const SIDE = 1024; // rows and columns of a slice, at most
const WIDTH = 256; // of what some schemes quantize at once: columns are a multiple of it
const HEADER = 100e6; // bytes of a header, as the safetensors library has it
const LISTED = 500; // tensors in the list
const SHOWN = 60; // characters of a name that is not ours

/** Bytes of a number in each dtype that can be read. @type {{ [dtype: string]: number }} */
const SIZES = { F64: 8, F32: 4, F16: 2, BF16: 2, F8_E4M3: 1 };
/** @type {{ [descr: string]: string }} */
const OF_NUMPY = { "<f8": "F64", "<f4": "F32", "<f2": "F16" };

/** @param {string} sentence @returns {never} */
const refuse = (sentence) => {
  throw new FileError(sentence);
};
/** @param {unknown} text */
const brief = (text) => {
  const one = String(text);
  return one.length > SHOWN ? `${one.slice(0, SHOWN)}…` : one;
};
/** @param {unknown} n */
const natural = (n) => Number.isSafeInteger(n) && Number(n) >= 0;

/** @param {Bytes} file @param {number} from @param {number} to */
const read = async (file, from, to) => {
  const bytes = new Uint8Array(await file.slice(from, to).arrayBuffer());
  if (bytes.length < to - from) refuse(`“${brief(file.name)}” ends too early: it is cut off.`);
  return bytes;
};

/**
 * The tensors of a file that can be shown.
 * @param {Bytes} file
 * @returns {Promise<Tensor[]>}
 */
export const tensors_of = async (file) => {
  if (file.size < 10) refuse(`“${brief(file.name)}” holds ${file.size} bytes: it is no .safetensors or .npy file.`);
  const start = await read(file, 0, 10);
  const numpy = start[0] === 0x93 && String.fromCharCode(...start.subarray(1, 6)) === "NUMPY";
  return numpy ? numpy_tensor(file, start) : safetensors(file, start);
};

/** @param {Bytes} file @param {Uint8Array} start */
const safetensors = async (file, start) => {
  const length = Number(new DataView(start.buffer).getBigUint64(0, true));
  if (length < 2 || length > HEADER || length + 8 > file.size)
    refuse(
      `“${brief(file.name)}” is no .safetensors or .npy file: its first eight bytes are not the length of a header.`,
    );
  /** @type {unknown} */
  let header;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await read(file, 8, 8 + length)));
  } catch (wrong) {
    if (wrong instanceof FileError) throw wrong;
    refuse(`The header of “${brief(file.name)}” is not JSON, so this is no .safetensors file.`);
  }
  if (!header || typeof header !== "object" || Array.isArray(header))
    refuse(`The header of “${brief(file.name)}” is not an object of tensors.`);
  const all = Object.entries(/** @type {object} */ (header)).filter(([name]) => name !== "__metadata__");
  const found = [];
  let why = "It holds no tensors.";
  for (const [name, given] of all) {
    const one = tensor_of(name, given, 8 + length, file.size);
    if (typeof one === "string") why = one;
    else if (found.push(one) >= LISTED) break;
  }
  return found.length ? found : refuse(`“${brief(file.name)}” has no matrix that can be shown. ${why}`);
};

/**
 * A tensor of a safetensors header, or the sentence that says why it cannot be shown.
 * @param {string} name @param {unknown} given @param {number} base the first byte of data @param {number} size of the file
 * @returns {Tensor | string}
 */
const tensor_of = (name, given, base, size) => {
  const {
    dtype,
    shape,
    data_offsets: offsets,
  } = /** @type {{ [key: string]: unknown }} */ (given && typeof given === "object" ? given : {});
  const called = `“${brief(name)}”`;
  const type = typeof dtype === "string" ? dtype : "of no known type";
  if (!Array.isArray(shape) || !Array.isArray(offsets) || !shape.every(natural) || !offsets.every(natural))
    return `${called} has no shape or no offsets.`;
  if (!Object.hasOwn(SIZES, type)) return `${called} is ${brief(type)}; F32, F16, BF16, F8_E4M3 and F64 can be read.`;
  if (shape.length !== 2) return `${called} has ${shape.length} dimensions; a matrix has two.`;
  const [rows, columns] = shape;
  if (columns < WIDTH || rows < 1) return `${called} is ${rows} × ${columns}; at least ${WIDTH} columns are needed.`;
  const [from, to] = offsets;
  if (offsets.length !== 2 || to - from !== rows * columns * SIZES[type])
    return `The offsets of ${called} do not fit its shape.`;
  if (base + to > size) return `The data of ${called} lie beyond the end of the file.`;
  return { name: brief(name), dtype: type, rows, columns, at: base + from };
};

/** @param {Bytes} file @param {Uint8Array} start @returns {Promise<Tensor[]>} */
const numpy_tensor = async (file, start) => {
  const version = `${start[6]}.${start[7]}`;
  if (!["1.0", "2.0", "3.0"].includes(version))
    refuse(`“${brief(file.name)}” is a .npy file of version ${version}; versions 1.0, 2.0 and 3.0 can be read.`);
  const wide = start[6] >= 2;
  const view = new DataView((await read(file, 8, 12)).buffer);
  const length = wide ? view.getUint32(0, true) : view.getUint16(0, true);
  const base = (wide ? 12 : 10) + length;
  if (length > 1e6 || base > file.size) refuse(`The header of “${brief(file.name)}” is longer than the file.`);
  const text = new TextDecoder("latin1").decode(await read(file, base - length, base));
  const descr = /'descr' *: *'([^']*)'/.exec(text)?.[1] ?? "";
  const shape = /'shape' *: *\(([\d, ]*)\)/
    .exec(text)?.[1]
    .split(",")
    .filter((part) => part.trim())
    .map(Number);
  const dtype = Object.hasOwn(OF_NUMPY, descr) ? OF_NUMPY[descr] : undefined;
  if (!dtype || !shape)
    return refuse(
      `“${brief(file.name)}” holds ${brief(descr) || "no known type"}; float16, float32 and float64 can be read.`,
    );
  const size = shape.reduce((a, b) => a * b, SIZES[dtype]);
  if (!natural(size))
    refuse(`“${brief(file.name)}” is said to hold ${brief(shape.join(" × "))} numbers: no file is so large.`);
  const given = { dtype, shape, data_offsets: [0, size] };
  const one = tensor_of(file.name, given, base, file.size);
  if (typeof one === "string") return refuse(one);
  if (/'fortran_order' *: *True/.test(text))
    refuse(`“${brief(file.name)}” is stored column by column; save it with numpy.ascontiguousarray.`);
  return [one];
};

/** An 8-bit or 16-bit float of a sign, `exponent` bits and the rest, whose smallest normal number is 2^emin. @param {number} code @param {number} bits @param {number} mantissa @param {number} emin */
const small_float = (code, bits, mantissa, emin) => {
  const size = code & (2 ** (bits - 1) - 1);
  const field = size >>> mantissa;
  const rest = (size & (2 ** mantissa - 1)) / 2 ** mantissa;
  const value = field ? (1 + rest) * 2 ** (emin + field - 1) : rest * 2 ** emin;
  return code >>> (bits - 1) ? -value : value;
};

/** How the numbers of a dtype are read. @type {{ [dtype: string]: (view: DataView, at: number) => number }} */
const NUMBERS = {
  F64: (view, at) => view.getFloat64(at, true),
  F32: (view, at) => view.getFloat32(at, true),
  BF16: (view, at) => bfloat16(view.getUint16(at, true)),
  F16: (view, at) => {
    const code = view.getUint16(at, true);
    return (code & 0x7c00) === 0x7c00 ? Number.NaN : small_float(code, 16, 10, -14);
  },
  F8_E4M3: (view, at) => {
    const code = view.getUint8(at);
    return (code & 0x7f) === 0x7f ? Number.NaN : small_float(code, 8, 3, -6);
  },
};
const word = new DataView(new ArrayBuffer(4));
/** @param {number} code */
const bfloat16 = (code) => {
  word.setUint32(0, code << 16);
  return word.getFloat32(0);
};

/**
 * The upper left corner of a tensor as a matrix; its loud input is the column of the largest norm.
 * @param {Bytes} file @param {Tensor} tensor
 */
export const slice_of = async (file, { name, dtype, rows: all, columns: wide, at }) => {
  const [rows, columns] = [Math.min(all, SIDE), Math.min(Math.floor(wide / WIDTH) * WIDTH, SIDE)];
  const [size, number] = [SIZES[dtype], NUMBERS[dtype]];
  const wanted = columns * size;
  const together = wide <= 4 * columns; // of a wide matrix each row is read by itself
  const row_bytes = together ? wide * size : wanted;
  const parts = together
    ? [await read(file, at, at + (rows - 1) * row_bytes + wanted)]
    : await Promise.all(
        Array.from({ length: rows }, (_, r) => read(file, at + r * wide * size, at + r * wide * size + wanted)),
      );
  const views = parts.map((bytes) => new DataView(bytes.buffer));
  const plain = new Float32Array(rows * columns);
  const norms = new Float64Array(columns);
  for (let r = 0; r < rows; r += 1) {
    const [view, first] = together ? [views[0], r * row_bytes] : [views[r], 0];
    for (let c = 0; c < columns; c += 1) {
      const given = number(view, first + c * size);
      const v = Math.fround(given);
      if (!Number.isFinite(given))
        refuse(`“${name}” has a NaN or an infinity at row ${r}, column ${c}; no scheme here stores those.`);
      if (!Number.isFinite(v))
        refuse(
          `“${name}” has ${given} at row ${r}, column ${c}, too large for float32, in which schemes here compute.`,
        );
      plain[r * columns + c] = v;
      norms[c] += v * v;
    }
  }
  const loud = norms.indexOf(Math.max(...norms));
  if (!norms[loud]) refuse(`The slice of “${name}” is all zeros: there is no error to show.`);
  return { rows, columns, plain, loud, name };
};
