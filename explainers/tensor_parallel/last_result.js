/* A function that keeps its last result. */

/* A function that keeps its last result: while one control moves, most of what is computed stays. */
/** @template {unknown[]} A @template R @param {(...args: A) => R} fn @returns {(...args: A) => R} */
export const keeping = (fn) => {
  let [key, made] = /** @type {[key?: string, made?: R]} */ ([]);
  return (...args) => {
    if (key !== args.join()) made = fn(...args);
    key = args.join();
    return /** @type {R} */ (made);
  };
};
