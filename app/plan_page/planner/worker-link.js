/* A plan -> the worker that searches beside the page, and its answers as they come. */

import * as elements from "./elements.js";

/** @import { LayoutTable, Now, Order, Ways } from "./types.d.ts" */

/**
 * turn: which question its answers are for; busy: it works on one.
 * @type {{ turn: number, worker: Worker | null, busy: boolean }}
 */
const state = { turn: 0, worker: null, busy: false };
/* What was asked for last is not wanted any more. */
export const drop = () => {
  state.turn += 1;
};
/**
 * @param {Now} now
 * @param {Order} order
 * @param {{ ways: (found: Ways) => void, table: (found: LayoutTable) => void }} told
 */
export const ask = (now, order, told) => {
  if (state.busy || !state.worker) {
    state.worker?.terminate();
    state.worker = new Worker(/** @type {string} */ (elements.root.dataset.worker));
  }
  state.turn += 1;
  state.busy = true;
  state.worker.onmessage = ({ data: [turn, what, answer] }) => {
    if (turn !== state.turn) return;
    if (what === "done") state.busy = false;
    else told[/** @type {"ways" | "table"} */ (what)](answer);
  };
  state.worker.postMessage([
    state.turn,
    now.sheet,
    now.layout,
    now.bits,
    order,
    { chosen: now.chosen, devices: elements.data.devices },
  ]);
};
