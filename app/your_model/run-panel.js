/* A small copy of the drawn model runs in the browser: the reader chooses a wire, sees its tensor, cuts the wire or
   removes a norm, and sees how the logits change. Keyboard users choose from a list of the same wires. */

import { groupOf, lines, marked, normAt } from "./run-drawing.js";
import { bars, element, strip } from "./run-pictures.js";
import { wireOf, wiresBy } from "./run-wires.js";

/** @import { SmallRun, SmallRunner, Tensors } from "./types.d.ts" */
/** @import { Wire } from "./run-wires.js" */

const grouped = new Intl.NumberFormat("en").format;
/** @param {string} group */
const named = (group) =>
  group
    .replace(/^layer(\d+)/, "Layer $1")
    .replaceAll(".", " · ")
    .replace("model", "Model");

/**
 * The wires as a list to choose from.
 * @param {Map<string, Wire[]>} wires
 */
const options = (wires) =>
  [...wires].map(([group, own]) =>
    element("optgroup", { label: named(group) }, ...own.map((one) => element("option", { value: one.key }, one.words))),
  );

/**
 * What was run: its layers, width, weights and tokens.
 * @param {SmallRun} run
 */
const sizes = (run) =>
  `Ran layer${run.layers.length > 1 ? "s" : ""} ${run.layers.join(", ")} of ${grouped(run.of_layers)}, ${run.width} wide instead of ${grouped(run.of_width)}: ${grouped(run.weights)} random weights, ${run.tokens.length} tokens.`;

/** @param {Wire[]} done */
const cutWords = (done) => `Cut: ${done.map(({ words, group }) => `${words} (${named(group)})`).join("; ")}.`;

/**
 * @param {HTMLElement} box
 * @param {Element} figure the drawing
 * @param {SmallRunner} engine
 */
export function runPanel(box, figure, engine) {
  /** @type {Wire[]} */
  let done = []; // what is cut
  /** @type {Wire | null} */
  let chosen = null;
  /** @type {SmallRun | null} */
  let ran = null;
  /** @type {Map<string, Wire[]>} */
  let wires = new Map();
  const every = () => [...wires.values()].flat();
  const says = element("p", { role: "status", class: "run-says" }, "Running a small copy …");
  const list = /** @type {HTMLSelectElement} */ (element("select", {}));
  const cut = button("Cut this wire", () => chosen && again([...done, chosen]));
  const undo = button("Undo", () => again(done.slice(0, -1)));
  const reset = button("Undo all", () => again([]));
  const sight = element("div", { class: "run-tensor" }),
    logits = element("div", { class: "run-logits" });
  list.addEventListener("change", () => choose(every().find(({ key }) => key === list.value)));
  box.replaceChildren(
    says,
    element(
      "div",
      { class: "run-parts" },
      element("div", { class: "run-tools" }, label(list), row(cut, undo, reset)),
      sight,
      logits,
    ),
  );

  /**
   * @param {Wire[]} cuts
   * @returns {Promise<void>}
   */
  async function again(cuts) {
    busy(true);
    const found = await engine.run(cuts.flatMap((one) => one.cuts)).catch((why) => ({ refused: why.message }));
    if (!("refused" in found)) done = cuts;
    busy(false);
    if ("refused" in found && found.refused !== undefined) {
      says.textContent = found.refused || "Stopped. Open this again to run it.";
      return;
    }
    ran = /** @type {SmallRun} */ (found);
    if (!wires.size) filled();
    told();
    mark();
    if (chosen) await look(chosen);
  }

  /** @param {boolean} is */
  function busy(is) {
    box.setAttribute("aria-busy", String(is));
    for (const one of [cut, undo, reset, list]) one.disabled = is;
    if (!is) tools();
  }

  function tools() {
    const isNorm = chosen?.cuts[0]?.length === 2;
    cut.textContent = isNorm ? "Remove this norm" : "Cut this wire";
    cut.disabled = !chosen?.cuts.length || done.some(({ key }) => key === chosen?.key);
    undo.disabled = reset.disabled = !done.length;
  }

  /** Fills the list after the first run. */
  function filled() {
    const run = /** @type {SmallRun} */ (ran);
    wires = wiresBy(run, lines(figure));
    list.replaceChildren(...options(wires));
    figure.classList.add("runs");
    choose(
      every().find(({ cuts }) => cuts.length),
      false,
    );
  }

  /**
   * @param {Wire | undefined} wire
   * @param {boolean} [now]
   */
  function choose(wire, now = true) {
    chosen = wire ?? null;
    if (wire) list.value = wire.key;
    tools();
    mark();
    if (wire && now && box.ariaBusy !== "true") look(wire); // a run looks at what is chosen when it is done
  }

  /** @param {Wire} wire */
  async function look(wire) {
    /** @type {Tensors} */
    const found = await engine.look(wire.value).catch((why) => ({ refused: why.message }));
    if (wire !== chosen) return;
    sight.replaceChildren(...strip(wire.value.replace(":", ": "), found));
  }

  function told() {
    const run = /** @type {SmallRun} */ (ran);
    says.textContent = done.length ? cutWords(done) : sizes(run);
    logits.replaceChildren(...bars(run, done.length > 0));
  }

  const mark = () => ran && marked(figure, ran, wires, { chosen, done });

  figure.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    const line = /** @type {SVGElement | null} */ (target.closest("[data-e]")),
      part = /** @type {SVGElement | null} */ (target.closest("[data-n]"));
    if (!ran || !box.isConnected) return;
    const wire = line ? wireOf(ran, groupOf(line), line.dataset.e ?? "") : part && normAt(wires, part);
    if (wire) choose(every().find(({ key }) => key === wire.key) ?? wire);
  });
  return again([]);
}

/**
 * @param {string} words
 * @param {() => unknown} press
 */
function button(words, press) {
  const made = /** @type {HTMLButtonElement} */ (element("button", { type: "button", class: "button" }, words));
  made.addEventListener("click", press);
  return made;
}
/** @param {HTMLSelectElement} list */
const label = (list) =>
  element("label", { class: "run-list" }, "Choose a wire or a norm, here or in the drawing ", list);
/** @param {HTMLElement[]} found */
const row = (...found) => element("p", { class: "run-row" }, ...found);
