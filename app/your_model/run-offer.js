/* The folded panel "Run a small copy of this model": its script, style and modules load when it is opened. */

/** @import { CutWire, DrawRequest, SmallRun, SmallRunner, Tensors } from "./types.d.ts" */

/**
 * Queues requests to the engine, which would end a running request when the next one comes.
 * @param {{ run: (request: Omit<DrawRequest, "id">) => Promise<SmallRun>, look: (name: string) => Promise<Tensors> }} engine
 * @param {Omit<DrawRequest, "id">} request the model
 * @param {() => void} done after each answer
 * @returns {SmallRunner}
 */
export function runner(engine, request, done) {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  /**
   * @template T
   * @param {() => Promise<T>} ask
   * @returns {Promise<T>}
   */
  const inTurn = (ask) => {
    const mine = last.then(ask).finally(done);
    last = mine.catch(() => {});
    return mine;
  };
  return {
    run: (/** @type {CutWire[]} */ cuts) => inTurn(() => engine.run({ ...request, cuts: JSON.stringify(cuts) })),
    look: (name) => inTurn(() => engine.look(name)),
  };
}

/**
 * Fills an open <details> with the panel.
 * @param {HTMLDetailsElement} details
 * @param {Element} figure
 * @param {SmallRunner} engine
 */
export async function openPanel(details, figure, engine) {
  const href = new URL("../css/run-panel.css", import.meta.url).href;
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href }));
  const box = Object.assign(document.createElement("div"), { className: "run-box" });
  details.append(box);
  const { runPanel } = await import("./run-panel.js");
  await runPanel(box, figure, engine);
}

/**
 * Puts a folded panel in front of a drawing.
 * @param {Element} drawing
 * @param {() => SmallRunner} engine made when it is opened
 */
export function offerRun(drawing, engine) {
  const details = document.createElement("details");
  details.className = "run";
  details.append(Object.assign(document.createElement("summary"), { textContent: "Run a small copy of this model" }));
  details.addEventListener("toggle", () => openPanel(details, drawing, engine()), { once: true });
  drawing.before(details);
}
