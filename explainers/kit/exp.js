/* exp and ln from sums and products alone: the same bits in every browser and in numpy, whose own differ in the last bit. */

const [LN2, HIGH, LOW] = [Math.LN2, 0.6931471803691238, 1.9082149292705877e-10];

/** @param {number} x */
export const exp = (x) => {
  const k = Math.floor(x / LN2 + 0.5);
  const rest = x - k * HIGH - k * LOW;
  let out = 1;
  for (let n = 14; n > 0; n -= 1) out = 1 + (rest / n) * out;
  return out * 2 ** k;
};

/** @param {number} number above 0 */
export const ln = (number) => {
  let [x, halved, out] = [number, 0, 0];
  while (x > 1.5) {
    x /= 2;
    halved += 1;
  }
  const z = (x - 1) / (x + 1);
  for (let n = 35; n > 0; n -= 2) out = out * (z * z) + 1 / n;
  return 2 * z * out + halved * LN2;
};
