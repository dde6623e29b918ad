/* The masks widget: one mask, a real stack's reach, its cache against context, stacks side by side, MiMo's claim. */
import { number, segmented, select, slider, toggle } from "../kit/controls.js";
import { afterPaint, findIn, h, makeRoot, renderList, setAttrs } from "../kit/dom.js";
import { heading, makeLegend } from "../kit/headings.js";
import { commit, live, readData } from "../kit/model.js";
import { fill, put } from "../kit/numbers.js";
import { onWidth, widthOf } from "../kit/width.js";
import { check, compute, DEPTH, find, int, LONGEST, TOKENS } from "./compute.js";
import { curveView, marksLegend, maskView, ROLE, stackView, strip } from "./drawing.js";

/** @import { Data, State } from "../../.make/data_types/masks.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { AfmModel, Widget } from "../kit/model.js" */
/** @import { Model, Now } from "./compute.js" */

export { check, compute } from "./compute.js";

const KEYS = ["kind", "span", "first", "sink", "logit", "depth", "query", "model", "layer", "context"];
/** @type {[tokens: number, label: string][]} */
const CONTEXTS = [
  [8192, "8k"],
  [131072, "128k"],
  [1048576, "1M"],
];

/**
 * What changes in a row of the table.
 * @typedef {{
 *   cells: HTMLElement[], picture: ReturnType<typeof strip>, button: HTMLElement, mix: HTMLElement, past: HTMLElement,
 * }} Parts
 */

/**
 * Stacks side by side: a strip of layers under each name, first to last, and what each keeps.
 * @param {(slug: string) => void} onPick
 */
const stacksTable = (onPick) => {
  /** The parts of each row. @type {WeakMap<Element, Parts>} */
  const made = new WeakMap();
  const body = h("tbody");
  const head = ["stack, first layer to last", "per new token", "cache here", "saves"].map((label, i) =>
    h("th", { scope: "col", class: i ? "cw-right" : false, text: label }),
  );
  const el = h(
    "div",
    { class: "cw-scroll", tabindex: "0", role: "region", "aria-label": "Stacks of real models", "data-omit": true },
    h(
      "table",
      { class: "cw-table cw-masks-table" },
      h("caption", {
        text: "Local and global layers of real models, and the size of their caches at the chosen context",
      }),
      h("thead", {}, h("tr", {}, head)),
      body,
    ),
  );
  /** @param {Now["table"][number]} row */
  const make = (row) => {
    const picture = strip();
    const cells = ["growing", "bytes", "saves"].map(() => h("td", { class: "cw-right cw-mono" }));
    const button = h("button", { type: "button", class: "cw-masks-pick", on: { click: () => onPick(row.slug) } });
    const [mix, past] = [h("span", { class: "cw-masks-mix" }), h("span", { class: "cw-masks-mix" })];
    const tr = h(
      "tr",
      {},
      h("th", { scope: "row" }, h("div", { class: "cw-masks-stacked" }, button, picture.el, mix, past)),
      cells,
    );
    made.set(tr, { cells, picture, button, mix, past });
    return tr;
  };
  /** @param {Now} now @param {string} slug */
  const update = (now, slug) =>
    renderList(body, now.table, make, (tr, row, i) => {
      const at = `table.${i}`;
      const parts = /** @type {Parts} */ (made.get(tr));
      parts.picture.update(row.marks);
      setAttrs(tr, { class: row.slug === slug ? "on" : false });
      put(setAttrs(parts.button, { "aria-pressed": row.slug === slug ? "true" : "false" }), `${at}.title`, "text", now);
      put(parts.mix, `${at}.mix`, "text", now);
      parts.past.hidden = !row.past;
      if (row.past) fill(parts.past, `its context length is {${at}.past:int} tokens`, now);
      [
        ["growing", "bytes"],
        ["bytes", "bytes"],
        ["saves", "text"],
      ].forEach(([key, how], c) => put(parts.cells[c], `${at}.${key}`, how, now));
    });
  return { el, update };
};

/** @param {Data} data */
const claimsList = (data) => {
  const items = data.claims.map(() => {
    const parts = {
      who: h("b"),
      way: h("span", { class: "cw-muted" }),
      ratio: h("b", { class: "cw-masks-ratio" }),
      whole: h("code"),
      kept: h("code"),
      limit: h("span"),
      words: h("p", { class: "cw-note" }),
    };
    const li = h(
      "li",
      {},
      h("p", {}, parts.who, " ", parts.way),
      h(
        "p",
        { class: "cw-masks-sum" },
        parts.ratio,
        " = ",
        parts.kept,
        " B of ",
        parts.whole,
        " B",
        h("span", { class: "cw-muted" }, "; for very long contexts ", parts.limit),
      ),
      parts.words,
    );
    return { li, parts };
  });
  /** @param {Now} now */
  const update = (now) =>
    items.forEach(({ parts }, i) => {
      const at = `claims.${i}`;
      for (const [part, key] of /** @type {[keyof typeof parts, string][]} */ ([
        ["who", "who"],
        ["way", "way"],
        ["words", "words"],
        ["whole", "whole_words"],
        ["kept", "kept_words"],
        ["ratio", "one_in"],
        ["limit", "towards"],
      ]))
        put(parts[part], `${at}.${key}`, "text", now);
      parts.words.hidden = !now.claims[i].words;
    });
  return {
    el: h(
      "ul",
      { class: "cw-masks-claims" },
      items.map((one) => one.li),
    ),
    update,
  };
};

/** @param {AfmModel<State, Data>} model @param {HTMLElement} root @param {Data} data */
const build = (model, root, data) => {
  /** @param {Partial<State>} changes */
  const go = (changes) => commit(model, changes);
  /** @param {string} slug */
  const pick = (slug) => {
    const found = /** @type {Model} */ (find(slug, data));
    go({ model: slug, layer: Math.min(model.get("layer"), found.stack.length - 1) });
  };
  const para = () => h("p");
  const view = {
    later: afterPaint(),
    kind: segmented({
      label: "mask",
      options: [
        { value: "causal", label: "causal" },
        { value: "window", label: "sliding window" },
        { value: "chunked", label: "chunked" },
      ],
      onInput: (kind) => go({ kind }),
    }),
    span: slider({ label: "window or chunk", min: 1, max: TOKENS, value: 12, onInput: (span) => go({ span }) }),
    depth: slider({ label: "layers with this mask", min: 1, max: DEPTH, value: 1, onInput: (depth) => go({ depth }) }),
    first: slider({ label: "first tokens kept", min: 0, max: 8, value: 0, onInput: (first) => go({ first }) }),
    sink: toggle({ label: "a learned sink, as in gpt-oss and MiMo", onInput: (sink) => go({ sink }) }),
    logit: slider({
      label: "its logit",
      min: -8,
      max: 8,
      step: 0.5,
      value: 2,
      format: (v) => String(v).replace("-", "−"),
      onInput: (logit) => go({ logit }),
    }),
    mask: maskView((query) => go({ query })),
    row: h("p", { class: "cw-masks-main" }),
    more: [para(), para(), para()],
    models: select({
      label: "model",
      options: data.models.map((r) => ({ value: r[0], label: r[1], group: r[0].split("/")[0] })),
      onInput: pick,
    }),
    context: segmented({
      label: "context",
      options: CONTEXTS.map(([value, label]) => ({ value, label, title: `${int(value)} tokens` })),
      onInput: (context) => go({ context }),
    }),
    typed: number({
      label: "tokens",
      value: 131072,
      min: 1,
      max: LONGEST,
      integer: true,
      size: 9,
      onInput: (context) => go({ context }),
    }),
    stack: stackView((layer) => go({ layer })),
    mix: h("p", { class: "cw-masks-main" }),
    knows: para(),
    verdict: para(),
    sinks: h("p", { class: "cw-note" }),
    compared: h("p", { class: "cw-note" }),
    curve: curveView((context) => go({ context })),
    holds: para(),
    full: para(),
    slope: para(),
    keys: makeLegend([
      { class: "cw-masks-key seen", label: "seen by one layer" },
      { class: "cw-masks-key known", label: "known through the layers below" },
    ]),
    legend: marksLegend(data),
    table: stacksTable(pick),
    claims: claimsList(data),
  };
  root.append(
    h("div", { class: "cw-row" }, view.kind.el, view.span.el, view.depth.el),
    h(
      "div",
      { class: "cw-masks-pair" },
      view.mask.el,
      h(
        "div",
        { class: "cw-masks-read" },
        view.row,
        view.more,
        h("div", { class: "cw-masks-knobs" }, view.first.el, view.sink.el, view.logit.el),
        view.keys,
      ),
    ),
    h(
      "div",
      { class: "cw-section" },
      heading("How far back can each layer reach?", "one bar per layer, the last on top; tokens back, on a log scale"),
      h("div", { class: "cw-row" }, view.models.el, view.context.el, view.typed.el),
      h(
        "div",
        { class: "cw-masks-pair" },
        view.stack.el,
        h(
          "div",
          { class: "cw-masks-read" },
          view.mix,
          view.knows,
          view.verdict,
          view.sinks,
          h("p", {
            class: "cw-note",
            text: "Solid bars: seen by the layer itself. Pale bars: known through the layers below.",
          }),
          view.legend.el,
        ),
      ),
    ),
    h(
      "div",
      { class: "cw-section" },
      heading("Size of the cache", "bytes against context length, both on log scales"),
      h(
        "div",
        { class: "cw-masks-pair" },
        view.curve.el,
        h("div", { class: "cw-masks-read" }, view.holds, view.full, view.slope, view.compared),
      ),
      view.table.el,
    ),
    h(
      "div",
      { class: "cw-section" },
      heading("What does “1/7” compare?", "MiMo's claims, recomputed at the chosen context"),
      view.claims.el,
    ),
  );
  return view;
};

/** @typedef {ReturnType<typeof build>} View */

/** A sentence; an empty one is hidden. @param {HTMLElement} node @param {string} path @param {object} now */
const said = (node, path, now) => {
  put(node, path, "text", now);
  node.hidden = !node.textContent;
};
/** @param {View} view @param {State} state @param {Data} data */
const draw = (view, state, data) => {
  const now = { ...state, ...compute(state, data) };
  for (const key of /** @type {const} */ (["kind", "span", "depth", "first", "sink", "logit"])) {
    const control = /** @type {Control<unknown>} */ (view[key]);
    control.set(state[key]);
  }
  view.span.enable(state.kind !== "causal");
  view.logit.enable(state.sink);
  view.mask.update(now.mask, state);
  said(view.row, "mask.row", now);
  setAttrs(findIn(view.keys, ".seen"), { class: `cw-masks-key seen ${ROLE[state.kind]}` });
  view.more.forEach((p, i) => said(p, `mask.more.${i}`, now));
  view.models.set(state.model);
  view.context.set(state.context);
  view.typed.set(state.context);
  view.later(() => below(view, state, now));
};
/** @param {View} view @param {State} state @param {State & Now} now */
const below = (view, state, now) => {
  const wide = Math.max(260, view.stack.el.clientWidth); // read before anything is written
  const { stack } = now;
  view.stack.update(stack, state, wide);
  view.legend.update(stack.marks);
  for (const key of /** @type {const} */ (["mix", "knows", "verdict", "sinks", "compared"]))
    said(view[key], `stack.${key}`, now);
  view.curve.update(stack, state, wide);
  fill(view.holds, "{stack.tokens_hold} {stack.bytes:bytes}.", now);
  fill(
    view.full,
    stack.bytes_full > stack.bytes
      ? "If every layer stored every token, the cache would take {stack.bytes_full:bytes}, {stack.ratio:times 2} as much."
      : "At this length, every layer stores every token.",
    now,
  );
  fill(
    view.slope,
    `In a long text, each new token adds {stack.growing:bytes}${stack.growing_full > stack.growing ? " instead of {stack.growing_full:bytes}" : ""}.`,
    now,
  );
  view.table.update(now, state.model);
  view.claims.update(now);
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "masks");
    const data = readData(model);
    const view = build(model, root, data);
    /** @type {State | null} */
    let last = null;
    const stop = live(model, {
      root,
      keys: KEYS,
      check,
      update: (state) => {
        last = state;
        draw(view, state, data);
      },
    });
    const first = widthOf(root);
    const stopWatching = onWidth(root, (now) => {
      if (last && now !== first) draw(view, last, data);
    });
    return () => {
      stopWatching();
      stop();
    };
  },
};
