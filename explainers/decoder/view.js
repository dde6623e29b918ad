/* What a decoder answers, as bars: the next token, where each head looks, how much of its state survives a reset. */
import { h as kitH, renderList, s, setAttrs } from "../kit/dom.js";
import { put } from "../kit/numbers.js";
import { range_of } from "./vectors.js";

/** @import { Now } from "./compute.js" */
/** @import { Live } from "./live.js" */

/** What is drawn once the decoder has answered. @typedef {Now & { live: Live }} Answered */
/**
 * Whether the decoder has answered: its weights are here, or this is the first stream.
 * @template {Pick<Now, "live">} Some
 * @param {Some} now
 * @returns {now is Some & { live: Live }}
 */
export const is_answered = (now) => now.live !== null;

/** A bar, which is given its share. */
export const bar_of = (css = "") => {
  const rect = s("rect", { height: 8 });
  return Object.assign(
    s(
      "svg",
      { class: `cw-decoder-bar ${css}`, viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
      rect,
    ),
    { share: (/** @type {number} */ s) => setAttrs(rect, { width: (100 * s).toFixed(2) }) },
  );
};

export const says_view = () => {
  const el = kitH("ol", { class: "cw-decoder-says" });
  const make = () => {
    const [name, bar, share] = [kitH("span"), bar_of(), kitH("span")];
    return Object.assign(kitH("li", {}, kitH("b", {}, name), bar, kitH("span", {}, share)), {
      parts: { name, bar, share },
    });
  };
  /** @param {Answered} now */
  const update = (now) =>
    renderList(el, now.live.top, make, ({ parts }, one, i) => {
      put(parts.name, `live.top.${i}.name`, "text", now);
      put(parts.share, `live.top.${i}.share`, "percent 1", now);
      parts.bar.share(one.share);
    });
  return { el, update };
};

/**
 * The units up to the cursor that write the key under it.
 * @param {Now} now
 */
export const own_writes = (now) =>
  now.stream.units.flatMap((one, i) =>
    now.here.token > 3 * i && one.key === now.here.key && one.word === "W" ? [i] : [],
  );
export const heads_view = () => {
  const body = kitH("tbody");
  const el = kitH(
    "table",
    { class: "cw-decoder-heads" },
    kitH(
      "thead",
      {},
      kitH(
        "tr",
        {},
        kitH("td"),
        ["first", "last"].map((name) => kitH("th", { scope: "col", text: `on the ${name} write` })),
      ),
    ),
    body,
  );
  /** @param {unknown} _ @param {number} h */
  const make = (_, h) => {
    const cells = range_of(2).map(() => ({ bar: bar_of("look"), share: kitH("span") }));
    return Object.assign(
      kitH(
        "tr",
        {},
        kitH("th", { scope: "row" }, "head ", kitH("span", { "data-index": true, text: h })),
        cells.map(({ bar, share }) => kitH("td", {}, bar, share)),
      ),
      { parts: cells },
    );
  };
  /** @param {Answered} now */
  const update = (now) => {
    const writes = own_writes(now);
    renderList(body, now.live.looks, make, ({ parts: cells }, row, h) =>
      [writes[0], writes[writes.length - 1]].forEach((i, k) => {
        cells[k].bar.share(row[i]);
        put(cells[k].share, `live.looks.${h}.${i}`, "percent 0", now);
      }),
    );
  };
  return { el, update };
};

/* How much of each head's state stays over a reset. */
export const gates_view = () => {
  const body = kitH("tbody");
  const el = kitH(
    "table",
    { class: "cw-decoder-heads" },
    kitH(
      "thead",
      {},
      kitH("tr", {}, kitH("td"), kitH("th", { scope: "col", text: "share of its state left after X X X" })),
    ),
    body,
  );
  /** @param {unknown} _ @param {number} h */
  const make = (_, h) => {
    const [bar, share] = [bar_of("look"), kitH("span")];
    return Object.assign(
      kitH(
        "tr",
        {},
        kitH("th", { scope: "row" }, "head ", kitH("span", { "data-index": true, text: h })),
        kitH("td", {}, bar, share),
      ),
      { parts: { bar, share } },
    );
  };
  /** @param {Now} now */
  const update = (now) =>
    renderList(body, now.model.stays, make, ({ parts }, share, h) => {
      parts.bar.share(share);
      put(parts.share, `model.stays.${h}`, "percent 1", now);
    });
  return { el, update };
};
