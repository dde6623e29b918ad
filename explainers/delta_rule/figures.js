/* The figures of the beats, by the names that page.md gives them. */
import { readsFigure } from "./beats.js";

export { documentsFigure as documents, fadingFigure as fading } from "./beats.js";
export const one_state = /* @__PURE__ */ readsFigure(["linear"], true);
export const two_reads = /* @__PURE__ */ readsFigure(["linear", "delta"]);
