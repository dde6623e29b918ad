/* The lab: six maps of one matrix and of the same matrix rotated, every scheme against its bits, and the table. In a
   single file it stands alone; widget.js has all of it. */
import { segmented, select } from "../kit/controls.js";
import { h, makeRoot, onWidth, setAttrs, widthOf } from "../kit/dom.js";
import { heading, makeLegend } from "../kit/headings.js";
import { commit, live, readData, readState } from "../kit/model.js";
import { fill } from "../kit/numbers.js";
import { makeStack } from "../kit/table.js";
import { picture_of } from "./bitmap.js";
import { scatter_view } from "./charts.js";
import { check, compute, SHOWN } from "./compute.js";
import { levels_of, live_maps } from "./live.js";
import { is_kept, kept_pictures, maps_row, scale_legend } from "./maps.js";

/** @import { Data, State } from "../../.make/data_types/matrix.d.ts" */
/** @import { AfmModel, Setter, Widget } from "../kit/model.js" */
/** @import { Now, Row } from "./compute.js" */

/** @import { OwnSlice } from "./own.js" */
/** @import { make_pool } from "./pool.js" */

export { check, compute } from "./compute.js";

/** What widget.js adds: a single file has no room for it, and no page around it. @type {{ own_slice: OwnSlice | null, make_pool: typeof make_pool | null }} */
export const extras = { own_slice: null, make_pool: null };
const KEYS = ["seed", "drawn", "scheme", "loud", "rule", "shown", "row", "column"];
/** @type {[label: string, key: keyof Row, how: string][]} */
const COLUMNS = [
  ["scheme", "label", "text"],
  ["bits", "bits", "num 4"],
  ["weights", "weights", "signed 1"],
  ["rotated", "rotated", "signed 1"],
  ["out", "out", "signed 1"],
  ["out, rotated", "out_rotated", "signed 1"],
  ["zeros", "zeros", "percent 1"],
];

/** @param {AfmModel<State, Data>} model @param {Data} data */
const matrix_controls = (model, data) => {
  /** @type {Setter<State>} */
  const go = (key) => (value) => commit(model, { [key]: value });
  const [first, ...others] = data.seeds;
  return {
    drawn: segmented({
      label: "the numbers",
      options: [
        { value: false, label: "weights made here" },
        { value: true, label: "a drawing" },
      ],
      onInput: (drawn) => commit(model, drawn ? { drawn, loud: 1, shown: "values" } : { drawn, shown: "error" }),
    }),
    seed: select({
      label: "seed",
      options: [first, ...others].map((value) => ({ value, label: String(value) })),
      onInput: go("seed"),
    }),
    loud: segmented({
      label: "error of",
      options: data.loud.map((value) => ({
        value,
        label: value === 1 ? "the weights" : `outputs, input 300 × ${value}`,
        title: value === 1 ? "also of outputs, where all inputs are equally large" : "",
      })),
      onInput: go("loud"),
    }),
    shown: segmented({
      label: "shown",
      options: SHOWN.map((value) => ({ value, label: value })),
      onInput: go("shown"),
    }),
    rule: segmented({
      label: "MXFP4’s scale rule",
      options: ["floor", "rceil", "even"],
      onInput: (rule) =>
        commit(model, model.get("scheme").startsWith("mxfp4") ? { rule, scheme: `mxfp4_${rule}` } : { rule }),
    }),
    scheme: select({
      label: "scheme",
      options: data.schemes.map(({ name, label }) => ({ value: name, label })),
      onInput: (scheme) =>
        commit(model, scheme.startsWith("mxfp4") ? { scheme, rule: scheme.slice("mxfp4_".length) } : { scheme }),
    }),
  };
};

/** What the picked scheme costs, and over the other matrices. @param {Now} now @param {boolean} own */
const told = (now, own) => {
  const here = `{now.label:text} takes {now.bits:num 4} bits a weight: {now.out:signed 1} dB, and {now.out_rotated:signed 1} dB where the matrix is rotated first; {now.zeros:percent 1} of the weights become zero.`;
  if (own || now.drawn) return here;
  const { mean } = now.many.gain;
  return `${here} Over five other matrices: {many.out.mean:signed 1} dB ({many.out.low:signed 1} to {many.out.high:signed 1}), and the rotation ${mean > 0 ? "gains" : "changes it by"} {many.gain.mean:signed 1} ({many.gain.low:signed 1} to {many.gain.high:signed 1}).`;
};

/** @param {AfmModel<State, Data>} model @param {HTMLElement} root @param {Data} data @param {HTMLElement | null} home */
const build = (model, root, data, home) => {
  const made = matrix_controls(model, data);
  /** @param {string} scheme @param {{ row: number, column: number } | null} at */
  const onPick = (scheme, at) => {
    const own = maps.own();
    const limit = model.get("drawn") ? data.made.drawn : data.made.side;
    const { rows, columns } = own ?? { rows: limit, columns: limit };
    const place = at && {
      row: Math.min(Math.floor(at.row * rows), limit - 1),
      column: Math.min(Math.floor((at.column * columns) / 32) * 32, limit - 1),
    };
    commit(model, { scheme, ...place });
  };
  const [plain, turned] = [maps_row({ onPick }), maps_row({ turned: true, onPick })];
  const [legend, scatter, maps] = [scale_legend(), scatter_view(), live_maps(data, extras.make_pool?.(home, data))];
  const [says, source] = [h("p", { class: "cw-matrix-says" }), h("p", { class: "cw-note", hidden: true })];
  const table = makeStack({
    caption: "Every scheme: signal to noise in dB",
    columns: COLUMNS.map(([label, key, how], i) => ({
      label,
      align: i ? "right" : "",
      how,
      out: (row) => `rows.${row.i}.${key}`,
    })),
  });
  const pills = makeLegend([
    { class: "in", label: "error of the weights" },
    { class: "out", label: "error of what comes out" },
  ]);
  root.append(
    h("div", { class: "cw-row" }, made.drawn.el, made.seed.el, made.loud.el),
    h("div", { class: "cw-row" }, made.shown.el, made.rule.el, made.scheme.el),
    source,
    h(
      "div",
      { "data-omit": true }, // pictures are heavy; those of the beats stand there before any script
      heading("Four bits, six ways to share a scale"),
      legend.el,
      plain.el,
      heading(
        "The same, rotated first",
        "random signs, a Hadamard matrix over every 32 inputs; the error is turned back",
      ),
      turned.el,
    ),
    says,
    h(
      "div",
      { class: "cw-section", "data-below": true },
      heading("What does a bit buy?", "signal to noise against bits per weight"),
      scatter.el,
      pills,
      table.el,
    ),
  );
  return { made, plain, turned, legend, scatter, maps, says, source, table };
};

/** The rms of the first matrix. @param {Data} data */
const rms_of = ({ seeds, sources, made }) => {
  const [squares] = /** @type {{ [seed: string]: { signal: number[] } }} */ (sources)[seeds[0]].signal;
  return Math.sqrt(squares) / made.side;
};

const NOTHING = Object.fromEntries(
  ["weights", "rotated", "out", "out_rotated", "zeros", "gain"].map((key) => [key, Number.NaN]),
);

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "matrix");
    const home = /** @type {HTMLElement | null} */ (el.closest("[data-module]"));
    const data = readData(model);
    const view = build(model, root, data, home);
    const { maps } = view;
    const kept = kept_pictures(data);
    const state = () => readState(model, KEYS);
    /** How a map was last coloured. @type {WeakMap<object, { how: string, src: string }>} */
    const shades = new WeakMap();
    let begun = false; // whether the browser makes maps itself

    /** The state with what it prints: of the reader's slice, what is known by now. @param {State} given @returns {Now} */
    const now_of = (given) => {
      const now = { ...given, ...compute(given, data) };
      const own = maps.own();
      if (!own) return now;
      const known = new Map(maps.rows(given.loud).map((row) => [row.name, row]));
      const rows = now.rows.map((row) => known.get(row.name) ?? { ...row, ...NOTHING });
      const found = (/** @type {string} */ name) => /** @type {Row} */ (rows.find((row) => row.name === name));
      const share = own.rms / rms_of(data);
      return {
        ...now,
        rows,
        now: found(given.scheme),
        maps: now.maps.map((map) => ({ ...map, ...found(map.name) })),
        ends: given.shown === "zeros" ? now.ends : now.ends.map((end) => end * share),
      };
    };
    /** @param {State} given @param {Now} now */
    const pictures = (given, now) => (/** @type {string} */ name, /** @type {boolean} */ turned) => {
      const sums = maps.sums(given, name, turned);
      if (sums) {
        const how = [given.shown, given.loud, now.ends].join(" ");
        let shade = shades.get(sums);
        if (shade?.how !== how) {
          const src = picture_of(
            levels_of(sums, given, now.ends),
            sums.columns,
            given.drawn && given.shown === "values",
          );
          shade = { how, src };
          shades.set(sums, shade);
        }
        return shade.src;
      }
      return is_kept(given, data) && data.maps && !maps.own() ? kept(name, turned) : "";
    };
    const draw = () => {
      const given = state();
      const now = now_of(given);
      const own = maps.own();
      for (const [key, control] of Object.entries(view.made))
        control.set(/** @type {never} */ (given[/** @type {keyof State} */ (key)]));
      view.made.loud.enable(!given.drawn);
      view.made.seed.enable(!given.drawn && !own);
      const shown = pictures(given, now);
      view.legend.update(now);
      view.plain.update(now, shown);
      view.turned.update(now, shown);
      fill(view.says, told(now, Boolean(own)), now);
      view.source.hidden = !own;
      if (own)
        setAttrs(view.source, { text: `Your slice: ${own.title}. It stays in this browser.`, "data-index": true });
      const rows = now.rows.filter((row) => !Number.isNaN(row.out) && !Number.isNaN(row.out_rotated));
      view.scatter.update({ ...now, rows: own ? rows : now.rows }, Math.max(300, Math.min(widthOf(root), 900)));
      view.table.update(
        rows.map((row) => ({ now, i: now.rows.indexOf(row), class: row.name === given.scheme ? "on" : "" })),
      );
    };
    const make_maps = () => {
      begun = true;
      maps.request(state(), draw);
    };
    const slice = extras.own_slice?.({
      home,
      data,
      state,
      matrix: () => maps.matrix(state()),
      size: () => {
        const side = state().drawn ? data.made.drawn : data.made.side;
        return maps.own() ?? { rows: side, columns: side };
      },
      onSlice: (own) => {
        maps.take(own);
        if (own) commit(model, { drawn: false });
        draw();
        make_maps();
      },
    });
    const first = () => {
      if (!begun) make_maps();
    };
    for (const event of ["pointerenter", "focusin"]) (home ?? root).addEventListener(event, first);
    const stop = live(model, {
      root,
      keys: KEYS,
      check,
      update: (given) => {
        draw();
        slice?.update();
        if (begun || !is_kept(given, data) || !data.maps) make_maps();
      },
    });
    const stop_width = onWidth(root, draw);
    return () => {
      maps.stop();
      slice?.remove();
      stop_width();
      stop();
    };
  },
};
