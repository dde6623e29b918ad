/* The figures of the beats, by the names that page.md gives them. */
export { lanesFigure as lanes, poolFigure as pool, tablesFigure as tables } from "./beats.js";
