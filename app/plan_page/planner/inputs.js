/* What a reader does in the fields of the page -> what is chosen. */

import { setAttrs } from "../../../explainers/kit/dom.js";
import * as elements from "./elements.js";
import { accept, refuse } from "./field-refusals.js";
import { field, form, OPEN, REAL, SELECTS, state, TYPED, WHOLE } from "./fields.js";
import { list, model } from "./model-field.js";
import * as session from "./session.js";

/** @import { Changes, Chosen, Device, Job, Values } from "./types.d.ts" */

/**
 * What of page.js the fields call.
 * @typedef {{
 *   change: (changes: Changes, done: boolean, last?: string) => void, settle: () => void, draw: () => void,
 * }} Actions
 */

/** @type {Actions} */
let page;

/**
 * "4,096" -> 4096; null for an empty field that may be open; undefined for what is no number.
 * @param {string} name
 * @param {string} text
 */
const read = (name, text) => {
  const plain = text.replace(/[\s,]/g, "");
  if (OPEN.includes(name) && (plain === "" || /[a-z]/i.test(plain))) return null;
  if (name === "used") {
    const share = plain.endsWith("%") ? Number(plain.slice(0, -1)) / 100 : Number(plain);
    return share > 0 && share <= 1 ? share : undefined;
  }
  if (name === "imbalance") return Number(plain) >= 1 && Number(plain) <= 9999 ? Number(plain) : undefined;
  if (name === "framework_bytes" && (plain === "" || /[a-z]/i.test(plain))) return null;
  if (name === "framework_bytes")
    return Number(plain) >= 0 && Number(plain) < 1e4 ? Math.round(Number(plain) * 1e9) : undefined;
  const found = /^(\d+(?:\.\d+)?)([km]?)$/i.exec(plain);
  const number = found ? Number(found[1]) * ({ k: 1024, m: 1048576 }[found[2].toLowerCase()] || 1) : NaN;
  return Number.isInteger(number) && number < 1e9 ? number : undefined;
};

/**
 * The next legal value above or below; steppers skip what is illegal.
 * @param {string} name
 * @param {number} way
 */
const step = (name, way) => {
  const { chosen } = session.state;
  const least = ["redundant", "dp_shard"].includes(name) ? 0 : 1;
  const from = Number(/** @type {Values} */ (chosen)[name]);
  for (let value = from + way; value >= least && value <= from + 4096; value += way) {
    const changes = { [name]: value, ...follow(chosen, name, value) };
    if (!session.compute({ ...chosen, ...changes }).trouble) return page.change(changes, true, name);
  }
};
/**
 * One pipeline stage has no chunks.
 * @param {Chosen} chosen
 * @param {string} name
 * @param {number} value
 * @returns {Changes}
 */
const follow = (chosen, name, value) => (name === "pp" && value === 1 && chosen.chunks > 1 ? { chunks: 1 } : {});

/** @param {Event} event */
const typed = (event) => {
  const target = /** @type {HTMLInputElement} */ (event.target);
  const { name, value } = target;
  if (![...WHOLE, ...OPEN, ...REAL, ...TYPED].includes(name)) return;
  state.typing = true;
  const taken = TYPED.includes(name)
    ? value.trim()
    : name === "dp_shard" && /^(all.*)?$/.test(value.trim())
      ? 0
      : read(name, value);
  if (taken === undefined) return refuse(name, value); // until something else is typed, whatever is drawn meanwhile
  accept(target);
  page.change({ [name]: taken }, false, name);
};

/** @param {Event} event */
const changed = async (event) => {
  const target = /** @type {HTMLInputElement} */ (event.target);
  const { name, value } = target;
  [state.typing, state.refused] = [false, ""];
  if (name === "m") return model(value, page.change);
  if (name === "zero") return page.change({ zero: Number(value) }, true, name);
  if (name === "device") return page.change(device(value), true, name);
  if (name === "job") return page.change({ job: /** @type {Job} */ (value), ...forJob(value) }, true, name);
  if (SELECTS.includes(name)) return page.change({ [name]: value }, true, name);
  page.settle();
  return page.draw();
};

/**
 * What a job does not have goes back to nothing; a schedule of training has no place in serving.
 * @param {string} job
 * @returns {Changes}
 */
const forJob = (job) => ({
  ...(job === "train" ? {} : { cp: 1, chunks: 1, schedule: "", split: "", dp_shard: 0, mtp: null, lora_rank: 0 }),
  ...(job === "decode" ? {} : { dcp: 1 }),
  batch: null,
});

/**
 * Another device keeps as many GPUs as its nodes can join.
 * @param {string} name
 * @returns {Changes}
 */
const device = (name) => {
  const { nodes, per_node } = session.state.chosen;
  const device = /** @type {Device} */ (elements.data.devices.find((one) => one.name === name));
  const gpus = nodes * per_node;
  if (per_node <= device.domain) return { device: name };
  return { device: name, per_node: device.domain, nodes: Math.max(1, Math.ceil(gpus / device.domain)) };
};

/** @param {Actions} actions */
export const start = (actions) => {
  page = actions;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", typed);
  form.addEventListener("change", changed);
  form.addEventListener("click", (event) => {
    const { less, more } = /** @type {HTMLElement} */ (event.target).dataset;
    const name = less || more;
    if (name) step(name, less ? -1 : 1);
  });
  form.addEventListener("keydown", (event) => {
    const way = Number(event.key === "ArrowUp") - Number(event.key === "ArrowDown");
    const { name } = /** @type {HTMLInputElement} */ (event.target);
    if (!way || !WHOLE.includes(name)) return;
    event.preventDefault();
    state.typing = false;
    step(name, way);
  });
  field("m").addEventListener("focus", (event) => {
    list();
    /** @type {HTMLInputElement} */ (event.target).select();
  });
  const change = /** @type {HTMLElement} */ (elements.root.querySelector(".plan-change"));
  change.addEventListener("click", () =>
    setAttrs(change, {
      "aria-expanded": String(form.classList.toggle("open")),
      text: form.classList.contains("open") ? "Close" : "Change",
    }),
  );
};
