/* The claims of reports, recomputed at the chosen context. */
import { h } from "../kit/dom.js";
import { put } from "../kit/numbers.js";

/** @import { Data } from "../../.make/data_types/masks.d.ts" */
/** @import { Now } from "./compute.js" */

/** @param {Data} data */
export const claimsList = (data) => {
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
