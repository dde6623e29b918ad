/* The fields of the page: which there are, and the values of a plan in them. */

import { setAttrs, setText } from "../../../explainers/kit/dom.js";
import * as elements from "./elements.js";
import * as inputLines from "./input-lines.js";
import * as words from "./words.js";

/** @import { Now, Values } from "./types.d.ts" */

/** refused: the field whose text was not taken. */
export const state = { refused: "", typing: false };

export const WHOLE = [
  "nodes",
  "per_node",
  "tp",
  "pp",
  "chunks",
  "cp",
  "ep",
  "micro_batch",
  "redundant",
  "sequence",
  "context",
  "dcp",
  "dp_shard",
  "optimizer_bytes",
  "lora_rank",
];
export const REAL = ["used", "imbalance", "framework_bytes"];
export const TYPED = ["split", "offload"];
export const SELECTS = [
  "recompute",
  "weights_dtype",
  "cache_dtype",
  "gradient_dtype",
  "compute_dtype",
  "cp_kind",
  "schedule",
  "order",
  "dispatch_dtype",
];
export const OPEN = ["etp", "batch", "n", "mtp"]; // empty: what follows from the rest
export const form = /** @type {HTMLFormElement} */ (elements.root.querySelector("form"));
/**
 * @param {string} name
 * @returns {HTMLInputElement}
 */
export const field = (name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

/** @type {{ [name: string]: (now: Now) => string }} */
const shown = {
  etp: (now) => `${now.layout.etp}`,
  batch: (now) => words.int(now.layout.batch),
  n: () => "as many as fit",
  mtp: (now) => `${now.layout.mtp}`,
  framework_bytes: ({ layout: one, plan }) =>
    one.job === "train" || !plan ? "0" : `${words.gb(plan.fullest.framework_bytes)} as vLLM`,
};

/**
 * Values into the fields; the one that is being typed in stays as it is.
 * @param {Now} now
 */
export const show = (now) => {
  const { chosen } = now;
  for (const name of [...WHOLE, ...OPEN, ...REAL, ...TYPED]) {
    const input = field(name);
    if (input === document.activeElement && state.typing) continue;
    const value = /** @type {Values} */ (chosen)[name];
    const text =
      value === null
        ? shown[name](now)
        : name === "framework_bytes"
          ? String(Number(value) / 1e9)
          : name === "dp_shard" && !value
            ? "all of dp"
            : WHOLE.includes(name) || OPEN.includes(name)
              ? words.int(Number(value))
              : String(value);
    setAttrs(input, {
      value: text,
      class: `${input.className.replace(/ ?derived/, "")}${value === null ? " derived" : ""}`.trim() || false,
    });
    input.removeAttribute("aria-invalid");
  }
  for (const name of ["device", "zero", ...SELECTS])
    setAttrs(field(name), { value: String(/** @type {Values} */ (chosen)[name]) });
  for (const radio of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("[name=job]")))
    radio.checked = radio.value === chosen.job;
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-jobs]")))
    part.hidden = !(/** @type {string} */ (part.dataset.jobs).split(" ").includes(chosen.job));
  if (field("m") !== document.activeElement) setAttrs(field("m"), { value: now.title });
  const lines = inputLines.lines(now);
  for (const [name, text] of Object.entries(lines)) setText(elements.at(`line-${name}`), text);
  for (const [name, text] of Object.entries(inputLines.folded(now))) setText(elements.at(`fold-${name}`), text);
  setText(elements.at("gpus"), `= ${words.int(now.layout.gpus)}`);
  setText(elements.at("dp"), `= ${inputLines.dp(now.layout)}`);
  setText(elements.at("sub"), inputLines.sub(now));
};
