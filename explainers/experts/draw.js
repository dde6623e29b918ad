/* Twin of draw.py: a row and a column -> a number near a bell curve. */
import { hash32 } from "../kit/arrays.js";

const [UNIT, MIDDLE] = [37837, 131070];
/**
 * rows x columns of them, one row after the other.
 * @param {number} first
 * @param {number} rows
 * @param {number} columns
 */
export const normal = (first, rows, columns) => {
  const made = new Float64Array(rows * columns);
  let at = 0;
  for (let row = first; row !== first + rows; row += 1) {
    const base = hash32(row + 1);
    for (let j = 0; j !== 2 * columns; j += 2) {
      const [one, other] = [hash32(base + j), hash32(base + j + 1)];
      made[at] = ((one & 0xffff) + (one >>> 16) + (other & 0xffff) + (other >>> 16) - MIDDLE) / UNIT;
      at += 1;
    }
  }
  return made;
};
