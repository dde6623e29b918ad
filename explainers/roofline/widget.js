/* The lab: any model on any device under any load, block by block, and the same under the roof and in numbers. */
import { upto } from "../kit/arrays.js";
import { select as kitSelect, segmented, slider } from "../kit/controls.js";
import { afterPaint, h, makeRoot } from "../kit/dom.js";
import { commit, live, readData, readState } from "../kit/model.js";
import { fill, fmt } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";
import { blocks_view } from "./bars.js";
import { check, compute, GPUS, MOST_BATCH, MOST_CONTEXT } from "./compute.js";
import { roof_view } from "./roof.js";
import { fetched, model_of } from "./sheet.js";

/** @import { Data, State } from "../../.make/data_types/roofline.d.ts" */
/** @import { Control, Option } from "../kit/control.js" */
/** @import { AfmModel, Setter, Widget } from "../kit/model.js" */

/** @typedef {[key: keyof State, control: Control<State[keyof State]>][]} Controls */

export { check, compute } from "./compute.js";

const KEYS = ["model", "gpu", "gpus", "job", "context", "batch", "kv"];
const JOBS = [
  { value: "decode", label: "next token" },
  { value: "prefill", label: "whole prompt" },
];
const CACHES = [
  { value: "bf16", label: "BF16" },
  { value: "fp8", label: "FP8" },
];

/**
 * One slider over 1, 2, 3, 4, 6, 8, 12 ...: between two stops it stands at the nearer and says what is set.
 * @param {string} label
 * @param {number} most
 * @param {(n: number) => void} onInput
 */
const stops = (label, most, onInput) => {
  const all = upto(2 * Math.log2(most))
    .map((i) => (i % 2 ? 3 * 2 ** ((i - 1) / 2 - 1) : 2 ** (i / 2)))
    .filter(Number.isInteger)
    .concat(most);
  /** @param {number} n */
  const nearest = (n) =>
    all.reduce((best, one, i) => (Math.abs(Math.log(one / n)) < Math.abs(Math.log(all[best] / n)) ? i : best), 0);
  let now = 1;
  const made = slider({
    label,
    min: 0,
    max: all.length - 1,
    format: (i) => fmt.int(i === nearest(now) ? now : all[i]),
    onInput: (i) => onInput(all[i]),
  });
  return {
    ...made,
    /** @param {number} n */
    set: (n) => {
      now = n;
      made.set(nearest(n));
    },
  };
};

/** @param {AfmModel<State, Data>} model @param {Data} data */
const roofline_controls = (model, data) => {
  /** @type {Setter<State>} */
  const go = (key) => (value) => commit(model, { [key]: value });
  /** @template {keyof State} Key @param {Key} key @param {string} label @param {Option<State[Key]>[]} options */
  const select = (key, label, options) => kitSelect({ label, options, onInput: go(key) });
  return {
    model: select(
      "model",
      "model",
      data.names.map(([value, label]) => ({ value, label, group: value.split("/")[0] })),
    ),
    gpus: select(
      "gpus",
      "GPUs",
      GPUS.map((value) => ({ value, label: `${value} ×` })),
    ),
    gpu: select(
      "gpu",
      "device",
      data.devices.map((one) => ({ value: one.key, label: one.title })),
    ),
    job: segmented({ label: "step", options: JOBS, onInput: go("job") }),
    kv: segmented({ label: "cache", options: CACHES, onInput: go("kv") }),
    context: stops("tokens per sequence", MOST_CONTEXT, go("context")),
    batch: stops("sequences", MOST_BATCH, go("batch")),
  };
};

const COLUMNS = [
  ["block", "label", "text"],
  ["arithmetic", "work", "text"],
  ["weights", "weights", "bytes"],
  ["cache", "cache", "bytes"],
  ["FLOP per byte", "intensity", "fixed 1"],
  ["at least", "time", "text"],
  ["share", "share", "percent 1"],
  ["bound by", "binds", "text"],
];
const TOLD = [
  "A step takes at least {total.time:text}, which gives {total.rate:count} tokens per second. {most_says:text}",
  "Usable memory of {gpus:int} × {device.title:text}: {room.room:bytes}. All weights take {room.weights:bytes} and the cache of {batch:int} × {context:int} tokens takes {room.cache:bytes}: {fits_says:text}.",
  "{peaks_says:text} {waits_says:text}",
  "{rule_says:text}",
];

/**
 * A model's numbers, where a page is around that has them; `then` once they are here.
 * @param {HTMLElement | null} home
 * @param {Data} data
 * @param {() => void} then
 * @returns {(slug: string) => void}
 */
const fetcher = (home, data, then) => {
  const asked = new Set();
  return (slug) => {
    if (!home || model_of(slug, data) || asked.has(slug)) return;
    asked.add(slug);
    fetch(
      new URL(
        `roofline/${slug}.bin?v=${data.version}`,
        new URL(/** @type {string} */ (home.dataset.module), document.baseURI),
      ),
    )
      .then((got) => (got.ok ? got.json() : Promise.reject(got.status)))
      .then(
        (found) => {
          fetched[slug] = found;
          then();
        },
        () => {
          asked.delete(slug);
        },
      );
  };
};

/**
 * On a page of ours: the same blocks as a Bokeh plot, in a frame that loads when it is opened and follows the state.
 * @param {HTMLElement | null} home
 * @param {() => State} state
 */
const plotted = (home, state) => {
  if (!home) return { update: () => {}, remove: () => {} };
  const query = () => {
    const { model: m, kv, gpu, ...load } = state();
    const [ctx, batch, gpus] = [load.context, load.batch, load.gpus].map(String);
    return `?${new URLSearchParams({ m, ctx, batch, kv, gpu, gpus, bare: "1" })}`;
  };
  const place = () =>
    new URL(`../../roofline/${query()}`, new URL(/** @type {string} */ (home.dataset.module), document.baseURI)).href;
  /** @type {HTMLIFrameElement | null} */
  let frame = null;
  const el = h(
    "details",
    { class: "cw-roofline-plot" },
    h("summary", { text: "Roofs of every device, a plot that zooms (Bokeh, 350 KB)" }),
  );
  const update = () => {
    const { contentWindow: inside } = frame || {};
    if (!inside?.document.querySelector("[data-plot][data-ready]")) return;
    inside.history.replaceState(null, "", place());
    inside.dispatchEvent(new PopStateEvent("popstate"));
  };
  el.addEventListener("toggle", () => {
    if (!el.open || frame) return void update();
    frame = h("iframe", {
      src: place(),
      title: "Roofs of every device, a plot",
      height: home.clientWidth > 700 ? 700 : 900,
    });
    el.append(frame);
  });
  home.append(el);
  return { update: afterPaint().bind(null, update), remove: () => el.remove() };
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const home = /** @type {HTMLElement | null} */ (el.closest("[data-module]"));
    const root = makeRoot(el, "roofline");
    const data = readData(model);
    const made = roofline_controls(model, data);
    const state = () => readState(model, KEYS);
    const [blocks, roof] = [blocks_view(), roof_view()];
    const table = makeTable({
      caption: "Every block in numbers",
      columns: COLUMNS.map(([label, key, how]) => ({
        label,
        key,
        how,
        align: ["block", "bound by"].includes(label) ? "" : "right",
        out: (row) => `rows.${row.i}.${key}`,
      })),
    });
    const [told, waiting] = [TOLD.map(() => h("p")), h("p")];
    const whole = h(
      "div",
      {},
      h("div", { class: "cw-split" }, h("div", {}, blocks.el), h("div", {}, roof.el)),
      h("div", { class: "cw-roofline-told" }, told),
    );
    const below = h("div", { class: "cw-section", "data-below": true }, table.el);
    root.append(
      h(
        "div",
        { class: "cw-row" },
        /** @type {const} */ (["model", "gpus", "gpu", "job", "kv"]).map((key) => made[key].el),
      ),
      h("div", { class: "cw-row" }, made.context.el, made.batch.el),
      waiting,
      whole,
      below,
    );
    const plot = plotted(home, state);
    /** @param {State} given */
    const update = (given) => {
      need(given.model);
      const now = { ...given, ...compute(given, data) };
      for (const [key, control] of /** @type {Controls} */ (Object.entries(made))) control.set(given[key]);
      for (const part of [whole, below]) part.hidden = !now.rows.length;
      waiting.hidden = Boolean(now.rows.length);
      plot.update();
      if (!now.rows.length)
        return void fill(
          waiting,
          home
            ? "{title:text}: loading its numbers."
            : "{title:text}: an embed has no room for every model’s numbers. The page has them.",
          now,
        );
      blocks.update(now);
      roof.update(now);
      TOLD.forEach((words, i) => fill(told[i], words, now));
      table.update(now.rows.map((_, i) => ({ i, now })));
    };
    const need = fetcher(home, data, () => {
      if (!check(state(), data)) update(state());
      root.dispatchEvent(new CustomEvent("cutaway:more", { bubbles: true }));
    });
    const stop = live(model, { root, keys: KEYS, check, update });
    return () => {
      plot.remove();
      stop();
    };
  },
};
