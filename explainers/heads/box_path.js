/* A box with round corners as a piece of a path, and lengths in pixels as paths have them. */

/** @param {number} x */
export const px = (x) => String(Math.round(x * 100) / 100);

/**
 * A box with round corners, as a piece of a path: one path draws them all.
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
export const box = (x, y, width, height) => {
  const r = Math.min(3, width / 4);
  const [w, h] = [px(width - 2 * r), px(height - 2 * r)];
  /**
   * @param {number} dx
   * @param {number} dy
   */
  const turn = (dx, dy) => `a${px(r)} ${px(r)} 0 0 1 ${px(dx)} ${px(dy)}`;
  return `M${px(x + r)} ${px(y)}h${w}${turn(r, r)}v${h}${turn(-r, r)}h-${w}${turn(-r, -r)}v-${h}${turn(r, -r)}z`;
};
