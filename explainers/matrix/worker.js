/* Off the page's own thread: a matrix, then schemes, one a message -> the sums of their maps. pool.js asks. */
import { add_kinds } from "./kinds.js";
import { store, sums_of } from "./quantize.js";
import { make_matrix } from "./weights.js";

/** @import { Data } from "../../.make/data_types/matrix.d.ts" */
/** @import { Asked, Found } from "./pool.js" */
/** @import { Matrix } from "./weights.js" */

/** What the messages so far have brought. @type {{ data: Data | null, matrix: Matrix | null }} */
const held = { data: null, matrix: null };

add_kinds();

self.onmessage = ({ data: asked }) => {
  if (asked.data) {
    held.data = asked.data;
    return;
  }
  const { key, origin, name, turned } = /** @type {Asked} */ (asked);
  const data = /** @type {Data} */ (held.data);
  if (origin) held.matrix = make_matrix(origin, data.made);
  const matrix = /** @type {Matrix} */ (held.matrix);
  const scheme = /** @type {Data["schemes"][number]} */ (data.schemes.find((row) => row.name === name));
  const work = store(matrix, scheme, data, turned);
  let step = work.next();
  while (!step.done) step = work.next();
  const sums = sums_of(matrix, step.value, turned, data);
  const { error, loud, zeros, scales, values } = sums;
  /** @type {Found} */
  const found = { key, name, turned, sums };
  postMessage(found, { transfer: [error, loud, zeros, scales, values].map(({ buffer }) => buffer) });
};
