/* A weights file -> matrices by name. */

/** @import { Mixer } from "./mixers.js" */
/** @import { Numbers } from "./vectors.js" */

/** Weights by name, and the rows of a table by token. @typedef {{ [name: string]: Numbers }} Weights */
/** @param {number[]} shape */
const size_of = (shape) => shape.reduce((a, b) => a * b, 1);

/**
 * Rows of int8, then a bfloat16 scale for each row: as stored.py packs them.
 * @param {Uint8Array} bytes
 * @param {Mixer["shapes"]} shapes
 */
export const unpacked = (bytes, shapes) => {
  const rows = shapes.map(([, shape]) => (shape.length === 1 ? 1 : shape[0]));
  const count = shapes.reduce((sum, [, shape]) => sum + size_of(shape), 0);
  const scale = new Float32Array(1);
  const bits = new Uint32Array(scale.buffer);
  /** @type {Weights} */
  const found = {};
  let [at, row] = [0, 0];
  shapes.forEach(([name, shape], i) => {
    const wide = size_of(shape) / rows[i];
    const made = new Float64Array(size_of(shape));
    for (let r = 0; r < rows[i]; r += 1, row += 1) {
      const place = count + 2 * row;
      bits[0] = (bytes[place] | (bytes[place + 1] << 8)) << 16;
      for (let c = 0; c < wide; c += 1, at += 1) made[r * wide + c] = ((bytes[at] << 24) >> 24) * scale[0];
    }
    found[name] = made;
  });
  return found;
};
