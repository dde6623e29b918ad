/* Up to two workers that measure schemes beside the page, each one scheme at a time. Where the page's script does not lie,
   as in a frame, in Panel or in a notebook, there are none. */

/** @import { Data } from "../../.make/data_types/matrix.d.ts" */
/** @import { Sums } from "./quantize.js" */
/** @import { Origin } from "./weights.js" */

/** A map: of which scheme, and whether of the rotated matrix. @typedef {{ name: string, turned: boolean }} Task */
/** What a worker is asked; of a matrix that it has already, without its origin. @typedef {Task & { key: string, origin?: Origin }} Asked */
/** @typedef {Task & { key: string, sums: Sums }} Found */
/** A worker with the key of the matrix that it has, and what it works on. @typedef {{ worker: Worker, key: string, now: Asked | null }} Helper */

const MOST = 2; // workers; each holds a matrix, its rotation and what came back

/** Whether two tasks are one. @param {Asked} a @param {Asked} b */
const same = (a, b) => a.key === b.key && a.name === b.name && a.turned === b.turned;

/** The address of the worker's script, below that of the page's. @param {string} module */
const address_of = (module) => {
  const address = new URL(module, document.baseURI);
  address.pathname = address.pathname.replace(/\.js$/, "/worker.js");
  return address;
};

/**
 * @param {HTMLElement | null} home the part of the page that says where its script lies
 * @param {Data} data
 */
export const make_pool = (home, { schemes, books, made }) => {
  const module = home?.dataset.module;
  if (!module) return null;
  /** @type {{ helpers: Helper[], queue: Asked[], found: (found: Found) => void, failed: () => void }} */
  const state = { helpers: [], queue: [], found: () => {}, failed: () => {} };
  const stop = () => {
    for (const { worker } of state.helpers) worker.terminate();
    Object.assign(state, { helpers: [], queue: [] });
  };
  const fail = () => {
    stop();
    state.failed();
  };
  /** The next task, to a worker that has none. @param {Helper} helper */
  const feed = (helper) => {
    const next = state.queue.shift() ?? null;
    helper.now = next;
    if (!next) return;
    const { origin, ...task } = next;
    helper.worker.postMessage(helper.key === task.key ? task : next);
    helper.key = task.key;
  };
  const start = () => {
    while (state.helpers.length < Math.min(MOST, navigator.hardwareConcurrency || 1)) {
      const helper = { worker: new Worker(address_of(module)), key: "", now: null };
      helper.worker.addEventListener("message", ({ data }) => {
        feed(helper);
        state.found(data);
      });
      helper.worker.addEventListener("error", (event) => {
        event.preventDefault();
        if (state.helpers.includes(helper)) fail();
      });
      helper.worker.postMessage({ data: { schemes, books, made } });
      state.helpers.push(helper);
    }
  };
  return {
    /**
     * Measures the tasks, one after the other; what was asked for before and is not begun is dropped.
     * @param {Asked[]} tasks
     * @param {(found: Found) => void} found
     * @param {() => void} failed is called where no worker can run
     */
    run: (tasks, found, failed) => {
      const queue = tasks.filter((task) => !state.helpers.some(({ now }) => now && same(now, task)));
      Object.assign(state, { queue, found, failed });
      try {
        start();
      } catch {
        fail(); // a page that was opened as a file may start none
      }
      for (const helper of state.helpers) if (!helper.now) feed(helper);
    },
    stop,
  };
};

/** @typedef {ReturnType<typeof make_pool>} Pool */
