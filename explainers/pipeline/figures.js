/* The figures of the beats, by the names that page.md gives them. */
export { lanesFigure as lanes } from "./beats.js";
