/* The drawing by keyboard: one button that stands on a GPU; arrows move it, Enter picks what the GPU holds, Escape drops the pick. */

import { h, setAttrs, setText } from "../../../explainers/kit/dom.js";
import * as elements from "./elements.js";
import * as lazy from "./lazy.js";
import { NAME, NUMBERS } from "./pieces.js";
import * as ranks from "./ranks.js";
import * as session from "./session.js";
import * as shardedTensors from "./sharded-tensors.js";
import * as topologyText from "./topology-text.js";

const state = { at: 0 };
/** @type {{ pick: (name: string) => void }} */
let page;

export const node = h("button", { type: "button", class: "plan-ring", "aria-label": "GPUs: arrow keys move" });
const cell = () => elements.at("drawing").querySelector(`[data-rank="${state.at}"]`);
/** @param {number} rank */
const move = (rank) => {
  state.at = Math.max(0, Math.min(rank, session.state.good.layout.gpus - 1));
  const text = topologyText.gpu(session.state.good, state.at, lazy.saved);
  setAttrs(node, { "aria-label": text });
  setText(elements.at("gpu"), text);
  const found = cell();
  if (!found) return;
  const [a, b] = [found.getBoundingClientRect(), elements.at("drawing").getBoundingClientRect()];
  setAttrs(node, {
    style: {
      left: `${a.left - b.left - 3}px`,
      top: `${a.top - b.top - 3}px`,
      width: `${a.width + 6}px`,
      height: `${a.height + 6}px`,
    },
  });
};
/** @param {KeyboardEvent} event */
const keys = (event) => {
  const { good, picked } = session.state;
  const apart = good.layout.pp > 1 ? ranks.first_rank(good.layout, 1) : 0;
  const way = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -apart, ArrowDown: apart }[event.key];
  if (way !== undefined) move(state.at + way);
  else if (event.key === "Escape" && picked) page.pick("");
  else return;
  event.preventDefault();
  node.focus({ preventScroll: true });
};
const held = () => {
  const now = session.state.good;
  const stage = ranks.stage_of(now.layout, state.at);
  const row = shardedTensors
    .rows(now)
    .filter((one) => one.where === "inside")
    .reduce((best, one) => (one.most[NUMBERS] > best.most[NUMBERS] ? one : best));
  const layer = now.plan.ranks[stage].layers.find((one) => row.layers.includes(one));
  if (layer === undefined) return "";
  const expert =
    row.rule[0] === "experts" ? Math.floor((ranks.place(now.layout, "ep", state.at) * row.rule[1]) / now.layout.ep) : 0;
  return `layers.${layer}.${row.most[NAME].replace(/\.(weight|bias)$/, "").replace("{expert}", String(expert))}`;
};

/** @param {{ pick: (name: string) => void }} actions */
export const start = (actions) => {
  page = actions;
  node.addEventListener("focus", () => move(state.at));
  node.addEventListener("keydown", keys);
  node.addEventListener("click", () => page.pick(held()));
  elements.at("drawing").addEventListener("click", (event) => {
    const rank = /** @type {HTMLElement} */ (event.target).dataset?.rank;
    if (rank === undefined) return;
    move(Number(rank));
    node.focus({ preventScroll: true });
  });
};
