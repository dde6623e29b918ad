/* The lab, drawn from its state: six maps of one matrix and of the same matrix rotated, every scheme against its bits, and
   the table. In a single file it stands alone; widget.js has all of it. */
import { makeRoot, setAttrs } from "../kit/dom.js";
import { commit, live, readData, readState } from "../kit/model.js";
import { fill } from "../kit/numbers.js";
import { onWidth, widthOf } from "../kit/width.js";
import { picture_of } from "./bitmap.js";
import { check, compute } from "./compute.js";
import { build, extras } from "./lab.js";
import { levels_of } from "./live.js";
import { is_kept, kept_pictures } from "./maps.js";

/** @import { live_maps } from "./live.js" */
/** @import { Data, State } from "../../.make/data_types/matrix.d.ts" */
/** @import { Widget } from "../kit/model.js" */
/** @import { Now, Row } from "./compute.js" */

export { check, compute } from "./compute.js";

const KEYS = ["seed", "drawn", "scheme", "loud", "rule", "shown", "row", "column"];

/** What the picked scheme costs, and over the other matrices. @param {Now} now @param {boolean} own */
const told = (now, own) => {
  const here = `{now.label:text} takes {now.bits:num 4} bits a weight: {now.out:signed 1} dB, and {now.out_rotated:signed 1} dB where the matrix is rotated first; {now.zeros:percent 1} of the weights become zero.`;
  if (own || now.drawn) return here;
  const { mean } = now.many.gain;
  return `${here} Over five other matrices: {many.out.mean:signed 1} dB ({many.out.low:signed 1} to {many.out.high:signed 1}), and the rotation ${mean > 0 ? "gains" : "changes it by"} {many.gain.mean:signed 1} ({many.gain.low:signed 1} to {many.gain.high:signed 1}).`;
};

/** The rms of the first matrix. @param {Data} data */
const rms_of = ({ seeds, sources, made }) => {
  const [squares] = /** @type {{ [seed: string]: { signal: number[] } }} */ (sources)[seeds[0]].signal;
  return Math.sqrt(squares) / made.side;
};

const NOTHING = Object.fromEntries(
  ["weights", "rotated", "out", "out_rotated", "zeros", "gain"].map((key) => [key, Number.NaN]),
);

/**
 * The state with what it prints: of the reader's slice, what is known by now.
 * @param {State} given
 * @param {ReturnType<typeof live_maps>} maps
 * @param {Data} data
 * @returns {Now}
 */
const now_of = (given, maps, data) => {
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

/**
 * The pictures of a state: those that were made here, else those that are kept.
 * @param {ReturnType<typeof live_maps>} maps
 * @param {Data} data
 */
const pictures_of = (maps, data) => {
  const kept = kept_pictures(data);
  /** How a map was last coloured. @type {WeakMap<object, { how: string, src: string }>} */
  const shades = new WeakMap();
  /** @param {State} given @param {Now} now */
  return (given, now) => (/** @type {string} */ name, /** @type {boolean} */ turned) => {
    const sums = maps.sums(given, name, turned);
    if (sums) {
      const how = [given.shown, given.loud, now.ends].join(" ");
      let shade = shades.get(sums);
      if (shade?.how !== how) {
        const src = picture_of(levels_of(sums, given, now.ends), sums.columns, given.drawn && given.shown === "values");
        shade = { how, src };
        shades.set(sums, shade);
      }
      return shade.src;
    }
    return is_kept(given, data) && data.maps && !maps.own() ? kept(name, turned) : "";
  };
};

/**
 * Draws a state: controls, maps, the scatter plot and the table.
 * @param {ReturnType<typeof build>} view
 * @param {Element} root
 * @param {State} given
 * @param {Now} now
 * @param {(name: string, turned: boolean) => string} shown
 */
const draw_state = (view, root, given, now, shown) => {
  const own = view.maps.own();
  for (const [key, control] of Object.entries(view.made))
    control.set(/** @type {never} */ (given[/** @type {keyof State} */ (key)]));
  view.made.loud.enable(!given.drawn);
  view.made.seed.enable(!given.drawn && !own);
  view.legend.update(now);
  view.plain.update(now, shown);
  view.turned.update(now, shown);
  fill(view.says, told(now, Boolean(own)), now);
  view.source.hidden = !own;
  if (own) setAttrs(view.source, { text: `Your slice: ${own.title}. It stays in this browser.`, "data-index": true });
  const rows = now.rows.filter((row) => !Number.isNaN(row.out) && !Number.isNaN(row.out_rotated));
  view.scatter.update({ ...now, rows: own ? rows : now.rows }, Math.max(300, Math.min(widthOf(root), 900)));
  view.table.update(
    rows.map((row) => ({ now, i: now.rows.indexOf(row), class: row.name === given.scheme ? "on" : "" })),
  );
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "matrix");
    const home = /** @type {HTMLElement | null} */ (el.closest("[data-module]"));
    const data = readData(model);
    const view = build(model, root, data, home);
    const { maps } = view;
    const pictures = pictures_of(maps, data);
    const state = () => readState(model, KEYS);
    let begun = false; // whether the browser makes maps itself

    const draw = () => {
      const given = state();
      const now = now_of(given, maps, data);
      draw_state(view, root, given, now, pictures(given, now));
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
