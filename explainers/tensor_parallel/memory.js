/* What a rank holds, in bytes, for one number of ranks and for all that are legal: memory.py. */
import { legal_ranks } from "./shapes.js";

/** @import { Model } from "./shapes.js" */

/** What a rank holds, in bytes. @typedef {ReturnType<typeof memory_of>} Memory */

/** @param {Model} m @param {number} t @param {boolean} sp @param {number} s */
export const memory_of = (m, t, sp, s) => {
  /** @param {number} heads */
  const share = (heads) => (heads ? Math.max(1, Math.floor(t / heads)) / t : 1);
  return {
    cut: (2 * m.cut) / t,
    kv: m.kv.reduce((sum, [numbers, heads]) => sum + 2 * numbers * share(heads), 0),
    whole: 2 * m.whole,
    cache: m.grows.reduce((sum, [size, cap, heads]) => sum + size * Math.min(s, cap || s) * share(heads), 0),
    stream: (2 * s * m.hidden) / (sp ? t : 1),
  };
};

/** @param {Memory} m */
export const total_of = (m) => m.cut + m.kv + m.whole + m.cache + m.stream;
/** @param {Model} model @param {boolean} sp @param {number} s */
export const ladder_of = (model, sp, s) =>
  legal_ranks(model)
    .filter((t) => !sp || s % t === 0)
    .map((t) => {
      const parts = memory_of(model, t, sp, s);
      return { t, ...parts, total: total_of(parts) };
    });
