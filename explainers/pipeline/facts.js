/* The facts of a step: its bubble in both conventions, a model's times in milliseconds, and the reason of a gap. */
import { makeButton } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { fill, put as kitPut } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";

/** @import { Now } from "./compute.js" */

export const pipeline_facts = () => {
  const line = (/** @type {string} */ label) => {
    const value = h("b", { class: "cw-mono" });
    const note = h("span", { class: "cw-note" });
    return { el: h("p", {}, h("span", { class: "cw-label", text: label }), value, note), value, note };
  };
  const whole = line("of the whole step");
  const ideal = line("of the work");
  const idle = line("idle");
  const formula = line("closed form");
  const sent = line("messages");
  const el = h("div", { class: "cw-pipeline-facts" }, idle.el, whole.el, ideal.el, formula.el, sent.el);
  /** @param {Now} now */
  const update = (now) => {
    kitPut(idle.value, "bubble", "sig 5", now);
    fill(idle.note, "{notes.idle} · {notes.who}", now);
    kitPut(whole.value, "of_total", "percent 1", now);
    kitPut(whole.note, "notes.whole", "text", now);
    kitPut(ideal.value, "of_ideal", "percent 1", now);
    kitPut(ideal.note, "notes.ideal", "text", now);
    kitPut(formula.value, "formula", "sig 5", now);
    kitPut(formula.note, "notes.formula", "text", now);
    kitPut(sent.value, "crossings", "int", now);
    fill(sent.note, "activations and gradients sent between ranks, {times.hop:sig 3} units each", now);
  };
  return { el, update };
};

/* A model's times: never less, since nothing runs above the device's peak or the link's speed. */
export const pipeline_real = () => {
  const words = [
    ["one unit", "unit_ms:sig 4", "a stage's forward at the peak in BF16, without embedding and head"],
    ["one message", "message_bytes:bytes", "tokens × hidden size × 2 bytes, {real.hop_ms:sig 3} ms on the link"],
    ["the step", "step_ms:sig 4", "of which {real.idle_ms:sig 4} ms idle"],
    ["a rank sends", "sent_bytes:bytes", "at most, in the step"],
  ];
  const lines = words.map(([label]) =>
    h(
      "p",
      {},
      h("span", { class: "cw-label", text: label }),
      h("b", { class: "cw-mono" }),
      h("span", { class: "cw-note" }),
    ),
  );
  const el = h(
    "div",
    { class: "cw-pipeline-facts cw-pipeline-real" },
    heading("In milliseconds", "lower bounds"),
    lines,
  );
  return {
    el,
    update: (/** @type {Now} */ now) => {
      el.hidden = !now.real;
      if (now.real)
        words.forEach(([, value, note], i) => {
          fill(lines[i].children[1], `{real.${value}}${value.includes("_ms") ? " ms" : ""}`, now);
          fill(lines[i].children[2], note, now);
        });
    },
  };
};

/**
 * The gap before or after the one that is asked, the first again after the last, with the cursor at its end; nothing where
 * there is no gap.
 * @param {Now} out
 * @param {number} by
 */
export const next_gap = (out, by) => {
  const all = out.ops.flatMap((ops, rank) =>
    ops
      .map((op, k) => [rank, k])
      .filter(([, k]) => /** @type {number} */ (ops[k].at(-2)) > (k ? /** @type {number} */ (ops[k - 1].at(-1)) : 0)),
  );
  if (!all.length) return {};
  const [rank, op] = all[(out.gap - 1 + by + (!out.gap && by < 0 ? 1 : 0) + all.length) % all.length];
  return { rank, op, cursor: /** @type {number} */ (out.ops[rank][op].at(-2)) };
};

/** @param {(by: number) => void} go */
export const pipeline_why = (go) => {
  const text = h("p", { class: "cw-pipeline-sentence", "aria-live": "polite" });
  const count = h("span", { class: "cw-note" });
  const prev = makeButton({ label: "Previous gap", text: "◀ gap", onClick: () => go(-1) });
  const next = makeButton({ label: "Next gap", text: "gap ▶", onClick: () => go(1) });
  const el = h("div", { class: "cw-pipeline-why" }, h("div", { class: "cw-row" }, prev.el, next.el, count), text);
  return {
    el,
    update: (/** @type {Now} */ now) => {
      fill(
        text,
        now.says
          ? "{says}"
          : "Click a gap in the lanes, or step through the gaps, to see which result it waits for. Click a cell to see its messages.",
        now,
      );
      fill(count, now.gap ? "gap {gap} of {gaps}" : now.gaps ? "{gaps} gaps" : "no gaps", now);
    },
  };
};

/* What each rank does at the cursor, and what it holds. */
export const doing_table = () => {
  return makeTable({
    caption: "What each rank does at the cursor",
    columns: [
      { key: "rank", label: "rank" },
      { out: (r) => `doing.${r.rank}`, label: "at the cursor" },
      ...[
        ["now", "in flight"],
        ["peak", "peak"],
      ].map(([key, label]) => ({
        out: (/** @type {{ rank?: number }} */ r) => `${key}.${r.rank}`,
        how: "sig 5",
        label,
        align: "right",
      })),
    ],
  });
};
