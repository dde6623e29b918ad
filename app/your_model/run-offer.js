/* The folded panel "Run a small copy": its script, style and modules come when it is opened. */

/** @import { CutWire, DrawRequest, SmallRun, SmallRunner, Tensors } from "./types.d.ts" */

/**
 * One thing after another of what the engine is asked: a newer question would end the one before.
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
 * The panel in a <details> that was just opened, or is open.
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
 * A folded panel in front of a drawing.
 * @param {Element} drawing
 * @param {() => SmallRunner} engine made when it is opened
 */
export function offerRun(drawing, engine) {
  const details = document.createElement("details");
  details.className = "run";
  details.append(Object.assign(document.createElement("summary"), { textContent: "Run a small copy of it" }));
  details.addEventListener("toggle", () => openPanel(details, drawing, engine()), { once: true });
  drawing.before(details);
}
