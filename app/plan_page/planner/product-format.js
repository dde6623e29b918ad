/* A layout and its weights -> the format that matrix products run in, and how fast the device is in it; gallery/counting/products.py. */

/** @import { Device, Layout, Sheet } from "./types.d.ts" */

/* products.py: from the slowest; the formats of weights that a reader may give, of which others are unpacked to 16 bits. */
export const ORDER = ["bfloat16", "fp8", "fp4"];
/** @type {{ [format: string]: string }} */
export const ASKED = { fp8: "fp8", int8: "fp8", fp4: "fp4" };

/**
 * [format of products, why]: the one asked for, or the fastest that an engine runs such weights in.
 * @param {Layout} one
 * @param {Sheet} sheet
 * @returns {string[]}
 */
export const product_dtype = (one, sheet) => {
  if (one.compute_dtype) return [one.compute_dtype, "as asked for"];
  if (one.job === "train") return ["bfloat16", "as training does unless FP8 is asked for"];
  if (one.weights_dtype) return [ASKED[one.weights_dtype] || "bfloat16", `of weights in ${one.weights_dtype}`];
  return [sheet.products, sheet.products_says];
};

/**
 * The format in whose peak they run: their own, or the fastest of the wider ones that there are.
 * @param {Pick<Device, "peaks">} device
 * @param {string} form
 * @returns {string}
 */
export const reached = ({ peaks }, form) =>
  ORDER.slice(0, ORDER.indexOf(form) + 1).reduce((best, name) => ((peaks[name] || 0) > peaks[best] ? name : best));

/**
 * FLOP/s of the products' format on the device; 0: no such peak.
 * @param {Layout} one
 * @param {Sheet} sheet
 * @returns {number}
 */
export const peak = (one, sheet) => {
  const { peaks } = one.device;
  const [form] = product_dtype(one, sheet);
  return one.compute_dtype ? peaks[form] || 0 : peaks[reached(one.device, form)];
};
