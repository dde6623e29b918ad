/* Twin of draw.py: a row and a column -> a number near a bell curve. */
const [UNIT, MIDDLE] = [37837, 131070];
const mixed = (value) => {
  let x = value >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d) >>> 0;
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b) >>> 0;
  return (x ^ (x >>> 16)) >>> 0;
};
/* rows x columns of them, one row after the other. */
const normal = (first, rows, columns) => {
  const made = new Float64Array(rows * columns);
  let at = 0;
  for (let row = first; row !== first + rows; row += 1) {
    const base = mixed(row + 1);
    for (let j = 0; j !== 2 * columns; j += 2) {
      const [one, other] = [mixed(base + j), mixed(base + j + 1)];
      made[at] = ((one & 0xffff) + (one >>> 16) + (other & 0xffff) + (other >>> 16) - MIDDLE) / UNIT;
      at += 1;
    }
  }
  return made;
};
