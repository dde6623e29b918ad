/* A reader's own moves: a request to the head of the waiting queue, or out of the batch. */
import { makeButton } from "../kit/controls.js";
import { h, setText } from "../kit/dom.js";
import { commit, readState } from "../kit/model.js";
import { check } from "./compute.js";
import { KEYS } from "./lab_controls.js";
import { letter } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/paged-cache.d.ts" */
/** @import { AfmModel } from "../kit/model.js" */
/** @import { Seen } from "./view.js" */

/** Buttons that move the chosen request: to the head of the waiting queue, or out of the batch. @param {AfmModel<State, Data>} model */
export const makeMoves = (model) => {
  /** @type {Seen | null} */
  let seen = null;
  const list = () => /** @type {number[]} */ (readState(model, KEYS).moves);
  const move = makeButton({
    text: "move",
    onClick: () => {
      if (!seen) return;
      const next = seen.at.step + 1;
      commit(model, { moves: [...list(), next, seen.request], step: next });
    },
  });
  const undo = makeButton({
    text: "undo",
    onClick: () => {
      const moves = list();
      commit(model, { moves: moves.slice(0, -2), step: Math.max(1, moves[moves.length - 2] - 1) });
    },
  });
  const says = h("span", { class: "cw-note" });
  const el = h(
    "div",
    { class: "cw-row cw-paged-cache-moves", role: "group", "aria-label": "your moves" },
    move.el,
    undo.el,
    says,
  );
  /** @param {Seen} now @param {Data} data */
  const update = (now, data) => {
    seen = now;
    const { at, request } = now;
    const moves = list();
    const waits = at.waiting.includes(request);
    const runs = at.running.includes(request);
    move.set(runs ? `preempt ${letter(request)}` : `${letter(request)} to the head of the queue`);
    const full = check({ ...readState(model, KEYS), moves: [...moves, 1, request] }, data) !== "";
    move.enable((waits || runs) && !full && now.end > at.step);
    undo.enable(moves.length > 0);
    const head = at.waiting[0] === request ? " It is there already." : "";
    const where = waits
      ? `${letter(request)} is waiting.${head}`
      : runs
        ? `${letter(request)} is running.`
        : "Choose a request that waits or runs.";
    setText(says, where);
  };
  return { el, update };
};
