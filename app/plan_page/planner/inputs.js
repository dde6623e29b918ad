/* The fields of the page <-> what is chosen. */

import { h, setAttrs, setText } from "../../../explainers/kit/dom.js";
import * as elements from "./elements.js";
import * as sentences from "./sentences.js";
import * as session from "./session.js";
import * as words from "./words.js";

/** @import { Changes, Chosen, Device, Job, Now, Values } from "./types.d.ts" */

/**
 * What of page.js the fields call.
 * @typedef {{
 *   change: (changes: Changes, done: boolean, last?: string) => void, settle: () => void, draw: () => void,
 * }} Actions
 */

/**
 * refused: the field whose text was not taken; known: the list of models; turn: of the questions for one.
 * @type {{ refused: string, typing: boolean, known: [slug: string, title: string][] | null, turn: number }}
 */
export const state = { refused: "", typing: false, known: null, turn: 0 };
/** @type {Actions} */
let page;

const WHOLE = [
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
const REAL = ["used", "imbalance", "framework_bytes"];
const TYPED = ["split", "offload"];
const SELECTS = [
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
const OPEN = ["etp", "batch", "n", "mtp"]; // empty: what follows from the rest
const form = /** @type {HTMLFormElement} */ (elements.root.querySelector("form"));
/**
 * @param {string} name
 * @returns {HTMLInputElement}
 */
const field = (name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

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
  const lines = sentences.lines(now);
  for (const [name, text] of Object.entries(lines)) setText(elements.at(`line-${name}`), text);
  for (const [name, text] of Object.entries(sentences.folded(now))) setText(elements.at(`fold-${name}`), text);
  setText(elements.at("gpus"), `= ${words.int(now.layout.gpus)}`);
  setText(elements.at("dp"), `= ${sentences.dp(now.layout)}`);
  setText(elements.at("sub"), sentences.sub(now));
};

/**
 * What a field takes, and why what was typed is not that; it stands under the fields of its group until something is
 * taken.
 * @type {{ [name: string]: string }}
 */
const WANTS = {
  used: "a share of the memory, as 92 % or 0.92",
  imbalance: "a number from 1 on",
  framework_bytes: "a number of GB",
};
const why = h("b", { class: "plan-line", id: "in-why", role: "alert" });
/**
 * @param {string} name
 * @param {string} text
 */
const refuse = (name, text) => {
  state.refused = name;
  const input = field(name);
  const said = `“${text.trim().slice(0, 40)}” is `;
  setText(
    why,
    name === "m"
      ? `${said}no catalogued model: a part of a name will do.`
      : `${said}not ${WANTS[name] || "a whole number below 1e9, as 4 or 4k"}; what stood there before is planned.`,
  );
  /** @type {HTMLElement} */ (input.closest("fieldset, .plan-row")).append(why);
  setAttrs(input, { "aria-invalid": "true", "aria-describedby": "in-why" });
};
/**
 * A model that an address names and nobody knows: its name stays in the field until another is chosen.
 * @param {string} name
 */
export const unknown = (name) => setAttrs(field("m"), { value: name, "aria-invalid": "true" });
/* Something else was taken: the reason goes, unless what was typed still stands there. */
export const forget = () => {
  if (!state.refused) why.remove();
};
/** @param {Element} field */
const accept = (field) => {
  state.refused = "";
  field.removeAttribute("aria-invalid");
};

/**
 * The field that cannot stay as it is.
 * @param {string} name
 */
export const mark = (name) => {
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("[aria-invalid]")))
    if (field.name !== state.refused) field.removeAttribute("aria-invalid");
  const found = form.elements.namedItem(name);
  if (found instanceof HTMLElement) setAttrs(found, { "aria-invalid": "true" }); // the jobs are a list of radio buttons
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
  if (name === "m") return model(value);
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

/* The list is fetched when somebody comes near it. */
const list = async () => {
  if (state.known) return state.known;
  /** @type {[slug: string, title: string][]} */
  const known = await (await fetch(/** @type {string} */ (elements.root.dataset.models))).json();
  state.known = known;
  const list = /** @type {HTMLElement} */ (document.getElementById("plan-models"));
  list.replaceChildren(...known.map(([slug, title]) => h("option", { value: title, label: slug })));
  return known;
};
/** @param {string} text */
const model = async (text) => {
  const [plain, turn] = [text.trim().toLowerCase(), (state.turn += 1)];
  const all = await list();
  const found =
    all.find(([slug, title]) => title.toLowerCase() === plain || slug.toLowerCase() === plain) ||
    (plain && all.find(([slug, title]) => `${title} ${slug}`.toLowerCase().includes(plain)));
  const held = found && (await session.load(found[0]));
  if (turn !== state.turn) return; // another was asked for meanwhile
  if (!held) return refuse("m", text);
  accept(field("m"));
  return page.change(legal({ m: found[0], pick: "" }), true, "m");
};

/**
 * A layout that another model cannot have moves to the nearest that it can: ep, tp, pp in turn.
 * @param {Changes} changes
 */
const legal = (changes) => {
  const chosen = { ...session.state.chosen, ...changes };
  const tries = [
    {},
    { mtp: null },
    { ep: 1, etp: null, redundant: 0 },
    ...[64, 32, 16, 8, 4, 2, 1]
      .filter((tp) => tp <= chosen.tp)
      .flatMap((tp) => [
        { tp },
        { tp, ep: 1, etp: null, redundant: 0 },
        { tp, ep: 1, etp: null, redundant: 0, pp: 1, chunks: 1, cp: 1 },
      ]),
  ];
  return { ...changes, ...tries.find((one) => !session.compute({ ...chosen, ...one }).trouble) };
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
