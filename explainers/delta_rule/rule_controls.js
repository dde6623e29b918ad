/* What the rules are given beside the writes: overlap, strength and decay, the old document, the keys that are scored, KDA's α. */
import { slider as kitSlider, makeButton, number } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { fmt } from "../kit/numbers.js";
import { row_names } from "./states.js";
import { channel_bars, wanted_keys } from "./tape.js";
import { pairs_of } from "./writes.js";

/** @import { Changes } from "../kit/model.js" */
/** @import { Data, Now, State } from "./compute.js" */

/** @param {(changes: Changes<State>) => void} set */
export const rule_sliders = (set) => {
  const tidy = (/** @type {number} */ v) => Math.round(v * 100) / 100;
  /** @type {(label: string, key: "overlap" | "beta" | "decay", max: number) => ReturnType<typeof kitSlider>} */
  const slider = (label, key, max) =>
    kitSlider({
      label,
      min: 0,
      max,
      step: 0.05,
      format: (v) => fmt.fixed(v, 2),
      onInput: (v) => set({ [key]: tidy(v) }),
    });
  return {
    overlap: slider("Overlap of keys", "overlap", 0.9),
    beta: slider("Write strength β", "beta", 2),
    decay: slider("Decay α", "decay", 1),
  };
};

/** @param {Data} data @param {() => State} get @param {(changes: Changes<State>) => void} set */
export const scored_controls = (data, get, set) => {
  const border = number({
    label: "Writes of the old document",
    min: 0,
    max: data.most,
    integer: true,
    size: 3,
    allow: (v) => (v > get().writes.length / 2 ? "There are fewer writes than that." : ""),
    onInput: (v) => set({ border: v }),
  });
  const wanted = wanted_keys(data, (which) => {
    const state = get();
    const last = [
      ...new Set(
        pairs_of(state.writes)
          .map(([k]) => k)
          .reverse(),
      ),
    ]
      .slice(0, 4)
      .reverse();
    if (which === null || Array.isArray(which)) {
      set({ wanted: which || last });
      return;
    }
    set({
      wanted: state.wanted.includes(which)
        ? state.wanted.filter((k) => k !== which)
        : [...state.wanted, which].sort((a, b) => a - b),
    });
  });
  const channels = channel_bars((c, a) => {
    const { channels: now, decay } = get();
    set({
      channels: (now.length ? now : /** @type {number[]} */ (new Array(8).fill(decay))).map((x, i) =>
        i === c ? a : x,
      ),
    });
  });
  const alike = makeButton({ label: "all rows alike", onClick: () => set({ channels: [] }) });
  const kda = h(
    "div",
    { class: "cw-delta-rule-kda" },
    h("span", { class: "cw-label", text: "KDA’s α, row by row" }),
    channels.el,
    alike.el,
  );
  /** @param {State} state @param {Now} out */
  const update = (state, out) => {
    border.set(state.border);
    wanted.update(state.wanted, out.keys.length);
    channels.update(out, row_names(state, data));
    alike.enable(state.channels.length > 0);
  };
  return { border: border.el, wanted: wanted.el, kda, update };
};
