/* The controls of the lab: mixer, feed, head, temperature, top-p. */
import { segmented, select, slider } from "../kit/controls.js";
import { commit, makeOffer } from "../kit/model.js";
import { check } from "./legal.js";

/** @import { State } from "../../.make/data_types/decoder.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { AfmModel, Setter } from "../kit/model.js" */
/** @import { Data } from "./compute.js" */

/** What has a control. @typedef {"m" | "feed" | "h" | "temp" | "top"} Controlled */

export const LAB_KEYS = ["m", "x", "u", "h", "temp", "top", "draw", "feed"];

/** @param {AfmModel<State, Data>} model @param {Data} data */
export const decoder_controls = (model, data) => {
  /** @type {Setter<State>} */
  const go = (key) => (value) => commit(model, { [key]: value });
  /** @param {number} v */
  const digits = (v) => v.toFixed(2);
  /** @type {{ [Key in Controlled]: Control<State[Key]> }} */
  const made = {
    m: select({
      label: "mixer",
      options: data.mixers.map((one) => ({ value: one.name, label: one.title })),
      onInput: (m) => makeOffer(model, { keys: LAB_KEYS, data, check })(made.m, { m }) || made.m.set(model.get("m")),
    }),
    feed: segmented({ label: "feed", options: ["prefill", "decode"], onInput: go("feed") }),
    h: segmented({ label: "head", options: [0, 1, 2, 3], onInput: go("h") }),
    temp: slider({ label: "temperature", min: 0.1, max: 3, step: 0.1, format: digits, onInput: go("temp") }),
    top: slider({ label: "top-p", min: 0.05, max: 1, step: 0.05, format: digits, onInput: go("top") }),
  };
  return made;
};
