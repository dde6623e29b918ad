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
 * The panel: the drawing above it, its elements, and what is run, chosen and cut.
 * @typedef {{
 *   box: HTMLElement,
 *   figure: Element,
 *   engine: SmallRunner,
 *   parts: ReturnType<typeof laidOut>,
 *   ran: SmallRun | null,
 *   wires: Map<string, Wire[]>,
 *   chosen: Wire | null,
 *   done: Wire[],
 * }} Panel
 */

/** @param {Panel} panel */
const every = ({ wires }) => [...wires.values()].flat();

/**
 * @param {HTMLElement} box
 * @param {Element} figure the drawing
 * @param {SmallRunner} engine
 */
export function runPanel(box, figure, engine) {
  const parts = laidOut(box, {
    choose: (key) =>
      choose(
        panel,
        every(panel).find((wire) => wire.key === key),
      ),
    cut: () => panel.chosen && again(panel, [...panel.done, panel.chosen]),
    undo: () => again(panel, panel.done.slice(0, -1)),
    reset: () => again(panel, []),
  });
  /** @type {Panel} */
  const panel = { box, figure, engine, parts, ran: null, wires: new Map(), chosen: null, done: [] };
  figure.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    const line = /** @type {SVGElement | null} */ (target.closest("[data-e]")),
      part = /** @type {SVGElement | null} */ (target.closest("[data-n]"));
    const { ran, wires } = panel;
    if (!ran || !box.isConnected) return;
    const wire = line ? wireOf(ran, groupOf(line), line.dataset.e ?? "") : part && normAt(wires, part);
    if (wire) choose(panel, every(panel).find(({ key }) => key === wire.key) ?? wire);
  });
  return again(panel, []);
}

/**
 * Fills the box with the panel's elements.
 * @param {HTMLElement} box
 * @param {{ choose: (key: string) => void, cut: () => unknown, undo: () => unknown, reset: () => unknown }} does
 */
function laidOut(box, does) {
  const says = element("p", { role: "status", class: "run-says" }, "Running a small copy …");
  const list = /** @type {HTMLSelectElement} */ (element("select", {}));
  const cut = button("Cut this wire", does.cut);
  const undo = button("Undo", does.undo);
  const reset = button("Undo all", does.reset);
  const sight = element("div", { class: "run-tensor" }),
    logits = element("div", { class: "run-logits" });
  list.addEventListener("change", () => does.choose(list.value));
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
  return { says, list, cut, undo, reset, sight, logits };
}

/**
 * Runs the small copy with these wires cut.
 * @param {Panel} panel
 * @param {Wire[]} cuts
 * @returns {Promise<void>}
 */
async function again(panel, cuts) {
  const { engine, parts } = panel;
  busy(panel, true);
  const found = await engine.run(cuts.flatMap((one) => one.cuts)).catch((why) => ({ refused: why.message }));
  if (!("refused" in found)) panel.done = cuts;
  busy(panel, false);
  if ("refused" in found && found.refused !== undefined) {
    parts.says.textContent = found.refused || "Stopped. Open this again to run it.";
    return;
  }
  const run = /** @type {SmallRun} */ (found);
  panel.ran = run;
  if (!panel.wires.size) fillList(panel, run);
  parts.says.textContent = panel.done.length ? cutWords(panel.done) : sizes(run);
  parts.logits.replaceChildren(...bars(run, panel.done.length > 0));
  mark(panel);
  if (panel.chosen) await look(panel, panel.chosen);
}

/**
 * @param {Panel} panel
 * @param {boolean} is
 */
function busy(panel, is) {
  const { cut, undo, reset, list } = panel.parts;
  panel.box.setAttribute("aria-busy", String(is));
  for (const one of [cut, undo, reset, list]) one.disabled = is;
  if (!is) offer(panel);
}

/**
 * Which buttons can be pressed.
 * @param {Panel} panel
 */
function offer({ parts: { cut, undo, reset }, chosen, done }) {
  const isNorm = chosen?.cuts[0]?.length === 2;
  cut.textContent = isNorm ? "Remove this norm" : "Cut this wire";
  cut.disabled = !chosen?.cuts.length || done.some(({ key }) => key === chosen?.key);
  undo.disabled = reset.disabled = !done.length;
}

/**
 * Fills the list after the first run.
 * @param {Panel} panel
 * @param {SmallRun} run
 */
function fillList(panel, run) {
  panel.wires = wiresBy(run, lines(panel.figure));
  panel.parts.list.replaceChildren(...options(panel.wires));
  panel.figure.classList.add("runs");
  choose(
    panel,
    every(panel).find(({ cuts }) => cuts.length),
    false,
  );
}

/**
 * @param {Panel} panel
 * @param {Wire | undefined} wire
 * @param {boolean} [now]
 */
function choose(panel, wire, now = true) {
  panel.chosen = wire ?? null;
  if (wire) panel.parts.list.value = wire.key;
  offer(panel);
  mark(panel);
  if (wire && now && panel.box.ariaBusy !== "true") look(panel, wire); // a run looks at what is chosen when it is done
}

/**
 * Shows the tensor that a wire carries, unless another one is chosen meanwhile.
 * @param {Panel} panel
 * @param {Wire} wire
 */
async function look(panel, wire) {
  /** @type {Tensors} */
  const found = await panel.engine.look(wire.value).catch((why) => ({ refused: why.message }));
  if (wire !== panel.chosen) return;
  panel.parts.sight.replaceChildren(...strip(wire.value.replace(":", ": "), found));
}

/** @param {Panel} panel */
const mark = ({ figure, ran, wires, chosen, done }) => ran && marked(figure, ran, wires, { chosen, done });

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
