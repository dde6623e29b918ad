/* Scales, ticks, labels kept apart and lines of charts: numbers -> places. Nothing here touches a page. */

/** Two values, or the two places where they stand. @typedef {readonly number[]} Ends */
/** A value -> its place. @typedef {(value: number) => number} Scale */

/**
 * Equal steps stand equally far apart; where clamped, what lies beyond an end stands at it.
 * @type {(values: Ends, places: Ends, clamped?: boolean) => Scale}
 */
export const linearScale =
  ([low, high], [from, to], clamped) =>
  (value) => {
    const share = (value - low) / (high - low);
    return from + (to - from) * (clamped ? Math.min(1, Math.max(0, share)) : share);
  };

/**
 * Equal ratios stand equally far apart; what is below the low end stands at it, clamped or not: zero has no place.
 * @type {(values: Ends, places: Ends, clamped?: boolean) => Scale}
 */
export const logScale = (values, places, clamped) => {
  const scale = linearScale(values.map(Math.log10), places, clamped);
  return (value) => scale(Math.log10(Math.max(value, values[0])));
};

/** Digits times powers of ten between two values: [2, 50], [1, 3] -> 3, 10, 30. @param {Ends} ends */
export const decades = ([low, high], digits = [1]) => {
  const from = Math.floor(Math.log10(low));
  return Array.from({ length: Math.ceil(Math.log10(high)) - from + 1 }, (_, i) => from + i)
    .flatMap((power) => digits.map((digit) => Number(`${digit}e${power}`)))
    .filter((value) => value >= low && value <= high);
};

/** The powers of ten around all values, at least one decade. @param {number[]} values @returns {Ends} */
export const decadesAround = (values) => {
  const low = Math.floor(Math.log10(Math.min(...values)));
  return [10 ** low, 10 ** Math.max(Math.ceil(Math.log10(Math.max(...values))), low + 1)];
};

/** A power of two in words: 16 -> "64k", 20 -> "1M". @param {number} power from 10 on */
export const inTwos = (power) => (power < 20 ? `${2 ** (power - 10)}k` : `${2 ** (power - 20)}M`);

/**
 * Places for labels, the highest first: moved down until they are so far apart, then all up from below the foot.
 * @type {(places: number[], apart: number, foot?: number) => number[]}
 */
export const spreadLabels = (places, apart, foot = Infinity) => {
  const moved = /** @type {number[]} */ ([]);
  for (const y of places) moved.push(Math.max(y, (moved.at(-1) ?? -Infinity) + apart));
  const over = Math.max(0, (moved.at(-1) ?? 0) - foot);
  return moved.map((y) => y - over);
};

/** The path of a line. @param {(number | string)[][]} points */
export const linePath = (points) => `M${points.map((point) => point.join(" ")).join("L")}`;

/** A share of a width, for an attribute: 0.125 -> "12.5%" @param {number} share */
export const pct = (share) => `${Number((100 * share).toFixed(3))}%`;
